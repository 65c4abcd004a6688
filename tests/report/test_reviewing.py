"""Whole games looked at: made by hand, where it is known what happened, and real ones."""

import gzip
import json
from dataclasses import replace
from math import exp

import pytest
from played import (
    DATA,
    DRAWN,
    FEW,
    FORCED_FOUL,
    FOUL,
    IGNORED_THREE,
    MISSED_FIVE,
    game,
    move,
    odd,
    real,
    reviewed,
    tree,
)

from shisan.engine import Colour, Line, Rules
from shisan.engine.reference import ReferencePosition
from shisan.protocol.annotations import annotated
from shisan.protocol.games import GameError, GameRecord
from shisan.protocol.reviewing import Reviewer, review
from shisan.protocol.reviewpages import review_page
from shisan.protocol.reviews import Review, decided, losing_move, turning_points

RENJU = Rules.renju()


def test_a_missed_five() -> None:
    found = reviewed(MISSED_FIVE)
    moment, verdict = move(found, 10)
    assert moment.forced == (6, 2) and not verdict.forced and verdict.counts
    assert verdict.mark and verdict.allowed_loss and not verdict.missed_win
    moment, verdict = move(found, 11)
    assert moment.found is not None
    assert moment.found.best.move == (6, 2) and moment.found.best.win_in == 1
    assert verdict.missed_win and verdict.mark and not verdict.allowed_loss
    _, verdict = move(found, 12)
    assert verdict.forced and verdict.mark == "" and not verdict.counts
    assert found.tally(Colour.BLACK).missed_wins == 1
    assert found.tally(Colour.WHITE).allowed_losses == 1
    assert turning_points(found)


def test_a_three_that_was_ignored() -> None:
    found = reviewed(IGNORED_THREE)
    moment, verdict = move(found, 8)
    assert moment.found is not None and moment.found.played is not None
    assert moment.found.played.win_in == -4
    assert verdict.allowed_loss and verdict.mark and not verdict.lost
    for number in (9, 11):
        assert move(found, number)[1].mark == ""
    assert move(found, 10)[1].lost and not move(found, 10)[1].counts
    end = decided(found.main)
    assert end is not None and (end[0].ply, end[1]) == (8, Colour.BLACK)
    last = losing_move(found)
    assert last is not None and last.ply == 7
    assert found.main.end.black_chance == 1.0


def test_a_forbidden_move() -> None:
    found = reviewed(FOUL, RENJU)
    moment, verdict = move(found, 9)
    assert ((7, 7), "double three") in moment.forbidden
    assert verdict.foul == "double three" and verdict.mark == "blunder" and verdict.allowed_loss
    assert found.main.end.result.reason == "forbidden move"
    assert found.main.end.result.winner is Colour.WHITE
    assert found.main.end.black_chance == 0.0


def test_a_forced_forbidden_move() -> None:
    """Black was lost before it: the foul is told, but it lost nothing."""
    found = reviewed(FORCED_FOUL, RENJU)
    moment, verdict = move(found, 11)
    assert moment.found is not None and moment.forced is None
    assert verdict.foul == "double three" and verdict.lost and verdict.mark == ""
    assert moment.found.best.win_in == -2
    assert reviewed(FORCED_FOUL, replace(RENJU, forbidden=False)).main.moments[10].forced == (6, 6)


def test_a_draw() -> None:
    found = reviewed(DRAWN, Rules.freestyle(5))
    assert found.main.end.result.reason == "board full"
    assert found.main.end.black_chance == 0.5 and found.complete
    moment, verdict = move(found, 25)
    assert moment.found is not None and moment.found.played is not None
    assert moment.found.played.value == 0 and verdict.mark == ""
    assert decided(found.main) is None and losing_move(found) is None


def puzzles(name: str, count: int) -> list[dict[str, object]]:
    text = gzip.decompress((DATA / "puzzles" / name).read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()][:count]


@pytest.mark.parametrize("puzzle", puzzles("vcf_freestyle15.jsonl.gz", 6), ids=lambda p: p["id"])
def test_a_missed_win_by_fours(puzzle: dict[str, list[list[int]]]) -> None:
    """A position that is known to be won by fours, and a move at the rim in place of it."""
    moves = [(x, y) for x, y in puzzle["moves"]]
    wins = {(x, y) for x, y in puzzle["answers"]}
    rim = next((x, 0) for x in range(15) if (x, 0) not in {*moves, *wins})
    record = GameRecord(moves=(*moves, rim), rules=Rules.freestyle())
    reviewer = Reviewer(record, setting=FEW)
    for looked in reviewer.work():
        if looked.ply == len(moves):
            break
    found = reviewer.review
    moment, verdict = move(found, len(moves) + 1)
    assert moment.found is not None and moment.found.best.move in wins
    assert moment.found.best.win_in is not None and moment.found.played is not None
    assert moment.found.best.win_in >= 2 * puzzle["win_in"] - 1  # type: ignore[operator]
    won = moment.found.played.win_in
    assert verdict.missed_win == (won is None or won < 0)
    replayed(moment.found.best, found, moment.ply)


def replayed(line: Line, found: Review, ply: int) -> None:
    """A proven line is legal and ends with a win of the right side, by the slow rules."""
    board = ReferencePosition(found.rules)
    for point in found.game.moves[:ply]:
        assert point is not None
        board.play(*point)
    winner = board.side if (line.win_in or 0) > 0 else board.side.other
    for point in line.moves:
        board.play(*point)
    assert board.result.winner is winner, (ply, line)
    assert len(line.moves) <= abs(line.win_in or 0)


@pytest.mark.parametrize("make", [real, lambda: reviewed(MISSED_FIVE)], ids=["real", "made"])
def test_proven_lines_go_to_their_end(make: object) -> None:
    found = make()  # type: ignore[operator]
    proven = 0
    for moment in found.main.moments:
        for line in moment.found.lines if moment.found else ():
            if line.win_in is not None:
                replayed(line, found, moment.ply)
                proven += 1
    assert proven > 4


def test_values_are_carried_back() -> None:
    """A move is worth what the position after it is, so that the curve and losses agree."""
    found = real()
    pairs = list(zip(found.main.moments, found.main.moments[1:], strict=False))
    assert len(pairs) == 42 and found.complete
    for before, after in pairs:
        assert before.found is not None and before.found.played is not None
        assert after.chance is not None
        assert before.found.played.win_probability == pytest.approx(1 - after.chance)
        verdict = found.verdict(before)
        assert verdict is not None and before.chance is not None
        assert verdict.loss == pytest.approx(max(0.0, before.chance - 1 + after.chance))
        best = [line.value for line in before.found.lines]
        assert best == sorted(best, reverse=True)
        assert len({line.move for line in before.found.lines}) == len(best) <= 3


def test_accuracy_is_the_mean_of_the_formula() -> None:
    """Worked out again from the percentages, as lichess states it."""
    found = real()
    for colour in Colour:
        counted = [
            103.1668 * exp(-0.04354 * 100 * verdict.loss) - 3.1669
            for moment, verdict in found.verdicts(found.main)
            if moment.side == colour and not verdict.forced and not verdict.lost
        ]
        wanted = sum(min(100.0, max(0.0, each)) for each in counted) / len(counted)
        tally = found.tally(colour)
        assert tally.accuracy == pytest.approx(wanted) and tally.moves == len(counted)


def without_times(found: Review) -> Review:
    """A review with no clock in it."""
    return replace(
        found,
        courses=tuple(
            replace(
                course,
                moments=tuple(
                    replace(moment, found=moment.found and replace(moment.found, time_ms=0))
                    for moment in course.moments
                ),
            )
            for course in found.courses
        ),
    )


def test_the_same_nodes_give_the_same_review() -> None:
    again = review(game(MISSED_FIVE), setting=FEW)
    assert without_times(again) == without_times(reviewed(MISSED_FIVE))


def test_what_is_done_is_kept_and_gone_on_with() -> None:
    record = game(IGNORED_THREE)
    reviewer = Reviewer(record, setting=FEW)
    work = reviewer.work()
    seen = [next(work).ply for _ in range(4)]
    work.close()
    assert seen == [10, 9, 8, 7] and reviewer.done == 4 and reviewer.total == 11
    half = reviewer.review
    assert not half.complete
    assert [moment.found is not None for moment in half.main.moments] == [False] * 7 + [
        True
    ] * 4 + [False]
    assert half.verdict(half.main.moments[3]) is None
    rest = Reviewer(record, setting=FEW, known=half)
    assert [moment.ply for moment in rest.work()] == [6, 5, 4, 3, 2, 1, 0]
    assert rest.review.complete
    with pytest.raises(GameError, match="another game"):
        Reviewer(game(MISSED_FIVE), setting=FEW, known=half)


def test_branches() -> None:
    found = tree()
    assert [course.branch for course in found.courses] == list(range(4))
    for course in found.courses:
        line = found.game.line(course.branch)
        whole = found.whole(course)
        assert [moment.ply for moment in whole] == list(range(len(line) + 1))
        assert [moment.move for moment in whole[course.start :]] == [*line[course.start :], None]
    one = Reviewer(found.game, branches=[2]).review
    assert [course.branch for course in one.courses] == [0, 1, 2], "with the one it leaves"
    with pytest.raises(GameError, match="there is no branch 9, only 3") as problem:
        Reviewer(found.game, branches=[9])
    assert (problem.value.field, problem.value.value) == ("branch", "9")


def test_set_up_passes_and_who_begins() -> None:
    found = odd()
    assert [moment.side for moment in found.main.moments][:2] == [Colour.WHITE, Colour.BLACK]
    moment = found.main.moments[1]
    assert moment.move is None and moment.found is not None and moment.found.played is None
    assert found.verdict(moment) is None, "a pass is not judged"
    assert found.complete


def test_an_opening_is_not_judged() -> None:
    found = tree()
    assert found.opening == 3, "Kagetsu, a named opening under forbidden moves"
    assert [m.ply for m, _ in found.verdicts(found.main)] == [3, 4, 5]
    assert real().opening == 0
    assert Reviewer(real().game, Rules.freestyle(), opening=7).review.opening == 7


def test_what_cannot_be_reviewed() -> None:
    with pytest.raises(GameError, match="tells no rules"):
        Reviewer(GameRecord(moves=((7, 7),)))
    with pytest.raises(GameError, match=r"move 2 \(h8\) under freestyle: point 7,7 is occupied"):
        Reviewer(game("h8 h8"))
    with pytest.raises(GameError, match="set-up: "):
        Reviewer(game("h8", black=((1, 1), (1, 1))))


def test_an_empty_game_has_one_position() -> None:
    found = review(game(""), setting=FEW)
    assert len(found.main.moments) == 1 and found.complete
    assert found.tally(Colour.BLACK).accuracy is None


def test_what_a_position_shows_is_said() -> None:
    """In sentences of `shisan why`, in page and SGF too."""
    found = reviewed(FORCED_FOUL, RENJU)
    said = " ".join(found.main.moments[10].found.remarks)  # type: ignore[union-attr]
    assert "White's four g3-g4-g5-g6 threatens a five at g7." in said
    assert "forbidden to Black: double three" in said
    assert said in annotated(found).comments[9]
    assert "threatens a five at g7" in review_page(found)
