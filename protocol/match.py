"""A match: hands out pairs of games to workers, journals what comes back, knows when it is over.

The workers are any concurrent.futures.Executor; what they tell while they work arrives in an inbox
beside the results of their tasks. A game is written to the journal the moment it is known, so that
the end of this process, however sudden, costs the games in progress and nothing else.

A sequential test looks at the pairs in the order of the schedule, not in which they ended: pairs
that end early are not like the others (quick wins), and a match repeated stops at the same pair.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final, Literal

from . import workers
from .journal import Game, Header, Journal, read_games
from .openings import Openings
from .pairs import ONLY_GAMES, CannotPlayError, Message, Wants, play_unit
from .schedule import Unit, total, units
from .statistics import Pentanomial, Sprt, sprt

TRIES: Final = 3
"""How many workers a pair may cost before the match is given up."""

TICK_SECONDS: Final = 0.25
"""How often watch is called when nothing happens."""

Inbox = SimpleQueue[Any]
Watch = Callable[["Match", Message | None], None]
End = Literal["all played", "decided", "stopped"]


class MatchError(Exception):
    """What keeps a match from going on, in one line."""


def play_here(header: Header, unit: Unit, wants: Wants) -> list[Game]:
    """Play a unit in a worker of LocalWorkers."""
    return play_unit(header, unit, workers.tell, wants)


Task = Callable[[Header, Unit, Wants], list[Game]]
Try = Callable[[Header, int, bool], None]


@dataclass
class Force:
    """Workers, and how to use them.

    executor: any. width: how many units they can take at once, now. task, trial: what plays a unit
    and tries a program there. lost: what the task of a dead worker raises. end: ends all of them at
    once; may be called again.
    """

    executor: Executor
    width: Callable[[], int]
    task: Task
    trial: Try
    lost: tuple[type[BaseException], ...]
    end: Callable[[], None]


@dataclass
class Standing:
    """A player's results so far. faults: games lost by a fault, by reason."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        """How many it has finished."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, a half for a draw."""
        return self.wins + self.draws / 2


class Match:
    """A match with its journal, which is read for what was played before.

    total: games of the whole schedule. done: numbers of the games in the journal. resumed: how many
    there were at the beginning. standings: by player. test: the state of the sequential test.
    """

    def __init__(self, header: Header, openings: Openings, journal: Journal) -> None:
        self.header, self.journal = header, journal
        self.total = total(header)
        self.done: set[int] = set()
        self.standings = [Standing() for _ in header.players]
        self.test: Sprt | None = None
        self._openings = openings
        self._points: dict[int, list[float]] = {}  # of pairs that the test has not looked at
        self._counts = [0, 0, 0, 0, 0]
        self._next = 1  # the pair that the test looks at next
        self._tries: Counter[int] = Counter()
        self._stopped = False
        for game in read_games(journal.path):
            self._count(game)
        self.resumed = len(self.done)

    @property
    def decided(self) -> bool:
        """Whether the sequential test has ended the match."""
        return self.test is not None and self.test.done

    def stop(self) -> None:
        """Let run() return soon, without the games in progress. From a signal handler or thread."""
        self._stopped = True

    @property
    def missing(self) -> Iterator[Unit]:
        """What is still to be played."""
        for unit in units(self.header, self._openings):
            plans = tuple(plan for plan in unit.plans if plan.number not in self.done)
            if plans:
                yield Unit(unit.pair, plans)

    def run(
        self, force: Force, inbox: Inbox, watch: Watch | None = None, wants: Wants = ONLY_GAMES
    ) -> End:
        """Play what is missing. Raises MatchError.

        inbox: where the force's tasks tell() to. watch: is called with each message, and with None
        now and then. wants: what they are to tell beside the games.
        """
        flying: dict[Future[list[Game]], Unit] = {}
        waiting: list[Unit] = []
        coming = self.missing
        try:
            while not self.decided and not self._stopped:
                while len(flying) < force.width():
                    unit = waiting.pop() if waiting else next(coming, None)
                    if unit is None:
                        break
                    future = force.executor.submit(force.task, self.header, unit, wants)
                    flying[future] = unit
                    future.add_done_callback(inbox.put)
                if not flying:
                    return "all played"
                waiting += self._receive(inbox, flying, watch, force.lost)
            return "decided" if self.decided else "stopped"
        finally:
            for future in flying:
                future.cancel()

    def rest(self, inbox: Inbox, watch: Watch | None = None) -> None:
        """Journal the games that have come in since run() has ended."""
        while not inbox.empty():
            message = inbox.get()
            if not isinstance(message, Future):
                self._take(message, watch)

    def _receive(
        self,
        inbox: Inbox,
        flying: dict["Future[list[Game]]", Unit],
        watch: Watch | None,
        lost: tuple[type[BaseException], ...],
    ) -> list[Unit]:
        """Take one message. Returns what has to be played again."""
        try:
            message = inbox.get(timeout=TICK_SECONDS)
        except Empty:
            message = None
        if not isinstance(message, Future):
            self._take(message, watch)
            return []
        unit = flying.pop(message)
        gone: tuple[type[BaseException], ...] = (*lost, CancelledError)
        try:
            for game in message.result():
                self._take(game, watch)
        except gone as problem:
            self._tries[unit.pair] += 1
            if self._tries[unit.pair] >= TRIES:
                text = f"pair {unit.pair} was given up after {TRIES} tries: {problem}"
                raise MatchError(text) from None
            plans = tuple(plan for plan in unit.plans if plan.number not in self.done)
            return [Unit(unit.pair, plans)] if plans else []
        except CannotPlayError as problem:
            raise MatchError(str(problem)) from None
        return []

    def _take(self, message: Message | None, watch: Watch | None) -> None:
        if isinstance(message, Game):
            if message.number in self.done:
                return
            self.journal.add(message)
            self._count(message)
        if watch is not None:
            watch(self, message)

    def _count(self, game: Game) -> None:
        self.done.add(game.number)
        for player in (game.black, game.white):
            standing = self.standings[player]
            points = game.points(player)
            standing.wins += points == 1
            standing.draws += points == 0.5
            standing.losses += points == 0
            if points == 0 and game.loser_fault:
                standing.faults[game.reason] += 1
        self._test(game)

    def _test(self, game: Game) -> None:
        """Let the sequential test look at the pairs that are complete, in their order."""
        wanted = self.header.settings.get("sprt")
        if not isinstance(wanted, Mapping):
            return
        self._points.setdefault(game.pair, []).append(game.points(0))
        while len(self._points.get(self._next, ())) == 2 and not self.decided:
            self._counts[round(2 * sum(self._points.pop(self._next)))] += 1
            self._next += 1
            zero, half, one, more, two = self._counts
            self.test = sprt(Pentanomial((zero, half, one, more, two)), **wanted)


def try_programs(header: Header, openings: Openings, force: Force) -> None:
    """Let a worker start each program once, so that a match that cannot be does not begin.

    Raises MatchError.
    """
    futures = [
        force.executor.submit(force.trial, header, player, openings.swap2)
        for player in range(len(header.players))
    ]
    for future in futures:
        try:
            future.result()
        except CannotPlayError as problem:
            raise MatchError(str(problem)) from None
        except force.lost as problem:
            raise MatchError(f"a program cannot be tried: {problem}") from None
