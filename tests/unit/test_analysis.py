"""Analyse: several best lines, reports on the way, and ends that come when they are asked for."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from shisan.engine import (
    Analysis,
    Colour,
    Engine,
    LimitError,
    Limits,
    Position,
    PositionError,
    Rules,
    win_probability,
)

QUIET = ((7, 7), (8, 8), (6, 8), (9, 6), (5, 5))


def position(rules: Rules, moves: tuple[tuple[int, int], ...] = QUIET) -> Position:
    place = Position(rules)
    for x, y in moves:
        place.play(x, y)
    return place


@pytest.mark.parametrize("rules", [Rules.freestyle(15), Rules.renju(15), Rules.caro(20, 12)])
def test_lines_are_different_legal_and_in_order(rules: Rules) -> None:
    place = position(rules)
    found = Engine(rules).analyse(place, Limits(depth=5), lines=4)
    assert len({line.move for line in found.lines}) == 4
    assert [line.value for line in found.lines] == sorted(
        (line.value for line in found.lines), reverse=True
    )
    for line in found.lines:
        again = place.copy()
        for x, y in line.moves:
            again.play(x, y)
        assert line.moves[0] == line.move
        assert line.depth == found.depth == 5
        assert line.win_probability == win_probability(line.value)
    assert place == position(rules)


def test_the_first_line_is_what_a_search_finds() -> None:
    place = position(Rules.freestyle(15))
    found = Engine(place.rules).analyse(place, Limits(depth=6)).best
    searched = Engine(place.rules).search(place, Limits(depth=6))
    assert (found.move, found.depth) == (searched.move, searched.depth)
    assert searched.win_probability == win_probability(searched.value)


def test_every_line_of_a_won_position_is_worth_what_it_says() -> None:
    place = Position.set_up(
        Rules.freestyle(15), [(x, 7, Colour.BLACK) for x in range(5, 9)], Colour.BLACK
    )
    found = Engine(place.rules).analyse(place, Limits(depth=3), lines=3)
    assert {line.move for line in found.lines[:2]} == {(4, 7), (9, 7)}
    assert [line.win_in for line in found.lines[:2]] == [1, 1]
    assert found.best.win_probability == 1


def test_no_more_lines_than_legal_moves() -> None:
    place = Position.set_up(
        Rules.freestyle(5),
        [
            (x, y, Colour((x + y // 2) % 2))
            for x in range(5)
            for y in range(5)
            if (x, y) not in ((0, 0), (4, 4))
        ],
        Colour.BLACK,
    )
    found = Engine(place.rules).analyse(place, Limits(depth=4), lines=9)
    assert {line.move for line in found.lines} == {(0, 0), (4, 4)}


def test_allowed_and_avoided_points() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    allowed = [(7, 8), (8, 7), (6, 6), (7, 7)]
    found = engine.analyse(place, Limits(depth=3), 5, avoid=[(6, 6)], allow=allowed)
    assert {line.move for line in found.lines} == {(7, 8), (8, 7)}
    with pytest.raises(PositionError, match="no empty point is among those allowed"):
        engine.analyse(place, Limits(depth=3), allow=[(7, 7)])


def test_limits_hold_for_all_lines_together() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    assert engine.analyse(place, Limits(nodes=20_000), 5).nodes <= 20_100
    begun = time.monotonic()
    found = engine.analyse(place, Limits(turn_ms=500), 5)
    assert 0.4 < time.monotonic() - begun < 2
    assert 1 <= len(found.lines) <= 5
    assert len(engine.analyse(place, Limits(nodes=1), 5).lines) == 1
    assert 1 <= len(engine.analyse(place, Limits(turn_ms=0), 5).lines) <= 5
    with pytest.raises(LimitError, match="lines must be 1 or more, not 0"):
        engine.analyse(place, Limits(nodes=1), 0)


def test_watching_ends_with_the_result() -> None:
    place = position(Rules.freestyle(15))
    seen = list(Engine(place.rules).watch(place, Limits(depth=6), 2))
    assert [found.depth for found in seen] == [1, 2, 3, 4, 5, 6, 6]
    assert seen[-1].lines == Engine(place.rules).analyse(place, Limits(depth=6), 2).lines


def test_an_iterator_that_is_left_ends_the_analysis() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    for found in engine.watch(place, Limits(), 2):
        if found.depth >= 4:
            break
    assert not [thread for thread in threading.enumerate() if thread.name == "shisan analysis"]
    begun = time.monotonic()
    engine.search(place, Limits(depth=1))
    assert time.monotonic() - begun < 1


def test_an_iterator_that_never_began_starts_nothing() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    engine.watch(place, Limits(), 2).close()  # type: ignore[attr-defined]
    assert engine.search(place, Limits(depth=2)).depth == 2


def test_what_the_analysis_raises_is_raised_to_the_watcher() -> None:
    engine = Engine(Rules.renju(15))
    with pytest.raises(LimitError, match="the engine plays"):
        list(engine.watch(position(Rules.freestyle(15)), Limits(depth=1)))


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.05])
def test_stop_from_another_thread(seconds: float) -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    begun = threading.Event()
    timer = threading.Thread(target=lambda: (begun.wait(), time.sleep(seconds), engine.stop()))
    timer.start()
    asked = time.monotonic()
    found = engine.analyse(place, Limits(turn_ms=20_000), 3, on_progress=lambda _: begun.set())
    assert time.monotonic() - asked < 5
    assert found.lines
    timer.join()


def test_the_engine_solves_and_stops() -> None:
    engine = Engine(Rules.freestyle(15))
    won = position(engine.rules, ((7, 7), (8, 6), (7, 6), (8, 7), (7, 8), (8, 9)))
    solution = engine.solve(won, time_ms=20_000)
    assert solution.status == "won" and solution.proof is not None
    quiet = position(engine.rules)
    timer = threading.Timer(0.3, engine.stop)
    timer.start()
    begun = time.monotonic()
    stopped = engine.solve(quiet, "dfpn")
    assert (stopped.status, stopped.reason) == ("undecided", "stopped")
    assert time.monotonic() - begun < 5
    with pytest.raises(LimitError, match="the engine plays"):
        engine.solve(position(Rules.renju(15)))


def test_async_watching_and_its_cancelling() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)

    async def whole() -> list[Analysis]:
        return [found async for found in engine.watch_async(place, Limits(depth=4), 2)]

    async def endless() -> None:
        async for _ in engine.watch_async(place, Limits(), 2):
            pass

    async def cancelled() -> float:
        task = asyncio.create_task(endless())
        await asyncio.sleep(0.2)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - begun

    assert [found.depth for found in asyncio.run(whole())] == [1, 2, 3, 4, 4]
    assert asyncio.run(cancelled()) < 1


def test_the_engine_starts_without_what_only_some_need() -> None:
    code = "import sys, shisan.engine; print({'asyncio', 'numpy', 'rich'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_engines_of_several_threads_do_not_disturb_each_other() -> None:
    place = position(Rules.freestyle(15))
    wanted = Engine(place.rules).analyse(place, Limits(depth=5), 2).lines
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                Engine(place.rules).analyse(place, Limits(depth=5), 2).lines
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_one_engine_serves_threads_in_turn() -> None:
    place = position(Rules.freestyle(15))
    engine = Engine(place.rules)
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(len(engine.analyse(place, Limits(depth=4), 3).lines))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 4


def test_many_lines_do_not_outlast_the_time() -> None:
    """A search to depth 1 of a few nodes does not look at the clock: between two somebody must."""
    rules = Rules.freestyle(20)
    place = position(rules)
    engine = Engine(rules)
    assert len(engine.analyse(place, Limits(turn_ms=0), lines=400).lines) == 1
    known = engine.analyse(place, Limits(turn_ms=60_000, depth=1), lines=400)
    assert len(known.lines) == 400 - place.ply, "where there is time all of them"
