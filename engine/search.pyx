# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Search: the root. What needs no search, iterative deepening, the best line so far.

Several threads search the same root to the same depth, each with a board of its own, and share the
tables and the history: what one has found the others need not search again. Who is first to finish
a depth takes all of them to the next; a proven win ends the search. The leader, whose thread
called, has the result.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .evaluate cimport PLAIN_FOUR, load_network
from .forbidden cimport forbidden_map
from .frames cimport Frame, all_nodes, forget_node, give_up, is_stopped, solve
from .history cimport begin, end, forget, moves_of
from .margins cimport fill_reductions, late
from .monotonic cimport now_ns
from .moves cimport generate, pick, point_of, promote
from .planes cimport (
    Board, any_point, column, count, empty_map, first, five_map, lift, point_at, put, row, test,
)
from .position cimport Position
from .shared cimport (
    claim, read_flag, read_in_order, read_time, write_flag, write_in_order, write_time,
)
from .table cimport Table, allocate, release, share, warm
from .tactics cimport candidates, prepare, threat
from .team cimport announce, assemble, is_overtaken, learn
from .threats cimport MAX_ANSWERS, SPENT, WON, answers_to, win_plies
from .tree cimport lead, node, rest
from .typedefs cimport (
    BLACK, DOUBTFUL, FOUR, INFINITE, MAX_EMPTY, NO_POINT, PROVEN, WIN, uint64_t,
)
from .values cimport VALUES, forget_values

from _thread import allocate_lock, stack_size, start_new_thread

from .margins import defaults

cdef int64_t NEVER = <int64_t> 1 << 62

cdef enum:
    SOLVER_ENTRIES = 1 << 18        # 2 MB
    ROOT_BUDGET = 60_000            # nodes of a solver call between two looks at the clock
    ROOT_CALLS = 10
    LONG_SEARCH = 1 << 20           # nodes from which on all memory is taken at once
    WARMING_SHARE = 8               # part of a search's time that this may take
    HELPED_DEPTH = 4                # from which on helpers search too; up to there it takes a ms
    HELPER_STACK = 8 << 20          # bytes; some systems give a thread less than a deep line takes


cdef void vary(Tree *tree, int amount, uint64_t salt) noexcept nogil:
    """Add a number of +-amount to each static value from now on, by position and salt."""
    if tree.variety != amount or tree.variety_salt != salt:
        forget_values(tree.values)
    tree.variety = amount
    tree.variety_salt = salt


cdef class Searcher:
    """One board's search with its tables.

    memory: bytes for the transposition table; 0: a helper's, which uses its leader's tables.
    """

    def __cinit__(self, memory=64 << 20):
        cdef Tree *tree = &self.tree
        tree.frames = <Frame *> calloc(MAX_PLY + 2, sizeof(Frame))
        tree.solver.mask = SOLVER_ENTRIES - 1
        tree.solver.stop = &tree.stopped
        tree.values = <uint64_t *> calloc(VALUES, sizeof(uint64_t))
        if tree.frames == NULL or tree.values == NULL:
            raise MemoryError
        if memory:
            tree.solver.table = <uint64_t *> calloc(SOLVER_ENTRIES, sizeof(uint64_t))
            if (tree.solver.table == NULL or not begin(&tree.history)
                    or not allocate(&tree.table, memory)):
                raise MemoryError
        self.helpers = []
        self.running = allocate_lock()
        self.set_margins({})

    def __dealloc__(self):
        release(&self.tree.table)
        end(&self.tree.history)
        free(self.tree.solver.table)
        free(self.tree.values)
        free(self.tree.frames)

    def set_weights(self, colour, weights):
        """Use these weights when this colour is to move; ValueError if they do not fit."""
        load_network(&self.tree.networks[colour], weights)
        forget_values(self.tree.values)

    def set_margins(self, margins):
        """Use these margins, by name, and the defaults for the rest; KeyError for another name."""
        known = defaults()
        for name, value in margins.items():
            if name not in known:
                raise KeyError(name)
            known[name] = value
        self.tree.margins = known
        fill_reductions(&self.tree.margins, &self.tree.reductions)

    def set_variety(self, int amount, uint64_t seed):
        """Add a number of +-amount to each static value, by position and seed; 0: none."""
        vary(&self.tree, amount, seed * <uint64_t> 0x9E3779B97F4A7C15u)

    def set_helpers(self, int number):
        """Search with so many more threads from now on. Raises MemoryError."""
        self.await_helpers()
        while len(self.helpers) > number:
            self.helpers.pop()
        while len(self.helpers) < number:
            self.helpers.append(Searcher(0))

    def await_helpers(self):
        """Return when no helper works any more: they were told to stop when the search ended."""
        cdef Searcher helper
        for helper in self.helpers:
            with helper.running:
                pass

    def clear(self):
        """Forget everything earlier searches found."""
        cdef Tree *tree = &self.tree
        cdef Searcher helper
        self.await_helpers()
        for helper in self.helpers:
            helper.clear()
        if self.used:
            self.wipe()
            # Taken anew: cheaper than to touch every page.
            if tree.solver.table != NULL and not allocate(&tree.table, tree.table.size):
                raise MemoryError
            self.used = False

    cdef void wipe(self):
        """Empty all tables but the large one."""
        cdef Tree *tree = &self.tree
        if tree.solver.table != NULL:
            memset(tree.solver.table, 0, SOLVER_ENTRIES * sizeof(uint64_t))
            forget(&tree.history)
        memset(tree.frames, 0, (MAX_PLY + 2) * sizeof(Frame))
        forget_values(tree.values)

    def get_ready(self):
        """Take the memory of all tables before it is needed, up to the deadline or stop."""
        if not self.used:
            self.wipe()
        with nogil:
            warm(&self.tree.table, read_time(&self.tree.hard_ns), &self.tree.stopped, True)

    def table_size(self):
        """Return the bytes of the transposition table."""
        return self.tree.table.size

    def read_table(self, uint64_t start, uint64_t size):
        """Return a part of the transposition table as bytes; IndexError outside of it."""
        cdef const Table *table = &self.tree.table
        self.await_helpers()
        if start > table.size or size > table.size - start:
            raise IndexError("outside of the table")
        return (<const char *> table.entries + start)[:size]

    def write_table(self, uint64_t start, const unsigned char[::1] data not None):
        """Put bytes from read_table back; IndexError outside of the table."""
        cdef const Table *table = &self.tree.table
        cdef uint64_t size = data.shape[0]
        self.await_helpers()
        if start > table.size or size > table.size - start:
            raise IndexError("outside of the table")
        if size:
            self.used = True
            memcpy(<char *> table.entries + start, &data[0], size)

    def stop(self):
        """Let the running search give up at once; from any thread."""
        cdef Searcher helper
        write_in_order(&self.asked, 1)
        write_in_order(&self.team.over, 1)
        write_in_order(&self.tree.stopped, 1)
        for helper in self.helpers:
            write_in_order(&helper.tree.stopped, 1)

    def resume(self):
        """Forget that searches were to give up."""
        write_flag(&self.asked, 0)
        write_flag(&self.tree.stopped, 0)

    def set_deadlines(self, soft_ns, hard_ns):
        """Set when no new iteration begins and when to give up: monotonic ns; None: never."""
        cdef Searcher helper
        write_time(&self.soft_ns, NEVER if soft_ns is None else soft_ns)
        write_time(&self.tree.hard_ns, NEVER if hard_ns is None else hard_ns)
        for helper in self.helpers:
            write_time(&helper.tree.hard_ns, read_time(&self.tree.hard_ns))

    def is_late(self):
        """Return whether it is time to give up; a search of a few nodes does not look."""
        return now_ns() >= read_time(&self.tree.hard_ns)

    def search(self, Position position not None, max_depth=None, max_nodes=None, on_progress=None,
               avoid=(), bint go_on=False, bint alone=False):
        """Search a position that has an empty point outside avoid; the deadlines have been set.

        Returns (point, value, depth, nodes, line) with points as (x, y). on_progress is called
        with the same after each iteration. A move is always returned, legal if there is one. avoid:
        points not to play, not even to make or to stop a five. go_on: this search is part of one
        that began with resume, and a stop since then holds for it too. alone: without helpers.
        """
        cdef Tree *tree = &self.tree
        cdef int point, ply
        cdef int64_t begun = now_ns()
        cdef bint several = len(self.helpers) > 0 and not alone
        if tree.table.entries == NULL:
            raise MemoryError
        if not go_on:
            self.resume()
        self.await_helpers()
        self.used = True
        tree.board = position.board
        tree.root_side = position.mover
        tree.salt = position._salt
        tree.nodes = tree.solver.nodes = tree.others = 0
        tree.team = NULL
        self.refused = 0
        self.alone = alone
        tree.node_limit = (<long long> 1 << 60) if max_nodes is None else max_nodes
        tree.table.age = (tree.table.age + 1) & 63
        if tree.node_limit >= LONG_SEARCH:
            with nogil:
                warm(&tree.table, begun + (read_time(&tree.hard_ns) - begun) // WARMING_SHARE,
                     &tree.stopped, several)
        memset(self.avoided, 0, sizeof(self.avoided))
        self.avoiding = False
        for x, y in avoid:
            point = point_at(&tree.board, x, y)
            self.avoided[point >> 6] |= (<uint64_t> 1) << (point & 63)
            self.avoiding = True
        for ply in range(MAX_PLY + 2):
            tree.frames[ply].excluded = NO_POINT
        self.best_depth = 0
        self.best_length = 0
        self.best_value = 0
        try:
            if not self.at_once():
                self.deepen(MAX_PLY // 2 if max_depth is None else min(max_depth, MAX_PLY // 2),
                            on_progress)
        finally:
            self.send_home()
        return self.found()

    def found(self):
        """Return what the last search found, as search does."""
        cdef const Board *board = &self.tree.board
        cdef int i
        line = tuple((column(board, self.best_line[i]), row(board, self.best_line[i]))
                     for i in range(self.best_length))
        return (line[0], self.best_value, self.best_depth, all_nodes(&self.tree), line)

    # --- Helpers --------------------------------------------------------------------------------

    cdef void call_helpers(self):
        """Let the helpers search the root too, which has been prepared, until send_home."""
        cdef Tree *tree = &self.tree
        cdef Searcher helper
        cdef int number
        if self.alone or not self.helpers or is_stopped(tree):
            return
        assemble(&self.team)
        tree.counted = 0
        tree.team = &self.team
        usual = stack_size(HELPER_STACK)
        try:
            for number, helper in enumerate(self.helpers, 1):
                helper.enlist(self, number)
                helper.running.acquire()
                try:
                    start_new_thread(helper.assist, ())
                except RuntimeError:
                    helper.leave()
                    self.refused = len(self.helpers) - number + 1
                    break
        finally:
            stack_size(usual)

    cdef void enlist(self, Searcher leader, int number):
        """Become the leader's helper: take all that a search of its root needs.

        The deadline too: where threads are more than processors, the leader may have to wait for
        one that a helper would hold.
        """
        cdef Tree *tree = &self.tree
        cdef Tree *other = &leader.tree
        cdef int ply
        self.leader = leader        # lives as long as its table is in use
        self.used = True
        self.number = number
        share(&tree.table, &other.table)
        tree.solver.table = other.solver.table
        tree.history = other.history
        tree.board = other.board
        tree.networks = other.networks
        tree.margins = other.margins
        tree.reductions = other.reductions
        tree.salt = other.salt
        tree.root_side = other.root_side
        vary(tree, other.variety, other.variety_salt)
        tree.nodes = tree.solver.nodes = tree.counted = tree.others = 0
        tree.node_limit = other.node_limit
        tree.team = other.team
        tree.frames[0] = other.frames[0]
        for ply in range(MAX_PLY + 2):
            tree.frames[ply].excluded = NO_POINT
        memcpy(self.avoided, leader.avoided, sizeof(self.avoided))
        self.root_moves = leader.root_moves
        self.best_value = leader.best_value
        write_time(&tree.hard_ns, read_time(&other.hard_ns))
        write_flag(&tree.stopped, 0)

    def assist(self):
        """Search until told to stop: a helper's thread."""
        with nogil:
            self.accompany()
        self.leave()

    cdef void leave(self):
        """Give the leader's tables and history back."""
        self.tree.solver.table = NULL
        self.tree.history.plain = self.tree.history.replies = NULL
        self.leader = None
        self.running.release()

    cdef void accompany(self) noexcept nogil:
        """Deepen as the leader does, from the depth at which it called."""
        cdef int depth
        for depth in range(HELPED_DEPTH, MAX_PLY // 2 + 1):
            self.iterate(depth, self.best_value)
            if not self.finishes(depth) or abs(self.best_value) > PROVEN:
                break
        if self.best_value > PROVEN:
            claim(&self.tree.team.winner, self.number)

    cdef bint finishes(self, int depth) noexcept nogil:
        """Whether an iteration is complete: here, or in a faster thread, whose result is taken.

        A proven win stays one's own, complete or not.
        """
        cdef Tree *tree = &self.tree
        if not is_stopped(tree):
            if tree.team != NULL and self.best_value <= PROVEN:
                announce(tree.team, depth, self.best_value, self.best_line, self.best_length)
            return True
        if (tree.team == NULL or self.best_value > PROVEN or read_flag(&tree.team.winner)
                or not is_overtaken(tree.team, depth)):
            return False
        write_in_order(&tree.stopped, 0)
        if read_in_order(&tree.team.over):
            write_flag(&tree.stopped, 1)
            return False
        self.best_depth = depth
        self.best_length = learn(tree.team, depth, &self.best_value, self.best_line)
        promote(&self.root_moves, self.best_line[0])
        return True

    cdef void send_home(self) noexcept:
        """Tell the helpers to stop; they do so soon, and nobody waits for it."""
        cdef Searcher helper
        if self.tree.team != NULL:
            write_in_order(&self.team.over, 1)
            for helper in self.helpers:
                write_in_order(&helper.tree.stopped, 1)

    cdef void adopt(self) noexcept:
        """Take a win that a helper has proven as the result; other limits stay as they were."""
        cdef Tree *tree = &self.tree
        cdef Searcher helper
        cdef int winner
        if tree.team == NULL or self.best_value > PROVEN:
            return
        winner = read_in_order(&self.team.winner)
        if not winner:
            return
        helper = self.helpers[winner - 1]       # it has stopped writing what is read here
        memcpy(self.best_line, helper.best_line, helper.best_length * sizeof(int))
        self.best_length = helper.best_length
        self.best_value = helper.best_value
        self.best_depth = helper.best_depth
        write_in_order(&tree.stopped, 0)
        if read_in_order(&self.asked) or now_ns() >= read_time(&tree.hard_ns):
            write_flag(&tree.stopped, 1)

    # --- The root -------------------------------------------------------------------------------

    cdef bint at_once(self):
        """Settle what needs no search, and otherwise list the root's moves, best guess first.

        A five is made and a five is blocked even if the search was stopped before it began.
        """
        cdef Tree *tree = &self.tree
        cdef Board *board = &tree.board
        cdef Frame *frame = &tree.frames[0]
        cdef uint64_t[MAP_WORDS] points
        cdef uint64_t[MAP_WORDS] forbidden
        cdef int[MAX_ANSWERS] stops
        cdef int side = tree.root_side, i, n
        self.best_length = 1
        five_map(board, side, points)
        for i in range(board.words):
            points[i] &= ~self.avoided[i]
        if any_point(board, points):
            self.best_line[0] = first(board, points)
            self.best_value = WIN - 1
            self.best_depth = 1
            return True
        forget_node(frame)
        prepare(tree, frame, side)
        memset(forbidden, 0, sizeof(forbidden))
        if board.forbidden and side == BLACK:
            forbidden_map(board, forbidden)
        for i in range(board.words):
            forbidden[i] |= self.avoided[i]
        five_map(board, 1 - side, points)
        n = count(board, points)
        if n:
            n = answers_to(board, 1 - side, first(board, points), n, stops)
            for i in range(n):
                points[stops[i] >> 6] |= (<uint64_t> 1) << (stops[i] & 63)
        for i in range(board.words):
            points[i] &= ~forbidden[i]
        if not any_point(board, points):
            candidates(tree, frame, side, False, points)
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
        generate(board, points, &frame.own, &frame.opp, moves_of(&tree.history, side), NULL,
                 &self.root_moves)
        for i in range(self.root_moves.n):
            pick(&self.root_moves, i)
        self.best_line[0] = point_of(self.root_moves.keys[0])
        return self.root_moves.n == 1 and board.empties == 1

    cdef void deepen(self, int max_depth, object on_progress):
        """Search deeper and deeper until a limit, a proven win or a proven loss."""
        cdef Tree *tree = &self.tree
        cdef int depth, _call, result = SPENT
        cdef bint finished
        for _call in range(0 if self.avoiding else ROOT_CALLS):
            with nogil:
                result = solve(tree, tree.root_side, ROOT_BUDGET, 1)
            if result != SPENT or give_up(tree):
                break
        if result == WON:
            self.record_solution(1)
            return
        tree.frames[0].own_fours = result
        with nogil:
            threat(tree, &tree.frames[0], tree.root_side, ROOT_BUDGET)
        for depth in range(1, max_depth + 1):
            if depth > 1 and now_ns() >= read_time(&self.soft_ns):
                break
            if depth == HELPED_DEPTH:
                self.call_helpers()
            with nogil:
                self.iterate(depth, self.best_value)
                finished = self.finishes(depth)
            if not finished:
                break
            if on_progress is not None:
                on_progress(*self.found())
            if abs(self.best_value) > PROVEN:
                break
        self.send_home()
        self.adopt()
        tree.root_depth = MAX_PLY       # nothing overtakes what follows
        if self.best_value < -PROVEN:
            with nogil:
                self.resist()

    cdef int iterate(self, int depth, int value) noexcept nogil:
        """Search the root to a depth, in a window around the value of the depth before."""
        cdef Tree *tree = &self.tree
        cdef int window = tree.margins.window, alpha = -INFINITE, beta = INFINITE
        tree.root_depth = depth
        if depth >= 4 and abs(value) < DOUBTFUL:
            alpha, beta = value - window, value + window
        while True:
            value = self.root(alpha, beta, depth)
            if is_stopped(tree):
                return value
            window *= 3
            if value <= alpha and alpha > -INFINITE:
                alpha = value - window if window < 1000 else -INFINITE
            elif value >= beta and beta < INFINITE:
                beta = value + window if window < 1000 else INFINITE
            else:
                return value

    cdef void resist(self) noexcept nogil:
        """Lost: prefer a move after which there is at least no win by continuous fours.

        Such a win is seen by every opponent; one that needs a quiet move may be missed. The moves
        stand in the order of the last iteration, the longest resistance first.
        """
        cdef Tree *tree = &self.tree
        cdef Board *board = &tree.board
        cdef int i, point, found, fours
        for fours in range(2):          # own fours only put it off: last
            for i in range(self.root_moves.n):
                point = point_of(self.root_moves.keys[i])
                if test(tree.frames[0].own_maps.of[FOUR], point) != fours:
                    continue
                if now_ns() >= read_time(&tree.hard_ns):
                    return          # no node is searched here, so nothing else looks
                put(board, tree.root_side, point)
                found = solve(tree, 1 - tree.root_side, ROOT_BUDGET, 0)
                lift(board, tree.root_side, point)
                if found == SPENT and give_up(tree):
                    return
                if found != WON:
                    if point != self.best_line[0]:
                        self.best_line[0] = point
                        self.best_length = 1
                    return

    cdef void record_solution(self, int depth) noexcept nogil:
        """Take the solver's last line as the result of the search."""
        cdef Tree *tree = &self.tree
        memcpy(self.best_line, tree.solver.line, tree.solver.length * sizeof(int))
        self.best_length = tree.solver.length
        self.best_value = WIN - win_plies(&tree.solver, &tree.board, tree.root_side)
        self.best_depth = depth

    cdef int root(self, int alpha, int beta, int depth) noexcept nogil:
        """Search every root move; keep the best so far, also of an iteration that is cut short."""
        cdef Tree *tree = &self.tree
        cdef Board *board = &tree.board
        cdef Moves *moves = &self.root_moves
        cdef Frame *frame = &tree.frames[0]
        cdef int side = tree.root_side, i, point, reduction, v, best = -INFINITE
        cdef int enough = MAX_EMPTY
        memcpy(frame.tried, self.avoided, sizeof(frame.tried))
        if depth <= tree.margins.moves_depth:
            enough = tree.margins.root_tried + tree.margins.root_tried_linear * depth
        for i in range(moves.n):
            if i >= enough and best > -DOUBTFUL:
                break
            point = point_of(moves.keys[i])
            frame.tried[point >> 6] |= (<uint64_t> 1) << (point & 63)
            put(board, side, point)
            frame.move = point
            if i == 0:
                v = -node(tree, -beta, -alpha, depth - 1, 1)
            else:
                reduction = 0
                if depth >= 3 and i >= tree.margins.root_moves:
                    reduction = late(&tree.reductions, depth, i) - 1
                    if test(frame.own.of[PLAIN_FOUR], point):
                        reduction += tree.margins.idle_four
                    reduction = max(0, min(depth - 2, reduction))
                v = -node(tree, -alpha - 1, -alpha, depth - 1 - reduction, 1)
                if v > alpha and reduction and not is_stopped(tree):
                    v = -node(tree, -alpha - 1, -alpha, depth - 1, 1)
                if v > alpha and not is_stopped(tree):
                    v = -node(tree, -beta, -alpha, depth - 1, 1)
            lift(board, side, point)
            if is_stopped(tree):
                return best
            if v > best:
                best = v
                if v > alpha or i == 0:
                    lead(tree, frame, 0, point)
                    memcpy(self.best_line, frame.line, frame.line_length * sizeof(int))
                    self.best_length = frame.line_length
                    self.best_value = v
                    self.best_depth = depth
                    promote(moves, point)
                alpha = max(alpha, v)
                if alpha >= beta:
                    return best
        if best <= -DOUBTFUL:
            frame.line_length = 0
            best = rest(tree, -INFINITE, INFINITE, depth, 0, best)
            if frame.line_length:
                self.best_line[0] = frame.line[0]
                self.best_length = 1
            if not is_stopped(tree):
                self.best_value = best
        return best
