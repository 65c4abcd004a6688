"""One game of a person against the engine, apart from any screen: moves, clock, take back, endings.

Time comes in from outside, in seconds of a clock that never goes back: what needs it takes `now`.
"""

from typing import Final, NamedTuple

from shisan.engine import Colour, Point, Position

from .notation import point_name


class PlayError(ValueError):
    """What cannot be done in the game as it stands; the message says why."""


class Ending(NamedTuple):
    """How a game ended. winner: None for a draw.

    reason: that of the position's result, or "time" or "resigns".
    line: the stones of the five; empty where there is none.
    """

    winner: Colour | None
    reason: str
    line: tuple[Point, ...] = ()


class Ply(NamedTuple):
    """What is known of a stone beside its point. time_ms: None for one that lay there before."""

    time_ms: int | None = None
    note: str = ""


_DRAWS: Final = {
    "board full": "draw: the board is full",
    "no legal point": "draw: Black has no legal point",
}


class Sitting:
    """A game under way or ended.

    start: where it begins, not over; it is copied. person: whose stones the person puts; the
    engine has the others. clock_s: seconds that the person has for each move, None: as many as he
    likes; whoever uses them up has lost. fixed: stones of start that are never taken back.
    set_up: start is a set-up of stones, not moves from an empty board. Raises PlayError if start
    is over.
    """

    def __init__(
        self,
        start: Position,
        person: Colour,
        now: float,
        clock_s: float | None = None,
        fixed: int = 0,
        set_up: bool = False,
    ) -> None:
        if start.over:
            raise PlayError(f"the game is over before it begins: {start.result.reason}")
        self._position = start.copy()
        self._person = person
        self._clock_s = clock_s
        self._fixed = start.ply if set_up else fixed
        self._first = start.side if set_up else None
        self._plies = [Ply()] * start.ply
        self._declared: Ending | None = None
        self._begun = now
        self._paused: float | None = None

    @property
    def position(self) -> Position:
        """The stones as they lie. Not to be played on."""
        return self._position

    @property
    def person(self) -> Colour:
        """The person's colour."""
        return self._person

    @property
    def clock_s(self) -> float | None:
        """Seconds that the person has for a move; None: no clock."""
        return self._clock_s

    @property
    def plies(self) -> tuple[Ply, ...]:
        """What is known of each stone, in the order of position.stones."""
        return tuple(self._plies)

    @property
    def laid(self) -> int:
        """How many stones were set up and are no moves; the first ones of position.stones."""
        return 0 if self._first is None else self._fixed

    @property
    def first(self) -> Colour | None:
        """Who was to move in the set-up that the game began with; None: there was none."""
        return self._first

    @property
    def ending(self) -> Ending | None:
        """How the game ended; None while it goes on."""
        if self._declared is not None:
            return self._declared
        result = self._position.result
        return Ending(result.winner, result.reason, result.line) if result.over else None

    @property
    def moved(self) -> bool:
        """Whether a stone was put since the game began here."""
        return any(ply.time_ms is not None for ply in self._plies)

    @property
    def persons_turn(self) -> bool:
        """Whether the game goes on and waits for the person."""
        return self.ending is None and self._position.side == self._person

    @property
    def engines_turn(self) -> bool:
        """Whether the game goes on and waits for the engine."""
        return self.ending is None and self._position.side != self._person

    def refusal(self, point: Point) -> str | None:
        """Return in words why the side to move may not play there; None: it may.

        Forbidden points are refused under every foul policy: a person who plays on one has
        mistaken it, and the words say what it would make.
        """
        if self.ending is not None:
            return f"the game is over: {describe(self.ending)}"
        why = self._position.why_illegal(*point)
        if why is None:
            return None
        name = point_name(*point)
        if why.kind == "outside":
            rules = self._position.rules
            return f"{name} is outside the board of {rules.width}x{rules.height}"
        if why.kind == "occupied":
            return f"{name} is occupied{self._by_what(point)}"
        lines = " and ".join(" ".join(point_name(x, y) for x, y in line) for line in why.lines)
        return f"{name} is forbidden for Black: {why.kind}, {lines}"

    def _by_what(self, point: Point) -> str:
        for number, (x, y, owner) in enumerate(self._position.stones, 1):
            if (x, y) == point:
                return f" by a {owner.name.lower()} stone, number {number}"
        return " by a wall"

    def place(self, point: Point, now: float) -> None:
        """Put the person's stone. Raises PlayError."""
        self.tick(now)
        if self.engines_turn:
            raise PlayError("it is the engine's turn")
        why = self.refusal(point)
        if why is not None:
            raise PlayError(why)
        self._put(point, now, "")

    def answer(self, point: Point, now: float, note: str = "") -> None:
        """Put the engine's stone, with a note to keep. Raises PlayError."""
        if not self.engines_turn:
            raise PlayError("it is not the engine's turn")
        why = self.refusal(point)
        if why is not None:
            raise PlayError(why)
        self._put(point, now, note)

    def _put(self, point: Point, now: float, note: str) -> None:
        spent_ms = round(self.spent(now) * 1000)
        self._position.play(*point)
        self._plies.append(Ply(spent_ms, note))
        self._begin_turn(now)

    def take_back(self, now: float) -> int:
        """Take back the person's last stone and what came after it; return how many stones.

        A game that was lost on time or resigned only goes on, with no stone taken. The clock
        begins anew. Raises PlayError if there is none of the person's stones to take.
        """
        if self._declared is not None:
            self._declared = None
            self._begin_turn(now)
            return 0
        stones = self._position.stones[self._fixed :]
        mine = [at for at, (_, _, owner) in enumerate(stones) if owner == self._person]
        if not mine:
            raise PlayError("there is no move of yours to take back")
        taken = len(stones) - mine[-1]
        for _ in range(taken):
            self._position.undo()
            self._plies.pop()
        self._begin_turn(now)
        return taken

    def resign(self, now: float) -> None:
        """Give the game up for the person, whoever is to move. Raises PlayError if it is over."""
        self.tick(now)
        if self.ending is not None:
            raise PlayError(f"the game is over: {describe(self.ending)}")
        self._declared = Ending(self._person.other, "resigns")

    # The clock

    def _begin_turn(self, now: float) -> None:
        self._begun = now
        self._paused = None if self._paused is None else now

    def spent(self, now: float) -> float:
        """Seconds since the turn began, pauses not counted."""
        return max(0.0, (now if self._paused is None else self._paused) - self._begun)

    def left(self, now: float) -> float | None:
        """Seconds that the person has left for this move; None: no clock, or it stands."""
        if self._clock_s is None or not self.persons_turn:
            return None
        return max(0.0, self._clock_s - self.spent(now))

    def tick(self, now: float) -> bool:
        """Look at the clock: whether the game was lost on time just now."""
        if self.left(now) != 0:
            return False
        self._declared = Ending(self._person.other, "time")
        return True

    def pause(self, now: float) -> None:
        """Let the clock stand, as when the program is suspended."""
        if self._paused is None:
            self._paused = now

    def resume(self, now: float) -> None:
        """Let the clock run again."""
        if self._paused is not None:
            self._begun += now - self._paused
            self._paused = None


def describe(ending: Ending) -> str:
    """An ending in words.

    >>> describe(Ending(Colour.WHITE, "resigns")), describe(Ending(None, "board full"))
    ('White wins: Black resigns', 'draw: the board is full')
    """
    if ending.winner is None:
        return _DRAWS[ending.reason]
    winner, loser = (side.name.capitalize() for side in (ending.winner, ending.winner.other))
    how = {
        "time": f"{loser}'s time has run out",
        "resigns": f"{loser} resigns",
        "forbidden move": f"{loser} played a forbidden point",
        "five": " ".join(point_name(x, y) for x, y in ending.line),
    }
    return f"{winner} wins: {how[ending.reason]}"
