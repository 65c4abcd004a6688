"""Remembered static values: what is recalled is what was remembered last of that very position."""

from random import Random

from shisan.engine import Engine, Limits, Position, Rules
from shisan.engine.kernel import load

Values = load("values").Values
LARGEST = 10000
PLACES = 1 << 15


def test_what_is_recalled_was_remembered() -> None:
    random = Random(1)
    keys = [random.getrandbits(64) for _ in range(2000)]
    keys += [key ^ random.getrandbits(46) << 18 for key in keys]  # the same place, another key
    values, known = Values(), dict[int, tuple[int, bool]]()
    found = 0
    for _ in range(40_000):
        key = random.choice(keys)
        if random.random() < 0.5:
            known[key] = random.randint(-LARGEST, LARGEST), random.random() < 0.5
            values.remember(key, *known[key])
            assert values.recall(key) == known[key]
        else:
            recalled = values.recall(key)
            assert recalled is None or recalled == known[key]
            found += recalled is not None
    assert found > 5000


def test_extremes() -> None:
    values = Values()
    for key in (0, 1, (1 << 64) - 1, PLACES, PLACES - 1, 1 << 63):
        assert values.recall(key) is None
        for value in (-LARGEST, -1, 0, 1, LARGEST):
            for threatened in (False, True):
                values.remember(key, value, threatened)
                assert values.recall(key) == (value, threatened)
        values.forget()
        assert values.recall(key) is None


def test_values_go_with_what_made_them() -> None:
    """Varied values, then plain ones: the search after that is that of a new engine."""
    rules = Rules.freestyle(9)
    position = Position(rules)
    for x, y in ((4, 4), (5, 5), (4, 6), (3, 5)):
        position.play(x, y)
    plain = Engine(rules).search(position, Limits(depth=1))
    engine = Engine(rules)
    searcher = engine._searcher  # to clear it would forget the values too
    empty = engine.read_table(0, engine.table_size)
    searcher.set_variety(2000, 1)
    searcher.search(position, max_depth=1)  # too shallow to count in the history
    searcher.set_variety(0, 1)
    engine.write_table(0, empty)
    again = engine.search(position, Limits(depth=1))
    assert (again.value, again.move) == (plain.value, plain.move)
