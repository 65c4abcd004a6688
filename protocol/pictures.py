"""Positions to look at: as text for a terminal, as SVG for a page.

Both show the stones, the last one marked, the line that won, the points forbidden for Black with
their kind, walls, and letter-number coordinates on the rim (h8 as in notation).
"""

from typing import Final

from shisan.engine import Colour, Point, Position

from .notation import point_name

KIND_MARKS: Final = {"double three": "3", "double four": "4", "overline": "6"}
"""The digit that stands for each kind of forbidden point, in text and in SVG."""

_CELL: Final = 40  # SVG units from line to line
_MARGIN: Final = 52
_STONE: Final = 18
_KIND_COLOURS: Final = {"double three": "#c62828", "double four": "#6a1b9a", "overline": "#1257a8"}
_LINE_COLOUR: Final = "#2e9e4f"
_LAST_COLOUR: Final = "#e0392b"

_ANSI: Final = {
    "grid": "38;5;94",
    Colour.BLACK: "38;5;16;1",
    Colour.WHITE: "38;5;231;1",
    "forbidden": "38;5;160;1",
    "wall": "38;5;94;7",
}
_WOOD: Final = "48;5;179"
_MARKED: Final = "48;5;150"  # the background of the last stone and of the line that won

_DEFINITIONS: Final = """\
<defs>
<linearGradient id="shisan-wood" x1="0" y1="0" x2="1" y2="1">
<stop offset="0" stop-color="#f0cd8d"/><stop offset="0.5" stop-color="#e5bb73"/>\
<stop offset="1" stop-color="#d9a95c"/>
</linearGradient>
<pattern id="shisan-grain" width="320" height="96" patternUnits="userSpaceOnUse">
<path d="M0 10q80-9 160 0t160 0M0 27q80 7 160 0t160 0M0 49q80-5 160 0t160 0M0 66q80 11 160 0t160 0\
M0 85q80-6 160 0t160 0" fill="none" stroke="#a8702c" stroke-opacity="0.16" stroke-width="1.6"/>
</pattern>
<radialGradient id="shisan-black" cx="0.36" cy="0.3" r="0.75">
<stop offset="0" stop-color="#7d7d7d"/><stop offset="0.35" stop-color="#383838"/>\
<stop offset="1" stop-color="#060606"/>
</radialGradient>
<radialGradient id="shisan-white" cx="0.36" cy="0.3" r="0.8">
<stop offset="0" stop-color="#ffffff"/><stop offset="0.6" stop-color="#f1f0ec"/>\
<stop offset="1" stop-color="#bdbab2"/>
</radialGradient>
</defs>"""


def status(position: Position) -> str:
    """How the game stands, in one line.

    >>> from shisan.engine import Rules
    >>> status(Position(Rules.renju()))
    'Black to move'
    """
    result = position.result
    if result.reason == "going on":
        return f"{position.side.name.capitalize()} to move"
    if result.winner is None:
        return {
            "board full": "Draw: the board is full",
            "no legal point": "Draw: Black has no legal point",
        }[result.reason]
    winner = result.winner.name.capitalize()
    if result.reason == "forbidden move":
        x, y, _ = position.stones[-1]
        return f"{winner} wins: {point_name(x, y)} is forbidden for Black"
    return f"{winner} wins: {' '.join(point_name(x, y) for x, y in result.line)}"


def star_points(width: int, height: int) -> set[Point]:
    """The points with a dot: four near the corners, and the centre where there is one.

    >>> sorted(star_points(15, 15))
    [(3, 3), (3, 11), (7, 7), (11, 3), (11, 11)]
    """

    def near_rim(side: int) -> tuple[int, ...]:
        if side < 9:
            return ()
        inset = 3 if side > 12 else 2
        return inset, side - 1 - inset

    stars = {(x, y) for x in near_rim(width) for y in near_rim(height)}
    if width % 2 and height % 2:
        stars.add((width // 2, height // 2))
    return stars


# --- text ---------------------------------------------------------------------------------------


def draw_text(position: Position, numbers: bool = False, colour: bool = False) -> str:
    """The position as lines of ASCII, the last one without a line break.

    X is Black, O White, # a wall; > marks the last stone, * the line that won, and !3, !4, !6 are
    the points where Black would make a double three, a double four, an overline. numbers: each
    stone with its number in the game. colour: for a terminal, with escape sequences.

    >>> from shisan.engine import Rules
    >>> position = Position(Rules.freestyle(5))
    >>> position.play(2, 2)
    >>> position.play(3, 1)
    >>> print(draw_text(position))
        a b c d e
     1  . . . . .  1
     2  . . .>O .  2
     3  . . X . .  3
     4  . . . . .  4
     5  . . . . .  5
        a b c d e
    Black to move after 2 stones; freestyle, 5x5
    > last stone
    """
    width, height = position.rules.width, position.rules.height
    room = 1 + len(str(position.ply)) if numbers else 1
    cells = _cells(position, numbers)
    rim = "   " + "".join(f" {chr(ord('a') + x):<{room}}" for x in range(width))
    lines = [rim.rstrip()]
    for y in range(height):
        row = []
        for x in range(width):
            mark, body, style = cells[x, y]
            cell = f"{mark}{body:<{room}}"
            if colour:
                ground = _MARKED if mark in ">*" else _WOOD
                cell = f"\x1b[{ground};{_ANSI[style]}m{cell}\x1b[0m"
            row.append(cell)
        lines.append(f"{y + 1:>2} {''.join(row)} {y + 1:>2}")
    lines.append(lines[0])
    stones = "1 stone" if position.ply == 1 else f"{position.ply} stones"
    size = f"{width}x{height}"
    lines.append(f"{status(position)} after {stones}; {position.rules.name}, {size}")
    legend = _text_legend(cells)
    return "\n".join(lines + ([legend] if legend else []))


def _cells(position: Position, numbers: bool) -> dict[Point, tuple[str, str, Colour | str]]:
    """For each point its mark, its body and the style to colour it with."""
    width, height = position.rules.width, position.rules.height
    stars = star_points(width, height)
    cells: dict[Point, tuple[str, str, Colour | str]] = {
        (x, y): (" ", "+" if (x, y) in stars else ".", "grid")
        for y in range(height)
        for x in range(width)
    }
    for point, kind in position.forbidden_points().items():
        cells[point] = ("!", KIND_MARKS[kind], "forbidden")
    for point in position.walls:
        cells[point] = (" ", "#", "wall")
    won = set(position.result.line)
    for number, (x, y, owner) in enumerate(position.stones, 1):
        letter = "O" if owner else "X"
        mark = ">" if number == position.ply else "*" if (x, y) in won else " "
        cells[x, y] = (mark, f"{letter}{number}" if numbers else letter, owner)
    return cells


def _text_legend(cells: dict[Point, tuple[str, str, Colour | str]]) -> str:
    """What the marks on this board mean."""
    seen = {mark + body for mark, body, _ in cells.values() if mark == "!"}
    marks = {mark for mark, _, _ in cells.values()}
    words = [
        text
        for mark, text in ((">", "> last stone"), ("*", "* the line that won"))
        if mark in marks
    ]
    kinds = [f"!{digit} {kind}" for kind, digit in KIND_MARKS.items() if f"!{digit}" in seen]
    if kinds:
        words.append("forbidden for Black: " + ", ".join(kinds))
    return "; ".join(words)


# --- SVG ----------------------------------------------------------------------------------------


def draw_svg(position: Position, numbers: bool = False, title: str = "") -> str:
    """The position as an SVG document of its own: no fonts, scripts or files beside it.

    numbers: each stone with its number in the game. title: a line of text above the board, such
    as the players' names.
    """
    rules = position.rules
    board_width = (rules.width - 1) * _CELL + 2 * _MARGIN
    board_height = (rules.height - 1) * _CELL + 2 * _MARGIN
    forbidden = position.forbidden_points()
    head = 44 if title else 0
    foot = 76 if forbidden else 44
    width, height = max(board_width, 360), head + board_height + foot
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img"'
        ' font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
        f"<title>{_escape(title or status(position))}</title>",
        _DEFINITIONS,
        f'<rect width="{width}" height="{height}" rx="10" fill="#fbf7ef"/>',
    ]
    if title:
        parts.append(_label(width / 2, 29, title, 18, "#2b2118", "middle", bold=True))
    parts.append(f'<g transform="translate({(width - board_width) / 2:g} {head})">')
    parts += _board(position, board_width, board_height)
    parts += [_forbidden_mark(*_at(*point), kind) for point, kind in forbidden.items()]
    parts += _stones(position, numbers)
    parts.append("</g>")
    caption = f"{status(position)}. {rules.name.capitalize()}, {rules.width}x{rules.height}"
    base = head + board_height + 29
    parts.append(_label(width / 2, base, caption, 16, "#2b2118", "middle"))
    parts += _svg_legend(sorted(set(forbidden.values())), width, base + 30)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _board(position: Position, board_width: int, board_height: int) -> list[str]:
    """Wood, grid, star points, coordinates and walls."""
    columns, rows = position.rules.width, position.rules.height
    right, bottom = board_width - _MARGIN, board_height - _MARGIN
    grid = "".join(
        [f"M{_MARGIN} {_at(0, y)[1]}H{right}" for y in range(rows)]
        + [f"M{_at(x, 0)[0]} {_MARGIN}V{bottom}" for x in range(columns)]
    )
    box = f'width="{board_width - 8}" height="{board_height - 8}" x="4" y="4" rx="8"'
    parts = [
        f'<rect {box} fill="url(#shisan-wood)"/>',
        f'<rect {box} fill="url(#shisan-grain)" stroke="#9c6b2f" stroke-width="1.5"/>',
        f'<path d="{grid}" stroke="#4a3216" stroke-width="1.2" stroke-linecap="square"/>',
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{right - _MARGIN}"'
        f' height="{bottom - _MARGIN}" fill="none" stroke="#4a3216" stroke-width="2.4"/>',
    ]
    for x, y in sorted(star_points(columns, rows)):
        cx, cy = _at(x, y)
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="4" fill="#4a3216"/>')
    for x in range(columns):
        letter = chr(ord("a") + x)
        parts += [
            _label(_at(x, 0)[0], y, letter, 14, "#5b3f1d", "middle")
            for y in (24, board_height - 15)
        ]
    for y in range(rows):
        parts += [
            _label(x, _at(0, y)[1] + 5, str(y + 1), 14, "#5b3f1d", "middle")
            for x in (19, board_width - 19)
        ]
    for x, y in sorted(position.walls):
        cx, cy = _at(x, y)
        parts.append(
            f'<rect x="{cx - 14}" y="{cy - 14}" width="28" height="28" rx="4"'
            ' fill="#8a6a43" stroke="#5b3f1d" stroke-width="1.5"/>'
        )
    return parts


def _stones(position: Position, numbers: bool) -> list[str]:
    """The stones with their shadows, the line that won, the mark of the last one."""
    stones = position.stones
    line = position.result.line
    parts = []
    if line:
        (x1, y1), (x2, y2) = _at(*line[0]), _at(*line[-1])
        parts.append(
            f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{_LINE_COLOUR}" stroke-width="12"'
            ' stroke-linecap="round"/>'
        )
    for x, y, owner in stones:
        cx, cy = _at(x, y)
        parts.append(
            f'<circle cx="{cx + 1.5}" cy="{cy + 2.5}" r="{_STONE}" fill="#2b1a05"'
            ' fill-opacity="0.3"/>'
        )
        fill, rim = ("white", "#8f8c84") if owner else ("black", "#000000")
        parts.append(
            f'<circle cx="{cx}" cy="{cy}" r="{_STONE}" fill="url(#shisan-{fill})"'
            f' stroke="{rim}" stroke-width="0.7"/>'
        )
    parts += [_ring(*_at(*point), _STONE - 1, _LINE_COLOUR) for point in line]
    for number, (x, y, owner) in enumerate(stones, 1):
        cx, cy = _at(x, y)
        last = number == len(stones)
        if numbers:
            inks = ("#c62018", "#ff8378") if last else ("#1b1b1b", "#ffffff")
            size = 16 if number < 100 else 13
            parts.append(
                _label(
                    cx,
                    cy + size * 0.36,
                    str(number),
                    size,
                    inks[owner == Colour.BLACK],
                    "middle",
                    bold=True,
                )
            )
            if last and not line:
                parts.append(_ring(cx, cy, _STONE - 1, _LAST_COLOUR))
        elif last:
            parts.append(_ring(cx, cy, 8, _LAST_COLOUR))
    if position.result.reason == "forbidden move":
        x, y, _ = stones[-1]
        parts.append(_cross(*_at(x, y), _LAST_COLOUR))
    return parts


def _svg_legend(kinds: list[str], width: int, y: int) -> list[str]:
    """The crosses on this board and what they mean, centred."""
    if not kinds:
        return []
    intro = "Forbidden for Black:"
    lengths = [9 * len(kind) + 46 for kind in kinds]
    x = (width - (8.2 * len(intro) + 16 + sum(lengths))) / 2
    parts = [_label(x, y, intro, 14, "#2b2118")]
    x += 8.2 * len(intro) + 16
    for kind, length in zip(kinds, lengths, strict=True):
        parts.append(_forbidden_mark(x, y - 5, kind))
        parts.append(_label(x + 22, y, kind, 14, "#2b2118"))
        x += length
    return parts


def _forbidden_mark(cx: float, cy: float, kind: str) -> str:
    """A cross in the colour of its kind, with the kind's digit below on the right."""
    colour = _KIND_COLOURS[kind]
    digit = _label(cx + 8, cy + 15, KIND_MARKS[kind], 12, colour, bold=True)
    return f"<g><title>{kind}</title>{_cross(cx, cy, colour)}{digit}</g>"


def _cross(cx: float, cy: float, colour: str) -> str:
    path = f"M{cx - 7:g} {cy - 7:g}l14 14m0-14l-14 14"
    return f'<path d="{path}" stroke="{colour}" stroke-width="3.6" stroke-linecap="round"/>'


def _ring(cx: float, cy: float, radius: int, colour: str) -> str:
    return (
        f'<circle cx="{cx:g}" cy="{cy:g}" r="{radius}" fill="none"'
        f' stroke="{colour}" stroke-width="3"/>'
    )


def _label(
    x: float, y: float, text: str, size: int, colour: str, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"'
        f' text-anchor="{anchor}"{weight}>{_escape(text)}</text>'
    )


def _at(x: int, y: int) -> tuple[int, int]:
    """The SVG coordinates of a point."""
    return _MARGIN + x * _CELL, _MARGIN + y * _CELL


def _escape(text: str) -> str:
    """Text for an XML document: marks escaped, what XML cannot hold left out."""
    clean = "".join(c for c in text if c.isprintable())
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
