"""A file of JSON lines that is only ever appended to, and survives the death of its writer.

The first line says what the file is. A line is one write, so a process that is killed leaves at
most one torn line, the last: reading leaves it out, opening for writing cuts it off. One process
writes at a time (flock).
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final

SYNC_SECONDS: Final = 1.0
"""How often a file is forced to the disk: a kill loses nothing, a power cut this much."""

_HEAD: Final = 1 << 20  # bytes, of which the first line must be a part
_TELLING: Final = 14  # bytes of a torn first line that must be those of ours


class LineFileError(ValueError):
    """A file that cannot be read or written, is another one, damaged or in use."""


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1; a torn last line is left out.

    Raises LineFileError.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.endswith(b"\n"):
                    yield number, line
    except OSError as problem:
        raise LineFileError(f"cannot read {path}: {problem.strerror}") from None


def difference(name: str, mine: Any, theirs: Any) -> str:
    """The first place in which two parsed JSON values differ, in words; "" for none.

    name: what the values are called; mine is "here", theirs "there".
    """
    if isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        mine = {str(at): value for at, value in enumerate(mine, 1)}
        theirs = {str(at): value for at, value in enumerate(theirs, 1)}
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in [*mine, *(key for key in theirs if key not in mine)]:
            inner = f"{name} {key}".strip()
            found = difference(inner, mine.get(key), theirs.get(key))
            if found:
                return found
        return ""
    return "" if mine == theirs else f"{name} is {_short(theirs)} there and {_short(mine)} here"


def _short(value: Any) -> str:
    text = "absent" if value is None else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class LineFile:
    """Such a file, open for writing. A context manager.

    first: the first line of a new file. check: is given that of a file that exists, and raises what
    it likes if the file is another one; nothing of such a file is changed. what: for errors, "no
    journal of a match". anew: begin with an empty file, whatever is there. torn: bytes cut off.
    Raises LineFileError.
    """

    def __init__(
        self,
        path: Path,
        first: str,
        check: Callable[[bytes], None],
        what: str,
        *,
        anew: bool = False,
    ) -> None:
        self.path = path
        self.torn = 0
        self._synced = monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as problem:
            raise LineFileError(f"cannot write {path}: {problem.strerror}") from None
        try:
            self._lock()
            if anew:
                os.ftruncate(self._file, 0)
            self._begin(first, check, what)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, line: str) -> None:
        """Append a line, given without its end, with one write."""
        self._write(line)
        if monotonic() - self._synced >= SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Force what was written to the disk."""
        os.fsync(self._file)
        self._synced = monotonic()

    def close(self) -> None:
        """Force it to the disk and let others write. Nothing may be added any more."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    def _lock(self) -> None:
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LineFileError(f"{self.path} is in use: another process writes to it") from None

    def _begin(self, line: str, check: Callable[[bytes], None], what: str) -> None:
        """Write the first line or have it compared, and cut off a torn line."""
        size = os.fstat(self._file).st_size
        start = os.pread(self._file, _HEAD, 0)
        first, end, _ = start.partition(b"\n")
        if end:
            check(first)
            self._cut(self._whole(size), size)
            return
        if not line.encode().startswith(first[:_TELLING]):
            raise LineFileError(f"{self.path} is {what}")
        self._cut(0, size)
        self._write(line)
        self.sync()

    def _whole(self, size: int) -> int:
        """The length of the file up to the end of its last whole line."""
        block = 1 << 16
        for at in range((size - 1) // block * block, -1, -block):
            found = os.pread(self._file, min(block, size - at), at).rfind(b"\n")
            if found >= 0:
                return at + found + 1
        return 0

    def _cut(self, whole: int, size: int) -> None:
        if whole < size:
            self.torn = size - whole
            os.ftruncate(self._file, whole)

    def _write(self, line: str) -> None:
        data = line.encode() + b"\n"
        while data:
            data = data[os.write(self._file, data) :]
