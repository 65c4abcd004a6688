"""A database of positions in one SQLite file: what is known of each, whichever way it is turned.

`docs/database.md` describes the file. A record is found again from every symmetric form of its
position, under the same rule and size. Whatever is done is done whole or not at all: a process
that is killed leaves the last state that was complete. A file that is damaged, locked, of another
version or another program's is never changed, and a StoreError says which it is.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from shisan.engine import Point, Position, Rules

from .positionkeys import Keys, Place, PlacementError, Setup, keys_for
from .positionrecords import NOTHING, Bound, Record, StoreError, clean

APPLICATION: Final = int.from_bytes(b"ShDB", "big")
"""SQLite's application_id of our files."""

VERSION: Final = 1
"""SQLite's user_version of our files; another number means another layout."""

WAIT_MS: Final = 50
"""How long a search's look-up or record waits for another process that holds the file."""

PATIENT_MS: Final = 5000
"""How long a person's command waits for it."""

BATCH: Final = 10_000
"""Records of one transaction where many are written."""

Mode = Literal["read", "write", "create"]
"""How a file is opened; create: written, and made where there is none."""

_SQLITE_MODES: Final = {"read": "ro", "write": "rw", "create": "rwc"}
_MAGIC: Final = b"SQLite format 3\0"

_BOARDS: Final = """\
CREATE TABLE boards (
    id INTEGER PRIMARY KEY,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    black_exact INTEGER NOT NULL,
    white_exact INTEGER NOT NULL,
    closed_five INTEGER NOT NULL,
    forbidden INTEGER NOT NULL,
    UNIQUE (width, height, black_exact, white_exact, closed_five, forbidden)
)"""
_POSITIONS: Final = """\
CREATE TABLE positions (
    board INTEGER NOT NULL REFERENCES boards (id),
    key BLOB NOT NULL,
    label TEXT NOT NULL,
    value INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    bound INTEGER NOT NULL,
    best INTEGER,
    text TEXT NOT NULL,
    marks TEXT NOT NULL,
    PRIMARY KEY (board, key)
) WITHOUT ROWID"""

_UNTURNED: Final = Place(b"", (0,))
_FIELDS: Final = "label, value, depth, bound, best, text, marks"
_PUT: Final = f"INSERT OR REPLACE INTO positions (board, key, {_FIELDS}) VALUES (?,?,?,?,?,?,?,?,?)"
_GET: Final = f"SELECT {_FIELDS} FROM positions WHERE board = ? AND key = ?"
_FACTS: Final = ("black_exact", "white_exact", "closed_five", "forbidden")


class Entry(NamedTuple):
    """A record with its position, in the form that its key has."""

    rules: Rules
    setup: Setup
    record: Record


class _Board(NamedTuple):
    id: int
    keys: Keys


class Store:
    """An open database. A context manager. To be used by the thread that opened it.

    path: the file. mode: read it, write to it, or create it if there is none. wait_ms: how long
    to wait for another process that holds it, each time. Raises StoreError here and everywhere.
    """

    def __init__(self, path: Path | str, mode: Mode = "read", wait_ms: int = PATIENT_MS) -> None:
        self.path = Path(path)
        self.mode = mode
        self._boards: dict[tuple[int, ...], _Board] = {}
        self._depth = 0  # of transactions
        new = _look(self.path, mode)
        with self._told():
            self._db = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={_SQLITE_MODES[mode]}",
                uri=True,
                timeout=wait_ms / 1000,
                isolation_level=None,
            )
        try:
            with self._told():
                self._db.execute("PRAGMA trusted_schema = OFF")
                if new:
                    self._create()
                self._identify()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was not committed is undone."""
        self._db.close()

    def wait(self, wait_ms: int) -> None:
        """Wait so long for another process that holds the file, from now on."""
        with self._told():
            self._db.execute(f"PRAGMA busy_timeout = {wait_ms}")

    # -- one position ----------------------------------------------------------------------------

    def get(self, position: Position) -> Record | None:
        """What is known of a position; None: it is not in the database."""
        return self.get_at(position.rules, _setup(position))

    def get_at(self, rules: Rules, setup: Setup) -> Record | None:
        """Do as get does, for stones in place of a position."""
        board = self._board(rules)
        return None if board is None else self._get(board, setup)

    def children(self, position: Position) -> dict[Point, Record]:
        """The records of the positions one move on, by the move, in order of rows and columns.

        Moves need not be legal, only on empty points; equal moves share a record.
        """
        point = keys_for(position.rules.width, position.rules.height).point
        found = self.children_at(position.rules, _setup(position))
        return {point(cell): record for cell, (_, record) in found.items()}

    def children_at(self, rules: Rules, setup: Setup) -> dict[int, tuple[bytes, Record]]:
        """The keys and records of the positions one move on, by the cell of the move, ascending."""
        board = self._board(rules)
        if board is None:
            return {}
        children = dict(board.keys.children(setup))
        asked = set(children.values())
        sql = f"SELECT key, {_FIELDS} FROM positions WHERE board = ? AND key IN ({_marks(asked)})"
        with self._told():
            rows = {row[0]: row[1:] for row in self._db.execute(sql, (board.id, *asked))}
        found = {}
        for cell, key in children.items():
            if key in rows:
                row = rows[key]
                place = (
                    _UNTURNED if _plain(row) else board.keys.place(board.keys.child(setup, cell))
                )
                found[cell] = key, self._seen(board.keys, place, row)
        return found

    def put(self, position: Position, record: Record) -> None:
        """Write a record in place of the one there is."""
        with self.transaction():
            board = self._board_made(position.rules)
            self._put(board, _setup(position), record)

    def mark(self, position: Position, point: Point, text: str) -> None:
        """Write a text on a point of a position, in place of the one there is; "" removes it."""
        with self.transaction():
            board = self._board_made(position.rules)
            setup = _setup(position)
            place = board.keys.place(setup)
            old = self._get(board, setup) or NOTHING
            cell = board.keys.cell(point)
            same = {board.keys.point(each) for each in board.keys.alike(place, cell)}
            marks = tuple(mark for mark in old.marks if mark[0] not in same)
            if text:
                marks += ((point, text),)
            self._put(board, setup, replace(old, marks=marks))

    def delete(self, position: Position) -> bool:
        """Remove a position's record. False: there was none."""
        return self.delete_at(position.rules, _setup(position))

    def delete_at(self, rules: Rules, setup: Setup) -> bool:
        """Do as delete does, for stones in place of a position."""
        board = self._board(rules)
        if board is None:
            return False
        key = board.keys.place(setup).key
        with self._told():
            sql = "DELETE FROM positions WHERE board = ? AND key = ?"
            return self._db.execute(sql, (board.id, key)).rowcount > 0

    # -- many ------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside, or with an exception none of them. May be nested: one transaction."""
        if self._depth:
            yield
            return
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
        self._depth = 1
        try:
            yield
            with self._told():
                self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self._boards.clear()  # those that were made are gone
            raise
        finally:
            self._depth = 0

    def put_all(
        self,
        entries: Iterable[Entry],
        join: Callable[[Record, Record], Record] | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> int:
        """Write many records, a transaction each BATCH of them. Returns how many were written.

        join: is given the record there is and the new one, and returns what is to be kept; None:
        the new one. progress: told how many are done.
        """
        done = 0
        batch: list[Entry] = []
        for entry in entries:
            batch.append(entry)
            if len(batch) == BATCH:
                done += self._put_batch(batch, join)
                progress(done)
                batch = []
        return done + self._put_batch(batch, join)

    def entries(self, rules: Rules | None = None) -> Iterator[Entry]:
        """All records by board and key; rules: only those of its rule and size.

        The file must not be written to before the iterator has come to its end.
        """
        sql = f"SELECT board, key, {_FIELDS} FROM positions"
        known = {board_id: board_rules for board_id, board_rules, _ in self._all_boards()}
        asked: tuple[int, ...] = ()
        if rules is not None:
            board = self._board(rules)
            if board is None:
                return
            sql, asked = f"{sql} WHERE board = ?", (board.id,)
        with self._told():
            for row in self._db.execute(f"{sql} ORDER BY board, key", asked):
                yield self._entry(known, row)

    def branch(self, position: Position) -> Iterator[Entry]:
        """The record of a position, and those that can be reached from it through others.

        Each once. The position itself need not have one.
        """
        rules, keys = position.rules, keys_for(position.rules.width, position.rules.height)
        waiting = [_setup(position)]
        here = self.get(position)
        if here is not None:
            yield Entry(rules, waiting[0], here)
        seen = {keys.place(waiting[0]).key}
        while waiting:
            setup = waiting.pop()
            for cell, (key, record) in self.children_at(rules, setup).items():
                if key not in seen:
                    seen.add(key)
                    waiting.append(keys.child(setup, cell))
                    yield Entry(rules, waiting[-1], record)

    def boards(self) -> list[tuple[Rules, int]]:
        """The rules and sizes there are, with how many records each has."""
        return [(rules, count) for _, rules, count in self._all_boards()]

    def __len__(self) -> int:
        with self._told():
            return int(self._db.execute("SELECT count(*) FROM positions").fetchone()[0])

    # -- health ----------------------------------------------------------------------------------

    def check(self, progress: Callable[[int], None] = lambda done: None) -> list[str]:
        """What is wrong with the file, up to 100 faults; empty: nothing.

        SQLite's own check of every page comes first, then every record is read: its fields in
        range, its key the one that its position has.
        """
        damage = self._damage(100)
        if damage:
            return [f"damaged: {each}" for each in damage]
        faults = [fault for fault, _, _ in self._faults(progress)]
        return faults[:100]

    def fix(self) -> int:
        """Remove records that are none; the rest stays. Returns how many.

        Raises StoreError for a file whose pages are damaged: it is left as it is; see rescue.
        """
        damage = self._damage(1)
        if damage:
            raise StoreError(
                f"{self.path} is damaged ({damage[0]}): it is left as it is; what can still be read"
                " goes into another file with shisan database fix --rescue"
            )
        bad = [(board, key) for _, board, key in self._faults(lambda done: None)]
        with self.transaction(), self._told():
            self._db.executemany("DELETE FROM positions WHERE board = ? AND key IS ?", bad)
        return len(bad)

    def rescue(self, target: "Store") -> int:
        """Copy what can be read of a damaged file into another. Returns how many records.

        Reads from the first record on and from the last one back, up to the damaged page.
        """
        known = {board_id: rules for board_id, rules, _ in self._all_boards(count=False)}
        for order in ("ASC", "DESC"):
            sql = f"SELECT board, key, {_FIELDS} FROM positions ORDER BY board {order}, key {order}"
            batch: list[Entry] = []
            try:
                for row in self._db.execute(sql):
                    try:
                        batch.append(self._entry(known, row))
                    except (StoreError, PlacementError):
                        continue
            except sqlite3.DatabaseError:
                pass
            target.put_all(batch)
        return len(target)

    def _damage(self, most: int) -> list[str]:
        """What SQLite finds wrong with the pages of the file."""
        try:
            rows = self._db.execute(f"PRAGMA integrity_check({most})").fetchall()
        except sqlite3.OperationalError as problem:
            raise StoreError(_explained(self.path, str(problem))) from None
        except sqlite3.DatabaseError as problem:
            return [str(problem)]
        found = [line for row in rows for line in str(row[0]).splitlines()]
        return [] if found == ["ok"] else found

    def _faults(self, progress: Callable[[int], None]) -> Iterator[tuple[str, int, Any]]:
        """Records that are none: what is wrong, board and key."""
        known = {board_id: rules for board_id, rules, _ in self._all_boards()}
        sql = f"SELECT board, key, {_FIELDS} FROM positions ORDER BY board, key"
        with self._told():
            for count, row in enumerate(self._db.execute(sql), 1):
                if count % BATCH == 0:
                    progress(count)
                board, key = row[:2]
                where = f"board {board}, key {key.hex() if isinstance(key, bytes) else key!r}"
                try:
                    entry = self._entry(known, row)
                    keys = keys_for(entry.rules.width, entry.rules.height)
                    if not keys.is_canonical(key):
                        yield f"{where}: not the form of its position that keys have", board, key
                except (StoreError, PlacementError, ValueError, TypeError) as fault:
                    yield f"{where}: {fault}", board, key

    # -- inside ----------------------------------------------------------------------------------

    def _create(self) -> None:
        """Lay a new file out; whole or not at all."""
        db = self._db
        db.execute("BEGIN EXCLUSIVE")
        if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            db.execute(_BOARDS)
            db.execute(_POSITIONS)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")

    def _identify(self) -> None:
        """Make sure that the file is ours, of this version, and complete."""
        owner = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if owner != APPLICATION:
            raise StoreError(
                f"{self.path} is another program's SQLite file (application id {owner:#x}):"
                " give another file"
            )
        if version != VERSION:
            raise StoreError(
                f"{self.path} has version {version} of the database format, and this Shisan knows"
                f" only {VERSION}: export it as text with the Shisan that wrote it"
            )
        found = self._db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        tables = {name: sql for kind, name, sql in found if kind == "table"}
        if (tables.get("boards"), tables.get("positions")) != (_BOARDS, _POSITIONS):
            raise StoreError(f"{self.path} lacks the tables of a Shisan database: it is damaged")
        strange = [name for kind, name, _ in found if kind in ("trigger", "view")]
        if strange:  # what a file does by itself is nobody's wish
            raise StoreError(f"{self.path} holds {strange[0]!r}, which no Shisan made: not used")

    def _all_boards(self, count: bool = True) -> list[tuple[int, Rules, int]]:
        number = "(SELECT count(*) FROM positions WHERE board = id)" if count else "0"
        sql = f"SELECT id, width, height, {', '.join(_FACTS)}, {number} FROM boards ORDER BY id"
        found = []
        with self._told():
            for at, width, height, *facts, held in self._db.execute(sql):
                named = dict(zip(_FACTS, map(bool, facts), strict=True))
                try:
                    found.append((at, Rules(width, height, **named), held))
                except ValueError as problem:
                    raise StoreError(f"{self.path} is damaged: board {at}: {problem}") from None
        return found

    def _board(self, rules: Rules) -> _Board | None:
        """The board of a rule and size; None: the file has none."""
        facts = _facts(rules)
        known = self._boards.get(facts)
        if known is None:
            where = " AND ".join(f"{name} = ?" for name in ("width", "height", *_FACTS))
            with self._told():
                row = self._db.execute(f"SELECT id FROM boards WHERE {where}", facts).fetchone()
            if row is None:
                return None
            known = self._boards[facts] = _Board(row[0], keys_for(rules.width, rules.height))
        return known

    def _board_made(self, rules: Rules) -> _Board:
        """The board of a rule and size, which is made if the file has none."""
        known = self._board(rules)
        if known is None:
            sql = f"INSERT INTO boards (width, height, {', '.join(_FACTS)}) VALUES (?,?,?,?,?,?)"
            with self._told():
                made = self._db.execute(sql, _facts(rules)).lastrowid
            assert made is not None
            known = _Board(made, keys_for(rules.width, rules.height))
            self._boards[_facts(rules)] = known
        return known

    def _get(self, board: _Board, setup: Setup) -> Record | None:
        place = board.keys.place(setup)
        with self._told():
            row = self._db.execute(_GET, (board.id, place.key)).fetchone()
        return None if row is None else self._seen(board.keys, place, row)

    def _put(self, board: _Board, setup: Setup, record: Record) -> None:
        place = board.keys.place(setup)
        with self._told():
            self._db.execute(_PUT, (board.id, place.key, *_kept(board.keys, place, record)))

    def _put_batch(
        self, batch: list[Entry], join: Callable[[Record, Record], Record] | None
    ) -> int:
        if not batch:
            return 0
        with self.transaction():
            if join is not None:
                return self._join_batch(batch, join)
            rows = []
            for entry in batch:
                board = self._board_made(entry.rules)
                place = board.keys.place(entry.setup)
                rows.append((board.id, place.key, *_kept(board.keys, place, entry.record)))
            rows.sort(key=lambda row: row[:2])  # a later one of equal keys stays the later one
            with self._told():
                self._db.executemany(_PUT, rows)
        return len(batch)

    def _join_batch(self, batch: list[Entry], join: Callable[[Record, Record], Record]) -> int:
        done = 0
        for entry in batch:
            board = self._board_made(entry.rules)
            old = self._get(board, entry.setup)
            new = entry.record if old is None else join(old, entry.record)
            if new != old:
                self._put(board, entry.setup, new)
                done += 1
        return done

    def _seen(self, keys: Keys, place: Place, row: tuple[Any, ...]) -> Record:
        """A row as the record of a position in its own form."""
        label, value, depth, bound, best, text, marks = row
        try:
            points = None if best is None else keys.point(keys.outward(place, best)[0])
            seen = []
            if marks:
                for cell, mark in json.loads(marks):
                    seen += [(each, mark) for each in keys.outward(place, cell)]
            laid = tuple((keys.point(cell), mark) for cell, mark in sorted(seen))
            return Record(label, value, depth, Bound(bound), points, text, laid)
        except (ValueError, TypeError, IndexError) as problem:
            raise StoreError(f"{self.path} is damaged: key {place.key.hex()}: {problem}") from None

    def _entry(self, known: dict[int, Rules], row: tuple[Any, ...]) -> Entry:
        board, key, *fields = row
        rules = known.get(board)
        if rules is None or not isinstance(key, bytes):
            raise StoreError(f"{self.path} is damaged: board {board!r} is none, or its key")
        keys = keys_for(rules.width, rules.height)
        setup = keys.read(key)
        place = Place(key, (0,)) if _plain(fields) else keys.place(setup)
        return Entry(rules, setup, self._seen(keys, place, tuple(fields)))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what SQLite says into a StoreError."""
        try:
            yield
        except sqlite3.Error as problem:
            raise StoreError(_explained(self.path, str(problem))) from None


def _facts(rules: Rules) -> tuple[int, ...]:
    return rules.width, rules.height, *(int(getattr(rules, name)) for name in _FACTS)


def _setup(position: Position) -> Setup:
    return keys_for(position.rules.width, position.rules.height).setup(position)


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))


def _plain(fields: Sequence[Any]) -> bool:
    """Whether nothing in a row's fields is a point, so that it is the same from every side."""
    return fields[4] is None and not fields[6]


def _look(path: Path, mode: Mode) -> bool:
    """Look at a file before SQLite does. True: it is to be laid out. Raises StoreError."""
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder: name a file in it")
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except FileNotFoundError:
        if mode != "create":
            raise StoreError(f"there is no database {path}") from None
        if not path.parent.is_dir():
            raise StoreError(f"cannot make {path}: there is no folder {path.parent}") from None
        return True
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise StoreError(f"cannot read {path}: {reason}") from None
    if not head:
        if mode != "create":
            raise StoreError(f"{path} is empty, no database")
        return True
    if head != _MAGIC:
        raise StoreError(f"{path} is no database: it does not begin as SQLite files do")
    return False


def _kept(keys: Keys, place: Place, record: Record) -> tuple[Any, ...]:
    """A record as the fields of a row, its points as cells of the key's form."""
    best = None if record.best is None else keys.inward(place, keys.cell(record.best))
    marks = ""
    if record.marks:
        cells = {keys.inward(place, keys.cell(point)): text for point, text in record.marks if text}
        marks = json.dumps(sorted(cells.items()), ensure_ascii=False) if cells else ""
    text = clean(record.text)
    return record.label, record.value, record.depth, int(record.bound), best, text, marks


def _explained(path: Path, problem: str) -> str:
    """What SQLite says, with what to do."""
    low = problem.lower()
    for words, text in _EXPLANATIONS:
        if words in low:
            return text.format(path=path, problem=problem)
    return f"{path}: {problem}"


_EXPLANATIONS: Final = (
    ("locked", "{path} is locked by another process: end that one, or try again"),
    ("malformed", "{path} is damaged ({problem}): shisan database check says more"),
    ("not a database", "{path} is no database, or it is damaged from its first bytes on"),
    ("readonly", "{path} cannot be written to: it, its folder or its disk is read-only"),
    ("full", "no space is left for {path}: nothing of this change was kept"),
    ("disk i/o", "{path} cannot be read or written ({problem}): look at its disk"),
    ("unable to open", "{path} cannot be opened: it, its folder or its disk is not to be written"),
)
