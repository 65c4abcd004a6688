"""The stones between BOARD or SWAP2BOARD and DONE: reading them and finding out who is Black."""

from shisan.engine import Colour, Point, Rules

from .commands import numbers_of, printable

Stone = tuple[int, int, Colour]

OWN, OPPONENT, WALL = 1, 2, 3
PASS = (-1, -1)


class PointList:
    """The lines of one list. The first problem is kept, the lines after it are read over.

    kind: "board", "yxboard" and "showforbid" (x,y,field), or "swap2board" (x,y; a field after it
        is allowed and not used).
    rules: of the board; None: there is no board, and nothing is looked at.
    passes: whether -1,-1 is a move that puts no stone.
    """

    __slots__ = ("_passes", "_rules", "_seen", "kind", "problem", "stones")

    def __init__(self, kind: str, rules: Rules | None, passes: bool = False) -> None:
        self.kind = kind
        self._passes = passes
        self.problem = ""
        self.stones: list[tuple[int, int, int]] = []
        self._rules = rules
        self._seen: set[Point] = set()

    def add(self, line: str) -> None:
        """Read one line."""
        if self._rules is None or self.problem:
            return
        values = numbers_of(line)
        lengths = (2, 3) if self.kind == "swap2board" else (3,)
        if values is None or len(values) not in lengths:
            form = "x,y" if self.kind == "swap2board" else "x,y,field"
            self.problem = f"line must be {form}, not {printable(line)}"
            return
        x, y, field = (*values, OWN)[:3]
        width, height = self._rules.width, self._rules.height
        if self._passes and (x, y) == PASS and field in (OWN, OPPONENT):
            self.stones.append((x, y, field))
            return
        if not (0 <= x < width and 0 <= y < height):
            self.problem = f"point must be 0..{width - 1},0..{height - 1}, not {x},{y}"
        elif not OWN <= field <= WALL:
            self.problem = f"field must be 1..3, not {field}"
        elif (x, y) in self._seen:
            self.problem = f"point {x},{y} is given twice"
        self._seen.add((x, y))
        self.stones.append((x, y, field))

    def close(self) -> None:
        """DONE: an opening has three stones or five, or none when one is asked for."""
        count = len(self.stones)
        if self.kind == "swap2board" and not self.problem and count not in (0, 3, 5):
            self.problem = f"SWAP2BOARD must have 0, 3 or 5 stones, not {count}"

    def position(self) -> tuple[tuple[Stone, ...], Colour, tuple[Point, ...]]:
        """The stones in order of play, our colour, and the walls of a BOARD list.

        We are to move. Equal numbers make us Black, one stone more of the opponent's makes us
        White; then the order is rebuilt as Black, White, Black..., each side's in the order given.
        Other numbers come from no game: Black is whoever owns the first stone, the order stays.
        """
        own = [(x, y) for x, y, field in self.stones if field == OWN]
        opponent = [(x, y) for x, y, field in self.stones if field == OPPONENT]
        walls = tuple((x, y) for x, y, field in self.stones if field == WALL)
        surplus = len(opponent) - len(own)
        if surplus in (0, 1):
            us = Colour(surplus)
            first, second = (own, opponent) if us == Colour.BLACK else (opponent, own)
            stones = [
                (*(first, second)[ply % 2][ply // 2], Colour(ply % 2))
                for ply in range(len(first) + len(second))
            ]
            return tuple(stone for stone in stones if stone[:2] != PASS), us, walls
        fields = [field for _, _, field in self.stones if field != WALL]
        us = Colour.BLACK if fields[0] == OWN else Colour.WHITE
        colours = {OWN: us, OPPONENT: us.other}
        placed = [
            (x, y, colours[field])
            for x, y, field in self.stones
            if field != WALL and (x, y) != PASS
        ]
        return tuple(placed), us, walls

    def opening(self) -> tuple[tuple[Stone, ...], Colour]:
        """The stones of a SWAP2BOARD list, Black first, and the side to move, which is White."""
        stones = tuple((x, y, Colour(ply % 2)) for ply, (x, y, _) in enumerate(self.stones))
        return stones, Colour.WHITE
