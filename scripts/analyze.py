"""shisan analyze: a report of one game, a batch of many files, or a service for programs."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from shisan.engine import PROCESS_MEMORY, LimitError, Limits
from shisan.protocol.conditions import ConditionError, count, size, span

from .arguments import add_rules, rules
from .report import add_report, setting_of

NODES: Final = 100_000
"""The limit of a batch and of the service where none is given."""

EXAMPLES = """\
examples:
  shisan analyze game.psq --report game.html       one page: board, curve, mistakes, best lines
  shisan analyze games.sgf --game 3 --time 5s --report a.html --json a.json --sgf a.sgf
  shisan analyze h8i9h10g8 --rule renju            the summary alone, in the terminal
  shisan analyze a.json --report again.html        from a saved report: nothing is computed twice
  shisan analyze games/ --out results.jsonl        the last position of every game in a folder
  shisan analyze a.sgf b.rif --turns all --nodes 50000 --out results.jsonl
  shisan analyze --jsonl                           a service: one query a line, answers a line
  echo '{"id": "1", "moves": "h8i9", "lines": 3}' | shisan analyze --jsonl
  shisan analyze --schema                          what every such line looks like, as JSON Schema

docs/report.md tells what the marks of a report mean; docs/analysis.md every field of the service,
and what a batch does when it is stopped.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan analyze",
        usage="shisan analyze GAME [--report FILE] [--json FILE] [--sgf FILE] [options]\n"
        "       shisan analyze FILES... --out RESULTS [options]\n"
        "       shisan analyze --jsonl|--schema [options]",
        description="Look at every position of a game and report mistakes, missed wins, best lines"
        " and accuracy; or analyse files of games over all cores (--out); or answer queries, a JSON"
        " line each (--jsonl).",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "files",
        nargs="*",
        metavar="GAME|FILES",
        help="a game: a file of any format, moves in order of play (h8i9), - for stdin, or a report"
        " saved with --json. With --out: files of games, and folders of them",
    )
    made.add_argument("--jsonl", action="store_true", help="answer the queries on stdin")
    made.add_argument("--schema", action="store_true", help="print the JSON Schema of all lines")
    _add_search(made)
    add_report(made)
    _add_batch(made)
    _add_service(made)
    add_rules(made)
    return made


def _add_search(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group(
        "search",
        "limits of a position with all its lines, alone or together (default: 1s in a report, else"
        f" {NODES:,} nodes); in the service those of queries that give none",
    )
    group.add_argument("--time", type=_reader(span), metavar="TIME", help="300ms, 10s, 2m")
    group.add_argument(
        "--nodes", type=_reader(count), metavar="N", help="the same result every time"
    )
    group.add_argument("--depth", type=_reader(count), metavar="N", help="plies; likewise")
    group.add_argument(
        "--lines",
        type=_reader(count),
        metavar="N",
        help="best moves (default: 3 in a report, else 1)",
    )
    group.add_argument("--force", action="store_true", help="replace files that exist")
    group.add_argument(
        "--rows",
        choices=("top", "bottom"),
        help="where the numbers of points like h8 count from (default: top, bottom in .rif)",
    )


def _add_service(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("batch and service (--out, --jsonl)")
    group.add_argument(
        "--jobs", type=_reader(count), metavar="N", help="worker processes (default: the cores)"
    )
    group.add_argument(
        "--memory",
        type=_reader(size),
        metavar="SIZE",
        help="for each worker: 350MB, 1G (default: 64 MiB of tables, about 110 MB)",
    )
    group.add_argument(
        "--wait",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="at the end of input answer what is left, else leave at once (default: --wait)",
    )


def _add_batch(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("batch (FILES)")
    group.add_argument(
        "--out", metavar="RESULTS", help="JSON lines; the same command goes on where it was stopped"
    )
    group.add_argument(
        "--turns",
        type=_turns,
        default="last",
        metavar="last|all|N|N..M",
        help="after which moves of each game (default: last)",
    )
    group.add_argument("--times", action="store_true", help="say what each position took")
    group.add_argument("--parquet", metavar="FILE", help="write the results as a table too")
    group.add_argument("--cluster", metavar="ADDRESS", help="workers of a Dask cluster")


def _reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return read(text)
        except ConditionError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    return convert


def _turns(text: str) -> Any:
    from shisan.protocol.batches import Turns

    try:
        return Turns.read(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def limits(options: argparse.Namespace) -> Limits:
    """The limits of a batch or a service that the options describe. Raises LimitError."""
    from shisan.protocol.queries import INTEGERS

    given = {"nodes": options.nodes, "depth": options.depth, "time_ms": options.time}
    for name, value in (given | {"lines": options.lines}).items():
        low, high = INTEGERS[name]
        if value is not None and not low <= value <= high:
            raise LimitError(f"{name} must be {low}..{high}, not {value}")
    least = PROCESS_MEMORY + (1 << 20)
    if options.memory is not None and options.memory < least:
        raise LimitError(f"--memory must be {least >> 20}MB or more: a worker takes as much")
    if options.nodes is options.depth is options.time is None:
        return Limits(nodes=NODES)
    return Limits(turn_ms=options.time, nodes=options.nodes, depth=options.depth)


def jobs(options: argparse.Namespace) -> int:
    """How many workers."""
    import os

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return options.jobs or cores or 1


def main(arguments: Sequence[str]) -> int:
    """Run the command; what is wrong with the options is an error of usage (exit status 2)."""
    command = parser()
    options = command.parse_args(arguments)
    if options.jsonl + options.schema + bool(options.files) != 1:
        command.error("give one of --jsonl, --schema, GAME and FILES --out RESULTS")
    if options.game is not None and options.game < 1:
        command.error(f"--game must be 1 or more, not {options.game}")
    folder = next((name for name in options.files if Path(name).is_dir()), None)
    if folder and options.out is None:
        command.error(f"{folder} is a folder: say where the results go: --out RESULTS")
    reports = options.report or options.json or options.sgf
    if reports and (options.jsonl or options.schema):
        command.error("--report, --json and --sgf are for a game, not for the service")
    if options.out is None and len([name for name in options.files if Path(name).is_file()]) > 1:
        command.error("a report is of one game: for several files give --out RESULTS")
    if options.out is not None and reports:
        command.error("--out is for batches: a report has --report, --json and --sgf")
    try:
        if options.schema:
            from shisan.protocol.answers import schema

            print(json.dumps(schema(), indent=2, ensure_ascii=False))
            return 0
        if options.jsonl:
            return _serve(options)
        return _report(options) if options.out is None else _batch(options)
    except ValueError as problem:
        command.error(str(problem))


def _report(options: argparse.Namespace) -> int:
    from .report import run

    setting = setting_of(options.time, options.nodes, options.depth, options.lines)
    return run(options, " ".join(options.files), setting)


def _batch(options: argparse.Namespace) -> int:
    from .batch import run

    options.lines = options.lines or 1
    return run(options, limits(options), jobs(options))


def _serve(options: argparse.Namespace) -> int:
    from shisan.protocol.queries import Defaults
    from shisan.protocol.serving import serve

    defaults = Defaults(rules(options), limits(options), options.lines or 1)
    return serve(jobs(options), defaults, options.memory, wait=options.wait)
