"""The command shisan: which sub-command there is, and its first word to the module that runs it."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

COMMANDS: Final = {
    "brain": "play under a Gomocup/Piskvork manager, over stdin and stdout",
    "play": "play against the engine, in the terminal",
    "match": "let two engines play each other, with numbers that can be trusted",
    "tournament": "let several engines play each other, and rate them",
    "analyze": "report on a game; analyse many; answer programs in JSON lines",
    "database": "look into a database of positions, fill it, write it out, mend it",
    "bench": "search fixed positions and print the signature of the search",
    "solve": "prove that a position is won, or that it is not",
    "check": "check a proof that solve wrote, by the plain rules",
    "show": "print a position as text, or draw it as SVG",
    "why": "say in words what a position shows, and why not another move",
    "protocol-check": "try whether a brain keeps to the protocol as managers speak it",
}
"""Each sub-command is a module of this name here (- as _), with main(arguments) -> exit status."""

TOOLS: Final = (
    "verify",
    "latency",
    "speed",
    "threads",
    "throughput",
    "databasespeed",
    "fit",
    "selfplay",
    "tune",
    "simulate",
    "release",
)
"""For people who work on Shisan: run as python -m shisan.scripts.NAME."""

UNWRITABLE: Final = (errno.EPIPE, errno.ENOSPC, errno.EIO)
"""Why a standard output may take no more: nobody reads, the disk is full, the terminal is gone."""

EXAMPLES: Final = """\
examples:
  shisan brain                            then type: START 15, BEGIN, TURN 8,8, END
  shisan play --rule renju --strength 40  a game against the engine
  shisan match shisan random              20 games, and how sure the result is
  shisan tournament shisan greedy random  each against each, and a rating list
  shisan show h8i9h10                     a position in the terminal
  shisan show --svg board.svg game.psq    a picture of a Piskvork record
  shisan analyze game.psq --report a.html where the game was won and lost, on one page
  shisan why game.psq --not g12           what is there, the engine's move, why not g12
  shisan solve h8i9h10 --proof win.json   is it won? with a proof of every reply
  shisan check win.json                   does the proof hold?
  shisan analyze games/ --out best.jsonl  the best moves of many games; --jsonl is a service
  shisan database info book.db            what a database of positions holds
  shisan protocol-check ./pbrain-mine     what managers would mind in a brain
  shisan bench                            does this build search what it should?
  shisan show --help                      each command explains itself

A manager is pointed at pbrain-shisan, which is `shisan brain` under the name it expects.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of what comes before a sub-command; sub-commands have their own."""
    commands = "\n".join(f"  {name:<14} {what}" for name, what in COMMANDS.items())
    tools = f"Tools for working on Shisan, as python -m shisan.scripts.NAME: {', '.join(TOOLS)}.\n"
    made = argparse.ArgumentParser(
        prog="shisan",
        usage="shisan COMMAND ...",
        add_help=False,
        description="A five-in-a-row engine: freestyle, standard, renju and caro.",
        epilog=f"commands:\n{commands}\n\n{EXAMPLES}\n{tools}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("-h", "--help", action="help", help="show this text")
    made.add_argument("--version", action="store_true", help="show the version")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a sub-command; only its module is imported. Returns the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words and words[0] in COMMANDS:
        return _run(words[0], words[1:])
    top = parser()
    known = ", ".join(COMMANDS)
    if words and not words[0].startswith("-"):
        top.error(f"no command {words[0]!r}: there are {known}")
    options, rest = top.parse_known_args(words)
    if options.version:
        from shisan.protocol.about import VERSION

        print(f"shisan {VERSION}")
        return 0
    top.error(f"no command {rest[0]!r}: there are {known}" if rest else f"give a command: {known}")


def _run(command: str, arguments: Sequence[str]) -> int:
    """Run a sub-command's module; a reader that has gone away is no error to tell of."""
    if sys.stdout is None:
        print(f"shisan {command}: error: standard output is closed", file=sys.stderr)
        return 1
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # where a terminal lacks a sign, all else is shown
    try:
        status = int(import_module(f"shisan.scripts.{command.replace('-', '_')}").main(arguments))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print(f"shisan {command}: stopped", file=sys.stderr)
        return 130
    except OSError as problem:
        if problem.filename is not None or problem.errno not in UNWRITABLE:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's last flush
        if problem.errno != errno.EPIPE:
            text = f"cannot write to standard output: {problem.strerror}"
            print(f"shisan {command}: error: {text}", file=sys.stderr)
        return 1
