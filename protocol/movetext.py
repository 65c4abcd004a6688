"""Moves as a line of text: points, passes and move numbers; and the offsets of opening lists."""

import re
from typing import Final

from shisan.engine import MAX_SIDE, Point

from .notation import NotationError, Rows, read_points

Moves = list[Point | None]
"""Moves in order of play; None is a pass."""

_PASS: Final = re.compile(r"(?<![a-z0-9])pass(?![a-z])", re.IGNORECASE)
_COMMA: Final = re.compile(r"\s*[,;]")
_NUMBER: Final = re.compile(r"(?<![0-9,.a-z])[0-9]{1,3}\.(?![0-9])", re.IGNORECASE)


def read_moves(
    text: str, width: int = MAX_SIDE, height: int = MAX_SIDE, rows: Rows = "top"
) -> Moves:
    """The moves that a text names, in order.

    Points as in `read_points`; the word pass is a pass, and move numbers like `1.` are left out.
    Raises NotationError, which counts characters in the whole text.

    >>> read_moves("1. h8 i9 2. pass H10", 15, 15)
    [(7, 7), (8, 8), None, (7, 9)]
    """
    plain = _NUMBER.sub(lambda found: " " * len(found[0]), text)
    moves: Moves = []
    at = 0
    for found in _PASS.finditer(plain):
        moves += _part(plain, at, found.start(), width, height, rows)
        moves.append(None)
        at = found.end()
        after = _COMMA.match(plain, at)
        at = after.end() if after else at
    return moves + _part(plain, at, len(plain), width, height, rows)


def looks_offset(line: str) -> bool:
    """Whether a line can only be offsets: a minus, or commas between the pairs too.

    >>> looks_offset("0,0, 1,-1, 2,0"), looks_offset("7,7 8,6"), looks_offset("h8i9")
    (True, False, False)
    """
    if re.search(r"[A-Za-z;]", line):
        return False
    return "-" in line or re.match(r"\s*\d+\s*,\s*\d+\s*,", line) is not None


def read_offsets(line: str, width: int, height: int) -> list[Point]:
    """The points of a line of Gomocup offsets, `dx,dy, dx,dy, ...`.

    They count from the middle point (width // 2, height // 2), x to the right and y down, as the
    opening lists of Gomocup and Piskvork do. Raises NotationError.

    >>> read_offsets("0,0, 1,-1, 2,0", 15, 15)
    [(7, 7), (8, 6), (9, 7)]
    """
    numbers, starts = [], [0]
    for number, word in enumerate(line.rstrip(" \t,").split(","), 1):
        said = word.strip()
        if not re.fullmatch(r"[+-]?[0-9]{1,3}", said):
            shown = f"{said[:12]!r}" if said else "nothing"
            raise NotationError(f"number {number} is {shown}, not an offset like -3", starts[-1])
        numbers.append(int(said))
        starts.append(starts[-1] + len(word) + 1)
    if len(numbers) % 2:
        raise NotationError(f"{len(numbers)} numbers make no pairs", len(line))
    points = []
    for at in range(0, len(numbers), 2):
        dx, dy = numbers[at], numbers[at + 1]
        x, y = width // 2 + dx, height // 2 + dy
        if not (0 <= x < width and 0 <= y < height):
            size = f"{width}x{height}"
            problem = f"{dx},{dy} leads from the middle off the board of {size}"
            raise NotationError(problem, starts[at])
        points.append((x, y))
    return points


def _part(text: str, start: int, end: int, width: int, height: int, rows: Rows) -> list[Point]:
    """The points of a part of the text; an error counts characters from the text's beginning."""
    return read_points(text[:end], width, height, rows, start)
