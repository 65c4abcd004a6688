# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Whole-board threat maps as bit expressions, for every rule.

Definitions, along one direction through an empty point p where one's own stone would be put (the
windows contain p; all their other points are own or empty):
five: a window of 5 with four other own stones; four: with three; closed three: with two. The five
that filling the window makes has to count: exactly five allows no own stone next to the window,
caro not both next points to be the opponent's.
open four: a window of 6 with both end points empty and three other own stones between them; three:
with two; two: with one. Exactly five allows no own stone next to the window.
These hold one another: a three is a closed three too. By the best that a direction has: a lone
three is a three and no four, a lesser is a two or a closed three and neither three nor four.
"""

cimport cython
from libc.string cimport memcpy, memset

from .typedefs cimport (
    CLASS_MAPS, CLOSED, CLOSED_THREE, CLOSED_THREES, EXACT, FIVE, FOUR, FOURS, LESSER, LESSERS,
    LESSER_CLOSED, LONE_THREE, LONE_THREES, MAX_POINTS, OPEN_FOUR, PAD, THREE, THREES,
    THREE_LESSERS, TWO, TWOS, uint16_t, uint32_t, uint64_t,
)


# --- The board --------------------------------------------------------------------------------

cdef void fill_zobrist() noexcept nogil:
    """Fill the key table from splitmix64, so that keys are the same everywhere and always."""
    cdef uint64_t state = <uint64_t> 0x53686973616E3433u, z
    cdef int colour, point
    for colour in range(2):
        for point in range(MAX_POINTS):
            state += <uint64_t> 0x9E3779B97F4A7C15u
            z = state
            z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9u
            z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EBu
            zobrist[colour][point] = z ^ (z >> 31)


fill_zobrist()


cdef void clear(Board *board, int width, int height) noexcept nogil:
    """Make an empty freestyle board; width and height 5..22."""
    cdef int x, y
    memset(board, 0, sizeof(Board))
    board.width = width
    board.height = height
    board.shift = 4 if width <= 16 and height <= 16 else 5
    board.words = 4 if board.shift == 4 else 12
    board.empties = width * height
    for y in range(height):
        if board.shift == 4:
            (<uint16_t *> board.planes[2])[PAD + y] = <uint16_t> ((1 << width) - 1)
        else:
            board.planes[2][PAD + y] = ((<uint32_t> 1) << width) - 1
        for x in range(width):
            toggle(board, 2, point_at(board, x, y))


# --- The expressions --------------------------------------------------------------------------
# Each works on one vector of rows; `like` only carries the vector's type. Names: a1..a5 are the own
# points 1..5 steps to the left (against the direction), b1..b5 to the right, ea and eb the empty
# ones. In l2, l3, r2, r3 the next 2 or 3 points are all own; in m, n one of them is empty; in p, q
# two are.
# w, f, c: windows of five with four, three, two other own stones, from the one that begins at the
# point to the one that ends there.

@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec look(const void *plane, int row, int dx, int dy, vec like) noexcept nogil:
    """The plane seen one step (dx, dy) away, from each of the vector's points."""
    if vec is v16:
        return at16(plane, row, dx, dy)
    else:
        return at32(plane, row, dx, dy)


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec fives(const void *own, const void *opp, int row, int dx, int dy, int kind,
                      vec like) noexcept nogil:
    """Points that make a five in this direction, occupied points included."""
    cdef vec a1 = look(own, row, -dx, -dy, like)
    cdef vec a2 = look(own, row, -2 * dx, -2 * dy, like)
    cdef vec a3 = look(own, row, -3 * dx, -3 * dy, like)
    cdef vec a4 = look(own, row, -4 * dx, -4 * dy, like)
    cdef vec b1 = look(own, row, dx, dy, like)
    cdef vec b2 = look(own, row, 2 * dx, 2 * dy, like)
    cdef vec b3 = look(own, row, 3 * dx, 3 * dy, like)
    cdef vec b4 = look(own, row, 4 * dx, 4 * dy, like)
    cdef vec l2 = a1 & a2, r2 = b1 & b2
    cdef vec l3 = l2 & a3, r3 = r2 & b3
    cdef vec w0 = r3 & b4, w1 = a1 & r3, w2 = l2 & r2, w3 = l3 & b1, w4 = l3 & a4
    if kind & EXACT:
        w0 &= ~(a1 | look(own, row, 5 * dx, 5 * dy, like))
        w1 &= ~(a2 | b4)
        w2 &= ~(a3 | b3)
        w3 &= ~(a4 | b2)
        w4 &= ~(look(own, row, -5 * dx, -5 * dy, like) | b1)
    if kind & CLOSED:
        w0 &= ~(look(opp, row, -dx, -dy, like) & look(opp, row, 5 * dx, 5 * dy, like))
        w1 &= ~(look(opp, row, -2 * dx, -2 * dy, like) & look(opp, row, 4 * dx, 4 * dy, like))
        w2 &= ~(look(opp, row, -3 * dx, -3 * dy, like) & look(opp, row, 3 * dx, 3 * dy, like))
        w3 &= ~(look(opp, row, -4 * dx, -4 * dy, like) & look(opp, row, 2 * dx, 2 * dy, like))
        w4 &= ~(look(opp, row, -5 * dx, -5 * dy, like) & look(opp, row, dx, dy, like))
    return w0 | w1 | w2 | w3 | w4


cdef inline void fours(const void *own, const void *opp, const void *empty, int row, int dx, int dy,
                       int kind, vec *five, vec *four) noexcept nogil:
    """Add the points that make a five and those that make a four in this direction."""
    cdef vec like = five[0]
    cdef vec a1 = look(own, row, -dx, -dy, like), b1 = look(own, row, dx, dy, like)
    cdef vec a2 = look(own, row, -2 * dx, -2 * dy, like), b2 = look(own, row, 2 * dx, 2 * dy, like)
    cdef vec a3 = look(own, row, -3 * dx, -3 * dy, like), b3 = look(own, row, 3 * dx, 3 * dy, like)
    cdef vec a4 = look(own, row, -4 * dx, -4 * dy, like), b4 = look(own, row, 4 * dx, 4 * dy, like)
    cdef vec l2 = a1 & a2, r2 = b1 & b2
    cdef vec l3 = l2 & a3, r3 = r2 & b3
    cdef vec m1 = look(empty, row, -dx, -dy, like), n1 = look(empty, row, dx, dy, like)
    cdef vec m2 = (m1 & a2) | (a1 & look(empty, row, -2 * dx, -2 * dy, like))
    cdef vec n2 = (n1 & b2) | (b1 & look(empty, row, 2 * dx, 2 * dy, like))
    cdef vec m3 = (m2 & a3) | (l2 & look(empty, row, -3 * dx, -3 * dy, like))
    cdef vec n3 = (n2 & b3) | (r2 & look(empty, row, 3 * dx, 3 * dy, like))
    cdef vec m4 = (m3 & a4) | (l3 & look(empty, row, -4 * dx, -4 * dy, like))
    cdef vec n4 = (n3 & b4) | (r3 & look(empty, row, 4 * dx, 4 * dy, like))
    cdef vec w0 = r3 & b4, w1 = a1 & r3, w2 = l2 & r2, w3 = l3 & b1, w4 = l3 & a4
    cdef vec f0 = n4, f1 = (m1 & r3) | (a1 & n3), f2 = (m2 & r2) | (l2 & n2)
    cdef vec f3 = (m3 & b1) | (l3 & n1), f4 = m4
    cdef vec ok0, ok1, ok2, ok3, ok4
    if kind:
        ok0 = ok1 = ok2 = ok3 = ok4 = ~(like ^ like)
        if kind & EXACT:
            ok0 = ~(a1 | look(own, row, 5 * dx, 5 * dy, like))
            ok1 = ~(a2 | b4)
            ok2 = ~(a3 | b3)
            ok3 = ~(a4 | b2)
            ok4 = ~(look(own, row, -5 * dx, -5 * dy, like) | b1)
        if kind & CLOSED:
            ok0 &= ~(look(opp, row, -dx, -dy, like) & look(opp, row, 5 * dx, 5 * dy, like))
            ok1 &= ~(look(opp, row, -2 * dx, -2 * dy, like)
                     & look(opp, row, 4 * dx, 4 * dy, like))
            ok2 &= ~(look(opp, row, -3 * dx, -3 * dy, like)
                     & look(opp, row, 3 * dx, 3 * dy, like))
            ok3 &= ~(look(opp, row, -4 * dx, -4 * dy, like)
                     & look(opp, row, 2 * dx, 2 * dy, like))
            ok4 &= ~(look(opp, row, -5 * dx, -5 * dy, like) & look(opp, row, dx, dy, like))
        five[0] |= (w0 & ok0) | (w1 & ok1) | (w2 & ok2) | (w3 & ok3) | (w4 & ok4)
        four[0] |= (f0 & ok0) | (f1 & ok1) | (f2 & ok2) | (f3 & ok3) | (f4 & ok4)
    else:
        five[0] |= w0 | w1 | w2 | w3 | w4
        four[0] |= f0 | f1 | f2 | f3 | f4


cdef inline void classes(const void *own, const void *opp, const void *empty, int row,
                         int dx, int dy, int kind, bint whole, vec *maps) noexcept nogil:
    """Add every class of point in this direction to the CLASS_MAPS maps.

    Not whole: only to those that a node of the tree has a use for, see is_for_nodes.
    """
    cdef vec like = maps[0]
    cdef vec a1 = look(own, row, -dx, -dy, like), b1 = look(own, row, dx, dy, like)
    cdef vec a2 = look(own, row, -2 * dx, -2 * dy, like), b2 = look(own, row, 2 * dx, 2 * dy, like)
    cdef vec a3 = look(own, row, -3 * dx, -3 * dy, like), b3 = look(own, row, 3 * dx, 3 * dy, like)
    cdef vec a4 = look(own, row, -4 * dx, -4 * dy, like), b4 = look(own, row, 4 * dx, 4 * dy, like)
    cdef vec ea1 = look(empty, row, -dx, -dy, like), eb1 = look(empty, row, dx, dy, like)
    cdef vec ea2 = look(empty, row, -2 * dx, -2 * dy, like)
    cdef vec eb2 = look(empty, row, 2 * dx, 2 * dy, like)
    cdef vec ea3 = look(empty, row, -3 * dx, -3 * dy, like)
    cdef vec eb3 = look(empty, row, 3 * dx, 3 * dy, like)
    cdef vec ea4 = look(empty, row, -4 * dx, -4 * dy, like)
    cdef vec eb4 = look(empty, row, 4 * dx, 4 * dy, like)
    # All own, one empty, two empty.
    cdef vec l2 = a1 & a2, r2 = b1 & b2
    cdef vec l3 = l2 & a3, r3 = r2 & b3
    cdef vec m2 = (ea1 & a2) | (a1 & ea2), n2 = (eb1 & b2) | (b1 & eb2)
    cdef vec m3 = (m2 & a3) | (l2 & ea3), n3 = (n2 & b3) | (r2 & eb3)
    cdef vec m4 = (m3 & a4) | (l3 & ea4), n4 = (n3 & b4) | (r3 & eb4)
    cdef vec p2 = ea1 & ea2, q2 = eb1 & eb2
    cdef vec p3 = (p2 & a3) | (m2 & ea3), q3 = (q2 & b3) | (n2 & eb3)
    cdef vec p4 = (p3 & a4) | (m3 & ea4), q4 = (q3 & b4) | (n3 & eb4)
    # Windows of five, from the one that begins at the point to the one that ends there.
    cdef vec w0 = r3 & b4, w1 = a1 & r3, w2 = l2 & r2, w3 = l3 & b1, w4 = l3 & a4
    cdef vec f0 = n4, f1 = (ea1 & r3) | (a1 & n3), f2 = (m2 & r2) | (l2 & n2)
    cdef vec f3 = (m3 & b1) | (l3 & eb1), f4 = m4
    cdef vec c0 = q4, c1 = (ea1 & n3) | (a1 & q3), c2 = (p2 & r2) | (m2 & n2) | (l2 & q2)
    cdef vec c3 = (p3 & b1) | (m3 & eb1), c4 = p4
    cdef vec ok, five, four, closed, open_four, three, two, lesser
    # Windows of six: an end point to the left with i points between, one to the right with 3 - i.
    cdef vec ends_a0 = ea1, ends_a1 = ea2, ends_a2 = ea3, ends_a3 = ea4
    cdef vec ends_b0 = eb1, ends_b1 = eb2, ends_b2 = eb3, ends_b3 = eb4
    cdef vec a5, b5
    if kind & EXACT:
        a5 = look(own, row, -5 * dx, -5 * dy, like)
        b5 = look(own, row, 5 * dx, 5 * dy, like)
        ok = ~(a1 | b5)
        w0 &= ok
        f0 &= ok
        c0 &= ok
        ok = ~(a2 | b4)
        w1 &= ok
        f1 &= ok
        c1 &= ok
        ok = ~(a3 | b3)
        w2 &= ok
        f2 &= ok
        c2 &= ok
        ok = ~(a4 | b2)
        w3 &= ok
        f3 &= ok
        c3 &= ok
        ok = ~(a5 | b1)
        w4 &= ok
        f4 &= ok
        c4 &= ok
        ends_a0 &= ~a2
        ends_a1 &= ~a3
        ends_a2 &= ~a4
        ends_a3 &= ~a5
        ends_b0 &= ~b2
        ends_b1 &= ~b3
        ends_b2 &= ~b4
        ends_b3 &= ~b5
    if kind & CLOSED:
        ok = ~(look(opp, row, -dx, -dy, like) & look(opp, row, 5 * dx, 5 * dy, like))
        w0 &= ok
        f0 &= ok
        c0 &= ok
        ok = ~(look(opp, row, -2 * dx, -2 * dy, like) & look(opp, row, 4 * dx, 4 * dy, like))
        w1 &= ok
        f1 &= ok
        c1 &= ok
        ok = ~(look(opp, row, -3 * dx, -3 * dy, like) & look(opp, row, 3 * dx, 3 * dy, like))
        w2 &= ok
        f2 &= ok
        c2 &= ok
        ok = ~(look(opp, row, -4 * dx, -4 * dy, like) & look(opp, row, 2 * dx, 2 * dy, like))
        w3 &= ok
        f3 &= ok
        c3 &= ok
        ok = ~(look(opp, row, -5 * dx, -5 * dy, like) & look(opp, row, dx, dy, like))
        w4 &= ok
        f4 &= ok
        c4 &= ok
    five = w0 | w1 | w2 | w3 | w4
    four = f0 | f1 | f2 | f3 | f4
    closed = c0 | c1 | c2 | c3 | c4
    open_four = ((ends_a0 & ends_b3 & r3) | (ends_a1 & ends_b2 & a1 & r2)
                 | (ends_a2 & ends_b1 & l2 & b1) | (ends_a3 & ends_b0 & l3))
    three = ((ends_a0 & ends_b3 & n3) | (ends_a1 & ends_b2 & ((ea1 & r2) | (a1 & n2)))
             | (ends_a2 & ends_b1 & ((m2 & b1) | (l2 & eb1))) | (ends_a3 & ends_b0 & m3))
    two = ((ends_a0 & ends_b3 & q3) | (ends_a1 & ends_b2 & ((ea1 & n2) | (a1 & q2)))
           | (ends_a2 & ends_b1 & ((p2 & b1) | (m2 & eb1))) | (ends_a3 & ends_b0 & p3))
    maps[FOURS] |= maps[FOUR] & four
    maps[FOUR] |= four
    maps[OPEN_FOUR] |= open_four
    if whole:
        maps[FIVE] |= five
        maps[THREES] |= maps[THREE] & three
        maps[THREE] |= three
        maps[TWOS] |= maps[TWO] & two
        maps[TWO] |= two
        maps[CLOSED_THREES] |= maps[CLOSED_THREE] & closed
        maps[CLOSED_THREE] |= closed
    three &= ~four
    lesser = (two | closed) & ~(three | four)
    maps[LONE_THREES] |= maps[LONE_THREE] & three
    maps[LONE_THREE] |= three
    maps[THREE_LESSERS] |= maps[LESSERS] & lesser
    maps[LESSERS] |= maps[LESSER] & lesser
    maps[LESSER] |= lesser
    maps[LESSER_CLOSED] |= lesser & closed


# --- The whole board --------------------------------------------------------------------------

@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec five_rows(const void *own, const void *opp, const void *empty, int row, int kind,
                          vec like) noexcept nogil:
    return look(empty, row, 0, 0, like) & (
        fives(own, opp, row, 1, 0, kind, like) | fives(own, opp, row, 0, 1, kind, like)
        | fives(own, opp, row, 1, 1, kind, like) | fives(own, opp, row, -1, 1, kind, like))


cdef inline void five_board(const Board *board, int colour, int kind,
                            uint64_t *five) noexcept nogil:
    """The five map; kind is a literal at each call, so that its tests fold away."""
    cdef const void *own = board.planes[colour]
    cdef const void *opp = board.planes[1 - colour]
    cdef const void *empty = board.planes[2]
    cdef int i
    if board.shift == 4:
        store16(five, five_rows(own, opp, empty, PAD, kind, at16(empty, PAD, 0, 0)))
    else:
        for i in range(3):
            store32(five + 4 * i, five_rows(own, opp, empty, PAD + 8 * i, kind,
                                            at32(empty, PAD, 0, 0)))


cdef void five_map(const Board *board, int colour, uint64_t *five) noexcept nogil:
    """Points where this colour makes a five that counts."""
    cdef int kind = board.five[colour]
    if kind == 0:
        five_board(board, colour, 0, five)
    elif kind == 1:
        five_board(board, colour, 1, five)
    elif kind == 2:
        five_board(board, colour, 2, five)
    else:
        five_board(board, colour, 3, five)


cdef inline void four_board(const Board *board, int colour, int kind, uint64_t *five,
                            uint64_t *four) noexcept nogil:
    """The five and four maps; kind is a literal at each call."""
    cdef const void *own = board.planes[colour]
    cdef const void *opp = board.planes[1 - colour]
    cdef const void *empty = board.planes[2]
    cdef v16 free16, five16, four16
    cdef v32 free32, five32, four32
    cdef int i
    if board.shift == 4:
        free16 = at16(empty, PAD, 0, 0)
        five16 = four16 = free16 ^ free16
        fours(own, opp, empty, PAD, 1, 0, kind, &five16, &four16)
        fours(own, opp, empty, PAD, 0, 1, kind, &five16, &four16)
        fours(own, opp, empty, PAD, 1, 1, kind, &five16, &four16)
        fours(own, opp, empty, PAD, -1, 1, kind, &five16, &four16)
        store16(five, five16 & free16)
        store16(four, four16 & free16)
    else:
        for i in range(3):
            free32 = at32(empty, PAD + 8 * i, 0, 0)
            five32 = four32 = free32 ^ free32
            fours(own, opp, empty, PAD + 8 * i, 1, 0, kind, &five32, &four32)
            fours(own, opp, empty, PAD + 8 * i, 0, 1, kind, &five32, &four32)
            fours(own, opp, empty, PAD + 8 * i, 1, 1, kind, &five32, &four32)
            fours(own, opp, empty, PAD + 8 * i, -1, 1, kind, &five32, &four32)
            store32(five + 4 * i, five32 & free32)
            store32(four + 4 * i, four32 & free32)


cdef void four_maps(const Board *board, int colour, uint64_t *five, uint64_t *four) noexcept nogil:
    """Points where this colour makes a five that counts, and those where it makes a four."""
    cdef int kind = board.five[colour]
    if kind == 0:
        four_board(board, colour, 0, five, four)
    elif kind == 1:
        four_board(board, colour, 1, five, four)
    elif kind == 2:
        four_board(board, colour, 2, five, four)
    else:
        four_board(board, colour, 3, five, four)


cdef inline bint is_for_nodes(int k) noexcept nogil:
    """Whether every node needs this class map; a tenth of the time goes into the others."""
    return k == FOUR or k == FOURS or k == OPEN_FOUR or k >= LONE_THREE


cdef inline void class_board(const Board *board, int colour, int kind, bint whole, int bands,
                             const ClassMaps *before, ClassMaps *maps) noexcept nogil:
    """The class maps; kind and whole are literals at each call. Other bands are copied."""
    cdef const void *own = board.planes[colour]
    cdef const void *opp = board.planes[1 - colour]
    cdef const void *empty = board.planes[2]
    cdef v16 free16
    cdef v16[CLASS_MAPS] maps16
    cdef v32 free32
    cdef v32[CLASS_MAPS] maps32
    cdef int i, k
    if board.shift == 4:
        free16 = at16(empty, PAD, 0, 0)
        for k in range(CLASS_MAPS):
            maps16[k] = free16 ^ free16
        classes(own, opp, empty, PAD, 1, 0, kind, whole, &maps16[0])
        classes(own, opp, empty, PAD, 0, 1, kind, whole, &maps16[0])
        classes(own, opp, empty, PAD, 1, 1, kind, whole, &maps16[0])
        classes(own, opp, empty, PAD, -1, 1, kind, whole, &maps16[0])
        for k in range(CLASS_MAPS):
            if whole or is_for_nodes(k):
                store16(maps.of[k], maps16[k] & free16)
    else:
        for i in range(3):
            if not bands >> i & 1:
                for k in range(CLASS_MAPS):
                    if whole or is_for_nodes(k):
                        memcpy(maps.of[k] + 4 * i, before.of[k] + 4 * i, sizeof(v32))
                continue
            free32 = at32(empty, PAD + 8 * i, 0, 0)
            for k in range(CLASS_MAPS):
                maps32[k] = free32 ^ free32
            classes(own, opp, empty, PAD + 8 * i, 1, 0, kind, whole, &maps32[0])
            classes(own, opp, empty, PAD + 8 * i, 0, 1, kind, whole, &maps32[0])
            classes(own, opp, empty, PAD + 8 * i, 1, 1, kind, whole, &maps32[0])
            classes(own, opp, empty, PAD + 8 * i, -1, 1, kind, whole, &maps32[0])
            for k in range(CLASS_MAPS):
                if whole or is_for_nodes(k):
                    store32(maps.of[k] + 4 * i, maps32[k] & free32)


cdef inline void maps_by_kind(const Board *board, int colour, bint whole, int bands,
                              const ClassMaps *before, ClassMaps *maps) noexcept nogil:
    """The class maps, by what a five is for this colour; whole is a literal at each call."""
    cdef int kind = board.five[colour]
    if kind == 0:
        class_board(board, colour, 0, whole, bands, before, maps)
    elif kind == 1:
        class_board(board, colour, 1, whole, bands, before, maps)
    elif kind == 2:
        class_board(board, colour, 2, whole, bands, before, maps)
    else:
        class_board(board, colour, 3, whole, bands, before, maps)


cdef void class_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil:
    """Every class map of this colour."""
    maps_by_kind(board, colour, True, ALL_BANDS, NULL, maps)


cdef void node_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil:
    """Of this colour's class maps those that a node of the tree has a use for."""
    maps_by_kind(board, colour, False, ALL_BANDS, NULL, maps)


cdef void renew_maps(const Board *board, int colour, int bands, const ClassMaps *before,
                     ClassMaps *maps) noexcept nogil:
    """The same from those before some stones were put: only these bands have changed since."""
    maps_by_kind(board, colour, False, bands, before, maps)


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec overlines(const void *own, int row, int dx, int dy, vec like) noexcept nogil:
    """Points that make six or more in this direction."""
    cdef vec a1 = look(own, row, -dx, -dy, like), b1 = look(own, row, dx, dy, like)
    cdef vec l2 = a1 & look(own, row, -2 * dx, -2 * dy, like)
    cdef vec r2 = b1 & look(own, row, 2 * dx, 2 * dy, like)
    cdef vec l3 = l2 & look(own, row, -3 * dx, -3 * dy, like)
    cdef vec r3 = r2 & look(own, row, 3 * dx, 3 * dy, like)
    cdef vec l4 = l3 & look(own, row, -4 * dx, -4 * dy, like)
    cdef vec r4 = r3 & look(own, row, 4 * dx, 4 * dy, like)
    return ((l4 & look(own, row, -5 * dx, -5 * dy, like)) | (l4 & b1) | (l3 & r2) | (l2 & r3)
            | (a1 & r4) | (r4 & look(own, row, 5 * dx, 5 * dy, like)))


@cython.linetrace(False)  # a traced return would turn a vector into an object
cdef inline vec overline_rows(const void *own, const void *empty, int row,
                              vec like) noexcept nogil:
    return look(empty, row, 0, 0, like) & (
        overlines(own, row, 1, 0, like) | overlines(own, row, 0, 1, like)
        | overlines(own, row, 1, 1, like) | overlines(own, row, -1, 1, like))


cdef void overline_map(const Board *board, int colour, uint64_t *overline) noexcept nogil:
    """Points where this colour makes six or more in a row."""
    cdef const void *own = board.planes[colour]
    cdef const void *empty = board.planes[2]
    cdef int i
    if board.shift == 4:
        store16(overline, overline_rows(own, empty, PAD, at16(empty, PAD, 0, 0)))
    else:
        for i in range(3):
            store32(overline + 4 * i,
                    overline_rows(own, empty, PAD + 8 * i, at32(empty, PAD, 0, 0)))


cdef void near_map(const Board *board, uint64_t *near) noexcept nogil:
    """Empty points with a stone at most two rows and two columns away."""
    cdef const void *black = board.planes[0]
    cdef const void *white = board.planes[1]
    cdef const void *empty = board.planes[2]
    cdef v16 rows16
    cdef v32 rows32
    cdef int dy, i, at
    if board.shift == 4:
        rows16 = at16(black, PAD, 0, 0) | at16(white, PAD, 0, 0)
        for dy in range(-2, 3):
            rows16 |= at16(black, PAD, 0, dy) | at16(white, PAD, 0, dy)
        rows16 |= (rows16 << 1) | (rows16 >> 1) | (rows16 << 2) | (rows16 >> 2)
        store16(near, rows16 & at16(empty, PAD, 0, 0))
    else:
        for i in range(3):
            at = PAD + 8 * i
            rows32 = at32(black, at, 0, 0) | at32(white, at, 0, 0)
            for dy in range(-2, 3):
                rows32 |= at32(black, at, 0, dy) | at32(white, at, 0, dy)
            rows32 |= (rows32 << 1) | (rows32 >> 1) | (rows32 << 2) | (rows32 >> 2)
            store32(near + 4 * i, rows32 & at32(empty, at, 0, 0))
