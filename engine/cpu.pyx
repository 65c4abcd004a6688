# cython: language_level=3
"""What this processor can do."""

cdef extern from *:
    """
    #if defined(__x86_64__) || defined(_M_X64)
    static int shisan_level(void) {
        __builtin_cpu_init();
        if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
              && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")))
            return 0;
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 2 : 1;
    }
    #else
    static int shisan_level(void) { return 0; }
    #endif
    """
    int shisan_level() noexcept nogil


def level() -> int:
    """Return which modules this processor runs: 0 the baseline's, 1 AVX2's too, 2 AVX-512's too."""
    return shisan_level()
