# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Transposition table: buckets of four entries; the shallowest of an earlier search gives way."""

from libc.stdlib cimport calloc, free

from .typedefs cimport int16_t, int8_t, uint64_t, uint8_t


cdef bint allocate(Table *table, uint64_t size) noexcept nogil:
    """Make an empty table of at most size bytes (at least one bucket); whether there was memory.

    The pages are only touched when they are used, so a large table costs a start nothing.
    """
    cdef uint64_t buckets = 1
    while buckets * 2 * BUCKET * sizeof(Entry) <= size:
        buckets *= 2
    release(table)
    table.entries = <Entry *> calloc(buckets * BUCKET, sizeof(Entry))
    table.mask = buckets - 1
    table.age = 0
    return table.entries != NULL


cdef void release(Table *table) noexcept nogil:
    """Give the memory back; harmless when there is none."""
    free(table.entries)
    table.entries = NULL


cdef Entry *probe(const Table *table, uint64_t key) noexcept nogil:
    """Return the entry of this position, or NULL."""
    cdef Entry *bucket = table.entries + (key & table.mask) * BUCKET
    cdef int i
    for i in range(BUCKET):
        if bucket[i].key == key and bucket[i].age_bound & 3:
            return bucket + i
    return NULL


cdef void store(Table *table, uint64_t key, int depth, int value, int bound, int point,
                int static_value) noexcept nogil:
    """Remember a position; an entry of the same position keeps its move if this one has none."""
    cdef Entry *bucket = table.entries + (key & table.mask) * BUCKET
    cdef Entry *worst = bucket
    cdef int i, worth, least = 1000
    for i in range(BUCKET):
        if bucket[i].key == key and bucket[i].age_bound & 3:
            worst = bucket + i
            if point < 0:
                point = worst.point
            if (bound != EXACT_VALUE and depth < worst.depth - 3
                    and worst.age_bound >> 2 == table.age):
                return
            break
        worth = bucket[i].depth - 8 * ((table.age - (bucket[i].age_bound >> 2)) & 63)
        if not bucket[i].age_bound & 3:
            worth = -1000
        if worth < least:
            least = worth
            worst = bucket + i
    worst.key = key
    worst.value = <int16_t> value
    worst.point = <int16_t> point
    worst.static_value = <int16_t> static_value
    worst.depth = <int8_t> depth
    worst.age_bound = <uint8_t> (table.age << 2 | bound)
