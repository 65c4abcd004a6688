"""The manager's side against real processes that misbehave (rogues.py), and its tables."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Thread, Timer
from typing import Any

import psutil
import pytest

from shisan.engine import Rules
from shisan.protocol.manager import Brain, BrainFault, GameSettings, Reply
from shisan.protocol.transcripts import TranscriptLine, transcript_text

ROGUES = Path(__file__).with_name("rogues.py")
RULES = Rules.freestyle(15)
SOON = 5000.0  # ms: long enough for any answer that is going to come

Make = Callable[..., Brain]


def command(way: str, number: float = 0) -> list[str]:
    return [sys.executable, "-I", "-S", str(ROGUES), way, str(number)]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes a brain that plays one of the rogues' ways; afterwards nothing of it may be left."""
    brains: list[Brain] = []

    def made(way: str, number: float = 0, **options: Any) -> Brain:
        brains.append(Brain(command(way, number), **options))
        return brains[-1]

    yield made
    for brain in brains:
        brain.kill()
    assert not left_over()


def left_over() -> list[int]:
    """Rogues that are still there."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if str(ROGUES) in words and process.status() != psutil.STATUS_ZOMBIE:
            found.append(process.pid)
    return found


def started(brain: Brain, **settings: Any) -> Brain:
    brain.start_game(RULES, GameSettings(**settings))
    return brain


def fault(ask: Callable[[], Reply]) -> BrainFault:
    """The fault that a request ends in; the process is gone then."""
    with pytest.raises(BrainFault) as caught:
        ask()
    return caught.value


def start_fault(brain: Brain) -> BrainFault:
    found = fault(lambda: brain.start_game(RULES, GameSettings()))
    assert not brain.running
    return found


def move_fault(brain: Brain, limit_ms: float | None = SOON) -> BrainFault:
    started(brain)
    found = fault(lambda: brain.begin(limit_ms))
    assert not brain.running
    return found


# A game as it should be


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_whole_dialogue(make: Make, line_end: str) -> None:
    """Every line that is sent, in order, and what comes back."""
    log: list[TranscriptLine] = []
    brain = make("good", line_end=line_end, log=log)
    options = (("max_node", "1000"),)
    settings = GameSettings(500, 60000, 1 << 28, folder="/tmp/a b", options=options)
    reply = brain.start_game(Rules.renju(15), settings)
    assert reply.kind == "ok"
    assert brain.started_ms == reply.time_ms > 0
    move = brain.begin(SOON, 60000)
    assert (move.kind, move.points, move.line) == ("move", ((0, 0),), "0,0")
    assert 0 < move.time_ms < SOON
    assert 0 <= move.overhead_ms < SOON
    assert brain.turn(1, 0, SOON, 59000.4).points == ((2, 0),)
    assert brain.takeback(2, 0).kind == "ok"
    assert brain.board([(0, 0), (4, 4), (1, 0)], SOON).points == ((2, 0),)
    assert brain.about().line.startswith('name="Rogue"')
    assert brain.quit() == 0
    assert not brain.offences
    assert [line.text for line in log if line.way == ">"] == [
        "START 15",
        "INFO max_memory 268435456",
        "INFO timeout_match 60000",
        "INFO timeout_turn 500",
        "INFO game_type 1",
        "INFO rule 4",
        "INFO folder /tmp/a b",
        "INFO max_node 1000",
        "INFO time_left 60000",
        "BEGIN",
        "INFO time_left 59000",
        "TURN 1,0",
        "TAKEBACK 2,0",
        "BOARD",
        "0,0,2",
        "4,4,1",
        "1,0,2",
        "DONE",
        "ABOUT",
        "END",
    ]
    assert [line.text for line in log if line.way == "<"][:3] == ["OK", "0,0", "2,0"]
    assert [line.at_ns for line in log] == sorted(line.at_ns for line in log)


def test_the_transcripts_of_both_sides(make: Make) -> None:
    logs: dict[str, list[TranscriptLine]] = {"A": [], "B": []}
    for name, log in logs.items():
        started(make("chat", log=log)).begin(SOON)
        assert log, name
    lines = transcript_text(logs).splitlines()
    assert lines[0] == "     0.0000 A > START 15"
    assert lines[1].endswith(" A < OK")
    assert lines[-1].endswith(" B < 0,0")
    assert any("caf\\xe9" in line for line in lines)


def test_rectangles(make: Make) -> None:
    log: list[TranscriptLine] = []
    brain = make("good", log=log)
    brain.start_game(Rules.standard(7, 5), GameSettings())
    assert log[0].text == "RECTSTART 7,5"


def test_swap2(make: Make) -> None:
    brain = started(make("swap"))
    assert brain.swap2([], SOON).points == ((2, 3), (3, 12), (10, 4))
    stones = [(2, 3), (3, 12), (10, 4)]
    assert brain.swap2(stones, SOON).kind == "points"
    assert brain.swap2([*stones, (5, 5), (6, 6)], SOON).kind == "swap"
    assert brain.board(stones, SOON).kind == "move"


def test_a_brain_without_swap2(make: Make) -> None:
    brain = started(make("unknown-swap"))
    assert brain.swap2([], SOON).kind == "unknown"


def test_two_games_in_one_process(make: Make) -> None:
    brain = started(make("good"))
    brain.begin(SOON)
    brain.start_game(RULES, GameSettings(), new_process=False)
    assert brain.begin(SOON).points == ((0, 0),)
    pid = brain.pid
    brain.start_game(RULES, GameSettings())
    assert brain.pid != pid


def test_start_is_said_again_to_a_brain_that_was_not_listening(make: Make) -> None:
    """Some drop whatever comes within 200 ms of their move."""
    brain = started(make("hasty", 0.2))
    brain.begin(SOON)
    brain.start_game(RULES, GameSettings(), new_process=False)
    assert brain.begin(SOON).kind == "move"


# What goes wrong, and for what reason


@pytest.mark.parametrize(
    ("way", "start_ms", "part"),
    [
        ("crash-at-start", SOON, "status 3"),
        ("refuse", SOON, "unsupported board size"),
        ("mute", 400, "no OK in"),
        ("ok-text", 400, "no OK in"),
    ],
)
def test_brains_that_do_not_start(make: Make, way: str, start_ms: float, part: str) -> None:
    found = start_fault(make(way, start_ms=start_ms))
    assert found.reason == "start"
    assert part in found.detail


def test_commands_that_are_none() -> None:
    for words in (["/nowhere/brain"], [str(ROGUES.parent)], ["no such brain"]):
        found = start_fault(Brain(words))
        assert found.reason == "start"
        assert words[0] in found.detail
    for wrong in ({"command": []}, {"command": ["x"], "line_end": "\r"}):
        with pytest.raises(ValueError, match=r"command|line_end"):
            Brain(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("way", "reason", "part"),
    [
        ("crash", "crash", "status 3"),
        ("segfault", "crash", "SIGSEGV"),
        ("fork-crash", "crash", "status 5"),
        ("close-output", "crash", "closed its pipes"),
        ("flood", "nonsense", "floods"),
        ("flood-line", "nonsense", "floods"),
    ],
)
def test_brains_that_break_down(make: Make, way: str, reason: str, part: str) -> None:
    found = move_fault(make(way))
    assert found.reason == reason
    assert part in found.detail
    assert found.time_ms < SOON


@pytest.mark.parametrize("way", ["hang", "error", "nonsense", "blank-before", "half", "suggest"])
def test_brains_that_lose_on_time(make: Make, way: str) -> None:
    """Leniently read, what is no move is passed over, and remembered."""
    found = move_fault(make(way), 300)
    assert found.reason == "time"
    assert 300 <= found.time_ms < SOON
    assert way == "hang" or "it had said" in found.detail


def test_a_brain_that_closes_its_input(make: Make) -> None:
    brain = started(make("close-input"))
    assert brain.begin(SOON).kind == "move"
    assert fault(lambda: brain.turn(3, 3, SOON)).reason == "crash"


def test_a_brain_that_reads_nothing(make: Make) -> None:
    """The pipe is full: neither the runner nor another game waits for it."""
    brain = make("no-ear")
    long = GameSettings(options=(("folder", "x" * 200_000),))
    found = fault(lambda: brain.start_game(RULES, long))
    assert (found.reason, found.detail) == ("time", "it reads no commands")
    started(make("good"), options=long.options)


def test_a_brain_that_dies_between_moves(make: Make) -> None:
    brain = started(make("good"))
    brain.begin(SOON)
    os.kill(brain.pid, signal.SIGKILL)
    found = fault(lambda: brain.turn(3, 3, SOON))
    assert found.reason == "crash"
    assert "SIGKILL" in found.detail
    assert fault(lambda: brain.turn(3, 3, SOON)).reason == "crash"


def test_no_time_limit_is_a_bound_too(make: Make) -> None:
    found = move_fault(make("hang", patience_ms=300), None)
    assert found.reason == "time"


def test_memory(make: Make) -> None:
    brain = started(make("memory", 2, memory_limit=40 << 20))
    brain.begin(SOON)
    assert 0 < brain.usage() < 40 << 20
    found = fault(lambda: brain.turn(3, 3, SOON))
    assert found.reason == "memory"
    assert brain.peak_memory > 64 << 20


# What is taken, and how


@pytest.mark.parametrize(
    ("way", "points"),
    [
        ("minus", (-1, -1)),
        ("outside", (40, 2)),
        ("blank-end", (7, 8)),
        ("crlf", (7, 7)),
        ("pieces", (7, 7)),
        ("flood-errors", (0, 0)),
        ("error-move", (0, 0)),
        ("fork", (0, 0)),
    ],
)
def test_moves_that_are_taken(make: Make, way: str, points: tuple[int, int]) -> None:
    """The referee judges the point; the line is a move."""
    reply = started(make(way)).begin(SOON)
    assert (reply.kind, reply.points) == ("move", (points,))


def test_what_messages_tell(make: Make) -> None:
    """Bytes of any kind; value, nodes and depth."""
    brain = started(make("chat"))
    reply = brain.begin(SOON)
    assert (reply.score, reply.nodes, reply.depth) == (-12, 210_000, 9)
    assert len(reply.messages) == 2
    assert [offence.managers for offence in brain.offences] == [("pygomo-lib",)] * 2


def test_start_forms(make: Make) -> None:
    """c-gomoku-cli passes over a banner, Piskvork takes ok in any case."""
    for way in ("banner", "ok-lower", "chat-first"):
        brain = started(make(way))
        assert brain.begin(SOON).kind == "move"
        assert bool(brain.offences) == (way != "chat-first")


@pytest.mark.parametrize("way", ["refuse", "ok-text", "banner"])
def test_strict_starts(make: Make, way: str) -> None:
    assert start_fault(make(way, strict=True)).reason == "start"


@pytest.mark.parametrize(
    "way",
    ["error", "error-move", "nonsense", "blank-before", "half", "flood-errors", "say:MESSAGE|7,7"],
)
def test_strict_moves(make: Make, way: str) -> None:
    found = move_fault(make(way, strict=True))
    assert found.reason == "nonsense"


@pytest.mark.parametrize(
    "way",
    ["minus", "outside", "blank-end", "crlf", "pieces", "say:MESSAGE hi\\r7,7", "say:7,7 is it"],
)
def test_strict_takes_what_piskvork_takes(make: Make, way: str) -> None:
    brain = started(make(way, strict=True))
    assert brain.begin(SOON).kind == "move"


@pytest.mark.parametrize(
    ("text", "managers"),
    [
        ("MESSAGE|7,7", ("Piskvork",)),
        ("MESSAGE a\\rb|7,7", ("Piskvork", "GomocupJudge", "c-gomoku-cli", "pygomo-lib")),
        ("||\\0|7,7", ("Piskvork", "qpiskvork")),
        (f"MESSAGE {'x' * 9000}|7,7", ("Piskvork",)),
    ],
)
def test_lines_that_some_manager_punishes(make: Make, text: str, managers: tuple[str, ...]) -> None:
    """Leniently read, the move is taken; the line is remembered."""
    brain = started(make(f"say:{text}"))
    assert brain.begin(SOON).points == ((7, 7),)
    assert [offence.managers for offence in brain.offences] == [managers]


def test_strict_answers_suggest_by_play(make: Make) -> None:
    brain = started(make("suggest", strict=True))
    assert brain.begin(SOON).points == ((7, 8),)
    assert "GomocupJudge" in brain.offences[0].managers


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("way", ["twice", "late"])
def test_lines_that_nobody_asked_for(make: Make, way: str, strict: bool) -> None:
    """They are not taken for the next answer, and held against the brain."""
    brain = started(make(way, 1, strict=strict))
    brain.begin(SOON)
    if way == "late":
        time.sleep(0.3)
    if strict:
        assert fault(lambda: brain.turn(9, 9, SOON)).reason == "nonsense"
    else:
        assert brain.turn(9, 9, SOON).points != ((8, 8),)
    assert "next command" in brain.offences[0].how


# Time


def test_the_start_is_apart_or_charged(make: Make) -> None:
    for charge in (False, True):
        brain = started(make("sleep", 0.3, charge_start=charge))
        assert brain.started_ms >= 300
        assert (brain.begin(SOON).time_ms >= brain.started_ms) == charge
    brain = started(make("sleep", 0.3, charge_start=True))
    assert fault(lambda: brain.begin(200)).reason == "time"


@pytest.mark.parametrize(
    "games", [8, pytest.param(64, marks=pytest.mark.slow)], ids="{} games".format
)
def test_many_games_at_once(make: Make, games: int) -> None:
    """Brains that sleep: no time is lost, and what we add to a move is a fraction of a ms."""
    replies: list[Reply] = []

    def play(brain: Brain) -> None:
        started(brain)
        for x in range(1, 8):
            replies.append(brain.turn(x, 9, SOON))

    threads = [Thread(target=play, args=[make("think", 0.1)]) for _ in range(games)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 7 * games
    assert median(reply.overhead_ms for reply in replies) < 2
    for reply in replies:
        begun, ended = map(int, reply.messages[0].split()[1:])
        assert reply.time_ms >= (ended - begun) / 1e6


def test_stop_thinking_and_the_limit_afterwards(make: Make) -> None:
    """The time of a turn is said again: 0 was for one move only."""
    log: list[TranscriptLine] = []
    brain = make("obedient", log=log)
    started(brain, turn_ms=60000)
    timer = Timer(0.1, brain.stop_thinking)
    timer.start()
    assert brain.begin(SOON).kind == "move"
    timer.join()
    brain.kill()
    brain = make("good", log=log)
    started(brain, turn_ms=60000)
    brain.stop_thinking()
    brain.begin(SOON)
    sent = [line.text for line in log if line.way == ">"]
    assert sent[-3:] == ["INFO timeout_turn 0", "INFO timeout_turn 60000", "BEGIN"]


def test_suspension(make: Make) -> None:
    """Between its moves nothing of it runs; a request lets it go on."""
    brain = started(make("fork", suspend=True))
    brain.begin(SOON)
    tree = psutil.Process(brain.pid)
    wait_for(lambda: tree.status() == psutil.STATUS_STOPPED)
    assert brain.turn(9, 9, SOON).kind == "move"
    brain.resume()
    wait_for(lambda: tree.status() != psutil.STATUS_STOPPED)
    brain.suspend()
    assert brain.quit() == 0


# The end


def test_children_do_not_survive(make: Make) -> None:
    brain = started(make("fork"))
    brain.begin(SOON)
    wait_for(lambda: len(left_over()) == 4)
    assert brain.quit() == 0
    assert not left_over()


def test_the_deaf_are_killed(make: Make) -> None:
    brain = started(make("deaf"))
    begun = time.monotonic()
    assert brain.quit(grace_ms=100) == -signal.SIGKILL
    assert time.monotonic() - begun < 5
    assert brain.offences[-1].line == "END"
    assert brain.quit() == -signal.SIGKILL


def test_copies_of_the_runner_have_brains_of_their_own(make: Make) -> None:
    """A worker made by fork; its brain is gone when it is."""
    ours = started(make("good"))
    with get_context("fork").Pool(1) as pool:
        pool.apply(play_in_worker)
        wait_for(lambda: len(left_over()) == 5)
        pool.terminate()
        pool.join()
    wait_for(lambda: left_over() == [ours.pid])


def play_in_worker() -> None:
    global kept
    kept = started(Brain(command("fork")))
    kept.begin(SOON)


kept: Brain

RUNNER = """
import sys, time
from shisan.engine import Rules
from shisan.protocol.manager import Brain, GameSettings
brain = Brain(sys.argv[1:])
brain.start_game(Rules.freestyle(15), GameSettings())
brain.begin(5000)
print(brain.pid, flush=True)
time.sleep(3600)
"""


def test_a_runner_that_is_killed_leaves_nothing(make: Make) -> None:
    """Not even what has left its session and ignores every signal."""
    words = [sys.executable, "-c", RUNNER, *command("fork")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline()
        wait_for(lambda: len(left_over()) == 5)  # the runner's own command line, too
        runner.kill()
        runner.wait()
        wait_for(lambda: not left_over())


def wait_for(done: Callable[[], bool]) -> None:
    """Look until it is so; fail if it is not within seconds."""
    until = time.monotonic() + 10
    while not done():
        assert time.monotonic() < until
        time.sleep(0.02)
