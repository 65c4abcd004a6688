"""Matches as text: the cross-table, what two players did against each other, faults."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

from .journal import Game, Header
from .ratings import RatingList, rating_list
from .statistics import (
    Estimate,
    Pentanomial,
    Sprt,
    colours,
    counted,
    elo,
    meetings,
    pairs_of,
    sprt,
    standings,
)


def cross_table(header: Header, games: Sequence[Game]) -> str:
    """Ratings and every player's points against every other, as text; no line break at the end.

    Best first. Columns: rating and half of its 95 % interval, games, points, share of the points,
    draws, faults, then the points against each other player by rank.
    """
    listed = rated(header, games)
    order = [row.player for row in listed.ratings]
    if not order:
        return "no games yet"
    width = max(6, *(len(shown(row.name)) for row in listed.ratings))
    cells = {pair: half(sum(points)) for pair, points in _points(games).items()}
    room = max(3, *(len(cell) for cell in cells.values()))
    head = f"{'#':>3} {'player':<{width}} {'Elo':>6} {'±':>4} {'games':>5} {'points':>7}"
    head += f" {'%':>5} {'draws':>5} {'faults':>6} "
    lines = [head + "".join(f" {rank:>{room}}" for rank in range(1, len(order) + 1))]
    for rank, row in enumerate(listed.ratings, 1):
        share = 100 * row.score / row.games
        line = f"{rank:>3} {shown(row.name):<{width}} {row.elo:>6.0f} {row.error:>4.0f}"
        line += (
            f" {row.games:>5} {half(row.score):>7} {share:>5.1f} {row.draws:>5} {row.faults:>6} "
        )
        for other in order:
            cell = "-" if other == row.player else cells.get((row.player, other), "")
            line += f" {cell:>{room}}"
        lines.append(line.rstrip())
    lines.append(f"Elo by maximum likelihood with 95 % interval; {listed.anchor}.")
    if listed.note:
        lines.append(f"Note: {listed.note}.")
    return "\n".join(lines)


def summary(header: Header, games: Sequence[Game]) -> str:
    """Each meeting of two players, the first move, and faults, as lines of text."""
    lines = []
    for (a, b), met in meetings(games).items():
        results = pairs_of(met, a, b)
        lines.append(f"{shown(header.players[a].name)} - {shown(header.players[b].name)}")
        lines += [f"  {line}" for line in meeting_lines(header, results)]
    first = colours(games)
    if first.games:
        lines.append(
            f"Black: +{first.wins} ={first.draws} -{first.losses},"
            f" {100 * first.black.score:.1f} % of the points, Elo {interval(first.black)};"
            f" draws {100 * first.draw_rate:.1f} %"
        )
    for line in standings(games, header.players):
        wrong = [f"{count} by {reason}" for reason, count in line.faults.items()]
        wrong += [f"{line.timeouts} late moves"] if line.timeouts else []
        wrong += [f"{line.offences} lines punished elsewhere"] if line.offences else []
        if wrong:
            lines.append(f"{shown(line.name)} lost or erred: {', '.join(wrong)}")
    aborted = len(games) - len(counted(games))
    if aborted:
        lines.append(f"{aborted} games aborted, not counted")
    return "\n".join(lines)


def meeting_lines(header: Header, results: Pentanomial) -> Iterator[str]:
    """What one player did against another: score, pairs, Elo, and the test if there is one."""
    estimate = elo(results)
    yield (
        f"{results.games} games, +{results.wins} ={results.draws} -{results.losses},"
        f" {half(results.points)} points ({100 * estimate.score:.1f} %)"
    )
    pairs = ", ".join(map(str, results.counts))
    single = sum(results.unpaired)
    apart = f"; {single} {'game' if single == 1 else 'games'} without a partner" if single else ""
    yield f"pairs with 0, ½, 1, 1½, 2 points: {pairs}{apart}"
    yield (
        f"Elo {interval(estimate)}, superiority {100 * estimate.los:.1f} %,"
        f" normalised Elo {signed(estimate.normalised)}"
    )
    test = sprt_of(header, results)
    if test is not None:
        yield sprt_text(test)


def sprt_of(header: Header, results: Pentanomial) -> Sprt | None:
    """The sequential test that the header asks for; None if it asks for none."""
    wanted = header.settings.get("sprt")
    return sprt(results, **wanted) if isinstance(wanted, Mapping) else None


def sprt_text(test: Sprt) -> str:
    """A sequential test in a line.

    >>> sprt_text(sprt(Pentanomial((0, 1, 5, 2, 0)), 0, 30))
    'SPRT of 30 against 0 Elo (logistic): LLR 0.14 of -2.94..2.94, running'
    """
    words = {"H0": f"{test.elo0:g} Elo accepted", "H1": f"{test.elo1:g} Elo accepted"}
    return (
        f"SPRT of {test.elo1:g} against {test.elo0:g} Elo ({test.model}): LLR {test.llr:.2f}"
        f" of {test.lower:.2f}..{test.upper:.2f}, {words.get(test.verdict, test.verdict)}"
    )


def interval(estimate: Estimate) -> str:
    """An Elo difference and its 95 % interval.

    >>> interval(elo(Pentanomial((34, 54, 63, 64, 75))))
    '+55.6 [+28.1, +83.8]'
    """
    return f"{signed(estimate.elo)} [{signed(estimate.low)}, {signed(estimate.high)}]"


def signed(value: float) -> str:
    """A number with its sign and one decimal; ∞ where it has no bound."""
    if not isfinite(value):
        return "+∞" if value > 0 else "-∞"
    return f"{value:+.1f}"


def half(points: float) -> str:
    """Points as people write them.

    >>> half(0.5), half(7.5), half(12.0)
    ('½', '7½', '12')
    """
    whole = int(points)
    if points == whole:
        return str(whole)
    return f"{whole or ''}½"


def shown(name: str) -> str:
    """A player's name on one line, without characters that a terminal would act on."""
    return "".join(mark if mark.isprintable() else "?" for mark in name) or "?"


def rated(header: Header, games: Sequence[Game]) -> RatingList:
    """The rating list, from the anchor that the header asks for as soon as that has played."""
    wanted = header.settings.get("anchor")
    anchor = None
    if isinstance(wanted, Mapping):
        seated = {player for game in counted(games) for player in (game.black, game.white)}
        if wanted["name"] in {header.players[player].name for player in seated}:
            anchor = (str(wanted["name"]), float(wanted["elo"]))
    return rating_list(games, header.players, anchor)


def _points(games: Iterable[Game]) -> dict[tuple[int, int], list[float]]:
    """For each two players, both ways round, the points of the first in each game."""
    points: dict[tuple[int, int], list[float]] = {}
    for game in counted(games):
        for one, other in ((game.black, game.white), (game.white, game.black)):
            points.setdefault((one, other), []).append(game.points(one))
    return points
