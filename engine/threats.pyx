# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""VCF: wins by continuous fours.

The attacker plays nothing but fours that have one answer, the point of the five they threaten, and
wins with a five, with a four that has no answer, or where the only answer is forbidden to Black.
Where a closed five does not count, a four may have several answers, since a stone beyond its end
can stop it too; such a four is left to the search. A position needs no undo record: put the two
stones, take them off again.
The map of his fours is worked out once, at the root: after that, a stone can only make fours on the
lines through it, and what was one and is no more shows when it is looked at.
Deepening by the attacker's moves finds short wins first; the table remembers to how many moves a
position is refuted, which is exact since no four of that kind is left out, wherever it lies. Where
no win is possible at all (see prospects), none is tried.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .forbidden cimport LEGAL, black_has_legal_point, closers, forbidden_kind
from .lines cimport add_fours_through, fives_of, fives_through
from .planes cimport (
    Board, any_point, drop, empty_map, first, five_map, four_maps, has, lift, points_of, put, test,
    zobrist,
)
from .position cimport Position
from .prospects cimport may_win
from .shared cimport read_flag, read_word, write_flag, write_word
from .table cimport ask_early
from .typedefs cimport BLACK, CLOSED, MAP_WORDS, MAX_EMPTY, NO_POINT, WHITE, uint64_t

cdef enum:
    NO_FOUR = 4         # beside the results: no four at all
    FOR_GOOD = 255      # refuted whatever the number of moves
    FIRST = 3           # moves allowed at first where a shortest win is not asked for


cdef int answers_to(Board *board, int attacker, int lowest, int fives, int *points) noexcept nogil:
    """Points where a stone of the defender leaves the attacker no five; return how many.

    fives: at how many points the attacker makes a five, at least 1; lowest: the first of them.
    points: room for MAX_ANSWERS. The board is unchanged on return.
    """
    cdef uint64_t[MAP_WORDS] left
    cdef int[MAX_ANSWERS] tries
    cdef int i, n, kept = 0
    points[0] = lowest
    if not board.five[attacker] & CLOSED:
        return 1 if fives == 1 else 0
    tries[0] = points[0]
    n = 1 + closers(board, attacker, points[0], tries + 1)
    for i in range(n):
        put(board, 1 - attacker, tries[i])
        five_map(board, attacker, left)
        lift(board, 1 - attacker, tries[i])
        if not any_point(board, left):
            points[kept] = tries[i]
            kept += 1
    return kept


cdef int wins_by_four(Board *board, int attacker, int point, int *answer) noexcept nogil:
    """Return WON if a stone here is a four without an answer, SHORT if it has one, else REFUTED.

    NO_FOUR: it makes no five possible. point: empty; the attacker has no five to make. An answer
    that is forbidden to Black is none; but if Black then has no legal point at all the game is
    drawn, and the four wins nothing. The board is unchanged on return.
    """
    cdef int[MAX_ANSWERS] stops
    cdef int lowest, fives = fives_through(board, attacker, point, &lowest), i, n, kept = 0
    cdef bint drawn = False, may_forbid = board.forbidden and attacker == WHITE
    if fives == 0:
        return NO_FOUR
    if not board.five[attacker] & CLOSED and not may_forbid:
        answer[0] = lowest
        return SHORT if fives == 1 else WON
    put(board, attacker, point)
    n = answers_to(board, attacker, lowest, fives, stops)
    for i in range(n):
        if not may_forbid or forbidden_kind(board, stops[i]) == LEGAL:
            answer[0] = stops[i]
            kept += 1
    if kept == 0 and may_forbid:
        drawn = not black_has_legal_point(board)
    lift(board, attacker, point)
    return REFUTED if kept > 1 or drawn else SHORT if kept else WON


cdef inline uint64_t key_of(uint64_t stones, int attacker) noexcept nogil:
    """The key of the stones with the attacker to move."""
    return stones ^ (<uint64_t> 0x5DEECE66D1CE4E5Bu if attacker else 0)


cdef inline uint64_t *entry_of(const Solver *solver, uint64_t key) noexcept nogil:
    """Where the table keeps a key."""
    return &solver.table[(key >> 8) & solver.mask]


cdef int attack(Solver *solver, Board *board, int attacker, uint64_t *four, int moves, int ply,
                int last) noexcept nogil:
    """Return WON, REFUTED, SHORT or SPENT for the attacker to move with this many moves left.

    four: holds all points where he makes a four; those that turn out to be none are taken out.
    moves: 1..MAX_FOURS. last: the defender's stone that stopped a four, or NO_POINT. On WON
    line[ply..] holds the win. The board is unchanged on return.
    """
    cdef uint64_t[MAP_WORDS] after
    cdef int[MAX_EMPTY] points
    cdef int[MAX_EMPTY] answers
    cdef uint64_t key = key_of(board.key, attacker)
    cdef uint64_t *entry = entry_of(solver, key)
    cdef uint64_t refuted = read_word(entry)
    cdef int i, n, kept, found, fives, answer = NO_POINT, result = REFUTED
    cdef bint own_rules = board.forbidden and attacker == BLACK

    if not (refuted ^ key) >> 8 and refuted & 255 >= <uint64_t> moves:
        return REFUTED if refuted & 255 == FOR_GOOD else SHORT
    if solver.nodes >= solver.limit or read_flag(solver.stop):
        return SPENT

    fives = fives_of(board, 1 - attacker, last, &found)
    if fives > 1:
        n = 0
    elif fives == 1:
        n = 1 if test(four, found) else 0
        points[0] = found
    else:
        n = points_of(board, four, points)

    kept = 0
    solver.visits += 1
    for i in range(n):
        found = wins_by_four(board, attacker, points[i], &answer)
        if found == NO_FOUR:
            drop(four, points[i])
            continue
        solver.nodes += 1
        if found == REFUTED:
            continue
        if own_rules and forbidden_kind(board, points[i]) != LEGAL:
            continue
        if found == WON:
            solver.line[ply] = points[i]
            solver.length = ply + 1
            return WON
        points[kept] = points[i]
        answers[kept] = answer
        kept += 1
        if moves > 1:
            ask_early(entry_of(solver, key ^ zobrist[attacker][points[i]]
                               ^ zobrist[1 - attacker][answer]))

    if moves == 1:
        result = SHORT if kept else REFUTED
        kept = 0
    for i in range(kept):
        put(board, attacker, points[i])
        put(board, 1 - attacker, answers[i])
        memcpy(after, four, board.words * sizeof(uint64_t))
        drop(after, points[i])
        drop(after, answers[i])
        add_fours_through(board, attacker, points[i], after)
        found = attack(solver, board, attacker, after, moves - 1, ply + 2, answers[i])
        lift(board, 1 - attacker, answers[i])
        lift(board, attacker, points[i])
        if found == WON:
            solver.line[ply] = points[i]
            solver.line[ply + 1] = answers[i]
            return WON
        if found == SPENT:
            return SPENT
        if found == SHORT:
            result = SHORT
    write_word(entry, (key & ~(<uint64_t> 255))
               | <uint64_t> (FOR_GOOD if result == REFUTED else moves))
    return result


cdef int vcf(Solver *solver, Board *board, int attacker, long long budget, int step) noexcept nogil:
    """Return WON, REFUTED or SPENT for the attacker to move; on WON the solver has the line.

    budget: nodes. step: the number of moves allowed grows by this; 1 finds a shortest win, 0 a
    short one sooner. For 0 it is 3, 12, 39, 120: who finds none in three moves loses more time
    with one try after the other than with long ways round.
    """
    cdef uint64_t[MAP_WORDS] five
    cdef uint64_t[MAP_WORDS] four
    four_maps(board, attacker, five, four)
    if any_point(board, five):
        solver.line[0] = first(board, five)
        solver.length = 1
        return WON
    return vcf_from(solver, board, attacker, four, budget, step)


cdef int vcf_from(Solver *solver, Board *board, int attacker, const uint64_t *four,
                  long long budget, int step) noexcept nogil:
    """The same for an attacker who has no five to make; four: where he makes a four."""
    cdef uint64_t[MAP_WORDS] begun
    cdef int moves = 1 if step else FIRST, result
    if not any_point(board, four):
        return REFUTED
    ask_early(entry_of(solver, key_of(board.key, attacker)))
    if not may_win(board, attacker):
        return REFUTED
    solver.limit = solver.nodes + budget
    memcpy(begun, four, board.words * sizeof(uint64_t))
    while True:
        result = attack(solver, board, attacker, begun, moves, 0, NO_POINT)
        if result != SHORT:
            return result
        if moves >= MAX_FOURS:
            return SPENT
        moves = min(MAX_FOURS, moves + step if step else 3 * (moves + 1))


cdef int win_plies(const Solver *solver, Board *board, int attacker) noexcept nogil:
    """Plies from the position a win was found in to the five, both sides' counted."""
    cdef uint64_t[MAP_WORDS] five
    five_map(board, attacker, five)
    return 1 if test(five, solver.line[0]) else solver.length + 2


cdef bint still_wins(Board *board, int attacker, const int *line, int length) noexcept nogil:
    """Whether the attacker, to move, still wins by the moves of a line found in another position.

    The answers are worked out anew. Exact when it says yes; no only means that this line fails.
    The board is unchanged on return.
    """
    cdef int[MAX_LINE] played
    cdef int i, n = 0, point, answer = NO_POINT, found, fives
    cdef bint won = False
    if fives_of(board, attacker, NO_POINT, &found):
        return True
    for i in range(0, length, 2):
        point = line[i]
        fives = fives_of(board, 1 - attacker, answer, &found)
        if fives > 1 or (fives == 1 and found != point):
            break
        if not has(board, 2, point):
            break
        if (board.forbidden and attacker == BLACK
                and forbidden_kind(board, point) != LEGAL):
            break
        found = wins_by_four(board, attacker, point, &answer)
        won = found == WON
        if found != SHORT:
            break
        put(board, attacker, point)
        put(board, 1 - attacker, answer)
        played[n] = point
        played[n + 1] = answer
        n += 2
    while n:
        n -= 1
        lift(board, attacker if n % 2 == 0 else 1 - attacker, played[n])
    return won


cdef bint defences(Board *board, int attacker, const int *line, int length,
                   uint64_t *points) noexcept nogil:
    """Find all points where a stone of the defender may stop a win by fours; whether they are few.

    line: four, answer, four, ..., the unanswerable four, all from this position. A stone elsewhere
    leaves every four a four and every answer where it was, since it lies in none of their windows;
    and it makes no four of the defender's on the way, which the attacker would have to answer.
    Where it could close a five or change what is forbidden that is not so: all empty points then.
    The board is unchanged on return.
    """
    cdef uint64_t[MAP_WORDS] five
    cdef uint64_t[MAP_WORDS] four
    cdef int i, k, side
    empty_map(board, points)
    if board.forbidden or board.five[attacker] & CLOSED:
        return False
    memset(points, 0, MAP_WORDS * sizeof(uint64_t))
    for i in range(length):
        side = attacker if i % 2 == 0 else 1 - attacker
        if side == attacker:
            four_maps(board, 1 - attacker, five, four)
            for k in range(board.words):
                points[k] |= four[k]
        put(board, side, line[i])
    five_map(board, attacker, five)
    for k in range(board.words):
        points[k] |= five[k]
    for i in range(length - 1, -1, -1):
        lift(board, attacker if i % 2 == 0 else 1 - attacker, line[i])
        points[line[i] >> 6] |= (<uint64_t> 1) << (line[i] & 63)
    return True


cdef class VcfSolver:
    """The Python face of the solver, with a table of its own.

    entries: refuted positions it remembers, a power of two; 8 bytes each.
    """

    cdef Solver solver
    cdef int stopped

    def __cinit__(self, entries=1 << 18):
        if entries < 1 or entries & (entries - 1):
            raise ValueError(f"entries must be a power of two, not {entries}")
        write_flag(&self.stopped, 0)
        self.solver.stop = &self.stopped
        self.solver.table = <uint64_t *> calloc(entries, sizeof(uint64_t))
        if self.solver.table == NULL:
            raise MemoryError
        self.solver.mask = entries - 1

    def __dealloc__(self):
        free(self.solver.table)

    @property
    def nodes(self):
        """Fours put on the board so far."""
        return self.solver.nodes

    def stop(self):
        """Let the solve that is running give up; from any thread."""
        write_flag(&self.stopped, 1)

    def solve(self, Position position not None, nodes=None):
        """Return a shortest win by continuous fours for the side to move, as a tuple of points.

        None: there is none. False: not decided within this many nodes, or stopped.
        The line is four, answer, four, ... and ends with the move that cannot be answered.
        """
        cdef Board board = position.board
        cdef int side = position.mover, result, i
        cdef long long budget = 1 << 62 if nodes is None else nodes
        if position.over:
            return None
        write_flag(&self.stopped, 0)
        with nogil:
            result = vcf(&self.solver, &board, side, budget, 1)
        if result == WON:
            return tuple(position._xy(self.solver.line[i]) for i in range(self.solver.length))
        return None if result == REFUTED else False

    def defences(self, Position position not None, nodes=None):
        """Return the points where a stone of the other side may stop the win that solve finds.

        No stone elsewhere does. None: no win was found.
        """
        cdef Board board = position.board
        cdef uint64_t[MAP_WORDS] found
        cdef int[MAX_EMPTY] points
        if not self.solve(position, nodes):
            return None
        defences(&board, position.mover, self.solver.line, self.solver.length, found)
        return {position._xy(points[i]) for i in range(points_of(&board, found, points))}
