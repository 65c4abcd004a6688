"""Proofs as JSON text and back; docs/proofs.md describes the format.

Reading takes nothing for granted: what is missing, unknown, twice or of another type is named with
the field it stands in. Whether the win is one is for check_proof to say.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from shisan.engine import (
    PROOF_KINDS,
    Colour,
    Point,
    Proof,
    ProofFours,
    ProofMove,
    ProofNode,
    ProofReply,
    Rules,
    RulesError,
)

from .notation import NotationError, points_text, read_point, read_points

FORMAT: Final = "shisan proof"
VERSION: Final = 1
"""Of the format; a proof of another version is refused."""

OTHERS: Final = "*"
"""Every legal reply that no other answer of the move names."""

_HEAD: Final = (
    *("format", "version", "rules", "black", "white", "walls", "side", "attacker"),
    *("kind", "plies", "nodes"),
)


class ProofError(ValueError):
    """Text that is no proof; the message names the line or the field."""


def proof_text(proof: Proof) -> str:
    """The proof as JSON, one node a line.

    The same proof always gives the same text; reading it gives an equal proof with its stones and
    replies in order of their points.
    """
    owned = {
        colour: points_text(sorted((x, y) for x, y, owner in proof.stones if owner == colour))
        for colour in Colour
    }
    head = {
        "format": FORMAT,
        "version": VERSION,
        "rules": asdict(proof.rules),
        "black": owned[Colour.BLACK],
        "white": owned[Colour.WHITE],
        "walls": points_text(sorted(proof.walls)),
        "side": proof.side.name.lower(),
        "attacker": proof.attacker.name.lower(),
        "kind": proof.kind,
        "plies": proof.plies,
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    nodes = ",\n".join(f"    {_node_text(node)}" for node in proof.nodes)
    return "{\n" + ",\n".join([*lines, f'  "nodes": [\n{nodes}\n  ]']) + "\n}\n"


def _node_text(node: ProofNode) -> str:
    if isinstance(node, ProofFours):
        return json.dumps({"fours": points_text(node.line)})
    move: dict[str, Any] = {} if node.point is None else {"move": points_text([node.point])}
    move["replies"] = [
        {"to": OTHERS if points is None else points_text(sorted(points)), "node": following}
        for points, following in node.replies
    ]
    return json.dumps(move)


def read_proof(text: str | bytes) -> Proof:
    """The proof that a text holds. Raises ProofError."""
    try:
        data = json.loads(text, object_pairs_hook=_no_name_twice)
    except ProofError:
        raise
    except json.JSONDecodeError as error:
        raise ProofError(f"line {error.lineno}, character {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ProofError(f"this is no JSON: {error}") from None
    record = _record(data, "the text", ("format",), others=True)
    if record["format"] != FORMAT:
        raise ProofError(f"format must be {FORMAT!r}, not {_short(record['format'])}")
    if record.get("version") != VERSION or isinstance(record["version"], bool):
        raise ProofError(f"version must be {VERSION}, not {_short(record.get('version'))}")
    _record(record, "the proof", _HEAD)
    rules = _rules(record["rules"])
    size = rules.width, rules.height
    stones = [
        (x, y, colour)
        for colour in Colour
        for x, y in _points(record[colour.name.lower()], colour.name.lower(), size)
    ]
    return Proof(
        rules=rules,
        stones=tuple(stones),
        side=_colour(record["side"], "side"),
        walls=tuple(_points(record["walls"], "walls", size)),
        attacker=_colour(record["attacker"], "attacker"),
        kind=_kind(record["kind"]),
        plies=_number(record["plies"], "plies"),
        nodes=tuple(_nodes(record["nodes"], size)),
    )


def _nodes(value: object, size: Point) -> Iterator[ProofNode]:
    for index, entry in enumerate(_list(value, "nodes")):
        where = f"nodes[{index}]"
        record = _record(entry, where, (), others=True)
        if "fours" in record:
            _record(entry, where, ("fours",))
            yield ProofFours(tuple(_points(record["fours"], f"{where}.fours", size)))
            continue
        _record(entry, where, ("replies",), optional=("move",))
        point = None
        if "move" in record:
            point = _point(record["move"], f"{where}.move", size)
        yield ProofMove(point, tuple(_replies(record["replies"], f"{where}.replies", size)))


def _replies(value: object, where: str, size: Point) -> Iterator[ProofReply]:
    for index, entry in enumerate(_list(value, where)):
        here = f"{where}[{index}]"
        record = _record(entry, here, ("to", "node"))
        points = None
        if record["to"] != OTHERS:
            points = tuple(_points(record["to"], f"{here}.to", size))
        yield ProofReply(points, _number(record["node"], f"{here}.node"))


# Values


def _rules(value: object) -> Rules:
    record = _record(value, "rules", tuple(field.name for field in fields(Rules)))
    for name, fact in record.items():
        if name not in ("width", "height") and type(fact) is not bool:
            raise ProofError(f"rules.{name} must be true or false, not {_short(fact)}")
    try:
        return Rules(**record)
    except RulesError as error:
        raise ProofError(f"rules: {error}") from None


def _record(
    value: object,
    where: str,
    names: Iterable[str],
    optional: Iterable[str] = (),
    others: bool = False,
) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ProofError(f"{where} must be an object, not {_short(value)}")
    wanted = tuple(names)
    for name in wanted:
        if name not in value:
            raise ProofError(f"{where} has no {name!r}")
    for name in value:
        if not others and name not in (*wanted, *optional):
            raise ProofError(f"{where} has {_short(name)}, which is not known")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProofError(f"{where} must be a list, not {_short(value)}")
    return value


def _points(value: object, where: str, size: Point) -> list[Point]:
    if not isinstance(value, str):
        raise ProofError(f"{where} must be text with points, not {_short(value)}")
    try:
        return read_points(value, *size)
    except NotationError as error:
        raise ProofError(f"{where}: {error}") from None


def _point(value: object, where: str, size: Point) -> Point:
    if not isinstance(value, str):
        raise ProofError(f"{where} must be text with a point, not {_short(value)}")
    try:
        return read_point(value, *size)
    except NotationError as error:
        raise ProofError(f"{where}: {error}") from None


def _colour(value: object, where: str) -> Colour:
    if value not in ("black", "white"):
        raise ProofError(f"{where} must be 'black' or 'white', not {_short(value)}")
    return Colour[str(value).upper()]


def _kind(value: object) -> str:
    if value not in PROOF_KINDS:
        raise ProofError(f"kind must be one of {', '.join(PROOF_KINDS)}, not {_short(value)}")
    return str(value)


def _number(value: object, where: str) -> int:
    if type(value) is not int or value < 0:
        raise ProofError(f"{where} must be a number from 0, not {_short(value)}")
    return value


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ProofError(f"{_short(name)} stands twice in one object")
    return dict(pairs)


def _short(value: object) -> str:
    text = json.dumps(value, default=repr)
    return text if len(text) <= 40 else text[:37] + "..."
