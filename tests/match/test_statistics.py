"""Elo, intervals and the sequential test, against what others have published."""

import random
from itertools import pairwise
from math import inf, isclose

import pytest
from made_up import game, header, series

from shisan.protocol.journal import Event, Game
from shisan.protocol.statistics import (
    PAIR_SCORES,
    BoundsError,
    Model,
    Pentanomial,
    colours,
    elo,
    elo_of,
    limits,
    meetings,
    pairs_of,
    score_of,
    sprt,
    standings,
)

Five = tuple[int, int, int, int, int]


def five(ll: int, ld: int, wl: int, dd: int, wd: int, ww: int) -> Five:
    """Counts as fastchess gives them: a win and a loss apart from two draws."""
    return ll, ld, wl + dd, wd, ww


# fastchess, app/tests/sprt_test.cpp at commit 74deac2: bounds and log likelihood ratio; alpha and
# beta 0.05 throughout. It asks for agreement within 1 %.
FASTCHESS_SPRT: list[tuple[Model, Five, float, float, float]] = [
    ("normalised", five(365, 16618, 36029, 200, 16974, 390), 0, 2, 2.25),
    ("normalised", five(127, 4883, 10311, 401, 5150, 104), -1.75, 0.25, 3.01),
    ("normalised", five(0, 0, 0, 0, 0, 5550), 0, 5, 111.82),
    ("logistic", five(223, 9863, 20279, 1000, 10037, 246), 0.5, 2.5, -3.07),
    ("logistic", five(871, 26175, 55003, 980, 26678, 821), 0, 2, -4.98),
]

# fastchess, app/tests/elo_test.cpp at the same commit: Elo, its error, normalised Elo, score, and
# the likelihood of superiority in percent.
FASTCHESS_ELO = [
    (five(34, 54, 31, 32, 64, 75), 55.58, 27.65, 57.94, 0.579, 100.0),
    (five(332, 433, 457, 41, 333, 334), -8.64, 10.33, -9.17, 0.488, 5.05),
    (five(7895, 8757, 5485, 200, 568, 9999), -21.04, 2.95, -19.01, 0.470, 0.0),
]

# The same file's games without pairs: wins, losses, draws; None where it does not say.
FASTCHESS_SINGLE = [
    ((76, 89, 123), None, None, -20.76, 0.477, 15.53),
    ((136, 96, 111), 40.70, 30.43, 49.77, 0.558, 99.60),
    ((34, 356, 0), None, None, -508.44, 0.087, None),
]


@pytest.mark.parametrize(("model", "counts", "elo0", "elo1", "llr"), FASTCHESS_SPRT)
def test_sprt_of_fastchess(
    model: Model, counts: Five, elo0: float, elo1: float, llr: float
) -> None:
    assert sprt(Pentanomial(counts), elo0, elo1, model=model).llr == pytest.approx(llr, rel=0.01)


def test_sprt_of_openbench() -> None:
    """2.941675 is what OpenBench gives, quoted to that many digits in a port's test of it."""
    state = sprt(Pentanomial((39, 8843, 26675, 9240, 44)), 0.5, 2.5, model="normalised")
    assert state.llr == pytest.approx(2.941675, abs=5e-7)


@pytest.mark.parametrize(("counts", "value", "error", "normalised", "score", "los"), FASTCHESS_ELO)
def test_elo_of_fastchess(
    counts: Five, value: float, error: float, normalised: float, score: float, los: float
) -> None:
    found = elo(Pentanomial(counts))
    assert found.elo == pytest.approx(value, abs=0.006)
    assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.01)  # Student's is wider
    assert found.normalised == pytest.approx(normalised, abs=0.006)
    assert found.score == pytest.approx(score, abs=0.0006)
    assert 100 * found.los == pytest.approx(los, abs=0.006)


@pytest.mark.parametrize(("wld", "value", "error", "normalised", "score", "los"), FASTCHESS_SINGLE)
def test_games_without_pairs_of_fastchess(
    wld: tuple[int, int, int],
    value: float | None,
    error: float | None,
    normalised: float,
    score: float,
    los: float | None,
) -> None:
    wins, losses, draws = wld
    found = elo(Pentanomial((0, 0, 0, 0, 0), wins, draws, losses, (wins, draws, losses)))
    assert found.normalised == pytest.approx(normalised, abs=0.006)
    assert found.score == pytest.approx(score, abs=0.0006)
    if value is not None:
        assert found.elo == pytest.approx(value, abs=0.006)
        assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.01)  # Student's is wider
    if los is not None:
        assert 100 * found.los == pytest.approx(los, abs=0.006)


def test_limits() -> None:
    """Wald's bounds, as every runner prints them for 0.05 and 0.05."""
    lower, upper = limits(0.05, 0.05)
    assert (round(lower, 2), round(upper, 2)) == (-2.94, 2.94)
    assert limits(0.01, 0.1) == pytest.approx((-2.2925, 4.4998), abs=1e-4)


@pytest.mark.parametrize("elo_difference", [-800.0, -30.0, 0.0, 12.5, 400.0])
def test_score_and_elo_are_inverse(elo_difference: float) -> None:
    assert elo_of(score_of(elo_difference)) == pytest.approx(elo_difference)


def any_counts(rng: random.Random) -> Five:
    """Few and many, with gaps."""
    made = [int(rng.random() ** 4 * 10 ** rng.randrange(5)) for _ in range(5)]
    return (made[0], made[1], made[2], made[3], made[4])


@pytest.mark.parametrize(("model", "far"), [("logistic", 300.0), ("normalised", 100.0)])
def test_the_test_looks_the_same_from_both_sides(model: Model, far: float) -> None:
    """Exchanging the players and the bounds turns the ratio around, whatever the results."""
    rng = random.Random(3)
    for _ in range(150):
        counts = any_counts(rng)
        low, high = sorted((rng.uniform(-far, far), rng.uniform(-far, far)))
        one = sprt(Pentanomial(counts), low, high, model=model).llr
        other = sprt(Pentanomial(counts[::-1]), -high, -low, model=model).llr
        assert isclose(one, -other, rel_tol=1e-5, abs_tol=1e-5)


def test_maximum_likelihood_is_a_maximum() -> None:
    """The ratio is that of the best distributions with each score: no other of that score beats it.

    The likelihood under a score is found again by walking along all distributions that have it.
    """
    from math import log

    counts: Five = (8, 3, 20, 6, 13)
    total = sum(counts)

    def best(score: float) -> float:
        value = [n / total for n in counts]
        most = -inf
        rng = random.Random(1)
        centre, reach = [0.2, 0.2, 0.2, 0.2, 0.2], 1.0
        for _ in range(20_000):
            value = [max(p * (1 + reach * rng.uniform(-1, 1)), 1e-9) for p in centre]
            parts = list(zip(value, PAIR_SCORES, strict=True))
            below = sum(p * (score - a) for p, a in parts if a < score)
            above = sum(p * (a - score) for p, a in parts if a >= score)
            value = [p * (above if a < score else below) for p, a in parts]
            whole = sum(value)
            value = [p / whole for p in value]
            likelihood = sum(n * log(p) for n, p in zip(counts, value, strict=True))
            if likelihood > most:
                most, centre = likelihood, value
            else:
                reach = max(reach * 0.9995, 1e-3)
        return most

    walked = best(score_of(30)) - best(score_of(0))
    assert sprt(Pentanomial(counts), 0, 30).llr == pytest.approx(walked, abs=2e-3)


def test_evidence_moves_the_test() -> None:
    """Each pair won pushes up, each pair lost pushes down, and it ends at its bounds."""
    won = [sprt(Pentanomial((0, 0, 0, 0, n)), 0, 30) for n in range(60)]
    assert all(later.llr > earlier.llr for earlier, later in pairwise(won))
    assert won[0].llr == 0 and not won[0].done
    assert won[-1].verdict == "H1" and won[-1].done
    lost = sprt(Pentanomial((60, 0, 0, 0, 0)), 0, 30)
    assert lost.verdict == "H0" and lost.llr < 0
    even = sprt(Pentanomial((0, 0, 400, 0, 0)), 0, 30)
    assert even.verdict == "H0"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"elo0": 5.0, "elo1": 5.0}, "elo0 must be below elo1, not 5.0 and 5.0"),
        ({"alpha": 0.0}, "alpha must be above 0 and below 0.5, not 0.0"),
        ({"beta": 0.5}, "beta must be above 0 and below 0.5, not 0.5"),
        ({"elo1": 2000.0}, "elo1 must be -1000..1000, not 2000.0"),
        ({"model": "normalised", "elo1": 200.0}, "elo1 must be -100..100, not 200.0"),
        ({"model": "bayesian"}, "the model must be logistic or normalised, not bayesian"),
        ({"elo0": float("nan")}, "elo0 must be below elo1, not nan and 10.0"),
    ],
)
def test_bounds_that_make_no_sense(changes: dict[str, float], message: str) -> None:
    known: dict[str, object] = {"elo0": 0.0, "elo1": 10.0, **changes}
    with pytest.raises(BoundsError) as caught:
        sprt(Pentanomial((1, 1, 1, 1, 1)), **known)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_nothing_known() -> None:
    nothing = elo(Pentanomial((0, 0, 0, 0, 0)))
    assert (nothing.elo, nothing.low, nothing.high, nothing.los) == (0.0, -inf, inf, 0.5)
    assert sprt(Pentanomial((0, 0, 0, 0, 0)), 0, 5).verdict == "running"


def test_pairs_that_all_ended_alike() -> None:
    """No spread is no certainty: the interval is Wilson's, and has an end on one side only."""
    won = elo(Pentanomial((0, 0, 0, 0, 10), wins=20))
    assert won.elo == won.high == inf
    # Wilson 1927 for 20 of 20 at 95 %: from 20 / (20 + 1.96^2)
    assert won.score_low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    even = elo(Pentanomial((0, 0, 10, 0, 0), wins=10, losses=10))
    assert even.elo == 0 and even.low == pytest.approx(-even.high) and even.high > 100
    assert even.los == 0.5


# --- counting -----------------------------------------------------------------------------------


def test_pairs_are_told_by_their_number() -> None:
    games = [
        game(1, 0, 1, "1-0", pair=1),
        game(4, 1, 0, "0-1", pair=2),
        game(2, 1, 0, "0-1", pair=1),  # 2 points of the first
        game(3, 0, 1, "1/2", "board full", pair=2),  # 1 1/2
        game(5, 0, 1, "0-1", pair=3),
        game(6, 1, 0, "1-0", pair=3),  # 0
        game(7, 0, 1, "1/2", "board full", pair=4),  # its partner was broken off
        game(8, 1, 0, "1/2", "aborted", pair=4),
        game(9, 0, 2, "1-0", pair=5),  # not theirs
    ]
    found = pairs_of(games, 0, 1)
    assert found == Pentanomial((1, 0, 0, 1, 1), 3, 2, 2, (0, 1, 0))
    assert (found.pairs, found.games, found.points) == (3, 7, 4.0)
    mirrored = pairs_of(games, 1, 0)
    assert mirrored.counts == found.counts[::-1]
    assert (mirrored.wins, mirrored.losses) == (2, 3)
    assert {pair: len(met) for pair, met in meetings(games).items()} == {(0, 1): 7, (0, 2): 1}


def test_points_agree_with_games() -> None:
    rng = random.Random(11)
    points = [rng.choice((0.0, 0.5, 1.0)) for _ in range(101)]
    games = series([(0, 1, points)])
    rng.shuffle(games)
    found = pairs_of(games, 0, 1)
    assert found.points == sum(points)
    assert found.pairs == 50 and sum(found.unpaired) == 1
    assert elo(found).score == pytest.approx(sum(points) / 101)


def faulty() -> list[Game]:
    late = Event(12, 1, "time", "30.1 s")
    return [
        game(1, 0, 1, "1-0", "time"),
        game(2, 1, 0, "1-0", "illegal move"),
        game(3, 0, 1, "1-0", "crash", events=[late, late]),
        game(4, 1, 0, "0-1", "start"),
        game(5, 0, 1, "1/2", "agreed draw"),
        game(6, 1, 0, "1/2", "aborted"),
    ]


def test_faults_are_counted_apart() -> None:
    one, two = standings(faulty(), header(["one", "two"]).players)
    assert (one.wins, one.draws, one.losses, one.points) == (3, 1, 1, 3.5)
    assert dict(one.faults) == {"illegal move": 1} and one.timeouts == 0
    assert dict(two.faults) == {"time": 1, "crash": 1, "start": 1} and two.timeouts == 2


def test_first_move() -> None:
    games = series([(0, 1, [1, 0, 1, 0, 1, 1]), (0, 2, [1, 0.5])])
    first = colours(games)
    # Black's points: 1 1 1 1 1 0 and 1 1/2
    assert (first.wins, first.draws, first.losses) == (6, 1, 1)
    assert first.black.score == 6.5 / 8 and first.draw_rate == 1 / 8
    assert first.black.low < first.black.elo < first.black.high
    assert colours([]).draw_rate == 0.0
