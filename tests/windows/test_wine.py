"""pbrain-shisan.exe inside Wine, under a harness that does what Piskvork does.

The harness and the checks know the protocol and the slow reference of the rules, nothing else.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wine import Brain, Wine

from shisan.engine import Rules
from shisan.engine.reference import ReferencePosition

pytestmark = pytest.mark.slow

SLACK = float(os.environ.get("SHISAN_TEST_SLACK", "1"))
"""Seconds added to every bound of time: machines that run tests are busy."""

TURN_MS = 200
MATCH_MS = 60_000
TOLERANCE = 1.0
"""Seconds that Piskvork lets a move be late, unless it is told another number."""

RULES = {
    0: Rules.freestyle,
    1: Rules.standard,
    4: Rules.renju,
    8: Rules.caro,
    9: lambda size: Rules.caro(size, exact=True),
}
GAMES = [(rule, size, seed) for rule in RULES for size in (15, 20) for seed in (1, 2)]


class Seat:
    """One side of a game: its process, its clock, its stones as it must be told them."""

    def __init__(self, wine: Wine, exe: Path, rule: int, size: int) -> None:
        self.brain = wine.start(exe)
        self.started_ms = self.brain.begin(size)
        self.left_ms = float(MATCH_MS)
        self.slowest = 0.0
        self.first = True
        self.brain.send(
            "INFO max_memory 367001600",
            f"INFO timeout_match {MATCH_MS}",
            f"INFO timeout_turn {TURN_MS}",
            "INFO game_type 1",
            f"INFO rule {rule}",
            "INFO folder C:\\ProgramData\\some folder",
        )
        self.brain.suspend()

    def ask(self, stones: list[tuple[int, int]]) -> tuple[int, int]:
        """Return its move in a position of stones, in their order."""
        lines = [f"INFO time_left {int(self.left_ms)}"]
        if not self.first:
            lines.append("TURN {},{}".format(*stones[-1]))
        elif not stones:
            lines.append("BEGIN")
        else:
            mine = len(stones) % 2
            lines.append("BOARD")
            lines += [f"{x},{y},{1 if i % 2 == mine else 2}" for i, (x, y) in enumerate(stones)]
            lines.append("DONE")
        self.first = False
        x, y, seconds = self.brain.move(*lines, seconds=TURN_MS / 1000 + TOLERANCE + SLACK)
        self.slowest = max(self.slowest, seconds)
        self.left_ms -= seconds * 1000
        return x, y


def opening(position: ReferencePosition, size: int, seed: int) -> list[tuple[int, int]]:
    """Three stones near the middle, drawn; for the first seed none."""
    stones: list[tuple[int, int]] = []
    dice = random.Random(seed)
    while seed > 1 and len(stones) < 3:
        x, y = (size // 2 + dice.randint(-2, 2) for _ in range(2))
        if position.is_empty(x, y) and position.is_legal(x, y):
            position.play(x, y)
            stones.append((x, y))
    return stones


@pytest.mark.parametrize(("rule", "size", "seed"), GAMES)
def test_whole_games(
    wine: Wine, exe: Path, rule: int, size: int, seed: int, record_property: object
) -> None:
    """Two processes play each other to the end; every move is legal by the reference, in time."""
    position = ReferencePosition(RULES[rule](size))
    stones = opening(position, size, seed)
    seats = [Seat(wine, exe, rule, size) for _ in range(2)]
    while not position.over and len(stones) < size * size - 25:
        x, y = seats[len(stones) % 2].ask(stones)
        assert 0 <= x < size and 0 <= y < size and position.is_empty(x, y), (x, y, stones)
        assert position.is_legal(x, y), (x, y, position.why_illegal(x, y), stones)
        position.play(x, y)
        stones.append((x, y))
    assert len(stones) > 8 and min(seat.left_ms for seat in seats) > 0
    assert not [line for seat in seats for line in seat.brain.rest()]
    ends = [seat.brain.end() for seat in seats]
    told = {
        "rule": rule,
        "size": size,
        "stones": len(stones),
        "result": position.result.reason,
        "start_ms": [round(seat.started_ms) for seat in seats],
        "slowest_ms": round(1000 * max(seat.slowest for seat in seats)),
        "end_ms": round(1000 * max(ends)),
    }
    record_property("game", json.dumps(told))  # type: ignore[operator]
    print(json.dumps(told))


@pytest.mark.parametrize("kernel", ["", "baseline", "avx2", "avx512"])
def test_searches_what_linux_searches(wine: Wine, exe: Path, kernel: str) -> None:
    """The signature is the committed one, whatever the compiler, the system and the kernel."""
    brain = wine.start(exe, "--bench", SHISAN_CPU=kernel)
    line = brain.line(300)
    if b"no " + kernel.encode() in line.text:
        pytest.skip(line.text.decode())
    signature = Path(__file__).parents[1] / "bench" / "signature.txt"
    assert line.text.split(b"\r")[0].strip() == signature.read_bytes().strip()


def test_plays_what_linux_plays(wine: Wine, exe: Path) -> None:
    """With a number of nodes for its limit it answers move by move as the brain does here."""
    lines = ["START 15", "INFO max_node 20000", "INFO rule 4", "BEGIN"]
    here = subprocess.Popen(
        [sys.executable, "-m", "shisan.protocol"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert here.stdin is not None and here.stdout is not None
    there = wine.start(exe)
    position = ReferencePosition(Rules.renju(15))
    dice = random.Random(5)
    for _ in range(12):
        here.stdin.write("".join(f"{line}\n" for line in lines))
        here.stdin.flush()
        while not (answer := here.stdout.readline())[0].isdigit():
            assert answer == "OK\n" or answer.startswith("MESSAGE ")
        there.send(*lines)
        while (line := there.line(30).text) == b"OK\n":
            pass
        assert line == answer.encode()
        x, y = map(int, answer.split(","))
        position.play(x, y)
        if position.over:
            break
        near = [
            point
            for point in position.legal_points()
            if max(abs(point[0] - x), abs(point[1] - y)) < 3
        ]
        x, y = dice.choice(near)
        position.play(x, y)
        if position.over:
            break
        lines = [f"TURN {x},{y}"]
    assert position.ply > 6
    there.end()
    here.communicate("END\n", timeout=10)
    assert here.returncode == 0


def test_starts_soon(wine: Wine, exe: Path) -> None:
    """From the creation of the process to OK, the tenth time: half a second at most."""
    took = []
    for _ in range(10):
        brain = wine.start(exe)
        took.append(brain.begin(15))
        brain.end()
    print("ms to OK:", *map(round, took))
    assert statistics.median(took) < 500 + SLACK * 1000


def test_is_one_process(wine: Wine, exe: Path) -> None:
    """What a manager suspends and ends is all there is."""
    brain = wine.start(exe)
    brain.begin(15)
    brain.send("INFO timeout_turn 5000", "BEGIN", "TURN 3,3")
    brain.line(30)
    tasks = Path(f"/proc/{brain.process.pid}/task")
    assert "".join((task / "children").read_text() for task in tasks.iterdir()) == ""
    assert "pbrain-shisan.exe" in Path(f"/proc/{brain.process.pid}/cmdline").read_text()
    brain.suspend()
    before = _ticks(brain)
    time.sleep(0.5)
    assert _ticks(brain) == before
    brain.end()


def _ticks(brain: Brain) -> int:
    """Processor time of a process and all its threads, in ticks."""
    fields = Path(f"/proc/{brain.process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.parametrize("lines", [[], ["INFO timeout_turn 60000", "BEGIN"]])
@pytest.mark.parametrize("way", ["END", "end of input"])
def test_ends_in_time(wine: Wine, exe: Path, lines: list[str], way: str) -> None:
    """Idle or thinking, it ends by itself within the 700 ms that Piskvork gives it."""
    brain = wine.start(exe)
    brain.begin(20)
    if lines:
        brain.send(*lines)
        time.sleep(0.5)
    at = brain.send("END") if way == "END" else time.monotonic()
    assert brain.process.stdin is not None
    if way == "end of input":
        brain.process.stdin.close()
    brain.left(at, slack=SLACK)
    assert not brain.rest()


def test_bytes_are_bytes(wine: Wine, exe: Path) -> None:
    """Byte 26 ends no input, LF and CR LF are the same, and answers end in LF alone."""
    brain = wine.start(exe)
    brain.send(b"\x1a")
    assert brain.line(30).text.startswith(b"UNKNOWN")
    brain.send(b"START 15\nINFO timeout_turn 0\nBOARD\n7,7,2\r\n8,8,1\n6,6,2", "DONE")
    assert brain.line(10).text == b"OK\n"
    assert b"\r" not in brain.line(10).text
    brain.end()


def test_shows_help_over_a_pipe(wine: Wine, exe: Path) -> None:
    """--help works; other arguments are ignored, as the protocol wants."""
    assert wine.start(exe, "--help").line(30).text.startswith(b"Shisan ")
    brain = wine.start(exe, "--force-utf8", "ü")
    brain.begin(15)
    brain.end()


def test_writes_nothing(wine: Wine, exe: Path) -> None:
    """Neither beside itself nor where it was started."""
    before = sorted(exe.parent.rglob("*"))
    brain = wine.start(exe)
    brain.begin(15)
    brain.send("INFO timeout_turn 100", "BEGIN")
    brain.line(10)
    brain.end()
    assert sorted(exe.parent.rglob("*")) == before
    assert not list(wine.elsewhere.iterdir())
