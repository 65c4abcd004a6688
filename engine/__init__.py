"""Rules, positions and search: what is legal, who has won, what is the best move and why.

What says why, solves positions and checks proofs is loaded on first use: a brain starts without it.
"""

from typing import TYPE_CHECKING, Any, Final

from .analysis import Analysis, Line
from .clock import Limits, deadlines
from .engine import (
    MAX_THREADS,
    MAX_VARIETY,
    PROCESS_MEMORY,
    THREAD_MEMORY,
    Engine,
    Progress,
    SearchResult,
    most_threads,
    solve_vcf,
)
from .errors import DataError, IllegalMoveError, LimitError, PositionError, RulesError
from .kernel import CPU, load
from .levels import MAX_STRENGTH
from .networks import check as check_data
from .odds import win_probability
from .rules import MAX_SIDE, MIN_SIDE, Colour, Point, Rules
from .verdicts import Illegal, Result

if TYPE_CHECKING:
    from .bench import bench_signature
    from .position import Position
    from .proof import Verdict
    from .proof_tree import (
        PROOF_KINDS,
        Proof,
        ProofFours,
        ProofMove,
        ProofNode,
        ProofReply,
        check_proof,
    )
    from .reasons import (
        ABOUT_EQUAL,
        VERDICTS,
        Defence,
        Explanation,
        Forbidden,
        FoursWin,
        GivenAway,
        Judgement,
        SideReasons,
        best_move,
        explain,
        given_away,
        why_not,
    )
    from .reference import ReferencePosition
    from .shapes import CHANCES, Chance, Four, Three, chance
    from .solver import METHODS, SOLVE_MEMORY, Solution, SolveProgress, Solver, solve
else:
    Position = load("position").Position


_HOME: Final = {
    **dict.fromkeys(("METHODS", "SOLVE_MEMORY", "Solution", "SolveProgress", "Solver"), "solver"),
    **dict.fromkeys(("PROOF_KINDS", "Proof", "ProofFours", "ProofMove", "ProofNode"), "proof_tree"),
    **dict.fromkeys(("ProofReply", "check_proof"), "proof_tree"),
    "Verdict": "proof",
    "bench_signature": "bench",
    "solve": "solver",
    "ABOUT_EQUAL": "reasons",
    "CHANCES": "shapes",
    "Chance": "shapes",
    "Defence": "reasons",
    "Explanation": "reasons",
    "Forbidden": "reasons",
    "Four": "shapes",
    "FoursWin": "reasons",
    "GivenAway": "reasons",
    "Judgement": "reasons",
    "ReferencePosition": "reference",
    "SideReasons": "reasons",
    "Three": "shapes",
    "VERDICTS": "reasons",
    "best_move": "reasons",
    "chance": "shapes",
    "explain": "reasons",
    "given_away": "reasons",
    "why_not": "reasons",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)


def cpu() -> str:
    """Return which kernel is in use: one of "baseline", "avx2" and "avx512"."""
    return CPU


__all__ = [
    "ABOUT_EQUAL",
    "CHANCES",
    "MAX_SIDE",
    "MAX_STRENGTH",
    "MAX_THREADS",
    "MAX_VARIETY",
    "METHODS",
    "MIN_SIDE",
    "PROCESS_MEMORY",
    "PROOF_KINDS",
    "SOLVE_MEMORY",
    "THREAD_MEMORY",
    "VERDICTS",
    "Analysis",
    "Chance",
    "Colour",
    "DataError",
    "Defence",
    "Engine",
    "Explanation",
    "Forbidden",
    "Four",
    "FoursWin",
    "GivenAway",
    "Illegal",
    "IllegalMoveError",
    "Judgement",
    "LimitError",
    "Limits",
    "Line",
    "Point",
    "Position",
    "PositionError",
    "Progress",
    "Proof",
    "ProofFours",
    "ProofMove",
    "ProofNode",
    "ProofReply",
    "ReferencePosition",
    "Result",
    "Rules",
    "RulesError",
    "SearchResult",
    "SideReasons",
    "Solution",
    "SolveProgress",
    "Solver",
    "Three",
    "Verdict",
    "bench_signature",
    "best_move",
    "chance",
    "check_data",
    "check_proof",
    "cpu",
    "deadlines",
    "explain",
    "given_away",
    "most_threads",
    "solve",
    "solve_vcf",
    "why_not",
    "win_probability",
]
