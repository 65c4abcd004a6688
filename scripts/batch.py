"""What `shisan analyze FILES` does: a batch of files, with what a person sees of it."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from shisan.engine import Limits
from shisan.protocol.batches import Batch, BatchError, Crew, TakenError, Wish, files_of
from shisan.protocol.workers import LocalWorkers, LostWorkerError

from .arguments import names_rules, rules
from .show import wants_colour
from .signals import stopped_by_signals

INTERRUPTED: Final = 130
LINE_SECONDS: Final = 10.0
"""How often a line tells of the progress where there is no terminal."""


def run(options: argparse.Namespace, limits: Limits, jobs: int) -> int:
    """Run a batch. Returns the exit status: 0, 1 if some items are errors, 2 for a bad command."""
    try:
        return _run(options, limits, jobs)
    except BatchError as problem:
        hint = "; --force replaces it" if isinstance(problem, TakenError) else ""
        print(f"shisan analyze: error: {problem}{hint}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, limits: Limits, jobs: int) -> int:
    out = Path(options.out)
    table = None if options.parquet is None else _table(Path(options.parquet), options.force)
    paths = [Path(name) for name in options.files]
    files = files_of(paths, [out] if table is None else [out, table])
    if not files:
        raise BatchError(f"there are no files of games in {', '.join(options.files)}")
    if out.resolve() in {path.resolve() for path in files}:
        raise BatchError(f"{out} is one of the files to read: give another --out")
    wish = Wish(
        limits,
        options.turns,
        options.lines,
        rules(options) if names_rules(options) else None,
        options.size,
        options.rows,
        options.memory,
        options.times,
    )
    with Batch(out, files, wish, anew=options.force) as batch:
        status = _work(batch, options.cluster, jobs)
    if status != INTERRUPTED and table is not None:
        from shisan.protocol.parquet import write_parquet

        print(f"{write_parquet(out, table)} rows: {table}")
    return status


def _table(path: Path, force: bool) -> Path:
    """The table to write, if that can be done."""
    from shisan.protocol.parquet import load

    load()
    if path.exists() and not force:
        raise BatchError(f"{path} exists: give another --parquet, or --force to replace it")
    return path


def _work(batch: Batch, cluster: str | None, jobs: int) -> int:
    """Do what is missing of a batch. Returns the exit status."""
    if batch.done == batch.total:
        what = "the one item is" if batch.total == 1 else f"all {batch.total} items are"
        print(f"{what} in {batch.path} already; --force does it again")
        return 1 if batch.bad else 0
    crew = _crew(cluster, jobs)
    try:
        with _display(batch) as watch, stopped_by_signals(batch.stop):
            end = batch.run(crew, watch)
    finally:
        crew.end()
    if end == "stopped":
        left = batch.total - batch.done
        print(f"stopped with {left} items to do: the same command goes on", file=sys.stderr)
        return INTERRUPTED
    bad = f", {batch.bad} of them errors" if batch.bad else ""
    print(f"{batch.total} {'item' if batch.total == 1 else 'items'}{bad}: {batch.path}")
    return 1 if batch.bad else 0


def _crew(cluster: str | None, jobs: int) -> Crew:
    if cluster is not None:
        try:
            from .cluster import crew
        except ImportError:
            raise BatchError("--cluster needs Dask: pip install 'shisan[cluster]'") from None
        return crew(cluster)
    workers = LocalWorkers(jobs)
    return Crew(workers, lambda: jobs, (LostWorkerError,), workers.kill)


# --- what a person sees --------------------------------------------------------------------------


class Clock:
    """Estimates the time left of a batch from what this run has done."""

    def __init__(self, batch: Batch, now: float) -> None:
        self._resumed, self._total, self._begun = batch.resumed, batch.total, now

    def left(self, done: int, now: float) -> str:
        """About how long, as text; "" as long as nothing is done."""
        here = done - self._resumed
        if not here:
            return ""
        seconds = round((now - self._begun) / here * (self._total - done))
        hours, rest = divmod(seconds, 3600)
        return f"about {hours}:{rest // 60:02}:{rest % 60:02} left"


@contextmanager
def _display(batch: Batch) -> Iterator[Any]:
    """The view that fits where stderr goes: a bar on a terminal, else lines."""
    if batch.resumed:
        print(f"resuming: {batch.resumed} of {batch.total} items are done", file=sys.stderr)
    if sys.stderr.isatty():
        try:
            bar = Bar(batch)
        except ImportError:
            print("for a progress bar: pip install 'shisan[match]'", file=sys.stderr)
        else:
            with bar.screen:
                yield bar.watch
            return
    yield Lines(batch, sys.stderr).watch


class Lines:
    """A line now and then."""

    def __init__(self, batch: Batch, stream: TextIO) -> None:
        now = time.monotonic()
        self._clock, self._stream, self._next = Clock(batch, now), stream, now + LINE_SECONDS

    def watch(self, batch: Batch) -> None:
        """Tell how far it is, if that was long ago."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + LINE_SECONDS
            left = self._clock.left(batch.done, now)
            print(f"[{batch.done}/{batch.total}] {left}", file=self._stream, flush=True)


class Bar:
    """A bar with an estimate of the time left."""

    def __init__(self, batch: Batch) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, no_color=not wants_colour(sys.stderr))
        self._clock = Clock(batch, time.monotonic())
        self.screen = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f} items"),
            BarColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
        )
        self._task = self.screen.add_task("", total=batch.total, completed=batch.resumed, left="")

    def watch(self, batch: Batch) -> None:
        """Show how far it is."""
        left = self._clock.left(batch.done, time.monotonic())
        self.screen.update(self._task, completed=batch.done, left=left)
