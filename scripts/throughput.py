"""Measure the analysis service against the bare search: how much its pipes and processes cost.

    python -m shisan.scripts.throughput [--positions N] [--nodes N] [--jobs N] [--rounds N]

Each round analyses the same positions four times: with one engine in this process, once with the
default tables and once with those that the service gives to so many nodes; with as many bare
processes as there are jobs at once (its tables too); and by the service, from the first query
written to the last answer read. Tables are emptied before each position everywhere. It prints nodes
a second, then the medians of the rounds and the service's share of jobs times one engine and of the
bare processes.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from random import Random
from statistics import median
from threading import Thread
from time import perf_counter

from shisan.engine import Engine, Limits, Point, Position, Rules
from shisan.protocol.analysts import memory_for
from shisan.protocol.notation import points_text

SERVICE = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
Moves = tuple[Point, ...]


def random_games(count: int, seed: int = 1) -> list[Moves]:
    """Openings of 6 to 12 stones in the middle of the board, in which nobody has won."""
    luck = Random(seed)
    games: list[Moves] = []
    while len(games) < count:
        points = [(x, y) for x in range(4, 11) for y in range(4, 11)]
        moves = tuple(luck.sample(points, luck.randint(6, 12)))
        if not position_of(moves).over:
            games.append(moves)
    return games


def position_of(moves: Moves) -> Position:
    """The position after these moves, or after those that ended the game."""
    position = Position(Rules.freestyle())
    for point in moves:
        if not position.over:
            position.play(*point)
    return position


def bare(games: Sequence[Moves], nodes: int, memory: int | None) -> tuple[int, float]:
    """Analyse with one engine. Returns the nodes and the seconds, without those of starting."""
    engine = Engine(Rules.freestyle(), memory)
    positions = [position_of(moves) for moves in games]
    limits = Limits(nodes=nodes)
    engine.analyse(positions[0], limits)
    begun, total = perf_counter(), 0
    for position in positions:
        engine.clear()
        total += engine.analyse(position, limits).nodes
    return total, perf_counter() - begun


def together(games: Sequence[Moves], nodes: int, jobs: int) -> tuple[int, float]:
    """Analyse with bare engines at once, each its share; the seconds are those of the slowest."""
    shares = [(games[at::jobs], nodes, memory_for(nodes, None)) for at in range(jobs)]
    with get_context("spawn").Pool(jobs) as pool:
        pool.starmap(bare, [(games[:1], 1, None)] * jobs)  # they have started
        found = pool.starmap(bare, shares, chunksize=1)
    return sum(count for count, _ in found), max(seconds for _, seconds in found)


def service(games: Sequence[Moves], nodes: int, jobs: int) -> tuple[int, float]:
    """Have the service analyse. Returns the nodes and the seconds, without those of starting."""
    command = [sys.executable, "-c", SERVICE, "analyze", "--jsonl", "--jobs", str(jobs)]
    queries = [
        json.dumps({"id": number, "moves": points_text(moves), "nodes": nodes}) + "\n"
        for number, moves in enumerate(games)
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        warm = [json.dumps({"id": "warm", "moves": "h8", "time_ms": 500}) + "\n"] * jobs
        process.stdin.writelines(warm)
        process.stdin.flush()
        for _ in warm:
            process.stdout.readline()
        writer = Thread(target=_write_all, args=(process.stdin, queries))
        begun = perf_counter()
        writer.start()
        total = sum(json.loads(process.stdout.readline())["nodes"] for _ in queries)
        seconds = perf_counter() - begun
        writer.join()
    return total, seconds


def _write_all(stream: object, lines: Sequence[str]) -> None:
    stream.writelines(lines)  # type: ignore[attr-defined]
    stream.close()  # type: ignore[attr-defined]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a line for each round and the medians."""
    command = argparse.ArgumentParser(
        prog="python -m shisan.scripts.throughput", description=(__doc__ or "").split("\n")[0]
    )
    command.add_argument("--positions", type=int, default=1000, metavar="N", help="default: 1000")
    command.add_argument("--nodes", type=int, default=10_000, metavar="N", help="default: 10000")
    command.add_argument("--jobs", type=int, default=2, metavar="N", help="default: 2")
    command.add_argument("--rounds", type=int, default=3, metavar="N", help="default: 3")
    options = command.parse_args(arguments)
    games = random_games(options.positions)
    rates: dict[str, list[float]] = {"one": [], "one, fitted": [], "bare": [], "service": []}
    for number in range(1, options.rounds + 1):
        found = {
            "one": bare(games, options.nodes, None),
            "one, fitted": bare(games, options.nodes, memory_for(options.nodes, None)),
            "bare": together(games, options.nodes, options.jobs),
            "service": service(games, options.nodes, options.jobs),
        }
        for name, (nodes, seconds) in found.items():
            rates[name].append(nodes / seconds)
        told = ", ".join(f"{name} {rate[-1]:,.0f}" for name, rate in rates.items())
        same = len({nodes for nodes, _ in found.values()}) == 1
        print(f"round {number}: nodes/s: {told}" + ("" if same else "; the nodes differ"))
    one, fitted, bares, served = (median(rate) for rate in rates.values())
    print(
        f"service: {served:,.0f} nodes/s, {served / (options.jobs * one):.1%} of {options.jobs}"
        f" times one engine, {served / (options.jobs * fitted):.1%} with tables as small,"
        f" {served / bares:.1%} of {options.jobs} bare processes at once"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
