"""The table of what searches found, kept in a file: yxhashdump, yxhashload, yxshowhashusage.

A file begins with a line of text that says what its bytes mean; they follow compressed, and their
checksum comes last. A file that does not fit is refused before anything is loaded.
"""

import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from shisan.engine import Engine

from .about import VERSION
from .commands import printable
from .yixin import Task

MAGIC: Final = b"Shisan table "
BLOCK: Final = 1 << 20
"""Bytes of the table that are read or written at a time."""

MAX_HEADING: Final = 4096


class HashFileError(Exception):
    """A file that cannot be used; the text says what is wrong with it."""


def use_table(engine: Engine, task: Task) -> list[str]:
    """Carry out one of the three verbs; the MESSAGE lines that tell the outcome."""
    shown = printable(task.path, 300)
    if task.verb == "yxshowhashusage":
        text = f"hash usage {engine.table_usage * 100:.1f} % of {engine.table_size >> 10} KiB"
        return [f"MESSAGE {text}"]
    saving = task.verb == "yxhashdump"
    try:
        if saving:
            size = dump(engine, Path(task.path))
            return [f"MESSAGE hash saved to {shown}: {size} bytes"]
        load(engine, Path(task.path))
        usage = engine.table_usage * 100
        return [f"MESSAGE hash loaded from {shown}: {usage:.1f} % in use"]
    except HashFileError as problem:
        done = "saved" if saving else "loaded"
        return [f"MESSAGE hash not {done}: {shown} {problem}"]
    except (OSError, ValueError) as problem:  # ValueError: a path with a zero in it
        reason = getattr(problem, "strerror", None) or str(problem)
        done = "saved" if saving else "loaded"
        return [f"MESSAGE hash not {done}: {shown}: {printable(reason, 200)}"]


def dump(engine: Engine, path: Path) -> int:
    """Write the table to a file; the bytes of the file. Raises HashFileError and OSError.

    A file that is there is only replaced if it holds a table, and only by a whole new one.
    """
    if path.exists():
        if not path.is_file():
            raise HashFileError("is no file")
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise HashFileError("is a file of something else and stays as it is")
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("xb") as file:
            file.write(_heading(engine))
            packer, check = zlib.compressobj(1), 0
            for start in range(0, engine.table_size, BLOCK):
                data = engine.read_table(start, min(BLOCK, engine.table_size - start))
                check = zlib.crc32(data, check)
                file.write(packer.compress(data))
            file.write(packer.flush())
            file.write(check.to_bytes(4, "big"))
            size = file.tell()
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return size


def load(engine: Engine, path: Path) -> None:
    """Fill the table from a file. Raises HashFileError and OSError; then nothing was loaded."""
    if path.exists() and not path.is_file():  # a pipe would keep us waiting for ever
        raise HashFileError("is no file")
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise HashFileError("holds no table of this program")
        file.seek(0)
        heading = file.readline(MAX_HEADING)
        if heading != _heading(engine):
            raise HashFileError(_difference(heading, _heading(engine)))
        begin = file.tell()
        _read(file, engine.table_size, lambda start, block: None)
        file.seek(begin)
        try:
            _read(file, engine.table_size, engine.write_table)
        except (HashFileError, OSError):  # changed while we read it
            engine.clear()
            raise


def _heading(engine: Engine) -> bytes:
    return MAGIC + f"{VERSION} {engine.table_meaning}\n".encode()


def _difference(given: bytes, wanted: bytes) -> str:
    """Why a file of ours is not this table's."""
    texts = [printable(text.decode("ascii", "replace").strip(), 350) for text in (given, wanted)]
    return f"holds another table: {texts[0]!r}, not {texts[1]!r}"


def _read(file: BinaryIO, size: int, take: Callable[[int, bytes], None]) -> None:
    """Hand on all blocks with their places. Raises HashFileError unless they are size bytes."""
    start = 0
    for block in _blocks(file):
        if start + len(block) > size:
            raise HashFileError("is damaged: it holds too much")
        take(start, block)
        start += len(block)
    if start != size:
        raise HashFileError("is damaged: it holds too little")


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """The table in a file that stands behind its heading. Raises HashFileError if it is damaged."""
    unpacker, check = zlib.decompressobj(), 0
    try:
        while not unpacker.eof:
            data = unpacker.unconsumed_tail or file.read(BLOCK // 4)
            if not data:
                raise HashFileError("is damaged: it ends too early")
            block = unpacker.decompress(data, BLOCK)
            check = zlib.crc32(block, check)
            if block:
                yield block
    except zlib.error as problem:
        raise HashFileError(f"is damaged: {problem}") from None
    rest = unpacker.unused_data + file.read(5)
    if rest != check.to_bytes(4, "big"):
        raise HashFileError("is damaged: its checksum does not fit")
