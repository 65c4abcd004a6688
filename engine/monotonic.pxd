# cython: language_level=3
"""Monotonic time, the same clock as Python's time.perf_counter_ns.

That is CLOCK_MONOTONIC, as time.monotonic_ns has it too; but on Windows the latter only moves every
16 ms.
"""

from .typedefs cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(_WIN32)
    #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
    #endif
    #include <windows.h>
    #else
    #include <time.h>
    #endif

    #ifndef SHISAN_NOW
    #define SHISAN_NOW
    static int64_t shisan_now_ns(void) {
    #if defined(_WIN32)
        LARGE_INTEGER now, second;
        QueryPerformanceCounter(&now);
        QueryPerformanceFrequency(&second);
        return now.QuadPart / second.QuadPart * 1000000000
            + now.QuadPart % second.QuadPart * 1000000000 / second.QuadPart;
    #else
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    #endif
    }
    #endif
    """
    int64_t now_ns "shisan_now_ns"() noexcept nogil
