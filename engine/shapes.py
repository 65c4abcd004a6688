"""Fours and threes with their stones: those on the board, and those that one more stone makes.

The kernel's maps say at which points something happens; this says to which stones, for people.
A four is stones in a line that one more stone turns into a five; an open four is an unbroken row
of four that becomes a five at both its ends; a three is stones in a line that one more stone,
without making a five, turns into an open four. Where Black has forbidden points, his three counts
only if that stone is allowed. What a five is, the rules say.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .kernel import load
from .rules import Colour, Point, Rules

if TYPE_CHECKING:
    from .position import Position
else:
    Position = load("position").Position

Line = tuple[Point, ...]

DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
CHANCES: Final = (
    "five",
    "open four",
    "double four",
    "four-three",
    "double three",
    "four",
    "three",
)
"""What one stone can make, the strongest first; see Chance."""


@dataclass(frozen=True, slots=True)
class Four:
    """A four on the board.

    stones: its stones in order along the line; four, or more where six in a row are a five.
    fives: where one more stone makes a five: one point, or both ends of an open four.
    """

    stones: Line
    fives: Line

    @property
    def open(self) -> bool:
        """Whether it is an open four."""
        return len(self.fives) == 2


@dataclass(frozen=True, slots=True)
class Three:
    """A three on the board.

    stones: its three stones in order along the line. fours: where one more stone makes an open
    four; never a forbidden point.
    """

    stones: Line
    fours: Line


@dataclass(frozen=True, slots=True)
class Chance:
    """What a stone of one side on an empty point makes.

    kind: the first that holds of CHANCES. "double four": fours with two or more points for a five;
        "four-three": a four and a three; "double three": two threes in different directions.
    fours, threes: those the stone is part of; none for a five.
    """

    point: Point
    kind: str
    fours: tuple[Four, ...]
    threes: tuple[Three, ...]


class _Stones:
    """The stones of one colour, and what a row of them counts for."""

    def __init__(self, position: "Position", colour: Colour) -> None:
        owned: tuple[set[Point], set[Point]] = (set(), set())
        for x, y, owner in position.stones:
            owned[owner].add((x, y))
        self.own, self.rival = owned[colour], owned[colour.other]
        self.rules: Rules = position.rules
        self.exact = position.rules.exact(colour)

    def beyond(self, point: Point, step: Point) -> Line:
        """The unbroken row that begins one step after a point, from there on."""
        (x, y), (dx, dy) = point, step
        found: list[Point] = []
        while (x + dx, y + dy) in self.own:
            x, y = x + dx, y + dy
            found.append((x, y))
        return tuple(found)

    def row(self, point: Point, step: Point) -> Line:
        """The unbroken row through a point, which is taken as own, in the order of the step."""
        dx, dy = step
        return (*reversed(self.beyond(point, (-dx, -dy))), point, *self.beyond(point, step))

    def counts(self, row: Line, step: Point) -> bool:
        """Whether a row is a five."""
        if len(row) != 5:
            return len(row) > 5 and not self.exact
        if self.rules.closed_five:
            return True
        (ax, ay), (bx, by), (dx, dy) = row[0], row[-1], step
        return (ax - dx, ay - dy) not in self.rival or (bx + dx, by + dy) not in self.rival


def five_points(position: "Position", colour: Colour) -> Line:
    """Return the empty points where this colour makes a five, row by row."""
    return in_order(position.maps(colour)["five"])


def in_order(points: Iterable[Point]) -> Line:
    """Return points row by row, as they are listed everywhere."""
    return tuple(sorted(points, key=lambda point: (point[1], point[0])))


def fours(position: "Position", colour: Colour) -> tuple[Four, ...]:
    """Return the fours of a colour on the board, open ones first."""
    stones = _Stones(position, colour)
    completed: dict[tuple[Point, Point], Line] = {}
    for point in five_points(position, colour):
        for step in DIRECTIONS:
            row = stones.row(point, step)
            if stones.counts(row, step):
                completed[step, point] = tuple(each for each in row if each != point)
    found, covered = [], set()
    for step, point in completed:
        (x, y), (dx, dy) = point, step
        end = (x + 5 * dx, y + 5 * dy)
        row = tuple((x + i * dx, y + i * dy) for i in range(1, 5))
        if (step, end) in completed and stones.own.issuperset(row):
            found.append(Four(row, (point, end)))
            covered |= {(step, point), (step, end)}
    return (
        *found,
        *(Four(made, (at,)) for (step, at), made in completed.items() if (step, at) not in covered),
    )


def threes(position: "Position", colour: Colour) -> tuple[Three, ...]:
    """Return the threes of a colour on the board."""
    stones = _Stones(position, colour)
    maps = position.maps(colour)
    barred = set(maps["five"])
    if colour is Colour.BLACK:
        barred.update(position.forbidden_points())
    found: dict[Line, list[Point]] = {}
    for point in in_order(maps["open four"]):
        if point in barred:
            continue
        for step in DIRECTIONS:
            row = stones.row(point, step)
            if _straight(position, stones, row, step):
                found.setdefault(tuple(each for each in row if each != point), []).append(point)
    return tuple(Three(three, tuple(points)) for three, points in found.items())


def _straight(position: "Position", stones: _Stones, row: Line, step: Point) -> bool:
    """Whether a row of four, one of its points still empty, would be an open four."""
    if len(row) != 4:
        return False
    (ax, ay), (bx, by), (dx, dy) = row[0], row[-1], step
    first, last = (ax - dx, ay - dy), (bx + dx, by + dy)
    if not position.is_empty(*first) or not position.is_empty(*last):
        return False
    left = reversed(stones.beyond(first, (-dx, -dy)))
    right = stones.beyond(last, step)
    return stones.counts((*left, first, *row), step) and stones.counts((*row, last, *right), step)


def with_stone(
    position: "Position", point: Point, colour: Colour, side: Colour | None = None
) -> "Position":
    """Return a set-up with one stone more, allowed there or not. side: to move; None: as before."""
    mover = position.side if side is None else side
    stones = (*position.stones, (*point, colour))
    return Position.set_up(position.rules, stones, mover, position.walls)


def chance(position: "Position", point: Point, colour: Colour) -> Chance | None:
    """Return what a stone of this colour on an empty point makes; None: nothing, or forbidden.

    Whoever is to move.
    """
    if point in position.maps(colour)["five"]:
        return Chance(point, "five", (), ())
    if colour is Colour.BLACK and point in position.forbidden_points():
        return None
    return _made(position, point, colour)


def chances(position: "Position", colour: Colour) -> tuple[Chance, ...]:
    """Return what one stone of this colour makes, the strongest first; single threes left out."""
    maps = position.maps(colour)
    barred = set(maps["five"])
    found = [Chance(point, "five", (), ()) for point in in_order(barred)]
    if colour is Colour.BLACK:
        barred.update(position.forbidden_points())
    for point in in_order({*maps["four"], *maps["three"]} - barred):
        made = _made(position, point, colour)
        if made is not None and made.kind != "three":
            found.append(made)
    return tuple(sorted(found, key=lambda each: CHANCES.index(each.kind)))


def _made(position: "Position", point: Point, colour: Colour) -> Chance | None:
    """What a stone on an empty point makes that is no five and not forbidden."""
    after = with_stone(position, point, colour)
    new_fours = tuple(each for each in fours(after, colour) if point in each.stones)
    new_threes = tuple(each for each in threes(after, colour) if point in each.stones)
    fives = {five for each in new_fours for five in each.fives}
    steps = {_step(each.stones) for each in new_threes}
    if any(each.open for each in new_fours):
        kind = "open four"
    elif len(fives) > 1:
        kind = "double four"
    elif new_fours:
        kind = "four-three" if new_threes else "four"
    elif new_threes:
        kind = "double three" if len(steps) > 1 else "three"
    else:
        return None
    return Chance(point, kind, new_fours, new_threes)


def _step(stones: Line) -> Point:
    """The direction of stones in a line."""
    (ax, ay), (bx, by) = stones[0], stones[-1]
    return (bx > ax) - (bx < ax), (by > ay) - (by < ay)
