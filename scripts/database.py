"""shisan database: what is in a database of positions, in and out of it, whether it is sound."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from shisan.engine import Point, Position, Rules
from shisan.protocol.database import Store
from shisan.protocol.databasefiles import (
    Progress,
    export_positions,
    export_text,
    import_text,
    write_text,
)
from shisan.protocol.databaselibraries import export_library, import_library, shown_label
from shisan.protocol.notation import NotationError, point_name, read_points
from shisan.protocol.positionrecords import Record, StoreError, joined

from .arguments import add_position, add_rules, check_target, names_rules, position, rules
from .show import wants_colour

EXAMPLES: Final = """\
examples:
  shisan database import book.db library.lib --rule renju    a RenLib library becomes a database
  shisan database import book.db old.jsonl rapfi.csv         text of ours, or Rapfi's yxdbtotxtall
  shisan database info book.db                               rules, sizes, how many positions
  shisan database query book.db h8i9 --rule renju            what is known, and of each move
  shisan database export book.db book.jsonl                  a line of JSON a record; - is stdout
  shisan database export book.db part.lib --from h8i9        a branch as a RenLib library
  shisan database merge book.db other.db                     the better judgement of each position
  shisan database check book.db                              is the file sound? 1 if it is not
  shisan database fix book.db --rescue saved.db              what can be read of a damaged file

A position is found in all its eight forms. Each rule and size is a board of its own: say which with
--rule and --size where it is not freestyle on 15x15. `docs/database.md` has the formats and tells
how a brain uses the file (INFO usedatabase 1).

Ctrl-C keeps what was written so far, ten thousand records at a time.

exit status: 0 done; 1 the check found faults, a file had lines that are none, or nothing is known
of the position; 2 wrong usage, or a file that cannot be used (it is left as it is); 130 Ctrl-C.
"""

LINE_SECONDS: Final = 10.0
"""How often a line tells of the progress where there is no terminal."""

MAX_FAULTS: Final = 20
"""So many faults are printed; the others are counted."""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan database",
        usage="shisan database info|check|fix|import|export|query|merge DATABASE ...",
        description="Look into a database of positions, fill it, write it out, mend it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = made.add_subparsers(dest="what", required=True, metavar="WHAT", prog="shisan database")

    def part(name: str, text: str) -> argparse.ArgumentParser:
        added = parts.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        added.add_argument("database", metavar="DATABASE", help="the file")
        return added

    info = part("info", "which rules and sizes it holds, and how many positions")
    info.add_argument("--json", action="store_true", help="one JSON object")
    part("check", "read every page and record, and say what is wrong")
    fix = part("fix", "remove records that are none")
    fix.add_argument("--rescue", metavar="FILE", help="copy what can be read into a new database")
    take = part("import", "read texts and RenLib libraries into it; it is made if it is not there")
    take.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a library if it ends in .lib, else text: ours or Rapfi's",
    )
    add_rules(take)
    give = part("export", "write it as text, as a RenLib library or as a list of positions")
    give.add_argument(
        "out",
        metavar="OUT",
        help="FILE.lib: a library; FILE.pos: positions as moves; else text; - is stdout",
    )
    give.add_argument(
        "--from",
        dest="start",
        default="",
        metavar="MOVES",
        help="a library begins after these moves (default: at the empty board)",
    )
    give.add_argument("--force", action="store_true", help="replace OUT if it exists")
    add_rules(give)
    query = part("query", "what is known of a position and of each move in it")
    add_position(query)
    add_rules(query)
    query.add_argument("--json", action="store_true", help="one JSON object")
    merge = part("merge", "read other databases into it; of two records the better one counts")
    merge.add_argument("files", nargs="+", metavar="FILE", help="other databases")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options, rest = command.parse_known_args(arguments)
    if options.what == "query" and not any(word.startswith("-") for word in rest):
        options.position += rest  # moves after options
    elif rest:
        command.error(f"there is no {rest[0]}")
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "info": _info,
        "check": _check,
        "fix": _fix,
        "import": _import,
        "export": _export,
        "query": _query,
        "merge": _merge,
    }
    try:
        return commands[options.what](options)
    except ValueError as problem:
        print(f"shisan database: error: {problem}", file=sys.stderr)
        return 2


def _info(options: argparse.Namespace) -> int:
    with Store(options.database) as store:
        boards = store.boards()
        size = store.path.stat().st_size
        if options.json:
            said: dict[str, Any] = {"positions": len(store), "bytes": size}
            said["boards"] = [
                {"rule": each.name, "width": each.width, "height": each.height, "positions": count}
                for each, count in boards
            ]
            print(json.dumps(said))
            return 0
        print(f"{store.path}: {len(store):,} positions, {size / 1e6:.1f} MB")
        for each, count in boards:
            print(f"  {each.name}, {each.width}x{each.height}: {count:,} positions")
    return 0


def _check(options: argparse.Namespace) -> int:
    with Store(options.database) as store, _progress("records read") as progress:
        faults = store.check(progress)
    _tell([StoreError(f"{store.path}: {fault}") for fault in faults])
    if not faults:
        print(f"{store.path}: no fault")
    return 1 if faults else 0


def _fix(options: argparse.Namespace) -> int:
    if options.rescue is not None:
        check_target("--rescue", options.rescue, False, [options.database])
        with Store(options.database) as store, Store(options.rescue, "create") as target:
            count = store.rescue(target)
        print(f"{count:,} records saved in {options.rescue}; {options.database} is unchanged")
        return 0
    with Store(options.database, "write") as store:
        print(f"{store.path}: {store.fix():,} records removed that were none")
    return 0


def _import(options: argparse.Namespace) -> int:
    wanted, faults = rules(options), list[StoreError]()
    for name in options.files:
        if not Path(name).is_file():
            raise StoreError(f"cannot read {name}: there is no such file")
    with Store(options.database, "create") as store:
        for name in options.files:
            path = Path(name)
            with _progress("records written") as progress:
                if path.suffix.lower() == ".lib":
                    count = import_library(store, path, wanted, progress, faults.append)
                else:
                    count = import_text(store, path, progress, faults.append)
            print(f"{name}: {count:,} records written")
    _tell(faults)
    return 1 if faults else 0


def _export(options: argparse.Namespace) -> int:
    wanted = rules(options) if names_rules(options) or options.size else None
    out = Path(options.out)
    kind = out.suffix.lower()
    check_target("OUT", options.out, options.force, [options.database])
    if options.start and kind != ".lib":
        raise StoreError("--from goes with a library: OUT must end in .lib")
    with Store(options.database) as store:
        start = _start(options) if kind == ".lib" else None
        asked = wanted if start is None else start.rules
        if asked is not None and replace(asked, foul_loses=True) not in dict(store.boards()):
            raise StoreError(f"{store.path} has no positions of {_board(asked)}")
        if options.out == "-":
            write_text(store.entries(wanted), sys.stdout.buffer)
            return 0
        with _progress("records written", len(store)) as progress:
            if start is not None:
                count = export_library(store, out, start, progress)
            else:
                write = export_positions if kind == ".pos" else export_text
                count = write(store, out, wanted, progress)
    print(f"{count:,} positions: {out}")
    return 0


def _start(options: argparse.Namespace) -> Position:
    """The position that a library begins at."""
    start = Position(rules(options))
    try:
        for point in read_points(options.start, start.rules.width, start.rules.height):
            start.play(*point)
    except NotationError as problem:
        raise StoreError(f"--from: {problem}") from None
    return start


def _query(options: argparse.Namespace) -> int:
    asked, _ = position(options)
    with Store(options.database) as store:
        record, children = store.get(asked), store.children(asked)
    if options.json:
        moves = {point_name(*move): _plain(child) for move, child in children.items()}
        print(json.dumps({"record": None if record is None else _plain(record), "moves": moves}))
    else:
        _print(asked.rules, record, children)
    return 0 if record is not None or children else 1


def _plain(record: Record) -> dict[str, Any]:
    """A record as JSON."""
    return {
        "label": record.label,
        "value": record.value,
        "depth": record.depth,
        "bound": record.bound.name.lower(),
        "best": None if record.best is None else point_name(*record.best),
        "text": record.text,
        "marks": {point_name(*point): text for point, text in record.marks},
    }


def _print(wanted: Rules, record: Record | None, children: dict[Point, Record]) -> None:
    """What is known, for people."""
    if record is None and not children:
        print(f"nothing is known of this position under {_board(wanted)}")
        return
    print("the position: " + ("no record" if record is None else _said(record)))
    if record is not None:
        for point, text in record.marks:
            print(f"  text at {point_name(*point)}: {text}")
        if record.text:
            print("  " + record.text.replace("\n", "\n  "))
    for move, child in sorted(children.items(), key=lambda each: each[1].value):
        label = shown_label(child)
        print(f"  {point_name(*move):<4}{label:<5} {_said(child)}")


def _board(wanted: Rules) -> str:
    """A rule and size of which nothing is known, and how to see what a database has."""
    size = f"{wanted.width}x{wanted.height}"
    return f"{wanted.name}, {size}; info tells which rules and sizes there are"


def _said(record: Record) -> str:
    parts = []
    if record.label:
        parts.append(f"label {record.label}")
    if record.bound or record.value:
        parts.append(f"value {record.value} ({record.bound.name.lower()}, depth {record.depth})")
    if record.best is not None:
        parts.append(f"best {point_name(*record.best)}")
    return ", ".join(parts) or "recorded, without a value"


def _merge(options: argparse.Namespace) -> int:
    target = Path(options.database)
    for name in options.files:
        if Path(name).exists() and target.exists() and target.samefile(name):
            raise StoreError(f"{name} is the database itself")
    with Store(options.database, "create") as store:
        for name in options.files:
            with Store(name) as other, _progress("records read", len(other)) as progress:
                count = store.put_all(other.entries(), joined, progress)
                print(f"{name}: {count:,} of {len(other):,} records written")
    return 0


def _tell(faults: Sequence[StoreError]) -> None:
    for fault in faults[:MAX_FAULTS]:
        print(f"shisan database: {fault}", file=sys.stderr)
    if len(faults) > MAX_FAULTS:
        print(f"shisan database: {len(faults) - MAX_FAULTS} more faults", file=sys.stderr)


@contextmanager
def _progress(what: str, total: int | None = None) -> Iterator[Progress]:
    """Tell on stderr how many are done: a bar on a terminal, else a line now and then."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Display

        fancy = sys.stderr.isatty()
    except ImportError:
        fancy = False
    if not fancy:
        yield _Lines(what, total).tell
        return
    console = Console(stderr=True, no_color=not wants_colour(sys.stderr))
    bar = Display(
        SpinnerColumn(),
        *(() if total is None else (BarColumn(),)),
        TextColumn("{task.completed:,.0f} " + what),
        console=console,
        transient=True,
    )
    task = bar.add_task("", total=total)
    with bar:
        yield lambda done: bar.update(task, completed=done)


class _Lines:
    """A line now and then."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what = what if total is None else f"of {total:,} {what}"
        self._next = time.monotonic() + LINE_SECONDS

    def tell(self, done: int) -> None:
        """Say how many are done, if that was long ago."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + LINE_SECONDS
            print(f"{done:,} {self._what}", file=sys.stderr, flush=True)
