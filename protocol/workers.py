"""Processes of our own that do a match's work: an Executor whose workers are killed for certain.

Each worker is a process, python -m shisan.protocol.workers, that does one task at a time. While it
works it may tell() messages, and its owner may have it call() a function beside the task. When its
owner dies it sees its connection end, and ends what it has started and itself. A worker that dies
costs the task that it had (LostWorkerError), nothing else; another one takes its place.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep
from types import FrameType
from typing import Any, Final, NoReturn

PATIENCE: Final = 3.0
"""Seconds that a worker has to end what it started before it is killed."""

Task = tuple["Future[Any]", bytes]

_TASK: Final = b"t"
_ORDER: Final = b"o"
"""What a worker is sent begins with one of them: a task, or a function to run beside it."""


class LostWorkerError(Exception):
    """The worker that had a task has died."""


class _Wire:
    """Our end of a worker's connection, for sending from several threads."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self._connection = connection
        self._lock = Lock()
        self.receive = connection.recv
        self.close = connection.close

    def send(self, data: bytes) -> None:
        """Send one message whole. Raises OSError."""
        with self._lock:
            self._connection.send_bytes(data)


class LocalWorkers(Executor):
    """Runs tasks in worker processes, each of which is started when it is first needed.

    count: how many at once. on_message: is called with what tasks tell(), in a thread of ours.
    """

    def __init__(self, count: int, on_message: Callable[[Any], None] | None = None) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._on_message = on_message
        self._lock = Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._working: dict[Future[Any], _Wire] = {}
        self._orders: dict[Future[Any], list[bytes]] = {}  # for tasks that no worker has yet
        self._closed = False
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run a function that can be imported by its name. The future may hold LostWorkerError."""
        task = pickle.dumps((fn, args, kwargs))
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers have been shut down")
            future: Future[Any] = Future()
            self._orders[future] = []
            self._tasks.put((future, task))
            return future

    def call(self, future: "Future[Any]", fn: Callable[..., Any], /, *args: Any) -> None:
        """Run a function in the worker that has or gets this task, in a thread beside it.

        It can be imported by its name, is quick, raises nothing and returns to nobody. It may run
        before the task does or after; if the task is over, nothing is done.
        """
        order = _ORDER + pickle.dumps((fn, args))
        with self._lock:
            wire = self._working.get(future)
            self._orders.get(future, []).append(order)
        if wire is not None:
            with suppress(OSError):
                wire.send(order)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; with wait, return when all workers have ended."""
        with self._lock:
            if not self._closed:
                self._closed = True
                if cancel_futures:
                    self._cancel()
                for _ in self._threads:
                    self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill(self) -> None:
        """End all workers and what they have started now; their tasks are lost."""
        with self._lock:
            self._closed = True
            self._cancel()
            for _ in self._threads:
                self._tasks.put(None)
            running = list(self._processes)
        for process in running:
            process.terminate()
        until = monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        for process in running:
            if process.poll() is None:
                process.kill()
        self.shutdown()

    def pids(self) -> list[int]:
        """Of the workers that run now."""
        with self._lock:
            return [process.pid for process in self._processes]

    def _cancel(self) -> None:
        while not self._tasks.empty():
            task = self._tasks.get()
            if task is not None:
                task[0].cancel()

    # One thread for each worker

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        wire: _Wire | None = None
        while (task := self._tasks.get()) is not None:
            future, data = task
            if not future.set_running_or_notify_cancel():
                with self._lock:
                    self._orders.pop(future, None)
                continue
            if process is None or wire is None:
                try:
                    process, wire = self._begin()
                except OSError as problem:
                    with self._lock:
                        self._orders.pop(future, None)
                    future.set_exception(LostWorkerError(f"no worker can start: {problem}"))
                    continue
            if not self._do(wire, future, data):
                self._end(process, wire)
                status = process.returncode
                process = wire = None
                future.set_exception(LostWorkerError(f"a worker has ended with status {status}"))
        if process is not None and wire is not None:
            self._end(process, wire)

    def _do(self, wire: _Wire, future: "Future[Any]", data: bytes) -> bool:
        """Have a task done; False: the worker has died."""
        try:
            wire.send(_TASK + data)
            with self._lock:
                self._working[future] = wire
                orders = self._orders.pop(future)
            for order in orders:
                wire.send(order)
            while True:
                kind, value = wire.receive()
                if kind != "message":
                    break
                if self._on_message is not None:
                    self._on_message(value)
        except (EOFError, OSError):
            return False
        finally:
            with self._lock:
                self._working.pop(future, None)
                self._orders.pop(future, None)
        if kind == "result":
            future.set_result(value)
        else:
            future.set_exception(value)
        return True

    def _begin(self) -> tuple[subprocess.Popen[bytes], _Wire]:
        ours, theirs = Pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "shisan.protocol.workers", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is for the owner
        )
        theirs.close()
        with self._lock:
            self._processes.add(process)
            if self._closed:
                process.terminate()
        return process, _Wire(ours)

    def _end(self, process: subprocess.Popen[bytes], wire: _Wire) -> None:
        wire.close()
        try:
            process.wait(PATIENCE + 1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        with self._lock:
            self._processes.discard(process)


# --- in the worker -------------------------------------------------------------------------------

_owner: "Connection[Any, Any] | None" = None


def tell(message: Any) -> None:
    """Send a message to the owner's on_message; nothing outside a worker."""
    if _owner is not None:
        with suppress(OSError):
            _owner.send(("message", message))


def serve(number: int) -> None:
    """Be a worker on this connection until its other end is closed or SIGTERM comes."""
    global _owner
    _owner = Connection(number)
    signal.signal(signal.SIGTERM, _leave)
    tasks: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(_owner, tasks), daemon=True).start()
    while True:
        fn, args, kwargs = pickle.loads(tasks.get())
        answer: tuple[str, Any]
        try:
            answer = ("result", fn(*args, **kwargs))
        except Exception as problem:
            answer = ("error", _sendable(problem))
        try:
            _owner.send(answer)
        except OSError:
            return


def _sendable(problem: Exception) -> Exception:
    """The exception, or one in its place that can be sent."""
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem


def _listen(owner: "Connection[Any, Any]", tasks: "SimpleQueue[bytes]") -> None:
    """Hand on the tasks and do what is to be done beside them; when the owner is gone, leave."""
    try:
        while True:
            data = owner.recv_bytes()
            if data[:1] == _TASK:
                tasks.put(data[1:])
            else:
                fn, args = pickle.loads(data[1:])
                fn(*args)
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)
    sleep(PATIENCE)
    os._exit(1)  # what was started is ended by the keeper (processes)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM: leave through every finally, which ends the brains."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(1)


if __name__ == "__main__":
    from shisan.protocol.workers import serve as serve_imported  # not a second time as __main__

    serve_imported(int(sys.argv[1]))
