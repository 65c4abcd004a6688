"""The brain as a process: standard input to Session, its effects to the engine and to the pipe.

Three threads share one Session under one lock. The main thread reads and never waits for anything
but input; a second one searches, without the interpreter's lock; a third one writes, so that a
manager that has stopped reading stops nobody else.
"""

import os
import sys
from collections.abc import Callable, Collection, Sequence
from queue import SimpleQueue
from threading import Event, Lock, Thread, stack_size
from time import perf_counter as monotonic  # the engine's clock
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, Protocol

if TYPE_CHECKING:
    from shisan.engine import Engine, Limits, Point, Position, Progress, Rules, SearchResult

    from .consulting import Database
    from .details import News
    from .session import Consult, Effect, Ponder, Search, Session

CHUNK: Final = 65536
MAX_LINE: Final = 1 << 20
"""Bytes of one input line that are kept; what follows up to the line end is dropped."""

BURST_GAP: Final = 0.002
"""Seconds: input that came after a longer wait was not there when we started."""

SETTLED: Final = 0.05
"""Seconds without a line after which the settings of a new game are taken for complete."""

READY_MS: Final = 100
"""The longest that taking memory after a line before a game may last."""

SEARCH_STACK: Final = 8 << 20
"""Bytes: a win by a hundred continuous fours takes half a MiB; some systems give a thread less."""

FLUSH_TIME: Final = 0.2
"""Seconds that the last lines get to leave through a full pipe before the process ends."""

FILE_TIME: Final = 0.2
"""Seconds that work on a file gets to be done before the process ends: it is saved, then left."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve a manager until END, end of input or a signal; then the process is over.

    Returns only after --help, --version and --bench, with the exit status. Unknown arguments are
    ignored.
    """
    arguments = sys.argv[1:] if argv is None else argv
    if "--help" in arguments or "-h" in arguments:
        from .usage import TEXT

        print(TEXT, end="")
        return 0
    if "--version" in arguments:
        from .about import NAME, VERSION

        print(NAME, VERSION)
        return 0
    if "--bench" in arguments:
        from shisan.engine import bench_signature

        print(bench_signature())
        return 0
    BrainProcess().run()


def start_up_time() -> float:
    """Seconds of this process's life so far which its first move has to pay for.

    Some managers start the clock of the first move when they create us. They may also suspend us
    meanwhile, and that time costs nothing; so no more is counted than three times the processor
    time used and 50 ms. Where the age of a process cannot be read, that bound is the answer.
    """
    bound = 3 * process_time() + 0.05
    try:
        from time import CLOCK_BOOTTIME, clock_gettime

        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return min(bound, clock_gettime(CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (ImportError, OSError):
        return bound


class Thinker(Protocol):
    """Who finds the moves of a brain: an Engine, or anything with this part of its face.

    One search runs at a time; stop and change_limits are called from another thread meanwhile. The
    search calls on_progress once it can hear them, and once more whenever it likes.
    """

    def search(
        self,
        position: "Position",
        limits: "Limits",
        started: float | None,
        on_progress: "Callable[[Progress], None]",
        avoid: "Collection[Point]",
    ) -> "SearchResult":
        """Return a move within the limits, which count from `started`, time.perf_counter().

        It is none of the points to avoid; another one is empty.
        """

    def stop(self) -> None:
        """Let the running search return at once."""

    def change_limits(self, limits: "Limits") -> None:
        """Give the running search other time limits."""


class Spare(NamedTuple):
    """Work that nobody waits for: to ponder, or None: to get ready for a game; enough: ends it."""

    ponder: "Ponder | None"
    enough: Event


class BrainProcess:
    """The process: its pipes, threads and the session they share.

    thinker, session: who thinks and who talks; None: the engine, which is loaded after the pipes
    are safe, so that a build that cannot be used says so in one line and nothing that loading
    prints is taken for an answer.
    """

    def __init__(self, thinker: "Thinker | None" = None, session: "Session | None" = None) -> None:
        self._input, self._output, self._errors = _take_pipes()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._jobs: SimpleQueue[Search | Consult | Spare] = SimpleQueue()
        self._lock = Lock()
        self._engine: Engine | None = None
        self._thinker = thinker  # the engine, once there is one
        self._own_session = session
        self._positions: Database | None = None  # once it was needed
        self._size: tuple[int | None, int] = None, 1  # memory and threads the engine was last given
        self._enough: Event | None = None  # ends the spare work under way
        self._filed = Event()  # whether no work on files is asked for or under way
        self._filed.set()
        self._searched = False  # whether a search was ever asked for
        self._stopped = 0  # searches up to this ticket are to end at once
        self._ticket = 0  # of the search that is wanted
        self._limits: Limits | None = None  # changed ones for the search with that ticket

    def run(self) -> NoReturn:
        """Serve the manager."""
        _default_signals()
        self._writer = Thread(target=self._write_lines, daemon=True)
        self._writer.start()
        self._guard(self._serve)
        self._leave(0)

    def _serve(self) -> None:
        """Load the engine, then read until END or end of input."""
        try:
            from shisan.engine import DataError, check_data

            from .session import Session
        except ImportError as problem:
            self._complain(f"{problem}\n")
            self._leave(1)
        try:
            check_data()
        except DataError as problem:
            self._complain(f"{problem}\n")
            self._leave(1)
        self._session = self._own_session or Session()
        if os.isatty(self._input):
            self._complain("type START 15, then BEGIN or TURN 7,7; END leaves; see also --help\n")
        stack_size(SEARCH_STACK)
        Thread(target=self._guard, args=(self._run_searches,), daemon=True).start()
        self._read_lines()

    def _guard(self, work: Callable[[], None]) -> None:
        """Do the work of a thread. The only place that catches everything: a fault of ours."""
        try:
            work()
        except Exception as fault:
            from traceback import format_exc

            text = " ".join(f"{type(fault).__name__}: {fault}".split())
            self._send(f"ERROR internal: {text[:900]}")
            self._complain(format_exc())
            self._leave(1)

    # -- reading ---------------------------------------------------------------------------------

    def _read_lines(self) -> None:
        """Hand each line of standard input to the session; return at END or end of input."""
        rest = b""
        burst = True
        while True:
            asked = monotonic()
            try:
                chunk = os.read(self._input, CHUNK)
            except OSError:  # a terminal that is gone
                return
            if not chunk:
                return
            now = monotonic()
            burst = burst and now - asked < BURST_GAP and not self._searched
            if burst:
                now -= start_up_time()
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[:MAX_LINE]
            for line in lines:
                with self._lock:
                    if line.strip():
                        self._end_spare_work()
                    if not self._carry_out(self._session.receive(line, now)):
                        return
            with self._lock:
                if self._enough is None and self._upcoming() is not None:
                    self._spare(None)

    def _upcoming(self) -> "tuple[Rules, int | None, int] | None":
        """Rules, memory and threads of a game that is to begin, as far as is known; else None."""
        session, foreign = self._session, self._engine is None and self._thinker is not None
        if foreign or session.searching or not session.new_game or session.position is None:
            return None
        size, settings = session.position.rules, session.settings
        return settings.rules(size.width, size.height)[0], settings.memory, settings.threads

    def _carry_out(self, effects: "list[Effect]") -> bool:
        """Do what the session wants, under the lock. False: leave."""
        from . import session

        for effect in effects:
            if isinstance(effect, session.Reply):
                self._send(effect.line)
            elif isinstance(effect, session.Search):
                self._ticket, self._limits, self._searched = effect.ticket, None, True
                if effect.task.kind == "hash":
                    self._filed.clear()
                self._jobs.put(effect)
            elif isinstance(effect, session.Ponder):
                self._spare(effect)
            elif isinstance(effect, session.Consult):
                self._ticket = effect.ticket
                self._filed.clear()
                self._jobs.put(effect)
            elif isinstance(effect, session.ChangeLimits):
                self._limits = effect.limits
                if self._thinker is not None:
                    self._thinker.change_limits(effect.limits)
            elif isinstance(effect, session.Quit):
                return False
            else:
                self._stopped = self._ticket
                if isinstance(effect, session.Abort):
                    self._ticket = 0
                if self._thinker is not None:
                    self._thinker.stop()
        return True

    # -- searching -------------------------------------------------------------------------------

    def _run_searches(self) -> None:
        from .effects import Consult

        while True:
            job = self._jobs.get()
            if isinstance(job, Spare):
                self._use_time(job)
            elif job.ticket != self._ticket:
                continue  # aborted before it began
            elif isinstance(job, Consult):
                self._consult(job)
            else:
                self._run_search(job)

    def _use_time(self, job: "Spare") -> None:
        """Do what nobody waits for, until it is enough."""
        if job.enough.is_set():
            return
        if job.ponder is None:
            self._get_ready(job.enough)
        else:
            self._ponder(job.ponder, job.enough)

    def _get_ready(self, enough: Event) -> None:
        """Take the memory that the first search of a game needs, if there is time before it."""
        if enough.wait(SETTLED):
            return
        with self._lock:
            wanted = self._upcoming()
        if wanted is None or enough.is_set():
            return
        try:
            engine = self._fitted(*wanted)
            engine.new_game()
        except MemoryError:  # the search will say so
            return
        engine.get_ready(READY_MS, enough)

    def _ponder(self, job: "Ponder", enough: Event) -> None:
        """Think on the opponent's time; what is found stays in the engine's tables."""
        engine = self._engine
        if engine is None or self._size != (job.memory, job.threads):
            return
        if engine.rules == job.position.rules:
            engine.search(job.position, job.limits, enough=enough)

    def _spare(self, ponder: "Ponder | None") -> None:
        """Have something done that nobody waits for, until a line is read; under the lock."""
        self._enough = Event()
        self._jobs.put(Spare(ponder, self._enough))

    def _end_spare_work(self) -> None:
        """Let the pondering or getting ready under way, if any, end at once; under the lock."""
        if self._enough is not None:
            self._enough.set()
            self._enough = None
            if self._engine is not None:
                self._engine.stop()

    def _run_search(self, job: "Search") -> None:
        """Search one position and hand in the result."""
        from .tasks import keep, out_of_time, perform, perform_plain

        given = self._thinker if self._engine is None else None
        engine = None if given else self._engine_for(job)
        thinker = given or engine
        assert thinker is not None
        database = self._database() if job.use_database and given is None else None

        def stopped() -> bool:
            if job.ticket <= self._stopped or job.ticket != self._ticket:
                return True
            return self._limits is not None and out_of_time(job, self._limits)

        def report(news: "News | None") -> None:
            """Say once more what may have come before the search could hear it; tell the news."""
            if stopped():
                thinker.stop()
            elif self._limits is not None:
                thinker.change_limits(self._limits)
            if news is not None:
                with self._lock:
                    self._carry_out(self._session.report(job.ticket, news, monotonic()))

        def tell(text: str) -> None:
            with self._lock:
                self._carry_out(self._session.tell(job.ticket, f"MESSAGE {text}"))

        if engine is not None:
            found = perform(engine, job, report, stopped, database, tell)
        else:
            found = perform_plain(thinker.search, job, report, stopped)
        with self._lock:
            self._filed.set()
            effects = self._session.finish(
                job.ticket, found.result, monotonic(), found.lines, found.said
            )
            self._carry_out(effects)
        if database is not None:
            keep(database, job, found)

    def _consult(self, job: "Consult") -> None:
        """Ask the database, and hand on each line as it comes."""
        for line in self._database().handle(job.request):
            with self._lock:
                self._carry_out(self._session.tell(job.ticket, line))
        with self._lock:
            self._filed.set()
            self._carry_out(self._session.finish(job.ticket, None, monotonic()))

    def _database(self) -> "Database":
        """The database: loaded when somebody asks for it, and without a file until one is named."""
        from .yixindatabase import YixinDatabase

        if self._positions is None:
            self._positions = YixinDatabase()
        return self._positions

    def _engine_for(self, job: "Search") -> "Engine":
        """The engine as a search wants it, or with the tables it has if there is no memory."""
        from shisan.engine import Engine

        rules = job.position.rules
        try:
            engine = self._fitted(rules, job.memory, job.threads)
        except MemoryError:
            wanted = f"{job.memory} bytes of memory" if job.memory else "memory for the threads"
            self._send(f"MESSAGE no {wanted} to be had: tables are unchanged")
            self._engine = self._thinker = engine = self._engine or Engine(rules)
            self._size = job.memory, job.threads
        engine.vary(*job.variety)
        engine.strength = job.strength
        if job.new_game:
            engine.new_game()
        return engine

    def _fitted(self, rules: "Rules", memory: int | None, threads: int) -> "Engine":
        """The engine with these rules and tables. Raises MemoryError: its tables are unchanged.

        Other rules are set before other tables: setting them clears the tables there are.
        """
        from shisan.engine import Engine

        engine = self._engine or Engine(rules, memory, threads)
        if engine.rules != rules:
            engine.rules = rules
        if engine is self._engine and self._size != (memory, threads):
            engine.resize(memory, threads)
        self._engine = self._thinker = engine
        self._size = memory, threads
        return engine

    # -- writing ---------------------------------------------------------------------------------

    def _send(self, line: str) -> None:
        self._lines.put(line.encode("ascii", "replace") + b"\n")

    def _write_lines(self) -> None:
        """Write each line with one call; when nobody can read any more, the process is over."""
        while (line := self._lines.get()) is not None:
            try:
                while line:
                    line = line[os.write(self._output, line) :]
            except OSError:
                os._exit(0)

    def _complain(self, text: str) -> None:
        """To the standard error we were started with, if there is one."""
        try:
            os.write(self._errors, text.encode("ascii", "backslashreplace"))
        except OSError:
            pass

    def _leave(self, status: int) -> NoReturn:
        """End the process: what was answered leaves first, searches are not waited for."""
        self._filed.wait(FILE_TIME)
        self._lines.put(None)
        self._writer.join(FLUSH_TIME)
        os._exit(status)


def _take_pipes() -> tuple[int, int, int]:
    """Our own copies of standard input, output and error.

    Whatever else prints there goes nowhere, and whatever else reads there finds its end; programs
    that we start inherit none of them. Without a standard output there is nobody to play for, and
    without a standard input nobody to hear; standard error may be missing.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        commands = os.dup(0)
        output = os.dup(1)
        if os.name == "posix":
            os.set_blocking(commands, True)
            os.set_blocking(output, True)
        else:
            _take_bytes_as_they_are(commands, output)
    except OSError:
        os._exit(0)
    try:
        errors = os.dup(2)
    except OSError:
        errors = os.dup(nowhere)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return commands, output, errors


def _take_bytes_as_they_are(*files: int) -> None:
    """Windows: no line ends changed, and byte 26 does not end the input."""
    from msvcrt import setmode  # type: ignore[attr-defined, unused-ignore]

    for file in files:
        setmode(file, os.O_BINARY)  # type: ignore[attr-defined, unused-ignore]


def _default_signals() -> None:
    """Signals end the process at once, whatever was inherited and whatever a search does."""
    import signal

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
