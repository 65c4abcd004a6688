"""Milliseconds to deadlines: what a search may use of what it is given."""

from dataclasses import dataclass
from typing import Final

from .errors import LimitError

MOVES_LEFT: Final = 22
"""Own moves that the time left is shared out over."""

LARGEST_SHARE: Final = 4
"""A move never takes more than one part in so many of the time left."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a search: any of these, alone or together; None: no such limit.

    turn_ms: time for this move in ms, from the moment the request was read; 0: at once.
    left_ms: time left for all further moves of the game in ms; 0 or less: at once.
    nodes: positions of the search and its solver together, 1 or more.
    depth: plies, forced replies not counted, 1 or more.
    Raises LimitError for a value out of its range.
    """

    turn_ms: int | None = None
    left_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name, low in (("turn_ms", 0), ("left_ms", None), ("nodes", 1), ("depth", 1)):
            value = getattr(self, name)
            if value is None:
                continue
            if type(value) is not int:
                raise LimitError(f"{name} must be an integer or None, not {value!r}")
            if low is not None and value < low:
                raise LimitError(f"{name} must be {low} or more, not {value}")


def deadlines(limits: Limits, started_ns: int) -> tuple[int | None, int | None]:
    """Return when no new iteration begins and when to give up, in ns of the monotonic clock.

    started_ns: when the request was read. None: never. A move whose own time is the tighter limit
    uses all of it. Of a match's time a move plans with an equal share of what is left, begins no
    iteration that it can hardly finish, and may take three shares to finish one.
    """
    if limits.left_ms is None:
        if limits.turn_ms is None:
            return None, None
        hard = started_ns + limits.turn_ms * 1_000_000
        return hard, hard
    left = max(0, limits.left_ms)
    share = left / MOVES_LEFT
    hard_ms = min(left / LARGEST_SHARE, 3 * share)
    soft_ms = 0.7 * share
    if limits.turn_ms is not None:
        hard_ms = min(hard_ms, limits.turn_ms)
        soft_ms = hard_ms if limits.turn_ms <= share else min(soft_ms, hard_ms)
    return started_ns + int(soft_ms * 1_000_000), started_ns + int(hard_ms * 1_000_000)
