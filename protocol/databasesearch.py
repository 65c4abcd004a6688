"""How a search uses what a database knows: as advice, which it never takes for truth.

A record may be wrong: somebody's label, a file of another program, a bug of long ago. So nothing
that is announced rests on one. Moves recorded as best are looked at first, alone, with half of the
limits, and kept if the search finds nothing against them; moves recorded as losing are held back,
unless all others turn out to lose. Values and wins are always those that the search found itself.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from shisan.engine import Colour, Limits, Point, Position, PositionError, SearchResult

from .notation import point_name
from .positionrecords import MAX_VALUE, PROVEN, Bound, Record

DOUBT: Final = -150
"""A move recorded as best is given up when the search's value of it is less: odds of 2 to 1."""

REACH: Final = 2
"""A move is worth playing this near to a stone; if every such one is recorded as losing, none is
held back."""

Search = Callable[[Limits, Collection[Point]], SearchResult]
"""Searches within limits, without the points given."""


class Advice(NamedTuple):
    """What a database says before a search.

    first: moves recorded as best or winning; others: then every other empty point. avoid: moves
    recorded as losing or not to be played. words: for people, MESSAGE by MESSAGE.
    """

    first: frozenset[Point] = frozenset()
    others: frozenset[Point] = frozenset()
    avoid: frozenset[Point] = frozenset()
    words: tuple[str, ...] = ()


class Guided(NamedTuple):
    """A search that was advised. whole: nothing was held back, so that the value is the position's.

    words: for people, after the search.
    """

    result: SearchResult
    words: tuple[str, ...]
    whole: bool


def advice(position: Position, record: Record | None, children: dict[Point, Record]) -> Advice:
    """What records say of a position and its moves.

    Nothing of moves if the game is over, or if a five is to be made or stopped: that is never
    left to a database.
    """
    words = () if record is None else tuple(_told(record))
    urgent = any(position.maps(colour)["five"] for colour in Colour)
    if position.over or urgent or not children:
        return Advice(words=words)
    legal = set(position.legal_points())
    known = {move: child for move, child in children.items() if move in legal}
    first = _first(known)
    if first:
        return Advice(frozenset(first), frozenset(_empty(position)) - first, words=words)
    avoid = {move for move, child in known.items() if child.label in ("l", "x")}
    if not _near(position, legal - avoid):
        avoid = set()
    if avoid:
        names = " ".join(point_name(*move) for move in sorted(avoid, key=lambda p: (p[1], p[0])))
        words += (f"database: not looked at first, recorded as losing or barred: {names}",)
    return Advice(avoid=frozenset(avoid), words=words)


def guided(
    search: Search,
    limits: Limits,
    advice: Advice,
    blocked: Collection[Point] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Guided:
    """Search with advice: once, or twice if the advice turns out badly, within the limits together.

    search: Engine.search with all else bound, its time counted from when the request was read.
    blocked: points never to be played. stopped: whether no further search is to begin.
    """
    barred = frozenset(blocked)
    words: tuple[str, ...] = ()
    part = _half(limits)
    if advice.first - barred and part is not None:
        names = " ".join(point_name(*move) for move in sorted(advice.first - barred))
        tried = search(part, advice.others | barred)
        if tried.value >= DOUBT or stopped():
            said = f"database: {names} recorded as best, not proven here; value {tried.value}"
            return Guided(tried, () if _wins(tried) else (said,), False)
        words = (f"database: {names} recorded as best, but the search says {tried.value}",)
        if limits.nodes is not None:
            limits = replace(limits, nodes=max(1, limits.nodes - tried.nodes))
    try:
        result = search(limits, advice.avoid | barred)
    except PositionError:  # nothing is left
        return Guided(search(limits, barred), words, not barred)
    if advice.avoid and _loses(result) and not stopped():
        words += ("database: all other moves lose, so those recorded as losing are looked at too",)
        result = search(limits, barred)
        return Guided(result, words, not barred)
    return Guided(result, words, not (advice.avoid or barred))


def records_of(position: Position, result: SearchResult) -> tuple[Record, Record | None]:
    """What a search found, as records of the position and of the one after its best move.

    None: the best move ends the game, and the position after it needs no record.
    """
    own = Record(
        _label(result.value), result.value, min(result.depth, 999), Bound.EXACT, result.move
    )
    after = position.copy()
    if not after.is_legal(*result.move):
        return own, None
    after.play(*result.move)
    if after.over:
        return own, None
    value = -result.value
    if abs(value) > PROVEN:
        value += 1 if value > 0 else -1  # a ply nearer
    depth = max(0, min(result.depth, 999) - 1)
    return own, Record(_label(value), value, depth, Bound.EXACT)


def worth_keeping(result: SearchResult) -> bool:
    """Whether a search found something: a proven end, or a value of a depth of its own."""
    return abs(result.value) > PROVEN or result.depth > 0


def _label(value: int) -> str:
    """The label of a position with this value: who is to move wins, so the move before lost."""
    return ("l" if value > 0 else "w") if abs(value) > PROVEN else ""


def _told(record: Record) -> Iterable[str]:
    """A record in words that claim nothing."""
    parts = []
    if record.judged:
        end = {"w": "lost", "l": "won", "d": "drawn"}[record.label]
        parts.append(f"{end} for the side to move")
    if record.bound:
        parts.append(f"value {record.value}, {record.bound.name.lower()}, depth {record.depth}")
    if record.best is not None:
        parts.append(f"best {point_name(*record.best)}")
    if parts:
        yield f"database: recorded as {'; '.join(parts)}"


def _first(known: dict[Point, Record]) -> frozenset[Point]:
    """The moves to look at first: those to be played, else the recorded wins, the nearest ones."""
    forced = [move for move, child in known.items() if child.label == "!"]
    wins = {move: -child.value for move, child in known.items() if child.label == "w"}
    if forced or not wins:
        return frozenset(forced)
    nearest = max(value if value > PROVEN else -MAX_VALUE for value in wins.values())
    return frozenset(move for move, value in wins.items() if value >= nearest)


def _empty(position: Position) -> Iterable[Point]:
    rules = position.rules
    return (
        (x, y) for y in range(rules.height) for x in range(rules.width) if position.is_empty(x, y)
    )


def _near(position: Position, points: Collection[Point]) -> bool:
    """Whether one of the points is near a stone, or there is no stone."""
    stones = position.stones
    return any(max(abs(x - a), abs(y - b)) <= REACH for a, b, _ in stones for x, y in points) or (
        not stones and bool(points)
    )


def _half(limits: Limits) -> Limits | None:
    """Half of the limits; None where there are none, or nothing to halve."""
    if limits == Limits() or limits.turn_ms == 0 or (limits.left_ms or 1) <= 0:
        return None
    return replace(
        limits,
        turn_ms=None if limits.turn_ms is None else limits.turn_ms // 2,
        left_ms=None if limits.left_ms is None else limits.left_ms // 2,
        nodes=None if limits.nodes is None else max(1, limits.nodes // 2),
    )


def _wins(result: SearchResult) -> bool:
    return result.win_in is not None and result.win_in > 0


def _loses(result: SearchResult) -> bool:
    return result.win_in is not None and result.win_in < 0
