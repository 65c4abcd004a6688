"""Announced wins, replayed by the proof checker against every reply; refutations, tried out.

All puzzles, and thousands a rule, are gone through by `python -m shisan.scripts.verify vcf`,
`lines`, `refuted` and `wins`.
"""

from collections import Counter
from itertools import product
from random import Random

import pytest

from shisan.engine import Colour, Position, Rules, solve_vcf
from shisan.engine.kernel import load
from shisan.engine.reference import ReferencePosition
from shisan.scripts.claims import (
    RULES,
    check_announced,
    check_lines,
    check_puzzle,
    check_refuted,
    line_faults,
    puzzle_records,
)
from shisan.scripts.plain import PlainSolver


@pytest.mark.parametrize("kind", ["vcf", "novcf", "vct", "defend"])
def test_puzzles(kind, data):
    records = puzzle_records(data, (kind,))[:: 9 if kind == "vcf" else 5]
    tallies = [check_puzzle(record) for record in records]
    assert [fault for tally in tallies for fault in tally.faults] == []
    assert sum(tally.counts[kind] for tally in tallies) == len(records) > 30
    assert not any(tally.counts[f"{kind}, not decided"] for tally in tallies)


@pytest.mark.parametrize("name", RULES)
def test_lines_of_fours(name):
    tally = check_lines(name, 5, 20)
    assert tally.faults == []
    assert tally.counts[name] == 20


@pytest.mark.parametrize("name", RULES)
def test_refuted_by_trying_every_four(name):
    tally = check_refuted(name, 7, 60)
    assert tally.faults == []
    assert tally.counts[name] == 60
    assert tally.counts[f"{name}, won"] >= 5
    assert tally.counts[f"{name}, refuted without a four tried"] >= 20


def one_line(row: str) -> tuple[bool, bool] | None:
    """Whether Black to move, on an otherwise empty board, wins by fours, and whether he may.

    None: he has a five at hand or no four.
    """
    rules = Rules.freestyle(len(row), 5)
    stones = [(x, 2, Colour("XO".index(mark))) for x, mark in enumerate(row) if mark != "."]
    position = Position.set_up(rules, stones, Colour.BLACK)
    if position.over or position.maps(0)["five"] or not position.maps(0)["four"]:
        return None
    game = ReferencePosition.set_up(rules, stones, Colour.BLACK)
    return PlainSolver(1000).wins(game), load("prospects").may_win_by_fours(position)


def test_prospects_are_exact_on_a_short_line():
    rows = ("".join(marks) for marks in product(".XO", repeat=9) if marks.count("X") >= 3)
    verdicts = Counter(filter(None, map(one_line, rows)))
    assert set(verdicts) == {(True, True), (False, False)}
    assert verdicts[True, True] == 391


def test_prospects_are_never_denied_on_a_long_line():
    """The last ones take two fours or three in one line; the others are random."""
    random = Random(1)
    rows = ["".join(random.choices(".XO", (6, 5, 1), k=15)) for _ in range(1000)]
    verdicts = Counter(filter(None, map(one_line, rows)))
    assert not verdicts[True, False]
    assert verdicts[True, True] > 50 and verdicts[False, False] > 50
    for row in (
        *("XXX...X.X.X", "XX.X..X..XX", "X.XX...XX.X", "O.X..XX...XXX", "OXXX...XX..X.OO"),
        *("X.X.X...X.X.X", ".O..X..XX...XX..X", "XXX...X.X...XXX", "X.XX.....XX.X"),
    ):
        assert one_line(row) == one_line(row[::-1]) == (True, True)


@pytest.mark.parametrize("name", RULES)
def test_wins_of_the_search(name):
    tally = check_announced(name, 6, 4, nodes=1000, quiet=2)
    assert tally.faults == []
    assert tally.counts[name] == 4


def test_the_first_quiet_win_is_replayed_and_counted():
    """However few are wanted: a task has too few of them to wait for the last of so many."""
    counts = check_announced("freestyle", 6, 3, nodes=1000, quiet=1000).counts
    assert counts["freestyle, quiet, replayed"] == counts["freestyle, quiet"] == 1
    assert counts["freestyle, fours"] == 2


CLOSING = [
    # the row, where Black makes a four, and the stone that meets it beyond the five point
    ("OXXX.........", (4, 0), (6, 0)),
    ("O.XXX........", (5, 0), (6, 0)),
    (".OXX.X.......", (4, 0), (7, 0)),
]


@pytest.mark.parametrize(("row", "four", "reply"), CLOSING)
def test_in_caro_a_four_met_by_closing_it_is_no_win(row, four, reply):
    """Beside that four there is nothing on the board: continuous fours cannot win."""
    stones = [(x, 0, Colour("XO".index(mark))) for x, mark in enumerate(row) if mark != "."]
    position = Position.set_up(Rules.caro(13), stones, Colour.BLACK)
    assert position.is_legal(*four)
    assert position.is_empty(*reply)
    assert solve_vcf(position) is None
    free = Position.set_up(Rules.freestyle(13), stones, Colour.BLACK)
    line = solve_vcf(free)
    assert not line or line_faults(free, line) == []
