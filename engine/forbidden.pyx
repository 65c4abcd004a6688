# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Black's forbidden points after RIF rules 9.2 and 9.3, examined as deep as needed.

A five has priority over everything. A four is a row that one more stone makes a five; a three is a
row that one more stone, not making a five, makes a straight four: four in a row that can become a
five at both ends. A double three counts a three only if the stone that would make the straight
four is itself allowed, which asks the same question again with one more stone on the board; so it
always ends. No depth is cut off and no nested verdict is kept.
"""

from libc.string cimport memset

from .planes cimport (
    Board, ClassMaps, along, bits, class_maps, empty_map, flip, overline_map, points_of, step_of,
)
from .typedefs cimport (
    BLACK, CLOSED, EXACT, FOUR, MAP_WORDS, MAX_EMPTY, MIDDLE, THREES, uint64_t,
)

cdef enum:
    POINTS = 13


cdef void shape_of(const Board *board, int colour, int point, int direction,
                   Shape *shape) noexcept nogil:
    """Cut a line out of the board and put a stone of this colour in its middle."""
    shape.own = along(board, colour, direction, point) | (1 << MIDDLE)
    shape.opp = along(board, 1 - colour, direction, point)
    shape.empty = along(board, 2, direction, point) & ~(<unsigned int> 1 << MIDDLE)


cdef inline int stones_within(unsigned int own, int steps) noexcept nogil:
    """How many own stones lie at most so many steps from the middle, itself included."""
    return bits((own >> (MIDDLE - steps)) & ((<unsigned int> 2 << 2 * steps) - 1))


cdef inline void run_at(unsigned int own, int at, int *begin, int *end) noexcept nogil:
    """The unbroken row of own stones through bit `at`: its first and its last bit."""
    cdef int low = at, high = at
    while low > 0 and (own >> (low - 1)) & 1:
        low -= 1
    while high < POINTS - 1 and (own >> (high + 1)) & 1:
        high += 1
    begin[0] = low
    end[0] = high


cdef inline bint counts(unsigned int own, unsigned int opp, int at, int kind) noexcept nogil:
    """Whether the row through bit `at` is a five that counts, and goes through the middle."""
    cdef int begin, end
    run_at(own, at, &begin, &end)
    if end - begin < 4 or begin > MIDDLE or end < MIDDLE:
        return False
    if end - begin > 4:
        return not kind & EXACT
    return not (kind & CLOSED and begin > 0 and (opp >> (begin - 1)) & 1 and (opp >> (end + 1)) & 1)


cdef bint makes_five(const Board *board, int colour, int point) noexcept nogil:
    """Whether a stone of this colour at the point makes a five that counts.

    The point may be empty or already hold the stone.
    """
    cdef Shape shape
    cdef int d
    for d in range(4):
        shape_of(board, colour, point, d, &shape)
        if (stones_within(shape.own, 4) >= 5
                and counts(shape.own, shape.opp, MIDDLE, board.five[colour])):
            return True
    return False


cdef int closers(const Board *board, int colour, int point, int *points) noexcept nogil:
    """Points where the opponent's stone would close a five made by a stone at this empty point.

    Only where a five closed at both ends does not count; the other end is closed already. Returns
    how many, 4 at most.
    """
    cdef Shape shape
    cdef int d, begin, end, n = 0
    if not board.five[colour] & CLOSED:
        return 0
    for d in range(4):
        shape_of(board, colour, point, d, &shape)
        run_at(shape.own, MIDDLE, &begin, &end)
        if end - begin != 4:
            continue
        if (shape.opp >> (begin - 1)) & 1 and (shape.empty >> (end + 1)) & 1:
            points[n] = point + (end + 1 - MIDDLE) * step_of(board, d)
            n += 1
        elif (shape.opp >> (end + 1)) & 1 and (shape.empty >> (begin - 1)) & 1:
            points[n] = point + (begin - 1 - MIDDLE) * step_of(board, d)
            n += 1
    return n


cdef int four_points(const Shape *shape, int kind, int *steps) noexcept nogil:
    """Steps from the middle at which one more stone makes a five through it; return how many."""
    cdef int at, n = 0
    for at in range(MIDDLE - 4, MIDDLE + 5):
        if (shape.empty >> at) & 1 and counts(shape.own | (1 << at), shape.opp, at, kind):
            steps[n] = at - MIDDLE
            n += 1
    return n


cdef int fours_in(const Shape *shape, int kind) noexcept nogil:
    """How many fours the stone in the middle makes on this line; a straight four is one."""
    cdef int[9] steps
    cdef int begin, end, n
    if stones_within(shape.own, 4) < 4:
        return 0
    n = four_points(shape, kind, steps)
    if n >= 2:
        run_at(shape.own, MIDDLE, &begin, &end)
        if end - begin == 3:
            return 1
    return n


cdef inline bint straight(const Shape *shape, int at, int kind) noexcept nogil:
    """Whether one more stone at bit `at` makes a straight four through the middle."""
    cdef unsigned int own = shape.own | (<unsigned int> 1 << at)
    cdef int begin, end
    run_at(own, at, &begin, &end)
    if end - begin != 3 or begin > MIDDLE or end < MIDDLE:
        return False
    if not ((shape.empty >> (begin - 1)) & 1 and (shape.empty >> (end + 1)) & 1):
        return False
    return (counts(own | (<unsigned int> 1 << (begin - 1)), shape.opp, MIDDLE, kind)
            and counts(own | (<unsigned int> 1 << (end + 1)), shape.opp, MIDDLE, kind))


cdef int straight_steps(const Shape *shape, int kind, int *steps) noexcept nogil:
    """Steps from the middle at which one more stone makes a straight four; return how many."""
    cdef int at, n = 0
    if stones_within(shape.own, 3) < 3:
        return 0
    for at in range(MIDDLE - 3, MIDDLE + 4):
        if (shape.empty >> at) & 1 and straight(shape, at, kind):
            steps[n] = at - MIDDLE
            n += 1
    return n


cdef int completions(const Board *board, int point, int direction, int *points) noexcept nogil:
    """Points that would make Black's row through the point a straight four; return how many.

    points: room for 7. Whether Black may play there is another question, see completes.
    """
    cdef Shape shape
    cdef int[7] steps
    cdef int i, n
    shape_of(board, BLACK, point, direction, &shape)
    n = straight_steps(&shape, board.five[BLACK], steps)
    for i in range(n):
        points[i] = point + steps[i] * step_of(board, direction)
    return n


cdef bint completes(Board *board, int point) noexcept nogil:
    """Whether Black may play a point to make a straight four: not a five, and not forbidden."""
    return not makes_five(board, BLACK, point) and forbidden_kind(board, point) == LEGAL


cdef int forbidden_kind(Board *board, int point) noexcept nogil:
    """LEGAL, or why Black may not play this empty point; the board is unchanged on return.

    Where several reasons hold: overline before double four before double three.
    """
    cdef Shape[4] shapes
    cdef int[4][7] points
    cdef int[4] found
    cdef int kind = board.five[BLACK], d, i, begin, end, fours = 0, threes = 0, rows = 0
    cdef bint overline = False
    for d in range(4):
        shape_of(board, BLACK, point, d, &shapes[d])
        if stones_within(shapes[d].own, 4) < 5:
            continue        # neither five nor overline
        if counts(shapes[d].own, shapes[d].opp, MIDDLE, kind):
            return LEGAL
        run_at(shapes[d].own, MIDDLE, &begin, &end)
        overline = overline or end - begin >= 5
    if overline:
        return OVERLINE
    for d in range(4):
        fours += fours_in(&shapes[d], kind)
    if fours >= 2:
        return DOUBLE_FOUR
    for d in range(4):
        found[d] = straight_steps(&shapes[d], kind, points[d])
        rows += found[d] > 0
    if rows < 2:
        return LEGAL
    flip(board, BLACK, point)
    for d in range(4):
        for i in range(found[d]):
            if completes(board, point + points[d][i] * step_of(board, d)):
                threes += 1
                break
        if threes >= 2:
            break
    flip(board, BLACK, point)
    return DOUBLE_THREE if threes >= 2 else LEGAL


cdef void suspect_map(const Board *board, uint64_t *suspects) noexcept nogil:
    """Every point that Black might be forbidden to play; all others are legal."""
    cdef ClassMaps maps
    cdef int i
    class_maps(board, BLACK, &maps)
    overline_map(board, BLACK, suspects)
    for i in range(board.words):
        suspects[i] |= maps.of[FOUR][i] | maps.of[THREES][i]


cdef void forbidden_map(Board *board, uint64_t *forbidden) noexcept nogil:
    """The points that Black may not play."""
    cdef uint64_t[MAP_WORDS] suspects
    cdef int[MAX_EMPTY] points
    cdef int i, n
    memset(forbidden, 0, MAP_WORDS * sizeof(uint64_t))
    suspect_map(board, suspects)
    n = points_of(board, suspects, points)
    for i in range(n):
        if forbidden_kind(board, points[i]) != LEGAL:
            forbidden[points[i] >> 6] |= (<uint64_t> 1) << (points[i] & 63)


cdef bint black_has_legal_point(Board *board) noexcept nogil:
    """Whether there is an empty point that Black may play."""
    cdef uint64_t[MAP_WORDS] empty
    cdef uint64_t[MAP_WORDS] forbidden
    cdef int i
    empty_map(board, empty)
    forbidden_map(board, forbidden)
    for i in range(board.words):
        if empty[i] & ~forbidden[i]:
            return True
    return False
