"""What a position says of itself: how the game stands, and why a point cannot be played."""

from typing import Final, NamedTuple

from .rules import Colour, Point


class Result(NamedTuple):
    """How a game stands.

    winner: None for a draw and while the game goes on.
    reason: "going on", "five", "forbidden move" (White wins), "board full" or "no legal point"
        (draws; the latter only where forbidden moves are on and Black is to move).
    line: the stones of the five, or of the first line that made the move forbidden; in order.
    """

    winner: Colour | None
    reason: str
    line: tuple[Point, ...]

    @property
    def over(self) -> bool:
        """Whether nothing may be played any more."""
        return self.reason != "going on"


class Illegal(NamedTuple):
    """Why a point cannot be played.

    kind: the first that holds of "outside", "occupied", "game over", "overline", "double four",
        "double three".
    lines: for a forbidden point the stones of each overline, four or three it would make, the
        point itself included, in order along the line.
    """

    kind: str
    lines: tuple[tuple[Point, ...], ...]


GOING_ON: Final = Result(None, "going on", ())
