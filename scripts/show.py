"""shisan show: a position as text or as an SVG picture."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from shisan.protocol.pictures import draw_svg, draw_text

from .arguments import add_position, add_rules, check_target, position

EXAMPLES = """\
examples:
  shisan show h8i9h10                            moves in order of play, from the top left
  shisan show --rule renju --numbers h8 g6 f6    each stone with its number
  shisan show game.psq --ply 20                  a record after its first 20 moves
  shisan show games.sgf --game 3                 the third game of a collection
  shisan show --svg board.svg game.psq           a picture in a file
  shisan show --svg - h8i9 > board.svg           the same to stdout
  shisan show --rule renju --black 'f8 i8 h9 h10 g4 g5 g6 g7'   which points are forbidden?
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan show",
        usage="shisan show [MOVES | FILE | -] [options]",
        description="Print a position as text, or draw it as SVG: the last stone, the line that"
        " won and the points forbidden for Black are marked.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_position(made)
    add_rules(made)
    made.add_argument("--numbers", action="store_true", help="number the stones")
    made.add_argument("--ply", type=int, metavar="N", help="stop after the first N moves")
    made.add_argument("--svg", metavar="FILE", help="write an SVG picture; - is stdout")
    made.add_argument("--force", action="store_true", help="replace FILE if it exists")
    return made


def wants_colour(stream: TextIO) -> bool:
    """Whether to colour: only on a terminal that can, and unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def main(arguments: Sequence[str]) -> int:
    """Run the command; a bad input is an error of usage (exit status 2)."""
    command = parser()
    options = command.parse_args(arguments)
    if options.ply is not None and options.ply < 0:
        command.error(f"--ply must be 0 or more, not {options.ply}")
    if options.game is not None and options.game < 1:
        command.error(f"--game must be 1 or more, not {options.game}")
    try:
        if options.svg is not None:
            check_target("--svg", options.svg, options.force, options.position)
        shown, title = position(options, options.ply)
    except ValueError as error:
        command.error(str(error))
    if options.svg is None:
        print(draw_text(shown, options.numbers, wants_colour(sys.stdout)))
        return 0
    picture = draw_svg(shown, options.numbers, title)
    if options.svg == "-":
        sys.stdout.buffer.write(picture.encode())
        return 0
    try:
        Path(options.svg).write_text(picture, encoding="utf-8")
    except OSError as error:
        command.error(f"cannot write {options.svg}: {error.strerror}")
    return 0
