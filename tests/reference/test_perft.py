"""Sequences of legal moves, counted with the reference and kept in tests/perft."""

from pathlib import Path

import pytest

from shisan.engine import Position
from shisan.engine.reference import ReferencePosition
from shisan.scripts.checks import perft, read_perft

FILES = sorted(Path(__file__).parents[1].joinpath("perft").glob("*.txt"))


def test_the_files_are_there():
    assert len(FILES) == 9


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_fast_position_counts_the_same(path):
    for case in read_perft(path):
        position = Position.set_up(case.rules, case.stones, case.side, case.walls)
        key = position.key
        for depth, expected in enumerate(case.counts, 1):
            assert perft(position, depth) == expected, (path.stem, case, depth)
        assert position.key == key


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_reference_counts_the_same(path):
    for case in read_perft(path):
        position = ReferencePosition.set_up(case.rules, case.stones, case.side, case.walls)
        for depth, expected in enumerate(case.counts, 1):
            if expected[0] < 500:
                assert perft(position, depth) == expected, (path.stem, case, depth)
