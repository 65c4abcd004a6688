"""The database behind a Yixin board: its commands, advice before a search, results kept after it.

Whatever goes wrong with a file is said in one line, and the brain goes on without it. Used from one
thread. `docs/database.md` lists the commands. SQLite is loaded when a database is first named.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from shisan.engine import Limits, Point, Position, SearchResult

from .commands import printable
from .consulting import DatabaseRequest
from .databasesearch import Advice, Search, advice, guided, records_of, worth_keeping
from .encodings import decode
from .positionkeys import Setup, keys_for
from .positionrecords import NOTHING, PROVEN, Bound, Record, StoreError, clean, joined

if TYPE_CHECKING:
    from .database import Mode, Store

NO_FILE: Final = "no database: yxsetdatabase and, on the next line, the path of a file opens one"
READ_ONLY: Final = "the database is read-only (INFO database_readonly): nothing was changed"
MAX_MARK: Final = 64
"""Characters of a text on a point."""

SHARE: Final = 8
LEFT_SHARE: Final = 200
"""Of a move's time, and of that left for a game, a search waits at most one part in so many for a
file that another process holds."""

MAX_FAULTS: Final = 5
"""So many faults of a file that is read are told one by one; the others are counted."""

_WRITING: Final = frozenset(
    "yxedittvddatabase yxedittextdatabase yxeditlabeldatabase yxdeletedatabaseone"
    " yxdeletedatabaseall yxsetbestmovedatabase yxclearbestmovedatabase yxtxttodb yxlibtodb"
    " yxdbmerge yxdbfix".split()
)
_FILTERS: Final = ("wlnostep", "wlinstep", "nonwld", "nonwl", "wld", "wl", "w", "l")


class Filter(NamedTuple):
    """Which records yxdeletedatabaseall removes.

    kind: one of wlnostep, wlinstep, nonwld, nonwl, wld, wl, w, l, or "" for all. step: of wlinstep,
    plies. deep: whether it also looks below records that stay.
    """

    kind: str = ""
    step: int = 0
    deep: bool = False

    def takes(self, record: Record) -> bool:
        """Whether this record is removed, with everything below it."""
        label, kind = record.label, self.kind
        if kind.startswith("non"):
            return label not in kind.removeprefix("non") or not label
        if kind in ("wlnostep", "wlinstep"):
            if label not in ("w", "l"):
                return False
            away = record.distance
            return 0 < away <= self.step if kind == "wlinstep" else not away
        return not kind or (bool(label) and label in kind)


def read_filter(text: str) -> Filter:
    """The filter that the words after yxdeletedatabaseall name. Raises StoreError.

    >>> read_filter("wlinsteprecursive 7")
    Filter(kind='wlinstep', step=7, deep=True)
    """
    words = text.lower().split()
    if not words:
        return Filter()
    first, *rest = words
    deep = first.endswith("recursive") or rest[-1:] == ["recursive"]
    kind = first.removesuffix("recursive")
    numbers = [word for word in rest if word != "recursive"]
    wanted = 1 if kind == "wlinstep" else 0
    fits = len(numbers) == wanted and all(word.isdecimal() and len(word) < 6 for word in numbers)
    if kind not in _FILTERS or not fits:
        names = ", ".join(_FILTERS)
        raise StoreError(
            f"filter must be one of {names} (wlinstep with a number), each perhaps with recursive,"
            f" not {printable(text)}"
        )
    return Filter(kind, int(numbers[0]) if numbers else 0, deep)


class YixinDatabase:
    """At most one open database, and what the commands of a Yixin board do with it."""

    def __init__(self) -> None:
        self._store: Store | None = None
        self._path: Path | None = None
        self._told: set[str] = set()
        self._unsaid: tuple[str, ...] = ()
        self._limits = Limits()  # of the latest search
        self._verbs: dict[str, Callable[[DatabaseRequest], Iterable[str]]] = {
            "yxsetdatabase": self._set,
            "yxsavedatabase": self._save,
            "yxquerydatabaseall": self._query_all,
            "yxquerydatabaseallt": self._query_both,
            "yxquerydatabaseone": self._query_one,
            "yxquerydatabasetext": self._query_text,
            "yxedittvddatabase": self._edit_values,
            "yxedittextdatabase": self._edit_text,
            "yxeditlabeldatabase": self._edit_mark,
            "yxdeletedatabaseone": self._delete_one,
            "yxdeletedatabaseall": self._delete_all,
            "yxsetbestmovedatabase": self._set_best,
            "yxclearbestmovedatabase": self._clear_best,
            "yxdbtotxt": self._to_text,
            "yxdbtotxtall": self._to_text,
            "yxtxttodb": self._from_text,
            "yxdbtopos": self._to_positions,
            "yxdbtolib": self._to_library,
            "yxlibtodb": self._from_library,
            "yxdbmerge": self._merge,
            "yxdbsplit": self._split,
            "yxdbcheck": self._check,
            "yxdbfix": self._fix,
        }

    # -- what the brain asks ---------------------------------------------------------------------

    def handle(self, request: DatabaseRequest) -> Iterator[str]:
        """Carry out a command; yields lines, each beginning with MESSAGE.

        Only lines of a text of several lines go on without it. Never raises for what is wrong with
        a file, a path or an argument.
        """
        try:
            if request.verb in _WRITING and request.read_only:
                yield _message(READ_ONLY)
                return
            yield from self._verbs[request.verb](request)
        except (StoreError, OSError) as problem:
            yield _message(f"{problem}")

    def guide(
        self,
        position: Position,
        search: Search,
        limits: Limits,
        blocked: Collection[Point],
        stopped: Callable[[], bool],
        tell: Callable[[str], object],
    ) -> tuple[SearchResult, bool]:
        """Search with the advice of the database; see guided. Returns the result, and its `whole`.

        tell: told what there is to say, text by text.
        """
        self._limits = limits
        advised = self.advise(position)
        for text in advised.words:
            tell(text)
        done = guided(search, limits, advised, blocked, stopped)
        for text in done.words:
            tell(text)
        return done.result, done.whole

    def advise(self, position: Position) -> Advice:
        """What the database says before a search. Never raises; faults are told once, in words."""
        words, self._unsaid = self._unsaid, ()
        if self._store is None:
            return Advice(words=(*words, *self._once(f"database: {NO_FILE}")))
        try:
            self._store.wait(_brief(self._limits))
            found = advice(position, self._store.get(position), self._store.children(position))
        except StoreError as problem:
            said = f"database: {problem}; the search goes on without it"
            return Advice(words=(*words, *self._once(said)))
        return found._replace(words=words + found.words)

    def found(self, position: Position, result: SearchResult, read_only: bool) -> None:
        """Keep what a search found of a position and of the one after its best move.

        What is proven is kept over all else; a value only over one of no greater depth. Texts,
        marks and labels that judge nothing stay. Never raises: what cannot be kept is dropped,
        which is told before the next search.
        """
        if self._store is None or read_only or position.over or not worth_keeping(result):
            return
        try:
            store = self._writable(_brief(self._limits))
            own, after = records_of(position, result)
            with store.transaction():
                _keep(store, position, own)
                if after is not None:
                    child = position.copy()
                    child.play(*result.move)
                    _keep(store, child, after)
        except StoreError as problem:
            self._unsaid += self._once(f"database: {problem}; results are not kept")

    # -- the file --------------------------------------------------------------------------------

    def _set(self, request: DatabaseRequest) -> Iterator[str]:
        path = _path(request)
        yield _message(f"DATABASE LOAD START {path}")
        try:
            opened = self._open(path, "read" if request.read_only else "create")
            if self._store is not None:
                self._store.close()
            self._store, self._path = opened, path
            self._told.clear()
            yield _message(f"database {path}: {len(opened)} positions")
        except StoreError as problem:
            kept = "" if self._path is None else f"; {self._path} stays open"
            yield _message(f"{problem}{kept}")
        finally:
            yield _message("DATABASE LOAD DONE")

    def _open(self, path: Path, mode: "Mode", wait_ms: int | None = None) -> "Store":
        try:
            from .database import Store
        except ImportError as problem:
            raise StoreError(f"this Python has no SQLite ({problem}): no database") from None
        return Store(path, mode, _patient() if wait_ms is None else wait_ms)

    def _save(self, request: DatabaseRequest) -> Iterator[str]:
        store = self._opened()
        yield _message(f"DATABASE SAVE START {store.path}")
        yield _message("DATABASE SAVE DONE")
        yield _message(f"database {store.path}: every change is on the disk as soon as it is made")

    def _opened(self, wait_ms: int | None = None) -> "Store":
        """The open database, which may wait so long for other processes, or as long as a person.

        Raises StoreError.
        """
        if self._store is None:
            raise StoreError(NO_FILE)
        self._store.wait(_patient() if wait_ms is None else wait_ms)
        return self._store

    def _writable(self, wait_ms: int | None = None) -> "Store":
        """The open database, opened again if it was opened for reading alone."""
        store = self._opened(wait_ms)
        if store.mode == "read":
            opened = self._open(store.path, "write", wait_ms)
            store.close()
            self._store = store = opened
        return store

    def _once(self, words: str) -> tuple[str, ...]:
        """Words, unless they were said since the database was opened."""
        if words in self._told or len(self._told) > 100:
            return ()
        self._told.add(words)
        return (words,)

    # -- questions -------------------------------------------------------------------------------

    def _query_all(self, request: DatabaseRequest) -> Iterator[str]:
        from .databaselibraries import shown_label

        store, position = self._opened(), _position(request)
        here = store.get(position) or NOTHING
        children, marks = store.children(position), dict(here.marks)
        yield _message("DATABASE REFRESH")
        for x, y in sorted(children.keys() | marks.keys(), key=lambda point: (point[1], point[0])):
            child = children.get((x, y), NOTHING)
            text = printable(marks.get((x, y), ""), MAX_MARK)
            yield _message(
                f"DATABASE {x} {y} {_packed(shown_label(child))} {child.value} {child.depth}"
                f" {int(child.bound)} {int(bool(child.text))} {text}".rstrip()
            )
        yield _message("DATABASE DONE")

    def _query_both(self, request: DatabaseRequest) -> Iterator[str]:
        yield from self._query_all(request)
        yield from self._query_text(request)

    def _query_one(self, request: DatabaseRequest) -> Iterator[str]:
        from .databaselibraries import shown_label

        record = self._opened().get(_position(request))
        if record is None:
            yield _message("DATABASE ONE 0 0 0 0")
            return
        label = ord(record.label) if record.label else -1
        yield _message(
            f"DATABASE ONE {label} {record.value} {record.depth} {int(record.bound)}"
            f" {shown_label(record)}".rstrip()
        )

    def _query_text(self, request: DatabaseRequest) -> Iterator[str]:
        record = self._opened().get(_position(request)) or NOTHING
        text = record.text.replace("\\", "\\\\").replace('"', '\\"')
        first, *rest = f'"{text}"'.split("\n")
        yield f"MESSAGE DATABASE TEXT {first}"
        yield from rest

    # -- changes ---------------------------------------------------------------------------------

    def _edit_values(self, request: DatabaseRequest) -> Iterator[str]:
        try:
            mask, label, value, depth = (int(word) for word in request.arguments.split())
        except ValueError:
            raise StoreError(
                "yxedittvddatabase must have mask label value depth, four numbers, not"
                f" {printable(request.arguments)}"
            ) from None
        store, position = self._writable(), _position(request)
        record = store.get(position) or NOTHING
        if mask & 1:
            record = replace(record, label=_label(label))
        if mask & 2:
            record = replace(record, value=value)
        if mask & 4:
            record = replace(record, depth=depth, bound=Bound.EXACT)
        store.put(position, record)
        yield from self._query_one(request)

    def _edit_text(self, request: DatabaseRequest) -> Iterator[str]:
        text = _unquoted(request.arguments)
        store, position = self._writable(), _position(request)
        store.put(position, replace(store.get(position) or NOTHING, text=clean(text)))
        return iter(())

    def _edit_mark(self, request: DatabaseRequest) -> Iterator[str]:
        where, _, text = request.arguments.partition(" ")
        store, position = self._writable(), _position(request)
        point = _read_point(where, position)
        store.mark(position, point, "".join(clean(_decoded(text)).split())[:MAX_MARK])
        return iter(())

    def _set_best(self, request: DatabaseRequest) -> Iterator[str]:
        position = _position(request)
        before, point = _before(position)
        store = self._writable()
        with store.transaction():
            parent = store.get(before) or NOTHING
            store.put(before, replace(parent, best=point))
            record = store.get(position) or NOTHING
            if record.label != "w":
                store.put(position, replace(record, label="!"))
        return iter(())

    def _clear_best(self, request: DatabaseRequest) -> Iterator[str]:
        store, position = self._writable(), _position(request)
        with store.transaction():
            record = store.get(position)
            if record is not None:
                store.put(position, replace(record, best=None))
            for move, child in store.children(position).items():
                if child.label == "!":
                    after = position.copy()
                    after.play(*move)
                    store.put(after, replace(child, label=""))
        return iter(())

    def _delete_one(self, request: DatabaseRequest) -> Iterator[str]:
        self._writable().delete(_position(request))
        return iter(())

    def _delete_all(self, request: DatabaseRequest) -> Iterator[str]:
        wanted = read_filter(request.arguments)
        store, position = self._writable(), _position(request)
        yield _message("deleting what follows this position; this may take a while")
        with store.transaction():
            count = _delete_below(store, position, wanted)
        yield _message(f"{count} records deleted")
        yield from self._query_all(request)

    # -- files -----------------------------------------------------------------------------------

    def _to_text(self, request: DatabaseRequest) -> Iterator[str]:
        from .databasefiles import export_text

        store, path = self._opened(), _path(request)
        rules = None if request.verb.endswith("all") else _position(request).rules
        count = export_text(store, path, rules)
        yield _message(f"{count} records written to {path}")

    def _to_positions(self, request: DatabaseRequest) -> Iterator[str]:
        from .databasefiles import export_positions

        store, path = self._opened(), _path(request)
        count = export_positions(store, path, _position(request).rules)
        yield _message(f"{count} positions written to {path}")

    def _to_library(self, request: DatabaseRequest) -> Iterator[str]:
        from .databaselibraries import export_library

        store, path = self._opened(), _path(request)
        count = export_library(store, path, _position(request))
        yield _message(f"{count} positions written to {path}")

    def _from_text(self, request: DatabaseRequest) -> Iterator[str]:
        from .databasefiles import import_text

        store, path = self._writable(), _path(request)
        yield _message(f"reading {path}; this may take a while")
        faults = _Faults()
        count = import_text(store, path, on_fault=faults.append)
        yield from faults.lines()
        yield _message(f"{count} records written from {path}")

    def _from_library(self, request: DatabaseRequest) -> Iterator[str]:
        from .databaselibraries import import_library

        store, path, rules = self._writable(), _path(request), _position(request).rules
        yield _message(f"reading {path}; this may take a while")
        faults = _Faults()
        count = import_library(store, path, rules, on_fault=faults.append)
        yield from faults.lines()
        yield _message(f"{count} records written from {path}")

    def _merge(self, request: DatabaseRequest) -> Iterator[str]:
        store = self._writable()
        with self._open(_path(request), "read") as other:
            _apart(store, other.path)
            count = store.put_all(other.entries(), joined)
            yield _message(f"{count} of {len(other)} records written from {other.path}")

    def _split(self, request: DatabaseRequest) -> Iterator[str]:
        store, position, path = self._opened(), _position(request), _path(request)
        _apart(store, path)
        with self._open(path, "create") as target:
            target.put_all(store.branch(position), joined)
            yield _message(f"{len(target)} records are in {path}")

    def _check(self, request: DatabaseRequest) -> Iterator[str]:
        faults = self._opened().check()
        for fault in faults[:MAX_FAULTS]:
            yield _message(fault)
        said = f"{len(faults)} faults; yxdbfix removes what is no record" if faults else "no fault"
        yield _message(f"database {self._path}: {said}")

    def _fix(self, request: DatabaseRequest) -> Iterator[str]:
        count = self._writable().fix()
        yield _message(f"database {self._path}: {count} records removed that were none")


class _Faults(list[StoreError]):
    """What was wrong with a file that was read."""

    def lines(self) -> Iterator[str]:
        for fault in self[:MAX_FAULTS]:
            yield _message(str(fault))
        if len(self) > MAX_FAULTS:
            yield _message(f"{len(self) - MAX_FAULTS} more faults")


def _brief(limits: Limits) -> int:
    """How long a search of these limits waits, in ms; and again for its record, after its move."""
    from .database import WAIT_MS

    turn = WAIT_MS if limits.turn_ms is None else limits.turn_ms // SHARE
    left = WAIT_MS if limits.left_ms is None else limits.left_ms // LEFT_SHARE
    return max(0, min(WAIT_MS, turn, left))


def _patient() -> int:
    from .database import PATIENT_MS

    return PATIENT_MS


def _keep(store: "Store", position: Position, new: Record) -> None:
    """Write a search's record over an older one, unless that one is worth more."""
    old = store.get(position)
    if old is None:
        store.put(position, new)
        return
    if abs(new.value) > PROVEN:
        kept = replace(old, value=new.value, depth=new.depth, bound=new.bound, label=new.label)
    elif old.judged or (old.bound and old.depth > new.depth):
        return
    else:
        kept = replace(old, value=new.value, depth=new.depth, bound=new.bound)
    if new.best is not None:
        kept = replace(kept, best=new.best)
    if kept != old:
        store.put(position, kept)


def _delete_below(store: "Store", position: Position, wanted: Filter) -> int:
    """Remove the records below a position that a filter takes. Returns how many."""
    rules = position.rules
    keys = keys_for(rules.width, rules.height)
    waiting: list[tuple[Setup, bool]] = [(keys.setup(position), False)]
    seen: dict[bytes, bool] = {}
    count = 0
    while waiting:
        setup, doomed = waiting.pop()
        for cell, (key, record) in store.children_at(rules, setup).items():
            taken = doomed or wanted.takes(record)
            if seen.get(key) in (True, taken):
                continue
            seen[key] = taken
            child = keys.child(setup, cell)
            if taken or wanted.deep:
                waiting.append((child, taken))
            if taken:
                count += store.delete_at(rules, child)
    return count


def _apart(store: "Store", path: Path) -> None:
    try:
        same = path.exists() and store.path.samefile(path)
    except OSError:
        same = False
    if same:
        raise StoreError(f"{path} is the open database: give another file")


def _before(position: Position) -> tuple[Position, Point]:
    """The position before the last stone, and that stone's point. Raises StoreError."""
    stones = position.stones
    if not stones or stones[-1][2] == position.side:
        raise StoreError("yxsetbestmovedatabase needs a position whose last line is the best move")
    x, y, colour = stones[-1]
    before = Position.set_up(position.rules, stones[:-1], colour, position.walls)
    return before, (x, y)


def _position(request: DatabaseRequest) -> Position:
    if request.position is None:
        raise StoreError(f"{request.verb} needs a board: send START first")
    return request.position


def _path(request: DatabaseRequest) -> Path:
    if not request.path or "\0" in request.path:
        raise StoreError(f"{request.verb} needs the path of a file on the next line")
    path = Path(request.path)
    if path.is_fifo() or path.is_char_device():  # it would keep us waiting for ever
        raise StoreError(f"{path} is no file")
    return path


def _read_point(text: str, position: Position) -> Point:
    parts = text.split(",")
    if len(parts) == 2 and all(part.isdecimal() and len(part) < 4 for part in parts):
        x, y = int(parts[0]), int(parts[1])
        if x < position.rules.width and y < position.rules.height:
            return x, y
    raise StoreError(
        f"yxeditlabeldatabase needs x,y on the board and a text, not {printable(text)}"
    )


def _label(number: int) -> str:
    """A label as the dialect numbers it: -1 and 0 none, else a letter; W, L, D, X are small."""
    if number in (-1, 0):
        return ""
    if not 32 < number < 127:
        raise StoreError(f"label must be -1, 0 or 33..126, not {number}")
    letter = chr(number)
    return letter.lower() if letter in "WLDX" else letter


def _packed(label: str) -> int:
    """Up to four letters as a number, the first one highest; -1 for none."""
    return int.from_bytes(label[:4].encode("ascii"), "big") if label else -1


def _unquoted(text: str) -> str:
    r"""A text in quotes, with a backslash before quotes and backslashes, or a bare one.

    >>> _unquoted(r'"say \"h8\""')
    'say "h8"'
    """
    text = _decoded(text).strip()
    if not text.startswith('"'):
        return text
    found, marks = [], iter(text[1:])
    for mark in marks:
        if mark == '"':
            break
        found.append(next(marks, "") if mark == "\\" else mark)
    return "".join(found)


def _decoded(text: str) -> str:
    """What was meant by bytes that are no UTF-8."""
    return decode(text.encode("utf-8", "surrogateescape"))


def _message(text: str) -> str:
    return f"MESSAGE {printable(text, 900) or '-'}"
