"""What the dialect of Yixin-Board searches for, with the engine: lines, blocks, balance, tables."""

import gzip
import json
import os
import re
import time
from pathlib import Path

import pytest

from shisan.engine import Colour, Engine, Limits, Point, Position, Progress, Rules
from shisan.protocol.commands import FOREIGN_PATHS
from shisan.protocol.consulting import DatabaseRequest
from shisan.protocol.details import Trial
from shisan.protocol.effects import Search
from shisan.protocol.hashfile import HashFileError, dump, load, use_table
from shisan.protocol.tasks import WIN_AT_ONCE, Outcome, images, perform
from shisan.protocol.yixin import Task, soosorv_position
from shisan.protocol.yixindatabase import YixinDatabase

DATA = Path(__file__).parents[1] / "data"
CASE_8 = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10"
CASE_9 = "h8h7i9k7i8f9g7f6i10i11g10f10h10f8f7k11h9f11f12g11h11h12e9k6"


def played(moves: str, rules: Rules | None = None) -> Position:
    """The position after these moves: h8g7..."""
    position = Position(rules or Rules.freestyle(15))
    for letter, row in re.findall(r"([a-z])(\d+)", moves):
        position.play(ord(letter) - ord("a"), int(row) - 1)
    return position


def do(
    position: Position,
    task: Task,
    limits: Limits | None = None,
    avoid: tuple[Point, ...] = (),
    engine: Engine | None = None,
) -> Outcome:
    """Carry out a task with an engine of its own."""
    job = Search(
        1, position, limits or Limits(nodes=20000), time.monotonic(), None, False, (0, 0), 100
    )
    return perform(
        engine or Engine(position.rules, 64 << 20),
        job._replace(avoid=avoid, task=task),
        lambda news: None,
        lambda: False,
    )


TASKS = [Task("move"), Task("lines", 4), Task("defend"), Task("balance one", 0)]
TASKS += [Task("balance two", 0)]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.kind)
@pytest.mark.parametrize("limits", [Limits(turn_ms=0), Limits(nodes=3000), Limits(depth=2)])
def test_54_blocked_points_are_never_played(task: Task, limits: Limits) -> None:
    """Not the five that wins, not the only point that stops one, not a win by fours."""
    five = played("h8a1i8a3j8a5k8a7")  # g8 and l8 make a five
    block = played("a1h8a3i8a5j8c1k8l8")  # White's four, Black's stone at one end; White wins at g8
    block = Position.set_up(block.rules, block.stones, Colour.BLACK)
    case = played(CASE_9)
    for position, avoid in (
        (five, ((6, 7), (11, 7))),
        (block, ((6, 7),)),
        (case, ((9, 9), (6, 7), (8, 6))),
    ):
        found = do(position, task, limits, avoid).result
        assert found is not None
        points = found.line[:2] if task.kind == "balance two" else (found.move,)
        assert not set(points) & set(avoid)
        assert all(position.is_empty(*point) for point in points)


def test_54_one_point_left() -> None:
    """Every point but one is blocked, in a corner far from any stone."""
    position = played("h8h9i8")
    avoid = tuple((x, y) for x in range(15) for y in range(15) if (x, y) != (14, 14))
    for task in TASKS[:-1]:
        found = do(position, task, Limits(nodes=500), avoid).result
        assert found is not None and found.move == (14, 14)


@pytest.mark.parametrize("task", TASKS[:3], ids=lambda task: task.kind)
def test_a_five_is_made_and_a_four_is_blocked(task: Task) -> None:
    for limits in (Limits(turn_ms=0), Limits(nodes=2000)):
        found = do(played("h8a1i8a3j8a5k8a7"), task, limits).result
        assert found is not None and found.move in ((6, 7), (11, 7))
        found = do(played(CASE_8), task, limits).result
        assert found is not None and found.move == (4, 6)


def test_lines_are_those_of_analyse() -> None:
    position = played("h8i9h9")
    lines = do(position, Task("lines", 5), Limits(depth=4)).lines
    analysis = Engine(position.rules, 64 << 20).analyse(position, Limits(depth=4), 5)
    assert lines == analysis.lines and len({line.move for line in lines}) == 5


def test_merged_lines_are_no_images_of_each_other() -> None:
    """On the empty board and round one stone each eighth of the board gives one line."""
    for moves in ("", "h8", "h8h9"):
        position = played(moves)
        lines = do(position, Task("lines", 8, merge=True), Limits(depth=1)).lines
        orbits = []
        for line in lines:
            x, y = line.move
            eight = {(a, b) for a in (x, 14 - x) for b in (y, 14 - y)}
            eight |= {(b, a) for a, b in eight}
            two = {(x, y), (14 - x, y)}
            orbits.append(frozenset(two if moves == "h8h9" else eight))
        assert len(set(orbits)) == len(orbits) == 8
    position = played("h8i9f7")
    assert images(position, ()) == set()


def test_images_keep_one_of_each_that_is_not_excluded() -> None:
    """In the smallest board, by trying every rotation and reflection."""
    position = Position(Rules.freestyle(5))
    position.play(2, 2)
    assert len(images(position, ())) == 24 - 5
    corners = {(0, 0), (4, 0), (0, 4), (4, 4)}
    assert corners - images(position, ()) == {(0, 0)}
    assert corners - images(position, {(0, 0)}) == {(0, 0), (4, 0)}  # excluded, and the next
    rectangle = Position(Rules.freestyle(6, 5))
    assert len(images(rectangle, ())) == 30 - 9


def test_defend_knows_every_move() -> None:
    """Of a four to be blocked all moves but the one that blocks it lose."""
    position = played(CASE_8)
    outcome = do(position, Task("defend"), Limits(depth=1))
    assert len(outcome.lines) == len(position.legal_points())
    assert [line.move for line in outcome.lines if line.win_in is None] == [(4, 6)]
    assert {line.win_in for line in outcome.lines[1:]} == {-2}
    values = [line.value for line in outcome.lines]
    assert values == sorted(values, reverse=True)


def test_defend_on_defences() -> None:
    """Positions with few defences: the answer is one of them."""
    text = gzip.decompress((DATA / "puzzles/defend_freestyle15.jsonl.gz").read_bytes()).decode()
    right = 0
    records = [json.loads(line) for line in text.splitlines()][:12]
    for record in records:
        position = Position(Rules.freestyle(15))
        for x, y in record["moves"]:
            position.play(x, y)
        outcome = do(position, Task("defend"), Limits(turn_ms=400))
        assert outcome.result is not None
        right += list(outcome.result.move) in record["answers"] + record["delaying_fours"]
    assert right >= 10


def test_defend_values_are_of_the_side_to_move() -> None:
    """A five at once, a win a search finds, a value that agrees with a search of the position."""
    five = played("h8a1i8a3j8a5k8a7")
    best = do(five, Task("defend"), Limits(depth=1)).lines[0]
    assert (best.value, best.win_in) == (WIN_AT_ONCE, 1)
    plain = Engine(five.rules, 64 << 20).search(five, Limits(depth=1))
    assert (plain.value, plain.win_in) == (WIN_AT_ONCE, 1)
    four = played("h8a1i8a3j8a5")  # an open four next
    best = do(four, Task("defend"), Limits(depth=3)).lines[0]
    assert best.win_in == 3 and best.value == WIN_AT_ONCE - 2


@pytest.mark.parametrize("kind", ["balance one", "balance two"])
def test_balance_goes_where_it_is_asked(kind: str) -> None:
    """A higher number gives positions that a search of its own holds for better."""
    position = played("h8i9", Rules.standard(15))
    values = []
    for target in (-150, 0, 300):
        found = do(position, Task(kind, target), Limits(nodes=400_000)).result
        assert found is not None
        place = position.copy()
        points = found.line[:2] if kind == "balance two" else (found.move,)
        for point in points:
            place.play(*point)
        sign = 1 if kind == "balance two" else -1
        search = Engine(position.rules, 64 << 20).search(place, Limits(nodes=60_000))
        values.append(sign * search.value)
    assert values == sorted(values)
    assert values[-1] - values[0] > 80


def test_balance_is_repeatable() -> None:
    position = Position(Rules.freestyle(15))
    found = [do(position, Task("balance two", 0), Limits(nodes=50_000)).result for _ in range(2)]
    assert found[0] is not None and found[1] is not None
    assert found[0].line == found[1].line and found[0].value == found[1].value


def test_trials_are_reported_and_a_stop_is_obeyed() -> None:
    news: list[object] = []
    position = played("h8i9h9")
    job = Search(1, position, Limits(), time.monotonic(), None, False, (0, 0), 100)
    engine = Engine(position.rules, 64 << 20)

    def report(known: object) -> None:
        news.append(known)
        if len(news) > 400:
            engine.stop()

    begun = time.monotonic()
    outcome = perform(engine, job._replace(task=Task("defend")), report, lambda: len(news) > 400)
    assert outcome.result is not None and time.monotonic() - begun < 20
    trials = [known for known in news if isinstance(known, Trial)]
    assert {trial.point for trial in trials} <= set(position.legal_points())
    assert any(isinstance(known, Progress) for known in news)


# -- Soosorv ---------------------------------------------------------------------------------------


def test_soosorv() -> None:
    """The steps one after the other, as two players take them."""
    rules = Rules.renju(15)
    three: tuple[Point, ...] = ((7, 7), (8, 6), (9, 7))

    def step(number: int, points: tuple[Point, ...], fifths: int = 1) -> list[list[str]]:
        task = Task("soosorv", number, points=points, fifths=fifths)
        said = do(soosorv_position(task, rules), task, Limits(nodes=60_000)).said
        assert all(line.startswith("MESSAGE SOOSORV ") for line in said)
        return [line.split()[2:] for line in said]

    assert step(2, three) in ([["SWAP1", "Y"]], [["SWAP1", "N"]])
    ((word, x, y, number),) = step(3, three)
    four = (*three, (int(x), int(y)))
    assert word == "MOVE4" and 1 <= int(number) <= 8 and len(set(four)) == 4
    assert step(4, four, int(number)) in ([["SWAP2", "Y"]], [["SWAP2", "N"]])
    offered = step(5, four, 3)
    assert offered[0] == ["MOVE5", "REFRESH"] and offered[-1] == ["MOVE5", "DONE"]
    fifths = tuple((int(x), int(y)) for _, x, y in offered[1:-1])
    assert len(set(fifths)) == 3 and not set(fifths) & set(four)
    ((word, x, y),) = step(6, four + fifths)
    assert word == "MOVE5C" and (int(x), int(y)) in fifths


def test_soosorv_takes_the_fifth_that_is_worst_for_black() -> None:
    four: tuple[Point, ...] = ((7, 7), (7, 6), (8, 7), (9, 7))
    offered: tuple[Point, ...] = ((6, 8), (0, 0))
    task = Task("soosorv", 6, points=four + offered)
    said = do(soosorv_position(task, Rules.renju(15)), task, Limits(nodes=20_000)).said
    assert said == ("MESSAGE SOOSORV MOVE5C 0 0",)


# -- the table in a file ---------------------------------------------------------------------------


def searched() -> tuple[Engine, Position, int]:
    """An engine with something in its table, the position, and the nodes of a search from nothing.

    A second search of that engine needs fewer.
    """
    position = played("h8i9h9")
    engine = Engine(position.rules, 42 << 20)
    nodes = engine.search(position, Limits(depth=9)).nodes
    return engine, position, nodes


def test_a_table_is_saved_and_loaded(tmp_path: Path) -> None:
    engine, position, nodes = searched()
    path = tmp_path / "a table"
    size = dump(engine, path)
    assert path.stat().st_size == size
    assert [file.name for file in tmp_path.iterdir()] == ["a table"]
    other = Engine(position.rules, 42 << 20)
    load(other, path)
    whole = engine.table_size
    assert other.read_table(0, whole) == engine.read_table(0, whole)
    assert 0 < other.table_usage == engine.table_usage < 1
    assert other.search(position, Limits(depth=9)).nodes < nodes / 2
    assert dump(engine, path)  # a table may be replaced by another


def test_what_is_no_table_of_ours_is_refused(tmp_path: Path) -> None:
    engine, position, _ = searched()
    good = tmp_path / "good"
    dump(engine, good)
    data = good.read_bytes()
    empty = Engine(position.rules, 42 << 20)
    blank = empty.read_table(0, empty.table_size)
    bad = tmp_path / "bad"
    for damaged in (
        b"",
        b"hello",
        data[: len(data) // 2],
        data[:-1],
        data + b"x",
        data.replace(b"table 1", b"table 0", 1),
        data[:-3] + b"\0\0\0",
        bytes(byte ^ (i == 2000) for i, byte in enumerate(data)),
    ):
        bad.write_bytes(damaged)
        with pytest.raises(HashFileError, match=r"holds|damaged"):
            load(empty, bad)
        assert empty.read_table(0, empty.table_size) == blank
    for other in (Engine(Rules.standard(15), 42 << 20), Engine(position.rules, 60 << 20)):
        with pytest.raises(HashFileError, match="holds another table"):
            load(other, good)


def test_the_three_verbs(tmp_path: Path) -> None:
    engine, _, _ = searched()
    (usage,) = use_table(engine, Task("hash", verb="yxshowhashusage"))
    assert usage.startswith("MESSAGE hash usage ") and usage.endswith(
        f" {engine.table_size >> 10} KiB"
    )
    path = str(tmp_path / "x y.hash")
    (saved,) = use_table(engine, Task("hash", verb="yxhashdump", path=path))
    assert saved.startswith(f"MESSAGE hash saved to {path}: ")
    (loaded,) = use_table(engine, Task("hash", verb="yxhashload", path=path))
    assert loaded.startswith(f"MESSAGE hash loaded from {path}: ")
    text = tmp_path / "letter.txt"
    text.write_text("Dear reader,")
    for verb, bad in (
        ("yxhashload", str(tmp_path / "none")),
        ("yxhashload", str(text)),
        ("yxhashload", str(tmp_path)),
        ("yxhashload", "a\0b"),
        ("yxhashdump", str(text)),
        ("yxhashdump", str(tmp_path)),
        ("yxhashdump", str(tmp_path / "no" / "where")),
    ):
        (line,) = use_table(engine, Task("hash", verb=verb, path=bad))
        done = "saved" if verb == "yxhashdump" else "loaded"
        assert line.startswith(f"MESSAGE hash not {done}: ")
    assert text.read_text() == "Dear reader,"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Nobody may ever write to it: to wait for that would end all searches."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for verb in ("yxhashload", "yxhashdump"):
        (line,) = use_table(Engine(Rules.freestyle(15)), Task("hash", verb=verb, path=str(pipe)))
        assert line.endswith(f"{pipe} is no file")
    place, database = Position(Rules.freestyle(15)), YixinDatabase()
    list(database.handle(DatabaseRequest("yxsetdatabase", "", place, str(tmp_path / "a"), False)))
    for verb in sorted(FOREIGN_PATHS):
        if "DB" in verb or "DATABASE" in verb:
            request = DatabaseRequest(verb.lower(), "", place, str(pipe), False)
            assert any("is no file" in said for said in database.handle(request)), verb
