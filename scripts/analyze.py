"""shisan analyze: a game in, a report out."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from shisan.protocol.conditions import ConditionError, count, span

from .arguments import add_rules
from .report import add_report, run, setting_of

EXAMPLES = """\
examples:
  shisan analyze game.psq --report game.html      one page: board, curve, mistakes, best lines
  shisan analyze games.sgf --game 3 --time 5s --report a.html --json a.json --sgf a.sgf
  shisan analyze h8i9h10g8 --rule renju           the summary alone, in the terminal
  shisan analyze a.json --report again.html       from a saved report: nothing is computed twice
  shisan analyze lib.lib --branches all --nodes 50000 --report lib.html

docs/report.md tells what the marks mean and how accuracy is counted.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan analyze",
        usage="shisan analyze GAME [--report FILE] [--json FILE] [--sgf FILE] [options]",
        description="Look at every position of a game, and report what was found: best lines,"
        " mistakes, missed wins, accuracy. Without a file to write, a summary is printed.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "files",
        nargs="+",
        metavar="GAME",
        help="a file of games of any format, moves in order of play (h8i9), - for stdin, or a"
        " report saved with --json",
    )
    group = made.add_argument_group(
        "search", "limits of a position with all its lines, alone or together (default: 1s)"
    )
    group.add_argument("--time", type=_reader(span), metavar="TIME", help="300ms, 10s, 2m")
    group.add_argument(
        "--nodes", type=_reader(count), metavar="N", help="the same result every time"
    )
    group.add_argument("--depth", type=_reader(count), metavar="N", help="plies; likewise")
    group.add_argument("--lines", type=_reader(count), metavar="N", help="best lines (default: 3)")
    add_report(made)
    made.add_argument("--force", action="store_true", help="replace files that exist")
    made.add_argument(
        "--rows",
        choices=("top", "bottom"),
        help="where the numbers of points like h8 count from (default: top, bottom in .rif)",
    )
    add_rules(made)
    return made


def _reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return read(text)
        except ConditionError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    return convert


def main(arguments: Sequence[str]) -> int:
    """Run the command; a bad input is an error of usage (exit status 2)."""
    command = parser()
    options = command.parse_args(arguments)
    if options.game is not None and options.game < 1:
        command.error(f"--game must be 1 or more, not {options.game}")
    setting = setting_of(options.time, options.nodes, options.depth, options.lines)
    try:
        return run(options, " ".join(options.files), setting)
    except ValueError as error:
        command.error(str(error))
