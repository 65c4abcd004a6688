# cython: language_level=3
"""Monotonic time, the same clock as Python's time.monotonic_ns."""

from .typedefs cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <time.h>

    #ifndef SHISAN_NOW
    #define SHISAN_NOW
    static int64_t shisan_now_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    #endif
    """
    int64_t now_ns "shisan_now_ns"() noexcept nogil
