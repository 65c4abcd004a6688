"""Faults that users of such programs have reported: none of them here.

Positions are written h8g6...: moves in turn, Black first, letters from the left, rows from the top.
"""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest
from brains import MOVE, SLACK, Brain, Talk

from shisan.engine import Colour
from shisan.protocol.notation import read_points

FORCED = "h8g6f6g5f7g4h7g3g2a1"
PLAIN_FOUR = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10"


def board(moves: str) -> list[str]:
    """BOARD for the side to move after these moves."""
    points = read_points(moves)
    fields = [1 if (len(points) - ply) % 2 == 0 else 2 for ply in range(len(points))]
    lines = [f"{x},{y},{field}" for (x, y), field in zip(points, fields, strict=True)]
    return ["BOARD", *lines, "DONE"]


@pytest.mark.parametrize("turn", [0, 1, 100, 1000])
def test_case_1_forced_onto_a_forbidden_point(turn: int) -> None:
    """White wins at g7, which Black may not take: another point, in time, and g7 explained."""
    with Brain() as brain:
        brain.ask("START 15", "INFO rule 4", f"INFO timeout_turn {turn}")
        answer, took = brain.timed(*board(FORCED))
        assert MOVE.match(answer) and answer != "6,6"
        assert took < turn / 1000 + 0.05 + SLACK
        told = [line for line in brain.log if line.startswith("< MESSAGE ") and "g7" in line]
        assert any("forbidden" in line and "double three" in line for line in told), brain.log
        brain.leave()


@pytest.mark.parametrize("last", ["STOP", "END"])
def test_case_1_stop_and_end_are_heard(last: str) -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO rule 4", "INFO timeout_turn 60000")
        at = brain.send(*board(FORCED), last)
        if last == "END":
            assert brain.left(at) < 0.1 + SLACK
        else:
            assert brain.line().at - at < 0.1 + SLACK
            brain.leave()


@pytest.mark.parametrize(
    ("rule", "reason", "winner"),
    [
        (0, "five", Colour.BLACK),
        (1, "going on", None),
        (4, "forbidden move", Colour.WHITE),
    ],
)
def test_case_2_overline(rule: int, reason: str, winner: Colour | None) -> None:
    moves = "2,10 5,10 6,11 7,9 6,10 8,8 6,8 7,7 6,7 9,10 6,12 17,5"
    points = [tuple(int(number) - 1 for number in pair.split(",")) for pair in moves.split()]
    lines = [f"{x},{y},{1 + ply % 2}" for ply, (x, y) in enumerate(points)]
    talk = Talk("START 20", f"INFO rule {rule}")
    talk.hold = True
    talk.send("BOARD", *lines, "DONE")
    position = talk.searches[-1].position
    position.play(5, 8)
    assert (position.result.reason, position.result.winner) == (reason, winner)


@pytest.mark.parametrize(
    "setting",
    ["rule 2", "rule 16", "rule x", "thread_num 65", "hash_size x", "max_memory -1", "nonsense 1"],
)
def test_case_6_and_15_what_is_not_honoured_is_said(setting: str) -> None:
    talk = Talk("START 15", f"INFO {setting}")
    key, value = setting.split()
    assert any(key in text and value in text for text in talk.messages("BEGIN")), talk.said


def test_case_6_a_size_is_refused_at_once() -> None:
    assert Talk("START 30").said == ["ERROR board size must be 5..22, not 30"]


@pytest.mark.parametrize("turn", [0, 1, 100])
def test_case_8_a_plain_four_is_blocked(turn: int) -> None:
    with Brain() as brain:
        brain.ask("START 15", f"INFO timeout_turn {turn}")
        for _ in range(3):
            assert brain.ask(*board(PLAIN_FOUR)) == "4,6"
        brain.leave()


@pytest.mark.parametrize("size", [5, 6, 15, 19, 20, 22])
def test_case_11_corners_first(size: int) -> None:
    last = size - 1
    with Brain() as brain:
        for corner in ((0, 0), (last, 0), (0, last), (last, last), (0, last // 2)):
            brain.send("INFO max_node 200", f"START {size}")
            assert brain.line().text == "OK"
            answer = brain.ask(f"TURN {corner[0]},{corner[1]}")
            assert MOVE.match(answer)
            assert brain.ask(f"TURN {answer}").startswith("ERROR ")
        brain.leave()


def self_play(*settings: str, plies: int = 10) -> list[str]:
    """The moves of one game that a brain plays with itself, by BOARD."""
    with Brain() as brain:
        brain.ask("START 15", "INFO timeout_turn 60000", "INFO max_node 3000", *settings)
        game: list[str] = []
        for ply in range(plies):
            fields = [1 if (ply - i) % 2 == 0 else 2 for i in range(ply)]
            stones = [f"{point},{field}" for point, field in zip(game, fields, strict=True)]
            game.append(brain.ask("BOARD", *stones, "DONE") if game else brain.ask("BEGIN"))
        brain.leave()
        return game


def test_case_12_the_same_game_only_if_wanted() -> None:
    """Without variety, and with the same seed, the same game; else others, all of them whole."""
    assert self_play() == self_play("INFO seed 7")
    varied = [self_play("INFO variety 30", f"INFO seed {seed}") for seed in (1, 1, 2, 3)]
    assert varied[0] == varied[1]
    assert len({tuple(game) for game in varied}) >= 2
    drawn = {tuple(self_play("INFO variety 30")) for _ in range(4)}
    assert len(drawn) >= 2
    assert all(MOVE.match(move) for game in (*varied, *drawn) for move in game)


def test_case_12_the_seed_of_a_game_is_told() -> None:
    """A drawn seed holds for a game and is named, so that the game can be played again."""
    talk = Talk("START 15", "INFO variety 20")
    told = talk.messages("TURN 7,7")
    assert [text for text in told if text.startswith("variety 20: INFO seed ")]
    assert not talk.messages("TURN 8,8")
    first, second = (search.variety for search in talk.searches)
    assert first == second
    assert first[0] == 20 and f"INFO seed {first[1]} plays this game again" in told[-1]
    assert talk.messages("RESTART", "TURN 7,7")[0].startswith("variety 20: INFO seed ")
    talk.messages("INFO seed 5", "RESTART", "BEGIN", "INFO variety 0", "TURN 9,9")
    assert [search.variety for search in talk.searches[-2:]] == [(20, 5), (0, 0)]
    assert talk.searches[2].variety != first
    told = talk.messages("INFO seed 0", "INFO strength 40", "RESTART", "BEGIN")
    assert told[0].startswith("strength 40: INFO seed ")
    assert talk.searches[-1].strength == 40 and talk.searches[-1].variety[1] > 0


@pytest.mark.skipif(os.name != "posix", reason="suspends the process")
@pytest.mark.parametrize("after", [0.0, 0.02, 0.06])
def test_case_13_suspended_while_starting(after: float) -> None:
    """The clock of the first move runs from the moment we are let go, loading included."""
    with Brain(end="\r\n") as brain:
        brain.send("START 20", "INFO timeout_turn 500", "INFO timeout_match 180000")
        brain.send("INFO max_memory 367001600", "INFO rule 0", "INFO folder /tmp/a b")
        time.sleep(after)
        brain.process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        brain.send("INFO time_left 180000", "BOARD", "3,3,2", "DONE")
        at = time.monotonic()
        brain.process.send_signal(signal.SIGCONT)
        assert brain.line().text == "OK" or brain.log.count("< OK") == 1
        move = brain.line()
        assert MOVE.match(move.text)
        assert 0.1 < move.at - at < 0.5 + SLACK
        brain.leave()


@pytest.mark.parametrize("command", ["RESTART", "START 15", "STOP"])
def test_case_14_no_search_goes_on(command: str) -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO timeout_turn 60000")
        brain.send("BEGIN")
        time.sleep(0.2)
        brain.ask(command)
        time.sleep(0.1)
        process = psutil.Process(brain.process.pid)
        before = process.cpu_times()
        time.sleep(0.5)
        after = process.cpu_times()
        assert after.user + after.system - before.user - before.system < 0.1
        brain.leave()


def test_case_15_settings_outlast_games() -> None:
    talk = Talk("INFO rule 4", "INFO timeout_turn 900", "INFO max_memory 99999999", "START 15")
    for line in ("BEGIN", "RESTART", "BEGIN", "START 20", "BEGIN", "RECTSTART 8,9", "BEGIN"):
        talk.send(line)
    for search in talk.searches:
        assert search.position.rules.name == "renju"
        assert search.limits.turn_ms == 873
        assert search.memory == 99999999


def test_case_16_a_folder_with_blanks_is_no_command() -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO timeout_turn 20")
        brain.send("INFO folder C:\\Program Files\\START 15\\END")
        assert MOVE.match(brain.ask("BEGIN"))
        brain.leave()  # looks at stderr


def test_case_17_one_process_that_leaves_nothing_behind(tmp_path: Path) -> None:
    with Brain(cwd=str(tmp_path)) as brain:
        brain.ask("START 15", "INFO timeout_turn 300")
        brain.send("BEGIN")
        time.sleep(0.1)
        assert psutil.Process(brain.process.pid).children(recursive=True) == []
        brain.line()
        brain.leave()
    assert list(tmp_path.iterdir()) == []


# -- the rule test that tournaments run: item 43 of the checklist ---------------------------------


def answer_to(rule: int, own: list[str], other: list[str], turn: int = 500) -> str:
    """The answer on 15x15 to a position of these stones with us to move."""
    fields = [f"{point},1" for point in own] + [f"{point},2" for point in other]
    with Brain() as brain:
        brain.ask("START 15", f"INFO rule {rule}", f"INFO timeout_turn {turn}")
        answer = brain.ask("BOARD", *fields, "DONE")
        brain.leave()
    return answer


@pytest.mark.parametrize("rule", [0, 1, 4, 8, 9])
def test_43_an_obvious_threat_is_met(rule: int) -> None:
    """A row of four with one end closed. In caro a stone beyond the other end stops it too."""
    other = ["4,7", "5,7", "6,7", "7,7"]
    stops = {"8,7", "9,7"} if rule & 8 else {"8,7"}
    assert answer_to(rule, ["3,7", "5,9", "6,10"], other) in stops
    assert answer_to(rule, ["3,7", "5,9", "6,10", "0,0"], other) in stops


def test_43_standard_six_is_no_win() -> None:
    """4,5 would join six; the opponent's four must be stopped at 8,9."""
    own = ["2,5", "3,5", "5,5", "6,5", "7,5", "3,9"]
    other = ["4,9", "5,9", "6,9", "7,9", "1,1", "12,12"]
    assert answer_to(1, own, other) == "8,9"
    assert answer_to(0, own, other) == "4,5"


def test_43_caro_closed_five_is_no_win() -> None:
    """4,5 makes five between two of the opponent's stones."""
    own = ["2,5", "3,5", "5,5", "6,5", "3,9"]
    other = ["1,5", "7,5", "4,9", "5,9", "6,9", "7,9"]
    for rule in (8, 9):
        assert answer_to(rule, own, other) in {"8,9", "9,9"}
    assert answer_to(0, own, other) == "4,5"


def test_43_renju_forbidden_points_are_avoided() -> None:
    """7,7 is Black's double three, and the best-looking point on the board."""
    own = ["5,7", "6,7", "7,5", "7,6"]
    other = ["0,0", "14,0", "0,14", "14,14"]
    assert answer_to(4, own, other) != "7,7"
