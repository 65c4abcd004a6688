"""Workers of our own: an Executor whose processes end with their tasks or their owner."""

import os
import signal
import sys
import time
from concurrent.futures import Executor, Future
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

import psutil
import pytest

from shisan.protocol.workers import LocalWorkers, LostWorkerError, tell


def gone(pid: int) -> bool:
    until = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_tasks_run_elsewhere() -> None:
    with LocalWorkers(2) as workers:
        assert isinstance(workers, Executor)
        assert workers.submit(pow, 2, 10).result() == 1024
        assert workers.submit(os.getpid).result() != os.getpid()
        assert list(workers.map(abs, [-1, 2, -3])) == [1, 2, 3]
        with pytest.raises(ValueError, match="invalid literal"):
            workers.submit(int, "x").result()
        pids = workers.pids()
    assert all(gone(pid) for pid in pids)
    with pytest.raises(RuntimeError):
        workers.submit(abs, 1)


def test_messages_come_before_the_result() -> None:
    inbox: SimpleQueue[Any] = SimpleQueue()
    with LocalWorkers(1, inbox.put) as workers:
        future = workers.submit(tell, "hello")
        future.add_done_callback(inbox.put)
        assert inbox.get(timeout=20) == "hello"
        assert isinstance(inbox.get(timeout=20), Future)
    tell("nobody listens here")


def test_a_dead_worker_costs_its_task() -> None:
    with LocalWorkers(1) as workers:
        future = workers.submit(os.kill, os.getpid() * 0, 0)
        future.exception()
        lost = workers.submit(os._exit, 3)
        with pytest.raises(LostWorkerError, match="status 3"):
            lost.result(20)
        assert workers.submit(abs, -7).result(20) == 7


_called = Event()


def wait_for_call() -> bool:
    """What a worker does until it is told otherwise."""
    done = _called.wait(20)
    _called.clear()
    return done


def be_called(more: bytes) -> None:
    assert more
    _called.set()


def test_a_function_runs_beside_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it comes with a lot, and before the task has begun; none for a task that is over."""
    (tmp_path / "beside.py").write_text(Path(__file__).read_text())
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(str(tmp_path))
    beside = import_module("beside")
    with LocalWorkers(1) as workers:
        future = workers.submit(beside.wait_for_call)
        workers.call(future, beside.be_called, b"x" * 1_000_000)
        assert future.result(20)
        workers.call(future, os._exit, 1)
        assert workers.submit(abs, -7).result(20) == 7


def test_a_worker_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with LocalWorkers(1) as workers:
        with pytest.raises(LostWorkerError, match="no worker can start"):
            workers.submit(abs, 1).result(20)
        monkeypatch.undo()
        assert workers.submit(abs, -7).result(20) == 7


def test_kill_ends_everything_at_once() -> None:
    workers = LocalWorkers(2)
    pid = workers.submit(os.getpid).result()
    long = [workers.submit(time.sleep, 60) for _ in range(4)]
    time.sleep(0.1)
    begun = time.monotonic()
    workers.kill()
    assert time.monotonic() - begun < 5
    assert gone(pid)
    assert all(future.done() for future in long)


def test_a_suspended_worker_is_killed_all_the_same() -> None:
    workers = LocalWorkers(1)
    pid = workers.submit(os.getpid).result()
    workers.submit(os.kill, pid, signal.SIGSTOP)
    time.sleep(0.2)
    workers.kill()
    assert gone(pid)
