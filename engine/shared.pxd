# cython: language_level=3
"""What threads share: numbers read and written whole, without a lock and in no order.

On x86-64 and ARM64 each is the plain instruction. add, claim and the two _in_order are in one order
that all threads agree on.
"""

from .typedefs cimport int16_t, int64_t, uint64_t

cdef extern from *:
    """
    #define shisan_read(where) __atomic_load_n(where, __ATOMIC_RELAXED)
    #define shisan_write(where, value) __atomic_store_n(where, value, __ATOMIC_RELAXED)
    #define shisan_read_in_order(where) __atomic_load_n(where, __ATOMIC_SEQ_CST)
    #define shisan_write_in_order(where, value) __atomic_store_n(where, value, __ATOMIC_SEQ_CST)
    #define shisan_add(where, value) __atomic_add_fetch(where, value, __ATOMIC_SEQ_CST)
    static inline int shisan_claim(int *where, int value) {
        int free = 0;
        return __atomic_compare_exchange_n(where, &free, value, 0, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    }
    """
    int read_flag "shisan_read"(const int *where) noexcept nogil
    void write_flag "shisan_write"(int *where, int value) noexcept nogil
    int64_t read_time "shisan_read"(const int64_t *where) noexcept nogil
    void write_time "shisan_write"(int64_t *where, int64_t value) noexcept nogil
    int16_t read_count "shisan_read"(const int16_t *where) noexcept nogil
    void write_count "shisan_write"(int16_t *where, int16_t value) noexcept nogil
    uint64_t read_word "shisan_read"(const uint64_t *where) noexcept nogil
    void write_word "shisan_write"(uint64_t *where, uint64_t value) noexcept nogil
    int read_in_order "shisan_read_in_order"(const int *where) noexcept nogil
    void write_in_order "shisan_write_in_order"(int *where, int value) noexcept nogil
    # The sum.
    int64_t add "shisan_add"(int64_t *where, int64_t value) noexcept nogil
    # Write the value if there is 0; whether there was.
    bint claim "shisan_claim"(int *where, int value) noexcept nogil
