# cython: language_level=3
"""Bit planes: the board and whole-board threat maps.

A plane has one machine word a row, bit x for column x, PAD zero rows above and below and zero bits
beyond the width. To look from every point at once at the point k steps away in direction (dx, dy)
is one unaligned load k * dy rows further, shifted by k * dx bits inside each row: no lane is ever
crossed, and the rim needs no test. Up to 16 x 16 a board is one 256-bit vector of 16-bit rows, up
to 22 x 22 three vectors of 32-bit rows. Two colour planes, the empty points and a key are the
whole truth of a position. The same three planes are kept once more along the four directions, one
word a line, for questions about the lines through one point; only flip and wall write either.
"""

from .typedefs cimport (
    CLASS_MAPS, LINES, MAP_WORDS, MAX_POINTS, MIDDLE, PAD, PLANE_ROWS, uint16_t, uint32_t,
    uint64_t,
)

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #ifndef SHISAN_VECTORS
    #define SHISAN_VECTORS
    #if defined(__SANITIZE_ADDRESS__)
    #define SHISAN_INLINE static inline
    #else
    #define SHISAN_INLINE static inline __attribute__((always_inline))
    #endif

    typedef uint16_t shisan_v16 __attribute__((vector_size(32)));
    typedef uint32_t shisan_v32 __attribute__((vector_size(32)));
    typedef uint16_t shisan_u16 __attribute__((vector_size(32), aligned(2), may_alias));
    typedef uint32_t shisan_u32 __attribute__((vector_size(32), aligned(4), may_alias));

    /* The plane seen dy rows further down and dx columns further right, rows row.. of the board. */
    SHISAN_INLINE shisan_v16 shisan_at16(const void *plane, int row, int dx, int dy) {
        shisan_v16 v = *(const shisan_u16 *)((const uint16_t *)plane + row + dy);
        return dx > 0 ? v >> dx : dx < 0 ? v << -dx : v;
    }
    SHISAN_INLINE shisan_v32 shisan_at32(const void *plane, int row, int dx, int dy) {
        shisan_v32 v = *(const shisan_u32 *)((const uint32_t *)plane + row + dy);
        return dx > 0 ? v >> dx : dx < 0 ? v << -dx : v;
    }
    SHISAN_INLINE void shisan_store16(uint64_t *words, shisan_v16 v) {
        memcpy(words, &v, sizeof v);
    }
    SHISAN_INLINE void shisan_store32(uint64_t *words, shisan_v32 v) {
        memcpy(words, &v, sizeof v);
    }
    SHISAN_INLINE void shisan_set16(void *plane, int row, shisan_v16 v) {
        memcpy((uint16_t *)plane + row, &v, sizeof v);
    }
    SHISAN_INLINE void shisan_set32(void *plane, int row, shisan_v32 v) {
        memcpy((uint32_t *)plane + row, &v, sizeof v);
    }
    SHISAN_INLINE int shisan_any16(shisan_v16 v) {
        uint64_t words[4];
        memcpy(words, &v, sizeof v);
        return (words[0] | words[1] | words[2] | words[3]) != 0;
    }
    SHISAN_INLINE int shisan_any32(shisan_v32 v) {
        uint64_t words[4];
        memcpy(words, &v, sizeof v);
        return (words[0] | words[1] | words[2] | words[3]) != 0;
    }
    #define shisan_bits(word) __builtin_popcountll(word)
    #define shisan_lowest(word) __builtin_ctzll(word)
    #endif
    """
    ctypedef unsigned long long v16 "shisan_v16"
    ctypedef unsigned long v32 "shisan_v32"
    v16 at16 "shisan_at16"(const void *plane, int row, int dx, int dy) noexcept nogil
    v32 at32 "shisan_at32"(const void *plane, int row, int dx, int dy) noexcept nogil
    void store16 "shisan_store16"(uint64_t *words, v16 v) noexcept nogil
    void store32 "shisan_store32"(uint64_t *words, v32 v) noexcept nogil
    void set16 "shisan_set16"(void *plane, int row, v16 v) noexcept nogil
    void set32 "shisan_set32"(void *plane, int row, v32 v) noexcept nogil
    bint any16 "shisan_any16"(v16 v) noexcept nogil
    bint any32 "shisan_any32"(v32 v) noexcept nogil
    int bits "shisan_bits"(uint64_t word) noexcept nogil
    int lowest "shisan_lowest"(uint64_t word) noexcept nogil

ctypedef fused vec:
    v16
    v32

cdef struct Board:
    uint32_t planes[3][PLANE_ROWS]  # black, white, empty; 16-bit rows in the narrow layout
    uint32_t lines[3][4][LINES]     # planes by direction and line; bit MIDDLE + x, y in columns
    uint64_t key                    # Zobrist key of the stones; the side to move is not in it
    int width
    int height
    int shift                       # 4: narrow, 16-bit rows; 5: wide, 32-bit rows
    int words                       # 64-bit words of a map that are in use: 4 or 12
    int empties                     # number of empty points
    int five[2]                     # what a five is, per colour: EXACT | CLOSED
    bint forbidden                  # Black may not make double threes, double fours, overlines

cdef struct ClassMaps:
    uint64_t of[CLASS_MAPS][MAP_WORDS]

cdef enum:
    ALL_BANDS = 7       # a wide map's three bands of eight rows, as bits; a narrow one is one band

cdef uint64_t[2][MAX_POINTS] zobrist

cdef void clear(Board *board, int width, int height) noexcept nogil
cdef void five_map(const Board *board, int colour, uint64_t *five) noexcept nogil
cdef void four_maps(const Board *board, int colour, uint64_t *five, uint64_t *four) noexcept nogil
cdef void class_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil
cdef void node_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil
cdef void renew_maps(const Board *board, int colour, int bands, const ClassMaps *before,
                     ClassMaps *maps) noexcept nogil
cdef void overline_map(const Board *board, int colour, uint64_t *overline) noexcept nogil
cdef void near_map(const Board *board, uint64_t *near) noexcept nogil


cdef inline bint has(const Board *board, int plane, int point) noexcept nogil:
    """Whether this plane (BLACK, WHITE, 2: empty) has this point; the point lies on the board."""
    if board.shift == 4:
        return ((<const uint16_t *> board.planes[plane])[PAD + (point >> 4)] >> (point & 15)) & 1
    return (board.planes[plane][PAD + (point >> 5)] >> (point & 31)) & 1


cdef inline void toggle(Board *board, int plane, int point) noexcept nogil:
    """Turn a point over in a plane's lines, of which there are four directions, see along."""
    cdef int x = point & ((1 << board.shift) - 1), y = point >> board.shift
    cdef uint32_t across = (<uint32_t> 1) << (MIDDLE + x)
    board.lines[plane][0][y] ^= across
    board.lines[plane][1][x] ^= (<uint32_t> 1) << (MIDDLE + y)
    board.lines[plane][2][x - y + LINES // 2] ^= across
    board.lines[plane][3][x + y] ^= across


cdef inline unsigned int along(const Board *board, int plane, int direction,
                               int point) noexcept nogil:
    """The 13 points of a plane on one line through a point, which is bit MIDDLE, empty or not.

    Bit k is the point k - MIDDLE steps in the direction: right, down, right and down, right and up.
    """
    cdef int x = point & ((1 << board.shift) - 1), y = point >> board.shift
    if direction == 0:
        return (board.lines[plane][0][y] >> x) & 0x1FFF
    if direction == 1:
        return (board.lines[plane][1][x] >> y) & 0x1FFF
    if direction == 2:
        return (board.lines[plane][2][x - y + LINES // 2] >> x) & 0x1FFF
    return (board.lines[plane][3][x + y] >> x) & 0x1FFF


cdef inline int step_of(const Board *board, int direction) noexcept nogil:
    """What one step in a direction adds to a point."""
    cdef int down = 1 << board.shift
    if direction < 2:
        return 1 if direction == 0 else down
    return 1 + down if direction == 2 else 1 - down


cdef inline void flip(Board *board, int colour, int point) noexcept nogil:
    """Move a point between the empty plane and a colour's: put a stone, or take it off again."""
    cdef uint16_t narrow
    cdef uint32_t wide
    cdef int row
    if board.shift == 4:
        row = PAD + (point >> 4)
        narrow = <uint16_t> (1 << (point & 15))
        (<uint16_t *> board.planes[colour])[row] ^= narrow
        (<uint16_t *> board.planes[2])[row] ^= narrow
    else:
        row = PAD + (point >> 5)
        wide = (<uint32_t> 1) << (point & 31)
        board.planes[colour][row] ^= wide
        board.planes[2][row] ^= wide
    toggle(board, colour, point)
    toggle(board, 2, point)
    board.key ^= zobrist[colour][point]


cdef inline void put(Board *board, int colour, int point) noexcept nogil:
    """Put a stone on an empty point."""
    flip(board, colour, point)
    board.empties -= 1


cdef inline void lift(Board *board, int colour, int point) noexcept nogil:
    """Take off a stone that put placed."""
    flip(board, colour, point)
    board.empties += 1


cdef inline void wall(Board *board, int point) noexcept nogil:
    """Take an empty point out of the game: it is nobody's, and no longer empty."""
    if board.shift == 4:
        (<uint16_t *> board.planes[2])[PAD + (point >> 4)] &= <uint16_t> ~(1 << (point & 15))
    else:
        board.planes[2][PAD + (point >> 5)] &= ~((<uint32_t> 1) << (point & 31))
    toggle(board, 2, point)
    board.empties -= 1


cdef inline bint test(const uint64_t *words, int point) noexcept nogil:
    """Whether a map has this point."""
    return (words[point >> 6] >> (point & 63)) & 1


cdef inline void drop(uint64_t *words, int point) noexcept nogil:
    """Take a point out of a map."""
    words[point >> 6] &= ~((<uint64_t> 1) << (point & 63))


cdef inline bint any_point(const Board *board, const uint64_t *words) noexcept nogil:
    """Whether a map has a point."""
    cdef int i
    if board.words == 4:
        return (words[0] | words[1] | words[2] | words[3]) != 0
    for i in range(12):
        if words[i]:
            return True
    return False


cdef inline int count(const Board *board, const uint64_t *words) noexcept nogil:
    """How many points a map has."""
    cdef int i, total = 0
    for i in range(board.words):
        total += bits(words[i])
    return total


cdef inline int first(const Board *board, const uint64_t *words) noexcept nogil:
    """The lowest point of a map, or NO_POINT."""
    cdef int i
    for i in range(board.words):
        if words[i]:
            return i * 64 + lowest(words[i])
    return -1


cdef inline int points_of(const Board *board, const uint64_t *words, int *points) noexcept nogil:
    """Write a map's points in ascending order; return how many."""
    cdef int i, n = 0
    cdef uint64_t word
    for i in range(board.words):
        word = words[i]
        while word:
            points[n] = i * 64 + lowest(word)
            word &= word - 1
            n += 1
    return n


cdef inline const uint64_t *empty_map(const Board *board, uint64_t *words) noexcept nogil:
    """Copy the empty plane's board rows into a map and return it."""
    cdef int i
    if board.shift == 4:
        store16(words, at16(board.planes[2], PAD, 0, 0))
    else:
        for i in range(3):
            store32(words + 4 * i, at32(board.planes[2], PAD + 8 * i, 0, 0))
    return words


cdef inline int point_at(const Board *board, int x, int y) noexcept nogil:
    """The point of a column and a row."""
    return (y << board.shift) | x


cdef inline int column(const Board *board, int point) noexcept nogil:
    return point & ((1 << board.shift) - 1)


cdef inline int row(const Board *board, int point) noexcept nogil:
    return point >> board.shift


cdef inline int bands_near(const Board *board, int point) noexcept nogil:
    """The bands whose class maps a stone at this point can change.

    The windows of a point reach four points to each side, and a fifth where neighbours count.
    """
    cdef int y = row(board, point), reach = 5 if board.five[0] | board.five[1] else 4
    cdef int i, bands = 0
    if board.shift == 4:
        return ALL_BANDS
    for i in range(3):
        if 8 * i - reach <= y <= 8 * i + 7 + reach:
            bands |= 1 << i
    return bands
