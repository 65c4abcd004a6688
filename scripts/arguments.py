"""Command-line arguments that several commands share: the rule, and a position to look at."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from shisan.engine import Colour, Position, Rules
from shisan.protocol.gamefiles import read_game, read_games
from shisan.protocol.games import GameError, GameRecord
from shisan.protocol.gametrees import Wanted
from shisan.protocol.movetext import read_moves
from shisan.protocol.notation import NotationError, Rows, read_points

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
        default=None,
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
    base = NAMED[options.rule or "freestyle"](width, height)
    facts = {field.name: getattr(base, field.name) for field in fields(Rules)}
    if options.exact:
        facts |= {"black_exact": True, "white_exact": True}
    facts |= {name: getattr(options, name) for name in FACTS if getattr(options, name) is not None}
    return Rules(**facts)


def add_position(
    parser: argparse.ArgumentParser, to_move: str = "--side", walls: bool = True
) -> None:
    """Add what says which position: moves or a file, or stones by colour.

    to_move: what the option is called that says who is to move. walls: whether there may be some.
    """
    parser.add_argument(
        "position",
        nargs="*",
        metavar="MOVES|FILE|-",
        help="moves in order of play, h8i9 or 'h8 i9' or '7,7 8,8', counted from"
        " the top left; or a file of games: .psq, .rec, .sgf, .rif, .lib, JSON lines or text;"
        " or - for any of these from stdin. A file's own rules hold unless options say others",
    )
    parser.add_argument(
        "--game",
        type=int,
        metavar="N",
        help="which game of the file, from 1; of a text: which line",
    )
    parser.add_argument(
        "--rows",
        choices=("top", "bottom"),
        help="where the numbers of points like h8 count from (default: the top; the bottom in .rif"
        " files, as in renju books)",
    )
    group = parser.add_argument_group(
        "set-up",
        f"stones in any number in place of moves: --black 'h8 h9' --white g7 {to_move} white",
    )
    group.add_argument("--black", metavar="POINTS", help="black stones")
    group.add_argument("--white", metavar="POINTS", help="white stones")
    if walls:
        group.add_argument("--walls", metavar="POINTS", help="points that neither side may use")
    else:
        parser.set_defaults(walls=None)
    group.add_argument(
        to_move,
        dest="side",
        choices=("black", "white"),
        default="black",
        help="who is to move in a set-up (default: black)",
    )


def spell_rules(wanted: Rules) -> list[str]:
    """The options of add_rules that describe these rules.

    >>> spell_rules(Rules.renju(15)), spell_rules(Rules.caro(20, 15, exact=True))
    (['--rule', 'renju'], ['--rule', 'caro', '--exact', '--size', '20x15'])
    """
    size = (wanted.width, wanted.height)
    facts = {name: getattr(wanted, name) for name in FACTS}
    spelt: list[tuple[int, bool, list[str]]] = []
    for name, make in NAMED.items():
        base = make(*size)
        other = [fact for fact in FACTS if getattr(base, fact) != facts[fact]]
        words = [f"--{'' if facts[fact] else 'no-'}{fact.replace('_', '-')}" for fact in other]
        if set(other) == {"black_exact", "white_exact"} and wanted.black_exact:
            words = ["--exact"]
        spelt.append((len(words), not wanted.name.startswith(name), ["--rule", name, *words]))
    sides = [] if size == (15, 15) else ["--size", "x".join(map(str, size))]
    return min(spelt)[2] + sides


def position(options: argparse.Namespace, plies: int | None = None) -> tuple[Position, str]:
    """The position that the options describe, after these many moves, and a title for it.

    plies: None for all moves. The title names the players of a record; it may be empty.
    Raises InputError, RulesError or another ValueError whose message is meant for people.
    """
    set_up = (options.black, options.white, options.walls)
    words = " ".join(options.position)
    if any(part is not None for part in set_up):
        if words:
            raise InputError("give moves or a set-up, not both")
        return _set_up(options, rules(options)), ""
    found, wanted = record(options, words)
    length = len(found.line())
    if plies is not None and plies > length:
        raise InputError(f"--ply: the game has {length} moves, not {plies}")
    return found.position(wanted, plies), found.title


def record(
    options: argparse.Namespace, words: str, data: bytes | None = None
) -> tuple[GameRecord, Rules]:
    """The game that words name, moves or a file or -, and the rules it is looked at under.

    data: the content of that file, if it was read before. Those rules are the ones that the
    options ask for, else those that the file tells, else freestyle. Raises as position does.
    """
    wanted = rules(options)
    read = content(words) if data is None else data
    if read is None:
        return _moves(words, wanted, options.rows), wanted
    found = game(options, read, named(words))
    return found, _chosen(options, wanted, found)


def named(words: str) -> str:
    """What errors call the file that words name."""
    return "standard input" if words == "-" else words


def content(words: str) -> bytes | None:
    """What the file that words name holds, or stdin for -; None: they are moves, no file's name.

    Raises InputError for a file that cannot be read.
    """
    if words == "-":
        return sys.stdin.buffer.read()
    return _read_file(words) if "." in words or "/" in words else None


def game(options: argparse.Namespace, data: bytes, source: str) -> GameRecord:
    """The game of a file that the options ask for, legal or not. Raises GameError.

    Without --game a text is one game in all its lines, with it one a line.
    """
    wanted = Wanted(legal=False, size=options.size, rows=options.rows, whole=options.game is None)
    return read_game(data, wanted, name=source, number=options.game or 1)


def check_target(option: str, name: str, force: bool, sources: Sequence[str] = ()) -> None:
    """Refuse a file that could not be written or must not be, before any work; - is stdout.

    option: as it is called. force: whether files that exist may be replaced, those that are read
    never. sources: words of the command that may name files. Raises InputError.
    """
    path = Path(name)
    if name == "-":
        return
    if path.exists():
        if any(Path(source).exists() and path.samefile(source) for source in sources):
            raise InputError(f"{option}: {name} is the file to read")
        if not force:
            raise InputError(f"{option}: {name} exists; --force replaces it")
        if path.is_dir():
            raise InputError(f"{option}: {name} is a folder")
    elif not path.parent.is_dir():
        raise InputError(f"{option}: there is no folder {path.parent}")


def positions(
    options: argparse.Namespace, data: bytes, source: str
) -> Iterator[tuple[GameRecord | GameError, Position | ValueError]]:
    """The last positions of all games of a file, under the rules that the options ask for.

    Each with the game it is from; or with what is wrong with it.
    """
    asked = rules(options)
    wanted = Wanted(legal=False, size=options.size, rows=options.rows)
    for found in read_games(data, wanted, name=source):
        if isinstance(found, GameError):
            yield found, found
            continue
        try:
            yield found, found.position(_chosen(options, asked, found))
        except ValueError as problem:
            yield found, problem


def names_rules(options: argparse.Namespace) -> bool:
    """Whether the person said which rules are meant."""
    facts = [getattr(options, name) for name in FACTS]
    return bool(options.rule or options.exact or any(fact is not None for fact in facts))


def _chosen(options: argparse.Namespace, wanted: Rules, found: GameRecord) -> Rules:
    """The rules that were asked for, else those that the file tells, else the default."""
    return wanted if names_rules(options) or found.rules is None else found.rules


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
            said = getattr(options, name) or ""
            points[name] = read_points(said, wanted.width, wanted.height, options.rows or "top")
        except NotationError as error:
            raise InputError(f"--{name}: {error}") from None
    stones = [
        (x, y, colour)
        for name, colour in (("black", Colour.BLACK), ("white", Colour.WHITE))
        for x, y in points[name]
    ]
    return Position.set_up(wanted, stones, Colour[options.side.upper()], points["walls"])


def _moves(text: str, wanted: Rules, rows: Rows | None) -> GameRecord:
    """A game from moves on the command line."""
    try:
        points = read_moves(text, wanted.width, wanted.height, rows or "top")
    except NotationError as error:
        raise InputError(str(error)) from None
    return GameRecord(wanted.width, wanted.height, tuple(points))
