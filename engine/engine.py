"""Engine: the Python face of the search. A position and limits in, a move and its reasons out."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from sys import byteorder
from threading import Event, Lock
from time import perf_counter_ns as monotonic_ns  # the kernel's clock, see monotonic.pxd
from typing import TYPE_CHECKING, Any, Final

from . import networks
from .analysis import Analysis, Line
from .clock import Limits, deadlines
from .errors import LimitError, PositionError
from .kernel import load
from .levels import MAX_STRENGTH, handicap, slip_of
from .odds import PROVEN, WIN, win_probability
from .rules import Colour, Point, Rules
from .watching import iterate, iterate_async

if TYPE_CHECKING:
    from .position import Position
    from .search import Searcher
    from .solver import Solution, SolveProgress, Solver
    from .threats import VcfSolver
else:
    Searcher = load("search").Searcher
    VcfSolver = load("threats").VcfSolver

MAX_DEPTH: Final = 125
"""Plies; no search goes deeper, forced replies not counted."""
TABLE_FORMAT: Final = "table 1"
"""Changes when the bytes of a table, or the values in it, no longer mean what they meant."""
MIB: Final = 1 << 20
DEFAULT_TABLE: Final = 64 * MIB
PROCESS_MEMORY: Final = 40 * MIB
"""What the process needs beside the transposition table: interpreter, modules, solver, stacks."""
THREAD_MEMORY: Final = 9 * MIB
"""What each thread beyond the first needs: tables of its own, a stack."""
MAX_THREADS: Final = 64
"""The most threads that one engine searches with."""
MAX_VARIETY: Final = 100
"""Half the odds of e to 1: more would no longer be a choice among moves of about equal worth."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a search knows so far.

    move: the best point; line: the best line, which begins with it.
    value: from the view of the side to move; 200 is odds of e to 1, beyond +-29,000 proven.
    win_in: plies to the five of a proven win, both sides' counted; of a proven loss negative;
        None: not proven.
    depth: plies of the last iteration, forced replies not counted; nodes: positions of the search
    and its solver; time_ms: since the request was read.
    """

    move: Point
    value: int
    win_in: int | None
    depth: int
    nodes: int
    time_ms: int
    line: tuple[Point, ...]

    @property
    def win_probability(self) -> float:
        """The chance of the side to move that the value stands for, 0..1."""
        return win_probability(self.value)


@dataclass(frozen=True, slots=True)
class SearchResult(Progress):
    """What a search found. note: one sentence for people, when there is something to say."""

    note: str | None = None


class Engine:
    """Searches positions under one set of rules, with tables that live from search to search.

    memory: bytes that the whole process may use; None: 64 MiB of tables, and what more threads
    need. threads: 1..MAX_THREADS that search together. With more than one the same request may give
    another answer, and the limit of nodes, which holds for all together, may be exceeded by what
    each was at, some thousands. Searches of one engine follow each other, whichever thread asks;
    stop and change_limits may be called from any. Raises LimitError, also if memory has no room
    for so many threads (see most_threads).
    """

    def __init__(self, rules: Rules, memory: int | None = None, threads: int = 1) -> None:
        self._lock = Lock()
        self._current: object = None
        self._solver: Solver | None = None
        self._rules = rules
        self._started = 0
        self._variety = (0, 0)
        self._strength = MAX_STRENGTH
        self._margins: dict[str, int] = {}
        self._memory = memory
        self._threads = threads
        self._searcher = _searcher(memory, threads)
        self._use_weights()

    def _use_weights(self) -> None:
        for colour, name in zip(Colour, networks.names_for(self._rules), strict=True):
            self._searcher.set_weights(colour, networks.load(name))

    @property
    def rules(self) -> Rules:
        """The rules; setting others forgets what depends on them."""
        return self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        with self._lock:
            self._rules = rules
            self._use_weights()
            self._searcher.clear()

    @property
    def threads(self) -> int:
        """How many threads search; setting another number forgets what earlier searches found.

        Below full strength one searches, whatever the number. Raises LimitError and MemoryError.
        """
        return self._threads

    @threads.setter
    def threads(self, threads: int) -> None:
        if threads != self._threads:
            self.resize(self._memory, threads)

    def resize(self, memory: int | None, threads: int | None = None) -> None:
        """Use tables for this many bytes of memory from now on; what they held is forgotten.

        threads: None: as many as before. Raises LimitError and MemoryError; then nothing changes.
        """
        with self._lock:
            wanted = self._threads if threads is None else threads
            self._searcher = _searcher(memory, wanted)
            self._memory, self._threads = memory, wanted
            self._set_noise()
            self._searcher.set_margins(self._margins)
            self._use_weights()

    def set_margins(self, margins: Mapping[str, int]) -> None:
        """Let the search prune, reduce and extend by other numbers, for experiments.

        margins: by the names of engine/margins.pxd; those left out are at their defaults. What
        earlier searches found is forgotten. Raises LimitError for a name that is none.
        """
        with self._lock:
            try:
                self._searcher.set_margins(margins)
            except KeyError as unknown:
                raise LimitError(f"no margin {unknown}: see engine/margins.pxd") from None
            self._margins = dict(margins)
            self._searcher.clear()

    def vary(self, amount: int, seed: int = 0) -> None:
        """Let the value of each position differ by up to amount, by its stones and the seed.

        Moves of about equal worth then take turns from seed to seed, and the same seed plays the
        same game; what is proven stays proven. amount: 0..MAX_VARIETY in the units of a value, 0:
        none, the default; seed: 64 bits. Another variety forgets what earlier searches found.
        Raises LimitError.
        """
        if not 0 <= amount <= MAX_VARIETY or not 0 <= seed < 1 << 64:
            raise LimitError(f"variety must be 0..{MAX_VARIETY} and its seed 64 bits")
        with self._lock:
            if self._variety != (amount, seed):
                self._variety = (amount, seed)
                self._set_noise()
                self._searcher.clear()

    @property
    def strength(self) -> int:
        """How strong play is, 0..MAX_STRENGTH, the default; Elo of each: docs/strength.md.

        Less is played by looking at fewer nodes, with values that are off and now and then a move
        at random; what is drawn for that follows from the seed of vary. Setting another one
        forgets what earlier searches found. Raises LimitError.
        """
        return self._strength

    @strength.setter
    def strength(self, strength: int) -> None:
        handicap(strength)
        with self._lock:
            if self._strength != strength:
                self._strength = strength
                self._set_noise()
                self._searcher.clear()

    def _set_noise(self) -> None:
        amount, seed = self._variety
        held = handicap(self._strength)
        self._searcher.set_variety(max(amount, held.noise if held else 0), seed)

    def clear(self) -> None:
        """Forget what earlier searches found."""
        with self._lock:
            self._searcher.clear()

    @property
    def table_size(self) -> int:
        """The bytes of the table of what earlier searches found."""
        return self._searcher.table_size()

    @property
    def table_meaning(self) -> str:
        """What two engines must share for the bytes of their tables to mean the same."""
        weights = (networks.checksum(name) for name in networks.names_for(self._rules))
        facts = (TABLE_FORMAT, byteorder, self.table_size, self._rules, *weights)
        held = (self._variety, self._strength, sorted(self._margins.items()))
        return " ".join(map(str, (*facts, *held)))

    @property
    def table_usage(self) -> float:
        """The part of the table that is in use, 0..1, from a sample of its entries."""
        entries = memoryview(self.read_table(0, min(self.table_size, MIB))).cast("Q")
        used = sum(map(bool, entries[1::2]))
        return used / (len(entries) // 2)

    def read_table(self, start: int, size: int) -> bytes:
        """Return part of the table, for a file; IndexError if it does not lie inside."""
        with self._lock:
            return self._searcher.read_table(start, size)

    def write_table(self, start: int, data: bytes) -> None:
        """Put back what read_table of an engine with the same table_meaning gave.

        Nothing is checked but the place: IndexError if it does not lie inside. What is wrong in it
        is believed by later searches.
        """
        with self._lock:
            self._searcher.write_table(start, data)

    def new_game(self) -> None:
        """Begin another game: its moves do not depend on games before."""
        self.clear()

    def get_ready(self, time_ms: int, enough: Event) -> None:
        """Take the next search's memory, for at most time_ms; enough: as for search."""
        with self._lock:
            self._begin(Limits(turn_ms=time_ms), monotonic_ns(), enough)
            self._searcher.get_ready()

    def stop(self) -> None:
        """Let the running search or solve return at once with the best that it knows."""
        self._searcher.stop()
        solver = self._solver
        if solver is not None:
            solver.stop()

    def solve(
        self,
        position: "Position",
        method: str = "auto",
        *,
        time_ms: int | None = None,
        nodes: int | None = None,
        shortest: bool = False,
        on_progress: "Callable[[SolveProgress], None] | None" = None,
    ) -> "Solution":
        """Return whether the side to move wins, with a proof if it does; see Solver.solve.

        It has tables of its own for as long as it runs. Raises LimitError, also if the position
        has other rules than the engine, and PositionError if the game is over.
        """
        self._check_rules(position)
        from .solver import Solver  # a brain starts without it

        with self._lock:
            self._solver = Solver()
            try:
                return self._solver.solve(
                    position,
                    method,
                    time_ms=time_ms,
                    nodes=nodes,
                    shortest=shortest,
                    on_progress=on_progress,
                )
            finally:
                self._solver = None

    def change_limits(self, limits: Limits) -> None:
        """Give the running search other time limits; turn_ms still counts from its beginning."""
        self._searcher.set_deadlines(*deadlines(limits, self._started))

    def search(
        self,
        position: "Position",
        limits: Limits,
        started: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        avoid: Iterable[Point] = (),
        enough: Event | None = None,
    ) -> SearchResult:
        """Return the best move found within the limits; the position is unchanged.

        started: time.perf_counter() at the reading of the request, where turn_ms begins; None: now.
        on_progress: called after each iteration, in the calling thread.
        avoid: points not to play, not even to make or to stop a five; value and win_in are those
        of playing elsewhere. Points that are not empty are passed over.
        enough: ends the search when it is set and stop is called after that, even if the search had
        not begun.
        The move is legal if there is a legal one, else a forbidden one. Raises PositionError if no
        point is empty or every empty one is to be avoided, LimitError if the position has other
        rules than the engine.
        """
        self._check_rules(position)
        begun = monotonic_ns() if started is None else int(started * 1e9)

        def report(point: Point, value: int, depth: int, nodes: int, line: Any) -> None:
            assert on_progress is not None
            on_progress(Progress(point, value, _win_in(value), depth, nodes, _ms(begun), line))

        with self._lock:
            avoided = _avoided(position, avoid)
            self._begin(limits, begun, enough)
            held = handicap(self._strength)
            most = limits.nodes
            if held is not None:
                most = held.nodes if most is None else min(most, held.nodes)
            move, value, depth, nodes, line = self._searcher.search(
                position,
                limits.depth,
                most,
                report if on_progress else None,
                sorted(avoided),
                go_on=enough is not None,
                alone=held is not None,
            )
            refused = self._searcher.refused
            slip = slip_of(position, held, self._variety[1], avoided) if held else None
        if slip is not None:
            move, value, line = slip, 0, (slip,)
        return SearchResult(
            move,
            value,
            _win_in(value),
            depth,
            nodes,
            _ms(begun),
            line,
            _note(position) or _missing(self._threads, refused),
        )

    def _begin(self, limits: Limits, begun: int, enough: Event | None) -> None:
        """Set the limits of time of a search, and see whether it is to end already."""
        self._started = begun
        self._searcher.set_deadlines(*deadlines(limits, begun))
        if enough is not None:
            self._searcher.resume()
            if enough.is_set():
                self._searcher.stop()

    def _check_rules(self, position: "Position") -> None:
        if position.rules != self._rules:
            raise LimitError(f"the engine plays {self._rules}, the position {position.rules}")

    def analyse(
        self,
        position: "Position",
        limits: Limits,
        lines: int = 1,
        on_progress: Callable[[Analysis], None] | None = None,
        avoid: Iterable[Point] = (),
        allow: Iterable[Point] | None = None,
        enough: Event | None = None,
        started: float | None = None,
    ) -> Analysis:
        """Return the best lines found within the limits; the position is unchanged.

        lines: how many, 1 or more; fewer if there are fewer legal moves.
        on_progress: called with what is known when all lines have been searched a ply deeper, in
        the calling thread. avoid, allow: points not to begin a line, the only points to begin one;
        points that are not empty are passed over. enough: ends the analysis when it is set; looked
        at between two searches, so call stop as well. started: as for search.
        The limits hold for all lines together. Strength and variety are as set for play.
        Raises PositionError if no point is left to play, LimitError if the position has other rules
        than the engine or lines is less than 1.
        """
        self._check_rules(position)
        if lines < 1:
            raise LimitError(f"lines must be 1 or more, not {lines}")
        begun = monotonic_ns() if started is None else int(started * 1e9)
        with self._lock:
            avoided = _avoided(position, avoid, allow)
            wanted = max(1, min(lines, len(set(position.legal_points()) - avoided)))
            self._started = begun
            self._searcher.set_deadlines(*deadlines(limits, begun))
            self._searcher.resume()
            self._current = enough
            known = Analysis((), 0, 0, _note(position))
            try:
                for depth in range(1, min(limits.depth or MAX_DEPTH, MAX_DEPTH) + 1):
                    found, nodes = self._lines(position, depth, limits, known, wanted, avoided)
                    known = Analysis(_best(found, known.lines), nodes, _ms(begun), known.note)
                    if len(found) < wanted or all(line.win_in is not None for line in found):
                        break
                    if on_progress is not None:
                        on_progress(known)
                    if enough is not None and enough.is_set():
                        break
            finally:
                self._current = None
        return known

    def _lines(
        self,
        position: "Position",
        depth: int,
        limits: Limits,
        known: Analysis,
        wanted: int,
        avoided: set[Point],
    ) -> tuple[list[Line], int]:
        """Search so many lines to a depth, each without the moves before; and all nodes so far.

        known: what the depth before found; its proven wins are kept. Fewer lines if a limit was
        reached; but one at least where no depth was searched before.
        """
        nodes = known.nodes
        found = [line for line in known.lines if line.win_in is not None and line.win_in > 0]
        while len(found) < wanted and (limits.nodes is None or nodes < limits.nodes):
            if (found or known.lines) and self._searcher.is_late():
                break
            move, value, reached, more, moves = self._searcher.search(
                position,
                depth,
                None if limits.nodes is None else limits.nodes - nodes,
                None,
                sorted(avoided.union(line.move for line in found)),
                go_on=True,
                alone=self._strength < MAX_STRENGTH,
            )
            nodes += more
            win_in = _win_in(value)
            whole = reached >= depth or win_in is not None
            if whole or (depth == 1 and not found):
                chance = win_probability(value)
                found.append(Line(move, value, chance, win_in, reached, moves))
            if not whole:
                break
        return found, nodes

    def watch(
        self,
        position: "Position",
        limits: Limits,
        lines: int = 1,
        avoid: Iterable[Point] = (),
        allow: Iterable[Point] | None = None,
    ) -> Iterator[Analysis]:
        """Yield what analyse reports and then its result; closing the iterator ends the analysis.

        It runs in a thread of its own, on a copy of the position.
        """
        return iterate(*self._watched(position, limits, lines, avoid, allow))

    def watch_async(
        self,
        position: "Position",
        limits: Limits,
        lines: int = 1,
        avoid: Iterable[Point] = (),
        allow: Iterable[Point] | None = None,
    ) -> AsyncIterator[Analysis]:
        """Do as watch does, for `async for`; cancelling the task ends the analysis too."""
        return iterate_async(*self._watched(position, limits, lines, avoid, allow))

    def _watched(
        self,
        position: "Position",
        limits: Limits,
        lines: int,
        avoid: Iterable[Point],
        allow: Iterable[Point] | None,
    ) -> tuple[Callable[[Callable[[Analysis], None], Event], Analysis], Callable[[], None]]:
        """An analysis to be watched, and what interrupts it, and no other."""
        own = position.copy()
        avoided = tuple(avoid)
        allowed = None if allow is None else tuple(allow)
        orders: list[Event] = []

        def work(report: Callable[[Analysis], None], enough: Event) -> Analysis:
            orders.append(enough)
            return self.analyse(own, limits, lines, report, avoided, allowed, enough)

        def interrupt() -> None:
            if orders and self._current is orders[0]:
                self._searcher.stop()

        return work, interrupt


def solve_vcf(position: "Position", nodes: int | None = None) -> tuple[Point, ...] | bool | None:
    """Return a shortest win by continuous fours for the side to move: four, answer, four, ...

    None: there is none; where a closed five does not count, none of fours with a single answer.
    False: not decided within this many nodes.
    """
    return VcfSolver().solve(position, nodes)


def most_threads(memory: int | None) -> int:
    """Return how many threads this many bytes of memory have room for, 1..MAX_THREADS."""
    if memory is None:
        return MAX_THREADS
    more = (memory - PROCESS_MEMORY) // THREAD_MEMORY
    return 1 + min(max(more, 0), MAX_THREADS - 1)


def _searcher(memory: int | None, threads: int) -> "Searcher":
    """A searcher with its helpers. Raises LimitError and MemoryError."""
    if memory is not None and memory < 1:
        raise LimitError(f"memory must be 1 byte or more, or None, not {memory}")
    if not 1 <= threads <= MAX_THREADS:
        raise LimitError(f"threads must be 1..{MAX_THREADS}, not {threads}")
    if threads > most_threads(memory):
        needed = PROCESS_MEMORY + (threads - 1) * THREAD_MEMORY
        raise LimitError(f"{threads} threads need {needed} bytes of memory, not {memory}")
    size = DEFAULT_TABLE
    if memory is not None:
        left = memory - PROCESS_MEMORY - (threads - 1) * THREAD_MEMORY
        size = max(MIB // 4, left * 9 // 10)
    searcher = Searcher(size)
    searcher.set_helpers(threads - 1)
    return searcher


def _missing(threads: int, refused: int) -> str | None:
    """Say so if the system had no more threads to give."""
    return f"the system gave only {threads - refused} of {threads} threads" if refused else None


def _ms(begun_ns: int) -> int:
    return max(0, monotonic_ns() - begun_ns) // 1_000_000


def _win_in(value: int) -> int | None:
    if value > PROVEN:
        return WIN - value
    return -(WIN + value) if value < -PROVEN else None


def _best(found: list[Line], before: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines of this depth and, where it is not complete, others of the depth before."""
    moves = {line.move for line in found}
    rest = [line for line in before if line.move not in moves]
    known = found + rest[: max(0, len(before) - len(found))]
    return tuple(sorted(known, key=lambda line: -line.value))


def _avoided(
    position: "Position", avoid: Iterable[Point], allow: Iterable[Point] | None = None
) -> set[Point]:
    """The empty points not to be played; PositionError if no other is left."""
    empty = set(_empty_points(position))
    if not empty:
        raise PositionError("no point is empty")
    avoided = empty.intersection(avoid)
    if allow is not None:
        avoided |= empty.difference(allow)
    if empty == avoided:
        raise PositionError(
            "every empty point is to be avoided"
            if allow is None
            else "no empty point is among those allowed and not to be avoided"
        )
    return avoided


def _empty_points(position: "Position") -> Iterable[Point]:
    rules = position.rules
    return (
        (x, y) for y in range(rules.height) for x in range(rules.width) if position.is_empty(x, y)
    )


def _note(position: "Position") -> str | None:
    """Say so if Black is lost because the point that would stop White is forbidden."""
    if not position.rules.forbidden or position.side is not Colour.BLACK or position.over:
        return None
    forbidden = position.forbidden_points()
    if position.maps(Colour.BLACK)["five"]:
        return None
    for point in position.maps(Colour.WHITE)["five"]:
        if point in forbidden:
            where = _name(point)
            return f"lost in 1: White wins at {where}, forbidden for Black ({forbidden[point]})"
    return None


def _name(point: Point) -> str:
    """A point as a letter for the column and a number for the row, from the top left corner."""
    return f"{chr(ord('a') + point[0])}{point[1] + 1}"
