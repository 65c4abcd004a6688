# cython: language_level=3
"""What this processor can do."""

cdef extern from *:
    """
    #if defined(__x86_64__) || defined(_M_X64)
    static int shisan_has_avx2(void) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
            && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    }
    #else
    static int shisan_has_avx2(void) { return 0; }
    #endif
    """
    int shisan_has_avx2() noexcept nogil


def has_avx2() -> bool:
    """Return whether the processor runs the modules of shisan.engine.avx2."""
    return shisan_has_avx2() != 0
