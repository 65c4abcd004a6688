"""Let the engine play itself at fixed nodes, and keep the games to learn from.

    python -m shisan.scripts.selfplay --out GAMES.jsonl.gz [--games N] [--nodes N] [--rule ...]

Each game follows from the seed and its number alone: the same commit, seed and nodes give the
same games on any machine. Openings are a few random stones, or lines of a file with random stones
near them; a game is played where the search sees neither side far ahead. Values are varied by a
different amount in each game, so that games from one opening part. A game ends where the search
has proven how, or with the board full. docs/evaluation.md says what the file holds; `fit` learns
from it.
"""

import argparse
import gzip
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Colour, Engine, Limits, Point, Position, Rules
from shisan.protocol.openings import OpeningError, Stones, read_openings, symmetries, turned
from shisan.protocol.workers import LocalWorkers
from shisan.scripts import arguments

MEMORY: Final = 56 << 20
BALANCED: Final = 400
"""How far from 0 the value of an opening may be; odds of 7 to 1."""
VARIETIES: Final = (0, 10, 20, 40)
FROM_FILE: Final = 0.25
"""The share of games that begin with a line of the file, if there is one."""
RANDOM_STONES: Final = (2, 8)
EXTRA_STONES: Final = (0, 0, 0, 1, 2)
NEAR: Final = 2
"""Random stones lie at most so many rows and columns from others."""
BATCH: Final = 20
"""Games of one task."""


def near_points(position: Position) -> list[Point]:
    """Legal points near stones; on an empty board those near the middle."""
    rules = position.rules
    around = [(x, y) for x, y, _ in position.stones] or [(rules.width // 2, rules.height // 2)]
    points = {
        (x + dx, y + dy)
        for x, y in around
        for dx in range(-NEAR, NEAR + 1)
        for dy in range(-NEAR, NEAR + 1)
    }
    return sorted(point for point in points if position.is_legal(*point))


def opening(rules: Rules, file: Sequence[Stones], luck: Random) -> Position:
    """A position to begin from."""
    position = Position(rules)
    if file and luck.random() < FROM_FILE:
        for point in turned(luck.choice(file), luck.choice(symmetries(rules)), rules):
            position.play(*point)
        extra = luck.choice(EXTRA_STONES)
    else:
        extra = luck.randint(*RANDOM_STONES)
    for _ in range(extra):
        if not position.over:
            position.play(*luck.choice(near_points(position)))
    return position


def play(rules: Rules, file: Sequence[Stones], nodes: int, name: str) -> dict[str, Any]:
    """One game, as a record of docs/evaluation.md. name: what everything drawn follows from."""
    luck = Random(name)
    engine = Engine(rules, MEMORY)
    while True:
        position = opening(rules, file, luck)
        if position.over:
            continue
        engine.vary(luck.choice(VARIETIES), luck.getrandbits(32))
        engine.new_game()
        if abs(engine.search(position, Limits(nodes=nodes)).value) <= BALANCED:
            break
    stones = [[x, y] for x, y, _ in position.stones]
    moves: list[list[int]] = []
    won = 0
    while not position.over:
        found = engine.search(position, Limits(nodes=nodes))
        moves.append([*found.move, found.value])
        if found.win_in is not None:
            ahead = (found.win_in > 0) == (position.side is Colour.BLACK)
            won = 1 if ahead else -1
            break
        position.play(*found.move)
    rule = 4 if rules.forbidden else 1 if rules.black_exact else 0
    return {"size": rules.width, "rule": rule, "black": won, "opening": stones, "moves": moves}


def play_some(
    rules: Rules, file: Sequence[Stones], nodes: int, seed: int, numbers: Sequence[int]
) -> list[str]:
    """Games by their numbers, as lines."""
    return [
        json.dumps(play(rules, file, nodes, f"{seed} {number}"), separators=(",", ":"))
        for number in numbers
    ]


def games(plan: argparse.Namespace, rules: Rules, file: Sequence[Stones]) -> Iterator[list[str]]:
    """All games in the order of their numbers, some at a time."""
    numbers = range(plan.games)
    tasks = iter([numbers[at : at + BATCH] for at in range(0, plan.games, BATCH)])
    running: list[Future[list[str]]] = []
    with LocalWorkers(plan.jobs) as workers:
        try:
            while True:
                for some in islice(tasks, 2 * plan.jobs - len(running)):
                    job = (rules, file, plan.nodes, plan.seed, some)
                    running.append(workers.submit(play_some, *job))
                if not running:
                    return
                wait(running[:1], return_when=FIRST_COMPLETED)
                yield running.pop(0).result()
        finally:
            workers.kill()


def parser() -> argparse.ArgumentParser:
    """Its command line."""
    made = argparse.ArgumentParser(
        prog="python -m shisan.scripts.selfplay",
        description="Let the engine play itself at fixed nodes, and keep the games for `fit`.",
    )
    made.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl.gz", help="the games")
    made.add_argument("--games", type=int, default=1000, help="how many (1000)")
    made.add_argument("--nodes", type=int, default=8000, help="nodes of a move (8000)")
    made.add_argument("--openings", type=Path, metavar="FILE", help="a quarter begins with these")
    made.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    made.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="games at once (one a core)"
    )
    arguments.add_rules(made)
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Play; after an interrupt the games so far are whole."""
    plan = parser().parse_args(words)
    done = 0
    try:
        rules = arguments.rules(plan)
        file = read_openings(plan.openings, rules) if plan.openings else []
        with suppress(KeyboardInterrupt), gzip.open(plan.out, "wt", encoding="utf-8") as out:
            for lines in games(plan, rules, file):
                print("\n".join(lines), file=out)
                done += len(lines)
                if sys.stderr.isatty():
                    print(f"\r{done} of {plan.games} games", end="", file=sys.stderr)
    except (OpeningError, OSError, ValueError) as problem:
        print(f"selfplay: {problem}", file=sys.stderr)
        return 2
    print(f"{done} games: {plan.out}")
    return 0


if __name__ == "__main__":
    from shisan.scripts import selfplay  # by its name, under which workers find it

    sys.exit(selfplay.main())
