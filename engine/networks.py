"""The learned weights of the static value: files beside this one, checked before they are used."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from .errors import DataError
from .rules import Rules

FOLDER: Final = Path(__file__).resolve().parent / "weights"
NAMES: Final = ("freestyle", "standard", "renju_black", "renju_white")

Weights = dict[str, Any]


def names_for(rules: Rules) -> tuple[str, str]:
    """Return which weights value a position with Black to move, and with White to move."""
    if rules.forbidden:
        return "renju_black", "renju_white"
    name = "standard" if rules.black_exact or rules.white_exact else "freestyle"
    return name, name


def check() -> None:
    """Read every file of weights, so that a damaged one is found before the first search."""
    for name in NAMES:
        load(name)


@cache
def load(name: str) -> Weights:
    """Return the weights of a file without its manifest.

    Raises DataError if it is missing, not JSON, or differs from its checksum.
    """
    path = FOLDER / f"{name}.json"
    try:
        weights: Weights = json.loads(path.read_bytes())
        weights.pop("manifest", None)
        checksum = weights.pop("checksum")
    except (OSError, ValueError, KeyError, AttributeError) as problem:
        raise DataError(f"weights {path} cannot be read: {problem}; install shisan again") from None
    text = json.dumps(weights, sort_keys=True, separators=(",", ":"))
    if crc32(text.encode()) != checksum:
        raise DataError(f"weights {path} are damaged; install shisan again")
    return weights


@cache
def checksum(name: str) -> int:
    """Return a number that differs between weights that differ, of a file. Raises DataError."""
    return crc32(json.dumps(load(name), sort_keys=True).encode())
