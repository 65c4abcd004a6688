# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Fives through one stone, read off the four lines through it.

A whole-board map answers for every point at once; after a single stone nearly all of it is what it
was before. Who had no five to make before his last stone makes one now only in a window of five
that holds this stone.
"""

from .planes cimport (
    Board, along, bits, count, first, five_map, lowest as lowest_bit, point_at, step_of,
)
from .position cimport Position
from .typedefs cimport CLOSED, EXACT, MAP_WORDS, MIDDLE, uint16_t, uint64_t

cdef enum:
    SPAN = 2 * MIDDLE + 1               # points of a line that along gives

cdef uint16_t[2][1 << 11] completing    # by EXACT and the 11 points around a stone; bit MIDDLE - 1


cdef unsigned int missing(unsigned int own, unsigned int opp, int kind) noexcept nogil:
    """Points of a line that complete a five through the stone at bit MIDDLE, empty or not.

    own holds that stone. The windows of five are those of planes, one by one.
    """
    cdef unsigned int left, ends, found = 0
    cdef int begin
    for begin in range(MIDDLE - 4, MIDDLE + 1):
        left = (<unsigned int> 31 << begin) & ~own
        ends = (<unsigned int> 65) << (begin - 1)
        if not left or left & (left - 1):
            continue
        if (kind & EXACT and own & ends) or (kind & CLOSED and opp & ends == ends):
            continue
        found |= left
    return found


cdef void fill() noexcept nogil:
    """Fill the table from the definition."""
    cdef unsigned int own
    for own in range(1 << 11):
        completing[0][own] = <uint16_t> missing(own << 1 | 1 << MIDDLE, 0, 0)
        completing[1][own] = <uint16_t> missing(own << 1 | 1 << MIDDLE, 0, EXACT)


fill()


cdef inline uint64_t completions_on(const Board *board, int colour, int point,
                                    int direction) noexcept nogil:
    """Where a five through a stone at the point is completed on one line: bits as in along."""
    cdef int kind = board.five[colour]
    cdef unsigned int own = along(board, colour, direction, point)
    cdef unsigned int found = completing[kind & EXACT][(own >> 1) & 0x7FF]
    if kind & CLOSED and found:
        found = missing(own | 1 << MIDDLE, along(board, 1 - colour, direction, point), kind)
    return found & along(board, 2, direction, point)


cdef int fives_through(const Board *board, int colour, int point, int *lowest) noexcept nogil:
    """Count the points that make a five in a window that holds this stone; write the first.

    point: the colour's stone, or empty and taken as such; it makes no five itself.
    """
    cdef uint64_t found = (completions_on(board, colour, point, 0)
                           | completions_on(board, colour, point, 1) << SPAN
                           | completions_on(board, colour, point, 2) << (2 * SPAN)
                           | completions_on(board, colour, point, 3) << (3 * SPAN))
    cdef int total = bits(found), at, k, i
    for i in range(total):
        k = lowest_bit(found)
        found &= found - 1
        at = point + (k % SPAN - MIDDLE) * step_of(board, k // SPAN)
        lowest[0] = at if i == 0 else min(at, lowest[0])
    return total


cdef int fives_of(const Board *board, int colour, int last, int *lowest) noexcept nogil:
    """Count the points where a colour makes a five; write the first.

    last: the stone before which the colour had no five to make, or NO_POINT: look everywhere.
    """
    cdef uint64_t[MAP_WORDS] five
    if last >= 0:
        return fives_through(board, colour, last, lowest)
    five_map(board, colour, five)
    lowest[0] = first(board, five)
    return count(board, five)


def fives_after(Position position not None, colour, x, y):
    """Return how many points make a five after a stone of this colour at an empty one.

    And the first of them in row order, or None. Only windows that hold the stone count.
    """
    cdef int point
    cdef int n = fives_through(&position.board, colour, point_at(&position.board, x, y), &point)
    return n, position._xy(point) if n else None
