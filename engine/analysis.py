"""What an analysis says: several best lines, each with its value, its odds and its proof."""

from dataclasses import dataclass

from .rules import Point


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
