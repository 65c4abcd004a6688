"""Plots for a page, as SVG that takes its colours from the page's style sheet."""

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Final

from .ratings import RatingList

CHANCES: Final = (400, 170, 30, 392, 10, 150)
"""The plot of chances: width, height, left and right edge of its field, top and bottom of it."""

HUES: Final = (
    *("#c2452d", "#2f7f9e", "#7a9a2e", "#8a5aa8", "#c98a1b"),
    *("#3f9a78", "#b5567f", "#5b6bb5", "#9a6a45", "#6f7a86"),
)
"""Colours of lines that must be told apart."""

_ROW: Final = 46  # pixels for a player: its name, and its interval below
_LETTERS: Final = 24  # of a name in the plot; the table below has it whole
_POINTS: Final = 400  # of a line at most; more cannot be seen


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high, not many more than asked for.

    >>> ticks(-13, 180)
    [0.0, 50.0, 100.0, 150.0]
    """
    span = max(high - low, 1e-9)
    step: float = 10 ** floor(log10(span / most))
    step *= next((nice for nice in (1, 2, 5) if span / (step * nice) <= most), 10)
    return [float(step * at) for at in range(ceil(low / step), floor(high / step) + 1)]


def rating_plot(listed: RatingList) -> str:
    """Each player's rating with its 95 % interval, best first; "" without players."""
    rows = listed.ratings
    if not rows:
        return ""
    low, high = _range(listed)
    pad = (high - low) * 0.04

    def place(elo: float) -> str:
        share = (elo - low + pad) / (high - low + 2 * pad)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"

    bottom = _ROW * len(rows) + 8
    parts = [
        f'<svg class="plot" height="{bottom + 26}" role="img" aria-labelledby="plot-title">'
        f'<title id="plot-title">Ratings with 95 % intervals: {_spoken(listed)}</title>'
    ]
    for tick in ticks(low, high):
        kind = "zero" if tick == 0 else "grid"
        x, number = place(tick), f"{tick:+.0f}" if tick else "0"
        parts.append(
            f'<line class="{kind}" x1="{x}" x2="{x}" y1="0" y2="{bottom}"/>'
            f'<text class="soft" x="{x}" y="{bottom + 18}" text-anchor="middle">{number}</text>'
        )
    for at, row in enumerate(rows):
        y = _ROW * at
        numbers = f"{row.elo:+.0f} ± {row.error:.0f}"
        parts.append(
            f'<text x="0" y="{y + 16}">{at + 1}. {escape(_short(row.name))}</text>'
            f'<text class="soft" x="100%" y="{y + 16}" text-anchor="end">{numbers}</text>'
            f'<line class="range" x1="{place(row.low)}" x2="{place(row.high)}"'
            f' y1="{y + 31}" y2="{y + 31}"/>'
            f'<circle class="dot" cx="{place(row.elo)}" cy="{y + 31}" r="6"/>'
        )
    parts.append("</svg>")
    return "".join(parts)


def _range(listed: RatingList) -> tuple[float, float]:
    """From which Elo to which the plot goes: all intervals, while that leaves the dots apart."""
    dots = [row.elo for row in listed.ratings]
    reach = 2 * max(max(dots) - min(dots), 200)
    ends = [end for row in listed.ratings for end in (row.low, row.high) if isfinite(end)]
    low = max(min(dots + ends), min(dots) - reach)
    high = min(max(dots + ends), max(dots) + reach)
    return (low, high) if high > low else (low - 100, high + 100)


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def _spoken(listed: RatingList) -> str:
    return "; ".join(
        f"{escape(row.name)} {row.elo:.0f} ({row.low:.0f} to {row.high:.0f})"
        for row in listed.ratings
    )


def trend_plot(histories: Sequence[tuple[str, Sequence[tuple[int, float]]]]) -> str:
    """How ratings went from game to game: for each player its name and (game, rating) in order."""
    values = [value for _, history in histories for _, value in history]
    last = max((number for _, history in histories for number, _ in history), default=0)
    if not last:
        return ""
    low, high = min(values) - 10, max(values) + 10
    parts = [
        '<svg class="trend" viewBox="0 0 1000 300" preserveAspectRatio="none" role="img"'
        f' aria-label="Running Elo over {last} games">'
    ]
    for at, (_, history) in enumerate(histories):
        points = " ".join(_trend_points(history, last, low, high))
        hue = HUES[at % len(HUES)]
        parts.append(f'<path d="M{points}" stroke="{hue}"/>')
    parts.append('</svg><ul class="keys">')
    for at, (name, history) in enumerate(histories):
        hue = HUES[at % len(HUES)]
        parts.append(
            f'<li><i style="background:{hue}"></i>{escape(name)} {history[-1][1]:.0f}</li>'
        )
    parts.append("</ul>")
    return "".join(parts)


def _trend_points(
    history: Sequence[tuple[int, float]], last: int, low: float, high: float
) -> Iterator[str]:
    """A player's line, thinned out, up to the right edge."""
    stride = max(1, len(history) // _POINTS)
    kept = list(history[::stride])
    kept.append((last, history[-1][1]))
    for number, value in kept:
        yield f"{1000 * number / last:.1f} {300 * (high - value) / (high - low):.1f}"


def chance_plot(
    chances: Sequence[float | None], marks: Sequence[tuple[int, str, str]], said: str
) -> str:
    """Black's win probability after each move of a game, that before the first one included.

    chances: 0..1, None: not known. marks: moves to point out, each with its index in chances, its
    kind, which is its class too, and its words. said: what the plot is, for who cannot see it.
    """
    width, height, left, right, top, bottom = CHANCES
    last = max(len(chances) - 1, 1)

    def place(at: int) -> str:
        chance = chances[at]
        assert chance is not None
        x = left + (right - left) * at / last
        return f"{x:.1f} {bottom - (bottom - top) * chance:.1f}"

    field = f'x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"'
    parts = [
        f'<svg class="chart chances" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{escape(said)}"><rect class="field" {field}/>'
    ]
    for first, end in _known(chances):
        points = "L".join(place(at) for at in range(first, end))
        x1, x2 = (place(at).split()[0] for at in (first, end - 1))
        parts.append(f'<path class="share" d="M{x1} {bottom}L{points}L{x2} {bottom}Z"/>')
        parts.append(f'<path class="curve" d="M{points}"/>')
    middle = (top + bottom) / 2
    parts.append(f'<path class="half" d="M{left} {middle:g}H{right}"/>')
    for y, number in ((top, "100"), (middle, "50"), (bottom, "0")):
        parts.append(f'<text x="{left - 4}" y="{y + 4:g}" text-anchor="end">{number}</text>')
    for tick in ticks(1, last, 8):
        x = left + (right - left) * tick / last
        if tick == int(tick):
            parts.append(f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{tick:g}</text>')
    for at, kind, words in marks:
        cx, cy = place(at).split()
        parts.append(
            f'<circle class="{kind}" cx="{cx}" cy="{cy}" r="4.2"><title>{escape(words)}</title>'
            "</circle>"
        )
    parts.append(f'<path class="now" d="M-9 {top}V{bottom}"/></svg>')
    return "".join(parts)


def _known(chances: Sequence[float | None]) -> Iterator[tuple[int, int]]:
    """Where chances are known without a gap: first index, and the one after the last."""
    first: int | None = None
    for at, chance in enumerate([*chances, None]):
        if chance is None and first is not None:
            yield first, at
            first = None
        elif chance is not None and first is None:
            first = at
