"""Measure what threads bring: nodes a second, time to a depth, and how soon a stop is heard.

    python -m shisan.scripts.threads [--threads N] [--ms N] [--rounds N] [--stops N]

Each position is searched by one thread for so long, and then by N threads to the depth that the one
had reached, from empty tables both times; those that one thread decides are left out. Ratios are N
threads over one, medians of the rounds; the speed to a depth is a geometric mean over the
positions, and single ones differ by a factor of two. It takes as many idle cores as threads.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from math import exp, log
from statistics import mean, median
from threading import Thread
from typing import Final, NamedTuple

from shisan.engine import Engine, Limits, Position, Progress, Rules
from shisan.engine.bench import POSITIONS
from shisan.protocol.notation import read_points

OPENINGS: Final = (
    (Rules.freestyle(15), "h8d4l12"),
    (Rules.freestyle(20), "j10p4d16"),
    (Rules.freestyle(20), "j10k14k8j15j9i16"),
    (Rules.standard(15), "h8d4l12"),
    (Rules.standard(15), "j9h5e5j5k8i6"),
    (Rules.renju(15), "h8d4l12"),
    (Rules.renju(15), "h8i9h10j8f6"),
    (Rules.caro(15), "h8d4l12"),
)
"""Positions that no search of some seconds decides; those of the bench come to them."""

DECIDED: Final = 9000
"""Values beyond are those of games that are as good as over."""


class Ratios(NamedTuple):
    """Of one round: nodes a second, and the speed to the same depth."""

    nodes: float
    depth: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both ratios and the time of stops."""
    parser = argparse.ArgumentParser(
        prog="python -m shisan.scripts.threads",
        description="Measure what threads bring: nodes a second and time to a depth, N threads"
        " over one, and the ms from a stop to the move.",
    )
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="against one (2)")
    parser.add_argument("--ms", type=int, default=2000, help="of each search of one thread (2000)")
    parser.add_argument("--rounds", type=int, default=3, help="medians are taken of (3)")
    parser.add_argument("--stops", type=int, default=100, help="searches that are stopped (100)")
    given = parser.parse_args(arguments)
    rounds = []
    for number in range(given.rounds):
        ratios = _round(given.threads, given.ms)
        rounds.append(ratios)
        print(
            f"round {number + 1}: {given.threads} threads over one: nodes a second "
            f"{ratios.nodes:.2f}, to the same depth {ratios.depth:.2f}",
            flush=True,
        )
    if rounds:
        nodes, depth = (median(column) for column in zip(*rounds, strict=True))
        print(f"medians: nodes a second {nodes:.2f}, to the same depth {depth:.2f}")
    if given.stops:
        took = sorted(_stop(given.threads, number) for number in range(given.stops))
        worst = took[min(len(took) - 1, len(took) * 99 // 100)]
        print(f"stop to move, {given.threads} threads: median {median(took):.1f} ms", end="")
        print(f", p99 {worst:.1f} ms (of {len(took)})")
    return 0


def _position(rules: Rules, moves: str) -> Position:
    position = Position(rules)
    for x, y in read_points(moves):
        position.play(x, y)
    return position


def _round(threads: int, ms: int) -> Ratios:
    """Search every position by one thread, then by several."""
    speeds, gains = [], []
    benched = [(rules, moves) for rules, games in POSITIONS.values() for moves in games]
    for rules, moves in (*OPENINGS, *benched):
        position = _position(rules, moves)
        known: list[Progress] = []
        engine = Engine(rules)
        engine.search(position, Limits(turn_ms=ms), on_progress=known.append)
        if not known or abs(known[-1].value) > DECIDED:
            continue
        alone = known[-1]
        engine.threads = threads
        engine.clear()
        done = engine.search(position, Limits(turn_ms=4 * ms, depth=alone.depth))
        both = max(1, done.time_ms)
        speeds.append((done.nodes / both) / (alone.nodes / max(1, alone.time_ms)))
        gains.append(max(1, alone.time_ms) / both)
    return Ratios(mean(speeds), exp(mean(map(log, gains))))


def _stop(threads: int, number: int) -> float:
    """The ms from a stop, some time into a search, to its end."""
    rules, moves = OPENINGS[number % len(OPENINGS)]
    engine = Engine(rules, threads=threads)
    at = 0.0

    def stop() -> None:
        nonlocal at
        time.sleep(0.02 + 0.001 * (number % 40))
        at = time.perf_counter()
        engine.stop()

    other = Thread(target=stop)
    other.start()
    engine.search(_position(rules, moves), Limits())
    took = time.perf_counter() - at
    other.join()
    return took * 1000


if __name__ == "__main__":
    sys.exit(main())
