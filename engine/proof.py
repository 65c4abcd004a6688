"""An independent checker of claimed wins: it replays them on the reference and tries every reply.

It shares no code with the search. What it calls proven is a win by the letter of the rules: at no
point has the defender a legal move that avoids the attacker's five, and nobody else's five, full
board or forbidden point comes in between.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from .reference import DIRECTIONS, Identity, ReferencePosition, Stone
from .rules import Colour, Point, Rules

NODES: Final = 1_000_000
"""How many positions check_win looks at unless told otherwise."""


class AnyPosition(Protocol):
    """What a position must show to be checked: Position and ReferencePosition do."""

    @property
    def rules(self) -> Rules:
        """What is allowed and what wins."""

    @property
    def stones(self) -> tuple[Stone, ...]:
        """The stones in the order they were put."""

    @property
    def side(self) -> Colour:
        """Who is to move, and claims the win."""

    @property
    def walls(self) -> Iterable[Point]:
        """The points neither side may use."""


Strategy = Callable[[ReferencePosition], Point | None]
"""The attacker: a move for the position, or None if it has none to offer."""

Fours = Callable[[ReferencePosition], Sequence[Point]]
"""A winning line of continuous fours from the position, or an empty one."""


class Verdict(NamedTuple):
    """What came of a check. True where a condition is wanted if the win is proven.

    status: "proven", "broken" or "budget" (the nodes were spent; nothing is known).
    reason: for people, why it broke; empty when proven.
    line: the moves from the position to where it broke; empty when proven.
    plies: when proven, how many at most up to and including the five.
    nodes: how many positions were looked at.
    """

    status: str
    reason: str
    line: tuple[Point, ...]
    plies: int
    nodes: int

    def __bool__(self) -> bool:
        return self.status == "proven"


def check_line(position: AnyPosition, line: Iterable[Point]) -> Verdict:
    """Check a win by continuous fours for the side to move.

    line: attacker, forced reply, attacker, ... and last an attacker's move that makes a five or
    cannot be met. At every reply the defender must have no five, and each of his legal moves but
    the listed one must leave the attacker a five at once; after the last move, each of them.
    """
    check = Replay(position, 0)
    return check.verdict(lambda: check.follow(tuple(line)))


def check_win(
    position: AnyPosition,
    strategy: Strategy,
    plies: int,
    nodes: int = NODES,
    fours: Fours | None = None,
) -> Verdict:
    """Check that the side to move wins within some plies with this strategy.

    At each of the attacker's turns at which no five is at hand, fours is asked for a line, which
    is checked as check_line does, and failing that strategy for a move. Both must leave the
    position they are given as it was; a position met again is not asked about again. Every legal
    reply is tried. nodes: give up after so many positions.
    """
    check = Replay(position, nodes)
    return check.verdict(lambda: check.attack(_Attacker(strategy, fours), plies))


class _Attacker(NamedTuple):
    strategy: Strategy
    fours: Fours | None


class BrokenError(Exception):
    """The claim breaks where the moves made so far, and these further ones, lead."""

    def __init__(self, reason: str, *further: Point, status: str = "broken") -> None:
        super().__init__(reason)
        self.reason = reason
        self.further = further
        self.status = status


class Replay:
    """One check: the position as it is played on, and where either side makes a five in it.

    budget: positions to look at before a win of any kind is given up.
    """

    def __init__(self, position: AnyPosition, budget: int) -> None:
        self.game = ReferencePosition.set_up(
            position.rules, position.stones, position.side, position.walls
        )
        self.attacker = self.game.side
        self.defender = self.game.side.other
        self.budget = budget
        self.nodes = 0
        self.start = self.game.ply
        self.known: dict[Identity, int] = {}
        self.fives = {colour: self.game.five_points(colour) for colour in Colour}
        self.before: list[dict[Colour, set[Point]]] = []  # fives before each stone

    def verdict(self, proof: Callable[[], int]) -> Verdict:
        """Run a proof that returns plies, and say what came of it."""
        try:
            if self.game.over:
                raise BrokenError(f"the game is over: {self.game.result.reason}")
            return Verdict("proven", "", (), proof(), self.nodes)
        except BrokenError as broken:
            played = [(x, y) for x, y, _ in self.game.stones[self.start :]]
            line = (*played, *broken.further)
            return Verdict(broken.status, broken.reason, line, 0, self.nodes)

    # The board

    def play(self, x: int, y: int) -> None:
        """Put a legal stone; the claim breaks if the point is none or the game ends undecided."""
        colour = self.game.side
        why = self.game.why_illegal(x, y)
        if why is not None:
            raise BrokenError(f"{name_of(colour)} cannot play {x},{y}: {why.kind}", (x, y))
        self.game.play(x, y)
        self.nodes += 1
        self._refresh(x, y, colour)
        if self.game.over and self.game.result.winner != self.attacker:
            raise BrokenError(f"the game ends: {self.game.result.reason}")

    def undo(self) -> None:
        """Take back the last stone."""
        self.game.undo()
        self.fives = self.before.pop()

    def _refresh(self, x: int, y: int, colour: Colour) -> None:
        """Work out afresh where the two sides make fives, now that this stone stands there.

        It can take a point, close a five or make it too long. A five that is new goes through the
        stone, so that its point is an end of an unbroken row through it.
        """
        game = self.game
        self.before.append(self.fives)
        self.fives = {
            owner: {p for p in points if p != (x, y) and game.makes_five(*p, owner)}
            for owner, points in self.fives.items()
        }
        for step in DIRECTIONS:
            for end in game.ends_of(x, y, step):
                if game.is_empty(*end) and game.makes_five_on(*end, step, colour):
                    self.fives[colour].add(end)

    def five_left(self, x: int, y: int) -> bool:
        """Return whether the attacker has a five at hand once the defender has played there.

        That stone takes a point, and where closed fives do not count it can close one.
        """
        left = self.fives[self.attacker] - {(x, y)}
        if self.game.rules.closed_five or not left:
            return bool(left)
        with self.game.trial(x, y, self.defender):
            return any(self.game.makes_five(*point, self.attacker) for point in left)

    def open_replies(self) -> list[Point]:
        """Return the defender's legal moves that leave the attacker no five at once.

        The claim breaks if one of his moves is a five, which is legal whatever else it makes.
        """
        for point in sorted(self.fives[self.defender]):
            raise BrokenError(f"{name_of(self.defender)} makes a five", point)
        return [
            point
            for point in self._stops()
            if not self.five_left(*point) and self.game.is_legal(*point)
        ]

    def _stops(self) -> Iterable[Point]:
        """Return the empty points, or those of them that can touch all the attacker's fives.

        A stone that is neither on a five's point nor within five steps along a line through it,
        where it might close it, leaves that five.
        """
        fives = self.fives[self.attacker]
        if not fives:
            return self.game.empty_points()
        reach = range(1) if self.game.rules.closed_five else range(-5, 6)
        near = (
            {(x + i * dx, y + i * dy) for dx, dy in DIRECTIONS for i in reach} for x, y in fives
        )
        return sorted(point for point in set.intersection(*near) if self.game.is_empty(*point))

    # A line of fours

    def follow(self, line: tuple[Point, ...]) -> int:
        """Return the plies of a line of fours; the claim breaks where it can be left."""
        if len(line) % 2 == 0:
            raise BrokenError("the line does not end with a move of the attacker")
        for i in range(0, len(line), 2):
            self.play(*line[i])
            if self.game.over:
                if i + 1 < len(line):
                    raise BrokenError("the line goes on after the five")
                return len(line)
            replies = self.open_replies()
            listed = line[i + 1 : i + 2]
            for point in replies:
                if point not in listed:
                    raise BrokenError(f"{name_of(self.defender)} is not made to reply", point)
            if listed:
                self.play(*listed[0])
        return len(line) + 2

    # A win of any kind

    def attack(self, attacker: _Attacker, plies: int) -> int:
        """Return the plies the attacker, who is to move, needs at most; at most plies."""
        if self.fives[self.attacker] and plies >= 1:
            return 1
        identity = self.game.identity()
        needed = self.known.get(identity)
        if needed is None:
            needed = self.known[identity] = self._ask(attacker, plies)
        if needed > plies:
            raise BrokenError(f"no five within {plies} plies more, it takes {needed}")
        return needed

    def _ask(self, attacker: _Attacker, plies: int) -> int:
        if plies < 3:
            raise BrokenError(f"no five within {max(plies, 0)} plies more")
        if self.nodes >= self.budget:
            raise BrokenError(f"{self.nodes} nodes spent", status="budget")
        line = attacker.fours(self.game) if attacker.fours is not None else ()
        if line:
            ply = self.game.ply
            needed = self.follow(tuple(line))
            while self.game.ply > ply:
                self.undo()
            return needed
        point = attacker.strategy(self.game)
        if point is None:
            raise BrokenError("the strategy has no move")
        self.play(*point)
        needed = 1 + self._defend(attacker, plies - 1)
        self.undo()
        return needed

    def _defend(self, attacker: _Attacker, plies: int) -> int:
        if self.game.over:
            return 0
        needed = 2
        for point in self.open_replies():
            self.play(*point)
            needed = max(needed, 1 + self.attack(attacker, plies - 1))
            self.undo()
        return needed


def name_of(colour: Colour) -> str:
    """Return Black or White."""
    return colour.name.capitalize()
