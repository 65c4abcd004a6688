"""What follows from what was found: marks, accuracy, turning points. Made up, without a search."""

from dataclasses import replace
from itertools import pairwise
from math import log

import pytest

from shisan.engine import Colour, Line, Result, Rules, win_probability
from shisan.protocol.games import GameRecord
from shisan.protocol.reviews import (
    Course,
    Found,
    Moment,
    Review,
    Setting,
    decided,
    judge,
    losing_move,
    turning_points,
)

GOING_ON = Result(None, "going on", ())
A, B, C = (0, 0), (1, 1), (2, 2)


def line(move: tuple[int, int], chance: float = 0.5, win_in: int | None = None) -> Line:
    if win_in is None:
        value = round(200 * log(chance / (1 - chance)))
        return Line(move, value, chance, None, 8, (move,))
    value = 30000 - win_in if win_in > 0 else -30000 - win_in
    return Line(move, value, win_probability(value), win_in, 8, (move,))


def moment(*lines: Line, played: Line | None = None, ply: int = 0, **more: object) -> Moment:
    found = Found(lines, played or lines[0])
    side = Colour(ply % 2)
    made = Moment(ply, side, found.played.move if found.played else None, GOING_ON, (), None, found)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("after", "mark"),
    [
        (0.60, ""),
        (0.551, ""),
        (0.549, "inaccuracy"),
        (0.501, "inaccuracy"),
        (0.499, "mistake"),
        (0.401, "mistake"),
        (0.399, "blunder"),
        (0.01, "blunder"),
    ],
)
def test_marks_by_loss(after: float, mark: str) -> None:
    verdict = judge(moment(line(A, 0.6), played=line(B, after)))
    assert verdict is not None and verdict.mark == mark
    assert verdict.loss == pytest.approx(0.6 - after)


@pytest.mark.parametrize(
    ("best", "played", "mark", "missed", "allowed"),
    [
        (line(A, win_in=5), line(B, 0.99), "inaccuracy", True, False),
        (line(A, win_in=5), line(B, 0.85), "mistake", True, False),
        (line(A, win_in=5), line(B, win_in=31), "", False, False),
        (line(A, win_in=5), line(B, win_in=-4), "blunder", True, True),
        (line(A, 0.02), line(B, win_in=-4), "inaccuracy", False, True),
        (line(A, 0.5), line(B, win_in=-4), "blunder", False, True),
        (line(A, win_in=-12), line(B, win_in=-2), "", False, False),
    ],
)
def test_proven_results(best: Line, played: Line, mark: str, missed: bool, allowed: bool) -> None:
    verdict = judge(moment(best, played=played))
    assert verdict is not None
    assert (verdict.mark, verdict.missed_win, verdict.allowed_loss) == (mark, missed, allowed)
    assert verdict.lost == ((best.win_in or 0) < 0)


def test_only_moves() -> None:
    def only(*lines: Line, **more: object) -> bool:
        verdict = judge(moment(*lines, **more))  # type: ignore[arg-type]
        assert verdict is not None
        return verdict.only

    assert only(line(A, 0.5), line(B, 0.29))
    assert not only(line(A, 0.5), line(B, 0.31))
    assert not only(line(A, 0.5)), "nothing else is known"
    assert not only(line(A, 0.5), line(B, 0.2), played=line(B, 0.2))
    assert not only(line(A, 0.5), line(B, win_in=-2), forced=A), "that is called forced"
    assert not only(line(A, win_in=-4), line(B, win_in=-2)), "no move is good"


def test_forced_moves_do_not_count() -> None:
    stopped = judge(moment(line(A, 0.5), line(B, win_in=-2), forced=A))
    assert stopped is not None and stopped.forced and not stopped.counts
    other = judge(moment(line(A, 0.5), played=line(B, win_in=-2), forced=A))
    assert other is not None and not other.forced and other.counts and other.mark == "blunder"


def test_accuracy_of_a_move() -> None:
    """Of the formula at lichess.org/page/accuracy, worked out by hand."""
    for loss, wanted in ((0.0, 100.0), (0.1, 63.58), (0.2, 40.02), (0.5, 8.53), (1.0, 0.0)):
        verdict = judge(moment(line(A, 0.5)))
        assert verdict is not None
        assert replace(verdict, loss=loss).accuracy == pytest.approx(wanted, abs=0.02)


def test_nothing_is_said_of_what_was_not_played() -> None:
    assert judge(replace(moment(line(A, 0.5)), found=None)) is None
    assert judge(replace(moment(line(A, 0.5)), found=Found((line(A, 0.5),), None))) is None


def game_of(*chances: float, end: Result = GOING_ON) -> Review:
    """A game with these chances of Black's; his moves can only lower them, White's raise them."""
    steps = list(pairwise(chances))
    assert all(after <= before for before, after in steps[::2])
    assert all(after >= before for before, after in steps[1::2])
    moments = []
    for ply, (before, after) in enumerate(steps):
        views = [1 - each if ply % 2 else each for each in (before, after)]
        lines = [
            line(A, win_in=9 if each else -8) if each in (0, 1) else line(A, each) for each in views
        ]
        moments.append(moment(replace(lines[0], move=B), played=lines[1], ply=ply))
    last = replace(moments[-1], ply=len(moments), move=None, found=None, result=end)
    course = Course(0, (*moments, last))
    rules = Rules.freestyle()
    return Review(GameRecord(), rules, Setting(), 0, (course,), "made up")


WON = Result(Colour.BLACK, "five", ())


def test_turning_points() -> None:
    def turns(*chances: float) -> list[int]:
        return [each.ply for each in turning_points(game_of(*chances, end=WON))]

    assert turns(0.5, 0.5, 0.7, 0.7, 0.9, 0.9) == [], "Black led from the beginning"
    assert turns(0.5, 0.3, 0.3, 0.3, 0.55, 0.45, 0.62) == [5], "White led until then"
    opening = replace(game_of(0.5, 0.3, 0.3, 0.3, 0.55, 0.45, 0.62, end=WON), opening=6)
    assert turning_points(opening) == [], "the opening is not judged"
    assert turns(0.7, 0.45, 0.45, 0.41, 0.55, 0.41) == [], "nobody else took the lead"
    assert turns(0.7, 0.7, 0.7, 0.7, 1, 0.75, 1) == [3, 4, 5], "a win allowed, missed, allowed"


def test_what_decided_a_game() -> None:
    found = game_of(0.5, 0.5, 0.8, 0.8, 1, 1, 1, end=WON)
    end = decided(found.main)
    assert end is not None and (end[0].ply, end[1]) == (4, Colour.BLACK)
    last = losing_move(found)
    assert last is not None and last.ply == 3
    unclear = game_of(0.5, 0.4, 0.7)
    assert decided(unclear.main) is None and losing_move(unclear) is None


def test_the_opening_is_left_out() -> None:
    found = replace(game_of(0.9, 0.4, 0.4, 0.4, 0.4), opening=1)
    assert [m.ply for m, _ in found.verdicts(found.main)] == [1, 2, 3]
    assert found.tally(Colour.BLACK).blunders == 0
    assert replace(found, opening=0).tally(Colour.BLACK).blunders == 1
