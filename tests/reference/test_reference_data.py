"""The stored verdicts, on the reference and on the fast position.

The boards with all their forbidden points are thinned out here; all of them are checked by
`python -m shisan.scripts.verify rules`.
"""

import pytest

from shisan.engine import Position
from shisan.engine.reference import ReferencePosition
from shisan.scripts.checks import CHECKS, every_line, rules_records

THINNED = {
    ("forbidden points", ReferencePosition): 75,
    ("forbidden points", Position): 6,
    ("forbidden puzzles", ReferencePosition): 4,
    ("last moves", ReferencePosition): 5,
    ("last moves", Position): 2,
    ("black lines", ReferencePosition): 40,
    ("black lines", Position): 4,
}
"""One record in so many is checked."""


@pytest.mark.parametrize("kind", [ReferencePosition, Position])
@pytest.mark.parametrize("name", CHECKS)
def test_stored_verdicts(name, kind, data):
    records = rules_records(data, name)[:: THINNED.get((name, kind), 1)]
    assert records
    assert [fault for record in records for fault in CHECKS[name](kind, record)] == []


def test_how_many_verdicts_are_stored(data):
    counts = {name: len(rules_records(data, name)) for name in CHECKS}
    assert counts == {
        "forbidden points": 11838,
        "forbidden puzzles": 256,
        "last moves": 1700,
        "no legal point": 130,
        "disputed": 48,
        "black lines": 3**10,
    }


def test_every_line_is_there():
    text = every_line(6)
    assert len({text[i : i + 6] for i in range(len(text) - 5)}) == 3**6 == len(text) - 5
