"""Which games a match has, in which order: fixed by the header and the openings alone.

The unit of work is a pair: two games of one opening. Whatever is left to chance is drawn from the
seed and the number of the pair, so that a pair is the same whoever plays it, and when.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple

from .journal import Header
from .openings import Openings, Stones, symmetries, turned
from .referee import Plan


class Unit(NamedTuple):
    """A pair of games, or what is missing of it."""

    pair: int
    plans: tuple[Plan, ...]


def meetings(header: Header) -> list[tuple[int, int]]:
    """Who meets whom in a round, in this order."""
    players = range(len(header.players))
    if header.kind == "gauntlet":
        return [(0, other) for other in players[1:]]
    return list(combinations(players, 2))


def total(header: Header) -> int:
    """How many games there are."""
    return int(header.settings["games"]) * len(meetings(header))


def units(header: Header, openings: Openings) -> Iterator[Unit]:
    """All pairs in order. A round is one pair of each meeting, all of them from one opening."""
    games = int(header.settings["games"])
    order = list(range(len(openings.stones)))
    if header.settings["shuffle"]:
        Random(f"{header.seed} order").shuffle(order)
    number = pair = 0
    for turn in range((games + 1) // 2):
        stones = openings.of(order[turn % len(order)])
        for a, b in meetings(header):
            pair += 1
            laid = _turned(header, stones, pair)
            blacks = _blacks(header, a, b, pair)[: games - 2 * turn]
            plans = [
                Plan(number + at, pair, black, b if black == a else a, laid, openings.swap2)
                for at, black in enumerate(blacks, 1)
            ]
            number += len(plans)
            yield Unit(pair, tuple(plans))


def _turned(header: Header, stones: Stones, pair: int) -> Stones:
    """The opening of a pair in the symmetry that the seed gives it."""
    if not header.settings["symmetries"]:
        return stones
    symmetry = Random(f"{header.seed} symmetry {pair}").choice(symmetries(header.rules))
    return turned(stones, symmetry, header.rules)


def _blacks(header: Header, a: int, b: int, pair: int) -> list[int]:
    """Who has Black in the two games of a pair."""
    first = header.settings["first"]
    if first == "alternate":
        return [a, b]
    if first == "random":
        luck = Random(f"{header.seed} first {pair}")
        return [luck.choice((a, b)), luck.choice((a, b))]
    return [a, a] if first == "first" else [b, b]
