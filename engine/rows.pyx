# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""The class maps by loops over rows: no vector, no expression shared with planes, and slow.

For each window, the sets of points with exactly k other own stones and nothing but empty points
otherwise. planes has the definitions; tests hold the two against each other, bit for bit.
"""

from libc.string cimport memset

from .planes cimport Board, ClassMaps
from .typedefs cimport (
    CLASS_MAPS, CLOSED, CLOSED_THREE, CLOSED_THREES, EXACT, FIVE, FOUR, FOURS, LESSER, LESSERS,
    LESSER_CLOSED, LONE_THREE, LONE_THREES, OPEN_FOUR, PAD, THREE, THREES, THREE_LESSERS, TWO,
    TWOS, uint16_t, uint32_t, uint64_t,
)


cdef uint32_t seen(const Board *board, int plane, int y, int dx, int dy) noexcept nogil:
    """One row of a plane, seen from row y one step (dx, dy) away."""
    cdef uint32_t bits_of_row
    if not 0 <= y + dy < board.height:
        return 0
    if board.shift == 4:
        bits_of_row = (<const uint16_t *> board.planes[plane])[PAD + y + dy]
    else:
        bits_of_row = board.planes[plane][PAD + y + dy]
    return bits_of_row >> dx if dx >= 0 else bits_of_row << -dx


cdef void window(const Board *board, int colour, int y, int dx, int dy, int begin, int length,
                 bint open_ends, uint32_t *exactly) noexcept nogil:
    """exactly[k]: points of row y whose window of this length holds k other own stones.

    begin: the window's first point, in steps from the point, -5..0. open_ends: the window's two
    end points are empty, and do not count.
    """
    cdef int kind = board.five[colour], end = begin + length - 1, step, k
    cdef uint32_t own, empty, ok = 0xFFFFFFFFu
    exactly[0] = 0xFFFFFFFFu
    for k in range(1, 5):
        exactly[k] = 0
    for step in range(begin, end + 1):
        if step == 0:
            continue
        own = seen(board, colour, y, step * dx, step * dy)
        empty = seen(board, 2, y, step * dx, step * dy)
        if open_ends and (step == begin or step == end):
            own = 0
        for k in range(4, 0, -1):
            exactly[k] = (exactly[k] & empty) | (exactly[k - 1] & own)
        exactly[0] &= empty
    if kind & EXACT:
        ok &= ~seen(board, colour, y, (begin - 1) * dx, (begin - 1) * dy)
        ok &= ~seen(board, colour, y, (end + 1) * dx, (end + 1) * dy)
    if kind & CLOSED and not open_ends:
        ok &= ~(seen(board, 1 - colour, y, (begin - 1) * dx, (begin - 1) * dy)
                & seen(board, 1 - colour, y, (end + 1) * dx, (end + 1) * dy))
    for k in range(5):
        exactly[k] &= ok


cdef void portable_class_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil:
    """Every class map of this colour, without vectors; slow."""
    cdef int[4] dxs = [1, 0, 1, -1]
    cdef int[4] dys = [0, 1, 1, 1]
    cdef int y, d, begin, k, at
    cdef uint32_t[CLASS_MAPS] sums
    cdef uint32_t[5] exactly
    cdef uint32_t five, four, closed, open_four, three, two, lesser, empty
    memset(maps, 0, sizeof(ClassMaps))
    for y in range(board.height):
        for k in range(CLASS_MAPS):
            sums[k] = 0
        for d in range(4):
            five = four = closed = open_four = three = two = 0
            for begin in range(-4, 1):
                window(board, colour, y, dxs[d], dys[d], begin, 5, False, exactly)
                five |= exactly[4]
                four |= exactly[3]
                closed |= exactly[2]
            for begin in range(-4, 0):
                window(board, colour, y, dxs[d], dys[d], begin, 6, True, exactly)
                open_four |= exactly[3]
                three |= exactly[2]
                two |= exactly[1]
            sums[FIVE] |= five
            sums[FOURS] |= sums[FOUR] & four
            sums[FOUR] |= four
            sums[OPEN_FOUR] |= open_four
            sums[THREES] |= sums[THREE] & three
            sums[THREE] |= three
            sums[TWOS] |= sums[TWO] & two
            sums[TWO] |= two
            sums[CLOSED_THREES] |= sums[CLOSED_THREE] & closed
            sums[CLOSED_THREE] |= closed
            three &= ~four
            lesser = (two | closed) & ~(three | four)
            sums[LONE_THREES] |= sums[LONE_THREE] & three
            sums[LONE_THREE] |= three
            sums[THREE_LESSERS] |= sums[LESSERS] & lesser
            sums[LESSERS] |= sums[LESSER] & lesser
            sums[LESSER] |= lesser
            sums[LESSER_CLOSED] |= lesser & closed
        empty = seen(board, 2, y, 0, 0)
        for k in range(CLASS_MAPS):
            at = y << board.shift
            maps.of[k][at >> 6] |= (<uint64_t> (sums[k] & empty)) << (at & 63)
