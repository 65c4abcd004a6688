"""Bench: fixed positions searched to a fixed depth; the nodes are the program's fingerprint.

Two builds that search the same tree print the same signature, whatever compiler and processor. A
change of the signature is a change of the play.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from .clock import Limits
from .engine import Engine
from .kernel import load
from .rules import Rules

DEPTH: Final = 6

POSITIONS: Final[dict[str, tuple[Rules, tuple[str, ...]]]] = {
    "freestyle": (
        Rules.freestyle(15),
        (
            "e7j11f8i12f6h13",
            "h6e11e8d10h8c9f12e9h7h9f9f8c11",
            "h11g8g5h7f9f7h9e8g9i9h10h12e7f8d8f6i8d9g6g7h8c10",
            "g8j7k10k8i6i8h9j8l8j9j10i10l7k9l10l9i9h7k11h8m9j12j6k7k6m10n11h6i7l6i4j5h5",
        ),
    ),
    "freestyle 20": (
        Rules.freestyle(20),
        (
            "j10k14k8j15j9i16",
            "i11k8n10l7j12h10k11i10j9j10k10l11l10m9k12k13i12h12i13h14g10h11",
            "k9i14l13j15l10h13k16l14k14k13j12i13n12m11l12m12l11l9i12m15j13g12f11l15k15m10h12k12m9j10"
            "n8k11k8",
        ),
    ),
    "standard": (
        Rules.standard(15),
        (
            "j9h5e5j5k8i6",
            "h7j8k5j9i7j6j7k7i5i9h10h9k9",
            "i8g7f7h8g6e8f6f5e6h6h9g8f8f9g10f11e10f10i7i9d6c6",
            "g11i11g6i10h10i9i8j9h9j7h12h11k8j8j10k7i13f10j14k15j6f11g12f12f9l6m5f13f14l7m7k9l10",
        ),
    ),
    "renju": (
        Rules.renju(15),
        (
            "g8j6f11j5h9j7",
            "f5h9j8g9g5i7e5d5j6i5j7j5i6",
            "g9f11f9h9g10h11h10g11i11f8i10j10i12i13j12k13e11f10h12g12e10e9",
            "f9g9i7g10g8e10i10h10h9f7i11g11j11k12i9i8k11g12g13l11i13i12j12l10j9j10l7k8h14g15j13h13j14",
        ),
    ),
    "caro": (
        Rules.caro(15),
        (
            "i11k5i8j5i9i10",
            "j8j7i5k7i7h6i6i8h9k9j5k6k5",
            "k11h9h5f9i6h11k8j7g10k7i9j10h10j6i7i5l8j8j9i10g8j4j5k4l4k6k3e9g9g7f8e7e8",
        ),
    ),
    "caro, exactly five": (
        Rules.caro(15, exact=True),
        (
            "j8e8e6f9d7e10",
            "f8k7j7l6j8k5k8j4m7l8l9m10j6j10h6i6i7g5g7e9h7f7",
        ),
    ),
}
"""For each rule the positions, as moves: a letter for the column, a number for the row."""


class Line(NamedTuple):
    """One rule's share of a bench: nodes of all its positions and the time they took."""

    rule: str
    nodes: int
    time_ms: int


def run(depth: int = DEPTH, on_line: Callable[[Line], None] | None = None) -> list[Line]:
    """Search every position to this depth with tables cleared; return the nodes of each rule."""
    position_type = load("position").Position
    lines = []
    for name, (rules, games) in POSITIONS.items():
        engine = Engine(rules)
        nodes = time_ms = 0
        for moves in games:
            engine.clear()
            position = position_type(rules)
            for x, y in _points(moves):
                position.play(x, y)
            result = engine.search(position, Limits(depth=depth))
            nodes += result.nodes
            time_ms += result.time_ms
        lines.append(Line(name, nodes, time_ms))
        if on_line is not None:
            on_line(lines[-1])
    return lines


def signature(lines: list[Line]) -> str:
    """Return the fingerprint as text, one rule after the other."""
    return ", ".join(f"{line.rule} {line.nodes}" for line in lines)


def bench_signature() -> str:
    """Search all positions to the usual depth, some seconds long; return the fingerprint."""
    return signature(run())


def _points(moves: str) -> list[tuple[int, int]]:
    """Read letter-number points written without blanks."""
    points = []
    at = 0
    while at < len(moves):
        end = at + 1
        while end < len(moves) and moves[end].isdigit():
            end += 1
        points.append((ord(moves[at]) - ord("a"), int(moves[at + 1 : end]) - 1))
        at = end
    return points
