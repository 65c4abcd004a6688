"""Several threads in one search: they share a table, end together, and prove what they announce."""

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shisan.engine import (
    MAX_THREADS,
    PROCESS_MEMORY,
    THREAD_MEMORY,
    Colour,
    Engine,
    LimitError,
    Limits,
    Position,
    Progress,
    Rules,
    most_threads,
)
from shisan.engine.kernel import load
from shisan.protocol.notation import read_points
from shisan.scripts.claims import RULES, check_announced, puzzle, puzzle_records

SLACK = float(os.environ.get("SHISAN_TEST_SLACK", "1"))
SharedTable = load("table").SharedTable

DATA = Path(__file__).parents[1] / "data"
FAR_APART = {
    "freestyle": "h8d4l12",
    "standard": "h8d4l12",
    "renju": "h8d4l12",
    "caro": "h8d4l12",
    "freestyle-20": "j10p4d16",
}
"""Stones that leave everything open: no search of these tests comes to an end by itself."""


def opened(name: str) -> Position:
    """A quiet position under one of the rules."""
    position = Position(RULES[name])
    for x, y in read_points(FAR_APART[name]):
        position.play(x, y)
    return position


# -- the table ---------------------------------------------------------------------------------


def test_what_is_stored_is_found() -> None:
    table = SharedTable(1 << 16)
    table.store(12345, 7, -321, 2, 99)
    assert table.probe(12345) == (7, -321, 2, 99)
    assert table.probe(12345 + (1 << 20)) is None


def test_words_of_two_writers_are_no_entry() -> None:
    """All keys here share one bucket; each half of one entry is put beside each half of another."""
    table = SharedTable(64)
    keys = [0x1234_5678_9ABC_DEF0, 0xFEDC_BA98_7654_3210, 0x0F0F_F0F0_1234_4321]
    for number, key in enumerate(keys):
        table.store(key, 5 + number, 100 * number, 3, 10 + number)
    whole = [table.words(at) for at in range(len(keys))]
    for at, (check, _) in enumerate(whole):
        for other, (_, data) in enumerate(whole):
            if other != at:
                table.set_words(at, check, data)
                assert table.probe(keys[at]) is None
                assert [key for key in keys if table.probe(key)] == [
                    key for place, key in enumerate(keys) if place != at
                ]
        table.set_words(at, *whole[at])
    assert all(table.probe(key) for key in keys)


def test_an_entry_that_is_torn_twice_is_none() -> None:
    """An older entry of the same position beside a newer one's word: neither is read."""
    table = SharedTable(64)
    table.store(77, 3, 1, 3, 1)
    check, _ = table.words(0)
    table.store(77, 9, 2, 3, 2)
    _, data = table.words(0)
    table.set_words(0, check, data)
    assert table.probe(77) is None


def test_memory_is_taken_without_a_change_to_what_is_in_it() -> None:
    """Several huge pages and small ones: the first words of each stay, and what is empty too."""
    entries = (8 << 20) // 16
    table = SharedTable(entries * 16)
    places = range(0, entries, 256)
    for at in places[::2]:
        table.set_words(at, at + 1, ~at & (1 << 64) - 1)
    for _ in range(2):
        table.warm()
        for number, at in enumerate(places):
            wanted = (at + 1, ~at & (1 << 64) - 1) if number % 2 == 0 else (0, 0)
            assert table.words(at) == wanted, at


def test_threads_read_what_others_wrote_whole() -> None:
    """Eight writers and readers in a table of 64 entries with 64 keys, without a lock."""
    table = SharedTable(1024)
    results: list[tuple[int, int]] = []
    threads = [
        threading.Thread(target=lambda seed=seed: results.append(table.hammer(seed, 300_000, 128)))
        for seed in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(wrong for _, wrong in results) == 0
    assert sum(found for found, _ in results) > 50_000


# -- moves -------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("name", RULES)
def test_games_are_legal_under_every_rule(name: str, threads: int) -> None:
    engine = Engine(RULES[name], memory=96 << 20, threads=threads)
    position = Position(RULES[name])
    position.play(1, 1)
    while not position.over and position.ply < 14:
        found = engine.search(position, Limits(turn_ms=12))
        assert position.is_legal(*found.move)
        assert found.line[0] == found.move
        line = position.copy()
        for point in found.line:
            assert line.is_empty(*point)
            if line.over:
                break
            line.play(*point)
        position.play(*found.move)


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("name", ["freestyle", "standard", "renju", "caro"])
def test_wins_are_proven(name: str, threads: int) -> None:
    """Each announced win is replayed against every reply by the proof checker."""
    tally = check_announced(name, 6, 4, nodes=4000, quiet=2, threads=threads)
    assert tally.faults == []
    assert tally.counts[name] == 4


@pytest.mark.parametrize("threads", [2, 4])
def test_wins_by_threats_end_the_search(threads: int) -> None:
    """Whichever thread proves it: without a limit the search returns only because it is won."""
    records = puzzle_records(DATA, ("vct",))[::20]
    assert len(records) > 8
    for record in records:
        position = puzzle(record)
        found = Engine(position.rules, threads=threads).search(position, Limits(turn_ms=60_000))
        assert found.win_in is not None and found.win_in > 0, record["id"]
        assert found.time_ms < 59_000
        assert found.move == found.line[0]


def test_four_lines_of_an_analysis() -> None:
    position = opened("freestyle")
    engine = Engine(position.rules, threads=3)
    analysis = engine.analyse(position, Limits(depth=6), lines=4)
    assert [line.depth for line in analysis.lines] == [6] * 4
    assert len({line.move for line in analysis.lines}) == 4
    assert all(position.is_legal(*line.move) for line in analysis.lines)


def test_five_is_made_and_blocked_with_no_time_at_all() -> None:
    position = opened("freestyle")
    rules = position.rules
    row = [(x, 3, Colour.WHITE) for x in range(3, 7)] + [(2, 3, Colour.BLACK)]
    threatened = Position.set_up(rules, row, Colour.BLACK)
    winning = Position.set_up(rules, row, Colour.WHITE)
    engine = Engine(rules, threads=4)
    assert engine.search(threatened, Limits(turn_ms=0)).move == (7, 3)
    assert engine.search(winning, Limits(turn_ms=0)).move == (7, 3)


# -- one thread --------------------------------------------------------------------------------


def test_one_thread_stays_the_same_whatever_ran_before() -> None:
    """The same nodes, value and line: in a new engine, beside others, and after four threads."""
    position = opened("freestyle")
    limits = Limits(nodes=60_000)

    def key(engine: Engine) -> object:
        found = engine.search(position, limits)
        return found.move, found.value, found.depth, found.nodes, found.line

    expected = key(Engine(position.rules))
    assert key(Engine(position.rules, threads=1)) == expected
    engine = Engine(position.rules, threads=4)
    engine.search(position, Limits(turn_ms=100))
    engine.threads = 1
    assert key(engine) == expected
    engine.clear()
    assert key(engine) == expected
    engine.threads = 2
    engine.threads = 1
    assert key(engine) == expected


def test_weaker_play_uses_one_thread_and_repeats() -> None:
    position = opened("freestyle")
    answers = []
    for threads in (1, 4, 4):
        engine = Engine(position.rules, threads=threads)
        engine.strength = 70
        found = engine.search(position, Limits(turn_ms=10_000))
        answers.append((found.move, found.value, found.nodes))
    assert len(set(answers)) == 1


# -- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_depths_are_told_once_each_whoever_finished_them(threads: int) -> None:
    """A depth that a helper finished first is the leader's too, with a line that can be played."""
    for name in FAR_APART:
        position = opened(name)
        told: list[Progress] = []
        engine = Engine(position.rules, threads=threads)
        found = engine.search(position, Limits(turn_ms=250), on_progress=told.append)
        assert [each.depth for each in told] == list(range(1, len(told) + 1)), name
        assert len(told) >= 5, (name, told)
        for each in (*told, found):
            after = position.copy()
            for x, y in each.line:
                assert after.is_legal(x, y), (name, each)
                after.play(x, y)


def test_depth_and_time_end_a_search_of_several_threads() -> None:
    """Whoever is first to reach the last depth ends the search: nobody goes on to the next."""
    for depth in (4, 5, 7):
        position = opened("freestyle")
        engine = Engine(position.rules, threads=3)
        found = engine.search(position, Limits(depth=depth))
        assert found.depth == depth
        begun = time.monotonic()
        engine.search(position, Limits(turn_ms=120))
        assert time.monotonic() - begun < 0.3 * SLACK


def test_nodes_are_those_of_all_threads() -> None:
    position = opened("freestyle")
    for threads in (2, 4):
        found = Engine(position.rules, threads=threads).search(position, Limits(nodes=300_000))
        assert 300_000 - 64 * threads <= found.nodes <= 300_000 + threads * 20_000


@pytest.mark.parametrize("threads", [0, -1, MAX_THREADS + 1])
def test_numbers_of_threads_refused(threads: int) -> None:
    with pytest.raises(LimitError, match=f"threads must be 1..{MAX_THREADS}, not {threads}"):
        Engine(Rules.freestyle(), threads=threads)


def test_memory_that_has_no_room_for_threads() -> None:
    memory = PROCESS_MEMORY + 2 * THREAD_MEMORY
    assert most_threads(memory) == 3
    assert most_threads(memory - 1) == 2
    assert most_threads(1) == 1
    assert most_threads(None) == most_threads(1 << 40) == MAX_THREADS
    engine = Engine(Rules.freestyle(), memory, threads=3)
    with pytest.raises(LimitError, match="4 threads need"):
        engine.threads = 4
    assert engine.threads == 3
    with pytest.raises(LimitError, match="3 threads need"):
        engine.resize(memory - 1)
    assert engine.search(Position(engine.rules), Limits(depth=1)).depth == 1


def ended(search: Callable[[], object], end: Callable[[], None], after: float) -> float:
    """Seconds from the end asked for to the search's return."""
    times = [0.0]

    def finish() -> None:
        time.sleep(after)
        times[0] = time.monotonic()
        end()

    other = threading.Thread(target=finish)
    other.start()
    search()
    took = time.monotonic() - times[0]
    other.join()
    return took


def test_a_stop_ends_all_threads_at_once() -> None:
    position = opened("freestyle-20")
    engine = Engine(position.rules, threads=4)
    took = sorted(
        ended(lambda: engine.search(position, Limits()), engine.stop, 0.02 + 0.001 * (number % 30))
        for number in range(60)
    )
    assert statistics.median(took) < 0.02
    assert took[-1] < 0.02 + SLACK
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.05


def test_an_order_to_end_that_comes_before_the_search() -> None:
    position = opened("freestyle")
    engine = Engine(position.rules, threads=2)
    enough = threading.Event()
    enough.set()
    begun = time.monotonic()
    found = engine.search(position, Limits(), enough=enough)
    assert time.monotonic() - begun < 0.1 + SLACK
    assert position.is_legal(*found.move)


def test_new_limits_reach_a_running_search() -> None:
    position = opened("freestyle")
    engine = Engine(position.rules, threads=3)
    end = lambda: engine.change_limits(Limits(turn_ms=0))  # noqa: E731
    assert ended(lambda: engine.search(position, Limits()), end, 0.1) < 0.02 + SLACK


def test_a_fault_in_a_report_leaves_no_thread_at_work() -> None:
    position = opened("freestyle")
    engine = Engine(position.rules, threads=4)

    def fail(progress: object) -> None:
        if getattr(progress, "depth", 0) >= 6:
            raise KeyError("ours")

    with pytest.raises(KeyError):
        engine.search(position, Limits(), on_progress=fail)
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.05
    assert position.is_legal(*engine.search(position, Limits(turn_ms=20)).move)


def test_an_engine_dropped_while_its_threads_end() -> None:
    """Tables live as long as a thread uses them, and no longer."""
    position = opened("freestyle")
    for _ in range(30):
        Engine(position.rules, memory=80 << 20, threads=4).search(position, Limits(turn_ms=5))
    time.sleep(0.2)
    assert sys.getrefcount(position) < 20


def test_more_threads_than_the_system_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    search = load("search")
    begin = search.start_new_thread
    given: list[object] = []

    def scarce(target: Callable[[], None], arguments: tuple[()]) -> int:
        if given:
            raise RuntimeError("can't start new thread")
        given.append(target)
        return int(begin(target, arguments))

    monkeypatch.setattr(search, "start_new_thread", scarce)
    position = opened("freestyle")
    found = Engine(position.rules, threads=4).search(position, Limits(turn_ms=100))
    assert found.note == "the system gave only 2 of 4 threads", found
    assert position.is_legal(*found.move)


def test_rectangles_and_rules_change_under_threads() -> None:
    engine = Engine(Rules.freestyle(), threads=3)
    for rules in (Rules.renju(), Rules.standard(7, 9), Rules.caro(12)):
        engine.rules = rules
        position = Position(rules)
        position.play(3, 3)
        assert position.is_legal(*engine.search(position, Limits(turn_ms=30)).move)
