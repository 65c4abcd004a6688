"""A review as JSON and back, so that nothing is looked at twice. `docs/report.md` has the fields.

What the moves themselves tell (who is to move, forbidden points, results) is written for programs
that read the file, but worked out afresh when it is read here; so are marks and accuracy.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any, Final, NoReturn

from shisan.engine import (
    Colour,
    IllegalMoveError,
    LimitError,
    Limits,
    Line,
    Point,
    Position,
    Rules,
    RulesError,
    win_probability,
)

from .encodings import decode
from .games import Branch, GameError, GameRecord, Moves, Source, shortened
from .gametrees import Wanted
from .jsongames import read_json
from .reviews import Course, Found, Moment, Review, Setting, courses, with_found
from .summaries import WIN

FORMAT: Final = "shisan game report"
"""What the field "format" says."""

VERSION: Final = 1
"""Of the format; a reader refuses others."""

LONGEST: Final = 600
"""Moves of a line that is read; no board has more points."""

_SIDES: Final = ("black", "white")
_LIMITS: Final = ("turn_ms", "nodes", "depth")


# --- written -------------------------------------------------------------------------------------


def write_review(review: Review) -> str:
    """The review as one JSON object, ending with a line break."""
    tallies = {side: review.tally(colour) for side, colour in zip(_SIDES, Colour, strict=True)}
    told = {
        "format": FORMAT,
        "version": VERSION,
        "engine": review.engine,
        "rules": asdict(review.rules),
        "setting": asdict(review.setting),
        "opening": review.opening,
        "game": _game(review.game),
        "summary": {side: asdict(tally) for side, tally in tallies.items()},
        "courses": [_course(review, course) for course in review.courses],
    }
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False) + "\n"


def _game(game: GameRecord) -> dict[str, Any]:
    """The game in the fields of JSON games, and what they lack."""
    source = game.source
    last = Colour((game.side + len(game.moves)) % 2)
    return {
        "size": [game.width, game.height],
        "moves": game.moves,
        "black": game.black,
        "white": game.white,
        "walls": game.walls,
        "side": _SIDES[last],
        "rules": None if game.rules is None else asdict(game.rules),
        "players": game.players,
        "result": game.result,
        "comment": game.comment,
        "comments": game.comments,
        "times_ms": game.times_ms,
        "facts": game.facts,
        "branches": [asdict(branch) for branch in game.branches],
        "source": {name: getattr(source, name) for name in ("file", "number", "name")},
    }


def _course(review: Review, course: Course) -> dict[str, Any]:
    return {
        "branch": course.branch,
        "moments": [_moment(review, moment) for moment in course.moments],
    }


def _moment(review: Review, moment: Moment) -> dict[str, Any]:
    verdict = review.verdict(moment)
    told: dict[str, Any] = {
        "ply": moment.ply,
        "side": _SIDES[moment.side],
        "move": moment.move,
        "result": None if not moment.result.over else moment.result.reason,
        "forbidden": [[*point, kind] for point, kind in moment.forbidden],
        "forced": moment.forced,
        "black_chance": _rounded(moment.black_chance),
        "verdict": None if verdict is None else asdict(verdict) | {"loss": _rounded(verdict.loss)},
    }
    found = moment.found
    if found is not None:
        told["found"] = {
            "lines": [_line(line) for line in found.lines],
            "played": None if found.played is None else _line(found.played),
            "remarks": found.remarks,
            "nodes": found.nodes,
            "time_ms": found.time_ms,
        }
    return told


def _line(line: Line) -> dict[str, Any]:
    """A line; its first move is the move, its chance for people who read the file."""
    return {
        "value": line.value,
        "win_in": line.win_in,
        "win_probability": _rounded(line.win_probability),
        "depth": line.depth,
        "moves": line.moves,
    }


def _rounded(chance: float | None) -> float | None:
    return None if chance is None else round(chance, 4)


# --- read ----------------------------------------------------------------------------------------


def is_review(data: bytes) -> bool:
    """Whether a file looks like a review, rather than like games in JSON."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b'{"format":"' + FORMAT.encode())


def read_review(data: str | bytes, file: str = "") -> Review:
    """The review that a file holds. Raises GameError, which names file, field and value."""
    return _Reader(Source(file, "json", line=1)).read(data)


class _Reader:
    """Reads one file. Each method takes the path of what it reads, for errors."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, data: str | bytes) -> Review:
        """The review. Raises GameError."""
        try:
            told = json.loads(decode(data) if isinstance(data, bytes) else data)
        except (ValueError, RecursionError) as bad:
            raise GameError(self._source, f"no JSON: {shortened(str(bad), 60)}") from None
        if self._take(told, "format", str) != FORMAT:
            self._fail("format", told["format"], f'must be "{FORMAT}"')
        if self._take(told, "version", int) != VERSION:
            self._fail("version", told["version"], f"must be {VERSION}: made by another Shisan")
        rules = self._rules(self._take(told, "rules", dict), "rules")
        game = self._game(self._take(told, "game", dict))
        if (game.width, game.height) != (rules.width, rules.height):
            self._fail("rules.width", rules.width, f"the game's board is {game.width}")
        listed = self._take(told, "courses", list)
        numbers = [self._take(one, "branch", int, f"courses[{n}]") for n, one in enumerate(listed)]
        if numbers[:1] != [0] or numbers != sorted(set(numbers)):
            self._fail("courses", numbers, "must begin with branch 0, then others in order")
        bare = courses(replace(game, source=self._source), rules, numbers[1:])
        if [course.branch for course in bare] != numbers:
            self._fail("courses", numbers, "must have the lines that its branches leave")
        opening = self._take(told, "opening", int)
        if opening < 0:
            self._fail("opening", opening, "must be 0 or more")
        return Review(
            game,
            rules,
            self._setting(self._take(told, "setting", dict)),
            opening,
            tuple(
                self._course(course, one, f"courses[{number}]", game, rules)
                for number, (course, one) in enumerate(zip(bare, listed, strict=True))
            ),
            self._take(told, "engine", str),
        )

    def _setting(self, told: Any) -> Setting:
        limits = {name: self._maybe(told, name, int, "setting") for name in _LIMITS}
        try:
            Limits(**limits)
        except LimitError as bad:
            self._fail("setting", told, str(bad))
        return Setting(**limits, lines=self._natural(told, "lines", "setting"))

    def _rules(self, told: Any, path: str) -> Rules:
        names = {field.name for field in fields(Rules)}
        if set(told) != names:
            self._fail(path, sorted(told), f"must have {', '.join(sorted(names))}")
        for name, value in told.items():
            if name not in ("width", "height") and type(value) is not bool:
                self._fail(f"{path}.{name}", value, "must be true or false")
        try:
            return Rules(**told)
        except RulesError as bad:
            self._fail(path, told, str(bad))

    # --- the game ---

    def _game(self, told: dict[str, Any]) -> GameRecord:
        own = ("rules", "comments", "times_ms", "facts", "branches", "source")
        plain = {name: value for name, value in told.items() if name not in own}
        game = next(read_json(json.dumps(plain), self._source.file, Wanted(legal=False)))
        if isinstance(game, GameError):
            problem = f"game: {game.problem}"
            raise GameError(self._source, problem, f"game.{game.field}", game.value)
        if game.facts:
            self._fail(f"game.{game.facts[0][0]}", game.facts[0][1], "is not known")
        facts = self._take(told, "facts", list, "game")
        where = self._take(told, "source", dict, "game")
        said = self._maybe(told, "rules", dict, "game")
        moves = len(game.moves)
        branches: list[Branch] = []
        for each in self._take(told, "branches", list, "game"):
            branches.append(self._branch(each, game, branches))
        source = Source(
            self._take(where, "file", str, "game.source"),
            "json",
            self._natural(where, "number", "game.source"),
            name=self._take(where, "name", str, "game.source"),
        )
        return replace(
            game,
            rules=None if said is None else self._rules(said, "game.rules"),
            comments=self._texts(told, "comments", moves),
            times_ms=self._times(told, moves),
            facts=tuple(self._pair(fact, n) for n, fact in enumerate(facts)),
            branches=tuple(branches),
            source=source,
        )

    def _branch(self, told: Any, game: GameRecord, earlier: Sequence[Branch]) -> Branch:
        path = f"game.branches[{len(earlier)}]"
        parent = self._take(told, "parent", int, path)
        ply = self._take(told, "ply", int, path)
        if not 0 <= parent <= len(earlier):
            self._fail(f"{path}.parent", parent, f"must be 0..{len(earlier)}")
        length = len(replace(game, branches=tuple(earlier)).line(parent))
        if not 0 <= ply <= length:
            self._fail(f"{path}.ply", ply, f"must be 0..{length}")
        moves = self._moves(told, path, game.width, game.height)
        return Branch(parent, ply, moves, self._texts(told, "comments", len(moves), path))

    def _times(self, told: Any, count: int) -> tuple[int | None, ...]:
        times = self._take(told, "times_ms", list, "game")
        if len(times) not in (0, count) or not all(t is None or type(t) is int for t in times):
            self._fail("game.times_ms", times, f"must be none or {count} numbers")
        return tuple(times)

    def _texts(self, told: Any, name: str, count: int, path: str = "game") -> tuple[str, ...]:
        texts = self._take(told, name, list, path)
        if len(texts) not in (0, count) or not all(isinstance(text, str) for text in texts):
            self._fail(f"{path}.{name}", texts, f"must be none or {count} texts")
        return tuple(texts)

    def _pair(self, told: Any, number: int) -> tuple[str, str]:
        if not isinstance(told, list) or [type(part) for part in told] != [str, str]:
            self._fail(f"game.facts[{number}]", told, "must be two texts")
        return told[0], told[1]

    # --- what was found ---

    def _course(
        self, course: Course, told: Any, path: str, game: GameRecord, rules: Rules
    ) -> Course:
        listed = self._take(told, "moments", list, path)
        if len(listed) != len(course.moments):
            self._fail(f"{path}.moments", len(listed), f"must be {len(course.moments)}")
        found: list[Found | None] = []
        for at, (moment, one) in enumerate(zip(course.moments, listed, strict=True)):
            where = f"{path}.moments[{at}]"
            said = self._maybe(one, "found", dict, where)
            if said is not None and moment.result.over:
                self._fail(f"{where}.found", said, "must be absent: the game is over there")
            if said is None:
                found.append(None)
                continue
            position = game.position(rules, moment.ply, course.branch)
            found.append(self._found(moment, said, f"{where}.found", position))
        return with_found(course, found)

    def _found(self, moment: Moment, told: dict[str, Any], path: str, position: Position) -> Found:
        lines = [
            self._line(one, f"{path}.lines[{number}]", position)
            for number, one in enumerate(self._take(told, "lines", list, path))
        ]
        if not lines:
            self._fail(f"{path}.lines", [], "must have one line at least")
        said = self._maybe(told, "played", dict, path)
        played = None if said is None else self._line(said, f"{path}.played", position)
        if (played.move if played else None) != moment.move:
            self._fail(f"{path}.played", said, "must begin with the move that was played")
        return Found(
            tuple(lines),
            played,
            self._texts(told, "remarks", len(self._take(told, "remarks", list, path)), path),
            self._natural(told, "nodes", path, 0),
            self._natural(told, "time_ms", path, 0),
        )

    def _line(self, told: Any, path: str, position: Position) -> Line:
        rules, board = position.rules, position.copy()
        value = self._take(told, "value", int, path)
        win_in = self._maybe(told, "win_in", int, path)
        depth = self._natural(told, "depth", path, 0)
        moves = self._moves(told, path, rules.width, rules.height)
        points = tuple(move for move in moves if move is not None)
        if not points or len(points) != len(moves) or len(moves) > LONGEST:
            self._fail(f"{path}.moves", told["moves"], "must be points, one at least")
        if win_in is not None and abs(value) != WIN - abs(win_in):
            self._fail(f"{path}.win_in", win_in, f"does not fit the value {value}")
        if not -WIN < value < WIN:
            self._fail(f"{path}.value", value, f"must be within {WIN}")
        for number, point in enumerate(points):
            try:
                board.play(*point)
            except IllegalMoveError as bad:
                self._fail(f"{path}.moves[{number}]", told["moves"][number], f"is illegal: {bad}")
        return Line(points[0], value, win_probability(value), win_in, depth, points)

    # --- parts ---

    def _moves(self, told: Any, path: str, width: int, height: int) -> Moves:
        return tuple(
            None if one is None else self._point(one, f"{path}.moves[{number}]", width, height)
            for number, one in enumerate(self._take(told, "moves", list, path))
        )

    def _point(self, told: Any, path: str, width: int, height: int) -> Point:
        if not isinstance(told, list) or [type(part) for part in told] != [int, int]:
            self._fail(path, told, "must be [x, y]")
        x, y = told
        if not (0 <= x < width and 0 <= y < height):
            self._fail(path, told, f"is outside the board of {width}x{height}")
        return x, y

    def _natural(self, told: Any, name: str, path: str, least: int = 1) -> int:
        value: int = self._take(told, name, int, path)
        if value < least:
            self._fail(f"{path}.{name}", value, f"must be {least} or more")
        return value

    def _maybe(self, told: Any, name: str, kind: type, path: str) -> Any:
        """A field that may be null or absent."""
        if isinstance(told, dict) and told.get(name) is None:
            return None
        return self._take(told, name, kind, path)

    def _take(self, told: Any, name: str, kind: type, path: str = "") -> Any:
        """A field that must be there and of this type; bool is no int."""
        whole = f"{path}.{name}" if path else name
        if not isinstance(told, dict):
            self._fail(path or "the file", told, "must be an object in { }")
        if name not in told:
            self._fail(whole, "", "is missing")
        if type(told[name]) is not kind:
            words = {str: "a text", int: "a whole number", list: "a list", dict: "an object in { }"}
            self._fail(whole, told[name], f"must be {words[kind]}")
        return told[name]

    def _fail(self, field: str, value: Any, problem: str) -> NoReturn:
        shown = value if isinstance(value, str) else json.dumps(value)
        said = f", not {shortened(shown)}" if problem.startswith("must") and shown else ""
        raise GameError(self._source, f"{field} {problem}{said}", field, shown)
