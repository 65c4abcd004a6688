"""The fast class maps against brute force.

Every line of eleven points, and thousands of boards, are compared by
`python -m shisan.scripts.verify maps`.
"""

import pytest

from shisan.engine import Colour
from shisan.engine.kernel import available
from shisan.scripts.checks import (
    LINE_RULES,
    MAP_NAMES,
    board_faults,
    fold,
    line_boards,
    line_faults,
    map_faults,
    random_board,
)


@pytest.mark.parametrize("rules", LINE_RULES, ids=lambda rules: rules.name)
def test_rows(rules):
    boards = line_boards()[:: 53 if rules.closed_five else 57]
    assert [fault for rows in boards for fault in line_faults(rules, rows)] == []


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_boards(first):
    assert [fault for seed in range(first, first + 20) for fault in board_faults(seed)] == []


def test_a_wrong_map_would_be_seen():
    fast, slow = random_board(3)
    counts = slow.class_counts(Colour.BLACK)
    assert map_faults(fast, slow, Colour.BLACK, counts) == []
    name = next(name for name in MAP_NAMES if fold(counts)[name])
    counts[name].popitem()
    assert len(map_faults(fast, slow, Colour.BLACK, counts)) == len(available()) + 1
