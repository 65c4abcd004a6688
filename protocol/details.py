"""What Yixin-Board shows of a running search: MESSAGE REALTIME and INFO lines, when asked for.

Such lines come at most every TICK seconds, more rarely when there are many best moves, the last
state always, and none unless show_detail wants them: another manager would take an INFO line for a
fault.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from shisan.engine import Analysis, Line, Point, Progress, Rules

from .sayings import MAX_LINE_POINTS, coordinates, value_text

REALTIME: Final = 1
"""The bit of show_detail for REALTIME lines."""

BLOCKS: Final = 2
"""The bit of show_detail for INFO blocks, one for each best move."""

TICK: Final = 0.1
"""Seconds between two reports, and between two points that are tried one by one."""


MAX_BLOCKS: Final = 64
"""How many best moves have a block: all of a board take too long on the way to a stopped move."""


class Trial(NamedTuple):
    """A search that tries point after point has begun with one, or ended with it.

    lost: whether it is proven to lose.
    """

    point: Point
    ended: bool
    lost: bool = False


News = Progress | Analysis | Trial


class Details:
    """The lines about one search; `now` is in seconds of one clock."""

    def __init__(self, rules: Rules, started: float) -> None:
        self._rules = rules
        self._next = self._next_trial = started + TICK
        self._told: tuple[Line, ...] = ()
        self._shown: Point | None = None  # being tried, as was said
        self._lost: set[Point] = set()
        self._refreshed = False

    def take(self, news: News, show: int, now: float) -> list[str]:
        """What to say of the news now; nothing if it is too early. show: of show_detail."""
        if isinstance(news, Trial):
            return _realtime(self._trial(news, now)) if show & REALTIME else []
        if now < self._next:
            return []
        lines = 1 if isinstance(news, Progress) else len(news.lines)
        self._next = now + TICK * max(1, lines // 4)
        return self.last(news, show)

    def last(self, known: Progress | Analysis, show: int) -> list[str]:
        """What is still to be said of what is known, whenever that is."""
        lines = _lines(known)
        if lines == self._told or not show & (REALTIME | BLOCKS) or not lines:
            return []
        self._told = lines
        said: list[str] = []
        if show & REALTIME:
            said += _realtime(self._best(lines))
        if show & BLOCKS:
            for i, line in enumerate(lines[:MAX_BLOCKS]):
                said += _block(i, min(len(lines), MAX_BLOCKS), line, known)
        return said

    def _best(self, lines: tuple[Line, ...]) -> list[str]:
        """The best move, those that lose, and the best line."""
        best = lines[0]
        said = self._refresh()
        said.append(f"BEST {coordinates(best.move)}")
        said += self._losses(line.move for line in lines if (line.win_in or 0) < 0)
        said.append(f"VAL {best.value}")
        points = (best.moves or (best.move,))[:MAX_LINE_POINTS]
        said.append("PV " + " ".join(self._name(point) for point in points))
        return said

    def _trial(self, trial: Trial, now: float) -> list[str]:
        """POS and DONE come in pairs; a point that was not announced is not ended either."""
        said: list[str] = []
        if trial.ended:
            if self._shown == trial.point:
                self._shown = None
                said.append(f"DONE {coordinates(trial.point)}")
            return said + (self._losses([trial.point]) if trial.lost else [])
        if now >= self._next_trial:
            self._next_trial = now + TICK
            self._shown = trial.point
            said = [*self._refresh(), f"POS {coordinates(trial.point)}"]
        return said

    def _refresh(self) -> list[str]:
        """Once a search: forget the marks of the one before."""
        first, self._refreshed = not self._refreshed, True
        return ["REFRESH"] if first else []

    def _losses(self, points: Iterable[Point]) -> list[str]:
        new = [point for point in points if point not in self._lost]
        self._lost.update(new)
        return [f"LOST {coordinates(point)}" for point in new]

    def _name(self, point: Point) -> str:
        """A point as that program's own text calls it: the second number is the letter.

        It counts rows, our first number, from the bottom.
        """
        return f"{chr(ord('a') + point[1])}{self._rules.width - point[0]}"


def _realtime(said: list[str]) -> list[str]:
    return [f"MESSAGE REALTIME {line}" for line in said]


def _lines(known: Progress | Analysis) -> tuple[Line, ...]:
    if isinstance(known, Analysis):
        return known.lines
    chance = known.win_probability
    return (Line(known.move, known.value, chance, known.win_in, known.depth, known.line),)


def _block(index: int, count: int, line: Line, known: Progress | Analysis) -> list[str]:
    """One best move; nodes and time are those of the whole search."""
    points = (line.moves or (line.move,))[:MAX_LINE_POINTS]
    said = (
        f"PV {index}",
        f"NUMPV {count}",
        f"DEPTH {line.depth}",
        f"SELDEPTH {max(line.depth, len(line.moves))}",
        f"NODES {known.nodes}",
        f"TOTALNODES {known.nodes}",
        f"TOTALTIME {known.time_ms}",
        f"SPEED {known.nodes * 1000 // max(1, known.time_ms)}",
        f"EVAL {value_text(line.value, line.win_in)}",
        f"WINRATE {line.win_probability:.3f}",
        "BESTLINE " + coordinates(*points),
        "PV DONE",
    )
    return [f"INFO {line}" for line in said]
