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

from .evaluate cimport PLAIN_FOUR
from .forbidden cimport LEGAL, forbidden_kind
from .frames cimport forget_node, give_up, is_stopped, key_after, key_of
from .history cimport moves_of, replies_to, reward
from .lines cimport fives_of
from .margins cimport Margins, late
from .moves cimport Moves, generate, pick, point_of, prefer, score_of
from .planes cimport Board, empty_map, has, lift, points_of, put, test
from .table cimport (
    EXACT_VALUE, LOWER, UPPER, Known, from_node, prefetch, probe, store, to_node,
)
from .tactics cimport (
    candidates, leaves_threat, look, lost, may_play, only_delays, prepare, threat,
)
from .team cimport (
    SHARED_DEPTH, Postponed, clear_under_way, is_under_way, postpone, set_under_way,
)
from .threats cimport MAX_ANSWERS, WON, answers_to, win_plies
from .typedefs cimport (
    BLACK, DOUBTFUL, INFINITE, MAP_WORDS, MAX_EMPTY, MAX_PLY, MAX_POINTS, NO_POINT, PROVEN, WIN,
    uint64_t,
)

cdef enum:
    LEAF_BUDGET = 150       # nodes of a solver call, by what is left of the depth
    LOW_BUDGET = 500
    HIGH_BUDGET = 2000
    FIRST = 1 << 20         # added to the score of the table's move
    NOT_QUIET = 1000        # score in the order of moves from which on a move is not quiet
    NO_REDUCTION = -1       # of the first move of a node
    SCORE_WORTH = 4         # so much score may be worth 1 of value


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
    return (tree.team != NULL and depth >= SHARED_DEPTH
            and is_under_way(tree.team, key_after(tree, side, point))
            and postpone(later, point, reduction))


cdef int try_move(Tree *tree, int point, int alpha, int beta, int depth, int reduction,
                  int ply) noexcept nogil:
    """Search a move, at first so many plies less deep; NO_REDUCTION: once, in the whole window."""
    cdef Board *board = &tree.board
    cdef int side = tree.root_side ^ (ply & 1), v
    cdef bint shared = tree.team != NULL and depth >= SHARED_DEPTH
    cdef uint64_t key = key_after(tree, side, point)
    put(board, side, point)
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
        prefetch(&tree.table, key_after(tree, side, point))
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
