# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Tactics: what a node knows before its moves are tried.

Its maps, classes and static value; whether a side wins by continuous fours; which moves may stop
such a win, which leave it standing and which only put it off.
"""

from libc.string cimport memcpy

from .evaluate cimport (
    CLOSED, INPUTS, PLAIN_FOUR, classify, count_classes, network_value, reclassify,
)
from .forbidden cimport LEGAL, black_has_legal_point, forbidden_kind
from .frames cimport nodes_left, solve
from .lines cimport fives_through
from .planes cimport (
    Board, any_point, bands_near, class_maps, empty_map, has, lift, near_map, node_maps,
    overline_map, point_at, put, renew_maps, test, zobrist,
)
from .threats cimport REFUTED, WON, defences, still_wins, vcf_from, win_plies
from .typedefs cimport (
    BLACK, FOUR, FOURS, MAX_VALUE, OPEN_FOUR, THREES, WHITE, WIN, int16_t,
)
from .values cimport recall, remember


cdef bint renew(Tree *tree, Frame *frame, int side) noexcept nogil:
    """Work out maps and classes from those of one or two moves ago, if there are any.

    Only where a map is several vectors, which a stone does not all change.
    """
    cdef const Board *board = &tree.board
    cdef const Frame *before
    cdef uint64_t key = board.key
    cdef int back, bands = 0
    if board.words == 4 or board.forbidden:
        return False
    for back in range(1, 3):
        before = frame - back
        if before < tree.frames or before.move < 0:
            return False
        key ^= zobrist[side ^ (back & 1)][before.move]
        bands |= bands_near(board, before.move)
        if before.prepared and before.key == key:
            break
    else:
        return False
    if back == 1:
        renew_maps(board, side, bands, &before.opp_maps, &frame.own_maps)
        renew_maps(board, 1 - side, bands, &before.own_maps, &frame.opp_maps)
        reclassify(board, &frame.own_maps, bands, &before.opp, &frame.own)
        reclassify(board, &frame.opp_maps, bands, &before.own, &frame.opp)
    else:
        renew_maps(board, side, bands, &before.own_maps, &frame.own_maps)
        renew_maps(board, 1 - side, bands, &before.opp_maps, &frame.opp_maps)
        reclassify(board, &frame.own_maps, bands, &before.own, &frame.own)
        reclassify(board, &frame.opp_maps, bands, &before.opp, &frame.opp)
    return True


cdef void prepare(Tree *tree, Frame *frame, int side) noexcept nogil:
    """Work out the maps and classes of both sides."""
    cdef Board *board = &tree.board
    cdef int i
    if not renew(tree, frame, side):
        if board.forbidden and side == BLACK:
            class_maps(board, BLACK, &frame.own_maps)   # THREES too
            overline_map(board, BLACK, frame.suspects)
            for i in range(board.words):
                frame.suspects[i] |= frame.own_maps.of[FOUR][i] | frame.own_maps.of[THREES][i]
        else:
            node_maps(board, side, &frame.own_maps)
        node_maps(board, 1 - side, &frame.opp_maps)
        classify(board, &frame.own_maps, &frame.own)
        classify(board, &frame.opp_maps, &frame.opp)
    frame.key = board.key
    frame.prepared = True


cdef bint may_play(Tree *tree, Frame *frame, int side, int point) noexcept nogil:
    """Whether an empty point is not forbidden; the frame has been prepared."""
    return not (tree.board.forbidden and side == BLACK and test(frame.suspects, point)
                and forbidden_kind(&tree.board, point) != LEGAL)


cdef int static_value(Tree *tree, Frame *frame, int side) noexcept nogil:
    """Return the network's value, varied if asked for; the frame has been prepared."""
    cdef int16_t[INPUTS] inputs
    cdef uint64_t mixed
    cdef int value
    count_classes(&tree.board, &frame.own, &frame.opp, inputs)
    value = network_value(&tree.networks[side], inputs)
    if tree.variety:
        mixed = (tree.board.key ^ tree.variety_salt) * <uint64_t> 0xBF58476D1CE4E5B9u
        value += <int> ((mixed >> 32) % <uint64_t> (2 * tree.variety + 1)) - tree.variety
    return min(max(value, -MAX_VALUE), MAX_VALUE)


cdef int lost(Tree *tree, int side, int ply) noexcept nogil:
    """The value where the opponent's next five cannot be stopped, whatever is played."""
    if tree.board.forbidden and side == BLACK and not black_has_legal_point(&tree.board):
        return 0        # drawn: Black cannot play at all
    return -(WIN - ply - 2)


cdef bint is_threatened(Tree *tree, Frame *frame, int side) noexcept nogil:
    """Whether the opponent could make an open four or a double four; the frame is prepared."""
    return (any_point(&tree.board, frame.opp_maps.of[OPEN_FOUR])
            or (any_point(&tree.board, frame.opp_maps.of[FOURS])
                and not (tree.board.forbidden and side == WHITE)))


cdef void candidates(Tree *tree, Frame *frame, int side, bint threatened,
                     uint64_t *points) noexcept nogil:
    """The points worth trying.

    Against a win by fours, those that may stop it, if they are known; else, against an open or
    double four, fours; else all near stones.
    """
    cdef Board *board = &tree.board
    cdef int i
    if frame.exact:
        memcpy(points, frame.defences, sizeof(frame.defences))
        return
    if threatened:
        for i in range(board.words):
            points[i] = frame.own_maps.of[FOUR][i] | frame.opp_maps.of[FOUR][i]
        return
    near_map(board, points)
    for i in range(board.words):
        points[i] |= frame.own_maps.of[FOUR][i] | frame.opp_maps.of[FOUR][i]
    if not any_point(board, points):
        i = point_at(board, board.width // 2, board.height // 2)
        if has(board, 2, i):
            points[i >> 6] |= (<uint64_t> 1) << (i & 63)
        else:
            empty_map(board, points)


cdef bint threat(Tree *tree, Frame *frame, int side, long long budget) noexcept nogil:
    """Find the opponent's win by fours if we passed, and what may stop it; whether there is one.

    The frame has been prepared.
    """
    frame.refutation_length = 0
    frame.exact = False
    if frame == tree.frames:        # only at the root may he have a five to make
        frame.threat = solve(tree, 1 - side, budget, 0)
    else:
        frame.threat = vcf_from(&tree.solver, &tree.board, 1 - side, frame.opp_maps.of[FOUR],
                                min(budget, nodes_left(tree)), 0)
    if frame.threat != WON:
        return False
    frame.refutation_length = tree.solver.length
    frame.refutation_plies = win_plies(&tree.solver, &tree.board, 1 - side)
    memcpy(frame.refutation, tree.solver.line, tree.solver.length * sizeof(int))
    frame.exact = defences(&tree.board, 1 - side, frame.refutation, frame.refutation_length,
                           frame.defences)
    return True


cdef bint is_refuted(Tree *tree, int ply) noexcept nogil:
    """Whether it is known without a search that the mover has no win by fours.

    He had none if the opponent had passed, and has none after a stone of his; or he had none a
    move ago, and what was played since is a four with its only answer.
    """
    return (tree.frames[ply - 1].threat == REFUTED
            or (ply > 1 and tree.frames[ply - 1].sole
                and tree.frames[ply - 2].own_fours == REFUTED))


cdef void look(Tree *tree, Frame *frame, uint64_t key, int side, int ply,
               long long budget) noexcept nogil:
    """Find whether the mover wins by fours, and if not the static value and who is threatened.

    What is remembered of the position is not worked out again; the frame is not prepared then.
    """
    frame.own_fours = REFUTED
    if recall(tree.values, key, &frame.guess, &frame.threatened):
        return
    if not is_refuted(tree, ply):
        frame.own_fours = solve(tree, side, budget, 0)
    if frame.own_fours == WON:
        return
    prepare(tree, frame, side)
    frame.guess = static_value(tree, frame, side)
    frame.threatened = is_threatened(tree, frame, side)
    if frame.own_fours == REFUTED:
        remember(tree.values, key, frame.guess, frame.threatened)


cdef bint leaves_threat(Tree *tree, Frame *frame, int side, int point) noexcept nogil:
    """Whether a move leaves the opponent's win by fours standing, if one is known."""
    cdef bint left
    if not frame.refutation_length:
        return False
    put(&tree.board, side, point)
    left = still_wins(&tree.board, 1 - side, frame.refutation, frame.refutation_length)
    lift(&tree.board, side, point)
    return left


cdef bint only_delays(Tree *tree, Frame *frame, int side, int point) noexcept nogil:
    """Whether a move is a four that only puts off the opponent's known win by fours.

    It makes and stops nothing else, and with its answer on the board that win still stands. A dozen
    of these in any order would be a search of their own.
    """
    cdef Board *board = &tree.board
    cdef int kind, answer
    cdef bint left
    if not frame.refutation_length or not test(frame.own.of[PLAIN_FOUR], point):
        return False
    for kind in range(CLOSED):
        if test(frame.opp.of[kind], point):
            return False
    if fives_through(board, side, point, &answer) != 1:
        return False
    put(board, side, point)
    put(board, 1 - side, answer)
    left = still_wins(board, 1 - side, frame.refutation, frame.refutation_length)
    lift(board, 1 - side, answer)
    lift(board, side, point)
    return left
