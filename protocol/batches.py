"""Batches: every game of many files is analysed, and the results are one file of JSON lines.

The first line says what was asked for, each other one is a position or what is wrong with an item,
in the order of the files. Lines are only appended, whole and in order: a batch that was killed goes
on after its last whole line, and its file ends up the same, byte for byte, as that of one that was
not, as long as nodes and depth are the only limits.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Literal, NamedTuple

from shisan.engine import Limits, Rules

from . import analysts
from .about import VERSION
from .answers import Body
from .gamefiles import SUFFIXES, read_games
from .games import GameError, GameRecord, Source, first_fault, rule_facts
from .gametrees import Wanted
from .linefile import LineFile, LineFileError, difference, whole_lines
from .notation import Rows
from .queries import Task, task_of

FORMAT: Final = 1
"""Version of the results' format; a file of another one is refused."""

TRIES: Final = 3
"""How many workers a position may cost before it becomes an error."""

WINDOW: Final = 1000
"""How many positions a fast one may be ahead of a slow one that comes before it."""

TICK_SECONDS: Final = 0.25
"""How often watch is called when nothing happens."""

WHAT: Final = "no file of results of a batch"


class BatchError(ValueError):
    """What keeps a batch from beginning or going on, in one line."""


class TakenError(BatchError):
    """The file for the results holds something else."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Which positions of a game: those after first..last of its moves, as far as there are any.

    None: as many as the game has.
    """

    first: int | None = None
    last: int | None = None

    @classmethod
    def read(cls, text: str) -> "Turns":
        """The turns that a text means: last, all, N, N..M, N.. or ..M. Raises ValueError.

        >>> Turns.read("3..9"), Turns.read("last"), Turns.read("all")
        (Turns(first=3, last=9), Turns(first=None, last=None), Turns(first=0, last=None))
        """
        if text in ("last", "all"):
            return cls(0 if text == "all" else None, None)
        found = re.fullmatch(r"([0-9]{1,4})?(\.\.)?([0-9]{1,4})?", text)
        first, dots, last = found.groups() if found else (None, None, None)
        low = int(first or 0)
        high = int(last) if last else None if dots else low
        if not (first or last) or (high is not None and high < low):
            raise ValueError(f"turns must be last, all, N or N..M, not {text!r}")
        return cls(low, high)

    def of(self, plies: int) -> range:
        """The turns of a game of so many moves."""
        last = plies if self.last is None else min(self.last, plies)
        return range(last if self.first is None else self.first, last + 1)

    def __str__(self) -> str:
        if self.first is None:
            return "last"
        if self.last is None:
            return f"{self.first}.." if self.first else "all"
        return str(self.first) if self.first == self.last else f"{self.first}..{self.last}"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a batch.

    rules, size, rows: None: what each file says, else freestyle, 15x15 and the format's usual rows.
    memory: bytes for each worker; None: the engine's default. times: whether records say time_ms,
    which are never the same twice.
    """

    limits: Limits
    turns: Turns = Turns()
    lines: int = 1
    rules: Rules | None = None
    size: tuple[int, int] | None = None
    rows: Rows | None = None
    memory: int | None = None
    times: bool = False


class Item(NamedTuple):
    """One line of the results: a position to analyse, or what is wrong. number: from 1."""

    number: int
    place: Body
    task: Task | None
    problem: Body | None = None


def files_of(paths: Sequence[Path], leave: Sequence[Path] = ()) -> list[Path]:
    """The files named, and for folders all files in them whose names are those of game files.

    In the order given, those of a folder sorted. leave: files to leave out of folders.
    """
    unwanted = {path.resolve() for path in leave}
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = (each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES)
        found += sorted(
            each for each in inside if each.is_file() and each.resolve() not in unwanted
        )
    return found


def items(files: Sequence[Path], wish: Wish) -> Iterator[Item]:
    """Everything that the results have a line for, in their order."""
    number = 0
    wanted = Wanted(rules=wish.rules, size=wish.size, rows=wish.rows)
    for path in files:
        for found in read_games(path, wanted, name=path.as_posix()):
            for item in _of_game(found, wish):
                number += 1
                yield item._replace(number=number)


def _of_game(found: GameRecord | GameError, wish: Wish) -> Iterator[Item]:
    if isinstance(found, GameError):
        yield _bad(found.source, found.problem, found.field, found.value)
        return
    rules = wish.rules or found.rules
    if rules is None:
        rules = Rules.freestyle()
        fault = first_fault(found, rules)
        if fault is not None:
            field = "set-up" if fault.ply < 0 else f"move {fault.ply + 1}"
            yield _bad(found.source, fault.problem, field)
            return
    plies = len(found.moves)
    turns = wish.turns.of(plies)
    if not turns:
        problem = f"there is no turn {wish.turns}, only 0..{plies}"
        yield _bad(found.source, problem, "turns", str(wish.turns))
    place = _place(found.source, found.title)
    for turn in turns:
        rows = wish.rows or "top"
        task = task_of(found, rules, wish.limits, turn, lines=wish.lines, rows=rows)
        yield Item(0, place, task)


def _bad(source: Source, problem: str, field: str, value: str = "") -> Item:
    body: Body = {"error": problem, "field": field or None}
    if value:
        body["given"] = value
    return Item(0, _place(source, source.name), None, body)


def _place(source: Source, name: str) -> Body:
    place: Body = {"file": source.file, "game": source.number}
    if source.line is not None:
        place["line"] = source.line
    if source.offset is not None:
        place["byte"] = source.offset
    if name:
        place["name"] = name
    return place


# --- what a batch is -----------------------------------------------------------------------------


def header_of(files: Sequence[Path], wish: Wish) -> Body:
    """The first line of the results: two batches are one if theirs are the same.

    Reads every file twice: for its hash, and to count what is in it.
    """
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.as_posix()}\0".encode("utf-8", "surrogateescape"))
        try:
            with path.open("rb") as file:
                content = hashlib.sha256()
                while chunk := file.read(1 << 20):
                    content.update(chunk)
                digest.update(content.digest())
        except OSError:
            digest.update(b"cannot be read")
    limits = asdict(wish.limits)
    return {
        "shisan_batch": FORMAT,
        "version": VERSION,
        "rule": None if wish.rules is None else rule_facts(wish.rules),
        "size": None if wish.size is None else [*wish.size],
        "rows": wish.rows,
        "turns": str(wish.turns),
        "lines": wish.lines,
        "nodes": limits["nodes"],
        "depth": limits["depth"],
        "time_ms": limits["turn_ms"],
        "memory": wish.memory,
        "times": wish.times,
        "files": len(files),
        "items": sum(1 for _ in items(files, wish)),
        "sha256": digest.hexdigest(),
    }


def read_results(path: Path) -> Iterator[Body]:
    """The lines of a file of results, the first one too. Raises BatchError."""
    try:
        for number, line in whole_lines(path):
            try:
                found = json.loads(line)
                if not isinstance(found, dict) or (number == 1) != ("shisan_batch" in found):
                    raise ValueError(WHAT)
            except ValueError:
                where = f"{path} is {WHAT}" if number == 1 else f"{path}, line {number} is damaged"
                raise BatchError(where) from None
            yield found
    except LineFileError as problem:
        raise BatchError(str(problem)) from None


@dataclass
class Crew:
    """Workers, and how to use them.

    executor: any. width: how many positions they can take at once, now. lost: what the task of a
    dead worker raises. end: ends all of them at once; may be called again.
    """

    executor: Executor
    width: Callable[[], int]
    lost: tuple[type[BaseException], ...]
    end: Callable[[], None]


Watch = Callable[["Batch"], None]
End = Literal["all done", "stopped"]


class Batch:
    """A batch and the file of its results. A context manager.

    anew: begin again, whatever the file holds. total: items. done: how many of them the file has;
    resumed: how many it had at the beginning. bad: how many of those that it has are errors.
    Raises BatchError.
    """

    def __init__(self, path: Path, files: Sequence[Path], wish: Wish, *, anew: bool) -> None:
        self.path = path
        self._files, self._wish = files, wish
        self._header = header_of(files, wish)
        self.total: int = self._header["items"]
        self.bad = 0
        self._stopped = False
        self._inbox: SimpleQueue[Future[Body]] = SimpleQueue()
        self._flying: dict[Future[Body], tuple[Item, int]] = {}
        self._again: list[tuple[Item, int]] = []
        self._ready: dict[int, Body] = {}
        first = json.dumps(self._header, separators=(",", ":"))
        try:
            self._file = LineFile(path, first, self._check, WHAT, anew=anew)
        except LineFileError as problem:
            kind = TakenError if str(problem).endswith(WHAT) else BatchError
            raise kind(str(problem)) from None
        try:
            self.done = self.resumed = self._count()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Force the results to the disk and let others write."""
        self._file.close()

    def stop(self) -> None:
        """Let run() return soon. From a signal handler or thread."""
        self._stopped = True

    def run(self, crew: Crew, watch: Watch | None = None) -> End:
        """Analyse what is missing. watch: is called with each result, and now and then.

        Raises BatchError when there are no workers any more.
        """
        coming = (item for item in items(self._files, self._wish) if item.number > self.done)
        while not self._stopped:
            more = self._hand_out(coming, crew)
            self._write()
            if not more and not self._flying:
                return "all done"
            self._receive(crew.lost)
            self._write()
            if watch is not None:
                watch(self)
        return "stopped"

    def _hand_out(self, coming: Iterator[Item], crew: Crew) -> bool:
        """Give the workers what they can take: one position each, and one to go on with.

        Returns whether there is more.
        """
        while len(self._flying) < 2 * crew.width() and len(self._ready) < WINDOW:
            item, tries = self._again.pop() if self._again else (next(coming, None), 0)
            if item is None:
                return False
            if item.task is None:
                self._ready[item.number] = self._record(item, item.problem or {})
                continue
            try:
                future = crew.executor.submit(analysts.analyse_alone, item.task, self._wish.memory)
            except RuntimeError as problem:
                raise BatchError(f"the workers are gone: {problem}") from None
            self._flying[future] = item, tries
            future.add_done_callback(self._inbox.put)
        return True

    def _receive(self, lost: tuple[type[BaseException], ...]) -> None:
        """Take one result; what is lost with its worker will be done again."""
        try:
            future = self._inbox.get(timeout=TICK_SECONDS if self._flying else 0)
        except Empty:
            return
        item, tries = self._flying.pop(future)
        gone: tuple[type[BaseException], ...] = (*lost, CancelledError)
        try:
            body = future.result()
        except gone as problem:
            if tries + 1 < TRIES:
                self._again.append((item, tries + 1))
                return
            body = {"error": f"given up after {TRIES} tries: {problem}", "field": None}
        self._ready[item.number] = self._record(item, body)

    def _record(self, item: Item, body: Body) -> Body:
        record = {"item": item.number, **item.place, **body}
        record.pop("during", None)
        if not self._wish.times:
            record.pop("time_ms", None)
        return record

    def _write(self) -> None:
        """Append what comes next, as far as it is ready."""
        while (record := self._ready.pop(self.done + 1, None)) is not None:
            self._file.add(json.dumps(record, separators=(",", ":")))
            self.done += 1
            self.bad += "error" in record

    def _check(self, first: bytes) -> None:
        """Refuse the results of another batch."""
        try:
            there = json.loads(first)
            known = isinstance(there, dict) and there.get("shisan_batch") == FORMAT
        except ValueError:
            known = False
        if not known:
            raise TakenError(f"{self.path} is {WHAT}")
        other = difference("", self._header, there)
        if other:
            raise TakenError(f"{self.path} has the results of another batch: {other}")

    def _count(self) -> int:
        """How many items the file has, all of them in order. Raises BatchError."""
        done = 0
        for record in read_results(self.path):
            if "shisan_batch" in record:
                continue
            done += 1
            self.bad += "error" in record
            if record.get("item") != done:
                raise BatchError(f"{self.path}, line {done + 1} is not item {done}")
        return done
