"""Games out of any file: what it is, text, JSON, .psq and .rec, records, and damaged files."""

import gzip
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisan.engine import Colour, Rules
from shisan.protocol.encodings import decode
from shisan.protocol.gamefiles import detect, read_game, read_games
from shisan.protocol.games import (
    Branch,
    Format,
    GameError,
    GameRecord,
    Source,
    first_fault,
    rules_named,
)
from shisan.protocol.gametrees import PLAIN, Wanted
from shisan.protocol.movetext import read_moves
from shisan.protocol.notation import points_text

DATA = Path(__file__).parents[1] / "data"
LIBRARY = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + bytes.fromhex("0000780079802bc0b340e2800f40")
LIBRARY = LIBRARY[:-4] + bytes.fromhex("e2000f40")
PSQ = b"Piskvorky 15x15, 11:11, 1\r\n8,8,0\r\n9,9,120\r\n8,9,35\r\nfirst.exe\r\nsecond.zip\r\n0\r\n"
SAMPLES: dict[Format, bytes] = {
    "psq": PSQ,
    "rec": b"Ann\nBob\n7,7,0\n8,8,120\n7,8,35\n0\n",
    "sgf": (DATA / "games" / "tree.sgf").read_bytes(),
    "rif": (DATA / "games" / "database.rif").read_bytes(),
    "renlib": LIBRARY,
    "json": (
        b'{"size": 15, "rule": "renju", "moves": "h8 i9 pass", "id": 7}\n'
        b'{"black": [[7, 7]], "white": ["x"], "side": "white"}\n'
    ),
    "text": b"# two games\nh8i9h10\n1. h8 i9 2. pass j10\n",
}


def all_of(data: bytes, wanted: Wanted = PLAIN, name: str = "") -> list[GameRecord | GameError]:
    return list(read_games(data, wanted, name=name))


def short(data: bytes, wanted: Wanted = PLAIN, name: str = "") -> list[str]:
    """Each game's points in a row; errors as they are."""
    return [
        str(each)
        if isinstance(each, GameError)
        else points_text(move for move in each.moves if move is not None)
        for each in all_of(data, wanted, name)
    ]


@pytest.mark.parametrize("form", SAMPLES)
def test_what_a_file_is(form: Format) -> None:
    """By content, whatever it is called; a .rec has nothing to know it by but its name."""
    name = "a.rec" if form == "rec" else "a.dat"
    assert detect(SAMPLES[form], name) == form
    assert next(read_games(SAMPLES[form], name=name)).source.format == form  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[Event "1"]\n[Black "a"]\n1-0', "a: this is a PGN, as match runners write it"),
        (b"<!DOCTYPE html><html>", "a: this is an HTML page, no game record"),
        (b"\n<html>", "a: this is an HTML page, no game record"),
        (b"PK\x03\x04....", "a: this is a ZIP archive: unpack it first"),
        (gzip.compress(b"h8"), "a: this is compressed: unpack it with gunzip first"),
        (b"\x7fELF\0\0\1", "a: this is no text, and no format that is known"),
        (b"", "a: line 1: no game in this file"),
        (b"# nothing\n\n", "a: line 1: no game in this file"),
    ],
)
def test_what_no_file_of_games_is(data: bytes, message: str) -> None:
    (found,) = short(data, name="a")
    assert found.startswith(message)


def test_names_decide_where_content_does_not() -> None:
    assert [detect(b"h8", f"a{suffix}") for suffix in (".LIB", ".psq", ".txt", ".what", "")] == [
        "renlib", "psq", "text", "text", "text",
    ]  # fmt: skip
    assert short(b"h8", name="a.psq")[0].startswith("a.psq: line 1: a .psq begins with a line like")
    assert short(b"h8", name="a.sgf") == ["a.sgf: line 1: no SGF: nothing begins with (;"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """An error like others, for a batch to go on."""
    missing = tmp_path / "no.psq"
    assert str(next(read_games(missing))) == f"{missing}: cannot be read: No such file or directory"
    assert "cannot be read" in str(next(read_games(tmp_path)))
    assert "cannot be read" in str(next(read_games("a\0b")))
    (tmp_path / "a.psq").write_bytes(PSQ)
    assert read_game(str(tmp_path / "a.psq")) == read_game(PSQ)


def test_one_game_of_many() -> None:
    assert read_game(b"h8\ni9\nj10", number=2).moves == ((8, 8),)
    with pytest.raises(GameError, match=r"^x: there is no game 4, only 3$"):
        read_game(b"h8\ni9\nj10", name="x", number=4)
    with pytest.raises(GameError, match=r"^line 2, game 2: z9 at character 1 is outside"):
        read_game(b"h8\nz9\nj10", number=2)


def test_the_example_in_the_documents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/formats.md: the Python lines run, and the error is what its comment says."""
    page = (DATA.parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    bad = "(;GM[4];B[hh];W[hi];B[hj];W[hk];B[aa];W[bb];B[cc];W[dd];B[hh])"
    (tmp_path / "games.sgf").write_text(f"(;GM[4];B[hh](;W[hi])(;W[ii]))\n\n{bad}\n")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "((7, 7), (7, 8))",
        "((7, 7), (8, 8))",
        re.findall("# (games.*)", example)[0],
    ]


# --- text ----------------------------------------------------------------------------------------


def test_lines_of_text() -> None:
    """One game a line; what is wrong with one stops no other."""
    data = (
        "\ufeff# all spellings\r\nh8i9h10\r\n\r\nH8 I9,H10\r7,7 8,8; 7,9\n"
        "1. h8 i9 2. h10\n1.h8 2.i9 3.h10\nh8 q9\nh8 h8\nx\n"
    )
    assert short(data.encode()) == [
        *["h8i9h10"] * 5,
        "line 8, game 6: q9 at character 4 is outside: columns are a..o",
        "line 9, game 7: move 2 (h8): point 7,7 is occupied",
        "line 10, game 8: x at character 1 names no point: a number must follow the letter",
    ]


def test_whole_text() -> None:
    """All lines together are one game, if that is wanted."""
    assert short(b"# x\nh8 i9,\nh10\n", Wanted(whole=True)) == ["h8i9h10"]
    assert short(b"\n", Wanted(whole=True)) == ["line 1: no game in this file"]


def test_rows() -> None:
    """Renju books count from the bottom; x,y never does."""
    assert short(b"h1 a15 2,3", Wanted(rows="bottom")) == ["h15a1c4"]
    assert short(b"h1 a15 2,3", Wanted(rows="top")) == ["h1a15c4"]
    assert short(b"a1", Wanted(rows="bottom", size=(20, 9))) == ["a9"]


def test_offsets() -> None:
    """If one line can only be offsets, all are."""
    assert short(b"0,0, 1,-1, 2,0\n1,2,3,4\n") == ["h8i7j8", "i10k12"]
    assert short(b"0,0, 1,-1", Wanted(size=(20, 20))) == ["k11l10"]
    assert short(b"0,0,8,0\n0,0,1\n0,0,a\n-1,0,-1,0") == [
        "line 1: 8,0 leads from the middle off the board of 15x15",
        "line 2, game 2: 3 numbers make no pairs",
        "line 3, game 3: number 3 is 'a', not an offset like -3",
        "line 4, game 4: move 2 (g8): point 6,7 is occupied",
    ]


@pytest.mark.parametrize("path", sorted((DATA / "openings").glob("*.txt")), ids=lambda p: p.name)
def test_opening_lists(path: Path) -> None:
    """Real lists, as points and as the offsets that they stand for."""
    side = 20 if "20" in path.name[:12] else 15
    found = list(read_games(path, Wanted(Rules.freestyle(), size=(side, side))))
    assert all(isinstance(each, GameRecord) for each in found) and len(found) > 5
    lines = []
    for each in found:
        assert isinstance(each, GameRecord)
        points = [move for move in each.moves if move is not None]
        lines.append(", ".join(f"{x - side // 2},{y - side // 2}" for x, y in points))
    assert all_of("\n".join(lines).encode(), Wanted(size=(side, side))) == found


def test_passes_in_text() -> None:
    assert read_moves("pass, h8 PASS i9") == [None, (7, 7), None, (8, 8)]
    (game,) = all_of(b"h8 pass i9 pass j10")
    assert isinstance(game, GameRecord)
    assert game.position(Rules.freestyle()).side is Colour.WHITE


# --- JSON ----------------------------------------------------------------------------------------


def test_json() -> None:
    (game,) = all_of(
        b'{"id": "p1", "size": "20x15", "rule": "standard", "moves": "h8 i9", "black": [[0, 0]],'
        b' "white": "b2", "walls": "c3", "side": "white", "players": ["A", "B"], "result": "1-0",'
        b' "comment": "c", "answers": [[1, 2]]}'
    )
    assert game == GameRecord(
        20, 15, ((7, 7), (8, 8)), Colour.WHITE, ((0, 0),), ((1, 1),), ((2, 2),),
        Rules.standard(20, 15), ("A", "B"), "1-0", "c", facts=(("answers", "[[1, 2]]"),),
    )  # fmt: skip
    assert isinstance(game, GameRecord) and game.source.name == "p1"


def test_json_over_several_lines() -> None:
    """One object, and a list with a bad one in it."""
    assert short(b'{\n "moves":\n "h8"\n}\n') == ["h8"]
    assert short(b' [\n{"moves": "h8"}, 5,\n{"moves": "i9"}, "h8"]') == [
        "h8",
        "line 1, game 2: no JSON object: it must be in { }",
        "i9",
        "line 1, game 4: no JSON object: it must be in { }",
    ]
    assert short(b"[]", name="a.json") == ["a.json: line 1: no game in this file"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"moves": "h8"', "no JSON: Expecting ',' delimiter at character 15"),
        ('{"moves": ' + "[" * 100000, "no JSON"),
        ('{"moves": ' + "9" * 5000 + "}", "no JSON"),
        ("{} x", "no JSON: Extra data at character 4"),
        ('{"balck": "h8"}', "there are neither moves nor stones"),
        ('{"moves": "h8 z9"}', "moves: z9 at character 4 is outside: columns are a..o"),
        ('{"moves": [[7, 7], [7]]}', 'moves, number 2: [x, y] or "h8" is wanted'),
        ('{"moves": [[7, 7], [7, 99]]}', "moves, number 2 is outside the board of 15x15"),
        ('{"moves": [[-1, 9]]}', "moves, number 1 is outside the board of 15x15"),
        ('{"white": [[1e9, 9]]}', 'white, number 1: [x, y] or "h8" is wanted'),
        ('{"walls": [[99999999999999999999, 9]], "moves": ""}', "walls, number 1 is outside"),
        ('{"moves": {"a": 1}}', "moves must be points as text or a list of [x, y]"),
        ('{"black": "pass"}', "black has a pass, which is no point"),
        ('{"black": "h8", "white": "h8"}', "set-up: point 7,7 is given twice"),
        ('{"moves": "h8", "size": 4}', "sides must be 5..22, not 4x4"),
        ('{"moves": "h8", "size": "ten"}', 'size must be 15, "20x15" or [20, 15]'),
        ('{"moves": "h8", "size": true}', 'size must be 15, "20x15" or [20, 15]'),
        ('{"moves": "h8", "rule": "gomoku"}', "rule 'gomoku' is not known"),
        ('{"moves": "h8", "side": "black"}', "after 1 moves white is to move, not black"),
        ('{"moves": "h8", "side": 1}', "side must be black or white"),
        ('{"moves": "h8", "players": "A"}', "players must be two names"),
        ('{"moves": "h8", "result": "B+"}', "result must be 1-0, 0-1 or 1/2"),
    ],
)
def test_json_faults(line: str, message: str) -> None:
    """Each names what is wrong; the line after it is read."""
    bad, good = all_of(f'{line}\n{{"moves": "h8"}}\n'.encode(), name="a.jsonl")
    assert str(bad).startswith(f"a.jsonl: line 1: {message}")
    assert isinstance(good, GameRecord)


def test_json_halves_of_letters() -> None:
    """JSON can spell what no file can hold."""
    game = read_game(b'{"moves": "h8", "comment": "\\ud800", "players": ["\\udfff", "B"]}')
    game.comment.encode()
    game.title.encode()


@pytest.mark.parametrize("path", sorted((DATA / "puzzles").glob("*.gz")), ids=lambda p: p.name)
def test_puzzles(path: Path) -> None:
    """Thousands of positions by moves and by stones; read with json they are the same."""
    data = gzip.decompress(path.read_bytes())
    found = all_of(data)
    raw = [json.loads(line) for line in data.splitlines()]
    assert len(found) == len(raw)
    for game, puzzle in zip(found, raw, strict=True):
        assert isinstance(game, GameRecord), game
        position = game.position()
        assert game.source.name == puzzle["id"]
        assert position.rules.name == puzzle["rule"]
        assert position.side.name.lower() == puzzle.get("side", position.side.name.lower())
        if "moves" in puzzle:
            assert [[x, y] for x, y, _ in position.stones] == puzzle["moves"]
        else:
            assert sorted(position.stones) == sorted(
                (*point, Colour[colour.upper()])
                for colour in ("black", "white")
                for point in puzzle[colour]
            )


# --- .psq and .rec -------------------------------------------------------------------------------


def test_psq() -> None:
    """The head says who is Black, names may be in any encoding, and a draw is told."""
    game = read_game(PSQ)
    assert game.moves == ((7, 7), (8, 8), (7, 8))
    assert (game.players, game.times_ms) == (("second.zip", "first.exe"), (0, 120, 35))
    assert (game.result, game.rules, game.facts) == ("", None, (("ending", "normal end"),))
    assert read_game(PSQ.replace(b"first.exe", "五目".encode("gbk"))).players[1] == "五目"
    assert read_game(b"Piskvorky 15x15, 1:1, 0\n8,8\nA\nB\n-1\n0,Cup\n").result == "1/2"


def test_psq_cut_off_in_a_move() -> None:
    """3,1 may have been 3,15,0; without times, or with a line end, it is what it says."""
    head = b"Piskvorky 15x15, 0:0, 0\n1,13,0\n"
    refused = "line 3: '3,1' is cut off: the moves before it have times"
    assert short(head + b"3,1") == [refused]
    assert short(head + b"3,1\n") == short(head + b"3,1,0") == ["a13c1"]
    assert short(b"Piskvorky 15x15, 0:0, 0\n1,13\n3,1") == ["a13c1"]


@pytest.mark.parametrize("path", sorted((DATA / "psq").glob("*.psq")), ids=lambda p: p.stem)
def test_psq_files(path: Path) -> None:
    """Real games are legal to their end, and one move more is not."""
    game = read_game(path, Wanted(Rules.freestyle()))
    assert game.position(Rules.freestyle()).over
    board = ((x, y) for x in range(game.width) for y in range(game.height))
    free = next((point for point in board if point not in game.moves), None)
    if free is None:
        assert game.position(Rules.freestyle()).result.reason == "board full"
        return
    lines = path.read_bytes().decode().splitlines()
    at = len(game.moves) + 1
    longer = "\n".join([*lines[:at], f"{free[0] + 1},{free[1] + 1},0", *lines[at:]]).encode()
    with pytest.raises(GameError, match=rf"^line {at + 1}: move {at} .* the game is over"):
        read_game(longer, Wanted(Rules.freestyle()))


def test_rec() -> None:
    """Points from 0, names first, no size."""
    game = read_game(SAMPLES["rec"], name="a.rec")
    assert game.moves == ((7, 7), (8, 8), (7, 8))
    assert (game.players, game.times_ms) == (("Ann", "Bob"), (0, 120, 35))
    assert read_game(b"A\nB\n19,0,1\n", Wanted(size=(20, 20)), form="rec").moves == ((19, 0),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a .rec begins with two lines of names"),
        ("A", "line 2: a .rec begins with two lines of names"),
        ("A\n1,1,0", "line 2: a .rec begins with two lines of names"),
        ("A\nB\n15,0,0", "line 3: 15,0 is outside the board of 15x15"),
        ("A\nB\n1,0,0\n1,0,0", "line 4: 1,0 is occupied since line 3"),
        ("A\nB\n1,0,0\nx\n2,0,0", "line 4: 'x' is no move"),
        ("A\nB\n1,0,0\nx", "line 4: 'x' is neither a move nor an ending"),
    ],
)
def test_rec_faults(text: str, message: str) -> None:
    assert short(text.encode(), name="a.rec") == [f"a.rec: {message}"]


def test_sizes_that_are_not_wanted() -> None:
    for form in ("psq", "sgf", "renlib"):
        (error, *_) = all_of(SAMPLES[form], Wanted(size=(19, 19)))
        assert isinstance(error, GameError)
        assert error.problem.endswith("the board is 15x15, not 19x19 as asked for")


# --- records -------------------------------------------------------------------------------------


def test_errors_travel() -> None:
    """To other processes, whole."""
    (error,) = all_of(b"(;GM[4];B[hh]\n;W[hh])", name="a.sgf")
    assert isinstance(error, GameError)
    again = pickle.loads(pickle.dumps(error))
    for each in (error, again):
        assert str(each) == "a.sgf: line 2: move 2 (h8): point 7,7 is occupied"
        assert (each.field, each.value, each.source.line) == ("move 2", "7,7", 2)
    game = read_game(SAMPLES["sgf"])
    assert pickle.loads(pickle.dumps(game)) == game


def test_positions_of_a_record() -> None:
    """With set-up stones, walls, passes, branches; and told rules before others."""
    game = GameRecord(
        9, 9, ((0, 0), None, (2, 2)), Colour.WHITE, ((8, 8),), (), ((4, 4),),
        branches=(Branch(0, 2, ((3, 3), (5, 5))),),
    )  # fmt: skip
    with pytest.raises(GameError, match="the file tells no rules"):
        game.position()
    position = game.position(Rules.renju(22))
    assert (position.rules.width, position.walls) == (9, {(4, 4)})
    assert position.stones == (
        (8, 8, Colour.BLACK), (0, 0, Colour.WHITE), (2, 2, Colour.WHITE),
    )  # fmt: skip
    assert position.side is Colour.BLACK
    assert game.position(Rules.renju(), plies=1).side is Colour.BLACK
    assert game.position(Rules.renju(), plies=2).side is Colour.WHITE
    assert game.position(Rules.renju(), line=1).at(5, 5) is Colour.BLACK
    assert first_fault(game, Rules.renju()) is None


def test_faults_of_a_record() -> None:
    """The first one, in which line, at which ply, whatever the order of lines."""
    game = GameRecord(moves=((0, 0), (1, 1)), branches=(Branch(0, 1, ((2, 2), (0, 0))),))
    for rules in (None, Rules.standard()):
        fault = first_fault(game, rules)
        assert fault is not None and fault[:2] == (1, 2)
        assert fault.problem.startswith("branch 1, move 3 (a1)")
    fault = first_fault(GameRecord(black=((0, 0), (0, 0))))
    assert fault is not None and fault[:2] == (0, -1)


def test_branches_are_left_by_undoing_passes() -> None:
    """From a line with passes to one without, and back again."""
    game = GameRecord(
        9, 9, (None, (0, 0), None, (1, 1)),
        branches=(Branch(0, 1, ((2, 2), (3, 3))), Branch(0, 0, ((0, 0), None, None, (4, 4)))),
    )  # fmt: skip
    assert first_fault(game, Rules.freestyle()) is None
    fault = first_fault(replace(game, branches=(*game.branches, Branch(2, 3, ((0, 0),)))))
    assert fault is not None and fault[:2] == (3, 3)
    stones = game.position(Rules.freestyle(), line=2).stones
    assert stones == ((0, 0, Colour.BLACK), (4, 4, Colour.WHITE))
    assert game.position(Rules.freestyle(), line=1).stones == (
        (2, 2, Colour.WHITE), (3, 3, Colour.BLACK),
    )  # fmt: skip


def test_records_made_by_hand_are_checked() -> None:
    """Outside the board, on a stone, a set-up with a point twice: GameErrors with the place."""
    source = Source("a", line=3)
    for game, message in (
        (GameRecord(moves=((15, 0),), source=source), "move 1 (p1) under freestyle: point 15,0"),
        (GameRecord(moves=((99, 0),), source=source), "move 1 (99,0) under freestyle: point 99,0"),
        (GameRecord(black=((0, 0), (0, 0)), source=source), "set-up: point 0,0 is given twice"),
    ):
        with pytest.raises(GameError) as caught:
            game.position(Rules.freestyle())
        assert str(caught.value).startswith(f"a: line 3: {message}")
        assert first_fault(game) is not None
    assert GameRecord(source=Source(name="n")).title == "n"
    assert GameRecord(players=("A", "")).title == "A - ?"


def test_encodings_that_do_not_fit() -> None:
    """What is told is passed over where it is wrong; something is always read."""
    assert decode("Ü".encode("latin-1"), "utf-8") == "Ü"
    assert decode(b"\xff\xfeh", "") == "\xff\xfeh"
    assert decode("五目".encode(), "cp9999") == "五目"
    assert decode("五".encode("gbk") + b"\xff", "") == "Îå\xff"


def test_a_pass_after_the_end() -> None:
    """Even a pass is no move once the game is over."""
    five = "h8 a1 i8 c1 j8 e1 k8 g1 l8 pass"
    (error,) = short(five.encode(), Wanted(Rules.freestyle()))
    assert error == "line 1: move 10 (pass) under freestyle: the game is over: five"


def test_names_of_rules() -> None:
    assert rules_named(" Renju ", 20, 10) == Rules.renju(20, 10)
    assert rules_named("9") == Rules.caro(exact=True)
    assert [rules_named(word) for word in ("gomoku", "2", "", "RIF")] == [None] * 4


def test_source_as_text() -> None:
    assert str(Source("a", line=3, number=2)) == "a: line 3, game 2"
    assert str(Source("a.lib", offset=40)) == "a.lib: byte 40"
    assert str(Source()) == ""


# --- anything ------------------------------------------------------------------------------------


def consume(data: bytes, wanted: Wanted, form: Format | None, name: str) -> None:
    """Whatever comes is a record that replays, or an error with a text."""
    for found in read_games(data, wanted, form, name):
        if isinstance(found, GameError):
            assert found.problem and str(found).isprintable()
            continue
        assert first_fault(found, legal=False) is None
        for line in range(min(3, len(found.branches) + 1)):
            assert len(found.line(line)) == len(found.line_comments(line))


WANTED = st.builds(
    Wanted,
    rules=st.sampled_from([None, Rules.freestyle(), Rules.renju()]),
    legal=st.booleans(),
    size=st.sampled_from([None, (15, 15), (20, 15), (3, 3)]),
    rows=st.sampled_from([None, "top", "bottom"]),
    whole=st.booleans(),
    encoding=st.sampled_from(["", "gbk", "utf-8", "nonsense", "hex"]),
)
FORMS = st.sampled_from([None, *SAMPLES])


@settings(max_examples=400, deadline=2000)
@given(st.binary(max_size=300), WANTED, FORMS)
def test_any_bytes(data: bytes, wanted: Wanted, form: Format | None) -> None:
    """Nothing is raised, nothing hangs."""
    consume(data, wanted, form, "")


EDITS = st.lists(
    st.tuples(
        st.integers(0, 4000),
        st.integers(0, 40),
        st.binary(max_size=4)
        | st.sampled_from([b"(", b")", b"[", b"]", b";", b"<", b">", b"&", b"\\"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=600, deadline=2000)
@given(st.sampled_from(list(SAMPLES)), EDITS, WANTED, st.booleans())
def test_damaged_files(
    form: Format, edits: list[tuple[int, int, bytes]], wanted: Wanted, told: bool
) -> None:
    """Samples with bytes cut out and put in, taken for what they are or guessed at."""
    data = SAMPLES[form]
    for at, length, new in edits:
        at %= len(data) + 1
        data = data[:at] + new + data[at + length :]
    consume(data, wanted, form if told else None, "")


@pytest.mark.parametrize("form", SAMPLES)
def test_cut_off_anywhere(form: Format) -> None:
    """Every beginning of a sample is read or refused."""
    data = SAMPLES[form]
    for end in range(len(data)):
        consume(data[:end], PLAIN, form, "")


@pytest.mark.parametrize(
    "data",
    [
        b"(;" * 50000,
        b"(;FF[" * 50000,
        b"(" * 200000,
        b"(;FF[4]" + b"B[aa]" * 100000,
        b"(;C[" + b"\\" * 300000,
        b"<game" * 50000,
        b"<game>" * 20000,
        b"<games>" + b"<game id=1>" * 20000,
        b"pass " * 20000,
        b"1." * 100000,
        b"h8 " * 50000,
        b"0,0," * 50000,
        b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\0\0" * 100000,
        b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\x78\x80" * 100000,
        b"{" * 100000,
    ],
    ids=lambda data: repr(data[20:26]) if data[:1] == b"\xff" else repr(data[:6]),
)
def test_hostile_files_end_soon(data: bytes) -> None:
    """Hundreds of thousands of bytes, each more of the same."""
    for count, found in enumerate(read_games(data)):
        assert str(found)
        if count > 100000:
            break
