"""A database held against a dictionary, whatever is done to it and whichever way it is turned."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from shisan.engine import Colour, Point, Position, Rules
from shisan.protocol.database import Entry, Store
from shisan.protocol.openings import symmetries, turned
from shisan.protocol.positionkeys import keys_for
from shisan.protocol.positionrecords import NOTHING, Bound, Record, StoreError, joined

BOARDS = (Rules.freestyle(6), Rules.renju(6), Rules.standard(7, 5), Rules.caro(17))
Form = tuple[Rules, Colour, tuple[tuple[int, int, int], ...]]

LABELS = st.sampled_from(["", "w", "l", "d", "x", "!", "~"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
RECORDS = st.builds(
    Record,
    LABELS,
    st.integers(-30_000, 30_000),
    st.integers(-8191, 8191),
    st.sampled_from(list(Bound)),
    st.none(),
    TEXTS.map(str.strip),
)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Few stones on few points, so that positions come again, turned."""
    rules = draw(st.sampled_from(BOARDS))
    points = [(0, 0), (1, 0), (0, 1), (rules.width - 1, 0), (rules.width // 2, rules.height // 2)]
    chosen = draw(st.lists(st.sampled_from(points), max_size=4, unique=True))
    colours = draw(st.lists(st.integers(0, 1), min_size=len(chosen), max_size=len(chosen)))
    side = Colour(draw(st.integers(0, 1)))
    at = draw(st.sampled_from(symmetries(rules)))
    stones = [
        (x, y, Colour(colour))
        for (x, y), colour in zip(turned(chosen, at, rules), colours, strict=True)
    ]
    return Position.set_up(rules, stones, side)


def form(position: Position) -> Form:
    """What all symmetric forms of a position share, by trying them all."""
    stones = position.stones
    points, colours = [(x, y) for x, y, _ in stones], [int(colour) for *_, colour in stones]
    forms = [
        tuple(
            sorted(
                (x, y, colour)
                for (x, y), colour in zip(turned(points, at, position.rules), colours, strict=True)
            )
        )
        for at in symmetries(position.rules)
    ]
    return position.rules, position.side, min(forms)


class Model(RuleBasedStateMachine):
    """The same done to a database and to a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "model.db"
        self.store = Store(self.path, "create")
        self.known: dict[Form, Record] = {}

    def teardown(self) -> None:
        assert self.store.check() == []
        self.store.close()
        self.folder.cleanup()

    @rule(position=positions(), record=RECORDS)
    def put(self, position: Position, record: Record) -> None:
        self.store.put(position, record)
        self.known[form(position)] = record

    @rule(position=positions())
    def delete(self, position: Position) -> None:
        assert self.store.delete(position) == (form(position) in self.known)
        self.known.pop(form(position), None)

    @rule(position=positions())
    def get(self, position: Position) -> None:
        assert self.store.get(position) == self.known.get(form(position))

    @rule(position=positions())
    def children(self, position: Position) -> None:
        rules = position.rules
        found = {}
        for y in range(rules.height):
            for x in range(rules.width):
                if position.is_empty(x, y):
                    after = Position.set_up(
                        rules, (*position.stones, (x, y, position.side)), position.side.other
                    )
                    if form(after) in self.known:
                        found[x, y] = self.known[form(after)]
        assert self.store.children(position) == found
        assert list(self.store.children(position)) == list(found)

    @rule(many=st.lists(st.tuples(positions(), RECORDS), max_size=5), join=st.booleans())
    def put_all(self, many: list[tuple[Position, Record]], join: bool) -> None:
        entries = []
        for position, record in many:
            keys = keys_for(position.rules.width, position.rules.height)
            entries.append(Entry(position.rules, keys.setup(position), record))
            old = self.known.get(form(position)) if join else None
            self.known[form(position)] = record if old is None else joined(old, record)
        self.store.put_all(entries, joined if join else None)

    @rule(position=positions(), record=RECORDS)
    def undone(self, position: Position, record: Record) -> None:
        """What is done in a transaction that fails has not been done."""
        try:
            with self.store.transaction():
                self.store.put(position, record)
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store(self.path, "write")

    @invariant()
    def same_size(self) -> None:
        assert len(self.store) == len(self.known)

    @rule()
    def everything(self) -> None:
        found = {}
        for entry in self.store.entries():
            keys = keys_for(entry.rules.width, entry.rules.height)
            found[form(keys.position(entry.rules, entry.setup))] = entry.record
        assert found == self.known
        counted = {board: count for board, count in self.store.boards() if count}
        by_rules = {rules: 0 for rules, _, _ in self.known}
        for rules, _, _ in self.known:
            by_rules[rules] += 1
        assert counted == by_rules


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


def played(*points: Point, rules: Rules | None = None) -> Position:
    position = Position(rules or Rules.renju())
    for point in points:
        position.play(*point)
    return position


def test_points_turn_with_the_position(tmp_path: Path) -> None:
    """The best move and the marks of a record, seen from all eight sides."""
    rules = Rules.freestyle()
    moves, best, marked = [(7, 7), (8, 6), (5, 10)], (3, 4), (12, 2)
    with Store(tmp_path / "a.db", "create") as store:
        store.put(played(*moves, rules=rules), Record(best=best, marks=((marked, "A"),)))
        for at in symmetries(rules):
            assert store.get(played(*turned(moves, at, rules))) is None  # other rules
            seen = store.get(played(*turned(moves, at, rules), rules=rules))
            assert seen is not None
            assert seen.best == turned([best], at, rules)[0]
            assert seen.marks == ((turned([marked], at, rules)[0], "A"),)


def test_marks_of_a_symmetric_position(tmp_path: Path) -> None:
    """On an empty board every text stands on all points that are equal; one change changes all."""
    with Store(tmp_path / "a.db", "create") as store:
        empty = played()
        store.mark(empty, (6, 7), "A")
        found = store.get(empty)
        assert found is not None
        assert found.marks == (((7, 6), "A"), ((6, 7), "A"), ((8, 7), "A"), ((7, 8), "A"))
        store.mark(empty, (7, 8), "B")
        store.mark(empty, (0, 0), "C")
        found = store.get(empty)
        assert found is not None
        assert dict(found.marks)[6, 7] == "B"
        assert len(found.marks) == 8
        store.mark(empty, (8, 7), "")
        found = store.get(empty)
        assert found is not None
        assert {text for _, text in found.marks} == {"C"}


def test_what_loses_by_a_foul_is_the_same_board(tmp_path: Path) -> None:
    """Whether a foul loses is the referee's matter."""
    casual = replace(Rules.renju(), foul_loses=False)
    with Store(tmp_path / "a.db", "create") as store:
        store.put(played((7, 7)), NOTHING)
        assert store.get(played((7, 7), rules=casual)) == NOTHING
        assert len(store.boards()) == 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("label", "ww", "a label is one printable letter or none, not 'ww'"),
        ("label", " ", "a label is one printable"),
        ("label", "é", "a label is one printable"),
        ("value", 30_001, "value must be -30000..30000, not 30001"),
        ("value", 1.5, "value must be"),
        ("value", True, "value must be"),
        ("depth", 9000, "depth must be -8191..8191, not 9000"),
        ("text", "a" * 100_001, "a text has 100001 characters, more than 100000"),
    ],
)
def test_fields_out_of_range(field: str, value: object, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        replace(NOTHING, **{field: value})


def test_joined() -> None:
    value = Record("", 20, 8, Bound.EXACT, (1, 1), "one")
    deeper = Record("", -40, 9, Bound.EXACT, None, "two", (((3, 3), "A"),))
    both = joined(value, deeper)
    assert both == Record("", -40, 9, Bound.EXACT, (1, 1), "one\ntwo", (((3, 3), "A"),))
    assert joined(deeper, value).value == -40
    won, nearer = Record("w", -29_980), Record("w", -29_990)
    assert joined(won, nearer) == joined(nearer, won) == nearer
    assert joined(deeper, won).label == joined(won, deeper).label == "w"
    assert joined(Record("x"), value) == replace(value, label="x")
    assert joined(value, value) == value
    assert joined(NOTHING, value) == joined(value, NOTHING) == value


def test_branch(tmp_path: Path) -> None:
    """What can be reached through records, each once, transpositions too."""
    first, second = [(7, 7), (8, 8), (9, 7)], [(9, 7), (8, 8), (7, 7)]
    with Store(tmp_path / "a.db", "create") as store:
        for moves in (first, second):
            for count in range(4):
                store.put(played(*moves[:count]), Record("", count))
        store.put(played((0, 0), (1, 1)), NOTHING)  # no record leads to it
        values = sorted(entry.record.value for entry in store.branch(played()))
        assert values == sorted([0, 1, 1, 2, 2, 3])
        assert [entry.record.value for entry in store.branch(played(*first))] == [3]
