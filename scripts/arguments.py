"""Command-line arguments that several commands share: the rule, and a position to look at."""

import argparse
import sys
from dataclasses import fields
from pathlib import Path
from typing import Final

from shisan.engine import Colour, Position, Rules
from shisan.protocol.notation import NotationError, read_points
from shisan.protocol.records import Record, RecordError, play_all, read_psq, replay

NAMED: Final = {
    "freestyle": Rules.freestyle,
    "standard": Rules.standard,
    "renju": Rules.renju,
    "caro": Rules.caro,
}
"""What --rule may be: the facts it stands for can then be changed one by one."""

FACTS: Final = {
    "black_exact": "Black wins with exactly five only",
    "white_exact": "White wins with exactly five only",
    "closed_five": "a five counts with an opposing stone at both ends",
    "forbidden": "Black may not make a double three, a double four or an overline",
    "foul_loses": "playing a forbidden point loses the game; else it cannot be played",
}
"""The facts of a rule that are yes or no, as in Rules; each is an option."""


class InputError(ValueError):
    """What the person gave makes no position; the message says why."""


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add --rule, --size and one option for each fact of a rule."""
    group = parser.add_argument_group(
        "rule", "a named rule, of which single facts may be changed: --rule renju --white-exact"
    )
    group.add_argument(
        "--rule",
        choices=NAMED,
        default="freestyle",
        help="freestyle: five or more wins (default); standard: exactly five;"
        " renju: forbidden moves for Black; caro: a five closed at both ends"
        " does not count",
    )
    group.add_argument(
        "--size",
        metavar="N|WxH",
        type=_size,
        default=None,
        help="sides of the board, 5..22 (default: 15, or what a record says)",
    )
    group.add_argument(
        "--exact",
        action="store_true",
        help="both win with exactly five only: --black-exact --white-exact",
    )
    for name, meaning in FACTS.items():
        group.add_argument(
            "--" + name.replace("_", "-"),
            default=None,
            help=meaning,
            action=argparse.BooleanOptionalAction,
        )


def rules(options: argparse.Namespace) -> Rules:
    """The rules that the options of add_rules describe. Raises RulesError."""
    width, height = options.size or (15, 15)
    base = NAMED[options.rule](width, height)
    facts = {field.name: getattr(base, field.name) for field in fields(Rules)}
    if options.exact:
        facts |= {"black_exact": True, "white_exact": True}
    facts |= {name: getattr(options, name) for name in FACTS if getattr(options, name) is not None}
    return Rules(**facts)


def add_position(parser: argparse.ArgumentParser) -> None:
    """Add what says which position: moves or a file, or stones by colour."""
    parser.add_argument(
        "position",
        nargs="*",
        metavar="MOVES|FILE.psq|-",
        help="moves in order of play, h8i9 or 'h8 i9' or '7,7 8,8', counted from"
        " the top left; or a .psq file; or - for either from stdin",
    )
    group = parser.add_argument_group(
        "set-up", "stones in any number in place of moves: --black 'h8 h9' --white g7 --side white"
    )
    group.add_argument("--black", metavar="POINTS", help="black stones")
    group.add_argument("--white", metavar="POINTS", help="white stones")
    group.add_argument("--walls", metavar="POINTS", help="points that neither side may use")
    group.add_argument(
        "--side",
        choices=("black", "white"),
        default="black",
        help="who is to move in a set-up (default: black)",
    )


def position(options: argparse.Namespace, plies: int | None = None) -> tuple[Position, str]:
    """The position that the options describe, after these many moves, and a title for it.

    plies: None for all moves. The title names the players of a record; it may be empty.
    Raises InputError, RulesError or another ValueError whose message is meant for people.
    """
    wanted = rules(options)
    set_up = (options.black, options.white, options.walls)
    words = " ".join(options.position)
    if any(part is not None for part in set_up):
        if words:
            raise InputError("give moves or a set-up, not both")
        return _set_up(options, wanted), ""
    if words == "-":
        source, text = "standard input", sys.stdin.buffer.read()
    elif "." in words or "/" in words:
        source, text = words, _read_file(words)
    else:
        return _play(words, wanted, plies, ""), ""
    try:
        if text.lstrip(b"\xef\xbb\xbf \r\n")[:9].lower() == b"piskvorky":
            return _replay(read_psq(text), options, wanted, plies)
        return _play(text.decode("ascii", "replace"), wanted, plies, f"{source}: "), ""
    except RecordError as error:
        raise InputError(f"{source}: {error}") from None


def _size(text: str) -> tuple[int, int]:
    """N or WxH as two sides; Rules checks their range."""
    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height or width)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 15 nor 20x15") from None


def _read_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from None


def _set_up(options: argparse.Namespace, wanted: Rules) -> Position:
    """A position from stones by colour."""
    points = {}
    for name in ("black", "white", "walls"):
        try:
            points[name] = read_points(getattr(options, name) or "", wanted.width, wanted.height)
        except NotationError as error:
            raise InputError(f"--{name}: {error}") from None
    stones = [
        (x, y, colour)
        for name, colour in (("black", Colour.BLACK), ("white", Colour.WHITE))
        for x, y in points[name]
    ]
    return Position.set_up(wanted, stones, Colour[options.side.upper()], points["walls"])


def _play(text: str, wanted: Rules, plies: int | None, source: str) -> Position:
    """A position from moves in text."""
    try:
        points = read_points(text, wanted.width, wanted.height)
        return play_all(wanted, points[:plies])
    except (NotationError, RecordError) as error:
        raise InputError(f"{source}{error}") from None


def _replay(
    record: Record, options: argparse.Namespace, wanted: Rules, plies: int | None
) -> tuple[Position, str]:
    """A position from a record, whose size must be the one asked for, if one was."""
    if options.size and options.size != (record.width, record.height):
        raise RecordError(f"the board is {record.width}x{record.height}, not as --size says")
    title = "" if record.players is None else f"{record.black} - {record.white}"
    return replay(record, wanted, plies), title
