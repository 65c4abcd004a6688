"""What a brain says about its search in MESSAGE lines: value, depth, nodes.

There is no standard. The forms that are read, all of them in use (S: selective depth):

    depth 12-20 ev 35 n 210k n/ms 70 tm 3011 pv h8 i9      Piskvork's own brain and many after it
    Depth 12-20 | Eval 35 | Time 3011ms | h8 i9             Rapfi
    Speed 70k | Depth 12-20 | Eval 35 | Node 210k | Time 3s Rapfi's last line
    (1) 35 | 12-20 | h8 i9                                  Rapfi, several lines at once
    Nodes=210000, Time=3011ms, depth=12-20, Evaluation=35   SlowRenju
    INFO EVAL 35, INFO DEPTH 12, INFO NODES 210000          one thing a line

A forced win or loss is +M5 or -M6, in plies.
"""

import re
from typing import Final, NamedTuple

WIN: Final = 30000
"""A forced win in n plies is WIN - n, as shisan.engine counts; a loss is the negative."""

_VALUE: Final = r"([+-]?(?:[Mm]\s?\d+|\d+(?:\.\d+)?))"
_WORD_VALUE: Final = re.compile(
    rf"\b(?:ev|eval|value|evaluation)\b\s*:?=?\s*{_VALUE}", re.IGNORECASE
)
_WORD_DEPTH: Final = re.compile(r"\bdepth\b\s*:?=?\s*(\d+)", re.IGNORECASE)
_WORD_NODES: Final = re.compile(
    r"(?<!/)\b(?:n|nodes?|totalnodes)\b(?!/)\s*:?=?\s*(\d+(?:\.\d+)?)\s?([kmgb]?)\b", re.IGNORECASE
)
_LISTED: Final = re.compile(rf"^\(\d+\)\s*{_VALUE}\s*\|\s*(\d+)")
_SUFFIX: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9}
_MAX_DIGITS: Final = 18


class Summary(NamedTuple):
    """What is known of a search. score: from the mover's view; None: not said."""

    score: int | None = None
    nodes: int | None = None
    depth: int | None = None

    def updated(self, later: "Summary") -> "Summary":
        """The later one, with what it does not say taken from this one."""
        return Summary(*(old if new is None else new for old, new in zip(self, later, strict=True)))


NOTHING: Final = Summary()


def read_summary(text: str) -> Summary:
    """What a line says, "MESSAGE " in front left out or not.

    >>> read_summary("depth 12-20 ev -M6 n 210k n/ms 70 tm 3011 pv h8 i9")
    Summary(score=-29994, nodes=210000, depth=12)
    >>> read_summary("MESSAGE hello")
    Summary(score=None, nodes=None, depth=None)
    """
    text = text.removeprefix("MESSAGE ").strip()[:400]
    listed = _LISTED.match(text)
    if listed:
        return Summary(_score(listed[1]), None, _whole(listed[2]))
    value, depth = _WORD_VALUE.search(text), _WORD_DEPTH.search(text)
    nodes = _WORD_NODES.search(text)
    if value is None and depth is None and not text.startswith("INFO "):
        return NOTHING  # an n alone is any word
    return Summary(
        None if value is None else _score(value[1]),
        None if nodes is None else _number(nodes[1], nodes[2]),
        None if depth is None else _whole(depth[1]),
    )


def _score(text: str) -> int | None:
    """35, -12.5 (rounded), +M5, -M6."""
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits[:1] in "Mm":
        plies = _whole(digits[1:].strip())
        return None if plies is None or plies >= WIN else sign * (WIN - plies)
    number = _number(digits, "")
    return None if number is None else sign * number


def _whole(text: str) -> int | None:
    return int(text) if len(text) <= _MAX_DIGITS else None


def _number(text: str, suffix: str) -> int | None:
    if len(text) > _MAX_DIGITS:
        return None
    scale = _SUFFIX[suffix.lower()]
    return round(float(text) * scale) if "." in text else int(text) * scale
