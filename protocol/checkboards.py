"""Positions that brains are checked with, and a judge of moves that shares nothing with search.

Every verdict is the reference's: the slow, plain rules. No answer is written down here; what a
position asks for follows from the rules, as `Board.why_not` tells.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shisan.engine import Colour, Point, ReferencePosition, Rules

RULES: Final = {
    "freestyle": (0, Rules.freestyle),
    "standard": (1, Rules.standard),
    "renju": (4, Rules.renju),
    "caro": (8, Rules.caro),
}
"""The rules by name: the value of INFO rule, and the Rules of a square board."""


@dataclass(frozen=True)
class Board:
    """A position with the brain to move. own: its stones, other: the opponent's.

    black: whether the brain is Black. walls: points that nobody may use.
    """

    rules: Rules
    own: Sequence[Point]
    other: Sequence[Point]
    black: bool
    walls: Sequence[Point] = ()

    @property
    def position(self) -> ReferencePosition:
        """It on the reference."""
        own = Colour.BLACK if self.black else Colour.WHITE
        stones = [(*point, own) for point in self.own]
        stones += [(*point, own.other) for point in self.other]
        return ReferencePosition.set_up(self.rules, stones, own, self.walls)

    def lines(self, shuffled: int | None = None) -> list[str]:
        """BOARD ... DONE in an order of play, or in one drawn with this seed."""
        first, second = (self.own, self.other) if self.black else (self.other, self.own)
        fields = (1, 2) if self.black else (2, 1)
        listed = []
        for at in range(max(len(first), len(second))):
            for stones, number in zip((first, second), fields, strict=True):
                if at < len(stones):
                    listed.append(f"{stones[at][0]},{stones[at][1]},{number}")
        if shuffled is not None:
            random.Random(shuffled).shuffle(listed)
        return ["BOARD", *listed, *(f"{x},{y},3" for x, y in self.walls), "DONE"]

    def why_illegal(self, point: Point) -> str:
        """Why a move may not be played, "" if it may; judged by the reference."""
        return why_illegal(self.position, point)

    def why_not(self, point: Point) -> str:
        """What speaks against a move at once, "" if nothing does.

        It is illegal, or leaves a five that was to be had, or leaves the opponent one where all of
        them could have been stopped.
        """
        position = self.position
        problem = why_illegal(position, point)
        if problem:
            return problem
        fives = winning(position)
        if fives:
            return "" if point in fives else f"{shown(point)} leaves a five at {shown(fives[0])}"
        left = _replies(position, point)
        if left and not all(_replies(position, other) for other in position.legal_points()):
            return f"{shown(point)} lets the opponent win at {shown(left[0])}"
        return ""


def why_illegal(position: ReferencePosition, point: Point) -> str:
    """Why the side to move may not play there, "" if it may or if no point is legal at all."""
    found = position.why_illegal(*point)
    if found is None or (found.kind not in ("outside", "occupied") and not any(_legal(position))):
        return ""
    if found.kind in ("outside", "occupied"):
        where = "outside the board" if found.kind == "outside" else "occupied"
        return f"{shown(point)} is {where}"
    return f"{shown(point)} is forbidden for Black: {found.kind}"


def _legal(position: ReferencePosition) -> Iterator[bool]:
    return (position.is_legal(x, y) for x, y in position.empty_points())


def winning(position: ReferencePosition) -> list[Point]:
    """The points where the side to move wins at once."""
    return sorted(position.five_points(position.side))


def _replies(position: ReferencePosition, point: Point) -> list[Point]:
    """Where the opponent wins at once after this move."""
    position.play(*point)
    found = [] if position.over else winning(position)
    position.undo()
    return found


def shown(point: Point) -> str:
    """A point as the protocol writes it."""
    return f"{point[0]},{point[1]}"


def row(y: int, *columns: int) -> list[Point]:
    """Points of one row."""
    return [(x, y) for x in columns]


def near(position: ReferencePosition, luck: random.Random) -> Point:
    """A legal move near the stones, drawn: what a careless opponent plays."""
    legal = position.legal_points()
    stones = [(x, y) for x, y, _ in position.stones]
    close = [
        (x, y) for x, y in legal if any(abs(x - a) <= 2 and abs(y - b) <= 2 for a, b in stones)
    ]
    return luck.choice(close or legal)


# -- the organisers' kind of positions -------------------------------------------------------------


def threat(rules: Rules) -> Board:
    """White has four in a row, closed by Black at one end; Black is to move and has none."""
    black = [(3, 7), (5, 9), (6, 10), (0, 0)]
    return Board(rules, black, row(7, 4, 5, 6, 7), black=True)


def six_or_defend(rules: Rules) -> Board:
    """Black could join six at 4,5; White has a four with one open end."""
    return Board(
        rules,
        [*row(5, 2, 3, 5, 6, 7), (3, 9)],
        [*row(9, 4, 5, 6, 7), (1, 1), (12, 12)],
        black=True,
    )


def closed_or_defend(rules: Rules) -> Board:
    """Black could make five at 4,5, between two White stones; White has a four with an open end."""
    return Board(
        rules, [*row(5, 2, 3, 5, 6), (3, 9), (12, 12)], [*row(5, 1, 7), *row(9, 4, 5, 6, 7)], True
    )


def fork(rules: Rules) -> Board:
    """The best-looking point for Black, 7,7, is a double three."""
    black = [(5, 7), (6, 7), (7, 5), (7, 6)]
    return Board(rules, black, [(0, 0), (14, 0), (0, 14), (14, 14)], black=True)


def white_six(rules: Rules) -> Board:
    """White could join six at 4,5; Black threatens five at both ends of a four."""
    white = row(5, 2, 3, 5, 6, 7)
    return Board(rules, white, [*row(9, 4, 5, 6, 7), (1, 1), (12, 12)], black=False)


def own_five(rules: Rules) -> Board:
    """Black has an open four, and so has White: Black wins at once."""
    return Board(rules, row(5, 4, 5, 6, 7), row(9, 4, 5, 6, 7), black=True)


# -- boards with next to nothing free --------------------------------------------------------------


def filled(rules: Rules, free: Iterable[Point], other: Iterable[Point] = ()) -> Board:
    """A board without any five, Black to move, on which only these points are free.

    other: points that change their colour. Black and White own as many stones: where they would
    not, stones of the one who has too many change hands, far from each other.
    """
    empty, turned = set(free), set(other)
    colour = {
        (x, y): ((x // 2 + y) % 2 == 1) != ((x, y) in turned)
        for y in range(rules.height)
        for x in range(rules.width)
        if (x, y) not in empty
    }
    apart = [(x, y) for y in range(1, rules.height, 3) for x in range(1, rules.width, 4)]
    kept = {y for _, y in empty | turned}
    for point in apart:
        white = sum(colour.values())
        surplus = white - (len(colour) - white)
        if abs(surplus) >= 2 and point[1] not in kept and colour[point] == (surplus > 0):
            colour[point] = not colour[point]
    own = [point for point, is_white in colour.items() if not is_white]
    rival = [point for point, is_white in colour.items() if is_white]
    return Board(rules, own, rival, black=True)


def last_is_overline() -> Board:
    """Renju 15x15: the only free point, 3,6, joins six of Black's."""
    return filled(Rules.renju(), [(3, 6)], [(2, 6)])
