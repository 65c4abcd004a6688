"""The database commands of a Yixin board, as that program sends them, and what it reads."""

import subprocess
import sys
from pathlib import Path

import pytest

from shisan.engine import Engine, Limits, Point, Position, Rules, SearchResult
from shisan.protocol.consulting import DatabaseRequest
from shisan.protocol.database import Store
from shisan.protocol.positionrecords import Bound, Record
from shisan.protocol.yixindatabase import Filter, YixinDatabase, read_filter

RULES = Rules.renju()


def played(*points: Point) -> Position:
    position = Position(RULES)
    for point in points:
        position.play(*point)
    return position


class Board:
    """A Yixin board with its database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = YixinDatabase()
        self.read_only = False
        self.opened = self.say("yxsetdatabase", path=path)

    def say(
        self, verb: str, *points: Point, arguments: str = "", path: Path | str = ""
    ) -> list[str]:
        """Send a command; its lines without MESSAGE."""
        request = DatabaseRequest(verb, arguments, played(*points), str(path), self.read_only)
        lines = list(self.database.handle(request))
        return [line.removeprefix("MESSAGE ") for line in lines]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path / "a b.db")


def test_opening(board: Board) -> None:
    path = board.path
    assert board.opened == [
        f"DATABASE LOAD START {path}",
        f"database {path}: 0 positions",
        "DATABASE LOAD DONE",
    ]
    assert board.say("yxsavedatabase")[:2] == [
        f"DATABASE SAVE START {path}",
        "DATABASE SAVE DONE",
    ]
    lines = board.say("yxsetdatabase", path=path.parent / "none" / "b.db")
    assert lines[1].endswith(f"there is no folder {path.parent / 'none'}; {path} stays open")
    assert board.say("yxdbcheck") == [f"database {path}: no fault"]
    assert board.say("yxdbfix") == [f"database {path}: 0 records removed that were none"]


def test_the_dialogue_that_rapfi_was_asked(board: Board) -> None:
    """The answers are Rapfi's, but for what a value is in per cent, and records of what was asked.

    The same commands were sent to Rapfi; these are its lines.
    """
    assert board.say("yxedittvddatabase", (7, 7), arguments="7 119 -29990 12") == [
        "DATABASE ONE 119 -29990 12 3 w11"
    ]
    text = r'"say \"h8\" back\\slash"'
    assert board.say("yxedittextdatabase", (7, 7), arguments=text) == []
    assert board.say("yxeditlabeldatabase", (7, 7), arguments="8,5 ab") == []
    assert board.say("yxedittvddatabase", (7, 7), (7, 6), arguments="7 -1 35 10") == [
        "DATABASE ONE -1 35 10 3 45%"
    ]
    three = ((7, 7), (8, 6), (9, 5))
    assert board.say("yxeditlabeldatabase", *three, arguments="9,4 q") == []
    assert board.say("yxedittvddatabase", *three, arguments="7 108 29995 4") == [
        "DATABASE ONE 108 29995 4 3 l6"
    ]
    packed = int.from_bytes(b"45%", "big")
    marks = [(6, 5), (8, 5), (5, 6), (9, 6), (5, 8), (9, 8), (6, 9), (8, 9)]
    moves = [(7, 6), (6, 7), (8, 7), (7, 8)]
    lines = board.say("yxquerydatabaseall", (7, 7))
    assert (lines[0], lines[-1]) == ("DATABASE REFRESH", "DATABASE DONE")
    assert lines[1:-1] == [
        f"DATABASE {x} {y} -1 0 0 0 0 ab"
        if (x, y) in marks
        else f"DATABASE {x} {y} {packed} 35 10 3 0"
        for x, y in sorted([*marks, *moves], key=lambda point: (point[1], point[0]))
    ]
    assert board.say("yxquerydatabaseall", (7, 7), (8, 6)) == [
        "DATABASE REFRESH",
        "DATABASE 9 5 27702 29995 4 3 0",
        "DATABASE DONE",
    ]
    assert board.say("yxquerydatabaseone", *three) == ["DATABASE ONE 108 29995 4 3 l6"]
    assert board.say("yxquerydatabasetext", (7, 7)) == [f"DATABASE TEXT {text}"]
    assert board.say("yxquerydatabaseallt", (7, 7))[-1] == f"DATABASE TEXT {text}"
    assert board.say("yxquerydatabaseone", (0, 0)) == ["DATABASE ONE 0 0 0 0"]
    assert board.say("yxquerydatabasetext", (0, 0)) == ['DATABASE TEXT ""']


def test_parts_of_a_record(board: Board) -> None:
    """What the program sends when one field is changed."""
    assert board.say("yxedittvddatabase", arguments="2 -1 250 0") == ["DATABASE ONE -1 250 0 0"]
    assert board.say("yxedittvddatabase", arguments="4 -1 0 18")[0].startswith(
        "DATABASE ONE -1 250 18 3 22%"
    )
    assert board.say("yxedittvddatabase", arguments="1 87 0 0") == ["DATABASE ONE 119 250 18 3 w*"]
    assert board.say("yxedittvddatabase", arguments="1 -1 0 0")[0].startswith("DATABASE ONE -1 250")
    board.say("yxeditlabeldatabase", arguments="7,7 AB")
    assert "DATABASE 7 7 -1 0 0 0 0 AB" in board.say("yxquerydatabaseall")
    board.say("yxeditlabeldatabase", arguments="7,7")
    assert board.say("yxquerydatabaseall") == ["DATABASE REFRESH", "DATABASE DONE"]


@pytest.mark.parametrize(
    ("verb", "arguments", "message"),
    [
        ("yxedittvddatabase", "7 119", "yxedittvddatabase must have mask label value depth"),
        ("yxedittvddatabase", "7 a b c", "yxedittvddatabase must have mask label value depth"),
        ("yxedittvddatabase", "1 900 0 0", "label must be -1, 0 or 33..126, not 900"),
        ("yxedittvddatabase", "2 -1 99999 0", "value must be -30000..30000, not 99999"),
        ("yxedittvddatabase", "4 -1 0 99999", "depth must be -8191..8191, not 99999"),
        ("yxeditlabeldatabase", "", "yxeditlabeldatabase needs x,y on the board and a text"),
        ("yxeditlabeldatabase", "15,7 a", "yxeditlabeldatabase needs x,y on the board"),
        ("yxdeletedatabaseall", "all", "filter must be one of wlnostep, wlinstep"),
        ("yxdeletedatabaseall", "wlinstep", "filter must be one of"),
        ("yxdeletedatabaseall", "wl 7", "filter must be one of"),
        ("yxsetbestmovedatabase", "", "yxsetbestmovedatabase needs a position whose last line"),
        ("yxsetdatabase", "", "yxsetdatabase needs the path of a file on the next line"),
        ("yxdbtotxt", "", "yxdbtotxt needs the path of a file on the next line"),
        ("yxtxttodb", "", "yxtxttodb needs the path of a file on the next line"),
    ],
)
def test_bad_arguments(board: Board, verb: str, arguments: str, message: str) -> None:
    """One line, and nothing is changed."""
    lines = board.say(verb, arguments=arguments)
    assert any(line.startswith(message) for line in lines), lines
    assert board.say("yxquerydatabaseone") == ["DATABASE ONE 0 0 0 0"]


def test_without_a_database(tmp_path: Path) -> None:
    database = YixinDatabase()
    for verb in ("yxquerydatabaseall", "yxedittvddatabase", "yxdbcheck", "yxsavedatabase"):
        request = DatabaseRequest(verb, "7 0 0 0", played(), "", False)
        assert list(database.handle(request)) == [
            "MESSAGE no database: yxsetdatabase and, on the next line, the path of a file opens one"
        ]
    request = DatabaseRequest("yxdbtotxt", "", None, str(tmp_path / "a"), False)
    assert "no database" in next(iter(database.handle(request)))
    assert database.advise(played()).words[0].startswith("database: no database: yxsetdatabase")
    assert database.advise(played()).words == ()


def test_a_brain_loads_no_sqlite_before_it_must() -> None:
    code = (
        "import sys; from shisan.protocol.yixindatabase import YixinDatabase; YixinDatabase();"
        " print('sqlite3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_paths_that_are_none(board: Board) -> None:
    """Told in lines; names of any bytes, of any length."""
    for path in ("a" * 5000, "\udcff\udcfe/x", "/", "no/folder/x"):
        for verb in ("yxsetdatabase", "yxdbtotxt", "yxtxttodb", "yxlibtodb", "yxdbmerge"):
            lines = board.say(verb, path=path)
            assert len(lines) <= 3
        for verb in ("yxdbtolib", "yxdbtopos", "yxdbsplit", "yxdbtotxtall"):
            assert len(board.say(verb, path=path)) == 1
    assert [each.name for each in board.path.parent.iterdir()] == [board.path.name]


def test_texts_of_several_lines(board: Board) -> None:
    """They go out as they are, up to the closing quote; other letters are kept in the file."""
    board.say("yxedittextdatabase", (7, 7), arguments='"one\ntwo"')
    assert board.say("yxquerydatabasetext", (7, 7)) == ['DATABASE TEXT "one', 'two"']
    gbk = "五目".encode("gbk").decode("utf-8", "surrogateescape")
    board.say("yxedittextdatabase", (7, 7), arguments=f'"{gbk}"')
    with Store(board.path) as store:
        record = store.get(played((7, 7)))
    assert record is not None
    assert record.text == "五目"


def test_best_moves(board: Board) -> None:
    """The last point sent is the best move of the position before it."""
    board.say("yxsetbestmovedatabase", (7, 7), (8, 5))
    advised = board.database.advise(played((7, 7)))
    assert (8, 5) in advised.first
    assert len(advised.first) == 8  # the others are equal by symmetry
    with Store(board.path) as store:
        record = store.get(played((7, 7)))
        assert record is not None
        assert record.best is not None
        after = store.get(played((7, 7), record.best))
        assert after is not None
        assert after.label == "!"
    board.say("yxclearbestmovedatabase", (7, 7))
    assert board.database.advise(played((7, 7))).first == frozenset()
    with Store(board.path) as store:
        record = store.get(played((7, 7)))
        assert record is not None
        assert record.best is None


def tree(board: Board) -> None:
    """h8 - i7 (won in 7) - a1; h8 - j8 (lost, no distance) - b1; h8 - k5 (nothing) - c1 (won)."""
    for points, record in {
        ((7, 7),): Record(),
        ((7, 7), (8, 6)): Record("w", -29_994),
        ((7, 7), (8, 6), (0, 0)): Record(),
        ((7, 7), (9, 7)): Record("l"),
        ((7, 7), (9, 7), (1, 0)): Record("d"),
        ((7, 7), (10, 4)): Record(),
        ((7, 7), (10, 4), (2, 0)): Record("w", -29_980),
    }.items():
        board.say(
            "yxedittvddatabase",
            *points,
            arguments=f"7 {ord(record.label) if record.label else -1} {record.value} 1",
        )


LEFT = {
    "": set(),
    "w": {"j8", "j8b1", "k5", "k5c1"},
    "w recursive": {"j8", "j8b1", "k5"},
    "l": {"i7", "i7a1", "k5", "k5c1"},
    "wl": {"k5", "k5c1"},
    "wlrecursive": {"k5"},
    "wld": {"k5", "k5c1"},
    "nonwl": {"i7", "i7a1", "j8", "j8b1"},
    "nonwlrecursive": {"i7", "j8"},
    "nonwldrecursive": {"i7", "j8", "j8b1"},
    "wlnostep": {"i7", "i7a1", "k5", "k5c1"},
    "wlinstep 6": {"i7", "i7a1", "j8", "j8b1", "k5", "k5c1"},
    "wlinstep 7": {"j8", "j8b1", "k5", "k5c1"},
    "wlinsteprecursive 21": {"j8", "j8b1", "k5"},
}


@pytest.mark.parametrize("words", LEFT)
def test_deleting_a_branch(board: Board, words: str) -> None:
    """What a filter takes goes with all below it; what it leaves is looked below if recursive."""
    tree(board)
    named = {"i7": (8, 6), "j8": (9, 7), "k5": (10, 4), "a1": (0, 0), "b1": (1, 0), "c1": (2, 0)}
    lines = board.say("yxdeletedatabaseall", (7, 7), arguments=words)
    left = set()
    with Store(board.path) as store:
        assert store.get(played((7, 7))) is not None
        for name in ("i7", "i7a1", "j8", "j8b1", "k5", "k5c1"):
            points = [named[name[at : at + 2]] for at in range(0, len(name), 2)]
            if store.get(played((7, 7), *points)) is not None:
                left.add(name)
        assert len(store) == 1 + len(left)
    assert left == LEFT[words]
    assert f"{6 - len(left)} records deleted" in lines
    assert lines[-1] == "DATABASE DONE"


def test_filters() -> None:
    assert read_filter("NONWL") == Filter("nonwl")
    assert read_filter("wlinstep 5 recursive") == Filter("wlinstep", 5, True)


def test_delete_one(board: Board) -> None:
    tree(board)
    assert board.say("yxdeletedatabaseone", (7, 7), (8, 6)) == []
    assert board.say("yxquerydatabaseone", (7, 7), (8, 6)) == ["DATABASE ONE 0 0 0 0"]
    with Store(board.path) as store:
        assert len(store) == 6


def test_files(board: Board) -> None:
    """Out as text, as a list, as a library and as a branch, and in again."""
    tree(board)
    folder = board.path.parent
    for verb, name in (
        ("yxdbtotxt", "a.txt"),
        ("yxdbtotxtall", "b.txt"),
        ("yxdbtopos", "a.pos"),
    ):
        (line,) = board.say(verb, path=folder / name)
        assert line in (
            f"7 records written to {folder / name}",
            f"7 positions written to {folder / name}",
        )
    (line,) = board.say("yxdbtolib", path=folder / "a.lib")
    assert line == f"8 positions written to {folder / 'a.lib'}"  # the empty board too
    (line,) = board.say("yxdbsplit", (7, 7), (9, 7), path=folder / "part.db")
    assert line == f"2 records are in {folder / 'part.db'}"
    for verb, name, count in (
        ("yxtxttodb", "a.txt", 7),
        ("yxlibtodb", "a.lib", 8),
        ("yxdbmerge", "part.db", 2),
    ):
        other = Board(folder / f"{verb}.db")
        lines = other.say(verb, path=folder / name)
        with Store(other.path) as store:
            assert len(store) == count, lines
    assert "is the open database" in board.say("yxdbmerge", path=board.path)[0]
    assert "is the open database" in board.say("yxdbsplit", path=board.path)[0]
    assert "there is no database" in board.say("yxdbmerge", path=folder / "none.db")[0]


def test_read_only(board: Board) -> None:
    """Nothing is changed, questions are answered, and it can be written to later."""
    tree(board)
    before = board.path.read_bytes()
    reader = Board(board.path)
    reader.read_only = True
    reader.say("yxsetdatabase", path=board.path)
    for verb in (
        "yxedittvddatabase",
        "yxedittextdatabase",
        "yxeditlabeldatabase",
        "yxdeletedatabaseone",
        "yxdeletedatabaseall",
        "yxsetbestmovedatabase",
        "yxclearbestmovedatabase",
        "yxtxttodb",
        "yxlibtodb",
        "yxdbmerge",
        "yxdbfix",
    ):
        lines = reader.say(verb, (7, 7), (8, 6), path=board.path)
        assert lines == ["the database is read-only (INFO database_readonly): nothing was changed"]
    reader.database.found(played((7, 7)), found(30), True)
    assert reader.say("yxquerydatabaseone", (7, 7), (9, 7))[0].startswith("DATABASE ONE 108")
    assert board.path.read_bytes() == before
    reader.read_only = False
    assert reader.say("yxedittvddatabase", (0, 0), arguments="7 0 1 1") == [
        "DATABASE ONE -1 1 1 3 49%"
    ]


# -- searches -------------------------------------------------------------------------------------


def found(value: int, depth: int = 8, move: Point = (8, 6)) -> SearchResult:
    win_in = 30_000 - value if value > 29_000 else None
    return SearchResult(move, value, win_in, depth, 100, 1, (move,))


def test_results_are_kept(board: Board) -> None:
    """A deeper one over a shallower one, a proven one over all, and never over a person's words."""
    position = played((7, 7))
    database = board.database
    board.say("yxedittextdatabase", (7, 7), arguments='"mine"')
    for result, value, depth in (
        (found(30), 30, 8),
        (found(99, 7), 30, 8),
        (found(40, 8), 40, 8),
        (found(29_991, 3), 29_991, 3),
        (found(10, 30), 29_991, 3),
    ):
        database.found(position, result, False)
        assert board.say("yxquerydatabaseone", (7, 7))[0].startswith(
            f"DATABASE ONE {108 if value > 29_000 else -1} {value} {depth} 3"
        )
    with Store(board.path) as store:
        record, after = store.get(position), store.get(played((7, 7), (8, 6)))
        assert record is not None
        assert (record.text, record.label) == ("mine", "l")
        assert after == Record("w", -29_992, 2, Bound.EXACT)
        assert len(store) == 2


def test_a_game_with_a_database(board: Board) -> None:
    """A real search, guided, kept, and told of at the next one."""
    position = played((7, 7), (8, 6))
    engine = Engine(RULES)
    told: list[str] = []

    def search() -> tuple[SearchResult, bool]:
        return board.database.guide(
            position,
            lambda limits, avoid: engine.search(position, limits, avoid=avoid),
            Limits(nodes=3000),
            (),
            lambda: False,
            told.append,
        )

    result, whole = search()
    assert whole
    assert told == []
    board.database.found(position, result, False)
    _, whole = search()
    assert whole
    (words,) = told
    assert words.startswith(
        f"database: recorded as value {result.value}, exact, depth {result.depth}"
    )
    with Store(board.path) as store:
        record = store.get(position)
        assert record is not None
        assert (record.value, record.depth, record.best) == (
            result.value,
            result.depth,
            result.move,
        )


def test_results_that_cannot_be_kept(board: Board) -> None:
    """The search is not disturbed; the next one says so."""
    database = board.database
    database.found(played((7, 7)), found(30), False)
    with Store(board.path, "write", 10) as other, other.transaction():
        database.found(played((0, 0)), found(30), False)
    words = database.advise(played((7, 7))).words
    assert words[0].startswith(f"database: {board.path} is locked by another process")
    assert words[0].endswith("results are not kept")
    assert board.say("yxquerydatabaseone", (0, 0)) == ["DATABASE ONE 0 0 0 0"]
