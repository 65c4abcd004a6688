"""What a value means: a win so far away, or a win probability."""

from math import exp
from typing import Final

WIN: Final = 30000
"""The value of a win at once; one in n plies is worth n less."""
PROVEN: Final = 29000
"""Beyond +-this a value is a proven win or loss."""
SCALE: Final = 200
"""So much value is odds of e to 1."""


def win_probability(value: int) -> float:
    """Return how likely the side whose value this is wins, 0..1, draws counted half.

    value: of a Progress or SearchResult. 1 / (1 + e**(-value / 200)); a proven win is 1, a proven
    loss 0.

    >>> win_probability(0), round(win_probability(200), 3), win_probability(29_995)
    (0.5, 0.731, 1.0)
    """
    if abs(value) > PROVEN:
        return 1.0 if value > 0 else 0.0
    # Without overflow for a static value far from zero.
    odds = exp(-abs(value) / SCALE)
    return 1 / (1 + odds) if value >= 0 else odds / (1 + odds)
