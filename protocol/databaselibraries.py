"""Databases as RenLib libraries and back.

A library is a tree, a database is not: a position that several orders of moves reach is written
with its branches where it comes first, and as a leaf elsewhere; of moves that the symmetry of a
position makes equal one is written. What a library has no place for stands in the last line of a
comment: `[shisan: label w, value -29990, depth 12, bound exact, best h8]`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from shisan.engine import Colour, Point, Position, Rules, win_probability

from .database import Entry, Store
from .databasefiles import Progress, new_file, nobody
from .encodings import guessed
from .games import GameError
from .notation import NotationError, point_name, read_point
from .positionkeys import Setup, cells_of, keys_for
from .positionrecords import MAX_TEXT, NOTHING, Bound, Record, StoreError, clean, joined
from .renlib import HEADER, Node, lines_of, read_nodes, write_nodes

SIDE: Final = 15
"""Libraries are of boards of 15x15."""

_STEP: Final = 10_000
_DETAILS: Final = re.compile(r"\[shisan: ([^\]\n]*)\]$")
_JUDGEMENT: Final = re.compile(r"([WL])(\d+|\*)?")
_Path = list[Point | None]


def shown_label(record: Record) -> str:
    """What is shown on a move that leads to a record: w7, l*, d, 45%, or "".

    The number after w and l is plies to the five, the move itself counted; per cent are the chances
    of whoever makes the move.

    >>> shown_label(Record("w", -29994)), shown_label(Record("l")), shown_label(Record("!"))
    ('w7', 'l*', '!')
    >>> shown_label(Record("", -200, 8, Bound.EXACT)), shown_label(Record("", -200))
    ('73%', '')
    """
    if record.label in ("w", "l"):
        return f"{record.label}{record.distance or '*'}"
    if not record.label and record.bound == Bound.EXACT:
        return f"{min(99, int(100 * win_probability(-record.value)))}%"
    return record.label


def library_text(record: Record) -> str:
    """What stands on a move in a library: W or L, as other programs write them, or shown_label."""
    return record.label.upper() if record.label in ("w", "l") else shown_label(record)


# --- writing -------------------------------------------------------------------------------------


def export_library(
    store: Store, path: Path, position: Position, progress: Progress = nobody
) -> int:
    """Write what a database knows from a position on as a library. Returns how many positions.

    position: on 15x15, its stones in turn from Black's first; their records are written too. The
    rules are the position's. As export_text for files that exist. Raises StoreError.
    """
    rules = position.rules
    if (rules.width, rules.height) != (SIDE, SIDE):
        raise StoreError(f"a library is of 15x15, not {rules.width}x{rules.height}")
    colours = [colour for _, _, colour in position.stones]
    if position.walls or colours != [Colour(at % 2) for at in range(len(colours))]:
        raise StoreError("a library begins with moves in turn from Black's first, without walls")
    nodes = list(_tree(store, rules, [(x, y) for x, y, _ in position.stones], progress))
    with new_file(path, HEADER) as file:
        file.write(write_nodes(nodes))
    return sum(node.kind != "text only" for node in nodes)


def _tree(store: Store, rules: Rules, moves: list[Point], progress: Progress) -> Iterator[Node]:
    """The nodes of a library: the moves given, then everything below them."""
    keys = keys_for(rules.width, rules.height)
    line: list[int] = [keys.cell(move) for move in moves]
    seen: set[bytes] = set()
    for count in range(len(line) + 1):
        setup = _setup_of(line[:count])
        place = keys.place(setup)
        seen.add(place.key)
        here = store.get_at(rules, setup) or NOTHING
        mark = ""
        if count:
            before = store.get_at(rules, _setup_of(line[: count - 1]))
            mark = dict(before.marks).get(moves[count - 1], "") if before else ""
        move = moves[count - 1] if count else None
        yield _node(max(0, count - 1), move, here, mark, not count)
        if count < len(line):
            yield from _texts(here, count, {line[count]})
    waiting = [(len(line), _setup_of(line), here, -1)]
    done = 0
    while waiting:
        depth, setup, record, cell = waiting.pop()
        if cell >= 0:  # a move, to be written now that all before it are
            key = keys.place(keys.child(setup, cell)).key
            child = store.get_at(rules, keys.child(setup, cell)) or NOTHING
            mark = dict(record.marks).get(keys.point(cell), "")
            yield _node(depth, keys.point(cell), child, mark)
            done += 1
            if done % _STEP == 0:
                progress(done)
            if key in seen:
                continue
            seen.add(key)
            depth, setup, record = depth + 1, keys.child(setup, cell), child
        found = store.children_at(rules, setup)
        first = {key: at for at, (key, _) in reversed(found.items())}
        yield from _texts(record, depth, set(found))
        waiting += [(depth, setup, record, at) for at in sorted(first.values(), reverse=True)]


def _setup_of(line: list[int]) -> Setup:
    """The position after moves in turn from Black's first."""
    return Setup(Colour(len(line) % 2), tuple(sorted(line[::2])), tuple(sorted(line[1::2])))


def _node(depth: int, move: Point | None, record: Record, mark: str, root: bool = False) -> Node:
    comment = record.text.replace("\n", "\b", 1).replace("\n", "\r\n")
    details = _details(record)
    if details:
        comment += (("\r\n" if "\b" in comment else "\b") if comment else "") + details
    text = mark or library_text(record)
    return Node(0, depth, move, "root" if root else "move", comment.encode(), text.encode())


def _texts(record: Record, depth: int, moves: set[int]) -> Iterator[Node]:
    """Texts on points that are no moves of the library."""
    for (x, y), text in record.marks:
        if y * SIDE + x not in moves:
            yield Node(0, depth, (x, y), "text only", b"", text.encode())


def _details(record: Record) -> str:
    said = []
    if record.label:
        said.append(f"label {record.label}")
    if record.value or record.depth or record.bound:
        said.append(f"value {record.value}, depth {record.depth}")
        said.append(f"bound {record.bound.name.lower()}")
    if record.best is not None:
        said.append(f"best {point_name(*record.best)}")
    return f"[shisan: {', '.join(said)}]" if said else ""


# --- reading -------------------------------------------------------------------------------------


def import_library(
    store: Store,
    path: Path,
    rules: Rules,
    progress: Progress = nobody,
    on_fault: Callable[[StoreError], None] = lambda fault: None,
) -> int:
    """Read a library into a database, under these rules; what it knows already is joined.

    Every position of the library gets a record: comments become its text, texts on the board
    marks, and W, L, W12 or L* judge it as well. on_fault: told of moves that cannot be made, whose
    branches are left out. Returns how many records were written. Raises StoreError.
    """
    if (rules.width, rules.height) != (SIDE, SIDE):
        raise StoreError(f"a library is of 15x15, not {rules.width}x{rules.height}")
    try:
        nodes = read_nodes(path.read_bytes(), str(path))
    except OSError as problem:
        raise StoreError(f"cannot read {path}: {problem.strerror or problem}") from None
    except GameError as problem:
        raise StoreError(str(problem)) from None
    return store.put_all(_entries(nodes, rules, str(path), on_fault), joined, progress)


def _entries(
    nodes: list[Node], rules: Rules, file: str, on_fault: Callable[[StoreError], None]
) -> Iterator[Entry]:
    encoding = guessed(b"\n".join(node.comment + node.text for node in nodes))
    line: _Path = []
    barren: int | None = None  # below this depth nothing can be reached
    for node in nodes:
        if barren is not None and node.depth > barren:
            continue
        barren = None
        del line[node.depth :]
        text = clean(lines_of(node.text, encoding))
        if node.kind == "text only":
            barren = node.depth
            if node.move is not None and text:
                yield Entry(rules, _after(line), Record(marks=((node.move, text),)))
            continue
        if node.kind == "move":
            if node.move is not None and node.move in line:
                barren = node.depth
                where = f"{file}: byte {node.offset}"
                on_fault(StoreError(f"{where}: {point_name(*node.move)} is occupied"))
                continue
            yield from _marked(line, node, text, rules)
            line.append(node.move)
        record = _record(clean(lines_of(node.comment, encoding))[:MAX_TEXT], text)
        yield Entry(rules, _after(line), record)


def _marked(line: _Path, node: Node, text: str, rules: Rules) -> Iterator[Entry]:
    """A text on a move as a mark of the position before, unless it is made of the record."""
    comment = clean(lines_of(node.comment, "utf-8"))
    own = _DETAILS.search(comment) and library_text(_record(comment, "")) == text
    if text and node.move is not None and not own:
        yield Entry(rules, _after(line), Record(marks=((node.move, text),)))


def _record(comment: str, text: str) -> Record:
    """What a comment and the text on a move say of the position after it."""
    found = _DETAILS.search(comment)
    if found is not None:
        try:
            return _detailed(comment[: found.start()].strip(), found[1])
        except (ValueError, IndexError, NotationError):
            pass  # somebody's own words
    judgement = _JUDGEMENT.fullmatch(text)
    return Record(judgement[1].lower() if judgement else "", text=comment)


def _detailed(comment: str, details: str) -> Record:
    said = dict(detail.split(" ", 1) for detail in details.split(", "))
    best = said.get("best")
    return Record(
        said.get("label", ""),
        int(said.get("value", "0")),
        int(said.get("depth", "0")),
        Bound[said.get("bound", "none").upper()],
        None if best is None else read_point(best, SIDE, SIDE),
        comment,
    )


def _after(line: _Path) -> Setup:
    """The position after moves and passes in turn from Black's first."""
    black = [move for move in line[::2] if move is not None]
    white = [move for move in line[1::2] if move is not None]
    return Setup(Colour(len(line) % 2), cells_of(black, SIDE), cells_of(white, SIDE))
