"""Positions as lines of a file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import Colour, Position, Rules
from shisan.protocol.positions import LineError, read_entries, read_position

RULES = Rules.freestyle()


def read(text: str) -> list[Position | LineError]:
    return [entry.position for entry in read_entries(text.splitlines(), RULES)]


def test_moves_and_objects() -> None:
    text = """\ufeff# three times the same
h8i9

{"moves": "h8 i9"}
{"moves": [[7, 7], [8, 8]], "rule": "freestyle", "size": 15, "side": "black"}
{"black": "h8", "white": [[8, 8]], "side": "black", "source": "somewhere"}
"""
    positions = read(text)
    assert len(positions) == 4
    assert all(position == positions[0] for position in positions)


def test_names_and_numbers() -> None:
    entries = list(read_entries(["# a", "h8", '{"moves": "h8", "id": "one"}'], RULES))
    assert [(entry.number, entry.name) for entry in entries] == [(2, "2"), (3, "one")]


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        ({}, Rules.freestyle()),
        ({"rule": "renju"}, Rules.renju()),
        ({"size": [20, 15]}, Rules.freestyle(20, 15)),
        ({"size": "20x15", "rule": "caro"}, Rules.caro(20, 15)),
        ({"size": "20"}, Rules.freestyle(20)),
        ({"rule": {"black_exact": True}, "size": 9}, Rules(9, 9, black_exact=True)),
    ],
)
def test_rules(fields: dict[str, object], rules: Rules) -> None:
    assert read_position({"moves": "", **fields}, RULES).rules == rules


def test_any_stones_and_either_side() -> None:
    position = read_position({"black": "a1b1c1", "side": "white", "walls": "d1"}, RULES)
    assert position.side is Colour.WHITE
    assert position.walls == {(3, 0)}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"moves": "h8", "sied": "black"}, "field 'sied' is not known: there are id, rule"),
        ({"moves": "h8", "side": "red"}, "side must be 'black' or 'white', not 'red'"),
        ({"moves": "h8", "side": "black"}, "after the moves it is not black's turn"),
        ({"black": "h8"}, "side must be given"),
        ({"moves": "h8", "black": "a1"}, "moves and black cannot be given both"),
        ({"moves": "h8h8"}, "move 2 under freestyle: point 7,7 is occupied"),
        ({"moves": "z9"}, "moves: z9 at character 1 is outside"),
        ({"moves": [[1, 2, 3]]}, "moves: [1, 2, 3] is no [x, y]"),
        ({"moves": [[1, True]]}, "moves: [1, True] is no [x, y]"),
        ({"moves": [[99, 1]]}, "move 1 under freestyle: point 99,1 is outside"),
        ({"moves": 7}, "moves must be text or a list of [x, y], not 7"),
        ({"black": "a1", "white": "a1", "side": "black"}, "point 0,0 is given twice"),
        ({"moves": "", "rule": "chess"}, "rule must be one of freestyle, standard, renju, caro"),
        ({"moves": "", "rule": {"magic": True}}, "rule has 'magic'"),
        ({"moves": "", "rule": {"forbidden": 1}}, "rule.forbidden must be true or false, not 1"),
        ({"moves": "", "rule": {"forbidden": True}}, "forbidden moves need black_exact"),
        ({"moves": "", "size": 4}, "width must be 5..22, not 4"),
        ({"moves": "", "size": {}}, "size must be 15, [20, 15] or '20x15', not {}"),
        ({"moves": "", "size": ["a"]}, "size must be 15"),
    ],
)
def test_what_is_no_position(record: dict[str, object], message: str) -> None:
    [found] = read(json.dumps(record))
    assert isinstance(found, LineError)
    assert message in str(found)


def test_a_bad_line_spoils_no_other() -> None:
    found = read('h8\n{"moves": \nz99\n{"moves": "i9"}\n{}')
    assert [isinstance(each, LineError) for each in found] == [False, True, True, False, True]
    assert "no JSON" in str(found[1])


@given(st.text())
def test_any_text(text: str) -> None:
    for found in read(text):
        assert isinstance(found, Position | LineError)
