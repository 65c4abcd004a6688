"""The analysis service without its pipes: queries in, answers out, worker processes in between.

Positions wait in one queue, those of high priority first, else in the order in which they came. A
worker takes a few short ones at a time, so that it need not wait for us between two. Whatever
thread an answer comes from hands it out itself: whoever takes answers slowly slows the workers
down, and nothing piles up.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from threading import Condition, RLock
from typing import Any, Final

from shisan.engine import cpu

from . import analysts
from .about import VERSION
from .answers import answer, failure
from .queries import Defaults, Id, Order, Query, QueryError, Task, read_line
from .workers import LocalWorkers, LostWorkerError

MAX_WAITING: Final = 10_000
"""Positions that may wait before no more lines should be read."""

HANDFUL: Final = 30_000
"""Nodes of the short positions that a worker takes at once: some hundredths of a second."""

TRIES: Final = 2
"""How many workers a position may cost before it is given up."""

Message = dict[str, Any]
Send = Callable[[Message], None]


@dataclass(slots=True, eq=False)
class _Wait:
    """A position of a query that is not answered yet. number: in the order in which they came."""

    number: int
    id: Id
    priority: int
    task: Task
    tries: int = 0
    ended: bool = False

    def __lt__(self, other: "_Wait") -> bool:
        return (-self.priority, self.number) < (-other.priority, other.number)


Handful = tuple[_Wait, ...]


class Service:
    """Answers queries. All methods may be called from any thread.

    count: workers. send: takes each answer, from several threads at once; what it raises ends the
    service's thread that calls it, so it should raise nothing. memory: bytes for each worker.
    """

    def __init__(
        self, count: int, send: Send, defaults: Defaults, memory: int | None = None
    ) -> None:
        self._count = count
        self._send = send
        self._defaults = defaults
        self._memory = memory
        self._workers = LocalWorkers(count, self._hear)
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._waiting: list[_Wait] = []  # a heap
        self._running: dict[int, tuple[_Wait, Future[None]]] = {}
        self._open = 0  # positions whose answers have not been sent
        self._free = count
        self._next = 0
        self._epoch = 0
        self._closed = False

    def receive(self, line: bytes, number: int) -> None:
        """Take one line. number: which line of the input, from 1, for errors."""
        try:
            said = read_line(line, self._defaults)
        except QueryError as problem:
            self.refuse(str(problem), number, problem.field or None, problem.id)
            return
        if isinstance(said, Query):
            with self._lock:
                for task in said.tasks:
                    heappush(self._waiting, _Wait(self._next, said.id, said.priority, task))
                    self._next += 1
                self._open += len(said.tasks)
            self._feed()
        elif said is not None:
            self._carry_out(said)

    def refuse(
        self,
        problem: str,
        number: int,
        field: str | None = None,
        id: Id | None = None,  # noqa: A002
    ) -> None:
        """Answer a line with an error."""
        self._send({"id": id, "error": problem, "field": field, "line": number})

    def wait_for_room(self) -> None:
        """Return when few enough positions wait for more lines to be read."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._waiting) < MAX_WAITING)

    def wait_until_done(self) -> None:
        """Return when everything is answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._open)

    def kill(self) -> None:
        """End at once; what is not answered stays so."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        self._workers.kill()

    # -- handing out -----------------------------------------------------------------------------

    def _feed(self) -> None:
        """Give the workers that are free what comes first."""
        begun = []
        with self._lock:
            while self._free and self._waiting and not self._closed:
                handful = self._handful()
                tasks = [(wait.number, wait.task) for wait in handful]
                future = self._workers.submit(analysts.work, tasks, self._memory, self._epoch)
                for wait in handful:
                    self._running[wait.number] = wait, future
                self._free -= 1
                begun.append((handful, future))
            self._changed.notify_all()
        for handful, future in begun:
            future.add_done_callback(partial(self._over, handful))

    def _handful(self) -> Handful:
        """The first position, and with a short one others as short, but not all there are."""
        share = len(self._waiting) // self._count
        found = [heappop(self._waiting)]
        nodes = _nodes(found[0])
        while self._waiting and len(found) < share:
            nodes += _nodes(self._waiting[0])
            if nodes > HANDFUL:
                break
            found.append(heappop(self._waiting))
        return tuple(found)

    # -- what comes back, in the threads of the workers -------------------------------------------

    def _hear(self, told: analysts.Told) -> None:
        number, body, last = told
        with self._lock:
            known = self._running.pop(number, None) if last else self._running.get(number)
        if known is not None and last:
            self._answer([(known[0], body)])
        elif known is not None:
            self._send({"id": known[0].id, **body})

    def _over(self, handful: Handful, future: "Future[None]") -> None:
        """A worker is free again, or has died: then what it has not answered is tried again."""
        problem: BaseException | None
        try:
            problem = future.exception()
        except CancelledError as cancelled:
            problem = cancelled
        answers = []
        with self._lock:
            if self._closed:
                return
            self._free += 1
            left = [wait for wait in handful if self._running.pop(wait.number, None) is not None]
            for wait in left[:1]:  # the others had not begun
                wait.tries = wait.tries + 1 if isinstance(problem, LostWorkerError) else TRIES
            for wait in left:
                if wait.ended:
                    answers.append((wait, _stopped(wait.task)))
                elif wait.tries >= TRIES:
                    text = f"the analysis failed: {problem}"
                    answers.append((wait, failure(wait.task, text)))
                else:
                    heappush(self._waiting, wait)
        self._answer(answers)
        self._feed()

    def _answer(self, answers: Sequence[tuple[_Wait, Message]]) -> None:
        """Send what ends positions; only then are they done."""
        for wait, body in answers:
            self._send({"id": wait.id, **body})
        with self._changed:
            self._open -= len(answers)
            self._changed.notify_all()

    # -- actions ---------------------------------------------------------------------------------

    def _carry_out(self, order: Order) -> None:
        done: Message = {"id": order.id, "action": order.action}
        if order.action == "query_version":
            done |= {"version": VERSION, "kernel": cpu(), "workers": self._count}
        elif order.action == "clear_cache":
            with self._lock:
                self._epoch += 1
        else:
            if order.target is not None:
                done["terminate_id"] = order.target
            done["ended"] = self._end(order)
        self._send(done)

    def _end(self, order: Order) -> int:
        """End what the order means. Returns how many positions that were."""

        def meant(wait: _Wait) -> bool:
            named = order.target is None or _same(wait.id, order.target)
            return named and (order.turns is None or wait.task.turn in order.turns)

        with self._changed:
            waiting = [wait for wait in self._waiting if meant(wait)]
            if waiting:
                self._waiting = [wait for wait in self._waiting if not meant(wait)]
                heapify(self._waiting)
            running = [known for known in self._running.values() if meant(known[0])]
            for wait, _ in running:
                wait.ended = True
            self._changed.notify_all()
        for wait, future in running:
            self._workers.call(future, analysts.end, wait.number)
        self._answer([(wait, _stopped(wait.task)) for wait in sorted(waiting)])
        return len(waiting) + len(running)


def _nodes(wait: _Wait) -> int:
    """How long a position may take: its nodes, or more than a handful."""
    return wait.task.limits.nodes or HANDFUL + 1


def _same(one: Id, other: Id) -> bool:
    """Whether two ids are one: 1 is not "1"."""
    return type(one) is type(other) and one == other


def _stopped(task: Task) -> Message:
    """The answer of a position that was never looked at."""
    return answer(task, task.position(), None, stopped=True)
