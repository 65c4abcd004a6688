"""Rules: the one record of a rule. Five orthogonal facts, with names for the usual combinations.

Nothing else in the project asks "which rule is it": position, search and referee read the facts.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from .errors import RulesError

MIN_SIDE: Final = 5
MAX_SIDE: Final = 22

Point = tuple[int, int]
"""A point as (x, y): column and row, both from 0, (0, 0) top left."""


class Colour(IntEnum):
    """Who owns a stone. Black is whoever made the first move of the game."""

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> "Colour":
        """The opponent."""
        return Colour(1 - self)


@dataclass(frozen=True, slots=True)
class Rules:
    """The five facts that make a rule.

    width, height: 5..22 each, rectangles too.
    black_exact, white_exact: that colour wins with exactly five only; else with five or more.
    closed_five: a five with an opposing stone at both ends counts (the rim closes nothing).
        False is caro; six or more are never closed.
    forbidden: Black may not make a double three, a double four or an overline, unless the same
        stone makes a five (RIF rules 9.2 and 9.3). Needs black_exact.
    foul_loses: playing a forbidden point loses the game (renju); else it cannot be played
        (casual). A matter for the referee: search and move generation never ask.

    Raises RulesError for a side out of range, or forbidden moves where overlines win for Black.
    """

    width: int = 15
    height: int = 15
    black_exact: bool = False
    white_exact: bool = False
    closed_five: bool = True
    forbidden: bool = False
    foul_loses: bool = True

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            side = getattr(self, name)
            if type(side) is not int or not MIN_SIDE <= side <= MAX_SIDE:
                raise RulesError(f"{name} must be {MIN_SIDE}..{MAX_SIDE}, not {side!r}")
        if self.forbidden and not self.black_exact:
            raise RulesError("forbidden moves need black_exact: Black's overline is one of them")

    @classmethod
    def freestyle(cls, width: int = 15, height: int | None = None) -> "Rules":
        """Five or more wins."""
        return cls(width, width if height is None else height)

    @classmethod
    def standard(cls, width: int = 15, height: int | None = None) -> "Rules":
        """Exactly five wins."""
        height = width if height is None else height
        return cls(width, height, black_exact=True, white_exact=True)

    @classmethod
    def renju(cls, width: int = 15, height: int | None = None) -> "Rules":
        """Black: exactly five and forbidden moves; White: five or more. No opening rules."""
        height = width if height is None else height
        return cls(width, height, black_exact=True, forbidden=True)

    @classmethod
    def caro(cls, width: int = 15, height: int | None = None, exact: bool = False) -> "Rules":
        """A five closed at both ends does not count; overlines win unless exact."""
        height = width if height is None else height
        return cls(width, height, black_exact=exact, white_exact=exact, closed_five=False)

    def exact(self, colour: Colour) -> bool:
        """Whether this colour wins with exactly five only."""
        return self.black_exact if colour == Colour.BLACK else self.white_exact

    @property
    def name(self) -> str:
        """A short name of the rule: freestyle, standard, renju, caro, or the facts in words."""
        facts = (self.black_exact, self.white_exact, self.closed_five, self.forbidden)
        return _NAMES.get(facts) or ", ".join(self._words())

    def _words(self) -> list[str]:
        lengths = {True: "exactly five", False: "five or more"}
        if self.black_exact == self.white_exact:
            words = [lengths[self.black_exact]]
        else:
            words = [f"black {lengths[self.black_exact]}", f"white {lengths[self.white_exact]}"]
        if not self.closed_five:
            words.append("closed five does not count")
        if self.forbidden:
            words.append("forbidden moves")
        return words


_NAMES: Final = {
    (False, False, True, False): "freestyle",
    (True, True, True, False): "standard",
    (True, False, True, True): "renju",
    (True, True, True, True): "renju, white exactly five",
    (False, False, False, False): "caro",
    (True, True, False, False): "caro, exactly five",
}
