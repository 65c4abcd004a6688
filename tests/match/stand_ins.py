"""Stand-ins for brains in the referee's tests: they answer as they are told, without a process."""

from collections.abc import Sequence

from shisan.engine import Point, Rules
from shisan.protocol.conditions import Conditions
from shisan.protocol.manager import BrainFault, GameSettings, Reply
from shisan.protocol.police import Offence
from shisan.protocol.referee import Plan, Seat

Answer = (
    Point | str | BrainFault | tuple[Point | str, float] | tuple[Point | str, float, int | None]
)


class StandIn:
    """Says these answers in turn: a point, a line, a fault, or any with a time (and a value).

    asked: what it was asked, in words.
    """

    def __init__(self, *answers: Answer, start: BrainFault | None = None) -> None:
        self.offences: list[Offence] = []
        self.started_ms = 12.0
        self.peak_memory = 1000
        self.asked: list[str] = []
        self.limits: list[tuple[float | None, float | None]] = []
        self.told: GameSettings | None = None
        self.ended = ""
        self._answers, self._start = list(answers), start

    def start_game(
        self, rules: Rules, settings: GameSettings, *, new_process: bool = True
    ) -> Reply:
        self.told = settings
        self.asked.append("START" if new_process else "START again")
        if self._start is not None:
            raise self._start
        return Reply("ok", (), "OK", 1.0, 0.0)

    def begin(self, limit_ms: float | None = None, left_ms: float | None = None) -> Reply:
        return self._say("BEGIN", limit_ms, left_ms)

    def turn(
        self, x: int, y: int, limit_ms: float | None = None, left_ms: float | None = None
    ) -> Reply:
        return self._say(f"TURN {x},{y}", limit_ms, left_ms)

    def board(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
        closed: Sequence[Point] = (),
    ) -> Reply:
        shut = " closed " + " ".join(f"{x},{y}" for x, y in closed) if closed else ""
        return self._say(f"BOARD {len(stones)}{shut}", limit_ms, left_ms)

    def swap2(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
    ) -> Reply:
        return self._say(f"SWAP2BOARD {len(stones)}", limit_ms, left_ms)

    def quit(self) -> int | None:
        self.ended = "quit"
        return 0

    def kill(self) -> None:
        self.ended = "kill"

    def usage(self) -> int:
        return self.peak_memory

    def _say(self, asked: str, limit_ms: float | None, left_ms: float | None) -> Reply:
        self.asked.append(asked)
        self.limits.append((limit_ms, left_ms))
        answer = self._answers.pop(0)
        if isinstance(answer, BrainFault):
            raise answer
        time_ms, score = 1.0, None
        if isinstance(answer, tuple) and not isinstance(answer[0], int):
            answer, time_ms, *rest = answer
            score = rest[0] if rest else None
        if isinstance(answer, tuple):
            return Reply("move", (answer,), f"{answer[0]},{answer[1]}", time_ms, 0.01, score, 100)
        kinds = {"SWAP": "swap", "UNKNOWN": "unknown"}
        kind = kinds.get(answer.partition(" ")[0], "points")
        words = answer.split() if kind == "points" else []
        points = tuple((int(word.split(",")[0]), int(word.split(",")[1])) for word in words)
        return Reply(kind, points, answer, time_ms, 0.01, score)


def seats(
    black: StandIn, white: StandIn, conditions: Conditions | None = None
) -> tuple[Seat, Seat]:
    """Players 0 and 1."""
    shared = Conditions() if conditions is None else conditions
    return Seat(0, black, shared), Seat(1, white, shared)


def plan(*opening: Point, swap2: bool = False) -> Plan:
    """Game 1 of pair 1, player 0 has Black."""
    return Plan(1, 1, 0, 1, opening, swap2)
