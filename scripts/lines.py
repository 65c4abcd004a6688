"""A game against the engine line by line: for pipes, scripts, and terminals that can do no more."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Final

from shisan.protocol.host import Host
from shisan.protocol.keeping import KeepError
from shisan.protocol.notation import NotationError, read_point
from shisan.protocol.pictures import draw_text
from shisan.protocol.sitting import PlayError

HELP: Final = """\
h8 or 7,7: put a stone there    undo, u: take back    hint, ?: what to play, and why
level N: strength 0..100    save [FILE.psq|FILE.sgf]    board: print it again
resign    new: another game    help    quit, q"""

_TICK_S: Final = 0.1


class LineInput:
    """Lines of stdin, read in a thread so that the clock can run out meanwhile."""

    def __init__(self) -> None:
        self._lines: Queue[str | None] = Queue()
        Thread(target=self._read, args=(sys.stdin.fileno(),), daemon=True).start()

    def next(self, timeout_s: float) -> str:
        """The next line. Raises EOFError after the last, Empty when none has come in time."""
        line = self._lines.get(timeout=timeout_s)
        if line is None:
            self._lines.put(None)
            raise EOFError
        return line

    def _read(self, stdin: int) -> None:
        """The thread. It reads past Python's buffers, whose locks would outlive it."""
        rest = b""
        while data := _read_some(stdin):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                self._lines.put(line.decode("utf-8", "replace"))
        if rest:
            self._lines.put(rest.decode("utf-8", "replace"))
        self._lines.put(None)


def _read_some(stdin: int) -> bytes:
    try:
        return os.read(stdin, 65536)
    except OSError:
        return b""


class Lines:
    """The talk. colour: whether the board is coloured; prompt: whether to ask for each move."""

    def __init__(self, host: Host, colour: bool, prompt: bool) -> None:
        self._host = host
        self._colour = colour
        self._prompt = prompt
        self._input = LineInput()
        self._left = False

    def leave(self) -> None:
        """Let run return soon; for handlers of signals."""
        self._left = True

    def run(self, wake: "Queue[None]") -> None:
        """Play until the input ends or the person leaves. wake: gets an item for each thought."""
        self._print(f"you are {self._host.sitting.person.name.capitalize()}; help tells the words")
        self._host.begin()
        self._board()
        while not self._left:
            if self._host.thinker.busy:
                self._await(wake)
                continue
            try:
                line = self._next()
            except EOFError:
                break
            self._do(line)

    def _await(self, wake: "Queue[None]") -> None:
        """Wait for the engine's move or hint, and tell it."""
        hinting = self._host.hinting
        try:
            wake.get(timeout=_TICK_S)
        except Empty:
            pass
        said = self._host.poll()
        for text in said:
            self._print(text)
        if said and not hinting:
            self._board()

    def _next(self) -> str:
        """The next line, with an eye on the clock. Raises EOFError, also to leave."""
        if self._prompt:
            print(f"{self._host.sitting.position.side.name.capitalize()}> ", end="", flush=True)
        while not self._left:
            try:
                return self._input.next(_TICK_S)
            except Empty:
                for text in self._host.poll():
                    self._print(text)
        raise EOFError

    def _do(self, line: str) -> None:
        """What a line asks for; what is wrong with it is told."""
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        host = self._host
        commands: dict[str, Callable[[], str]] = {
            "undo": host.take_back,
            "u": host.take_back,
            "hint": host.ask_hint,
            "?": host.ask_hint,
            "resign": host.resign,
            "new": host.new_game,
            "save": lambda: host.save(Path(rest)) if rest else host.save(),
            "level": lambda: self._level(rest),
            "help": lambda: HELP,
            "board": lambda: "",
            "quit": self._quit,
            "q": self._quit,
        }
        try:
            if not word:
                return
            command = commands.get(word.lower())
            said = command() if command else self._place(line.strip())
            if said:
                self._print(said)
        except (PlayError, KeepError, NotationError) as error:
            self._print(str(error))
            return
        thinks = host.thinker.busy and not host.hinting
        if word.lower() in ("undo", "u", "new", "board") or (not command and not thinks):
            self._board()

    def _place(self, text: str) -> str:
        rules = self._host.sitting.position.rules
        try:
            point = read_point(text, rules.width, rules.height)
        except NotationError as error:
            raise PlayError(f"{error}; help tells the words") from None
        return self._host.place(point)

    def _level(self, text: str) -> str:
        if not text.isascii() or not text.isdigit():
            raise PlayError(f"level is a number 0..100, not {text!r}")
        return self._host.set_strength(int(text[:9]))

    def _quit(self) -> str:
        self.leave()
        return ""

    def _board(self) -> None:
        self._print(draw_text(self._host.sitting.position, colour=self._colour))

    def _print(self, text: str) -> None:
        print(text, flush=True)
