"""Positions as keys of a database: exact, the same for all symmetric forms, and readable back.

A key says who is to move and where the stones and walls are, of the one form among the symmetric
ones (eight on a square, four on a rectangle) whose stones come first; it says nothing of the order
of moves. It is no hash: two positions have the same key only if they are the same, turned.

    byte 0      0 Black is to move, 1 White
    bytes 1-4   how many black and how many white stones, two bytes each, high byte first
    then        cells of black stones, of white stones, of walls, each ascending

A cell is y * width + x, one byte on boards of up to 256 points and two, high byte first, on larger.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import or_
from typing import Final, NamedTuple

from shisan.engine import Colour, Point, Position, Rules

_HEAD: Final = 5
_LARGEST_BYTE: Final = 256


class Setup(NamedTuple):
    """Stones, walls and who is to move; cells ascending. What a key stands for."""

    side: Colour
    black: tuple[int, ...]
    white: tuple[int, ...]
    walls: tuple[int, ...] = ()


class Place(NamedTuple):
    """A position's key, and the symmetries that lead from the position to the key's form."""

    key: bytes
    symmetries: tuple[int, ...]


class PlacementError(ValueError):
    """Bytes that are no key of a board."""


class Keys:
    """Makes and reads the keys of one board."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.cells = width * height
        self._wide = self.cells > _LARGEST_BYTE
        self._turns = tuple(_turned(width, height, at) for at in range(8 if width == height else 4))
        self._back = tuple(_inverse(turn) for turn in self._turns)
        # A form as one number: a bit a cell for black, white and walls, lower cells higher, so that
        # the largest number is the form whose cells come first.
        planes = [
            [
                [1 << ((3 - plane) * self.cells - 1 - turn[cell]) for turn in self._turns]
                for cell in range(self.cells)
            ]
            for plane in range(3)
        ]
        self._bits = tuple(tuple(tuple(bits) for bits in plane) for plane in planes)

    def setup(self, position: Position) -> Setup:
        """The stones of a position of this board."""
        width = self.width
        black = sorted(y * width + x for x, y, colour in position.stones if not colour)
        white = sorted(y * width + x for x, y, colour in position.stones if colour)
        walls = sorted(y * width + x for x, y in position.walls)
        return Setup(position.side, tuple(black), tuple(white), tuple(walls))

    def place(self, setup: Setup) -> Place:
        """The key of a position."""
        forms = self._forms(setup)
        best = max(forms)
        symmetries = tuple(at for at, form in enumerate(forms) if form == best)
        turn = self._turns[symmetries[0]]
        cells = [cell for each in setup[1:] for cell in sorted([turn[cell] for cell in each])]
        head = _head(setup.side, len(setup.black), len(setup.white))
        return Place(head + self._packed(cells), symmetries)

    def children(self, setup: Setup) -> Iterator[tuple[int, bytes]]:
        """Each empty cell, with the key of the position after a stone of the side to move there."""
        forms = self._forms(setup)
        mover = setup.side
        white_moves = mover == Colour.WHITE
        head = _head(
            mover.other, len(setup.black) + (not white_moves), len(setup.white) + white_moves
        )
        turned: list[list[list[int]] | None] = [None] * len(forms)
        taken = {*setup.black, *setup.white, *setup.walls}
        for cell in range(self.cells):
            if cell in taken:
                continue
            after = list(map(or_, forms, self._bits[mover][cell]))
            at = after.index(max(after))
            lists = turned[at]
            if lists is None:
                turn = self._turns[at]
                lists = [sorted([turn[each] for each in cells]) for cells in setup[1:]]
                turned[at] = lists
            grown = lists[mover].copy()
            insort(grown, self._turns[at][cell])
            black, white = (lists[0], grown) if white_moves else (grown, lists[1])
            yield cell, head + self._packed([*black, *white, *lists[2]])

    def child(self, setup: Setup, cell: int) -> Setup:
        """The position after a stone of the side to move on an empty cell."""
        black, white = setup.black, setup.white
        if setup.side == Colour.BLACK:
            black = tuple(sorted((*black, cell)))
        else:
            white = tuple(sorted((*white, cell)))
        return Setup(setup.side.other, black, white, setup.walls)

    def read(self, key: bytes) -> Setup:
        """The position that a key stands for, in the key's form. Raises PlacementError."""
        if len(key) < _HEAD or key[0] > 1:
            raise PlacementError(f"{key[:_HEAD].hex()} begins no key of a position")
        if self._wide:
            if (len(key) - _HEAD) % 2:
                raise PlacementError("a cell is cut off")
            cells = [high << 8 | low for high, low in zip(key[5::2], key[6::2], strict=True)]
        else:
            cells = list(key[_HEAD:])
        blacks, whites = int.from_bytes(key[1:3], "big"), int.from_bytes(key[3:5], "big")
        if blacks + whites > len(cells):
            raise PlacementError(f"{len(cells)} cells are given for {blacks + whites} stones")
        if len(set(cells)) < len(cells) or any(cell >= self.cells for cell in cells):
            raise PlacementError("a cell is outside or taken twice")
        both = blacks + whites
        return Setup(
            Colour(key[0]), tuple(cells[:blacks]), tuple(cells[blacks:both]), tuple(cells[both:])
        )

    def is_canonical(self, key: bytes) -> bool:
        """Whether this is the key of what it stands for. Raises PlacementError."""
        return self.place(self.read(key)).key == key

    # -- cells of a position, and of its key's form ----------------------------------------------

    def inward(self, place: Place, cell: int) -> int:
        """A cell of a position as a cell of its key's form; of equal ones the lowest."""
        return min(self._turns[at][cell] for at in place.symmetries)

    def outward(self, place: Place, cell: int) -> list[int]:
        """The cells of a position that a cell of its key's form stands for, ascending."""
        return sorted({self._back[at][cell] for at in place.symmetries})

    def alike(self, place: Place, cell: int) -> list[int]:
        """The cells of a position that its own symmetry makes equal to one, itself among them."""
        return self.outward(place, self.inward(place, cell))

    def point(self, cell: int) -> Point:
        """A cell as a point."""
        y, x = divmod(cell, self.width)
        return x, y

    def cell(self, point: Point) -> int:
        """A point of the board as a cell."""
        return point[1] * self.width + point[0]

    def position(self, rules: Rules, setup: Setup) -> Position:
        """The position under rules of this size."""
        stones = [
            (*self.point(cell), colour)
            for colour, cells in ((Colour.BLACK, setup.black), (Colour.WHITE, setup.white))
            for cell in cells
        ]
        walls = [self.point(cell) for cell in setup.walls]
        return Position.set_up(rules, stones, setup.side, walls)

    # -- inside ----------------------------------------------------------------------------------

    def _forms(self, setup: Setup) -> list[int]:
        forms = [0] * len(self._turns)
        for bits, cells in zip(self._bits, setup[1:], strict=True):
            for cell in cells:
                forms = list(map(or_, forms, bits[cell]))
        return forms

    def _packed(self, cells: Sequence[int]) -> bytes:
        if not self._wide:
            return bytes(cells)
        return bytes([half for cell in cells for half in (cell >> 8, cell & 255)])


@lru_cache(maxsize=64)
def keys_for(width: int, height: int) -> Keys:
    """The keys of boards of a size; made once."""
    return Keys(width, height)


def cells_of(points: Iterable[Point], width: int) -> tuple[int, ...]:
    """Points as cells, ascending."""
    return tuple(sorted(y * width + x for x, y in points))


def _head(side: Colour, black: int, white: int) -> bytes:
    return bytes((side, black >> 8, black & 255, white >> 8, white & 255))


def _turned(width: int, height: int, symmetry: int) -> tuple[int, ...]:
    """Where each cell goes: bit 1 mirrors left and right, 2 top and bottom, 4 swaps x and y."""
    found = []
    for y in range(height):
        for x in range(width):
            column = width - 1 - x if symmetry & 1 else x
            row = height - 1 - y if symmetry & 2 else y
            found.append(column * width + row if symmetry & 4 else row * width + column)
    return tuple(found)


def _inverse(turn: Sequence[int]) -> tuple[int, ...]:
    back = [0] * len(turn)
    for start, end in enumerate(turn):
        back[end] = start
    return tuple(back)
