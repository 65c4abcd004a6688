"""Files that cannot be used: each is said in one line, and none is changed. Killed writers."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shisan.engine import Limits, Position, Rules, SearchResult
from shisan.protocol.consulting import DatabaseRequest
from shisan.protocol.database import APPLICATION, VERSION, Mode, Store
from shisan.protocol.databasefiles import export_text
from shisan.protocol.positionrecords import NOTHING, Bound, Record, StoreError
from shisan.protocol.yixindatabase import YixinDatabase

RULES = Rules.freestyle()
SLACK = float(os.environ.get("SHISAN_TEST_SLACK", "1"))


def position(number: int = 0) -> Position:
    """One of 223 different positions."""
    found = Position(RULES)
    for point in ((7, 7), (8, 5), (number % 15, number // 15)):
        if found.is_empty(*point):
            found.play(*point)
    return found


def made(path: Path, count: int = 3) -> Path:
    with Store(path, "create") as store, store.transaction():
        for number in range(count):
            store.put(position(number), Record("", number % 300, 5, Bound.EXACT))
    return path


def garbage(path: Path) -> None:
    path.write_bytes(b"Piskvorky 15x15, 11:11, 0\n" * 100)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def anothers(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (a)")
        db.execute("PRAGMA application_id = 77")
    db.close()


def newer(path: Path) -> None:
    made(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()


def other_tables(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE positions (a)")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.close()


def cut_off(path: Path) -> None:
    made(path, 225)
    path.write_bytes(path.read_bytes()[:100])


def torn(path: Path) -> None:
    """Its inner pages are overwritten."""
    made(path, 225)
    data = bytearray(path.read_bytes())
    assert len(data) >= 4 * 4096
    data[2 * 4096 :] = b"\xa5" * (len(data) - 2 * 4096)
    path.write_bytes(data)


def read_all(path: Path, mode: Mode) -> None:
    with Store(path, mode) as store:
        for number in range(225):
            store.get(position(number))


MODES: tuple[Mode, ...] = ("read", "write", "create")


def triggered(path: Path) -> None:
    """It would remove its records when one is written."""
    made(path)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER mine AFTER INSERT ON positions BEGIN DELETE FROM positions; END")
    db.close()


BAD: dict[Callable[[Path], None], str] = {
    garbage: "is no database: it does not begin as SQLite files do",
    anothers: "is another program's SQLite file (application id 0x4d): give another file",
    newer: "has version 2 of the database format, and this Shisan knows only 1: export it",
    other_tables: "lacks the tables of a Shisan database: it is damaged",
    triggered: "holds 'mine', which no Shisan made: not used",
    cut_off: "is damaged (database disk image is malformed): shisan database check says more",
    torn: "is damaged (database disk image is malformed): shisan database check says more",
}


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_bad_files(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """In every mode the file is told of by name and left as it is, to the byte."""
    path = tmp_path / "bad.db"
    spoil(path)
    before = path.read_bytes()
    for mode in MODES:
        with pytest.raises(StoreError) as told:
            read_all(path, mode)
        assert str(path) in str(told.value)
        assert BAD[spoil] in str(told.value)
        assert "\n" not in str(told.value)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["bad.db"]


@pytest.mark.parametrize("spoil", [*BAD, empty], ids=lambda spoil: spoil.__name__)
def test_a_brain_goes_on_without(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """yxsetdatabase tells of it; an empty file becomes a database; nothing else is changed."""
    path = tmp_path / "bad.db"
    spoil(path)
    before = path.read_bytes()
    brain = YixinDatabase()
    request = DatabaseRequest("yxsetdatabase", "", None, str(path), False)
    lines = list(brain.handle(request))
    assert lines[0] == f"MESSAGE DATABASE LOAD START {path}"
    assert lines[-1] == "MESSAGE DATABASE LOAD DONE"
    if spoil is empty:
        assert lines[1] == f"MESSAGE database {path}: 0 positions"
        return
    words: tuple[str, ...] = ()
    for number in (0, 100, 200, 224):
        words += brain.advise(position(number)).words
    told = " ".join(lines[1:-1]) + " ".join(words)
    assert BAD[spoil] in told or spoil is torn
    if spoil is torn:
        assert "damaged" in told
    assert path.read_bytes() == before


def test_no_file(tmp_path: Path) -> None:
    for mode in MODES[:2]:
        with pytest.raises(StoreError, match="there is no database"):
            Store(tmp_path / "none.db", mode)
    with pytest.raises(StoreError, match="there is no folder"):
        Store(tmp_path / "none" / "a.db", "create")
    with pytest.raises(StoreError, match="is a folder: name a file in it"):
        Store(tmp_path, "create")
    assert not list(tmp_path.iterdir())


def test_a_file_only_read(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    before = path.read_bytes()
    with Store(path) as store:
        assert store.get(position(1)) is not None
        with pytest.raises(StoreError, match="cannot be written to"):
            store.put(position(9), NOTHING)
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with Store(path, "create") as store:
            assert store.get(position(1)) is not None
            with pytest.raises(StoreError, match="cannot be written to"):
                store.put(position(9), NOTHING)
        with pytest.raises(StoreError, match="cannot be opened"):
            Store(tmp_path / "b.db", "create")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder of the kernel's is needed")
def test_a_file_system_that_takes_no_files() -> None:
    with pytest.raises(StoreError, match="cannot be opened: it, its folder or its disk"):
        Store("/proc/shisan.db", "create")


def test_disk_full(tmp_path: Path) -> None:
    """A change that does not fit is not made, and those before it are there."""
    path = made(tmp_path / "a.db", 225)
    with Store(path, "write") as store:
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="no space is left for "):
            store.put(position(3), Record(text="a" * 50_000))
        assert store.get(position(3)) == Record("", 3, 5, Bound.EXACT)
    with Store(path) as store:
        assert store.check() == []


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process that writes to the file and does not come to an end."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        " db.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.stdin.close()


def test_locked_by_another_process(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    before = path.read_bytes()
    with locked(path), pytest.raises(StoreError, match="is locked by another process: end that"):
        Store(path, "write", 10)
    with Store(path, "write", 10) as store, locked(path):
        for work in (lambda: store.get(position()), lambda: store.put(position(), NOTHING)):
            with pytest.raises(StoreError, match="is locked by another process"):
                work()
    assert path.read_bytes() == before
    with Store(path, "write", 10) as store:
        store.put(position(), NOTHING)


def test_a_locked_file_delays_no_search(tmp_path: Path) -> None:
    """Advice waits a moment, says so once, and comes back when the file is free."""
    path = made(tmp_path / "a.db")
    brain = YixinDatabase()
    list(brain.handle(DatabaseRequest("yxsetdatabase", "", None, str(path), False)))
    with locked(path):
        begun = time.monotonic()
        words = brain.advise(position(1)).words
        assert time.monotonic() - begun < 2
        assert words == (
            f"database: {path} is locked by another process: end that one, or try again;"
            " the search goes on without it",
        )
        assert brain.advise(position(1)).words == ()
    assert brain.advise(position(1)).words == ("database: recorded as value 1, exact, depth 5",)


@pytest.mark.parametrize("mode", ["read", "create"])
def test_a_locked_file_delays_no_move(tmp_path: Path, mode: str) -> None:
    """Before a search and after it, at most as long as the time of the move allows."""
    path = made(tmp_path / "a.db")
    brain = YixinDatabase()
    found = SearchResult((7, 7), 10, None, 5, 100, 1, ((7, 7),))
    list(brain.handle(DatabaseRequest("yxsetdatabase", "", None, str(path), mode == "read")))
    said: list[str] = []
    with locked(path):
        begun = time.monotonic()
        for _ in range(20):
            result, whole = brain.guide(
                position(1),
                lambda limits, avoid: found,
                Limits(turn_ms=24),
                (),
                lambda: False,
                said.append,
            )
            assert result is found and whole
            brain.found(position(1), found, False)
        took = time.monotonic() - begun
    assert took < 1 + SLACK, "twice an eighth of 24 ms, and what it takes to open the file"
    assert [text.rpartition("; ")[2] for text in said] == [
        "the search goes on without it",
        "results are not kept",
    ]


WRITER = """
import sys
from pathlib import Path
from shisan.engine import Colour, Rules
from shisan.protocol.database import BATCH, Entry, Store
from shisan.protocol.positionkeys import Setup
from shisan.protocol.positionrecords import Record

def entries():
    number = 0
    while True:
        number += 1
        cells = (number % 225, number // 225 % 225)
        cells += (number // 225 ** 2 % 225,)
        if len(set(cells)) == 3:
            yield Entry(Rules.freestyle(), Setup(Colour.WHITE, tuple(sorted(cells[:2])), cells[2:]),
                        Record("", number % 1000, 5, text=str(number)))

with Store(Path(sys.argv[1]), "create") as store:
    store.put_all(entries(), progress=lambda done: print(done, flush=True))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing can be killed")
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.11])
def test_a_killed_writer(tmp_path: Path, delay: float) -> None:
    """What was written before is whole; the batch that was cut off is not there."""
    path = tmp_path / "a.db"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = int(process.stdout.readline())
        time.sleep(delay)
        process.kill()
        rest = process.stdout.read().split()
    told = int(rest[-1]) if rest else told
    with Store(path) as store:
        assert store.check() == []
        texts = {int(entry.record.text) for entry in store.entries()}
    assert texts
    with Store(path, "write") as store:
        store.put(position(), NOTHING)
        export_text(store, tmp_path / "a.jsonl")
    assert told >= 10_000


def test_check_fix_and_rescue(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", 225)
    with Store(path) as store:
        whole = len(store)
    with sqlite3.connect(path) as db:
        row = "(1, ?, '', 0, 0, 0, NULL, '', '')"
        sql = f"INSERT INTO positions VALUES {row}"
        db.execute(sql, (b"\0\0\2\0\0\x09\x08",))  # cells not ascending
        db.execute(sql, (b"\7",))  # no key
        db.execute("UPDATE positions SET value = 99999 WHERE value = 7")
        db.execute("UPDATE positions SET marks = '[1' WHERE value = 8")
        db.execute(sql.replace("(1,", "(9,"), (b"\0\0\0\0\0",))  # a board that is none
    db.close()
    with Store(path, "write") as store:
        faults = store.check()
        assert len(faults) >= 5
        assert any("value must be -30000..30000, not 99999" in fault for fault in faults)
        removed = store.fix()
        assert removed == len(faults)
        assert store.check() == []
        assert len(store) == whole + 3 - removed
    bad = tmp_path / "torn.db"
    torn(bad)
    before = bad.read_bytes()
    with Store(bad, "write") as store, Store(tmp_path / "saved.db", "create") as saved:
        assert any(fault.startswith("damaged") for fault in store.check())
        with pytest.raises(StoreError, match="it is left as it is; what can still be read"):
            store.fix()
        store.rescue(saved)
        assert saved.check() == []
    assert bad.read_bytes() == before


def test_rescue_of_a_file_with_one_bad_page(tmp_path: Path) -> None:
    """What lies before and after the page is saved as it was."""
    path = tmp_path / "a.db"
    with Store(path, "create") as store, store.transaction():
        for number in range(225):
            store.put(position(number), Record("", number, text="a" * 300))
        whole = {entry.setup: entry.record for entry in store.entries()}
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = bytes(4096)
    path.write_bytes(data)
    with Store(path) as store, Store(tmp_path / "b.db", "create") as saved:
        assert store.check()
        count = store.rescue(saved)
        found = {entry.setup: entry.record for entry in saved.entries()}
        assert 100 < count == len(found) < len(whole)
        assert found.items() <= whole.items()
