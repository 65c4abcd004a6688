# cython: language_level=3
"""Transposition table: what is known of positions already searched.

Threads share its entries without a lock. An entry is two words, written one after the other; the
first holds the position's key combined with the second, so that an entry whose words come from two
writers fits no position and is none.
"""

from .typedefs cimport PROVEN, int16_t, int64_t, int8_t, uint8_t, uint64_t

cdef extern from *:
    """
    #define shisan_fetch(where) __builtin_prefetch(where)
    """
    void ask_early "shisan_fetch"(const void *where) noexcept nogil

cdef enum:
    NONE = 0
    UPPER = 1           # the value is at most this
    LOWER = 2           # at least
    EXACT_VALUE = 3
    BUCKET = 4

cdef struct Known:      # 8 bytes
    int16_t value       # bound; wins and losses counted from this node, not from the root
    int16_t point       # best move, or NO_POINT
    int16_t static_value
    int8_t depth        # plies
    uint8_t age_bound   # age << 2 | bound

cdef union Data:
    uint64_t word
    Known known

cdef struct Entry:      # 16 bytes; four to a cache line; only read and written by engine/shared.pxd
    uint64_t check      # Zobrist key, side to move included, ^ data
    uint64_t data       # 0: none

cdef struct Table:
    Entry *entries      # NULL: none
    void *memory        # that they lie in; NULL: they are another table's
    uint64_t size       # bytes
    bint warm           # whether there are all the huge pages that are to be had
    uint64_t touched    # bytes of the memory that have been taken
    uint64_t mask       # buckets - 1
    uint8_t age         # 0..63, one up a search

cdef bint allocate(Table *table, uint64_t size) noexcept nogil
cdef void warm(Table *table, int64_t until_ns, const int *stop, bint several) noexcept nogil
cdef void release(Table *table) noexcept nogil
cdef void share(Table *table, const Table *owner) noexcept nogil
cdef bint probe(const Table *table, uint64_t key, Known *known) noexcept nogil
cdef void store(Table *table, uint64_t key, int depth, int value, int bound, int point,
                int static_value) noexcept nogil


cdef inline int from_node(int value, int ply) noexcept nogil:
    """Turn a value counted from the node into one counted from the root."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


cdef inline int to_node(int value, int ply) noexcept nogil:
    """Turn a value counted from the root into one counted from the node."""
    if value > PROVEN:
        return value + ply
    return value - ply if value < -PROVEN else value


cdef inline void prefetch(const Table *table, uint64_t key) noexcept nogil:
    """Let the processor fetch the bucket of a position that will soon be asked for."""
    ask_early(table.entries + (key & table.mask) * BUCKET)
