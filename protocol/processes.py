"""A brain's process and everything that it starts: suspended, weighed and killed as one.

Each brain leads a session of its own and carries a mark in its environment. On Linux what loses
its parent comes back to us (a "subreaper"), so that it is found even when it has left its session.
If we are killed ourselves, a keeper (a shell that waits for our end) kills what we have started.
"""

import atexit
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

MARK: Final = "SHISAN_MATCH"
"""The environment variable that tells which runner, and which brain of it, a process belongs to."""

_LINUX: Final = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER
_ROUNDS: Final = 200  # tries at killing what keeps on forking
_KEEPER: Final = """
while read -r line; do
  case $line in
    +*) groups="$groups ${line#+}" ;;
    -*) rest=; for g in $groups; do [ "$g" = "${line#-}" ] || rest="$rest $g"; done; groups=$rest ;;
  esac
done
for g in $groups; do kill -9 "-$g"; done
for round in 1 2 3; do
  for f in $(grep -ls "$1" /proc/[0-9]*/environ); do f=${f#/proc/}; kill -9 "${f%/environ}"; done
done
"""


class Keeper:
    """The shell that kills our brains if we end without having done so. One for each process."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.token = f"{self.owner}.{time.time_ns():x}"
        self.numbers = count(1)
        self.mains: set[int] = set()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "keeper", f"{MARK}={self.token}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
            cwd="/",
        )
        atexit.register(self._end)

    def tell(self, sign: str, group: int) -> None:
        """sign: "+" there is a group to be killed, "-" it is gone."""
        (self.mains.add if sign == "+" else self.mains.discard)(group)
        assert self._shell.stdin is not None
        with suppress(OSError):
            self._shell.stdin.write(f"{sign}{group}\n".encode())

    def leave(self) -> None:
        """Not ours: we are a copy of its owner, made by fork."""
        if self._shell.stdin is not None:
            self._shell.stdin.close()

    def _end(self) -> None:
        if os.getpid() == self.owner and self._shell.stdin is not None:
            self._shell.stdin.close()
            self._shell.wait()


_keeper: Keeper | None = None
_keeper_lock = threading.Lock()


def keeper() -> Keeper:
    """The keeper of our process, started when it is first needed."""
    global _keeper
    with _keeper_lock:
        if _keeper is None:
            _keeper = Keeper()
        return _keeper


def _after_fork() -> None:
    """A copy of us has brains and a keeper of its own; it must not hold ours back."""
    global _keeper, _keeper_lock
    if _keeper is not None:
        _keeper.leave()
    _keeper, _keeper_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class Tree:
    """A process, its pipes, and all its descendants. Raises OSError when it cannot be started.

    death: a descriptor that becomes readable when the process ends; None where there is no such.
    status: its exit status after kill(), negative for a signal. peak: most bytes that usage() saw.
    merge: stderr goes into the pipe of stdout. cwd: None, our own.
    packets: a read of stdout gives what one write wrote, up to 4096 bytes; Linux only.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: str | None = None,
        merge: bool = False,
        packets: bool = False,
    ) -> None:
        words = list(command)
        if "/" in words[0]:
            words[0] = os.path.abspath(words[0])
        self._keeper = keeper()
        self.mark = f"{MARK}={self._keeper.token}.{next(self._keeper.numbers)}."
        ours, theirs = os.pipe2(os.O_DIRECT | os.O_CLOEXEC) if packets else (-1, subprocess.PIPE)
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=theirs,
                stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=os.environ | {MARK: self.mark.partition("=")[2]},
                start_new_session=True,
            )
        except BaseException:
            if packets:
                os.close(ours)
            raise
        finally:
            if packets:
                os.close(theirs)
        if packets:
            self._process.stdout = open(ours, "rb", buffering=0)  # noqa: SIM115 - kill closes it
        self.pid = self._process.pid
        self._keeper.tell("+", self.pid)
        self.death = _death_of(self.pid)
        self.status: int | None = None
        self.peak = 0
        self._weighed: Any = None  # psutil's view of the process

    def pipes(self) -> tuple[int, int, int | None]:
        """The descriptors of stdin, stdout and, where it is one of its own, stderr."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        error = None if process.stderr is None else process.stderr.fileno()
        return process.stdin.fileno(), process.stdout.fileno(), error

    def close_input(self) -> None:
        """Close our end of its stdin."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def close_output(self) -> None:
        """Close our end of its stdout."""
        if self._process.stdout is not None:
            with suppress(OSError):
                self._process.stdout.close()

    def exited(self) -> bool:
        """Whether the process itself has ended; it is not taken from the system yet."""
        if self.status is not None:
            return True
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:
            return True

    def wait(self, seconds: float) -> bool:
        """Wait for the process itself to end; whether it has."""
        if self.death is not None and not self.exited():
            watch = select.poll()
            watch.register(self.death, select.POLLIN)
            watch.poll(seconds * 1000)
            return self.exited()
        until = time.monotonic() + seconds
        pause = 0.0005
        while not self.exited():
            if time.monotonic() >= until:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        return True

    def descendants(self) -> list[int]:
        """Everything that it has started and that is still there, orphans included."""
        found = list(dict.fromkeys([*_below(self.pid), *self._orphans()]))
        return [pid for pid in found if pid != self.pid]

    def suspend(self) -> None:
        """Stop the whole tree (SIGSTOP)."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the whole tree go on (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def usage(self) -> int:
        """Bytes that only this tree uses (USS), all its processes together; peak is the most."""
        import psutil  # type: ignore[import-untyped]

        if self._weighed is None:
            self._weighed = psutil.Process(self.pid)
        total = 0
        for pid in (0, *self.descendants()):
            with suppress(psutil.Error):
                member = psutil.Process(pid) if pid else self._weighed
                total += int(member.memory_full_info().uss)
        self.peak = max(self.peak, total)
        return total

    def cpu(self) -> float:
        """Seconds of processor time that what is there of the tree has used, threads included."""
        return sum(_cpu_of(pid) for pid in (self.pid, *self.descendants()))

    def waits(self) -> dict[int, float]:
        """Seconds that each thread of the tree has been ready to run and did not; {} if unknown."""
        return {
            thread: seconds
            for pid in (self.pid, *_below(self.pid))
            for thread, seconds in _waits_of(pid)
        }

    def send_signal(self, number: int) -> None:
        """Send a signal to the process itself; no harm if it has ended."""
        if self.status is None:
            with suppress(OSError):
                os.kill(self.pid, number)

    def kill(self) -> int:
        """Kill everything, reap it, close the pipes. How many were there beside the process."""
        if self.status is not None:
            return 0
        others = self.descendants()
        seen = set(others)
        for tried in range(_ROUNDS):
            self._kill_group()
            for pid in others:
                _kill(pid)
            if self.wait(0.05):
                others = self.descendants()
                seen |= set(others)
                if not others:
                    break
                time.sleep(min(0.02, 0.0005 * tried))
        if not self.exited():  # nothing more can be done to it
            self._process.returncode = -signal.SIGKILL
        self.status = self._process.wait()
        self._keeper.tell("-", self.pid)
        if self.death is not None:
            os.close(self.death)
            self.death = None
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return len(seen)

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self.status is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)
        for pid in _below(self.pid):
            with suppress(OSError):
                if os.getpgid(pid) != self.pid:
                    os.kill(pid, number)

    def _orphans(self) -> Iterator[int]:
        """Our own children that came to us because their parents have ended, and all below them.

        They come to our first thread, so that the many others need not be looked through.
        """
        for pid in _children_of_task(os.getpid(), os.getpid()):
            if pid not in self._keeper.mains and self._is_ours(pid):
                if _state(pid) == "Z":
                    with suppress(OSError):
                        os.waitpid(pid, os.WNOHANG)
                    continue
                yield pid
                yield from _below(pid)

    def _is_ours(self, pid: int) -> bool:
        with suppress(OSError):
            if os.getsid(pid) == self.pid:
                return True
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return self.mark.encode() in file.read()
        except OSError:
            return False


def _death_of(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _kill(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _state(pid: int) -> str:
    """The process's letter in /proc; Z: it has ended and waits for its parent."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return chr(file.read().rpartition(b")")[2].split()[0][0])
    except (OSError, IndexError):
        return "Z"


def _waits_of(pid: int) -> Iterator[tuple[int, float]]:
    """The threads of a process and the seconds that each has waited for a processor."""
    with suppress(OSError, IndexError, ValueError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", "rb", buffering=0) as file:
                yield int(task), int(file.read(80).split()[1]) / 1e9


def _cpu_of(pid: int) -> float:
    """Seconds of processor time of a process; 0.0 if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _children_of_task(pid: int, task: int) -> list[int]:
    """The children of one thread of a process. Raises no error: none if that cannot be read."""
    try:
        with open(f"/proc/{pid}/task/{task}/children", "rb", buffering=0) as file:
            return [*map(int, file.read().split())]
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    """The children of a process; none if it is gone."""
    if _LINUX:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            return []
        return [child for task in tasks for child in _children_of_task(pid, int(task))]
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def _below(pid: int) -> Iterator[int]:
    """The descendants of a process, parents first; dead ones left out."""
    for child in _children(pid):
        if _state(child) != "Z":
            yield child
        yield from _below(child)
