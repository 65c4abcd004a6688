"""Two ways to talk to the brain: Talk to a Session without a process, Brain to a process.

Both keep what was said, so that a failing test shows the dialogue.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shisan.engine import Limits, win_probability
from shisan.protocol.sayings import message
from shisan.protocol.session import (
    Abort,
    ChangeLimits,
    Consult,
    Effect,
    Ponder,
    Quit,
    Reply,
    Search,
    Session,
    Stop,
)
from shisan.protocol.yixindatabase import YixinDatabase

MOVE = re.compile(r"^[0-9]+,[0-9]+$")
COMMAND = [sys.executable, "-m", "shisan.protocol"]

SLACK = float(os.environ.get("SHISAN_TEST_SLACK", "1"))
"""Seconds added to every time bound of these tests: machines that run them are busy."""


class Found(NamedTuple):
    """A search result of our own making."""

    move: tuple[int, int]
    value: int = 0
    win_in: int | None = None
    depth: int = 1
    nodes: int = 100
    time_ms: int = 1
    line: tuple[tuple[int, int], ...] = ()
    note: str | None = None

    @property
    def win_probability(self) -> float:
        return win_probability(self.value)


def nearest(search: Search) -> Found:
    """The first legal point not to be avoided in reading order; an empty one if none is legal."""
    position = search.position
    width, height = position.rules.width, position.rules.height
    points = [(x, y) for y in range(height) for x in range(width) if position.is_empty(x, y)]
    points = [point for point in points if point not in search.avoid]
    legal = [point for point in points if position.is_legal(*point)] or points
    return Found(legal[0], line=tuple(legal[:2]) if search.task.kind == "balance two" else ())


class Talk:
    """A Session whose searches are answered at once, or by finish() if `hold` is set."""

    def __init__(self, *lines: str | bytes, answer: Callable[[Search], Found] = nearest) -> None:
        self.session = Session()
        self.answer = answer
        self.hold = False
        self.now = 100.0
        self.said: list[str] = []
        self.effects: list[Effect] = []
        self.searches: list[Search] = []
        self.consulted: list[Consult] = []
        self.database = YixinDatabase()
        self.over = False
        self.send(*lines)

    def send(self, *lines: str | bytes) -> list[str]:
        """Send lines; the lines that came back, MESSAGEs included."""
        before = len(self.said)
        for line in lines:
            assert not self.over, "a line after Quit"
            self._carry_out(self.session.receive(line, self.now))
        return self.said[before:]

    def finish(self, found: Found | None = None, after: float = 0.0) -> list[str]:
        """End the latest search `after` seconds later, with this result."""
        before = len(self.said)
        self.now += after
        search = self.searches[-1]
        if search.task.kind == "hash":
            said = [message(f"{search.task.verb} {search.task.path}".strip())]
            self._carry_out(self.session.finish(search.ticket, None, self.now, said=said))
            return self.said[before:]
        result = self.answer(search) if found is None else found
        self._carry_out(self.session.finish(search.ticket, result, self.now))  # type: ignore[arg-type]
        return self.said[before:]

    def answers(self, *lines: str | bytes) -> list[str]:
        """Send lines; what came back without MESSAGEs."""
        return [line for line in self.send(*lines) if not line.startswith("MESSAGE ")]

    def messages(self, *lines: str | bytes) -> list[str]:
        """Send lines; the texts of the MESSAGEs that came back, search summaries left out."""
        texts = [line[8:] for line in self.send(*lines) if line.startswith("MESSAGE ")]
        return [text for text in texts if not text.startswith("depth ")]

    @property
    def limits(self) -> Limits:
        """The limits of the latest search, or the latest change of them."""
        for effect in reversed(self.effects):
            if isinstance(effect, Search | ChangeLimits):
                return effect.limits
        raise AssertionError("no search yet")

    def _carry_out(self, effects: list[Effect], busy: bool = False) -> None:
        for effect in effects:
            self.effects.append(effect)
            if isinstance(effect, Reply):
                check_line(effect.line)
                self.said.append(effect.line)
            elif isinstance(effect, Search):
                self.searches.append(effect)
            elif isinstance(effect, Consult):
                self.consulted.append(effect)
            elif isinstance(effect, Quit):
                self.over = True
            else:
                assert isinstance(effect, ChangeLimits | Stop | Abort | Ponder)
        if self.session.searching and not (self.hold or self.over or busy):
            if self.consulting:
                self.reply(*self.database.handle(self.consulted[-1].request))
            else:
                self.finish()

    @property
    def consulting(self) -> bool:
        """Whether it is the database that was asked last."""
        asked = [effect for effect in self.effects if isinstance(effect, Search | Consult)]
        return bool(asked) and isinstance(asked[-1], Consult)

    def reply(self, *lines: str) -> list[str]:
        """Let the database that was asked last say these lines and be done."""
        before = len(self.said)
        ticket = self.consulted[-1].ticket
        for line in lines:
            self._carry_out(self.session.tell(ticket, line), busy=True)
        self._carry_out(self.session.finish(ticket, None, self.now))
        return self.said[before:]


def check_line(line: str) -> None:
    """What every output line must be, whatever it says."""
    assert len(line) < 1000, line
    assert all(" " <= c <= "~" for c in line), line
    assert line == line.strip(), line
    word = line.partition(" ")[0]
    if word in ("MESSAGE", "ERROR", "UNKNOWN"):
        assert len(line) > len(word) + 1, line
    else:
        patterns = (
            r"OK|SWAP|INFO [A-Z]+ [^ ].*|FORBID ([0-9]{4})*\.|FORBID( [0-9]+,[0-9]+)*",
            r"[0-9]+,[0-9]+( [0-9]+,[0-9]+)*",
            r'name="[^"]+"(, \w+="[^"]+")*',
        )
        assert any(re.fullmatch(pattern, line) for pattern in patterns), line


class Line(NamedTuple):
    """A line from a process, without its line end, and when it was read."""

    text: str
    at: float


class Brain:
    """A brain in a process. Use as a context manager; leaving it ends the process, END or not."""

    def __init__(
        self,
        *arguments: str,
        end: str = "\n",
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.end = end.encode()
        self.log: list[str] = []
        self.created = time.monotonic()
        self.process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=None if env is None else {**os.environ, **env},
        )
        self._lines: list[Line] = []
        self._news = threading.Condition()
        self._closed = False
        self.raw = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "Brain":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self._reader.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        rest = b""
        while chunk := os.read(self.process.stdout.fileno(), 65536):
            now = time.monotonic()
            self.raw += chunk
            *lines, rest = (rest + chunk).split(b"\n")
            with self._news:
                for line in lines:
                    text = line.decode("ascii")
                    self._lines.append(Line(text, now))
                    self.log.append(f"< {text}")
                self._news.notify_all()
        with self._news:
            self._closed = True
            self._news.notify_all()

    def write(self, data: bytes) -> float:
        """Write bytes as they are; the time just before."""
        assert self.process.stdin is not None
        at = time.monotonic()
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]
        return at

    def send(self, *lines: str) -> float:
        """Write lines in one burst; the time just before."""
        self.log += [f"> {line}" for line in lines]
        return self.write(b"".join(line.encode() + self.end for line in lines))

    def line(self, timeout: float = 20.0, messages: bool = False) -> Line:
        """The next line, MESSAGEs and INFO lines skipped unless they are asked for."""
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                while self._lines:
                    line = self._lines.pop(0)
                    check_line(line.text)
                    if messages or not line.text.startswith(("MESSAGE ", "INFO ")):
                        return line
                left = deadline - time.monotonic()
                if self._closed or left <= 0:
                    why = "the brain has left" if self._closed else "no answer"
                    raise AssertionError("\n".join([why, *self.log[-40:]]))
                self._news.wait(left)

    def ask(self, *lines: str, timeout: float = 20.0) -> str:
        """Send lines; the next line that is no MESSAGE."""
        self.send(*lines)
        return self.line(timeout).text

    def timed(self, *lines: str, timeout: float = 20.0) -> tuple[str, float]:
        """Send lines; the answer and the seconds from before the write to the read."""
        at = self.send(*lines)
        answer = self.line(timeout)
        return answer.text, answer.at - at

    def quiet(self, seconds: float = 0.2) -> None:
        """Assert that nothing more is said for so long, MESSAGEs excepted."""
        time.sleep(seconds)
        with self._news:
            texts = [line.text for line in self._lines]
        rest = [text for text in texts if not text.startswith(("MESSAGE ", "INFO "))]
        assert not rest, "\n".join([f"not asked for: {rest}", *self.log[-40:]])

    def leave(self, *lines: str, timeout: float = 10.0) -> float:
        """Send END (or these lines) and wait; the seconds it took. Status 0, nothing more said."""
        at = self.send(*(lines or ("END",)))
        return self.left(at, timeout)

    def left(self, at: float, timeout: float = 10.0) -> float:
        """Wait for the process to end with status 0, in silence; the seconds since `at`."""
        status = self.process.wait(timeout)
        took = time.monotonic() - at
        assert status == 0, f"status {status}"
        self._reader.join(10)
        self.quiet(0)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return took
