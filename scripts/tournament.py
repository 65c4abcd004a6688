"""shisan tournament: several engines, each against each or one against all, and a rating list."""

import argparse
from collections.abc import Sequence

from .contest import add_all, contest, run

EXAMPLES = """\
examples:
  shisan tournament shisan greedy random              each against each, 20 games a meeting
  shisan tournament ./new ./a ./b ./c --gauntlet      new against each of the others
  shisan tournament shisan ./a ./b --games 100 --turn 1s --rule standard --openings list.txt
  shisan tournament shisan ./a ./b --anchor shisan=2000
  shisan tournament --report matches/round-robin-1a2b3c4d/journal.jsonl

--games are those of each meeting of two. The same command again goes on where it was stopped.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan tournament",
        usage="shisan tournament ENGINE ENGINE ENGINE... [options]",
        description="Let several engines play each other, and rate them: maximum likelihood with"
        " intervals, and a running Elo.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--gauntlet", action="store_true", help="the first engine meets each of the others"
    )
    add_all(made)
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command. Exit status 2: bad input; 130: stopped before the end."""
    command = parser()
    options = command.parse_args(arguments)
    kind = "gauntlet" if options.gauntlet else "round robin"
    return run(command, lambda: contest(options, kind, 2, None))  # type: ignore[arg-type]
