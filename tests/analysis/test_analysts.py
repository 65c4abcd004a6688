"""What a worker says of a position, held against the engine itself and the plain reference."""

import json
from random import Random
from threading import Event, Timer
from time import monotonic
from typing import Any

import pytest
from services import OUTPUT, Answer, direct, told

from shisan.engine import PROCESS_MEMORY, Limits, Position, Rules
from shisan.engine.reference import ReferencePosition
from shisan.protocol import analysts
from shisan.protocol.notation import point_name, read_points
from shisan.protocol.queries import Defaults, Query, read_line

G7 = "h8g6f6g5f7g4h7g3g2a1"
DEFAULTS = Defaults(Rules.freestyle(), Limits(nodes=500))


def answers(**fields: Any) -> list[Answer]:
    query = read_line(json.dumps({"id": 1} | fields).encode(), DEFAULTS)
    assert isinstance(query, Query)
    found = [analysts.analyse(task) for task in query.tasks]
    for each in found:
        OUTPUT.validate({"id": 1} | each)
    return found


def answer(**fields: Any) -> Answer:
    (only,) = answers(**fields)
    return only


@pytest.mark.parametrize("name", ["freestyle", "standard", "renju", "caro"])
def test_answers_are_what_an_engine_says(name: str) -> None:
    """One worker analyses position after position; a fresh engine says the same of each."""
    rules = getattr(Rules, name)(15)
    luck = Random(name)
    for _ in range(5):
        points = luck.sample([(x, y) for x in range(5, 10) for y in range(5, 10)], 6)
        found = answer(moves=points, rule=name, lines=2, nodes=1500)
        assert found["lines"] == told(direct(tuple(points), rules, Limits(nodes=1500), 2))
        assert (found["turn"], found["side"], found["during"]) == (6, "black", False)
        assert found["rule"]["name"] == name
        assert found["nodes"] <= 1600


def test_turns_of_a_game() -> None:
    found = answers(moves="h8i9h9", analyze_turns=[3, 0, 1], depth=2)
    assert [each["turn"] for each in found] == [3, 0, 1]
    assert [each["side"] for each in found] == ["white", "black", "white"]


def test_lines_can_be_played() -> None:
    found = answer(moves=G7[:8], rule="renju", lines=4, nodes=3000)
    assert len(found["lines"]) == 4
    for line in found["lines"]:
        assert line["pv"][0] == line["move"]
        position = Position(Rules.renju())
        for x, y in read_points(G7[:8] + "".join(line["pv"])):
            position.play(x, y)


def test_what_is_forbidden() -> None:
    """As the plain reference has it, and the note that names it."""
    found = answer(moves=G7, rule="renju", include=["forbidden"])
    slow = ReferencePosition(Rules.renju())
    for x, y in read_points(G7):
        slow.play(x, y)
    wanted = {point_name(*point): kind for point, kind in slow.forbidden_points().items()}
    assert found["forbidden"] == wanted == {"g7": "double three"}
    assert found["note"].startswith("lost in 1: White wins at g7, forbidden for Black")
    assert found["lines"][0]["win_in"] == -2
    assert found["lines"][0]["win_probability"] == 0.0
    assert "forbidden" not in answer(moves=G7, rule="renju")


def test_rows_from_the_bottom() -> None:
    """The same position, and the same answer with its rows counted the other way."""
    top = answer(moves="h8 i10 c3 d5", depth=3)
    bottom = answer(moves="h8 i6 c13 d11", rows="bottom", depth=3)
    turned = [f"{name[0]}{16 - int(name[1:])}" for name in top["lines"][0]["pv"]]
    assert bottom["lines"][0]["pv"] == turned
    points = [[7, 7], [8, 9], [2, 2], [3, 4]]
    assert answer(moves=points, rows="bottom", depth=3)["lines"] == bottom["lines"]


def test_a_game_that_is_over() -> None:
    found = answer(moves="h8g7h7g6h6g5h5g4h4")
    assert found["lines"] == []
    assert found["result"] == {"winner": "black", "reason": "five"}
    assert answer(moves=f"{G7}g7", rule="renju")["result"] == {
        "winner": "white",
        "reason": "forbidden move",
    }
    rows = ["bbwwb", "wwbbw", "bbwwb", "wwbbw", "bbwwb"]
    points = {
        mark: [[x, y] for y in range(5) for x in range(5) if rows[y][x] == mark] for mark in "bw"
    }
    found = answer(size=5, black=points["b"], white=points["w"])
    assert found["result"] == {"winner": None, "reason": "board full"}


def test_allowed_and_avoided_points() -> None:
    found = answer(moves="h8g7h7g6h6g5h5g4", allow="a1 b2", lines=5)
    assert {line["move"] for line in found["lines"]} == {"a1", "b2"}
    found = answer(moves="h8g7h7g6h6g5h5g4", avoid="h4 h9")
    assert found["lines"][0]["move"] not in ("h4", "h9")
    assert answer(moves="h8g7h7g6h6g5h5g4")["lines"][0]["win_in"] == 1
    found = answer(moves="h8", allow="h8")
    assert (found["field"], found["turn"]) == ("allow", 1)
    assert found["error"] == "no empty point is among those allowed and not to be avoided"
    every = [[x, y] for y in range(15) for x in range(15)]
    assert answer(moves="", avoid=every)["field"] == "avoid"


def test_side_to_move_is_not_counted() -> None:
    assert answer(black="h8 h9", white="a1", side="white", depth=1)["side"] == "white"
    assert answer(black="h8 h9", white="a1", depth=1)["side"] == "black"


def test_kept_tables_are_used_and_emptied() -> None:
    first = answer(moves="h8i9h10", depth=5)
    again = answer(moves="h8i9h10", depth=5, keep_tables=True)
    assert again["nodes"] < first["nodes"]
    assert answer(moves="h8i9h10", depth=5)["nodes"] == first["nodes"]


def test_an_end_that_comes_early() -> None:
    """Before it begins, and in the middle of a search."""
    query = read_line(b'{"id": 1, "moves": "h8", "time_ms": 60000}', DEFAULTS)
    assert isinstance(query, Query)
    enough = Event()
    enough.set()
    found = analysts.analyse(query.tasks[0], enough=enough)
    assert (found["stopped"], found["lines"], found["side"]) == (True, [], "white")
    begun = monotonic()
    enough = analysts._ends.begin(77)
    Timer(0.3, analysts.end, [77]).start()
    found = analysts.analyse(query.tasks[0], enough=enough)
    analysts._ends.done()
    assert monotonic() - begun < 5
    assert found["stopped"]
    assert found["lines"][0]["depth"] > 1
    analysts.end(78)
    assert analysts._ends.begin(78).is_set()
    analysts._ends.done()
    analysts._ends.forget()
    assert not analysts._ends.begin(78).is_set()
    analysts._ends.done()


def test_no_memory_is_an_error() -> None:
    query = read_line(b'{"id": 1, "moves": "h8", "depth": 2}', DEFAULTS)
    assert isinstance(query, Query)
    found = analysts.analyse(query.tasks[0], memory=1 << 60)
    assert found["error"] == "there is not enough memory for the tables"
    assert "lines" in analysts.analyse(query.tasks[0])


def test_tables_are_as_large_as_the_limit_needs() -> None:
    """From 1 MiB to those of an engine that is not told, within the memory there is."""
    default = analysts.memory_for(None, None)
    assert default is None
    sizes = [analysts.memory_for(nodes, None) for nodes in (1, 16_384, 16_385, 500_000)]
    assert [(size - PROCESS_MEMORY) * 9 // 10 >> 20 for size in sizes if size] == [1, 1, 2, 32]
    assert analysts.memory_for(600_000, None) is None
    assert analysts.memory_for(100_000, PROCESS_MEMORY + 5) == PROCESS_MEMORY + 5


def test_one_worker_takes_all_kinds_of_positions() -> None:
    """Limits, rules and sizes in turns: each answer is that of a fresh engine."""
    luck = Random(4)
    for _ in range(12):
        rule = luck.choice(["freestyle", "renju", "caro"])
        size = luck.choice([11, 15])
        limits = luck.choice([{"nodes": 400}, {"nodes": 40_000}, {"depth": 3}])
        points = luck.sample([(x, y) for x in range(3, 8) for y in range(3, 8)], 5)
        found = answer(moves=points, rule=rule, size=size, **limits)
        rules = getattr(Rules, rule)(size)
        assert found["lines"] == told(direct(tuple(points), rules, Limits(**limits)))
