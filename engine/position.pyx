# cython: language_level=3
"""Position: stones, play and undo, legality, results and keys. Points go in and out as (x, y)."""

from libc.string cimport memcpy

from .forbidden cimport (
    LEGAL, Shape, black_has_legal_point, completes, completions, forbidden_kind,
    forbidden_map, four_points, shape_of,
)
from .planes cimport (
    Board, ClassMaps, class_maps, clear, empty_map, flip, has, lift, point_at, points_of, put,
    test, wall,
)
from .rows cimport portable_class_maps
from .typedefs cimport (
    BLACK, CLOSED, CLOSED_THREE, CLOSED_THREES, EXACT, FIVE, FOUR, FOURS, MAP_WORDS, MAX_EMPTY,
    MIDDLE, OPEN_FOUR, THREE, THREES, TWO, TWOS, WHITE, uint64_t,
)

from shisan.engine.errors import IllegalMoveError, PositionError
from shisan.engine.rules import Colour
from shisan.engine.verdicts import GOING_ON, Illegal, Result

KINDS = ("", "overline", "double four", "double three")
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
COLOURS = tuple(Colour)     # an index is quicker than a call of the enumeration
CLASSES = {"five": (FIVE, FIVE), "four": (FOUR, FOURS), "open four": (OPEN_FOUR, OPEN_FOUR),
           "three": (THREE, THREES), "two": (TWO, TWOS),
           "closed three": (CLOSED_THREE, CLOSED_THREES)}


def _mix(value: int) -> int:
    """Scatter a number over 64 bits (the finaliser of splitmix64)."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return value ^ (value >> 31)


cdef bint _owns(const Board *board, int colour, int x, int y) noexcept nogil:
    """Whether a colour has a stone there, inside the board or not."""
    return (0 <= x < board.width and 0 <= y < board.height
            and has(board, colour, point_at(board, x, y)))


cdef class Position:
    """A position and its rules: an empty board with Black to move, or a set-up.

    Every method that takes a point takes x, y: column and row from 0, (0, 0) top left.
    """

    __hash__ = None

    def __cinit__(self, rules):
        cdef int kind = 0 if rules.closed_five else CLOSED
        clear(&self.board, rules.width, rules.height)
        self.board.five[BLACK] = kind | (EXACT if rules.black_exact else 0)
        self.board.five[WHITE] = kind | (EXACT if rules.white_exact else 0)
        self.board.forbidden = rules.forbidden
        self.mover = BLACK
        self._rules = rules
        self._order = []
        self._walls = frozenset()
        self._set_up = 0
        self._foul = None
        self._result = GOING_ON
        self._salt = _mix(rules.width | rules.height << 5 | self.board.five[BLACK] << 10
                          | self.board.five[WHITE] << 12 | rules.forbidden << 14
                          | rules.foul_loses << 15 | 1 << 20)

    @classmethod
    def set_up(cls, rules, stones, side, walls=()):
        """Return the position with these stones, in any order and number, and this side to move.

        stones: (x, y, colour) each; walls: points that neither side may use.
        Raises PositionError for a point outside the board or given twice.
        """
        cdef Position position = cls(rules)
        cdef int point
        for x, y in walls:
            point = position._take(x, y)
            position._walls |= {(x, y)}
            position._salt ^= <uint64_t> _mix(point + 4096)
            wall(&position.board, point)
        for x, y, colour in stones:
            put(&position.board, Colour(colour), position._take(x, y))
            position._order.append((x, y, Colour(colour)))
        position.mover = Colour(side)
        position._set_up = len(position._order)
        position._result = None
        return position

    def _take(self, x, y):
        if not self.is_empty(x, y):
            inside = 0 <= x < self.board.width and 0 <= y < self.board.height
            raise PositionError(f"point {x},{y} is {'given twice' if inside else 'outside'}")
        return point_at(&self.board, x, y)

    @property
    def rules(self):
        """The rules of the game."""
        return self._rules

    @property
    def side(self):
        """Who is to move."""
        return COLOURS[self.mover]

    @property
    def stones(self):
        """The stones as (x, y, colour), in the order they were put."""
        return tuple(self._order)

    @property
    def walls(self):
        """The points neither side may use."""
        return self._walls

    @property
    def ply(self):
        """The number of stones."""
        return len(self._order)

    def at(self, x, y):
        """Return whose stone is there; None for empty points, walls and points outside."""
        if not (0 <= x < self.board.width and 0 <= y < self.board.height):
            return None
        return self._owner(point_at(&self.board, x, y))

    def is_empty(self, x, y):
        """Return whether a stone could be put there, forbidden or not."""
        if not (0 <= x < self.board.width and 0 <= y < self.board.height):
            return False
        return self._holds(2, point_at(&self.board, x, y))

    def __eq__(self, other):
        """Return whether rules, side, stones (not their order) and walls are the same."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._identity() == (<Position> other)._identity()

    @property
    def key(self):
        """64 bits that equal positions share, however they were reached."""
        return self.board.key ^ self._salt ^ (<uint64_t> 0x9E3779B97F4A7C15u if self.mover else 0)

    def copy(self):
        """Return an independent copy, which can take back the same stones."""
        cdef Position twin = Position(self._rules)
        memcpy(&twin.board, &self.board, sizeof(Board))
        twin.mover = self.mover
        twin._order = self._order.copy()
        twin._walls = self._walls
        twin._set_up = self._set_up
        twin._foul = self._foul
        twin._result = self._result
        twin._salt = self._salt
        return twin

    def play(self, x, y):
        """Put a stone of the side to move.

        Raises IllegalMoveError if the point is outside or occupied, the game is over, or the
        point is forbidden and the rules do not let it be played and lose.
        """
        why = self.why_illegal(x, y)
        if why is not None:
            if why.kind in ("outside", "occupied"):
                raise IllegalMoveError(f"point {x},{y} is {why.kind}")
            if why.kind == "game over":
                raise IllegalMoveError(f"the game is over: {self.result.reason}")
            if not self._rules.foul_loses:
                raise IllegalMoveError(f"point {x},{y} is forbidden: {why.kind}")
        put(&self.board, self.mover, point_at(&self.board, x, y))
        self._order.append((x, y, COLOURS[self.mover]))
        self.mover = 1 - self.mover
        self._foul = why
        self._result = self._judge(False)

    def undo(self):
        """Take back the last stone and return its point; its owner is to move.

        Raises PositionError if there is no stone.
        """
        if not self._order:
            raise PositionError("there is no stone to take back")
        x, y, owner = self._order.pop()
        lift(&self.board, owner, point_at(&self.board, x, y))
        self.mover = owner
        self._foul = None
        # A stone that was played was played in a game that was going on.
        self._result = GOING_ON if len(self._order) >= self._set_up else None
        self._set_up = min(self._set_up, len(self._order))
        return x, y

    @property
    def result(self):
        """How the game stands."""
        if self._result is None:
            self._result = self._judge(True)
        return self._result

    @property
    def over(self):
        """Whether nothing may be played any more."""
        return self.result.over

    cdef object _judge(self, bint everywhere):
        """Judge by the last stone, or by every stone, the last one first; then by what is empty."""
        if self._order:
            x, y, colour = self._order[-1]
            line = self._five_through(x, y, colour)
            if line:
                return Result(colour, "five", line)
            if everywhere:
                for x, y, colour in sorted(self._order, key=_by_colour):
                    line = self._five_through(x, y, colour)
                    if line:
                        return Result(colour, "five", line)
        if self._foul is not None:
            return Result(Colour.WHITE, "forbidden move", self._foul.lines[0])
        if not self.board.empties:
            return Result(None, "board full", ())
        if (self.board.forbidden and self.mover == BLACK
                and not black_has_legal_point(&self.board)):
            return Result(None, "no legal point", ())
        return GOING_ON

    cdef tuple _five_through(self, int x, int y, int colour):
        """Return the first row through a stone that counts as a five, or an empty tuple."""
        cdef int kind = self.board.five[colour]
        for dx, dy in DIRECTIONS:
            run = self._run(x, y, dx, dy, colour)
            if len(run) == 5 and kind & CLOSED:
                other = COLOURS[1 - colour]
                if (self.at(run[0][0] - dx, run[0][1] - dy) is other
                        and self.at(run[-1][0] + dx, run[-1][1] + dy) is other):
                    continue
            if len(run) == 5 or (len(run) > 5 and not kind & EXACT):
                return run
        return ()

    def _run(self, int x, int y, int dx, int dy, int colour):
        """Return the row of this colour's stones through a point, taken as one of them."""
        cdef int before = 0, after = 0, i
        while _owns(&self.board, colour, x - (before + 1) * dx, y - (before + 1) * dy):
            before += 1
        while _owns(&self.board, colour, x + (after + 1) * dx, y + (after + 1) * dy):
            after += 1
        return tuple([(x + i * dx, y + i * dy) for i in range(-before, after + 1)])

    def is_legal(self, x, y):
        """Return whether the side to move may play there: empty, going on, not forbidden."""
        if not self.is_empty(x, y) or self.over:
            return False
        return not (self.board.forbidden and self.mover == BLACK
                    and forbidden_kind(&self.board, point_at(&self.board, x, y)) != LEGAL)

    def why_illegal(self, x, y):
        """Return why the side to move may not play there, or None if it may."""
        if not (0 <= x < self.board.width and 0 <= y < self.board.height):
            return Illegal("outside", ())
        if not self.is_empty(x, y):
            return Illegal("occupied", ())
        if self.over:
            return Illegal("game over", ())
        if self.board.forbidden and self.mover == BLACK:
            return self._foul_at(point_at(&self.board, x, y))
        return None

    def forbidden_points(self):
        """Return the empty points forbidden to Black and why, whoever is to move."""
        cdef uint64_t[MAP_WORDS] forbidden
        cdef int[MAX_EMPTY] points
        cdef int i
        if not self.board.forbidden:
            return {}
        forbidden_map(&self.board, forbidden)
        return {self._xy(points[i]): KINDS[forbidden_kind(&self.board, points[i])]
                for i in range(points_of(&self.board, forbidden, points))}

    def legal_points(self):
        """Return the points the side to move may play, row by row."""
        cdef uint64_t[MAP_WORDS] empty
        cdef uint64_t[MAP_WORDS] forbidden
        cdef int[MAX_EMPTY] points
        cdef int i
        if self.over:
            return []
        empty_map(&self.board, empty)
        if self.board.forbidden and self.mover == BLACK:
            forbidden_map(&self.board, forbidden)
            for i in range(self.board.words):
                empty[i] &= ~forbidden[i]
        return [self._xy(points[i]) for i in range(points_of(&self.board, empty, points))]

    def maps(self, colour, portable=False):
        """Return for each class the empty points that have it, with in how many directions (1, 2+).

        The classes are those of shisan.engine.planes, for a stone of this colour; forbidden moves
        are not looked at. portable: by the slow row loops instead of the vectors.
        """
        cdef ClassMaps maps
        cdef int[MAX_EMPTY] points
        cdef int i
        if portable:
            portable_class_maps(&self.board, colour, &maps)
        else:
            class_maps(&self.board, colour, &maps)
        found = {}
        for name, (once, twice) in CLASSES.items():
            found[name] = {}
            for i in range(points_of(&self.board, maps.of[<int> once], points)):
                many = once != twice and test(maps.of[<int> twice], points[i])
                found[name][self._xy(points[i])] = 2 if many else 1
        return found

    cdef object _foul_at(self, int point):
        """Return what forbids an empty point to Black, with the lines that make it, or None."""
        cdef Board *board = &self.board
        cdef int kind = forbidden_kind(board, point), i, n
        cdef int[9] steps
        cdef int[7] ends
        cdef Shape shape
        if kind == LEGAL:
            return None
        x, y = self._xy(point)
        lines = []
        for direction, (dx, dy) in enumerate(DIRECTIONS):
            run = self._run(x, y, dx, dy, BLACK)
            if KINDS[kind] == "overline":
                if len(run) > 5:
                    lines.append(run)
                continue
            shape_of(board, BLACK, point, direction, &shape)
            if KINDS[kind] == "double four":
                n = four_points(&shape, board.five[BLACK], steps)
                fours = set()
                for i in range(n):
                    fours.add(self._completed(x, y, dx, dy, steps[i]))
                lines += sorted(fours)
                continue
            n = completions(board, point, direction, ends)
            threes = []
            flip(board, BLACK, point)
            for i in range(n):
                if completes(board, ends[i]):
                    step = (self._xy(ends[i])[0] - x) * dx or (self._xy(ends[i])[1] - y) * dy
                    three = self._completed(x, y, dx, dy, step)
                    if three not in threes:
                        threes.append(three)
            flip(board, BLACK, point)
            lines += threes
        return Illegal(KINDS[kind], tuple(lines))

    def _completed(self, x, y, dx, dy, step):
        """Return the stones in line with a point and a point some steps away, both taken as own."""
        own = Colour.BLACK
        extra = {(x, y), (x + step * dx, y + step * dy)}
        reach = range(-MIDDLE, MIDDLE + 1)
        line = [(x + i * dx, y + i * dy) for i in reach]
        mine = [point in extra or self.at(*point) is own for point in line]
        begin = end = MIDDLE
        while begin and mine[begin - 1]:
            begin -= 1
        while end < 2 * MIDDLE and mine[end + 1]:
            end += 1
        completing = x + step * dx, y + step * dy
        return tuple(point for point in line[begin:end + 1] if point != completing)

    def _identity(self):
        return (self._rules, self.mover, self._walls,
                frozenset((x, y) for x, y, colour in self._order if colour == BLACK),
                frozenset((x, y) for x, y, colour in self._order if colour == WHITE))

    def _xy(self, point):
        return point & ((1 << self.board.shift) - 1), point >> self.board.shift

    def _owner(self, point):
        if self._holds(BLACK, point):
            return Colour.BLACK
        return Colour.WHITE if self._holds(WHITE, point) else None

    def _holds(self, plane, point):
        return has(&self.board, plane, point)


def _by_colour(stone):
    return stone[2], stone[0], stone[1]
