# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Transposition table: buckets of four entries; the shallowest of an earlier search gives way."""

from .monotonic cimport now_ns
from .typedefs cimport int16_t, int64_t, int8_t, uint64_t, uint8_t

cdef extern from *:
    """
    #include <stdlib.h>
    #define SHISAN_HUGE ((uint64_t)2 << 20)
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    #if defined(__linux__) && defined(MADV_HUGEPAGE)
    #define SHISAN_HAS_HUGE 1
    static void *shisan_map(uint64_t size, void **where) {
        char *whole = (char *)mmap(NULL, size + SHISAN_HUGE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (whole == (char *)MAP_FAILED) return NULL;
        *where = whole + (SHISAN_HUGE - (uintptr_t)whole % SHISAN_HUGE) % SHISAN_HUGE;
        return whole;
    }
    static void shisan_unmap(void *whole, uint64_t size) {
        if (whole) munmap(whole, size + SHISAN_HUGE);
    }
    static void shisan_wish(void *where, uint64_t size, int huge) {
        if (size) madvise(where, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
    #else
    #define SHISAN_HAS_HUGE 0
    static void *shisan_map(uint64_t size, void **where) {
        return *where = calloc(1, size);
    }
    static void shisan_unmap(void *whole, uint64_t size) { free(whole); }
    static void shisan_wish(void *where, uint64_t size, int huge) {}
    #endif
    """
    enum: HUGE "SHISAN_HUGE"            # bytes of a huge page
    enum: HAS_HUGE "SHISAN_HAS_HUGE"
    # Zeroed memory that only takes room where it is used; *where begins with a huge page.
    void *shisan_map(uint64_t size, void **where) noexcept nogil
    void shisan_unmap(void *whole, uint64_t size) noexcept nogil
    void shisan_wish(void *where, uint64_t size, int huge) noexcept nogil


cdef enum:
    SLOW_NS = 3_000_000     # a huge page that takes so long had to be made room for


cdef bint allocate(Table *table, uint64_t size) noexcept nogil:
    """Make an empty table of at most size bytes (at least one bucket); whether there was memory.

    The pages are only touched when they are used, so a large table costs a start nothing.
    """
    cdef uint64_t buckets = 1
    while buckets * 2 * BUCKET * sizeof(Entry) <= size:
        buckets *= 2
    release(table)
    table.size = buckets * BUCKET * sizeof(Entry)
    table.memory = shisan_map(table.size, <void **> &table.entries)
    table.warm = False
    table.mask = buckets - 1
    table.age = 0
    return table.memory != NULL


cdef void warm(Table *table, int64_t until_ns, const volatile int *stop) noexcept nogil:
    """Take the whole table's memory now, in huge pages where the system has them.

    A table is read at random, and with pages of 4 KB each look costs another one into the page
    tables: the search takes a fifth longer. A huge page costs a fraction of a ms, or several where
    the system has to make room: after the first slow one, at until_ns, monotonic, or when stop
    turns non-zero, the rest stays in small pages.
    """
    cdef uint64_t at = 0
    cdef int64_t now = now_ns(), before = now
    if table.warm or not HAS_HUGE:
        return
    table.warm = True
    shisan_wish(table.entries, table.size, 1)
    while (at + HUGE <= table.size and not stop[0] and now < until_ns
           and now - before < SLOW_NS):
        (<volatile char *> table.entries)[at] = 0
        at += HUGE
        before = now
        now = now_ns()
    shisan_wish(<char *> table.entries + at, table.size - at, 0)


cdef void release(Table *table) noexcept nogil:
    """Give the memory back; harmless when there is none."""
    shisan_unmap(table.memory, table.size)
    table.memory = NULL
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
