"""Games as SGF, the Smart Game Format FF[4], with game number 4 (gomoku and renju).

Points are two letters, column and row from the top left, a first. Specification:
https://www.red-bean.com/sgf/sgf4.html and https://www.red-bean.com/sgf/properties.html
"""

from collections.abc import Iterable
from datetime import date
from typing import Final

from shisan.engine import Point

from .about import VERSION
from .journal import Game, Header

_LOSSES: Final = {"time": "T", "resigns": "R"}
"""What RE adds for a reason; any other fault is a forfeit, anything else needs no addition."""


def sgf(header: Header, game: Game) -> str:
    """One game as an SGF game tree, ending with a line break.

    Stones of the opening are moves like the others, with a comment; a move's comment holds its
    time, score and nodes as far as they are known.
    """
    rules = header.rules
    size = f"{rules.width}" if rules.width == rules.height else f"{rules.width}:{rules.height}"
    names = [player.name for player in header.players]
    facts = [
        ("FF", "4"),
        ("GM", "4"),
        ("CA", "UTF-8"),
        ("AP", f"Shisan:{VERSION}"),
        ("SZ", size),
        ("GN", simple_text(f"Game {game.number}")),
        ("EV", simple_text(f"{header.kind} of {len(names)} players")),
        ("RO", simple_text(f"{game.number} (pair {game.pair})")),
        ("RU", simple_text(rules.name)),
        ("PB", simple_text(names[game.black])),
        ("PW", simple_text(names[game.white])),
        ("DT", day(header.created)),
        ("RE", result(game)),
        ("C", text(f"{game.reason}: {game.detail}" if game.detail else game.reason)),
    ]
    root = "".join(f"{name}[{value}]" for name, value in facts if value)
    lines = [f"(;{root}"]
    for ply, point in enumerate(game.moves):
        said = _comment(game, ply)
        comment = f"C[{text(said)}]" if said else ""
        lines.append(f";{'BW'[ply % 2]}[{letters(point)}]{comment}")
    return "\n".join(lines) + ")\n"


def collection(header: Header, games: Iterable[Game]) -> str:
    """Many games as one SGF collection."""
    return "".join(sgf(header, game) for game in games)


def letters(point: Point) -> str:
    """A point as SGF writes it.

    >>> letters((7, 0))
    'ha'
    """
    return "".join(chr(ord("a") + part) for part in point)


def text(value: str) -> str:
    r"""A value of type Text: escaped, line breaks kept, other blanks plain.

    >>> text("[a] b:c")
    '[a\\] b:c'
    """
    lines = value.splitlines()
    return "\n".join(_escape("".join(_plain(mark) for mark in line)) for line in lines)


def simple_text(value: str) -> str:
    r"""A value of type SimpleText: on one line.

    >>> simple_text("a\nb ] c")
    'a b \\] c'
    """
    return _escape("".join(_plain(mark) for mark in " ".join(value.splitlines())))


def day(created: str) -> str:
    """The date of an ISO 8601 date and time as SGF wants it; "" for anything else.

    >>> day("2026-08-31T12:30:00+02:00"), day("31.8.2026")
    ('2026-08-31', '')
    """
    try:
        return date.fromisoformat(created[:10]).isoformat()
    except ValueError:
        return ""


def result(game: Game) -> str:
    """The value of RE: B+, W+R, B+T, W+F, 0 for a draw, Void for a game broken off."""
    if game.reason == "aborted":
        return "Void"
    if game.winner is None:
        return "0"
    winner = "B" if game.winner == game.black else "W"
    return f"{winner}+{_LOSSES.get(game.reason, 'F' if game.loser_fault else '')}"


def _comment(game: Game, ply: int) -> str:
    """What is known of a move: time, score, nodes."""
    own = ply - len(game.opening)
    if own < 0:
        return "opening"
    parts = []
    if own < len(game.times_ms):
        parts.append(f"{game.times_ms[own]:.0f} ms")
    if own < len(game.scores) and game.scores[own] is not None:
        parts.append(f"score {game.scores[own]:+d}")
    if own < len(game.nodes) and game.nodes[own] is not None:
        parts.append(f"{game.nodes[own]} nodes")
    return ", ".join(parts)


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("]", "\\]")


def _plain(mark: str) -> str:
    """A character that can stand in a value: what cannot be printed becomes a blank."""
    return mark if mark.isprintable() else " "
