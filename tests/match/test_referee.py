"""The referee: who wins, why, and in which order it looks."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from stand_ins import StandIn, plan, seats

from shisan.engine import Rules
from shisan.protocol.conditions import Conditions
from shisan.protocol.journal import REASONS, Game
from shisan.protocol.manager import BrainFault
from shisan.protocol.police import Offence
from shisan.protocol.referee import Moved, Plan, play_game

FREE = Rules.freestyle()
RENJU = Rules.renju()
CASUAL = replace(RENJU, foul_loses=False)
DOUBLE_THREE = ((7, 5), (0, 0), (7, 6), (2, 0), (5, 7), (4, 0), (6, 7), (6, 0))
"""Black to move; 7,7 is a double three."""

COLUMN = [(0, y) for y in range(5)]
FAR = [(14, y) for y in range(0, 10, 2)]


def game(
    black: StandIn,
    white: StandIn,
    *opening: tuple[int, int],
    rules: Rules = FREE,
    **options: object,
) -> Game:
    conditions = Conditions(**options)  # type: ignore[arg-type]
    return play_game(plan(*opening), seats(black, white, conditions), rules)


def end(played: Game) -> tuple[str, str]:
    return played.result, played.reason


def test_five_wins_and_everything_is_noted() -> None:
    black = StandIn(*[(point, 10.0, 5) for point in COLUMN])
    white = StandIn(*FAR)
    seen: list[Moved] = []
    played = play_game(plan(), seats(black, white), FREE, watch=seen.append)
    assert end(played) == ("1-0", "five")
    assert played.moves == tuple(x for pair in zip(COLUMN, FAR, strict=True) for x in pair)[:9]
    assert played.times_ms == (10.0, 1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0, 10.0)
    assert played.scores == (5, None, 5, None, 5, None, 5, None, 5)
    assert played.nodes == (100,) * 9
    assert (played.start_ms, played.memory) == ((12.0, 12.0), (1000, 1000))
    assert not played.loser_fault
    assert [len(each.stones) for each in seen] == list(range(1, 10))
    assert black.asked[:3] == ["START", "BEGIN", "TURN 14,0"]
    assert white.asked[:3] == ["START", "BOARD 1", "TURN 0,1"]


def test_an_opening_is_no_move_of_anybody() -> None:
    black, white = StandIn(*COLUMN[1:]), StandIn(*FAR[1:])
    played = game(black, white, (0, 0), (14, 0))
    assert end(played) == ("1-0", "five")
    assert played.opening == ((0, 0), (14, 0))
    assert len(played.times_ms) == len(played.moves) - 2 == 7
    assert black.asked == ["START", "BOARD 2", "TURN 14,2", "TURN 14,4", "TURN 14,6"]


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ((15, 0), "illegal move", "Black: 15,0 is outside the board of 15x15"),
        ((-1, -1), "illegal move", "Black: -1,-1 is outside the board of 15x15"),
        ((7, 7), "illegal move", "Black: 7,7 (h8) is occupied"),
        ("UNKNOWN what", "nonsense", "Black: 'UNKNOWN what' is no move"),
        (BrainFault("time", "no move in 300 ms", 300.0), "time", "Black: no move in 300 ms"),
        (BrainFault("crash", "it ended"), "crash", "Black: it ended"),
        (BrainFault("memory", "it uses much"), "memory", "Black: it uses much"),
    ],
)
def test_faults_lose(answer: tuple[int, int] | str | BrainFault, reason: str, detail: str) -> None:
    played = game(StandIn(answer), StandIn(), (7, 7), (8, 8))
    assert (*end(played), played.detail) == ("0-1", reason, detail)
    assert played.loser_fault
    played = game(StandIn((0, 0)), StandIn(answer), (7, 7), (8, 8))
    assert (*end(played), played.detail) == ("1-0", reason, detail.replace("Black", "White"))
    assert reason in REASONS


def test_a_side_that_cannot_start_loses_and_black_is_looked_at_first() -> None:
    broken = BrainFault("start", "no OK in 20 ms")
    assert end(game(StandIn(), StandIn(start=broken))) == ("1-0", "start")
    white = StandIn(start=broken)
    assert end(game(StandIn(start=broken), white)) == ("0-1", "start")
    assert white.asked == []


def test_a_late_illegal_move_is_a_time_out() -> None:
    """The manager says that it was late; the point is never looked at."""
    late = BrainFault("time", "'7,7' came after 310.0 ms, the limit is 300", 310.0)
    played = game(StandIn(late), StandIn(), (7, 7), (8, 8))
    assert end(played) == ("0-1", "time")


def test_a_fault_beats_the_five_of_the_same_answer() -> None:
    greedy = BrainFault("memory", "it uses 2 bytes of 1")
    opening = [x for pair in zip(COLUMN[:4], FAR[:4], strict=True) for x in pair]
    assert end(game(StandIn(greedy), StandIn(), *opening)) == ("0-1", "memory")
    assert end(game(StandIn((0, 4)), StandIn(), *opening)) == ("1-0", "five")


def test_rules_come_before_limits_and_values() -> None:
    """The stone that makes five wins, whatever else would end the game with it."""
    opening = [x for pair in zip(COLUMN[:4], FAR[:4], strict=True) for x in pair]
    losing = StandIn(((0, 4), 1.0, -900))
    options = {"max_moves": 9, "resign_score": 100, "resign_moves": 1, "draw_empty": 216}
    assert end(game(losing, StandIn(), *opening, **options)) == ("1-0", "five")
    losing = StandIn(((5, 5), 1.0, -900))
    assert end(game(losing, StandIn(), *opening, **options)) == ("0-1", "resigns")
    even = StandIn(((5, 5), 1.0, 0))
    assert end(game(even, StandIn(), *opening, **options)) == ("1/2", "move limit")


def test_forbidden_move_loses() -> None:
    played = game(StandIn((7, 7)), StandIn(), *DOUBLE_THREE, rules=RENJU)
    assert end(played) == ("0-1", "forbidden move")
    assert played.moves[-1] == (7, 7)
    assert not played.loser_fault
    assert played.detail == "Black: h8 is forbidden"


def test_forbidden_move_is_put_back_and_asked_again() -> None:
    black = StandIn((7, 7), (1, 1), BrainFault("crash", "enough"))
    white = StandIn((8, 0))
    played = game(black, white, *DOUBLE_THREE, rules=CASUAL)
    assert played.moves[8:] == ((1, 1), (8, 0))
    assert [each.text for each in played.events] == ["h8 is a double three"]
    assert black.asked == ["START", "BOARD 8", "BOARD 8 closed 7,7", "BOARD 10"]
    assert black.limits[1][0] == 1299.0, "both answers are one move"
    assert played.times_ms[0] == 2.0


def test_forbidden_move_again_and_again_loses() -> None:
    played = game(StandIn(*[(7, 7)] * 3), StandIn(), *DOUBLE_THREE, rules=CASUAL, asks=2)
    assert end(played) == ("0-1", "forbidden move")
    assert (7, 7) not in played.moves
    assert len(played.events) == 3


def test_white_may_play_there() -> None:
    played = game(StandIn((1, 1)), StandIn((7, 7), (15, 15)), *DOUBLE_THREE[:-1], rules=RENJU)
    assert played.reason == "illegal move"


def test_draws() -> None:
    tiny = Rules.standard(5)
    rows = [[(x, y) for x in range(5)] for y in range(5)]
    order = [p for row in (0, 2, 4, 1, 3) for p in rows[row]]
    blacks, whites = order[0::2], order[1::2]
    assert end(game(StandIn(*blacks), StandIn(*whites), rules=tiny)) == ("1/2", "board full")
    played = game(StandIn(*blacks), StandIn(*whites), rules=tiny, draw_empty=10)
    assert (*end(played), len(played.moves)) == ("1/2", "few empty points", 15)
    played = game(StandIn(*blacks), StandIn(*whites), rules=tiny, max_moves=6)
    assert (*end(played), len(played.moves)) == ("1/2", "move limit", 6)


def quiet(value: int | None, points: list[tuple[int, int]]) -> StandIn:
    return StandIn(*[(point, 1.0, value) for point in points])


def test_a_draw_is_agreed_by_both() -> None:
    blacks = [(x, y) for y in (0, 3) for x in range(0, 15, 2)]
    whites = [(x, y) for y in (6, 9) for x in range(0, 15, 2)]
    options = {"draw_score": 20, "draw_moves": 3}
    played = game(quiet(20, blacks), quiet(-20, whites), **options)
    assert (*end(played), len(played.moves)) == ("1/2", "agreed draw", 6)
    for one, other in ((21, 0), (0, -21), (None, 0), (0, None)):
        limited = game(quiet(one, blacks), quiet(other, whites), **options, max_moves=20)
        assert limited.reason == "move limit"


def test_resignation_is_the_movers_own() -> None:
    blacks = [(x, y) for y in (0, 3) for x in range(0, 15, 2)]
    whites = [(x, y) for y in (6, 9) for x in range(0, 15, 2)]
    options = {"resign_score": 500, "resign_moves": 2, "max_moves": 20}
    played = game(quiet(500, blacks), quiet(-500, whites), **options)
    assert (*end(played), len(played.moves)) == ("1-0", "resigns", 4)
    assert played.detail == "White: values -500, -500"
    assert game(quiet(900, blacks), quiet(-499, whites), **options).reason == "move limit"
    swinging = StandIn(*[(p, 1.0, -900 if at % 2 else 0) for at, p in enumerate(whites)])
    assert game(quiet(0, blacks), swinging, **options).reason == "move limit"


def test_clocks() -> None:
    """The limit is the less of both, and the tolerance is not added to the clock."""
    black = StandIn(((0, 0), 400.0), ((0, 1), 700.0), BrainFault("time", "late"))
    white = StandIn(*FAR)
    played = game(black, white, turn=500, time=1000, increment=50, tolerance=100)
    assert black.limits == [(600, 1000), (600, 650), (100, 0)]
    assert played.reason == "time"
    endless = StandIn(BrainFault("crash", "over"))
    game(endless, StandIn(), turn=None, nodes=7, depth=3)
    assert endless.limits == [(None, None)]
    assert endless.told is not None
    assert endless.told.options == (("max_node", "7"), ("max_depth", "3"))


def test_a_pause_is_off_the_clock() -> None:
    """No brain is asked again before it was left alone, whoever else was asked in between."""
    black, white = StandIn(*COLUMN), StandIn(*FAR)
    begun = time.monotonic()
    played = game(black, white, pause=40, time=1000)
    assert end(played) == ("1-0", "five")
    assert time.monotonic() - begun >= 4 * 0.04
    assert black.limits[-1][1] == 996


def test_the_built_in_engine_plays_on() -> None:
    late = BrainFault("time", "no move in 1300 ms", 1300.0)
    black, spare = StandIn((0, 0), late), StandIn(*COLUMN[1:])
    conditions = Conditions(timeout="plays-on", time=60_000)
    made: list[StandIn] = []

    def substitute() -> StandIn:
        made.append(spare)
        return spare

    played = play_game(plan(), seats(black, StandIn(*FAR), conditions), FREE, substitute)
    assert end(played) == ("1-0", "five")
    assert [(each.player, each.ply, each.kind) for each in played.events] == [(0, 2, "time")]
    assert black.ended == "kill"
    assert spare.asked[:3] == ["START", "BOARD 2", "TURN 14,2"]
    assert spare.limits[0] == (1300, None)
    assert len(made) == 1
    crash = game(StandIn(BrainFault("crash", "x")), StandIn(), timeout="plays-on")
    assert crash.reason == "crash"


def test_offences_are_reported_and_those_of_other_games_are_not() -> None:
    black = StandIn((0, 0), BrainFault("crash", "x"))
    black.offences += [Offence("old", ("Piskvork",), "loss")]
    pair = seats(black, StandIn((1, 0)))

    def watch(moved: Moved) -> None:
        if len(moved.stones) == 1:
            black.offences.append(Offence("7 ,8", ("Piskvork", "qpiskvork"), "loss"))

    played = play_game(plan(), pair, FREE, watch=watch)
    (found,) = played.offences
    assert (found.player, found.line) == (0, "7 ,8")
    assert found.managers == "Piskvork, qpiskvork: loss"


def swap2(layer: StandIn, chooser: StandIn, **options: object) -> Game:
    conditions = Conditions(**options)  # type: ignore[arg-type]
    return play_game(Plan(1, 1, 0, 1, (), True), seats(layer, chooser, conditions), FREE)


LAID = "7,7 8,7 9,9"
CRASH = BrainFault("crash", "end of the test")


def test_swap2_taking_black() -> None:
    layer, chooser = StandIn(LAID, (0, 0), CRASH), StandIn("SWAP", (1, 1))
    played = swap2(layer, chooser)
    assert (played.black, played.white) == (1, 0)
    assert played.opening == ((7, 7), (8, 7), (9, 9))
    assert played.moves[3:] == ((0, 0), (1, 1))
    assert end(played) == ("1-0", "crash")
    assert layer.asked == ["START", "SWAP2BOARD 0", "BOARD 3", "TURN 1,1"]
    assert chooser.asked == ["START", "SWAP2BOARD 3", "BOARD 4"]
    assert [each.text for each in played.events] == ["lays the opening", "takes Black"]


def test_swap2_staying_white() -> None:
    layer, chooser = StandIn(LAID, CRASH), StandIn(((5, 5), 40.0))
    played = swap2(layer, chooser, time=1000)
    assert (played.black, played.white) == (0, 1)
    assert played.moves == ((7, 7), (8, 7), (9, 9), (5, 5))
    assert played.times_ms == (40.0,)
    assert end(played) == ("0-1", "crash")
    assert layer.asked[-1] == "BOARD 4"
    assert layer.limits[-1][1] == 999.0, "laying has taken 1 ms"


@pytest.mark.parametrize(("answer", "black"), [("SWAP", 0), ((6, 6), 1)])
def test_swap2_with_two_more_stones(answer: str | tuple[int, int], black: int) -> None:
    layer, chooser = StandIn(LAID, answer, CRASH), StandIn("5,5 6,5", (2, 2), CRASH)
    played = swap2(layer, chooser)
    assert (played.black, played.white) == (black, 1 - black)
    assert len(played.opening) == 5
    assert layer.asked[2] == "SWAP2BOARD 5"
    for one, other in pairwise(played.events):
        assert one.ply <= other.ply


@pytest.mark.parametrize(
    ("first", "second", "result", "reason"),
    [
        ("UNKNOWN swap2", "SWAP", "0-1", "nonsense"),
        ("7,7 7,7 8,8", "SWAP", "0-1", "illegal move"),
        ("7,7 8,8 15,0", "SWAP", "0-1", "illegal move"),
        ("7,7 8,8", "SWAP", "0-1", "nonsense"),
        (LAID, "UNKNOWN swap2", "1-0", "nonsense"),
        (LAID, (7, 7), "1-0", "illegal move"),
        (LAID, "7,7 1,1", "1-0", "illegal move"),
        (LAID, BrainFault("time", "late"), "1-0", "time"),
    ],
)
def test_swap2_faults(
    first: str, second: str | tuple[int, int] | BrainFault, result: str, reason: str
) -> None:
    assert end(swap2(StandIn(first), StandIn(second))) == (result, reason)
