"""Games for the tests of reports: made by hand so that what happened in them is known, and real."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from shisan.engine import Colour, Rules
from shisan.protocol.gamefiles import read_game
from shisan.protocol.games import GameRecord
from shisan.protocol.notation import read_points
from shisan.protocol.reviewing import review
from shisan.protocol.reviews import Moment, Review, Setting, Verdict

DATA = Path(__file__).parents[1] / "data"
FEW = Setting(turn_ms=None, nodes=3000, lines=3)
"""Limits that give the same result every time, soon."""

MISSED_FIVE = "c3 c12 d3 d12 b12 b3 e3 e12 f3 o15 o1 g3"
"""White does not stop the four c3-f3 with g3, Black does not make the five, White then stops it."""

IGNORED_THREE = "h8 i7 h9 i8 i9 g9 h10 a15 h11 o15 h12"
"""White lets the three h8-h10 become an open four: lost in 4 plies, 2 moves of Black's."""

FOUL = "f8 a1 g8 o1 h6 a15 h7 o15 h8"
"""Black, under renju, makes a double three of f8-g8-h8 and h6-h7-h8, and need not."""

FORCED_FOUL = "h8 g6 f6 g5 f7 g4 h7 g3 g2 a1 g7"
"""White's four g3-g6 can only be stopped on g7, a double three: Black is lost, and plays there."""

DRAWN = "a1 c1 b1 d1 e1 a2 c2 b2 d2 e2 a3 c3 b3 d3 e3 a4 c4 b4 d4 e4 a5 c5 b5 d5 e5"
"""A board of 5x5 filled without a five."""


def game(text: str, rules: Rules | None = None, **more: object) -> GameRecord:
    """A game of these moves."""
    made = rules or Rules.freestyle()
    points = tuple(read_points(text, made.width, made.height))
    return GameRecord(made.width, made.height, points, rules=made, **more)  # type: ignore[arg-type]


@cache
def reviewed(text: str, rules: Rules | None = None) -> Review:
    """A review of these moves."""
    return review(game(text, rules), setting=FEW)


@cache
def real() -> Review:
    """A review of a game of two engines, 42 moves, White wins."""
    return review(read_game(DATA / "psq" / "2_10_11_09.psq"), Rules.freestyle(), FEW)


@cache
def tree() -> Review:
    """A review of a renju game with comments, players and all its branches."""
    return review(read_game(DATA / "games" / "tree.sgf"), setting=FEW, branches=None)


@cache
def odd() -> Review:
    """A review of a game with a set-up, a pass, White first, on a board of 20x15."""
    return review(read_game(DATA / "games" / "tree.sgf", number=2), setting=FEW)


def move(found: Review, number: int) -> tuple[Moment, Verdict]:
    """The moment and verdict of a move of the main line, by its number from 1."""
    moment = found.main.moments[number - 1]
    verdict = found.verdict(moment)
    assert verdict is not None
    return moment, verdict


def corners() -> dict[str, GameRecord]:
    """Games at the edges of what there is."""
    five = tuple((x, 3) for x in range(5))
    casual = replace(Rules.renju(), foul_loses=False)
    return {
        "empty": game(""),
        "one move": game("h8"),
        "over before it began": game("", black=five, white=((0, 0),)),
        "largest": game("a1 v22", Rules.renju(22)),
        "narrow": game("a1 e22", Rules.caro(5, 22)),
        "walls, White first": game("", side=Colour.WHITE, walls=((3, 3),)),
        "a pass last": replace(game("h8"), moves=((7, 7), None)),
        "casual": game("f8 a1 g8 o1 h6 a15 h7", casual),
    }
