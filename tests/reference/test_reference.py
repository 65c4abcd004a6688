"""The reference itself, where the stored verdicts do not reach: caro, walls, set-ups, results."""

from dataclasses import replace

import pytest

from shisan.engine import Colour, IllegalMoveError, PositionError, Rules
from shisan.engine.reference import CLASSES, ReferencePosition

BLACK, WHITE = Colour.BLACK, Colour.WHITE

ROW_RULES = {
    "five or more": Rules.freestyle(12, 5),
    "exactly five": Rules.standard(12, 5),
    "caro": Rules.caro(12, 5),
    "caro, exactly five": Rules.caro(12, 5, exact=True),
}

FIVES = [
    # the row, where Black plays, and under which of ROW_RULES that is a five
    ("XXXX........", 4, "yyyy"),
    (".XXXX.......", 5, "yyyy"),
    ("OXXXX.......", 5, "yyyy"),
    ("OXXXX.O.....", 5, "yynn"),
    ("OXXXX.#.....", 5, "yyyy"),
    (".XXXX.O.....", 5, "yyyy"),
    (".OXX.XXO....", 4, "yynn"),
    ("#XX.XXO.....", 3, "yyyy"),
    (".......XXXX.", 11, "yyyy"),
    ("......OXXXX.", 11, "yyyy"),
    ("XXX.XX......", 3, "ynyn"),
    ("OXXX.XXO....", 4, "ynyn"),
    ("XXXX.XXXX...", 4, "ynyn"),
    (".XXX.O......", 4, "nnnn"),
]


@pytest.mark.parametrize(("row", "x", "expected"), FIVES)
def test_what_is_a_five(row, x, expected, drawn):
    for rules, yes in zip(ROW_RULES.values(), expected, strict=True):
        position = drawn(rules, row)
        assert position.makes_five(x, 0, BLACK) == (yes == "y")
        assert ((x, 0) in position.five_points(BLACK)) == (yes == "y")
        position.play(x, 0)
        assert position.result.reason == ("five" if yes == "y" else "going on")
        assert position.over == (yes == "y")


def test_the_colours_can_have_different_fives(drawn):
    rules = Rules(12, 5, black_exact=True)
    row = "XXX.XX......"
    assert not drawn(rules, row).makes_five(3, 0, BLACK)
    turned = row.replace("X", "O")
    assert drawn(rules, turned, WHITE).makes_five(3, 0, WHITE)


def test_a_five_that_was_closed_later_does_not_come_back_to_life(drawn):
    position = drawn(Rules.caro(12, 5), "OXXXX.......", WHITE)
    position.play(6, 0)
    position.play(5, 0)
    assert position.result.reason == "going on"


def test_the_reasons_come_in_order(drawn):
    rules = Rules.renju()
    position = drawn(rules, ".XX.XXX.X.")
    assert position.why_illegal(-1, 0).kind == "outside"
    assert position.why_illegal(15, 3).kind == "outside"
    assert position.why_illegal(1, 0).kind == "occupied"
    overline = position.why_illegal(3, 0)
    assert overline.kind == "overline"
    assert overline.lines == (tuple((x, 0) for x in range(1, 7)),)
    assert position.forbidden_points() == {(3, 0): "overline"}
    position = drawn(rules, ".XX.XXX.X.", WHITE)
    assert position.why_illegal(3, 0) is None
    assert position.forbidden_points() == {(3, 0): "overline"}


def test_two_fours_on_one_line(drawn):
    why = drawn(Rules.renju(), ".X.XX..X....").why_illegal(5, 0)
    assert why.kind == "double four"
    assert why.lines == (((1, 0), (3, 0), (4, 0), (5, 0)), ((3, 0), (4, 0), (5, 0), (7, 0)))


def test_a_stone_in_one_of_two_fours_makes_one(drawn):
    assert drawn(Rules.renju(), "...XXX.X....").why_illegal(1, 0) is None


def test_a_straight_four_is_one_four(drawn):
    position = drawn(Rules.renju(), "..XX.X......")
    assert position.four_points(BLACK) == {(1, 0), (4, 0), (6, 0)}
    assert position.why_illegal(4, 0) is None


def test_a_double_three_names_the_threes_that_are_real(drawn):
    text = """
        . . . . . . . .
        . . X X . . . .
        . X . . . . . .
        . X . . . . . .
        . . . . . . . .
        . . . . . . . .
    """
    why = drawn(Rules.renju(), text).why_illegal(1, 1)
    assert why.kind == "double three"
    assert why.lines == (((1, 1), (2, 1), (3, 1)), ((1, 1), (1, 2), (1, 3)))
    head, last = text.rsplit(". . . . . . . .", 1)
    closed = head + ". O . . . . . ." + last  # no straight four fits between rim and stone
    assert drawn(Rules.renju(), closed).why_illegal(1, 1) is None


def test_a_foul_loses_or_cannot_be_played(drawn):
    row = ".XXX.XX....."
    position = drawn(Rules.renju(), row)
    position.play(4, 0)
    assert position.result[:2] == (WHITE, "forbidden move")
    with pytest.raises(IllegalMoveError, match="game is over"):
        position.play(9, 9)
    assert position.undo() == (4, 0)
    assert not position.over
    casual = drawn(replace(Rules.renju(), foul_loses=False), row)
    with pytest.raises(IllegalMoveError, match="4,0 is forbidden: overline"):
        casual.play(4, 0)
    assert casual == drawn(casual.rules, row)


def test_with_closed_fives_a_dead_four_is_no_four(drawn):
    # A column and a row through (4, 1); the row could only become a closed five.
    text = """
        O . . . . O . . .
        O X X X . . O . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
    """
    assert drawn(Rules.renju(9), text).why_illegal(4, 1).kind == "double four"
    closed = drawn(replace(Rules.renju(9), closed_five=False), text)
    assert closed.why_illegal(4, 1) is None


def test_a_set_up_may_hold_fives(drawn):
    both = "XXXXX\n.....\nOOOOO\n.....\n....."
    assert drawn(Rules.freestyle(5), both).result.winner == WHITE  # the last stone is White's
    position = drawn(Rules.freestyle(5), both)
    position.undo()
    assert position.result.winner == BLACK
    assert position.legal_points() == []


def test_a_full_board_is_a_draw(drawn):
    full = "XOXOX\nXOXOX\nOXOXO\nXOXOX\nXOXO#"
    assert drawn(Rules.freestyle(5), full).result.reason == "board full"


def test_set_ups_that_are_none():
    rules = Rules.freestyle(5)
    with pytest.raises(PositionError, match="5,0 is outside"):
        ReferencePosition.set_up(rules, [(5, 0, BLACK)], BLACK)
    with pytest.raises(PositionError, match="1,1 is given twice"):
        ReferencePosition.set_up(rules, [(1, 1, BLACK), (1, 1, WHITE)], BLACK)
    with pytest.raises(PositionError, match="1,1 is given twice"):
        ReferencePosition.set_up(rules, [(1, 1, BLACK)], BLACK, [(1, 1)])
    with pytest.raises(PositionError, match="no stone"):
        ReferencePosition(rules).undo()


def test_equality_does_not_ask_how_a_position_came_about():
    rules = Rules.renju()
    one, other = ReferencePosition(rules), ReferencePosition(rules)
    for x, y in ((7, 7), (8, 8), (9, 9)):
        one.play(x, y)
    for x, y in ((9, 9), (8, 8), (7, 7)):
        other.play(x, y)
    assert one == other
    assert one.key == other.key
    assert one != ReferencePosition.set_up(rules, one.stones, BLACK)
    assert one != ReferencePosition.set_up(Rules.standard(), one.stones, WHITE)
    twin = one.copy()
    twin.undo()
    assert twin != one
    assert one == other


CLASS_ROWS = [
    # the row, where the stone goes, and its classes under five or more, exactly five, and caro
    ("XXXX........", 4, "five, four, closed three", "five", "as first"),
    ("OXXXX.O.....", 5, "five", "five", ""),
    ("OXXX..O.....", 5, "four", "four", ""),
    (".OXXX.O.....", 5, "", "", ""),
    ("..XXX.......", 5, "four, open four, closed three", "four, open four", "as first"),
    ("X..XX.......", 2, "four, three, closed three", "four, closed three", "as first"),
    ("XXX.XX......", 3, "five, four, closed three, overline", "overline", "as first"),
    ("...X.#......", 4, "", "", ""),
    ("...X..#.....", 4, "two", "two", "two"),
]


@pytest.mark.parametrize(("row", "x", "more", "exact", "caro"), CLASS_ROWS)
def test_classes_along_a_row(row, x, more, exact, caro, drawn):
    wanted = {
        Rules.freestyle(12, 5): more,
        Rules.standard(12, 5): exact,
        Rules.caro(12, 5): more if caro == "as first" else caro,
    }
    for rules, names in wanted.items():
        found = drawn(rules, row).classes_on(x, 0, (1, 0), BLACK)
        assert ", ".join(name for name in CLASSES if name in found) == ", ".join(
            name for name in CLASSES if name in names.split(", ")
        )
