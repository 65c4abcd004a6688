"""Levels: how much the engine is held back when it is asked to play weaker."""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from .errors import LimitError
from .rules import Colour, Point

if TYPE_CHECKING:
    from .position import Position

MAX_STRENGTH: Final = 100
"""Full strength: nothing is held back."""

LEAST_NODES: Final = 10
MORE_NODES: Final = 1.12
"""Each step of strength lets a search see so many times as many nodes."""

MOST_NOISE: Final = 400
"""Of a value, either way; odds of 7 to 1."""

MOST_SLIPS: Final = 30
"""One move of a hundred less for each step of strength."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """What holds the engine back.

    nodes: of a search. noise: a value may be off by so much. slips: moves of a hundred that are
    played at random near other stones, where nobody can make a five.
    """

    nodes: int
    noise: int
    slips: int


def handicap(strength: int) -> Handicap | None:
    """Return what holds the engine back at this strength, 0..MAX_STRENGTH; None: nothing.

    Raises LimitError.
    """
    if not 0 <= strength <= MAX_STRENGTH:
        raise LimitError(f"strength must be 0..{MAX_STRENGTH}, not {strength}")
    if strength == MAX_STRENGTH:
        return None
    missing = MAX_STRENGTH - strength
    return Handicap(
        nodes=round(LEAST_NODES * MORE_NODES**strength),
        noise=MOST_NOISE * missing**2 // MAX_STRENGTH**2,
        slips=max(0, MOST_SLIPS - strength),
    )


def slip_of(
    position: "Position", held: Handicap, seed: int, avoided: Collection[Point]
) -> Point | None:
    """Return a move at random near other stones, if one is drawn and nobody can make a five.

    What is drawn follows from the seed and the position. avoided: points not to be played.
    """
    luck = Random(f"{seed} {position.key}")
    if luck.randrange(100) >= held.slips or any(position.maps(side)["five"] for side in Colour):
        return None
    stones = {(x, y) for x, y, _ in position.stones}
    near = [
        (x, y)
        for x, y in position.legal_points()
        if (x, y) not in avoided
        and any((x + dx, y + dy) in stones for dx in range(-2, 3) for dy in range(-2, 3))
    ]
    return luck.choice(near) if near else None
