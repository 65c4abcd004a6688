"""Keys in, a Face out: what a person does at the board, apart from the terminal."""

from collections.abc import Callable
from typing import Final

from shisan.engine import MAX_STRENGTH, Colour, Point
from shisan.protocol.host import ENGINE, Host
from shisan.protocol.keeping import KeepError
from shisan.protocol.notation import NotationError, read_point
from shisan.protocol.sitting import PlayError, describe

from .face import Face, colour_name

STEP: Final = 5
"""How much + and - change the strength."""

_MOVES: Final = {
    "up": (0, -1),
    "down": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
    "k": (0, -1),
    "j": (0, 1),
    "h": (-1, 0),
    "l": (1, 0),
}
_DIGITS: Final = "0123456789"


class Desk:
    """The cursor, what is being typed, and what was last said.

    only_ascii: whether to show no other characters.
    """

    def __init__(self, host: Host, only_ascii: bool = False) -> None:
        self._host = host
        self._ascii = only_ascii
        rules = host.sitting.position.rules
        self._size = (rules.width, rules.height)
        self._cursor: Point = (rules.width // 2, rules.height // 2)
        self._typed = ""
        self._confirming = ""
        self._message = ""
        self._wrong = False
        self._left = False
        self._commands: dict[str, Callable[[], str]] = {
            "enter": self._place,
            " ": self._place,
            "u": host.take_back,
            "?": host.ask_hint,
            ".": host.hurry,
            "+": lambda: self._strength(STEP),
            "=": lambda: self._strength(STEP),
            "-": lambda: self._strength(-STEP),
            "s": host.save,
            "r": lambda: self._sure("r", "resign", host.resign),
            "n": lambda: self._sure("n", "begin a new game", host.new_game),
            "q": self._leave,
            "leave": self._leave,
        }
        self._say(f"you are {colour_name(host.sitting.person)}; strength {host.strength}")

    @property
    def left(self) -> bool:
        """Whether the person wants to leave."""
        return self._left

    @property
    def cursor(self) -> Point:
        """Where the cursor is."""
        return self._cursor

    def press(self, key: str) -> None:
        """Do what a key stands for, as decode names it.

        A letter and a number go to a point, digit by digit: a letter that is a key too first does
        what the key does, so that it is typed as a capital where that cannot be undone (q and u).
        """
        if key in _DIGITS and self._typed:
            self._type(self._typed + key)
            return
        confirming, self._confirming = self._confirming, ""
        typed, self._typed = self._typed, ""
        if key in ("escape", "backspace"):
            self._typed = typed[:-1] if key == "backspace" and len(typed) > 1 else ""
            self._say("")
            return
        self._confirming = confirming if key == confirming else ""
        if len(key) == 1 and "a" <= key.lower() <= self._last_letter():
            self._typed = key.lower()
        if key in _MOVES:
            self._step(*_MOVES[key])
        elif key in ("home", "end"):
            self._cursor = (0 if key == "home" else self._size[0] - 1, self._cursor[1])
        elif key in self._commands:
            self._try(self._commands[key])
        elif not self._typed and key not in ("redraw", "unknown"):
            self._say(f"{key!r} is no key here: see below", wrong=True)

    def poll(self) -> None:
        """Take in what has happened meanwhile."""
        for said in self._host.poll():
            if said:
                self._say(said)

    def face(self) -> Face:
        """What there is to see now."""
        host, sitting = self._host, self._host.sitting
        rules = sitting.position.rules
        size = f"{rules.width}x{rules.height}"
        ending = sitting.ending
        hint = host.hint
        state = self._state() if ending is None else describe(ending)
        return Face(
            position=sitting.position,
            cursor=self._cursor,
            headline=f"{ENGINE}: {rules.name}, {size}",
            players=(self._player(Colour.BLACK), self._player(Colour.WHITE)),
            state=state,
            message="" if self._message == state else self._message,
            wrong=self._wrong,
            hinted=hint.point if hint else None,
            won=ending.line if ending else (),
            typed=self._typed if len(self._typed) > 1 else "",
            only_ascii=self._ascii,
        )

    # Inside

    def _player(self, colour: Colour) -> str:
        host = self._host
        if colour != host.sitting.person:
            return f"{colour_name(colour)}: {ENGINE}, strength {host.strength}"
        left = host.left_s
        clock = "" if left is None else f", {int(left) // 60}:{int(left) % 60:02} left"
        return f"{colour_name(colour)}: you{clock}"

    def _state(self) -> str:
        host = self._host
        seconds = host.thinking_s
        if seconds is None:
            return f"{colour_name(host.sitting.position.side)} to move: you"
        progress = host.thinker.progress
        depth = f", depth {progress.depth}" if progress is not None else ""
        what = "looks for a hint" if host.hinting else "thinks"
        return f"{ENGINE} {what} ({seconds:.0f} s{depth})"

    def _say(self, text: str, wrong: bool = False) -> None:
        self._message, self._wrong = text, wrong

    def _try(self, command: Callable[[], str]) -> None:
        try:
            self._say(command())
        except (PlayError, KeepError) as error:
            self._say(str(error), wrong=True)

    def _last_letter(self) -> str:
        return chr(ord("a") + self._size[0] - 1)

    def _step(self, dx: int, dy: int) -> None:
        x, y = self._cursor
        width, height = self._size
        self._cursor = (min(max(x + dx, 0), width - 1), min(max(y + dy, 0), height - 1))

    def _type(self, text: str) -> None:
        """Go to the point that is typed; what is none is said, and what was typed before stays."""
        try:
            self._cursor = read_point(text, *self._size)
        except NotationError as error:
            self._say(str(error), wrong=True)
            self._typed = ""
            return
        self._typed = text
        self._confirming = ""
        self._say("")

    def _place(self) -> str:
        self._typed = ""
        return self._host.place(self._cursor)

    def _strength(self, change: int) -> str:
        strength = min(max(self._host.strength + change, 0), MAX_STRENGTH)
        return self._host.set_strength(strength)

    def _sure(self, key: str, what: str, command: Callable[[], str]) -> str:
        """Do at the second press what ends a game that is under way."""
        if self._confirming == key or self._host.sitting.ending is not None:
            self._confirming = ""
            return command()
        self._confirming = key
        return f"{key} again to {what}"

    def _leave(self) -> str:
        self._left = True
        return ""
