"""Threads and pondering, from outside: silent, at once over, nobody's time, nobody's settings."""

import os
import time

import psutil
import pytest
from brains import MOVE, SLACK, Brain, Found, Talk

from shisan.engine import MAX_THREADS, PROCESS_MEMORY, THREAD_MEMORY
from shisan.protocol.session import Effect, Ponder

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MIB = 1 << 20


# -- the session -------------------------------------------------------------------------------


def pondered(talk: Talk, *lines: str) -> list[Effect]:
    """What is pondered because of these lines."""
    before = len(talk.effects)
    talk.send(*lines)
    return [effect for effect in talk.effects[before:] if isinstance(effect, Ponder)]


def test_off_by_default() -> None:
    talk = Talk("START 15")
    assert pondered(talk, "BEGIN", "TURN 9,9", "INFO pondering 0", "TURN 8,8") == []


@pytest.mark.parametrize("key", ["pondering", "auto_pondering"])
def test_the_position_after_our_move_is_pondered(key: str) -> None:
    talk = Talk("START 15", f"INFO {key} 1")
    (ponder,) = pondered(talk, "TURN 7,7")
    assert isinstance(ponder, Ponder)
    assert talk.effects[-1] is ponder
    assert [stone[:2] for stone in ponder.position.stones] == [(7, 7), (0, 0)]
    assert ponder.limits.turn_ms is None and ponder.limits.left_ms is None
    talk.send("TURN 5,5")
    assert ponder.position.ply == 2, "it is a copy"
    assert pondered(talk, f"INFO {key} 0", "TURN 6,6") == []


def test_it_outlasts_games() -> None:
    talk = Talk("INFO pondering 1", "START 15")
    for line in ("RESTART", "START 20", "RECTSTART 15,9"):
        talk.send(line)
        assert len(pondered(talk, "BEGIN")) == 1


def test_limits_of_depth_and_nodes_hold() -> None:
    talk = Talk("START 15", "INFO pondering 1", "INFO max_depth 3", "INFO max_node 500")
    (ponder,) = pondered(talk, "BEGIN")
    assert isinstance(ponder, Ponder)
    assert (ponder.limits.depth, ponder.limits.nodes) == (3, 500)


def test_what_is_not_pondered() -> None:
    """A choice of sides, a game that is over, weaker play, and a position that is gone already."""
    talk = Talk("START 15", "INFO pondering 1")
    assert pondered(talk, "SWAP2BOARD", "7,7", "3,3", "9,8", "DONE") == []
    row = [f"{x},7,1" for x in range(4)] + [f"{x},9,2" for x in range(4)]
    talk.answer = lambda search: Found((4, 7))
    assert pondered(talk, "BOARD", *row, "DONE") == []
    talk = Talk("START 15", "INFO pondering 1", "INFO strength 50")
    assert pondered(talk, "BEGIN") == []
    talk.send("INFO strength 100")
    talk.hold = True
    before = len(talk.effects)
    talk.send("TURN 9,9", "TURN 8,8")
    talk.finish()
    assert not any(isinstance(effect, Ponder) for effect in talk.effects[before:])
    talk.finish()
    assert isinstance(talk.effects[-1], Ponder)


def test_thread_num_reaches_the_search_and_the_next_game() -> None:
    talk = Talk("INFO thread_num 3", "START 15", "BEGIN")
    assert talk.searches[-1].threads == 3
    talk.send("RESTART", "BEGIN")
    talk.send("START 20", "BEGIN")
    assert talk.searches[-1].threads == 3
    talk.send("INFO thread_num 1", "TURN 9,9")
    assert talk.searches[-1].threads == 1


@pytest.mark.parametrize("value", [0, -1, MAX_THREADS + 1])
def test_numbers_of_threads_that_are_none(value: int) -> None:
    talk = Talk("START 15", "INFO thread_num 2", f"INFO thread_num {value}")
    wanted = f"INFO thread_num must be 1..{MAX_THREADS}, not {value}: ignored"
    assert wanted in talk.messages("BEGIN")
    assert talk.searches[-1].threads == 2


def test_threads_that_memory_has_no_room_for() -> None:
    memory = PROCESS_MEMORY + THREAD_MEMORY
    talk = Talk("START 15", "INFO thread_num 4", f"INFO max_memory {memory}")
    assert f"thread_num 4: max_memory {memory} has room for 2" in talk.messages("BEGIN")
    assert talk.searches[-1].threads == 2
    assert talk.searches[-1].memory == memory
    assert talk.messages("TURN 9,9") == [], "said once"
    talk.send("INFO max_memory 0", "TURN 8,8")
    assert talk.searches[-1].threads == 4


def test_hash_size_is_the_table_whatever_the_threads() -> None:
    talk = Talk("START 15", "INFO hash_size 32768", "INFO thread_num 4", "BEGIN")
    assert talk.searches[-1].memory == PROCESS_MEMORY + 3 * THREAD_MEMORY + 32 * MIB * 10 // 9
    assert talk.searches[-1].threads == 4


# -- the process -------------------------------------------------------------------------------


def used(brain: Brain) -> float:
    """Seconds of processor time of the process and its children so far."""
    process = psutil.Process(brain.process.pid)
    times = [member.cpu_times() for member in (process, *process.children(recursive=True))]
    return sum(time.user + time.system for time in times)


def flat(brain: Brain) -> bool:
    """Whether the process uses no processor time from 200 ms after now."""
    time.sleep(0.2)
    before = used(brain)
    time.sleep(0.4)
    return used(brain) - before <= 0.02


def pondering(brain: Brain, threads: int = 4) -> None:
    """Bring a brain to ponder on so many threads."""
    brain.ask("START 15", "INFO pondering 1", f"INFO thread_num {threads}", "INFO timeout_turn 100")
    assert MOVE.match(brain.ask("TURN 1,1"))
    before, said = used(brain), len(brain.raw)
    time.sleep(0.4)
    assert used(brain) - before > 0.1
    assert len(brain.raw) == said, "not even a MESSAGE"


ENDS = [
    *("RESTART", "START 15", "START 20", "TAKEBACK 1,1", "ABOUT", "foo", "STOP", "BOARD", "DONE"),
    *("INFO pondering 0", "INFO timeout_turn 100", "PLAY 3,3", "SWAP2BOARD", "yxstop", "START 99"),
]


@pytest.mark.parametrize("line", ENDS)
def test_14_every_command_ends_pondering(line: str) -> None:
    with Brain() as brain:
        pondering(brain)
        brain.send(line)
        assert flat(brain)
        brain.send("DONE", "END")
        assert brain.process.wait(10) == 0


def test_14_a_search_that_is_given_up_ends_on_all_threads() -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO thread_num 4", "INFO timeout_turn 60000")
        brain.send("BEGIN")
        brain.quiet(0.3)
        assert brain.ask("RESTART") == "OK"
        assert flat(brain)
        brain.leave()


def test_14_end_while_pondering() -> None:
    with Brain() as brain:
        pondering(brain)
        assert brain.leave() < 0.5 + SLACK


def test_14_end_of_input_while_pondering() -> None:
    with Brain() as brain:
        pondering(brain)
        assert brain.process.stdin is not None
        brain.process.stdin.close()
        assert brain.left(time.monotonic()) < 0.5 + SLACK


@pytest.mark.parametrize("reply", ["TURN 9,9", "TURN 0,14"])
def test_a_reply_ends_pondering_and_the_move_is_in_time(reply: str) -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO pondering 1", "INFO thread_num 4", "INFO timeout_turn 100")
        brain.ask("TURN 7,7")
        seen = {"7,7"}
        for number in range(5):
            time.sleep(0.05 * number)
            line = reply if number == 0 else f"TURN {number},{2 * number}"
            if line[5:] in seen:
                continue
            answer, took = brain.timed(line)
            if answer.startswith("ERROR"):
                continue
            assert MOVE.match(answer) and answer not in seen
            assert took < 0.1 + SLACK
            seen |= {line[5:], answer}
        brain.leave()


def test_pondering_is_over_before_a_move_at_once() -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO pondering 1", "INFO thread_num 4", "INFO timeout_turn 0")
        taken = set()
        for x in range(0, 14, 2):
            answer, took = brain.timed(f"TURN {x},14")
            if MOVE.match(answer):
                taken.add(answer)
                assert took < 0.05 + SLACK
            time.sleep(0.02)
        assert len(taken) >= 5
        brain.leave()


def test_it_helps() -> None:
    """After pondering the same move is searched deeper, or in fewer nodes to the same depth."""
    depths = []
    for value in (0, 1):
        with Brain() as brain:
            brain.ask("START 20", f"INFO pondering {value}", "INFO max_node 60000")
            brain.ask("BOARD", "9,9,1", "10,10,2", "9,11,1", "DONE")
            if value:
                time.sleep(0.6)
            brain.ask("TURN 12,12")
            said = [line for line in brain.log if "MESSAGE depth" in line]
            depths.append(int(said[-1].split()[3].partition("-")[0]))
            brain.leave()
    assert depths[1] >= depths[0]


def test_15_four_threads_are_four_threads() -> None:
    """Each of them uses the processor; and one thread is one."""
    with Brain() as brain:
        brain.ask("START 15", "INFO timeout_turn 1500")
        time.sleep(0.02)  # a move asked for at once would pay for the start, and end early
        for wanted in (4, 1, 2):
            brain.send(f"INFO thread_num {wanted}", "RESTART", "TURN 2,2")
            time.sleep(0.3)
            process = psutil.Process(brain.process.pid)
            before = {thread.id: thread.user_time for thread in process.threads()}
            time.sleep(0.9)
            after = {thread.id: thread.user_time for thread in process.threads()}
            busy = [thread for thread in after if after[thread] - before.get(thread, 0) >= 0.02]
            assert len(busy) == wanted
            assert brain.line().text == "OK"
            assert MOVE.match(brain.line().text)
        brain.leave()


@pytest.mark.skipif(CORES < 2, reason="there is one processor")
def test_15_threads_use_more_than_one_processor() -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO timeout_turn 1000", "INFO thread_num 4")
        before = used(brain)
        answer, took = brain.timed("TURN 2,2")
        assert MOVE.match(answer)
        share = (used(brain) - before) / took
        idle = psutil.cpu_percent(0.3, percpu=True)
        assert share > 1.1 or max(idle) > 50, "or the processors are not ours"
        brain.leave()


@pytest.mark.parametrize(
    ("megabytes", "threads"), [(100, 4), (350, 4), (58, 3)], ids=["100", "350", "58"]
)
def test_39_memory_with_threads_stays_below_the_limit(megabytes: int, threads: int) -> None:
    limit = megabytes << 20
    with Brain() as brain:
        brain.ask("START 20", f"INFO max_memory {limit}", "INFO timeout_turn 700")
        brain.send(f"INFO thread_num {threads}", "INFO pondering 1")
        peak = 0
        for command in (["BEGIN"], ["TURN 1,1"], ["TURN 18,18"], ["BOARD", "9,9,2", "DONE"]):
            assert MOVE.match(brain.ask(*command))
            time.sleep(0.3)
            peak = max(peak, psutil.Process(brain.process.pid).memory_full_info().uss)
        assert peak < limit
        brain.leave()
