"""Openings: the stones that lie on the board before a match's brains think.

They are read from files (Gomocup offsets, `x,y` points, letters and numbers, .psq), are the named
renju openings, stones drawn by a seed, or positions that our own search holds for balanced. All
are checked before a match begins: every point on the board, none twice, nobody has won or may not
play there, and the side to move has a legal point.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final, Literal

from shisan.engine import (
    PROCESS_MEMORY,
    Colour,
    Engine,
    IllegalMoveError,
    Limits,
    Point,
    Position,
    Rules,
)

from .movetext import looks_offset, read_offsets
from .notation import NotationError, points_text, read_points
from .records import RecordError, read_psq

Stones = tuple[Point, ...]
"""An opening: points in order of play, Black first."""

Form = Literal["auto", "offset", "points", "psq"]
"""How a file spells its openings; auto: as the file looks."""

KINDS: Final = ("balanced", "random", "named", "swap2", "empty")
"""What --openings may be beside the name of a file."""

BALANCED_VALUE: Final = 60
"""How far from 0 the search's value of a balanced opening may be; odds of 1.35 to 1."""

BALANCED_NODES: Final = (500, 20_000)
"""The nodes of the two searches that a balanced opening passes, a quick one first."""

BALANCED_STONES: Final = (4, 6)
"""How many stones a balanced opening has, at least and at most."""

BALANCED_TRIES: Final = 500
"""After so many tries in a row that were not balanced, the search for one is given up."""

_DIRECT: Final = {
    "Kansei": (0, -2),
    "Keigetsu": (1, -2),
    "Sosei": (2, -2),
    "Kagetsu": (1, -1),
    "Zangetsu": (2, -1),
    "Ugetsu": (1, 0),
    "Kinsei": (2, 0),
    "Shogetsu": (0, 1),
    "Kyugetsu": (1, 1),
    "Shingetsu": (2, 1),
    "Zuisei": (0, 2),
    "Sangetsu": (1, 2),
    "Yusei": (2, 2),
}
_INDIRECT: Final = {
    "Chosei": (2, -2),
    "Kyogetsu": (2, -1),
    "Kosei": (2, 0),
    "Suigetsu": (2, 1),
    "Ryusei": (2, 2),
    "Ungetsu": (1, 0),
    "Hogetsu": (1, 1),
    "Rangetsu": (1, 2),
    "Gingetsu": (0, 1),
    "Myojo": (0, 2),
    "Shagetsu": (-1, 1),
    "Meigetsu": (-1, 2),
    "Suisei": (-2, 2),
}
NAMED: Final[dict[str, tuple[Point, Point, Point]]] = {
    name: ((0, 0), second, third)
    for second, family in (((0, -1), _DIRECT), ((1, -1), _INDIRECT))
    for name, third in family.items()
}
"""The 26 named renju openings as offsets from the middle, y downwards; 13 direct, 13 indirect."""

_NAMED_SIDE: Final = 15


class OpeningError(ValueError):
    """An opening that cannot be played; the message names file and line where there are any."""


@dataclass(frozen=True, slots=True)
class Openings:
    """What a match plays from, checked. stones: used in turn. swap2: laid by the players."""

    kind: str
    stones: tuple[Stones, ...]

    @property
    def swap2(self) -> bool:
        """Whether the players lay and choose."""
        return self.kind == "swap2"

    @property
    def sha256(self) -> str:
        """Of all openings in their order, hexadecimal."""
        lines = "".join(points_text(each) + "\n" for each in self.stones)
        return sha256(f"{'swap2' if self.swap2 else 'laid'}\n{lines}".encode()).hexdigest()

    def of(self, turn: int) -> Stones:
        """The opening of a turn from 0; after the last one the first comes again."""
        return self.stones[turn % len(self.stones)]


def load(
    source: str, rules: Rules, *, count: int, seed: int = 1, form: Form = "auto", plies: int = 0
) -> Openings:
    """The openings that a person names: one of KINDS, or a file or folder.

    count: how many are wanted of a kind that is made. plies: how much is taken of a .psq, 0: all
    but its last quarter, as a whole game is no opening. Raises OpeningError.
    """
    if source in ("swap2", "empty"):
        return Openings(source, ((),))
    if source == "named":
        return Openings(source, tuple(named(rules)))
    if source == "random":
        luck = Random(f"{seed} openings")
        return Openings(source, tuple(random_opening(rules, luck) for _ in range(count)))
    if source == "balanced":
        return Openings(source, tuple(balanced_openings(rules, count, seed)))
    return Openings("file", tuple(read_openings(Path(source), rules, form=form, plies=plies)))


def check(stones: Sequence[Point], rules: Rules) -> Stones:
    """The stones, if a game can go on from them. Raises OpeningError."""
    position = Position(rules)
    for number, (x, y) in enumerate(stones, 1):
        try:
            position.play(x, y)
        except IllegalMoveError as problem:
            raise OpeningError(f"stone {number}: {problem}") from None
        if position.over:
            raise OpeningError(f"the game is over at stone {number}: {position.result.reason}")
    return tuple(stones)


# --- made ones -----------------------------------------------------------------------------------


def named(rules: Rules) -> list[Stones]:
    """The 26 named renju openings in the middle of this board. Raises OpeningError."""
    cx, cy = rules.width // 2, rules.height // 2
    return [check([(cx + dx, cy + dy) for dx, dy in stones], rules) for stones in NAMED.values()]


def random_opening(rules: Rules, luck: Random) -> Stones:
    """One to three stones within two points of the middle: nobody has won yet."""
    position = Position(rules)
    for _ in range(luck.randint(1, 3)):
        position.play(*luck.choice(_near_middle(position, 2)))
    return tuple((x, y) for x, y, _ in position.stones)


def balanced_openings(
    rules: Rules, count: int, seed: int, value: int = BALANCED_VALUE
) -> Iterator[Stones]:
    """Positions of a few stones that the search holds for balanced, none twice in any symmetry.

    value: how far from 0 its value may be, for the side to move. The same seed and rules give the
    same openings; they are found one by one. Raises OpeningError when there are not so many.
    """
    engine = Engine(rules, PROCESS_MEMORY + (1 << 20))
    luck = Random(f"{seed} balanced")
    seen: set[frozenset[tuple[int, int, int]]] = set()
    for number in range(count):
        for _ in range(BALANCED_TRIES):
            position = _scatter(rules, luck)
            if _same(position) in seen or not _is_balanced(engine, position, value):
                continue
            seen.add(_same(position))
            yield tuple((x, y) for x, y, _ in position.stones)
            break
        else:
            found = f"after {number} openings" if number else "for any opening"
            size = f"{rules.name} {rules.width}x{rules.height}"
            raise OpeningError(f"{size}: no balanced one in {BALANCED_TRIES} tries {found}")


def _scatter(rules: Rules, luck: Random) -> Position:
    """A few legal stones, the first near the middle, each near another one."""
    position = Position(rules)
    wanted = luck.randint(*BALANCED_STONES)
    position.play(*luck.choice(_near_middle(position, min(rules.width, rules.height) // 5)))
    while position.ply < wanted:
        near = [
            (x, y)
            for x, y in position.legal_points()
            if any(max(abs(x - a), abs(y - b)) <= 2 for a, b, _ in position.stones)
        ]
        position.play(*luck.choice(near))
    return position


def _near_middle(position: Position, reach: int) -> list[Point]:
    cx, cy = position.rules.width // 2, position.rules.height // 2
    return [(x, y) for x, y in position.legal_points() if max(abs(x - cx), abs(y - cy)) <= reach]


def _is_balanced(engine: Engine, position: Position, value: int) -> bool:
    if position.over:
        return False
    for nodes, allowed in zip(BALANCED_NODES, (2 * value, value), strict=True):
        engine.new_game()
        found = engine.search(position, Limits(nodes=nodes))
        if found.win_in is not None or abs(found.value) > allowed:
            return False
    return True


def _same(position: Position) -> frozenset[tuple[int, int, int]]:
    """What all symmetric forms of a position share, whatever the order of its stones."""
    points = [(x, y) for x, y, _ in position.stones]
    colours = [int(colour) for _, _, colour in position.stones]
    forms = [
        sorted(
            (x, y, c) for (x, y), c in zip(turned(points, k, position.rules), colours, strict=True)
        )
        for k in symmetries(position.rules)
    ]
    return frozenset(min(forms))


# --- symmetries ----------------------------------------------------------------------------------


def symmetries(rules: Rules) -> tuple[int, ...]:
    """The symmetries of this board: all eight of a square, four of a rectangle."""
    return tuple(range(8 if rules.width == rules.height else 4))


def turned(points: Iterable[Point], symmetry: int, rules: Rules) -> Stones:
    """The points in a symmetry 0..7 of the board; 0 changes nothing.

    Bit 1 mirrors left and right, bit 2 top and bottom, bit 4 exchanges x and y (squares only).

    >>> turned([(0, 1)], 3, Rules.freestyle(15)), turned([(0, 1)], 4, Rules.freestyle(15))
    (((14, 13),), ((1, 0),))
    """
    across, down = rules.width - 1, rules.height - 1
    found = []
    for x, y in points:
        x, y = (across - x if symmetry & 1 else x), (down - y if symmetry & 2 else y)
        found.append((y, x) if symmetry & 4 else (x, y))
    return tuple(found)


# --- names of openings --------------------------------------------------------------------------


def opening_name(game: Position | Sequence[Point]) -> str | None:
    """Return which of the 26 named renju openings a game began with, in any of its eight forms.

    game: a position, whose first three stones must be Black's, White's and Black's, or points in
    order of play on a board of 15x15. None: another opening, another board, or fewer stones.

    >>> opening_name([(7, 7), (7, 6), (8, 6)]), opening_name([(7, 7), (6, 7), (6, 8)])
    ('Kagetsu', 'Kagetsu')
    """
    if isinstance(game, Position):
        if (game.rules.width, game.rules.height) != (_NAMED_SIDE, _NAMED_SIDE):
            return None
        stones = game.stones[:3]
        if [colour for _, _, colour in stones] != [Colour.BLACK, Colour.WHITE, Colour.BLACK]:
            return None
        points = [(x, y) for x, y, _ in stones]
    else:
        points = list(game[:3])
    return _named_forms().get(tuple(points))


@cache
def _named_forms() -> dict[Stones, str]:
    """Each form of each named opening on the board they are named for."""
    rules = Rules.renju(_NAMED_SIDE)
    return {
        turned(stones, symmetry, rules): name
        for name, stones in zip(NAMED, named(rules), strict=True)
        for symmetry in symmetries(rules)
    }


# --- files ---------------------------------------------------------------------------------------


def read_openings(path: Path, rules: Rules, *, form: Form = "auto", plies: int = 0) -> list[Stones]:
    """The openings of a file: one a line, or one .psq; of a folder: of each .psq in it.

    Empty lines and lines that begin with # are left out. A file spells all its openings alike:
    offset: `0,0, 1,-1, 2,0`, numbers with commas between all of them, from the middle point
    (width // 2, height // 2), x to the right, y down. points: `7,7 8,6` or `h8i7`, blanks between
    pairs, from the top left. psq: a Piskvork record, of which plies stones are taken.
    Raises OpeningError with the name of the file and the line.
    """
    try:
        if path.is_dir():
            records = sorted(path.glob("*.psq"))
            if not records:
                raise OpeningError(f"{path}: no .psq file in this folder")
            return [_read_record(each, each.read_bytes(), rules, plies) for each in records]
        data = path.read_bytes()
    except OSError as problem:
        known = ", ".join(KINDS)
        hint = "" if path.suffix else f" (openings are {known}, or a file)"
        raise OpeningError(f"cannot read {path}: {problem.strerror}{hint}") from None
    if form == "psq" or (form == "auto" and _is_record(data)):
        return [_read_record(path, data, rules, plies)]
    lines = [
        (number, line.strip())
        for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise OpeningError(f"{path} holds no opening")
    if form == "auto":
        form = "offset" if any(looks_offset(line) for _, line in lines) else "points"
    return [_read_line(f"{path}, line {number}", line, form, rules) for number, line in lines]


def _is_record(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \r\n")[:9].lower() == b"piskvorky"


def _read_line(place: str, line: str, form: Form, rules: Rules) -> Stones:
    try:
        if form == "offset":
            return check(read_offsets(line, rules.width, rules.height), rules)
        return check(read_points(line, rules.width, rules.height), rules)
    except (NotationError, OpeningError) as problem:
        raise OpeningError(f"{place}: {problem}") from None


def _read_record(path: Path, data: bytes, rules: Rules, plies: int) -> Stones:
    try:
        record = read_psq(data)
    except RecordError as problem:
        raise OpeningError(f"{path}, {problem}") from None
    if (record.width, record.height) != (rules.width, rules.height):
        size = f"{rules.width}x{rules.height}"
        raise OpeningError(
            f"{path}, line 1: the board is {record.width}x{record.height}, not {size}"
        )
    moves = record.moves[: plies or len(record.moves) * 3 // 4]
    try:
        return check([(move.x, move.y) for move in moves], rules)
    except OpeningError as problem:
        raise OpeningError(f"{path}: {problem}") from None


def side_to_move(stones: Sequence[Point]) -> Colour:
    """Who moves after an opening."""
    return Colour(len(stones) % 2)
