# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Fives and fours through one stone, read off the four lines through it.

A whole-board map answers for every point at once; after a single stone nearly all of it is what it
was before. Who had no five to make before his last stone makes one now only in a window of five
that holds this stone; and where he makes a four now and made none, its window holds the stone too.
"""

from libc.string cimport memcpy, memset

from .planes cimport (
    Board, along, bits, count, first, five_map, lowest as lowest_bit, point_at, points_of, put,
    step_of,
)
from .position cimport Position
from .typedefs cimport CLOSED, EXACT, MAP_WORDS, MAX_EMPTY, MIDDLE, uint16_t, uint64_t

cdef enum:
    SPAN = 2 * MIDDLE + 1               # points of a line that along gives
    LANE = 16                           # bits for each of four lines in one word

# The first points of windows that hold the middle one, in each lane.
cdef uint64_t THROUGH = 0x007C007C007C007C

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


cdef inline uint64_t lanes(const Board *board, int plane, int point) noexcept nogil:
    """What along gives of the four lines through a point, in one word."""
    return (<uint64_t> along(board, plane, 0, point)
            | <uint64_t> along(board, plane, 1, point) << LANE
            | <uint64_t> along(board, plane, 2, point) << (2 * LANE)
            | <uint64_t> along(board, plane, 3, point) << (3 * LANE))


cdef void add_fours_through(const Board *board, int colour, int point,
                            uint64_t *four) noexcept nogil:
    """Add to a map where a colour makes a four in a window of five that holds its stone here.

    Points too where the five would not count, as the rule may have it.
    """
    cdef uint64_t own = lanes(board, colour, point), empty = lanes(board, 2, point)
    cdef uint64_t own1 = own >> 1, own2 = own >> 2, own3 = own >> 3, own4 = own >> 4
    cdef uint64_t all_live = own | empty
    cdef uint64_t odd3 = own ^ own1 ^ own2, two3 = (own & own1) | (own2 & (own ^ own1))
    cdef uint64_t odd5 = odd3 ^ own3 ^ own4, two5 = (odd3 & own3) | (own4 & (odd3 ^ own3))
    # By the window's first point.
    cdef uint64_t three = odd5 & (two3 ^ two5)
    cdef uint64_t live = (all_live & all_live >> 1 & all_live >> 2 & all_live >> 3
                          & all_live >> 4)
    cdef uint64_t found = three & live & THROUGH
    cdef int k, at
    found = empty & (found | found << 1 | found << 2 | found << 3 | found << 4)
    while found:
        k = lowest_bit(found)
        found &= found - 1
        at = point + (k % LANE - MIDDLE) * step_of(board, k // LANE)
        four[at >> 6] |= (<uint64_t> 1) << (at & 63)


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


def fours_after(Position position not None, colour, x, y):
    """Return where a stone of this colour at an empty point lets it make fours: a set of (x, y).

    Only in windows that hold the stone, and whether or not the rule counts their five.
    """
    cdef Board board
    cdef uint64_t[MAP_WORDS] four
    cdef int[MAX_EMPTY] points
    cdef int point = point_at(&position.board, x, y), i
    memcpy(&board, &position.board, sizeof(Board))
    memset(four, 0, sizeof(four))
    put(&board, colour, point)
    add_fours_through(&board, colour, point, four)
    return {position._xy(points[i]) for i in range(points_of(&board, four, points))}
