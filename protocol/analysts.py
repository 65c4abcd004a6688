"""What a worker of the analysis service or of a batch does: analyse positions with its own engine.

Unless a task keeps the tables, they are empty when it begins: what an answer says does not depend
on what the worker did before, and so not on how many workers there are.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock, Thread, current_thread, local, main_thread
from typing import Final

from shisan.engine import (
    PROCESS_MEMORY,
    Analysis,
    Engine,
    LimitError,
    Position,
    PositionError,
)

from . import workers
from .answers import Body, answer, failure
from .queries import Task

Numbered = tuple[int, Task]
"""A task and the number that its owner knows it by."""

Told = tuple[int, Body, bool]
"""What a worker tells of a task: its number, a body, whether that is the last one."""

Report = Callable[[Body], None]


NODE_BYTES: Final = 64
"""Bytes of tables for each node of a position's limit: room for four entries of the search."""

SMALLEST: Final = 1 << 20
DEFAULT_TABLES: Final = 64 << 20
"""Bytes of the smallest tables, and of those of an engine that is not told how much it may use."""


class _Own(local):
    """What each thread that analyses has for itself: Dask runs several in one process."""

    engine: Engine | None = None
    memory: int | None = None
    epoch: int = 0


_own: Final = _Own()


def work(tasks: Sequence[Numbered], memory: int | None, epoch: int) -> None:
    """Analyse positions in a worker of LocalWorkers; each answer is told when it is known.

    memory: bytes for the process; None: the engine's default. epoch: when it is not the last one's,
    tables are emptied even for tasks that keep them.
    """
    _leave_at_once()
    if epoch != _own.epoch:
        _own.epoch = epoch
        if _own.engine is not None:
            _own.engine.clear()
    for number, task in tasks:

        def report(body: Body, number: int = number) -> None:
            workers.tell((number, body, False))

        enough = _ends.begin(number)
        workers.tell((number, analyse(task, memory, report, enough), True))
        _ends.done()
    _ends.forget()


def analyse_alone(task: Task, memory: int | None) -> Body:
    """The answer of a position, or its error, in a worker of whatever kind."""
    _leave_at_once()
    return analyse(task, memory)


def _leave_at_once() -> None:
    """Let SIGTERM end a process of ours in the middle of a search: nothing needs to be tidied up.

    Python's own handlers would wait for the end of the search.
    """
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end(number: int) -> None:
    """Let a task of this worker end at once with what is known; called beside work."""
    _ends.end(number)


def analyse(
    task: Task, memory: int | None = None, report: Report | None = None, enough: Event | None = None
) -> Body:
    """The answer of a position, or its error.

    report: is given what is known so far, if the task wants reports. enough: ends it when it is set
    (and the engine is stopped).
    """
    position = task.position()
    if enough is not None and enough.is_set():
        return answer(task, position, None, stopped=True)
    if position.over:
        return answer(task, position, None)
    try:
        engine = _engine(task, memory)
        if enough is not None:
            _ends.use(engine)
        with _reports(task, position, report) as take:
            analysis = engine.analyse(
                position,
                task.limits,
                task.lines,
                take,
                task.avoid,
                task.allow,
                enough,
            )
    except PositionError as problem:
        field = "avoid" if task.allow is None else "allow"
        return failure(task, str(problem), field)
    except (LimitError, MemoryError) as problem:
        return failure(task, str(problem) or "there is not enough memory for the tables")
    stopped = enough is not None and enough.is_set()
    return answer(task, position, analysis, stopped=stopped)


def _engine(task: Task, memory: int | None) -> Engine:
    """The engine of this thread for a task, its tables empty unless they are kept."""
    engine, rules = _own.engine, task.rules
    wanted = memory if task.keep_tables else memory_for(task.limits.nodes, memory)
    if engine is None:
        engine = _own.engine = Engine(rules, wanted)
    elif _own.memory != wanted:
        engine.rules = rules
        engine.resize(wanted)
    elif engine.rules != rules:
        engine.rules = rules
    elif not task.keep_tables:
        engine.clear()
    _own.memory = wanted
    return engine


def memory_for(nodes: int | None, memory: int | None) -> int | None:
    """The memory that a search of so many nodes is given: no more than it can fill.

    Empty tables have to be taken from the system anew for each position, page by page as they are
    used; large ones take longer than a short search itself. memory: the most; None: the default.

    >>> memory_for(10_000, None) == PROCESS_MEMORY + (1 << 20) * 10 // 9 + 1
    True
    >>> memory_for(10_000_000, None), memory_for(None, 1 << 30) == 1 << 30
    (None, True)
    """
    if nodes is None:
        return memory
    tables = max(SMALLEST, 1 << (nodes * NODE_BYTES - 1).bit_length())
    if tables >= DEFAULT_TABLES and memory is None:
        return None
    wanted = PROCESS_MEMORY + tables * 10 // 9 + 1
    return wanted if memory is None else min(memory, wanted)


@contextmanager
def _reports(
    task: Task, position: Position, report: Report | None
) -> Iterator[Callable[[Analysis], None] | None]:
    """Takes what is known from time to time, and reports what is new at most so often."""
    if report is None or task.report_every_ms is None:
        yield None
        return
    latest: list[Analysis] = []
    over = Event()
    every = task.report_every_ms / 1000

    def tick() -> None:
        while not over.wait(every):
            if latest:
                known = latest.pop()
                latest.clear()
                report(answer(task, position, known, during=True))

    thread = Thread(target=tick, name="shisan reports", daemon=True)
    thread.start()
    try:
        yield latest.append
    finally:
        over.set()
        thread.join()


class _Ends:
    """Which tasks of this worker are to end early; the owner may say so at any time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ended: set[int] = set()
        self._number = -1
        self._enough = Event()
        self._engine: Engine | None = None

    def begin(self, number: int) -> Event:
        """A task begins: the event that is set when it is to end."""
        with self._lock:
            self._number, self._enough, self._engine = number, Event(), None
            if number in self._ended:
                self._enough.set()
            return self._enough

    def use(self, engine: Engine) -> None:
        """The task that has begun uses this engine."""
        with self._lock:
            self._engine = engine

    def done(self) -> None:
        """No task is under way."""
        with self._lock:
            self._number, self._engine = -1, None

    def end(self, number: int) -> None:
        """The owner wants no more of a task."""
        with self._lock:
            self._ended.add(number)
            if number == self._number:
                self._enough.set()
                if self._engine is not None:
                    self._engine.stop()

    def forget(self) -> None:
        """All tasks are over."""
        with self._lock:
            self._ended.clear()


_ends: Final = _Ends()
