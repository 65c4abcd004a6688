"""What a manager makes of a brain's line: what we take, and what a real manager would punish.

MOVE_TABLE and OK_TABLE hold what six managers do with each kind of line. Strict reading is
Piskvork's column. Lenient reading takes what c-gomoku-cli or Piskvork takes and lets the clock
run on for everything else. Either way each line that one of the six would hold against the brain
is an Offence, so that a game that went well here can still tell what would go wrong elsewhere.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

MANAGERS: Final = (
    "Piskvork",
    "GomocupJudge",
    "c-gomoku-cli",
    "qpiskvork",
    "Yixin-Board",
    "pygomo-lib",
)
"""The columns of the tables."""

_STRICT: Final = 0
_LENIENT: Final = (0, 2)

Row = tuple[str, str, str, str, str, str]
"""A cell begins with what the manager does with the line:

"+" takes it as the answer; "." passes over it, no harm done; "-" passes over it though it was
meant as the answer, so that the time runs out; "?" takes it for something else; "!" ends the game,
or itself. What follows is the reason in words.
"""

_ALL: Final[Row] = ("+", "+", "+", "+", "+", "+")
_NONE: Final[Row] = (".", ".", ".", ".", ".", ".")
_NO_MOVE: Final = "- not read as a move: the time runs out"
_LOSS: Final = "! no coordinates: the game is lost"
_LETTER: Final = "? judged by its first letter"

MOVE_TABLE: Final[dict[str, Row]] = {
    "x,y": _ALL,
    "blank after the comma": _ALL,
    "blank in front": ("+", "+", "+", "? read as an error", "+", "+"),
    "blank at the end": ("+", "+", _NO_MOVE, "+", "+", "+"),
    "blank before the comma": (_LOSS, "+", _NO_MOVE, _NO_MOVE, _NO_MOVE, "+"),
    "plus sign": ("+", "+", "+", "+", "+", _NO_MOVE),
    "minus sign": (
        "! invalid move: the game is lost",
        "! invalid move: the game is lost",
        "! illegal move: the game is lost",
        _NO_MOVE,
        _NO_MOVE,
        _NO_MOVE,
    ),
    "leading zero": _ALL,
    "text behind the coordinates": ("+", _NO_MOVE, _NO_MOVE, _LETTER, _NO_MOVE, _NO_MOVE),
    "text beside the coordinates": (_LOSS, _NO_MOVE, _NO_MOVE, _LETTER, _NO_MOVE, _NO_MOVE),
    "number missing": (
        _LOSS,
        _NO_MOVE,
        "! the runner ends with a conversion error",
        _NO_MOVE,
        _NO_MOVE,
        _NO_MOVE,
    ),
    "SUGGEST": (
        ".",
        _NO_MOVE,
        _NO_MOVE,
        "? read as a swap",
        _NO_MOVE,
        "- the request returns nothing",
    ),
    "MESSAGE": _NONE,
    "MESSAGE with name=": (".", ".", ".", "? read as the answer to ABOUT", ".", "."),
    "MESSAGE without text": (_LOSS, ".", ".", ".", ".", "."),
    "blank before MESSAGE": (_LOSS, ".", ".", "? read as an error", ".", "."),
    "DEBUG": (".", ".", ".", ".", ".", "? breaks the next wait for OK or ABOUT"),
    "DEBUG without text": (_LOSS, ".", ".", ".", ".", "? breaks the next wait for OK or ABOUT"),
    "ERROR": (_LOSS, ".", ".", "? signals an error", ".", "."),
    "UNKNOWN": (_LOSS, ".", ".", "? signals an unknown command", ".", "."),
    "OK": (_LOSS, ".", ".", "? signals an OK", ".", "? taken for the next OK"),
    "text": (_LOSS, ".", ".", _LETTER, ".", "."),
}
"""A line that comes while a move is waited for (Piskvork answers SUGGEST by PLAY)."""

_NO_OK: Final = "! not exactly OK: the game is lost"
_NOT_FIRST: Final = "! the first line is not OK"
_WAITS: Final = "- not exactly OK: the time runs out"

OK_TABLE: Final[dict[str, Row]] = {
    "OK": _ALL,
    "ok in other case": ("+", ".", _WAITS, _LETTER, ".", "+"),
    "OK and a blank": (_NO_OK, ".", _WAITS, "+", ".", "+"),
    "OK and text": (_NO_OK, ".", _WAITS, "+", ".", _NOT_FIRST),
    "MESSAGE": _NONE,
    "MESSAGE with name=": (".", ".", ".", "? read as the answer to ABOUT", ".", "."),
    "MESSAGE without text": (_NO_OK, ".", ".", ".", ".", "."),
    "blank before MESSAGE": (_NO_OK, ".", ".", "? read as an error", ".", "."),
    "DEBUG": (".", ".", ".", ".", ".", _NOT_FIRST),
    "DEBUG without text": (_NO_OK, ".", ".", ".", ".", _NOT_FIRST),
    "ERROR": (
        "! the game is lost",
        ".",
        "! the game is lost",
        "? signals an error",
        ".",
        _NOT_FIRST,
    ),
    "UNKNOWN": (_NO_OK, ".", ".", "? signals an unknown command", ".", _NOT_FIRST),
    "text": (_NO_OK, ".", "? taken for the answer to ABOUT", _LETTER, ".", _NOT_FIRST),
}
"""A line that comes while START is to be acknowledged."""

_NEXT: Final = "? read as the answer to the next command"
STALE_TABLE: Final[dict[str, Row]] = {
    "MESSAGE": _NONE,
    "DEBUG": MOVE_TABLE["DEBUG"],
    "move": (_NEXT,) * 6,
    "text": ("! read as the answer to the next command", ".", ".", _LETTER, ".", _NEXT),
}
"""A line that comes when nothing was asked."""

BYTES_TABLE: Final[dict[str, Row]] = {
    "not UTF-8": (".", ".", ".", ".", ".", "! the reader ends at the first such byte"),
    "too long": ("? cut after 7997 bytes", ".", ".", ".", ".", "."),
    "lone CR": (
        "? a CR ends the line",
        "? a CR ends no line",
        "? a CR ends no line",
        ".",
        ".",
        "? a CR ends no line",
    ),
    "stderr": ("! stderr is read as stdout: the game is lost", ".", ".", ".", ".", "."),
}
"""What is wrong with a line whatever it says. Only what harms somewhere has a reason."""


class Offence(NamedTuple):
    """A line that some manager would punish. managers: which; how: what each of them does."""

    line: str
    managers: tuple[str, ...]
    how: str


class Verdict(NamedTuple):
    """What a line is. kind: as in Reply, or "message", "debug", "suggest".

    points: the coordinates on it. features: its rows in the table of what was wanted.
    """

    kind: str
    features: tuple[str, ...]
    points: tuple[tuple[int, int], ...] = ()


_PAIR: Final = re.compile(r"(\s*)([+-]?\d{1,9})([ \t]*),([ \t]*)([+-]?\d{1,9})(\s*)")
_HAS_PAIR: Final = re.compile(r"\d\s*,\s*\d")
_HALF_PAIR: Final = re.compile(r"\s*(\d*\s*,|,\s*\d*)\s*")
_PAIRS: Final = re.compile(r"\d{1,9},\d{1,9}(?: \d{1,9},\d{1,9})*")


def read_line(line: str, wanted: str) -> Verdict:
    """What a line is when `wanted` is waited for: "move", "ok", "swap" or "text".

    >>> read_line("7, 8", "move")
    Verdict(kind='move', features=('blank after the comma',), points=((7, 8),))
    >>> read_line("MESSAGE", "move").features
    ('MESSAGE without text',)
    """
    word, _, rest = line.strip().partition(" ")
    upper = word.upper()
    if upper in ("MESSAGE", "DEBUG"):
        with_name = upper == "MESSAGE" and "name" in rest and "=" in rest
        extra = " with name=" if with_name else "" if rest.strip() else " without text"
        blank = ("blank before MESSAGE",) if line[:1].isspace() else ()
        return Verdict(upper.lower(), (upper + extra, *blank))
    if upper in ("ERROR", "UNKNOWN"):
        return Verdict(upper.lower(), (upper,))
    if upper == "OK" or (wanted == "ok" and upper.rstrip("-.,:;!") == "OK"):
        return Verdict("ok", (_form_of_ok(line),) if wanted == "ok" else ("OK",))
    if wanted == "move":
        return _move(line, upper, rest)
    if wanted == "swap":
        return _swap(line)
    return Verdict("text", ("text",))


def takes(verdict: Verdict, wanted: str, strict: bool) -> str:
    """What to do with a line: "take" it, "pass" over it, or hold it for a "fault"."""
    if verdict.kind in ("message", "debug") and wanted in ("swap", "text"):
        return "pass"
    if wanted == "text" or (wanted == "swap" and verdict.kind != "text") or _is_minus(verdict):
        return "take"
    if wanted == "swap":
        return "fault" if strict else "pass"
    table = OK_TABLE if wanted == "ok" else MOVE_TABLE
    rows = [table[feature] for feature in verdict.features]
    if strict:
        cells = [row[_STRICT][0] for row in rows]
        return "fault" if "!" in cells else "take" if set(cells) == {"+"} else "pass"
    if wanted == "ok" and verdict.kind == "error":
        return "fault"
    taken = any(all(row[column][0] == "+" for row in rows) for column in _LENIENT)
    return "take" if taken else "pass"


def offence(line: str, rows: Iterable[Row]) -> Offence | None:
    """What the managers would hold against a line with these rows; None: nothing."""
    found = _punished(tuple(rows))
    return found and Offence(line, *found)


@lru_cache
def _punished(rows: tuple[Row, ...]) -> tuple[tuple[str, ...], str] | None:
    hows: dict[str, list[str]] = {}
    for row in rows:
        for manager, cell in zip(MANAGERS, row, strict=True):
            names = hows.setdefault(cell[2:], []) if cell[0] in "-?!" else [manager]
            if manager not in names:
                names.append(manager)
    punishing = tuple(name for name in MANAGERS if any(name in names for names in hows.values()))
    how = "; ".join(f"{', '.join(names)}: {why}" for why, names in hows.items())
    return (punishing, how) if hows else None


def rows_of(verdict: Verdict, wanted: str) -> list[Row]:
    """The rows of the tables that speak of this line."""
    if wanted == "idle":
        kind = verdict.kind if verdict.kind in ("move", "message", "debug") else "text"
        return [STALE_TABLE[{"message": "MESSAGE", "debug": "DEBUG"}.get(kind, kind)]]
    if wanted not in ("move", "ok"):
        return []
    table = OK_TABLE if wanted == "ok" else MOVE_TABLE
    return [table[feature] for feature in verdict.features]


def _is_minus(verdict: Verdict) -> bool:
    """A negative coordinate is a move, only an illegal one: the referee will say so."""
    return "minus sign" in verdict.features and set(verdict.features) <= {"minus sign", "x,y"}


def _form_of_ok(line: str) -> str:
    if line == "OK":
        return "OK"
    if line.strip().upper() == "OK":
        return "ok in other case" if line.strip() == line else "OK and a blank"
    return "OK and text"


def _move(line: str, upper: str, rest: str) -> Verdict:
    if upper == "SUGGEST":
        pair = _PAIR.fullmatch(rest)
        return Verdict("suggest", ("SUGGEST",), _points(pair))
    pair = _PAIR.match(line)
    if pair and not line[pair.end() :][:1].isdigit():
        front, x, before, after, y, behind = pair.groups()
        found = {
            "blank in front": front,
            "blank at the end": behind and pair.end() == len(line),
            "text behind the coordinates": pair.end() < len(line),
            "blank before the comma": before,
            "blank after the comma": after,
            "plus sign": "+" in x + y,
            "minus sign": "-" in x + y,
            "leading zero": any(
                len(n.lstrip("+-")) > 1 and n.lstrip("+-")[0] == "0" for n in (x, y)
            ),
        }
        features = tuple(name for name, is_so in found.items() if is_so)
        return Verdict("move", features or ("x,y",), _points(pair))
    if _HALF_PAIR.fullmatch(line):
        return Verdict("text", ("number missing",))
    beside = _HAS_PAIR.search(line) and upper != "INFO"
    return Verdict("text", ("text beside the coordinates" if beside else "text",))


def _points(pair: "re.Match[str] | None") -> tuple[tuple[int, int], ...]:
    return () if pair is None else ((int(pair[2]), int(pair[5])),)


def _swap(line: str) -> Verdict:
    """An answer to SWAP2BOARD: SWAP, or one, two or three points with single blanks between."""
    text = line.strip()
    if text.upper() == "SWAP":
        return Verdict("swap", ())
    if not _PAIRS.fullmatch(text):
        return Verdict("text", ("text",))
    points = tuple((int(x), int(y)) for x, y in (pair.split(",") for pair in text.split(" ")))
    return Verdict("move" if len(points) == 1 else "points", (), points)
