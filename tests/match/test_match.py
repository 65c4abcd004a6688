"""Matches from the outside: repeated, killed, resumed, stopped, refused."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from outside import (
    SHISAN,
    begin,
    killed_and_resumed,
    rogue,
    wait_for_games,
    wait_until_none_is_left,
)

from shisan.engine import Position
from shisan.protocol.journal import Game, canonical, read_games, read_journal
from shisan.scripts import cli


def shisan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command in this process."""
    try:
        status = cli.main(words)
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    out, err = capsys.readouterr()
    print(out, err)  # for whoever reads a failure
    return status, out, err


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test in an empty folder."""
    monkeypatch.chdir(tmp_path)
    yield
    wait_until_none_is_left(tmp_path)


def games_of(path: str | Path) -> list[Game]:
    return read_journal(Path(path))[1]


def test_the_plainest_match_works_and_is_not_played_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("match", "greedy", "random", "--games", "2")
    status, out, err = shisan(capsys, *words)
    assert (status, err) == (0, "")
    assert "[2/2] game 2: random - greedy" in out
    (folder,) = Path("matches").iterdir()
    header, games = read_journal(folder / "journal.jsonl")
    assert [player.name for player in header.players] == ["greedy", "random"]
    assert [(game.black, game.white) for game in games] == [(0, 1), (1, 0)]
    assert games[0].opening == games[1].opening
    assert {"report.html", "games.sgf", "games.csv", "table.txt"} <= set(os.listdir(folder))
    before = (folder / "journal.jsonl").read_bytes()
    status, out, _ = shisan(capsys, *words)
    assert status == 0
    assert "all games are in" in out
    assert (folder / "journal.jsonl").read_bytes() == before
    status, out, _ = shisan(capsys, "match", "--report", str(folder / "journal.jsonl"))
    assert status == 0
    assert "greedy" in out


def test_the_same_seed_plays_the_same_games_byte_for_byte(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Engines limited by nodes; one at a time, and several at once."""
    words = ["match", "shisan", "greedy", "--games", "4", "--nodes", "100", "--no-times"]
    words += ["--formats", "none", "--rule", "renju", "--timeout", "loses"]
    for name, more in (("a", []), ("b", []), ("c", ["--concurrency", "2"])):
        width = more or ["--concurrency", "1"]
        assert shisan(capsys, *words, *width, "--journal", f"{name}.jsonl")[0] == 0
    first, second, third = (Path(f"{name}.jsonl").read_bytes() for name in "abc")
    assert first == second
    assert sorted(first.splitlines()) == sorted(third.splitlines())
    assert canonical(read_games(Path("a.jsonl"))) == canonical(read_games(Path("c.jsonl")))
    assert shisan(capsys, *words, "--journal", "d.jsonl", "--seed", "2")[0] == 0
    assert canonical(read_games(Path("a.jsonl"))) != canonical(read_games(Path("d.jsonl")))


def test_killed_and_resumed(tmp_path: Path) -> None:
    """kill -9 in mid-game, twice: nothing survives, no game is lost or counted twice."""
    slow = ["--engine", "name=slow", f"cmd={rogue('think', '0.05')}"]
    words = ["match", "greedy", *slow, "--games", "8", "--concurrency", "2"]
    words += ["--openings", "random", "--journal", "j.jsonl"]
    kept, out = killed_and_resumed(tmp_path, (1, 4), *words)
    header, games = read_journal(tmp_path / "j.jsonl")
    assert [game.number for game in games] == list(range(1, 9))
    assert f"resuming: {kept} of 8 games are played" in out
    psqs = sorted((tmp_path / "j" / "psq").iterdir())
    assert len(psqs) == 8
    for game, psq in zip(games, psqs, strict=True):
        text = psq.read_text().splitlines()
        assert [tuple(map(int, line.split(",")[:2])) for line in text[1 : len(game.moves) + 1]] == [
            (x + 1, y + 1) for x, y in game.moves
        ]
        position = Position(header.rules)
        for x, y in game.moves:
            position.play(x, y)
    assert (tmp_path / "j" / "games.sgf").read_text().count("(;") == 8
    assert len((tmp_path / "j" / "games.csv").read_text().splitlines()) == 9


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C: what is finished is kept and reported, no process stays."""
    slow = ["--engine", "name=slow", f"cmd={rogue('think', '0.05')}"]
    words = ["match", "random", *slow, "--games", "40", "--journal", "j.jsonl"]
    runner = begin(tmp_path, *words, "--openings", "random")
    wait_for_games(tmp_path / "j.jsonl", 1)
    runner.send_signal(signal.SIGINT)
    out, _ = runner.communicate(timeout=20)
    assert runner.returncode == 130
    assert "the same command goes on" in out
    assert (tmp_path / "j" / "report.html").exists()


def test_a_worker_that_is_killed_costs_its_own_games_only(tmp_path: Path) -> None:
    slow = ["--engine", "name=slow", f"cmd={rogue('think', '0.03')}"]
    words = ["match", "random", *slow, "--games", "4", "--concurrency", "2"]
    runner = begin(tmp_path, *words, "--openings", "random", "--journal", "j.jsonl")
    wait_for_games(tmp_path / "j.jsonl", 1)
    for process in psutil.Process(runner.pid).children():
        if "shisan.protocol.workers" in " ".join(process.cmdline()):
            process.kill()
    runner.communicate(timeout=40)
    assert runner.returncode == 0
    assert [game.number for game in games_of(tmp_path / "j.jsonl")] == [1, 2, 3, 4]


def test_programs_that_fail_lose_their_own_games(capsys: pytest.CaptureFixture[str]) -> None:
    """Each in its own way, in one tournament."""
    words = ["tournament", "greedy", "--gauntlet", "--games", "2", "--turn", "200ms"]
    words += ["--tolerance", "200ms", "--openings", "empty", "--journal", "j.jsonl"]
    ways = {"occupied": "2", "crash": "2", "hang": "2", "sleep": "1"}
    for way, number in ways.items():
        words += ["--engine", f"name={way}", f"cmd={rogue(way, number)}"]
    assert shisan(capsys, *words, "--concurrency", "4")[0] == 0
    ends = {way: set() for way in ways}
    header, games = read_journal(Path("j.jsonl"))
    for game in games:
        ends[header.players[max(game.black, game.white)].name].add((game.winner, game.reason))
    assert ends["occupied"] == {(0, "illegal move")}
    assert ends["crash"] == {(0, "crash")}
    assert ends["hang"] == {(0, "time")}
    assert len(games) == 8


def test_the_built_in_engine_plays_on(capsys: pytest.CaptureFixture[str]) -> None:
    late = ["--engine", "name=late", f"cmd={rogue('hang', '2')}"]
    words = ["match", *late, "random", "--games", "2", "--turn", "100ms", "--tolerance", "100ms"]
    words += ["--timeout", "plays-on", "--openings", "empty", "--journal", "j.jsonl"]
    assert shisan(capsys, *words)[0] == 0
    for game in games_of("j.jsonl"):
        assert (game.winner, game.reason) == (0, "five")
        assert [(event.player, event.kind) for event in game.events] == [(0, "time")]


def test_swap2_between_our_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "shisan", "shisan", "--games", "2", "--nodes", "100", "--rule", "standard"]
    assert shisan(capsys, *words, "--openings", "swap2", "--journal", "j.jsonl")[0] == 0
    header, games = read_journal(Path("j.jsonl"))
    assert [player.name for player in header.players] == ["shisan", "shisan 2"]
    for game in games:
        assert len(game.opening) in (3, 5)
        assert {event.kind for event in game.events} == {"swap2"}
        assert game.reason in ("five", "board full")


def test_a_test_stops_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """After the same pair, however many games run at once."""
    words = ["match", "greedy", "random", "--games", "100", "--sprt", "0:400", "--turn", "5s"]
    counts = []
    for name, width in (("a", "1"), ("b", "3")):
        more = ["--concurrency", width, "--journal", f"{name}.jsonl", "--formats", "none"]
        status, out, _ = shisan(capsys, *words, "--openings", "random", *more)
        assert status == 0
        assert "the test has decided" in out
        counts.append(len(games_of(f"{name}.jsonl")))
    assert 4 <= counts[0] <= counts[1] < 40


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["greedy"], "give 2 engines, not 1: shisan, greedy, random or a command"),
        (["greedy", "./nosuch"], "nosuch cannot start: no file ./nosuch"),
        (["greedy", "nosuch-program"], "no program 'nosuch-program' on the search path"),
        (["greedy", "random", "--openings", "nosuch.txt"], "cannot read nosuch.txt: No such file"),
        (["greedy", "random", "--turn", "5"], "argument --turn: '5' is no time: 300ms, 30s"),
        (["greedy", "random", "--increment", "1s"], "--increment needs --time"),
        (["greedy", "random", "--turn", "none"], "a move needs a limit: --turn, --time"),
        (["greedy", "random", "--sprt", "5:0"], "argument --sprt: ELO0 must be less"),
        (["greedy", "random", "--sprt", "0:5", "--first", "first"], "--sprt counts pairs"),
        (["greedy", "random", "--size", "40"], "width must be 5..22, not 40"),
        (["greedy", "random", "--forbidden"], "forbidden moves need black_exact"),
        (["greedy", "random", "--anchor", "x=3"], "--anchor: no player 'x'; there are greedy"),
        (["greedy", "random", "--send-engines"], "--send-engines needs --cluster"),
        (["greedy", "--engine", "speed=3"], "no key 'speed'; keys are name, cmd, dir"),
        (["greedy", "random", "--black-exact"], "no sum for INFO rule means black exactly five"),
        (["--report", "nosuch.jsonl"], "cannot read nosuch.jsonl: No such file"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    status, out, err = shisan(capsys, "match", *words)
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("shisan match: error: ")
    assert told in last
    assert list(Path().iterdir()) == []


def test_programs_that_cannot_take_part(capsys: pytest.CaptureFixture[str]) -> None:
    """They are found out before anything is written."""
    dead = ["--engine", "name=dead", f"cmd={sys.executable} -c pass"]
    status, _, err = shisan(capsys, "match", "greedy", *dead)
    assert status == 2
    assert "dead cannot start: " in err
    refuses = ["--engine", "name=choosy", f"cmd={rogue('say:ERROR rule is not supported')}"]
    status, _, err = shisan(capsys, "match", "greedy", *refuses, "--rule", "caro", "--turn", "1s")
    assert status == 2
    assert "choosy refuses caro 15x15" in err
    assert list(Path().iterdir()) == []


def test_a_journal_of_another_match_is_not_touched(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "greedy", "random", "--games", "2", "--journal", "j.jsonl"]
    assert shisan(capsys, *words, "--openings", "empty")[0] == 0
    before = Path("j.jsonl").read_bytes()
    for more, told in (
        (["--openings", "empty", "--seed", "5"], "seed is 1 there and 5 here"),
        (["--openings", "named"], 'settings openings is "empty" there and "named" here'),
        (["--openings", "empty", "--rule", "caro"], "rules closed_five is true there"),
    ):
        status, _, err = shisan(capsys, *words, *more)
        assert status == 2
        assert told in err
    with Path("j.jsonl").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        status, _, err = shisan(capsys, *words, "--openings", "empty")
        assert (status, err.count("\n")) == (2, 1)
        assert "j.jsonl is in use: another process writes to it" in err
    Path("notes.txt").write_text("my notes\n")
    status, _, err = shisan(capsys, "match", "greedy", "random", "--journal", "notes.txt")
    assert status == 2
    assert "notes.txt is no journal of a match" in err
    assert Path("notes.txt").read_text() == "my notes\n"
    assert Path("j.jsonl").read_bytes() == before
    assert json.loads(before.splitlines()[0])["kind"] == "match"


def test_everything_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Strict reading, suspended brains, one process for both games, memory, transcripts."""
    words = ["match", "greedy", "random", "--games", "2", "--strict", "--suspend", "--keep"]
    words += ["--charge-start", "--line-end", "lf", "--memory", "350MB", "--turn", "2s"]
    words += ["--time", "60s", "--increment", "10ms", "--transcripts", "--draw-empty", "25"]
    status, out, _ = shisan(capsys, *words, "--rule", "renju", "--no-foul-loses", "--out", "o")
    assert status == 0
    assert "greedy: starts in " in out
    assert "overhead of the runner: median " in out
    games = games_of("o/journal.jsonl")
    assert [game.reason for game in games] == ["five", "five"]
    assert all(game.memory[0] > 1 << 20 for game in games)
    assert games[0].times_ms[0] > games[0].times_ms[2], "the start is part of the first move"
    texts = [Path(f"o/transcripts/0000{number}.txt").read_text() for number in (1, 2)]
    assert all(" greedy > START 15\n" in text and " random < OK\n" in text for text in texts)
    assert "greedy > INFO time_left 60000\n" in texts[0]
    assert "greedy > INFO rule 4\n" in texts[0]


def test_lines_that_managers_punish_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "greedy", "--engine", "name=rude", f"cmd={rogue('say: 7 ,7')}"]
    more = ["--games", "1", "--turn", "200ms", "--tolerance", "100ms", "--openings", "empty"]
    status, out, _ = shisan(capsys, *words, *more, "--journal", "j.jsonl")
    assert status == 0
    assert "rude: " in out
    assert "lines that a real manager would punish, first ' 7 ,7'" in out
    (game,) = games_of("j.jsonl")
    assert game.offences[0].player == 1
    assert "Piskvork" in game.offences[0].managers


def test_a_board_on_a_terminal(tmp_path: Path) -> None:
    """Rich draws where there is a terminal: the board, the score, the progress."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", SHISAN, "match", "greedy", "random", "--games", "2"]
    known = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    runner = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, env=os.environ | known)
    os.close(theirs)
    text = b""
    with suppress(OSError):  # the end of a terminal
        while chunk := os.read(ours, 65536):
            text += chunk
    os.close(ours)
    assert runner.wait() == 0
    assert b"2/2 games" in text
    assert b"game 1: greedy - random" in text
    assert b"Black, X" in text
