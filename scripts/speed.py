"""python -m shisan.scripts.speed: time of the maps, and what the solver does a second.

For docs/benchmarks.md. The kernels take turns, and each figure is the best of several rounds, since
other work on the machine only ever slows a round down.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Colour, Rules
from shisan.engine.kernel import available, load

ROUNDS: Final = 7
RULES: Final = {
    "freestyle 15x15": Rules.freestyle(15),
    "exactly five 15x15": Rules.standard(15),
    "caro 15x15": Rules.caro(15),
    "freestyle 20x20": Rules.freestyle(20),
    "exactly five 20x20": Rules.standard(20),
}
PUZZLES: Final = {
    "freestyle 15x15": ("freestyle15", Rules.freestyle(15)),
    "exactly five 15x15": ("standard15", Rules.standard(15)),
    "renju 15x15": ("renju15", Rules.renju(15)),
    "freestyle 20x20": ("freestyle20", Rules.freestyle(20)),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m shisan.scripts.speed",
        description="Measure the kernel: ns a whole-board map takes, and million fours a second"
        " that the solver puts on the board and positions whose fours it looks at.",
    )
    parser.add_argument(
        "puzzles",
        nargs="?",
        type=Path,
        default=Path("tests/data/puzzles"),
        help="folder of the puzzles to solve (tests/data/puzzles)",
    )
    folder = parser.parse_args(arguments).puzzles
    kernels = available()[::-1]
    print(f"{'maps, ns':<24}" + "".join(f"{kernel:>26}" for kernel in kernels))
    print(f"{'':<24}" + f"{'five':>8}{'+ four':>8}{'all':>10}" * len(kernels))
    for name, rules in RULES.items():
        print(f"{name:<24}" + "".join(_maps(kernel, rules) for kernel in kernels))
    print(f"\n{'solver, million/s':<24}" + "".join(f"{kernel:>26}" for kernel in kernels))
    print(f"{'':<24}" + f"{'fours':>13}{'positions':>13}" * len(kernels))
    for name, (puzzles, rules) in PUZZLES.items():
        records = [*_read(folder, f"vcf_{puzzles}"), *_read(folder, f"novcf_{puzzles}")]
        print(f"{name:<24}" + "".join(_solver(kernel, rules, records) for kernel in kernels))
    return 0


def _maps(kernel: str, rules: Rules) -> str:
    """The three times on a board with 40 stones near its centre."""
    position = load("position", kernel).Position(rules)
    nanoseconds = load("speed", kernel).nanoseconds
    middle = rules.width // 2
    points = [(middle + x, middle + y) for x in range(-5, 5) for y in range(-5, 5)]
    Random(1).shuffle(points)
    for x, y in points[:40]:
        if position.over:
            break
        position.play(x, y)
    five, four, every = (
        min(nanoseconds(position, what) for _ in range(ROUNDS))
        for what in ("five", "four", "class")
    )
    return f"{five:>8.1f}{four:>8.1f}{every:>10.1f}"


def _solver(kernel: str, rules: Rules, records: list[Any]) -> str:
    """Fours put, and positions looked at, a second; the best round over all puzzles."""
    set_up = load("position", kernel).Position.set_up
    vcf_speed = load("speed", kernel).vcf_speed
    positions = [set_up(rules, *_stones(record)) for record in records]
    best = (0.0, 0.0)
    for _ in range(ROUNDS):
        totals = [0, 0, 0]
        for position in positions:
            for i, figure in enumerate(vcf_speed(position, 3, 20_000)):
                totals[i] += figure
        best = max(best, (totals[0] * 1e3 / totals[2], totals[1] * 1e3 / totals[2]))
    return f"{best[0]:>13.2f}{best[1]:>13.2f}"


def _read(folder: Path, name: str) -> list[Any]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _stones(record: Any) -> tuple[list[tuple[int, int, Colour]], Colour]:
    """The stones of a puzzle and who is to move."""
    side = Colour.BLACK if record["side"] == "black" else Colour.WHITE
    if "moves" in record:
        return [(x, y, Colour(i % 2)) for i, (x, y) in enumerate(record["moves"])], side
    return [
        (x, y, colour)
        for colour, name in ((Colour.BLACK, "black"), (Colour.WHITE, "white"))
        for x, y in record[name]
    ], side


if __name__ == "__main__":
    sys.exit(main())
