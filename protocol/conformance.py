"""A check of the conformance kit as a record: what is asked of a brain, and what it costs to fail.

What a manager makes of a single line stands in `police`; here is what it makes of a habit. A check
that fails over a line takes its cost from there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from .police import MANAGERS, Row, offence
from .transcripts import TranscriptLine

PASS: Final = "pass"
FAIL: Final = "fail"
UNSUPPORTED: Final = "not supported"
NOT_RUN: Final = "not run"
VERDICTS: Final = (PASS, FAIL, UNSUPPORTED, NOT_RUN)
"""What may be found. "not supported": the brain does not claim what is asked, or plays at once so
that there is no search to end. "not run": we were stopped before, or this machine cannot measure
it."""

TOURNAMENTS: Final = ("Piskvork", "GomocupJudge", "c-gomoku-cli")
"""The managers that lose a game for a fault; the others are boards and a library."""


class Found(NamedTuple):
    """What a passed check has seen. measured: a few words for the table; figures: its numbers."""

    measured: str = ""
    figures: Mapping[str, float] = {}


Run = Callable[[Any], Found]
"""A check's function: a Bench in (`checkbench`, which stands on this file), what it saw out."""

R = TypeVar("R", bound=Run)


class CheckFailed(Exception):  # noqa: N818 - a fault of the brain is no error of ours
    """The brain fails the check. detail: one line for people.

    rows: what the managers make of the line that showed it, in place of the check's own cost.
    """

    def __init__(
        self, detail: str, rows: Iterable[Row] = (), measured: str = "", **figures: float
    ) -> None:
        super().__init__(detail)
        self.detail, self.rows, self.measured, self.figures = detail, [*rows], measured, figures


class NotSupported(Exception):  # noqa: N818 - no error
    """The brain does not claim what the check asks for; the text says by what that is known."""


class CannotMeasure(Exception):  # noqa: N818 - no error
    """Something that the check needs is not on our machine; the text names it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is asked of a brain.

    name: unique, for --only. title: what is right, as a sentence. group: its topic.
    items: its numbers in the checklist, which the tests of tests/protocol bear too.
    cost: for each manager that minds, what it does; empty: no known manager minds.
    full: left out of a quick run.
    """

    name: str
    title: str
    group: str
    items: tuple[int, ...]
    cost: Mapping[str, str]
    full: bool
    run: Run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check has found.

    verdict: one of VERDICTS. measured, figures: as in Found. detail: why it is no pass, in a line.
    cost: as in Check, of what went wrong here; empty unless it failed.
    transcript: what was said when it failed. seconds: how long the check took.
    """

    check: Check
    verdict: str
    measured: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    detail: str = ""
    cost: Mapping[str, str] = field(default_factory=dict)
    transcript: tuple[TranscriptLine, ...] = ()
    seconds: float = 0.0


class Group:
    """The checks of one topic, in the order in which they are made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def check(
        self,
        name: str,
        title: str,
        *items: int,
        full: bool = False,
        cost: Mapping[str, str] | None = None,
    ) -> Callable[[R], R]:
        """Make a check of a function. cost: keys are managers, several joined by ", ", or "all"."""

        def add(run: R) -> R:
            self.checks.append(Check(name, title, self.name, items, spread(cost or {}), full, run))
            return run

        return add


def spread(cost: Mapping[str, str]) -> dict[str, str]:
    """Costs by single managers, in the order of MANAGERS.

    Raises KeyError for a manager that there is not.

    >>> spread({"Yixin-Board, Piskvork": "waits for ever"})
    {'Piskvork': 'waits for ever', 'Yixin-Board': 'waits for ever'}
    """
    found: dict[str, str] = {}
    for names, how in cost.items():
        for name in MANAGERS if names == "all" else names.split(", "):
            if name not in MANAGERS:
                raise KeyError(name)
            found[name] = f"{found[name]}; {how}" if name in found else how
    return {name: found[name] for name in MANAGERS if name in found}


def cost_of_rows(rows: Iterable[Row]) -> dict[str, str]:
    """What each manager makes of a line with these rows; those that do no harm are left out.

    >>> from .police import MOVE_TABLE
    >>> sorted(cost_of_rows([MOVE_TABLE["blank at the end"]]))
    ['c-gomoku-cli']
    """
    cost: dict[str, str] = {}
    for number, name in enumerate(MANAGERS):
        hows = [row[number][2:] for row in rows if row[number][0] in "-?!"]
        if hows:
            cost[name] = "; ".join(dict.fromkeys(hows))
    return cost


def harmful(rows: Iterable[Row]) -> bool:
    """Whether some manager would mind a line with these rows."""
    return offence("", rows) is not None


def cost_in_words(cost: Mapping[str, str]) -> str:
    """The cost as one line, managers with the same fate together.

    >>> cost_in_words({"Piskvork": "waits", "GomocupJudge": "kills it", "Yixin-Board": "waits"})
    'Piskvork, Yixin-Board: waits; GomocupJudge: kills it'
    """
    fates: dict[str, list[str]] = {}
    for name, how in cost.items():
        fates.setdefault(how, []).append(name)
    words = [
        f"{'every manager' if len(names) == len(MANAGERS) else ', '.join(names)}: {how}"
        for how, names in fates.items()
    ]
    return "; ".join(words) or "no known manager minds"
