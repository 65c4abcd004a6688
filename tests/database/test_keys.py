"""Keys of positions, held against symmetries worked out by themselves."""

from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import Colour, Point, Position, Rules
from shisan.protocol.openings import symmetries, turned
from shisan.protocol.positionkeys import PlacementError, Setup, cells_of, keys_for

SIZES = st.sampled_from([(15, 15), (5, 5), (20, 20), (16, 16), (17, 16), (7, 22), (22, 22)])
Stones = list[tuple[Point, int]]


@st.composite
def boards(draw: st.DrawFn) -> tuple[Rules, Stones, Colour]:
    """A board, points each with 0 black, 1 white or 2 wall, and who is to move."""
    width, height = draw(SIZES)
    point = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))
    points = draw(st.lists(point, max_size=12, unique=True))
    kinds = draw(st.lists(st.integers(0, 2), min_size=len(points), max_size=len(points)))
    side = Colour(draw(st.integers(0, 1)))
    return Rules.freestyle(width, height), list(zip(points, kinds, strict=True)), side


def setup_of(rules: Rules, stones: Stones, side: Colour) -> Setup:
    lists = [[point for point, kind in stones if kind == wanted] for wanted in range(3)]
    black, white, walls = (cells_of(points, rules.width) for points in lists)
    return Setup(side, black, white, walls)


def forms(rules: Rules, stones: Stones, side: Colour) -> set[frozenset[tuple[Point, int]]]:
    """All symmetric forms of the stones."""
    points, kinds = [point for point, _ in stones], [kind for _, kind in stones]
    return {
        frozenset(zip(turned(points, at, rules), kinds, strict=True)) for at in symmetries(rules)
    }


@given(boards())
def test_every_form_has_the_same_key(board: tuple[Rules, Stones, Colour]) -> None:
    rules, stones, side = board
    keys = keys_for(rules.width, rules.height)
    own = keys.place(setup_of(rules, stones, side)).key
    for form in forms(rules, stones, side):
        assert keys.place(setup_of(rules, list(form), side)).key == own
    assert keys.place(setup_of(rules, stones, side.other)).key != own


@given(boards(), st.data())
def test_other_positions_have_other_keys(
    board: tuple[Rules, Stones, Colour], data: st.DataObject
) -> None:
    rules, stones, side = board
    if not stones:
        return
    keys = keys_for(rules.width, rules.height)
    at = data.draw(st.integers(0, len(stones) - 1))
    point, kind = stones[at]
    change = data.draw(st.sampled_from(["kind", "gone", "moved"]))
    other = stones[:at] + stones[at + 1 :]
    if change == "kind":
        other.append((point, (kind + 1) % 3))
    elif change == "moved":
        free = (point[0] + 1) % rules.width, point[1]
        if free in dict(stones):
            return
        other.append((free, kind))
    same = frozenset(other) in forms(rules, stones, side)
    own = keys.place(setup_of(rules, stones, side)).key
    assert (keys.place(setup_of(rules, other, side)).key == own) == same


@given(boards())
def test_keys_can_be_read(board: tuple[Rules, Stones, Colour]) -> None:
    """What is read is one of the forms, and its key is the same."""
    rules, stones, side = board
    keys = keys_for(rules.width, rules.height)
    place = keys.place(setup_of(rules, stones, side))
    read = keys.read(place.key)
    assert keys.place(read) == (place.key, keys.place(read).symmetries)
    assert keys.place(read).symmetries[0] == 0
    again = [(keys.point(cell), kind) for kind in range(3) for cell in read[1 + kind]]
    assert frozenset(again) in forms(rules, stones, side)
    assert read.side == side


@given(boards())
def test_children(board: tuple[Rules, Stones, Colour]) -> None:
    """Every empty cell, each with the key that the position after it has by itself."""
    rules, stones, side = board
    keys = keys_for(rules.width, rules.height)
    setup = setup_of(rules, stones, side)
    children = dict(keys.children(setup))
    taken = {keys.cell(point) for point, _ in stones}
    assert list(children) == [cell for cell in range(keys.cells) if cell not in taken]
    for cell in list(children)[::7]:
        after = setup_of(rules, [*stones, (keys.point(cell), int(side))], side.other)
        assert keys.child(setup, cell) == after
        assert children[cell] == keys.place(after).key


@given(boards(), st.data())
def test_points_of_a_form(board: tuple[Rules, Stones, Colour], data: st.DataObject) -> None:
    """A point goes into the key's form and comes back as all points equal to it."""
    rules, stones, side = board
    keys = keys_for(rules.width, rules.height)
    setup = setup_of(rules, stones, side)
    cell = data.draw(st.integers(0, keys.cells - 1))
    whole = frozenset(stones)
    points, kinds = [point for point, _ in stones], [kind for _, kind in stones]
    equal = {
        keys.cell(turned([keys.point(cell)], at, rules)[0])
        for at in symmetries(rules)
        if frozenset(zip(turned(points, at, rules), kinds, strict=True)) == whole
    }
    assert keys.alike(keys.place(setup), cell) == sorted(equal)


def test_of_a_position() -> None:
    position = Position(Rules.renju())
    for point in ((7, 7), (8, 7), (6, 6)):
        position.play(*point)
    keys = keys_for(15, 15)
    setup = keys.setup(position)
    assert setup == (Colour.WHITE, (6 * 15 + 6, 7 * 15 + 7), (7 * 15 + 8,), ())
    again = keys.position(Rules.renju(), setup)
    assert sorted(again.stones) == sorted(position.stones)
    assert again.side == position.side


def test_bytes_that_are_no_key() -> None:
    keys, wide = keys_for(15, 15), keys_for(20, 20)
    for bad in (b"", b"\0\0\1", b"\2\0\0\0\0", b"\0\0\1\0\0", b"\0\0\2\0\0\7\7", b"\0\0\1\0\0\xff"):
        try:
            keys.read(bad)
        except PlacementError:
            continue
        raise AssertionError(bad)
    try:
        wide.read(b"\0\0\1\0\0\1")
    except PlacementError:
        return
    raise AssertionError("a cell is cut off")
