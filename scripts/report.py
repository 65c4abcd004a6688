"""The report of a game, for shisan analyze: its options, its files, its progress."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from shisan.protocol.annotations import annotated
from shisan.protocol.conditions import ConditionError, natural
from shisan.protocol.reviewfiles import is_review, read_review, write_review
from shisan.protocol.reviewing import Reviewer
from shisan.protocol.reviewpages import review_page
from shisan.protocol.reviews import Review, Setting
from shisan.protocol.reviewwords import text_report
from shisan.protocol.sgfwriter import write_sgf

from .arguments import InputError, check_target, content, named, record

WRITERS: Final[dict[str, Callable[[Review], str]]] = {
    "json": write_review,
    "report": review_page,
    "sgf": lambda review: write_sgf(annotated(review)),
}
"""What can be written, by the name of its option; in this order, so that JSON is safe first."""

LINES: Final = 3
"""So many best lines for each position, unless others are asked for."""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as of a shell."""


def add_report(made: argparse.ArgumentParser) -> None:
    """Add what a report can be made as, and of what."""
    group = made.add_argument_group(
        "report of a game", "any of these together; - is stdout, and then nothing else is printed"
    )
    group.add_argument("--report", metavar="FILE.html", help="one page to read and step through")
    group.add_argument(
        "--json", metavar="FILE.json", help="everything, for programs and to make reports of later"
    )
    group.add_argument("--sgf", metavar="FILE.sgf", help="the game with comments and variations")
    group.add_argument(
        "--game",
        type=int,
        metavar="N",
        help="which game of the file, from 1 (text: line)",
    )
    group.add_argument(
        "--branches",
        type=_branches,
        default=(),
        metavar="all|N,N...",
        help="look at these branches of the game too, numbered as in its file",
    )
    group.add_argument(
        "--opening",
        type=_natural,
        metavar="N",
        help="do not judge the first N moves (default: 3 in a named renju opening, else 0)",
    )
    group.add_argument(
        "--resume", action="store_true", help="look at what a saved report lacks after Ctrl-C"
    )


def _natural(text: str) -> int:
    try:
        return natural(text)
    except ConditionError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _branches(text: str) -> tuple[int, ...] | None:
    """Numbers of branches; None for all."""
    if text == "all":
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither all nor numbers: 1,4") from None


def run(options: argparse.Namespace, words: str, setting: Setting | None) -> int:
    """Review a game, or read a review, and write what was asked for. Returns the exit status.

    words: moves, a file or -. setting: None: nobody asked for limits or lines. Raises InputError
    or another ValueError whose message is meant for people, before anything is looked at.
    """
    targets = {name: getattr(options, name) for name in WRITERS if getattr(options, name)}
    _check(targets, options.force, [words, *options.files])
    data = content(words)
    reviewer: Reviewer | None
    if data is not None and is_review(data):
        review, reviewer = _saved(options, read_review(data, named(words)), setting)
    else:
        if options.resume:
            raise InputError(f"--resume goes on with a saved report, and {words} is none")
        game, rules = record(options, words, data)
        reviewer = Reviewer(
            game, rules, setting, branches=options.branches, opening=options.opening
        )
        review = reviewer.review
    status = 0
    if reviewer is not None:
        status = _work(reviewer)
        review = reviewer.review
    failed = [problem for problem in _write(targets, review, options.force) if problem]
    if "-" not in targets.values():
        sys.stdout.write(text_report(review))
    for problem in failed:
        print(f"shisan analyze: {problem}", file=sys.stderr)
    return 1 if failed else status


def _check(targets: dict[str, str], force: bool, sources: Sequence[str]) -> None:
    """Refuse what could not be written, before hours of work. A saved report may be replaced."""
    places = [name if name == "-" else str(Path(name).resolve()) for name in targets.values()]
    if len(set(places)) < len(places):
        raise InputError("--report, --json and --sgf must go to different files")
    for option, name in targets.items():
        check_target(f"--{option}", name, force, () if option == "json" else sources)


def _saved(
    options: argparse.Namespace, review: Review, setting: Setting | None
) -> tuple[Review, Reviewer | None]:
    """A saved review with what the options change, and who goes on with it if that is asked for."""
    asked: dict[str, Any] = {
        "--rule": options.rule,
        "--size": options.size,
        "limits and --lines": setting,
        "--branches": options.branches or options.branches is None or None,
        "--game": options.game,
    }
    for name, value in asked.items():
        if value is not None:
            raise InputError(f"{name} cannot be changed in a saved report: analyse its game again")
    if options.opening is not None:
        review = replace(review, opening=options.opening)
    if not options.resume or review.complete:
        return review, None
    branches = [course.branch for course in review.courses if course.branch]
    return review, Reviewer(
        review.game,
        review.rules,
        review.setting,
        branches=branches,
        opening=review.opening,
        known=review,
    )


# --- while it works ------------------------------------------------------------------------------


def _work(reviewer: Reviewer) -> int:
    """Look at all positions; Ctrl-C keeps what is done."""
    shown = sys.stderr.isatty()
    begun, before = time.monotonic(), reviewer.done
    total = reviewer.total
    work = reviewer.work()
    try:
        for _ in work:
            if shown:
                spent = time.monotonic() - begun
                left = spent / (reviewer.done - before) * (total - reviewer.done)
                _tell(f"{reviewer.done} of {total} positions, about {_clock(left)} left")
    except KeyboardInterrupt:
        work.close()
        _tell("")
        print(f"stopped: {reviewer.done} of {total} positions are done", file=sys.stderr)
        return INTERRUPTED
    if shown:
        _tell("")
    return 0


def _tell(text: str) -> None:
    """Replace the line on the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    whole = int(seconds + 0.5)
    return f"{whole // 60}:{whole % 60:02}"


def _write(targets: dict[str, str], review: Review, force: bool) -> Iterator[str]:
    """Write each file whole; yields what went wrong with it, or ""."""
    for option in WRITERS:
        name = targets.get(option)
        if name is None:
            continue
        text = WRITERS[option](review).encode("utf-8", "replace")
        if name == "-":
            sys.stdout.buffer.write(text)
            continue
        path = Path(name)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            if path.exists() and not force:
                yield f"{name} exists by now; --force replaces it"
                continue
            beside.write_bytes(text)
            os.replace(beside, path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            yield f"cannot write {name}: {error.strerror}"


def setting_of(
    turn_ms: int | None, nodes: int | None, depth: int | None, lines: int | None
) -> Setting | None:
    """The setting that limits make; without any it is a second a position. None: all are None."""
    limits: Sequence[int | None] = (turn_ms, nodes, depth)
    if lines is None and all(limit is None for limit in limits):
        return None
    if all(limit is None for limit in limits):
        return Setting(lines=lines or LINES)
    return Setting(turn_ms, nodes, depth, lines or LINES)
