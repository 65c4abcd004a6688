"""What readers share: a tree of moves becomes lines, and a game is held against its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shisan.engine import MAX_SIDE, MIN_SIDE, Point, Rules

from .games import Branch, GameError, GameRecord, Source, first_fault
from .notation import Rows


@dataclass(frozen=True, slots=True)
class Wanted:
    """What whoever reads a file wants of its games.

    rules: what the moves must be legal under, their size apart; None: the rules that the file
    tells, if any. legal: false: moves need only be on empty points of the board. size: the board
    that the games must have; also that of games whose file tells none, else 15x15. rows: where
    the numbers of points like h8 count from; None: as is usual in the format. whole: a text is
    one game, not one a line. encoding: of the file, "" to guess.
    """

    rules: Rules | None = None
    legal: bool = True
    size: tuple[int, int] | None = None
    rows: Rows | None = None
    whole: bool = False
    encoding: str = ""

    @property
    def untold_size(self) -> tuple[int, int]:
        """The board of a game whose file does not tell it."""
        return self.size or (15, 15)


PLAIN: Final = Wanted()


def checked(
    game: GameRecord, wanted: Wanted, place: Callable[[int, int], int] | None = None
) -> GameRecord:
    """The game, if it is what is wanted. Raises GameError.

    place: the line (in binary files the byte) of a move, given its line in the tree and its ply;
    None: the game's own.
    """
    check_size((game.width, game.height), wanted, game.source)
    fault = first_fault(game, wanted.rules, wanted.legal)
    if fault is None:
        return game
    source = game.source
    if place is not None and fault.ply >= 0:
        at = place(fault.line, fault.ply)
        source = replace(source, line=at) if source.offset is None else replace(source, offset=at)
    what = "set-up" if fault.ply < 0 else f"move {fault.ply + 1}"
    raise GameError(source, fault.problem, what, _point(game, fault.line, fault.ply))


def _point(game: GameRecord, line: int, ply: int) -> str:
    """A move as `7,7` for an error's value."""
    move = game.line(line)[ply] if ply >= 0 else None
    return "" if move is None else f"{move[0]},{move[1]}"


def check_size(size: tuple[int, int], wanted: Wanted, source: Source, field: str = "size") -> None:
    """Raises GameError for a board that is none, or not the one that is wanted."""
    shown = f"{size[0]}x{size[1]}"
    if not all(MIN_SIDE <= side <= MAX_SIDE for side in size):
        problem = f"sides must be {MIN_SIDE}..{MAX_SIDE}, not {shown}"
        raise GameError(source, problem, field, shown)
    if wanted.size is not None and size != wanted.size:
        asked = f"{wanted.size[0]}x{wanted.size[1]}"
        raise GameError(source, f"the board is {shown}, not {asked} as asked for", field, shown)


@dataclass(slots=True)
class _Line:
    parent: int
    ply: int
    moves: list[Point | None] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    @property
    def end(self) -> int:
        """How many moves the whole line has."""
        return self.ply + len(self.moves)


class TreeBuilder:
    """Takes moves in depth-first order and keeps them as a main line and branches.

    The first move after a position goes on with its line; each further one begins a branch.
    """

    def __init__(self) -> None:
        self.comment = ""
        self._lines = [_Line(0, 0)]
        self._owners: list[int] = []

    @property
    def ply(self) -> int:
        """How many moves lead to the present position."""
        return len(self._owners)

    def back(self, ply: int) -> None:
        """Return to the position after so many of the present moves."""
        del self._owners[ply:]

    def add(self, move: Point | None, place: int) -> None:
        """Make a move in the present position. place: its line or byte in the file."""
        owner = self._owners[-1] if self._owners else 0
        if self._lines[owner].end != self.ply:
            self._lines.append(_Line(owner, self.ply))
            owner = len(self._lines) - 1
        line = self._lines[owner]
        line.moves.append(move)
        line.comments.append("")
        line.places.append(place)
        self._owners.append(owner)

    def say(self, text: str) -> None:
        """Add a comment to the present position; further ones begin a new line."""
        if not text:
            return
        if not self._owners:
            self.comment = _joined(self.comment, text)
            return
        line = self._lines[self._owners[-1]]
        at = self.ply - 1 - line.ply
        line.comments[at] = _joined(line.comments[at], text)

    def path(self) -> Sequence[Point | None]:
        """The moves that lead to the present position."""
        return [
            self._lines[owner].moves[ply - self._lines[owner].ply]
            for ply, owner in enumerate(self._owners)
        ]

    def place(self, number: int, ply: int) -> int:
        """Where a move of a whole line stands in the file."""
        line = self._lines[number]
        while ply < line.ply:
            line = self._lines[line.parent]
        return line.places[ply - line.ply]

    def fill(self, game: GameRecord) -> GameRecord:
        """The game with the moves, comments and branches that were taken."""
        main, *branches = self._lines
        return replace(
            game,
            moves=tuple(main.moves),
            comment=_joined(game.comment, self.comment),
            comments=_comments(main),
            branches=tuple(
                Branch(line.parent, line.ply, tuple(line.moves), _comments(line))
                for line in branches
            ),
        )


def _comments(line: _Line) -> tuple[str, ...]:
    return tuple(line.comments) if any(line.comments) else ()


def _joined(first: str, second: str) -> str:
    return f"{first}\n{second}" if first and second else first or second
