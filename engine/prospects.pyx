# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Prospects: whether there may be a win by continuous fours at all, without trying one.

A win by fours ends with a stone that serves two windows of five, the answer lying in one of them
only, or with an answer that is forbidden to Black. What can happen before that is overestimated,
never underestimated: every stone that fours might place counts as placed, but along its own four
only for windows that one of its answers leaves; that answers take points and make fives of the
defender's, which fives the rule counts and which fours are forbidden is not asked.
So fours that lead nowhere are refuted at once, however many there are, where the solver would try
every combination of them. The idea that fours need combining only where they share a stone is that
of threat-space search (Allis, van den Herik, Huntjens 1994).
"""

cimport cython
from libc.string cimport memcpy, memset

from .planes cimport Board, any16, any32, at16, at32, set16, set32, v16, vec
from .position cimport Position
from .typedefs cimport BLACK, PAD, PLANE_ROWS, WHITE, uint32_t

cdef struct Line:                   # of one direction; all are planes
    uint32_t[5][PLANE_ROWS] own     # the attacker's stones, as first..fifth point of a window
    uint32_t[PLANE_ROWS] fours      # placed by a four in this direction


# As in planes.pyx: shared by way of a .pxd, it would be traced after all.
@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec look(const void *plane, int row, int dx, int dy, vec like) noexcept nogil:
    """The plane seen one step (dx, dy) away, from each of the vector's points."""
    if vec is v16:
        return at16(plane, row, dx, dy)
    else:
        return at32(plane, row, dx, dy)


cdef inline void keep(void *plane, int row, vec v) noexcept nogil:
    """Write one vector of rows."""
    if vec is v16:
        set16(plane, row, v)
    else:
        set32(plane, row, v)


cdef inline bint some(vec v) noexcept nogil:
    """Whether a vector has a point."""
    if vec is v16:
        return any16(v)
    else:
        return any32(v)


# --- The fours that can be made ---------------------------------------------------------------
# Along a direction, own stones are those on the board, those that a four in another direction could
# place, and, as the j-th point of a window, those that a four in this one could place with an
# answer outside that window.

cdef inline void window(const Line *line, const void *empty, int row, int dx, int dy, int j,
                        vec *left, vec *right) noexcept nogil:
    """Find the fours that windows allow in which the point is the j-th.

    left[k], right[k]: add those with the answer k steps against or along the direction.
    """
    cdef vec like = left[0]
    cdef int k0 = 0 if j > 0 else 1, k1 = 1 if j > 1 else 2
    cdef int k2 = 2 if j > 2 else 3, k3 = 3 if j > 3 else 4
    cdef vec v0 = look(line.own[k0], row, (k0 - j) * dx, (k0 - j) * dy, like)
    cdef vec v1 = look(line.own[k1], row, (k1 - j) * dx, (k1 - j) * dy, like)
    cdef vec v2 = look(line.own[k2], row, (k2 - j) * dx, (k2 - j) * dy, like)
    cdef vec v3 = look(line.own[k3], row, (k3 - j) * dx, (k3 - j) * dy, like)
    cdef vec f0 = v1 & v2 & v3 & look(empty, row, (k0 - j) * dx, (k0 - j) * dy, like)
    cdef vec f1 = v0 & v2 & v3 & look(empty, row, (k1 - j) * dx, (k1 - j) * dy, like)
    cdef vec f2 = v0 & v1 & v3 & look(empty, row, (k2 - j) * dx, (k2 - j) * dy, like)
    cdef vec f3 = v0 & v1 & v2 & look(empty, row, (k3 - j) * dx, (k3 - j) * dy, like)
    if k0 < j:
        left[j - k0] |= f0
    else:
        right[k0 - j] |= f0
    if k1 < j:
        left[j - k1] |= f1
    else:
        right[k1 - j] |= f1
    if k2 < j:
        left[j - k2] |= f2
    else:
        right[k2 - j] |= f2
    if k3 < j:
        left[j - k3] |= f3
    else:
        right[k3 - j] |= f3


cdef inline bint place(Line *lines, const void *empty, int row, int dx, int dy, int direction,
                       vec *once, vec *twice) noexcept nogil:
    """Place the fours of one direction; return whether that is news.

    once, twice: add the fours, and those that serve two windows of which an answer lies in one
    only: in two directions, or with answers to both sides.
    """
    cdef vec like = once[0]
    cdef vec free = look(empty, row, 0, 0, like)
    cdef vec[5] left
    cdef vec[5] right
    cdef vec[5] kept
    cdef vec four, fresh, old
    cdef Line *line = &lines[direction]
    cdef int other, j
    cdef bint grew
    for j in range(5):
        left[j] = right[j] = like ^ like
    window(line, empty, row, dx, dy, 0, &left[0], &right[0])
    window(line, empty, row, dx, dy, 1, &left[0], &right[0])
    window(line, empty, row, dx, dy, 2, &left[0], &right[0])
    window(line, empty, row, dx, dy, 3, &left[0], &right[0])
    window(line, empty, row, dx, dy, 4, &left[0], &right[0])
    # From here on: with an answer at least k steps away.
    left[3] |= left[4]
    left[2] |= left[3]
    left[1] |= left[2]
    right[3] |= right[4]
    right[2] |= right[3]
    right[1] |= right[2]
    four = free & (left[1] | right[1])
    if not some(four):
        return False
    twice[0] |= four & (once[0] | (left[1] & right[1]))
    once[0] |= four
    fresh = four & ~look(line.fours, row, 0, 0, like)
    grew = some(fresh)
    if grew:                        # the other directions have the stone whatever the answer
        keep(line.fours, row, look(line.fours, row, 0, 0, like) | fresh)
        for other in range(4):
            if other != direction:
                for j in range(5):
                    keep(lines[other].own[j], row,
                         look(lines[other].own[j], row, 0, 0, like) | fresh)
    # The j-th point of a window: an answer more than j steps to the left lies outside, and so does
    # one more than 4 - j steps to the right.
    kept[0] = left[1]
    kept[1] = left[2] | right[4]
    kept[2] = left[3] | right[3]
    kept[3] = left[4] | right[2]
    kept[4] = right[1]
    fresh = like ^ like
    for j in range(5):
        old = look(line.own[j], row, 0, 0, like)
        fresh |= free & kept[j] & ~old
        keep(line.own[j], row, old | (free & kept[j]))
    return grew or some(fresh)


# --- Answers that may be forbidden ------------------------------------------------------------

cdef inline void weigh(const void *black, const void *white, int row, int dx, int dy, vec *once,
                       vec *twice) noexcept nogil:
    """Count directions with two black in sight within four steps; twice too where one has four."""
    cdef vec like = once[0]
    cdef vec c1 = like ^ like
    cdef vec c2 = c1, c3 = c1, c4 = c1, ahead = ~c1, behind = ~c1, v
    cdef int k
    for k in range(1, 5):
        ahead &= ~look(white, row, k * dx, k * dy, like)
        v = ahead & look(black, row, k * dx, k * dy, like)
        c4 |= c3 & v
        c3 |= c2 & v
        c2 |= c1 & v
        c1 |= v
        behind &= ~look(white, row, -k * dx, -k * dy, like)
        v = behind & look(black, row, -k * dx, -k * dy, like)
        c4 |= c3 & v
        c3 |= c2 & v
        c2 |= c1 & v
        c1 |= v
    twice[0] |= (once[0] & c2) | c4
    once[0] |= c2


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec suspects(const void *black, const void *white, int row, vec like) noexcept nogil:
    """Points that may be forbidden: two directions with two others, or one with four.

    A three takes two other stones within four steps, a four three; an overline and two fours in
    one line take four.
    """
    cdef vec once = like ^ like
    cdef vec twice = once
    weigh(black, white, row, 1, 0, &once, &twice)
    weigh(black, white, row, 0, 1, &once, &twice)
    weigh(black, white, row, 1, 1, &once, &twice)
    weigh(black, white, row, -1, 1, &once, &twice)
    return twice


# --- All together -------------------------------------------------------------------------------

cdef inline bint may_win_rows(const Board *board, int attacker, vec like) noexcept nogil:
    """What may_win says, for one kind of vector."""
    cdef const void *empty = board.planes[2]
    cdef const void *white = board.planes[WHITE]
    cdef Line[4] lines
    cdef uint32_t[PLANE_ROWS] black
    cdef int vectors = 1 if vec is v16 else 3, height = 16 if vec is v16 else 8
    cdef int size = 2 * (16 + 2 * PAD) if vec is v16 else 4 * PLANE_ROWS     # bytes of a plane
    cdef int i, j, row, direction
    cdef bint grew = True
    cdef vec once, twice
    for direction in range(4):
        for j in range(5):
            memcpy(lines[direction].own[j], board.planes[attacker], size)
        memset(lines[direction].fours, 0, size)
    memcpy(black, board.planes[BLACK], size)
    while grew:
        grew = False
        for i in range(vectors):
            row = PAD + i * height
            once = like ^ like
            twice = once
            grew |= place(lines, empty, row, 1, 0, 0, &once, &twice)
            grew |= place(lines, empty, row, 0, 1, 1, &once, &twice)
            grew |= place(lines, empty, row, 1, 1, 2, &once, &twice)
            grew |= place(lines, empty, row, -1, 1, 3, &once, &twice)
            if some(twice):
                return True
            keep(black, row, look(black, row, 0, 0, like) | once)
    if not board.forbidden or attacker == BLACK:
        return False
    for i in range(vectors):        # black: his stones and his answers
        row = PAD + i * height
        if some(suspects(black, white, row, like) & look(black, row, 0, 0, like)
                & look(empty, row, 0, 0, like)):
            return True
    return False


cdef bint may_win(const Board *board, int attacker) noexcept nogil:
    """Whether there may be a win by fours for the attacker, to move; no is certain.

    A five at hand is not looked for.
    """
    if board.shift == 4:
        return may_win_rows(board, attacker, at16(board.planes[2], PAD, 0, 0))
    return may_win_rows(board, attacker, at32(board.planes[2], PAD, 0, 0))


def may_win_by_fours(Position position not None):
    """Return whether the side to move may have a win by fours, one at hand aside; no is certain."""
    return may_win(&position.board, position.mover)
