"""Databases as text and back: JSON lines of our own, and the text that Rapfi writes.

`docs/database.md` describes the lines. A line that is none does not stop the others.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, Final

from shisan.engine import Colour, Point, Rules

from .database import Entry, Store
from .games import rules_named
from .notation import NotationError, points_text, read_point, read_points
from .positionkeys import Keys, Setup, cells_of, keys_for
from .positionrecords import Bound, Record, StoreError, joined

HEADER: Final = '{"shisan": "database", "version": 1}'
"""The first line of a database as text."""

RAPFI_HEADER: Final = "index,key,label,value,depth,bound,text"
"""The first line of Rapfi's text."""

POSITIONS_HEADER: Final = "# positions of a database"
"""The first line of a list of positions."""

_BOUNDS: Final = {bound.name.lower(): bound for bound in Bound}
_RAPFI_RULES: Final = {"f": Rules.freestyle, "s": Rules.standard, "r": Rules.renju}
_RAPFI_MARKS: Final = "@BTXT@"
_ESCAPES: Final = {"n": "\n", "b": "\b"}
_KNOWN: Final = frozenset(
    "rule width height side black white walls label value depth bound best text marks".split()
)
_STEP: Final = 10_000
"""After so many records progress is told."""

Progress = Callable[[int], None]
"""Told how many records are done."""


def nobody(done: int) -> None:
    """Progress that nobody wants to hear of."""


# --- writing -------------------------------------------------------------------------------------


def export_text(
    store: Store, path: Path, rules: Rules | None = None, progress: Progress = nobody
) -> int:
    """Write a database as text. rules: only this rule and size. Returns how many records.

    The file is complete or, where it cannot be written, not there. An older file is replaced only
    if it is such a text. Raises StoreError.
    """
    with new_file(path, HEADER.encode()) as file:
        return write_text(store.entries(rules), file, progress)


def write_text(entries: Iterable[Entry], file: IO[bytes], progress: Progress = nobody) -> int:
    """Write records as text, a line each after the header. Returns how many."""
    file.write(f"{HEADER}\n".encode())
    count = 0
    for count, entry in enumerate(entries, 1):
        file.write(line_of(entry).encode() + b"\n")
        if count % _STEP == 0:
            progress(count)
    return count


def line_of(entry: Entry) -> str:
    """A record and its position as a line of JSON; what is as if it were not there is left out."""
    rules, setup, record = entry
    keys = keys_for(rules.width, rules.height)
    said: dict[str, Any] = {"rule": rules.name, "width": rules.width, "height": rules.height}
    said["side"] = setup.side.name.lower()
    said["black"], said["white"] = _points(keys, setup.black), _points(keys, setup.white)
    if setup.walls:
        said["walls"] = _points(keys, setup.walls)
    fields = {"label": record.label, "value": record.value, "depth": record.depth}
    said |= {name: value for name, value in fields.items() if value}
    if record.bound:
        said["bound"] = record.bound.name.lower()
    if record.best is not None:
        said["best"] = points_text([record.best])
    if record.text:
        said["text"] = record.text
    if record.marks:
        said["marks"] = {points_text([point]): text for point, text in record.marks}
    return json.dumps(said, ensure_ascii=False)


def export_positions(
    store: Store, path: Path, rules: Rules | None = None, progress: Progress = nobody
) -> int:
    """Write the positions of a database as a text of games, one a line, without what is known.

    Black and White take turns, the rest of the longer colour with passes between; those with walls
    are left out. Returns how many. As export_text.
    """
    count = 0
    with new_file(path, POSITIONS_HEADER.encode()) as file:
        file.write(f"{POSITIONS_HEADER}\n".encode())
        for entry in store.entries(rules):
            setup = entry.setup
            if setup.walls:
                continue
            keys = keys_for(entry.rules.width, entry.rules.height)
            file.write(_moves(keys, setup).encode() + b"\n")
            count += 1
            if count % _STEP == 0:
                progress(count)
    return count


def _moves(keys: Keys, setup: Setup) -> str:
    pairs = zip_longest(setup.black, setup.white)
    words = ["pass" if cell is None else _points(keys, (cell,)) for pair in pairs for cell in pair]
    while words and words[-1] == "pass":
        words.pop()
    if len(words) % 2 != setup.side:
        words.append("pass")
    return " ".join(words) or "pass pass"


def _points(keys: Keys, cells: Iterable[int]) -> str:
    return points_text(keys.point(cell) for cell in cells)


@contextmanager
def new_file(path: Path, kind: bytes) -> Iterator[IO[bytes]]:
    """A file to be written: it takes its name when it is complete. Raises StoreError.

    kind: how files of its kind begin; one of another kind is never replaced.
    """
    part = path.parent / f"{path.name}.{os.getpid()}.part"
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder: name a file in it")
        if path.exists():
            with path.open("rb") as old:
                if not kind.startswith(old.read(len(kind)) or b"\0"):
                    raise StoreError(f"{path} is something else and is not replaced")
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as problem:
        raise StoreError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        with suppress(OSError):
            part.unlink()


# --- reading -------------------------------------------------------------------------------------


def import_text(
    store: Store,
    path: Path,
    progress: Progress = nobody,
    on_fault: Callable[[StoreError], None] = lambda fault: None,
) -> int:
    """Read a text into a database; where it knows a position already, the two are joined.

    on_fault: told of each line that is none. Returns how many records were written.
    Raises StoreError for a file that cannot be read.
    """

    def good() -> Iterator[Entry]:
        for found in read_text(path):
            if isinstance(found, StoreError):
                on_fault(found)
            else:
                yield found

    return store.put_all(good(), joined, progress)


def read_text(path: Path) -> Iterator[Entry | StoreError]:
    """The records of a text, ours or Rapfi's, each or what is wrong with its line.

    Raises StoreError for a file that cannot be read or is no such text.
    """
    try:
        with path.open("rb") as file:
            first = file.readline(1 << 16).strip().removeprefix(b"\xef\xbb\xbf")
            read = _reader(first, path)
            for number, line in enumerate(file, 2):
                text = line.decode("utf-8", "replace").strip()
                if not text:
                    continue
                try:
                    yield read(text)
                except (ValueError, TypeError, KeyError) as problem:
                    words = f"no {problem}" if isinstance(problem, KeyError) else f"{problem}"
                    yield StoreError(f"{path}, line {number}: {words}")
    except OSError as problem:
        raise StoreError(f"cannot read {path}: {problem.strerror or problem}") from None


def _reader(first: bytes, path: Path) -> Callable[[str], Entry]:
    if first == RAPFI_HEADER.encode():
        return _rapfi_entry
    try:
        said = json.loads(first)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("shisan") != "database":
        raise StoreError(f"{path} is no database as text: its first line should be {HEADER}")
    if said.get("version") != 1:
        raise StoreError(
            f"{path}, line 1: version {said.get('version')} of the text is not known, only 1"
        )
    return entry_of


def entry_of(line: str) -> Entry:
    """What a line of our text says. Raises ValueError, TypeError or KeyError."""
    try:
        said = json.loads(line)
    except ValueError as problem:
        raise ValueError(f"no JSON: {problem}") from None
    if not isinstance(said, dict):
        raise ValueError("a line is a JSON object")
    unknown = sorted(said.keys() - _KNOWN)
    if unknown:
        raise ValueError(f"a record has no {unknown[0]!r}")
    width, height = said["width"], said["height"]
    rules = rules_named(str(said["rule"]), width, height)
    if rules is None:
        raise ValueError(f"rule {said['rule']!r} is not known")
    if said["side"] not in ("black", "white"):
        raise ValueError(f"side must be black or white, not {said['side']!r}")
    setup = _setup(
        rules,
        Colour[said["side"].upper()],
        *(_read(said, name, rules) for name in ("black", "white", "walls")),
    )
    bound = said.get("bound", "none")
    if bound not in _BOUNDS:
        raise ValueError(f"bound must be one of {', '.join(_BOUNDS)}, not {bound!r}")
    best, marks = said.get("best"), said.get("marks", {})
    if not isinstance(marks, dict):
        raise ValueError(f"marks must be an object of points and texts, not {marks!r}")
    record = Record(
        _text(said.get("label", "")),
        said.get("value", 0),
        said.get("depth", 0),
        _BOUNDS[bound],
        None if best is None else read_point(_text(best), width, height),
        _text(said.get("text", "")),
        tuple((read_point(name, width, height), _text(text)) for name, text in marks.items()),
    )
    return Entry(rules, setup, record)


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise ValueError(f"a text must be a string, not {said!r}")
    return said


def _read(said: dict[str, Any], name: str, rules: Rules) -> list[Point]:
    try:
        return read_points(_text(said.get(name, "")), rules.width, rules.height)
    except NotationError as problem:
        raise ValueError(f"{name}: {problem}") from None


def _setup(
    rules: Rules, side: Colour, black: list[Point], white: list[Point], walls: list[Point]
) -> Setup:
    taken = [*black, *white, *walls]
    if len(set(taken)) < len(taken):
        twice = next(point for point in taken if taken.count(point) > 1)
        raise ValueError(f"point {points_text([twice])} is taken twice")
    width = rules.width
    return Setup(side, cells_of(black, width), cells_of(white, width), cells_of(walls, width))


# --- Rapfi's text --------------------------------------------------------------------------------


def _rapfi_entry(line: str) -> Entry:
    """A line of Rapfi's text: `0,r-15-15-h8-h9-b,w,-29990,12,exact,"text"`. Raises ValueError."""
    _, key, label, value, depth, bound, text = line.split(",", 6)
    rule, width, height, black, white, side = key.split("-")
    if rule not in _RAPFI_RULES or side not in ("b", "w"):
        raise ValueError(f"key {key[:40]!r} is not known")
    rules = _RAPFI_RULES[rule](int(width), int(height))
    both = [read_points(points, rules.width, rules.height) for points in (black, white)]
    setup = _setup(rules, Colour(side == "w"), both[0], both[1], [])
    if label in ("(null)", "(none)"):
        label = ""
    elif label.startswith("("):
        label = chr(int(label.strip("()")))
    if bound not in _BOUNDS:
        raise ValueError(f"bound {bound[:20]!r} is not known")
    comment, marks = _rapfi_text(_unquoted(text), rules)
    return Entry(
        rules,
        setup,
        Record(label.lower(), int(value), int(depth), _BOUNDS[bound], None, comment, marks),
    )


def _unquoted(text: str) -> str:
    """A text in quotes with backslashes before quotes, backslashes, n and b."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise ValueError(f"text {text[:20]!r} is not in quotes")
    found, marks = [], iter(text[1:-1])
    for mark in marks:
        if mark == "\\":
            mark = next(marks, "")
            mark = _ESCAPES.get(mark, mark)
        found.append(mark)
    return "".join(found)


def _rapfi_text(text: str, rules: Rules) -> tuple[str, tuple[tuple[Point, str], ...]]:
    """The comment, and the texts on points that may stand before it: x, y and text, a line each."""
    if not text.startswith(_RAPFI_MARKS):
        return text, ()
    laid, _, comment = text.removeprefix(_RAPFI_MARKS).partition("\b")
    marks = []
    for line in laid.split("\n"):
        if len(line) > 2:
            x, y = int(line[0], 36), int(line[1], 36)
            if x >= rules.width or y >= rules.height:
                raise ValueError(f"a text stands on {x},{y}, outside the board")
            marks.append(((x, y), line[2:].rstrip("\0")))
    return comment, tuple(marks)
