"""The schedule: every game once, pairs from one opening, the same from the same seed."""

from collections import Counter
from dataclasses import asdict
from itertools import combinations
from typing import Any, Literal

import pytest

from shisan.engine import Rules
from shisan.protocol.conditions import Conditions, Schedule
from shisan.protocol.journal import Header, Player
from shisan.protocol.openings import Openings, load
from shisan.protocol.schedule import total, units

RULES = Rules.freestyle()
NAMED = load("named", RULES, count=1)


def header(
    players: int, kind: Literal["match", "round robin", "gauntlet"] = "match", **settings: Any
) -> Header:
    values = {**asdict(Conditions()), **asdict(Schedule()), **settings}
    names = [Player(f"p{at}", ("x",)) for at in range(players)]
    return Header(values["seed"], tuple(names), RULES, values, "", 0, kind)


def test_a_match_in_pairs() -> None:
    made = list(units(header(2, games=10), NAMED))
    assert [unit.pair for unit in made] == [1, 2, 3, 4, 5]
    plans = [plan for unit in made for plan in unit.plans]
    assert [plan.number for plan in plans] == list(range(1, 11))
    for unit in made:
        one, other = unit.plans
        assert (one.black, one.white, other.black, other.white) == (0, 1, 1, 0)
        assert one.opening == other.opening
    assert len({unit.plans[0].opening for unit in made}) == 5
    assert made == list(units(header(2, games=10), NAMED))
    assert made != list(units(header(2, games=10, seed=2), NAMED))


def test_a_longer_match_begins_like_a_shorter_one() -> None:
    short, long = (list(units(header(2, games=games), NAMED)) for games in (6, 60))
    assert long[:3] == short
    assert len(long) == 30


def test_an_odd_number_of_games() -> None:
    made = list(units(header(2, games=3), NAMED))
    assert [len(unit.plans) for unit in made] == [2, 1]
    assert total(header(2, games=3)) == 3


def test_symmetries_can_be_left_out() -> None:
    made = list(units(header(2, games=4, symmetries=False), NAMED))
    assert [unit.plans[0].opening for unit in made] == list(NAMED.stones[:2])
    shuffled = list(units(header(2, games=52, symmetries=False, shuffle=True), NAMED))
    found = [unit.plans[0].opening for unit in shuffled]
    assert sorted(found) == sorted(NAMED.stones)
    assert found != list(NAMED.stones)


@pytest.mark.parametrize(
    ("first", "blacks"),
    [("first", {0}), ("second", {1}), ("random", {0, 1}), ("alternate", {0, 1})],
)
def test_who_begins(first: str, blacks: set[int]) -> None:
    made = units(header(2, games=40, first=first), Openings("empty", ((),)))
    found = Counter(plan.black for unit in made for plan in unit.plans)
    assert found.keys() == blacks
    if first == "random":
        assert found[0] != 20 or found[1] == 20


def test_round_robin() -> None:
    made = list(units(header(4, "round robin", games=4), NAMED))
    assert total(header(4, "round robin", games=4)) == 24
    meetings = Counter((unit.plans[0].black, unit.plans[0].white) for unit in made)
    assert meetings == dict.fromkeys(combinations(range(4), 2), 2)
    assert [plan.number for unit in made for plan in unit.plans] == list(range(1, 25))


def test_gauntlet() -> None:
    made = list(units(header(4, "gauntlet", games=2), NAMED))
    assert [(unit.plans[0].black, unit.plans[0].white) for unit in made] == [(0, 1), (0, 2), (0, 3)]
