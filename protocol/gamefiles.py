"""Games out of any file: what it is, and what is in it, each game or what is wrong with it.

`docs/formats.md` is the table of formats. A bad game never stops the others.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from .encodings import decode
from .games import Format, GameError, GameRecord, Outcome, Source, shortened
from .gametrees import PLAIN, Wanted, check_size, checked
from .jsongames import read_json
from .movetext import looks_offset, read_moves, read_offsets
from .notation import NotationError
from .records import ENDINGS, Record, RecordError, read_psq, read_rec
from .renlib import HEADER, read_renlib
from .rif import read_rif
from .sgftrees import read_sgf

SUFFIXES: Final[dict[str, Format]] = {
    ".psq": "psq",
    ".rec": "rec",
    ".sgf": "sgf",
    ".rif": "rif",
    ".xml": "rif",
    ".lib": "renlib",
    ".json": "json",
    ".jsonl": "json",
    ".txt": "text",
}
"""What a file is taken for by its name, where its content does not decide."""

_FOREIGN: Final = (
    (rb"\s*\[\s*\w+\s+\"", "a PGN, as match runners write it for rating tools: it has no moves"),
    (rb"(?i)\s*<(!doctype\s+)?html", "an HTML page, no game record"),
    (rb"PK\x03\x04", "a ZIP archive: unpack it first"),
    (rb"\x1f\x8b", "compressed: unpack it with gunzip first"),
)
"""What files begin with that are no game records, and what they are."""

_OUTCOMES: Final[dict[str, Outcome]] = {"0": "1/2"}
"""Results in the Gomocup client's last line that tell something of colours: only a draw does."""


def read_games(
    source: Path | str | bytes, wanted: Wanted = PLAIN, form: Format | None = None, name: str = ""
) -> Iterator[GameRecord | GameError]:
    """The games of a file, or of its bytes, one by one: each a record or what is wrong with it.

    source: a path, or bytes. wanted: rules, size and the like. form: what the file is; None: as
    it looks. name: what errors call it, in place of its path. Nothing is raised: a file that
    cannot be read is an error like others. Databases are read piece by piece, all else at once.
    """
    shown = name or ("" if isinstance(source, bytes) else str(source))
    try:
        if isinstance(source, bytes):
            yield from _read(io.BytesIO(source), shown, wanted, form)
        else:
            with open(source, "rb") as stream:
                yield from _read(stream, shown, wanted, form)
    except OSError as problem:
        yield GameError(Source(shown), f"cannot be read: {problem.strerror or problem}")
    except ValueError as problem:  # a name with a zero in it
        yield GameError(Source(shortened(shown)), f"cannot be read: {problem}")


def read_game(
    source: Path | str | bytes,
    wanted: Wanted = PLAIN,
    form: Format | None = None,
    name: str = "",
    number: int = 1,
) -> GameRecord:
    """One game of a file; number: which, from 1. Raises GameError."""
    shown = name or ("" if isinstance(source, bytes) else str(source))
    count = 0
    for count, found in enumerate(read_games(source, wanted, form, name), 1):
        if count == number:
            if isinstance(found, GameError):
                raise found
            return found
    raise GameError(Source(shown), f"there is no game {number}, only {count}", "game", str(number))


def detect(head: bytes, name: str = "") -> Format:
    """What a file is, by its first bytes (some thousand) and then by its name.

    Raises GameError for what is certainly no game record.

    >>> detect(b"(;FF[4]GM[4]"), detect(b"h8i9"), detect(b"", "a.lib")
    ('sgf', 'text', 'renlib')
    """
    suffix = SUFFIXES.get(Path(name).suffix.lower())
    if head.startswith(HEADER) or suffix == "renlib":
        return "renlib"
    for pattern, what in _FOREIGN:
        if re.match(pattern, head):
            raise GameError(Source(name), f"this is {what}", "format")
    text = decode(head).lstrip("\ufeff \t\r\n")
    if text[:9].lower() == "piskvorky":
        return "psq"
    if text[:1] == "<":
        return "rif"
    if re.match(r"\{|\[\s*\{", text) or suffix == "json":
        return "json"
    if re.match(r"\(\s*;", text):
        return "sgf"
    if suffix is not None:
        return suffix
    if "\0" in text:
        raise GameError(Source(name), "this is no text, and no format that is known", "format")
    return "text"


def _read(
    stream: BinaryIO, shown: str, wanted: Wanted, form: Format | None
) -> Iterator[GameRecord | GameError]:
    head = stream.read(4096)
    try:
        form = form or detect(head, shown)
    except GameError as problem:
        yield problem
        return
    if form == "rif":
        stream.seek(0)
        yield from read_rif(stream, shown, wanted)
        return
    data = head + stream.read()
    if form == "renlib":
        yield from read_renlib(data, shown, wanted)
    elif form == "sgf":
        yield from read_sgf(data, shown, wanted)
    elif form == "json":
        yield from read_json(data, shown, wanted)
    elif form == "text":
        yield from read_text(data, shown, wanted)
    else:
        yield _record(data, shown, wanted, form)


# --- text ----------------------------------------------------------------------------------------


def read_text(
    data: str | bytes, file: str = "", wanted: Wanted = PLAIN
) -> Iterator[GameRecord | GameError]:
    """The games of a text: one a line, or with wanted.whole one in all lines.

    A line holds points (`h8i9`, `h8 i9`, `7,7 8,8`; move numbers and the word pass may be among
    them), or Gomocup offsets if any line of the file can only be offsets. Empty lines and lines
    that begin with # are left out.
    """
    text = decode(data, wanted.encoding) if isinstance(data, bytes) else data
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if wanted.whole and lines:
        lines = [(lines[0][0], " ".join(line for _, line in lines))]
    offsets = any(looks_offset(line) for _, line in lines)
    for count, (number, line) in enumerate(lines, 1):
        try:
            yield _line(line, offsets, Source(file, "text", count, number), wanted)
        except GameError as problem:
            yield problem
    if not lines:
        yield GameError(Source(file, "text", 1, 1), "no game in this file")


def _line(line: str, offsets: bool, source: Source, wanted: Wanted) -> GameRecord:
    width, height = wanted.untold_size
    check_size((width, height), wanted, source)
    try:
        if offsets:
            moves = tuple(read_offsets(line, width, height))
            return checked(GameRecord(width, height, moves, source=source), wanted)
        moves_read = tuple(read_moves(line, width, height, wanted.rows or "top"))
    except NotationError as problem:
        raise GameError(source, str(problem), "moves", line[problem.at :]) from None
    return checked(GameRecord(width, height, moves_read, source=source), wanted)


# --- .psq and .rec -------------------------------------------------------------------------------


def _record(data: bytes, file: str, wanted: Wanted, form: Format) -> GameRecord | GameError:
    text = decode(data, wanted.encoding)
    source = Source(file, form, 1, 1)
    try:
        record = read_psq(text) if form == "psq" else read_rec(text, *wanted.untold_size)
        return checked(_game(record, source), wanted, lambda _, ply: ply + 2 + (form == "rec"))
    except RecordError as problem:
        where = replace(source, line=problem.line)
        return GameError(where, problem.problem, "", problem.value)
    except GameError as problem:
        return problem


def _game(record: Record, source: Source) -> GameRecord:
    """A .psq or .rec as a game; what they say of the end are facts."""
    ending = "" if record.ending is None else ENDINGS.get(record.ending, str(record.ending))
    outcome = record.outcome or ""
    times = tuple(move.time_ms for move in record.moves)
    facts = [("ending", ending), ("outcome", outcome)]
    return GameRecord(
        record.width,
        record.height,
        tuple((move.x, move.y) for move in record.moves),
        players=(record.black or "", record.white or ""),
        result=_OUTCOMES.get(outcome.partition(",")[0], ""),
        times_ms=times if any(time is not None for time in times) else (),
        facts=tuple((name, said) for name, said in facts if said),
        source=source,
    )
