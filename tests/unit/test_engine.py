"""Engine: promises of a search that users rely on, on every rule and size."""

import gzip
import json
import threading
import time
from pathlib import Path

import pytest

from shisan.engine import (
    Colour,
    Engine,
    LimitError,
    Limits,
    Position,
    PositionError,
    Progress,
    Rules,
    solve_vcf,
)

BLACK, WHITE = Colour.BLACK, Colour.WHITE

ALL_RULES = [
    Rules.freestyle,
    Rules.standard,
    Rules.renju,
    Rules.caro,
    lambda w, h=None: Rules.caro(w, h, exact=True),
    lambda w, h=None: Rules(
        w, h or w, black_exact=True, white_exact=True, forbidden=True, foul_loses=False
    ),
]


def points(text: str) -> list[tuple[int, int]]:
    """Moves such as h8i9: a letter for the column, a number for the row from the top."""
    found, at = [], 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[end].isdigit():
            end += 1
        found.append((ord(text[at]) - ord("a"), int(text[at + 1 : end]) - 1))
        at = end
    return found


def position(rules: Rules, moves: str) -> Position:
    place = Position(rules)
    for x, y in points(moves):
        place.play(x, y)
    return place


def search(place: Position, **limits: int):
    return Engine(place.rules).search(place, Limits(**limits))


def test_a_four_that_leaves_black_no_legal_point_wins_nothing() -> None:
    """White's open four on a walled board: both its ends are overlines for Black, a draw."""
    rules = Rules.renju(8, 7)
    stones = [(x, 3, WHITE) for x in (2, 3, 4)]
    stones += [(x, y, BLACK) for x in (1, 6) for y in range(7) if y != 3]
    free = {(1, 3), (5, 3), (6, 3)}
    taken = {(x, y) for x, y, _ in stones}
    walls = {(x, y) for x in range(8) for y in range(7)} - taken - free
    place = Position.set_up(rules, stones, WHITE, walls)
    assert solve_vcf(place) is None
    assert search(place, depth=6).win_in is None
    place.play(5, 3)
    assert place.result.reason == "no legal point"


def test_a_four_is_blocked_at_any_limit() -> None:
    """A plain four not blocked, a stone in the corner instead: cannot be."""
    moves = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10"
    place = position(Rules.freestyle(15), moves)
    for limits in ({"turn_ms": 0}, {"turn_ms": 1}, {"nodes": 1}, {"depth": 1}, {"turn_ms": 50}):
        assert search(place, **limits).move == (4, 6)


def test_a_five_is_made_at_any_limit() -> None:
    place = position(Rules.freestyle(15), "h8a1i8c1j8e1k8g1")
    for limits in ({"turn_ms": 0}, {"nodes": 1}, {"depth": 3}):
        result = search(place, **limits)
        assert result.move in {(6, 7), (11, 7)}
        assert result.win_in == 1


def test_forced_onto_a_forbidden_point() -> None:
    """White wins where Black may not play: a legal move, the truth, and the reason in words."""
    place = position(Rules.renju(15), "h8g6f6g5f7g4h7g3g2a1")
    started = time.monotonic()
    result = search(place, turn_ms=2000)
    assert time.monotonic() - started < 2
    assert result.move != (6, 6)
    assert place.is_legal(*result.move)
    assert result.win_in == -2
    assert result.note == "lost in 1: White wins at g7, forbidden for Black (double three)"


def test_only_forbidden_points_left() -> None:
    """The game is drawn; still a point on the board is answered."""
    rules = Rules.renju(5)
    stones = [(x, y, (x + 2 * y) % 4 // 2) for y in range(5) for x in range(5) if (x, y) != (2, 2)]
    stones = [(x, y, Colour(colour)) for x, y, colour in stones]
    place = Position.set_up(rules, stones, BLACK)
    assert search(place, turn_ms=20).move == (2, 2)


def test_a_full_board_is_refused() -> None:
    rules = Rules.standard(5)
    stones = [(x, y, Colour((x + 2 * y) % 4 // 2)) for y in range(5) for x in range(5)]
    with pytest.raises(PositionError, match="no point is empty"):
        search(Position.set_up(rules, stones, BLACK), turn_ms=20)


def test_another_rule_is_refused() -> None:
    with pytest.raises(LimitError, match="the engine plays"):
        Engine(Rules.renju()).search(Position(Rules.freestyle()), Limits(nodes=10))


@pytest.mark.parametrize(
    ("name", "value"), [("turn_ms", -1), ("nodes", 0), ("depth", 0), ("nodes", 1.5)]
)
def test_limits_out_of_range(name: str, value: int) -> None:
    with pytest.raises(LimitError, match=name):
        Limits(**{name: value})


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("size", [(5, 5), (5, 22), (16, 16), (17, 16), (22, 22), (9, 6)])
def test_whole_games_on_every_board(rules, size: tuple[int, int]) -> None:
    """From the corner to the end: every move legal, no proven distance beyond the empty points."""
    place = Position(rules(*size))
    place.play(0, 0)
    engine = Engine(place.rules, memory=50 << 20)
    while not place.over and place.ply < 60:
        result = engine.search(place, Limits(nodes=400))
        assert place.is_legal(*result.move)
        assert result.line[0] == result.move
        empty = size[0] * size[1] - place.ply
        assert result.win_in is None or 0 < abs(result.win_in) <= empty
        place.play(*result.move)


@pytest.mark.parametrize("nodes", [1, 10, 500, 5000, 100_000])
def test_node_limit(nodes: int) -> None:
    place = position(Rules.freestyle(15), "h8i9g9h7i7j10")
    assert search(place, nodes=nodes).nodes <= nodes * 1.01 + 60


def test_depth_limit() -> None:
    place = position(Rules.standard(15), "h8i9g9h7")
    assert search(place, depth=3).depth == 3


def test_time_limits() -> None:
    """Each clock alone and both together; the tighter one counts."""
    place = position(Rules.freestyle(15), "h8i9g9h7")
    for limits, at_most in [
        ({"turn_ms": 0}, 100),
        ({"turn_ms": 100}, 200),
        ({"left_ms": 0}, 100),
        ({"left_ms": -5}, 100),
        ({"left_ms": 1000}, 400),
        ({"left_ms": 100_000, "turn_ms": 100}, 200),
        ({"left_ms": 400, "turn_ms": 100_000}, 250),
    ]:
        started = time.monotonic()
        search(place, **limits)
        assert (time.monotonic() - started) * 1000 < at_most + 100, limits


def test_time_counts_from_when_the_request_was_read() -> None:
    place = position(Rules.freestyle(15), "h8i9g9h7")
    started = time.monotonic()
    Engine(place.rules).search(place, Limits(turn_ms=1000), started=started - 0.9)
    assert time.monotonic() - started < 0.5


def test_stop_and_new_limits_from_another_thread() -> None:
    place = position(Rules.freestyle(15), "h8i9g9h7")
    engine = Engine(place.rules)
    for act in (engine.stop, lambda: engine.change_limits(Limits(turn_ms=0))):
        thread = threading.Timer(0.2, act)
        thread.start()
        started = time.monotonic()
        result = engine.search(place, Limits())
        assert 0.15 < time.monotonic() - started < 0.6
        assert place.is_legal(*result.move)
        thread.join()


def test_a_stop_of_an_idle_engine_does_nothing() -> None:
    place = position(Rules.freestyle(15), "h8i9g9h7")
    engine = Engine(place.rules)
    engine.stop()
    assert engine.search(place, Limits(nodes=20_000)).nodes > 10_000


def test_the_interpreter_runs_on_during_a_search() -> None:
    """The search holds no interpreter lock: another thread counts meanwhile."""
    place = position(Rules.freestyle(15), "h8i9g9h7")
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    search(place, turn_ms=400)
    done.set()
    thread.join()
    assert ticks > 20


def test_searches_of_two_engines_at_once() -> None:
    """Engines share nothing: each finds alone what it finds beside the other."""
    place = position(Rules.renju(15), "h8i9g9h7j7i6")
    alone = search(place, nodes=30_000)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(search(place, nodes=30_000))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(r.move, r.value, r.nodes, r.line) for r in found] == [
        (alone.move, alone.value, alone.nodes, alone.line)
    ] * 2


def test_progress_is_told_after_each_iteration() -> None:
    place = position(Rules.freestyle(15), "h8i9g9h7")
    depths = []
    Engine(place.rules).search(
        place, Limits(depth=5), on_progress=lambda progress: depths.append(progress.depth)
    )
    assert depths == [1, 2, 3, 4, 5]


RULES_20 = [Rules.freestyle(20), Rules.standard(20), Rules.renju(20), Rules.caro(20)]
CENTRE = [(9, 9, BLACK), (10, 10, WHITE), (9, 10, BLACK), (10, 8, WHITE)]


def dead_fours(colour: Colour) -> list[tuple[int, int, Colour]]:
    """A dozen threes along the rim and beside it, each with room for one five and no more."""
    lying = [(x, y) for y in (0, 19) for x in (0, 7, 13)]
    lying += [(x, y) for y in (5, 14) for x in (0, 13)]
    points = {(x + i, y): i in (1, 2, 3) for x, y in lying for i in (0, 1, 2, 3, 6)}
    points |= {(x, 7 + i): i in (1, 2, 3) for x in (0, 19) for i in (0, 1, 2, 3, 6)}
    return [(x, y, colour if own else colour.other) for (x, y), own in points.items()]


@pytest.mark.parametrize("depth", [4, 6])
def test_case_10_dead_fours_far_away_do_not_eat_the_search(depth: int) -> None:
    """A dozen fours that lead nowhere cost at most a small multiple of the nodes."""
    calm, busy = [], []
    for rules in RULES_20:
        for side in (BLACK, WHITE):
            place = Position.set_up(rules, CENTRE, side)
            calm.append(Engine(rules).search(place, Limits(depth=depth)))
            place = Position.set_up(rules, [*CENTRE, *dead_fours(BLACK)], side)
            busy.append(Engine(rules).search(place, Limits(depth=depth)))
    assert all(found.win_in is None for found in busy)  # they are dead
    nodes = [(few.nodes, many.nodes) for few, many in zip(calm, busy, strict=True)]
    assert all(many < 8 * few for few, many in nodes)
    assert sum(many for _, many in nodes) < 4 * sum(few for few, _ in nodes)


@pytest.mark.parametrize("rules", RULES_20, ids=lambda rules: rules.name)
def test_case_10_dead_fours_win_nothing_and_hide_nothing(rules: Rules) -> None:
    """The solver says at once that there is no win, and finds the one that there is."""
    for colour in (BLACK, WHITE):
        dead = dead_fours(colour)
        assert solve_vcf(Position.set_up(rules, dead, colour), nodes=100) is None
        three = [(8, 9, colour), (9, 9, colour), (10, 9, colour)]
        line = solve_vcf(Position.set_up(rules, [*dead, *three], colour), nodes=2000)
        assert isinstance(line, tuple) and line[0] in {(7, 9), (11, 9)}


def test_an_illegal_and_a_legal_overline() -> None:
    """Six in a column: a win, no win, forbidden."""
    text = "2,10 5,10 6,11 7,9 6,10 8,8 6,8 7,7 6,7 9,10 6,12 17,5"
    stones = [tuple(int(number) - 1 for number in pair.split(",")) for pair in text.split()]
    results = []
    for rules in (Rules.freestyle(20), Rules.standard(20), Rules.renju(20)):
        place = Position(rules)
        for x, y in stones:
            place.play(x, y)
        place.play(5, 8)
        results.append((place.result.winner, place.result.reason))
    assert results == [(BLACK, "five"), (None, "going on"), (WHITE, "forbidden move")]


def test_vcf_of_a_finished_or_quiet_position() -> None:
    assert solve_vcf(Position(Rules.freestyle(15))) is None
    over = position(Rules.freestyle(15), "a1a2b1b2c1c2d1d2e1")
    assert solve_vcf(over) is None
    crossed = [(4, 7), (5, 7), (7, 3), (7, 4), (7, 9), (3, 9), (4, 9)]
    stones = [(x, y, BLACK) for x, y in crossed] + [(3, 7, WHITE), (7, 2, WHITE), (2, 9, WHITE)]
    won = Position.set_up(Rules.freestyle(15), [*stones, (6, 7, BLACK)], BLACK)
    assert solve_vcf(won)
    assert solve_vcf(won, nodes=1) is False


def test_caro_two_fives_that_one_stone_stops() -> None:
    """A four with two five points wins nothing where blocking one closes the other."""
    moves = (
        "7,8 9,8 8,9 9,10 9,9 10,9 8,7 9,6 8,11 8,10 10,10 11,8 12,7 10,7 8,5 8,8 10,8 7,9 12,9 "
        "6,10 9,7 6,8 5,7 5,9 6,7 7,7 8,6"
    )
    place = Position(Rules.caro(15))
    for pair in moves.split():
        x, y = pair.split(",")
        place.play(int(x), int(y))
    assert solve_vcf(place) is None
    assert search(place, nodes=50_000).win_in is None


def test_caro_a_five_may_be_stopped_beyond_its_end() -> None:
    """The block is found where the five's own point is not the only answer."""
    black = [(3, 7), (4, 7), (6, 7), (7, 7)]
    stones = [(x, y, BLACK) for x, y in black] + [(2, 7, WHITE), (10, 3, WHITE), (11, 11, WHITE)]
    place = Position.set_up(Rules.caro(15), stones, WHITE)
    assert search(place, nodes=20_000).move in {(5, 7), (8, 7)}
    place = Position.set_up(Rules.caro(15), [*stones, (8, 7, WHITE)], BLACK)
    place.play(5, 7)
    assert not place.over


EXCLUDING = "h8h7i9k7i8f9g7f6i10i11g10f10h10f8f7k11h9f11f12g11h11h12e9k6"


def test_variety_keeps_what_is_certain() -> None:
    """Values differ by seed; wins, blocks and the same seed's moves do not."""
    quiet = position(Rules.freestyle(15), "h8i9g9h7")
    engine = Engine(quiet.rules)
    plain = engine.search(quiet, Limits(nodes=5000))
    values = set()
    for seed in (1, 2, 3):
        engine.vary(100, seed)
        found = engine.search(quiet, Limits(nodes=5000))
        engine.new_game()
        assert engine.search(quiet, Limits(nodes=5000)).line == found.line
        values.add(found.value)
        won = position(Rules.freestyle(15), "h8a1i9a3j10a5i8a9i10a11")
        assert engine.search(won, Limits(nodes=20_000)).win_in
        block = position(Rules.freestyle(15), "a1h8a3h9a5h10c1h11")
        assert engine.search(block, Limits(nodes=1000)).move in {(7, 6), (7, 11)}
        engine.new_game()
    assert len(values) > 1
    engine.resize(64 << 20)
    engine.vary(0)
    assert engine.search(quiet, Limits(nodes=5000)).line == plain.line
    for amount, seed in ((-1, 0), (101, 0), (1, -1), (1, 1 << 64)):
        with pytest.raises(LimitError, match="variety must be"):
            engine.vary(amount, seed)


def test_case_9_excluded_points() -> None:
    """Excluded points are never played, and what is played instead is no stone on the rim."""
    place = position(Rules.freestyle(15), EXCLUDING)
    engine = Engine(place.rules)
    free = engine.search(place, Limits(nodes=100_000))
    assert free.win_in is not None and free.win_in > 0
    excluded = points("j10g8i7")
    for nodes in (1, 100, 100_000):
        x, y = engine.search(place, Limits(nodes=nodes), avoid=excluded).move
        assert (x, y) not in excluded
        assert 0 < x < 14 and 0 < y < 14


def test_excluded_points_hold_before_any_search() -> None:
    """A five that may not be made, a block that may not be played, nothing left to play."""
    five = position(Rules.freestyle(15), "h8a1i8c1j8e1k8g1")
    engine = Engine(five.rules)
    assert engine.search(five, Limits(nodes=500), avoid=[(6, 7)]).move == (11, 7)
    other = engine.search(five, Limits(nodes=500), avoid=[(6, 7), (11, 7), (40, 2), (7, 7)]).move
    assert five.is_legal(*other) and other not in {(6, 7), (11, 7)}
    every = [(x, y) for x in range(15) for y in range(15)]
    every.remove((14, 14))
    assert engine.search(five, Limits(nodes=500), avoid=every).move == (14, 14)
    with pytest.raises(PositionError, match="every empty point is to be avoided"):
        engine.search(five, Limits(nodes=500), avoid=[*every, (14, 14)])


def test_case_3_a_three_that_is_none() -> None:
    black = points("f8i8h9h10g4g5g6g7")
    white = points("a1c1e1m1o1a15c15e15")
    stones = [(x, y, BLACK) for x, y in black] + [(x, y, WHITE) for x, y in white]
    place = Position.set_up(Rules.renju(15), stones, BLACK)
    assert place.forbidden_points() == {(7, 6): "double three"}
    assert place.is_legal(7, 7)


@pytest.mark.parametrize("side", [BLACK, WHITE])
def test_case_7_the_side_to_move_is_an_input(side: Colour) -> None:
    """Set-up positions may have any counts; whose turn it is is told, not counted."""
    stones = [(x, 7, BLACK) for x in (5, 6, 7)] + [(2, 2, WHITE)]
    place = Position.set_up(Rules.freestyle(15), stones, side)
    assert place.side is side
    result = Engine(place.rules).search(place, Limits(nodes=20_000))
    place.play(*result.move)
    assert place.at(*result.move) is side


def test_a_lost_position_is_not_thought_about_past_the_deadline() -> None:
    """Choosing among lost moves asks the solver for each; when time is up it asks no more."""
    path = Path(__file__).parents[1] / "data" / "puzzles" / "defend_freestyle15.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        moves = next(r for r in map(json.loads, lines) if r["id"].endswith("s0001"))["moves"]
    place = Position(Rules.freestyle(15))
    for x, y in moves:
        place.play(x, y)
    engine = Engine(place.rules)
    last = []

    def time_is_up(progress: Progress) -> None:
        last.append(progress)
        if progress.win_in is not None:
            engine.change_limits(Limits(turn_ms=0))

    result = engine.search(place, Limits(turn_ms=60_000), on_progress=time_is_up)
    assert result.win_in is not None and result.win_in < 0
    assert result.nodes == last[-1].nodes
