"""Databases as RenLib libraries: held against the reader of games, and read back."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisan.engine import Colour, Point, Position, Rules
from shisan.protocol.database import Entry, Store
from shisan.protocol.databasefiles import read_text
from shisan.protocol.databaselibraries import export_library, import_library, shown_label
from shisan.protocol.games import GameRecord
from shisan.protocol.positionkeys import keys_for
from shisan.protocol.positionrecords import NOTHING, Bound, Record, StoreError
from shisan.protocol.renlib import Node, read_nodes, read_renlib, write_nodes

RULES = Rules.renju()
KEYS = keys_for(15, 15)
POINTS = st.tuples(st.integers(0, 14), st.integers(0, 14))
SAID = st.binary(max_size=5).map(lambda said: said.replace(b"\0", b"1"))
Tree = dict[Point, "Tree"]  # type: ignore[misc]
TREES = st.recursive(
    st.just({}), lambda below: st.dictionaries(POINTS, below, max_size=3), max_leaves=20
)


def nodes_of(tree: Tree, draw: st.DataObject, depth: int = 0) -> list[Node]:
    found = []
    for point, below in tree.items():
        kind = "move"
        if not below and draw.draw(st.booleans()):
            kind = "text only"
        node = Node(0, depth, point, kind, draw.draw(SAID), draw.draw(SAID))  # type: ignore[arg-type]
        found += [node, *nodes_of(below, draw, depth + 1)]
    return found


@settings(deadline=None)
@given(TREES, st.data())
def test_nodes_are_read_as_they_were_written(tree: Tree, data: st.DataObject) -> None:
    nodes = [Node(0, 0, None, "root", data.draw(SAID), b""), *nodes_of(tree, data)]
    read = read_nodes(write_nodes(nodes))
    assert [node._replace(offset=0) for node in read] == nodes


def played(*points: Point, rules: Rules = RULES) -> Position:
    position = Position(rules)
    for point in points:
        position.play(*point)
    return position


def entries(store: Store) -> dict[bytes, Record]:
    return {KEYS.place(entry.setup).key: entry.record for entry in store.entries()}


def test_a_library_for_people(tmp_path: Path) -> None:
    """What the reader of games, and so RenLib, finds in it."""
    with Store(tmp_path / "a.db", "create") as store:
        store.put(played(), Record(text="the\nbeginning"))
        store.put(played((7, 7)), Record("", 20, 8, Bound.EXACT, (8, 6), "", (((3, 3), "X"),)))
        store.put(played((7, 7), (8, 6)), Record("w", -29_989, 4, Bound.EXACT, text="wins"))
        store.mark(played((7, 7)), (8, 6), "A")
        store.put(played((7, 7), (8, 7)), NOTHING)
        store.put(played((0, 0)), NOTHING)  # another branch
        assert export_library(store, tmp_path / "a.lib", played()) == 5
    (game,) = read_renlib((tmp_path / "a.lib").read_bytes())
    assert isinstance(game, GameRecord)
    assert game.comment == "the\nbeginning"
    lines = {game.line(at): game.line_comments(at) for at in range(len(game.branches) + 1)}
    assert lines == {  # of moves that are equal the first by row and column
        ((0, 0),): ("",),
        ((7, 7), (7, 6)): (CENTRE, ""),
        ((7, 7), (6, 6)): (
            CENTRE,
            "text: A\nwins\n[shisan: label w, value -29989, depth 4, bound exact]",
        ),
    }


CENTRE = (
    "text: 47%\n[shisan: value 20, depth 8, bound exact, best g7]\n"
    "text at d4: X\ntext at l4: X\ntext at d12: X\ntext at l12: X"
)


READ_BY_RAPFI = Path(__file__).resolve().parents[1] / "data" / "database" / "library.csv"


def test_rapfi_reads_it(tmp_path: Path) -> None:
    """The library that Rapfi was given, and the text that it wrote of it: positions and labels."""
    with Store(tmp_path / "a.db", "create") as store:
        store.put(played((7, 7)), Record("", 20, 8, Bound.EXACT, None, "mid\nline two"))
        store.put(played((7, 7), (8, 5)), Record("w", -29_989, 4, Bound.EXACT, text="wins"))
        store.put(played((7, 7), (8, 5), (10, 2)), Record("l"))
        store.put(played((7, 7), (9, 9)), NOTHING)
        store.mark(played((7, 7), (9, 9)), (12, 3), "Q")
        ours = {key: record.label for key, record in entries(store).items()}
        export_library(store, tmp_path / "a.lib", played())
    theirs = {}
    for entry in read_text(READ_BY_RAPFI):
        assert isinstance(entry, Entry)
        theirs[KEYS.place(entry.setup).key] = entry.record.label
    assert ours.items() <= theirs.items()
    assert len(theirs) == len(ours) + 2  # the empty board, and the point of a text as a move
    with Store(tmp_path / "b.db", "create") as store:  # read and written again, it is the same
        import_library(store, tmp_path / "a.lib", RULES)
        export_library(store, tmp_path / "b.lib", played())
    assert (tmp_path / "b.lib").read_bytes() == (tmp_path / "a.lib").read_bytes()


RECORDS = st.builds(
    Record,
    st.sampled_from(["", "w", "l", "d", "!", ","]),
    st.integers(-30_000, 30_000),
    st.integers(0, 200),
    st.sampled_from(list(Bound)),
    st.none() | POINTS,
    st.text("abé五 \n[]:,", max_size=8),
    st.dictionaries(POINTS, st.sampled_from(["A", "W", "w5", "五"]), max_size=2).map(
        lambda marks: tuple(marks.items())
    ),
)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(POINTS, min_size=1, max_size=4, unique=True), max_size=5), st.data())
def test_round_trip(lines: list[list[Point]], data: st.DataObject) -> None:
    """What can be reached from the empty board is the same after a library in between."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        with Store(place / "a.db", "create") as store:
            for line in lines:
                for count in range(len(line) + 1):
                    store.put(played(*line[:count]), data.draw(RECORDS))
            before = entries(store)
            export_library(store, place / "a.lib", played())
        with Store(place / "b.db", "create") as store:
            import_library(store, place / "a.lib", RULES)
            after = entries(store)
        root = KEYS.place(KEYS.setup(played())).key
        assert after == before or (after.pop(root) == NOTHING and after == before)


def test_from_a_position(tmp_path: Path) -> None:
    """The moves before come first, with what is known of them."""
    with Store(tmp_path / "a.db", "create") as store:
        store.put(played((7, 7)), Record("l", text="bad"))
        store.put(played((7, 7), (7, 6), (8, 6)), Record("", 5, 3, Bound.EXACT))
        store.put(played((0, 0)), NOTHING)
        export_library(store, tmp_path / "a.lib", played((7, 7), (7, 6)))
    with Store(tmp_path / "b.db", "create") as store:
        import_library(store, tmp_path / "a.lib", RULES)
        assert len(store) == 4  # the empty board and the three after it
        assert store.get(played((7, 7))) == Record("l", text="bad")
        assert store.get(played((7, 7), (7, 6), (8, 6))) == Record("", 5, 3, Bound.EXACT)


def test_a_library_of_somebody_else(tmp_path: Path) -> None:
    """W and L judge, other texts are marks; comments are texts; a taken point ends a branch."""
    nodes = [
        Node(0, 0, None, "root", b"", b""),
        Node(0, 0, (7, 7), "move", b"centre\bsecond\r\nthird", b""),
        Node(0, 1, (8, 6), "move", b"", b"W12"),
        Node(0, 1, (8, 7), "move", "五".encode("gbk"), b"L*"),
        Node(0, 1, (9, 9), "move", b"", b"Weak"),
        Node(0, 2, (7, 7), "move", b"", b""),
        Node(0, 3, (1, 1), "move", b"", b""),
        Node(0, 1, (3, 3), "text only", b"", b"B"),
    ]
    path = tmp_path / "a.lib"
    path.write_bytes(write_nodes(nodes))
    faults: list[StoreError] = []
    with Store(tmp_path / "a.db", "create") as store:
        import_library(store, path, RULES, on_fault=faults.append)
        assert len(store) == 5
        first = store.get(played((7, 7)))
        assert first is not None
        assert first.text == "centre\nsecond\nthird"
        assert {text for _, text in first.marks} == {"W12", "L*", "Weak", "B"}
        labels = {point: child.label for point, child in store.children(played((7, 7))).items()}
        assert (labels[8, 6], labels[8, 7], labels[9, 9]) == ("w", "l", "")
        second = store.get(played((7, 7), (8, 7)))
        assert second is not None
        assert second.text == "五"
    (fault,) = faults
    assert str(fault).endswith("h8 is occupied")


def test_what_cannot_be_a_library(tmp_path: Path) -> None:
    path = tmp_path / "a.lib"
    with Store(tmp_path / "a.db", "create") as store:
        with pytest.raises(StoreError, match="a library is of 15x15, not 20x20"):
            export_library(store, path, Position(Rules.renju(20)))
        with pytest.raises(StoreError, match="a library is of 15x15, not 20x20"):
            import_library(store, path, Rules.renju(20))
        odd = Position.set_up(RULES, [(7, 7, Colour.WHITE)], Colour.BLACK)
        with pytest.raises(StoreError, match="a library begins with moves in turn"):
            export_library(store, path, odd)
        with pytest.raises(StoreError, match="cannot read"):
            import_library(store, path, RULES)
        path.write_bytes(b"no library")
        with pytest.raises(StoreError, match="no RenLib library"):
            import_library(store, path, RULES)
        with pytest.raises(StoreError, match="is something else and is not replaced"):
            export_library(store, path, played())
        assert len(store) == 0


def test_transpositions_end(tmp_path: Path) -> None:
    """Every position has its branches once, however many orders of moves lead to it."""
    points = [(7, 7), (3, 2), (9, 11), (5, 5), (12, 4), (1, 8)]
    with Store(tmp_path / "a.db", "create") as store:
        written = 0
        for black in range(8):
            for white in range(8):
                chosen = [points[2 * at] for at in range(3) if black >> at & 1]
                others = [points[2 * at + 1] for at in range(3) if white >> at & 1]
                if len(chosen) - len(others) in (0, 1):
                    stones = [(*point, Colour.BLACK) for point in chosen]
                    stones += [(*point, Colour.WHITE) for point in others]
                    side = Colour(len(stones) % 2)
                    store.put(Position.set_up(RULES, stones, side), Record("", written))
                    written += 1
        before = entries(store)
        assert export_library(store, tmp_path / "a.lib", played()) < 6 * written
    with Store(tmp_path / "b.db", "create") as store:
        import_library(store, tmp_path / "a.lib", RULES)
        assert entries(store) == before


def test_labels() -> None:
    assert shown_label(NOTHING) == ""
    assert shown_label(Record("w", 29_990)) == "w*"  # the value is the other side's win
    assert shown_label(Record("l", 29_999)) == "l2"
    assert shown_label(Record("", 29_000, 1, Bound.EXACT)) == "0%"
    assert shown_label(Record("", -28_000, 1, Bound.EXACT)) == "99%"
