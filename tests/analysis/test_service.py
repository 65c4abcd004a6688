"""The service as a process: many queries at once, priorities, ends, progress, and bad treatment."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from queue import Empty
from random import Random
from typing import Any

import psutil
import pytest
from services import OUTPUT, Answer, Talk, alive, command, direct, told, wait_until

from shisan.engine import Limits, Point, Rules
from shisan.protocol.about import VERSION
from shisan.protocol.notation import points_text

NONE_LEFT = "no empty point is among those allowed and not to be avoided"
LONG = {"moves": "h8", "time_ms": 60_000}


def games(count: int, seed: int = 3) -> list[tuple[Point, ...]]:
    luck = Random(seed)
    points = [(x, y) for x in range(4, 11) for y in range(4, 11)]
    return [tuple(luck.sample(points, luck.randint(3, 8))) for _ in range(count)]


def version(talk: Talk) -> None:
    """Wait until everything sent so far has been read."""
    talk.send({"id": "v", "action": "query_version"})
    assert talk.take()["version"] == VERSION


# --- many at once --------------------------------------------------------------------------------


def test_many_queries_at_once() -> None:
    """Each is answered once, with what a fresh engine says, whoever had it before."""
    asked = games(60)
    with Talk("--jobs", "2") as talk:
        talk.send(
            *(
                {"id": number, "moves": points_text(moves), "nodes": 800, "lines": 2}
                for number, moves in enumerate(asked)
            )
        )
        found = {answer["id"]: answer for answer in talk.take_all(60)}
        assert len(talk.workers()) == 2
        assert talk.end() == (0, [])
    assert sorted(found) == list(range(60))
    for number in range(0, 60, 6):
        wanted = direct(asked[number], Rules.freestyle(), Limits(nodes=800), 2)
        assert found[number]["lines"] == told(wanted)
        assert found[number]["nodes"] == wanted.nodes
    with Talk("--jobs", "1", "--nodes", "800", "--lines", "2") as talk:
        talk.send(
            *(
                {"id": number, "moves": [[*point] for point in moves]}
                for number, moves in reversed([*enumerate(asked)])
            )
        )
        for answer in talk.take_all(60):
            answer["time_ms"] = found[answer["id"]]["time_ms"]
            assert answer == found[answer["id"]]


def test_turns_and_rules_in_one_service() -> None:
    with Talk("--jobs", "2", "--rule", "renju", "--size", "19") as talk:
        talk.send({"id": "a", "moves": "h8i9h9", "analyze_turns": [0, 1, 2, 3], "depth": 2})
        talk.send({"id": "b", "moves": "h8", "rule": 8, "size": "20x12", "depth": 2})
        found = talk.take_all(5)
    assert Counter((each["id"], each.get("turn")) for each in found) == Counter(
        [("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", 1)]
    )
    for each in found:
        name, size = ("renju", [19, 19]) if each["id"] == "a" else ("caro", [20, 12])
        assert (each["rule"]["name"], each["size"]) == (name, size)


def test_high_priority_comes_first() -> None:
    """And equal ones in the order in which they came."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "first"} | LONG | {"time_ms": 1000})
        short = {"moves": "h8i9", "time_ms": 5}
        talk.send(*({"id": f"low{number}", "priority": -1} | short for number in range(3)))
        talk.send(*({"id": f"mid{number}"} | short for number in range(3)))
        talk.send(*({"id": f"high{number}", "priority": 5} | short for number in range(3)))
        order = [answer["id"] for answer in talk.take_all(10)]
    assert order == [
        "first",
        *(f"{kind}{number}" for kind in ("high", "mid", "low") for number in range(3)),
    ]


# --- actions -------------------------------------------------------------------------------------


def test_terminate_by_id() -> None:
    """One that runs says what it knows, one that waits says nothing; others go on."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "runs", "report_every_ms": 50} | LONG)
        assert talk.take()["during"]
        talk.send({"id": "1", "moves": "h8", "depth": 1}, {"id": 1, "moves": "h8", "depth": 1})
        talk.send({"id": "waits", "analyze_turns": [0, 1]} | LONG)
        begun = time.monotonic()
        talk.send({"id": "t1", "action": "terminate", "terminate_id": "waits", "turns": [1, 9]})
        talk.send({"id": "t2", "action": "terminate", "terminate_id": 1})
        talk.send({"id": "t3", "action": "terminate", "terminate_id": "nobody"})
        talk.send({"id": "t4", "action": "terminate", "terminate_id": "runs"})
        found: list[Answer] = []
        while len(found) < 8:
            found += [each for each in [talk.take()] if not each.get("during")]
        assert time.monotonic() - begun < 10
        ended = {each["id"]: each["ended"] for each in found if "action" in each}
        assert ended == {"t1": 1, "t2": 1, "t3": 0, "t4": 1}
        known = {(each["id"], each["turn"]): each for each in found if "action" not in each}
        assert set(known) == {("waits", 1), (1, 1), ("runs", 1), ("1", 1)}
        assert all(known[each]["stopped"] for each in known if each != ("1", 1))
        assert [bool(known[each]["lines"]) for each in (("waits", 1), (1, 1))] == [False, False]
        assert known["runs", 1]["lines"]
        assert "stopped" not in known["1", 1]
        talk.send({"id": "t5", "action": "terminate_all", "turns": [0]})
        last = talk.take_all(2)
        assert {each["id"] for each in last} == {"t5", "waits"}
        version(talk)


def test_terminate_all() -> None:
    with Talk("--jobs", "2") as talk:
        talk.send(*({"id": number, "analyze_turns": [0, 1]} | LONG for number in range(20)))
        version(talk)
        talk.send({"id": "all", "action": "terminate_all"})
        found = talk.take_all(41)
        done = [each for each in found if "action" in each]
        assert [each["ended"] for each in done] == [40]
        assert all(each["stopped"] for each in found if "action" not in each)
        talk.send({"id": "next", "moves": "h8", "depth": 2})
        assert talk.take()["id"] == "next"


def test_tables_that_are_kept_and_emptied() -> None:
    query = {"id": 1, "moves": "h8i9h10", "depth": 6, "keep_tables": True}
    with Talk("--jobs", "1") as talk:
        talk.send(query, query)
        first, again = (each["nodes"] for each in talk.take_all(2))
        assert again < first
        talk.send({"id": "c", "action": "clear_cache"})
        assert talk.take() == {"id": "c", "action": "clear_cache"}
        talk.send(query)
        assert talk.take()["nodes"] == first


def test_progress() -> None:
    """Reports are no more often than asked for, each knows more, and there is one end."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "a", "moves": "h8i9", "time_ms": 1500, "report_every_ms": 200, "lines": 2})
        found = [talk.take()]
        while found[-1]["during"]:
            found.append(talk.take())
        assert talk.end() == (0, [])
    assert 2 <= len(found) <= 9
    nodes = [each["nodes"] for each in found]
    assert nodes == sorted(nodes)
    assert len(set(nodes[:-1])) == len(found) - 1
    times = [each["time_ms"] for each in found]
    assert times == sorted(times)
    assert all(len(each["lines"]) == 2 for each in found)


# --- bad input -----------------------------------------------------------------------------------


def test_bad_lines_and_good_ones() -> None:
    """Every bad line has one error with its number, every good one its answer."""
    good = b'{"id": "good", "moves": "h8", "depth": 1}'
    lines = [
        b"\xef\xbb\xbf" + good,
        b"nonsense",
        good + b"\r",
        b"",
        b"\xff\xfe",
        b'{"id": "x", "moves": "h8h8"}',
        b" \t ",
        b"[" * 50_000,
        b'{"id": "huge", "moves": "' + b" " * (2 << 20) + b'"}',
        b"\0" * 20,
        b'{"id": "y", "moves": "h8", "nods": 1}\r',
        b'{"id": "z", "action": "explode"}',
        good,
    ]
    with Talk("--jobs", "1") as talk:
        talk.write(b"\n".join(lines))  # no end of the last line
        status, found = talk.end()
    assert status == 0
    errors = {each["line"]: each for each in found if "error" in each}
    assert set(errors) == {2, 5, 6, 8, 9, 10, 11, 12}
    assert [each["id"] for each in found if "error" not in each] == ["good"] * 3
    fields = {number: (each["id"], each["field"]) for number, each in errors.items()}
    assert fields == {
        **dict.fromkeys((2, 5, 8, 9, 10), (None, None)),
        6: ("x", "moves"),
        11: ("y", "nods"),
        12: ("z", "action"),
    }
    assert errors[9]["error"] == "a line has at most 1048576 bytes"


def test_the_errors_of_positions() -> None:
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "a", "moves": "h8i9", "analyze_turns": [0, 1, 2], "allow": "h8"})
        found = talk.take_all(3)
    assert [each["turn"] for each in found] == [0, 1, 2]
    assert "lines" in found[0]
    for each in found[1:]:
        assert (each["field"], each["error"]) == ("allow", NONE_LEFT)
        assert "line" not in each


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise(seed: int) -> None:
    """Random bytes and queries with bytes changed: only valid answers, and the service lives."""
    luck = Random(seed)
    query = b'{"id": "n", "moves": "h8i9", "rule": "renju", "analyze_turns": [0, 1], "nodes": 50}'
    lines = []
    for _ in range(300):
        line = bytearray(luck.choice([query, query, luck.randbytes(luck.randrange(60))]))
        for _ in range(luck.randrange(4)):
            if line:
                line[luck.randrange(len(line))] = luck.randrange(256)
        lines.append(bytes(line).replace(b"\n", b" "))
    with Talk("--jobs", "2") as talk:
        talk.write(b"\n".join(lines) + b"\n")
        talk.send({"id": "last", "moves": "h8", "depth": 1})
        status, found = talk.end()
    assert status == 0
    assert [each for each in found if each["id"] == "last" and "lines" in each]
    told_of = Counter(each["line"] for each in found if "line" in each)
    assert set(told_of.values()) == {1}
    empty = sum(not line.strip(b" \t\r\x0b\x0c\x1c\x1d\x1e\x1f") for line in lines)
    taken = 300 - len(told_of) - empty
    answered = sum("during" in each for each in found) - 1
    assert taken <= answered <= 2 * taken


# --- the end -------------------------------------------------------------------------------------


def test_the_end_of_input() -> None:
    """What is queued is answered; with --no-wait it is not."""
    query = {"id": 1, "moves": "h8", "time_ms": 300, "analyze_turns": [0, 1]}
    with Talk("--jobs", "1") as talk:
        talk.send(query)
        status, found = talk.end()
        assert (status, len(found)) == (0, 2)
    with Talk("--jobs", "1", "--no-wait") as talk:
        talk.send({"id": 1} | LONG)
        begun = time.monotonic()
        assert talk.end() == (0, [])
        assert time.monotonic() - begun < 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals(number: int) -> None:
    """In the middle of long searches: at once, and no worker is left."""
    with Talk("--jobs", "2") as talk:
        talk.send(*({"id": each, "report_every_ms": 50} | LONG for each in range(9)))
        while len({talk.take()["id"] for _ in range(4)}) < 2:
            pass
        workers = talk.workers()
        assert len(workers) == 2
        begun = time.monotonic()
        talk.process.send_signal(number)
        assert talk.process.wait(10) == 128 + number
        assert time.monotonic() - begun < 2
        for worker in workers:
            wait_until(lambda worker=worker: not alive(worker), 5)


def test_the_service_is_killed() -> None:
    """Its workers end too, in the middle of their searches."""
    with Talk("--jobs", "2") as talk:
        talk.send(*({"id": each, "report_every_ms": 50} | LONG for each in range(2)))
        while len({talk.take()["id"] for _ in range(4)}) < 2:
            pass
        workers = talk.workers()
        talk.process.kill()
        for worker in workers:
            wait_until(lambda worker=worker: not alive(worker), 5)


def test_nobody_reads_any_more() -> None:
    """`shisan analyze --jsonl | head -1`: a quiet end."""
    process = subprocess.Popen(
        command("--jsonl", "--jobs", "1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    query = json.dumps({"id": 1, "moves": "h8", "analyze_turns": [0, 1], "nodes": 200})
    process.stdin.write(f"{query}\n".encode() * 50)
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"id":1,')
    process.stdout.close()
    assert process.wait(20) == 1
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass


def test_a_reader_that_is_slow() -> None:
    """Workers wait, memory stays small, and nothing is lost."""
    process = subprocess.Popen(
        command("--jsonl", "--jobs", "2"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    lines = [
        json.dumps({"id": number, "moves": "h8i9", "nodes": 1, "include": ["forbidden"]}) + "\n"
        for number in range(2000)
    ]
    process.stdin.write("".join(lines).encode())
    process.stdin.close()
    time.sleep(2)
    service = psutil.Process(process.pid)
    used = [sum(each.cpu_times()[:2]) for each in (service, *service.children())]
    time.sleep(1)
    later = [sum(each.cpu_times()[:2]) for each in (service, *service.children())]
    assert sum(later) - sum(used) < 0.3
    assert service.memory_info().rss < 200 << 20
    found = [json.loads(line) for line in process.stdout]
    assert process.wait(10) == 0
    process.stdout.close()
    assert sorted(each["id"] for each in found) == list(range(2000))


# --- workers that die ----------------------------------------------------------------------------


def kill_worker(talk: Talk) -> int:
    """Kill the one that works now, with -9."""

    def working() -> list[psutil.Process]:
        return [each for each in talk.workers() if alive(each) and each.cpu_times().user > 0.3]

    wait_until(working)
    (worker,) = working()
    os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: not alive(worker))
    return worker.pid


def test_a_worker_is_killed_once() -> None:
    """The position is given to a new one; nobody notices."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "a", "moves": "h8", "time_ms": 1500}, {"id": "b", "moves": "", "depth": 1})
        first = kill_worker(talk)
        found = talk.take_all(2)
        assert [each["id"] for each in found] == ["a", "b"]
        assert all(each["lines"] for each in found)
        assert [worker.pid for worker in talk.workers()] != [first]
        assert talk.end() == (0, [])


def test_a_worker_is_killed_twice() -> None:
    """Then its position is an error, and only that one."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "a"} | LONG, {"id": "b", "moves": "h8", "depth": 1})
        kill_worker(talk)
        kill_worker(talk)
        found: dict[Any, Answer] = {each["id"]: each for each in talk.take_all(2)}
        assert found["a"]["error"] == "the analysis failed: a worker has ended with status -9"
        assert (found["a"]["turn"], found["a"]["field"]) == (1, None)
        assert found["b"]["lines"]
        assert talk.end() == (0, [])


def test_a_worker_that_is_killed_and_was_to_end() -> None:
    """What was terminated is not begun again."""
    with Talk("--jobs", "1") as talk:
        talk.send({"id": "a", "report_every_ms": 20} | LONG)
        talk.take()
        (worker,) = talk.workers()
        worker.suspend()
        talk.send({"id": "t", "action": "terminate", "terminate_id": "a"})
        answer = talk.take()
        while "action" not in answer:
            answer = talk.take()
        worker.kill()
        answer = talk.take()
        assert (answer["id"], answer["stopped"], answer["lines"]) == ("a", True, [])
        with pytest.raises(Empty):
            talk.take(0.5)


def test_answers_are_whole_lines() -> None:
    """From two workers at once, each longer than a pipe takes in one piece."""
    with Talk("--jobs", "2") as talk:
        talk.send(
            *(
                {"id": f"{number}" + "x" * 900, "moves": "h8", "nodes": 3000, "lines": 80}
                for number in range(40)
            )
        )
        found = talk.take_all(40)
    assert len({each["id"] for each in found}) == 40
    for each in found:
        OUTPUT.validate(each)
