"""SGF read and written: trees, set-ups, passes, escapes, encodings, collections, what is broken."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisan.engine import Colour, Point, Rules
from shisan.protocol.games import Branch, GameError, GameRecord, Moves, Source
from shisan.protocol.gametrees import PLAIN, TreeBuilder, Wanted
from shisan.protocol.sgftrees import outcome, read_sgf
from shisan.protocol.sgfwriter import write_collection, write_sgf

DATA = Path(__file__).parents[1] / "data" / "games"

MATCH_RUNNER = (
    "(;FF[4]GM[4]GN[1]EV[A x B]DT[2024.05.01 12:30:00]RO[1.1]RU[4]SZ[15]PB[A]PW[B]RE[B+1]"
    "TE[five connection]\n;B[hh]C[opening move];W[gg]C[opening move];B[hi]C[123ms])\n"
)


def games(data: str | bytes, wanted: Wanted = PLAIN) -> list[GameRecord]:
    """The games of a collection without faults."""
    found = list(read_sgf(data, "a.sgf", wanted))
    assert all(isinstance(each, GameRecord) for each in found), found
    return [each for each in found if isinstance(each, GameRecord)]


def texts(data: str | bytes, wanted: Wanted = PLAIN) -> list[str]:
    """What is found: the moves of a game as a text of letters, or what is wrong."""
    return [
        str(each)
        if isinstance(each, GameError)
        else "".join("--" if m is None else chr(97 + m[0]) + chr(97 + m[1]) for m in each.moves)
        for each in read_sgf(data, "a.sgf", wanted)
    ]


def test_match_runner() -> None:
    """c-gomoku-cli: a date that is none, a reason as free text, the rule as a number."""
    (game,) = games(MATCH_RUNNER)
    assert game.moves == ((7, 7), (6, 6), (7, 8))
    assert game.comments == ("opening move", "opening move", "123ms")
    assert (game.rules, game.players, game.result) == (Rules.renju(), ("A", "B"), "1-0")
    assert game.fact("date") == "2024.05.01 12:30:00"
    assert game.fact("termination") == "five connection"
    assert game.fact("result") == "B+1"
    assert game.source == Source("a.sgf", "sgf", 1, 1, None, "1")


def test_columns_come_first() -> None:
    """ba is column b, row a: next to the corner, on the top rim."""
    (game,) = games("(;GM[4]SZ[15];B[ba];W[ao])")
    assert game.moves == ((1, 0), (0, 14))


def test_variations() -> None:
    """First children make the main line; every other child begins a branch."""
    (game,) = games(
        "(;GM[4];B[hh](;W[hi](;B[aa];W[bb])(;B[cc]C[c](;W[dd])(;W[ee])))(;W[gg];B[ff]))"
    )
    assert game.moves == ((7, 7), (7, 8), (0, 0), (1, 1))
    assert game.branches == (
        Branch(0, 2, ((2, 2), (3, 3)), ("c", "")),
        Branch(1, 3, ((4, 4),)),
        Branch(0, 1, ((6, 6), (5, 5))),
    )
    assert game.line(2) == ((7, 7), (7, 8), (2, 2), (4, 4))
    assert game.line_comments(2) == ("", "", "c", "")
    assert game.position(Rules.freestyle(), line=2).ply == 4


def test_variation_without_moves_is_no_branch() -> None:
    (game,) = games("(;GM[4];B[hh](;C[so far])(;W[hi])(;C[or this](;W[gg])))")
    assert game.moves == ((7, 7), (7, 8))
    assert game.comments == ("so far\nor this", "")
    assert game.branches == (Branch(0, 1, ((6, 6),)),)


def test_set_up_and_side() -> None:
    """AB, AW and AE, points and rectangles; PL, then the first move, say who begins."""
    (game,) = games("(;GM[4]SZ[15]AB[aa:ca][hh]AW[cc]AE[ba]PL[W];W[dd];B[ee])")
    assert game.black == ((0, 0), (2, 0), (7, 7))
    assert (game.white, game.side, game.moves) == (((2, 2),), Colour.WHITE, ((3, 3), (4, 4)))
    position = game.position(Rules.freestyle())
    assert position.side is Colour.WHITE and position.at(3, 3) is Colour.WHITE
    (game,) = games("(;GM[4];W[aa];B[bb])")
    assert (game.side, game.moves) == (Colour.WHITE, ((0, 0), (1, 1)))
    (game,) = games("(;GM[4]AB[aa][bb][cc])")
    assert game.side is Colour.BLACK, "stone counts say nothing"


def test_passes() -> None:
    """Empty, tt on small boards, and where one colour moves twice."""
    assert texts("(;GM[4]SZ[15];B[hh];W[];B[tt];W[aa])") == ["hh----aa"]
    assert texts("(;GM[4]SZ[20];B[hh];W[tt])") == ["hhtt"]
    assert texts("(;GM[4];B[hh];B[hi];B[hj])") == ["hh--hi--hj"]
    (game,) = games("(;GM[4];B[hh];B[hi])")
    position = game.position(Rules.freestyle())
    assert [colour for *_, colour in position.stones] == [Colour.BLACK] * 2
    assert position.side is Colour.WHITE


def test_escapes_and_line_breaks() -> None:
    (game,) = games(
        "(;GM[4]PB[a\\]b]PW[c\\\\d]EV[two\r\nlines]GC[g]C[x\\:y]N[name]"
        ";B[hh]C[soft \\\nbreak\ttab\n(;B[aa\\])])"
    )
    assert game.players == ("a]b", "c\\d")
    assert game.fact("event") == "two lines"
    assert game.comment == "g\nname\nx:y"
    assert game.comments == ("soft break tab\n(;B[aa])",)


def test_sizes() -> None:
    assert (games("(;GM[4]SZ[20:15];B[to])")[0].width, 15) == (20, 15)
    assert games("(;GM[4];B[hh])")[0].width == 15
    assert games("(;GM[4];B[tt])", Wanted(size=(20, 20)))[0].moves == ((19, 19),)
    assert texts("(;GM[4];B[pp])") == [
        "a.sgf: line 1: B[pp] is outside the board of 15x15 (SZ is missing: say which size)"
    ]


def test_old_and_sloppy_spellings() -> None:
    """Names with small letters, capitals as points, text around the game, no FF."""
    assert texts("From: a mail\n(;GaMe[4]SiZe[15]\n;Black[HH] ;White[ii]\n)\n-- \nend") == ["hhii"]


@pytest.mark.parametrize(
    ("raw", "black"),
    [
        ("(;GM[4]CA[GBK]PB[五目];B[hh])".encode("gbk"), "五目"),
        ("(;GM[4]PB[五目并];B[hh])".encode("gbk"), "五目并"),
        ("(;GM[4]PB[Jürgen];B[hh])".encode("latin-1"), "Jürgen"),
        ("(;GM[4]CA[Shift_JIS]PB[連珠];B[hh])".encode("shift_jis"), "連珠"),
        ("(;GM[4]CA[rot13]PB[連珠];B[hh])".encode(), "連珠"),
        ("(;GM[4]CA[UTF-8]PB[Jürgen];B[hh])".encode("latin-1"), "Jürgen"),
        ("(;GM[4]PB[Jürgen];B[hh])".encode("utf-16"), "Jürgen"),
        ("\ufeff(;GM[4]PB[Jürgen];B[hh])".encode(), "Jürgen"),
    ],
)
def test_encodings(raw: bytes, black: str) -> None:
    """What CA says, if it fits; else as it looks."""
    assert games(raw)[0].players[0] == black


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.sgf: line 1: no SGF: nothing begins with (;"),
        ("(;GM[4];B[hh]", "a.sgf: line 1: the file ends inside the game, with 1 open (: it is cut"),
        ("(;GM[4]\n;B[hh", "a.sgf: line 2: the value of B is not closed: a ] is missing"),
        ("(;GM[1]SZ[19];B[pd])", "a.sgf: line 1: GM[1] is Go; five in a row is GM[4]"),
        ("(;GM[4]SZ[x])", "a.sgf: line 1: SZ[x] is neither 15 nor 20:15"),
        ("(;GM[4]SZ[40])", "a.sgf: line 1: sides must be 5..22, not 40x40"),
        ("(;GM[4]\n\n;B[h8])", "a.sgf: line 3: B[h8] is no point: two letters like hh are"),
        ("(;GM[4];B[hh]\n;W[hh])", "a.sgf: line 2: move 2 (h8): point 7,7 is occupied"),
        ("(;GM[4];B[hh]AB[aa])", None),
        ("(;GM[4];B[hh];AB[aa])", "a.sgf: line 1: AB after a move cannot be played"),
        ("(;GM[4]AB[aa]AW[aa])", "a.sgf: line 1: AW[aa]: point 0,0 is occupied"),
        ("(;GM[4]AB[aa];B[aa])", "a.sgf: line 1: move 1 (a1): point 0,0 is occupied"),
        ("(;GM[4]PL[x])", "a.sgf: line 1: PL[x] is neither B nor W"),
        ("(;GM[4] B[hh] ?)", "a.sgf: line 1: '?)' is neither a bracket, a ; nor a property"),
        ("(;GM[4];B[hh](W[aa]))", "a.sgf: line 1: 'W[aa]))' stands outside of a node: a ; is"),
        ("(;GM[4];B[hh]\n(;W[aa]\n)(\n;W[hh]))", "a.sgf: line 4: branch 1, move 2 (h8): point"),
    ],
)
def test_faults(text: str, message: str | None) -> None:
    found = texts(text)
    if message is None:
        assert found == ["hh"], "a set-up in the node of the first move comes before it"
    else:
        assert len(found) == 1 and found[0].startswith(message), found


def test_one_bad_game_does_not_stop_the_others() -> None:
    """Broken content, broken syntax and a game that is not closed, between good ones."""
    found = texts(
        "(;FF[4]GM[4];B[aa])\n(;FF[4]GM[4];B[b](;W[aa]))\n(;FF[4]GM[4];B[bb] oops ;W[cc])\n"
        "(;FF[4]GM[4];B[cc];W[dd]\n(;FF[4]GM[4];B[dd])\n(;FF[4]GM[4];B[ee])(;FF[4];B[ff"
    )
    assert found == [
        "aa",
        "a.sgf: line 2, game 2: B[b] is no point: two letters like hh are",
        "a.sgf: line 3, game 3: 'oops ;W[cc])' is neither a bracket, a ; nor a property",
        "a.sgf: line 5, game 4: the game is not closed where another begins: a ) is missing",
        "dd",
        "ee",
        "a.sgf: line 6, game 7: the value of B is not closed: a ] is missing",
    ]


def test_told_rules_are_checked() -> None:
    """The rule of the file, unless another one is wanted; branches too."""
    five = "".join(f";B[{c}a];W[{c}c]" for c in "abcd") + ";B[ea]"
    assert len(texts(f"(;GM[4]RU[freestyle]{five})")[0]) == 18
    message = "a.sgf: line 1: move 10 (e3) under {}: the game is over: five"
    assert texts(f"(;GM[4]RU[freestyle]{five};W[ec])") == [message.format("freestyle")]
    assert len(texts(f"(;GM[4]{five};W[ec])")[0]) == 20
    assert texts(f"(;GM[4]{five};W[ec])", Wanted(Rules.caro())) == [message.format("caro")]
    assert len(texts(f"(;GM[4]RU[0]{five};W[ec])", Wanted(legal=False))[0]) == 20
    branch = texts(f"(;GM[4]RU[0](;B[hh])({five};W[ec]))")
    assert branch == [
        "a.sgf: line 1: branch 1, move 10 (e3) under freestyle: the game is over: five"
    ]


def test_outcomes() -> None:
    found = [outcome(value) for value in ("b+r", "W+T", "B+1", "0", "Draw", "B+Draw", "?", "Void")]
    assert found == ["1-0", "0-1", "1-0", "1/2", "1/2", "1/2", "", ""]


def test_deep_nesting() -> None:
    """No recursion, in reading or in writing."""
    assert texts("(;GM[4]" + "(" * 20000 + ";B[aa]" + ")" * 20000 + ")") == ["aa"]
    branches = [Branch(0, 0, (None, None)), *(Branch(k, k, (None, None)) for k in range(1, 600))]
    game = GameRecord(moves=((0, 0),), branches=tuple(branches))
    (found,) = games(write_sgf(game))
    assert len(found.branches) == 600
    assert found.line(600) == game.line(600) == (None,) * 601


def test_many_games_take_linear_time() -> None:
    """10,000 games whose every second one is broken."""
    text = "(;FF[4]GM[4];B[aa])\n(;FF[4]GM[4];B[bb]\n" * 5000
    found = list(read_sgf(text))
    assert len(found) == 10000
    assert isinstance(found[-1], GameError) and found[-1].source.line == 10001


# --- written and read back -----------------------------------------------------------------------

WORDS = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \\][();:"), max_size=12
).map(str.strip)
COMMENTS = st.lists(WORDS.filter(bool), max_size=3).map("\n".join)
POINTS: st.SearchStrategy[Point] = st.tuples(st.integers(0, 9), st.integers(0, 8))


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Any record that SGF can hold."""
    lying = draw(st.lists(POINTS, max_size=6, unique=True))
    cut = draw(st.integers(0, len(lying)))
    tree = TreeBuilder()
    tree.say(draw(COMMENTS))
    for _ in range(draw(st.integers(0, 12))):
        tree.back(draw(st.integers(0, tree.ply)))
        played = {move for move in tree.path() if move is not None} | set(lying)
        move = draw(st.none() | POINTS.filter(lambda point: point not in played))  # noqa: B023
        tree.add(move, 1)
        tree.say(draw(COMMENTS))
    game = GameRecord(
        10,
        9,
        side=draw(st.sampled_from(list(Colour))),
        black=tuple(lying[:cut]),
        white=tuple(lying[cut:-1]),
        walls=tuple(lying[max(cut, len(lying) - 1) :]),
        players=(draw(WORDS), draw(WORDS)),
        result=draw(st.sampled_from(["", "1-0", "0-1", "1/2"])),
        facts=tuple((name, said) for name in ("event", "round", "date") if (said := draw(WORDS))),
    )
    return tree.fill(game)


def key(game: GameRecord) -> tuple[object, ...]:
    """What must come back. Two children with the same move, and the order of branches, may not."""
    lines = sorted(
        (str(game.line(k)), str(game.line_comments(k))) for k in range(len(game.branches) + 1)
    )
    sides = game.side if game.moves or game.black or game.white else None
    return (
        game.width, game.height, game.moves, sides, sorted(game.black), sorted(game.white),
        game.walls, game.players, game.result, game.comment, game.facts, lines,
    )  # fmt: skip


@settings(deadline=timedelta(seconds=5))
@given(records())
def test_written_games_read_back(game: GameRecord) -> None:
    """Everything but who begins where nobody moves."""
    (found,) = games(write_sgf(game))
    assert key(found) == key(game)
    assert write_sgf(found) == write_sgf(games(write_sgf(found))[0])


def test_rules_read_back() -> None:
    """Every combination of facts has a name that reads back."""
    for rules in (
        Rules.freestyle(15),
        Rules.standard(15),
        Rules.renju(15),
        Rules.caro(15),
        Rules.caro(15, exact=True),
        Rules(black_exact=True),
        Rules(white_exact=True, closed_five=False),
        Rules(black_exact=True, white_exact=True, forbidden=True, closed_five=False),
    ):
        (found,) = games(write_sgf(GameRecord(rules=rules)))
        assert found.rules == rules


def test_collection_of_files_reads_back() -> None:
    """Sample games with branches, comments and set-ups, read, written and read again."""
    found = games((DATA / "tree.sgf").read_bytes())
    assert len(found) == 3
    assert games(write_collection(found)) == found
    assert [len(game.branches) for game in found] == [3, 0, 0]


def lines_of(game: GameRecord) -> Iterator[Moves]:
    for k in range(len(game.branches) + 1):
        yield game.line(k)


def test_branches_in_any_order_are_written() -> None:
    """A branch that leaves before its parent begins, and branches at a line's end."""
    game = GameRecord(
        moves=((0, 0), (1, 0), (2, 0)),
        branches=(
            Branch(0, 2, ((3, 3), (4, 4))),
            Branch(1, 1, ((5, 5),)),
            Branch(0, 3, ((6, 6),)),
            Branch(0, 3, ((7, 7),)),
        ),
    )
    (found,) = games(write_sgf(game))
    kept = {line for line in lines_of(game) if line != game.moves}
    assert set(lines_of(found)) == kept, "the main line goes on with the branch at its end"
