# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""The tree: alpha-beta below the root, with principal variation windows and exact tactics.

Every node begins with what is certain: a five now, the one block of the opponent's five (which
costs no depth), a win by continuous fours. A loss counts as proven only if every legal reply was
tried or shown to lose; where only some were tried it is doubtful, and so is the win it would give
the other side. One thread, integers only, ties to the lower point: the same position and the same
number of nodes give the same move everywhere.
"""

from libc.string cimport memcpy, memset

from .evaluate cimport CLOSED, INPUTS, PLAIN_FOUR, classify, count_classes, network_value
from .forbidden cimport LEGAL, black_has_legal_point, forbidden_kind
from .history cimport moves_of, replies_to, reward
from .lines cimport fives_of, fives_through
from .margins cimport late
from .moves cimport generate, pick, point_of, prefer, score_of
from .planes cimport (
    any_point, class_maps, empty_map, has, lift, near_map, node_maps, overline_map, point_at,
    points_of, put, test, zobrist,
)
from .table cimport (
    EXACT_VALUE, LOWER, UPPER, Known, from_node, prefetch, probe, store, to_node,
)
from .team cimport (
    SHARED_DEPTH, Postponed, clear_under_way, is_under_way, postpone, set_under_way,
)
from .threats cimport (
    MAX_ANSWERS, REFUTED, WON, answers_to, defences, still_wins, vcf_from, win_plies,
)
from .typedefs cimport (
    BLACK, DOUBTFUL, FOUR, FOURS, INFINITE, MAX_EMPTY, MAX_POINTS, MAX_VALUE, NO_POINT,
    OPEN_FOUR, PROVEN, THREES, WHITE, WIN, int16_t,
)
from .values cimport recall, remember

cdef uint64_t WHITE_TO_MOVE = <uint64_t> 0x9E3779B97F4A7C15u

cdef enum:
    LEAF_BUDGET = 600       # nodes of a solver call, by what is left of the depth
    LOW_BUDGET = 3200
    HIGH_BUDGET = 16_000
    FIRST = 1 << 20         # added to the score of the table's move
    NOT_QUIET = 1000        # score in the order of moves from which on a move is not quiet
    NO_REDUCTION = -1       # of the first move of a node
    SCORE_WORTH = 4         # so much score may be worth 1 of value


cdef inline uint64_t key_of(const Tree *tree, int side) noexcept nogil:
    """The table's key of the position with this side to move."""
    return tree.board.key ^ tree.salt ^ (WHITE_TO_MOVE if side else 0)


# --- What a position shows ----------------------------------------------------------------------

cdef void prepare(Tree *tree, Frame *frame, int side) noexcept nogil:
    """Work out the maps and classes of both sides."""
    cdef Board *board = &tree.board
    cdef int i
    if board.forbidden and side == BLACK:
        class_maps(board, side, &frame.own_maps)    # THREES too
    else:
        node_maps(board, side, &frame.own_maps)
    node_maps(board, 1 - side, &frame.opp_maps)
    classify(board, &frame.own_maps, &frame.own)
    classify(board, &frame.opp_maps, &frame.opp)
    if board.forbidden and side == BLACK:
        overline_map(board, BLACK, frame.suspects)
        for i in range(board.words):
            frame.suspects[i] |= frame.own_maps.of[FOUR][i] | frame.own_maps.of[THREES][i]
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


# --- Parts of a node ----------------------------------------------------------------------------

cdef void lead(Tree *tree, Frame *frame, int ply, int point) noexcept nogil:
    """Make the best line: this point, then the best line of the next node."""
    cdef Frame *after = &tree.frames[ply + 1]
    frame.line[0] = point
    frame.line_length = 1 + min(after.line_length, MAX_PLY)
    memcpy(frame.line + 1, after.line, (frame.line_length - 1) * sizeof(int))


cdef int forced(Tree *tree, int alpha, int beta, int depth, int ply, int lowest,
                int fives) noexcept nogil:
    """Search the moves that stop the opponent's five, nearly always one; it costs no depth.

    fives, lowest: how many points he has for it, at least 1, and the first. No other move helps, so
    the result is exact where the moves' are.
    """
    cdef Board *board = &tree.board
    cdef Frame *frame = &tree.frames[ply]
    cdef int[MAX_ANSWERS] points
    cdef int side = tree.root_side ^ (ply & 1), i, v, best = -INFINITE
    cdef int n = answers_to(board, 1 - side, lowest, fives, points)
    for i in range(n):
        if (board.forbidden and side == BLACK
                and forbidden_kind(board, points[i]) != LEGAL):
            continue
        frame.move = points[i]
        frame.sole = n == 1
        put(board, side, points[i])
        v = -node(tree, -beta, -alpha, depth, ply + 1)
        lift(board, side, points[i])
        if is_stopped(tree):
            return 0
        if v > best:
            best = v
            lead(tree, frame, ply, points[i])
            alpha = max(alpha, v)
            if alpha >= beta:
                break
    return lost(tree, side, ply) if best == -INFINITE else best


cdef bint known(Tree *tree, Frame *frame, uint64_t key, int alpha, int beta, int depth,
                int ply) noexcept nogil:
    """Read the table into the frame; whether its value settles the node."""
    cdef Known entry
    cdef int v
    frame.table_point = NO_POINT
    frame.table_depth = -1
    frame.table_bound = 0
    if not probe(&tree.table, key, &entry):
        return False
    v = from_node(entry.value, ply)
    if 0 <= entry.point < MAX_POINTS and has(&tree.board, 2, entry.point):
        frame.table_point = entry.point
    frame.table_value = v
    frame.table_depth = entry.depth
    frame.table_bound = entry.age_bound & 3
    if abs(v) <= PROVEN and (entry.depth < depth or beta - alpha > 1):
        return False
    if not (frame.table_bound == EXACT_VALUE or (frame.table_bound == LOWER and v >= beta)
            or (frame.table_bound == UPPER and v <= alpha)):
        return False
    if frame.table_point >= 0:
        frame.line[0] = frame.table_point
        frame.line_length = 1
    return True


cdef bint improves(Tree *tree, int ply) noexcept nogil:
    """Whether the static value has risen since the same side's move before, or may have."""
    return (ply < 2 or not tree.frames[ply - 2].valued
            or tree.frames[ply].guess > tree.frames[ply - 2].guess)


cdef bint is_pruned(Tree *tree, Frame *frame, int alpha, int beta, int depth,
                    bint improving) noexcept nogil:
    """Whether the static value lies so far outside the window that no search would change it."""
    cdef Margins *margins = &tree.margins
    return ((depth <= margins.futility_depth
             and frame.guess - margins.futility * (depth - improving) >= beta)
            or (depth <= margins.razor_depth
                and frame.guess + margins.razor * depth <= alpha))


cdef int without(Tree *tree, Frame *frame, int bound, int depth, int ply) noexcept nogil:
    """Search a prepared node at half its depth without the table's move: is any other >= bound?

    Returns a value that is less than bound if not. The frame's maps and value stay as they are.
    """
    cdef int v, guess = frame.guess
    frame.excluded = frame.table_point
    v = node(tree, bound - 1, bound, max(1, depth // 2 - 1), ply)
    frame.excluded = NO_POINT
    frame.line_length = 0
    frame.guess = guess
    frame.valued = True
    return v


cdef void order(Tree *tree, Frame *frame, int side, int before) noexcept nogil:
    """List the moves worth trying with their scores."""
    cdef Moves *moves = &frame.moves
    cdef int i
    candidates(tree, frame, side, frame.threatened, frame.tried)
    generate(&tree.board, frame.tried, &frame.own, &frame.opp, moves_of(&tree.history, side),
             replies_to(&tree.history, side, before), moves)
    prefer(moves, frame.tried, frame.table_point, FIRST)
    for i in range(2):
        if frame.killers[i] != frame.table_point:
            prefer(moves, frame.tried, frame.killers[i],
                   tree.margins.second_killer if i else tree.margins.killer)
    memset(frame.tried, 0, sizeof(frame.tried))


cdef inline bint are_enough(const Margins *margins, int tried, int depth,
                            bint improving) noexcept nogil:
    """Whether so many moves were tried that no quiet one is worth trying any more."""
    cdef int hundredths = (margins.moves + margins.moves_linear * depth
                           + margins.moves_square * depth * depth)
    return depth <= margins.moves_depth and 100 * tried * (1 if improving else 2) >= hundredths


# --- A node -------------------------------------------------------------------------------------

cdef int node(Tree *tree, int alpha, int beta, int depth, int ply) noexcept nogil:
    """Return a bound on the value of the position at this depth, fail-soft.

    depth: plies, forced replies not counted; alpha < beta: int16 values, side to move's view.
    Result r: r <= alpha: true value <= r; r >= beta: true value >= r; else exact; beyond PROVEN
    it is so whatever the depth. Where the frame excludes a move the result is that of the others,
    and proves nothing. After a stop the result means nothing. The board is unchanged on return.
    """
    cdef Board *board = &tree.board
    cdef Frame *frame = &tree.frames[ply]
    cdef int side = tree.root_side ^ (ply & 1), excluded = frame.excluded
    cdef bint wide = beta - alpha > 1, improving
    cdef int v, fives, bound, extension = 0
    cdef int budget = HIGH_BUDGET if depth >= 5 else LOW_BUDGET if depth >= 2 else LEAF_BUDGET
    cdef uint64_t key
    frame.excluded = NO_POINT
    if excluded < 0:
        forget_node(frame)
    tree.nodes += 1
    if give_up(tree) or board.empties == 0:
        return 0

    # What is certain.
    if fives_of(board, side, tree.frames[ply - 2].move if ply >= 3 else NO_POINT, &v):
        frame.line[0] = v
        frame.line_length = 1
        return WIN - ply - 1
    fives = fives_of(board, 1 - side, tree.frames[ply - 1].move if ply >= 2 else NO_POINT, &v)
    if fives and ply < MAX_PLY:
        return forced(tree, alpha, beta, depth, ply, v, fives)
    if WIN - ply - 3 <= alpha:
        return alpha        # a faster win is known
    key = key_of(tree, side)
    if excluded < 0:
        if known(tree, frame, key, alpha, beta, depth, ply):
            return frame.table_value
        look(tree, frame, key, side, ply, budget)
        if frame.own_fours == WON:
            v = WIN - ply - win_plies(&tree.solver, board, side)
            frame.line_length = min(tree.solver.length, MAX_PLY)
            memcpy(frame.line, tree.solver.line, frame.line_length * sizeof(int))
            store(&tree.table, key, 100, to_node(v, ply), LOWER, tree.solver.line[0], 0)
            return v
    frame.valued = True
    if depth <= 0 or ply >= MAX_PLY:
        return frame.guess

    # What is likely.
    improving = improves(tree, ply)
    if (not wide and not frame.threatened and abs(beta) < DOUBTFUL
            and is_pruned(tree, frame, alpha, beta, depth, improving)):
        return frame.guess
    if not frame.prepared:
        prepare(tree, frame, side)
    if excluded < 0:
        threat(tree, frame, side, budget)
    if (depth >= tree.margins.singular_depth and excluded < 0 and frame.table_point >= 0
            and frame.table_bound & LOWER and frame.table_depth >= depth - 3
            and abs(frame.table_value) < DOUBTFUL and ply < 2 * tree.root_depth + 6):
        bound = frame.table_value - tree.margins.singular_margin * depth // 4
        v = without(tree, frame, bound, depth, ply)
        if is_stopped(tree):
            return 0
        if v < bound:
            extension = 1
        elif bound >= beta:
            return bound        # two moves refute it

    order(tree, frame, side, tree.frames[ply - 1].move)
    v = try_moves(tree, alpha, beta, depth, ply, excluded, extension, improving)
    if is_stopped(tree) or excluded >= 0:
        return v
    bound = LOWER if v >= beta else EXACT_VALUE if v > alpha else UPPER
    store(&tree.table, key, min(depth, 99), to_node(v, ply), bound, frame.best, frame.guess)
    return v


cdef int reduction_of(Tree *tree, Frame *frame, int point, int depth, int tried, bint quiet,
                      bint wide, bint improving) noexcept nogil:
    """By how many plies a move after the second is searched less deep at first."""
    cdef int plies = (late(&tree.reductions, depth, tried)
                      - wide - (not quiet) + (not improving))
    if test(frame.own.of[PLAIN_FOUR], point):
        plies += tree.margins.idle_four
    return max(0, min(plies, depth - 1))


cdef bint leave(Tree *tree, int side, int point, int depth, int reduction,
                Postponed *later) noexcept nogil:
    """Put a move off if another thread is searching what it leads to; whether it is put off."""
    cdef Board *board = &tree.board
    cdef bint busy
    if tree.team == NULL or depth < SHARED_DEPTH:
        return False
    put(board, side, point)
    busy = is_under_way(tree.team, key_of(tree, 1 - side))
    lift(board, side, point)
    return busy and postpone(later, point, reduction)


cdef int try_move(Tree *tree, int point, int alpha, int beta, int depth, int reduction,
                  int ply) noexcept nogil:
    """Search a move, at first so many plies less deep; NO_REDUCTION: once, in the whole window."""
    cdef Board *board = &tree.board
    cdef int side = tree.root_side ^ (ply & 1), v
    cdef bint shared = tree.team != NULL and depth >= SHARED_DEPTH
    cdef uint64_t key
    put(board, side, point)
    key = key_of(tree, 1 - side)
    if shared:
        set_under_way(tree.team, key)
    tree.frames[ply].move = point
    if reduction == NO_REDUCTION:
        v = -node(tree, -beta, -alpha, depth - 1, ply + 1)
    else:
        v = -node(tree, -alpha - 1, -alpha, depth - 1 - reduction, ply + 1)
        if v > alpha and reduction:
            v = -node(tree, -alpha - 1, -alpha, depth - 1, ply + 1)
        if alpha < v < beta:
            v = -node(tree, -beta, -alpha, depth - 1, ply + 1)
    if shared:
        clear_under_way(tree.team, key)
    lift(board, side, point)
    return v


cdef inline void keep(Tree *tree, Frame *frame, int ply, int point, bint leads) noexcept nogil:
    """Take a move for the best so far; leads: and its line for the best line."""
    frame.best = point
    if leads:
        lead(tree, frame, ply, point)


cdef int try_moves(Tree *tree, int alpha, int beta, int depth, int ply, int excluded, int extension,
                   bint improving) noexcept nogil:
    """Search the moves of a node in their order, then if need be all others; return its value."""
    cdef Frame *frame = &tree.frames[ply]
    cdef Moves *moves = &frame.moves
    cdef Margins *margins = &tree.margins
    cdef Postponed later
    cdef int side = tree.root_side ^ (ply & 1), i, v, key, point, score, reduction, tried = 0
    cdef int best = -INFINITE
    cdef bint wide = beta - alpha > 1, quiet, calm = not frame.threatened and frame.threat != WON
    frame.best = NO_POINT
    later.n = 0
    for i in range(moves.n):
        key = pick(moves, i)
        point = point_of(key)
        score = score_of(key)
        quiet = score < NOT_QUIET
        if (not wide and best > -DOUBTFUL and quiet
                and are_enough(margins, tried, depth, improving)):
            break
        if point == excluded:
            continue
        prefetch(&tree.table, key_of(tree, 1 - side) ^ zobrist[side][point])
        if (tried and not wide and best > -DOUBTFUL and point != frame.table_point
                and only_delays(tree, frame, side, point)):
            continue
        frame.tried[point >> 6] |= (<uint64_t> 1) << (point & 63)
        if not may_play(tree, frame, side, point):
            continue
        if leaves_threat(tree, frame, side, point):
            best = max(best, -(WIN - ply - 1 - frame.refutation_plies))
            continue
        if (calm and quiet and not wide and best > -DOUBTFUL
                and depth <= margins.move_futility_depth and frame.guess
                + margins.move_futility * depth + score // SCORE_WORTH <= alpha):
            continue
        tried += 1
        reduction = 0
        if depth >= 2 and tried > 2 and not frame.threatened:
            reduction = reduction_of(tree, frame, point, depth, tried, quiet, wide, improving)
        if tried == 1:
            v = try_move(tree, point, alpha, beta, depth
                         + (extension if point == frame.table_point else 0), NO_REDUCTION, ply)
        elif leave(tree, side, point, depth, reduction, &later):
            continue
        else:
            v = try_move(tree, point, alpha, beta, depth, reduction, ply)
        if is_stopped(tree):
            return 0
        if v > best:
            best = v
            keep(tree, frame, ply, point, v > alpha and wide)
            alpha = max(alpha, v)
            if v >= beta:
                break
    for i in range(later.n if best < beta else 0):
        v = try_move(tree, later.points[i], alpha, beta, depth, later.reductions[i], ply)
        if is_stopped(tree):
            return 0
        if v > best:
            best = v
            keep(tree, frame, ply, later.points[i], v > alpha and wide)
            alpha = max(alpha, v)
            if v >= beta:
                break
    if excluded >= 0:
        return best
    if best < beta and best <= -DOUBTFUL:
        return rest(tree, alpha, beta, depth, ply, best)
    if best >= beta and frame.best >= 0:
        if frame.killers[0] != frame.best:
            frame.killers[1] = frame.killers[0]
            frame.killers[0] = frame.best
        reward(&tree.history, side, tree.frames[ply - 1].move, moves, frame.tried, frame.best,
               depth)
    return best


cdef int rest(Tree *tree, int alpha, int beta, int depth, int ply, int best) noexcept nogil:
    """Every move tried loses: show that all others do too, or find one that does not.

    If the opponent, were we to pass, wins by continuous fours, then each other point either
    leaves that win standing, which is known or seen by replaying it, or is searched. Without such
    a win the loss stays doubtful. If no move is legal the game is drawn. At the root the frame's
    line changes if another move is better.
    """
    cdef Board *board = &tree.board
    cdef Frame *frame = &tree.frames[ply]
    cdef int side = tree.root_side ^ (ply & 1), i, n, v, point
    cdef uint64_t[MAP_WORDS] points
    cdef int[MAX_EMPTY] others
    empty_map(board, points)
    for i in range(board.words):
        points[i] &= ~frame.tried[i]
    n = points_of(board, points, others)
    if n == 0:
        return 0 if best == -INFINITE else best
    if (frame.threat != WON and not threat(tree, frame, side, HIGH_BUDGET)
            and best > -INFINITE):
        return max(best, -DOUBTFUL)
    for i in range(n):
        point = others[i]
        if not may_play(tree, frame, side, point):
            continue
        if ((frame.exact and not test(frame.defences, point))
                or leaves_threat(tree, frame, side, point)):
            v = -(WIN - ply - 1 - frame.refutation_plies)
            tree.frames[ply + 1].line_length = 0
        else:
            put(board, side, point)
            frame.move = point
            v = -node(tree, -beta, -alpha, depth - 1, ply + 1)
            lift(board, side, point)
        if is_stopped(tree):
            return 0
        if v > best:
            best = v
            if ply == 0:
                lead(tree, frame, 0, point)
            if v > alpha:
                alpha = v
                if v >= beta:
                    break
    return 0 if best == -INFINITE else best
