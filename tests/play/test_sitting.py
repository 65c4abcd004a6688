"""A game apart from any screen: moves, take back, the clock, endings."""

import pytest

from shisan.engine import Colour, Position, Rules
from shisan.protocol.notation import read_point, read_points
from shisan.protocol.records import play_all
from shisan.protocol.sitting import Ending, PlayError, Sitting, describe

BLACK, WHITE = Colour.BLACK, Colour.WHITE


def sitting(rules: Rules, moves: str = "", person: Colour = BLACK, **more) -> Sitting:
    return Sitting(play_all(rules, read_points(moves)), person, 0.0, **more)


def play(game: Sitting, moves: str, now: float = 0.0) -> None:
    for point in read_points(moves):
        put = game.place if game.persons_turn else game.answer
        put(point, now)


def stones(game: Sitting) -> int:
    return game.position.ply


def test_the_start_is_copied_and_may_not_be_over() -> None:
    start = Position(Rules.freestyle())
    game = Sitting(start, BLACK, 0.0)
    play(game, "h8i9")
    assert start.ply == 0
    won = play_all(Rules.freestyle(), read_points("h8a1i8c1j8e1k8g1l8"))
    with pytest.raises(PlayError, match="over before it begins: five"):
        Sitting(won, BLACK, 0.0)


def test_turns() -> None:
    game = sitting(Rules.freestyle(), person=WHITE)
    assert game.engines_turn
    with pytest.raises(PlayError, match="the engine's turn"):
        game.place((7, 7), 0)
    game.answer((7, 7), 0)
    assert game.persons_turn
    with pytest.raises(PlayError, match="not the engine's turn"):
        game.answer((8, 8), 0)


@pytest.mark.parametrize(
    ("rules", "moves", "point", "words"),
    [
        (Rules.freestyle(), "h8i9", "h8", "h8 is occupied by a black stone, number 1"),
        (Rules.freestyle(), "h8i9", "i9", "i9 is occupied by a white stone, number 2"),
        (Rules.freestyle(9), "", "k3", "k3 is outside the board of 9x9"),
        (
            Rules.renju(),
            "h8g6f6g5f7g4h7g3g2a1",
            "g7",
            "g7 is forbidden for Black: double three, f7 g7 h7 and f6 g7 h8",
        ),
        (
            Rules.renju(),
            "c8a1d8c1f8e1g8g1h9a15",
            "e8",
            None,
        ),
        (
            Rules.renju(),
            "c8a1d8c1e8e1g8g1h8a15",
            "f8",
            "f8 is forbidden for Black: overline, c8 d8 e8 f8 g8 h8",
        ),
        (Rules.freestyle(), "c8a1d8c1e8e1g8g1h8a15", "f8", None),
        (Rules.freestyle(), "h8a1i8c1j8e1k8g1l8", "a9", None),
    ],
)
def test_refusals(rules: Rules, moves: str, point: str, words: str | None) -> None:
    """In words; the forbidden ones whatever playing them would cost."""
    for foul_loses in (True, False) if rules.forbidden else (True,):
        facts = {name: getattr(rules, name) for name in rules.__slots__}
        game = sitting(Rules(**facts | {"foul_loses": foul_loses}))
        play(game, moves)
        if game.ending is not None:
            words = "the game is over: Black wins: h8 i8 j8 k8 l8"
        assert game.refusal(read_point(point)) == words
        if words is not None:
            before = stones(game)
            with pytest.raises(PlayError) as refused:
                game.place(read_point(point), 0)
            assert str(refused.value) == words
            assert stones(game) == before


def test_walls_are_occupied() -> None:
    start = Position.set_up(Rules.freestyle(), [], BLACK, [(3, 3)])
    assert Sitting(start, BLACK, 0).refusal((3, 3)) == "d4 is occupied by a wall"


def test_take_back_both_plies() -> None:
    game = sitting(Rules.freestyle())
    play(game, "h8i9h10i11")
    assert game.take_back(0) == 2
    assert [(x, y) for x, y, _ in game.position.stones] == read_points("h8i9")
    assert len(game.plies) == 2
    assert game.persons_turn


def test_take_back_while_the_engine_thinks() -> None:
    game = sitting(Rules.freestyle())
    play(game, "h8i9h10")
    assert game.take_back(0) == 1
    assert game.persons_turn
    assert stones(game) == 2


def test_take_back_to_the_beginning_and_no_further() -> None:
    game = sitting(Rules.freestyle(), person=WHITE)
    play(game, "h8i9")
    assert game.take_back(0) == 1
    with pytest.raises(PlayError, match="no move of yours"):
        game.take_back(0)
    assert stones(game) == 1


def test_take_back_of_what_lay_there_before() -> None:
    """Moves of a record are taken back like others; fixed stones and set-ups are not."""
    assert sitting(Rules.freestyle(), "h8i9").take_back(0) == 2
    for more in ({"fixed": 2}, {"set_up": True}):
        with pytest.raises(PlayError, match="no move of yours"):
            sitting(Rules.freestyle(), "h8i9", **more).take_back(0)


@pytest.mark.parametrize(
    ("person", "moves"), [(BLACK, "h8a1i8c1j8e1k8g1l8"), (WHITE, "h8a1i8c1j8e1k8g1l8")]
)
def test_take_back_a_game_that_has_ended(person: Colour, moves: str) -> None:
    game = sitting(Rules.freestyle(), person=person)
    play(game, moves)
    assert game.ending == Ending(BLACK, "five", tuple(read_points("h8i8j8k8l8")))
    assert not game.persons_turn
    assert not game.engines_turn
    assert game.take_back(0) == (1 if person == BLACK else 2)
    assert game.ending is None
    assert game.persons_turn


def test_overlines_by_rule() -> None:
    """Six in a row: a win, no win, or forbidden; the fault that others made."""
    column = "2,10 5,10 6,11 7,9 6,10 8,8 6,8 7,7 6,7 9,10 6,12 17,5"
    moves = [(int(x) - 1, int(y) - 1) for x, y in (pair.split(",") for pair in column.split())]
    endings = {}
    for make in (Rules.freestyle, Rules.standard, Rules.renju):
        game = Sitting(play_all(make(20), moves), BLACK, 0)
        words = game.refusal((5, 8))
        if words is None:
            game.place((5, 8), 0)
        endings[make(20).name] = words or game.ending
    won = endings["freestyle"]
    assert isinstance(won, Ending)
    assert won.winner == BLACK
    assert endings["standard"] is None
    assert endings["renju"] == "f9 is forbidden for Black: overline, f7 f8 f9 f10 f11 f12"


def test_a_full_board_is_a_draw() -> None:
    rows = ("BBWWB", "WWBBW", "BBWWB", "WWBBW", "BBWWB")
    points = {
        mark: [(x, y) for y in range(5) for x in range(5) if rows[y][x] == mark] for mark in "BW"
    }
    game = sitting(Rules.freestyle(5))
    for number in range(25):
        point = points["BW"[number % 2]][number // 2]
        (game.place if number % 2 == 0 else game.answer)(point, 0)
    assert game.ending == Ending(None, "board full")
    assert describe(game.ending) == "draw: the board is full"
    assert game.take_back(0) == 1


def test_black_without_a_legal_point_is_a_draw() -> None:
    """The one empty point would make six: nothing that Black may play."""
    rules = Rules.renju(7, 5)
    rows = ("WBWBWBW", "BWBWBWB", "BBB.BBW", "WBWBWBB", "BWBWBWB")
    stones = [
        (x, y, BLACK if mark == "B" else WHITE)
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark != "."
    ]
    last = stones.pop(0)
    game = Sitting(Position.set_up(rules, stones, WHITE), BLACK, 0, set_up=True)
    assert game.engines_turn
    game.answer(last[:2], 0)
    assert game.ending is not None
    assert describe(game.ending) == "draw: Black has no legal point"


def test_resigning() -> None:
    game = sitting(Rules.freestyle(), person=WHITE)
    game.resign(0)
    assert game.ending == Ending(BLACK, "resigns")
    assert describe(game.ending) == "Black wins: White resigns"
    with pytest.raises(PlayError, match="the game is over"):
        game.resign(0)
    assert game.take_back(0) == 0
    assert game.engines_turn


def test_the_clock_runs_for_the_person_only() -> None:
    game = sitting(Rules.freestyle(), clock_s=30)
    assert game.left(10) == 20
    game.place((7, 7), 29.9)
    assert game.left(100) is None
    assert not game.tick(1000)
    game.answer((8, 8), 1000)
    assert game.left(1010) == 20
    assert [ply.time_ms for ply in game.plies] == [29900, 970100]


def test_losing_on_time() -> None:
    game = sitting(Rules.freestyle(), clock_s=30)
    assert not game.tick(29.99)
    assert game.tick(30)
    assert not game.tick(31)
    assert game.ending == Ending(WHITE, "time")
    assert describe(game.ending) == "White wins: Black's time has run out"
    with pytest.raises(PlayError, match="the game is over"):
        game.place((7, 7), 31)
    assert game.take_back(40) == 0
    assert game.left(50) == 20


def test_a_move_after_the_time_is_none() -> None:
    """Nobody looked at the clock in between."""
    game = sitting(Rules.freestyle(), clock_s=30)
    with pytest.raises(PlayError, match="time has run out"):
        game.place((7, 7), 30.5)
    assert stones(game) == 0


def test_a_pause_costs_nothing() -> None:
    game = sitting(Rules.freestyle(), clock_s=30)
    game.pause(10)
    assert game.left(500) == 20
    assert not game.tick(500)
    game.resume(510)
    game.resume(515)
    assert game.left(520) == 10
    game.place((7, 7), 525)
    assert game.plies[-1].time_ms == 25000
