"""Rules, positions and search: what is legal, who has won, what is the best move and why."""

from typing import TYPE_CHECKING

from .analysis import Analysis, Line, win_probability
from .clock import Limits
from .engine import MAX_VARIETY, PROCESS_MEMORY, Engine, Progress, SearchResult, solve_vcf
from .errors import DataError, IllegalMoveError, LimitError, PositionError, RulesError
from .kernel import CPU, load
from .levels import MAX_STRENGTH
from .networks import check as check_data
from .rules import MAX_SIDE, MIN_SIDE, Colour, Point, Rules
from .verdicts import Illegal, Result

if TYPE_CHECKING:
    from .position import Position
else:
    Position = load("position").Position


def cpu() -> str:
    """Return which kernel is in use: one of "baseline", "avx2" and "avx512"."""
    return CPU


__all__ = [
    "MAX_SIDE",
    "MAX_STRENGTH",
    "MAX_VARIETY",
    "MIN_SIDE",
    "PROCESS_MEMORY",
    "Analysis",
    "Colour",
    "DataError",
    "Engine",
    "Illegal",
    "IllegalMoveError",
    "LimitError",
    "Limits",
    "Line",
    "Point",
    "Position",
    "PositionError",
    "Progress",
    "Result",
    "Rules",
    "RulesError",
    "SearchResult",
    "check_data",
    "cpu",
    "solve_vcf",
    "win_probability",
]
