"""shisan match: two engines play each other, and the result says how sure it is."""

import argparse
from collections.abc import Sequence

from .contest import add_all, contest, run

EXAMPLES = """\
examples:
  shisan match shisan random                          20 games, 300 ms a move, balanced openings
  shisan match shisan ./pbrain-other --games 100 --turn 1s --rule renju --openings named
  shisan match shisan './other --threads 1' --openings openings.txt --journal other.jsonl
  shisan match --engine name=new cmd=./new --engine name=old cmd=./old nodes=50000 \\
      --games 4000 --nodes 50000 --sprt 0:30          stops as soon as the test has decided
  shisan match --report matches/shisan-random-1a2b3c4d/journal.jsonl

The same command again goes on where it was stopped or killed. The journal is the only truth: all
reports are written from it. Everything about openings, clocks and journals: docs/match.md.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan match",
        usage="shisan match ENGINE ENGINE [options]",
        description="Let two engines play each other: pairs of games with exchanged colours from"
        " the same openings, journalled, resumable, with Elo and its error.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_all(made)
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command. Exit status 2: bad input; 130: stopped before the end."""
    command = parser()
    options = command.parse_args(arguments)
    return run(command, lambda: contest(options, "match", 2, 2))
