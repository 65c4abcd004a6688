"""Games of a person against the engine as files: .psq or SGF, never over a file that is not theirs.

A .psq holds neither the rule nor that somebody resigned or ran out of time; SGF holds both.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from shisan.engine import Colour

from .about import VERSION
from .records import Move, Record, RecordError, write_psq
from .sgf import letters, simple_text, text
from .sitting import Sitting, describe

SUFFIXES: Final = (".psq", ".sgf")
"""What the name of a file to keep a game in may end with."""

_ABORTED: Final = 9
_TIME_OUT: Final = 15


class KeepError(ValueError):
    """A game that cannot be kept as asked; the message names the file and what to do."""


class Names(NamedTuple):
    """What the players are called, and the day as YYYY-MM-DD or ""."""

    person: str
    engine: str
    day: str = ""


def as_text(path: Path, sitting: Sitting, names: Names) -> str:
    """The game as the file of that name holds it. Raises KeepError."""
    return as_psq(sitting, names) if path.suffix.lower() == ".psq" else as_sgf(sitting, names)


def as_psq(sitting: Sitting, names: Names) -> str:
    """The game as a .psq. Raises KeepError if it began with stones set up."""
    position = sitting.position
    if sitting.first is not None:
        raise KeepError("a .psq holds only moves from an empty board: save as .sgf")
    ending = sitting.ending
    closing = {None: _ABORTED, "time": _TIME_OUT}.get(ending.reason if ending else None, 0)
    record = Record(
        position.rules.width,
        position.rules.height,
        tuple(
            Move(x, y, ply.time_ms)
            for (x, y, _), ply in zip(position.stones, sitting.plies, strict=True)
        ),
        players=_by_colour(sitting, names),
        ending=closing,
    )
    try:
        return write_psq(record)
    except RecordError as error:
        raise KeepError(str(error)) from None


def as_sgf(sitting: Sitting, names: Names) -> str:
    """The game as an SGF game tree, with the times and the engine's notes as comments."""
    position, rules = sitting.position, sitting.position.rules
    black, white = _by_colour(sitting, names)
    ending = sitting.ending
    size = f"{rules.width}" if rules.width == rules.height else f"{rules.width}:{rules.height}"
    facts = [
        ("FF", "4"),
        ("GM", "4"),
        ("CA", "UTF-8"),
        ("AP", f"Shisan:{VERSION}"),
        ("SZ", size),
        ("RU", simple_text(rules.name)),
        ("PB", simple_text(black)),
        ("PW", simple_text(white)),
        ("DT", names.day),
        ("RE", _result(sitting)),
        ("C", text(describe(ending)) if ending else ""),
    ]
    root = "".join(f"{name}[{value}]" for name, value in facts if value)
    lines = [f"(;{root}{_setup_properties(sitting)}"]
    moves = list(zip(position.stones, sitting.plies, strict=True))[sitting.laid :]
    for (x, y, owner), ply in moves:
        spent = [] if ply.time_ms is None else [f"{ply.time_ms / 1000:.1f} s"]
        said = ", ".join(spent + ([ply.note] if ply.note else []))
        comment = f"C[{text(said)}]" if said else ""
        lines.append(f";{'BW'[owner]}[{letters((x, y))}]{comment}")
    return "\n".join(lines) + ")\n"


def _setup_properties(sitting: Sitting) -> str:
    """AB, AW and PL where the game began with a set-up; else ""."""
    if sitting.first is None:
        return ""
    found = ""
    for name, colour in (("AB", Colour.BLACK), ("AW", Colour.WHITE)):
        laid = sitting.position.stones[: sitting.laid]
        points = "".join(f"[{letters((x, y))}]" for x, y, owner in laid if owner == colour)
        found += f"{name}{points}" if points else ""
    return f"{found}PL[{'BW'[sitting.first]}]"


def _by_colour(sitting: Sitting, names: Names) -> tuple[str, str]:
    both = (names.person, names.engine)
    return both if sitting.person == Colour.BLACK else (both[1], both[0])


def _result(sitting: Sitting) -> str:
    """The value of RE: B+, W+T, W+R, 0 for a draw, Void for a game broken off."""
    ending = sitting.ending
    if ending is None:
        return "Void"
    if ending.winner is None:
        return "0"
    how = {"time": "T", "resigns": "R", "forbidden move": "F"}.get(ending.reason, "")
    return f"{'BW'[ending.winner]}+{how}"


class Keeper:
    """Where games are kept: the first in the file given, later ones in files numbered after it.

    path: ends in one of SUFFIXES; None: nowhere. force: what is there may be overwritten.
    Raises KeepError for another ending, a folder that is missing, or a file that is there already.
    """

    def __init__(self, path: Path | None, force: bool = False) -> None:
        if path is not None:
            if path.suffix.lower() not in SUFFIXES:
                raise KeepError(f"{path}: games are saved as {' or '.join(SUFFIXES)}")
            if path.exists() and not (force and path.is_file()):
                raise KeepError(f"{path} is there already: give another name")
            if not path.parent.is_dir():
                raise KeepError(f"{path}: there is no folder {path.parent}")
        self._path = self._first = path
        self._number = 1
        self._force = force
        self._own = False

    @property
    def path(self) -> Path | None:
        """The file of the present game; None: there is none."""
        return self._path

    def keep(self, sitting: Sitting, names: Names) -> None:
        """Write the game as it stands, whole or not at all. Raises KeepError.

        The file is made at the first call and must not be there then, unless force was given.
        """
        path = self._path
        if path is None:
            return
        data = as_text(path, sitting, names).encode("utf-8", "surrogateescape")
        real = path.resolve()
        draft = real.with_name(f".{path.name}.{os.getpid()}")
        try:
            if not self._own and not self._force:
                path.open("xb").close()
            self._own = True
            try:
                draft.write_bytes(data)
                draft.replace(real)
            finally:
                draft.unlink(missing_ok=True)
        except FileExistsError:
            raise KeepError(f"{path} is there already: give another name") from None
        except OSError as error:
            raise KeepError(f"cannot write {path}: {error.strerror}") from None

    def next_game(self) -> None:
        """Keep what follows in the next free file: game.psq, game-2.psq, game-3.psq."""
        if self._path is None or self._first is None or not self._own:
            return
        path = self._path
        while path.exists():
            self._number += 1
            path = self._first.with_name(f"{self._first.stem}-{self._number}{self._first.suffix}")
        self._path, self._own, self._force = path, False, False


def default_name(sitting: Sitting, now: datetime) -> str:
    """A name for a game that was given none: a .psq, or .sgf if it began with a set-up."""
    suffix = ".psq" if sitting.first is None else ".sgf"
    return f"shisan-{now:%Y%m%d-%H%M%S}{suffix}"
