"""The proof checker: true claims stand, false ones break where they should."""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from shisan.engine import Colour, Position, Rules
from shisan.engine.proof import check_line, check_win
from shisan.engine.reference import ReferencePosition
from shisan.scripts.checks import ALL_RULES, read_lines
from shisan.scripts.claims import puzzle, puzzle_records

BLACK, WHITE = Colour.BLACK, Colour.WHITE


def pv(record):
    return [tuple(point) for point in record["pv"]]


# Lines of fours


def test_the_lines_of_the_puzzles_stand(data):
    records = puzzle_records(data, ("vcf",))[::6]
    assert len(records) == 200
    for record in records:
        verdict = check_line(puzzle(record), pv(record))
        assert verdict, record["id"]
        assert verdict.plies == 2 * record["win_in"] - 1


def test_cut_off_lines_break(data):
    for record in puzzle_records(data, ("vcf",))[::30]:
        if len(record["pv"]) > 2:
            verdict = check_line(puzzle(record), pv(record)[:-2])
            assert verdict.status == "broken"
            assert "not made to reply" in verdict.reason
        assert not check_line(puzzle(record), pv(record)[:-1] or ())


def test_a_five_is_a_win_and_nothing_may_follow(drawn):
    position = drawn(Rules.freestyle(9), "XXXX.....\nOOO......")
    assert check_line(position, [(4, 0)])[::3] == ("proven", 1)
    assert (
        check_line(position, [(4, 0), (8, 8), (7, 7)]).reason == "the line goes on after the five"
    )


def test_an_open_four_cannot_be_met(drawn):
    position = drawn(Rules.freestyle(9), ".XXX.....\nOO.......")
    verdict = check_line(position, [(4, 0)])
    assert verdict
    assert verdict.plies == 3


def test_a_single_four_is_met(drawn):
    position = drawn(Rules.freestyle(9), "OXXX.....\n.........")
    verdict = check_line(position, [(4, 0)])
    assert verdict.status == "broken"
    assert verdict.line == ((4, 0), (5, 0))
    assert "White is not made to reply" in verdict.reason


def test_six_are_no_five_where_exactly_five_count(drawn):
    row = "X.XXX........"
    # With 5,0 there is an open four for five or more; for exactly five, 1,0 makes six.
    assert check_line(drawn(Rules.freestyle(13), row), [(5, 0)])
    verdict = check_line(drawn(Rules.standard(13), row), [(5, 0)])
    assert verdict.line == ((5, 0), (6, 0))
    six = "XXX.XX"
    assert check_line(drawn(Rules.freestyle(13), six), [(3, 0)]).plies == 1
    assert check_line(drawn(Rules.standard(13), six), [(3, 0)]).status == "broken"


def test_a_closed_five_is_none_in_caro(drawn):
    row = "OXXXX.O......"
    assert check_line(drawn(Rules.freestyle(13), row), [(5, 0)]).plies == 1
    assert check_line(drawn(Rules.caro(13), row), [(5, 0)]).status == "broken"


def test_in_caro_a_four_can_be_met_beyond_its_five_point(drawn):
    row, line = "OXXX.........", [(4, 0), (5, 0), (8, 8)]
    verdict = check_line(drawn(Rules.freestyle(13), row), line)
    assert verdict.line[:3] == tuple(line)  # the first four did force its reply
    verdict = check_line(drawn(Rules.caro(13), row), line)
    assert verdict.line == ((4, 0), (6, 0))


def test_in_caro_an_open_four_can_be_met_if_a_stone_stands_beyond_it(drawn):
    row = "O.XXX........"
    assert check_line(drawn(Rules.freestyle(13), row), [(5, 0)])
    verdict = check_line(drawn(Rules.caro(13), row), [(5, 0)])
    assert verdict.line == ((5, 0), (6, 0))
    assert check_line(drawn(Rules.caro(13), "..XXX........"), [(5, 0)])


def test_the_defender_makes_his_own_five(drawn):
    position = drawn(Rules.freestyle(9), ".XXX.....\nOOOO.....")
    verdict = check_line(position, [(4, 0)])
    assert verdict.reason == "White makes a five"
    assert verdict.line == ((4, 0), (4, 1))


def test_a_reply_that_makes_a_five_breaks_the_line(drawn):
    # The four forces 4,0, with which White completes his column.
    position = drawn(Rules.freestyle(9), "XXX..\n....O\n....O\n....O\n....O")
    verdict = check_line(position, [(3, 0), (4, 0), (8, 8)])
    assert verdict.reason == "White makes a five"
    assert verdict.line == ((3, 0), (4, 0))


def test_the_attacker_may_not_play_forbidden_points(drawn):
    text = ".........\nOXXX.....\n....X....\n....X....\n....X...."
    assert check_line(drawn(Rules.standard(9), text), [(4, 1)])
    verdict = check_line(drawn(Rules.renju(9), text), [(4, 1)])
    assert verdict.reason == "Black cannot play 4,1: double four"
    assert verdict.line == ((4, 1),)


def test_a_five_goes_before_what_is_forbidden(drawn):
    text = ".........\nXXXX.....\n....X....\n....X....\n....X...."
    assert check_line(drawn(Rules.renju(9), text), [(4, 1)]).plies == 1


FORBIDDEN_REPLY = """
    O O O . . . . . .
    . . . X X . . . .
    . . X . X . . . .
    . X . . X . . . .
"""


def test_a_reply_forbidden_to_black_is_no_reply(drawn):
    # White's four can only be met on 4,0, which makes two fours.
    for foul_loses in (False, True):
        rules = replace(Rules.renju(9), foul_loses=foul_loses)
        position = drawn(rules, FORBIDDEN_REPLY, WHITE)
        assert position.forbidden_points()[4, 0] == "double four"
        assert check_line(position, [(3, 0)]).plies == 3
    verdict = check_line(drawn(Rules.standard(9), FORBIDDEN_REPLY, WHITE), [(3, 0)])
    assert verdict.line == ((3, 0), (4, 0))


def test_black_may_meet_a_four_with_a_five_on_such_a_point(drawn):
    text = FORBIDDEN_REPLY + "    . . . . X . . . ."
    verdict = check_line(drawn(Rules.renju(9), text, WHITE), [(3, 0)])
    assert verdict.reason == "Black makes a five"
    assert verdict.line == ((3, 0), (4, 0))


def test_moves_that_are_none(drawn):
    position = drawn(Rules.freestyle(9), ".XXX.....\nOO.......")
    for point in ((1, 0), (9, 0), (-1, 3)):
        verdict = check_line(position, [point])
        assert verdict.status == "broken"
        assert "cannot play" in verdict.reason
    assert check_line(position, []).status == "broken"
    assert check_line(position, [(4, 0), (5, 0)]).status == "broken"
    assert check_line(position, [(4, 0), (1, 0), (0, 0)]).line == ((4, 0), (1, 0))


def test_nothing_is_won_when_it_is_over(drawn):
    over = drawn(Rules.freestyle(9), "XXXXX....\n.XXX.....")
    assert check_line(over, [(4, 1)]).reason == "the game is over: five"
    full = drawn(Rules.freestyle(5), "XXX.X\nOOXOO\nXXOXX\nOOXOO\nXXOXX", WHITE)
    assert "board full" in check_line(full, [(3, 0)]).reason


def test_the_position_is_left_alone(drawn):
    position = drawn(Rules.freestyle(9), "OXXX.....\n.........")
    before = position.copy()
    check_line(position, [(4, 0), (5, 0), (6, 6)])
    assert position == before


def test_the_fast_position_can_be_given(data):
    record = read_lines(data / "puzzles" / "vcf_freestyle15.jsonl.gz")[0]
    fast = puzzle(record)
    assert isinstance(fast, Position)
    assert check_line(fast, pv(record))


# Wins of any kind


def three_then_four(game: ReferencePosition) -> tuple[int, int] | None:
    """Make an open four if there is one, else a three, on the lowest point."""
    counts = game.class_counts(game.side)
    for name in ("open four", "four", "three"):
        legal = [point for point in sorted(counts[name]) if game.is_legal(*point)]
        if legal:
            return max(legal, key=lambda point: counts[name][point])
    return None


def test_an_open_three_wins_against_nobody_and_loses_to_a_block(drawn):
    position = drawn(Rules.freestyle(7), ".......\n.......\n..XX...\n.......")
    verdict = check_win(position, three_then_four, 9, nodes=500)
    assert not verdict
    assert verdict.status in ("broken", "budget")


def test_a_double_three_wins(drawn):
    text = ".........\n..XX.....\n....X....\n....X....\n" + ".........\n" * 4
    position = drawn(Rules.freestyle(9), text)

    def strategy(game):
        if game.ply == position.ply:
            return (4, 1)
        return three_then_four(game)

    verdict = check_win(position, strategy, 7)
    assert verdict.status == "proven", verdict
    assert verdict.plies == 5
    assert check_win(position, strategy, 3).status == "broken"
    assert check_win(position, strategy, 7, nodes=3).status == "budget"
    assert check_win(position, lambda game: None, 7).reason == "the strategy has no move"
    renju = drawn(Rules.renju(9), text)
    assert "cannot play 4,1" in check_win(renju, strategy, 7).reason


def test_a_five_at_hand_is_taken(drawn):
    position = drawn(Rules.freestyle(9), "XXXX.....\nOOOO.....")
    assert check_win(position, lambda game: None, 1).plies == 1
    assert not check_win(position, lambda game: None, 0)


def test_fours_are_checked_too(drawn):
    position = drawn(Rules.freestyle(9), ".XXX.....\nOO.......")
    proven = check_win(position, lambda game: None, 9, fours=lambda game: [(4, 0)])
    assert proven
    assert proven.plies == 3
    wrong = check_win(position, lambda game: None, 9, fours=lambda game: [(6, 6)])
    assert wrong.status == "broken"
    assert position == drawn(position.rules, ".XXX.....\nOO.......")


# What is called proven is won, by trying everything on boards that are almost full


def wins_within(position: Position, plies: int) -> bool:
    """Return whether the side to move makes a five within so many plies, whatever is played."""
    attacker = position.side
    for x, y in position.legal_points() if plies > 0 else ():
        position.play(x, y)
        won = position.over and position.result.winner == attacker
        if not won and not position.over and plies >= 3:
            won = all(reply_loses(position, point, plies) for point in position.legal_points())
        position.undo()
        if won:
            return True
    return False


def reply_loses(position: Position, point: tuple[int, int], plies: int) -> bool:
    position.play(*point)
    lost = not position.over and wins_within(position, plies - 2)
    position.undo()
    return lost


@pytest.mark.parametrize("rules", ALL_RULES[::2], ids=lambda rules: rules.name)
def test_what_is_proven_is_won(rules):
    random = Random(rules.name)
    proven = tried = 0
    while not proven or tried < 12:
        width, height = random.choice(((7, 5), (6, 6), (8, 5)))
        board = [(x, y) for y in range(height) for x in range(width)]
        random.shuffle(board)
        share = random.choice((0.5, 0.6))
        stones = [(x, y, BLACK if random.random() < share else WHITE) for x, y in board[8:]]
        small = replace(rules, width=width, height=height)
        position = Position.set_up(small, stones, BLACK if share > 0.5 else WHITE)
        if position.over or wins_within(position, 1):
            continue
        tried += 1
        lines = [(point,) for point in board[:8]]
        lines += random.sample([*permutations(board[:8], 3)], 60)
        found = [line for line in lines if check_line(position, line)]
        proven += len(found)
        assert not found or wins_within(position, 2 + max(map(len, found)))
        if any(len(line) == 1 for line in found):
            assert wins_within(position, 3)
