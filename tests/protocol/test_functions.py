"""A function as a brain: whatever it does, one legal answer in time, and a word when it failed."""

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from brains import MOVE, SLACK, Brain

from shisan.engine import Colour, Limits, Position, Rules
from shisan.protocol.functions import FunctionThinker, Turn, about, fallback, read_point

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "ten_lines.py"

HEAD = """\
import os, subprocess, sys, time
from shisan.protocol import serve
"""
TAIL = '\nserve(choose_move, name="Tried", version="3", author="A. Author")\n'

Start = Callable[[str], Brain]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start the brain that a function's source makes."""

    def begin(source: str) -> Brain:
        file = tmp_path / "tried.py"
        file.write_text(HEAD + source + TAIL, encoding="utf-8")
        return Brain(command=[sys.executable, str(file)], env={"PYTHONUNBUFFERED": ""})

    return begin


def asked(brain: Brain, *lines: str, within: float) -> tuple[str, list[str]]:
    """Send lines; the answer, which comes in time, and the texts of the MESSAGEs before it."""
    texts = []
    at = brain.send(*lines)
    while (line := brain.line(messages=True)).text.startswith("MESSAGE "):
        texts.append(line.text[8:])
    assert line.at - at < within + SLACK
    return line.text, [text for text in texts if not text.startswith("rule ")]


def test_example() -> None:
    """The ten lines of the documentation: they block, they win, in a real process.

    No MESSAGE tells of a failure: the point that is played for a function that fails is good too.
    """
    with Brain(command=[sys.executable, str(EXAMPLE)]) as brain:
        assert brain.ask("ABOUT") == 'name="Ten lines", version="1.0"'
        assert brain.ask("START 15", "INFO timeout_turn 1000") == "OK"
        assert asked(brain, "BEGIN", within=1) == ("7,7", [])
        rows = ("0,0,1", "1,0,1", "2,0,1", "3,0,1", "0,9,2", "1,9,2", "2,9,2", "3,9,2")
        own = asked(brain, "BOARD", *rows, "DONE", within=1)
        assert own == ("4,0", []), "its own five before the other one"
        assert asked(brain, "BOARD", *rows[1:], "9,9,1", "DONE", within=1) == ("4,9", [])
        brain.leave()
    text = EXAMPLE.read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) == 10
    page = EXAMPLE.parents[1] / "serve.md"
    assert f"```python\n{text}```\n" in page.read_text(encoding="utf-8"), "the page shows all of it"


def test_it_is_told_the_position_and_its_time(start: Start) -> None:
    source = """
def choose_move(position, turn):
    turn.say(f"{position.rules.name} {position.ply} {position.side.name}")
    turn.say(f"{turn.limits.nodes} {turn.seconds:.1f} {turn.left > 0} {turn.over}")
    x, y = 0, position.ply
    position.play(x, y)  # a copy: nobody minds
    return x, y
"""
    with start(source) as brain:
        assert brain.ask("ABOUT") == 'name="Tried", version="3", author="A. Author"'
        assert brain.ask("START 9", "INFO rule 4", "INFO timeout_turn 5000") == "OK"
        brain.send("INFO max_node 77")
        assert asked(brain, "TURN 8,8", within=5) == ("0,1", ["renju 1 WHITE", "77 4.8 True False"])
        brain.send("INFO time_left 22000")
        _, texts = asked(brain, "TURN 8,7", within=5)
        assert texts[1] == "77 0.7 True False", "a share of the match, not all of it"
        brain.leave()


@pytest.mark.parametrize(
    ("body", "offered", "said"),
    [
        ("time.sleep(60)", "", "did not answer in time"),
        ("while True: pass", "", "did not answer in time"),
        ("turn.offer(3, 4); time.sleep(60)", "3,4", "did not answer in time"),
        (
            "turn.offer(3, 4); raise KeyError('x')",
            "3,4",
            "failed: KeyError: 'x' (tried.py, line 4)",
        ),
        ("raise ValueError('two\\nlines')", "", "failed: ValueError: two lines (tried.py, line 4)"),
        ("sys.exit(3)", "", "failed: SystemExit: 3 (tried.py, line 4)"),
        ("turn.offer(0, 99)", "", "failed: ValueError: cannot offer 0,99: it must be 0..14,0..14"),
        ("return choose_move(position, turn)", "", "failed: RecursionError"),
        ("return input()", "", "failed: EOFError"),
        ("return None", "", "answered None: it must be x, y, two integers"),
        ("return 'h8'", "", "answered 'h8': it must be x, y, two integers"),
        ("return 1.5, 2", "", "answered (1.5, 2): it must be x, y, two integers"),
        ("return 1, 2, 3", "", "answered (1, 2, 3): it must be x, y, two integers"),
        ("return 15, 0", "", "answered (15, 0): it must be 0..14,0..14"),
        ("return -1, 0", "", "answered (-1, 0): it must be 0..14,0..14"),
        ("return position.stones[0][:2]", "", "answered (7, 7): the point is taken"),
    ],
)
def test_whatever_it_does_there_is_a_legal_answer(
    start: Start, body: str, offered: str, said: str
) -> None:
    """Twice in a row, so that what went wrong first does not spoil the second."""
    with start(f"def choose_move(position, turn):\n    {body}") as brain:
        assert brain.ask("START 15", "INFO timeout_turn 300") == "OK"
        for turn in ("TURN 7,7", "TURN 7,9"):
            answer, texts = asked(brain, turn, within=0.3)
            assert MOVE.match(answer) and answer not in ("7,7", "7,9")
            assert len(texts) == 1
            again = "still computes an earlier move" if turn == "TURN 7,9" else said
            assert texts[0].startswith(("choose_move " + said, "choose_move " + again))
            if offered and turn == "TURN 7,7":
                assert answer == offered
                assert texts[0].endswith("playing 3,4, the point it offered last")
            if offered:
                break  # the point is taken now
        brain.quiet()
        brain.leave()


def test_what_it_prints_reaches_nobody(start: Start) -> None:
    source = """
print("while it is loaded")
def choose_move(position, turn):
    print("5,5", flush=True)
    print("6,6", file=sys.stderr, flush=True)
    os.write(1, b"7,7\\n")
    subprocess.run(["/bin/sh", "-c", "echo 8,8; cat"], check=True)  # nor does it eat our input
    return position.ply, 0
"""
    with start(source) as brain:
        assert brain.ask("START 15") == "OK"
        assert brain.ask("TURN 14,14") == "1,0"
        assert brain.ask("TURN 14,13") == "3,0"
        brain.leave()
        assert b"5,5" not in brain.raw and b"8,8" not in brain.raw


def test_a_forbidden_answer_is_not_played(start: Start) -> None:
    """Black's g7 is a double three: the function insists on it, and so does White's four."""
    source = "def choose_move(position, turn):\n    return 6, 6"
    stones = "7,7,1 6,5,2 5,5,1 6,4,2 5,6,1 6,3,2 7,6,1 6,2,2 6,1,1 0,0,2".split()
    with start(source) as brain:
        assert brain.ask("START 15", "INFO rule 4", "INFO timeout_turn 1000") == "OK"
        answer, texts = asked(brain, "BOARD", *stones, "DONE", within=1)
        assert answer != "6,6"
        assert texts[0].startswith(
            "choose_move answered (6, 6): the point is forbidden (double three): playing "
        )
        brain.leave()


def test_nothing_but_the_late_move_is_lost(start: Start) -> None:
    """What comes late is dropped, the loop it was in ends, and the next call is an ordinary one."""
    source = """
calls = 0
def choose_move(position, turn):
    global calls
    calls += 1
    turn.say(f"call {calls}")
    while calls == 1:
        pass
    return 0, calls
"""
    with start(source) as brain:
        assert brain.ask("START 15", "INFO timeout_turn 300") == "OK"
        _, texts = asked(brain, "TURN 7,7", within=0.3)
        assert texts[0] == "call 1" and "did not answer in time" in texts[1]
        assert asked(brain, "TURN 7,9", within=0.3) == ("0,2", ["call 2"])
        brain.quiet()
        brain.leave()


def test_one_call_at_a_time(start: Start) -> None:
    """A call that cannot be ended is waited for; the moves meanwhile are ours, and in time."""
    source = """
running = 0
def choose_move(position, turn):
    global running
    running += 1
    turn.say(f"{running} at once")
    if position.ply < 2:
        time.sleep(0.9)
    running -= 1
    return 0, position.ply
"""
    with start(source) as brain:
        assert brain.ask("START 15", "INFO timeout_turn 300") == "OK"
        assert "did not answer in time" in asked(brain, "TURN 7,7", within=0.3)[1][-1]
        said = asked(brain, "TURN 7,9", within=0.3)[1]
        assert said[0].startswith("choose_move still computes an earlier move: playing ")
        time.sleep(0.6)
        assert brain.ask("TURN 7,11") in ("0,5",)
        brain.leave()


def test_stop_and_new_limits(start: Start) -> None:
    """A function that looks at turn.over answers at once, with its own move."""
    source = """
def choose_move(position, turn):
    while not turn.over:
        time.sleep(0.001)
    return 0, position.ply
"""
    with start(source) as brain:
        assert brain.ask("START 15", "INFO timeout_turn 60000") == "OK"
        brain.send("TURN 7,7")
        time.sleep(0.3)
        assert asked(brain, "YXSTOP", within=0.05) == ("0,1", [])
        brain.send("TURN 7,8")
        time.sleep(0.1)
        assert asked(brain, "INFO timeout_turn 0", within=0.05) == ("0,3", [])
        assert brain.ask("START 15", "INFO timeout_turn 200") == "OK"
        answer, texts = asked(brain, "TURN 7,9", within=0.2)
        assert (answer, texts) == ("0,1", []), "in time by itself"
        brain.send("INFO timeout_turn 60000", "TURN 7,10")
        assert brain.ask("START 15") == "OK", "the search is given up"
        brain.quiet()
        brain.send("BEGIN")
        assert brain.leave() < 0.5 + SLACK


@pytest.mark.parametrize("how", ["END", "end of input", "SIGTERM"])
def test_it_leaves_at_once(start: Start, how: str) -> None:
    """Whatever the function is doing."""
    with start("def choose_move(position, turn):\n    time.sleep(60)") as brain:
        assert brain.ask("START 15", "INFO timeout_turn 60000") == "OK"
        brain.send("BEGIN")
        time.sleep(0.3)
        at = time.monotonic()
        if how == "END":
            brain.leave()
        elif how == "SIGTERM":
            brain.process.terminate()
            assert brain.process.wait(10) == -signal.SIGTERM
        else:
            assert brain.process.stdin is not None
            brain.process.stdin.close()
            brain.left(at)
        assert time.monotonic() - at < 0.5 + SLACK


def test_swap2_settings_and_a_second_game(start: Start) -> None:
    """What is the protocol's and not the function's is as with our own brain."""
    source = "def choose_move(position, turn):\n    return position.ply, 14"
    with start(source) as brain:
        assert brain.ask("START 15", "INFO variety 8", "INFO strength 10") == "OK"
        assert len(brain.ask("SWAP2BOARD", "DONE").split()) == 3
        opening = ("SWAP2BOARD", "0,0", "1,1", "2,2", "DONE")
        assert asked(brain, *opening, within=1)[0] == "3,14"
        assert asked(brain, "BEGIN", within=1) == ("0,14", [])
        assert brain.ask("TAKEBACK 0,14") == "OK"
        assert brain.ask("RESTART") == "OK"
        assert brain.ask("TURN 5,5") == "1,14"
        assert brain.ask("TURN 5,5").startswith("ERROR ")
        assert brain.ask("NONSENSE") == "UNKNOWN NONSENSE"
        brain.leave()


def test_a_whole_game_by_two_functions(tmp_path: Path) -> None:
    """The ten lines against themselves: legal to the end, one answer each."""
    command = [sys.executable, str(EXAMPLE)]
    position = Position(Rules.renju(15))
    with Brain(command=command) as black, Brain(command=command, end="\r\n") as white:
        for brain in (black, white):
            assert brain.ask("START 15", "INFO rule 4", "INFO timeout_turn 1000") == "OK"
        answer = black.ask("BEGIN")
        while True:
            x, y = map(int, answer.split(","))
            assert position.is_legal(x, y)
            position.play(x, y)
            if position.over:
                break
            answer = (black, white)[position.side].ask(f"TURN {answer}")
        black.leave()
        white.leave()


# -- without a process -----------------------------------------------------------------------------


def set_up(rules: Rules, own: str, other: str) -> Position:
    """A position of these points, "x,y x,y", Black's first, Black to move."""
    stones = [
        (*map(int, point.split(",")), colour)
        for text, colour in ((own, Colour.BLACK), (other, Colour.WHITE))
        for point in text.split()
    ]
    return Position.set_up(rules, stones, Colour.BLACK)  # type: ignore[arg-type]


def test_fallback() -> None:
    """A five, a five to stop, an open four, one to stop; else near the last stone."""
    rules = Rules.freestyle(15)
    four, other_four = "0,0 0,1 0,2 0,3", "9,0 9,1 9,2 9,3"
    assert fallback(set_up(rules, four, other_four)) == (0, 4)
    assert fallback(set_up(rules, "5,5", other_four)) == (9, 4)
    assert fallback(set_up(rules, "3,7 4,7 5,7", "9,0 9,1")) in ((2, 7), (6, 7))
    assert fallback(set_up(rules, "0,0", "3,7 4,7 5,7")) in ((2, 7), (6, 7))
    assert fallback(Position(rules)) == (7, 7)
    assert fallback(set_up(rules, "3,3", "9,9")) in ((8, 9), (9, 8))


def test_fallback_with_nothing_legal() -> None:
    """A board that is over or full of forbidden points still has an answer."""
    rules = Rules.freestyle(5)
    over = set_up(rules, "0,0 0,1 0,2 0,3 0,4", "1,1")
    assert over.over and over.is_empty(*fallback(over))
    point = fallback(over)
    assert read_point(point, over) == (point, "")
    assert read_point((0, 0), over) == (None, "the point is taken")


def test_any_integers_are_a_point() -> None:
    """What numpy returns, say."""

    class Number:
        def __index__(self) -> int:
            return 3

    position = Position(Rules.freestyle(15))
    assert read_point([Number(), True], position) == ((3, 1), "")
    assert read_point({"x": 1, "y": 2}, position)[0] is None
    assert read_point((10**30, 0), position) == (None, "it must be 0..14,0..14")


def test_about_is_what_managers_can_split() -> None:
    assert about("A b", "2", "C") == 'name="A b", version="2", author="C"'
    for wrong in ('a"b', "a,b", "a=b", "a\nb", "五", "a" * 101):
        with pytest.raises(ValueError, match="name must be at most 100 plain letters"):
            about(wrong, "1", "")


def test_limits_of_a_turn() -> None:
    """The moments: own seconds, then over, then cut, which leaves before the limit."""
    position = Position(Rules.freestyle(15))
    now = time.monotonic()
    for limit in (50, 1000, 30000):
        turn = Turn(position, Limits(turn_ms=limit), now)
        assert 0 < turn.seconds < turn.cut - now <= limit / 1000
        assert not turn.over
    late = Turn(position, Limits(turn_ms=1000), now - 2)
    assert late.over and late.left == 0.0
    assert 0 < late.cut - time.monotonic() < 0.02, "a moment is always given"
    endless = Turn(position, Limits(nodes=5), now)
    assert endless.seconds == endless.left == float("inf")
    endless.set_limits(Limits(turn_ms=0))
    assert endless.over


def test_a_callable_object_will_do() -> None:
    class Player:
        def __call__(self, position: Position, turn: Turn) -> tuple[int, int]:
            return 1, 2

    position = Position(Rules.freestyle(15))
    thinker = FunctionThinker(Player())
    heard = []
    found = thinker.search(position, Limits(turn_ms=1000), None, heard.append)
    assert found.move == (1, 2) and found.note is None and len(heard) == 1


def test_54_blocked_points(start: Start) -> None:
    """The function is told; what is blocked is not played, not even where it is offered."""
    source = """
def choose_move(position, turn):
    turn.say(f"avoid {sorted(turn.avoid)}")
    return 0, 0
"""
    with start(source) as brain:
        brain.send("START 15", "yxblock", "0,0", "3,3", "done")
        assert brain.line().text == "OK"
        said = "choose_move answered (0, 0): the point is blocked: playing 6,7, a point of our own"
        for verb in ("TURN 7,7", "yxnbest 3", "yxsearchdefend", "yxbalanceone 0"):
            answer, texts = asked(brain, verb, within=1)
            assert MOVE.match(answer) and answer not in ("0,0", "3,3")
            assert texts[0] == "avoid [(0, 0), (3, 3)]"
            assert texts[1] == said or verb != "TURN 7,7"
        brain.send("yxblockreset")
        assert asked(brain, "yxnbest 1", within=1) == ("0,0", ["avoid []"])
        brain.leave()


def test_blocked_points_are_no_way_out() -> None:
    """A forbidden point is played where all others are blocked, and no blocked one."""
    rules = Rules.renju(15)
    position = set_up(rules, "7,6 7,8 6,7 8,7", "0,0 2,0 4,0 6,0")
    assert not position.is_legal(7, 7)
    others = {(x, y) for x in range(15) for y in range(15)} - {(7, 7)}
    assert fallback(position, others) == (7, 7)
    assert read_point((7, 7), position, others) == ((7, 7), "")
    assert read_point((7, 7), position, others - {(9, 9)})[0] is None
    assert read_point((9, 9), position, others) == (None, "the point is blocked")
    with pytest.raises(ValueError, match="blocked"):
        Turn(position, Limits(), 0.0, others).offer(9, 9)


def test_the_dialect_without_an_engine(start: Start) -> None:
    """No verb stays without an answer, and no value is shown that nobody worked out."""
    source = """
def choose_move(position, turn):
    return position.legal_points()[0]
"""
    with start(source) as brain:
        brain.send("INFO show_detail 3", "INFO pondering 1", "INFO thread_num 4", "START 15")
        assert brain.line().text == "OK"
        assert asked(brain, "yxnbest 2", within=1) == ("0,0", [])
        for step, points in ((2, 3), (3, 3), (4, 4), (5, 4), (6, 6)):
            stones = [f"{5 + x},{x}" for x in range(points)]
            verb = f"yxsoosorvstep{step}"
            brain.send(f"{verb} 2" if step in (4, 5) else verb, *stones, "done", "yxnbest 1")
            assert brain.line(messages=True).text == f"MESSAGE {verb}: this brain only finds moves"
            assert MOVE.match(brain.line(messages=True).text)
        brain.leave()
