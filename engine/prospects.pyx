# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Prospects: which fours can matter to a win by continuous fours, and whether there is one at all.

A four and its answer fill a window of five. All that the four's stone is good for afterwards is
another window, one that the answer leaves, or standing in the way of a five of the defender's. A
four that can do neither may be left out of any win, and where no four can do the former there is
none. So fours that lead nowhere cost next to nothing, however many there are, while the solver
would try every combination of them.

What can happen is overestimated, never underestimated: every stone that fours might place counts as
placed, but along its own four only for windows that one of its answers leaves; every answer counts
as given; whether a five counts, or a point is forbidden, is not asked. Fours that might change what
is forbidden matter too, and where closed fives do not count so do points next to a window.
The idea that only fours with a stone in common need combining is that of threat-space search
(Allis, van den Herik, Huntjens 1994); the estimate by whole-board maps is our own.
"""

cimport cython
from libc.string cimport memcpy, memset

from .planes cimport (
    Board, any16, any32, at16, at32, points_of, set16, set32, store16, store32, v16, vec,
)
from .position cimport Position
from .typedefs cimport (
    BLACK, CLOSED, MAP_WORDS, MAX_EMPTY, PAD, PLANE_ROWS, WHITE, uint32_t, uint64_t,
)

cdef enum:
    ROUNDS = 3          # how often the fours that matter are taken for the only ones

cdef struct Line:                   # of one direction; all are planes
    uint32_t[5][PLANE_ROWS] own     # the attacker's stones, as first..fifth point of a window
    uint32_t[PLANE_ROWS] fours      # placed by a four in this direction

cdef struct Outlook:
    Line[4] lines
    Line foe                        # the defender's stones, and the answers: alike in all windows
    uint32_t[PLANE_ROWS] useful     # the fours that matter
    uint32_t[PLANE_ROWS] fours      # those of them that can be made
    uint32_t[PLANE_ROWS] joined     # those whose stone serves another window
    uint32_t[PLANE_ROWS] answers    # where the defender may have to answer
    uint32_t[PLANE_ROWS] touchy     # where a stone may change what is forbidden


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
                        vec *left, vec *right, vec *at) noexcept nogil:
    """Find the fours that windows allow in which the point is the j-th.

    left[k], right[k]: add those with the answer k steps against or along the direction; at[j]: all.
    """
    cdef vec like = at[0]
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
    at[j] = f0 | f1 | f2 | f3


cdef inline void windows(const Line *line, const void *empty, int row, int dx, int dy,
                         vec *left, vec *right, vec *at) noexcept nogil:
    """Find the fours of one direction, as window does, from nothing."""
    cdef vec none = at[0] ^ at[0]
    cdef int k
    for k in range(5):
        left[k] = right[k] = at[k] = none
    window(line, empty, row, dx, dy, 0, left, right, at)
    window(line, empty, row, dx, dy, 1, left, right, at)
    window(line, empty, row, dx, dy, 2, left, right, at)
    window(line, empty, row, dx, dy, 3, left, right, at)
    window(line, empty, row, dx, dy, 4, left, right, at)


cdef inline bint place(Outlook *o, const void *empty, int row, int dx, int dy,
                       int direction, vec *once, vec *twice) noexcept nogil:
    """Place the useful fours of one direction; return whether that is news.

    once, twice: add the points with a window, and those with another one that an answer leaves.
    """
    cdef vec like = once[0]
    cdef vec useful = look(o.useful, row, 0, 0, like)
    cdef vec[5] left
    cdef vec[5] right
    cdef vec[5] at
    cdef vec four, fresh, old
    cdef Line *line = &o.lines[direction]
    cdef int other, j
    cdef bint grew
    at[0] = like
    windows(line, empty, row, dx, dy, &left[0], &right[0], &at[0])
    four = at[0] | at[1] | at[2] | at[3] | at[4]
    if not some(four):
        return False
    # An answer k steps to the left leaves the windows that begin less than k steps before.
    twice[0] |= ((once[0] & four)
                 | (left[1] & at[0]) | (left[2] & (at[0] | at[1]))
                 | (left[3] & (at[0] | at[1] | at[2]))
                 | (left[4] & (at[0] | at[1] | at[2] | at[3]))
                 | (right[1] & at[4]) | (right[2] & (at[4] | at[3]))
                 | (right[3] & (at[4] | at[3] | at[2]))
                 | (right[4] & (at[4] | at[3] | at[2] | at[1])))
    once[0] |= four
    four &= useful
    fresh = four & ~look(line.fours, row, 0, 0, like)
    grew = some(fresh)
    if grew:                        # the other directions have the stone whatever the answer
        keep(line.fours, row, look(line.fours, row, 0, 0, like) | fresh)
        for other in range(4):
            if other != direction:
                for j in range(5):
                    keep(o.lines[other].own[j], row,
                         look(o.lines[other].own[j], row, 0, 0, like) | fresh)
    left[3] |= left[4]
    left[2] |= left[3]
    left[1] |= left[2]
    right[3] |= right[4]
    right[2] |= right[3]
    right[1] |= right[2]
    at[0] = left[1] & useful
    at[1] = (left[2] | right[4]) & useful
    at[2] = (left[3] | right[3]) & useful
    at[3] = (left[4] | right[2]) & useful
    at[4] = right[1] & useful
    fresh = like ^ like
    for j in range(5):
        old = look(line.own[j], row, 0, 0, like)
        fresh |= at[j] & ~old
        keep(line.own[j], row, old | at[j])
    return grew or some(fresh)


cdef inline void advance(Outlook *o, const Board *board, int attacker, vec like) noexcept nogil:
    """Place every useful four, again and again, from the stones on the board; then the answers."""
    cdef const void *empty = board.planes[2]
    cdef int vectors = 1 if vec is v16 else 3, height = 16 if vec is v16 else 8
    cdef int size = 2 * (16 + 2 * PAD) if vec is v16 else 4 * PLANE_ROWS     # bytes of a plane
    cdef int i, j, row, direction
    cdef bint grew = True
    cdef vec once, twice, e
    for direction in range(4):
        for j in range(5):
            memcpy(o.lines[direction].own[j], board.planes[attacker], size)
        memset(o.lines[direction].fours, 0, size)
    while grew:
        grew = False
        for i in range(vectors):
            row = PAD + i * height
            once = like ^ like
            twice = once
            grew |= place(o, empty, row, 1, 0, 0, &once, &twice)
            grew |= place(o, empty, row, 0, 1, 1, &once, &twice)
            grew |= place(o, empty, row, 1, 1, 2, &once, &twice)
            grew |= place(o, empty, row, -1, 1, 3, &once, &twice)
            e = look(empty, row, 0, 0, like)
            keep(o.fours, row, once & e & look(o.useful, row, 0, 0, like))
            keep(o.joined, row, twice & e & look(o.useful, row, 0, 0, like))
            keep(o.answers, row, once & e)


# --- What else a stone may be good for ----------------------------------------------------------

@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec three_of(const Line *line, const void *fourth, int row, int dx, int dy,
                         vec like) noexcept nogil:
    """Points on a window with three own among the others, and one of fourth, in this direction."""
    cdef vec[5] left
    cdef vec[5] right
    cdef vec[5] at
    at[0] = like
    windows(line, fourth, row, dx, dy, &left[0], &right[0], &at[0])
    return at[0] | at[1] | at[2] | at[3] | at[4]


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec guards(const Line *foe, const void *answers, const void *empty, int row,
                       vec like) noexcept nogil:
    """Points on windows of which the defender may come to hold four, one of them an answer."""
    return (three_of(foe, answers, row, 1, 0, like) | three_of(foe, answers, row, 0, 1, like)
            | three_of(foe, answers, row, 1, 1, like) | three_of(foe, answers, row, -1, 1, like)
            | (look(answers, row, 0, 0, like)
               & (three_of(foe, empty, row, 1, 0, like) | three_of(foe, empty, row, 0, 1, like)
                  | three_of(foe, empty, row, 1, 1, like)
                  | three_of(foe, empty, row, -1, 1, like))))


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec beside(const Line *line, const void *empty, int row, int dx, int dy, int start,
                       vec like) noexcept nogil:
    """Points with a window that begins start steps away and may come to hold four own stones."""
    cdef vec possible = ~(like ^ like), c1 = like ^ like
    cdef vec c2 = c1, c3 = c1, v
    cdef int k
    for k in range(5):
        v = look(line.own[k], row, (start + k) * dx, (start + k) * dy, like)
        possible &= v | look(empty, row, (start + k) * dx, (start + k) * dy, like)
        c3 |= c2 & v
        c2 |= c1 & v
        c1 |= v
    return c3 & possible


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec caps(const Line *lines, const void *empty, int row, vec like) noexcept nogil:
    """Points next to a window that may become a five: a stone there closes it or keeps it open."""
    return (beside(&lines[0], empty, row, 1, 0, 1, like)
            | beside(&lines[0], empty, row, 1, 0, -5, like)
            | beside(&lines[1], empty, row, 0, 1, 1, like)
            | beside(&lines[1], empty, row, 0, 1, -5, like)
            | beside(&lines[2], empty, row, 1, 1, 1, like)
            | beside(&lines[2], empty, row, 1, 1, -5, like)
            | beside(&lines[3], empty, row, -1, 1, 1, like)
            | beside(&lines[3], empty, row, -1, 1, -5, like))


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


cdef inline void widen(uint32_t *plane, int steps, vec like) noexcept nogil:
    """Add every point at most this many rows and columns away, on the board or not."""
    cdef int vectors = 1 if vec is v16 else 3, height = 16 if vec is v16 else 8
    cdef uint32_t[PLANE_ROWS] wide
    cdef int i, k, _k, row
    cdef vec v
    memset(wide, 0, sizeof(wide))
    for i in range(vectors):
        row = PAD + i * height
        v = look(plane, row, 0, 0, like)
        for k in range(1, steps + 1):
            v |= look(plane, row, 0, k, like) | look(plane, row, 0, -k, like)
        for _k in range(steps):
            v |= (v << 1) | (v >> 1)
        keep(wide, row, v)
    memcpy(plane, wide, sizeof(wide))


cdef inline bint doubt(const Board *board, int attacker, Outlook *o, vec like) noexcept nogil:
    """Find where a stone may change whether Black's fours or answers are forbidden; return if any.

    Whether a point is forbidden depends on the stones within five steps of it, and on whether
    others that may be forbidden themselves are (the recursion of the RIF's rule 9.3).
    """
    cdef const void *empty = board.planes[2]
    cdef const void *white = board.planes[WHITE]
    cdef const uint32_t *placed = &o.fours[0] if attacker == BLACK else &o.answers[0]
    cdef uint32_t[PLANE_ROWS] black
    cdef int vectors = 1 if vec is v16 else 3, height = 16 if vec is v16 else 8
    cdef int i, row
    cdef bint found = False, grew = True
    cdef vec v
    memset(o.touchy, 0, sizeof(o.touchy))
    memcpy(black, board.planes[BLACK], sizeof(black))
    for i in range(vectors):
        row = PAD + i * height
        keep(black, row, look(black, row, 0, 0, like) | look(placed, row, 0, 0, like))
    for i in range(vectors):
        row = PAD + i * height
        found |= some(suspects(black, white, row, like) & look(placed, row, 0, 0, like))
    if not found:
        return False
    while grew:
        grew = False
        for i in range(vectors):
            row = PAD + i * height
            v = suspects(black, white, row, like) & look(empty, row, 0, 0, like)
            if some(v & ~look(o.touchy, row, 0, 0, like)):
                keep(o.touchy, row, look(o.touchy, row, 0, 0, like) | v)
                keep(black, row, look(black, row, 0, 0, like) | v)
                grew = True
    widen(o.touchy, 5, like)
    for i in range(vectors):        # the fours that are answered there
        row = PAD + i * height
        keep(black, row, look(o.touchy, row, 0, 0, like) & look(o.answers, row, 0, 0, like))
    widen(black, 4, like)
    for i in range(vectors):
        row = PAD + i * height
        keep(o.touchy, row, look(o.touchy, row, 0, 0, like) | look(black, row, 0, 0, like))
    return True


# --- All together -------------------------------------------------------------------------------

cdef inline bint survey(const Board *board, int attacker, Outlook *o, vec like) noexcept nogil:
    """Fill in the outlook; return whether there may be a win."""
    cdef const void *empty = board.planes[2]
    cdef int vectors = 1 if vec is v16 else 3, height = 16 if vec is v16 else 8
    cdef const void *opp = board.planes[1 - attacker]
    cdef bint closed = board.five[attacker] & CLOSED
    cdef int _round, i, j, row
    cdef bint possible = True, changed
    cdef vec v, four, cap
    memcpy(o.useful, board.planes[2], sizeof(o.useful))
    for _round in range(ROUNDS):
        advance(o, board, attacker, like)
        possible = board.forbidden and doubt(board, attacker, o, like) and attacker == WHITE
        for i in range(vectors):
            possible |= some(look(o.joined, PAD + i * height, 0, 0, like))
        if not possible:
            break
        for i in range(vectors if closed else 0):
            row = PAD + i * height
            cap = caps(o.lines, empty, row, like) & look(empty, row, 0, 0, like)
            keep(o.joined, row, look(o.joined, row, 0, 0, like) | cap)
            keep(o.answers, row, look(o.answers, row, 0, 0, like) | cap)
        for i in range(vectors):
            row = PAD + i * height
            v = look(o.answers, row, 0, 0, like) | look(opp, row, 0, 0, like)
            for j in range(5):
                keep(o.foe.own[j], row, v)
        changed = False
        for i in range(vectors):
            row = PAD + i * height
            four = look(o.fours, row, 0, 0, like)
            v = four & (look(o.joined, row, 0, 0, like) | look(o.touchy, row, 0, 0, like)
                        | guards(&o.foe, o.answers, empty, row, like))
            changed |= some(v ^ four)
            keep(o.useful, row, v)
        if not changed:
            break
    return possible


cdef bint prospects(const Board *board, int attacker, uint64_t *useful) noexcept nogil:
    """Whether there may be a win by fours; useful: the map of those that it may need.

    A five at hand is not looked for. The map holds for the positions that those fours lead to too.
    """
    cdef Outlook o
    cdef int i
    cdef bint possible
    memset(&o.foe, 0, sizeof(Outlook) - sizeof(o.lines))
    if board.shift == 4:
        possible = survey(board, attacker, &o, at16(board.planes[2], PAD, 0, 0))
        store16(useful, at16(o.useful, PAD, 0, 0))
    else:
        possible = survey(board, attacker, &o, at32(board.planes[2], PAD, 0, 0))
        for i in range(3):
            store32(useful + 4 * i, at32(o.useful, PAD + 8 * i, 0, 0))
    return possible


def fours_that_matter(Position position not None):
    """Return the fours that a win of the side to move may need; None: it has none."""
    cdef uint64_t[MAP_WORDS] useful
    cdef int[MAX_EMPTY] points
    cdef int i, n
    if not prospects(&position.board, position.mover, useful):
        return None
    n = points_of(&position.board, useful, points)
    return tuple(position._xy(points[i]) for i in range(n))
