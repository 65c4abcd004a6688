"""Databases as text: what is written is read again, and what Rapfi writes is read too."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisan.engine import Colour, Position, Rules
from shisan.protocol.database import Entry, Store
from shisan.protocol.databasefiles import (
    HEADER,
    entry_of,
    export_positions,
    export_text,
    import_text,
    line_of,
    read_text,
)
from shisan.protocol.gamefiles import read_games
from shisan.protocol.games import GameRecord
from shisan.protocol.gametrees import Wanted
from shisan.protocol.positionkeys import cells_of, keys_for
from shisan.protocol.positionrecords import NOTHING, Bound, Record, StoreError

RAPFI = Path(__file__).resolve().parents[1] / "data" / "database" / "rapfi.csv"
RULES = (
    Rules.renju(),
    Rules.freestyle(20),
    Rules.caro(22, 17),
    Rules(black_exact=True, white_exact=True, forbidden=True),
    Rules(5, 6, black_exact=True),
)
TEXTS = st.text(max_size=8)


@st.composite
def entries(draw: st.DrawFn) -> tuple[Position, Record]:
    rules = draw(st.sampled_from(RULES))
    point = st.tuples(st.integers(0, rules.width - 1), st.integers(0, rules.height - 1))
    points = draw(st.lists(point, max_size=8, unique=True))
    kinds = draw(st.lists(st.integers(0, 2), min_size=len(points), max_size=len(points)))
    pairs = list(zip(points, kinds, strict=True))
    stones = [(x, y, Colour(kind)) for (x, y), kind in pairs if kind < 2]
    walls = [point for point, kind in pairs if kind == 2]
    position = Position.set_up(rules, stones, Colour(draw(st.integers(0, 1))), walls)
    marks = draw(st.dictionaries(point, st.text('ABé五"\\', min_size=1, max_size=3), max_size=2))
    record = Record(
        draw(st.sampled_from(["", "w", "l", "!", "\\", '"'])),
        draw(st.integers(-30_000, 30_000)),
        draw(st.integers(-8191, 8191)),
        draw(st.sampled_from(list(Bound))),
        draw(st.none() | point),
        draw(TEXTS),
        tuple(marks.items()),
    )
    return position, record


@settings(deadline=None, max_examples=50)
@given(st.lists(entries(), max_size=6))
def test_round_trip(many: list[tuple[Position, Record]]) -> None:
    """A database read from the text of another has the same records, and its text is the same."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        with Store(place / "a.db", "create") as store:
            for position, record in many:
                store.put(position, record)
            count = export_text(store, place / "a.jsonl")
            before = sorted(store.entries(), key=str)
        with Store(place / "b.db", "create") as store:
            assert import_text(store, place / "a.jsonl") == count == len(before)
            assert sorted(store.entries(), key=str) == before
            assert export_text(store, place / "b.jsonl") == count
        first, second = (place / name for name in ("a.jsonl", "b.jsonl"))
        assert sorted(first.read_text("utf-8").splitlines()) == sorted(
            second.read_text("utf-8").splitlines()
        )


def test_lines(tmp_path: Path) -> None:
    """What the lines look like, to the letter."""
    position = Position(Rules.renju())
    position.play(7, 7)
    with Store(tmp_path / "a.db", "create") as store:
        store.put(position, Record("w", -29_990, 12, Bound.EXACT, (14, 0), "五\n目"))
        position.play(0, 0)
        store.put(position, NOTHING)
        assert export_text(store, tmp_path / "a.jsonl", Rules.renju()) == 2
        assert export_text(store, tmp_path / "b.jsonl", Rules.freestyle()) == 0
    assert (tmp_path / "a.jsonl").read_text("utf-8") == (
        '{"shisan": "database", "version": 1}\n'
        '{"rule": "renju", "width": 15, "height": 15, "side": "black", "black": "h8",'
        ' "white": "a1"}\n'
        '{"rule": "renju", "width": 15, "height": 15, "side": "white", "black": "h8", "white": "",'
        ' "label": "w", "value": -29990, "depth": 12, "bound": "exact", "best": "a1",'
        ' "text": "五\\n目"}\n'
    )
    assert (tmp_path / "b.jsonl").read_text("utf-8") == HEADER + "\n"


FIRST = '"rule": "renju", "width": 15, "height": 15, "side": "black"'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "no JSON: Expecting value"),
        ("[1]", "a line is a JSON object"),
        ('{"width": 15}', "no 'height'"),
        (f'{{{FIRST}, "blak": ""}}', "a record has no 'blak'"),
        (f'{{{FIRST}, "black": "h8h8"}}', "point h8 is taken twice"),
        (f'{{{FIRST}, "black": "h8", "white": "h8"}}', "point h8 is taken twice"),
        (f'{{{FIRST}, "black": "h99"}}', "black: h99 at character 1 is outside"),
        (f'{{{FIRST}, "black": 7}}', "a text must be a string, not 7"),
        (f'{{{FIRST}, "value": 31000}}', "value must be -30000..30000, not 31000"),
        (f'{{{FIRST}, "bound": "high"}}', "bound must be one of none, upper, lower, exact"),
        (f'{{{FIRST}, "label": "win"}}', "a label is one printable letter or none, not 'win'"),
        (f'{{{FIRST}, "best": "z9"}}', "z9 at character 1 is outside"),
        (f'{{{FIRST}, "marks": {{"h88": "A"}}}}', "h88 at character 1 is outside"),
        (f'{{{FIRST}, "marks": []}}', "marks must be an object of points and texts, not []"),
        ('{"rule": "go", "width": 15, "height": 15, "side": "black"}', "rule 'go' is not known"),
        ('{"rule": "renju", "width": 99, "height": 15, "side": "black"}', "width must be 5..22"),
        ('{"rule": "renju", "width": 15, "height": 15, "side": "red"}', "side must be black or"),
    ],
)
def test_bad_lines(tmp_path: Path, line: str, message: str) -> None:
    """Each is told with its file and number, and the lines around it are read."""
    path = tmp_path / "a.jsonl"
    good = f'{{{FIRST}, "black": "h8"}}'
    path.write_text(f"{HEADER}\n{good}\n\n{line}\n{good.replace('h8', 'g8')}\n", encoding="utf-8")
    faults: list[StoreError] = []
    with Store(tmp_path / "a.db", "create") as store:
        assert import_text(store, path, on_fault=faults.append) == 2
        assert len(store) == 2
    (fault,) = faults
    assert str(fault).startswith(f"{path}, line 4: ")
    assert message in str(fault)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)
FIELDS = st.sampled_from(
    "rule width height side black white walls label value depth bound best text marks x".split()
)


@given(st.dictionaries(FIELDS, ANYTHING, max_size=3))
def test_any_json(said: dict[str, object]) -> None:
    """Whatever stands in a field, a line is a record or it is told what is wrong."""
    whole = {"rule": "renju", "width": 15, "height": 15, "side": "black", **said}
    try:
        entry = entry_of(json.dumps(whole))
    except (ValueError, TypeError, KeyError):
        return
    assert isinstance(entry.record, Record)
    assert entry_of(line_of(entry)) == entry


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h8i9\n", "is no database as text: its first line should be"),
        ("", "is no database as text"),
        ('{"shisan": "database", "version": 2}\n', "line 1: version 2 of the text is not known"),
        ('{"a": 1}\n', "is no database as text"),
    ],
)
def test_no_text_of_a_database(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match=message):
        list(read_text(path))
    with pytest.raises(StoreError, match="cannot read"):
        list(read_text(tmp_path / "none"))


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    """An older text is; a game, a folder or a database is not, and nothing is left beside it."""
    with Store(tmp_path / "a.db", "create") as store:
        target = tmp_path / "a.jsonl"
        for _ in range(2):
            assert export_text(store, target) == 0
        for name, content in (("game.psq", b"Piskvorky 15x15"), ("empty", b"")):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(StoreError, match="is something else and is not replaced"):
                export_text(store, tmp_path / name)
            assert (tmp_path / name).read_bytes() == content
        with pytest.raises(StoreError, match="is something else"):
            export_text(store, tmp_path / "a.db")
        with pytest.raises(StoreError, match="is a folder"):
            export_text(store, tmp_path)
        with pytest.raises(StoreError, match="cannot write"):
            export_text(store, tmp_path / "none" / "a.jsonl")
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == ["a.db", "a.jsonl", "empty", "game.psq"]


def test_rapfi(tmp_path: Path) -> None:
    """A text that Rapfi wrote: labels, texts on points, quotes and backslashes."""
    found = [entry for entry in read_text(RAPFI) if isinstance(entry, Entry)]
    assert len(found) == 6
    keys = keys_for(15, 15)
    first = found[0]
    assert first.rules == Rules.renju()
    assert first.setup == (Colour.WHITE, (keys.cell((7, 7)),), (), ())
    assert first.record == Record(
        "w", -29_990, 12, Bound.EXACT, None, 'say "h8" back\\slash', (((6, 5), "ab"),)
    )
    assert found[3].record == Record("", 35, 10, Bound.EXACT)
    assert found[4].setup.black == cells_of([(5, 5), (7, 7)], 15)
    assert found[4].record.marks == (((5, 4), "q"),)
    with Store(tmp_path / "a.db", "create") as store:
        assert import_text(store, RAPFI) == 6
        turned = Position(Rules.renju())
        for point in ((7, 7), (8, 6), (9, 5)):  # as it was when Rapfi was told of it
            turned.play(*point)
        record = store.get(turned)
        assert record is not None
        assert (record.label, record.value, record.distance) == ("l", 29_995, 6)
        assert ((9, 4), "q") in record.marks


def test_rapfi_faults(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    good = '0,f-15-15-h8--w,(none),0,0,none,""'
    bad = [
        "0,f-15-15-h8--w,(none),0,0,none",
        '0,g-15-15-h8--w,(none),0,0,none,""',
        '0,f-15-15-h8--w,(none),x,0,none,""',
        '0,f-15-15-h8--w,(none),0,0,most,""',
        '0,f-15-15-h8--w,(none),0,0,none,"',
        '0,f-15-15-h8--w,(none),0,0,none,"@BTXT@ZZab"',
        '0,f-15-15-h88--w,(none),0,0,none,""',
    ]
    head = RAPFI.read_text("utf-8").splitlines()[0]
    path.write_text("\n".join([head, *bad, good]), encoding="utf-8")
    found = list(read_text(path))
    assert [type(each) for each in found] == [StoreError] * len(bad) + [Entry]


def test_positions(tmp_path: Path) -> None:
    """The list of positions is a text of games that can be read, with these positions."""
    wanted = []
    with Store(tmp_path / "a.db", "create") as store:
        for stones, side in (
            ([(7, 7, 0), (8, 8, 1)], 0),
            ([(7, 7, 0), (8, 7, 0), (9, 9, 0)], 0),
            ([(3, 3, 1)], 1),
            ([], 0),
        ):
            placed = [(x, y, Colour(colour)) for x, y, colour in stones]
            wanted.append(Position.set_up(Rules.freestyle(), placed, Colour(side)))
            store.put(wanted[-1], NOTHING)
        walled = Position.set_up(Rules.freestyle(), [], Colour.BLACK, [(1, 1)])
        store.put(walled, NOTHING)
        assert export_positions(store, tmp_path / "a.pos") == len(wanted)
    keys = keys_for(15, 15)
    found = set()
    for game in read_games(tmp_path / "a.pos", Wanted(legal=False), "text"):
        assert isinstance(game, GameRecord)
        found.add(keys.place(keys.setup(game.position(Rules.freestyle()))).key)
    assert found == {keys.place(keys.setup(each)).key for each in wanted}
