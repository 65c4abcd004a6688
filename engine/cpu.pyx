# cython: language_level=3
"""What this processor can do."""

# By the instruction itself: __builtin_cpu_supports asks the compiler's library, which in clang's
# world may be one that knows no processor.
cdef extern from *:
    """
    #if defined(__x86_64__)
    #include <cpuid.h>
    static int shisan_level(void) {
        const unsigned saved = 1u << 27 | 1u << 28, popcnt = 1u << 23;      /* OSXSAVE, AVX */
        const unsigned avx2 = 1u << 5 | 1u << 3 | 1u << 8;                  /* and BMI1, BMI2 */
        const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  /* F, DQ, BW, VL */
        unsigned a, b, c, d, kept, high;
        if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (saved | popcnt)) != (saved | popcnt))
            return 0;
        __asm__ volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));  /* what the system keeps */
        if ((kept & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)
                || (b & avx2) != avx2)
            return 0;
        return (kept & 0xe6) == 0xe6 && (b & avx512) == avx512 ? 2 : 1;
    }
    #else
    static int shisan_level(void) { return 0; }
    #endif
    """
    int shisan_level() noexcept nogil


def level() -> int:
    """Return which modules this processor runs: 0 the baseline's, 1 AVX2's too, 2 AVX-512's too."""
    return shisan_level()
