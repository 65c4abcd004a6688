"""shisan solve: is a position won? With a proof that anybody can check."""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from shisan.engine import (
    METHODS,
    SOLVE_MEMORY,
    Colour,
    Position,
    Solution,
    SolveProgress,
    Solver,
)
from shisan.protocol.conditions import ConditionError, span
from shisan.protocol.notation import points_text
from shisan.protocol.proofs import proof_text

from .arguments import InputError, add_position, add_rules, check_target, position, positions
from .show import wants_colour

EXAMPLES = """\
examples:
  shisan solve h8i7h7i8h9i10              who is to move wins? a minute at most
  shisan solve --rule renju game.psq --time 10 --method vcf
  shisan solve --black 'e5 f5 g5' --white 'd5 e6' --side black --proof win.json
  shisan check win.json                   every legal reply, by the plain rules
  shisan solve h8i7h7i8h9i10 --shortest   look on until no win is shorter
  shisan solve --file puzzles.jsonl --time 10 --json --proof proofs/ > answers.jsonl

methods: vcf plays nothing but fours, and decides whether they win; vct fours and threats of fours;
dfpn anything: it also proves that there is no win, where it comes to an end. auto: one after the
other. A win comes with a proof that a checker of its own has accepted.

--file takes every format that shisan show does: a line of moves (h8i9h10) or a JSON object a
position, or games, of which the last positions are solved. A file's own rules hold unless options
say others.

Ctrl-C ends the search and prints what is known.

exit status: 0 every position is won; 1 one is refuted; 3 one is undecided; 2 wrong usage, or
something in a file that is no position (the others are solved all the same). The highest of 2, 3, 1
counts.
"""

WON: Final = 0
REFUTED: Final = 1
FAULT: Final = 2
UNDECIDED: Final = 3
_ORDER: Final = (WON, REFUTED, UNDECIDED, FAULT)

WHY: Final = {
    "time": "the time is up (--time)",
    "nodes": "the nodes are spent (--nodes)",
    "memory": "the table is too small (--memory)",
    "stopped": "stopped",
    "threats": "no win by threats was found; others were not tried",
    "length": "no win by fours within 120 moves; longer ones were not tried",
    "check": "a proof was found but not accepted: please report this position",
}
"""What Solution.reason means to a person."""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan solve",
        usage="shisan solve [MOVES | FILE.psq | - | --file FILE] [options]",
        description="Prove that the side to move wins, or that it cannot.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_position(made)
    add_rules(made)
    group = made.add_argument_group("solving")
    group.add_argument("--file", metavar="FILE", help="all positions of a file; - is stdin")
    group.add_argument("--method", choices=METHODS, default="auto", help="(auto)")
    group.add_argument(
        "--attacker", choices=("black", "white"), help="who is to win (the side to move)"
    )
    group.add_argument(
        "--time",
        type=_seconds,
        default=60.0,
        metavar="TIME",
        help="a position: 10s, 500ms, 2m or seconds; 0: no limit (60s)",
    )
    group.add_argument("--nodes", type=int, metavar="N", help="positions and fours to try at most")
    group.add_argument(
        "--memory",
        type=int,
        default=SOLVE_MEMORY >> 20,
        metavar="MIB",
        help=f"of tables, 16 or more ({SOLVE_MEMORY >> 20})",
    )
    group.add_argument(
        "--shortest", action="store_true", help="look on until no win is shorter, or a limit"
    )
    group.add_argument(
        "--proof",
        metavar="FILE",
        help="write the proof; with --file a folder, which gets NUMBER.json for each position won",
    )
    group.add_argument("--force", action="store_true", help="overwrite proofs that are there")
    group.add_argument("--json", action="store_true", help="one JSON object a position")
    return made


def _seconds(text: str) -> float:
    """A time with its unit, or seconds."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return span(text) / 1000
    except ConditionError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    if not 0 <= options.time < float("inf"):
        command.error(f"--time must be 0 or more, not {options.time:g}")
    try:
        work = _Work(options, Solver(options.memory << 20))
        entries = _entries(options)
        named = options.file is not None
        targets = _Targets(options.proof, named, options.force, options.position)
    except ValueError as error:
        command.error(str(error))
    status = WON
    with _interrupts(work), _progress(work, None if options.file is None else len(entries)) as show:
        for entry in entries:
            if work.stopped:
                status = max(status, UNDECIDED, key=_ORDER.index)
                break
            status = max(status, work.do(entry, targets, show), key=_ORDER.index)
    return status


class Entry(NamedTuple):
    """A position to solve. number: which one of the file, from 1; name: what the file calls it.

    position: or what is wrong with it.
    """

    number: int
    name: str
    position: Position | ValueError


def _entries(options: argparse.Namespace) -> list[Entry]:
    """The positions to solve. Raises ValueError."""
    if options.file is None:
        if not options.position and options.black is options.white is None:
            raise InputError("give a position: moves, a file, - or stones by colour")
        return [Entry(1, "1", position(options)[0])]
    if options.position:
        raise InputError("give a position or --file, not both")
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {options.file}: {error.strerror}") from None
    found = enumerate(positions(options, data, options.file), 1)
    return [Entry(n, game.source.name or str(n), place) for n, (game, place) in found]


@dataclass(frozen=True)
class _Targets:
    """Where proofs are written. folder: to one each, else to one file. Raises InputError."""

    path: str | None
    folder: bool
    force: bool
    sources: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.path is None:
            return
        if not self.folder:
            check_target("--proof", self.path, self.force, self.sources)
        elif Path(self.path).exists() and not Path(self.path).is_dir():
            raise InputError(f"--proof: with --file a folder is needed, and {self.path} is none")

    def of(self, entry: Entry) -> str | None:
        """Return where a position's proof goes; None: it is not wanted. Raises InputError."""
        if self.path is None or not self.folder:
            return self.path
        target = str(Path(self.path) / f"{entry.number}.json")
        self._free(target)
        return target

    def write(self, target: str | None, solution: Solution) -> str | None:
        """Write a proof and return where; None: there is none. Raises OSError."""
        if target is None or solution.proof is None:
            return None
        if self.folder:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
        text = proof_text(solution.proof)
        with Path(target).open("w" if self.force else "x", encoding="ascii") as file:
            file.write(text)
        return target

    def _free(self, target: str | None) -> None:
        if target is not None and not self.force and Path(target).exists():
            raise InputError(f"{target} is there: --force overwrites it")


Show = Callable[[Entry, SolveProgress | None], None]
"""Told of what a solver is doing; None: with this entry it is done."""


class _Work:
    """Solves and prints."""

    def __init__(self, options: argparse.Namespace, solver: Solver) -> None:
        self._options = options
        self._solver = solver
        self._source = "stdin" if options.file == "-" else options.file
        self.stopped = False
        self.out: Callable[[str], None] = lambda text: print(text, flush=True)
        self.err: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the search under way, and begin no other."""
        self.stopped = True
        self._solver.stop()

    def do(self, entry: Entry, targets: _Targets, show: Show) -> int:
        """Solve one position and print what came of it; return its part of the exit status."""
        try:
            if isinstance(entry.position, ValueError):
                raise entry.position
            target = targets.of(entry)
            solution = self._solve(entry, entry.position, show)
        except ValueError as error:
            self._fault(entry, error)
            show(entry, None)
            return FAULT
        show(entry, None)
        path, problem = None, None
        try:
            path = targets.write(target, solution)
        except OSError as error:
            problem = f"cannot write {target}: {error.strerror}"
        if self._options.json:
            self.out(json.dumps(_record(entry, solution, path)))
        else:
            place = "" if self._source is None else f"{entry.name}: "
            self.out(place + _text(solution, path))
        if problem is not None:
            self.err(f"shisan solve: error: {problem}")
            return FAULT
        return {"won": WON, "refuted": REFUTED}.get(solution.status, UNDECIDED)

    def _solve(self, entry: Entry, where: Position, show: Show) -> Solution:
        options = self._options
        attacker = None if options.attacker is None else Colour[options.attacker.upper()]
        return self._solver.solve(
            where,
            options.method,
            attacker=attacker,
            time_ms=round(options.time * 1000) or None,
            nodes=options.nodes,
            shortest=options.shortest,
            on_progress=lambda progress: show(entry, progress),
        )

    def _fault(self, entry: Entry, error: Exception) -> None:
        if self._options.json and self._source is not None:
            record = {"id": entry.name, "number": entry.number, "error": str(error)}
            self.out(json.dumps(record))
        self.err(f"shisan solve: error: {error}")


def _record(entry: Entry, solution: Solution, path: str | None) -> dict[str, Any]:
    """A solution for programs."""
    return {
        "id": entry.name,
        "number": entry.number,
        "status": solution.status,
        "method": solution.method,
        "reason": solution.reason,
        "plies": solution.plies,
        "shortest": solution.shortest,
        "line": points_text(solution.line),
        "nodes": solution.nodes,
        "time_ms": solution.time_ms,
        "proof": path,
    }


def _text(solution: Solution, path: str | None) -> str:
    """A solution for people."""
    spent = f"{solution.nodes:,} nodes, {solution.time_ms / 1000:.1f} s"
    if solution.status == "won":
        proof = solution.proof
        assert proof is not None
        how = {"fours": "by fours ", "threats": "by fours and threats "}.get(proof.kind, "")
        least = "" if not solution.shortest else " (none is shorter)"
        if solution.shortest and proof.kind == "fours":
            least = " (no win by fours is shorter)"
        return (
            f"{proof.attacker.name.capitalize()} wins {how}in {solution.plies} plies{least}:"
            f" {points_text(solution.line)} ({spent})" + (f"; proof: {path}" if path else "")
        )
    if solution.status == "refuted":
        what = "no win by continuous fours" if solution.method == "vcf" else "no win"
        return f"refuted: there is {what} ({spent})"
    assert solution.reason is not None
    return f"undecided by {solution.method}: {WHY[solution.reason]} ({spent})"


@contextmanager
def _interrupts(work: _Work) -> Iterator[None]:
    """Let Ctrl-C end the search; a second one ends the command."""

    def handle(number: int, frame: FrameType | None) -> None:
        if work.stopped:
            raise KeyboardInterrupt
        work.stop()

    try:
        before = signal.signal(signal.SIGINT, handle)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(work: _Work, total: int | None) -> Iterator[Show]:
    """Show on a terminal what is going on; total: of several positions."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
    except ImportError:
        yield lambda entry, progress: None
        return
    if not sys.stderr.isatty():
        yield lambda entry, progress: None
        return
    console = Console(stderr=True, no_color=not wants_colour(sys.stderr))
    several = (
        () if total is None else (BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f}"))
    )
    bar = Progress(
        SpinnerColumn(),
        *several,
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task("", total=total)

    def show(entry: Entry, progress: SolveProgress | None) -> None:
        if progress is None:
            bar.update(task, advance=1 if total is not None else 0)
            return
        seconds = max(progress.time_ms, 1) / 1000
        text = f"{progress.method}: {progress.nodes:,} nodes, {progress.nodes / seconds:,.0f} a s"
        if progress.proof is not None:
            text += f"; to prove {progress.proof:,}, to disprove {progress.disproof:,}"
        if total is not None:
            text = f"{entry.name}: {text}"
        bar.update(task, description=f"{text}; {seconds:.0f} s")

    said = work.out, work.err
    if sys.stdout.isatty():  # above the bar
        work.out = work.err = lambda text: bar.console.print(text, markup=False, highlight=False)
    with bar:
        yield show
    work.out, work.err = said
