"""On a pseudo-terminal, as a person: what is seen, and what is left behind."""

import os
import re
import signal
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pseudo import SHISAN, Terminal

from shisan.protocol.notation import read_points
from shisan.protocol.records import read_psq

READY = "q leave"
BROKEN = """
import sys
from shisan.scripts import screen
from shisan.scripts.cli import main
shown = screen.render
def render(*arguments, **more):
    if arguments[0].cursor == (0, 7):
        raise RuntimeError("on purpose")
    return shown(*arguments, **more)
screen.render = render
sys.exit(main(sys.argv[1:]))
"""
BROKEN_THOUGHT = """
import sys
from shisan.engine import Engine
from shisan.scripts.cli import main
def search(*arguments, **more):
    raise RuntimeError("on purpose")
Engine.search = search
sys.exit(main(sys.argv[1:]))
"""


class Open:
    """Opens terminals, and closes them at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.all: list[Terminal] = []

    def __call__(self, *words: str, wait: str = READY, **more: Any) -> Terminal:
        terminal = Terminal(["play", *words], cwd=self.folder, **more)
        self.all.append(terminal)
        terminal.shows(wait)
        return terminal


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Open]:
    opened = Open(tmp_path)
    yield opened
    for terminal in opened.all:
        terminal.close()


def moves(file: Path) -> list[tuple[int, int]]:
    return [(move.x, move.y) for move in read_psq(file.read_bytes()).moves]


def test_a_game(start: Open, tmp_path: Path) -> None:
    """Arrows and Enter, a point that is typed, hint, take back, save, leave."""
    terminal = start("h8g8i8a1j8c1", "--think", "0.3")
    modes = termios.tcgetattr(terminal.slave)
    assert not modes[3] & (termios.ICANON | termios.ECHO)
    assert not terminal.emulator.cursor_shown
    assert "[●]" in terminal.text
    terminal.send("\x1b[C\x1bOC\x1b[C")
    terminal.shows("●[┼]")
    terminal.send("\r")
    terminal.shows("Shisan plays l8")
    terminal.shows("○─●─●─●[●]○)")
    terminal.send("u")
    terminal.shows("2 stones taken back")
    terminal.shows("○─●─●─●[┼]┼")
    terminal.send("?")
    terminal.shows(" %")
    terminal.send("k8\r")
    terminal.shows("Shisan plays l8")
    terminal.send("l8\r")
    terminal.shows("l8 is occupied by a white")
    terminal.send("s")
    terminal.shows("saved in shisan-")
    terminal.send("q")
    assert terminal.ends() == "0"
    assert terminal.is_as_found()
    assert terminal.emulator.wrapped == 0
    (file,) = tmp_path.iterdir()
    assert moves(file) == read_points("h8g8i8a1j8c1k8l8")
    assert f"saved in {file.name}" in terminal.text
    assert "to go on: shisan play h8 g8 i8 a1 j8 c1 k8 l8" in terminal.text.replace("\n", "")


def test_what_stood_on_the_screen_before_is_there_again(start: Open) -> None:
    code = f"print('before'); {SHISAN}"
    terminal = start(code=code)
    assert "before" not in terminal.text
    terminal.send("q")
    terminal.ends()
    assert re.fullmatch(r"<pid \d+>\nbefore\n<ended 0>\s*", terminal.text)


@pytest.mark.parametrize(
    ("way", "status"),
    [
        ("\x03", "130"),
        ("\x1c", "131"),
        ("\x04", "0"),
        ("q", "0"),
        (signal.SIGTERM, "143"),
        (signal.SIGHUP, "129"),
    ],
)
def test_leaving_while_the_engine_thinks(
    start: Open, tmp_path: Path, way: str | signal.Signals, status: str
) -> None:
    """At once, whole, quietly; the move that was made is in the file."""
    terminal = start("--think", "60", "--save", "game.psq")
    terminal.send("\x1b[A\x1b[D\r")
    terminal.shows("Shisan thinks (1 s, depth")
    begun = time.monotonic()
    if isinstance(way, str):
        terminal.send(way)
    else:
        terminal.signal(way)
    assert terminal.ends() == status
    assert time.monotonic() - begun < 1
    assert terminal.is_as_found()
    assert b"Traceback" not in terminal.raw
    assert moves(tmp_path / "game.psq") == read_points("g7")


def test_leaving_at_any_moment(start: Open) -> None:
    """From before the screen is taken on; Ctrl-C again and again."""
    for wait_s in (0.2, 0.3, 0.4, 0.5):
        terminal = Terminal(["play"], cwd=start.folder)
        start.all.append(terminal)
        time.sleep(wait_s)
        terminal.signal(signal.SIGTERM)
        assert terminal.ends() in ("143", "-15")
        assert terminal.is_as_found()
        assert b"Traceback" not in terminal.raw


def test_ctrl_c_twice(start: Open) -> None:
    terminal = start("--think", "60")
    terminal.send("\r")
    terminal.shows("Shisan thinks (")
    terminal.send("\x03\x03\x03")
    assert terminal.ends() == "130"
    assert terminal.is_as_found()
    assert b"Traceback" not in terminal.raw


@pytest.mark.parametrize(("code", "keys"), [(BROKEN, "a8"), (BROKEN_THOUGHT, "j10\r")])
def test_an_error_of_our_own(start: Open, tmp_path: Path, code: str, keys: str) -> None:
    """The traceback stands on the usual screen, below what was there; the game is kept."""
    terminal = start("h8i9", "--think", "0.2", "--save", "g.psq", code=code)
    terminal.send("j10\r" if code == BROKEN else "")
    if code == BROKEN:
        terminal.shows("Shisan plays")
    terminal.send(keys)
    assert terminal.ends() == "1"
    assert terminal.is_as_found()
    assert "RuntimeError: on purpose" in terminal.text
    assert len(moves(tmp_path / "g.psq")) == (4 if code == BROKEN else 3)


def test_suspended_and_continued(start: Open) -> None:
    """Ctrl-Z gives the usual screen to the shell; the clock stands; then all is drawn again."""
    terminal = start("--clock", "3", "--think", "0.2")
    terminal.send("\x1a")
    terminal.wait(lambda: b"<stopped>" in terminal.raw)
    assert terminal.is_as_found()
    time.sleep(3.5)
    terminal.signal(signal.SIGCONT)
    terminal.shows("Black: you, 0:0")
    assert not terminal.emulator.cursor_shown
    terminal.send("\r")
    terminal.shows("Shisan plays")
    assert terminal.emulator.entered == 2
    terminal.send("q")
    assert terminal.ends() == "0"
    assert terminal.is_as_found()


def test_stopped_by_what_cannot_be_caught(start: Open) -> None:
    """A shell may have changed modes and screen meanwhile; the usual screen's cursor is kept."""
    terminal = start()
    terminal.signal(signal.SIGSTOP)
    terminal.wait(lambda: b"<stopped>" in terminal.raw)
    termios.tcsetattr(terminal.slave, termios.TCSANOW, terminal.before)
    terminal.signal(signal.SIGCONT)
    terminal.wait(lambda: "<stopped>" not in terminal.text)
    terminal.shows(READY)
    assert not termios.tcgetattr(terminal.slave)[3] & termios.ICANON
    assert terminal.emulator.entered == 1
    terminal.send("q")
    terminal.ends()
    assert terminal.is_as_found()


def test_another_size(start: Open) -> None:
    terminal = start("--size", "20", columns=100, lines=30)
    for columns, lines in ((60, 40), (30, 12), (10, 4), (90, 30)):
        terminal.resize(columns, lines)
        terminal.shows("[")
        terminal.send("\x1b[D" if columns != 10 else "\x1b[C")
        for _ in range(10):
            terminal.pump()
        until = time.monotonic() + 10
        while terminal.text.count("[") != 1 and time.monotonic() < until:
            terminal.pump()
        assert terminal.text.count("[") == 1
    terminal.shows(READY)
    terminal.send("q")
    assert terminal.ends() == "0"
    assert terminal.is_as_found()


def test_time_runs_out_on_the_screen(start: Open) -> None:
    terminal = start("--clock", "1", "--think", "0.2", wait="0:0")
    terminal.shows("White wins: Black's time has")
    terminal.send("u")
    terminal.shows("the game goes on")
    terminal.send("q")
    terminal.ends()
    assert terminal.is_as_found()


def test_a_lone_escape_is_a_key_and_a_cut_sequence_is_none(start: Open) -> None:
    terminal = start()
    terminal.send("r")
    terminal.shows("r again to resign")
    terminal.send("\x1b")
    terminal.wait(lambda: "again" not in terminal.text)
    for part in ("\x1b", "[", "D"):
        terminal.send(part)
    terminal.shows("[┼]╋")
    terminal.send("q")
    assert terminal.ends() == "0"


@pytest.mark.parametrize(
    ("words", "env", "sequences", "marks"),
    [
        ([], {}, True, "╋"),
        ([], {"TERM": "linux"}, True, "╋"),
        ([], {"NO_COLOR": "1"}, False, "╋"),
        (["--no-colour"], {}, False, "╋"),
        (["--ascii"], {}, True, "+"),
        ([], {"PYTHONIOENCODING": "ascii"}, True, "+"),
    ],
)
def test_colours_and_characters(
    start: Open, words: list[str], env: dict[str, str], sequences: bool, marks: str
) -> None:
    terminal = start(*words, env=env)
    assert (re.search(rb"\x1b\[[0-9;]*[1-9][0-9;]*m", terminal.raw) is not None) == sequences
    assert f"[{marks}]" in terminal.text
    assert terminal.text.isascii() == (marks == "+")
    terminal.send("q")
    terminal.ends()
    assert terminal.is_as_found()


@pytest.mark.parametrize(("words", "env"), [(["--plain"], {}), ([], {"TERM": "dumb"})])
def test_lines_on_a_terminal(start: Open, words: list[str], env: dict[str, str]) -> None:
    """With a prompt, the terminal's own editing, and no screen taken."""
    terminal = start(*words, "--think", "0.2", env=env, wait="Black>")
    terminal.send("h9\x7f8\n")
    terminal.shows("Shisan plays")
    terminal.wait(lambda: terminal.text.endswith("\nBlack>"))
    terminal.send("\x03")
    assert terminal.ends() == "130"
    assert terminal.emulator.entered == 0
    assert terminal.is_as_found()
    assert "to go on: shisan play h8 " in terminal.text
    assert b"Traceback" not in terminal.raw


def test_the_terminal_goes_away(start: Open, tmp_path: Path) -> None:
    """No process is left behind, spinning or not."""
    terminal = start("--think", "60", "--save", "game.psq")
    terminal.send("\r")
    terminal.shows("Shisan thinks (")
    os.kill(terminal.shell.pid, signal.SIGKILL)
    terminal.shell.wait()
    os.close(terminal.slave)
    os.close(terminal.master)
    until = time.monotonic() + 10
    while Path(f"/proc/{terminal.pid}").exists() and not stopped(terminal.pid):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert moves(tmp_path / "game.psq") == read_points("h8")
    start.all.remove(terminal)


def stopped(pid: int) -> bool:
    """Whether a process has ended that nobody has waited for."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"
