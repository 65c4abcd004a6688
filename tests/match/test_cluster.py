"""Matches and a batch on a Dask cluster of two workers here, one of which is killed on the way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from outside import ROGUES, begin, left_over, rogue, wait_for_games, wait_until_none_is_left

from shisan.protocol.journal import read_journal

pytest.importorskip("distributed")

DASK = "import sys; from dask.__main__ import main; sys.argv[0] = 'dask'; main()"


def dask(folder: Path, cwd: Path, *words: str) -> "subprocess.Popen[bytes]":
    """A part of the cluster, which runs in cwd. folder: of the test, by which it is known."""
    return subprocess.Popen(
        [sys.executable, "-c", DASK, *words, "--no-dashboard"],
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TEST_OF_MATCH": str(folder)},
        start_new_session=True,
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A scheduler's address, and its two workers of one thread each."""
    about = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        host = ("--host", "127.0.0.1")
        known = ("--port", "0", "--scheduler-file", str(about))
        parts = [dask(tmp_path, tmp_path, "scheduler", *host, *known)]
        stack.callback(_kill, parts)
        until = time.monotonic() + 40
        while not about.exists() or not about.read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        address = json.loads(about.read_text())["address"]
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            local = ("--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path / name))
            parts.append(dask(tmp_path, tmp_path / name, "worker", address, *host, *local))
        yield address, parts[1:]
    wait_until_none_is_left(tmp_path)


def _kill(parts: list["subprocess.Popen[bytes]"]) -> None:
    for part in reversed(parts):
        part.kill()
        part.wait()


def test_a_worker_is_killed_in_mid_game(
    tmp_path: Path, cluster: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    """Its pair is played again by the other one; each game counts once."""
    address, workers = cluster
    slow = ["--engine", "name=slow", f"cmd={rogue('think', '0.02')}"]
    words = ["match", "random", *slow, "--games", "8", "--openings", "random"]
    words += ["--journal", "j.jsonl", "--cluster", address]
    runner = begin(tmp_path, *words)
    wait_for_games(tmp_path / "j.jsonl", 2)
    workers[0].kill()
    out, _ = runner.communicate(timeout=60)
    assert runner.returncode == 0, out
    _, games = read_journal(tmp_path / "j.jsonl")
    assert [game.number for game in games] == list(range(1, 9))
    assert len(list((tmp_path / "j" / "psq").iterdir())) == 8
    assert (tmp_path / "j" / "games.sgf").read_text().count("(;") == 8
    assert brains(tmp_path) == []


def test_programs_are_sent(
    tmp_path: Path, cluster: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    """The workers run elsewhere and have no such file."""
    address, _ = cluster
    program = tmp_path / "sent-brain"
    program.write_text(f"#!{sys.executable}\n{ROGUES.read_text()}")
    program.chmod(0o755)
    words = ["match", "random", "./sent-brain think 0", "--games", "2", "--openings", "random"]
    words += ["--cluster", address, "--journal", "j.jsonl"]
    out, _ = begin(tmp_path, *words, "--send-engines").communicate(timeout=60)
    assert (tmp_path / "j.jsonl").exists(), out
    _, games = read_journal(tmp_path / "j.jsonl")
    assert len(games) == 2
    assert not any(game.loser_fault for game in games)


def test_nobody_at_the_address(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("h8\n")
    for words in (("match", "greedy", "random"), ("analyze", "a.txt", "--out", "r.jsonl")):
        runner = begin(tmp_path, *words, "--cluster", "tcp://127.0.0.1:1")
        out, _ = runner.communicate(timeout=60)
        assert runner.returncode == 2
        assert "error: no Dask scheduler with workers at tcp://127.0.0.1:1" in out.splitlines()[-1]


def test_a_batch_whose_worker_is_killed(
    tmp_path: Path, cluster: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    """The results are those of this machine alone, byte for byte."""
    address, workers = cluster
    (tmp_path / "a.txt").write_text("".join(f"h8i9{x}7\nh8{x}10\n" for x in "defgjk"))
    words = ["analyze", "a.txt", "--turns", "all", "--nodes", "20000", "--lines", "2", "--out"]
    runner = begin(tmp_path, *words, "there.jsonl", "--cluster", address)
    until = time.monotonic() + 60
    path = tmp_path / "there.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < 5:
        assert time.monotonic() < until
        time.sleep(0.02)
    workers[0].kill()
    out, _ = runner.communicate(timeout=60)
    assert (runner.returncode, "42 items: there.jsonl" in out) == (0, True), out
    out, _ = begin(tmp_path, *words, "here.jsonl", "--jobs", "1").communicate(timeout=60)
    assert path.read_bytes() == (tmp_path / "here.jsonl").read_bytes()


def test_nothing_plays_on_for_a_runner_that_was_killed(
    tmp_path: Path, cluster: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    """The workers stay, their brains do not."""
    address, workers = cluster
    slow = ["--engine", "name=slow", f"cmd={rogue('think', '0.3')}"]
    words = ["match", "random", *slow, "--games", "8", "--openings", "empty", "--turn", "5s"]
    runner = begin(tmp_path, *words, "--journal", "j.jsonl", "--cluster", address)
    until = time.monotonic() + 30
    while len(brains(tmp_path)) < 4 or not (tmp_path / "j.jsonl").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    runner.kill()
    runner.communicate()
    until = time.monotonic() + 15
    while brains(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert all(worker.poll() is None for worker in workers)


def brains(folder: Path) -> list[str]:
    """The brains that run."""
    return [line for line in left_over(folder) if "rogues" in line or "sparring" in line]
