"""RenjuNet's database (.rif or .xml), read game by game: tens of thousands in one file.

The root holds tables (players, tournaments, rules, openings) and then games. A game is an element
`game` with attributes that point into the tables, `bresult` (Black's points: 1, 0.5 or 0), and
children `move` with points like `h8 i9`, rows counted from the bottom, and `info`. The board is
15x15 and the rules are renju; `rule` names how the opening was chosen.
"""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final
from xml.parsers import expat

from shisan.engine import Rules

from .encodings import declared
from .games import GameError, GameRecord, Outcome, Source
from .gametrees import PLAIN, Wanted, checked
from .movetext import read_moves
from .notation import NotationError

CHUNK: Final = 1 << 16
"""Bytes that are parsed at a time."""

TABLES: Final = {
    "player": ("name", "surname"),
    "tournament": ("name",),
    "rule": ("name",),
    "opening": ("name",),
}
"""The tables that games point into, and which attributes of theirs name an entry."""

_RESULTS: Final[dict[str, Outcome]] = {"1": "1-0", "0.5": "1/2", "0": "0-1"}
_DECLARED: Final = re.compile(rb"<\?xml[^>]{0,80}encoding\s*=\s*[\"']([\w.-]{1,30})[\"']")
_GAME: Final = re.compile(rb"<game[\s/>]")

Attributes = dict[str, str]


class _EntityError(Exception):
    """The file declares entities, which could make it grow without limit."""


def read_rif(
    stream: BinaryIO, file: str = "", wanted: Wanted = PLAIN
) -> Iterator[GameRecord | GameError]:
    """The games of a database, each a record or what is wrong with it.

    Only a piece of the file is in memory at a time. After XML that is broken, reading goes on at
    the next game. A game without moves is a record without moves.
    """
    first = stream.read(CHUNK)
    told = _DECLARED.search(first[:200])
    encoding = wanted.encoding or (told[1].decode("ascii") if told else "")
    name = declared(first, encoding) or "utf-8"
    decoder = codecs.getincrementaldecoder(name)("replace")
    database = _Database(file, wanted)
    chunk = first
    while chunk:
        database.feed(decoder.decode(chunk).lstrip("\ufeff").encode("utf-8", "replace"))
        yield from database.found()
        chunk = stream.read(CHUNK)
    database.close()
    yield from database.found()
    if not database.number:
        yield GameError(
            Source(file, "rif", 1, 1), "no game in this file: it is no RenjuNet database"
        )


class _Database:
    """Takes the file in pieces of UTF-8 and hands out what it found in them.

    number: how many games have begun.
    """

    def __init__(self, file: str, wanted: Wanted) -> None:
        self.number = 0
        self._file = file
        self._wanted = wanted
        self._found: list[GameRecord | GameError] = []
        self._names: dict[str, dict[str, str]] = {kind: {} for kind in TABLES}
        self._days: dict[str, str] = {}
        self._game: Attributes | None = None
        self._texts: dict[str, str] = {}
        self._child = ""
        self._depth = 0
        self._recovered = self._given_up = False
        self._parser: expat.XMLParserType | None = None
        self._recent = b""  # the last bytes that the parser got
        self._fed = 0
        self._line = 1  # of the first byte in parser or carry
        self._carry = b""  # without a parser: what may be the beginning of a game's tag
        self._begin(1)

    def found(self) -> Iterator[GameRecord | GameError]:
        """What was found since the last call."""
        found, self._found = self._found, []
        yield from found

    def feed(self, data: bytes) -> None:
        """Parse a further piece."""
        while data and not self._given_up:
            if self._parser is None:
                data = self._skip(data)
                continue
            try:
                self._parser.Parse(data, False)
            except expat.ExpatError as broken:
                data = self._recover(broken, data)
            except _EntityError:
                problem = "the file declares entities, which no RenjuNet database does"
                self._complain(problem, self._parser.CurrentLineNumber)
                self._given_up = True
            else:
                self._remember(data)
                return

    def close(self) -> None:
        """The file has ended."""
        if self._parser is None or self._given_up:
            return
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as broken:
            if self.number and not (self._recovered and not self._depth):
                self._complain("the file ends too early: it is cut off", broken.lineno)

    def _begin(self, line: int, prefix: bytes = b"") -> None:
        """Start a parser; its first byte is on this line of the file."""
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        self._game, self._child, self._depth = None, "", 0
        self._parser, self._line, self._recent, self._fed = parser, line, b"", 0
        if prefix:
            parser.Parse(prefix, False)
            self._remember(prefix)

    def _remember(self, data: bytes) -> None:
        self._fed += len(data)
        self._recent = (self._recent + data)[-CHUNK:]

    def _recover(self, broken: expat.ExpatError, data: bytes) -> bytes:
        """Tell of broken XML and leave the parser. Returns what follows the break."""
        assert self._parser is not None
        behind = max(0, self._fed - self._parser.ErrorByteIndex)
        ahead = max(0, self._parser.ErrorByteIndex - self._fed)
        window = self._recent + data
        at = len(self._recent) - behind + ahead
        line = self._line + broken.lineno - 1
        if not (self._recovered and not self._depth):
            if self._game is None and _GAME.match(window, max(0, window.rfind(b"<", 0, at + 1))):
                self.number += 1
                self._game = {}
            self._complain(f"broken XML: {expat.ErrorString(broken.code)}", broken.lineno)
        self._parser, self._game = None, None
        self._carry, self._line = b"", line
        return window[at + 1 :] if window[at : at + 1] != b"\n" else window[at:]

    def _skip(self, data: bytes) -> bytes:
        """Without a parser: look for the next game. Returns it and what follows."""
        window = self._carry + data
        game = _GAME.search(window)
        at = game.start() if game else max(0, len(window) - len("<game"))
        self._line += window.count(b"\n", 0, at)
        if game is None:
            self._carry = window[at:]
            return b""
        self._recovered = True
        self._carry = b""
        self._begin(self._line, b"<games>")
        return window[at:]

    def _complain(self, problem: str, line: int) -> None:
        """Note what is wrong; line: as the parser counts."""
        number = self.number if self._game is not None else self.number + 1
        name = (self._game or {}).get("id", "")
        source = Source(self._file, "rif", max(1, number), self._line + line - 1, None, name)
        self._found.append(GameError(source, problem))

    def _entity(self, *_: object) -> None:
        raise _EntityError

    def _start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if self._game is not None:
            self._child = name
        elif name == "game":
            assert self._parser is not None
            self.number += 1
            line = self._line + self._parser.CurrentLineNumber - 1
            self._game, self._texts = attributes, {"line": str(line)}
        elif name in TABLES and "id" in attributes:
            words = (attributes.get(part, "").strip() for part in TABLES[name])
            self._names[name][attributes["id"]] = " ".join(word for word in words if word)
            if name == "tournament":
                day = attributes.get("start") or attributes.get("year", "")
                self._days[attributes["id"]] = day

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._game is None:
            return
        if name == "game":
            try:
                self._found.append(self._read(self._game))
            except GameError as problem:
                self._found.append(problem)
            self._game = None
        self._child = ""

    def _characters(self, text: str) -> None:
        if self._game is not None and self._child:
            self._texts[self._child] = self._texts.get(self._child, "") + text

    def _name(self, table: str, number: str) -> str:
        """What a table has under a number; the number where it has nothing."""
        if not number or number == "0":
            return ""
        return self._names[table].get(number) or f"{table} {number}"

    def _read(self, attributes: Attributes) -> GameRecord:
        """The record of a game. Raises GameError."""
        line = int(self._texts["line"])
        source = Source(self._file, "rif", self.number, line, None, attributes.get("id", ""))
        said = self._texts.get("move", "")
        try:
            moves = read_moves(said, 15, 15, self._wanted.rows or "bottom")
        except NotationError as problem:
            raise GameError(source, f"move: {problem}", "move", said[problem.at :]) from None
        rule = self._name("rule", attributes.get("rule", ""))
        told = attributes.get("bresult", "").strip()
        facts = {
            "event": self._name("tournament", attributes.get("tournament", "")),
            "date": self._days.get(attributes.get("tournament", ""), ""),
            "round": attributes.get("round", ""),
            "opening rule": rule,
            "opening": self._name("opening", attributes.get("opening", "")),
            "result": "" if told in _RESULTS else told,
        }
        used = {"id", "black", "white", "tournament", "round", "rule", "opening", "bresult"}
        others = set(attributes) - used
        facts |= {name: attributes[name] for name in sorted(others)}
        game = GameRecord(
            moves=tuple(moves),
            rules=None if "gomoku" in rule.lower() else Rules.renju(),
            players=(
                self._name("player", attributes.get("black", "")),
                self._name("player", attributes.get("white", "")),
            ),
            result=_RESULTS.get(told, ""),
            comment=self._texts.get("info", "").strip(),
            facts=tuple((name, value) for name, value in facts.items() if value),
            source=source,
        )
        return checked(game, self._wanted)
