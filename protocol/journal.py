"""The journal of a match: a file of JSON lines, only ever appended to, and the only truth.

The first line is the Header: who plays under which settings. Every other line is a Game, in the
order in which they ended. All tables, statistics and exported files are computed from it.

A torn last line (linefile) is left out, and its game is played again. What was measured (times,
memory) stands at the end of a line, apart from the game: matches without a clock are the same up to
there, byte for byte (Game.line(measured=False)).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal

from shisan.engine import Point, Rules

from .linefile import LineFile, LineFileError, difference, whole_lines

VERSION: Final = 1
"""Of the format; a journal of another version is refused."""

FAULTS: Final = ("time", "illegal move", "crash", "start", "memory", "nonsense")
"""Reasons for which a game is lost by a fault of the program, not by its play."""

REASONS: Final = (
    *("five", "forbidden move", "board full", "no legal point"),
    *FAULTS,
    *("resigns", "agreed draw", "move limit", "few empty points", "aborted"),
)
"""Every reason for which a game ends."""

MEASURED: Final = ("times_ms", "overhead_ms", "start_ms", "memory")
"""The fields of a Game that are never the same twice."""

SCORES: Final = {"1-0": 1.0, "1/2": 0.5, "0-1": 0.0}
"""Black's points for each result."""


class JournalError(ValueError):
    """A file that is no journal, a damaged one, one of another match, or one in use."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened and did not end the game.

    ply: stones on the board then. player: index in the header. kind: "time" (the built-in engine
    plays on), "forbidden move" (not placed, asked again), "swap2" (text: what was chosen).
    """

    ply: int
    player: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Offence:
    """A line of a brain that a real manager would hold against it. managers: which, and how."""

    player: int
    line: str
    managers: str


@dataclass(frozen=True, slots=True)
class Game:
    """A game. Lists per move begin with the first move after the opening.

    number: from 1 in the order of the schedule. pair: from 1; both games of a pair play the same
    opening, with colours exchanged unless who starts is fixed or drawn. black, white: indices into
    Header.players. opening: its stones, Black first. moves: all stones in order, those included.
    times_ms: what each move took. scores: each move's value, from its mover's view, as a MESSAGE
    said; nodes: likewise; None: not said. result: Black's points first. reason: one of REASONS.
    loser_fault: the reason is one of FAULTS. detail: one line for people.
    overhead_ms: from the arrival of a move to the moment it was handled. start_ms: from the start
    of the process to the OK after START, of Black and White. memory: their peak bytes.
    """

    number: int
    pair: int
    black: int
    white: int
    opening: tuple[Point, ...]
    moves: tuple[Point, ...]
    times_ms: tuple[float, ...]
    scores: tuple[int | None, ...]
    nodes: tuple[int | None, ...]
    result: Literal["1-0", "0-1", "1/2"]
    reason: str
    loser_fault: bool
    detail: str = ""
    events: tuple[Event, ...] = ()
    offences: tuple[Offence, ...] = ()
    overhead_ms: tuple[float, ...] = ()
    start_ms: tuple[float, ...] = ()
    memory: tuple[int, ...] = ()

    @property
    def score(self) -> float:
        """Black's points: 1, 0.5 or 0."""
        return SCORES[self.result]

    @property
    def winner(self) -> int | None:
        """The winner's index into Header.players; None: a draw."""
        return {"1-0": self.black, "0-1": self.white}.get(self.result)

    def points(self, player: int) -> float:
        """A player's points: 1, 0.5 or 0; the player is one of the two."""
        return self.score if player == self.black else 1.0 - self.score

    def line(self, measured: bool = True) -> str:
        """The game's line in a journal, without its end; measured: with what clocks said."""
        record = asdict(self)
        clocks = {name: record.pop(name) for name in MEASURED}
        whole = {"game": record, "measured": clocks} if measured else {"game": record}
        return json.dumps(whole, separators=(",", ":"))

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Game":
        """The game of a parsed line. Raises KeyError, TypeError or ValueError for another."""
        known = dict(record["game"])
        known |= record.get("measured") or {}
        for name in ("opening", "moves"):
            known[name] = tuple([(int(x), int(y)) for x, y in known[name]])
        known["events"] = tuple([Event(**event) for event in known["events"]])
        known["offences"] = tuple([Offence(**offence) for offence in known["offences"]])
        for name in ("scores", "nodes", *MEASURED):
            known[name] = tuple(known.get(name, ()))
        game = cls(**known)
        if game.result not in SCORES or game.reason not in REASONS:
            raise ValueError(f"{game.result} by {game.reason} is no end of a game")
        return game


@dataclass(frozen=True, slots=True)
class Player:
    """A program in a match.

    command: the words of its command line; {seed} in one of them is a number for each game.
    sha256: of the program's files, hexadecimal. options: sent as INFO. own: conditions of its own,
    such as {"nodes": 1000}. folder: where it runs; "": where we run.
    """

    name: str
    command: tuple[str, ...]
    sha256: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """What a match is: two journals whose headers differ in more than `created` are not one match.

    settings: the conditions and the schedule, by the names of their options. openings_sha256: of
    all openings; openings: how many. kind: "match", "round robin" or "gauntlet" (the first player
    meets all others). created: ISO 8601 date and time, "" where no clock may be recorded.
    """

    seed: int
    players: tuple[Player, ...]
    rules: Rules
    settings: Mapping[str, Any]
    openings_sha256: str = ""
    openings: int = 0
    kind: Literal["match", "round robin", "gauntlet"] = "match"
    created: str = ""

    def line(self) -> str:
        """The first line of a journal, without its end."""
        return json.dumps({"shisan_match": VERSION, **asdict(self)}, separators=(",", ":"))

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Header":
        """The header of a parsed line. Raises KeyError, TypeError or ValueError for another."""
        known = dict(record)
        version = known.pop("shisan_match")
        if version != VERSION:
            raise ValueError(f"format {version} is not {VERSION}")
        known["rules"] = Rules(**known["rules"])
        players = known["players"]
        known["players"] = tuple([_player(player) for player in players])
        return cls(**known)

    def difference(self, other: "Header") -> str:
        """What makes the other header one of another match, in words; "": nothing."""
        mine, theirs = json.loads(self.line()), json.loads(other.line())
        for each in (mine, theirs):
            del each["created"]
        return difference("", mine, theirs)


def _player(record: Mapping[str, Any]) -> Player:
    return Player(**{**record, "command": tuple(record["command"])})


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their numbers; a torn last line is left out."""
    try:
        yield from whole_lines(path)
    except LineFileError as problem:
        raise JournalError(str(problem)) from None


def read_header(path: Path) -> Header:
    """The header of a journal. Raises JournalError."""
    for _, line in _lines(path):
        return _read_header(path, line)
    raise JournalError(f"{path} holds no match")


def _read_header(path: Path, line: bytes) -> Header:
    try:
        return Header.read(json.loads(line))
    except (KeyError, TypeError, ValueError) as problem:
        raise JournalError(f"{path} is no journal of a match: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    if isinstance(problem, KeyError):
        return f"no {problem.args[0]!r} in line 1"
    return str(problem).partition("\n")[0]


def read_games(path: Path) -> Iterator[Game]:
    """The games of a journal in the order of the file, one at a time. Raises JournalError."""
    numbers: set[int] = set()
    for at, line in _lines(path):
        if at == 1:
            _read_header(path, line)
            continue
        try:
            game = Game.read(json.loads(line))
        except (KeyError, TypeError, ValueError) as problem:
            raise JournalError(f"{path}, line {at} is damaged: {problem!r}") from None
        if game.number in numbers:
            raise JournalError(f"{path}, line {at}: game {game.number} stands there twice")
        numbers.add(game.number)
        yield game


def read_journal(path: Path) -> tuple[Header, list[Game]]:
    """The header, and the games in the order of the schedule. Raises JournalError."""
    return read_header(path), sorted(read_games(path), key=lambda game: game.number)


def canonical(games: Iterable[Game]) -> str:
    """The games as text without what was measured, in the order of the schedule."""
    ordered = sorted(games, key=lambda game: game.number)
    return "".join(game.line(measured=False) + "\n" for game in ordered)


class Journal:
    """A journal open for writing; one process at a time. A context manager.

    A new file gets the header; in a file that exists the header must be the same match's, and what
    follows the last whole line is cut off. Nothing of another file is ever changed.
    header: as it stands in the file. measured: whether times are written. Raises JournalError.
    """

    def __init__(self, path: Path, header: Header, *, measured: bool = True) -> None:
        self.path = path
        self.header = header
        self._measured = measured
        try:
            self._file = LineFile(path, header.line(), self._check, "no journal of a match")
        except LineFileError as problem:
            raise JournalError(str(problem)) from None

    @property
    def torn(self) -> int:
        """Bytes that were cut off."""
        return self._file.torn

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, game: Game) -> None:
        """Append a game, with one write."""
        self._file.add(game.line(self._measured))

    def sync(self) -> None:
        """Force what was written to the disk."""
        self._file.sync()

    def close(self) -> None:
        """Force it to the disk and let others write. Nothing may be added any more."""
        self._file.close()

    def _check(self, first: bytes) -> None:
        """Refuse the journal of another match."""
        there = _read_header(self.path, first)
        other = self.header.difference(there)
        if other:
            raise JournalError(f"{self.path} is the journal of another match: {other}")
        self.header = there


def field_names() -> tuple[str, ...]:
    """The fields of a Game in their order, for tables and documentation."""
    return tuple(each.name for each in fields(Game))
