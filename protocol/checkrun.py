"""All checks of the conformance kit, chosen and made one after the other."""

import re
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from .checkbench import Bench
from .conformance import (
    FAIL,
    NOT_RUN,
    PASS,
    UNSUPPORTED,
    CannotMeasure,
    Check,
    CheckFailed,
    Found,
    NotSupported,
    Outcome,
    cost_of_rows,
)
from .dialectchecks import SWAP2, YIXIN
from .hardchecks import HARD
from .lifechecks import LIFE
from .movechecks import MOVES
from .rulechecks import RULE
from .settingchecks import SETTINGS
from .textchecks import TEXT
from .transcripts import TranscriptLine

GROUPS: Final = (TEXT, LIFE, MOVES, RULE, SETTINGS, SWAP2, YIXIN, HARD)
CHECKS: Final = tuple(check for group in GROUPS for check in group.checks)
"""Every check, in the order in which they are made."""

START_LIMIT: Final = 20.0
"""Seconds in which a brain must answer its first START, so that it can be checked at all."""

SHOWN: Final = 40
"""Lines of a transcript that are kept: the first few and the last ones."""

_FIRST: Final = 8


class ChoiceError(ValueError):
    """Words that choose no check."""


class CannotRun(Exception):  # noqa: N818 - as argparse has it
    """The program is no brain that could be checked; the text says why."""


def choose(words: Sequence[str], full: bool) -> list[Check]:
    """The checks that these words name: names, groups or patterns as of a shell; none: all.

    full: those that only a full run makes too; a check that is named is made in any case.
    Raises ChoiceError for a word that names none.
    """
    if not words:
        return [check for check in CHECKS if full or not check.full]
    chosen: set[str] = set()
    for word in words:
        found = {
            check.name for check in CHECKS if check.group == word or fnmatchcase(check.name, word)
        }
        if not found:
            groups = ", ".join(group.name for group in GROUPS)
            raise ChoiceError(f"no check {word!r}: --list shows their names; groups are {groups}")
        chosen |= found
    return [check for check in CHECKS if check.name in chosen]


def identify(bench: Bench) -> dict[str, str]:
    """What the brain says of itself: name, version, author and so on; empty: nothing.

    Raises CannotRun where it cannot be started or answers no START.
    """
    try:
        with bench.talk() as talk:
            at = talk.send("START 20")
            found = talk.answer("ok", at, START_LIMIT)
            if found is None:
                raise CannotRun(f"it does not answer START 20 in {START_LIMIT:.0f} s")
            talk.settle()
            at = talk.send("ABOUT")
            about = talk.answer("text", at, 1.0)
    except CheckFailed as problem:
        raise CannotRun(problem.detail) from None
    return dict(re.findall(r'(\w+)\s*=\s*"([^"]*)"', about.text)) if about else {}


def run(bench: Bench, checks: Sequence[Check]) -> Iterator[Outcome]:
    """Make the checks; the outcome of each as soon as it is there."""
    for check in checks:
        yield _make(bench, check)


def not_run(checks: Sequence[Check]) -> list[Outcome]:
    """Outcomes of checks that were not made."""
    return [Outcome(check, NOT_RUN, detail="stopped before") for check in checks]


def _make(bench: Bench, check: Check) -> Outcome:
    bench.talks.clear()
    bench.transcript = ()
    begun = time.monotonic()

    def outcome(verdict: str, found: Found, detail: str = "", **more: object) -> Outcome:
        seconds = time.monotonic() - begun
        figures = {name: round(float(value), 3) for name, value in found.figures.items()}
        return Outcome(
            check,
            verdict,
            found.measured,
            figures,
            detail,
            seconds=seconds,
            **more,  # type: ignore[arg-type]
        )

    try:
        return outcome(PASS, check.run(bench))
    except CheckFailed as problem:
        cost = cost_of_rows(problem.rows) if problem.rows else check.cost
        found = Found(problem.measured, problem.figures)
        said = _excerpt(bench.transcript or (bench.talks[-1].log if bench.talks else ()))
        return outcome(FAIL, found, problem.detail, cost=cost, transcript=said)
    except NotSupported as why:
        return outcome(UNSUPPORTED, Found(), str(why))
    except CannotMeasure as why:
        return outcome(NOT_RUN, Found(), str(why))


def _excerpt(log: Sequence[TranscriptLine]) -> tuple[TranscriptLine, ...]:
    """The first lines and the last ones, where there are many."""
    if len(log) <= SHOWN:
        return tuple(log)
    left_out = len(log) - SHOWN + 1
    gap = TranscriptLine(log[_FIRST].at_ns, "#", f"{left_out} lines left out")
    return (*log[:_FIRST], gap, *log[_FIRST + left_out :])
