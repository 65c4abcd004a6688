"""Try the statistics on matches whose truth is known; prints Markdown tables.

    python -m shisan.scripts.simulate [--seed N] [--trials N]

Pairs of games are drawn with a known strength: an opening favours one colour by an amount that is
drawn too, both players get it once, and some games are drawn. Three things are asked: does the
sequential test err no more often than its alpha and beta say, do intervals of an Elo difference
hold the truth 95 times of 100, and do those of a rating list. The same seed gives the same tables.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import combinations
from time import perf_counter
from typing import Any, Final

from shisan.protocol.ratings import ELO, Results, fit
from shisan.protocol.statistics import (
    PAIR_SCORES,
    Z95,
    Pentanomial,
    elo,
    limits,
    score_of,
    sprt,
)

Array = Any  # of numpy, which is imported when it is needed
Generator = Any

ALPHA: Final = 0.05
BETA: Final = 0.05
BOUNDS: Final = (0.0, 30.0)
"""The sequential test that is tried: its errors, and its bounds in Elo."""

STRENGTHS: Final = (150.0, 60.0, 20.0, 0.0, -80.0, -150.0)
"""The true ratings of the list that is tried; their average is 0."""

_FEW: Final = 1e-3  # as in statistics: what stands for a kind of pair not seen yet
_BLOCK: Final = 64  # pairs drawn at a time
_MOST: Final = 20_000  # pairs after which a test counts as undecided


@dataclass(frozen=True)
class Conditions:
    """How games go.

    draws: the share of drawn games between equals. first, spread: the Elo that an opening gives to
    Black, on average and its deviation from opening to opening.
    """

    name: str
    draws: float
    first: float
    spread: float


CONDITIONS: Final = (
    Conditions("balanced openings, 5 % draws", 0.05, 0.0, 0.0),
    Conditions("uneven openings, 5 % draws", 0.05, 60.0, 150.0),
    Conditions("uneven openings, 50 % draws", 0.5, 60.0, 150.0),
)


@cache
def pair_shares(true_elo: float, conditions: Conditions) -> list[float]:
    """How often a pair brings 0, 1/2, 1, 1 1/2 and 2 points to the stronger by so many Elo.

    The strength within a game is chosen such that the mean over all openings is that of the Elo.
    """
    low, high = -2000.0, 2000.0
    shares = [0.2] * 5
    while high - low > 1e-7:
        middle = (low + high) / 2
        shares = _mixed(middle, conditions)
        mean = sum(p * a for p, a in zip(shares, PAIR_SCORES, strict=True))
        low, high = (middle, high) if mean < score_of(true_elo) else (low, middle)
    return shares


def _mixed(strength: float, conditions: Conditions) -> list[float]:
    """The shares over all openings: the middles of 41 equal parts of a normal distribution."""
    from statistics import NormalDist

    shares = [0.0] * 5
    normal, parts = NormalDist(), 41 if conditions.spread else 1
    for part in range(parts):
        deviation = normal.inv_cdf((part + 0.5) / parts) if parts > 1 else 0.0
        gift = conditions.first + conditions.spread * deviation
        games = [_game(strength + turn * gift, conditions.draws) for turn in (1, -1)]
        for one, chance in enumerate(games[0]):
            for other, second in enumerate(games[1]):
                shares[one + other] += chance * second / parts
    return shares


def _game(strength: float, draws: float) -> tuple[float, float, float]:
    """The chances of losing, drawing and winning a game."""
    score = score_of(strength)
    drawn = draws * 4 * score * (1 - score)
    return 1 - score - drawn / 2, drawn, score - drawn / 2


# --- the sequential test ------------------------------------------------------------------------


def run_tests(
    rng: Generator, trials: int, shares: Sequence[float], elo0: float, elo1: float
) -> tuple[Array, Array, Array]:
    """Play sequential tests to their ends, asking after every pair.

    Returns for each its log likelihood ratio at the end and its counts, and which are undecided.
    """
    np: Any = import_module("numpy")

    lower, upper = limits(ALPHA, BETA)
    counts = np.zeros((trials, 5))
    ratios = np.zeros(trials)
    tilts = np.zeros((2, trials))
    going = np.arange(trials)
    pairs = 0
    while going.size and pairs < _MOST:
        drawn = rng.choice(5, size=(_BLOCK, going.size), p=shares)
        place = np.zeros(trials, dtype=int)
        place[going] = np.arange(going.size)
        for outcomes in drawn:
            counts[going, outcomes[place[going]]] += 1
            ratios[going] = _ratios(counts[going], tilts, going, (elo0, elo1))
            going = going[(ratios[going] > lower) & (ratios[going] < upper)]
            if not going.size:
                break
        pairs += _BLOCK
    return ratios, counts, going


def _ratios(counts: Array, tilts: Array, going: Array, bounds: tuple[float, float]) -> Array:
    """statistics.sprt's ratio for many results at once; tilts: where the last ones were found."""
    np: Any = import_module("numpy")

    seen = np.where(counts > 0, counts, _FEW)
    logs = []
    for at, bound in enumerate(bounds):
        gaps = np.array(PAIR_SCORES) - score_of(bound)
        tilt = _secular(seen, gaps, tilts[at, going])
        tilts[at, going] = tilt
        logs.append(np.log1p(tilt[:, None] * gaps))
    ratios: Array = (seen * (logs[0] - logs[1])).sum(axis=1)
    return ratios


def _secular(counts: Array, gaps: Array, start: Array) -> Array:
    """Many secular equations by Newton's steps, halved where they would leave the interval."""
    np: Any = import_module("numpy")

    low = np.full(len(counts), -1 / gaps.max())
    high = np.full(len(counts), -1 / gaps.min())
    tilt = start.copy()
    for _ in range(100):
        part = gaps / (1 + tilt[:, None] * gaps)
        value, slope = (counts * part).sum(axis=1), -(counts * part * part).sum(axis=1)
        low, high = np.where(value > 0, tilt, low), np.where(value > 0, high, tilt)
        step = tilt - value / slope
        new = np.where((step > low) & (step < high), step, (low + high) / 2)
        moved = np.abs(new - tilt).max()
        tilt = new
        if moved < 1e-6:  # the ratio is flat there: its error is of second order
            break
    return tilt


def sprt_table(rng: Generator, trials: int) -> Iterator[str]:
    """Errors and lengths of the sequential test where the truth is each bound, and between."""
    elo0, elo1 = BOUNDS
    yield (
        f"SPRT of {elo1:g} against {elo0:g} Elo, alpha {ALPHA}, beta {BETA}, logistic,"
        f" {trials} tests a line:\n"
    )
    yield "| conditions | true Elo | takes H1 | wrong (95 % interval) | pairs, mean | pairs, most |"
    yield "|---|---|---|---|---|---|"
    for conditions in CONDITIONS:
        for true_elo in (elo0, (elo0 + elo1) / 2, elo1):
            shares = pair_shares(true_elo, conditions)
            ratios, counts, undecided = run_tests(rng, trials, shares, elo0, elo1)
            _compare(ratios, counts)
            taken = int((ratios > 0).sum())
            wrong = {elo0: taken, elo1: trials - taken}.get(true_elo)
            error = "–" if wrong is None else _rate(wrong, trials)
            length = counts.sum(axis=1)
            rest = f" ({undecided.size} undecided)" if undecided.size else ""
            yield (
                f"| {conditions.name} | {true_elo:g} | {100 * taken / trials:.1f} %{rest} |"
                f" {error} | {length.mean():.0f} | {length.max():.0f} |"
            )


def _compare(ratios: Array, counts: Array) -> None:
    """The quick arithmetic here must be that of statistics.sprt, to the last tests' ends."""
    for ratio, count in zip(ratios[:200], counts[:200], strict=True):
        whole = tuple(int(n) for n in count)
        exact = sprt(Pentanomial((whole[0], *whole[1:])), *BOUNDS, ALPHA, BETA).llr  # type: ignore[arg-type]
        if abs(exact - ratio) > 1e-6 * (1 + abs(exact)):
            raise SystemExit(f"{whole}: {ratio} here is {exact} in statistics")


def _rate(cases: int, trials: int) -> str:
    """A share of trials with its interval (Wilson's)."""
    weight = Z95 * Z95 / trials
    share = cases / trials
    middle = (share + weight / 2) / (1 + weight)
    reach = (weight * (share * (1 - share) + weight / 4)) ** 0.5 / (1 + weight)
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    return f"{100 * share:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


# --- intervals ----------------------------------------------------------------------------------


def interval_table(rng: Generator, trials: int) -> Iterator[str]:
    """How often the 95 % interval of an Elo difference holds the truth."""
    yield f"Intervals of statistics.elo, {trials} matches a line:\n"
    yield "| conditions | pairs | true Elo | interval holds it | half of it, mean |"
    yield "|---|---|---|---|---|"
    for conditions in CONDITIONS[1:]:
        for pairs in (20, 100, 500):
            for true_elo in (0.0, 100.0):
                shares = pair_shares(true_elo, conditions)
                held, reach, bounded = 0, 0.0, 0
                for count in rng.multinomial(pairs, shares, size=trials):
                    found = elo(Pentanomial((*map(int, count),)))  # type: ignore[arg-type]
                    held += found.low <= true_elo <= found.high
                    if found.high - found.low < 1e6:
                        reach, bounded = reach + (found.high - found.low) / 2, bounded + 1
                half = f"{reach / bounded:.0f}" if bounded else "-"
                yield (
                    f"| {conditions.name} | {pairs} | {true_elo:g} | {_rate(held, trials)} |"
                    f" {half} |"
                )


def rating_table(rng: Generator, trials: int) -> Iterator[str]:
    """How often the 95 % intervals of a rating list hold the truth."""
    names = ", ".join(f"{strength:g}" for strength in STRENGTHS)
    yield f"Rating list of {len(STRENGTHS)} players ({names} Elo), {trials} round robins a line:\n"
    yield (
        "| conditions | pairs a meeting | ratings held | differences to the best held |"
        " mean error, Elo | half of the interval, mean | not plain ML |"
    )
    yield "|---|---|---|---|---|---|---|"
    for conditions in CONDITIONS:
        for pairs in (5, 20, 100):
            yield _rating_row(
                rng, trials if pairs < 100 else max(1, trials // 4), conditions, pairs
            )


def _rating_row(rng: Generator, trials: int, conditions: Conditions, pairs: int) -> str:
    size = len(STRENGTHS)
    shares = {
        (a, b): pair_shares(STRENGTHS[a] - STRENGTHS[b], conditions)
        for a, b in combinations(range(size), 2)
    }
    average = [[float(a == b) - 1 / size for b in range(size)] + [0.0] for a in range(size)]
    best = [[float(a == b) - float(b == 0) for b in range(size)] + [0.0] for a in range(size)]
    held = against = special = 0
    error = reach = 0.0
    for _ in range(trials):
        fitted = fit(_results(rng, shares, pairs))
        special += bool(fitted.note)
        for player, strength in enumerate(STRENGTHS):
            value, deviation = fitted.difference(average[player])
            held += abs(ELO * value - strength) <= ELO * Z95 * deviation
            error += ELO * value - strength if strength > 0 else strength - ELO * value
            reach += ELO * Z95 * deviation
            value, deviation = fitted.difference(best[player])
            truth = strength - STRENGTHS[0]
            against += player > 0 and abs(ELO * value - truth) <= ELO * Z95 * deviation
    all_of = trials * size
    return (
        f"| {conditions.name} | {pairs} | {_rate(held, all_of)} |"
        f" {_rate(against, trials * (size - 1))} | {error / all_of:+.1f} | {reach / all_of:.0f} |"
        f" {100 * special / trials:.0f} % |"
    )


def _results(rng: Generator, shares: dict[tuple[int, int], list[float]], pairs: int) -> Results:
    """A round robin's results as ratings.fit wants them. Of a pair only the points matter."""
    results: Results = {}
    for meeting, chances in shares.items():
        outcomes = rng.choice(5, size=pairs, p=chances)
        results[meeting] = [_PAIRS[outcome] for outcome in outcomes]
    return results


_PAIRS: Final = (
    ((False, 0.0), (True, 0.0)),
    ((False, 0.0), (True, 0.5)),
    ((False, 0.5), (True, 0.5)),
    ((False, 0.5), (True, 1.0)),
    ((False, 1.0), (True, 1.0)),
)


# --- the command --------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The parser of the tool."""
    made = argparse.ArgumentParser(
        prog="python -m shisan.scripts.simulate",
        description="Try the statistics on matches whose truth is known.",
    )
    made.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    made.add_argument(
        "--trials", type=int, default=2000, help="sequential tests and matches a line (2000)"
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns the exit status."""
    options = parser().parse_args(arguments)
    if options.trials < 1:
        parser().error(f"--trials must be at least 1, not {options.trials}")
    try:
        random: Any = import_module("numpy.random")
    except ImportError:
        parser().error("this needs numpy: pip install 'shisan[fit]'")
    start = perf_counter()
    rng = random.default_rng(options.seed)
    ratings_trials = max(1, options.trials // 10)
    tables: Iterable[Iterator[str]] = (
        sprt_table(rng, options.trials),
        interval_table(rng, options.trials),
        rating_table(rng, ratings_trials),
    )
    for table in tables:
        for line in table:
            print(line, flush=True)
        print()
    print(f"Seed {options.seed}; {perf_counter() - start:.0f} s.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
