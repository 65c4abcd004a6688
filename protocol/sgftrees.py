"""SGF, read: game collections for five in a row (GM[4]), with variations, set-up stones and passes.

Points are two letters, column and row from the top left, a first, as in Go; an empty value is a
pass, and so is `tt` on boards up to 19. Letter-number points (`B[h8]`), which some programs write,
are refused, as nothing says where their rows count from. https://www.red-bean.com/sgf/
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from shisan.engine import Colour, Point

from .encodings import decode
from .games import GameError, GameRecord, Outcome, Source, rules_named, shortened
from .gametrees import PLAIN, TreeBuilder, Wanted, check_size, checked

FACTS: Final = {
    "EV": "event",
    "RO": "round",
    "DT": "date",
    "PC": "place",
    "ON": "opening",
    "RE": "result",
    "RU": "rule",
    "TE": "termination",
    "TM": "time",
    "BR": "black rank",
    "WR": "white rank",
    "SO": "origin",
    "US": "entered by",
    "AN": "annotator",
    "CP": "copyright",
}
"""Properties of a whole game that a GameRecord keeps as facts, under these names."""

RESULTS: Final[dict[Outcome, str]] = {"1-0": "B+", "0-1": "W+", "1/2": "0", "": ""}
"""How RE spells an outcome of which nothing more is known."""

GAMES: Final = {"1": "Go", "2": "Othello", "3": "chess", "7": "Chinese chess", "8": "Shogi"}
"""What other numbers in GM mean."""

_TOKEN: Final = re.compile(r"\s*(?:([();])|([0-9]?[A-Za-z][A-Za-z0-9]*)\s*(?=\[)|(\Z))")
_BLANKS: Final = re.compile(r"\s*")
_OPEN: Final = re.compile(r"\s*\[")
_VALUE: Final = re.compile(r"\s*\[([^\]\\]*(?:\\.[^\]\\]*)*)\]", re.DOTALL)
_ROOT: Final = re.compile(r"\(\s*;\s*(?:FF|GM|CA|AP|SZ|GN|EV|PB|PW|DT|RU)\s*\[")
_START: Final = re.compile(r"\(\s*;")
_ENCODING: Final = re.compile(rb"CA\s*\[([\w. -]{1,30})\]")

Properties = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class _Node:
    """A node, or a bracket: mark is ";", "(" or ")". line: where it begins, from 1."""

    mark: str
    line: int
    properties: Properties


class _SyntaxError(Exception):
    """What makes the text no SGF. resume: where to look for the next game; None: nowhere."""

    def __init__(self, line: int, problem: str, value: str, resume: int | None) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.value = value
        self.resume = resume


class _ContentError(Exception):
    """A property that cannot be used."""

    def __init__(self, problem: str, field: str, value: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.field = field
        self.value = value


def read_sgf(
    data: str | bytes, file: str = "", wanted: Wanted = PLAIN
) -> Iterator[GameRecord | GameError]:
    """The games of a collection, each a record or what is wrong with it.

    The first child of a node goes on with its line, the others are branches. A colour that moves
    twice in a row has a pass of the other between. Who begins is said by PL, else by the first
    move; a set-up that says neither has Black to move. Text outside of games is passed over.
    """
    if isinstance(data, bytes):
        told = _ENCODING.search(data[:4096])
        told_name = told[1].decode("ascii") if told else ""
        data = decode(data, wanted.encoding or told_name)
    scanner = _Scanner(data)
    start = _START.search(scanner.text)
    number = 0
    while start is not None:
        number += 1
        source = Source(file, "sgf", number, scanner.line_at(start.start()))
        at: int | None
        try:
            nodes, at = scanner.game(start.start())
        except _SyntaxError as bad:
            at = bad.resume
            yield GameError(replace(source, line=bad.line), bad.problem, "", bad.value)
            start = None if at is None else _ROOT.search(scanner.text, at)
            continue
        try:
            yield _Game(nodes, source, wanted).read()
        except GameError as problem:
            yield problem
        start = _START.search(scanner.text, at)
    if not number:
        yield GameError(Source(file, "sgf", 1, 1), "no SGF: nothing begins with (;")


class _Scanner:
    """Cuts the text into nodes and brackets; positions only grow."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._counted = (0, 1)

    def line_at(self, at: int) -> int:
        """The line of a position, from 1."""
        start, line = self._counted
        if at < start:
            return line - self.text.count("\n", at, start)
        line += self.text.count("\n", start, at)
        self._counted = (at, line)
        return line

    def game(self, at: int) -> tuple[list[_Node], int]:
        """The nodes and brackets of the game that begins here, and the position after it."""
        nodes: list[_Node] = []
        depth = opened = 0
        while True:
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise self._refused(at, "is neither a bracket, a ; nor a property")
            begin, at = token.start(token.lastindex or 0), token.end()
            if token[2]:
                if not nodes or nodes[-1].mark != ";":
                    raise self._refused(begin, "stands outside of a node: a ; is missing")
                at = self._values(token[2], nodes[-1].properties, at)
                if token[2] in ("FF", "GM") and depth > 1 and nodes[-2].mark == "(":
                    problem = "the game is not closed where another begins: a ) is missing"
                    raise _SyntaxError(nodes[-2].line, problem, "", opened)
                continue
            if not token[1]:
                problem = f"the file ends inside the game, with {depth} open (: it is cut off"
                raise _SyntaxError(self.line_at(at), problem, "", None)
            nodes.append(_Node(token[1], self.line_at(begin), {}))
            if token[1] == "(":
                depth, opened = depth + 1, begin
            elif token[1] == ")":
                depth -= 1
                if depth == 0:
                    return nodes, at

    def _values(self, name: str, properties: Properties, at: int) -> int:
        """Read the values of a property. Returns the position after them."""
        kept = "".join(mark for mark in name if not mark.islower())  # FF[1] let one write White[]
        values = properties.setdefault(kept, [])
        while value := _VALUE.match(self.text, at):
            values.append(value[1])
            at = value.end()
        bracket = _OPEN.match(self.text, at)
        if bracket is not None:
            problem = f"the value of {shortened(name)} is not closed: a ] is missing"
            raise _SyntaxError(self.line_at(bracket.end()), problem, "", None)
        return at

    def _refused(self, at: int, problem: str) -> _SyntaxError:
        """What to raise for text that does not belong here; at: blanks before it are left out."""
        blanks = _BLANKS.match(self.text, at)
        at = blanks.end() if blanks else at
        shown = shortened(self.text[at : at + 30].partition("\n")[0])
        return _SyntaxError(self.line_at(at), f"{shown!r} {problem}", shown, at)


class _Game:
    """One game of a collection, made of its nodes."""

    def __init__(self, nodes: list[_Node], source: Source, wanted: Wanted) -> None:
        self._nodes = nodes
        self._source = source
        self._wanted = wanted
        self._tree = TreeBuilder()
        self._side: Colour | None = None
        self._stones: dict[Point, str] = {}
        self._width, self._height = wanted.untold_size
        self._told_size = False

    def read(self) -> GameRecord:
        """The record. Raises GameError."""
        game = GameRecord()
        plies: list[int] = []
        root = True
        for node in self._nodes:
            try:
                if node.mark == "(":
                    plies.append(self._tree.ply)
                elif node.mark == ")":
                    self._tree.back(plies.pop())
                elif root:
                    root = False
                    game = self._header(node.properties)
                    self._node(node)
                else:
                    self._node(node)
            except _ContentError as bad:
                where = replace(self._source, line=node.line)
                raise GameError(where, bad.problem, bad.field, bad.value) from None
        colours = {name: [p for p, kind in self._stones.items() if kind == name] for name in "BWX"}
        game = replace(
            game,
            side=Colour.BLACK if self._side is None else self._side,
            black=tuple(colours["B"]),
            white=tuple(colours["W"]),
            walls=tuple(colours["X"]),
        )
        return checked(self._tree.fill(game), self._wanted, self._tree.place)

    def _header(self, root: Properties) -> GameRecord:
        """What the root says of the whole game."""
        number = _first(root, "GM")
        if number not in ("", "4"):
            other = GAMES.get(number, "another game")
            problem = f"GM[{shortened(number)}] is {other}; five in a row is GM[4]"
            raise _ContentError(problem, "GM", number)
        size = _first(root, "SZ")
        if size:
            self._width, self._height = _size(size)
            self._told_size = True
        self._source = replace(self._source, name=simple(_first(root, "GN")))
        check_size((self._width, self._height), self._wanted, self._source, "SZ")
        facts = {name: simple(_first(root, key)) for key, name in FACTS.items()}
        rules = rules_named(facts["rule"], self._width, self._height)
        if rules is not None:
            del facts["rule"]
        result = outcome(facts["result"])
        if facts["result"] == RESULTS[result]:
            del facts["result"]
        return GameRecord(
            self._width,
            self._height,
            rules=rules,
            players=(simple(_first(root, "PB")), simple(_first(root, "PW"))),
            result=result,
            comment=plain(_first(root, "GC")),
            facts=tuple((name, said) for name, said in facts.items() if said),
            source=self._source,
        )

    def _node(self, node: _Node) -> None:
        """A node: set-up stones, moves and what is said of them, in this order."""
        properties = node.properties
        for name, kind in (("AB", "B"), ("AW", "W"), ("WALL", "X"), ("AE", "")):
            for value in properties.get(name, ()):
                self._set_up(name, kind, value)
        if "PL" in properties:
            self._turn(_first(properties, "PL"))
        for name, values in properties.items():
            if name in ("B", "W"):
                for value in values:
                    self._move(name, value, node.line)
        for name in ("N", "C"):
            for value in properties.get(name, ()):
                self._tree.say(plain(value))

    def _set_up(self, name: str, kind: str, value: str) -> None:
        if self._tree.ply:
            raise _ContentError(f"{name} after a move cannot be played", name, value)
        for point in self._area(name, value):
            if not kind:
                self._stones.pop(point, None)
            elif self._stones.get(point, kind) != kind:
                problem = f"{name}[{value}]: point {point[0]},{point[1]} is occupied"
                raise _ContentError(problem, name, value)
            else:
                self._stones[point] = kind

    def _turn(self, value: str) -> None:
        colours = {"b": Colour.BLACK, "w": Colour.WHITE}
        colour = colours.get(value.strip().lower()[:1])
        if colour is None:
            problem = f"PL[{shortened(value)}] is neither B nor W"
            raise _ContentError(problem, "PL", value)
        if not self._tree.ply and self._side is None:
            self._side = colour

    def _move(self, name: str, value: str, line: int) -> None:
        colour = Colour.BLACK if name == "B" else Colour.WHITE
        point = self._point(name, value)
        if self._side is None:
            self._side = colour
        if colour != Colour((self._side + self._tree.ply) % 2):
            self._tree.add(None, line)
        self._tree.add(point, line)

    def _point(self, name: str, value: str) -> Point | None:
        """A point on the board; None for a pass."""
        said = value.strip().lower()
        if not said or (said == "tt" and max(self._width, self._height) <= 19):
            return None
        return self._on_board(name, value, said)

    def _on_board(self, name: str, value: str, said: str) -> Point:
        shown = f"{name}[{shortened(value)}]"
        if not re.fullmatch("[a-z][a-z]", said):
            raise _ContentError(f"{shown} is no point: two letters like hh are", name, value)
        x, y = ord(said[0]) - ord("a"), ord(said[1]) - ord("a")
        if x >= self._width or y >= self._height:
            size = f"{self._width}x{self._height}"
            hint = "" if self._told_size else " (SZ is missing: say which size)"
            raise _ContentError(f"{shown} is outside the board of {size}{hint}", name, value)
        return x, y

    def _area(self, name: str, value: str) -> Iterator[Point]:
        """The points of `hh` or of the rectangle `aa:cc`."""
        corners = [
            self._on_board(name, value, part.strip().lower()) for part in value.split(":", 1)
        ]
        (left, top), (right, bottom) = corners[0], corners[-1]
        for y in range(min(top, bottom), max(top, bottom) + 1):
            for x in range(min(left, right), max(left, right) + 1):
                yield x, y


def outcome(value: str) -> Outcome:
    """What a value of RE says of the winner, however the end came.

    >>> outcome("B+R"), outcome("W+"), outcome("Draw"), outcome("Void")
    ('1-0', '0-1', '1/2', '')
    """
    said = value.strip().upper()
    if said in ("0", "JIGO", "=") or "DRAW" in said:
        return "1/2"
    known: dict[str, Outcome] = {"B+": "1-0", "W+": "0-1"}
    return known.get(said[:2], "")


def plain(value: str) -> str:
    r"""The text of a value of type Text: line breaks kept, escapes undone.

    >>> plain("a\\]b\\\nc")
    'a]bc'
    """
    unescaped = re.sub(r"\\(\n|.)", lambda found: found[1].strip("\n"), value, flags=re.DOTALL)
    return "".join(mark if mark == "\n" or not mark.isspace() else " " for mark in unescaped)


def simple(value: str) -> str:
    """The text of a value of type SimpleText: on one line."""
    return " ".join(plain(value).split("\n")).strip()


def _first(properties: Properties, name: str) -> str:
    values = properties.get(name)
    return values[0].strip() if values else ""


def _size(value: str) -> tuple[int, int]:
    """SZ[15] or SZ[20:15]."""
    parts = value.split(":")
    if len(parts) > 2 or not all(re.fullmatch(r"\s*[0-9]{1,3}\s*", part) for part in parts):
        raise _ContentError(f"SZ[{shortened(value)}] is neither 15 nor 20:15", "SZ", value)
    return int(parts[0]), int(parts[-1])
