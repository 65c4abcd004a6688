"""The statistics on matches whose truth is known, in small; scripts/simulate.py takes longer."""

import pytest

from shisan.protocol.statistics import PAIR_SCORES, Pentanomial, score_of, sprt
from shisan.scripts import simulate

np = pytest.importorskip("numpy", reason="numpy is an extra: pip install 'shisan[fit]'")


@pytest.mark.parametrize("conditions", simulate.CONDITIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("true_elo", [-100.0, 0.0, 30.0])
def test_drawn_pairs_have_the_strength_asked_for(
    conditions: simulate.Conditions, true_elo: float
) -> None:
    shares = simulate.pair_shares(true_elo, conditions)
    assert sum(shares) == pytest.approx(1) and min(shares) >= 0
    mean = sum(p * a for p, a in zip(shares, PAIR_SCORES, strict=True))
    assert mean == pytest.approx(score_of(true_elo), abs=1e-6)


def test_uneven_openings_make_pairs_depend() -> None:
    """What the pentanomial is for: pairs spread less than two games of their own would."""
    even, uneven = simulate.CONDITIONS[:2]

    def variance(conditions: simulate.Conditions) -> float:
        shares = simulate.pair_shares(0.0, conditions)
        return sum(p * (a - 0.5) ** 2 for p, a in zip(shares, PAIR_SCORES, strict=True))

    assert variance(uneven) < 0.9 * variance(even)


@pytest.mark.parametrize("true_elo", [0.0, 30.0])
def test_sequential_test_errs_within_its_errors(true_elo: float) -> None:
    """300 tests, each asked after every pair: 5 % may be wrong, and chance adds a little."""
    rng = np.random.default_rng(17)
    shares = simulate.pair_shares(true_elo, simulate.CONDITIONS[2])
    ratios, counts, undecided = simulate.run_tests(rng, 300, shares, 0.0, 30.0)
    assert undecided.size == 0
    wrong = int(((ratios > 0) != (true_elo > 0)).sum())
    assert wrong <= 26  # of 300 at 5 %, more would be seen once in a thousand
    for count in counts[:20]:
        state = sprt(Pentanomial(tuple(int(n) for n in count)), 0.0, 30.0)  # type: ignore[arg-type]
        assert state.done


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole Markdown tables, the same for the same seed."""
    texts = []
    for _ in range(2):
        assert simulate.main(["--trials", "6", "--seed", "5"]) == 0
        texts.append(capsys.readouterr().out.rpartition("Seed")[0])
    assert texts[0] == texts[1]
    rows = [line for line in texts[0].splitlines() if line.startswith("| ")]
    assert len(rows) == 3 + 9 + 12 + 9
    widths = {line.count("|") for line in rows}
    assert widths == {6, 7, 8}


def test_intervals_of_a_rating_list() -> None:
    """60 round robins of six: 360 intervals, of which 95 % hold, less what chance takes."""
    rng = np.random.default_rng(2)
    row = simulate._rating_row(rng, 60, simulate.CONDITIONS[1], 10)
    held = float(row.split("|")[3].split("%")[0])
    assert 91 <= held <= 99


def test_too_few_trials_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        simulate.main(["--trials", "0"])
    assert "--trials must be at least 1, not 0" in capsys.readouterr().err
