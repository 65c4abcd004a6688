"""What the analysis service is asked: one JSON object a line, a query or an action.

`docs/analysis.md` describes each field, `protocol/schema/analysis.json` is the schema. A position
is told as in files of games (jsongames), so that a line of such a file only lacks an id. Unknown
fields are errors: a setting that is passed over in silence would make an answer to another
question.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from shisan.engine import Colour, Limits, Point, Position, Rules

from .games import GameError, GameRecord, Source, shortened
from .gametrees import Wanted
from .jsongames import POSITION, ObjectReader
from .notation import Rows

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    "time_ms": (0, 2**31 - 1),
    "nodes": (1, 10**15),
    "depth": (1, 125),
    "lines": (1, 484),
    "priority": (-(10**6), 10**6),
    "report_every_ms": (10, 2**31 - 1),
}
"""Fields that are whole numbers, and what they may be."""

LIMITS: Final = ("time_ms", "nodes", "depth")
INCLUDE: Final = ("forbidden",)
"""What an answer can hold besides."""

MAX_ID: Final = 1000
"""Characters of an id, and digits of one that is a number."""

FIELDS: Final = (
    *("id", *POSITION, "rows", "analyze_turns", "allow", "avoid"),
    *(*INTEGERS, "keep_tables", "include"),
)
ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "query_version": (),
    "clear_cache": (),
    "terminate": ("terminate_id", "turns"),
    "terminate_all": ("turns",),
}
"""What can be done beside queries, and the fields that it takes with id and action."""

Id = str | int
"""What an answer is known by: as the query said it."""

Action = Literal["query_version", "clear_cache", "terminate", "terminate_all"]


class QueryError(ValueError):
    """A line that is no query. field: the one at fault, "" for none. id: None: unknown."""

    def __init__(self, problem: str, field: str = "", id: Id | None = None) -> None:  # noqa: A002
        super().__init__(problem)
        self.field = field
        self.id = id


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for a query that does not say it. limits: of one that gives no limit at all."""

    rules: Rules
    limits: Limits
    lines: int = 1


class Task(NamedTuple):
    """One position to analyse, in a form that is cheap to send.

    rules, black, white, walls, side: how the game begins. moves: those that have been made. allow:
    None: any point. rows: how points are written in the answer. report_every_ms: None: only when
    it is over.
    """

    rules: Rules
    moves: tuple[Point | None, ...]
    limits: Limits
    lines: int = 1
    black: tuple[Point, ...] = ()
    white: tuple[Point, ...] = ()
    walls: tuple[Point, ...] = ()
    side: Colour = Colour.BLACK
    allow: tuple[Point, ...] | None = None
    avoid: tuple[Point, ...] = ()
    rows: Rows = "top"
    keep_tables: bool = False
    forbidden: bool = False
    report_every_ms: int | None = None

    @property
    def turn(self) -> int:
        """How many moves have been made."""
        return len(self.moves)

    def position(self) -> Position:
        """The position, whose moves have been found legal."""
        game = GameRecord(
            self.rules.width,
            self.rules.height,
            self.moves,
            self.side,
            self.black,
            self.white,
            self.walls,
        )
        return game.position(self.rules)


def task_of(game: GameRecord, rules: Rules, limits: Limits, turn: int, **more: Any) -> Task:
    """A task: a game's position after so many moves of its main line. more: of Task's fields."""
    return Task(
        game.sized(rules),
        game.moves[:turn],
        limits,
        black=game.black,
        white=game.white,
        walls=game.walls,
        side=game.side,
        **more,
    )


@dataclass(frozen=True, slots=True)
class Query:
    """A line that asks for analyses: its positions in the order asked for. priority: high first."""

    id: Id
    priority: int
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """A line that wants something done. target: an id; None: all. turns: None: all of a query."""

    id: Id
    action: Action
    target: Id | None = None
    turns: tuple[int, ...] | None = None


def read_line(line: bytes, defaults: Defaults) -> Query | Order | None:
    """What a line says; None: nothing, for an empty one. Raises QueryError."""
    found = _parsed(line)
    if found is None:
        return None
    known = _id(found)
    reader = _Reader(found, known, defaults)
    return reader.order() if "action" in found else reader.query()


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as bad:
        raise QueryError(f"this is no UTF-8: byte {bad.start + 1} of the line") from None
    if not text:
        return None
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as bad:
        raise QueryError(
            f"this is no JSON: {bad.msg.removesuffix(' at')} at character {bad.pos + 1}"
        ) from None
    except QueryError:
        raise
    except (ValueError, RecursionError) as bad:  # thousands of digits or brackets
        raise QueryError(f"this is no JSON: {shortened(str(bad), 60)}") from None
    if not isinstance(found, dict):
        raise QueryError('a query is a JSON object: {"id": "1", "moves": "h8i9"}')
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object none of whose names stands there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = shortened(next(name for name in names if names.count(name) > 1))
        raise QueryError(f"{twice} is given twice", twice)
    return found


def _no_constant(name: str) -> Any:
    raise QueryError(f"this is no JSON: {name}")


def _id(found: Mapping[str, Any]) -> Id:
    if "id" not in found:
        raise QueryError("id is missing: text or a whole number, which the answers repeat", "id")
    return _checked_id(found["id"], "id", None)


def _checked_id(said: Any, field: str, known: Id | None) -> Id:
    if type(said) not in (str, int):
        raise QueryError(
            f"{field} must be text or a whole number, not {_shown(said)}", field, known
        )
    if len(str(said)) > MAX_ID:
        raise QueryError(f"{field} must have at most {MAX_ID} characters", field, known)
    return cast(Id, said)


def _shown(said: Any) -> str:
    return shortened(json.dumps(said))


class _Reader:
    """Reads one object whose id is known."""

    def __init__(self, found: dict[str, Any], known: Id, defaults: Defaults) -> None:
        self._found = found
        self._id = known
        self._defaults = defaults

    def order(self) -> Order:
        """An action."""
        action = self._found["action"]
        if not isinstance(action, str) or action not in ACTIONS:
            raise self._error("action", f"must be one of {', '.join(ACTIONS)}")
        self._only(("id", "action", *ACTIONS[action]), f" of {action}")
        target = None
        if action == "terminate":
            if "terminate_id" not in self._found:
                raise QueryError("terminate_id is missing: which query", "terminate_id", self._id)
            target = _checked_id(self._found["terminate_id"], "terminate_id", self._id)
        turns = self._whole_numbers("turns") if "turns" in self._found else None
        return Order(self._id, cast(Action, action), target, turns)

    def query(self) -> Query:
        """A query."""
        self._only(FIELDS, "")
        rows = self._one_of("rows", ("top", "bottom"), "top")
        game = self._game(cast(Rows, rows))
        numbers = {name: self._integer(name, *INTEGERS[name]) for name in INTEGERS}
        include = self._found.get("include", [])
        if not isinstance(include, list) or any(each not in INCLUDE for each in include):
            raise self._error("include", f"must be a list of {', '.join(INCLUDE)}")
        task = task_of(
            game,
            game.rules or self._defaults.rules,
            self._limits(numbers),
            len(game.moves),
            lines=numbers["lines"] or self._defaults.lines,
            allow=self._points("allow", game, cast(Rows, rows)) if "allow" in self._found else None,
            avoid=self._points("avoid", game, cast(Rows, rows)),
            rows=cast(Rows, rows),
            keep_tables=self._flag("keep_tables"),
            forbidden="forbidden" in include,
            report_every_ms=numbers["report_every_ms"],
        )
        if task.allow == ():
            raise self._error("allow", "names no point")
        turns = self._turns(len(game.moves))
        tasks = tuple(task._replace(moves=game.moves[:turn]) for turn in turns)
        return Query(self._id, numbers["priority"] or 0, tasks)

    def _only(self, known: tuple[str, ...], where: str) -> None:
        for name in self._found:
            if name not in known:
                shown = shortened(name)
                problem = f"unknown field {shown!r}: the fields{where} are {', '.join(known)}"
                raise QueryError(problem, shown, self._id)

    def _game(self, rows: Rows) -> GameRecord:
        """The game, legal under its rules."""
        said = {name: self._found[name] for name in POSITION if name in self._found}
        for name, value in said.items():
            if value is None:
                raise self._error(name, "must not be null: leave it out")
        if "side" in said:
            self._one_of("side", ("black", "white"), "black")
        default = self._defaults.rules
        size = (default.width, default.height)
        if not {"size", "width", "height"} & said.keys():
            said["size"] = list(size)
        wanted = Wanted(rules=None if "rule" in said else default, rows=rows)
        try:
            return ObjectReader(Source(), wanted).read(said)
        except GameError as bad:
            raise QueryError(bad.problem, _field(bad.field), self._id) from None

    def _points(self, name: str, game: GameRecord, rows: Rows) -> tuple[Point, ...]:
        """The points of a field that are on the board."""
        reader = ObjectReader(Source(), Wanted(rows=rows))
        if name in self._found and self._found[name] is None:
            raise self._error(name, "must not be null: leave it out")
        try:
            points = reader.points(self._found, name, game.width, game.height)
        except GameError as bad:
            raise QueryError(bad.problem, name, self._id) from None
        return tuple(point for point in points if point is not None)

    def _limits(self, numbers: Mapping[str, int | None]) -> Limits:
        """The limits that are given; if there is none, the default ones."""
        if all(numbers[name] is None for name in LIMITS):
            return self._defaults.limits
        return Limits(turn_ms=numbers["time_ms"], nodes=numbers["nodes"], depth=numbers["depth"])

    def _turns(self, plies: int) -> tuple[int, ...]:
        if "analyze_turns" not in self._found:
            return (plies,)
        turns = self._whole_numbers("analyze_turns")
        for turn in turns:
            if turn > plies:
                problem = f"analyze_turns must be 0..{plies}, the number of moves, not {turn}"
                raise QueryError(problem, "analyze_turns", self._id)
        return turns

    def _whole_numbers(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers from 0, at least one, none twice."""
        said = self._found[name]
        good = isinstance(said, list) and said and len(set(map(repr, said))) == len(said)
        if not good or any(type(each) is not int or each < 0 for each in said):
            raise self._error(name, "must be a list of different numbers from 0")
        return tuple(said)

    def _integer(self, name: str, low: int, high: int) -> int | None:
        if name not in self._found:
            return None
        said = self._found[name]
        if type(said) is not int or not low <= said <= high:
            raise self._error(name, f"must be a whole number {low}..{high}")
        return said

    def _one_of(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        said = self._found.get(name, default)
        if said not in allowed:
            raise self._error(name, f"must be {' or '.join(allowed)}")
        return cast(str, said)

    def _flag(self, name: str) -> bool:
        said = self._found.get(name, False)
        if type(said) is not bool:
            raise self._error(name, "must be true or false")
        return said

    def _error(self, name: str, problem: str) -> QueryError:
        shown = _shown(self._found[name]) if name in self._found else "nothing"
        return QueryError(f"{name} {problem}, not {shown}", name, self._id)


def _field(told: str) -> str:
    """The query's field that a GameError is about: `move 5` is one of moves."""
    return "moves" if told.startswith("move ") else "stones" if told == "set-up" else told
