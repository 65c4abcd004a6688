"""What a move may use: margins, the match clock, and what INFO does to a running search."""

import pytest
from brains import Talk

from shisan.engine import Limits
from shisan.protocol.loop import start_up_time
from shisan.protocol.options import UNLIMITED
from shisan.protocol.session import ChangeLimits
from shisan.protocol.timing import MatchClock, left_margin, limits, turn_margin


@pytest.mark.parametrize(
    ("turn", "margin"), [(0, 6), (100, 6), (1000, 30), (5000, 150), (300_000, 150)]
)
def test_turn_margin(turn: int, margin: int) -> None:
    assert turn_margin(turn) == margin


def test_left_margin() -> None:
    assert [left_margin(left) for left in (-5, 100, 1000, 180_000)] == [10, 10, 50, 500]


def test_limits() -> None:
    assert limits(None, None, None, None) == Limits(turn_ms=29850)
    assert limits(None, None, 5, None) == Limits(depth=5)
    assert limits(None, None, None, 5) == Limits(nodes=5)
    assert limits(None, 60000, None, None) == Limits(left_ms=59500)
    assert limits(0, None, None, None) == Limits(turn_ms=0)
    assert limits(3, None, None, None) == Limits(turn_ms=0)
    assert limits(1000, 20000, 3, 7) == Limits(turn_ms=970, left_ms=19500, nodes=7, depth=3)


def test_clock_without_anything() -> None:
    clock = MatchClock()
    assert clock.left is None
    clock.start_search()
    clock.end_search(5000)
    assert clock.left is None


def test_clock_counts_down_a_match() -> None:
    clock = MatchClock()
    clock.match = 10_000
    clock.start_search()
    clock.end_search(3000)
    assert clock.left == 7000
    clock.increment = 500
    clock.start_search()
    clock.end_search(1000)
    assert clock.left == 6500
    clock.new_game()
    assert clock.left == 10_000


def test_clock_counts_down_from_the_last_time_left() -> None:
    clock = MatchClock()
    clock.match = 10_000
    clock.announce(8000)
    assert clock.left == 8000
    clock.start_search()
    clock.end_search(1500)
    assert clock.left == 6500
    clock.announce(6400)
    assert clock.left == 6400
    clock.announce(UNLIMITED)
    assert clock.left is None
    clock.announce(-20)
    assert clock.left == -20


def test_clock_keeps_a_time_left_sent_before_start() -> None:
    clock = MatchClock()
    clock.announce(8000)
    clock.new_game()
    assert clock.left == 8000
    clock.start_search()
    clock.new_game()
    assert clock.left is None


def test_clock_during_a_search() -> None:
    clock = MatchClock()
    clock.announce(8000)
    clock.start_search()
    clock.announce(8000, elapsed=300)  # the line from before, once more
    assert clock.left == 8000
    clock.announce(5000, elapsed=400)  # 5000 from now on, so 5400 from the start
    assert clock.left == 5400
    clock.end_search(900)
    assert clock.left == 4500


def test_time_left_twice_changes_nothing() -> None:
    talk = Talk("START 15", "INFO time_left 60000")
    talk.hold = True
    talk.send("BEGIN", "INFO time_left 60000")
    assert not any(isinstance(effect, ChangeLimits) for effect in talk.effects)
    talk.now += 1
    talk.send("INFO time_left 30000")
    assert isinstance(talk.effects[-1], ChangeLimits)
    assert talk.limits == Limits(left_ms=31000 - 500)


def test_settings_during_a_search_hold_from_the_next_on() -> None:
    talk = Talk("START 15", "INFO timeout_turn 1000")
    talk.hold = True
    talk.send("BEGIN", "INFO max_node 5", "INFO rule 4", "INFO max_memory 99999999")
    assert not any(isinstance(effect, ChangeLimits) for effect in talk.effects)
    talk.send("INFO timeout_turn 2000")
    assert talk.limits == Limits(turn_ms=1940, nodes=5)
    talk.finish()
    talk.send("TURN 5,5")
    search = talk.searches[-1]
    assert search.limits == Limits(turn_ms=1940, nodes=5)
    assert search.position.rules.name == "renju"
    assert search.memory == 99999999


def test_the_match_clock_runs_while_we_think() -> None:
    talk = Talk("START 15", "INFO timeout_match 60000", "INFO time_increment 100")
    talk.hold = True
    talk.send("BEGIN")
    talk.finish(after=2.0)
    talk.send("TURN 5,5")
    assert talk.limits == Limits(left_ms=60000 - 2000 + 100 - 500)
    talk.finish(after=1.0)
    talk.send("INFO time_left 50000", "TURN 6,6")
    assert talk.limits == Limits(left_ms=49500)
    talk.finish(after=3.0)
    talk.send("TURN 7,7")
    assert talk.limits == Limits(left_ms=50000 - 3000 + 100 - 500)


def test_a_request_that_waited_is_timed_from_the_answer_before() -> None:
    talk = Talk("START 15")
    talk.hold = True
    talk.send("BEGIN", "TURN 5,5")
    talk.finish(after=7.0)
    assert talk.searches[-1].started == talk.now


def test_start_up_time() -> None:
    assert 0 < start_up_time() < 3600
