"""The journal: what was written is read again, whatever happens to the writer."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shisan.engine import Rules
from shisan.protocol.journal import (
    Event,
    Game,
    Header,
    Journal,
    JournalError,
    Offence,
    Player,
    canonical,
    read_games,
    read_header,
    read_journal,
)

HEADER = Header(
    seed=7,
    players=(Player("ä one", ("./one", "-x"), "00ff"), Player("two", ("two",), "", {"a": "b"})),
    rules=Rules.renju(15, 12),
    settings={"turn": 300, "games": 4, "openings": None},
    openings_sha256="aa",
    openings=3,
    created="2026-01-02T03:04:05",
)


def game(number: int) -> Game:
    return Game(
        number=number,
        pair=(number + 1) // 2,
        black=(number + 1) % 2,
        white=number % 2,
        opening=((7, 7),),
        moves=((7, 7), (8, 8), (6, 6)),
        times_ms=(1.5, 300.0),
        scores=(12, None),
        nodes=(None, 1000),
        result="0-1",
        reason="time",
        loser_fault=True,
        detail='no answer in 300 ms, "quoted"\tand so on',
        events=(Event(2, 0, "time", "played on"),),
        offences=(Offence(1, "Hello", "Piskvork: loss"),),
        overhead_ms=(0.1, 0.2),
        start_ms=(20.0, 21.0),
        memory=(1 << 20, 0),
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "j.jsonl"
    with Journal(path, HEADER) as journal:
        journal.add(game(2))
        journal.add(game(1))
    assert read_header(path) == HEADER
    assert read_journal(path) == (HEADER, [game(1), game(2)])
    assert [each.number for each in read_games(path)] == [2, 1]
    assert path.read_bytes().isascii()
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_views_of_a_game() -> None:
    played = game(1)
    assert (played.score, played.winner) == (0.0, 1)
    assert (played.points(0), played.points(1)) == (0.0, 1.0)
    drawn = replace(played, result="1/2")
    assert (drawn.winner, drawn.points(0), drawn.points(1)) == (None, 0.5, 0.5)


def test_what_was_measured_stands_apart(tmp_path: Path) -> None:
    slow, fast = game(1), replace(game(1), times_ms=(2.0, 3.0), memory=(), overhead_ms=())
    assert slow.line() != fast.line()
    assert slow.line(measured=False) == fast.line(measured=False)
    assert slow.line().startswith(slow.line(measured=False)[:-1])
    assert canonical([game(2), game(1)]) == canonical([game(1), game(2)])
    path = tmp_path / "j.jsonl"
    with Journal(path, HEADER, measured=False) as journal:
        journal.add(slow)
    assert read_journal(path)[1][0].times_ms == ()


@pytest.mark.parametrize("size", range(0, 2000, 97))
def test_any_torn_end_is_left_out_and_cut_off(tmp_path: Path, size: int) -> None:
    """Whatever byte the last write ended at."""
    path = tmp_path / "j.jsonl"
    with Journal(path, HEADER) as journal:
        for number in range(1, 4):
            journal.add(game(number))
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    games = max(0, whole[:size].count(b"\n") - 1)
    if whole[:size].count(b"\n"):
        assert len(list(read_games(path))) == games
    with Journal(path, HEADER) as journal:
        for number in range(games + 1, 4):
            journal.add(game(number))
    assert path.read_bytes() == whole


def test_a_journal_of_another_match_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, HEADER) as journal:
        journal.add(game(1))
    before = path.read_bytes()
    later = replace(HEADER, created="later")
    with Journal(path, later) as journal:
        assert journal.header == HEADER
    other = replace(HEADER.players[0], sha256="11")
    for header, told in (
        (replace(HEADER, seed=8), "seed is 7 there and 8 here"),
        (replace(HEADER, rules=Rules.renju(15)), "rules height is 12 there and 15 here"),
        (replace(HEADER, settings={"turn": 300, "games": 4}), None),
        (replace(HEADER, settings={**HEADER.settings, "x": 1}), "settings x is absent there"),
        (replace(HEADER, players=(other, HEADER.players[1])), 'sha256 is "00ff" there and "11"'),
    ):
        if told is None:
            Journal(path, header).close()
            continue
        with pytest.raises(JournalError, match=told):
            Journal(path, header)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["important notes", "important\nnotes\n", '{"shisan_match":9}\n'])
def test_another_file_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(JournalError, match="is no journal of a match"):
        Journal(path, HEADER)
    assert path.read_text() == text
    with pytest.raises(JournalError):
        read_journal(path)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, HEADER) as journal:
        journal.add(game(1))
        journal.add(game(1))
    with pytest.raises(JournalError, match="line 3: game 1 stands there twice"):
        read_journal(path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + '{"game": {}}\n' + lines[2])
    with pytest.raises(JournalError, match="line 2 is damaged"):
        read_journal(path)
    with pytest.raises(JournalError, match=r"cannot read .*none"):
        read_journal(tmp_path / "none")


WRITER = """\
import sys
from pathlib import Path
from shisan.protocol.journal import Journal, read_header
journal = Journal(Path(sys.argv[1]), read_header(Path(sys.argv[1])))
print("open", flush=True)
sys.stdin.read()
"""


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """Until it ends, even by force."""
    path = tmp_path / "j.jsonl"
    Journal(path, HEADER).close()
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(JournalError, match="in use"):
            Journal(path, HEADER)
        other.kill()
    Journal(path, HEADER).close()
