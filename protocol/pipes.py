"""The pipes of a brain's process: lines with the time of their arrival, and every wait bounded.

Whoever waits for a line reads the pipes himself, so that nothing stands between the arrival of a
line and the thread that wants it, and a brain that floods while nobody asks is held up by its own
full pipe. Lines end in LF, and where that is wanted in CR; a CR before LF is no part of them.
"""

import os
import select
import time
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from .processes import Tree

KEPT: Final = 7997
"""Bytes of a line that are kept, as many as Piskvork keeps; the rest is dropped."""

MAX_BYTES: Final = 8 << 20
MAX_LINES: Final = 20_000
"""What a brain may write for one request; more is a flood."""

_CHUNK: Final = 65536
_SLICE_MS: Final = 100  # how often a process is looked at where its end cannot be waited for


class Line(NamedTuple):
    """A line that has arrived. at_ns: by time.monotonic_ns, right after it was read.

    error: it came over stderr. cut: bytes that were dropped. bare: it has, or ends in, a CR that no
    LF follows.
    """

    data: bytes
    at_ns: int
    error: bool = False
    cut: int = 0
    bare: bool = False


class ClosedError(Exception):
    """The other side has closed its output, or its process has ended, and nothing is left."""


class FloodError(Exception):
    """The other side has written more than anybody should."""


class _Assembler:
    """Bytes in, whole lines out. at_cr: a CR ends a line, too."""

    def __init__(self, error: bool, at_cr: bool) -> None:
        self._error, self._at_cr = error, at_cr
        self._rest = b""
        self._cut = 0

    def feed(self, chunk: bytes, at_ns: int) -> list[Line]:
        *whole, rest = chunk.split(b"\n")
        lines = []
        for part in whole:
            lines += self._lines((self._rest + part).rstrip(b"\r"), at_ns)
            self._rest, self._cut = b"", 0
        self._rest += rest
        if self._at_cr and b"\r" in self._rest:
            ended, _, rest = self._rest.rpartition(b"\r")
            lines += self._lines(ended, at_ns)
            self._rest, self._cut = rest, 0
        if len(self._rest) > KEPT + 1:
            self._cut += len(self._rest) - KEPT
            self._rest = self._rest[:KEPT]
        return lines

    def _lines(self, data: bytes, at_ns: int) -> list[Line]:
        """What came before a line end as one line, or as several if it has CRs in it."""
        parts = data.split(b"\r") if self._at_cr else [data]
        lines = []
        for part in parts:
            bare = b"\r" in part or (self._at_cr and len(parts) > 1 and bool(part))
            cut = self._cut + max(0, len(part) - KEPT)
            lines.append(Line(part[:KEPT], at_ns, self._error, cut, bare))
        return lines


class Channel:
    """What is said to a process and by it. One thread at a time. at_cr: lines may end in CR.

    tap: called with every piece of stdout as it was read, before it is made into lines.
    """

    def __init__(
        self, tree: Tree, at_cr: bool = False, tap: Callable[[bytes], None] | None = None
    ) -> None:
        self._tree = tree
        self._tap = tap
        self._input, self._output, error = tree.pipes()
        self._lines: deque[Line] = deque()
        self._sources = {self._output: _Assembler(False, at_cr)}
        if error is not None:
            self._sources[error] = _Assembler(True, at_cr)
        self._poll = select.poll()
        for number in (self._input, *self._sources):
            os.set_blocking(number, False)
        for number in self._sources:
            self._poll.register(number, select.POLLIN)
        self._death = tree.death
        if self._death is not None:
            self._poll.register(self._death, select.POLLIN)
        self._dead = False
        self._bytes = self._count = 0

    def write(self, data: bytes, until_ns: int) -> bool:
        """Write all of it; False: the other side did not read it in time. OSError: it is gone."""
        while True:
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                pass
            if not data:
                return True
            left = until_ns - time.monotonic_ns()
            if left <= 0:
                return False
            wait = select.poll()
            wait.register(self._input, select.POLLOUT)
            wait.poll(min(left / 1e6, _SLICE_MS))
            if self._tree.exited():
                raise BrokenPipeError
            self._gather(0)  # it may be waiting for us to read

    def write_at_once(self, data: bytes) -> None:
        """Write what the pipe takes now. From any thread. OSError: it is gone, or the pipe full."""
        os.write(self._input, data)

    def allow(self) -> None:
        """A new request begins: what was written before does not count as a flood of this one."""
        self._bytes = self._count = 0

    def line(self, until_ns: int) -> Line | None:
        """The next line; None: none has come in time. Raises ClosedError, FloodError."""
        while not self._lines:
            if self._ended():
                raise ClosedError
            left_ms = (until_ns - time.monotonic_ns()) / 1e6
            if not self._gather(max(0.0, left_ms)) and left_ms <= 0:
                return None
        return self._lines.popleft()

    def push_back(self, line: Line) -> None:
        """Let a line be the next one again."""
        self._lines.appendleft(line)

    def waiting(self) -> list[Line]:
        """All lines that are there already. Raises FloodError."""
        while not self._ended() and self._gather(0):
            pass
        found = list(self._lines)
        self._lines.clear()
        return found

    def close_output(self) -> None:
        """Read its stdout no more: the pipe is broken for whatever it writes from now on."""
        if not self._ended():
            self._forget(self._output)
            self._tree.close_output()

    def _ended(self) -> bool:
        """Whether nothing can come any more over stdout."""
        return self._output not in self._sources

    def _gather(self, wait_ms: float) -> bool:
        """Read what there is, waiting for it at most so long; whether there was anything."""
        if self._death is None:
            wait_ms = min(wait_ms, _SLICE_MS)
        # rounded up: a wait that ends a fraction too early would only be repeated
        ready = self._poll.poll(0 if wait_ms <= 0 else int(wait_ms) + 1)
        some = False
        for number, _ in ready:
            if number == self._death:
                self._dead = True
                self._poll.unregister(number)
                some = True
            else:
                some = self._read(number) or some
        if self._death is None and not ready and self._tree.exited():
            self._dead = True
        if self._dead and not any(number in self._sources for number, _ in ready):
            for number in list(self._sources):
                self._forget(number)  # descendants may hold the pipe open; they do not play
        return some

    def _read(self, number: int) -> bool:
        try:
            chunk = os.read(number, _CHUNK)
        except BlockingIOError:
            return False
        at_ns = time.monotonic_ns()
        if not chunk:
            self._forget(number)
            return True
        if self._tap is not None and number == self._output:
            self._tap(chunk)
        lines = self._sources[number].feed(chunk, at_ns)
        self._lines += lines
        self._bytes += len(chunk)
        self._count += len(lines)
        if self._bytes > MAX_BYTES or self._count > MAX_LINES:
            raise FloodError
        return True

    def _forget(self, number: int) -> None:
        del self._sources[number]
        self._poll.unregister(number)


def own_delay_ns() -> int:
    """How long this thread has been kept waiting for a processor, in all; 0 where unknown."""
    try:
        with open("/proc/thread-self/schedstat", "rb", buffering=0) as file:
            return int(file.read(80).split()[1])
    except (OSError, IndexError):
        return 0
