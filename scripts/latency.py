"""Measure the brain from outside: start-up, stop, time per move, memory, as a Markdown table.

    python -m shisan.scripts.latency [--moves N] [--brain PATH] ...

Times run from just before a command is written to the moment its answer is read, as a manager
takes them. On a machine with other work to do the figures are those of the machine.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from shisan.engine import Position, Rules

LIMITS: Final = (80, 350)
"""Memory limits that are tried, in MiB."""


class Brain:
    """A brain in a process, asked one thing at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self.created = time.monotonic()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._rest = b""

    def send(self, *lines: str) -> float:
        """Write lines at once; the time just before."""
        at = time.monotonic()
        os.write(self._input, "".join(f"{line}\n" for line in lines).encode())
        return at

    def line(self) -> str:
        """The next line that is no MESSAGE."""
        while True:
            while b"\n" not in self._rest:
                chunk = os.read(self._output, 65536)
                if not chunk:
                    raise SystemExit("the brain has left")
                self._rest += chunk
            line, _, self._rest = self._rest.partition(b"\n")
            if not line.startswith(b"MESSAGE "):
                return line.decode()

    def ask(self, *lines: str) -> tuple[str, float]:
        """The answer to these lines and the ms it took."""
        at = self.send(*lines)
        answer = self.line()
        return answer, (time.monotonic() - at) * 1000

    def settle(self, *lines: str) -> None:
        """Send lines whose answers nobody wants, and wait until they have been served."""
        self.send(*lines, "ABOUT")
        while not self.line().startswith("name="):
            pass

    def unique_memory(self) -> int:
        """Bytes of memory that only this process and its children use."""
        import psutil  # type: ignore[import-untyped]

        process = psutil.Process(self._process.pid)
        family = [process, *process.children(recursive=True)]
        return sum(int(member.memory_full_info().uss) for member in family)

    def end(self) -> float:
        """Send END; the ms until the process is gone."""
        at = self.send("END")
        self._process.wait(20)
        took = (time.monotonic() - at) * 1000
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return took


class Game:
    """A game of the brain against someone who plays at random near the stones."""

    def __init__(self, brain: Brain, size: int, chance: random.Random) -> None:
        self._brain = brain
        self._chance = chance
        self._position = Position(Rules.freestyle(size))
        brain.settle(f"START {size}")

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._position.over

    def turn(self) -> float:
        """The opponent moves, the brain answers; the ms it took, 0 if the game ended before."""
        stones = self._position.stones
        near = [
            (x, y)
            for x, y in self._position.legal_points()
            if any(abs(x - a) <= 3 and abs(y - b) <= 3 for a, b, _ in stones)
        ]
        x, y = self._chance.choice(near or self._position.legal_points())
        self._position.play(x, y)
        if self._position.over:
            return 0
        answer, took = self._brain.ask(f"TURN {x},{y}")
        x, y = map(int, answer.split(","))
        self._position.play(x, y)
        return took


def shown(times: Iterable[float]) -> str:
    """Median, 99th percentile and largest of these ms."""
    ordered = sorted(times)
    middle, late = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"median {middle:.1f}, p99 {late:.1f}, max {ordered[-1]:.1f} ms (of {len(ordered)})"


def start_up(command: Sequence[str], times: int) -> str:
    """From the creation of the process to OK for START 20."""
    found = []
    for _ in range(times):
        brain = Brain(command)
        brain.send("START 20")
        brain.line()
        found.append((time.monotonic() - brain.created) * 1000)
        brain.end()
    return shown(found)


def stops(command: Sequence[str], times: int, word: str) -> str:
    """From this word during a search to the move."""
    brain = Brain(command)
    brain.settle("START 15", "INFO timeout_turn 60000")
    found = []
    for index in range(times):
        brain.send("BOARD", f"{index % 15},{index // 15 % 15},2", "DONE")
        time.sleep(0.05 + 0.001 * (index % 7))
        found.append(brain.ask(word)[1])
    brain.end()
    return shown(found)


def stops_of_a_board(command: Sequence[str], times: int, word: str) -> str:
    """From yxstop during what this verb of Yixin-Board began to its move line."""
    brain = Brain(command)
    brain.settle("START 15", "INFO timeout_turn 60000")
    found = []
    for index in range(times):
        brain.send("yxboard", f"{index % 15},{index // 15 % 15},2", "done", word)
        time.sleep(0.05 + 0.01 * (index % 40))
        found.append(brain.ask("yxstop")[1])
    brain.end()
    return shown(found)


def at_once(command: Sequence[str], times: int) -> str:
    """A move under timeout_turn 0."""
    brain = Brain(command)
    brain.settle("INFO timeout_turn 0")
    chance = random.Random(1)
    found: list[float] = []
    while len(found) < times:
        game = Game(brain, 20, chance)
        while not game.over and len(found) < times:
            found.append(game.turn())
    brain.end()
    return shown(found)


def moves(command: Sequence[str], times: int, turn: int) -> str:
    """Moves under this timeout_turn, and how many were later than 20 ms after it.

    Positions of random stones, since games against a random player end too soon.
    """
    brain = Brain(command)
    brain.settle(f"INFO timeout_turn {turn}", "START 15")
    chance = random.Random(2)
    points = [(x, y) for x in range(15) for y in range(15)]
    found = []
    for _ in range(times):
        stones = chance.sample(points, 2 * chance.randint(2, 12))
        lines = [f"{x},{y},{1 + index % 2}" for index, (x, y) in enumerate(stones)]
        found.append(brain.ask("BOARD", *lines, "DONE")[1])
    brain.end()
    late = sum(took > turn + 20 for took in found)
    return f"{shown(found)}; later than {turn + 20} ms: {late}"


def memory(command: Sequence[str], limit: int, turns: int) -> str:
    """The most unique memory after any move under max_memory, in MiB."""
    brain = Brain(command)
    brain.settle(f"INFO max_memory {limit << 20}", "INFO timeout_turn 3000", "START 20")
    most = 0
    for index in range(turns):
        stones = [f"{9 + i % 3},{9 + i // 3 + index},{1 + i % 2}" for i in range(6)]
        brain.ask("BOARD", *stones, "DONE")
        most = max(most, brain.unique_memory())
    brain.end()
    return f"{most / (1 << 20):.1f} MiB"


def ends(command: Sequence[str], times: int) -> str:
    """From END during a search to the end of the process."""
    found = []
    for _ in range(times):
        brain = Brain(command)
        brain.settle("START 15", "INFO timeout_turn 60000")
        brain.send("BEGIN")
        time.sleep(0.1)
        found.append(brain.end())
    return shown(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--brain", metavar="PATH", help="the brain to run (default: this Python's)")
    parser.add_argument("--moves", type=int, default=1000, help="timed moves (default 1000)")
    parser.add_argument("--turn", type=int, default=100, help="their time in ms (default 100)")
    parser.add_argument("--times", type=int, default=100, help="repetitions of the rest")
    options = parser.parse_args(arguments)
    command = [options.brain] if options.brain else [sys.executable, "-m", "shisan.protocol"]
    few = max(5, options.times // 10)
    turn = options.turn
    rows: list[tuple[str, Callable[[], str]]] = [
        ("process creation to OK for START 20", partial(start_up, command, few)),
        ("STOP during a search to the move", partial(stops, command, options.times, "STOP")),
        (
            "INFO timeout_turn 0 during a search to the move",
            partial(stops, command, options.times, "INFO timeout_turn 0"),
        ),
        *(
            (
                f"yxstop during {word} to the move",
                partial(stops_of_a_board, command, few, word),
            )
            for word in ("yxnbest 3", "yxsearchdefend", "yxbalancetwo 0")
        ),
        ("move at timeout_turn 0, 20x20", partial(at_once, command, options.times)),
        (
            f"move at timeout_turn {turn}, 15x15",
            partial(moves, command, options.moves, turn),
        ),
        ("END during a search to the end of the process", partial(ends, command, few)),
    ]
    for limit in LIMITS:
        what = f"unique memory at most, max_memory {limit} MiB, 20x20"
        rows.append((what, partial(memory, command, limit, 4)))
    print("| what | measured |\n|---|---|", flush=True)
    for what, measure in rows:
        print(f"| {what} | {measure()} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
