"""shisan database, as a person types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shisan.engine import Position, Rules
from shisan.protocol.database import Store
from shisan.protocol.databasefiles import HEADER
from shisan.protocol.positionrecords import Bound, Record
from shisan.scripts import cli, database, databasespeed

RULES = Rules.renju()


def shisan(capfd: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the command."""
    try:
        status = cli.main(["database", *map(str, words)])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    out, err = capfd.readouterr()
    return status, out, err


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Two positions under renju, one under freestyle."""
    path = tmp_path / "book.db"
    position, other = Position(RULES), Position(Rules.freestyle(20))
    position.play(7, 7)
    other.play(3, 3)
    with Store(path, "create") as store:
        record = Record("", 20, 8, Bound.EXACT, (8, 6), "middle", (((0, 0), "A"),))
        store.put(position, record)
        position.play(8, 6)
        store.put(position, Record("w", -29_990, 4, Bound.EXACT))
        store.put(other, Record())
    return path


def test_info(capfd: pytest.CaptureFixture[str], book: Path) -> None:
    status, out, err = shisan(capfd, "info", book)
    assert (status, err) == (0, "")
    first, *rest = out.splitlines()
    assert first.startswith(f"{book}: 3 positions, 0.0 MB")
    assert rest == ["  renju, 15x15: 2 positions", "  freestyle, 20x20: 1 positions"]
    status, out, _ = shisan(capfd, "info", book, "--json")
    said = json.loads(out)
    assert said["positions"] == 3
    assert said["boards"][1] == {"rule": "freestyle", "width": 20, "height": 20, "positions": 1}


def test_query(capfd: pytest.CaptureFixture[str], book: Path) -> None:
    status, out, _ = shisan(capfd, "query", book, "--rule", "renju", "h8")
    assert status == 0
    assert out.splitlines()[0] == "the position: value 20 (exact, depth 8), best g7"
    assert "  text at a1: A" in out
    assert "  middle" in out
    assert "  g7  w11   label w, value -29990 (exact, depth 4)" in out
    status, out, _ = shisan(capfd, "query", book, "h8", "--rule", "renju", "--json")
    said = json.loads(out)
    assert said["record"]["best"] == "g7"
    assert sorted(said["moves"]) == ["g7", "g9", "i7", "i9"]
    status, out, _ = shisan(capfd, "query", book, "h8")
    assert (status, out.count("\n")) == (1, 1)
    assert out.startswith("nothing is known of this position under freestyle, 15x15;")


def test_out_and_in_again(capfd: pytest.CaptureFixture[str], book: Path) -> None:
    folder = book.parent
    assert shisan(capfd, "export", book, folder / "a.jsonl")[:2] == (
        0,
        f"3 positions: {folder / 'a.jsonl'}\n",
    )
    assert shisan(capfd, "export", book, folder / "b.jsonl", "--rule", "renju")[0] == 0
    assert len((folder / "b.jsonl").read_text("utf-8").splitlines()) == 3
    status, out, _ = shisan(capfd, "export", book, "-")
    assert (status, out) == (0, (folder / "a.jsonl").read_text("utf-8"))
    status, _, err = shisan(capfd, "export", book, folder / "a.jsonl")
    assert status == 2
    assert err == f"shisan database: error: OUT: {folder / 'a.jsonl'} exists; --force replaces it\n"
    assert shisan(capfd, "export", book, folder / "a.jsonl", "--force")[0] == 0
    assert shisan(capfd, "export", book, folder / "a.lib", "--rule", "renju")[0] == 0
    part = folder / "part.lib"
    words = ("export", book, part, "--rule", "renju", "--from", "h8")
    assert shisan(capfd, *words)[:2] == (0, f"3 positions: {part}\n")
    assert shisan(capfd, "export", book, folder / "a.pos")[0] == 0
    status, out, _ = shisan(capfd, "import", folder / "c.db", folder / "a.jsonl")
    assert (status, out) == (0, f"{folder / 'a.jsonl'}: 3 records written\n")
    status, out, _ = shisan(capfd, "merge", folder / "c.db", book)
    assert (status, out) == (0, f"{book}: 0 of 3 records written\n")
    words = ("import", folder / "d.db", folder / "a.lib", "--rule", "renju")
    assert shisan(capfd, *words)[0] == 0
    with Store(folder / "d.db") as store:
        assert len(store) == 3  # the empty board too


def test_check_and_fix(capfd: pytest.CaptureFixture[str], book: Path) -> None:
    assert shisan(capfd, "check", book)[:2] == (0, f"{book}: no fault\n")
    with Store(book, "write") as store:
        store._db.execute("UPDATE positions SET depth = 99999 WHERE depth = 8")
    status, out, err = shisan(capfd, "check", book)
    assert (status, out) == (1, "")
    assert "depth must be -8191..8191, not 99999" in err
    saved = book.parent / "saved.db"
    status, out, _ = shisan(capfd, "fix", book, "--rescue", saved)
    assert (status, out) == (0, f"2 records saved in {saved}; {book} is unchanged\n")
    assert shisan(capfd, "fix", book, "--rescue", saved)[0] == 2
    assert shisan(capfd, "fix", book)[1] == f"{book}: 1 records removed that were none\n"
    assert shisan(capfd, "check", book)[0] == 0


def test_bad_lines_of_a_text(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The others are read, and the status tells."""
    text = tmp_path / "a.jsonl"
    text.write_text(f"{HEADER}\n" + "nonsense\n" * 30, encoding="utf-8")
    status, out, err = shisan(capfd, "import", tmp_path / "a.db", text)
    assert (status, out) == (1, f"{text}: 0 records written\n")
    assert err.count("\n") == database.MAX_FAULTS + 1
    assert err.endswith("shisan database: 10 more faults\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("info", "none.db"), "error: there is no database none.db"),
        (("merge", "book.db", "none.db"), "error: there is no database none.db"),
        (("merge", "book.db", "book.db"), "error: book.db is the database itself"),
        (("import", "new.db", "none.lib"), "error: cannot read none.lib: there is no such file"),
        (("export", "book.db", "a.txt", "--from", "h8"), "--from goes with a library"),
        (("export", "book.db", "a.lib", "--from", "z9"), "--from: z9 at character 1"),
        (
            ("export", "book.db", "a.lib"),
            "book.db has no positions of freestyle, 15x15; info tells",
        ),
        (
            ("export", "book.db", "a.txt", "--rule", "caro"),
            "book.db has no positions of caro, 15x15",
        ),
        (("export", "book.db", "book.db", "--force"), "OUT: book.db is the file to read"),
        (("query", "book.db", "h8", "--dance"), "there is no --dance"),
        (("query", "book.db", "h99"), "h99 at character 1 is outside"),
        (("info", "book.db", "more"), "there is no more"),
        (("dance",), "invalid choice: 'dance'"),
        ((), "the following arguments are required: WHAT"),
    ],
)
def test_wrong_usage(
    capfd: pytest.CaptureFixture[str],
    book: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    """One line that says what to do; no file is made or changed."""
    monkeypatch.chdir(book.parent)
    before = book.read_bytes()
    status, out, err = shisan(capfd, *words)
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert book.read_bytes() == before
    assert [each.name for each in book.parent.iterdir()] == ["book.db"]


@pytest.mark.skipif(os.name != "posix", reason="no signals")
def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C: status 130, one line, and what was written is whole."""
    text = tmp_path / "a.jsonl"
    base = '"rule": "freestyle", "width": 20, "height": 20, "side": "white"'
    with text.open("w", encoding="utf-8") as file:
        file.write(f"{HEADER}\n")
        for number in range(40_000):
            first, second = divmod(number, 200)
            names = [f"{'abcdefghijklmnopqrst'[at % 20]}{at // 20 + 1}" for at in (first, second)]
            white = names[1] if first != second else ""
            file.write(f'{{{base}, "black": "{names[0]}t20", "white": "{white}"}}\n')
    path = tmp_path / "a.db"
    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "database", "import", str(path), str(text)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until and (not path.exists() or path.stat().st_size < 100_000):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"shisan database: stopped\n")
    with Store(path) as store:
        assert store.check() == []
        assert 5_000 <= len(store) < 40_000


def test_the_measurement_runs(capfd: pytest.CaptureFixture[str]) -> None:
    """On few positions: every line with a figure is there."""
    assert databasespeed.main(["--positions", "300", "--nodes", "200"]) == 0
    out, _ = capfd.readouterr()
    for name in ("insert", "look up a position", "look up it and its moves", "export", "import"):
        assert f"\n{name} " in f"\n{out}"
    assert "a search takes " in out
