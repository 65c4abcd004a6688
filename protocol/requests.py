"""What a brain is told of a game, what it answers, and what it may be guilty of."""

from dataclasses import dataclass
from typing import NamedTuple

from shisan.engine import Point


class BrainFault(Exception):  # noqa: N818 - a fault of the brain is no error of ours
    """A brain has lost by what it did. Its processes are gone.

    reason: "time", "crash", "start", "memory" or "nonsense". detail: one line for people.
    time_ms: how long the request had lasted; 0.0 where there was none.
    """

    def __init__(self, reason: str, detail: str, time_ms: float = 0.0) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.time_ms = reason, detail, time_ms


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What a brain is told of a game by INFO. All times in ms, None: no limit.

    max_memory: bytes, 0: no limit. folder: sent if not empty. options: further keys and values,
    such as ("max_node", "1000"), in order. game_type: 1, against another engine.
    """

    turn_ms: int | None = None
    match_ms: int | None = None
    max_memory: int = 0
    game_type: int = 1
    folder: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def lines(self, rule: int) -> list[str]:
        """The INFO lines, in the order in which Piskvork sends them."""
        lines = [f"INFO max_memory {self.max_memory}", f"INFO timeout_match {self.match_ms or 0}"]
        if self.turn_ms is not None:
            lines.append(f"INFO timeout_turn {self.turn_ms}")
        lines += [f"INFO game_type {self.game_type}", f"INFO rule {rule}"]
        if self.folder:
            lines.append(f"INFO folder {self.folder}")
        return [*lines, *(f"INFO {key} {value}" for key, value in self.options)]


class Reply(NamedTuple):
    """What a brain has answered.

    kind: "move", "ok", "error", "unknown", "text", "points" (two or three), "swap".
    points: one for a move, which may lie anywhere, off the board too.
    time_ms: from just before the command was written to the arrival of the line, and for the first
        move the start of the process too if it is charged. overhead_ms: what we have added: the
        time of our own writing, and from the arrival of the line until this was made.
    score, nodes, depth: what its MESSAGEs said; score from its own view. messages: their texts.
    """

    kind: str
    points: tuple[Point, ...]
    line: str
    time_ms: float
    overhead_ms: float
    score: int | None = None
    nodes: int | None = None
    depth: int | None = None
    messages: tuple[str, ...] = ()
