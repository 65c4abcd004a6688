"""The bench at which a brain is checked: processes of it, talked to with all tolerance.

A Talk takes what any manager would take and more, so that a fault that one check is about does not
hide what the others ask. Every wait is bounded, and whatever happens, each process tree is killed
when its Talk ends.
"""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from shisan.engine import Point

from .conformance import CannotMeasure, CheckFailed
from .pipes import Channel, ClosedError, FloodError, Line, own_delay_ns
from .police import read_line
from .processes import Tree
from .transcripts import TranscriptLine

TURN: Final = 100
"""ms for each move of the brain, where a check does not need others."""

THINK: Final = 60_000
"""ms for a move that is to be cut short."""

PATIENCE: Final = 5.0
"""Seconds until a missing answer is missing, on top of the time it was given."""

PAUSE: Final = 0.1
"""Seconds between an answer and the next request: some brains drop what comes at once."""

RETRY: Final = 1.0
"""Seconds after which START is said again, for the same reason."""

QUIET: Final = 0.2
"""Seconds of silence that show that nothing is answered."""

T = TypeVar("T")

_MS: Final = 1_000_000
_SAMPLE_NS: Final = 20 * _MS  # how often the waits of its threads are looked at
_KEPT: Final = 4000  # bytes of a line of ours that a transcript keeps


class Answer(NamedTuple):
    """What came for a request. kind: "move", "ok", "error", "unknown", "swap", "points", "text".

    ms: from just before the request was written to the arrival of the line, without the time that
        the brain or we were kept waiting for a processor.
    """

    kind: str
    text: str
    points: tuple[Point, ...]
    ms: float

    @property
    def point(self) -> Point:
        """The point of a move."""
        return self.points[0]

    @property
    def unknown(self) -> bool:
        """Whether it says that there is no such command, as UNKNOWN or as an ERROR that says so."""
        return self.kind == "unknown" or (self.kind == "error" and "unknown" in self.text.lower())


class Talk:
    """A process of the brain and what is said to it and by it, for one check.

    end: of our lines. merge: its stderr goes into stdout, as under Piskvork.
    log: every line. raw: all bytes of its stdout. pieces: them as its writes made them (packets).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        end: str = "\n",
        cwd: str | None = None,
        merge: bool = False,
        packets: bool = False,
        slack: float = 0.0,
    ) -> None:
        self.log: list[TranscriptLine] = []
        self.pieces: list[bytes] = []
        self.created_ns = time.monotonic_ns()
        try:
            self.tree = Tree(command, cwd, merge, packets)
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            raise CheckFailed(f"it cannot be started: {why}") from None
        self._channel = Channel(self.tree, at_cr=True, tap=self.pieces.append)
        self.slack = slack
        self._end = end
        self._answered_ns = 0
        self._waits: dict[int, float] = {}  # of its threads, those that have ended too
        self._waited = 0.0
        self._own_ns = 0  # how long we were kept from reading the latest line
        self._played = False
        self._repeated = False

    # What is said

    def write(self, data: bytes, seconds: float = 5.0) -> int:
        """Write bytes; when that began. Raises CheckFailed if the brain is gone or reads none."""
        self._mark()
        now = time.monotonic_ns()
        for line in data.split(b"\n"):
            if line:
                text = line[:_KEPT].decode("utf-8", "backslashreplace")
                more = f"... ({len(line)} bytes)" if len(line) > _KEPT else ""
                self.log.append(TranscriptLine(now, ">", text + more))
        try:
            self._channel.allow()
            if not self._channel.write(data, now + int(seconds * 1e9)):
                raise CheckFailed("it reads no more commands")
        except OSError:
            raise CheckFailed(f"it has ended by itself{self._status()}") from None
        except FloodError:
            raise CheckFailed("it floods its output") from None
        return now

    def send(self, *lines: str) -> int:
        """Write lines at once; when that began, by time.monotonic_ns."""
        return self.write("".join(line + self._end for line in lines).encode())

    def note(self, text: str) -> None:
        """Put a remark of ours into the transcript."""
        self.log.append(TranscriptLine(time.monotonic_ns(), "#", text))

    # What is answered

    def line(self, seconds: float) -> Line | None:
        """The next line of stdout that is not empty; None: none has come in time."""
        until = time.monotonic_ns() + int(seconds * 1e9)
        while True:
            own = own_delay_ns()
            try:
                line = self._channel.line(min(until, time.monotonic_ns() + _SAMPLE_NS))
            except ClosedError:
                raise CheckFailed(f"it has ended by itself{self._status()}") from None
            except FloodError:
                raise CheckFailed("it floods its output") from None
            if line is None:
                if time.monotonic_ns() >= until:
                    return None
                self._waits.update(self.tree.waits())  # of threads that may soon be gone
                continue
            self._own_ns = own_delay_ns() - own
            self._heard(line)
            if line.data.strip() and not line.error:
                return line

    def answer(self, wanted: str, since_ns: int, seconds: float = PATIENCE) -> Answer | None:
        """The next line that answers: not MESSAGE, DEBUG, SUGGEST or free text; None: none came.

        wanted: "ok", "move", "swap" or "text". Where text is wanted, free text is an answer.
        """
        begun, waited = time.monotonic(), self._all_waited()
        while True:
            lasted = time.monotonic() - begun
            left = seconds - lasted + min(self._all_waited() - waited, 3 * seconds)
            line = self.line(max(0.0, left))
            if line is None:
                if left > 0.01:
                    continue
                return None
            text = text_of(line)
            found = read_line(text, wanted)
            if found.kind == "ok" and wanted != "ok" and self._repeated:
                self._repeated = False  # the OK of a START that was said twice
                continue
            passed = ("message", "debug", "suggest") + (("text",) if wanted != "text" else ())
            if found.kind not in passed:
                self._answered_ns = line.at_ns
                self._played = found.kind == "move"
                return Answer(found.kind, text, found.points, self.since(since_ns, line.at_ns))

    def ask(self, *lines: str, wanted: str = "text", seconds: float = PATIENCE) -> Answer:
        """Send lines; the answer, whatever it is. Raises CheckFailed if there is none in time."""
        self.settle()
        at = self.send(*lines)
        found = self.answer(wanted, at, seconds + self.slack)
        if found is None:
            last = "BOARD" if lines[-1] == "DONE" else lines[-1].partition(" ")[0]
            raise CheckFailed(f"no answer to {last[:20]} in {seconds:g} s")
        return found

    def move(self, *lines: str, seconds: float = PATIENCE) -> Answer:
        """Send lines; the move that answers. Raises CheckFailed if none does."""
        found = self.ask(*lines, wanted="move", seconds=seconds)
        if found.kind != "move":
            raise CheckFailed(f"{found.text[:60]!r} came in place of a move")
        return found

    def only(self, words: str, *kinds: str) -> str:
        """Send a line; the one line that answers it. Raises CheckFailed for none, or for more.

        kinds: what the answer may be.
        """
        found = self.ask(words, wanted="move")
        said = self.quiet()
        if said:
            raise CheckFailed(f"{len(said) + 1} lines for {words}, {said[0][:60]!r} the second")
        if found.kind not in kinds:
            raise CheckFailed(f"{words} gave {found.text[:60]!r}")
        return found.text

    def start(self, size: int = 15, *info: str, turn: int = TURN) -> None:
        """START, its OK in any spelling, and the settings of a game. Raises CheckFailed."""
        self.settle()
        words = f"START {size}"
        at = self.send(words)
        found = self.answer("ok", at, RETRY if self._answered_ns else PATIENCE + self.slack)
        if found is None and self._answered_ns:
            at = self.send(words)
            self._repeated = True
            found = self.answer("ok", at, PATIENCE + self.slack)
        if found is None or found.kind != "ok":
            what = "no answer" if found is None else repr(found.text[:60])
            raise CheckFailed(f"{what} to {words}")
        self.send(f"INFO timeout_turn {turn}", "INFO timeout_match 0", *info)

    def settle(self) -> None:
        """Leave it the time after its move, then drop what came although nothing was asked."""
        if self._played:
            self._played = False
            waited = self._all_waited()
            time.sleep(max(0.0, PAUSE - (time.monotonic_ns() - self._answered_ns) / 1e9))
            time.sleep(min(1.0, max(0.0, self._all_waited() - waited)))
        for line in self._waiting():
            self._heard(line)

    def quiet(self, seconds: float = QUIET) -> list[str]:
        """Wait; what it said meanwhile, MESSAGE, DEBUG and empty lines left out."""
        lines = [text_of(line) for line in self.all_of(seconds)]
        return [text for text in lines if read_line(text, "move").kind not in ("message", "debug")]

    def all_of(self, seconds: float) -> list[Line]:
        """Wait so long; all lines of stdout that came. Ends early if the process does.

        What the brain waits for a processor meanwhile is added, up to ten times as long in all.
        """
        begun, waited = time.monotonic(), self._all_waited()
        found = []
        while (passed := time.monotonic() - begun) < 10 * seconds:
            left = seconds - passed + self._all_waited() - waited
            if left <= 0:
                break
            try:
                line = self.line(min(left, 9 * seconds))
            except CheckFailed:
                break
            if line is not None:
                found.append(line)
        return found

    def busy(self) -> float:
        """Seconds that its threads have run, or would have if a processor had been free."""
        return self.tree.cpu() + self._all_waited()

    # The process

    def gone(self, since_ns: int, seconds: float = 3.0) -> float | None:
        """Wait for the process to end, reading on; the ms since then, None: it has not ended."""
        until = time.monotonic() + seconds
        own = own_delay_ns()
        while not self.tree.wait(0.005):
            self._waits.update(self.tree.waits())
            for line in self._waiting():
                self._heard(line)
            if time.monotonic() > until:
                return None
            own = own_delay_ns()
        self._own_ns = own_delay_ns() - own
        took = self.since(since_ns, time.monotonic_ns())
        for line in self._waiting():
            self._heard(line)
        return took

    def heard(self, way: str = "<", since_ns: int = 0) -> list[str]:
        """What it said since then: way "<" over stdout, "!" over stderr."""
        return [
            line.text
            for line in self.log
            if line.way == way and line.at_ns >= since_ns and line.text.strip()
        ]

    def _mark(self) -> None:
        """From here on the waiting for a processor counts for the next answer."""
        self._waited = self._all_waited()

    def _all_waited(self) -> float:
        """Seconds that its threads, ended ones too, have waited for a processor so far."""
        self._waits.update(self.tree.waits())
        return sum(self._waits.values())

    def since(self, begun_ns: int, at_ns: int) -> float:
        """The ms between two times, less what was waited for a processor since the last write."""
        waited = self._all_waited() - self._waited + self._own_ns / 1e9
        return max(0.0, (at_ns - begun_ns) / _MS - 1000 * max(0.0, waited))

    def close_input(self) -> int:
        """Close its stdin; when that was."""
        self._mark()
        self.note("stdin closed")
        self.tree.close_input()
        return time.monotonic_ns()

    def close_output(self) -> None:
        """Close the reading end of its stdout."""
        self.note("stdout closed")
        self._channel.close_output()

    def suspend(self, seconds: float) -> None:
        """Stop the whole tree for so long."""
        self.note(f"suspended for {seconds:g} s")
        self.tree.suspend()
        time.sleep(seconds)
        self.tree.resume()

    def signal(self, number: int) -> int:
        """Send a signal to the process; when that was."""
        self._mark()
        self.note(signal.Signals(number).name)
        self.tree.send_signal(number)
        return time.monotonic_ns()

    def usage(self) -> int:
        """Bytes of USS of the tree. Raises CannotMeasure where psutil is not there."""
        try:
            return self.tree.usage()
        except ImportError:
            raise CannotMeasure("psutil is not installed: pip install 'shisan[match]'") from None

    def push(self, data: bytes) -> bool:
        """Write without reading what it says; False: the pipe is full."""
        try:
            self._channel.write_at_once(data)
        except BlockingIOError:
            return False
        except OSError:
            raise CheckFailed(f"it has ended by itself{self._status()}") from None
        return True

    def kill(self) -> None:
        """End the whole tree."""
        self.tree.resume()
        self.tree.kill()

    def _waiting(self) -> list[Line]:
        try:
            self._channel.allow()
            return self._channel.waiting()
        except FloodError:
            raise CheckFailed("it floods its output") from None

    def _heard(self, line: Line) -> None:
        self.log.append(TranscriptLine(line.at_ns, "!" if line.error else "<", text_of(line)))

    def _status(self) -> str:
        if not self.tree.wait(0.3):
            return ": it closed its pipes"
        self.kill()
        status = self.tree.status or 0
        return f" with status {status}" if status >= 0 else f": {signal.Signals(-status).name}"


class Bench:
    """Makes Talks with one brain, and keeps what checks share.

    command: its words; cwd: its folder, None: ours. full: take the time that a full run takes.
    slack: seconds on top of every bound of time, for machines that are busy.
    talks: of the check that is being made. transcript: what to show of it in place of theirs.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: str | None = None,
        *,
        full: bool = False,
        slack: float = 0,
    ) -> None:
        self.command = tuple(command)
        self.cwd, self.full, self.slack = cwd, full, slack
        self.talks: list[Talk] = []
        self.transcript: tuple[TranscriptLine, ...] = ()
        self._kept: dict[Callable[[Bench], Any], Any] = {}
        self._folders = ExitStack()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self._folders.close()

    @contextmanager
    def talk(
        self,
        *arguments: str,
        end: str = "\n",
        elsewhere: str | None = None,
        merge: bool = False,
        packets: bool = False,
    ) -> Iterator[Talk]:
        """A Talk with a new process, whose whole tree is killed at the end.

        arguments: put behind the command. elsewhere: run it in this folder.
        """
        command = (*self.command, *arguments)
        cwd = self.cwd
        if elsewhere is not None:
            command, cwd = (*self._absolute(), *arguments), elsewhere
        talk = Talk(command, end=end, cwd=cwd, merge=merge, packets=packets, slack=self.slack)
        self.talks.append(talk)
        try:
            yield talk
        finally:
            talk.kill()

    def folder(self, name: str) -> str:
        """An empty folder of this name, removed when the bench is."""
        made = tempfile.mkdtemp(prefix="shisan-check-")
        self._folders.callback(shutil.rmtree, made, ignore_errors=True)
        path = os.path.join(made, name)
        os.mkdir(path)
        return path

    def keep(self, make: "Callable[[Bench], T]") -> T:
        """What make gives for this bench, made once for all checks."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def bound(self, ms: float) -> float:
        """A bound of time with the slack: ms."""
        return ms + 1000 * self.slack

    def _absolute(self) -> tuple[str, ...]:
        """The command with every word that names a file here made a whole path."""
        first, *words = self.command
        base = Path(self.cwd or ".")
        found = [str((base / word).resolve()) if (base / word).exists() else word for word in words]
        return (os.path.abspath(first) if "/" in first else first, *found)


def text_of(line: Line) -> str:
    """A line for people: bytes that are no UTF-8 are written as escapes."""
    return line.data.decode("utf-8", "backslashreplace")


def best(times: Sequence[float]) -> float:
    """The shortest of several tries: what the brain can do when the machine lets it."""
    return min(times)
