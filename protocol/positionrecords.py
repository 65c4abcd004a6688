"""What a database knows of a position, and two such records made one."""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final
from unicodedata import category

from shisan.engine import Point

MAX_VALUE: Final = 30_000
"""The value of a win at once; n plies off it is n less."""

PROVEN: Final = 29_000
"""Beyond +-this a value is the distance of a win or loss."""

MAX_DEPTH: Final = 8191
MAX_TEXT: Final = 100_000
"""Characters of a record's text."""

_NO_TEXT: Final = ("Cc", "Cs", "Cn")
"""Unicode's categories of control signs, halves of pairs, and what is no letter."""


class StoreError(ValueError):
    """A database that cannot be used; the message names the file and says what to do."""


class Bound(IntEnum):
    """What a value says of the truth."""

    NONE = 0
    UPPER = 1
    LOWER = 2
    EXACT = 3


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a position.

    label: one printable ASCII character that judges the move that led here, or "": w it wins (who
        is to move has lost), l it loses, d a draw, x not to be played, ! to be played.
    value: the view of the side to move, -30,000..30,000; n plies from a certain win or loss it is
        30,000 - n or the negative of that. depth: plies it was searched, -8191..8191. bound: what
        the value is.
    best: the best move; None: none is known. text: a comment of up to 100,000 characters, without
        blanks at its ends. marks: texts on points, (point, text) by row and column.
    Raises StoreError for a field out of its range.
    """

    label: str = ""
    value: int = 0
    depth: int = 0
    bound: Bound = Bound.NONE
    best: Point | None = None
    text: str = ""
    marks: tuple[tuple[Point, str], ...] = ()

    def __post_init__(self) -> None:
        if self.label and not (len(self.label) == 1 and " " < self.label < "\x7f"):
            raise StoreError(f"a label is one printable letter or none, not {self.label[:12]!r}")
        for name, most in (("value", MAX_VALUE), ("depth", MAX_DEPTH)):
            number = getattr(self, name)
            if type(number) is not int or not -most <= number <= most:
                raise StoreError(f"{name} must be {-most}..{most}, not {number!r}")
        for text in (self.text, *(text for _, text in self.marks)):
            if len(text) > MAX_TEXT:
                raise StoreError(f"a text has {len(text)} characters, more than {MAX_TEXT}")

    @property
    def judged(self) -> bool:
        """Whether the label says how the game ends."""
        return self.label in ("w", "l", "d")

    @property
    def distance(self) -> int:
        """Plies from the move that led here to the five, that move counted; 0: not known."""
        ahead = {"w": -self.value, "l": self.value}.get(self.label, 0)
        return MAX_VALUE - ahead + 1 if ahead > PROVEN else 0


NOTHING: Final = Record()
"""A record that says no more than that the position belongs to the database."""


def joined(old: Record, new: Record) -> Record:
    """Two records of a position made one: the better judgement, both texts, the marks of both.

    A label that says how the game ends is better than another, and that than none. Of two such
    ends the one with the smaller distance holds, else the value with a bound and of the greater
    depth; where nothing decides, the new one. A mark of the new record replaces one on its point.
    """
    judgement = new if _worth(new) >= _worth(old) else old
    other = old if judgement is new else new
    text = old.text
    if new.text and new.text not in old.text:
        text = f"{old.text}\n{new.text}" if old.text else new.text
    marks = dict(old.marks) | dict(new.marks)
    return replace(
        judgement,
        label=judgement.label or other.label,
        best=judgement.best if judgement.best is not None else other.best,
        text=text[:MAX_TEXT],
        marks=tuple(sorted(marks.items(), key=lambda mark: (mark[0][1], mark[0][0]))),
    )


def _worth(record: Record) -> tuple[int, int, int, bool]:
    """The rank of a record's value."""
    if record.judged:
        return 2, abs(record.value), record.depth, True
    return int(record.bound > 0), record.depth, record.bound, bool(record.value)


def clean(text: str) -> str:
    r"""A text as it is kept: lines end with a line feed, no blanks at the ends, no control signs.

    >>> clean(" a\r\nb\0 ")
    'a\nb'
    """
    whole = text.replace("\r\n", "\n").replace("\r", "\n").replace("\b", "\n")
    return "".join(
        mark for mark in whole if mark in "\n\t" or category(mark) not in _NO_TEXT
    ).strip()
