"""What the reasons claim, against the slow reference: wins, defences, verdicts of moves."""

from collections import Counter
from random import Random

import pytest

from shisan.engine import (
    Colour,
    Defence,
    Engine,
    Forbidden,
    IllegalMoveError,
    Limits,
    Point,
    Position,
    PositionError,
    Rules,
    explain,
    given_away,
    why_not,
    win_probability,
)
from shisan.engine.proof import check_line
from shisan.engine.reasons import Explanation, FoursWin, blocks, fours_win, turned
from shisan.engine.reference import ReferencePosition
from shisan.scripts.claims import RULES, puzzle, puzzle_records, replay, won_positions
from shisan.scripts.plain import BudgetError, PlainSolver

LIMITS = Limits(nodes=3000)


def slow(position: Position) -> ReferencePosition:
    return ReferencePosition.set_up(position.rules, position.stones, position.side, position.walls)


def test_win_probability() -> None:
    assert win_probability(0) == 0.5
    assert win_probability(200) == pytest.approx(0.7310586)
    assert (win_probability(29_998), win_probability(-29_998)) == (1, 0)
    values = [-29_000, -2000, -200, -1, 0, 1, 200, 2000, 29_000]
    found = [win_probability(value) for value in values]
    assert found == sorted(found)
    assert all(p + q == pytest.approx(1) for p, q in zip(found, reversed(found), strict=True))


# --- wins by fours -------------------------------------------------------------------------------


def stopping(game: ReferencePosition, attacker: Colour) -> set[Point]:
    """Every point where a stone of the other side leaves the attacker no five, by trying all."""
    found = set()
    if game.five_points(attacker):
        for point in game.empty_points():
            with game.trial(*point, attacker.other):
                if not game.five_points(attacker):
                    found.add(point)
    return found


def win_faults(position: Position, win: FoursWin) -> list[str]:
    """What is wrong with a win and with what is said of its end, by the reference."""
    verdict = check_line(position, win.line)
    faults = [] if verdict else [f"no win: {verdict}"]
    if verdict.plies > win.plies:
        faults.append(f"takes {verdict.plies} plies, not {win.plies}")
    game = slow(position)
    attacker = game.side
    for point in win.line:
        game.play(*point)
    if set(win.fives) != (set() if game.over else game.five_points(attacker)):
        faults.append(f"fives {win.fives}")
    barred = {point for point in stopping(game, attacker) if not game.is_legal(*point)}
    if {each.point for each in win.forbidden} != (set() if game.over else barred):
        faults.append(f"forbidden {win.forbidden}")
    faults += [
        f"{each} is not why" for each in win.forbidden if game.why_illegal(*each.point) != each.why
    ]
    return faults


@pytest.mark.parametrize("name", RULES)
def test_wins_and_their_ends(name: str) -> None:
    """Every win by fours that is claimed for either side, and what its end is said to be."""
    counts: Counter[str] = Counter()
    for position in won_positions(Random(f"{name} ends"), RULES[name]):
        for colour in Colour:
            win = fours_win(turned(position, colour))
            assert win is not False
            kind = "none" if win is None else "longer" if len(win.line) > 1 else "short"
            counts[kind] += 1
            if win is not None and (kind == "longer" or counts[kind] <= 5):
                assert win_faults(turned(position, colour), win) == [], position.stones
        if counts["longer"] >= 4 and counts["short"] >= 5:
            break


def test_a_win_because_the_answer_is_forbidden(data) -> None:
    """Of the renju puzzles won by White some end so; each is replayed."""
    ends = 0
    for record in puzzle_records(data, ("vcf",)):
        if record["rule"] != "renju" or record["side"] != "white" or ends == 12:
            continue
        position = puzzle(record)
        win = explain(position).white.win
        assert win is not None
        if win.forbidden:
            ends += 1
            assert win_faults(position, win) == []
    assert ends == 12


# --- defences ------------------------------------------------------------------------------------


def test_defences_of_the_puzzles(data) -> None:
    """All quiet moves that stop a win by fours, and the fours that put it off, are known."""
    records = puzzle_records(data, ("defend",))[::2]
    for record in records:
        said = explain(puzzle(record)).defence
        assert said is not None, record["id"]
        assert said.exact and not said.unsure
        assert sorted(map(list, said.moves)) == sorted(record["answers"]), record["id"]
        assert sorted(map(list, said.fours)) == sorted(record["delaying_fours"]), record["id"]
    assert {record["rule"] for record in records} == {"freestyle", "standard", "renju"}
    assert len(records) > 80


def plain_defence(position: Position) -> tuple[set[Point], set[Point], set[Point]]:
    """Quiet moves that stop the opponent's fours, fours that put them off, and forbidden ones.

    By trying every point, with every four after it, on the reference.
    """
    game = slow(position)
    mover = game.side
    quiet, fours, forbidden = set(), set(), set()
    for point in game.empty_points():
        legal = game.is_legal(*point)
        after = ReferencePosition.set_up(
            game.rules, (*game.stones, (*point, mover)), mover.other, game.walls
        )
        if not after.over and PlainSolver(3000).wins(after):
            continue
        if not legal:
            forbidden.add(point)
        else:
            (fours if after.five_points(mover) else quiet).add(point)
    return quiet, fours, forbidden


@pytest.mark.parametrize("name", RULES)
def test_defences_by_trying_every_move(name: str) -> None:
    counts: Counter[str] = Counter()
    rules = RULES[name]
    small = Rules(
        min(rules.width, 9),
        min(rules.height, 8),
        rules.black_exact,
        rules.white_exact,
        rules.closed_five,
        rules.forbidden,
    )
    for position in won_positions(Random(f"{name} defences"), small):
        said = explain(position).defence
        if said is None:
            continue
        assert said.blocks == tuple(
            sorted(stopping(slow(position), position.side.other), key=lambda at: at[::-1])
        )
        try:
            quiet, fours, forbidden = plain_defence(position)
        except BudgetError:
            continue
        assert said.unsure == ()
        assert set(said.moves) == quiet, position.stones
        assert set(said.fours) == fours, position.stones
        assert {each.point for each in said.forbidden} == forbidden, position.stones
        assert said.exact == rules.closed_five
        assert said.lost == (not quiet and not fours)
        counts["tried"] += 1
        counts["with a defence"] += bool(quiet)
        counts["lost"] += said.lost
        if counts["tried"] >= 3 and counts["with a defence"] and counts["lost"]:
            break


def test_blocks_where_a_five_can_be_closed() -> None:
    """O X X X X . . . : at the five itself, or one further where it closes the five."""
    stones = [(0, 4, Colour.WHITE), *((x, 4, Colour.BLACK) for x in range(1, 5))]
    position = Position.set_up(Rules.caro(9), stones, Colour.WHITE)
    assert blocks(position, Colour.BLACK) == ((5, 4), (6, 4))
    said = explain(position).defence
    assert said is not None
    assert not said.exact
    assert set(said.moves) == {(5, 4), (6, 4)}


def test_what_was_not_worked_out(data) -> None:
    """With too few nodes it is said what is not known, and what is said stays true."""
    unsure = 0
    for record in puzzle_records(data, ("defend",))[::10]:
        position = puzzle(record)
        full = explain(position).defence
        said = explain(position, try_nodes=2).defence
        assert full is not None and said is not None
        assert set(said.moves) <= set(full.moves) <= {*said.moves, *said.unsure}
        assert set(said.fours) <= set(full.fours) <= {*said.fours, *said.unsure}
        assert said.exact == (not said.unsure)
        unsure += bool(said.unsure)
        hasty = explain(position, nodes=1)
        assert hasty.of(position.side.other).decided == (
            hasty.of(position.side.other).win is not None
        )
    assert unsure >= 3


def test_a_four_that_leaves_no_legal_point_draws() -> None:
    """White's open four wins nothing where both ends are overlines for Black: a draw."""
    rules = Rules.renju(8, 7)
    stones = [(x, 3, Colour.WHITE) for x in (2, 3, 4)]
    stones += [(x, y, Colour.BLACK) for x in (1, 6) for y in range(7) if y != 3]
    filled = {(x, y) for x, y, _ in stones}
    free = {(1, 3), (5, 3), (6, 3)}
    walls = {(x, y) for x in range(8) for y in range(7)} - filled - free
    position = Position.set_up(rules, stones, Colour.WHITE, walls)
    assert not position.over
    after = slow(position)
    after.play(5, 3)
    assert after.result.reason == "no legal point"
    white = explain(position).white
    assert (white.win, white.decided) == (None, True)


def test_a_game_that_is_over_shows_nothing() -> None:
    position = Position(Rules.freestyle())
    for i in range(9):
        position.play(i // 2, i % 2)
    said = explain(position)
    assert said.result.reason == "five"
    assert said.black == Explanation(said.side, said.result, said.black, said.white, None).of(
        Colour.BLACK
    )
    assert not said.black.chances and not said.white.fours and said.defence is None


def test_forced_onto_a_forbidden_point(played) -> None:
    """White's four can only be met where Black may not play, and the lines say why."""
    said = explain(played(Rules.renju(), "h8g6f6g5f7g4h7g3g2a1"))
    assert isinstance(said.defence, Defence)
    assert said.defence.lost
    assert said.defence.blocks == ((6, 6),)
    (only,) = said.defence.forbidden
    assert isinstance(only, Forbidden)
    assert (only.point, only.why.kind) == ((6, 6), "double three")
    assert set(only.why.lines) == {((5, 6), (6, 6), (7, 6)), ((5, 5), (6, 6), (7, 7))}


# --- one move ------------------------------------------------------------------------------------


@pytest.fixture
def played():
    """Return what plays moves such as h8i9."""
    from shisan.protocol.notation import read_points

    def play(rules: Rules, moves: str) -> Position:
        position = Position(rules)
        for point in read_points(moves):
            position.play(*point)
        return position

    return play


def test_why_not_a_point_that_cannot_be_played(played) -> None:
    position = played(Rules.renju(), "h8g6f6g5f7g4h7g3g2a1")
    engine = Engine(position.rules)
    foul = why_not(position, (6, 6), engine, LIMITS)
    assert (foul.verdict, foul.cost) == ("forbidden", win_probability(foul.best.value))
    assert foul.illegal == position.why_illegal(6, 6)
    taken = why_not(position, (7, 7), engine, LIMITS)
    assert (taken.verdict, taken.illegal.kind, taken.best) == ("illegal", "occupied", None)
    assert why_not(position, (15, 0), engine, LIMITS).illegal.kind == "outside"
    with pytest.raises(PositionError, match="cannot have been played"):
        given_away(position, (7, 7), engine, LIMITS)
    for other in ((7, 9), (0, 14)):
        judged = why_not(position, other, engine, LIMITS)
        assert (judged.verdict, judged.win_in, judged.line) == ("loses", -2, ((6, 6),))
        assert judged.reply == FoursWin(((6, 6),), (), ())


@pytest.mark.parametrize("name", ["freestyle", "standard", "renju", "caro", "standard-7x9"])
def test_verdicts_are_true(name: str) -> None:
    """What is proven is replayed: wins and losses of moves, by fours or by the search."""
    random = Random(f"{name} verdicts")
    engine = Engine(RULES[name])
    counts: Counter[str] = Counter()
    for position in won_positions(random, RULES[name]):
        if position.maps(position.side)["five"]:
            continue
        move = random.choice(position.legal_points())
        before = position.copy()
        judged = why_not(position, move, engine, LIMITS)
        assert position == before
        counts[judged.verdict] += 1
        after = position.copy()
        after.play(*move)
        if judged.reply is not None:
            assert judged.verdict == "loses"
            assert win_faults(after, judged.reply) == []
            assert judged.win_in == -judged.reply.plies - 1
        elif judged.verdict == "loses":
            verdict = replay(engine, after, engine.search(after, LIMITS), 3000)
            assert verdict.status != "broken"
        elif judged.verdict == "wins" and judged.win_in > 1:
            counts["wins, by search"] += 1
        if judged.verdict == "lets a win slip":
            assert judged.best.win_in > 0 and judged.cost > 0
        if judged.verdict in ("as good", "worse"):
            assert judged.best.win_in is None or judged.best.win_in < 0
        if counts.total() >= 10:
            break
    assert counts["loses"] >= 2


def test_a_move_that_lets_a_win_slip(data) -> None:
    """Of puzzles that are won by fours, another move gives the win away, or wins too."""
    for record in puzzle_records(data, ("vcf",))[::80]:
        position = puzzle(record)
        engine = Engine(position.rules)
        wrong = next(
            point
            for point in position.legal_points()
            if not position.maps(position.side)["four"].get(point)
        )
        given = given_away(position, wrong, engine, LIMITS)
        assert given.judgement.best.win_in > 0
        if given.judgement.verdict != "wins":
            assert given.missed_win == given.judgement.best.line
            assert check_line(position, given.missed_win)
            assert given.cost > 0
        right = given_away(position, given.judgement.best.move, engine, LIMITS)
        assert (right.missed_win, right.allowed_loss) == ((), False)


def test_a_defence_that_was_missed(data) -> None:
    """A far point played while the opponent threatens: what would have stopped him is told."""
    for record in puzzle_records(data, ("defend",))[::20]:
        position = puzzle(record)
        wrong = next(
            point
            for point in position.legal_points()
            if list(point) not in record["answers"] + record["delaying_fours"]
        )
        given = given_away(position, wrong, Engine(position.rules), LIMITS)
        assert given.judgement.verdict == "loses"
        assert sorted(map(list, given.missed_defences)) == sorted(record["answers"])
        assert given.exact


def test_a_move_that_ends_the_game(played) -> None:
    position = played(Rules.freestyle(), "h8a1i8c1j8e1k8g1")
    engine = Engine(position.rules)
    judged = why_not(position, (6, 7), engine, LIMITS)
    assert (judged.verdict, judged.win_in, judged.cost) == ("wins", 1, 0)
    given = given_away(position, (0, 14), engine, LIMITS)
    assert given.judgement.verdict in ("lets a win slip", "worse", "loses", "wins")
    with pytest.raises(IllegalMoveError):
        position.play(7, 7)
