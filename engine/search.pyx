# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Search: iterative deepening, alpha-beta with principal variation windows, exact tactics.

Every node begins with what is certain: a five now, the one block of the opponent's five (which
costs no depth), a win by continuous fours. A loss counts as proven only if every legal reply was
tried or shown to lose; where only some were tried it is doubtful, and so is the win it would give
the other side. One thread, integers only, ties to the lower point: the same position and the same
number of nodes give the same move everywhere.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .evaluate cimport INPUTS, classify, count_classes, load_network, network_value
from .forbidden cimport LEGAL, black_has_legal_point, forbidden_kind, forbidden_map
from .moves cimport generate, pick
from .planes cimport (
    any_point, class_maps, column, empty_map, first, five_map, has, lift, near_map,
    overline_map, point_at, points_of, put, row, test,
)
from .position cimport Position
from .table cimport (
    EXACT_VALUE, LOWER, UPPER, Entry, allocate, from_node, probe, release, store, to_node,
)
from .threats cimport MAX_ANSWERS, SPENT, WON, answers_to, still_wins, vcf, win_plies
from .typedefs cimport (
    BLACK, DOUBTFUL, FOUR, FOURS, INFINITE, MAX_EMPTY, MAX_VALUE, OPEN_FOUR, PROVEN, THREES,
    WHITE, WIN, int16_t,
)

from math import log

cdef extern from *:
    """
    #include <time.h>
    static int64_t shisan_now_ns(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    """
    int64_t now_ns "shisan_now_ns"() noexcept nogil

cdef uint64_t WHITE_TO_MOVE = <uint64_t> 0x9E3779B97F4A7C15u
cdef int64_t NEVER = <int64_t> 1 << 62

cdef enum:
    SOLVER_ENTRIES = 1 << 18        # 2 MB
    ROOT_BUDGET = 60_000            # nodes of a solver call between two looks at the clock
    ROOT_CALLS = 10


cdef class Searcher:
    """One board's search with its tables. memory: bytes for the transposition table."""

    def __cinit__(self, memory=64 << 20):
        cdef int depth, n
        self.frames = <Frame *> calloc(MAX_PLY + 2, sizeof(Frame))
        self.solver.table = <uint64_t *> calloc(SOLVER_ENTRIES, sizeof(uint64_t))
        self.solver.mask = SOLVER_ENTRIES - 1
        self.memory = memory
        self.solver.stop = &self.stopped
        if self.frames == NULL or self.solver.table == NULL or not allocate(&self.table, memory):
            raise MemoryError
        for depth in range(1, 64):
            for n in range(1, 64):
                self.reductions[depth][n] = int(0.4 + log(depth) * log(n) / 1.9)

    def __dealloc__(self):
        release(&self.table)
        free(self.solver.table)
        free(self.frames)

    def set_weights(self, colour, weights):
        """Use these weights when this colour is to move; ValueError if they do not fit."""
        load_network(&self.networks[colour], weights)

    def set_variety(self, int amount, uint64_t seed):
        """Add a number of +-amount to each static value, by position and seed; 0: none."""
        self.variety = amount
        self.variety_salt = seed * <uint64_t> 0x9E3779B97F4A7C15u

    def clear(self):
        """Forget everything earlier searches found."""
        if not allocate(&self.table, self.memory):      # cheaper than to touch every page
            raise MemoryError
        memset(self.solver.table, 0, SOLVER_ENTRIES * sizeof(uint64_t))
        memset(self.history, 0, sizeof(self.history))
        memset(self.frames, 0, (MAX_PLY + 2) * sizeof(Frame))

    def stop(self):
        """Let the running search give up at once; from any thread."""
        self.stopped = 1

    def set_deadlines(self, soft_ns, hard_ns):
        """Set when no new iteration begins and when to give up: monotonic ns; None: never."""
        self.soft_ns = NEVER if soft_ns is None else soft_ns
        self.hard_ns = NEVER if hard_ns is None else hard_ns

    def search(self, Position position not None, max_depth=None, max_nodes=None, on_progress=None,
               avoid=()):
        """Search a position that has an empty point outside avoid; the deadlines have been set.

        Returns (point, value, depth, nodes, line) with points as (x, y). on_progress is called
        with the same after each iteration. A move is always returned, legal if there is one. avoid:
        points not to play, not even to make or to stop a five.
        """
        cdef int point
        if self.table.entries == NULL:
            raise MemoryError
        self.stopped = 0
        self.board = position.board
        self.root_side = position.mover
        self.salt = position._salt
        self.nodes = self.solver.nodes = 0
        self.node_limit = (<long long> 1 << 60) if max_nodes is None else max_nodes
        self.table.age = (self.table.age + 1) & 63
        memset(self.avoided, 0, sizeof(self.avoided))
        self.avoiding = False
        for x, y in avoid:
            point = point_at(&self.board, x, y)
            self.avoided[point >> 6] |= (<uint64_t> 1) << (point & 63)
            self.avoiding = True
        self.best_depth = 0
        self.best_length = 0
        self.best_value = 0
        if not self.at_once():
            self.deepen(MAX_PLY // 2 if max_depth is None else min(max_depth, MAX_PLY // 2),
                        on_progress)
        return self.found()

    def found(self):
        """Return what the last search found, as search does."""
        cdef int i
        line = tuple((column(&self.board, self.best_line[i]), row(&self.board, self.best_line[i]))
                     for i in range(self.best_length))
        return (line[0], self.best_value, self.best_depth, self.nodes + self.solver.nodes, line)

    # --- The root -------------------------------------------------------------------------------

    cdef bint at_once(self):
        """Settle what needs no search, and otherwise list the root's moves, best guess first.

        A five is made and a five is blocked even if the search was stopped before it began.
        """
        cdef Board *board = &self.board
        cdef Frame *frame = &self.frames[0]
        cdef uint64_t[MAP_WORDS] points
        cdef uint64_t[MAP_WORDS] forbidden
        cdef int[MAX_ANSWERS] stops
        cdef int side = self.root_side, i, n
        self.best_length = 1
        five_map(board, side, points)
        for i in range(board.words):
            points[i] &= ~self.avoided[i]
        if any_point(board, points):
            self.best_line[0] = first(board, points)
            self.best_value = WIN - 1
            self.best_depth = 1
            return True
        self.prepare(frame, side)
        memset(forbidden, 0, sizeof(forbidden))
        if board.forbidden and side == BLACK:
            forbidden_map(board, forbidden)
        for i in range(board.words):
            forbidden[i] |= self.avoided[i]
        five_map(board, 1 - side, points)
        if any_point(board, points):
            n = answers_to(board, 1 - side, points, stops)
            for i in range(n):
                points[stops[i] >> 6] |= (<uint64_t> 1) << (stops[i] & 63)
        for i in range(board.words):
            points[i] &= ~forbidden[i]
        if not any_point(board, points):
            self.candidates(frame, side, False, points)
            for i in range(board.words):
                points[i] &= ~forbidden[i]
        if not any_point(board, points):
            empty_map(board, points)
            for i in range(board.words):
                points[i] &= ~forbidden[i]
        if not any_point(board, points):
            empty_map(board, points)        # all forbidden: one of them has to be played
            for i in range(board.words):
                points[i] &= ~self.avoided[i]
        generate(board, points, &frame.own, &frame.opp, self.history[side], &self.root_moves)
        for i in range(self.root_moves.n):
            pick(&self.root_moves, i)
        self.best_line[0] = self.root_moves.points[0]
        return self.root_moves.n == 1 and board.empties == 1

    cdef void deepen(self, int max_depth, object on_progress):
        """Search deeper and deeper until a limit, a proven win or a proven loss."""
        cdef int depth, value = 0, window, _call, result = SPENT, alpha, beta
        for _call in range(0 if self.avoiding else ROOT_CALLS):
            with nogil:
                result = self.solve(self.root_side, ROOT_BUDGET, 1)
            if result != SPENT or self.give_up():
                break
        if result == WON:
            self.record_solution(1)
            return
        for depth in range(1, max_depth + 1):
            if depth > 1 and now_ns() >= self.soft_ns:
                break
            alpha, beta, window = -INFINITE, INFINITE, 40
            if depth >= 4 and abs(value) < DOUBTFUL:
                alpha, beta = value - window, value + window
            while True:
                with nogil:
                    value = self.root(alpha, beta, depth)
                if self.stopped:
                    break
                window *= 3
                if value <= alpha and alpha > -INFINITE:
                    alpha = value - window if window < 1000 else -INFINITE
                elif value >= beta and beta < INFINITE:
                    beta = value + window if window < 1000 else INFINITE
                else:
                    break
            if self.stopped:
                break
            if on_progress is not None:
                on_progress(*self.found())
            if abs(value) > PROVEN:
                break
        if self.best_value < -PROVEN:
            with nogil:
                self.resist()

    cdef void resist(self) noexcept nogil:
        """Lost: prefer a move after which there is at least no win by continuous fours.

        Such a win is seen by every opponent; one that needs a quiet move may be missed. The moves
        stand in the order of the last iteration, the longest resistance first.
        """
        cdef Board *board = &self.board
        cdef int i, point, found, fours
        for fours in range(2):          # own fours only put it off: last
            for i in range(self.root_moves.n):
                point = self.root_moves.points[i]
                if test(self.frames[0].own_maps.of[FOUR], point) != fours:
                    continue
                if now_ns() >= self.hard_ns:    # no node is searched here, so nothing else looks
                    return
                put(board, self.root_side, point)
                found = self.solve(1 - self.root_side, ROOT_BUDGET, 0)
                lift(board, self.root_side, point)
                if found == SPENT and self.give_up():
                    return
                if found != WON:
                    if point != self.best_line[0]:
                        self.best_line[0] = point
                        self.best_length = 1
                    return

    cdef void record_solution(self, int depth) noexcept nogil:
        """Take the solver's last line as the result of the search."""
        memcpy(self.best_line, self.solver.line, self.solver.length * sizeof(int))
        self.best_length = self.solver.length
        self.best_value = WIN - win_plies(&self.solver, &self.board, self.root_side)
        self.best_depth = depth

    cdef int root(self, int alpha, int beta, int depth) noexcept nogil:
        """Search every root move; keep the best so far, also of an iteration that is cut short."""
        cdef Board *board = &self.board
        cdef Moves *moves = &self.root_moves
        cdef Frame *frame = &self.frames[0]
        cdef int side = self.root_side, i, k, point, v, best = -INFINITE
        memcpy(frame.tried, self.avoided, sizeof(frame.tried))
        for i in range(moves.n):
            point = moves.points[i]
            frame.tried[point >> 6] |= (<uint64_t> 1) << (point & 63)
            put(board, side, point)
            if i == 0:
                v = -self.node(-beta, -alpha, depth - 1, 1)
            else:
                v = -self.node(-alpha - 1, -alpha, depth - 1, 1)
                if v > alpha and not self.stopped:
                    v = -self.node(-beta, -alpha, depth - 1, 1)
            lift(board, side, point)
            if self.stopped:
                return best
            if v > best:
                best = v
                if v > alpha or i == 0:
                    self.lead(frame, 0, point)
                    memcpy(self.best_line, frame.line, frame.line_length * sizeof(int))
                    self.best_length = frame.line_length
                    self.best_value = v
                    self.best_depth = depth
                    for k in range(i, 0, -1):
                        moves.points[k] = moves.points[k - 1]
                    moves.points[0] = point
                alpha = max(alpha, v)
                if alpha >= beta:
                    return best
        if best <= -DOUBTFUL:
            best = self.rest(-INFINITE, INFINITE, depth, 0, best)
            if not self.stopped:
                self.best_value = best
        return best

    # --- A node ---------------------------------------------------------------------------------

    cdef bint give_up(self) noexcept nogil:
        """Whether a limit is reached; looks at the clock now and then."""
        if self.stopped:
            return True
        if (self.nodes + self.solver.nodes >= self.node_limit
                or (self.nodes & 31 == 0 and now_ns() >= self.hard_ns)):
            self.stopped = 1
            return True
        return False

    cdef int solve(self, int attacker, long long budget, int step) noexcept nogil:
        """Ask the solver, within the search's own limit of nodes."""
        return vcf(&self.solver, &self.board, attacker,
                   min(budget, self.node_limit - self.nodes - self.solver.nodes), step)

    cdef void prepare(self, Frame *frame, int side) noexcept nogil:
        """Work out the class maps of both sides."""
        cdef int i
        class_maps(&self.board, side, &frame.own_maps)
        class_maps(&self.board, 1 - side, &frame.opp_maps)
        classify(&self.board, &frame.own_maps, &frame.own)
        classify(&self.board, &frame.opp_maps, &frame.opp)
        if self.board.forbidden and side == BLACK:
            overline_map(&self.board, BLACK, frame.suspects)
            for i in range(self.board.words):
                frame.suspects[i] |= frame.own_maps.of[FOUR][i] | frame.own_maps.of[THREES][i]

    cdef bint may_play(self, Frame *frame, int side, int point) noexcept nogil:
        """Whether an empty point is not forbidden; the frame has been prepared."""
        return not (self.board.forbidden and side == BLACK and test(frame.suspects, point)
                    and forbidden_kind(&self.board, point) != LEGAL)

    cdef int static_value(self, Frame *frame, int side) noexcept nogil:
        cdef int16_t[INPUTS] inputs
        cdef uint64_t mixed
        cdef int value
        count_classes(&self.board, &frame.own, &frame.opp, inputs)
        value = network_value(&self.networks[side], inputs)
        if self.variety:
            mixed = (self.board.key ^ self.variety_salt) * <uint64_t> 0xBF58476D1CE4E5B9u
            value += <int> ((mixed >> 32) % <uint64_t> (2 * self.variety + 1)) - self.variety
            value = min(max(value, -MAX_VALUE), MAX_VALUE)
        return value

    cdef int lost(self, int side, int ply) noexcept nogil:
        """The value where the opponent's next five cannot be stopped, whatever is played."""
        if (self.board.forbidden and side == BLACK and not black_has_legal_point(&self.board)):
            return 0        # drawn: Black cannot play at all
        return -(WIN - ply - 2)

    cdef void candidates(self, Frame *frame, int side, bint threatened,
                         uint64_t *points) noexcept nogil:
        """The points worth trying: near stones; against an open or double four fours only."""
        cdef Board *board = &self.board
        cdef int i
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

    cdef void lead(self, Frame *frame, int ply, int point) noexcept nogil:
        """Make the best line: this point, then the best line of the next node."""
        cdef Frame *after = &self.frames[ply + 1]
        frame.line[0] = point
        frame.line_length = 1 + min(after.line_length, MAX_PLY)
        memcpy(frame.line + 1, after.line, (frame.line_length - 1) * sizeof(int))

    cdef int forced(self, int alpha, int beta, int depth, int ply,
                    const uint64_t *five) noexcept nogil:
        """Search the moves that stop the opponent's five, nearly always one; it costs no depth.

        five: the opponent's five map, not empty. No other move helps, so the result is exact where
        the moves' are.
        """
        cdef Board *board = &self.board
        cdef int[MAX_ANSWERS] points
        cdef int side = self.root_side ^ (ply & 1), i, v, best = -INFINITE
        cdef int n = answers_to(board, 1 - side, five, points)
        for i in range(n):
            if (board.forbidden and side == BLACK
                    and forbidden_kind(board, points[i]) != LEGAL):
                continue
            put(board, side, points[i])
            v = -self.node(-beta, -alpha, depth, ply + 1)
            lift(board, side, points[i])
            if self.stopped:
                return 0
            if v > best:
                best = v
                self.lead(&self.frames[ply], ply, points[i])
                alpha = max(alpha, v)
                if alpha >= beta:
                    break
        return self.lost(side, ply) if best == -INFINITE else best

    cdef int node(self, int alpha, int beta, int depth, int ply) noexcept nogil:
        """Return a bound on the value of the position at this depth, fail-soft.

        depth: plies, forced replies not counted; alpha < beta: int16 values, side to move's view.
        Result r: r <= alpha: true value <= r; r >= beta: true value >= r; else exact; beyond
        PROVEN it is so whatever the depth. After a stop the result means nothing. The board is
        unchanged on return.
        """
        cdef Board *board = &self.board
        cdef Frame *frame = &self.frames[ply]
        cdef Moves *moves = &frame.moves
        cdef int side = self.root_side ^ (ply & 1)
        cdef bint wide = beta - alpha > 1, threatened, quiet
        cdef int old_alpha = alpha, best = -INFINITE, best_point = -1, table_point = -1
        cdef int i, v, point, reduction, guess, tried = 0, bound
        cdef uint64_t key
        cdef Entry *entry
        frame.line_length = 0
        self.nodes += 1
        if self.give_up() or board.empties == 0:
            return 0

        # What is certain.
        five_map(board, side, frame.tried)
        if any_point(board, frame.tried):
            frame.line[0] = first(board, frame.tried)
            frame.line_length = 1
            return WIN - ply - 1
        five_map(board, 1 - side, frame.tried)
        if any_point(board, frame.tried) and ply < MAX_PLY:
            return self.forced(alpha, beta, depth, ply, frame.tried)
        if WIN - ply - 3 <= alpha:
            return alpha        # a faster win is known

        # What is known.
        key = board.key ^ self.salt ^ (WHITE_TO_MOVE if side else 0)
        entry = probe(&self.table, key)
        if entry != NULL:
            table_point = entry.point
            v = from_node(entry.value, ply)
            bound = entry.age_bound & 3
            if (entry.depth >= depth or abs(v) > PROVEN) and not (wide and abs(v) <= PROVEN):
                if (bound == EXACT_VALUE or (bound == LOWER and v >= beta)
                        or (bound == UPPER and v <= alpha)):
                    if table_point >= 0:
                        frame.line[0] = table_point
                        frame.line_length = 1
                    return v

        # A win by continuous fours.
        i = self.solve(side, 16_000 if depth >= 5 else 3200 if depth >= 2 else 600, 0)
        if i == WON:
            v = WIN - ply - win_plies(&self.solver, board, side)
            frame.line_length = min(self.solver.length, MAX_PLY)
            memcpy(frame.line, self.solver.line, frame.line_length * sizeof(int))
            store(&self.table, key, 100, to_node(v, ply), LOWER, self.solver.line[0], 0)
            return v

        self.prepare(frame, side)
        guess = self.static_value(frame, side)
        if depth <= 0 or ply >= MAX_PLY:
            return guess
        threatened = (any_point(board, frame.opp_maps.of[OPEN_FOUR])
                      or (any_point(board, frame.opp_maps.of[FOURS])
                          and not (board.forbidden and side == WHITE)))
        if not wide and not threatened and abs(beta) < DOUBTFUL:
            if depth <= 5 and guess - 90 * depth >= beta:
                return guess
            if depth <= 2 and guess + 200 * depth <= alpha:
                return guess

        self.candidates(frame, side, threatened, frame.tried)
        generate(board, frame.tried, &frame.own, &frame.opp, self.history[side], moves)
        for i in range(moves.n):
            if moves.points[i] == table_point:
                moves.scores[i] += 1 << 20
            elif moves.points[i] == frame.killers[0]:
                moves.scores[i] += 150
            elif moves.points[i] == frame.killers[1]:
                moves.scores[i] += 100
        memset(frame.tried, 0, sizeof(frame.tried))

        for i in range(moves.n):
            point = pick(moves, i)
            quiet = moves.scores[i] < 1000
            if not wide and best > -DOUBTFUL and quiet and depth <= 6 and tried >= 4 + 3 * depth:
                break
            frame.tried[point >> 6] |= (<uint64_t> 1) << (point & 63)
            if not self.may_play(frame, side, point):
                continue
            tried += 1
            reduction = 0
            if depth >= 2 and tried > 2 and not threatened:
                reduction = self.reductions[min(depth, 63)][min(tried, 63)]
                if wide:
                    reduction -= 1
                if not quiet:
                    reduction -= 1
                reduction = max(0, min(reduction, depth - 1))
            put(board, side, point)
            if tried == 1:
                v = -self.node(-beta, -alpha, depth - 1, ply + 1)
            else:
                v = -self.node(-alpha - 1, -alpha, depth - 1 - reduction, ply + 1)
                if v > alpha and reduction:
                    v = -self.node(-alpha - 1, -alpha, depth - 1, ply + 1)
                if alpha < v < beta:
                    v = -self.node(-beta, -alpha, depth - 1, ply + 1)
            lift(board, side, point)
            if self.stopped:
                return 0
            if v > best:
                best = v
                best_point = point
                if v > alpha:
                    alpha = v
                    if wide:
                        self.lead(frame, ply, point)
                    if v >= beta:
                        break
        if best < beta and best <= -DOUBTFUL:
            best = self.rest(alpha, beta, depth, ply, best)
            if self.stopped:
                return 0
        elif best >= beta and best_point >= 0:
            if frame.killers[0] != best_point:
                frame.killers[1] = frame.killers[0]
                frame.killers[0] = best_point
            v = min(depth * depth, 400)
            self.history[side][best_point] += v * 16 - self.history[side][best_point] * v // 512
        bound = LOWER if best >= beta else EXACT_VALUE if best > old_alpha else UPPER
        store(&self.table, key, min(depth, 99), to_node(best, ply), bound, best_point, guess)
        return best

    cdef int rest(self, int alpha, int beta, int depth, int ply, int best) noexcept nogil:
        """Every move tried loses: show that all others do too, or find one that does not.

        If the opponent, were we to pass, wins by continuous fours, then each other point either
        leaves that win standing, which is seen by replaying it, or is searched. Without such a win
        the loss stays doubtful. If no move is legal the game is drawn.
        """
        cdef Board *board = &self.board
        cdef Frame *frame = &self.frames[ply]
        cdef int side = self.root_side ^ (ply & 1), i, n, v, length, plies, point
        cdef uint64_t[MAP_WORDS] points
        cdef int[MAX_EMPTY] others
        empty_map(board, points)
        for i in range(board.words):
            points[i] &= ~frame.tried[i]
        n = points_of(board, points, others)
        if n == 0:
            return 0 if best == -INFINITE else best
        i = self.solve(1 - side, 16_000, 0)
        if i != WON and best > -INFINITE:
            return max(best, -DOUBTFUL)
        length = self.solver.length if i == WON else 0
        plies = win_plies(&self.solver, board, 1 - side) if i == WON else 0
        memcpy(frame.refutation, self.solver.line, length * sizeof(int))
        for i in range(n):
            point = others[i]
            if not self.may_play(frame, side, point):
                continue
            put(board, side, point)
            if length and still_wins(board, 1 - side, frame.refutation, length):
                v = -(WIN - ply - 1 - plies)
            else:
                v = -self.node(-beta, -alpha, depth - 1, ply + 1)
            lift(board, side, point)
            if self.stopped:
                return 0
            if v > best:
                best = v
                if ply == 0:
                    self.lead(frame, 0, point)
                    self.best_line[0] = point
                    self.best_length = 1
                if v > alpha:
                    alpha = v
                    if v >= beta:
                        break
        return 0 if best == -INFINITE else best
