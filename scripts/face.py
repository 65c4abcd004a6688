"""How a game looks on a terminal: the board and what is beside it, drawn from a Face alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from shisan.engine import Colour, Point, Position
from shisan.protocol.notation import point_name
from shisan.protocol.pictures import KIND_MARKS, star_points

KEYS: Final = (
    "arrows or hjkl move",
    "h8 goes there",
    "Enter places",
    "u takes back",
    "? hint",
    ". move now",
    "+ - strength",
    "r resign",
    "n new game",
    "s save",
    "q leave",
)
"""The help at the bottom, in order."""

AT_ONCE: Final = "qu"
"""Keys that are columns of wide boards too, and do at once what cannot be undone."""

FEW_KEYS: Final = "Enter places  u back  ? hint  q leaves"
"""The same where there is no room."""

WRONG: Final = "bold color(196)"
"""The style of what tells of an error; readable on black and on white."""

_PANEL: Final = 26  # columns that are enough for what is beside the board
_GAP: Final = 2
_LEAST: Final = 5  # points of a board that are shown at least


def _styles(wood: str, grid: str) -> dict[str, str]:
    """The styles of what stands on a board of that colour: dark ink, and white."""
    return {
        "grid": f"{grid} {wood}",
        "star": f"bold color(52) {wood}",
        "black": f"bold color(16) {wood}",
        "white": f"bold color(231) {wood}",
        "forbidden": f"bold color(88) {wood}",
        "wall": f"bold color(52) {wood}",
        "hint": f"bold color(17) {wood}",
        "last": f"bold color(52) {wood}",
        "won": "bold color(231) on color(28)",
        "black won": "bold color(16) on color(28)",
        "white won": "bold color(231) on color(28)",
        "cursor": "bold color(16) on color(229)",
    }


_MANY: Final = _styles("on color(137)", "color(94)")
_FEW: Final = _styles("on color(3)", "color(0)")  # where there are sixteen, bright ones for ink
_UNICODE: Final = {
    "black": "●",
    "white": "○",
    "star": "╋",
    "between": "─",
    "corners": "┌┬┐├┼┤└┴┘",
    "wall": "█",
}
_ASCII: Final = {
    "black": "X",
    "white": "O",
    "star": "+",
    "between": " ",
    "corners": ".........",
    "wall": "#",
}


@dataclass(frozen=True, slots=True)
class Face:
    """What is shown.

    position, with the points of won, the line that won; cursor: the point it is on; hinted: a
    point that a hint is about. players: two texts, Black's and White's; headline: rule and size;
    state: who is to move or how it ended; message: one text, wrong: whether it tells of an error.
    typed: what is typed of a point. only_ascii: whether no other characters are shown.
    few_colours: whether there are sixteen.
    """

    position: Position
    cursor: Point
    headline: str
    players: tuple[str, str]
    state: str
    message: str = ""
    wrong: bool = False
    hinted: Point | None = None
    won: tuple[Point, ...] = ()
    typed: str = ""
    only_ascii: bool = False
    few_colours: bool = False

    @property
    def styles(self) -> dict[str, str]:
        """What things look like."""
        return _FEW if self.few_colours else _MANY


def draw(face: Face, columns: int, lines: int) -> Text:
    """The face on a screen of that size: never wider nor longer, with the keys at the bottom.

    What is beside the board goes below it where the screen is narrow; of a board that does not
    fit, the part around the cursor is shown.
    """
    beside = columns >= _columns(face.position.rules.width) + _GAP + _PANEL
    foot = _keys(face, columns, lines - face.position.rules.height - (2 if beside else 5))
    room = lines - len(foot)
    if beside:
        board = _board(face, columns - _GAP - _PANEL, room)
        width = max(map(len, board))
        panel = _panel(face, columns - width - _GAP, room)
        body = []
        for at in range(max(len(board), len(panel))):
            left = board[at].copy() if at < len(board) else Text()
            left.pad_right(width + _GAP - len(left))
            body.append(left.append_text(panel[at]) if at < len(panel) else left)
    else:
        spare = room - face.position.rules.height - 2
        panel = _panel(face, columns, max(spare, 6), short=True)
        board = _board(face, columns, max(_LEAST, room - len(panel)))
        body = [*board, *panel]
    body = body[:room]
    body += [Text()] * (room - len(body))
    for line in (*body, *foot):
        line.truncate(columns)
    return Text("\n").join([*body, *foot])


def _columns(width: int) -> int:
    """What a board of so many points takes, coordinates included."""
    return 2 * width + 5


def _keys(face: Face, columns: int, spare: int) -> list[Text]:
    """The help at the bottom: on as few lines as it needs, or short if it needs more than spare."""
    width = face.position.rules.width
    capitals = [letter for letter in AT_ONCE if ord(letter) - ord("a") < width]
    named = " and ".join(letter.upper() + "8" for letter in capitals)
    rows = [""]
    for key in (*KEYS, *([f"{named} in capitals"] if named else [])):
        longer = f"{rows[-1]}  {key}" if rows[-1] else key
        if len(longer) <= columns:
            rows[-1] = longer
        else:
            rows.append(key)
    if len(rows) > max(1, spare):
        rows = [FEW_KEYS]
    return [Text(row, style="dim") for row in rows]


# --- the board ----------------------------------------------------------------------------------


def _window(at: int, count: int, room: int) -> range:
    """Which of so many points are shown where there is room for fewer: those around one."""
    shown = max(min(count, room), min(count, _LEAST))
    first = min(max(0, at - shown // 2), count - shown)
    return range(first, first + shown)


def _board(face: Face, columns: int, lines: int) -> list[Text]:
    """The board with its coordinates, as much as there is room for."""
    rules = face.position.rules
    xs = _window(face.cursor[0], rules.width, (columns - 5) // 2)
    rims = 2 if lines >= rules.height + 2 else 1
    ys = _window(face.cursor[1], rules.height, lines - rims)
    letters = Text("  ")
    for x in xs:
        letter = chr(ord("a") + x)
        letters.append(" ").append(letter, style="bold" if x == face.cursor[0] else "")
    cells = _cells(face)
    found = [letters] if rims == 2 else []
    for y in ys:
        style = "bold" if y == face.cursor[1] else ""
        row = Text(f"{y + 1:>2}", style=style)
        for x in xs:
            row.append_text(_between(face, x - 1, x, y, x == xs[0])).append(*cells[x, y])
        row.append_text(_between(face, xs[-1], xs[-1] + 1, y, True))
        found.append(row.append(f"{y + 1:<2}", style=style))
    return [*found, letters.copy()]


def _cells(face: Face) -> dict[Point, tuple[str, str]]:
    """For each point its character and its style."""
    position = face.position
    width, height = position.rules.width, position.rules.height
    marks = _ASCII if face.only_ascii else _UNICODE
    stars = star_points(width, height)
    cells = {}
    for y in range(height):
        for x in range(width):
            across = 0 if x == 0 else 2 if x == width - 1 else 1
            down = 0 if y == 0 else 2 if y == height - 1 else 1
            cells[x, y] = (marks["corners"][3 * down + across], face.styles["grid"])
            if (x, y) in stars:
                cells[x, y] = (marks["star"], face.styles["star"])
    for point, kind in position.forbidden_points().items():
        cells[point] = (KIND_MARKS[kind], face.styles["forbidden"])
    for point in position.walls:
        cells[point] = (marks["wall"], face.styles["wall"])
    if face.hinted is not None and position.is_empty(*face.hinted):
        cells[face.hinted] = ("?", face.styles["hint"])
    for x, y, owner in position.stones:
        name = owner.name.lower()
        cells[x, y] = (marks[name], face.styles[f"{name} won" if (x, y) in face.won else name])
    if face.cursor in cells:
        cells[face.cursor] = (cells[face.cursor][0], face.styles["cursor"])
    return cells


def _between(face: Face, left: int, right: int, y: int, rim: bool) -> Text:
    """What stands between two neighbours: a bracket of the cursor, a mark, or the line."""
    for at, mark in ((left, "]"), (right, "[")):
        if (at, y) == face.cursor:
            return Text(mark, style=face.styles["cursor"])
    last = face.position.stones[-1][:2] if face.position.ply else None
    if (right, y) in face.won:
        return Text("*", style=face.styles["won"])
    for at, mark in ((left, ")"), (right, "(")):
        if (at, y) == last:
            return Text(mark, style=face.styles["last"])
    marks = _ASCII if face.only_ascii else _UNICODE
    return Text(" " if rim else marks["between"], style=face.styles["grid"])


# --- beside it ----------------------------------------------------------------------------------


def _panel(face: Face, width: int, room: int, short: bool = False) -> list[Text]:
    """Who plays, how it stands, what there is to say, the moves, what the marks mean."""
    marks = _ASCII if face.only_ascii else _UNICODE
    message = _wrap(face.message, width, WRONG if face.wrong else "")
    state = _wrap(face.state, width, "bold")
    if face.typed:
        state += _wrap(f"going to {face.typed}", width, "")
    if short:
        players = _wrap("; ".join(face.players), width, "")
        return [*players[:2], *state[:2], *message][:room]
    found = _wrap(face.headline, width, "dim")
    for name, who in zip(("black", "white"), face.players, strict=True):
        found.append(Text(marks[name] + " " + who, overflow="ellipsis"))
    found += [Text(), *state, Text(), *message]
    legend = _legend(face, width)
    left = room - len(found) - len(legend) - 2
    if left > 0:
        found += [Text(), *_moves(face.position, width, left)]
    return [*found, Text(), *legend][:room] if legend else found[:room]


def _wrap(text: str, width: int, style: str) -> list[Text]:
    """A text on lines of at most this width."""
    rows: list[str] = []
    for word in text.split():
        longer = f"{rows[-1]} {word}" if rows else word
        if rows and len(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(word)
    return [Text(row, style=style) for row in rows]


def _moves(position: Position, width: int, room: int) -> list[Text]:
    """The last moves, as many as there is room for."""
    names = [f"{n}.{point_name(x, y)}" for n, (x, y, _) in enumerate(position.stones, 1)]
    each = max(map(len, names), default=1) + 1
    columns = max(1, width // each)
    rows = [names[at : at + columns] for at in range(0, len(names), columns)]
    return [
        Text("".join(f"{name:<{each}}" for name in row).rstrip(), style="dim")
        for row in rows[-room:]
    ]


def _legend(face: Face, width: int) -> list[Text]:
    """What the marks on this board mean."""
    kinds = set(face.position.forbidden_points().values())
    words: Sequence[str] = [f"{KIND_MARKS[kind]} {kind}" for kind in KIND_MARKS if kind in kinds]
    return _wrap(f"forbidden: {', '.join(words)}", width, "dim") if words else []


def colour_name(colour: Colour) -> str:
    """A colour as it begins a sentence."""
    return colour.name.capitalize()
