"""Games without waiting: a clock that is set, an engine that moves where it is told."""

from datetime import datetime
from pathlib import Path
from random import Random

from shisan.engine import Limits, Position, Progress, Rules, SearchResult
from shisan.protocol.hints import Hint, hint
from shisan.protocol.host import Host, Wishes
from shisan.protocol.keeping import Keeper
from shisan.protocol.notation import read_point, read_points
from shisan.protocol.records import play_all
from shisan.protocol.thinker import Thought


def found(position: Position, point: str, value: int = 0, win_in: int | None = None):
    move = read_point(point)
    return SearchResult(move, value, win_in, 4, 100, 5, (move,))


class Told:
    """In place of a Thinker: thinks of the moves it is given, when tell is called."""

    def __init__(self) -> None:
        self.asked: list[tuple[Position, Limits, int, bool]] = []
        self.busy = False
        self.hurried = 0
        self.progress: Progress | None = None
        self._ready: Thought | None = None

    def begin(self, position: Position, limits: Limits, strength: int = 100, why: bool = False):
        self.asked.append((position.copy(), limits, strength, why))
        self.busy, self._ready = True, None

    def tell(self, point: str) -> None:
        position, _, _, why = self.asked[-1]
        result = found(position, point)
        said: Hint | None = hint(position, result) if why else None
        self._ready = Thought(result, said)

    def take(self) -> Thought | None:
        thought, self._ready = self._ready, None
        self.busy = self.busy and thought is None
        return thought

    def hurry(self) -> None:
        self.hurried += 1

    def drop(self) -> None:
        self.busy, self._ready = False, None


class Table:
    """A host with its told engine and its clock."""

    def __init__(
        self,
        rules: Rules | None = None,
        moves: str = "",
        save: Path | None = None,
        force: bool = False,
        **wishes,
    ) -> None:
        self.now = 1000.0
        self.engine = Told()
        start = play_all(rules or Rules.freestyle(), read_points(moves))
        self.host = Host(
            Wishes(start, **wishes),
            self.engine,
            Keeper(save, force),
            Random(1),
            lambda: self.now,
            lambda: datetime(2026, 5, 4, 13, 7, 9),
        )
        self.host.begin()

    def reply(self, point: str) -> list[str]:
        """Let the engine move."""
        self.engine.tell(point)
        return self.host.poll()
