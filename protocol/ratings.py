"""Rating lists: maximum likelihood over all games at once, with intervals; and running Elo.

The model is Bradley and Terry's with draws as half: a player is expected to score
1 / (1 + 10 ** -(difference / 400)). Of two players the difference is therefore exactly the Elo of
statistics.elo. As every opening is played with both colours, the first move favours nobody; where
it does not cancel out, an advantage of Black can be fitted too, which is added to the difference.
Sources: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs" (1952); the
advantage as in A. Agresti, "Categorical Data Analysis", 2nd edition, section 10.6.

Intervals are those of pairs (the sandwich of G. Huber and H. White, clustered): as in the
pentanomial, games of a pair may depend on each other, and draws make results surer. Where all
pairs of two players ended alike their spread says nothing, and that of independent games stands in.

A finite maximum exists if from every player a chain of games not lost leads to every other (L. R.
Ford, "Solution of a ranking problem from binary comparisons", 1957). Where it does not, every
player gets one drawn game against an imaginary player of average strength, the intervals are those
of independent games, and the list says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p, sqrt
from typing import Final

from .journal import Game, Player
from .statistics import Z95, counted, standings

ELO: Final = 400 / log(10)
"""Elo in one unit of the natural logarithm of the odds."""

START: Final = 1200.0
"""Where a running Elo begins."""

FACTOR: Final = 32.0
"""The most that one game moves a running Elo."""

Vector = list[float]
Matrix = list[Vector]
Results = dict[tuple[int, int], list[tuple[tuple[bool, float], ...]]]
"""For each two players that met, the lower index first: the games of each pair, a game as (the
first is Black, points of the first)."""

_FAINT: Final = 0.01  # games drawn by Black that keep the advantage finite


class AnchorError(ValueError):
    """An anchor that does not play."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's line in a rating list.

    player: index into Header.players. elo, low, high: the rating and its 95 % interval against the
    anchor, or against the average of the list. games, score (points), draws. faults: games lost by
    a fault. running: its running Elo from 1,200 after its last game.
    """

    player: int
    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    draws: int
    faults: int
    running: float

    @property
    def error(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class RatingList:
    """Ratings, best first, players without games left out.

    advantage, advantage_error: Elo that moving first is worth and its 95 % error, where that was
    asked for and two players met with both colours; else 0 and inf. anchor: what the ratings are
    measured from. note: a sentence on the method where it is not plain maximum likelihood, else "".
    """

    ratings: tuple[Rating, ...]
    advantage: float
    advantage_error: float
    anchor: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted: values and their covariance, in units of the logarithm of the odds.

    The values of active players in their order, average 0, and last the advantage. Only contrasts
    (weights that sum to 0 over the players) of the covariance mean something.
    """

    active: tuple[int, ...]
    values: tuple[float, ...]
    covariance: Matrix
    advantage_known: bool
    note: str

    def difference(self, weights: Sequence[float]) -> tuple[float, float]:
        """The weighted sum of the values and its standard error."""
        value = sum(w * v for w, v in zip(weights, self.values, strict=True))
        variance = sum(
            w * row[at] * weights[at]
            for w, row in zip(weights, self.covariance, strict=True)
            for at in range(len(row))
        )
        return value, sqrt(max(variance, 0.0))


def ratings(
    games: Iterable[Game], players: Sequence[Player], anchor: tuple[str, float] | None = None
) -> list[Rating]:
    """The rating list alone; see rating_list."""
    return list(rating_list(games, players, anchor).ratings)


def rating_list(
    games: Iterable[Game],
    players: Sequence[Player],
    anchor: tuple[str, float] | None = None,
    advantage: bool = False,
) -> RatingList:
    """The players rated by all games at once.

    anchor: a player's name and the rating it is given; None: the average of the list is 0.
    advantage: fit the worth of the first move too. Raises AnchorError for a name that has not
    played.
    """
    played = counted(games)
    fitted = fit(results_of(played), advantage)
    size = len(fitted.active)
    names = [players[player].name for player in fitted.active]
    origin = [1 / size] * size if size else []
    base, where = 0.0, "the average is 0"
    if anchor is not None:
        if anchor[0] not in names:
            known = ", ".join(names) or "nobody"
            raise AnchorError(f"the anchor {anchor[0]!r} has not played; there are {known}")
        origin = [float(name == anchor[0]) / names.count(anchor[0]) for name in names]
        base, where = anchor[1], f"{anchor[0]} is {anchor[1]:g}"
    table = standings(played, players)
    last = [history[-1][1] for history in running_elo(played, len(players))]
    rows = []
    for at, player in enumerate(fitted.active):
        weights = [float(at == other) - share for other, share in enumerate(origin)] + [0.0]
        value, error = fitted.difference(weights)
        elo, reach = base + ELO * value, ELO * Z95 * error
        line = table[player]
        faults = sum(line.faults.values())
        rows.append(
            Rating(
                *(player, line.name, elo, elo - reach, elo + reach),
                *(line.games, line.points, line.draws, faults, last[player]),
            )
        )
    rows.sort(key=lambda row: (-row.elo, row.player))
    first, error = fitted.difference([0.0] * size + [1.0])
    reach = ELO * Z95 * error if fitted.advantage_known else inf
    return RatingList(tuple(rows), ELO * first, reach, where, fitted.note)


def running_elo(
    games: Iterable[Game], players: int, start: float = START, factor: float = FACTOR
) -> list[list[tuple[int, float]]]:
    """How each player's Elo went from game to game, in the order of the schedule, draws as half.

    A. Elo's rule: a rating moves by factor * (points - expected points). For each player the list
    of (number of the game, rating after it), beginning with (0, start).
    """
    now = [start] * players
    history = [[(0, start)] for _ in range(players)]
    for game in sorted(counted(games), key=lambda game: game.number):
        expected = 1 / (1 + 10 ** ((now[game.white] - now[game.black]) / 400))
        step = factor * (game.score - expected)
        now[game.black] += step
        now[game.white] -= step
        for player in (game.black, game.white):
            history[player].append((game.number, now[player]))
    return history


# --- the fit ------------------------------------------------------------------------------------


def results_of(games: Iterable[Game]) -> Results:
    """The games sorted by meeting and pair."""
    pairs: dict[tuple[int, int], dict[int, list[tuple[bool, float]]]] = {}
    for game in counted(games):
        meeting = (min(game.black, game.white), max(game.black, game.white))
        one = (game.black == meeting[0], game.points(meeting[0]))
        pairs.setdefault(meeting, defaultdict(list))[game.pair].append(one)
    return {
        meeting: [tuple(sorted(one)) for one in by_pair.values()]
        for meeting, by_pair in sorted(pairs.items())
    }


def fit(results: Results, advantage: bool = False) -> Fit:
    """The likeliest ratings, and if asked for the first-player advantage. Of nothing: empty."""
    active = sorted({player for meeting in results for player in meeting})
    if not active:
        return Fit((), (0.0,), [[0.0]], False, "")
    index = {player: at for at, player in enumerate(active)}
    size = len(active)
    totals = list(_totals(results, index))
    lonely = _apart(totals, size)
    prior = 1.0 if lonely else 0.0
    both_ways = {(black, white) for black, white, _, _ in totals}
    known = advantage and any((white, black) in both_ways for black, white in both_ways)
    values = _climb(totals, size, prior, known)
    inverse = _inverse(_derivatives(totals, values, prior, known)[1])
    if not prior and sum(map(len, results.values())) > size + 1:
        inverse = _sandwich(inverse, results, index, values, known)
    return Fit(tuple(active), tuple(values), inverse, known, _note(lonely))


def _climb(
    totals: Sequence[tuple[int, int, int, float]], size: int, prior: float, known: bool
) -> Vector:
    """The values at the maximum of the likelihood, which is concave, by Newton's method."""
    values = [0.0] * (size + 1)
    for _ in range(100):
        slopes, curvature = _derivatives(totals, values, prior, known)
        step = _solve(curvature, slopes)
        now, share = _likelihood(totals, values, prior), 1.0
        while share > 1e-9:
            new = [value + share * change for value, change in zip(values, step, strict=True)]
            if _likelihood(totals, new, prior) >= now - 1e-12 * abs(now):
                break
            share /= 2
        values = new
        if max(map(abs, step)) * share < 1e-11:
            break
    if not prior:  # with a prior the imaginary player is the origin
        centre = sum(values[:size]) / size
        values = [value - centre for value in values[:size]] + values[size:]
    return values


def _note(lonely: str) -> str:
    if not lonely:
        return ""
    return (
        f"{lonely}, so that plain maximum likelihood has no finite answer: every player got one "
        "drawn game against an imaginary average player, and intervals take games as independent"
    )


def _totals(results: Results, index: dict[int, int]) -> Iterator[tuple[int, int, int, float]]:
    """For each Black and White: their places, how many games, and Black's points."""
    for (first, second), clusters in results.items():
        for leads in (True, False):
            points = [
                p if leads else 1 - p for one in clusters for black, p in one if black == leads
            ]
            if points:
                places = (index[first], index[second]) if leads else (index[second], index[first])
                yield *places, len(points), sum(points)


def _apart(totals: Sequence[tuple[int, int, int, float]], size: int) -> str:
    """Why no finite maximum exists, in words; "" if it does."""
    takes: list[set[int]] = [set() for _ in range(size)]  # whom each has taken points from
    gives: list[set[int]] = [set() for _ in range(size)]
    meets: list[set[int]] = [set() for _ in range(size)]
    for black, white, games, points in totals:
        for one, other, part in ((black, white, points), (white, black, games - points)):
            meets[one].add(other)
            if part > 0:
                takes[one].add(other)
                gives[other].add(one)
    if len(_reach(meets)) < size:
        return "some players never met, directly or through others"
    if len(_reach(takes)) < size or len(_reach(gives)) < size:
        return "some players took no point, or all points, from all the others"
    return ""


def _reach(links: Sequence[set[int]]) -> set[int]:
    """Where the first leads to, itself included."""
    seen, todo = {0}, [0]
    while todo:
        new = links[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def _likelihood(
    totals: Sequence[tuple[int, int, int, float]], values: Vector, prior: float
) -> float:
    """The log likelihood, draws as half a win and half a loss."""
    whole = 0.0
    for black, white, games, points in totals:
        odds = values[black] - values[white] + values[-1]
        whole += points * _log_share(odds) + (games - points) * _log_share(-odds)
    for value in values[:-1] if prior else ():
        whole += prior / 2 * (_log_share(value) + _log_share(-value))
    return whole + _FAINT / 2 * (_log_share(values[-1]) + _log_share(-values[-1]))


def _log_share(odds: float) -> float:
    """The logarithm of the expected score at these log odds, without overflow."""
    return -log1p(exp(-odds)) if odds > 0 else odds - log1p(exp(odds))


def _share(odds: float) -> float:
    return 1 / (1 + exp(-odds)) if odds > 0 else exp(odds) / (1 + exp(odds))


def _derivatives(
    totals: Sequence[tuple[int, int, int, float]], values: Vector, prior: float, known: bool
) -> tuple[Vector, Matrix]:
    """The slope of the log likelihood, and minus its curvature, made invertible.

    What the games do not fix (the average, an unknown advantage) is held where it is.
    """
    last = len(values) - 1
    slopes = [0.0] * (last + 1)
    curvature = [[0.0] * (last + 1) for _ in values]
    for black, white, games, points in totals:
        share = _share(values[black] - values[white] + values[last])
        slope, bend = points - games * share, games * share * (1 - share)
        signs = ((black, 1.0), (white, -1.0), (last, float(known)))
        for one, sign in signs:
            slopes[one] += sign * slope
            for other, turn in signs:
                curvature[one][other] += sign * turn * bend
    if known:
        share = _share(values[last])
        slopes[last] += _FAINT * (0.5 - share)
        curvature[last][last] += _FAINT * share * (1 - share)
    else:
        curvature[last][last] = 1.0
    for one in range(last):
        if prior:
            share = _share(values[one])
            slopes[one] += prior * (0.5 - share)
            curvature[one][one] += prior * share * (1 - share)
        else:
            for other in range(last):
                curvature[one][other] += 1.0
    return slopes, curvature


def _sandwich(
    inverse: Matrix, results: Results, index: dict[int, int], values: Vector, known: bool
) -> Matrix:
    """The covariance that the spread of pairs about their expectation gives."""
    size = len(values)
    middle = [[0.0] * size for _ in values]
    groups = 0
    for (first, second), clusters in results.items():
        odds = values[index[first]] - values[index[second]]
        expected = {True: _share(odds + values[-1]), False: _share(odds - values[-1])}
        places = (index[first], index[second], size - 1)
        groups += len(clusters)
        alike = len(set(clusters)) == 1
        for cluster in clusters:
            gaps = [points - expected[black] for black, points in cluster]
            turns = [gap if black else -gap for gap, (black, _) in zip(gaps, cluster, strict=True)]
            gradient = (sum(gaps), -sum(gaps), sum(turns) * known)
            if alike:
                spread = [expected[black] * (1 - expected[black]) for black, _ in cluster]
                swing = [s if black else -s for s, (black, _) in zip(spread, cluster, strict=True)]
                whole, cross = sum(spread), sum(swing) * known
                block = [[whole, -whole, cross], [-whole, whole, -cross], [cross, -cross, whole]]
                block[2][2] *= known
            else:
                block = [[one * other for other in gradient] for one in gradient]
            for row, values_of_row in zip(places, block, strict=True):
                for column, value in zip(places, values_of_row, strict=True):
                    middle[row][column] += value
    free = groups / (groups - (len(index) - 1 + known))
    half = _product(inverse, middle)
    return [[free * value for value in row] for row in _product(half, inverse)]


# --- a little linear algebra --------------------------------------------------------------------


def _factor(matrix: Matrix) -> Matrix:
    """Cholesky's lower factor of a positive definite matrix."""
    lower: Matrix = []
    for at, row in enumerate(matrix):
        new: Vector = []
        for column in range(at + 1):
            other = lower[column] if column < at else new
            rest = row[column] - sum(a * b for a, b in zip(new, other, strict=False))
            new.append(rest / other[column] if column < at else sqrt(rest))
        lower.append(new)
    return lower


def _solve(matrix: Matrix, right: Vector) -> Vector:
    """The x with matrix x = right."""
    return _substitute(_factor(matrix), right)


def _substitute(lower: Matrix, right: Vector) -> Vector:
    size = len(right)
    middle: Vector = []
    for at in range(size):
        rest = right[at] - sum(a * b for a, b in zip(lower[at], middle, strict=False))
        middle.append(rest / lower[at][at])
    answer = [0.0] * size
    for at in reversed(range(size)):
        rest = middle[at] - sum(lower[below][at] * answer[below] for below in range(at + 1, size))
        answer[at] = rest / lower[at][at]
    return answer


def _inverse(matrix: Matrix) -> Matrix:
    """The inverse of a positive definite matrix."""
    lower = _factor(matrix)
    size = len(matrix)
    return [_substitute(lower, [float(row == at) for row in range(size)]) for at in range(size)]


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left
    ]
