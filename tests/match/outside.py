"""Matches as processes of their own: begun in a folder, waited for, and what they leave behind."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import psutil

from shisan.protocol.journal import read_games

ROGUES = Path(__file__).with_name("rogues.py")
SHISAN = "import sys; from shisan.scripts.cli import main; sys.exit(main())"


def rogue(*words: str) -> str:
    """The command line of a brain that misbehaves in this way."""
    return shlex.join([sys.executable, str(ROGUES), *words])


def begin(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """shisan as a process of its own, in a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", SHISAN, *words],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"TEST_OF_MATCH": str(folder)},
        start_new_session=True,
    )


def left_over(folder: Path) -> list[str]:
    """Processes that were started for the matches in this folder and are still there."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("TEST_OF_MATCH") == str(folder) and process.is_running():
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def wait_until_none_is_left(folder: Path) -> None:
    until = time.monotonic() + 10
    while (found := left_over(folder)) and time.monotonic() < until:
        time.sleep(0.05)
    assert found == []


def wait_for_games(path: Path, count: int) -> None:
    until = time.monotonic() + 60
    while not path.exists() or len(list(read_games(path))) < count:
        assert time.monotonic() < until
        time.sleep(0.02)


def killed_and_resumed(folder: Path, counts: tuple[int, ...], *words: str) -> tuple[int, str]:
    """Kill a match with -9 once so many games are in the journal, each time, then let it end.

    words: the command, its journal j.jsonl in the folder. Nothing may survive a kill, and what the
    journal holds may only be added to. Returns the games kept by the last kill, and stdout.
    """
    path = folder / "j.jsonl"
    kept: list[bytes] = []
    for count in counts:
        runner = begin(folder, *words)
        wait_for_games(path, count)
        runner.kill()
        runner.communicate()
        wait_until_none_is_left(folder)
        lines = path.read_bytes().splitlines()
        assert lines[: len(kept)] == kept
        kept = lines
    out, _ = begin(folder, *words).communicate()
    wait_until_none_is_left(folder)
    assert path.read_bytes().splitlines()[: len(kept)] == kept
    return len(kept) - 1, out
