"""Swap2: the openings and the choices, and a whole Swap2 phase between two Sessions."""

import pytest
from brains import Brain, Found, Talk

from shisan.engine import Colour, Rules
from shisan.protocol import swap2


def test_openings() -> None:
    for stones in swap2.OPENINGS:
        assert len(set(stones)) == 3
        black, white, third = stones
        mirrored = tuple((y, x) for x, y in stones)
        assert (white, {black, third}) != (mirrored[1], {mirrored[0], mirrored[2]})


def test_openings_take_turns() -> None:
    rules = Rules.standard(15)
    laid = [swap2.opening(rules, number) for number in range(2 * len(swap2.OPENINGS))]
    assert len(set(laid)) == len(swap2.OPENINGS)
    assert laid[: len(swap2.OPENINGS)] == laid[len(swap2.OPENINGS) :]


@pytest.mark.parametrize("size", [5, 6, 7, 22])
def test_some_opening_fits(size: int) -> None:
    rules = Rules(size, 5 if size < 7 else size)
    assert len(swap2.opening(rules, 3).split(" ")) == 3


@pytest.mark.parametrize("count", [3, 5])
def test_choose(count: int) -> None:
    assert swap2.choose(count, Found((4, 5), value=0))[0] == "4,5"  # type: ignore[arg-type]
    assert swap2.choose(count, Found((4, 5), value=7))[0] == "4,5"  # type: ignore[arg-type]
    assert swap2.choose(count, Found((4, 5), value=-7))[0] == "SWAP"  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [30, -30])
def test_a_phase_between_two(value: int) -> None:
    """One lays, the other chooses, then both get the position and know their colour."""
    layer, chooser = Talk("START 15"), Talk("START 15")
    chooser.answer = lambda search: Found((14, 14), value=value)
    (opening,) = layer.answers("SWAP2BOARD", "DONE")
    stones = opening.split(" ")
    (answer,) = chooser.answers("SWAP2BOARD", *stones, "DONE")
    if answer == "SWAP":
        fields, us, to_move = (2, 1, 2), Colour.WHITE, layer
    else:
        stones.append(answer)
        fields, us, to_move = (1, 2, 1, 2), Colour.BLACK, layer
    lines = [f"{point},{field}" for point, field in zip(stones, fields, strict=True)]
    assert len(to_move.answers("BOARD", *lines, "DONE")) == 1
    assert to_move.searches[-1].position.side == us


def test_a_plain_advantage_is_taken() -> None:
    """Two black threes in the making against a white stone in the corner: Black is taken.

    The other way round White stays.
    """
    with Brain() as brain:
        brain.ask("START 15", "INFO rule 1", "INFO timeout_turn 300")
        answer = brain.ask("SWAP2BOARD", "7,7", "0,0", "8,8", "14,14", "7,9", "DONE")
        assert answer == "SWAP"
        answer = brain.ask("SWAP2BOARD", "0,0", "7,7", "14,14", "8,8", "0,14", "DONE")
        assert answer != "SWAP"
        brain.leave()
