"""shisan play: a person against the engine, on a terminal or line by line."""

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from queue import Queue
from random import Random, SystemRandom
from types import FrameType
from typing import Final

from shisan.engine import MAX_STRENGTH, Colour, Position
from shisan.protocol.host import ENGINE, VARIETY, Host, Wishes
from shisan.protocol.keeping import Keeper, Names, as_text, default_name
from shisan.protocol.notation import point_name
from shisan.protocol.openings import NAMED as OPENINGS
from shisan.protocol.openings import check
from shisan.protocol.records import play_all
from shisan.protocol.sitting import Sitting, describe
from shisan.protocol.thinker import Thinker

from . import terminal
from .arguments import InputError, add_position, add_rules, position, rules, spell_rules
from .lines import Lines
from .show import wants_colour

EXAMPLES: Final = """\
examples:
  shisan play                                     you are Black, on 15x15, freestyle
  shisan play --rule renju --strength 40 --side white
  shisan play --size 20 --clock 30 --save game.psq
  shisan play h8i9h10 --side random               from these moves on
  shisan play game.psq --ply 20                   a record after its first 20 moves
  shisan play --opening Kagetsu --rule renju      from a named renju opening
  printf 'h8\\nhint\\n' | shisan play              without a terminal: a line a move

Points are a letter for the column and a number for the row, counted from the top left.
"""

MAX_SECONDS: Final = 86400


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan play",
        usage="shisan play [MOVES | FILE.psq] [options]",
        description="Play against the engine. On a terminal the board is drawn in place and the"
        " keys are told at the bottom; otherwise, and with --plain, one line is one move or word.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_game(made)
    add_position(made, to_move="--to-move", walls=False)
    add_rules(made)
    _add_record_and_screen(made)
    return made


def _add_game(made: argparse.ArgumentParser) -> None:
    """Who plays, how strongly, and how quickly."""
    game = made.add_argument_group("game")
    game.add_argument(
        "--side",
        dest="mine",
        choices=("black", "white", "random"),
        default="black",
        help="your colour (default: black, who begins); random: drawn for each game",
    )
    game.add_argument(
        "--strength",
        type=int,
        default=MAX_STRENGTH,
        metavar=f"0..{MAX_STRENGTH}",
        help=f"how strong the engine plays (default: {MAX_STRENGTH}, all it can)",
    )
    game.add_argument(
        "--clock",
        type=_clock,
        default=None,
        metavar="SECONDS|none",
        help="time that you have for each move, such as 30 or 60 (default: none); when it has run"
        " out the game is lost, and the engine never takes longer",
    )
    game.add_argument(
        "--think",
        type=_seconds,
        default=2.0,
        metavar="SECONDS",
        help="what the engine takes for a move or a hint at most (default: 2)",
    )
    game.add_argument(
        "--seed", type=int, metavar="N", help="play the same game again (default: drawn)"
    )
    game.add_argument(
        "--opening", metavar="NAME", help=f"a renju opening to begin from: {', '.join(OPENINGS)}"
    )
    game.add_argument("--ply", type=int, metavar="N", help="begin after the first N moves")


def _add_record_and_screen(made: argparse.ArgumentParser) -> None:
    """Where the game is kept and how it looks."""
    kept = made.add_argument_group("record")
    kept.add_argument(
        "--save",
        type=Path,
        metavar="FILE.psq|FILE.sgf",
        help="keep the game there, written after each move; further games go to FILE-2 and so on",
    )
    kept.add_argument("--force", action="store_true", help="write over FILE if it is there")
    kept.add_argument("--name", default="Player", help="your name in the record")
    shown = made.add_argument_group("screen")
    shown.add_argument("--plain", action="store_true", help="line by line, on a terminal too")
    shown.add_argument("--ascii", action="store_true", help="draw with ASCII only: X and O")
    shown.add_argument(
        "--no-colour", "--no-color", action="store_true", help="no colours (or set NO_COLOR)"
    )


def main(arguments: Sequence[str]) -> int:
    """Run the command; a bad input is an error of usage (exit status 2).

    A signal that ended it gives the exit status 128 + its number.
    """
    command = parser()
    options = command.parse_args(arguments)
    try:
        wishes = _wishes(options)
        keeper = Keeper(options.save, options.force)
        if options.save is not None:
            _check_record(options.save, wishes)
        seed = SystemRandom().getrandbits(31) if options.seed is None else options.seed
        if not 0 <= seed < 1 << 31:
            raise InputError(f"--seed must be 0..{(1 << 31) - 1}, not {seed}")
        play = _plain if _keeps_to_lines(options) else _screen
        return play(options, wishes, keeper, seed)
    except ValueError as error:
        known = options.save is not None and options.save.is_file() and not options.force
        hint = ", or --force to write over it" if known and "there already" in str(error) else ""
        command.error(f"{error}{hint}")


def _keeps_to_lines(options: argparse.Namespace) -> bool:
    """Whether there is no screen to draw on, or none is wanted."""
    if options.plain or not terminal.fits():
        return True
    try:
        import rich  # noqa: F401
    except ImportError:
        print("for the board on the whole screen: pip install 'shisan[play]'", file=sys.stderr)
        return True
    return False


def _wishes(options: argparse.Namespace) -> Wishes:
    """What the options ask for. Raises ValueError with words for people."""
    if options.ply is not None and options.ply < 0:
        raise InputError(f"--ply must be 0 or more, not {options.ply}")
    if not 0 <= options.strength <= MAX_STRENGTH:
        raise InputError(f"--strength must be 0..{MAX_STRENGTH}, not {options.strength}")
    if "-" in options.position:
        raise InputError("moves cannot come from stdin: that is where you play")
    start, fixed = _start(options)
    if start.over:
        raise InputError(f"the game is over: {start.result.reason}; --ply begins before its end")
    return Wishes(
        start,
        fixed,
        set_up=options.black is not None or options.white is not None,
        colour=None if options.mine == "random" else Colour[options.mine.upper()],
        clock_s=options.clock,
        think_s=options.think,
        strength=options.strength,
        name=options.name,
    )


def _check_record(path: Path, wishes: Wishes) -> None:
    """See that such a game can be kept there, before it is played. Raises ValueError."""
    sitting = Sitting(wishes.start, Colour.BLACK, 0, set_up=wishes.set_up)
    as_text(path, sitting, Names(wishes.name, ENGINE))


def _start(options: argparse.Namespace) -> tuple[Position, int]:
    """The position to begin from, and how many of its stones are never taken back."""
    if options.opening is None:
        return position(options, options.ply)[0], 0
    if options.position or options.black is not None or options.white is not None:
        raise InputError("give an opening or a position, not both")
    names = {name.lower(): stones for name, stones in OPENINGS.items()}
    stones = names.get(options.opening.lower())
    if stones is None:
        raise InputError(f"no opening {options.opening!r}: there are {', '.join(OPENINGS)}")
    wanted = rules(options)
    cx, cy = wanted.width // 2, wanted.height // 2
    laid = check([(cx + dx, cy + dy) for dx, dy in stones], wanted)
    return play_all(wanted, laid), len(laid)


def _screen(options: argparse.Namespace, wishes: Wishes, keeper: Keeper, seed: int) -> int:
    """Play on the whole screen."""
    from .screen import Screen

    thinker = Thinker(wishes.start.rules, lambda: device.wake(), VARIETY, seed)
    host = Host(wishes, thinker, keeper, Random(seed), time.monotonic)
    device = terminal.Terminal(host.pause, host.resume)
    colour = not options.no_colour and wants_colour(sys.stdout)
    number = 0
    try:
        with device:
            try:
                number = Screen(host, colour, options.ascii or not _draws_lines()).run(device)
            finally:
                host.leave()
    finally:
        if number != signal.SIGHUP:
            with _undisturbed():
                _farewell(host)
    return 128 + number if number else 0


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Another Ctrl-C changes nothing any more."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _plain(options: argparse.Namespace, wishes: Wishes, keeper: Keeper, seed: int) -> int:
    """Play line by line."""
    wake: Queue[None] = Queue()
    thinker = Thinker(wishes.start.rules, lambda: wake.put(None), VARIETY, seed)
    host = Host(wishes, thinker, keeper, Random(seed), time.monotonic)
    colour = not options.no_colour and wants_colour(sys.stdout)

    lines = Lines(host, colour, sys.stdin.isatty() and sys.stdout.isatty())
    asked = 0

    def leave(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = number
        lines.leave()

    caught = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, leave) for number in caught]
    try:
        lines.run(wake)
    finally:
        host.leave()
        if asked:
            print()
        _farewell(host)
        for number, handler in zip(caught, before, strict=True):
            signal.signal(number, handler)
    return 128 + asked if asked else 0


def _farewell(host: Host) -> None:
    """How the game stands, where it is kept, or how to go on with it."""
    sitting = host.sitting
    if sitting.ending is not None:
        print(describe(sitting.ending))
    if not sitting.moved:
        return
    if host.kept:
        print(f"saved in {host.file}")
    if sitting.ending is None or not host.kept:
        stones = " ".join(point_name(x, y) for x, y, _ in sitting.position.stones)
        said = "to go on" if sitting.ending is None else "to see it"
        print(f"{'' if host.kept else 'not saved; '}{said}: {_command(host, stones)}")


def _command(host: Host, stones: str) -> str:
    """The command that shows the game as it stands, or goes on with it."""
    sitting = host.sitting
    words = ["shisan", "show" if sitting.ending is not None else "play"]
    if sitting.first is None:
        words += stones.split()
    else:
        for colour in Colour:
            own = [point_name(x, y) for x, y, owner in sitting.position.stones if owner == colour]
            words += [f"--{colour.name.lower()}", " ".join(own)]
        to_move = "--side" if sitting.ending is not None else "--to-move"
        words += [to_move, sitting.position.side.name.lower()]
    words += spell_rules(sitting.position.rules)
    if sitting.ending is None:
        words += ["--side", sitting.person.name.lower(), "--strength", str(host.strength)]
        words += [] if sitting.clock_s is None else ["--clock", f"{sitting.clock_s:g}"]
        words += ["--save", default_name(sitting, datetime.now())]
    return shlex.join(words)


def _draws_lines() -> bool:
    """Whether stdout can show stones and lines that are not ASCII."""
    try:
        "●○─┼╋".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _seconds(text: str) -> float:
    """A number of seconds, more than none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: give seconds, up to {MAX_SECONDS}")
    return seconds


def _clock(text: str) -> float | None:
    return None if text.lower() == "none" else _seconds(text)
