"""What a search makes of a database: advice, never truth. Wrong records announce nothing."""

from collections.abc import Collection

import pytest

from shisan.engine import Engine, Limits, Point, Position, PositionError, Rules, SearchResult
from shisan.protocol.databasesearch import (
    Advice,
    Guided,
    advice,
    guided,
    records_of,
    worth_keeping,
)
from shisan.protocol.notation import read_points
from shisan.protocol.positionrecords import NOTHING, Bound, Record
from shisan.scripts.claims import replay

RULES = Rules.freestyle()


def played(moves: str, rules: Rules = RULES) -> Position:
    position = Position(rules)
    for point in read_points(moves):
        position.play(*point)
    return position


def point(name: str) -> Point:
    return read_points(name)[0]


def result(move: str, value: int = 0, nodes: int = 10) -> SearchResult:
    win_in = 30_000 - value if value > 29_000 else -30_000 - value if value < -29_000 else None
    return SearchResult(point(move), value, win_in, 5, nodes, 1, (point(move),))


class Script:
    """A search that answers by a list, and keeps what it was asked."""

    def __init__(self, *answers: SearchResult) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[Limits, frozenset[Point]]] = []

    def __call__(self, limits: Limits, avoid: Collection[Point]) -> SearchResult:
        self.asked.append((limits, frozenset(avoid)))
        return self.answers.pop(0)


class RealSearch:
    """A real search of a position."""

    def __init__(self, position: Position) -> None:
        self.engine, self.position = Engine(position.rules), position

    def __call__(self, limits: Limits, avoid: Collection[Point]) -> SearchResult:
        return self.engine.search(self.position, limits, avoid=avoid)


def guide(
    position: Position, record: Record | None, children: dict[str, Record], nodes: int = 4000
) -> Guided:
    """A real search with what a database knows."""
    known = {point(name): child for name, child in children.items()}
    advised = advice(position, record, known)
    return guided(RealSearch(position), Limits(nodes=nodes), advised)


# -- advice ---------------------------------------------------------------------------------------


def test_nothing_known() -> None:
    assert advice(played("h8"), None, {}) == Advice()
    assert advice(played("h8"), NOTHING, {point("i9"): NOTHING}) == Advice()


def test_wins_and_moves_to_be_played_come_first() -> None:
    position = played("h8i9")
    known = {
        "h7": Record("w", -29_980),
        "h6": Record("w", -29_990),
        "h5": Record("w"),
        "h4": Record("l", 29_995),
    }
    first = advice(position, None, {point(name): child for name, child in known.items()})
    assert first.first == {point("h6")}  # the nearest
    assert len(first.others) == 225 - 3
    assert not first.others & {*first.first, point("h8"), point("i9")}
    assert first.avoid == frozenset()
    forced = {point("a1"): Record("!"), point("h6"): Record("w", -29_990)}
    assert advice(position, None, forced).first == {point("a1")}
    unknown = {point("a1"): Record("w"), point("b1"): Record("w", 500)}
    assert advice(position, None, unknown).first == set(unknown)


def test_losing_moves_are_held_back() -> None:
    position = played("h8")
    known = {point("i9"): Record("l", 29_995), point("g7"): Record("x"), point("a1"): Record("d")}
    advised = advice(position, None, known)
    assert (advised.first, advised.avoid) == (frozenset(), {point("i9"), point("g7")})
    assert advised.words == ("database: not looked at first, recorded as losing or barred: g7 i9",)
    near = {(x, y): Record("l") for x in range(5, 10) for y in range(5, 10) if (x, y) != (7, 7)}
    assert advice(position, None, near).avoid == frozenset()  # only far ones would be left
    del near[5, 5]
    assert len(advice(position, None, near).avoid) == 23


def test_a_five_is_nobodys_advice() -> None:
    """What makes or stops a five is played without asking."""
    for moves in ("h8a1h7a3h6a5h5a7", "h8a1h7a3h6a5h5"):
        position = played(moves)
        assert advice(position, None, {point("o15"): Record("!")}) == Advice()
    over = played("h8a1h7a3h6a5h5a7h4")
    assert advice(over, None, {point("o15"): Record("!")}) == Advice()


def test_words_claim_nothing() -> None:
    record = Record("w", -29_990, 12, Bound.EXACT, (7, 8))
    assert advice(played("h8"), record, {}).words == (
        "database: recorded as lost for the side to move; value -29990, exact, depth 12; best h9",
    )
    assert advice(played("h8"), Record(text="hello"), {}).words == ()


# -- searches by a script -------------------------------------------------------------------------

FIRST = Advice(frozenset({(7, 8)}), frozenset({(0, 0), (1, 1)}))
AVOID = Advice(avoid=frozenset({(7, 8)}))
LIMITS = Limits(1000, 50_000, 900, 20)


def test_a_recorded_best_move_is_kept() -> None:
    script = Script(result("h9", -20))
    done = guided(script, LIMITS, FIRST, [(1, 1), (2, 2)])
    assert script.asked == [(Limits(500, 25_000, 450, 20), frozenset({(0, 0), (1, 1), (2, 2)}))]
    assert (done.result.move, done.whole) == ((7, 8), False)
    assert done.words == ("database: h9 recorded as best, not proven here; value -20",)


def test_a_recorded_best_move_is_given_up() -> None:
    for value in (-151, -29_990):
        script = Script(result("h9", value, 450), result("a1", 5))
        done = guided(script, LIMITS, FIRST)
        assert script.asked[1] == (Limits(1000, 50_000, 450, 20), frozenset())
        assert (done.result.move, done.whole) == ((0, 0), True)
        assert done.words == (f"database: h9 recorded as best, but the search says {value}",)


def test_no_second_search_after_a_stop() -> None:
    done = guided(Script(result("h9", -500)), LIMITS, FIRST, stopped=lambda: True)
    assert done.result.move == (7, 8)


@pytest.mark.parametrize("limits", [Limits(), Limits(turn_ms=0), Limits(left_ms=-5, turn_ms=9)])
def test_no_time_to_try(limits: Limits) -> None:
    script = Script(result("a1"))
    assert guided(script, limits, FIRST).whole
    assert script.asked == [(limits, frozenset())]


def test_a_blocked_best_move_is_none() -> None:
    script = Script(result("a1"))
    done = guided(script, LIMITS, FIRST, [(7, 8)])
    assert script.asked == [(LIMITS, frozenset({(7, 8)}))]
    assert not done.whole


def test_held_back() -> None:
    script = Script(result("a1"))
    done = guided(script, LIMITS, AVOID, [(3, 3)])
    assert script.asked == [(LIMITS, frozenset({(7, 8), (3, 3)}))]
    assert not done.whole


def test_all_others_lose() -> None:
    """A loss is announced only if the moves that were held back lose as well."""
    script = Script(result("a1", -29_990), result("h9", 10))
    done = guided(script, LIMITS, AVOID)
    assert [avoid for _, avoid in script.asked] == [frozenset({(7, 8)}), frozenset()]
    assert (done.result.value, done.whole) == (10, True)
    assert len(done.words) == 1


def test_nothing_left_to_search() -> None:
    def search(limits: Limits, avoid: Collection[Point]) -> SearchResult:
        if (7, 8) in avoid:
            raise PositionError("every empty point is to be avoided")
        return result("h9")

    assert guided(search, LIMITS, AVOID).result.move == (7, 8)


# -- real searches --------------------------------------------------------------------------------

QUIET = "h8h9i8g8"


def test_a_false_win_is_not_announced() -> None:
    """A corner recorded as a win in 5: what is said is the search's own, and nothing is won."""
    position = played(QUIET)
    done = guide(position, Record("l", 29_995, 30, Bound.EXACT), {"a15": Record("w", -29_996, 40)})
    assert done.result.win_in is None
    assert abs(done.result.value) < 29_000


def test_a_false_loss_is_not_announced() -> None:
    """Every move recorded as losing, every one but a corner, every one but the best."""
    position = played(QUIET)
    every = {
        "abcdefghijklmno"[x] + str(y + 1): Record("l", 29_990) for x, y in position.legal_points()
    }
    plain = RealSearch(position)(Limits(nodes=4000), ())
    assert guide(position, None, every).result.move == plain.move
    del every["a15"]
    done = guide(position, None, every)
    assert done.result.win_in is None
    assert done.result.move == plain.move


def test_a_refuted_record_is_not_played() -> None:
    """White has an open three; a corner recorded as winning would lose, and is not played."""
    position = played("a1h8c5h9e12h10")
    done = guide(position, None, {"o15": Record("w", -29_990, 50)}, 20_000)
    assert done.result.move in {point(name) for name in ("h6", "h7", "h11", "h12")}
    assert "but the search says" in done.words[0]


def test_a_proven_win_stays_proven() -> None:
    """A record that is right: the win is announced because the search proves it, and replayed."""
    position = played("h8a1h9a3h10o15i8o1")
    plain = RealSearch(position)(Limits(nodes=50_000), ())
    assert plain.win_in is not None
    assert plain.win_in > 0
    name = "abcdefghijklmno"[plain.move[0]] + str(plain.move[1] + 1)
    right = guide(position, None, {name: Record("w", -29_990)}, 50_000)
    assert right.result.move == plain.move
    assert right.result.win_in is not None
    assert right.words == ()
    assert replay(Engine(RULES), position, right.result, 50_000)


# -- what is kept ---------------------------------------------------------------------------------


def test_records_of_a_search() -> None:
    position = played(QUIET)
    own, after = records_of(position, result("i9", 30))
    assert own == Record("", 30, 5, Bound.EXACT, point("i9"))
    assert after == Record("", -30, 4, Bound.EXACT)
    own, after = records_of(position, result("i9", 29_991))
    assert own == Record("l", 29_991, 5, Bound.EXACT, point("i9"))
    assert after == Record("w", -29_992, 4, Bound.EXACT)
    assert after.distance == 9  # of whoever made the move, from before it
    own, after = records_of(position, result("i9", -29_992))
    assert own.label == "w"
    assert after == Record("l", 29_993, 4, Bound.EXACT)
    _, after = records_of(played("h8a1h7a3h6a5h5a7"), result("h4", 29_999))
    assert after is None  # the game is over
    assert position == played(QUIET)


def test_what_is_worth_keeping() -> None:
    found = result("i9", 30)
    assert worth_keeping(found)
    forced = SearchResult(found.move, 0, None, 0, 1, 1, found.line)
    assert not worth_keeping(forced)
    assert worth_keeping(result("i9", 29_999))
