"""The analysis service as a process: lines of standard input to Service, its answers to output.

The main thread waits for the end or a signal, one thread reads; answers are written by the thread
that they come from, each line with one call if the pipe takes it.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from typing import Any, Final, NoReturn

from .queries import Defaults
from .service import Message, Service

CHUNK: Final = 1 << 16
MAX_LINE: Final = 1 << 20
"""Bytes of one line; a longer one is answered with an error."""

SWITCH_SECONDS: Final = 0.0005
"""How soon a thread that reads many queries lets one go on whose worker waits for the next."""

LEAVING: Final = 1.0
"""Seconds that workers get to end before we do; then they notice that we are gone."""


def lines_of(read: Callable[[], bytes], most: int = MAX_LINE) -> Iterator[bytes | None]:
    r"""The lines that a pipe brings, without their ends; None for one of more than most bytes.

    read: the next bytes, none at the end; what follows the last line end is a line too. No more
    than a line's most bytes are kept.

    >>> chunks = [b"one\ntw", b"o\nmuch too long", b"\nlast"]
    >>> list(lines_of(lambda: chunks.pop(0) if chunks else b"", most=8))
    [b'one', b'two', None, b'last']
    """
    kept = b""
    long = False
    while chunk := read():
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            whole = kept + end
            yield None if long or len(whole) > most else whole
            kept, long = b"", False
        kept += rest
        if len(kept) > most:
            kept, long = b"", True
    if long or kept:
        yield None if long else kept


class _Process:
    """The process around a Service."""

    def __init__(self, count: int, defaults: Defaults, memory: int | None, wait: bool) -> None:
        self._wait = wait
        self._status = 0
        self._over = Event()
        self._output = Lock()
        self._service = Service(count, self._send, defaults, memory)

    def run(self) -> int:
        """Serve until the end of input or a signal. Returns the exit status."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._signalled)
        os.set_blocking(1, True)
        sys.setswitchinterval(SWITCH_SECONDS)
        Thread(target=self._read, name="shisan input", daemon=True).start()
        self._over.wait()
        if self._status:
            self._leave()
        self._service.kill()
        return 0

    def _read(self) -> None:
        """Hand each line to the service, then wait until all is answered."""
        try:
            lines = lines_of(lambda: os.read(0, CHUNK))
            for number, line in enumerate(lines, 1):
                if line is None:
                    self._service.refuse(f"a line has at most {MAX_LINE} bytes", number)
                else:
                    self._service.receive(line, number)
                self._service.wait_for_room()
            if self._wait:
                self._service.wait_until_done()
        except Exception:
            self._status = 1
            sys.excepthook(*sys.exc_info())
        finally:
            self._over.set()

    def _send(self, message: Message) -> None:
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            with self._output:
                while data:
                    data = data[os.write(1, data) :]
        except OSError:  # nobody reads any more
            self._status = self._status or 1
            self._over.set()

    def _signalled(self, number: int, frame: Any) -> None:
        self._status = 128 + number
        self._over.set()

    def _leave(self) -> NoReturn:
        """End now, whatever threads wait for. Workers that are left end with us."""
        ending = Thread(target=self._service.kill, daemon=True)
        ending.start()
        ending.join(LEAVING)
        os._exit(self._status)


def serve(count: int, defaults: Defaults, memory: int | None = None, *, wait: bool = True) -> int:
    """Answer the queries of standard input with so many workers. Returns the exit status.

    wait: at the end of input answer what is left, else leave at once. Status 0: the end of input;
    128 and the signal's number; 1: nobody reads the answers. Must be called in the main thread.
    """
    return _Process(count, defaults, memory, wait).run()
