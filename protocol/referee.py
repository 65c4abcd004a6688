"""The referee: plays one game between two brains. What is legal and who has won, the engine says.

The order of checks is fixed; the first that applies decides:

 1. Before the first move each side starts, Black first: one that cannot loses ("start").
 2. The game is over by the rules: five, board full, Black without a legal point.
 3. The move limit, then the few empty points: a draw.
 4. The side to move is asked. In this order it loses by:
    a. an answer later than the limit, or none ("time"): a late answer is not looked at, so a late
       illegal move is a time-out. With timeout "plays-on" the built-in engine moves instead;
    b. its end, or that of its pipes, without an answer ("crash"), be it while the other side was
       on move;
    c. a line that is no answer ("nonsense"), by strict reading or to SWAP2BOARD;
    d. more memory than allowed ("memory"), weighed after the answer: even a winning move is lost;
    e. a point outside the board or not empty ("illegal move").
 5. A forbidden point of Black: with foul_loses the stone is placed and White has won ("forbidden
    move"). Else it is not placed, and Black is asked again within the same move's time, the point
    marked as closed; after `asks` such answers Black has lost all the same.
 6. The stone is placed, the clock of its side goes down. Then, in this order: the rules (2), the
    mover resigns by its values, both agree on a draw by theirs, the limits (3).

A fault is always the asked side's own, whatever the other one's process does meanwhile. What the
sides have said of values is only ever used for 6.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple, Protocol

from shisan.engine import Colour, Point, Position, Rules

from .conditions import Conditions
from .journal import FAULTS, Event, Game, Offence, Player
from .manager import BrainFault, GameSettings, Reply
from .notation import point_name
from .openings import Stones
from .police import Offence as Held

MAX_OFFENCES: Final = 20
"""Offences of one side in one game that are kept."""

FORBIDDEN_KINDS: Final = ("double three", "double four", "overline")
ENDLESS_MS: Final = 1000
"""The built-in engine's time per move when it plays on and there is no time per move."""

Result = Literal["1-0", "0-1", "1/2"]


class Face(Protocol):
    """What the referee needs of a brain; see manager.Brain."""

    offences: list[Held]
    started_ms: float

    @property
    def peak_memory(self) -> int:
        """Bytes."""

    def start_game(
        self, rules: Rules, settings: GameSettings, *, new_process: bool = True
    ) -> Reply:
        """START."""

    def begin(self, limit_ms: float | None = None, left_ms: float | None = None) -> Reply:
        """BEGIN."""

    def turn(
        self, x: int, y: int, limit_ms: float | None = None, left_ms: float | None = None
    ) -> Reply:
        """TURN."""

    def board(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
        closed: Sequence[Point] = (),
    ) -> Reply:
        """BOARD."""

    def swap2(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
    ) -> Reply:
        """SWAP2BOARD."""

    def quit(self) -> int | None:
        """END."""

    def kill(self) -> None:
        """At once."""

    def usage(self) -> int:
        """Bytes."""


class Plan(NamedTuple):
    """A game to be played. black, white: indices of players; swap2: who lays is called black."""

    number: int
    pair: int
    black: int
    white: int
    opening: Stones
    swap2: bool = False


class Moved(NamedTuple):
    """A stone was placed in a game. score: the mover's own value, None: not said."""

    number: int
    black: int
    white: int
    stones: tuple[Point, ...]
    time_ms: float
    score: int | None


Watch = Callable[[Moved], None]


class End(Exception):  # noqa: N818 - the end of a game is no error
    """The game has ended. loser: None for a draw."""

    def __init__(self, reason: str, loser: Colour | None, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.loser, self.detail = reason, loser, detail


@dataclass
class Seat:
    """One side of a game. told: stones that the brain knows of, -1: it needs a BOARD.

    left_ms: of its match clock, None: no limit. answered: when it last did, by time.monotonic.
    faced: offences of the brain before this game.
    """

    player: int
    brain: Face
    conditions: Conditions
    options: tuple[tuple[str, str], ...] = ()
    fresh: bool = True
    told: int = -1
    left_ms: float | None = None
    answered: float = 0.0
    start_ms: float = 0.0
    faced: int = 0
    replaced: bool = False
    memory: int = 0
    values: list[int | None] = field(default_factory=list)
    offences: list[Offence] = field(default_factory=list)

    def settings(self) -> GameSettings:
        """What the brain is told by INFO."""
        own = self.conditions
        more = [("max_node", own.nodes), ("max_depth", own.depth)]
        options = [(key, str(value)) for key, value in more if value is not None]
        return GameSettings(
            turn_ms=own.turn,
            match_ms=own.time,
            max_memory=own.memory or 0,
            options=(*options, *self.options),
        )

    def limit_ms(self) -> float | None:
        """After how many ms an answer is too late; None: whenever it comes."""
        limits = [each for each in (self.conditions.turn, self.left_ms) if each is not None]
        return min(limits) + self.conditions.tolerance if limits else None

    def rest(self) -> None:
        """Leave the brain alone for as long as its conditions say after an answer."""
        time.sleep(max(0.0, self.answered + self.conditions.pause / 1000 - time.monotonic()))

    def spend(self, time_ms: float) -> None:
        """Take a move's time off the match clock."""
        if self.left_ms is not None:
            self.left_ms += self.conditions.increment - time_ms

    def collect(self) -> None:
        """Note what is held against the brain and what it has used."""
        for held in self.brain.offences[self.faced :][: MAX_OFFENCES - len(self.offences)]:
            told = f"{', '.join(held.managers)}: {held.how}"
            self.offences.append(Offence(self.player, held.line[:200], told))
        self.faced = len(self.brain.offences)
        with suppress(ImportError):  # psutil, which only a memory limit needs
            self.brain.usage()
        self.memory = max(self.memory, self.brain.peak_memory)


def own_conditions(conditions: Conditions, player: Player) -> Conditions:
    """The conditions as they are for one player."""
    return replace(conditions, **player.own) if player.own else conditions


def play_game(
    plan: Plan,
    seats: Sequence[Seat],
    rules: Rules,
    substitute: Callable[[], Face] | None = None,
    watch: Watch | None = None,
) -> Game:
    """Play a game to its end. The brains' processes are left running; close() ends them.

    seats: of the plan's black and white. substitute: makes the built-in engine for "plays-on".
    watch: is told of each stone, in the calling thread.
    """
    table = _Table(plan, seats, rules, substitute, watch)
    try:
        table.play()
    except End as end:
        return table.game(end)
    raise AssertionError("a game has no end")


def close(seats: Sequence[Seat]) -> None:
    """END to both brains, and soon the end of their processes."""
    for seat in seats:
        seat.brain.quit()


class _Table:
    """A game under way. seats: by the colour that each has now."""

    def __init__(
        self,
        plan: Plan,
        seats: Sequence[Seat],
        rules: Rules,
        substitute: Callable[[], Face] | None,
        watch: Watch | None,
    ) -> None:
        self.plan, self.rules = plan, rules
        self.seats = list(seats)
        self.position = Position(rules)
        self._substitute, self._watch = substitute, watch
        self._opening: Stones = plan.opening
        self._played: list[Point] = []  # the stones of the position, at hand
        self._events: list[Event] = []
        self._times: list[float] = []
        self._overheads: list[float] = []
        self._scores: list[int | None] = []
        self._nodes: list[int | None] = []

    def play(self) -> None:
        """Raises End."""
        for colour in Colour:
            self._start(colour)
        if self.plan.swap2:
            self._swap2()
        else:
            self._lay(self.plan.opening)
        while True:
            self._check_rules()
            self._check_limits()
            self._move()

    def game(self, end: End) -> Game:
        """The game as it stands at its end."""
        black, white = self.seats
        for seat in self.seats:
            seat.collect()
        result: Result = "1/2"
        if end.loser is not None:
            result = "0-1" if end.loser is Colour.BLACK else "1-0"
        return Game(
            number=self.plan.number,
            pair=self.plan.pair,
            black=black.player,
            white=white.player,
            opening=self._opening,
            moves=tuple(self._played),
            times_ms=tuple(self._times),
            scores=tuple(self._scores),
            nodes=tuple(self._nodes),
            result=result,
            reason=end.reason,
            loser_fault=end.reason in FAULTS,
            detail=end.detail,
            events=tuple(self._events),
            offences=(*black.offences, *white.offences),
            overhead_ms=tuple(self._overheads),
            start_ms=(black.start_ms, white.start_ms),
            memory=(black.memory, white.memory),
        )

    def _put(self, point: Point) -> None:
        self.position.play(*point)
        self._played.append(point)

    def _lay(self, opening: Stones) -> None:
        for point in opening:
            self._put(point)

    # Asking

    def _start(self, colour: Colour) -> None:
        seat = self.seats[colour]
        seat.faced = len(seat.brain.offences)
        clock = seat.conditions.time
        seat.left_ms = None if clock is None else float(clock)
        try:
            seat.brain.start_game(self.rules, seat.settings(), new_process=seat.fresh)
        except BrainFault as fault:
            raise End(fault.reason, colour, _whose(colour, fault.detail)) from None
        seat.start_ms = round(seat.brain.started_ms, 1)

    def _ask(self, seat: Seat, limit_ms: float | None, closed: Sequence[Point]) -> Reply:
        """A move of the side to move, whatever it is. Raises BrainFault."""
        stones, left = self._played, seat.left_ms
        if closed:
            return seat.brain.board(stones, limit_ms, left, closed)
        if not stones:
            return seat.brain.begin(limit_ms, left)
        if seat.told == len(stones) - 1:
            return seat.brain.turn(*stones[-1], limit_ms, left)
        return seat.brain.board(stones, limit_ms, left)

    def _move(self) -> None:
        """One move of the side to move, by it or for it. Raises End."""
        colour = self.position.side
        seat = self.seats[colour]
        closed: list[Point] = []
        spent = 0.0
        limit = seat.limit_ms()
        while True:
            try:
                rest = None if limit is None else limit - spent
                seat.rest()
                reply = self._ask(seat, rest, closed)
            except BrainFault as fault:
                self._take_over(colour, fault)
                closed, spent, limit = [], 0.0, seat.limit_ms()
                continue
            seat.answered = time.monotonic()
            spent += reply.time_ms
            x, y = self._checked(colour, reply)
            foul = self.position.why_illegal(x, y)
            if foul is None or self.rules.foul_loses:
                break
            closed.append((x, y))
            text = f"{point_name(x, y)} is a {foul.kind}"
            self._events.append(Event(self.position.ply, seat.player, "forbidden move", text))
            if len(closed) > seat.conditions.asks:
                raise End("forbidden move", colour, _whose(colour, f"{text}, asked again"))
        seat.told = -1 if closed else self.position.ply + 1
        self._place(seat, (x, y), reply, spent)

    def _checked(self, colour: Colour, reply: Reply) -> Point:
        """The point of an answer, if it can be a move at all. Raises End."""
        if reply.kind != "move" or len(reply.points) != 1:
            raise End("nonsense", colour, _whose(colour, f"{reply.line[:80]!r} is no move"))
        x, y = reply.points[0]
        if not (0 <= x < self.rules.width and 0 <= y < self.rules.height):
            size = f"{self.rules.width}x{self.rules.height}"
            detail = f"{x},{y} is outside the board of {size}"
            raise End("illegal move", colour, _whose(colour, detail))
        if not self.position.is_empty(x, y):
            detail = f"{x},{y} ({point_name(x, y)}) is occupied"
            raise End("illegal move", colour, _whose(colour, detail))
        return x, y

    def _take_over(self, colour: Colour, fault: BrainFault) -> None:
        """Let the built-in engine play on, where a late move costs no more. Raises End."""
        seat = self.seats[colour]
        late = fault.reason == "time" and seat.conditions.timeout == "plays-on"
        if not late or self._substitute is None or seat.replaced:
            raise End(fault.reason, colour, _whose(colour, fault.detail)) from None
        self._events.append(Event(self.position.ply, seat.player, "time", fault.detail))
        seat.collect()
        seat.brain.kill()
        seat.brain, seat.faced, seat.replaced = self._substitute(), 0, True
        own = seat.conditions
        if own.turn is own.nodes is own.depth is None:
            seat.conditions = replace(own, turn=ENDLESS_MS)
        seat.conditions = replace(seat.conditions, time=None, increment=0)
        seat.left_ms, seat.told = None, -1
        try:
            seat.brain.start_game(self.rules, seat.settings(), new_process=True)
        except BrainFault as problem:
            raise End("aborted", None, f"the built-in engine: {problem.detail}") from None

    def _place(self, seat: Seat, point: Point, reply: Reply, spent: float) -> None:
        """Put the stone and look at what it brings. Raises End."""
        mover = self.position.side
        self._put(point)
        seat.spend(spent)
        seat.values.append(reply.score)
        self._times.append(round(spent, 1))
        self._overheads.append(round(reply.overhead_ms, 2))
        self._scores.append(reply.score)
        self._nodes.append(reply.nodes)
        if self._watch is not None:
            stones = tuple(self._played)
            black, white = (each.player for each in self.seats)
            self._watch(Moved(self.plan.number, black, white, stones, spent, reply.score))
        self._check_rules()
        self._check_values(mover)

    # What ends a game

    def _check_rules(self) -> None:
        result = self.position.result
        if result.reason == "going on":
            return
        loser = None if result.winner is None else result.winner.other
        detail = ""
        if result.reason == "forbidden move":
            x, y, _ = self.position.stones[-1]
            detail = f"Black: {point_name(x, y)} is forbidden"
        raise End(result.reason, loser, detail)

    def _check_limits(self) -> None:
        shared = self.seats[0].conditions
        ply = self.position.ply
        if shared.max_moves is not None and ply >= shared.max_moves:
            raise End("move limit", None, f"{ply} stones")
        empty = self.rules.width * self.rules.height - ply
        if empty <= shared.draw_empty:
            raise End("few empty points", None, f"{empty} points are empty")

    def _check_values(self, mover: Colour) -> None:
        own = self.seats[mover].conditions
        values = self.seats[mover].values[-own.resign_moves :]
        bound = own.resign_score
        if bound is not None and len(values) == own.resign_moves:
            said = [value for value in values if value is not None and value <= -bound]
            if len(said) == own.resign_moves:
                raise End("resigns", mover, _whose(mover, f"values {', '.join(map(str, said))}"))
        bound = own.draw_score
        if bound is not None:
            both = [seat.values[-own.draw_moves :] for seat in self.seats]
            level = [
                len(side) == own.draw_moves
                and all(value is not None and abs(value) <= bound for value in side)
                for side in both
            ]
            if all(level):
                raise End("agreed draw", None, f"{own.draw_moves} values each within {bound}")

    # Swap2

    def _swap2(self) -> None:
        """Let the players lay the opening and choose colours. Raises End."""
        layer, chooser = self.seats
        stones = self._laid(layer, (), 3)
        reply = self._choice(chooser, stones)
        if reply.kind == "points":
            stones = self._checked_stones(chooser, (*stones, *reply.points), 5, reply)
            self._note(chooser, "lays two more stones")
            layer, chooser = chooser, layer
            reply = self._choice(chooser, stones)
        self._opening = stones
        self._lay(stones)
        if reply.kind == "swap":
            self._note(chooser, "takes Black")
            self.seats = [chooser, layer]
            return
        if reply.kind != "move":
            raise self._no_choice(chooser, reply)
        self._note(chooser, "takes White")
        self.seats = [layer, chooser]
        x, y = self._checked(Colour.WHITE, reply)
        self._place(chooser, (x, y), reply, reply.time_ms)

    def _laid(self, seat: Seat, before: Stones, total: int) -> Stones:
        reply = self._choice(seat, before)
        if reply.kind != "points":
            raise self._no_choice(seat, reply)
        stones = self._checked_stones(seat, reply.points, total, reply)
        self._note(seat, "lays the opening")
        return stones

    def _choice(self, seat: Seat, stones: Stones) -> Reply:
        """An answer to SWAP2BOARD. Raises End."""
        try:
            reply = seat.brain.swap2(stones, seat.limit_ms(), seat.left_ms)
        except BrainFault as fault:
            colour = self._colour(seat)
            raise End(fault.reason, colour, _whose(colour, f"swap2: {fault.detail}")) from None
        if reply.kind != "move":
            seat.spend(reply.time_ms)
        seat.told = -1
        return reply

    def _checked_stones(self, seat: Seat, stones: Stones, total: int, reply: Reply) -> Stones:
        width, height = self.rules.width, self.rules.height
        on_board = all(0 <= x < width and 0 <= y < height for x, y in stones)
        if len(stones) != total:
            raise self._no_choice(seat, reply)
        if not on_board or len(set(stones)) != total:
            colour = self._colour(seat)
            detail = f"swap2: {reply.line[:80]!r} are not {total} points of the board"
            raise End("illegal move", colour, _whose(colour, detail))
        return stones

    def _no_choice(self, seat: Seat, reply: Reply) -> End:
        colour = self._colour(seat)
        detail = f"swap2: {reply.line[:80]!r} is no answer to SWAP2BOARD"
        return End("nonsense", colour, _whose(colour, detail))

    def _colour(self, seat: Seat) -> Colour:
        """The colour that a seat has until the choice is made."""
        return Colour.BLACK if seat is self.seats[0] else Colour.WHITE

    def _note(self, seat: Seat, text: str) -> None:
        self._events.append(Event(self.position.ply, seat.player, "swap2", text))


def _whose(colour: Colour, detail: str) -> str:
    return f"{colour.name.capitalize()}: {detail}"
