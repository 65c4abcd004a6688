"""Positions as lines of a file: moves in letters and numbers, or a JSON object.

    h8i9h10                                    Black to move first, under the rules of the command
    {"rule": "renju", "size": 15, "moves": "h8i9h10", "id": "one"}
    {"black": [[7, 7]], "white": "i9", "side": "white", "walls": "a1"}

Points are text as in notation, or lists of [x, y]. rule: a name or the facts of Rules; size: a
number, [width, height] or "WxH". What a line leaves out is as the caller says. Blank lines and
those that begin with # are passed over.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from shisan.engine import Colour, Point, Position, Rules

from .notation import read_points

RULE_NAMES: Final[Mapping[str, Callable[[int, int], Rules]]] = {
    "freestyle": Rules.freestyle,
    "standard": Rules.standard,
    "renju": Rules.renju,
    "caro": Rules.caro,
}
"""What "rule" may be, besides an object with facts."""

FIELDS: Final = ("id", "rule", "size", "moves", "black", "white", "walls", "side")
"""What an object may say of its position."""

NOTES: Final = (
    *("answers", "complete", "delaying_fours", "kind", "nodes", "note", "published_line", "pv"),
    *("quiet", "shortest", "source", "threat_pv", "title", "verified", "win_in"),
)
"""Fields of collections of puzzles, which are passed over."""

_FACTS: Final = {field.name for field in fields(Rules)} - {"width", "height"}


class LineError(ValueError):
    """A line that holds no position; the message names the field and the value."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a file. number: from 1; name: its id, or the number as text.

    position: or what is wrong with the line.
    """

    number: int
    name: str
    position: Position | LineError


def read_entries(lines: Iterable[str], rules: Rules) -> Iterator[Entry]:
    """The positions of a file's lines; a line that holds none is an entry with its error.

    rules: of lines that say nothing else.
    """
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("\ufeff")
        if not text or text.startswith("#"):
            continue
        name = str(number)
        try:
            if not text.startswith("{"):
                yield Entry(number, name, _moved(rules, _points(text, "moves", rules)))
                continue
            record = _parsed(text)
            name = str(record.get("id", name))
            yield Entry(number, name, read_position(record, rules))
        except LineError as error:
            yield Entry(number, name, error)


def read_position(record: Mapping[str, Any], rules: Rules) -> Position:
    """The position that a parsed JSON object describes. rules: where it says nothing else.

    Raises LineError.
    """
    for name in record:
        if name not in FIELDS and name not in NOTES:
            raise LineError(f"field {name!r} is not known: there are {', '.join(FIELDS)}")
    rules = _rules(record, rules)
    side = record.get("side")
    if side not in (None, "black", "white"):
        raise LineError(f"side must be 'black' or 'white', not {side!r}")
    set_up = [name for name in ("black", "white", "walls") if name in record]
    if "moves" not in record:
        if side is None:
            raise LineError("side must be given where the stones come without moves")
        return _set_up(record, rules, Colour[side.upper()])
    if set_up:
        raise LineError(f"moves and {set_up[0]} cannot be given both")
    position = _moved(rules, _points(record["moves"], "moves", rules))
    if side is not None and position.side is not Colour[side.upper()]:
        raise LineError(f"side is {side!r}, but after the moves it is not {side}'s turn")
    return position


def _parsed(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LineError(f"this is no JSON: {error}") from None
    assert isinstance(record, dict)  # it begins with a brace
    return record


def _rules(record: Mapping[str, Any], rules: Rules) -> Rules:
    width, height = _size(record.get("size"), rules)
    rule = record.get("rule")
    try:
        if rule is None:
            return replace(rules, width=width, height=height)
        if isinstance(rule, str) and rule in RULE_NAMES:
            return RULE_NAMES[rule](width, height)
        if isinstance(rule, dict):
            if wrong := [name for name in rule if name not in _FACTS]:
                raise LineError(f"rule has {wrong[0]!r}: there are {', '.join(sorted(_FACTS))}")
            if wrong := [name for name, fact in rule.items() if type(fact) is not bool]:
                raise LineError(f"rule.{wrong[0]} must be true or false, not {rule[wrong[0]]!r}")
            return Rules(width, height, **rule)
    except ValueError as error:
        raise LineError(str(error)) from None
    raise LineError(f"rule must be one of {', '.join(RULE_NAMES)} or an object, not {rule!r}")


def _size(value: object, rules: Rules) -> tuple[int, int]:
    if value is None:
        return rules.width, rules.height
    if type(value) is int:
        return value, value
    sides = value.lower().split("x") if isinstance(value, str) else value
    try:
        if isinstance(sides, list) and 1 <= len(sides) <= 2:
            return int(sides[0]), int(sides[-1])
    except (TypeError, ValueError):
        pass
    raise LineError(f"size must be 15, [20, 15] or '20x15', not {value!r}")


def _points(value: object, where: str, rules: Rules) -> list[Point]:
    """Points as text or as pairs."""
    try:
        if isinstance(value, str):
            return read_points(value, rules.width, rules.height)
        if isinstance(value, list):
            return [_pair(pair) for pair in value]
    except ValueError as error:
        raise LineError(f"{where}: {error}") from None
    raise LineError(f"{where} must be text or a list of [x, y], not {value!r}")


def _pair(pair: object) -> Point:
    if isinstance(pair, list) and len(pair) == 2 and all(type(each) is int for each in pair):
        return pair[0], pair[1]
    raise ValueError(f"{pair!r} is no [x, y]")


def _moved(rules: Rules, moves: Iterable[Point]) -> Position:
    position = Position(rules)
    for number, (x, y) in enumerate(moves, 1):
        try:
            position.play(x, y)
        except ValueError as error:
            raise LineError(f"move {number} under {rules.name}: {error}") from None
    return position


def _set_up(record: Mapping[str, Any], rules: Rules, side: Colour) -> Position:
    owned = {
        name: _points(record.get(name, ""), name, rules) for name in ("black", "white", "walls")
    }
    stones = [(x, y, colour) for colour in Colour for x, y in owned[colour.name.lower()]]
    try:
        return Position.set_up(rules, stones, side, owned["walls"])
    except ValueError as error:
        raise LineError(str(error)) from None
