"""What an analysis says: several best lines, each with its value, its odds and its proof."""

from dataclasses import dataclass
from math import exp
from typing import Final

from .rules import Point

UNIT: Final = 200
"""The value at which the side to move wins e times as often as it loses."""


def win_probability(value: int, win_in: int | None = None) -> float:
    """Return the chance that the side to move wins: 1 / (1 + exp(-value / 200)); proven: 1 or 0.

    value: as a search gives it; win_in: plies to a proven win, negative for a proven loss.

    >>> round(win_probability(200), 3)
    0.731
    >>> win_probability(29_997, 3), win_probability(-29_996, -4)
    (1.0, 0.0)
    """
    if win_in is not None:
        return 1.0 if win_in > 0 else 0.0
    return 1 / (1 + exp(-value / UNIT))


@dataclass(frozen=True, slots=True)
class Line:
    """One of the best moves, and how play would go on.

    move: the point; moves: the best line, which begins with it, both sides' points in turn.
    value: from the view of the side to move; 200 is odds of e to 1, beyond +-29,000 proven.
    win_probability: the chance of the side to move that the value stands for, 0..1.
    win_in: plies to the five of a proven win, both sides' counted; of a proven loss negative;
        None: not proven.
    depth: plies it was searched to, forced replies not counted.
    """

    move: Point
    value: int
    win_probability: float
    win_in: int | None
    depth: int
    moves: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a position: its best moves, best first, none twice.

    lines: as many as asked for, or as there are legal moves.
    nodes: positions of the search and its solver so far; time_ms: since the request.
    note: one sentence for people, when there is something to say.
    """

    lines: tuple[Line, ...]
    nodes: int
    time_ms: int
    note: str | None = None

    @property
    def best(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def depth(self) -> int:
        """Plies to which every line was searched."""
        return min(line.depth for line in self.lines)
