# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Df-pn: depth-first proof-number search for a win of one side, the attacker, against every reply.

A position of the attacker's is proven by one move, one of the defender's only by all. The proof
number says how many positions would at least have to be proven still, the disproof number how many
disproven; the search goes where the smaller numbers are, and remembers both in a table (Nagai
2002). Stones are only added, so no position comes back; but many lead to the same, so that numbers
of brothers are not added up: the largest counts, and one for each other (Ueda et al. 2008).
Wins by fours are the leaves. Where one side would win by fours if the other passed, only what may
stop it is tried: of all other moves the line itself has been seen to win. Nothing else is left out,
so that a position disproven is one without a win; except where the attacker is held to threats,
which finds wins sooner and disproves nothing.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .forbidden cimport LEGAL, black_has_legal_point, forbidden_kind
from .monotonic cimport now_ns
from .planes cimport (
    ClassMaps, any_point, class_maps, column, count, empty_map, first, five_map, lift, near_map,
    overline_map, points_of, put, row, test, zobrist,
)
from .position cimport Position
from .shared cimport read_flag, write_flag
from .table cimport ask_early
from .threats cimport (
    MAX_ANSWERS, REFUTED, WON, answers_to, defences, still_wins, vcf, win_plies,
)
from .typedefs cimport (
    BLACK, CLOSED_THREE, CLOSED_THREES, FOUR, MAP_WORDS, NO_POINT, OPEN_FOUR, THREE, THREES, TWO,
    TWOS,
)

cdef enum:
    OPEN = 0                    # what expanding a position says of it
    PROVEN = 1
    DISPROVEN = 2
    UNASKED = -1                # a frame's opposed where the solver was not asked
    MOST = ENDLESS // 2         # number of what is not settled
    SOLVER_ENTRIES = 1 << 20    # 8 MB
    LOSSES = 16                 # full: the whole table has been lost so many times
    PASSES = 1 << 15            # 4 MB
    PATIENCE = 8                # so many times the budget where a proof is written down

cdef int64_t NEVER = <int64_t> 1 << 62


# --- The table ----------------------------------------------------------------------------------

cdef inline uint64_t key_of(const Hunt *hunt, int side) noexcept nogil:
    """The key of the position with this side to move."""
    return hunt.board.key ^ hunt.salt ^ (<uint64_t> 0x9E3779B97F4A7C15u if side else 0)


cdef inline Entry *bucket_of(const Hunt *hunt, uint64_t key) noexcept nogil:
    return hunt.entries + (key & hunt.mask) * BUCKET


cdef inline const Entry *find(const Hunt *hunt, uint64_t key) noexcept nogil:
    """The entry of a position, or NULL."""
    cdef const Entry *bucket = bucket_of(hunt, key)
    cdef int i
    for i in range(BUCKET):
        if bucket[i].key == key and bucket[i].work:
            return bucket + i
    return NULL


cdef void keep(Hunt *hunt, uint64_t key, uint32_t proof, uint32_t disproof, long long work,
               int point) noexcept nogil:
    """Remember a position; the one with the least work below it gives way."""
    cdef Entry *bucket = bucket_of(hunt, key)
    cdef Entry *place = bucket
    cdef int i
    for i in range(BUCKET):
        if bucket[i].key == key and bucket[i].work:
            place = bucket + i
            work += place.work
            break
        if bucket[i].work < place.work:
            place = bucket + i
    if place.work == 0:
        hunt.used += 1
    elif place.key != key:
        hunt.lost += 1
        if hunt.lost > LOSSES * BUCKET * (hunt.mask + 1):
            hunt.full = True
            write_flag(&hunt.stopped, 1)
    place.key = key
    place.proof = proof
    place.disproof = disproof
    place.work = <uint32_t> min(max(work, 1), ENDLESS)
    place.point = <int16_t> point


cdef bint give_up(Hunt *hunt) noexcept nogil:
    """Whether a limit is reached."""
    if not read_flag(&hunt.stopped) and (
            hunt.nodes + hunt.solver.nodes >= hunt.node_limit or now_ns() >= hunt.hard_ns):
        write_flag(&hunt.stopped, 1)
    return read_flag(&hunt.stopped) != 0


# --- The moves of a position --------------------------------------------------------------------

cdef inline int solve(Hunt *hunt, int side) noexcept nogil:
    """Ask the solver for a win by fours of a side, taken to be to move."""
    return vcf(&hunt.solver, &hunt.board, side, hunt.budget, 0)


cdef void find_stops(Hunt *hunt, int side, Passed *passed) noexcept nogil:
    """Find the points where a stone of this side may stop the other side's win, hunt's line."""
    cdef int[MAX_EMPTY] list
    cdef int i, n
    defences(&hunt.board, 1 - side, hunt.line, hunt.length, passed.stops)
    n = points_of(&hunt.board, passed.stops, list)
    for i in range(n):
        put(&hunt.board, side, list[i])
        if still_wins(&hunt.board, 1 - side, hunt.line, hunt.length):
            passed.stops[list[i] >> 6] &= ~((<uint64_t> 1) << (list[i] & 63))
        lift(&hunt.board, side, list[i])


cdef inline Passed *recall(Hunt *hunt, int side) noexcept nogil:
    """The place for what a pass of this side, to move, is worth; its key tells if that is known."""
    return hunt.passed + (key_of(hunt, side) >> 32) % PASSES


cdef inline bint is_known(const Hunt *hunt, int side, const Passed *passed) noexcept nogil:
    return not hunt.writing and passed.key == key_of(hunt, side)


cdef Passed *try_pass(Hunt *hunt, int side) noexcept nogil:
    """Ask for the other side's win by fours if this one passed, and what may stop it.

    Unless it is known already, hunt has the line, of length 0 if there is none.
    """
    cdef Passed *passed = recall(hunt, side)
    hunt.length = 0
    if is_known(hunt, side, passed):
        return passed
    passed.opposed = solve(hunt, 1 - side)
    if passed.opposed == WON:
        hunt.length = hunt.solver.length
        memcpy(hunt.line, hunt.solver.line, hunt.length * sizeof(int))
        passed.plies = win_plies(&hunt.solver, &hunt.board, 1 - side)
        find_stops(hunt, side, passed)
    passed.key = key_of(hunt, side)
    return passed


cdef void add(Frame *frame, int point, uint32_t proof) noexcept nogil:
    """Add a move, with the proof number of a position not yet looked at."""
    frame.points[frame.n] = <int16_t> point
    frame.proofs[frame.n] = proof
    frame.disproofs[frame.n] = 1
    frame.n += 1


cdef void add_legal(Hunt *hunt, Frame *frame, int side, const uint64_t *points,
                    const ClassMaps *maps, bint weighed) noexcept nogil:
    """Add the moves of a map that are not forbidden.

    maps: of the side. weighed: proof numbers by what the stone makes, else all alike.
    """
    cdef Board *board = &hunt.board
    cdef uint64_t[MAP_WORDS] suspects
    cdef uint64_t[MAP_WORDS] near
    cdef int[MAX_EMPTY] list
    cdef int i, n, point
    cdef uint32_t proof = 1
    cdef bint restricted = board.forbidden and side == BLACK
    if restricted:
        overline_map(board, BLACK, suspects)
        for i in range(board.words):
            suspects[i] |= maps.of[FOUR][i] | maps.of[THREES][i]
    if weighed:
        near_map(board, near)
    n = points_of(board, points, list)
    for i in range(n):
        point = list[i]
        if restricted and test(suspects, point) and forbidden_kind(board, point) != LEGAL:
            continue
        if weighed:
            proof = (1 if test(maps.of[FOUR], point) else 2 if test(maps.of[THREE], point)
                     else 4 if (test(maps.of[CLOSED_THREES], point) or test(maps.of[TWOS], point))
                     else 6 if (test(maps.of[CLOSED_THREE], point) or test(maps.of[TWO], point))
                     else 30 if test(near, point) else 100)
        add(frame, point, proof)


cdef bint has_move(Hunt *hunt, int side) noexcept nogil:
    """Whether this side has a legal move at all."""
    if hunt.board.forbidden and side == BLACK:
        return black_has_legal_point(&hunt.board)
    return hunt.board.empties > 0


cdef int expand_attack(Hunt *hunt, Frame *frame, int ply) noexcept nogil:
    """List the attacker's moves, or say that the position is settled.

    PROVEN: hunt has the line.
    """
    cdef Board *board = &hunt.board
    cdef int attacker = hunt.attacker, i, n
    cdef uint64_t[MAP_WORDS] points
    cdef uint64_t[MAP_WORDS] allowed
    cdef int[MAX_ANSWERS] answers
    cdef ClassMaps maps
    cdef Passed *passed
    cdef int left = hunt.plies - ply
    five_map(board, attacker, points)
    if left >= 1 and any_point(board, points):
        hunt.line[0] = first(board, points)
        hunt.length = 1
        return PROVEN
    if left < 3 or board.empties < 3:
        return DISPROVEN
    if ((ply == 0 or hunt.frames[ply - 1].opposed != REFUTED)
            and not is_known(hunt, attacker, recall(hunt, attacker))
            and solve(hunt, attacker) == WON
            and win_plies(&hunt.solver, board, attacker) <= left):
        hunt.length = hunt.solver.length
        memcpy(hunt.line, hunt.solver.line, hunt.length * sizeof(int))
        return PROVEN
    five_map(board, 1 - attacker, points)
    n = count(board, points)
    if n:
        n = answers_to(board, 1 - attacker, first(board, points), n, answers)
        for i in range(n):
            if not (board.forbidden and attacker == BLACK
                    and forbidden_kind(board, answers[i]) != LEGAL):
                add(frame, answers[i], 1)
        return OPEN if frame.n else DISPROVEN
    passed = try_pass(hunt, attacker)
    frame.opposed = passed.opposed
    if passed.opposed == WON:
        memcpy(allowed, passed.stops, sizeof(passed.stops))
    else:
        empty_map(board, allowed)
    class_maps(board, attacker, &maps)
    if hunt.threats:
        for i in range(board.words):
            allowed[i] &= (maps.of[FOUR][i] | maps.of[OPEN_FOUR][i] | maps.of[THREE][i]
                           | maps.of[CLOSED_THREE][i] | maps.of[TWO][i])
    add_legal(hunt, frame, attacker, allowed, &maps, True)
    return OPEN if frame.n else DISPROVEN


cdef int expand_defence(Hunt *hunt, Frame *frame, int ply) noexcept nogil:
    """List the defender's replies that may avoid a loss, or say that the position is settled.

    If all others lose to a line of fours, hunt has it.
    """
    cdef Board *board = &hunt.board
    cdef int defender = 1 - hunt.attacker, i, n
    cdef uint64_t[MAP_WORDS] points
    cdef int[MAX_ANSWERS] answers
    cdef ClassMaps maps
    cdef Passed *passed
    cdef int left = hunt.plies - ply
    cdef bint threatened
    hunt.length = 0
    five_map(board, defender, points)
    if board.empties < 2 or left < 2 or any_point(board, points):
        return DISPROVEN
    five_map(board, hunt.attacker, points)
    n = count(board, points)
    if n:
        n = answers_to(board, hunt.attacker, first(board, points), n, answers)
        for i in range(n):
            if not (board.forbidden and defender == BLACK
                    and forbidden_kind(board, answers[i]) != LEGAL):
                add(frame, answers[i], 1)
        if frame.n:
            return OPEN
        return PROVEN if has_move(hunt, defender) else DISPROVEN
    if left < 4 or ((ply == 0 or hunt.frames[ply - 1].opposed != REFUTED)
                    and not is_known(hunt, defender, recall(hunt, defender))
                    and solve(hunt, defender) == WON):
        return DISPROVEN
    passed = try_pass(hunt, defender)
    frame.opposed = passed.opposed
    threatened = passed.opposed == WON and 1 + passed.plies <= left
    if threatened:
        memcpy(points, passed.stops, sizeof(passed.stops))
    elif hunt.threats:
        return DISPROVEN
    else:
        hunt.length = 0
        empty_map(board, points)
    if board.forbidden and defender == BLACK:
        class_maps(board, defender, &maps)
    add_legal(hunt, frame, defender, points, &maps, False)
    if frame.n:
        return OPEN
    return PROVEN if threatened and has_move(hunt, defender) else DISPROVEN


cdef int expand(Hunt *hunt, int side, int ply) noexcept nogil:
    """List the moves of a position in its frame, or say that it is settled."""
    cdef Frame *frame = &hunt.frames[ply]
    frame.n = 0
    frame.opposed = UNASKED
    hunt.nodes += 1
    if side == hunt.attacker:
        return expand_attack(hunt, frame, ply)
    return expand_defence(hunt, frame, ply)


# --- The search ---------------------------------------------------------------------------------

cdef void look_up(Hunt *hunt, Frame *frame, int side) noexcept nogil:
    """Read what the table knows of each move."""
    cdef uint64_t key = key_of(hunt, 1 - side)
    cdef const Entry *entry
    cdef int i
    for i in range(frame.n):
        ask_early(bucket_of(hunt, key ^ zobrist[side][frame.points[i]]))
    for i in range(frame.n):
        entry = find(hunt, key ^ zobrist[side][frame.points[i]])
        if entry != NULL:
            frame.proofs[i] = entry.proof
            frame.disproofs[i] = entry.disproof


cdef int weigh(const uint32_t *least, const uint32_t *most, int n, uint32_t *lower,
               uint32_t *upper, uint32_t *second, uint32_t *others) noexcept nogil:
    """Return the move to look at: the least of one number, of equals the least of the other.

    lower: that number; upper: the other one's largest, and one more for each other move that is
    not settled; second: the least of the rest; others: what upper has of the others.
    """
    cdef int i, best = 0
    cdef uint32_t largest = 0, unsettled = 0, cap = MOST
    second[0] = ENDLESS
    for i in range(n):
        if i and (least[i] < least[best] or (least[i] == least[best] and most[i] < most[best])):
            second[0] = least[best]
            best = i
        elif i and least[i] < second[0]:
            second[0] = least[i]
        largest = max(largest, most[i])
        if most[i]:
            unsettled += 1
    lower[0] = least[best]
    others[0] = unsettled - 1 if unsettled else 0
    upper[0] = largest if largest == ENDLESS or largest == 0 else min(largest + others[0], cap)
    return best


cdef void search(Hunt *hunt, int side, uint32_t proof_limit, uint32_t disproof_limit, int ply,
                 uint32_t *proof, uint32_t *disproof) noexcept nogil:
    """Search a position until one of its numbers reaches its limit or we give up; write both.

    The board is unchanged on return; the frame has the moves with their numbers.
    """
    cdef Frame *frame = &hunt.frames[ply]
    cdef uint64_t key = key_of(hunt, side)
    cdef long long before = hunt.nodes
    cdef bint attacking = side == hunt.attacker
    cdef uint32_t lower, upper, second, others
    cdef int state = expand(hunt, side, ply), best = 0, point = NO_POINT
    if state != OPEN:
        proof[0] = 0 if state == PROVEN else ENDLESS
        disproof[0] = ENDLESS if state == PROVEN else 0
        keep(hunt, key, proof[0], disproof[0], 1, NO_POINT)
        return
    look_up(hunt, frame, side)
    while True:
        if attacking:
            best = weigh(frame.proofs, frame.disproofs, frame.n, proof, disproof, &second, &others)
        else:
            best = weigh(frame.disproofs, frame.proofs, frame.n, disproof, proof, &second, &others)
        if ply == 0:
            hunt.proof = proof[0]
            hunt.disproof = disproof[0]
        if proof[0] >= proof_limit or disproof[0] >= disproof_limit or give_up(hunt):
            break
        second = second + second // 4 + 1
        if attacking:
            lower = min(proof_limit, second)
            upper = disproof_limit - others
        else:
            upper = min(disproof_limit, second)
            lower = proof_limit - others
        point = frame.points[best]
        put(&hunt.board, side, point)
        search(hunt, 1 - side, lower, upper, ply + 1, &frame.proofs[best], &frame.disproofs[best])
        lift(&hunt.board, side, point)
    if attacking and proof[0] == 0:
        point = frame.points[best]
    keep(hunt, key, proof[0], disproof[0], hunt.nodes - before, point)


cdef class Hunter:
    """The Python face: one question after the other, with a table of its own.

    memory: bytes for the table, at least one bucket; it only takes what is used.
    """

    cdef Hunt hunt
    cdef int root_ply
    cdef int side               # to move at the root

    def __cinit__(self, memory=256 << 20):
        cdef uint64_t buckets = 1
        while buckets * 2 * BUCKET * sizeof(Entry) <= memory:
            buckets *= 2
        self.hunt.mask = buckets - 1
        self.hunt.frames = <Frame *> calloc(MAX_EMPTY + 2, sizeof(Frame))
        self.hunt.solver.table = <uint64_t *> calloc(SOLVER_ENTRIES, sizeof(uint64_t))
        self.hunt.solver.mask = SOLVER_ENTRIES - 1
        self.hunt.solver.stop = &self.hunt.stopped
        self.hunt.passed = <Passed *> calloc(PASSES, sizeof(Passed))
        if (self.hunt.frames == NULL or self.hunt.solver.table == NULL
                or self.hunt.passed == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.hunt.entries)
        free(self.hunt.frames)
        free(self.hunt.passed)
        free(self.hunt.solver.table)

    @property
    def nodes(self):
        """Positions expanded and fours tried, of the question asked last."""
        return self.hunt.nodes + self.hunt.solver.nodes

    @property
    def numbers(self):
        """Proof and disproof number of the root as far as they are known; from any thread."""
        return self.hunt.proof, self.hunt.disproof

    @property
    def full(self):
        """Whether it gave up because the table was lost many times over."""
        return bool(self.hunt.full)

    @property
    def memory(self):
        """Bytes that the tables may take."""
        return ((self.hunt.mask + 1) * BUCKET * sizeof(Entry) + SOLVER_ENTRIES * sizeof(uint64_t)
                + (MAX_EMPTY + 2) * sizeof(Frame) + PASSES * sizeof(Passed))

    def stop(self):
        """Let it give up at once, from any thread; until the next begin."""
        write_flag(&self.hunt.stopped, 1)

    def begin(self, Position position not None, attacker, threats, plies=None, budget=4000,
              hard_ns=None, nodes=None):
        """Ask whether the attacker wins from a position that is not over.

        threats: hold him to fours and threats of fours; then nothing is disproven for good.
        plies: only wins within so many; budget: nodes of a solver call; hard_ns: monotonic time at
        which to give up; nodes: likewise. What was found before is forgotten.
        """
        cdef Hunt *hunt = &self.hunt
        free(hunt.entries)
        hunt.entries = <Entry *> calloc((hunt.mask + 1) * BUCKET, sizeof(Entry))
        if hunt.entries == NULL:
            raise MemoryError
        memset(hunt.solver.table, 0, SOLVER_ENTRIES * sizeof(uint64_t))
        memset(hunt.passed, 0, PASSES * sizeof(Passed))
        hunt.writing = False
        hunt.board = position.board
        hunt.salt = position._salt
        hunt.attacker = attacker
        hunt.threats = threats
        hunt.plies = 2 * MAX_EMPTY if plies is None else plies
        hunt.budget = budget
        hunt.hard_ns = NEVER if hard_ns is None else hard_ns
        hunt.node_limit = (<long long> 1 << 60) if nodes is None else nodes
        hunt.nodes = hunt.solver.nodes = 0
        hunt.used = hunt.lost = 0
        hunt.full = False
        write_flag(&hunt.stopped, 0)
        hunt.proof = hunt.disproof = 1
        self.root_ply = position.ply
        self.side = position.mover

    def resume(self):
        """Lift all limits, to write a proof down; stop still ends what runs."""
        self.hunt.node_limit = <long long> 1 << 60
        self.hunt.hard_ns = NEVER
        self.hunt.lost = 0
        self.hunt.full = False
        write_flag(&self.hunt.stopped, 0)

    def run(self):
        """Search; return True if the win is proven, False if it is disproven, None if neither.

        Without Python's lock. After a stop or a limit, begin comes first again.
        """
        cdef Hunt *hunt = &self.hunt
        cdef int side = self.side
        cdef uint32_t proof = 1, disproof = 1
        with nogil:
            search(hunt, side, ENDLESS, ENDLESS, 0, &proof, &disproof)
        return True if proof == 0 else False if disproof == 0 else None

    def attack(self, Position position not None):
        """Return how the attacker, to move, wins a proven position: a line of fours, or a move.

        (line, None) or ((), move). None: a limit was reached before that was found again.
        """
        cdef Hunt *hunt = &self.hunt
        cdef int ply = self._settle(position), i
        if read_flag(&hunt.stopped) or ply < 0:
            return None
        if hunt.frames[ply].n == 0:
            return self._line(), None
        for i in range(hunt.frames[ply].n):
            if hunt.frames[ply].proofs[i] == 0:
                return (), self._xy(hunt.frames[ply].points[i])
        return None

    def defend(self, Position position not None):
        """Return a line of fours, and the defender's replies that need another answer.

        The line wins against every other reply; it is empty if there are none that do not leave a
        five at once. None: a limit was reached before that was found again.
        """
        cdef Hunt *hunt = &self.hunt
        cdef int ply = self._settle(position), i
        if read_flag(&hunt.stopped) or ply < 0:
            return None
        hunt.writing = True
        with nogil:
            expand(hunt, 1 - hunt.attacker, ply)
        hunt.writing = False
        replies = [self._xy(hunt.frames[ply].points[i]) for i in range(hunt.frames[ply].n)]
        return self._line(), replies

    cdef int _settle(self, Position position):
        """Search a position of the proof again if need be; its ply, or -1 if it is not proven."""
        cdef Hunt *hunt = &self.hunt
        cdef int ply = position.ply - self.root_ply, budget = hunt.budget, side = position.mover
        cdef uint32_t proof = 1, disproof = 1
        hunt.board = position.board
        hunt.budget = budget * PATIENCE
        if ply:
            hunt.frames[ply - 1].opposed = UNASKED
        with nogil:
            search(hunt, side, ENDLESS, ENDLESS, ply, &proof, &disproof)
        hunt.budget = budget
        return ply if proof == 0 else -1

    def _line(self):
        return tuple(self._xy(self.hunt.line[i]) for i in range(self.hunt.length))

    def _xy(self, point):
        return column(&self.hunt.board, point), row(&self.hunt.board, point)
