"""shisan protocol-check: try whether a brain keeps to the protocol as managers speak it."""

import argparse
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from shisan.protocol.checkbench import Bench
from shisan.protocol.checkreport import Report, as_json, failure, listed, row, summary
from shisan.protocol.checkrun import CHECKS, CannotRun, ChoiceError, choose, identify, not_run, run
from shisan.protocol.conformance import FAIL, Check, Outcome

from .players import BUILT_INS

EXAMPLES = """\
examples:
  shisan protocol-check ./pbrain-mine                     every quick check, failures at length
  shisan protocol-check 'python3 brain.py --fast' --full  longer runs, more games
  shisan protocol-check ./pbrain-mine --dir engine/ --only life,stderr,'end*'
  shisan protocol-check ./pbrain-mine --json report.json  for programs; - is standard output
  shisan protocol-check --list                            the checks and what each asks for

Exit status: 0 none fails, 1 some fail, 2 the program cannot be checked, 130 stopped.
What each check means, and what a failure costs where: docs/protocol-check.md.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan protocol-check",
        usage="shisan protocol-check ENGINE [options]",
        description="Try whether a brain keeps to the Gomocup protocol as six managers speak it:"
        " text, life, moves, rules, settings, Swap2, Yixin-Board's words, whole games. A failure"
        " is shown with what was said, and with what it costs in which manager.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("engine", nargs="?", metavar="ENGINE", help="a command line, or a built-in")
    made.add_argument("--dir", metavar="FOLDER", help="the folder to run it in (default: this one)")
    made.add_argument(
        "--only", metavar="NAMES", help="checks, groups or patterns, with commas between"
    )
    extent = made.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help="about two minutes (the default)")
    extent.add_argument("--full", action="store_true", help="more tries, moves, games")
    made.add_argument("--list", action="store_true", help="list the checks and run none")
    made.add_argument("--json", metavar="FILE", help="write the report as JSON; - is stdout")
    made.add_argument(
        "--slack", metavar="MS", type=int, default=0, help="added to every bound of time (0)"
    )
    made.add_argument("--force", action="store_true", help="replace the file of --json")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command. Exit status 0: all pass; 1: some fail; 2: cannot run; 130: stopped."""
    command = parser()
    options = command.parse_args(arguments)
    try:
        words = [word for word in (options.only or "").split(",") if word]
        checks = choose(words, options.full)
    except ChoiceError as problem:
        command.error(f"--only: {problem}")
    if options.list:
        print(listed(checks if words else CHECKS))
        return 0
    engine = _engine(command, options)
    with suppress(ValueError):  # not the first thread
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _stop)
    full, slack = options.full, options.slack / 1000
    with Bench(engine, options.dir, full=full, slack=slack) as bench:
        try:
            about = identify(bench)
        except CannotRun as problem:
            command.error(f"{engine[0]} cannot be checked: {problem}")
        outcomes, stopped = _run(bench, checks, quiet=options.json == "-")
    report = Report(engine, about, full, options.slack, outcomes)
    return _tell(report, options.json, stopped)


def _engine(command: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[str, ...]:
    """The words of the brain's command; an error where there are none, or no such folder."""
    if not options.engine:
        command.error("give an ENGINE: a command line such as ./pbrain-mine")
    if options.slack < 0:
        command.error(f"--slack must be 0 or more, not {options.slack}")
    if options.dir is not None and not Path(options.dir).is_dir():
        command.error(f"--dir: there is no folder {options.dir}")
    if options.json not in (None, "-"):
        path = Path(options.json)
        if not path.parent.is_dir():
            command.error(f"--json: there is no folder {path.parent}")
        if path.exists() and not options.force:
            command.error(f"--json: {path} exists; --force replaces it")
    if options.engine in BUILT_INS:
        return tuple(word.format(seed=1) for word in BUILT_INS[options.engine])
    try:
        words = shlex.split(options.engine)
    except ValueError as problem:
        command.error(f"{options.engine!r}: {problem}")
    if not words:
        command.error("ENGINE is empty")
    return tuple(words)


def _stop(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _run(bench: Bench, checks: Sequence[Check], quiet: bool) -> tuple[list[Outcome], bool]:
    """Make the checks, each told as soon as it is done; whether it was stopped."""
    outcomes: list[Outcome] = []
    progress = sys.stderr.isatty()
    group = ""
    try:
        for outcome in run(bench, _announced(checks, progress)):
            outcomes.append(outcome)
            if progress:
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            if not quiet:
                if outcome.check.group != group:
                    group = outcome.check.group
                    print(f"{group}:")
                print(f"  {row(outcome)}", flush=True)
    except KeyboardInterrupt:
        if progress:
            print("\r\x1b[K", end="", file=sys.stderr)
        return [*outcomes, *not_run(checks[len(outcomes) :])], True
    return outcomes, False


class _announced(Sequence[Check]):  # noqa: N801 - a function in all but name
    """The checks; each is named on the terminal when its turn comes."""

    def __init__(self, checks: Sequence[Check], wanted: bool) -> None:
        self._checks, self._wanted = checks, wanted

    def __len__(self) -> int:
        return len(self._checks)

    def __getitem__(self, at: Any) -> Any:
        check = self._checks[at]
        if self._wanted:
            text = f"  {at + 1} of {len(self._checks)}: {check.name}"
            print(text, end="", file=sys.stderr, flush=True)
        return check


def _tell(report: Report, file: str | None, stopped: bool) -> int:
    """Print failures and the summary, write the JSON; the exit status."""
    failed = [outcome for outcome in report.outcomes if outcome.verdict == FAIL]
    if file == "-":
        print(as_json(report), end="")
        print(summary(report), file=sys.stderr)
    else:
        for outcome in failed:
            print(f"\n{failure(outcome)}")
        print(f"\n{summary(report)}")
    if file not in (None, "-"):
        Path(str(file)).write_text(as_json(report), encoding="utf-8")
    if stopped:
        print("shisan protocol-check: stopped", file=sys.stderr)
        return 130
    return 1 if failed else 0
