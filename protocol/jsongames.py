"""Games and positions as JSON objects, one a line or in a list: what programs hand to each other.

Fields, all but one of moves, black and white optional: `size` (15, "20x15" or [20, 15]) or `width`
and `height`, `rule` (a name, a sum of INFO rule, or an object of facts), `moves`, `black`, `white`,
`walls` (points as text, or a list of points as text or [x, y] from the top left), `side` (who is to
move after all moves), `players` ([Black's, White's]), `result` ("1-0", "0-1", "1/2"), `comment`,
and `id` or `name`. Other fields are kept as facts.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, cast, get_args

from shisan.engine import Colour, Point, Rules, RulesError

from .encodings import decode
from .games import (
    KNOWN_RULES,
    GameError,
    GameRecord,
    Outcome,
    Source,
    rules_named,
    rules_of_facts,
    shortened,
)
from .gametrees import PLAIN, Wanted, check_size, checked
from .movetext import read_moves
from .notation import NotationError

POINTS: Final = ("moves", "black", "white", "walls")
"""Fields that hold points."""

POSITION: Final = (*POINTS, "size", "width", "height", "rule", "side")
"""Fields that say what the position is."""

_OWN: Final = {*POSITION, "players", "result", "comment", "id", "name"}


def read_json(
    data: str | bytes, file: str = "", wanted: Wanted = PLAIN
) -> Iterator[GameRecord | GameError]:
    """The games of a file, each a record or what is wrong with it.

    One object a line, empty lines left out; or one object or a list of them over many lines.
    """
    text = decode(data, wanted.encoding) if isinstance(data, bytes) else data
    number = 0
    for line, item, parsed in _items(text):
        number += 1
        reader = ObjectReader(Source(file, "json", number, line), wanted)
        try:
            yield reader.read(item if parsed else reader.parsed(item))
        except GameError as problem:
            yield problem
    if not number:
        yield GameError(Source(file, "json", 1, 1), "no game in this file")


def _items(text: str) -> Iterator[tuple[int, Any, bool]]:
    """The line where each game begins, the game, and whether it is parsed or still a line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = enumerate(text.split("\n"), 1)
        yield from ((line, said, False) for line, said in lines if said.strip())
        return
    yield from ((1, item, True) for item in (whole if isinstance(whole, list) else [whole]))


class ObjectReader:
    """Reads one object. source: where it stands, for errors; wanted: what is wanted of the game."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self._source = source
        self._wanted = wanted

    def read(self, found: Any) -> GameRecord:
        """The record of a parsed object. Raises GameError."""
        if not isinstance(found, dict):
            raise self._error("no JSON object: it must be in { }", "", str(found))
        self._source = Source(
            self._source.file,
            "json",
            self._source.number,
            self._source.line,
            None,
            _clean(found.get("id", found.get("name", ""))),
        )
        width, height = self._size(found)
        if not any(name in found for name in ("moves", "black", "white")):
            raise self._error("there are neither moves nor stones", "moves", "")
        points = {name: self.points(found, name, width, height) for name in POINTS}
        stones = {name: [p for p in points[name] if p is not None] for name in POINTS[1:]}
        rules = self._rules(found, width, height)
        players = found.get("players", ["", ""])
        if not _is_list_of(players, str, 2):
            raise self._error("players must be two names", "players", str(players))
        result = found.get("result", "")
        if result not in get_args(Outcome):
            problem = "result must be 1-0, 0-1 or 1/2"
            raise self._error(problem, "result", str(result))
        facts = {name: found[name] for name in found if name not in _OWN}
        game = GameRecord(
            width,
            height,
            tuple(points["moves"]),
            self._first(found, len(points["moves"]), bool(stones["black"] or stones["white"])),
            tuple(stones["black"]),
            tuple(stones["white"]),
            tuple(stones["walls"]),
            rules,
            (_clean(players[0]), _clean(players[1])),
            cast(Outcome, result),
            _clean(found.get("comment", "")),
            facts=tuple(
                (_clean(name), _clean(value) if isinstance(value, str) else json.dumps(value))
                for name, value in facts.items()
            ),
            source=self._source,
        )
        return checked(game, self._wanted)

    def parsed(self, line: str) -> Any:
        """What a line says. Raises GameError."""
        try:
            return json.loads(line)
        except json.JSONDecodeError as bad:
            problem = f"no JSON: {bad.msg.removesuffix(' at')} at character {bad.pos + 1}"
            raise self._error(problem, "", line) from None
        except (ValueError, RecursionError) as bad:  # thousands of digits or brackets
            raise self._error(f"no JSON: {shortened(str(bad), 60)}", "", line) from None

    def _rules(self, found: dict[str, Any], width: int, height: int) -> Rules | None:
        said = found.get("rule")
        if isinstance(said, dict):
            try:
                return rules_of_facts(said, width, height)
            except RulesError as problem:
                raise self._error(str(problem), "rule", str(said)) from None
        rules = None if said is None else rules_named(str(said), width, height)
        if said is not None and rules is None:
            raise self._error(
                f"rule {str(said)[:24]!r} is not known: {KNOWN_RULES}", "rule", str(said)
            )
        return rules

    def _size(self, found: dict[str, Any]) -> tuple[int, int]:
        said = found.get("size")
        if "width" in found or "height" in found:
            size = self._sides(found)
        elif said is None:
            size = self._wanted.untold_size
        elif type(said) is int:
            size = (said, said)
        elif _is_list_of(said, int, 2):
            size = (said[0], said[1])
        else:
            width, _, height = str(said).lower().partition("x")
            if not (width.isdecimal() and (height or width).isdecimal() and len(str(said)) < 9):
                problem = 'size must be 15, "20x15" or [20, 15]'
                raise self._error(problem, "size", str(said))
            size = (int(width), int(height or width))
        check_size(size, self._wanted, self._source)
        return size

    def _sides(self, found: dict[str, Any]) -> tuple[int, int]:
        for name in ("width", "height"):
            said = found.get(name)
            if type(said) is not int:
                problem = f"{name} must be a number, as width and height go together"
                raise self._error(problem, name, str(said))
        if "size" in found:
            problem = "give size, or width and height"
            raise self._error(problem, "size", str(found["size"]))
        return found["width"], found["height"]

    def points(
        self, found: dict[str, Any], name: str, width: int, height: int
    ) -> list[Point | None]:
        """The points of a field, of one that is not there none; in moves None is a pass."""
        said = found.get(name, [])
        if isinstance(said, str):
            try:
                points = read_moves(said, width, height, self._wanted.rows or "top")
            except NotationError as problem:
                raise self._error(f"{name}: {problem}", name, said[problem.at :]) from None
        elif isinstance(said, list):
            points = [
                self._point(f"{name}, number {number}", name, one, width, height)
                for number, one in enumerate(said, 1)
            ]
        else:
            problem_text = f"{name} must be points as text or a list of [x, y]"
            raise self._error(problem_text, name, str(said))
        if name != "moves" and None in points:
            raise self._error(f"{name} has a pass, which is no point", name, "pass")
        return points

    def _point(self, where: str, name: str, said: Any, width: int, height: int) -> Point | None:
        if said is None or said == "pass":
            return None
        if isinstance(said, str):
            try:
                named = read_moves(said, width, height, self._wanted.rows or "top")
            except NotationError as problem:
                raise self._error(f"{where}: {problem}", name, said) from None
            if len(named) == 1:
                return named[0]
        if not _is_list_of(said, int, 2):
            raise self._error(f'{where}: [x, y] or "h8" is wanted', name, str(said))
        x, y = said
        if not (0 <= x < width and 0 <= y < height):
            size = f"{width}x{height}"
            raise self._error(f"{where} is outside the board of {size}", name, str(said))
        return x, y

    def _first(self, found: dict[str, Any], plies: int, set_up: bool) -> Colour:
        """Who makes the first move; found says who is to move after the last."""
        said = found.get("side")
        names = {"black": Colour.BLACK, "b": Colour.BLACK, "white": Colour.WHITE, "w": Colour.WHITE}
        if said is None:
            return Colour.BLACK
        side = names.get(str(said).lower())
        if side is None:
            raise self._error("side must be black or white", "side", str(said))
        first = Colour((side + plies) % 2)
        if first != Colour.BLACK and plies and not set_up:
            other = side.other.name.lower()
            problem = f"after {plies} moves {other} is to move, not {side.name.lower()}"
            raise self._error(problem, "side", str(said))
        return first

    def _error(self, problem: str, field: str, value: str) -> GameError:
        return GameError(self._source, problem, field, value)


def _clean(value: Any) -> str:
    """A value as text that can be written: JSON can spell halves of letters."""
    return str(value).encode("utf-8", "replace").decode()


def _is_list_of(value: Any, kind: type, length: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == length
        and all(type(each) is kind for each in value)
    )
