"""Queries of the service: what they mean, what is refused and how, and that the schema agrees."""

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from jsonschema import Draft202012Validator
from services import INPUT, SCHEMA

from shisan.engine import Colour, Limits, Rules
from shisan.protocol.queries import (
    ACTIONS,
    FIELDS,
    INCLUDE,
    INTEGERS,
    MAX_ID,
    Defaults,
    Order,
    Query,
    QueryError,
    Task,
    read_line,
)

DEFAULTS = Defaults(Rules.freestyle(), Limits(nodes=7), 1)
FULL = {
    "id": "all",
    "width": 20,
    "height": 12,
    "rule": {"name": "renju", "white_exact": True, "foul_loses": False},
    "moves": [[7, 7], "i9", None, "10,10"],
    "black": "a1 b2",
    "white": [[2, 2]],
    "walls": "t12",
    "side": "white",
    "rows": "top",
    "analyze_turns": [4, 0],
    "allow": "h9i10",
    "avoid": [[0, 5]],
    "time_ms": 1000,
    "nodes": 2000,
    "depth": 9,
    "lines": 3,
    "priority": -4,
    "report_every_ms": 250,
    "keep_tables": True,
    "include": ["forbidden"],
}


def read(query: Any, defaults: Defaults = DEFAULTS) -> Query:
    found = read_line(json.dumps(query).encode(), defaults)
    assert isinstance(found, Query)
    return found


def task(**fields: Any) -> Task:
    (only,) = read({"id": 1} | fields).tasks
    return only


def refused(line: bytes | dict[str, Any]) -> QueryError:
    text = line if isinstance(line, bytes) else json.dumps(line).encode()
    with pytest.raises(QueryError) as error:
        read_line(text, DEFAULTS)
    return error.value


def test_the_least_query() -> None:
    query = read({"id": "a", "moves": "h8i9"})
    assert (query.id, query.priority) == ("a", 0)
    (only,) = query.tasks
    assert only == Task(Rules.freestyle(15), ((7, 7), (8, 8)), Limits(nodes=7))
    assert only.turn == 2


def test_every_field() -> None:
    query = read(FULL)
    assert set(FULL) | {"size"} == set(FIELDS)
    assert (query.id, query.priority) == ("all", -4)
    assert [each.turn for each in query.tasks] == [4, 0]
    first = query.tasks[0]
    assert first.limits == Limits(turn_ms=1000, nodes=2000, depth=9)
    assert (first.lines, first.keep_tables, first.forbidden) == (3, True, True)
    assert (first.allow, first.avoid) == (((7, 8), (8, 9)), ((0, 5),))
    assert (first.rows, first.report_every_ms) == ("top", 250)
    assert first.rules == Rules(20, 12, True, True, True, True, False)
    assert (first.black, first.white, first.walls) == (((0, 0), (1, 1)), ((2, 2),), ((19, 11),))
    assert first.moves == ((7, 7), (8, 8), None, (10, 10))
    assert first.position().side is Colour.WHITE
    assert query.tasks[1].moves == ()
    assert query.tasks[1].position().side is Colour.WHITE


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("renju", Rules.renju()),
        ("4", Rules.renju()),
        (4, Rules.renju()),
        (9, Rules.caro(exact=True)),
        ("Renju, white exactly five", Rules(15, 15, True, True, True, True)),
        ({"closed_five": False}, Rules.caro()),
        ({}, Rules.freestyle()),
        ({"name": "standard", "white_exact": False}, Rules(black_exact=True)),
    ],
)
def test_rules(said: Any, rules: Rules) -> None:
    assert task(moves="", rule=said).rules == rules


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"size": 20}, (20, 20)),
        ({"size": "20x12"}, (20, 12)),
        ({"size": [20, 12]}, (20, 12)),
        ({"width": 20, "height": 12}, (20, 12)),
        ({}, (15, 15)),
    ],
)
def test_sizes(fields: dict[str, Any], size: tuple[int, int]) -> None:
    rules = task(moves="", **fields).rules
    assert (rules.width, rules.height) == size


def test_what_a_query_does_not_say() -> None:
    defaults = Defaults(Rules.renju(19), Limits(depth=3), 2)
    only = read({"id": 1, "moves": "s19"}, defaults).tasks[0]
    assert (only.rules, only.limits, only.lines) == (Rules.renju(19), Limits(depth=3), 2)
    only = read({"id": 1, "moves": "", "rule": 0, "nodes": 5, "size": 9}, defaults).tasks[0]
    assert (only.rules, only.limits) == (Rules.freestyle(9), Limits(nodes=5))


def test_rows_from_the_bottom() -> None:
    """Points as text and no others."""
    only = task(moves="a1", avoid=[[0, 0], "b2"], rows="bottom")
    assert only.moves == ((0, 14),)
    assert only.avoid == ((0, 0), (1, 13))


def test_nothing_and_marks() -> None:
    assert read_line(b" \t\r", DEFAULTS) is None
    assert isinstance(read_line(b'\xef\xbb\xbf{"id":1,"moves":"h8"}\r', DEFAULTS), Query)


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        (b"h8i9", "", "this is no JSON: Expecting value at character 1"),
        (b'{"id": 1', "", "this is no JSON: Expecting ',' delimiter at character 9"),
        (b'{"id": NaN}', "", "this is no JSON: NaN"),
        (b"[" * 100_000, "", "this is no JSON: "),
        (b'{"id": ' + b"9" * 5000 + b"}", "", "this is no JSON: "),
        (b'{"id": "\xff"}', "", "this is no UTF-8: byte 9 of the line"),
        (b"[1, 2]", "", 'a query is a JSON object: {"id": "1", "moves": "h8i9"}'),
        (b'{"id":1,"moves":"","id":2}', "id", "id is given twice"),
        (b'{"id":1,"moves":"","rule":{"name":"x","name":"y"}}', "name", "name is given twice"),
        (b'{"moves": "h8"}', "id", "id is missing: text or a whole number, which the answers"),
    ],
)
def test_lines_that_are_no_query(line: bytes, field: str, problem: str) -> None:
    error = refused(line)
    assert (error.field, error.id) == (field, None)
    assert str(error).startswith(problem)


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"id": None}, "id", "id must be text or a whole number, not null"),
        ({"id": 1.5}, "id", "id must be text or a whole number, not 1.5"),
        ({"id": True}, "id", "id must be text or a whole number, not true"),
        ({"id": "x" * 1001}, "id", "id must have at most 1000 characters"),
        ({"nods": 3}, "nods", "unknown field 'nods': the fields are id, moves, black, "),
        ({"players": ["a", "b"]}, "players", "unknown field 'players'"),
        ({"moves": "h8h8"}, "moves", "move 2 (h8) under freestyle: point 7,7 is occupied"),
        ({"moves": "h8 p9"}, "moves", "moves: p9 at character 4 is outside: columns are a..o"),
        ({"moves": [[7, 7], [7, 15]]}, "moves", "moves, number 2 is outside the board of 15x15"),
        ({"moves": ["h8 i9"]}, "moves", 'moves, number 1: [x, y] or "h8" is wanted'),
        ({"moves": [[7.0, 7]]}, "moves", 'moves, number 1: [x, y] or "h8" is wanted'),
        ({"moves": None}, "moves", "moves must not be null: leave it out"),
        ({"moves": 7}, "moves", "moves must be points as text or a list of [x, y]"),
        ({"moves": "h8g7h7g6h6g5h5g4h4a1"}, "moves", "move 10 (a1) under freestyle: the game is"),
        ({"black": "h8", "white": "h8"}, "stones", "set-up: point 7,7 is given twice"),
        ({"black": "pass"}, "black", "black has a pass, which is no point"),
        ({"size": 4}, "size", "sides must be 5..22, not 4x4"),
        ({"size": True}, "size", 'size must be 15, "20x15" or [20, 15]'),
        ({"width": 15}, "height", "height must be a number, as width and height go together"),
        ({"width": 15, "height": 15, "size": 15}, "size", "give size, or width and height"),
        ({"rule": "gomoku"}, "rule", "rule 'gomoku' is not known"),
        ({"rule": 2}, "rule", "rule '2' is not known"),
        ({"rule": True}, "rule", "rule 'True' is not known"),
        ({"rule": {"forbiden": True}}, "rule", "a rule has no 'forbiden': black_exact, "),
        ({"rule": {"forbidden": 1}}, "rule", "forbidden must be true or false, not 1"),
        ({"rule": {"name": 3}}, "rule", "rule '3' is not known"),
        ({"rule": {"forbidden": True}}, "rule", "forbidden moves need black_exact"),
        ({"side": "black"}, "side", "after 1 moves white is to move, not black"),
        ({"side": "b"}, "side", 'side must be black or white, not "b"'),
        ({"side": None}, "side", "side must not be null"),
        ({"rows": "middle"}, "rows", 'rows must be top or bottom, not "middle"'),
        ({"analyze_turns": [2]}, "analyze_turns", "analyze_turns must be 0..1, the number of mov"),
        ({"analyze_turns": []}, "analyze_turns", "analyze_turns must be a list of different num"),
        ({"analyze_turns": [0, 0]}, "analyze_turns", "analyze_turns must be a list of different"),
        ({"analyze_turns": [-1]}, "analyze_turns", "analyze_turns must be a list of different n"),
        ({"analyze_turns": [True]}, "analyze_turns", "analyze_turns must be a list of different"),
        ({"analyze_turns": 1}, "analyze_turns", "analyze_turns must be a list of different num"),
        ({"allow": []}, "allow", "allow names no point, not []"),
        ({"allow": "p1"}, "allow", "allow: p1 at character 1 is outside"),
        ({"avoid": None}, "avoid", "avoid must not be null"),
        ({"avoid": ["pass"]}, "avoid", "avoid has a pass, which is no point"),
        ({"time_ms": -1}, "time_ms", "time_ms must be a whole number 0..2147483647, not -1"),
        ({"nodes": 0}, "nodes", "nodes must be a whole number 1..1000000000000000, not 0"),
        ({"nodes": 1e4}, "nodes", "nodes must be a whole number 1..1000000000000000, not 10000.0"),
        ({"nodes": None}, "nodes", "nodes must be a whole number"),
        ({"depth": 126}, "depth", "depth must be a whole number 1..125, not 126"),
        ({"lines": "3"}, "lines", 'lines must be a whole number 1..484, not "3"'),
        ({"lines": True}, "lines", "lines must be a whole number 1..484, not true"),
        ({"report_every_ms": 1}, "report_every_ms", "report_every_ms must be a whole number 10.."),
        ({"priority": 2e9}, "priority", "priority must be a whole number"),
        ({"keep_tables": 1}, "keep_tables", "keep_tables must be true or false, not 1"),
        ({"include": "forbidden"}, "include", "include must be a list of forbidden, not"),
        ({"include": ["pv", []]}, "include", 'include must be a list of forbidden, not ["pv", []'),
        ({"action": "stop"}, "action", "action must be one of query_version, clear_cache, termi"),
        ({"action": ["stop"]}, "action", "action must be one of query_version"),
        ({"action": "clear_cache"}, "moves", "unknown field 'moves': the fields of clear_cache"),
    ],
)
def test_queries_that_are_refused(fields: dict[str, Any], field: str, problem: str) -> None:
    said = {"id": "q", "moves": "h8"} | fields
    error = refused(said)
    assert str(error).startswith(problem)
    assert error.field == field
    assert error.id == (None if field == "id" else "q")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"action": "terminate"}, "terminate_id"),
        ({"action": "terminate", "terminate_id": []}, "terminate_id"),
        ({"action": "terminate", "terminate_id": 1, "turns": []}, "turns"),
        ({"action": "terminate_all", "terminate_id": 1}, "terminate_id"),
        ({"action": "query_version", "turns": [1]}, "turns"),
    ],
)
def test_actions_that_are_refused(fields: dict[str, Any], field: str) -> None:
    error = refused({"id": 5} | fields)
    assert (error.field, error.id) == (field, 5)


def test_actions() -> None:
    def order(**fields: Any) -> Any:
        return read_line(json.dumps({"id": 5} | fields).encode(), DEFAULTS)

    assert order(action="query_version") == Order(5, "query_version")
    assert order(action="clear_cache") == Order(5, "clear_cache")
    assert order(action="terminate_all", turns=[3]) == Order(5, "terminate_all", None, (3,))
    assert order(action="terminate", terminate_id="a") == Order(5, "terminate", "a")


# --- the schema ----------------------------------------------------------------------------------


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_has_the_fields_that_are_read() -> None:
    known = SCHEMA["$defs"]
    query = known["query"]["properties"]
    assert set(query) == set(FIELDS)
    for name, (low, high) in INTEGERS.items():
        assert (query[name]["minimum"], query[name]["maximum"]) == (low, high), name
    assert known["id"]["anyOf"][0]["maxLength"] == MAX_ID
    assert query["include"]["items"]["enum"] == list(INCLUDE)
    actions = {
        each["properties"]["action"]["const"]: set(each["properties"]) - {"id", "action"}
        for each in known["action"]["oneOf"]
    }
    assert actions == {name: set(fields) for name, fields in ACTIONS.items()}


def every_object(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for each in schema for found in every_object(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "properties" in schema and isinstance(schema["properties"], dict) else []
    return own + [found for each in schema.values() for found in every_object(each)]


def test_the_schema_is_closed_and_described() -> None:
    """No object takes fields that it does not name, and each field is explained."""
    objects = every_object(SCHEMA["$defs"])
    assert len(objects) > 10
    for each in objects:
        assert each["additionalProperties"] is False, each
        assert set(each["required"]) <= set(each["properties"])
    for name in ("query", "answer", "error", "record", "batch"):
        for field, what in SCHEMA["$defs"][name]["properties"].items():
            assert what.get("description"), (name, field)


ANY_JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(2**70), 2**70)
    | some.floats(allow_nan=False)
    | some.text(max_size=6)
    | some.sampled_from(["h8", "a1b2", "black", "top", "renju", "terminate", "forbidden"]),
    lambda inner: (
        some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@some.composite
def mutated(draw: some.DrawFn) -> dict[str, Any]:
    """A good query or action in which a few fields are other ones."""
    whole = copy.deepcopy(FULL)
    kept = draw(some.sets(some.sampled_from(sorted(whole))))
    query = {name: whole[name] for name in whole if name in kept | {"id", "moves"}}
    if draw(some.booleans()):
        query = {"id": 1, "action": draw(some.sampled_from([*ACTIONS, "other"]))}
    names = some.sampled_from(sorted({*FIELDS, "action", "terminate_id", "turns"})) | some.text(
        max_size=5
    )
    for name in draw(some.lists(names, max_size=3)):
        query[name] = draw(ANY_JSON)
    return query


@given(mutated())
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_taken_is_what_the_schema_says(query: dict[str, Any]) -> None:
    """Whatever is sent: it is refused with an error, or it is valid by the schema."""
    try:
        read_line(json.dumps(query).encode(), DEFAULTS)
    except QueryError as error:
        assert str(error)
        return
    INPUT.validate(query)


@given(some.binary(max_size=80) | some.text(max_size=80).map(lambda text: text.encode()))
@settings(max_examples=400, deadline=None)
def test_any_bytes(line: bytes) -> None:
    try:
        assert read_line(line, DEFAULTS) is None
    except QueryError as error:
        assert str(error).isprintable()


@given(some.integers(0, 400), some.integers(0, 255))
@settings(max_examples=400, deadline=None)
def test_a_byte_that_is_another(at: int, value: int) -> None:
    line = bytearray(json.dumps(FULL).encode())
    line[at % len(line)] = value
    try:
        assert isinstance(read_line(bytes(line), DEFAULTS), Query)
    except QueryError as error:
        assert str(error)
