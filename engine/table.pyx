# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Transposition table: buckets of four entries; the shallowest of an earlier search gives way."""

from .monotonic cimport now_ns
from .shared cimport read_flag, read_word, write_word
from .typedefs cimport int16_t, int64_t, int8_t, uint64_t, uint8_t

cdef extern from *:
    """
    #include <stdlib.h>
    #define SHISAN_HUGE ((uint64_t)2 << 20)
    #if defined(__linux__)
    #include <sys/mman.h>
    #elif defined(_WIN32)
    #include <windows.h>
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
    #elif defined(_WIN32)
    #define SHISAN_HAS_HUGE 0
    static void *shisan_map(uint64_t size, void **where) {
        return *where = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    }
    static void shisan_unmap(void *whole, uint64_t size) {
        if (whole) VirtualFree(whole, 0, MEM_RELEASE);
    }
    static void shisan_wish(void *where, uint64_t size, int huge) {}
    #else
    #define SHISAN_HAS_HUGE 0
    static void *shisan_map(uint64_t size, void **where) {
        return *where = calloc(1, size);
    }
    static void shisan_unmap(void *whole, uint64_t size) { free(whole); }
    static void shisan_wish(void *where, uint64_t size, int huge) {}
    #endif
    """
    ctypedef char volatile_char "volatile char"
    enum: HUGE "SHISAN_HUGE"            # bytes of a huge page
    enum: HAS_HUGE "SHISAN_HAS_HUGE"
    # Zeroed memory that only takes room where it is used; *where begins with a huge page.
    void *shisan_map(uint64_t size, void **where) noexcept nogil
    void shisan_unmap(void *whole, uint64_t size) noexcept nogil
    void shisan_wish(void *where, uint64_t size, int huge) noexcept nogil


cdef enum:
    SLOW_NS = 3_000_000     # a huge page that takes so long had to be made room for, or we to wait
    SLOW_PAGES = 2          # so many in a row: there is no room
    PAGE = 4096             # bytes
    PAGES_A_LOOK = 64       # taken between two looks at the clock


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
    table.touched = 0
    table.mask = buckets - 1
    table.age = 0
    return table.memory != NULL


cdef inline void touch(Table *table, uint64_t at) noexcept nogil:
    """Take the memory of one page without changing what is in it."""
    cdef volatile_char *where = <volatile_char *> table.entries + at
    where[0] = where[0]


cdef void warm(Table *table, int64_t until_ns, const int *stop, bint several) noexcept nogil:
    """Take the table's memory before a search, in huge pages where the system has them.

    A table is read at random, and with pages of 4 KB each look costs another one into the page
    tables: the search takes a fifth longer. A huge page costs a fraction of a ms, or several where
    the system has to make room: after SLOW_PAGES slow ones in a row the rest stays in small pages.
    (A single one may be slow because another program had the processor.) Those are taken here if
    several threads are to search: two that take pages as they come to them wait for each other,
    ten times as long as one takes. Ends at until_ns, monotonic, or when stop turns non-zero; the
    next call goes on. No other thread may use the table meanwhile.
    """
    cdef int64_t before, now = now_ns()
    cdef int slow = 0
    if HAS_HUGE and not table.warm:
        shisan_wish(table.entries, table.size, 1)
        while table.touched + HUGE <= table.size and not read_flag(stop) and now < until_ns:
            touch(table, table.touched)
            table.touched += HUGE
            before = now
            now = now_ns()
            slow = slow + 1 if now - before >= SLOW_NS else 0
            if slow == SLOW_PAGES:
                break
        shisan_wish(<char *> table.entries + table.touched, table.size - table.touched, 0)
        table.warm = slow == SLOW_PAGES or table.touched + HUGE > table.size
    while several and table.touched < table.size and not read_flag(stop) and now < until_ns:
        touch(table, table.touched)
        table.touched += PAGE
        if table.touched % (PAGES_A_LOOK * PAGE) == 0:
            now = now_ns()


cdef void release(Table *table) noexcept nogil:
    """Give the memory back; harmless when there is none."""
    shisan_unmap(table.memory, table.size)
    table.memory = NULL
    table.entries = NULL


cdef void share(Table *table, const Table *owner) noexcept nogil:
    """Make a table without memory of its own see the entries of another, as of the same search."""
    table.entries = owner.entries
    table.size = owner.size
    table.mask = owner.mask
    table.age = owner.age


cdef inline bint read(const Entry *entry, uint64_t key, Data *data) noexcept nogil:
    """Read an entry; whether it is whole and of this position."""
    data.word = read_word(&entry.data)
    return (read_word(&entry.check) ^ data.word) == key and data.known.age_bound & 3 != 0


cdef bint probe(const Table *table, uint64_t key, Known *known) noexcept nogil:
    """Read what is known of this position; whether anything is."""
    cdef const Entry *bucket = table.entries + (key & table.mask) * BUCKET
    cdef Data data
    cdef int i
    for i in range(BUCKET):
        if read(bucket + i, key, &data):
            known[0] = data.known
            return True
    return False


cdef void store(Table *table, uint64_t key, int depth, int value, int bound, int point,
                int static_value) noexcept nogil:
    """Remember a position; an entry of the same position keeps its move if this one has none."""
    cdef Entry *bucket = table.entries + (key & table.mask) * BUCKET
    cdef Entry *worst = bucket
    cdef Data data
    cdef int i, worth, least = 1000
    for i in range(BUCKET):
        if read(bucket + i, key, &data):
            worst = bucket + i
            if point < 0:
                point = data.known.point
            if (bound != EXACT_VALUE and depth < data.known.depth - 3
                    and data.known.age_bound >> 2 == table.age):
                return
            break
        worth = data.known.depth - 8 * ((table.age - (data.known.age_bound >> 2)) & 63)
        if not data.known.age_bound & 3:
            worth = -1000
        if worth < least:
            least = worth
            worst = bucket + i
    data.known.value = <int16_t> value
    data.known.point = <int16_t> point
    data.known.static_value = <int16_t> static_value
    data.known.depth = <int8_t> depth
    data.known.age_bound = <uint8_t> (table.age << 2 | bound)
    write_word(&worst.data, data.word)
    write_word(&worst.check, key ^ data.word)


cdef class SharedTable:
    """The Python face of a table, for tests. size: bytes."""

    cdef Table table

    def __cinit__(self, uint64_t size):
        if not allocate(&self.table, size):
            raise MemoryError

    def __dealloc__(self):
        release(&self.table)

    def store(self, uint64_t key, int depth, int value, int bound, int point):
        """Remember what is known of a key; bound: 1..3."""
        store(&self.table, key, depth, value, bound, point, 0)

    def probe(self, uint64_t key):
        """Return (depth, value, bound, point) of a key; None: nothing is known."""
        cdef Known known
        if not probe(&self.table, key, &known):
            return None
        return known.depth, known.value, known.age_bound & 3, known.point

    def warm(self):
        """Take all of the memory, as a search of several threads does first."""
        cdef int never = 0
        warm(&self.table, (<int64_t> 1) << 62, &never, True)

    def words(self, int at):
        """Return both words of an entry, the one that holds the key first."""
        return self.table.entries[at].check, self.table.entries[at].data

    def set_words(self, int at, uint64_t check, uint64_t data):
        """Write both words of an entry as they are."""
        self.table.entries[at].check = check
        self.table.entries[at].data = data

    def hammer(self, uint64_t seed, int rounds, int keys):
        """Store and probe so many keys at random; return (found, of those not as they were stored).

        Without Python's lock. All that is stored of a key follows from its number and from one that
        differs from time to time, so that halves of two entries do not go together. The keys are as
        far apart as those of positions: between small ones, halves of two may make a third.
        """
        cdef uint64_t key
        cdef Known known
        cdef int _round, found = 0, wrong = 0, time, number
        with nogil:
            for _round in range(rounds):
                seed = (seed * <uint64_t> 6364136223846793005u
                        + <uint64_t> 1442695040888963407u)
                number = 1 + <int> ((seed >> 33) % <uint64_t> keys)
                key = number * <uint64_t> 0x9E3779B97F4A7C15u
                time = <int> ((seed >> 20) & 63)
                if seed >> 63:
                    store(&self.table, key, time, number + 100 * time, EXACT_VALUE, time, 0)
                elif probe(&self.table, key, &known):
                    found += 1
                    if known.value != number + 100 * known.depth or known.point != known.depth:
                        wrong += 1
        return found, wrong
