"""A pseudo-terminal with a program on it, and what a person would see there.

The screen is kept by a small terminal emulator of our own: the sequences that full-screen programs
of ours send, and an error for any other.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from typing import Any

SHISAN = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
SEQUENCE = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])")


class Emulator:
    """A terminal's two screens, of which one is shown."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.usual = [[" "] * columns for _ in range(lines)]
        self.other: list[list[str]] | None = None
        self.cursor_shown = True
        self.attributes = ""
        self.at = (0, 0)
        self.kept = (0, 0)
        self.entered = 0
        self.wrapped = 0  # lines of the other screen that were too long
        self.rest = b""

    @property
    def rows(self) -> list[list[str]]:
        return self.usual if self.other is None else self.other

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def feed(self, data: bytes) -> None:
        data = self.rest + data
        at = 0
        while at < len(data):
            if data[at] == 0x1B:
                match = SEQUENCE.match(data, at)
                if match is None:
                    assert len(data) - at < 40, data[at : at + 40]
                    break
                self.control(match[1].decode(), match[2].decode())
                at = match.end()
                continue
            size = 1 if data[at] < 0x80 else 2 if data[at] < 0xE0 else 3
            if at + size > len(data):
                break
            self.put(data[at : at + size].decode())
            at += size
        self.rest = data[at:]

    def put(self, mark: str) -> None:
        y, x = self.at
        if mark == "\r":
            self.at = (y, 0)
        elif mark == "\b":
            self.at = (y, x - 1)
        elif mark == "\n":
            if y + 1 < self.lines:
                self.at = (y + 1, x)
            else:
                self.rows.append([" "] * self.columns)
                del self.rows[0]
        else:
            assert mark.isprintable(), repr(mark)
            if x == self.columns:
                self.wrapped += self.other is not None
                self.put("\r")
                self.put("\n")
                y, x = self.at
            self.rows[y][x] = mark
            self.at = (y, x + 1)

    def control(self, numbers: str, final: str) -> None:
        y, x = self.at
        if (numbers, final) == ("?1049", "h"):
            if self.other is None:
                self.kept = self.at
            self.entered += 1
            self.other = [[" "] * self.columns for _ in range(self.lines)]
        elif (numbers, final) == ("?1049", "l"):
            self.other, self.at = None, self.kept
        elif numbers == "?25":
            self.cursor_shown = final == "h"
        elif final == "H":
            row, column = (int(part) for part in (numbers or "1;1").split(";"))
            self.at = (min(row, self.lines) - 1, min(column, self.columns) - 1)
        elif (numbers, final) == ("2", "J"):
            self.rows[:] = [[" "] * self.columns for _ in range(self.lines)]
        elif (numbers, final) == ("", "J"):
            self.rows[y][x:] = [" "] * (self.columns - x)
            self.rows[y + 1 :] = [[" "] * self.columns for _ in self.rows[y + 1 :]]
        elif (numbers, final) == ("", "K"):
            self.rows[y][x:] = [" "] * (self.columns - x)
        elif final == "m":
            self.attributes = "" if numbers in ("", "0") else numbers
        else:
            raise AssertionError(f"unknown sequence {numbers}{final}")


class Terminal:
    """A program on a pseudo-terminal of its own, as a shell starts it: in a group of its own."""

    def __init__(
        self,
        words: Sequence[str],
        columns: int = 80,
        lines: int = 24,
        code: str = SHISAN,
        env: dict[str, str] | None = None,
        cwd: Any = None,
    ) -> None:
        self.master, self.slave = pty.openpty()
        self.emulator = Emulator(columns, lines)
        self.resize(columns, lines, tell=False)
        self.before = termios.tcgetattr(self.slave)
        leader = LEADER.format(code=code)
        environment = os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        environment.pop("NO_COLOR", None)
        self.shell = subprocess.Popen(
            [sys.executable, "-c", leader, *words],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=cwd,
            env=environment | (env or {}),
            start_new_session=True,
        )
        self.pid = 0
        self.status: str | None = None
        self.raw = b""
        self.wait(lambda: self.pid)

    def pump(self, timeout_s: float = 0.02) -> None:
        """Read what has been written."""
        ready, _, _ = select.select([self.master], [], [], timeout_s)
        if not ready:
            return
        data = os.read(self.master, 65536)
        self.raw += data
        for mark, attribute in ((b"<pid ", "pid"), (b"<ended ", "status")):
            found = re.search(mark + rb"(-?\d+)>", self.raw)
            if found:
                value = found[1].decode()
                setattr(self, attribute, int(value) if attribute == "pid" else value)
        self.emulator.feed(data)

    def wait(self, wanted: Callable[[], Any], timeout_s: float = 20) -> None:
        """Read until something holds."""
        until = time.monotonic() + timeout_s
        while not wanted():
            assert time.monotonic() < until, f"waited in vain; the screen:\n{self.text}"
            self.pump()

    def shows(self, text: str, timeout_s: float = 20) -> None:
        """Wait until a text stands on the screen, on one line."""
        self.wait(lambda: text in self.text, timeout_s)

    def send(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    @property
    def text(self) -> str:
        return self.emulator.text

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def resize(self, columns: int, lines: int, tell: bool = True) -> None:
        """Another size; the kernel tells the foreground group."""
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if tell:
            entered, other = self.emulator.entered, self.emulator.other is not None
            self.emulator = Emulator(columns, lines)
            self.emulator.entered = entered
            if other:
                self.emulator.other = [[" "] * columns for _ in range(lines)]
                self.emulator.cursor_shown = False

    def ends(self, timeout_s: float = 20) -> str:
        """Wait for the program's end; return its status as the shell saw it."""
        self.wait(lambda: self.status is not None, timeout_s)
        assert self.status is not None
        return self.status

    def is_as_found(self) -> bool:
        """Modes as before, the usual screen, a visible cursor, no attributes."""
        emulator = self.emulator
        return (
            termios.tcgetattr(self.slave) == self.before
            and emulator.other is None
            and emulator.cursor_shown
            and emulator.attributes == ""
        )

    def close(self) -> None:
        for pid in (self.pid, self.shell.pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL) if pid else None
        self.shell.wait()
        os.close(self.master)
        os.close(self.slave)


LEADER = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
def start():
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpgid(0))
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if not pid:
    start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"<pid {{os.getpid()}}>", flush=True)
    os.execv(sys.executable, [sys.executable, "-c", {code!r}, *sys.argv[1:]])
while True:
    _, status = os.waitpid(pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        print("<stopped>", flush=True)
        continue
    print(f"<ended {{os.waitstatus_to_exitcode(status)}}>", flush=True)
    break
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.pause()
"""
