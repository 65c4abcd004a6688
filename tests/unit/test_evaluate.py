"""Static value: inputs recounted on the plain reference, the network recomputed in plain Python."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from shisan.engine import Colour, Position, Rules, networks
from shisan.engine.kernel import load
from shisan.engine.reference import ReferencePosition
from shisan.scripts import fit

BLACK, WHITE = Colour.BLACK, Colour.WHITE
EVALUATE = load("evaluate")
inputs_of, value_of = EVALUATE.inputs_of, EVALUATE.value_of
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
CLASSES, PLAIN_FOUR, MOST_FOURS = 14, 5, 6
WIDTH = len(inputs_of(Position(Rules.freestyle())))
HIDDEN, CEILING, LARGEST, MOST = 32, 2047, 10000, 40
RULES = [Rules.freestyle, Rules.standard, Rules.renju, Rules.caro]

Stones = list[tuple[int, int, Colour]]


def class_of(found: Sequence[set[str]]) -> int | None:
    """The class of a point by what it has in each direction; 0 is the best."""
    fours = sum("four" in one for one in found)
    threes = sum("three" in one and "four" not in one for one in found)
    lessers = [
        one for one in found if not one & {"three", "four"} and one & {"two", "closed three"}
    ]
    closed = any("closed three" in one for one in lessers)
    if fours > 1 or any("open four" in one for one in found):
        return 0
    if fours and threes:
        return 1
    if threes > 1:
        return 2
    if fours or threes:
        return (5 if fours else 8) - min(len(lessers), 2)
    if len(lessers) > 2:
        return 9
    if len(lessers) == 2:
        return 10 if closed else 11
    if lessers:
        return 12 if closed else 13
    return None


def recount(position: ReferencePosition) -> list[int]:
    """The inputs of the network, point by point."""
    counts = [0] * WIDTH
    for x, y in position.empty_points():
        for half, colour in enumerate((position.side, position.side.other)):
            kind = class_of([position.classes_on(x, y, step, colour) for step in DIRECTIONS])
            if kind is not None:
                counts[half * CLASSES + kind] += 1
    most = [MOST_FOURS if i % CLASSES == PLAIN_FOUR else MOST for i in range(WIDTH)]
    return [min(count, cut) for count, cut in zip(counts, most, strict=True)]


def reclassify(position: ReferencePosition) -> dict[tuple[int, int], tuple[int | None, ...]]:
    """The class of each empty point for both sides, where one has any."""
    found = {}
    for x, y in position.empty_points():
        classes = tuple(
            class_of([position.classes_on(x, y, step, colour) for step in DIRECTIONS])
            for colour in (position.side, position.side.other)
        )
        if classes != (None, None):
            found[x, y] = classes
    return found


def recompute(weights: dict[str, Any], inputs: Sequence[int]) -> int:
    """The value of the network, one sum after the other."""

    def cut(number: int) -> int:
        return max(0, min(number, CEILING))

    def dot(row: Sequence[int], numbers: Sequence[int]) -> int:
        return sum(weight * number for weight, number in zip(row, numbers, strict=True))

    first = zip(weights["first"], weights["first_bias"], strict=True)
    a = [cut(dot(row, inputs) + bias) for row, bias in first]
    second = zip(weights["second"], weights["second_bias"], strict=True)
    b = [cut((dot(row, a) + bias) >> 6) for row, bias in second]
    return max(-LARGEST, min((dot(weights["third"], b) + weights["third_bias"]) >> 6, LARGEST))


def random_weights(random: Random, size: int) -> dict[str, Any]:
    """A network of weights up to a size."""

    def row(n: int, most: int = size) -> list[int]:
        return [random.randint(-most, most) for _ in range(n)]

    return {
        "first": [row(WIDTH) for _ in range(HIDDEN)],
        "first_bias": row(HIDDEN, 3000),
        "second": [row(HIDDEN) for _ in range(HIDDEN)],
        "second_bias": row(HIDDEN, 100000),
        "third": row(HIDDEN),
        "third_bias": random.randint(-100000, 100000),
    }


def random_stones(random: Random, width: int, height: int) -> Stones:
    """Stones close enough to make threats."""
    share = random.uniform(0.1, 0.5)
    return [
        (x, y, random.choice((BLACK, WHITE)))
        for y in range(height)
        for x in range(width)
        if random.random() < share
    ]


@pytest.mark.parametrize("name", networks.NAMES)
def test_shipped_weights(name: str) -> None:
    content = json.loads((networks.FOLDER / f"{name}.json").read_bytes())
    weights = networks.load(name)
    assert content["checksum"] == fit.checksum(content) == fit.checksum(weights)
    assert len(weights["first"]) == len(weights["second"]) == len(weights["third"]) == HIDDEN
    assert {len(row) for row in weights["first"]} == {WIDTH}
    numbers = [number for name in ("first", "second") for row in weights[name] for number in row]
    assert max(map(abs, numbers + weights["third"])) < 1 << 15
    measured = content["manifest"]["validation_loss"]
    assert measured["integer"]["loss"] < measured["constant"]["loss"] - 0.1
    assert measured["integer"]["loss"] < measured["float"]["loss"] + 0.002


@pytest.mark.parametrize("name", networks.NAMES)
def test_shipped_networks_equal_plain_sums(name: str) -> None:
    random = Random(name)
    weights = networks.load(name)
    for _ in range(300):
        inputs = [random.randint(0, random.choice((1, 5, MOST))) for _ in range(WIDTH)]
        value = value_of(weights, inputs)
        assert value == recompute(weights, inputs)
        assert -LARGEST <= value <= LARGEST


@pytest.mark.parametrize("size", [1, 60, 2000, 30000])
def test_random_networks_equal_plain_sums(size: int) -> None:
    random = Random(size)
    for _ in range(20):
        weights = random_weights(random, size)
        for _ in range(5):
            inputs = [random.randint(0, MOST) for _ in range(WIDTH)]
            assert value_of(weights, inputs) == recompute(weights, inputs)


@pytest.mark.parametrize("layer", ["first", "first_bias", "second", "second_bias", "third"])
def test_network_of_the_wrong_shape_is_refused(layer: str) -> None:
    weights = random_weights(Random(1), 60)
    weights[layer] = weights[layer][1:]
    with pytest.raises(ValueError, match="units"):
        value_of(weights, [0] * WIDTH)


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_inputs_equal_a_recount(kind: Any) -> None:
    random = Random(kind.__name__)
    for width, height in ((15, 15), (9, 6), (20, 17)):
        rules = kind(width, height)
        stones = random_stones(random, width, height)
        for side in Colour:
            slow = ReferencePosition.set_up(rules, stones, side)
            position = Position.set_up(rules, stones, side)
            assert inputs_of(position) == recount(slow)
            assert EVALUATE.classes_of(position) == reclassify(slow)


@pytest.mark.parametrize("kind", [*RULES, lambda w, h: Rules.caro(w, h, exact=True)])
@pytest.mark.parametrize("size", [(15, 15), (17, 17), (20, 20), (22, 22), (9, 21)])
def test_classes_follow_from_those_before_a_move_or_two(kind: Any, size: tuple[int, int]) -> None:
    random = Random(repr(size))
    for _ in range(60):
        position = Position.set_up(kind(*size), random_stones(random, *size), BLACK)
        for number in (1, 2):
            points = [(x, y) for x in range(size[0]) for y in range(size[1])]
            points = random.sample([point for point in points if position.is_empty(*point)], number)
            side, stones = position.side, list(position.stones)
            for x, y in points:
                stones.append((x, y, side))
                side = side.other
            later = Position.set_up(position.rules, stones, side)
            assert EVALUATE.classes_after(position, points) == EVALUATE.classes_of(later), points


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_inputs_stay_the_same_turned_and_mirrored(kind: Any) -> None:
    random = Random(3)
    for size in (7, 15, 16, 19):
        rules = kind(size)
        stones = random_stones(random, size, size)
        wanted = inputs_of(Position.set_up(rules, stones, BLACK))
        last = size - 1
        for turn in range(8):
            turned = [(x if turn & 1 else last - x, y, colour) for x, y, colour in stones]
            turned = [(x, y if turn & 2 else last - y, colour) for x, y, colour in turned]
            turned = [(x, y, colour) if turn & 4 else (y, x, colour) for x, y, colour in turned]
            assert inputs_of(Position.set_up(rules, turned, BLACK)) == wanted


def test_inputs_know_no_colours_but_own_and_opposing() -> None:
    random = Random(4)
    for rules in (Rules.freestyle(), Rules.standard(20), Rules.caro(9)):
        stones = random_stones(random, rules.width, rules.height)
        swapped = [(x, y, colour.other) for x, y, colour in stones]
        own = inputs_of(Position.set_up(rules, stones, BLACK))
        assert inputs_of(Position.set_up(rules, swapped, WHITE)) == own
        opposing = own[CLASSES : 2 * CLASSES] + own[:CLASSES] + own[2 * CLASSES :]
        assert inputs_of(Position.set_up(rules, stones, WHITE)) == opposing


def test_an_empty_board_has_no_counts_and_one_stone_few() -> None:
    assert not any(inputs_of(Position(Rules.freestyle())))
    position = Position(Rules.freestyle())
    position.play(7, 7)
    inputs = inputs_of(position)
    assert not any(inputs[:CLASSES])
    assert sum(inputs) == 24  # three points to each of eight sides make a two


def test_more_for_the_side_to_move_is_better() -> None:
    pair = [(7, 7, BLACK), (8, 7, BLACK), (7, 10, WHITE), (9, 10, WHITE)]
    for rules in (Rules.freestyle(), Rules.standard(), Rules.renju()):
        for side in Colour:
            weights = networks.load(networks.names_for(rules)[side])
            worse = Position.set_up(rules, pair, side)
            at = (8, 8) if side == BLACK else (8, 11)
            better = Position.set_up(rules, [*pair, (*at, side)], side)
            values = [value_of(weights, inputs_of(position)) for position in (worse, better)]
            assert values[0] < values[1]


def test_openings_keep_their_fold_turned_and_mirrored() -> None:
    opening = [(7, 7), (8, 6), (3, 4), (9, 9)]
    mirrored = [(14 - x, y) for x, y in opening]
    turned = [(y, 14 - x) for x, y in opening]
    assert fit.fold_of(15, opening) == fit.fold_of(15, mirrored) == fit.fold_of(15, turned)
    assert len({fit.fold_of(15, [(x, 7), (7, 3)]) for x in range(15) if x != 7}) > 2


@pytest.mark.parametrize(
    ("opening", "labels", "won"),
    [
        (4, [10, -20, 29991], 1),  # Black moves last and has won
        (4, [10, -20, -29991], -1),
        (5, [10, -20, 29991], -1),  # White does
        (3, [10, 29995], 1),
        (4, [300, -300, 0], 0),
    ],
)
def test_who_has_won_is_what_the_last_label_says(opening, labels, won):
    """Whatever the record says: in two of five games of the first data it is wrong."""
    game = {"opening": [[0, 0]] * opening, "moves": [[1, 1, label] for label in labels]}
    assert fit.black_won(game | {"black": -won}) == won
