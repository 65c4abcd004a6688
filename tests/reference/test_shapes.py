"""Fours, threes and what one more stone makes, against the definitions on the reference."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from shisan.engine import Colour, Four, Point, Position, Rules, Three, chance
from shisan.engine.reference import DIRECTIONS, Line, ReferencePosition
from shisan.engine.shapes import chances, fours, threes
from shisan.scripts.claims import RULES
from shisan.scripts.plain import threes as scattered


def positions(name: str, count: int) -> Iterator[Position]:
    """Small boards with many short lines on them, some with walls; none is over."""
    random = Random(f"{name} shapes")
    while count:
        width, height = random.choice(((7, 7), (9, 6), (10, 10), (6, 11)))
        rules = replace(RULES[name], width=width, height=height)
        stones = [stone for _ in range(3) for stone in scattered(random, rules)]
        kept = {(x, y): colour for x, y, colour in stones}
        free = [(x, y) for x in range(width) for y in range(height) if (x, y) not in kept]
        walls = random.sample(free, random.choice((0, 0, 2)))
        laid = [(x, y, colour) for (x, y), colour in kept.items()]
        position = Position.set_up(rules, laid, Colour(random.randrange(2)), walls)
        if not position.over:
            count -= 1
            yield position


def slow(position: Position) -> ReferencePosition:
    return ReferencePosition.set_up(position.rules, position.stones, position.side, position.walls)


# --- the definitions, by trying every point ------------------------------------------------------


def rows_of_four(game: ReferencePosition, colour: Colour) -> Iterator[tuple[Line, Point, Point]]:
    """Unbroken rows of exactly four stones, with the points at their ends."""
    for x in range(game.rules.width):
        for y in range(game.rules.height):
            for dx, dy in DIRECTIONS if game.at(x, y) is colour else ():
                line = [(x + i * dx, y + i * dy) for i in range(-1, 5)]
                owners = [game.at(*point) is colour for point in line]
                if owners == [False, True, True, True, True, False]:
                    yield tuple(line[1:5]), line[0], line[5]


def five_on(game: ReferencePosition, point: Point, row: Line, colour: Colour) -> bool:
    """Whether a stone on an empty point makes a five that holds this row."""
    if not game.is_empty(*point):
        return False
    with game.trial(*point, colour):
        return any(set(row) < set(five) for five in game.fives_through(*point))


def straight_fours(game: ReferencePosition, colour: Colour) -> dict[Line, set[Point]]:
    return {
        row: {before, after}
        for row, before, after in rows_of_four(game, colour)
        if five_on(game, before, row, colour) and five_on(game, after, row, colour)
    }


def all_fours(game: ReferencePosition, colour: Colour) -> set[tuple[frozenset[Point], frozenset]]:
    """Each four as its stones and the points where it becomes a five."""
    straight = straight_fours(game, colour)
    found = {(frozenset(row), frozenset(ends)) for row, ends in straight.items()}
    for point in game.five_points(colour):
        with game.trial(*point, colour):
            fives = game.fives_through(*point)
        for five in fives:
            held = [row for row, ends in straight.items() if point in ends and {*row} < {*five}]
            if not held:
                found.add((frozenset(five) - {point}, frozenset({point})))
    return found


def all_threes(game: ReferencePosition, colour: Colour) -> dict[frozenset[Point], set[Point]]:
    """Each three's stones, with the points where it becomes an open four."""
    reach = (-3, -2, -1, 1, 2, 3)
    barred: dict[Point, str] | None = None
    found: dict[frozenset[Point], set[Point]] = {}
    for point in game.empty_points():
        near = [(point[0] + i * dx, point[1] + i * dy) for dx, dy in DIRECTIONS for i in reach]
        if sum(game.at(*each) is colour for each in near) < 3:
            continue
        if game.makes_five(*point, colour):
            continue
        with game.trial(*point, colour):
            rows = [row for row in straight_fours(game, colour) if point in row]
        if not rows:
            continue
        if colour is Colour.BLACK:
            if barred is None:
                barred = game.forbidden_points()
            if point in barred:
                continue
        for row in rows:
            found.setdefault(frozenset(row) - {point}, set()).add(point)
    return found


def kind_at(
    game: ReferencePosition, point: Point, colour: Colour, barred: dict[Point, str]
) -> str | None:
    """What a stone there makes, by the definitions. barred: the forbidden points."""
    if game.makes_five(*point, colour):
        return "five"
    if colour is Colour.BLACK and point in barred:
        return None
    with game.trial(*point, colour):
        new_fours = [each for each in all_fours(game, colour) if point in each[0]]
        new_threes = [each for each in all_threes(game, colour) if point in each]
    if any(len(fives) == 2 for _, fives in new_fours):
        return "open four"
    if len({five for _, fives in new_fours for five in fives}) > 1:
        return "double four"
    if new_fours:
        return "four-three" if new_threes else "four"
    slopes = {slope(three) for three in new_threes}
    return None if not slopes else "double three" if len(slopes) > 1 else "three"


def slope(points: frozenset[Point]) -> Point:
    first, *_, last = sorted(points)
    dx, dy = last[0] - first[0], last[1] - first[1]
    reach = max(abs(dx), abs(dy))
    return dx // reach, dy // reach


def said_fours(found: tuple[Four, ...]) -> set[tuple[frozenset[Point], frozenset[Point]]]:
    return {(frozenset(four.stones), frozenset(four.fives)) for four in found}


def said_threes(found: tuple[Three, ...]) -> dict[frozenset[Point], set[Point]]:
    return {frozenset(three.stones): set(three.fours) for three in found}


# --- tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_shapes_on_the_board(name: str) -> None:
    seen = {"four": 0, "open": 0, "three": 0}
    for position in positions(name, 50):
        game = slow(position)
        for colour in Colour:
            found = fours(position, colour)
            assert len(said_fours(found)) == len(found)
            assert said_fours(found) == all_fours(game, colour), (position.stones, colour)
            assert [each.open for each in found] == [len(each.fives) == 2 for each in found]
            three = threes(position, colour)
            assert len(said_threes(three)) == len(three)
            assert said_threes(three) == all_threes(game, colour), (position.stones, colour)
            seen["four"] += len(found)
            seen["open"] += sum(each.open for each in found)
            seen["three"] += len(three)
    assert min(seen.values()) >= 3, seen


@pytest.mark.parametrize("name", RULES)
def test_what_a_stone_makes(name: str) -> None:
    seen: dict[str, int] = {}
    for position in positions(name, 7):
        game = slow(position)
        before = position.copy()
        barred = game.forbidden_points()
        for colour in Colour:
            made = {}
            for point in game.empty_points():
                said = chance(position, point, colour)
                wanted = kind_at(game, point, colour, barred)
                assert (said.kind if said else None) == wanted, (position.stones, point, colour)
                if said is None:
                    continue
                seen[said.kind] = seen.get(said.kind, 0) + 1
                assert all(point in each.stones for each in (*said.fours, *said.threes))
                if said.kind != "three":
                    made[point] = said
            listed = chances(position, colour)
            assert {each.point: each for each in listed} == made
            assert len(listed) == len(made)
        assert position == before
    assert set(seen) >= {"five", "four", "three"}, seen


def drawn(rows: str, rules: Rules) -> Position:
    lines = [row.replace(" ", "") for row in rows.strip().splitlines()]
    stones = [
        (x, y, Colour("XO".index(mark)))
        for y, row in enumerate(lines)
        for x, mark in enumerate(row)
        if mark in "XO"
    ]
    return Position.set_up(rules, stones, Colour.BLACK)


@pytest.mark.parametrize(
    ("row", "rules", "fives"),
    [
        (". X X X X . . . .", Rules.freestyle(9), [((0, 5))]),
        ("O X X X X . . . .", Rules.freestyle(9), [((5,))]),
        ("X X X X . . . . .", Rules.freestyle(9), [((4,))]),
        (". X X X . X . . .", Rules.freestyle(9), [((4,))]),
        (". X X X X . X . .", Rules.freestyle(9), [((0, 5))]),
        (". X X X X . X . .", Rules.standard(9), [((0,))]),
        ("X . X X X . X . .", Rules.freestyle(9), [((1,)), ((5,))]),
        ("O X X X X . O . .", Rules.caro(9), []),
        ("O X X X X . . O .", Rules.caro(9), [((5,))]),
        (". X X X X . O . .", Rules.caro(9), [((0, 5))]),
    ],
)
def test_fours_as_drawn(row: str, rules: Rules, fives: list[tuple[int, ...]]) -> None:
    found = fours(drawn(row, rules), Colour.BLACK)
    assert [tuple(x for x, _ in four.fives) for four in found] == fives


@pytest.mark.parametrize(
    ("rows", "rules", "point", "kind"),
    [
        ("X X . X X . X X .", Rules.freestyle(9), (2, 0), "five"),
        ("X X X . . . X X X", Rules.freestyle(9), (4, 0), "double four"),
        (". X X . X . . . .", Rules.freestyle(9), (3, 0), "open four"),
        (". X X . . X X . .", Rules.freestyle(9), (3, 0), "four"),
        ("O X X X . . . . .\n" + ". . . . . . . . .\n. . . . X . . . .\n" + ". . . . X . . . .",
         Rules.freestyle(9), (4, 0), "four"),
        ("O X X X . . . . .\n. . . X . X . . .\n. . X . . . X . .\n. . . . . . . . .",
         Rules.freestyle(9), (4, 0), "four"),
        (". . . . . . . . .\n. O X X X . . . .\n. . . . . X . . .\n. . . . . X . . .",
         Rules.freestyle(9), (5, 1), "four-three"),
        (". . . . . . . . .\n. O X X X . . . .\n. . . . X . . . .\n. . . X . . . . .",
         Rules.freestyle(9), (5, 1), "four-three"),
    ],
)  # fmt: skip
def test_chances_as_drawn(rows: str, rules: Rules, point: Point, kind: str) -> None:
    """The four-three is one only if the three's ends are free."""
    made = chance(drawn(rows, rules), point, Colour.BLACK)
    assert made is not None and made.kind == kind


def test_a_three_that_is_none() -> None:
    """f8 and i8 look like two stones of a three with h8, but g8 between them makes a five of the
    column: h8 makes one three only, and is allowed."""
    black = [(5, 7), (8, 7), (7, 8), (7, 9), (6, 3), (6, 4), (6, 5), (6, 6)]
    stones = [(*point, Colour.BLACK) for point in black]
    position = Position.set_up(Rules.renju(), stones, Colour.BLACK)
    made = chance(position, (7, 7), Colour.BLACK)
    assert made is not None
    assert made.kind == "three"
    assert [three.stones for three in made.threes] == [((7, 7), (7, 8), (7, 9))]
    assert chance(position, (7, 6), Colour.BLACK) is None  # a double three, forbidden
