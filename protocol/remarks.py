"""What a review says of a position beside values: the names of openings, and reasons in words.

The one place where a review asks for words on the board itself.
"""

from typing import Final

from shisan.engine import Position, Rules, explain

from . import openings
from .games import GameRecord
from .reviews import Found, Moment
from .words import explain_words

NAMED_MOVES: Final = 3
"""How many moves of a game a named opening fixes."""

NODES: Final = 100_000
"""Fours that are tried to find a side's win by continuous fours."""

TRIES: Final = 10_000
"""Fours that are tried after each move that may stop such a win."""


def opening_name(game: GameRecord, rules: Rules) -> str:
    """Which of the 26 named renju openings a game begins with, "" for none.

    It has that name only where Black has forbidden moves, and on a board of 15x15.
    """
    first = game.moves[:NAMED_MOVES]
    points = [point for point in first if point is not None]
    plain = not (game.side or game.black or game.white or game.walls)
    if not (rules.forbidden and plain and (game.width, game.height) == (15, 15)):
        return ""
    if len(points) < NAMED_MOVES:
        return ""
    return openings.opening_name(points) or ""


def opening_length(game: GameRecord, rules: Rules) -> int:
    """How many first moves are an opening, agreed on rather than played: those of a named one."""
    return NAMED_MOVES if opening_name(game, rules) else 0


def remarks(position: Position, moment: Moment, found: Found) -> tuple[str, ...]:
    """Sentences on what the position shows; the position is unchanged."""
    return tuple(explain_words(position, explain(position, NODES, TRIES)))
