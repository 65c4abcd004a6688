"""Sentences about positions: true to the data, short, and always in the same order."""

import re
from random import Random

import pytest

from shisan.engine import (
    Chance,
    Colour,
    Engine,
    Illegal,
    Limits,
    Position,
    Rules,
    best_move,
    explain,
    given_away,
    why_not,
)
from shisan.protocol.facts import as_data
from shisan.protocol.notation import read_point
from shisan.protocol.words import (
    MOST,
    explain_words,
    foul_text,
    given_away_words,
    move_count,
    percent,
    result_words,
    why_not_words,
)
from shisan.scripts.claims import RULES, won_positions

LIMITS = Limits(nodes=1000)


@pytest.mark.parametrize("name", RULES)
def test_sentences_of_any_position(name: str) -> None:
    """Whole, short sentences, the same each time, about points of this board."""
    random = Random(f"{name} words")
    rules = RULES[name]
    engine = Engine(rules)
    for number, position in enumerate(won_positions(random, rules)):
        if number == 12:
            break
        said = explain(position)
        move = random.choice(position.legal_points())
        before = position.copy()
        last = before.undo()
        found = [
            explain_words(position, said),
            result_words(position, said, best_move(position, engine, LIMITS)),
            why_not_words(why_not(position, move, engine, LIMITS)),
            given_away_words(given_away(before, last, engine, LIMITS)),
        ]
        assert found[0] == explain_words(position, explain(position))
        for sentence in (each for part in found for each in part):
            assert re.fullmatch(r"[A-Za-z].*[.]", sentence), sentence
            assert len(sentence) < 170, sentence
            for point in re.findall(r"\b[a-v]\d+\b", sentence):
                read_point(point, rules.width, rules.height)
        check_urgency(found[0], said)


def check_urgency(words: list[str], said) -> None:
    """The first sentence is about a five, if there is one; defences are named in full."""
    mover, other = said.of(said.side), said.of(said.side.other)
    for side in (mover, other):
        fives = [each.point for each in side.chances if each.kind == "five"]
        if fives:
            assert words[0].startswith(side.colour.name.capitalize())
            assert "five at" in words[0]
            return
    if mover.win:
        assert f"{mover.colour.name.capitalize()} wins by fours: " in words[0]
    elif said.defence and 0 < len(said.defence.moves) <= MOST:
        (stop,) = (line for line in words if re.search(r"(stops?|may stop) it\.$", line))
        named = {read_point(word) for word in re.findall(r"\b[a-v]\d+\b", stop)}
        assert named == set(said.defence.moves)
        assert stop.startswith("Only ") == (not said.defence.fours and not said.defence.unsure)


def test_a_quiet_position() -> None:
    position = Position(Rules.renju())
    assert explain_words(position, explain(position)) == [
        "Neither side has a three, a four or a win by fours."
    ]


def test_threes_and_what_a_pass_would_cost() -> None:
    """White has an open three: after a pass an open four decides, and two points stop it."""
    stones = [(x, 7, Colour.WHITE) for x in (6, 7, 8)] + [(0, 0, Colour.BLACK)]
    position = Position.set_up(Rules.freestyle(), stones, Colour.BLACK)
    words = explain_words(position, explain(position))
    assert words == [
        "If Black passes, White wins by fours: f8.",
        "Then a five at e8 or j8 can no longer be stopped.",
        "Only f8 and j8 stop it.",
        "White could make an open four at f8 or j8.",
        "White could make a four at e8 or k8.",
        "White's three g8-h8-i8 becomes an open four at f8 or j8.",
    ]


def test_numbers_in_words() -> None:
    assert [percent(each) for each in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %", "1 %", "50 %", "99 %", "100 %",
    ]  # fmt: skip
    assert [move_count(each) for each in (1, 3, -2, -4)] == [
        "1 move", "2 moves", "1 move", "2 moves",
    ]  # fmt: skip
    overline = Illegal("overline", (tuple((x, 0) for x in range(6)),))
    assert foul_text(overline) == "overline (a1-b1-c1-d1-e1-f1)"


def test_records_as_data() -> None:
    chance = Chance((7, 7), "five", (), ())
    assert as_data(chance) == {"point": "h8", "kind": "five", "fours": [], "threes": []}
    assert as_data({(0, 1): Colour.WHITE, "x": 0.123456}) == {"a2": "white", "x": 0.1235}
    assert as_data(Illegal("overline", (((0, 0), (1, 0)),))) == {
        "kind": "overline",
        "lines": [["a1", "b1"]],
    }
