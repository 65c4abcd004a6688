"""Wine, and a manager that treats a brain as Piskvork does, knowing nothing of Shisan."""

import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from typing import NamedTuple

WINE = Path("/usr/lib/wine/wine64")  # the program itself: a wrapper would be another process
SERVER = Path("/usr/lib/wine/wineserver64")
MOVE = re.compile(rb"[0-9]{1,2},[0-9]{1,2}\n")
CHATTER = re.compile(rb"(MESSAGE|DEBUG) [ -~]+\n")
END_SECONDS = 0.7
"""What Piskvork gives a brain after END."""


class Line(NamedTuple):
    """A line as it came, line end included, and when."""

    text: bytes
    at: float


class Wine:
    """A prefix with a running server, which is ended by close()."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "SHISAN_CPU"},
            "WINEPREFIX": str(folder / "prefix"),
            "WINEDEBUG": "-all",
            "LC_ALL": "C.UTF-8",  # or no letter beyond ASCII could be in a path
        }
        self._brains: list[Brain] = []
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        self.run("cmd", "/c", "exit", seconds=300)  # makes the prefix
        # Wine's own services are started for the first program, into whose pipe they then write;
        # so that is none of ours, and the server must stay, which only a new one can be told.
        self._server("-k")
        self._server("-w")
        self._server("-p")
        self.run("cmd", "/c", "exit", seconds=60)

    def _server(self, argument: str) -> None:
        subprocess.run(
            [str(SERVER), argument],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )

    def run(self, *command: str, seconds: float) -> None:
        """Run a program of Windows to its end."""
        subprocess.run(
            [str(WINE), *command],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=seconds,
        )

    def start(self, exe: Path, *arguments: str, **more: str) -> "Brain":
        """Start a brain; `more` is put into its environment."""
        brain = Brain(exe, arguments, {**self.environment, **more}, self.elsewhere)
        self._brains.append(brain)
        return brain

    def tidy(self) -> None:
        """End the brains that were started, and close their pipes."""
        for brain in self._brains:
            brain.kill()
        self._brains.clear()

    def close(self) -> None:
        """End everything that runs in the prefix."""
        self._server("-k")


class Brain:
    """A brain as Piskvork runs one: standard error in the same pipe, suspended off its turn."""

    def __init__(
        self, exe: Path, arguments: tuple[str, ...], environment: dict[str, str], folder: Path
    ) -> None:
        self.created = time.monotonic()
        self.process = subprocess.Popen(
            [str(WINE), str(exe), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
        )
        self.said: list[bytes] = []
        self._lines: Queue[Line] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(Line(line, time.monotonic()))

    def send(self, *lines: str | bytes) -> float:
        """Write lines with CR LF; return when."""
        assert self.process.stdin is not None
        texts = [line.encode() if isinstance(line, str) else line for line in lines]
        self.said += [b"> " + text for text in texts]
        at = time.monotonic()
        self.process.stdin.write(b"".join(text + b"\r\n" for text in texts))
        self.process.stdin.flush()
        return at

    def line(self, seconds: float) -> Line:
        """Return the next line that is no MESSAGE or DEBUG with a text."""
        until = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                raise AssertionError(f"no answer in {seconds} s: {self.said}") from None
            self.said.append(b"< " + line.text)
            if not CHATTER.fullmatch(line.text):
                return line

    def rest(self) -> list[bytes]:
        """Return the lines that have come and were not asked for, but for MESSAGE and DEBUG."""
        found = []
        while not self._lines.empty():
            found.append(self._lines.get().text)
        return [text for text in found if not CHATTER.fullmatch(text)]

    def begin(self, size: int) -> float:
        """START; return ms from the creation of the process to OK."""
        self.send(f"START {size}")
        line = self.line(30)
        assert line.text == b"OK\n", (line, self.said)
        return (line.at - self.created) * 1000

    def move(self, *lines: str, seconds: float) -> tuple[int, int, float]:
        """Ask for a move, running only meanwhile; return x, y and the seconds it took."""
        self.resume()
        at = self.send(*lines)
        line = self.line(seconds)
        self.suspend()
        assert MOVE.fullmatch(line.text), (line, self.said)
        x, y = map(int, line.text.split(b","))
        return x, y, line.at - at

    def suspend(self) -> None:
        """Stop every thread of the process."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it run again."""
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> float:
        """END and no more input; return the seconds to the end of the process, which has 0.7."""
        self.resume()
        at = self.send("END")
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.left(at)

    def left(self, at: float, slack: float = 0.0) -> float:
        """Wait until the process has ended by itself; return the seconds since `at`."""
        try:
            status = self.process.wait(END_SECONDS + slack)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still there after {END_SECONDS + slack} s") from None
        assert status == 0, (status, self.said)
        return time.monotonic() - at

    def kill(self) -> None:
        """End it, whatever it does, and close its pipes."""
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                pass  # what it never read
