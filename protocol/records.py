"""Game records: reading and writing Piskvork's .psq, and reading its cousin .rec.

A .psq holds the size of the board, the moves with their times, perhaps the players, and how the
game ended for the manager. It tells neither the rule nor the winner: replay it under a rule to see.
Points in a .psq are counted from 1 at the top left; a Move counts from 0, as everywhere here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from shisan.engine import MAX_SIDE, MIN_SIDE, IllegalMoveError, Point, Position, Rules

from .notation import point_name

ENDINGS: Final = {
    0: "normal end",
    -2: "error",
    3: "no coordinates",
    7: "invalid move",
    9: "aborted",
    15: "time-out",
    16: "out of memory",
}
"""What Piskvork's closing number means, where that is known."""


class RecordError(ValueError):
    """A text that is no game record, or a record that cannot be written or replayed.

    line: the line in question, from 1, with which the text then begins; None for a record.
    problem: what is wrong there. value: what stands there.
    """

    def __init__(self, problem: str, line: int | None = None, value: str = "") -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line
        self.value = value


@dataclass(frozen=True, slots=True)
class Move:
    """One stone. time_ms: the time it took; None where the record has none."""

    x: int
    y: int
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A game as a .psq holds it.

    players: two names, first player first; None where the record has none.
    first: which player made the first move, 0 or 1. levels: Piskvork's two level numbers, 0 for a
    human. ending: Piskvork's closing number (see ENDINGS), None where there is none.
    outcome: the line that the Gomocup client adds, "result,tournament", None elsewhere.
    """

    width: int
    height: int
    moves: tuple[Move, ...] = ()
    players: tuple[str, str] | None = None
    first: int = 0
    levels: tuple[int, int] = (0, 0)
    ending: int | None = None
    outcome: str | None = None

    @property
    def black(self) -> str | None:
        """The name of the player who made the first move."""
        return None if self.players is None else self.players[self.first]

    @property
    def white(self) -> str | None:
        """The name of the other player."""
        return None if self.players is None else self.players[1 - self.first]


def read_psq(data: str | bytes) -> Record:
    """Read a .psq, from Piskvork, the Gomocup client or write_psq. Raises RecordError.

    Any line ends, missing times, names in any encoding (undecodable bytes are kept as surrogates)
    and every known form of the closing lines are accepted. The moves are on the board and no point
    comes twice; whether they are legal is the rule's matter. A file that ends within its last move
    is refused where that can be told: 3,1 may have been 3,15,0.
    """
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    record = _header(lines[0] if lines else "")
    moves, at = _moves(lines, 1, record.width, record.height, 1)
    timed = [move.time_ms is not None for move in moves]
    if at == len(lines) and timed[-2:] == [True, False] and not text.endswith(("\n", "\r")):
        cut = lines[-1]
        raise RecordError(f"{cut!r} is cut off: the moves before it have times", at, cut)
    return _closing(replace(record, moves=moves), lines[at:], at)


def read_rec(data: str | bytes, width: int, height: int) -> Record:
    """Read a .rec, from Gomotur: two names, then moves from 0, then a closing number perhaps.

    It does not tell the board, nor which of the two began: the first name is taken for the player
    of the first move. Raises RecordError.
    """
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    names = lines[:2]
    for number, name in enumerate(names, 1):
        if not name or _move(name) is not None:
            raise RecordError("a .rec begins with two lines of names", number, name)
    if len(names) < 2:
        raise RecordError("a .rec begins with two lines of names", 1 + len(names))
    moves, at = _moves(lines, 2, width, height, 0)
    record = Record(width, height, moves, (names[0], names[1]))
    if len(lines) > at + 1:
        raise RecordError(f"{lines[at]!r} is no move", at + 1, lines[at])
    if len(lines) == at:
        return record
    return replace(record, ending=_ending(lines[at], at + 1))


def write_psq(record: Record) -> str:
    """The record as a .psq that Piskvork opens; read_psq gives the same record back.

    Raises RecordError for a name with a line break or without letters at all.
    """
    lines = [
        f"Piskvorky {record.width}x{record.height},"
        f" {record.levels[0]}:{record.levels[1]}, {record.first}"
    ]
    for move in record.moves:
        time = "" if move.time_ms is None else f",{move.time_ms}"
        lines.append(f"{move.x + 1},{move.y + 1}{time}")
    for name in record.players or ():
        if len(name.splitlines()) != 1 or not name.strip() or _move(name) is not None:
            raise RecordError(f"{name!r} cannot stand as a name in a .psq")
        lines.append(name.strip())
    if record.ending is not None:
        lines.append(str(record.ending))
    if record.outcome is not None:
        lines.append(record.outcome)
    return "\n".join(lines) + "\n"


def play_all(rules: Rules, points: Iterable[Point]) -> Position:
    """The position after these moves, Black first. Raises RecordError with the move's number.

    >>> play_all(Rules.freestyle(), [(7, 7), (8, 8), (7, 7)])
    Traceback (most recent call last):
    shisan.protocol.records.RecordError: move 3 (h8) under freestyle: point 7,7 is occupied
    """
    position = Position(rules)
    for number, (x, y) in enumerate(points, 1):
        try:
            position.play(x, y)
        except IllegalMoveError as error:
            place = f"move {number} ({point_name(x, y)}) under {rules.name}"
            raise RecordError(f"{place}: {error}") from None
    return position


def replay(record: Record, rules: Rules, plies: int | None = None) -> Position:
    """The position after these many moves of the record (None: all), played under a rule.

    The record's size takes the place of the rule's. Raises RecordError.
    """
    sized = replace(rules, width=record.width, height=record.height)
    return play_all(sized, [(move.x, move.y) for move in record.moves[:plies]])


def _header(line: str) -> Record:
    """The first line: Piskvorky WIDTHxHEIGHT, A:B, FIRST."""
    shape = "a .psq begins with a line like 'Piskvorky 20x20, 11:11, 0'"
    word, _, rest = line.partition(" ")
    parts = [part.strip() for part in rest.split(",")]
    if word.lower() != "piskvorky" or len(parts) != 3:
        raise RecordError(shape, 1, line)
    try:
        width, height = (int(side) for side in parts[0].lower().split("x"))
        first_level, second_level = (int(level) for level in parts[1].split(":"))
        first = int(parts[2])
    except ValueError:
        raise RecordError(shape, 1, line) from None
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
        problem = f"sides must be {MIN_SIDE}..{MAX_SIDE}, not {width}x{height}"
        raise RecordError(problem, 1, f"{width}x{height}")
    if first not in (0, 1):
        raise RecordError(f"the first player is 0 or 1, not {first}", 1, str(first))
    return Record(width, height, first=first, levels=(first_level, second_level))


def _moves(
    lines: list[str], at: int, width: int, height: int, origin: int
) -> tuple[tuple[Move, ...], int]:
    """The moves from this index on, counted from origin, and the index after them."""
    moves: list[Move] = []
    seen: dict[tuple[int, int], int] = {}
    while at < len(lines) and (move := _move(lines[at], origin)) is not None:
        shown = f"{move.x + origin},{move.y + origin}"
        if not (0 <= move.x < width and 0 <= move.y < height):
            problem = f"{shown} is outside the board of {width}x{height}"
            raise RecordError(problem, at + 1, shown)
        if (move.x, move.y) in seen:
            problem = f"{shown} is occupied since line {seen[move.x, move.y]}"
            raise RecordError(problem, at + 1, shown)
        seen[move.x, move.y] = at + 1
        moves.append(move)
        at += 1
    return tuple(moves), at


def _move(line: str, origin: int = 1) -> Move | None:
    """A line of two or three whole numbers as a move, counted from origin; None if it is none."""
    parts = line.split(",")
    if not 2 <= len(parts) <= 3:
        return None
    try:
        x, y, *time = (int(part) for part in parts)
    except ValueError:
        return None
    return Move(x - origin, y - origin, time[0] if time else None)


def _closing(record: Record, lines: list[str], at: int) -> Record:
    """What follows the moves, told by how many lines there are; at: lines read before."""
    outcome = None
    if len(lines) >= 2 and lines[-2] == "-1" and lines[-1].partition(",")[0] in ("0", "1", "2"):
        outcome = lines[-1]
        lines = lines[:-1]
    players, ending = None, None
    if len(lines) in (2, 3):
        players = (lines[0], lines[1])
    if len(lines) in (1, 3):
        ending = _ending(lines[-1], at + len(lines))
    if len(lines) > 3:
        raise RecordError(f"{lines[0]!r} is no move", at + 1, lines[0])
    return replace(record, players=players, ending=ending, outcome=outcome)


def _ending(line: str, number: int) -> int:
    """Piskvork's closing number."""
    try:
        return int(line)
    except ValueError:
        problem = f"{line!r} is neither a move nor an ending"
        raise RecordError(problem, number, line) from None
