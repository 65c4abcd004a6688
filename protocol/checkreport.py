"""What the conformance kit has found: as text, as JSON, and as a table of several brains."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .about import NAME, VERSION
from .conformance import FAIL, NOT_RUN, PASS, UNSUPPORTED, VERDICTS, Check, Outcome, cost_in_words
from .transcripts import TranscriptLine

FORMAT: Final = "shisan protocol-check 1"
"""What a JSON report begins with; the number changes with the meaning of a field."""

_MARKS: Final = {PASS: "pass", FAIL: "FAIL", UNSUPPORTED: "n/a ", NOT_RUN: "-   "}
_WIDTH: Final = 90  # characters of a transcript's line that are shown


@dataclass(frozen=True)
class Report:
    """A run of the kit.

    command: the brain's words. about: what it says of itself. full: a full run.
    slack_ms: what was added to every bound of time. outcomes: of every check that was wanted.
    """

    command: Sequence[str]
    about: Mapping[str, str]
    full: bool
    slack_ms: float
    outcomes: Sequence[Outcome]

    @property
    def counts(self) -> dict[str, int]:
        """How many checks had each verdict."""
        found = Counter(outcome.verdict for outcome in self.outcomes)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def complete(self) -> bool:
        """Whether it was not stopped before its end."""
        return all(outcome.detail != "stopped before" for outcome in self.outcomes)


def row(outcome: Outcome) -> str:
    """An outcome as a line of the table."""
    said = outcome.measured if outcome.verdict == PASS else outcome.detail
    text = f"{_MARKS[outcome.verdict]}  {outcome.check.name:<20} {outcome.check.title}"
    return _printable(f"{text} ({said})" if said else text)


def failure(outcome: Outcome) -> str:
    """A failure at length: what is right, what was wrong, the cost, what was said."""
    check = outcome.check
    lines = [
        f"{check.name}: {check.title}",
        f"  found    {outcome.detail}",
        f"  cost     {cost_in_words(outcome.cost)}",
        *(f"  {line}" for line in transcript(outcome.transcript)),
    ]
    return "\n".join(_printable(line) for line in lines)


def transcript(lines: Sequence[TranscriptLine]) -> list[str]:
    """What was said as text: ms since the first line, > sent, < answered, ! stderr, # remark."""
    first = lines[0].at_ns if lines else 0
    return [f"{(line.at_ns - first) / 1e6:9.1f} ms {line.way} {_cut(line.text)}" for line in lines]


def summary(report: Report) -> str:
    """One line: how many checks had which verdict, and on what."""
    counts = ", ".join(f"{number} {verdict}" for verdict, number in report.counts.items() if number)
    seconds = sum(outcome.seconds for outcome in report.outcomes)
    return f"{title(report)}: {counts} ({seconds:.0f} s)"


def title(report: Report) -> str:
    """The brain by the name it gives itself, else by its command."""
    name = report.about.get("name") or " ".join(report.command)
    version = report.about.get("version", "")
    return _printable(f"{name} {version}".strip())


def as_json(report: Report) -> str:
    """The report as JSON, by protocol/schema/protocol-check.json."""
    return json.dumps(as_data(report), indent=1) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "format": FORMAT,
        "checker": f"{NAME} {VERSION}",
        "command": [*report.command],
        "about": dict(report.about),
        "run": "full" if report.full else "quick",
        "slack_ms": report.slack_ms,
        "complete": report.complete,
        "counts": report.counts,
        "checks": [_outcome(outcome) for outcome in report.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    check = outcome.check
    first = outcome.transcript[0].at_ns if outcome.transcript else 0
    return {
        "name": check.name,
        "group": check.group,
        "title": check.title,
        "items": [*check.items],
        "verdict": outcome.verdict,
        "measured": outcome.measured,
        "figures": dict(outcome.figures),
        "detail": outcome.detail,
        "cost": dict(outcome.cost),
        "transcript": [
            {"ms": round((line.at_ns - first) / 1e6, 3), "way": line.way, "text": line.text}
            for line in outcome.transcript
        ],
        "seconds": round(outcome.seconds, 3),
    }


def listed(checks: Sequence[Check]) -> str:
    """The checks as a list: group, name, what is right, where they are made."""
    lines = []
    for check in checks:
        full = " (full run)" if check.full else ""
        lines.append(f"{check.group:<9} {check.name:<20} {check.title}{full}")
    return "\n".join(lines)


def described(checks: Sequence[Check]) -> str:
    """The checks as a table for the docs: name, what is right, numbers, what a failure costs."""
    lines = ["| check | what is right | items | what a failure costs |", "|---|---|---|---|"]
    for check in checks:
        items = ", ".join(map(str, check.items))
        cost = cost_in_words(check.cost) if check.cost else "by the line, or nothing known"
        full = " (full runs)" if check.full else ""
        lines.append(f"| {check.name}{full} | {check.title} | {items} | {cost} |")
    return "\n".join(lines) + "\n"


def markdown(reports: Sequence[Report]) -> str:
    """A table of several brains: a row for each check, a column for each brain."""
    lines = [
        f"| check | {' | '.join(title(report) for report in reports)} |",
        "|---|" + "---|" * len(reports),
    ]
    by_name = [{o.check.name: o for o in report.outcomes} for report in reports]
    names = dict.fromkeys(name for found in by_name for name in found)
    for name in names:
        cells = [_cell(found[name]) if name in found else "" for found in by_name]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(outcome: Outcome) -> str:
    if outcome.verdict == PASS:
        return outcome.measured.replace("|", "/") or "pass"
    if outcome.verdict == FAIL:
        return f"**fail**: {outcome.measured or outcome.detail}".replace("|", "/")
    return outcome.verdict


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}... ({len(text)} characters)"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
