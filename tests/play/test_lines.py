"""Line by line, in a process of its own: transcripts, files, signals."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pseudo import SHISAN

from shisan.engine import Rules
from shisan.protocol.records import read_psq, replay
from shisan.scripts import arguments, show

GOLDEN = sorted(Path(__file__).parent.glob("*.txt"))
COMMAND = [sys.executable, "-c", SHISAN, "play"]


def play(words: list[str], lines: str, cwd: Path) -> tuple[int, str, str]:
    """Status, output and errors of a game with these lines on stdin."""
    done = subprocess.run(
        [*COMMAND, *words],
        input=lines.encode(),
        capture_output=True,
        cwd=cwd,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def steady(output: str) -> str:
    """Without what differs from run to run: times and dates."""
    output = re.sub(r"\(\d+\.\d s\)", "(0.0 s)", output)
    return re.sub(r"shisan-\d{8}-\d{6}", "shisan-DATE-TIME", output)


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_golden(file: Path, tmp_path: Path) -> None:
    """`$` is the command, `>>>` is typed, the rest is printed, all of it."""
    command, *lines = file.read_text(encoding="utf-8").splitlines()
    typed = "".join(f"{line[4:]}\n" for line in lines if line.startswith(">>> "))
    expected = "".join(f"{line}\n" for line in lines if not line.startswith(">>> "))
    assert command.startswith("$ shisan play ")
    status, out, err = play(command.split()[3:], typed, tmp_path)
    assert steady(out) == expected
    assert (status, err) == (0, "")


def test_a_game_to_its_end(tmp_path: Path) -> None:
    """The record replays to the same end; the last line typed needs no line break."""
    lines = "h8\ni8\nj8\nk8\nl8\ng8\nm8\nf8\nresign"
    status, out, err = play(["--strength", "0", "--seed", "5", "--save", "a.psq"], lines, tmp_path)
    assert (status, err) == (0, "")
    record = read_psq((tmp_path / "a.psq").read_bytes())
    assert record.ending == 0
    assert len(record.moves) >= 9
    assert out.splitlines()[-1] == "saved in a.psq"
    position = replay(record, Rules.freestyle())
    assert position.over or "resigns" in out
    again = play(["--strength", "0", "--seed", "5", "--save", "b.psq"], lines, tmp_path)
    assert steady(again[1]).replace("b.psq", "a.psq") == steady(out)


def test_the_printed_command_goes_on_with_the_game(tmp_path: Path) -> None:
    words = ["--rule", "renju", "--size", "9x7", "--side", "white", "--strength", "20"]
    _, out, _ = play([*words, "--white-exact"], "a1\nb2\n", tmp_path)
    last = out.splitlines()[-1]
    assert last.startswith("not saved; to go on: shisan play ")
    _, again, _ = play(last.split()[7:], "board\n", tmp_path)
    shown = [line for line in out.splitlines() if re.match(r" ?\d+ ", line)][-7:]
    assert [line for line in again.splitlines() if re.match(r" ?\d+ ", line)][:7] == shown
    assert "renju, white exactly five, 9x7" in again
    assert "you are White" in again


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--strength", "101"], "--strength must be 0..100, not 101"),
        (["--clock", "0"], "argument --clock: '0' is no time: give seconds, up to 86400"),
        (["--think", "nan"], "argument --think: 'nan' is no time: give seconds, up to 86400"),
        (["--save", "x.txt"], "x.txt: games are saved as .psq or .sgf"),
        (
            ["--save", "there.psq"],
            "there.psq is there already: give another name, or --force to write over it",
        ),
        (["--save", "no/x.psq"], "no/x.psq: there is no folder no"),
        (["--name", "1,2", "--save", "x.psq"], "'1,2' cannot stand as a name in a .psq"),
        (
            ["--black", "h8", "--save", "x.psq"],
            "a .psq holds only moves from an empty board: save as .sgf",
        ),
        (["--opening", "Nothing"], None),
        (["--opening", "Kagetsu", "h8"], "give an opening or a position, not both"),
        (["h8a1i8c1j8e1k8g1l8"], "the game is over: five; --ply begins before its end"),
        (["-"], "moves cannot come from stdin: that is where you play"),
        (["--size", "4"], "width must be 5..22, not 4"),
        (["--seed", "-1"], None),
        (["h8h8"], "move 2 (h8) under freestyle: point 7,7 is occupied"),
    ],
)
def test_errors(tmp_path: Path, words: list[str], message: str | None) -> None:
    """Exit status 2, the usage and one line; nothing is written."""
    (tmp_path / "there.psq").write_text("mine")
    status, out, err = play(words, "h8\n", tmp_path)
    assert (status, out) == (2, "")
    assert err.count("\n") == 2
    assert err.splitlines()[-1].startswith("shisan play: error: ")
    assert message is None or err.splitlines()[-1] == f"shisan play: error: {message}"
    assert [path.name for path in tmp_path.iterdir()] == ["there.psq"]
    assert (tmp_path / "there.psq").read_text() == "mine"


def test_set_ups_openings_and_records(tmp_path: Path) -> None:
    stones = ["--black", "h8 h9", "--white", "a1", "--to-move", "white", "--side", "black"]
    _, out, _ = play([*stones, "--save", "x.sgf", "--think", "0.1"], "undo\n", tmp_path)
    assert "Shisan plays" in out
    assert "there is no move of yours to take back" in out
    assert "AB[hh][hi]AW[aa]PL[W]" in (tmp_path / "x.sgf").read_text()
    _, out, _ = play(["--opening", "kagetsu", "--rule", "renju", "--side", "white"], "", tmp_path)
    assert "White to move after 3 stones; renju, 15x15" in out
    (tmp_path / "r.psq").write_text("Piskvorky 9x9, 0:0, 0\n5,5,0\n4,4,10\n5,4,20\n4,5,20\n")
    _, out, _ = play(["r.psq", "--ply", "2"], "undo\n", tmp_path)
    assert "Black to move after 2 stones; freestyle, 9x9" in out
    assert "Black to move after 0 stones; freestyle, 9x9" in out


def test_losing_on_time_while_nobody_types(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--clock", "0.3", "--save", "t.sgf"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdin is not None and process.stdout is not None
    seen = b""
    while b"time has run out" not in seen:
        seen += process.stdout.readline()
    process.stdin.write(b"h8\n")
    rest, _ = process.communicate(timeout=20)
    assert b"the game is over: White wins: Black's time has run out" in rest
    assert "RE[W+T]" in (tmp_path / "t.sgf").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("thinks", [False, True])
def test_signals(tmp_path: Path, number: signal.Signals, thinks: bool) -> None:
    """At once, without a traceback, and with the game kept."""
    words = ["--think", "30" if thinks else "0.1", "--save", "s.psq"]
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"h8\n")
    process.stdin.flush()
    wanted = 1 if thinks else 2
    until = time.monotonic() + 20
    file = tmp_path / "s.psq"
    while not file.exists() or len(read_psq(file.read_bytes()).moves) < wanted:
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.3)
    begun = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - begun < 1
    assert (process.returncode, err) == (128 + number, b"")
    assert b"saved in s.psq" in out
    assert len(read_psq(file.read_bytes()).moves) == wanted


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "--think", "0.1", "--save", "g.psq"],
        input=b"h8\n",
        stdout=write,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(write)
    assert done.stderr == b""


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--rule", "renju"],
        ["--rule", "renju", "--white-exact", "--no-foul-loses"],
        ["--rule", "caro", "--exact", "--size", "20"],
        ["--rule", "standard", "--no-white-exact", "--size", "20x15"],
        ["--rule", "renju", "--no-closed-five"],
        ["--white-exact"],
    ],
)
def test_rules_are_spelt_as_they_are_read(words: list[str]) -> None:
    wanted = arguments.rules(show.parser().parse_args(words))
    spelt = arguments.spell_rules(wanted)
    assert arguments.rules(show.parser().parse_args(spelt)) == wanted
    assert len(spelt) <= max(2, len(words) + 2)
