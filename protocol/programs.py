"""The programs of a match: where their files are, and a hash that tells them apart."""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

BUILT_IN: Final = (sys.executable, "-m", "shisan.protocol")
"""The command of our own brain."""

_KEPT: Final = (".py", ".so", ".pyd", ".json")


class ProgramError(ValueError):
    """A program whose file is not there or cannot be run."""


def located(command: Sequence[str], folder: str = "") -> Path:
    """The file that a command runs. folder: where it runs, "": here. Raises ProgramError."""
    word = command[0]
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise ProgramError(f"no program {word!r} on the search path; write ./{word} for a file")
        return Path(found)
    path = Path(word)
    if not path.is_file():
        raise ProgramError(f"no file {word}")
    if not os.access(path, os.X_OK):
        raise ProgramError(f"{word} is not executable: chmod +x {word}")
    return path


def files(command: Sequence[str], folder: str = "") -> list[Path]:
    """The files that make a program: what runs, and those that its arguments name.

    For one of our own modules (python -m shisan...) the files of the package too.
    """
    found = [located(command, folder)]
    for word in command[1:]:
        path = Path(folder) / word
        if path.is_file():
            found.append(path)
    if len(command) > 2 and command[1] == "-m" and command[2].startswith("shisan."):
        found += _own_files()
    return found


def digest(command: Sequence[str], folder: str = "") -> str:
    """SHA-256 over the program's files, names left out, hexadecimal. Raises ProgramError."""
    whole = hashlib.sha256()
    for path in files(command, folder):
        try:
            whole.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as problem:
            raise ProgramError(f"cannot read {path}: {problem.strerror}") from None
    return whole.hexdigest()


def _own_files() -> Iterator[Path]:
    """The engine's files, and the brain's side of the protocol."""
    found = find_spec("shisan.engine")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    yield from sorted(path for path in package.rglob("*") if path.suffix in _KEPT)
    for name in ("commands", "lists", "loop", "options", "session", "settings", "swap2", "timing"):
        yield Path(__file__).with_name(f"{name}.py")
