"""Hold the fast engine against the plain reference, at length.

    python -m shisan.scripts.verify rules|walks|maps|vcf|lines|refuted|wins|proofs|forged ...

rules: every stored verdict on forbidden points, wins and draws, on the fast position and on the
reference. walks: random games under all rules and sizes, with moves taken back, on both at once.
maps: the classes of points on every line of eleven points, and on random boards. vcf: the
puzzles. lines: wins by continuous fours the solver announces, wins: those the search announces,
both in positions out of random games and replayed against every reply. refuted: where the solver
finds no win by fours, against one that tries them all in every order. proofs: the puzzles solved,
each proof written, read and accepted. forged: proofs broken on purpose, and what is accepted all
the same played out plainly.

Differences are printed as they are found, and the exit status is 1 if there were any. The same
seed and count check the same things, whatever the number of jobs.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Position, cpu
from shisan.engine.reference import ReferencePosition

from . import checks, claims, forgeries
from .checks import Tally

Task = Callable[[], Tally]

DEFAULT_COUNTS: Final = {
    "walks": 1_000_000,
    "maps": 20_000,
    "lines": 10_000,
    "refuted": 2_000,
    "wins": 10_000,
    "forged": 1_000,
}
"""How many moves, random boards, wins or boards a rule, or forged proofs, unless --count says."""

SHOWN: Final = 20
WALK: Final = 1000
FULL_EVERY: Final = 60
FORGED: Final = 10  # times that a puzzle's proof is broken
MAPS_EVERY: Final = 20
CHUNK: Final = 50
PROGRESS: Final = 2.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = _parser().parse_args(arguments)
    if options.count is None:
        options.count = DEFAULT_COUNTS.get(options.what, 0)
    tasks = TASKS[options.what](options)
    print(f"{options.what}: {len(tasks)} tasks, seed {options.seed}, kernel {cpu()}", flush=True)
    started = time.monotonic()
    tally = run(tasks, options.jobs)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:>12,}  {name}")
    seconds = time.monotonic() - started
    print(f"{options.what}: {len(tally.faults)} differences, {seconds:.0f} s")
    return 1 if tally.faults else 0


def run(tasks: list[Task], jobs: int) -> Tally:
    """Run the tasks, jobs at once, with a line of progress on stderr, and add up what they say."""
    total = Tally(Counter(), [])
    started = shown = time.monotonic()
    with Pool(jobs) as pool:
        for done, tally in enumerate(pool.imap_unordered(_call, tasks), 1):
            total.counts.update(tally.counts)
            for fault in tally.faults[: max(0, SHOWN - len(total.faults))]:
                print(fault, flush=True)
            total.faults.extend(tally.faults)
            now = time.monotonic()
            if now < shown + PROGRESS and done < len(tasks):
                continue
            shown = now
            left = (now - started) / done * (len(tasks) - done)
            line = f"{done}/{len(tasks)}, {len(total.faults)} differences, about {left:.0f} s left"
            print(f"\r{line:<70}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return total


def _call(task: Task) -> Tally:
    return task()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m shisan.scripts.verify", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=TASKS)
    parser.add_argument("--seed", type=int, default=1, help="of everything random (1)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument(
        "--count", type=int, help=f"moves, wins or boards a rule ({DEFAULT_COUNTS})"
    )
    parser.add_argument("--data", type=Path, default=Path("tests/data"), help="(tests/data)")
    parser.add_argument(
        "--rule",
        choices=claims.RULES,
        action="append",
        help="lines, refuted, wins: only this (all)",
    )
    parser.add_argument("--nodes", type=int, default=3000, help="wins: of each search (3000)")
    parser.add_argument(
        "--quiet", type=int, default=20, help="wins: replay one in so many with quiet moves (20)"
    )
    return parser


# The tasks


def _rules(options: argparse.Namespace) -> list[Task]:
    return [
        partial(verdicts, name, kind, records[i : i + CHUNK])
        for name in checks.CHECKS
        for records in [checks.rules_records(options.data, name)]
        for kind in ("fast", "reference")
        for i in range(0, len(records), CHUNK)
    ]


def verdicts(name: str, kind: str, records: list[Any]) -> Tally:
    """Hold a kind of position against some stored verdicts."""
    position = Position if kind == "fast" else ReferencePosition
    faults = [fault for record in records for fault in checks.CHECKS[name](position, record)]
    return Tally(Counter({f"{name}, {kind}": len(records)}), [f"{kind}: {f}" for f in faults])


def _walks(options: argparse.Namespace) -> list[Task]:
    return [
        partial(walk, seed, min(WALK, options.count - first))
        for seed, first in _seeds(options, WALK)
    ]


def walk(seed: int, moves: int) -> Tally:
    """Make one walk of so many moves."""
    return checks.Walk(seed, FULL_EVERY, MAPS_EVERY).run(moves)


def _maps(options: argparse.Namespace) -> list[Task]:
    rows = checks.line_boards()
    tasks: list[Task] = [
        partial(lines_of_boards, which, rows[i : i + CHUNK])
        for which in range(len(checks.LINE_RULES))
        for i in range(0, len(rows), CHUNK)
    ]
    return tasks + [
        partial(random_boards, seed * CHUNK, min(CHUNK, options.count - first))
        for seed, first in _seeds(options, CHUNK)
    ]


def lines_of_boards(which: int, boards: list[list[str]]) -> Tally:
    """Compare the classes on boards of rows, under one of LINE_RULES."""
    rules = checks.LINE_RULES[which]
    faults = [fault for rows in boards for fault in checks.line_faults(rules, rows)]
    windows = sum(12 * len(rows) for rows in boards)
    return Tally(Counter({f"lines of eleven, {rules.name}": windows}), faults)


def random_boards(first: int, count: int) -> Tally:
    """Compare the classes on some random boards."""
    faults = [fault for seed in range(first, first + count) for fault in checks.board_faults(seed)]
    return Tally(Counter({"random boards": count}), faults)


def _vcf(options: argparse.Namespace) -> list[Task]:
    kinds = ("vcf", "novcf", "vct", "defend")
    return [partial(claims.check_puzzle, r) for r in claims.puzzle_records(options.data, kinds)]


def _lines(options: argparse.Namespace) -> list[Task]:
    return [
        partial(claims.check_lines, name, seed, min(CHUNK, options.count - first))
        for name in options.rule or claims.RULES
        for seed, first in _seeds(options, CHUNK)
    ]


def _refuted(options: argparse.Namespace) -> list[Task]:
    return [
        partial(claims.check_refuted, name, seed, min(CHUNK, options.count - first))
        for name in options.rule or claims.RULES
        for seed, first in _seeds(options, CHUNK)
    ]


def _wins(options: argparse.Namespace) -> list[Task]:
    search = {"nodes": options.nodes, "quiet": options.quiet}
    return [
        partial(claims.check_announced, name, seed, min(CHUNK, options.count - first), **search)
        for name in options.rule or claims.RULES
        for seed, first in _seeds(options, CHUNK)
    ]


def _proofs(options: argparse.Namespace) -> list[Task]:
    kinds = ("vcf", "vct", "vcf_long")
    return [
        partial(forgeries.check_written, record)
        for record in claims.puzzle_records(options.data, kinds)
    ]


def _forged(options: argparse.Namespace) -> list[Task]:
    kinds = ("vcf", "vct")
    records = [
        record
        for record in claims.puzzle_records(options.data, kinds)
        if 2 * record.get("win_in", 0) - 1 <= forgeries.LONGEST
    ]
    chosen = Random(options.seed).sample(records, min(len(records), -(-options.count // FORGED)))
    return [partial(forge, record, options.seed, FORGED) for record in chosen]


def forge(record: dict[str, Any], seed: int, count: int) -> Tally:
    """Solve a puzzle, and break each of its proofs so many times."""
    tally = Tally(Counter(), [])
    for proof in forgeries.short_proofs([record]):
        found = forgeries.check_forged(proof, seed, count)
        tally.counts.update(found.counts)
        tally.faults.extend(found.faults)
    return tally


def _seeds(options: argparse.Namespace, size: int) -> Iterable[tuple[int, int]]:
    """Return a seed of its own for each portion of the count, and where the portion begins."""
    return ((options.seed * 1_000_000 + i, i * size) for i in range(-(-options.count // size)))


TASKS: Final = {
    "rules": _rules,
    "walks": _walks,
    "maps": _maps,
    "vcf": _vcf,
    "lines": _lines,
    "refuted": _refuted,
    "wins": _wins,
    "proofs": _proofs,
    "forged": _forged,
}

if __name__ == "__main__":
    raise SystemExit(main())
