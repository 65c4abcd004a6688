"""Rating lists against published ones, and against what they must be."""

import csv
import random
from itertools import pairwise
from math import exp, inf
from pathlib import Path

import pytest
from made_up import game, header, series

from shisan.protocol.ratings import (
    ELO,
    AnchorError,
    Fit,
    Results,
    fit,
    rating_list,
    ratings,
    results_of,
    running_elo,
)
from shisan.protocol.statistics import elo, pairs_of

DATA = Path(__file__).resolve().parents[1] / "data" / "results"


def baseball() -> tuple[list[str], Results]:
    """Agresti's table 10.10: each game by itself; home is Black."""
    names: list[str] = []
    results: Results = {}
    with (DATA / "baseball.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            names += [name for name in (row["home"], row["away"]) if name not in names]
            home, away = names.index(row["home"]), names.index(row["away"])
            points = [1.0] * int(row["home_wins"]) + [0.0] * int(row["away_wins"])
            first = home < away
            ones = [((first, point if first else 1 - point),) for point in points]
            results.setdefault((min(home, away), max(home, away)), []).extend(ones)
    return names, results


def abilities(names: list[str], fitted: Fit) -> dict[str, float]:
    return dict(zip(names, fitted.values, strict=False))


def test_baseball_without_home_advantage() -> None:
    """Agresti, table 10.11: abilities against Baltimore's, standard errors of about 0.3."""
    names, results = baseball()
    fitted = fit(results)
    found = abilities(names, fitted)
    published = {
        "Milwaukee": 1.58,
        "Detroit": 1.44,
        "Toronto": 1.29,
        "New York": 1.25,
        "Boston": 1.11,
        "Cleveland": 0.68,
        "Baltimore": 0.0,
    }
    for name, value in published.items():
        assert found[name] - found["Baltimore"] == pytest.approx(value, abs=0.0051)
        if name != "Baltimore":
            contrast = [float(each == name) - float(each == "Baltimore") for each in names]
            assert 0.25 < fitted.difference([*contrast, 0.0])[1] < 0.40
    assert not fitted.note and not fitted.advantage_known


def test_baseball_with_home_advantage() -> None:
    """Agresti, table 10.11: shares of the abilities, and a home advantage of 0.302."""
    names, results = baseball()
    fitted = fit(results, advantage=True)
    assert fitted.advantage_known
    assert fitted.values[-1] == pytest.approx(0.302, abs=0.0006)
    weights = [exp(value) for value in fitted.values[:-1]]
    shares = sorted(weight / sum(weights) for weight in weights)
    published = [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    assert shares == pytest.approx(published, abs=0.0006)
    assert sorted(names) == sorted(abilities(names, fitted))


def test_gomocup_caro() -> None:
    """The order of Gomocup's own caro list of 2026, made by BayesElo from the same results.

    BayesElo scales and shrinks differently, so that only the order and the shape can agree.
    """
    published = {
        "ALPHAGOMOKU.MK26": 2602,
        "JAX25": 2520,
        "EMBRYO26": 2442,
        "KATAGOMO26": 1987,
        "LAVENDER": 1831,
        "SQUIRREL24": 1752,
        "PELA23": 1459,
    }
    names: list[str] = []
    results: Results = {}
    with (DATA / "gomocup_caro.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pair = (row["engine_a"], row["engine_b"])
            names += [name for name in pair if name not in names]
            a, b = (names.index(name) for name in pair)
            won, lost = int(row["wins_a"]), int(row["wins_b"])
            points = [1.0] * won + [0.0] * lost + [0.5] * (24 - won - lost)
            if a > b:
                points = [1 - point for point in points]
            key = (min(a, b), max(a, b))
            results.setdefault(key, []).extend([((True, point),) for point in points])
    found = abilities(names, fit(results))
    ours = [ELO * found[name] for name in published]
    assert all(better > worse for better, worse in pairwise(ours))
    theirs = list(published.values())
    middle, centre = sum(ours) / 7, sum(theirs) / 7
    both = sum((a - middle) * (b - centre) for a, b in zip(ours, theirs, strict=True))
    spread = sum((a - middle) ** 2 for a in ours) * sum((b - centre) ** 2 for b in theirs)
    assert both / spread**0.5 > 0.99


# --- what must be -------------------------------------------------------------------------------


def some_points(rng: random.Random, games: int, strength: float) -> list[float]:
    return [rng.choices((1.0, 0.5, 0.0), (strength, 0.2, 1 - strength))[0] for _ in range(games)]


def test_two_players_differ_by_the_elo_of_their_score() -> None:
    rng = random.Random(5)
    games = series([(0, 1, some_points(rng, 200, 0.6))])
    players = header(["one", "two"]).players
    plain = elo(pairs_of(games, 0, 1))
    listed = ratings(games, players, ("two", 0.0))
    assert [row.name for row in listed] == ["one", "two"]
    assert listed[0].elo == pytest.approx(plain.elo, abs=1e-6)
    assert listed[1].elo == listed[1].low == listed[1].high == 0.0
    # the same spread of the same pairs, on the scale of Elo; n pairs against n - 1
    assert listed[0].error == pytest.approx((plain.high - plain.low) / 2, rel=0.02)


def test_expected_points_are_the_points_made() -> None:
    """What maximum likelihood means here: every player's score is what its rating expects."""
    rng = random.Random(8)
    met = [(a, b, some_points(rng, 12, 0.5 + 0.06 * (b - a))) for b in range(6) for a in range(b)]
    games = series(met)
    listed = rating_list(games, header([f"p{n}" for n in range(6)]).players)
    strength = {row.player: row.elo for row in listed.ratings}
    assert sum(strength.values()) == pytest.approx(0, abs=1e-6)
    for player in range(6):
        expected = sum(
            1 / (1 + 10 ** ((strength[white + black - player] - strength[player]) / 400))
            for black, white in ((g.black, g.white) for g in games)
            if player in (black, white)
        )
        made = sum(g.points(player) for g in games if player in (g.black, g.white))
        assert expected == pytest.approx(made, abs=1e-6)
    assert [row.elo for row in listed.ratings] == sorted(strength.values(), reverse=True)
    assert listed.anchor == "the average is 0" and not listed.note
    assert (listed.advantage, listed.advantage_error) == (0.0, inf)


def test_the_anchor_moves_the_list_and_not_the_differences() -> None:
    rng = random.Random(9)
    met = [(a, b, some_points(rng, 20, 0.5)) for b in range(3) for a in range(b)]
    games, players = series(met), header(["a", "b", "c"]).players
    free = {row.name: row.elo for row in ratings(games, players)}
    bound = rating_list(games, players, ("b", 1500.0))
    tied = {row.name: row.elo for row in bound.ratings}
    assert tied["b"] == pytest.approx(1500.0)
    for name in "ac":
        assert tied[name] - tied["b"] == pytest.approx(free[name] - free["b"])
    assert bound.anchor == "b is 1500"
    with pytest.raises(AnchorError, match="the anchor 'd' has not played; there are"):
        rating_list(games, players, ("d", 0.0))


def test_perfect_scores_stay_finite_and_are_explained() -> None:
    games = series([(0, 1, [1.0] * 10), (0, 2, [1.0] * 10), (1, 2, [1, 0, 1, 0.5])])
    listed = rating_list(games, header(["a", "b", "c"]).players)
    assert "took no point, or all points" in listed.note
    assert listed.ratings[0].name == "a"
    assert 200 < listed.ratings[0].elo < 2000
    assert listed.ratings[0].error > 100


def test_groups_that_never_met_are_explained() -> None:
    games = series([(0, 1, [1, 0, 0.5, 1]), (2, 3, [1, 0, 0.5, 0])])
    listed = rating_list(games, header(["a", "b", "c", "d"]).players)
    assert "never met" in listed.note
    assert len(listed.ratings) == 4


def test_players_without_games_are_left_out() -> None:
    games = series([(0, 2, [1, 0, 0.5, 1])])
    assert [row.player for row in ratings(games, header(["a", "b", "c"]).players)] == [0, 2]
    assert rating_list([], header(["a", "b"]).players).ratings == ()
    aborted = [game(1, reason="aborted", result="1/2")]
    assert rating_list(aborted, header(["a", "b"]).players).ratings == ()


def test_a_first_move_that_always_wins() -> None:
    """The advantage stays finite and nobody is the better for it."""
    games = [game(n, n % 2, 1 - n % 2, "1-0", pair=(n + 1) // 2) for n in range(1, 21)]
    players = header(["a", "b"]).players
    listed = rating_list(games, players, advantage=True)
    assert 400 < listed.advantage < 4000
    assert listed.ratings[0].elo == pytest.approx(0, abs=1e-6)
    even = rating_list(games, players)
    assert even.ratings[0].elo == pytest.approx(0) and 50 < even.ratings[0].error < 200


def test_known_advantage_is_found() -> None:
    """A. Agresti's model simulated: Black worth 50 Elo among three unequal players."""
    rng = random.Random(4)
    strength, games = (100.0, 0.0, -100.0), []
    for pair in range(3000):
        a, b = rng.sample(range(3), 2)
        for black, white in ((a, b), (b, a)):
            expected = 1 / (1 + 10 ** (-(strength[black] - strength[white] + 50) / 400))
            result = "1-0" if rng.random() < expected else "0-1"
            games.append(game(len(games) + 1, black, white, result, pair=pair))
    listed = rating_list(games, header(["a", "b", "c"]).players, advantage=True)
    assert abs(listed.advantage - 50) < listed.advantage_error < 15
    assert [row.name for row in listed.ratings] == ["a", "b", "c"]


def test_pairs_not_games_decide_how_sure_a_rating_is() -> None:
    """The same points: pairs that each bring one point are surer than pairs of 0 and 2."""
    players = header(["a", "b"]).players
    calm = series([(0, 1, [1, 0] * 29 + [1, 1, 0, 0])])
    wild = series([(0, 1, [1, 1, 0, 0] * 15 + [1, 0])])
    assert len(results_of(calm)[0, 1]) == 31
    narrow, wide = (ratings(each, players)[0].error for each in (calm, wild))
    assert narrow < 0.5 * wide


def test_running_elo() -> None:
    games = [
        game(2, 1, 0, "1/2", "board full"),
        game(1, 0, 1, "1-0"),
        game(3, 0, 2, "0-1"),
        game(4, 0, 2, "1/2", "aborted"),
    ]
    first, second, third = running_elo(games, 3)
    assert first[:2] == [(0, 1200.0), (1, 1216.0)]
    expected = 1 / (1 + 10 ** (32 / 400))  # of the second, 32 below
    assert second[2] == (2, pytest.approx(1184 + 32 * (0.5 - expected)))
    assert [number for number, _ in first] == [0, 1, 2, 3]
    assert third[-1][0] == 3 and third[-1][1] > 1216
    for at in (first, second, third):
        assert at[0] == (0, 1200.0)
    assert first[-1][1] + second[-1][1] + third[-1][1] == pytest.approx(3600)
