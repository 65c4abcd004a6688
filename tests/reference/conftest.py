"""What the reference tests share: where the data is, and positions drawn as text."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shisan.engine import Colour, Rules
from shisan.engine.reference import ReferencePosition

sys.path.insert(0, str(Path(__file__).parent))

Drawer = Callable[..., ReferencePosition]


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of stored positions."""
    return Path(__file__).parents[1] / "data"


@pytest.fixture
def drawn() -> Drawer:
    """Return what makes a reference position of a drawing: X Black, O White, # wall, . empty.

    A drawing need not fill the board: it is its upper left corner.
    """

    def draw(rules: Rules, text: str, side: Colour = Colour.BLACK) -> ReferencePosition:
        rows = [row.replace(" ", "") for row in text.strip().splitlines()]
        marks = [(x, y, mark) for y, row in enumerate(rows) for x, mark in enumerate(row)]
        stones = [(x, y, Colour("XO".index(mark))) for x, y, mark in marks if mark in "XO"]
        walls = [(x, y) for x, y, mark in marks if mark == "#"]
        return ReferencePosition.set_up(rules, stones, side, walls)

    return draw
