"""The engine in a thread of its own: one thought at a time, which can be hurried or dropped."""

from collections.abc import Callable
from threading import Thread
from typing import Final, NamedTuple

from shisan.engine import MAX_STRENGTH, Engine, Limits, Position, Progress, Rules, SearchResult

from .hints import Hint, hint

_PATIENCE_S: Final = 0.005
"""Between two calls of stop: one that comes before the search has begun is not heard."""


class Thought(NamedTuple):
    """What came of thinking. hint: if one was asked for."""

    found: SearchResult
    hint: Hint | None


class Thinker:
    """Thinks about positions under some rules. Its methods are called from one thread.

    wake: called from the thinking thread when a thought is ready. variety, seed: as Engine.vary.
    """

    def __init__(
        self, rules: Rules, wake: Callable[[], None], variety: int = 0, seed: int = 0
    ) -> None:
        self._engine = Engine(rules)
        self._engine.vary(variety, seed)
        self._wake = wake
        self._thread: Thread | None = None
        self._thought: Thought | None = None
        self._error: Exception | None = None
        self._hurried = False
        self._dropped = False
        self._progress: Progress | None = None

    @property
    def busy(self) -> bool:
        """Whether a thought was begun that has been neither taken nor dropped."""
        return self._thread is not None

    @property
    def progress(self) -> Progress | None:
        """What the search knows so far; None before its first iteration has ended."""
        return self._progress

    def begin(
        self, position: Position, limits: Limits, strength: int = MAX_STRENGTH, why: bool = False
    ) -> None:
        """Think about a position; what was being thought is dropped. why: make a hint of it."""
        self.drop()
        self._hurried = self._dropped = False
        place = position.copy()
        self._thread = Thread(
            target=self._think, args=(place, limits, strength, why), name="thinker", daemon=True
        )
        self._thread.start()

    def take(self) -> Thought | None:
        """The thought, once it is ready. Raises what went wrong in thinking."""
        if self._error is not None:
            error, self._error = self._error, None
            self.drop()
            raise error
        thought = self._thought
        if thought is not None:
            self.drop()
        return thought

    def hurry(self) -> None:
        """Let the thought be ready at once, with the best move so far."""
        self._hurried = True
        self._engine.stop()

    def drop(self) -> None:
        """Forget the thought; nothing is computed any more when this returns."""
        self._dropped = self._hurried = True
        while self._thread is not None and self._thread.is_alive():
            self._engine.stop()
            self._thread.join(_PATIENCE_S)
        self._thread = self._thought = self._error = self._progress = None

    def _think(self, position: Position, limits: Limits, strength: int, why: bool) -> None:
        """The thread: search, put it in words, tell."""
        try:
            self._engine.strength = strength
            now = Limits(turn_ms=0) if self._hurried else limits
            found = self._engine.search(position, now, on_progress=self._report)
            if not self._dropped:
                self._thought = Thought(found, hint(position, found) if why else None)
        except Exception as error:  # for take, in the other thread
            self._error = error
        self._wake()

    def _report(self, progress: Progress) -> None:
        """Keep what is known, and say once more that it is enough."""
        self._progress = progress
        if self._hurried:
            self._engine.stop()
