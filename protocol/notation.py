"""Points as text and back: h8 and 7,7.

Two spellings, both counted from the top left. `h8`: the letter is the column from a, no letter
left out; the number is the row from 1 at the top, so h8 is the point (7, 7) on every board. (Renju
books count rows from the bottom: their h1 is our h15 on a board of 15; readers take `rows="bottom"`
for them.) `7,7`: column and row from 0, as in the protocol, whatever `rows` says.
"""

from collections.abc import Iterable
from typing import Literal

from shisan.engine import MAX_SIDE, Point

Rows = Literal["top", "bottom"]
"""Where the number of a letter-number point counts from."""

_DIGITS = "0123456789"
_BLANKS = " \t\r\n"


class NotationError(ValueError):
    """Text that names no point of the board; the message says at which character, from 1."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.at = at
        """Index of the first character in question, from 0."""


def point_name(x: int, y: int) -> str:
    """The point as letter and number.

    >>> point_name(7, 7), point_name(0, 14)
    ('h8', 'a15')
    """
    return f"{chr(ord('a') + x)}{y + 1}"


def points_text(points: Iterable[Point]) -> str:
    """Points in a row, the short form of a game.

    >>> points_text([(7, 7), (8, 8), (7, 9)])
    'h8i9h10'
    """
    return "".join(point_name(x, y) for x, y in points)


def read_points(
    text: str,
    width: int = MAX_SIDE,
    height: int = MAX_SIDE,
    rows: Rows = "top",
    start: int = 0,
) -> list[Point]:
    """The points that a text names, in order, all of them on a board of that size.

    Both spellings may be mixed, in capitals too; blanks, commas and semicolons may stand between.
    rows: where the numbers of h8 count from. start: the first character that counts, from 0.
    Raises NotationError.

    >>> read_points("h8i9h10")
    [(7, 7), (8, 8), (7, 9)]
    >>> read_points("7,7 8,8; H10", width=15, height=15)
    [(7, 7), (8, 8), (7, 9)]
    >>> read_points("h8i9h10", width=15, height=15, rows="bottom")
    [(7, 7), (8, 6), (7, 5)]
    >>> read_points("h8 p9", width=15, height=15)
    Traceback (most recent call last):
    shisan.protocol.notation.NotationError: p9 at character 4 is outside: columns are a..o
    """
    points = []
    at = _skip(text, start, _BLANKS)
    while at < len(text):
        point, at = _read(text, at, width, height, rows)
        points.append(point)
        at = _skip(text, at, _BLANKS)
        if at < len(text) and text[at] in ",;":
            at = _skip(text, at + 1, _BLANKS)
    return points


def read_point(text: str, width: int = MAX_SIDE, height: int = MAX_SIDE) -> Point:
    """The one point that a text names. Raises NotationError.

    >>> read_point("h8")
    (7, 7)
    """
    point, at = _read(text, _skip(text, 0, _BLANKS), width, height)
    at = _skip(text, at, _BLANKS)
    if at < len(text):
        raise _error(text, at, "is more than one point")
    return point


def _read(text: str, at: int, width: int, height: int, rows: Rows = "top") -> tuple[Point, int]:
    """The point that begins at this index, and the index after it."""
    first = text[at : at + 1].lower()
    if "a" <= first <= "z":
        end = _skip(text, at + 1, _DIGITS)
        if end == at + 1:
            raise _error(text, at, "names no point: a number must follow the letter")
        x, row = ord(first) - ord("a"), _number(text[at + 1 : end])
        if x >= width:
            last = chr(ord("a") + width - 1)
            raise _error(text, at, f"is outside: columns are a..{last}", end)
        if not 1 <= row <= height:
            raise _error(text, at, f"is outside: rows are 1..{height}", end)
        return (x, row - 1 if rows == "top" else height - row), end
    middle = _skip(text, at, _DIGITS)
    comma = _skip(text, middle, _BLANKS)
    start = _skip(text, comma + 1, _BLANKS)
    end = _skip(text, start, _DIGITS)
    if middle == at or text[comma : comma + 1] != "," or end == start:
        raise _error(text, at, "names no point: write h8 or 7,7")
    x, y = _number(text[at:middle]), _number(text[start:end])
    for name, value, side in (("x", x, width), ("y", y, height)):
        if value >= side:
            raise _error(text, at, f"is outside: {name} is 0..{side - 1}", end)
    return (x, y), end


def _skip(text: str, at: int, characters: str) -> int:
    """The first index from here on that holds none of these characters."""
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _number(digits: str) -> int:
    """The value of digits; of many only that it is large (Python refuses to read thousands)."""
    return int(digits) if len(digits) < 10 else 10**9


def _error(text: str, at: int, what: str, end: int | None = None) -> NotationError:
    """An error that quotes the text from this index on."""
    if end is None:
        end = at
        while end < len(text) and text[end] not in _BLANKS:
            end += 1
    quoted = "".join(mark if mark.isprintable() else "?" for mark in text[at:end]) or "the end"
    if len(quoted) > 12:
        quoted = quoted[:12] + "..."
    return NotationError(f"{quoted} at character {at + 1} {what}", at)
