"""What a match says: results by pairs, Elo with its interval, superiority, a test that stops it.

Both games of a pair play one opening with colours exchanged, so their results depend on each other;
what is independent is the pair. A pair brings 0, 1/2, 1, 1 1/2 or 2 points: the pentanomial. All
errors here are those of pairs; games without their partner count as pairs of one game.

Elo is logistic: a score s is 400 log10(s / (1 - s)). Normalised Elo is (s - 1/2) / deviation of one
game in units of 800 / ln 10; it does not depend on how drawish the games are. Sources:

- superiority, and the interval of many pairs: the normal approximation to the mean of the pairs, as
  in fastchess (app/src/matchmaking/elo/elo_pentanomial.cpp); Student's distribution ("The probable
  error of a mean", 1908) makes the interval right for few pairs, too;
- the generalised sequential probability ratio test with exact maximum likelihood under each bound:
  Michel Van den Bergh, "Comparing the approximations for the generalized log likelihood ratio of a
  multinomial distribution", proposition 1.1 (logistic), and "Comments on normalized Elo", section
  4.1 (normalised); both on https://www.cantate.be/Fishtest;
- where all pairs ended alike, so that they have no spread: the score interval of E. B. Wilson,
  "Probable inference, the law of succession, and statistical inference" (1927).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erf, inf, log, log10, sqrt
from typing import Final, Literal

from .journal import Game, Player

Z95: Final = 1.959963984540054
"""A normal variable lies within this many deviations of its mean 95 times of 100."""

NORMALISED: Final = 800 / log(10)
"""Normalised Elo in one deviation of a single game."""

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The score of each kind of pair, as a share of its two points."""

Model = Literal["logistic", "normalised"]
Clusters = Mapping[tuple[float, int], int]
"""How often so many points were made in so many games that belong together."""

_FEW: Final = 1e-3  # stands for the count of a kind of pair not seen yet
_FAR: Final = 100.0  # normalised bounds beyond this are no use, and may have no solution


class BoundsError(ValueError):
    """Bounds or errors of a sequential test that make no sense."""


@dataclass(frozen=True, slots=True)
class Pentanomial:
    """One player's results against another. See pairs_of.

    counts: pairs with 0, 1/2, 1, 1 1/2 and 2 points. wins, draws, losses: of all games.
    unpaired: wins, draws, losses among the games without a partner.
    """

    counts: tuple[int, int, int, int, int]
    wins: int = 0
    draws: int = 0
    losses: int = 0
    unpaired: tuple[int, int, int] = (0, 0, 0)

    @property
    def pairs(self) -> int:
        """How many complete pairs there are."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """How many games there are, in pairs and outside."""
        return 2 * self.pairs + sum(self.unpaired)

    @property
    def points(self) -> float:
        """Points made in all games."""
        wins, draws, _ = self.unpaired
        return 2 * _dot(self.counts, PAIR_SCORES) + wins + draws / 2

    def clusters(self) -> Clusters:
        """The games that belong together: (points, games) and how often."""
        paired = {(2 * score, 2): n for score, n in zip(PAIR_SCORES, self.counts, strict=True)}
        single = {(score, 1): n for score, n in zip((1.0, 0.5, 0.0), self.unpaired, strict=True)}
        return {**paired, **single}


@dataclass(frozen=True, slots=True)
class Estimate:
    """How strong, and how sure that is.

    elo, low, high: the Elo difference and its 95 % interval; -inf or inf where nothing bounds it.
    los: the likelihood of superiority, 0..1. score: points per game, 0..1; score_low, score_high:
    its 95 % interval. normalised: normalised Elo, infinite without spread. games: how many.
    """

    elo: float
    low: float
    high: float
    los: float
    score: float
    score_low: float
    score_high: float
    normalised: float
    games: int


@dataclass(frozen=True, slots=True)
class Sprt:
    """Where a sequential test stands.

    llr: the log of how much likelier elo1 makes the results than elo0. lower, upper: where it ends.
    verdict: "H0" (elo0 holds), "H1" (elo1 holds) or "running".
    """

    llr: float
    lower: float
    upper: float
    verdict: Literal["running", "H0", "H1"]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: Model

    @property
    def done(self) -> bool:
        """Whether the test has decided."""
        return self.verdict != "running"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a player did: games won, drawn and lost, points, and its faults by reason."""

    player: int
    name: str
    wins: int
    draws: int
    losses: int
    faults: Mapping[str, int]
    timeouts: int
    """Moves that came too late where the game went on."""
    offences: int
    """Lines that another manager would hold against it."""

    @property
    def games(self) -> int:
        """How many games it ended."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True)
class Colours:
    """What the first move is worth: Black's results over all games, and Black's estimate."""

    wins: int
    draws: int
    losses: int
    black: Estimate

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.wins + self.draws + self.losses

    @property
    def draw_rate(self) -> float:
        """The share of draws, 0..1; 0 without games."""
        return self.draws / self.games if self.games else 0.0


# --- Elo and scores -----------------------------------------------------------------------------


def score_of(elo: float) -> float:
    """The expected score, 0..1, at an Elo difference.

    >>> score_of(0), round(score_of(100), 4)
    (0.5, 0.6401)
    """
    return 1 / (1 + 10 ** (-elo / 400)) if elo > -1e5 else 0.0


def elo_of(score: float) -> float:
    """The Elo difference at a score; -inf at 0 and inf at 1, and beyond.

    >>> elo_of(0.75).__round__(2), elo_of(1.0)
    (190.85, inf)
    """
    if score <= 0:
        return -inf
    return inf if score >= 1 else 400 * log10(score / (1 - score))


def student95(free: int) -> float:
    """Student's quantile for a 95 % interval with so many degrees of freedom, at least 1.

    From 4 on the expansion in Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.5.

    >>> [round(student95(free), 3) for free in (1, 2, 10, 30, 1000)]
    [12.706, 4.303, 2.228, 2.042, 1.962]
    """
    if free < 4:
        return (12.7062, 4.3027, 3.1824)[free - 1]
    z, n = Z95, free
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def normal_share(deviations: float) -> float:
    """The share of a normal distribution below so many deviations."""
    return (1 + erf(deviations / sqrt(2))) / 2


# --- counting -----------------------------------------------------------------------------------


def counted(games: Iterable[Game]) -> list[Game]:
    """The games that have a result: all but those aborted."""
    return [game for game in games if game.reason != "aborted"]


def pairs_of(games: Iterable[Game], a: int, b: int) -> Pentanomial:
    """The results of player a against player b (indices into Header.players).

    Games of one pair number belong together. Aborted games do not count; their partners, and pairs
    of which one game is still to be played, are unpaired.
    """
    wins = draws = losses = 0
    open_pairs: dict[int, float] = {}
    counts = [0] * 5
    for game in counted(games):
        if {game.black, game.white} != {a, b}:
            continue
        points = game.points(a)
        wins, draws, losses = wins + (points == 1), draws + (points == 0.5), losses + (points == 0)
        if game.pair in open_pairs:
            counts[int(2 * (points + open_pairs.pop(game.pair)))] += 1
        else:
            open_pairs[game.pair] = points
    left = Counter(open_pairs.values())
    five = (counts[0], counts[1], counts[2], counts[3], counts[4])
    return Pentanomial(five, wins, draws, losses, (left[1.0], left[0.5], left[0.0]))


def meetings(games: Iterable[Game]) -> dict[tuple[int, int], list[Game]]:
    """The games of each two players that met, the lower index first, in order."""
    found: dict[tuple[int, int], list[Game]] = {}
    for game in counted(games):
        meeting = (min(game.black, game.white), max(game.black, game.white))
        found.setdefault(meeting, []).append(game)
    return dict(sorted(found.items()))


def standings(games: Iterable[Game], players: Sequence[Player]) -> list[Standing]:
    """What each player did, in the order of the header."""
    results = [Counter[float]() for _ in players]
    faults = [Counter[str]() for _ in players]
    late, held = [0 for _ in players], [0 for _ in players]
    for game in counted(games):
        for player in (game.black, game.white):
            results[player][game.points(player)] += 1
        if game.loser_fault and game.winner is not None:
            faults[game.black + game.white - game.winner][game.reason] += 1
        for event in game.events:
            late[event.player] += event.kind == "time"
        for offence in game.offences:
            held[offence.player] += 1
    return [
        Standing(at, player.name, won[1.0], won[0.5], won[0.0], dict(wrong), late[at], held[at])
        for at, (player, won, wrong) in enumerate(zip(players, results, faults, strict=True))
    ]


def colours(games: Iterable[Game]) -> Colours:
    """What the first move is worth, over all games together."""
    played = counted(games)
    results = Counter(game.score for game in played)
    by_pair: dict[tuple[int, int, int], tuple[float, int]] = {}
    for game in played:
        key = (game.pair, min(game.black, game.white), max(game.black, game.white))
        points, number = by_pair.get(key, (0.0, 0))
        by_pair[key] = (points + game.score, number + 1)
    estimate = estimate_of(Counter(by_pair.values()))
    return Colours(results[1.0], results[0.5], results[0.0], estimate)


# --- how strong ---------------------------------------------------------------------------------


def elo(results: Pentanomial) -> Estimate:
    """How much stronger the player is.

    >>> found = elo(Pentanomial((34, 54, 63, 64, 75)))
    >>> f"{found.elo:.2f} [{found.low:.2f}, {found.high:.2f}]"
    '55.58 [28.12, 83.75]'
    """
    return estimate_of(results.clusters())


def estimate_of(clusters: Clusters) -> Estimate:
    """The estimate from games that belong together; without games, nothing is known."""
    games = sum(number * n for (_, number), n in clusters.items())
    if not games:
        return Estimate(0.0, -inf, inf, 0.5, 0.5, 0.0, 1.0, 0.0, 0)
    score = sum(points * n for (points, _), n in clusters.items()) / games
    free = sum(clusters.values()) - 1
    spread = sum(n * (points - number * score) ** 2 for (points, number), n in clusters.items())
    error = sqrt(spread) / games
    if spread > 1e-12:
        reach = student95(free) * error * sqrt((free + 1) / free)
        low, high = score - reach, score + reach
        normalised = NORMALISED * (score - 0.5) / sqrt(spread / games)
    else:
        low, high = _wilson(score, games)
        error = sqrt(0.25 / games)  # at most: all that is known is that they ended alike
        normalised = inf * (score - 0.5) if score != 0.5 else 0.0
    low, high = max(low, 0.0), min(high, 1.0)
    los = normal_share((score - 0.5) / error)
    return Estimate(
        elo_of(score), elo_of(low), elo_of(high), los, score, low, high, normalised, games
    )


def _wilson(score: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a score over independent games."""
    weight = Z95 * Z95 / games
    middle = score + weight / 2
    reach = sqrt(weight * (score * (1 - score) + weight / 4))
    low, high = (middle - reach) / (1 + weight), (middle + reach) / (1 + weight)
    return (low if score > 0 else 0.0), (high if score < 1 else 1.0)


# --- the sequential test ------------------------------------------------------------------------


def limits(alpha: float, beta: float) -> tuple[float, float]:
    """Where the log likelihood ratio ends a test: A. Wald's bounds.

    alpha: how often elo1 may be taken where elo0 is true; beta: the other way round.
    Raises BoundsError.
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 < value < 0.5:
            raise BoundsError(f"{name} must be above 0 and below 0.5, not {value}")
    return log(beta / (1 - alpha)), log((1 - beta) / alpha)


def check_bounds(elo0: float, elo1: float, model: str) -> None:
    """Raises BoundsError for bounds in the wrong order, too far out, or an unknown model."""
    if model not in ("logistic", "normalised"):
        raise BoundsError(f"the model must be logistic or normalised, not {model}")
    if not elo0 < elo1:
        raise BoundsError(f"elo0 must be below elo1, not {elo0} and {elo1}")
    far = _FAR if model == "normalised" else 1000.0
    for name, value in (("elo0", elo0), ("elo1", elo1)):
        if not -far <= value <= far:
            raise BoundsError(f"{name} must be {-far:g}..{far:g}, not {value}")


def sprt(
    results: Pentanomial,
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: Model = "logistic",
) -> Sprt:
    """Where the test of elo1 against elo0 stands; only complete pairs count.

    elo0, elo1: bounds in Elo of the model. Ask after every pair; the verdict holds at the first one
    that is not "running". Raises BoundsError.

    >>> state = sprt(Pentanomial((39, 8843, 26675, 9240, 44)), 0.5, 2.5, model="normalised")
    >>> round(state.llr, 3), state.verdict
    (2.942, 'running')
    """
    check_bounds(elo0, elo1, model)
    lower, upper = limits(alpha, beta)
    llr = 0.0
    if results.pairs:
        counts = [float(n) if n else _FEW for n in results.counts]
        if model == "logistic":
            under = [_with_score(counts, score_of(bound)) for bound in (elo0, elo1)]
        else:
            under = [_with_t(counts, sqrt(2) * bound / NORMALISED) for bound in (elo0, elo1)]
        llr = _llr(counts, *under)
    verdict: Literal["running", "H0", "H1"] = "running"
    if llr >= upper:
        verdict = "H1"
    elif llr <= lower:
        verdict = "H0"
    return Sprt(llr, lower, upper, verdict, elo0, elo1, alpha, beta, model)


def _llr(counts: Sequence[float], under0: Sequence[float], under1: Sequence[float]) -> float:
    """The log likelihood ratio of results, given weights that divide their shares.

    A share p becomes p / w under a bound, so of the ratio only the weights are left.
    """
    return sum(n * log(w0 / w1) for n, w0, w1 in zip(counts, under0, under1, strict=True))


def _with_score(counts: Sequence[float], score: float) -> list[float]:
    """What divides the shares to make them the likeliest with this mean score."""
    gaps = [each - score for each in PAIR_SCORES]
    tilt = _secular(counts, gaps)
    return [1 + tilt * gap for gap in gaps]


def _with_t(counts: Sequence[float], t: float) -> list[float]:
    """What divides the shares to make them the likeliest with (mean - 1/2) / deviation = t."""
    total = sum(counts)
    shares = [0.2] * 5
    weights = [1.0] * 5
    for _ in range(50):
        mean = _dot(shares, PAIR_SCORES)
        variance = sum(p * (a - mean) ** 2 for p, a in zip(shares, PAIR_SCORES, strict=True))
        deviation = sqrt(variance)
        gaps = [
            a - 0.5 - 0.5 * t * deviation * (1 + (a - mean) ** 2 / variance) for a in PAIR_SCORES
        ]
        tilt = _secular(counts, gaps)
        weights = [1 + tilt * gap for gap in gaps]
        new = [n / total / weight for n, weight in zip(counts, weights, strict=True)]
        change = max(abs(old - now) for old, now in zip(shares, new, strict=True))
        shares = new
        if change < 1e-10:
            break
    return weights


def _secular(counts: Sequence[float], gaps: Sequence[float]) -> float:
    """The tilt with sum of counts * gaps / (1 + tilt * gaps) = 0 that leaves every share positive.

    The sum falls as the tilt grows, from infinity to minus infinity between its two poles: Newton's
    steps, halving wherever one would leave the interval.
    """
    low, high = -1 / max(gaps), -1 / min(gaps)
    tilt = 0.0
    for _ in range(200):
        value = slope = 0.0
        for n, gap in zip(counts, gaps, strict=True):
            part = gap / (1 + tilt * gap)
            value += n * part
            slope -= n * part * part
        if value > 0:
            low = tilt
        else:
            high = tilt
        step = tilt - value / slope
        new = step if low < step < high else (low + high) / 2
        if abs(new - tilt) <= 1e-15 * (1 + abs(tilt)) or not low < new < high:
            break
        tilt = new
    return tilt


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
