"""A terminal taken over and given back as it was found: modes, screen, cursor and signals.

POSIX only: elsewhere, and where stdin or stdout is no terminal, a program keeps to lines.
"""

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, NamedTuple

ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H"
"""The other screen, no cursor, everything empty."""

AGAIN: Final = "\x1b[?25l\x1b[2J\x1b[H"
"""The same on that screen; to enter it twice would forget where the cursor was on the usual one."""

LEAVE: Final = "\x1b[0m\x1b[?25h\x1b[999;1H\x1b[?1049l"
"""The attributes and the cursor as usual, on the last line where there is but one screen; back."""

ESCAPE_S: Final = 0.05
"""After an escape character so much later without another one, it was the key."""

_LEAVING: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_OTHER: Final = ("SIGTSTP", "SIGCONT", "SIGWINCH")


class Event(NamedTuple):
    """What came. data: bytes from the keyboard, b"" if none. redraw: the screen must be drawn anew.

    signal: the number of one that asks to leave; 0: none. closed: the keyboard is gone.
    """

    data: bytes = b""
    redraw: bool = False
    signal: int = 0
    closed: bool = False


def fits() -> bool:
    """Whether stdin and stdout are a terminal that can be taken over."""
    if os.name != "posix" or os.environ.get("TERM", "dumb") in ("", "dumb"):
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


class Terminal:
    """The terminal on stdin and stdout, taken over within a with block.

    on_suspend, on_resume: called before the process stops (Ctrl-Z) and when it goes on.
    """

    def __init__(self, on_suspend: Callable[[], None], on_resume: Callable[[], None]) -> None:
        self._on_suspend = on_suspend
        self._on_resume = on_resume
        self._in = sys.stdin.fileno()
        self._out = sys.stdout.fileno()
        self._modes: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._wakeup = -1
        self._pipe = (-1, -1)
        self._seen: list[int] = []
        self._taken = False

    def __enter__(self) -> "Terminal":
        import termios

        sys.stdout.flush()
        self._modes = termios.tcgetattr(self._in)
        self._pipe = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        self._wakeup = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for name in (*_LEAVING, *_OTHER):
            number = getattr(signal, name)
            self._handlers[number] = signal.signal(number, self._note)
        try:
            self._take()
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back()

    def size(self) -> tuple[int, int]:
        """Columns and lines of the screen now."""
        try:
            columns, lines = os.get_terminal_size(self._out)
        except OSError:
            columns, lines = 0, 0
        return columns or 80, lines or 24

    def wake(self) -> None:
        """Let wait return; may be called from any thread."""
        with contextlib.suppress(OSError):
            os.write(self._pipe[1], b"\0")

    def draw(self, lines: list[str]) -> None:
        """Show these lines from the top, each with its escape sequences, and nothing else."""
        self._write("\x1b[H" + "\r\n".join(f"{line}\x1b[0m\x1b[K" for line in lines) + "\x1b[J")

    def wait(self, timeout_s: float) -> Event:
        """Wait for a key, a signal or wake, at most so long."""
        ready, _, _ = select.select([self._in, self._pipe[0]], [], [], timeout_s)
        if self._pipe[0] in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._pipe[0], 4096)
        event = self._signals()
        if event.signal or self._in not in ready:
            return event
        try:
            data = os.read(self._in, 1024)
        except OSError:
            data = b""
        return event._replace(data=data, closed=not data)

    # Signals

    def _note(self, number: int, frame: FrameType | None) -> None:
        """The handler of every signal: what it asks for is done by wait."""
        self._seen.append(number)

    def _signals(self) -> Event:
        import termios

        seen, self._seen = self._seen, []
        for number in seen:
            if number not in (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH):
                with contextlib.suppress(termios.error):
                    termios.tcflush(self._in, termios.TCIFLUSH)  # as the kernel would have done
                return Event(signal=number)
        if signal.SIGTSTP in seen:
            self._suspend()
        elif signal.SIGCONT in seen:
            self._take()  # after kill -STOP, which nobody can catch
        elif not seen:
            return Event()
        return Event(redraw=True)

    def _suspend(self) -> None:
        """Give the terminal back, stop, and take it again when the process goes on."""
        self._on_suspend()
        self._show_usual()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._note)
        self._take()
        self._on_resume()

    # The terminal

    def _take(self) -> None:
        """No echo, no lines: keys one by one; signals of Ctrl-C and Ctrl-Z stay."""
        import termios

        modes: list[Any] = [*self._modes]
        modes[3] |= termios.NOFLSH  # Ctrl-C may not cut what is being drawn, least of all LEAVE
        modes[6] = [*modes[6]]
        modes[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._in, termios.TCSANOW, modes)
        self._write(AGAIN if self._taken else ENTER)
        self._taken = True

    def _show_usual(self) -> None:
        """Screen, cursor and modes as they were found; a terminal that is gone needs none."""
        import termios

        self._taken = False
        with contextlib.suppress(OSError):
            self._write(LEAVE)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._in, termios.TCSANOW, self._modes)

    def _give_back(self) -> None:
        self._show_usual()
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        pipe, self._pipe = self._pipe, (-1, -1)
        for end in pipe:
            os.close(end)

    def _write(self, text: str) -> None:
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
        while data:
            data = data[os.write(self._out, data) :]
