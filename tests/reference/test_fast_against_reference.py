"""Position and ReferencePosition through the same random games; see checks.Walk.

The million moves are walked by `python -m shisan.scripts.verify walks`.
"""

from dataclasses import replace

import pytest

from shisan.engine import Colour, IllegalMoveError, Position, PositionError, Rules
from shisan.engine.reference import ReferencePosition
from shisan.scripts.checks import ALL_RULES, Walk, result_faults


@pytest.mark.parametrize("seed", range(12))
def test_random_walks(seed):
    tally = Walk(seed, full_every=15).run(400)
    assert tally.faults == []
    assert tally.counts["moves"] >= 400
    assert tally.counts["undone"]


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_a_small_board_to_the_end(rules):
    """Games on the smallest boards, where fives are rare and boards fill up."""
    for width, height in ((5, 5), (6, 5)):
        walk = Walk(width, full_every=6)
        small = replace(rules, width=width, height=height)
        walk.fast, walk.slow = Position(small), ReferencePosition(small)
        walk.keys = [walk.fast.key]
        while not walk.slow.over and not walk.faults:
            walk.play(*walk.choose())
            walk.compare()
        walk.compare_all()
        walk.compare_over()
        assert walk.faults == []


def test_rules_that_differ_have_different_keys():
    keys = {Position(rules).key for rules in {replace(r, foul_loses=True) for r in ALL_RULES}}
    sides = {Position(Rules(width, height)).key for width in (5, 9) for height in (5, 9)}
    assert len(keys) == 12
    assert len(sides) == 4


def test_walls_and_side_are_in_the_key():
    stones = [(2, 2, Colour.BLACK)]
    positions = [
        Position.set_up(Rules.freestyle(7), stones, Colour.WHITE),
        Position.set_up(Rules.freestyle(7), stones, Colour.BLACK),
        Position.set_up(Rules.freestyle(7), stones, Colour.WHITE, [(3, 3)]),
        Position.set_up(Rules.freestyle(7), stones, Colour.WHITE, [(3, 4)]),
    ]
    assert len({position.key for position in positions}) == 4


SET_UPS = [
    ([(5, 0, Colour.BLACK)], []),
    ([(0, -1, Colour.BLACK)], []),
    ([(1, 1, Colour.BLACK), (1, 1, Colour.WHITE)], []),
    ([(1, 1, Colour.BLACK)], [(1, 1)]),
    ([], [(5, 5)]),
]


@pytest.mark.parametrize("kind", [Position, ReferencePosition])
@pytest.mark.parametrize(("stones", "walls"), SET_UPS)
def test_set_ups_that_are_none(kind, stones, walls):
    with pytest.raises(PositionError):
        kind.set_up(Rules.freestyle(5), stones, Colour.BLACK, walls)


@pytest.mark.parametrize("kind", [Position, ReferencePosition])
def test_what_cannot_be_played_changes_nothing(kind):
    position = kind.set_up(
        replace(Rules.renju(9), foul_loses=False),
        [(x, 0, Colour.BLACK) for x in (0, 1, 2, 4, 5)],
        Colour.BLACK,
    )
    before = position.copy()
    for point in ((9, 0), (0, -1), (0, 0), (3, 0)):
        with pytest.raises(IllegalMoveError):
            position.play(*point)
        assert position == before
    with pytest.raises(PositionError):
        kind(Rules.freestyle(5)).undo()


def test_a_set_up_with_fives_of_both():
    stones = [(x, 0, Colour.WHITE) for x in range(5)] + [(x, 2, Colour.BLACK) for x in range(5)]
    loose = [(6, 6, Colour.WHITE)]
    for order in (stones, stones[::-1], stones + loose, stones[::-1] + loose):
        fast = Position.set_up(Rules.standard(7), order, Colour.WHITE)
        slow = ReferencePosition.set_up(Rules.standard(7), order, Colour.WHITE)
        assert result_faults(fast, slow) == []
        while slow.stones:
            assert fast.undo() == slow.undo()
            assert result_faults(fast, slow) == []
