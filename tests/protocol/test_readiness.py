"""Between START and the first move: memory is taken, and nobody has to wait for it."""

import sys
import time
from collections.abc import Callable
from threading import Event

import psutil
import pytest
from brains import MOVE, SLACK, Brain

from shisan.engine import Engine, Limits, Position, Rules

MIB = 1 << 20
UNHURRIED = "import shisan.protocol.loop as loop; loop.READY_MS = 60_000; loop.main()"
"""A brain that takes its memory however long it takes."""

BOARD = ("BOARD", "9,9,2", "10,10,1", "11,8,2", "DONE")


def unique(brain: Brain) -> int:
    """Bytes of memory that only this process has."""
    return int(psutil.Process(brain.process.pid).memory_full_info().uss)


def comes_true(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether it does so soon."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def outcome(brain: Brain) -> list[str]:
    """Move, depth, value and nodes of a search of BOARD; not its times."""
    before = len(brain.log)
    move = brain.ask(*BOARD)
    words = next(line for line in brain.log[before:] if "MESSAGE depth" in line).split()
    return [move, *words[: words.index("n") + 2]]


def unhurried() -> Brain:
    return Brain(command=[sys.executable, "-c", UNHURRIED])


def test_memory_is_taken_before_the_first_move() -> None:
    with unhurried() as brain:
        brain.ask("ABOUT")
        least = unique(brain)
        brain.ask("START 20")
        assert comes_true(lambda: unique(brain) > least + 60 * MIB, 20)
        brain.leave()


def test_a_limit_of_memory_holds_for_it() -> None:
    with Brain() as brain:
        brain.ask("START 20")
        brain.send("INFO max_memory 83886080")
        time.sleep(0.5)
        assert unique(brain) < 80 * MIB
        brain.leave()


@pytest.mark.parametrize("delay", [0, 0.04, 0.05, 0.055, 0.06, 0.08, 0.12, 0.3])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_first_move_is_in_time_whenever_it_is_asked_for(delay: float, at_once: bool) -> None:
    """Though the memory takes seconds, and though the line comes in two parts."""
    with unhurried() as brain:
        brain.ask("START 20", "INFO timeout_turn 100", f"INFO max_memory {8 << 30}")
        time.sleep(delay)
        if not at_once:
            brain.write(b"BEG")
            time.sleep(0.06)
            brain.write(b"IN")
        at = brain.write(b"\n" if not at_once else b"BEGIN\n")
        answer = brain.line()
        assert MOVE.match(answer.text)
        assert answer.at - at < 0.1 + SLACK
        brain.leave()


def test_games_do_not_depend_on_when_they_are_asked_for() -> None:
    """Tables are as good as new after RESTART, whether there was time for them or not."""
    with Brain() as brain:
        found = []
        for delay in (0, 0.3, 0, 0.3):
            brain.ask("RESTART" if found else "START 20", "INFO max_node 20000")
            time.sleep(delay)
            found.append(outcome(brain))
        assert found == found[:1] * 4
        brain.leave()


def test_it_ends_by_itself() -> None:
    with Brain() as brain:
        brain.ask("START 20", "INFO thread_num 4")
        process = psutil.Process(brain.process.pid)

        def flat() -> bool:
            before = sum(process.cpu_times()[:2])
            time.sleep(0.4)
            return sum(process.cpu_times()[:2]) - before <= 0.02

        assert comes_true(flat)
        brain.leave()


def test_end_does_not_wait_for_it() -> None:
    with unhurried() as brain:
        brain.ask("START 20", f"INFO max_memory {8 << 30}")
        time.sleep(0.07)
        assert brain.leave() < 0.5 + SLACK


def test_readiness_changes_no_search() -> None:
    place = Position(Rules.freestyle(20))
    for point in ((9, 9), (10, 10), (11, 8)):
        place.play(*point)
    found = []
    for ready in (False, True):
        engine = Engine(place.rules, threads=1)
        for _ in range(2):
            if ready:
                engine.get_ready(1000, Event())
            result = engine.search(place, Limits(depth=6))
            found.append((result.move, result.value, result.nodes, result.line))
            engine.clear()
    assert found == found[:1] * 4


def test_enough_is_enough() -> None:
    """An order to stop that came before is heard too."""
    enough = Event()
    enough.set()
    engine = Engine(Rules.freestyle(15), memory=1 << 30)
    process = psutil.Process()
    before = process.memory_full_info().uss
    engine.get_ready(60_000, enough)
    assert process.memory_full_info().uss - before < 64 * MIB
