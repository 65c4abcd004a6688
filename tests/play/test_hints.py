"""What hints claim, held against the reference and the proof checker, which share no code."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from played_out import found

from shisan.engine import Colour, Engine, Limits, Position, Rules
from shisan.engine.proof import check_line
from shisan.engine.reference import ReferencePosition
from shisan.protocol.hints import Hint, five_stops, hint
from shisan.protocol.notation import read_point, read_points
from shisan.protocol.records import play_all

PUZZLES = Path(__file__).parents[1] / "data" / "puzzles"
NODES = 300
EACH = 25


def puzzles(kind: str, each: int = EACH) -> Iterator[Position]:
    """Some of each rule and size."""
    for file in sorted(PUZZLES.glob(f"{kind}_*15.jsonl.gz")):
        if "long" in file.name:
            continue
        with gzip.open(file, "rt") as lines:
            for _, line in zip(range(each), lines, strict=False):
                puzzle = json.loads(line)
                rules = getattr(Rules, puzzle["rule"])(puzzle["size"])
                if "moves" in puzzle:
                    yield play_all(rules, [(x, y) for x, y in puzzle["moves"]])
                    continue
                stones = [
                    (x, y, colour)
                    for name, colour in (("black", Colour.BLACK), ("white", Colour.WHITE))
                    for x, y in puzzle[name]
                ]
                yield Position.set_up(rules, stones, Colour[puzzle["side"].upper()])


def hint_for(position: Position) -> Hint:
    return hint(position, Engine(position.rules).search(position, Limits(nodes=NODES)))


def claimed(text: str, words: str) -> list[tuple[int, int]] | None:
    """The line of fours that a text claims after these words."""
    match = re.search(rf"{words}: ((?:[a-v]\d+ ?|\([a-v]\d+\) ?)+)", text)
    return read_points(re.sub(r"[()]", " ", match[1])) if match else None


def test_wins_by_fours_survive_the_checker() -> None:
    tried = 0
    for position in puzzles("vcf"):
        said = hint_for(position)
        if position.maps(position.side)["five"] or position.maps(position.side.other)["five"]:
            continue
        line = claimed(said.text, "wins by fours, each answer forced")
        assert line is not None, said.text
        assert tuple(line) == said.line
        assert said.point == line[0]
        assert check_line(position, line), said.text
        tried += 1
    assert tried > 60


def test_none_is_claimed_where_there_is_none() -> None:
    for position in puzzles("novcf"):
        assert "wins by fours" not in hint_for(position).text


def test_threats_survive_the_checker() -> None:
    tried = 0
    for position in puzzles("defend"):
        said = hint_for(position)
        line = claimed(said.text, "threatens to win by fours")
        if line is None:
            continue
        passed = Position.set_up(position.rules, position.stones, position.side.other)
        assert check_line(passed, line), said.text
        assert position.is_legal(*said.point)
        tried += 1
    assert tried > 30


def test_stops_of_a_five_are_all_of_them() -> None:
    """Against the slow rules, every legal point tried, on each rule."""
    tried = 0
    for make in (Rules.freestyle, Rules.standard, Rules.renju, Rules.caro):
        for kind in ("vcf", "defend"):
            for position in puzzles(kind, 60):
                rules = make(position.rules.width)
                place = Position.set_up(rules, position.stones, position.side)
                their = place.side.other
                if place.over or not place.maps(their)["five"]:
                    continue
                slow = ReferencePosition.set_up(rules, place.stones, place.side)
                stops = []
                for x, y in slow.legal_points():
                    slow.play(x, y)
                    if not slow.five_points(their):
                        stops.append((x, y))
                    slow.undo()
                assert five_stops(place) == sorted(stops, key=lambda point: (point[1], point[0]))
                tried += 1
    assert tried > 20


@pytest.mark.parametrize(
    ("rules", "moves", "point", "words"),
    [
        (Rules.freestyle(), "h8g8i8c1j8e1k8g1", "l8", "l8 makes five and wins"),
        (
            Rules.freestyle(),
            "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10",
            "e7",
            "White threatens five at e7: only e7 stops it. ",
        ),
        (
            Rules.renju(),
            "h8g6f6g5f7g4h7g3g2a1",
            None,
            "White threatens five at g7; Black may not stop it at g7, which is forbidden"
            " (double three)",
        ),
        (
            Rules.freestyle(),
            "h8a1i8c1j8e15k8",
            None,
            "Black threatens five at g8, l8; no move stops it",
        ),
    ],
)
def test_words(rules: Rules, moves: str, point: str | None, words: str) -> None:
    position = play_all(rules, read_points(moves))
    said = hint_for(position)
    assert said.text.startswith(words)
    assert position.is_legal(*said.point)
    if point is not None:
        assert said.point == read_point(point)
        assert said.line[0] == said.point


def test_a_closed_five_is_stopped_from_its_end() -> None:
    """Caro: a four closed at one end is stopped in the gap, or by closing the other end."""
    moves = "e8d8f8a1g8a3h8"
    position = play_all(Rules.caro(), read_points(moves))
    assert five_stops(position) == [(8, 7), (9, 7)]
    assert "Black threatens five at i8: i8, j8 stop it; " in hint_for(position).text


def test_opinions() -> None:
    position = play_all(Rules.freestyle(), read_points("h8i9"))
    assert hint(position, found(position, "j8", 200)).text == (
        "j8. Black wins with about 73 % (depth 4)"
    )
    assert hint(position, found(position, "j8", 9000)).text.endswith("about 99 % (depth 4)")
    assert hint(position, found(position, "j8", -9000)).text.endswith("about 1 % (depth 4)")
    assert "Proven: White wins in 8 plies at most" in (
        hint(position, found(position, "j8", -29992, -8)).text
    )
