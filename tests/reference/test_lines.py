"""Fives and fours read off the lines through one stone, against the slow row loops."""

import pytest

from shisan.engine import Colour, Position, Rules
from shisan.engine.kernel import available, load
from shisan.scripts.checks import random_board


def fives_of(position: Position, colour: Colour) -> list[tuple[int, int]]:
    """Where a colour makes a five, in row order."""
    return sorted(position.maps(colour, portable=True)["five"], key=lambda point: point[::-1])


def without_five(board: Position, colour: Colour) -> Position:
    """The board with every other stone taken off, until this colour has no five to make."""
    while fives_of(board, colour):
        board = Position.set_up(board.rules, board.stones[::2], colour, board.walls)
    return board


@pytest.mark.parametrize("cpu", available())
@pytest.mark.parametrize("seed", range(40))
def test_random_boards(seed: int, cpu: str) -> None:
    kernel, fives_after = load("position", cpu).Position, load("lines", cpu).fives_after
    for colour in Colour:
        board = without_five(random_board(seed)[0], colour)
        before = kernel.set_up(board.rules, board.stones, colour, board.walls)
        found, wanted = {}, {}
        for x, y in before.legal_points():
            stones = (*board.stones, (x, y, colour))
            fives = fives_of(Position.set_up(board.rules, stones, colour, board.walls), colour)
            wanted[x, y] = (len(fives), fives[0] if fives else None)
            found[x, y] = fives_after(before, colour, x, y)
        assert found == wanted


def fours_of(board: Position, stones: tuple[tuple[int, int, Colour], ...], colour: Colour) -> set:
    """Where a colour makes a four with these stones on the board."""
    position = Position.set_up(board.rules, stones, colour, board.walls)
    return set(position.maps(colour, portable=True)["four"])


@pytest.mark.parametrize("cpu", available())
@pytest.mark.parametrize("seed", range(40))
def test_fours_of_random_boards(seed: int, cpu: str) -> None:
    kernel, fours_after = load("position", cpu).Position, load("lines", cpu).fours_after
    board = random_board(seed)[0]
    rules = board.rules
    for colour in Colour:
        fast = kernel.set_up(rules, board.stones, colour, board.walls)
        before = fours_of(board, board.stones, colour)
        for x, y in sorted(fast.legal_points())[::5]:
            after = fours_of(board, (*board.stones, (x, y, colour)), colour)
            found = fours_after(fast, colour, x, y)
            assert after <= before | found
            if not rules.exact(colour) and rules.closed_five:
                assert found <= after


def test_a_stone_makes_fours_with_two_on_its_lines() -> None:
    rules = Rules.freestyle()
    stones = [(7, 7, Colour.BLACK), (8, 8, Colour.BLACK), (9, 6, Colour.WHITE)]
    position = Position.set_up(rules, stones, Colour.BLACK)
    fours_after = load("lines").fours_after
    assert fours_after(position, Colour.BLACK, 9, 9) == {
        (5, 5), (6, 6), (10, 10), (11, 11)
    }  # fmt: skip
    assert fours_after(position, Colour.BLACK, 11, 11) == {(9, 9), (10, 10)}
    assert fours_after(position, Colour.BLACK, 12, 12) == set()


def test_the_boards_have_fours_of_every_kind() -> None:
    counts = {
        load("lines").fives_after(board, colour, x, y)[0]
        for seed in range(40)
        for colour in Colour
        for board in [without_five(random_board(seed)[0], colour)]
        for x, y in board.legal_points()
    }
    assert counts >= {0, 1, 2}
