"""Levels: weaker play is legal, repeatable, and weaker."""

from itertools import pairwise

import pytest

from shisan.engine import Colour, Engine, LimitError, Limits, Position, Rules
from shisan.engine.levels import MAX_STRENGTH, handicap


def game(rules: Rules, strengths: tuple[int, int], seed: int) -> Position:
    """A game between an engine of each strength, Black's first."""
    engines = [Engine(rules, 64 << 20) for _ in strengths]
    for engine, strength in zip(engines, strengths, strict=True):
        engine.vary(0, seed)
        engine.strength = strength
    position = Position(rules)
    while not position.over and position.ply < 80:
        found = engines[position.side].search(position, Limits(nodes=20_000))
        assert position.is_legal(*found.move)
        position.play(*found.move)
    return position


def test_each_step_holds_back_less() -> None:
    levels = [handicap(strength) for strength in range(MAX_STRENGTH + 1)]
    assert levels[-1] is None
    for weak, strong in pairwise(filter(None, levels)):
        assert weak.nodes < strong.nodes
        assert weak.noise >= strong.noise
        assert weak.slips >= strong.slips
    for strength in (-1, 101):
        with pytest.raises(LimitError, match=r"strength must be 0\.\.100"):
            Engine(Rules.freestyle()).strength = strength


@pytest.mark.parametrize("rules", [Rules.freestyle(), Rules.renju(), Rules.caro(13, 17)])
def test_the_stronger_wins(rules: Rules) -> None:
    """Six games a rule with colours in turn; one may be lost by chance."""
    won = 0
    for seed in range(6):
        strong = Colour(seed % 2)
        position = game(rules, (60, 5) if strong == Colour.BLACK else (5, 60), seed + 1)
        won += position.result.winner == strong
    assert won >= 5


def test_a_seed_plays_the_same_game() -> None:
    rules = Rules.freestyle()
    games = [game(rules, (10, 15), seed).stones for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


def test_fives_are_made_and_stopped_at_any_strength() -> None:
    rules = Rules.freestyle()
    own = [(x, 7, Colour.BLACK) for x in range(4)] + [(x, 3, Colour.WHITE) for x in range(4)]
    for seed in range(40):
        engine = Engine(rules)
        engine.vary(0, seed)
        engine.strength = 0
        for side, wanted in ((Colour.BLACK, (4, 7)), (Colour.WHITE, (4, 3))):
            assert engine.search(Position.set_up(rules, own, side), Limits()).move == wanted
        stop = Position.set_up(rules, [s for s in own if s[2] is Colour.BLACK], Colour.WHITE)
        assert engine.search(stop, Limits()).move == (4, 7)


def test_full_strength_is_untouched() -> None:
    rules = Rules.freestyle()
    position = Position(rules)
    position.play(7, 7)
    engine = Engine(rules)
    plain = engine.search(position, Limits(nodes=5000))
    engine.strength = 20
    assert engine.search(position, Limits(nodes=5000)).nodes <= 150
    engine.strength = MAX_STRENGTH
    assert engine.search(position, Limits(nodes=5000)).line == plain.line
