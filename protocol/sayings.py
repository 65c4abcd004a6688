"""Lines of the brain as text: messages, errors, what a search found, what is wrong with a point."""

from collections.abc import Sequence
from typing import Final

from shisan.engine import MAX_SIDE, MIN_SIDE, Line, Point, Position, SearchResult

from .commands import printable
from .notation import point_name

MAX_LINE_POINTS: Final = 40
"""How many points of the best line a summary shows."""


MAX_LINES: Final = 20
"""How many best moves are summed up; all of a board would be a flood."""


def message(text: str) -> str:
    """A MESSAGE line; the text is never empty."""
    return "MESSAGE " + (printable(text, 900) or "-")


def error(text: str) -> str:
    """An ERROR line."""
    return "ERROR " + printable(text, 900)


def coordinates(*points: Point) -> str:
    """A move line: x,y of each point."""
    return " ".join(f"{x},{y}" for x, y in points)


def value_text(value: int, win_in: int | None) -> str:
    """A value; of a proven win +M and the plies, of a loss -M."""
    return str(value) if win_in is None else f"{'+' if win_in > 0 else '-'}M{abs(win_in)}"


def summaries(result: SearchResult, lines: Sequence[Line] = ()) -> list[str]:
    """What a search found, one text for each of several best moves, else one of the result.

    The form is the one that clients read: pv letters are columns from a, multipv counts from 1.
    """
    if len(lines) < 2:
        best = result.line or (result.move,)
        return [_summary(result, result.depth, "", result.value, result.win_in, best)]
    return [
        _summary(result, line.depth, f"multipv {i + 1} ", line.value, line.win_in, line.moves)
        for i, line in enumerate(lines[:MAX_LINES])
    ]


def _summary(
    search: SearchResult,
    depth: int,
    number: str,
    value: int,
    win_in: int | None,
    points: Sequence[Point],
) -> str:
    line = " ".join(point_name(x, y) for x, y in points[:MAX_LINE_POINTS])
    time_ms = int(search.time_ms)
    return (
        f"depth {depth}-{depth} {number}ev {value_text(value, win_in)} n {search.nodes} "
        f"n/ms {search.nodes // max(1, time_ms)} tm {time_ms} pv {line}"
    )


def size_problem(width: int, height: int) -> str:
    """What is wrong with a board size; empty: nothing."""
    for side in (width, height):
        if not MIN_SIDE <= side <= MAX_SIDE:
            return f"board size must be {MIN_SIDE}..{MAX_SIDE}, not {side}"
    return ""


def outside(position: Position, x: int, y: int) -> str:
    """Why a point lies on no board; empty: it does not."""
    rules = position.rules
    if 0 <= x < rules.width and 0 <= y < rules.height:
        return ""
    return f"point must be 0..{rules.width - 1},0..{rules.height - 1}, not {x},{y}"


def point_problem(position: Position, x: int, y: int) -> str:
    """Why no stone can be put on a point; empty: it can. Rules are the referee's matter."""
    problem = outside(position, x, y)
    if not problem and not position.is_empty(x, y):
        problem = f"point {x},{y} is occupied"
    return problem
