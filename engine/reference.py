"""A slow, plain reference of the rules: sets of points and walks along lines, nothing else.

It is written from the text of the rules and shares no table and no bit trick with Position, whose
public face it has, so that the two can be held against each other. The text (RIF, The
International Rules of Renju, sections 3 and 9), where a "five" is a five that counts under the
rules of the position:

- four: stones in a line which one more stone turns into a five;
- straight four: an unbroken row of four which becomes a five at both its ends;
- three: stones in a line which one more stone, without making a five, turns into a straight four;
- overline: six or more in a line; double four, double three: one stone that makes two of them;
- Black may make none of these three unless the same stone makes a five; and a three whose straight
  four could only be made by a stone that is itself not allowed is none.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final

from .errors import IllegalMoveError, PositionError
from .rules import Colour, Point, Rules
from .verdicts import GOING_ON, Illegal, Result

Line = tuple[Point, ...]
Stone = tuple[int, int, Colour]
Identity = tuple[Rules, Colour, frozenset[Point], frozenset[Point], frozenset[Point]]

DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
"""The steps of a row, a column, a falling and a rising diagonal."""

BLACK: Final = Colour.BLACK
WHITE: Final = Colour.WHITE


class ReferencePosition:
    """A position and its rules, with the public face of Position.

    Every method that takes a point takes x, y. Points outside are never empty, own or anyone's.
    """

    __slots__ = (
        "_empty",
        "_foul",
        "_order",
        "_own",
        "_result",
        "_set_up",
        "_side",
        "_walls",
        "rules",
    )

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._side = BLACK
        self._own: tuple[set[Point], set[Point]] = (set(), set())
        self._empty = {(x, y) for y in range(rules.height) for x in range(rules.width)}
        self._walls: frozenset[Point] = frozenset()
        self._order: list[Stone] = []
        self._set_up = 0  # how many stones were there before the first play
        self._foul: Illegal | None = None  # of the last stone
        self._result: Result | None = GOING_ON  # None: to be worked out

    @classmethod
    def set_up(
        cls,
        rules: Rules,
        stones: Iterable[Stone],
        side: Colour,
        walls: Iterable[Point] = (),
    ) -> "ReferencePosition":
        """Return the position with these stones, in any order and number, and this side to move.

        Raises PositionError for a point outside the board or given twice.
        """
        position = cls(rules)
        for point in walls:
            position._take_empty(point)
            position._walls |= {point}
        for x, y, colour in stones:
            position._take_empty((x, y))
            position._own[colour].add((x, y))
            position._order.append((x, y, Colour(colour)))
        position._side = Colour(side)
        position._set_up = len(position._order)
        position._result = None
        return position

    def _take_empty(self, point: Point) -> None:
        if point not in self._empty:
            x, y = point
            outside = not (0 <= x < self.rules.width and 0 <= y < self.rules.height)
            raise PositionError(f"point {x},{y} is {'outside' if outside else 'given twice'}")
        self._empty.discard(point)

    # What stands where

    @property
    def side(self) -> Colour:
        """Who is to move."""
        return self._side

    @property
    def stones(self) -> tuple[Stone, ...]:
        """The stones in the order they were put."""
        return tuple(self._order)

    @property
    def walls(self) -> frozenset[Point]:
        """The points neither side may use."""
        return self._walls

    @property
    def ply(self) -> int:
        """The number of stones."""
        return len(self._order)

    def at(self, x: int, y: int) -> Colour | None:
        """Return whose stone is there; None for empty points, walls and points outside."""
        if (x, y) in self._own[BLACK]:
            return BLACK
        return WHITE if (x, y) in self._own[WHITE] else None

    def is_empty(self, x: int, y: int) -> bool:
        """Return whether a stone could be put there, forbidden or not."""
        return (x, y) in self._empty

    def empty_points(self) -> list[Point]:
        """Return the empty points, row by row."""
        return sorted(self._empty, key=lambda point: (point[1], point[0]))

    def __eq__(self, other: object) -> bool:
        """Return whether rules, side, stones (not their order) and walls are the same."""
        if not isinstance(other, ReferencePosition):
            return NotImplemented
        return self.identity() == other.identity()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def identity(self) -> Identity:
        """Return what makes two positions equal, as something that can be a key."""
        black, white = self._own
        return self.rules, self._side, frozenset(black), frozenset(white), self._walls

    @property
    def key(self) -> int:
        """64 bits that equal positions share; not the key Position has."""
        parts = [repr(self.rules), str(int(self._side))]
        parts += [repr(sorted(points)) for points in (*self._own, self._walls)]
        return int.from_bytes(blake2b("|".join(parts).encode(), digest_size=8).digest(), "big")

    def copy(self) -> "ReferencePosition":
        """Return an independent copy, which can take back the same stones."""
        twin = ReferencePosition.set_up(self.rules, self._order, self._side, self._walls)
        twin._set_up = self._set_up
        twin._foul = self._foul
        twin._result = self._result
        return twin

    # Playing

    def play(self, x: int, y: int) -> None:
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
            if not self.rules.foul_loses:
                raise IllegalMoveError(f"point {x},{y} is forbidden: {why.kind}")
        self._empty.discard((x, y))
        self._own[self._side].add((x, y))
        self._order.append((x, y, self._side))
        self._side = self._side.other
        self._foul = why
        self._result = self._judge()

    def undo(self) -> Point:
        """Take back the last stone and return its point; its owner is to move.

        Raises PositionError if there is no stone.
        """
        if not self._order:
            raise PositionError("there is no stone to take back")
        x, y, owner = self._order.pop()
        self._own[owner].discard((x, y))
        self._empty.add((x, y))
        self._side = owner
        self._foul = None
        # A stone that was played was played in a game that was going on.
        self._result = GOING_ON if len(self._order) >= self._set_up else None
        self._set_up = min(self._set_up, len(self._order))
        return x, y

    # Results

    @property
    def result(self) -> Result:
        """How the game stands."""
        if self._result is None:
            self._result = self._judge(sorted(self._own[BLACK]) + sorted(self._own[WHITE]))
        return self._result

    @property
    def over(self) -> bool:
        """Whether nothing may be played any more."""
        return self.result.reason != "going on"

    def _judge(self, others: Iterable[Point] = ()) -> Result:
        """Judge by the last stone, then these other stones, then the empty points."""
        last = self._order[-1][:2] if self._order else None
        for x, y in (last, *others) if last else ():
            for line in self.fives_through(x, y):
                return Result(self.at(x, y), "five", line)
        if self._foul is not None:
            return Result(WHITE, "forbidden move", self._foul.lines[0])
        if not self._empty:
            return Result(None, "board full", ())
        restricted = self.rules.forbidden and self._side == BLACK
        if restricted and all(self._foul_at(x, y) is not None for x, y in list(self._empty)):
            return Result(None, "no legal point", ())
        return GOING_ON

    def fives_through(self, x: int, y: int) -> list[Line]:
        """Return every line of stones through the stone there that counts as a five."""
        colour = self.at(x, y)
        if colour is None:
            return []
        runs = [self._run(x, y, step, colour) for step in DIRECTIONS]
        return [run for run in runs if self._counts(run, colour)]

    @contextmanager
    def trial(self, x: int, y: int, colour: Colour) -> Iterator[None]:
        """Put a stone on an empty point for the length of a with block, outside the order."""
        self._empty.discard((x, y))
        self._own[colour].add((x, y))
        try:
            yield
        finally:
            self._own[colour].discard((x, y))
            self._empty.add((x, y))

    # Lines

    def _run(self, x: int, y: int, step: Point, colour: Colour) -> Line:
        """Return the row of this colour's stones through a point, taken as one of them."""
        own = self._own[colour]
        dx, dy = step
        first = last = (x, y)
        while (first[0] - dx, first[1] - dy) in own:
            first = (first[0] - dx, first[1] - dy)
        while (last[0] + dx, last[1] + dy) in own:
            last = (last[0] + dx, last[1] + dy)
        length = 1 + max(abs(last[0] - first[0]), abs(last[1] - first[1]))
        return tuple((first[0] + i * dx, first[1] + i * dy) for i in range(length))

    def _ends(self, run: Line, step: Point) -> tuple[Point, Point]:
        """Return the two points just outside a row, whatever is there."""
        (ax, ay), (bx, by), (dx, dy) = run[0], run[-1], step
        return (ax - dx, ay - dy), (bx + dx, by + dy)

    def ends_of(self, x: int, y: int, step: Point) -> tuple[Point, Point]:
        """Return the points just outside the row through the stone there, along a DIRECTIONS step.

        They may be empty, anyone's, or outside the board.
        """
        colour = self.at(x, y)
        assert colour is not None
        return self._ends(self._run(x, y, step, colour), step)

    def _counts(self, run: Line, colour: Colour) -> bool:
        """Return whether a row of this colour is a five under the rules."""
        if len(run) > 5:
            return not self.rules.exact(colour)
        if len(run) < 5:
            return False
        if self.rules.closed_five:
            return True
        step = (run[1][0] - run[0][0], run[1][1] - run[0][1])
        return not all(end in self._own[colour.other] for end in self._ends(run, step))

    def makes_five_on(self, x: int, y: int, step: Point, colour: Colour) -> bool:
        """Return whether a stone there makes a five along one of DIRECTIONS."""
        own = self._own[colour]
        dx, dy = step
        ax, ay = x - dx, y - dy
        while (ax, ay) in own:
            ax -= dx
            ay -= dy
        bx, by = x + dx, y + dy
        while (bx, by) in own:
            bx += dx
            by += dy
        length = (bx - ax if dx else by - ay) - 1  # no direction has dx < 0
        if length != 5:
            return length > 5 and not self.rules.exact(colour)
        if self.rules.closed_five:
            return True
        rival = self._own[colour.other]
        return (ax, ay) not in rival or (bx, by) not in rival

    def makes_five(self, x: int, y: int, colour: Colour) -> bool:
        """Return whether a stone of this colour on that empty point makes a five."""
        return any(self.makes_five_on(x, y, step, colour) for step in DIRECTIONS)

    def five_points(self, colour: Colour) -> set[Point]:
        """Return the empty points where this colour makes a five."""
        return {(x, y) for x, y in self._empty if self.makes_five(x, y, colour)}

    def four_points(self, colour: Colour) -> set[Point]:
        """Return the empty points where a stone makes a four: a five then goes through it."""
        return {(x, y) for x, y in self.empty_points() if self._fours_at(x, y, colour)}

    def _fours_at(self, x: int, y: int, colour: Colour) -> set[Line]:
        with self.trial(x, y, colour):
            return {four for step in DIRECTIONS for four in self._fours(x, y, step, colour)}

    def _fours(self, x: int, y: int, step: Point, colour: Colour) -> set[Line]:
        """Return the fours along a direction that the stone there is part of.

        One more stone makes a five with this one only next to the unbroken row through it, so the
        two ends of that row are all there is to try.
        """
        fours = set()
        for end in self._ends(self._run(x, y, step, colour), step):
            if end in self._empty and self.makes_five_on(*end, step, colour):
                five = self._run(*end, step, colour)
                fours.add(tuple(point for point in five if point != end))
        return fours

    def _threes(self, x: int, y: int, step: Point, colour: Colour) -> dict[Line, list[Point]]:
        """Return the threes along a direction that the stone there is part of.

        Each comes with the points that turn it into a straight four without making a five;
        whether these may be played is not asked.
        """
        threes: dict[Line, list[Point]] = {}
        for end in self._ends(self._run(x, y, step, colour), step):
            if end not in self._empty or self.makes_five(*end, colour):
                continue
            with self.trial(*end, colour):
                four = self._run(*end, step, colour)
                straight = len(four) == 4 and all(
                    beyond in self._empty and self.makes_five_on(*beyond, step, colour)
                    for beyond in self._ends(four, step)
                )
            if straight:
                three = tuple(point for point in four if point != end)
                threes.setdefault(three, []).append(end)
        return threes

    # Legality

    def is_legal(self, x: int, y: int) -> bool:
        """Return whether the side to move may play there: empty, going on, not forbidden."""
        return self.why_illegal(x, y) is None

    def why_illegal(self, x: int, y: int) -> Illegal | None:
        """Return why the side to move may not play there, or None if it may.

        The kind is the first that holds of "outside", "occupied", "game over", "overline",
        "double four", "double three".
        """
        if not (0 <= x < self.rules.width and 0 <= y < self.rules.height):
            return Illegal("outside", ())
        if (x, y) not in self._empty:
            return Illegal("occupied", ())
        if self.over:
            return Illegal("game over", ())
        if self.rules.forbidden and self._side == BLACK:
            return self._foul_at(x, y)
        return None

    def forbidden_points(self) -> dict[Point, str]:
        """Return the empty points forbidden to Black and why, whoever is to move."""
        if not self.rules.forbidden:
            return {}
        fouls = {(x, y): self._foul_at(x, y) for x, y in self.empty_points()}
        return {point: foul.kind for point, foul in fouls.items() if foul is not None}

    def legal_points(self) -> list[Point]:
        """Return the points the side to move may play, row by row."""
        return [(x, y) for x, y in self.empty_points() if self.is_legal(x, y)]

    def _foul_at(self, x: int, y: int) -> Illegal | None:
        """Return what forbids an empty point to Black, or None."""
        if self.makes_five(x, y, BLACK):
            return None
        runs = (self._run(x, y, step, BLACK) for step in DIRECTIONS)
        overlines = tuple(run for run in runs if len(run) > 5)
        if overlines:
            return Illegal("overline", overlines)
        with self.trial(x, y, BLACK):
            fours = [f for step in DIRECTIONS for f in sorted(self._fours(x, y, step, BLACK))]
            if len(fours) > 1:
                return Illegal("double four", tuple(fours))
            threes = [
                three
                for step in DIRECTIONS
                for three, completions in self._threes(x, y, step, BLACK).items()
                if any(self._foul_at(*point) is None for point in completions)
            ]
        return Illegal("double three", tuple(threes)) if len(threes) > 1 else None

    # Classes of points, by brute force

    def class_counts(self, colour: Colour) -> dict[str, dict[Point, int]]:
        """Return, for each of CLASSES, in how many directions each empty point has it.

        Points that have a class in no direction are left out. Forbidden moves are not looked at.
        """
        counts: dict[str, dict[Point, int]] = {name: {} for name in CLASSES}
        for x, y in self.empty_points():
            for step in DIRECTIONS:
                for name in self.classes_on(x, y, step, colour):
                    counts[name][x, y] = counts[name].get((x, y), 0) + 1
        return counts

    def classes_on(self, x: int, y: int, step: Point, colour: Colour) -> set[str]:
        """Return the CLASSES that a stone on this empty point has along one direction.

        In a window of five that holds the point, the others own or empty, and which would count
        as a five once full: "five", "four" and "closed three" by the own stones there (4, 3, 2).
        In a window of six with empty ends that holds the point inside, the inner ones own or
        empty, and beyond which there is no own stone if only exactly five counts: "open four",
        "three" and "two" by the own stones there (3, 2, 1). "overline": six or more with it.
        """
        found = set()
        own = self._own[colour]
        exact = self.rules.exact(colour)
        dx, dy = step
        line = {i: (x + i * dx, y + i * dy) for i in range(-6, 7)}

        def others(first: int, last: int) -> int | None:
            """Own stones but the point itself, or None if one is neither own nor empty."""
            points = [line[i] for i in range(first, last + 1) if i]
            if not all(point in own or point in self._empty for point in points):
                return None
            return sum(point in own for point in points)

        for first in range(-4, 1):
            stones = others(first, first + 4)
            if not self._window_counts(line[first - 1], line[first + 5], colour):
                continue
            if stones in _FIVE_WINDOW:
                found.add(_FIVE_WINDOW[stones])
        for first in range(-4, 0):
            ends = line[first], line[first + 5]
            beyond = line[first - 1], line[first + 6]
            if not all(end in self._empty for end in ends):
                continue
            if exact and any(point in own for point in beyond):
                continue
            stones = others(first + 1, first + 4)
            if stones in _SIX_WINDOW:
                found.add(_SIX_WINDOW[stones])
        if len(self._run(x, y, step, colour)) > 5:
            found.add("overline")
        return found

    def _window_counts(self, before: Point, after: Point, colour: Colour) -> bool:
        """Return whether five stones between these two points would be a five."""
        if self.rules.exact(colour) and (before in self._own[colour] or after in self._own[colour]):
            return False
        rival = self._own[colour.other]
        return self.rules.closed_five or before not in rival or after not in rival


_FIVE_WINDOW: Final[dict[int | None, str]] = {4: "five", 3: "four", 2: "closed three"}
_SIX_WINDOW: Final[dict[int | None, str]] = {3: "open four", 2: "three", 1: "two"}
CLASSES: Final = (*_FIVE_WINDOW.values(), *_SIX_WINDOW.values(), "overline")
"""The names of the classes a point can have along a direction."""
