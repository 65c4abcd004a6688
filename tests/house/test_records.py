"""Game records: what Piskvork and the Gomocup client write, written back, and refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import Colour, Rules
from shisan.protocol.records import Move, Record, RecordError, read_psq, replay, write_psq

FILES = sorted((Path(__file__).parents[1] / "data" / "psq").glob("*.psq"))

TOURNAMENT = b"""Piskvorky 20x20, 11:11, 0\r
10,10,0\r
11,12,4500\r
9,9,120\r
engineA.exe\r
engineB.zip\r
0\r
"""


def test_tournament_record() -> None:
    """A record as Piskvork writes it in a tournament."""
    record = read_psq(TOURNAMENT)
    assert (record.width, record.height) == (20, 20)
    assert record.moves == (Move(9, 9, 0), Move(10, 11, 4500), Move(8, 8, 120))
    assert (record.black, record.white) == ("engineA.exe", "engineB.zip")
    assert record.levels == (11, 11)
    assert (record.ending, record.outcome) == (0, None)
    assert write_psq(record).encode() == TOURNAMENT.replace(b"\r\n", b"\n")


def test_second_player_first() -> None:
    """The last number of the head says who is Black."""
    record = read_psq(TOURNAMENT.replace(b"11:11, 0", b"11:11, 1"))
    assert (record.black, record.white) == ("engineB.zip", "engineA.exe")


def test_saved_game() -> None:
    """An ordinary saved game has no names; old files have no times."""
    record = read_psq("Piskvorky 15x15, 0:7, 1\n8,8\n9,9\n")
    assert record == Record(15, 15, (Move(7, 7), Move(8, 8)), None, 1, (0, 7))
    assert record.black is None
    assert read_psq("Piskvorky 15x15, 0:7, 1\n8,8\n9,9\n-2\n").ending == -2


def test_gomocup_client() -> None:
    """The client closes with -1 and a line of its own."""
    record = read_psq("Piskvorky 15x15, 11:11, 0\n8,8,0\nA\nB\n-1\n2,Freestyle, final\n")
    assert (record.players, record.ending) == (("A", "B"), -1)
    assert record.outcome == "2,Freestyle, final"
    assert read_psq("Piskvorky 15x15, 11:11, 0\n8,8,0\n-1\n0,x\n").outcome == "0,x"


def test_names_in_any_encoding() -> None:
    """What cannot be decoded is kept and can be written back."""
    data = "Piskvorky 15x15, 0:0, 0\n8,8,0\n五目\nB\n0\n".encode("gbk")
    record = read_psq(data)
    assert write_psq(record).encode("utf-8", "surrogateescape") == data
    assert read_psq("\ufeffPiskvorky 15x15, 0:0, 0\n8,8,0\n五目\n42\n\n").players == ("五目", "42")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    """Real games read, write back and replay to their end."""
    data = path.read_bytes()
    record = read_psq(data)
    assert read_psq(write_psq(record)) == record
    position = replay(record, Rules.freestyle())
    assert position.ply == len(record.moves)
    assert position.over


def test_replay_tells_winner_by_rule() -> None:
    """The same record under two rules: six in a row wins or does not."""
    moves = [(0, 0), (0, 9), (1, 0), (2, 9), (2, 0), (4, 9), (4, 0), (6, 9), (5, 0), (8, 9), (3, 0)]
    record = Record(10, 10, tuple(Move(x, y) for x, y in moves))
    assert replay(record, Rules.freestyle()).result.winner is Colour.BLACK
    assert replay(record, Rules.standard()).result.reason == "going on"
    assert replay(record, Rules.freestyle(), 4).ply == 4


def test_replay_refuses() -> None:
    """A move that the rule does not allow is named by its number."""
    moves = [(x, y) for x in range(5) for y in (0, 1)]
    record = Record(15, 15, tuple(Move(x, y) for x, y in moves))
    with pytest.raises(RecordError, match=r"^move 10 \(e2\) under freestyle: "):
        replay(record, Rules.freestyle())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a .psq begins with"),
        ("Piskvorky\n", "line 1: a .psq begins with"),
        ("Piskvorky 15, 0:0, 0\n", "line 1: a .psq begins with"),
        ("Piskvorky axb, 0:0, 0\n", "line 1: a .psq begins with"),
        ("Piskvorky 15x15, 0:0\n", "line 1: a .psq begins with"),
        ("Piskvorky 30x30, 0:0, 0\n", "line 1: sides must be 5..22, not 30x30"),
        ("Piskvorky 15x15, 0:0, 2\n", "line 1: the first player is 0 or 1, not 2"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\n16,1,5\n", "line 3: 16,1 is outside the board of 15x15"),
        ("Piskvorky 15x15, 0:0, 0\n0,1\n", "line 2: 0,1 is outside"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\n1,1\n8,8\n", "line 4: 8,8 is occupied since line 2"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\nx\n", "line 3: 'x' is neither a move nor an ending"),
        ("Piskvorky 15x15, 0:0, 0\nA\nB\nC\n", "line 4: 'C' is neither a move nor an ending"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\n9;9\nA\nB\n0\n", "line 3: '9;9' is no move"),
    ],
)
def test_errors_say_which_line(text: str, message: str) -> None:
    """The first line that is wrong, counted from 1."""
    with pytest.raises(RecordError) as caught:
        read_psq(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "7,7", "1,2,3"])
def test_names_that_would_not_read_back(name: str) -> None:
    """A name that would be read as something else is refused."""
    with pytest.raises(RecordError, match="cannot stand as a name"):
        write_psq(Record(15, 15, players=("A", name)))


NAMES = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1).filter(
    lambda name: "," not in name and not name.startswith("\ufeff")
)


@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 14)), unique=True, max_size=30).flatmap(
        lambda points: st.tuples(
            st.just(points), st.lists(st.integers(0, 10**6), min_size=30, max_size=30)
        )
    ),
    st.one_of(st.none(), st.tuples(NAMES, NAMES)),
    st.integers(0, 1),
    st.one_of(st.none(), st.integers(-2, 20)),
)
def test_written_records_read_back(
    moves: tuple[list[tuple[int, int]], list[int]],
    players: tuple[str, str] | None,
    first: int,
    ending: int | None,
) -> None:
    """Any record survives the way to text and back."""
    stones = tuple(Move(x, y, time) for (x, y), time in zip(*moves, strict=False))
    record = Record(20, 15, stones, players, first, (11, 0), ending)
    assert read_psq(write_psq(record)) == record


@given(st.one_of(st.text(), st.binary()), st.booleans())
def test_any_data_is_read_or_refused(data: str | bytes, header: bool) -> None:
    """Nothing but RecordError is raised."""
    if header:
        head = "Piskvorky 15x15, 0:0, 0\n8,8,0\n"
        data = head + data if isinstance(data, str) else head.encode() + data
    try:
        read_psq(data)
    except RecordError as error:
        assert str(error)
