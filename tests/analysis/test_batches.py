"""Batches: every item has its line, in order, whatever happens to workers and to the batch."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import psutil
import pytest
from services import SCHEMA, alive, command, direct, results, run, told, wait_until

from shisan.engine import Limits, Rules
from shisan.protocol import analysts, batches
from shisan.protocol.batches import (
    Batch,
    BatchError,
    Crew,
    TakenError,
    Turns,
    Wish,
    files_of,
    items,
)
from shisan.protocol.gamefiles import read_games
from shisan.protocol.games import GameRecord
from shisan.protocol.workers import LostWorkerError
from shisan.scripts import batch as script

DATA = Path(__file__).parents[1] / "data"
FEW = ("--nodes", "300", "--jobs", "2")
WISH = Wish(Limits(nodes=50))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Games of several formats, and among them what is none."""
    games = tmp_path / "games"
    (games / "inner").mkdir(parents=True)
    (games / "a.txt").write_text("h8i9h10\nh8h8\nh8 i9 j10 k11\n")
    (games / "b.sgf").write_text("(;GM[4]SZ[15]PB[x]PW[y];B[hh];W[ii])(;GM[4]SZ[15];B[hh];W[hh])")
    (games / "inner" / "c.jsonl").write_text(
        '{"id": "p1", "black": "h8 h9", "white": "i9", "side": "white", "rule": "renju"}\n'
        '{"id": "p2", "moves": "h8", "rule": "gomoku"}\nno JSON\n'
    )
    (games / "d.psq").write_bytes((DATA / "psq" / "1_00_06_00.psq").read_bytes())
    (games / "notes.md").write_text("no game")
    return tmp_path


def analysed(folder: Path, *words: str, status: int = 1) -> str:
    done = run(folder, "games", "--out", "r.jsonl", *FEW, *words)
    assert done.returncode == status, done.stderr
    return done.stdout


# --- what is in the results ----------------------------------------------------------------------


def test_every_item_has_a_line(folder: Path) -> None:
    out = analysed(folder)
    assert out == "9 items, 4 of them errors: r.jsonl\n"
    header, *records = results(folder / "r.jsonl")
    assert (header["files"], header["items"], header["turns"]) == (4, 9, "last")
    assert [record["item"] for record in records] == list(range(1, 10))
    places = [(record["file"], record["game"], record.get("line")) for record in records]
    assert places == [
        *(("games/a.txt", number, number) for number in (1, 2, 3)),
        *(("games/b.sgf", number, 1) for number in (1, 2)),
        ("games/d.psq", 1, 1),
        *(("games/inner/c.jsonl", number, number) for number in (1, 2, 3)),
    ]
    errors = {record["item"]: record for record in records if "error" in record}
    assert {item: (each["field"], each["given"]) for item, each in errors.items()} == {
        2: ("move 2", "7,7"),
        5: ("move 2", "7,7"),
        8: ("rule", "gomoku"),
        9: (None, "no JSON"),
    }
    names = [record["rule"]["name"] for record in records if "rule" in record]
    assert names == ["freestyle"] * 4 + ["renju"]
    assert records[6]["name"] == "p1"
    assert records[6]["side"] == "white"


def test_records_are_what_an_engine_says(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("h8i9h10g7\n")
    done = run(tmp_path, "a.txt", "--out", "r.jsonl", "--turns", "all", "--lines", "2", *FEW)
    assert done.returncode == 0, done.stderr
    _, *records = results(tmp_path / "r.jsonl")
    moves = ((7, 7), (8, 8), (7, 9), (6, 6))
    assert [record["turn"] for record in records] == [0, 1, 2, 3, 4]
    for record in records:
        wanted = direct(moves[: record["turn"]], Rules.freestyle(), Limits(nodes=300), 2)
        assert record["lines"] == told(wanted)
        assert record["nodes"] == wanted.nodes
        assert "time_ms" not in record


def test_every_format_that_is_read(tmp_path: Path) -> None:
    """As many items as the readers find in the sample files, and their errors."""
    files = files_of([DATA / "games", DATA / "psq"])
    assert len(files) == 15
    found = [game for path in files for game in read_games(path)]
    done = run(tmp_path, *map(str, files), "--out", "r.jsonl", *FEW)
    _, *records = results(tmp_path / "r.jsonl")
    assert len(records) == len(found)
    for record, game in zip(records, found, strict=True):
        assert record["game"] == game.source.number
        if isinstance(game, GameRecord):
            assert record["turn"] == len(game.moves)
        else:
            assert record["error"] == game.problem
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        (("--turns", "2"), [2]),
        (("--turns", "1..3"), [1, 2, 3]),
        (("--turns", "2.."), [2, 3, 4]),
        (("--turns", "..1"), [0, 1]),
        (("--turns", "3..99"), [3, 4]),
        ((), [4]),
    ],
)
def test_turns(tmp_path: Path, words: tuple[str, ...], turns: list[int]) -> None:
    wish = Wish(Limits(nodes=1), Turns.read(words[1] if words else "last"))
    (tmp_path / "a.txt").write_text("h8i9h10g7\n")
    found = [item.task.turn for item in items([tmp_path / "a.txt"], wish) if item.task]
    assert found == turns


def test_turns_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("h8i9\nh8i9h10\n")
    first, second = items([tmp_path / "a.txt"], Wish(Limits(nodes=1), Turns(3, 3)))
    assert first.problem == {
        "error": "there is no turn 3, only 0..2",
        "field": "turns",
        "given": "3",
    }
    assert second.task is not None
    for text in ("", "x", "3..1", "-1", "1...2", "all..", "١", "99999"):
        with pytest.raises(ValueError, match="turns must be last, all, N or N"):
            Turns.read(text)
    for text in ("last", "all", "3", "3..9", "3.."):
        assert str(Turns.read(text)) == text


def test_rules_and_rows_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[4]RU[renju]SZ[15];B[hh])(;GM[4]SZ[20];B[hh])")
    (tmp_path / "b.txt").write_text("a1\n")
    words = ("a.sgf", "b.txt", "--out", "r.jsonl", *FEW)
    run(tmp_path, *words)
    _, *records = results(tmp_path / "r.jsonl")
    assert [record["rule"]["name"] for record in records] == ["renju", "freestyle", "freestyle"]
    assert [record["size"] for record in records] == [[15, 15], [20, 20], [15, 15]]
    run(tmp_path, *words, "--force", "--rule", "caro", "--size", "15", "--rows", "bottom")
    header, *records = results(tmp_path / "r.jsonl")
    assert (header["rule"]["name"], header["rows"]) == ("caro", "bottom")
    assert [record.get("rule", {}).get("name") for record in records] == ["caro", None, "caro"]
    assert records[1]["error"] == "the board is 20x20, not 15x15 as asked for"


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("h8\n")
    (tmp_path / "binary.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    done = run(tmp_path, "nosuch.sgf", "a.txt", "binary.txt", "--out", "r.jsonl", *FEW)
    assert done.returncode == 1
    _, *records = results(tmp_path / "r.jsonl")
    assert records[0]["error"] == "cannot be read: No such file or directory"
    assert records[0]["file"] == "nosuch.sgf"
    assert records[1]["lines"]
    assert all("error" in record for record in records[2:])


def test_times(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("h8\n")
    done = run(tmp_path, "a.txt", "--out", "r.jsonl", "--times", "--time", "50ms", "--jobs", "1")
    assert done.returncode == 0
    header, record = results(tmp_path / "r.jsonl")
    assert (header["time_ms"], header["nodes"], header["times"]) == (50, None, True)
    assert 45 <= record["time_ms"] < 2000


# --- killed and resumed --------------------------------------------------------------------------


def many(folder: Path, games: int = 40) -> None:
    luck = random.Random(5)
    points = [f"{column}{row}" for column in "fghij" for row in range(6, 11)]
    lines = ["".join(luck.sample(points, 6)) for _ in range(games)]
    lines[7:8] = ["h8 z9"]
    (folder / "games.txt").write_text("\n".join(lines))


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_killed_and_resumed_is_the_same(tmp_path: Path) -> None:
    """Killed three times with -9, with other numbers of workers: byte for byte the same file."""
    many(tmp_path)
    words = ("games.txt", "--turns", "3..6", "--nodes", "3000", "--lines", "2", "--out")
    assert run(tmp_path, *words, "whole.jsonl", "--jobs", "1").returncode == 1
    whole = (tmp_path / "whole.jsonl").read_bytes()
    assert whole.count(b"\n") == 1 + 39 * 4 + 1
    path = tmp_path / "parts.jsonl"
    for count, jobs in ((2, "2"), (40, "1"), (90, "2")):
        process = subprocess.Popen(
            command(*words, "parts.jsonl", "--jobs", jobs),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda count=count: lines_in(path) >= count)  # type: ignore[misc]
        workers = psutil.Process(process.pid).children()
        process.kill()
        process.wait()
        for worker in workers:
            wait_until(lambda worker=worker: not alive(worker))  # type: ignore[misc]
        assert whole.startswith(path.read_bytes())
        assert lines_in(path) < whole.count(b"\n")
    done = run(tmp_path, *words, "parts.jsonl", "--jobs", "2")
    assert "resuming: " in done.stderr
    assert path.read_bytes() == whole
    results(path)
    done = run(tmp_path, *words, "parts.jsonl")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("all 157 items are in parts.jsonl already; --force")


def test_any_torn_end(tmp_path: Path) -> None:
    """Wherever the last write ended, in the first line too."""
    many(tmp_path, 12)
    words = ("games.txt", "--nodes", "20", "--jobs", "1", "--out", "r.jsonl")
    run(tmp_path, *words)
    path = tmp_path / "r.jsonl"
    whole = path.read_bytes()
    for size in (0, 5, 200, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert run(tmp_path, *words).returncode == 1
        assert path.read_bytes() == whole


def test_stopped_by_a_signal(tmp_path: Path) -> None:
    many(tmp_path)
    words = ("games.txt", "--turns", "all", "--time", "300ms", "--out", "r.jsonl", "--jobs", "2")
    process = subprocess.Popen(
        command(*words), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: lines_in(tmp_path / "r.jsonl") >= 3)
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=20)
    assert time.monotonic() - begun < 3
    assert (process.returncode, out) == (130, "")
    assert errors.startswith("stopped with ")
    assert errors.endswith(" items to do: the same command goes on\n")
    results(tmp_path / "r.jsonl")


def test_a_worker_is_killed(tmp_path: Path) -> None:
    """Its position is done again; the results are as if nothing had happened."""
    (tmp_path / "a.txt").write_text("h8i9\nh8i10\nh8\n")
    words = ("a.txt", "--nodes", "1000000", "--jobs", "1", "--out")
    process = subprocess.Popen(
        command(*words, "r.jsonl"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_until(lambda: lines_in(tmp_path / "r.jsonl") >= 2)
    (worker,) = psutil.Process(process.pid).children()
    os.kill(worker.pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert run(tmp_path, *words, "other.jsonl").returncode == 0
    assert (tmp_path / "r.jsonl").read_bytes() == (tmp_path / "other.jsonl").read_bytes()


# --- with workers that are made up ---------------------------------------------------------------


class MadeUp(Executor):
    """Does each task when it is asked for a result, in an order of its own."""

    def __init__(self, choose: Callable[[int], int], fails: Callable[[Any], bool]) -> None:
        self.waiting: list[tuple[Future[Any], Any]] = []
        self.most = 0
        self._choose, self._fails = choose, fails

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert fn is analysts.analyse_alone
        future: Future[Any] = Future()
        self.waiting.append((future, args))
        self.most = max(self.most, len(self.waiting))
        return future

    def work(self, _: Batch) -> None:
        """Finish one task."""
        if self.waiting:
            future, args = self.waiting.pop(self._choose(len(self.waiting)))
            if self._fails(args[0]):
                future.set_exception(LostWorkerError("gone"))
            else:
                future.set_result(analysts.analyse_alone(*args))


def made_up(
    folder: Path, choose: Callable[[int], int], fails: Callable[[Any], bool] = lambda _: False
) -> tuple[Path, MadeUp]:
    executor = MadeUp(choose, fails)
    crew = Crew(executor, lambda: 3, (LostWorkerError,), lambda: None)
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    with Batch(path, [folder / "games.txt"], WISH, anew=False) as batch:
        assert batch.run(crew, executor.work) == "all done"
        assert batch.done == batch.total
    return path, executor


def test_results_in_any_order_are_written_in_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "TICK_SECONDS", 0.001)
    many(tmp_path)
    luck = random.Random(1)
    orders: list[Callable[[int], int]] = [lambda _: 0, lambda _: -1, luck.randrange]
    found = [made_up(tmp_path, order) for order in orders]
    assert len({path.read_bytes() for path, _ in found}) == 1
    assert all(executor.most == 6 for _, executor in found)
    results(found[0][0])


def test_how_far_others_may_go_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One position is never done while others wait: the window ends that, and all ends well."""
    monkeypatch.setattr(batches, "TICK_SECONDS", 0.001)
    monkeypatch.setattr(batches, "WINDOW", 5)
    many(tmp_path)
    plain, _ = made_up(tmp_path, lambda _: 0)
    path, _ = made_up(tmp_path, lambda _: -1)
    assert path.read_bytes() == plain.read_bytes()
    (tmp_path / "games.txt").write_text("h8h8\n" * 40)
    path, _ = made_up(tmp_path, lambda _: 0)
    assert len(results(path)) == 41


def test_a_position_that_kills_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It becomes an error after three of them; the others go on."""
    monkeypatch.setattr(batches, "TICK_SECONDS", 0.001)
    many(tmp_path)
    deadly = next(item.task for item in items([tmp_path / "games.txt"], WISH) if item.number == 3)
    path, _ = made_up(tmp_path, lambda _: 0, lambda task: task == deadly)
    _, *records = results(path)
    assert records[2]["error"] == "given up after 3 tries: gone"
    assert [record["item"] for record in records if "error" in record] == [3, 8]
    tries: Iterator[bool] = iter([True, True] + [False] * 100)
    path, _ = made_up(tmp_path, lambda _: 0, lambda _: next(tries))
    assert [each["item"] for each in results(path)[1:] if "error" in each] == [8]


# --- what is refused -----------------------------------------------------------------------------


def refused(folder: Path, *words: str) -> str:
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.splitlines()[-1].removeprefix("shisan analyze: error: ")


def test_nothing_is_overwritten(folder: Path) -> None:
    """Neither another batch's results nor any other file, unless with --force."""
    analysed(folder)
    path = folder / "r.jsonl"
    before = path.read_bytes()
    words = ("games", "--out", "r.jsonl")
    assert refused(folder, *words, "--nodes", "301") == (
        "r.jsonl has the results of another batch: nodes is 300 there and 301 here"
        "; --force replaces it"
    )
    with (folder / "games" / "a.txt").open("a") as file:
        file.write("# one more\n")
    assert "sha256 is " in refused(folder, *words, *FEW)
    assert path.read_bytes() == before
    analysed(folder, "--force")
    assert path.read_bytes() != before
    for text in ("my notes\n", "my notes", '{"shisan_match":1}\n', '{"shisan_batch":2}\n', "[]\n"):
        path.write_text(text)
        line = refused(folder, *words, *FEW)
        assert line == "r.jsonl is no file of results of a batch; --force replaces it"
        assert path.read_text() == text
    path.write_bytes(before)
    damaged = before.splitlines(keepends=True)
    path.write_bytes(b"".join([damaged[0], *damaged[2:]]))
    with pytest.raises(BatchError):
        list(batches.read_results(folder / "nosuch"))


def test_a_damaged_file(tmp_path: Path) -> None:
    many(tmp_path, 5)
    path = tmp_path / "r.jsonl"
    with Batch(path, [tmp_path / "games.txt"], WISH, anew=False):
        pass
    first = path.read_bytes()
    for more, message in (
        (b"nonsense\n", "line 2 is damaged"),
        (b'{"item":2}\n', "line 2 is not item 1"),
        (b'{"item":1}\n{"item":1}\n', "line 3 is not item 2"),
    ):
        path.write_bytes(first + more)
        with pytest.raises(BatchError, match=message):
            Batch(path, [tmp_path / "games.txt"], WISH, anew=False)
    with Batch(path, [tmp_path / "games.txt"], WISH, anew=True) as batch:
        assert batch.done == 0
        with pytest.raises(BatchError, match="is in use"):
            Batch(path, [tmp_path / "games.txt"], WISH, anew=False)
    path.write_bytes(first.replace(b'"lines":1', b'"lines":2'))
    with pytest.raises(TakenError, match="lines is 2 there and 1 here"):
        Batch(path, [tmp_path / "games.txt"], WISH, anew=False)


def test_commands_that_are_refused(folder: Path) -> None:
    for words, message in (
        ((), "give one of --jsonl, --schema, GAME and FILES --out RESULTS"),
        (("--jsonl", "games"), "give one of --jsonl, --schema, GAME and FILES --out RES"),
        (("games",), "games is a folder: say where the results go: --out RESULTS"),
        (("games/a.txt", "--out", "games/a.txt"), "games/a.txt is one of the files to"),
        (("games", "--out", "no.jsonl", "--turns", "x"), "argument --turns: turns must be last,"),
        (("games", "--out", "no.jsonl", "--depth", "126"), "depth must be 1..125, not 126"),
        (("games", "--out", "no.jsonl", "--time", "5"), "argument --time: '5' is no time: 300ms"),
        (("games", "--out", "no.jsonl", "--nodes", "0"), "argument --nodes: '0' is no whole num"),
        (("games", "--out", "no.jsonl", "--size", "4", "--exact"), "width must be 5..22, not 4"),
        (("games", "--out", "games"), "cannot write games: Is a directory"),
    ):
        assert refused(folder, *words).startswith(message)
    (folder / "empty").mkdir()
    assert refused(folder, "empty", "--out", "no.jsonl") == "there are no files of games in empty"
    assert not (folder / "no.jsonl").exists()


def test_folders(folder: Path) -> None:
    """Files of games in them, sorted, without those that the batch itself writes."""
    out = folder / "games" / "r.jsonl"
    out.write_text("")
    found = files_of([folder / "games", folder / "games" / "notes.md"], [out])
    names = [path.relative_to(folder).as_posix() for path in found]
    assert names == [
        "games/a.txt",
        "games/b.sgf",
        "games/d.psq",
        "games/inner/c.jsonl",
        "games/notes.md",
    ]


# --- tables --------------------------------------------------------------------------------------


def test_parquet(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    analysed(folder, "--parquet", "r.parquet", "--lines", "2")
    table = parquet.read_table(folder / "r.parquet").to_pylist()
    _, *records = results(folder / "r.jsonl")
    assert len(table) == len(records)
    for row, record in zip(table, records, strict=True):
        for name in ("item", "file", "game", "error", "field", "given", "side", "turn", "nodes"):
            assert row[name] == record.get(name), name
        assert row["lines"] == record.get("lines")
        if record.get("lines"):
            best = record["lines"][0]
            assert [row[name] for name in best] == [*best.values()]
            assert (row["rule"], row["width"]) == (record["rule"]["name"], record["size"][0])
    line = refused(folder, "games", "--out", "x.jsonl", "--parquet", "r.parquet", *FEW)
    assert line == "r.parquet exists: give another --parquet, or --force to replace it"
    assert not list(folder.glob("*.part"))


def test_parquet_is_not_there(folder: Path) -> None:
    """The error comes before anything is computed."""
    (folder / "pyarrow.py").write_text("raise ImportError")
    path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = run(
        folder, "games", "--out", "r.jsonl", "--parquet", "p", *FEW, env={"PYTHONPATH": path}
    )
    assert done.returncode == 2
    assert done.stderr == (
        "shisan analyze: error: Parquet needs pyarrow: pip install 'shisan[parquet]'\n"
    )
    assert not (folder / "r.jsonl").exists()


# --- what a person sees --------------------------------------------------------------------------


class Half:
    """A batch that has done half of what it had to do."""

    total, resumed, done = 100, 20, 60


def test_the_time_left() -> None:
    clock = script.Clock(Half, 1000.0)  # type: ignore[arg-type]
    assert clock.left(20, 1050.0) == ""
    assert clock.left(60, 1080.0) == "about 0:01:20 left"
    assert clock.left(21, 5000.0).startswith("about 87:46:40 left")


def test_lines_tell_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "LINE_SECONDS", 0.0)
    half: Any = Half()
    script.Lines(half, sys.stderr).watch(half)
    assert capsys.readouterr().err.startswith("[60/100] about ")


def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    """stderr is a terminal: a bar that reaches the end; the results are as ever."""
    import pty

    pytest.importorskip("rich")
    many(tmp_path, 10)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("games.txt", "--out", "r.jsonl", *FEW),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 4096):
            seen += data
    except OSError:  # Linux's way to say that nobody writes any more
        pass
    os.close(ours)
    out, _ = process.communicate(timeout=20)
    assert b"10/10 items" in seen
    assert out.endswith(b"10 items, 1 of them errors: r.jsonl\n")


def test_the_schema_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, "--schema")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == SCHEMA
