"""The dialect of Yixin-Board: its verbs, what each one carries, and what it asks for.

docs/yixin.md lists the verbs for people. Points are read and written in the order in which they
were sent, which is row first in that program: for us the first number is a column all the same.
Nothing here searches or sends; a verb becomes lines to send, a Task to search for, or a request to
the database.
"""

import re
from typing import Final, NamedTuple

from shisan.engine import MAX_SIDE, Colour, Point, Position, Rules

from . import swap2
from .about import NAME, VERSION
from .commands import FOREIGN_LISTS, FOREIGN_PATHS, numbers_of, printable
from .consulting import DatabaseRequest
from .options import BY_KEY, number

MAX_HASH_SIZE: Final = 24
"""The largest table that we say we take: 2 to this power, in KiB."""

MAX_PATHS: Final = 10_000
"""How many blocked sequences are kept; more are told and left out."""

MAX_BIAS: Final = 30_000

MAX_FIFTHS: Final = 8
"""How many fifth moves the Soosorv-8 opening allows."""

MAX_TEXT: Final = 100_000
"""How much of a text in several lines is kept, in characters."""

PASS: Final = (-1, -1)

_CLOSED: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

PLAIN: Final = frozenset(
    "yxshowinfo yxshowforbid yxnbest yxbalanceone yxbalancetwo yxsearchdefend yxblockreset "
    "yxblockpathreset yxforbid yxhashclear yxshowhashusage yxprintfeature yxdraw yxresign "
    "yxswap2step1 yxswap2step2 yxswap2step3 yxsoosorvstep1 "
    "yxsavedatabase yxdbcheck yxdbfix".split()
)
"""Verbs that stand alone on their line."""

NEEDS_NO_BOARD: Final = frozenset(
    "yxshowinfo yxblock yxblockundo yxblockreset yxblockpath yxblockpathundo yxblockpathreset "
    "yxforbid yxhashclear yxdraw yxresign yxsavedatabase yxdbcheck yxdbfix yxsetdatabase".split()
)
"""Verbs that mean something before the first START."""

DATABASE_PLAIN: Final = frozenset("yxsavedatabase yxdbcheck yxdbfix".split())
BLOCKING: Final = frozenset("yxblock yxblockundo yxblockpath yxblockpathundo".split())
AT_ONCE: Final = frozenset(
    "yxblockreset yxblockpathreset yxshowforbid yxshowinfo yxforbid yxdraw yxresign".split()
)
"""Verbs that are carried out while a search runs: they read or change what it does not use."""


class Task(NamedTuple):
    """What a search is for.

    kind: "move"; "lines", of which `number` are wanted; "defend", every move with its value;
        "balance one" and "balance two", moves that bring the value closest to `number`, from the
        view of the side to move; "swap2" of a SWAP2BOARD and "swap2 step" of the dialect with so
        many stones; "soosorv" with the step, `points` laid so far and the number of `fifths`;
        "hash", which searches nothing and does `verb` with the table and the file `path`.
    merge: of moves that are images of each other take one.
    """

    kind: str
    number: int = 0
    verb: str = ""
    path: str = ""
    points: tuple[Point, ...] = ()
    fifths: int = 1
    merge: bool = False


MOVE: Final = Task("move")

Wanted = list[str] | Task | DatabaseRequest
"""What a verb comes to: lines to send, a search, or a request to the database."""


class Moves:
    """The points between a verb of the dialect and DONE, in order of play; (-1, -1) is a pass.

    The first line that is no point is kept as the problem, in words.
    """

    __slots__ = ("arguments", "points", "problem", "verb")

    @property
    def quoting(self) -> bool:
        """Whether the text in quotes that the verb carries goes on in the next line."""
        text = self.arguments
        if len(text) >= MAX_TEXT:
            return False
        return self.verb == "yxedittextdatabase" and text[:1] == '"' and not _CLOSED.match(text)

    def __init__(self, verb: str, arguments: str) -> None:
        self.verb = verb
        self.arguments = arguments
        self.points: list[Point] = []
        self.problem = ""

    def add(self, line: str) -> None:
        """Read one line, x,y or x,y with a field that is not used."""
        if self.quoting:
            self.arguments = f"{self.arguments}\n{line}"[:MAX_TEXT]
            return
        values = numbers_of(line)
        if values is None or len(values) not in (2, 3):
            self.problem = self.problem or f"line must be x,y, not {printable(line)}"
            return
        self.points.append((values[0], values[1]))

    def stones(self, rules: Rules) -> tuple[tuple[tuple[int, int, Colour], ...], Colour]:
        """The stones they make, Black first and in turn, and the side to move; see problem."""
        placed: dict[Point, Colour] = {}
        for ply, (x, y) in enumerate(self.points):
            if (x, y) == PASS:
                continue
            if not (0 <= x < rules.width and 0 <= y < rules.height):
                wanted = f"0..{rules.width - 1},0..{rules.height - 1}"
                self.problem = self.problem or f"point must be {wanted}, not {x},{y}"
            elif (x, y) in placed:
                self.problem = self.problem or f"point {x},{y} is given twice"
            else:
                placed[x, y] = Colour(ply % 2)
        stones = tuple((x, y, colour) for (x, y), colour in placed.items())
        return stones, Colour(len(self.points) % 2)


class Exclusions:
    """The points that are not to be played: blocked ones, ends of blocked sequences, forbidden.

    They outlast START, which the dialect sends before every position.
    """

    def __init__(self) -> None:
        self._points: set[Point] = set()
        self._paths: set[tuple[Point, ...]] = set()
        self._forbidden: set[tuple[Point, Colour]] = set()

    def change(self, verb: str, points: list[Point]) -> str:
        """Carry out one of BLOCKING; what could not be done in words, or nothing.

        Points outside every board are passed over: the program sends such for "all but".
        """
        fitting = [(x, y) for x, y in points if 0 <= x < MAX_SIDE and 0 <= y < MAX_SIDE]
        if verb == "yxblock":
            self._points.update(fitting)
        elif verb == "yxblockundo":
            self._points.difference_update(fitting)
        elif verb == "yxblockpathundo":
            self._paths.discard(tuple(points))
        elif points and len(points) <= MAX_SIDE**2 and points[-1] in fitting:
            if len(self._paths) >= MAX_PATHS and tuple(points) not in self._paths:
                return f"yxblockpath: {MAX_PATHS} sequences are blocked, no more are kept"
            self._paths.add(tuple(points))
        return ""

    def forbid(self, text: str) -> str:
        """Carry out "add x y side" or "del x y side", side 0 Black, 1 White; the problem or ""."""
        how, *rest = text.lower().split() or [""]
        values = [value for word in rest if (value := number(word)) is not None]
        if how not in ("add", "del") or len(values) != len(rest) or len(values) != 3:
            given = printable(text) or "empty"
            return f"yxforbid must be add or del, x, y and side 0 or 1, not {given}"
        x, y, side = values
        if side not in (0, 1) or not (0 <= x < MAX_SIDE and 0 <= y < MAX_SIDE):
            return f"yxforbid must have a point and side 0 or 1, not {printable(text)}"
        change = self._forbidden.add if how == "add" else self._forbidden.discard
        change(((x, y), Colour(side)))
        return ""

    def reset(self, verb: str) -> None:
        """Carry out yxblockreset or yxblockpathreset."""
        (self._points if verb == "yxblockreset" else self._paths).clear()

    def of(self, position: Position) -> tuple[Point, ...]:
        """The empty points that are not to be played here, in order."""
        found = set(self._points)
        found.update(point for point, side in self._forbidden if side == position.side)
        if self._paths:
            stones = set(position.stones)
            found.update(path[-1] for path in self._paths if _leads_to(path[:-1], stones, position))
        rules = position.rules
        inside = (p for p in found if p[0] < rules.width and p[1] < rules.height)
        return tuple(sorted(p for p in inside if position.is_empty(*p)))


def _leads_to(
    path: tuple[Point, ...], stones: set[tuple[int, int, Colour]], position: Position
) -> bool:
    """Whether these moves, in any order of each side's, make this position."""
    made = {(*point, Colour(ply % 2)) for ply, point in enumerate(path) if point != PASS}
    return len(path) % 2 == position.side and made == stones


def is_known(verb: str) -> bool:
    """Whether the verb, in lower case, is one of the dialect."""
    return verb in PLAIN or verb.upper() in FOREIGN_LISTS | FOREIGN_PATHS


def plain(verb: str, text: str, position: Position | None, openings: int) -> Wanted:
    """What a verb of PLAIN comes to, those apart that change what the session holds.

    text: the rest of its line; openings: how many openings were laid so far.
    """
    if verb == "yxshowinfo":
        threads = BY_KEY["thread_num"].high or 1
        return [
            f"MESSAGE {NAME} {VERSION}",
            f"MESSAGE INFO MAX_THREAD_NUM {threads}",
            f"MESSAGE INFO MAX_HASH_SIZE {MAX_HASH_SIZE}",
        ]
    if verb == "yxdraw":
        return ["MESSAGE DRAW REJECT"]
    if verb == "yxresign":
        return []
    if verb in DATABASE_PLAIN:
        return DatabaseRequest(verb, text, position and position.copy(), "", False)
    assert position is not None
    if verb == "yxshowforbid":
        return [forbid_line(position)]
    if verb == "yxprintfeature":
        return features(position)
    if verb == "yxshowhashusage":
        return Task("hash", verb=verb)
    if verb == "yxsearchdefend":
        return Task("defend")
    if verb in ("yxnbest", "yxbalanceone", "yxbalancetwo"):
        return _counted(verb, text)
    if verb == "yxswap2step1":
        laid = swap2.opening(position.rules, openings)
        return _moves("SWAP2", 1, [pair.replace(",", " ") for pair in laid.split()])
    if verb == "yxsoosorvstep1":
        return _moves("SOOSORV", 1, [f"{x} {y}" for x, y in _named(position.rules, openings)])
    stones = 3 if verb == "yxswap2step2" else 5
    if position.ply != stones or position.side is not Colour.WHITE:
        found = f"{position.ply} and {position.side.name.title()}"
        return [f"ERROR {verb} must have {stones} stones and White to move, not {found}"]
    return Task("swap2 step", stones)


def _counted(verb: str, text: str) -> Wanted:
    """The verbs with a number."""
    value = number(text)
    low, high = (1, MAX_SIDE**2) if verb == "yxnbest" else (-MAX_BIAS, MAX_BIAS)
    if value is None or value < low or value > high:
        if verb == "yxnbest" and value is not None and value > high:
            value = high
        else:
            return [f"ERROR {verb} must be {low}..{high}, not {printable(text) or 'empty'}"]
    if verb == "yxnbest":
        return Task("lines", value)
    return Task("balance one" if verb == "yxbalanceone" else "balance two", value)


def listed(moves: Moves, position: Position) -> Wanted:
    """What a verb with a list of points comes to once DONE was read, BLOCKING apart."""
    stones, side = moves.stones(position.rules)
    verb, arguments = moves.verb, moves.arguments
    if not verb.startswith("yxsoosorv"):
        if moves.problem:
            return [f"MESSAGE {verb}: {moves.problem}"]
        made = Position.set_up(position.rules, stones, side)
        return DatabaseRequest(verb, arguments, made, "", False)
    step, count = int(verb[-1]), len(moves.points)
    lying = 3 if step < 4 else 4
    if not moves.problem and (count <= lying if step == 6 else count != lying):
        wanted = f"more than {lying}" if step == 6 else str(lying)
        moves.problem = f"must have {wanted} points, not {count}"
    fifths: int | None = 1
    if step in (4, 5):
        fifths = number(arguments)
        if fifths is None or not 1 <= fifths <= MAX_FIFTHS:
            given = printable(arguments) or "empty"
            moves.problem = moves.problem or f"must have 1..{MAX_FIFTHS} fifth moves, not {given}"
    if PASS in moves.points and not moves.problem:
        moves.problem = "has no passes"
    if moves.problem:
        return [f"MESSAGE {verb}: {moves.problem}"]
    return Task("soosorv", step, points=tuple(moves.points), fifths=fifths or 1)


def soosorv_position(task: Task, rules: Rules) -> Position:
    """What a step of Soosorv looks at: the stones that lie for good."""
    lying = task.points[: 3 if task.number < 4 else 4]
    stones = tuple((x, y, Colour(ply % 2)) for ply, (x, y) in enumerate(lying))
    return Position.set_up(rules, stones, Colour(len(lying) % 2))


def swap2_lines(stones: int, answer: str, reason: str) -> list[str]:
    """The answer to yxswap2step2, after three stones, and yxswap2step3, after five.

    answer, reason: as for SWAP2BOARD; who stays White is asked for a move by a board after it.
    """
    word = "YES" if answer == "SWAP" else "NO"
    return [f"MESSAGE {reason}", f"MESSAGE SWAP2 SWAP{1 if stones == 3 else 2} {word}"]


def forbidden(position: Position) -> list[Point]:
    """The points that Black, if it is to move, may not play, in reading order."""
    if position.side is not Colour.BLACK or position.over:
        return []
    return sorted(position.forbidden_points(), key=lambda point: (point[1], point[0]))


def forbid_line(position: Position) -> str:
    """The answer to yxshowforbid: two digits for each number of a point that Black may not play."""
    pairs = "".join(f"{x:02}{y:02}" for x, y in forbidden(position))
    return f"FORBID {pairs}."


def features(position: Position) -> list[str]:
    """How many points make which shape for either side, for people."""
    lines = []
    for colour in Colour:
        maps = position.maps(colour)
        shapes = ", ".join(f"{kind} {len(points)}" for kind, points in maps.items())
        lines.append(f"MESSAGE {colour.name.lower()} could make: {shapes}")
    return lines


def _moves(word: str, first: int, points: list[str]) -> list[str]:
    """MESSAGE lines that lay stones, numbered from first; points as "x y"."""
    return [f"MESSAGE {word} MOVE{first + i} {point}" for i, point in enumerate(points)]


def _named(rules: Rules, openings: int) -> tuple[Point, ...]:
    """Three stones of the 26 named openings, another one each time; of Swap2 on a small board."""
    from .openings import OpeningError, named

    try:
        known = named(rules)
    except OpeningError:
        pairs = (pair.split(",") for pair in swap2.opening(rules, openings).split())
        return tuple((int(x), int(y)) for x, y in pairs)
    return known[openings * 7 % len(known)]
