"""The brain's side of a conversation: commands in, effects out. No input, output or threads.

A Session is told each line as it was read and each search result as it comes; what it returns is
to be carried out in order. It promises exactly one answer for each command that has one, in the
order of the commands, whatever arrives while a search runs.
"""

from collections import deque
from collections.abc import Callable
from os import urandom
from typing import Final, NamedTuple

from shisan.engine import (
    MAX_SIDE,
    MAX_STRENGTH,
    MIN_SIDE,
    Limits,
    Point,
    Position,
    Rules,
    SearchResult,
)

from . import swap2
from .about import ABOUT
from .commands import FOREIGN_LISTS, FOREIGN_PATHS, Command, parse, printable
from .lists import PointList
from .notation import point_name
from .options import MAX_SEED
from .settings import Settings
from .timing import limits

NO_BOARD: Final = "ERROR no board: send START first"
FULL: Final = "ERROR no empty point left"

MAX_LINE_POINTS: Final = 40
"""How many points of the best line a summary shows."""


def draw_seed() -> int:
    """A seed that nobody can foretell, never 0."""
    return 1 + int.from_bytes(urandom(8), "big") % MAX_SEED


class Reply(NamedTuple):
    """Send this line, without its line end: printable ASCII, at most 999 characters."""

    line: str


class Search(NamedTuple):
    """Search this position and hand the result to finish() with the ticket.

    position: a copy that nobody else has; started: when the request counts as read,
    time.perf_counter(); memory: bytes, None = default; new_game: the first search of a game, which
    should not depend on games before; variety: how much and from which seed, as Engine.vary takes;
    strength, threads: as Engine.strength and Engine.threads.
    """

    ticket: int
    position: Position
    limits: Limits
    started: float
    memory: int | None
    new_game: bool
    variety: tuple[int, int]
    strength: int
    threads: int


class Ponder(NamedTuple):
    """Search this position, the opponent to move, until another line is read: for later searches.

    It comes last; nobody wants the result, and nothing is to be sent. memory, threads: as the last
    search's; if they differ from what the engine has, nothing is to be searched.
    """

    position: Position
    limits: Limits
    memory: int | None
    threads: int


class ChangeLimits(NamedTuple):
    """The running search is to take these time limits."""

    limits: Limits


class Stop(NamedTuple):
    """The running search is to end at once with its best move; its result is still wanted."""


class Abort(NamedTuple):
    """The running search is to end at once; nobody wants its result."""


class Quit(NamedTuple):
    """Leave: stop all work, send nothing more, exit with status 0."""


Effect = Reply | Search | Ponder | ChangeLimits | Stop | Abort | Quit


class _Running(NamedTuple):
    """The search under way. question: stones of a swap2 opening to judge, 0 for a move."""

    ticket: int
    started: float
    question: int


class Session:
    """One manager's conversation with us, from the first line to END.

    receive(line, now) and finish(ticket, result, now) return effects; `now` is time.perf_counter(),
    for a line the moment at which it counts as read. A call that raises leaves no usable session.
    draw: called for the seed of a game that is to vary and was given none.
    about: the answer to ABOUT.
    """

    def __init__(self, draw: Callable[[], int] = draw_seed, about: str = ABOUT) -> None:
        self.settings = Settings()
        self._about = about
        self._draw = draw
        self._variety = (0, 0)
        self._drawn = 0  # the seed that was drawn for this game; 0: none
        self._position: Position | None = None
        self._running: _Running | None = None
        self._tickets = 0
        self._waiting: deque[Command] = deque()
        self._waiting_list = False  # whether the last of the waiting lines is inside a list
        self._list: PointList | None = None
        self._skip = ""  # "list" or "path": what of an unknown command is still to come
        self._new_game = True
        self._rule_told: tuple[int, Rules] | None = None
        self._openings = 0

    @property
    def searching(self) -> bool:
        """Whether a search is under way whose result is wanted."""
        return self._running is not None

    @property
    def position(self) -> Position | None:
        """The position on the board; None before the first START."""
        return self._position

    def receive(self, line: bytes | str, now: float) -> list[Effect]:
        """Take one line from the manager."""
        return self._take(parse(line), now)

    def finish(self, ticket: int, result: SearchResult, now: float) -> list[Effect]:
        """Take the result of a search; of one that was aborted it is dropped."""
        running = self._running
        if running is None or running.ticket != ticket:
            return []
        self._running = None
        self.settings.clock.end_search(_ms(now - running.started))
        texts = self._words(result)
        if running.question:
            answer, reason = self._choose(running.question, result)
            texts.append(reason)
        else:
            self._put(*result.move)
            answer = _coordinates(result.move)
        effects: list[Effect] = [message(text) for text in texts]
        effects.append(Reply(answer))
        waiting, self._waiting = self._waiting, deque()
        self._waiting_list = False
        for command in waiting:
            effects += self._take(command, now)
        if not waiting and not running.question:
            effects += self._ponder()
        return effects

    def _ponder(self) -> list[Effect]:
        """Think on the opponent's time, if that is asked for and play is not held back."""
        position, settings = self._position, self.settings
        assert position is not None
        if not settings.pondering or settings.strength < MAX_STRENGTH or position.over:
            return []
        limits = Limits(depth=settings.depth, nodes=settings.nodes)
        return [Ponder(position.copy(), limits, settings.memory, settings.threads)]

    # -- what arrives, idle or searching ---------------------------------------------------------

    def _take(self, command: Command, now: float) -> list[Effect]:
        if command.kind == "nothing":
            return []
        if command.kind == "end":
            self._running = None
            return [Quit()]
        if self._running is None:
            return self._serve(command, now)
        return self._meanwhile(command, now)

    def _meanwhile(self, command: Command, now: float) -> list[Effect]:
        """A line that arrives during a search: served if it concerns the search, else kept."""
        kind, effects = command.kind, list[Effect]()
        if self._waiting_list:
            self._waiting_list = kind != "done"
        elif kind == "restart" or (kind == "start" and not _size_problem(*command.numbers)):
            return [*self._abandon(now), *self._serve(command, now)]
        elif kind == "stop":
            effects.append(Stop())
        elif kind == "info":
            if not self._waiting or command.key == "timeout_turn":
                effects += self._info_meanwhile(command, now)
        else:
            self._waiting_list = kind in ("board", "swap2board")
        if self._waiting or kind not in ("stop", "info"):
            self._waiting.append(command)
        return effects

    def _info_meanwhile(self, command: Command, now: float) -> list[Effect]:
        """INFO during a search: settings are kept, new time limits hold at once."""
        assert self._running is not None
        elapsed = _ms(now - self._running.started)
        if not self.settings.take(command.key, command.text, elapsed):
            return []
        return [ChangeLimits(self._limits())]

    def _abandon(self, now: float) -> list[Effect]:
        """Give up the running search. What waits behind it is answered, except with moves."""
        effects: list[Effect] = [Abort()]
        waiting, self._waiting = self._waiting, deque()
        for command in waiting:
            self._running = None
            effects += [effect for effect in self._serve(command, now) if type(effect) is Reply]
        self._running = None
        return effects

    def _serve(self, command: Command, now: float) -> list[Effect]:
        """A line while no search runs."""
        kind = command.kind
        if self._list is not None:
            return self._list_line(command, now)
        if self._skip == "path" or (self._skip and kind in ("unknown", "done")):
            if self._skip == "path" or kind == "done":
                self._skip = ""
            return []
        self._skip = ""
        if kind in ("board", "swap2board"):
            self._list = PointList(kind, self._position.rules if self._position else None)
            return []
        if kind == "start":
            return self._start(*command.numbers)
        if kind == "error":
            return [error(command.text)]
        if kind in ("info", "stop", "yx", "foreign", "unknown", "about"):
            return self._serve_anywhere(command)
        if kind == "done":
            return [error("DONE without BOARD")]
        if self._position is None:
            return [Reply(NO_BOARD)]
        if kind == "restart":
            return self._start(self._position.rules.width, self._position.rules.height)
        if kind == "begin":
            return self._begin(now)
        return self._serve_point(command, now)

    def _serve_anywhere(self, command: Command) -> list[Effect]:
        """What needs no board: INFO, STOP, ABOUT and the words of other dialects."""
        if command.kind == "info":
            self.settings.take(command.key, command.text)
            return []
        if command.kind == "stop":
            return []
        if command.kind == "about":
            return [Reply(self._about)]
        answered = True
        if command.kind == "yx":
            answered = not self.settings.yixin
            self.settings.yixin = True
            if not answered:
                self.settings.note(f"{printable(command.word)} is not supported")
        verb = command.word.upper()
        if not answered or command.kind == "foreign":
            if verb in FOREIGN_LISTS:
                self._skip = "list"
            elif verb in FOREIGN_PATHS:
                self._skip = "path"
        return [Reply("UNKNOWN " + printable(command.word))] if answered else []

    # -- the board -------------------------------------------------------------------------------

    def _start(self, width: int, height: int) -> list[Effect]:
        problem = _size_problem(width, height)
        if problem:
            return [error(problem)]
        rules, _ = self.settings.rules(width, height)
        self._position = Position(rules)
        self._new_game = not self.settings.yixin  # a Yixin board sends START for every position
        self.settings.clock.new_game()
        return [Reply("OK")]

    def _begin(self, now: float) -> list[Effect]:
        assert self._position is not None
        if self._position.ply:
            return [error("board is not empty")]
        return self._search(self._position, now)

    def _serve_point(self, command: Command, now: float) -> list[Effect]:
        """TURN, PLAY, TAKEBACK."""
        assert self._position is not None
        position, (x, y) = self._position, command.numbers
        if command.kind == "takeback":
            return self._take_back(x, y)
        problem = _point_problem(position, x, y)
        if problem:
            return [error(problem)]
        self._put(x, y)
        if command.kind == "play":
            return [Reply(_coordinates((x, y)))]
        return self._search(self._position, now)

    def _put(self, x: int, y: int) -> None:
        """Put a stone of the side to move, on a board where the game is over too."""
        position = self._position
        assert position is not None
        if position.over:
            stones = (*position.stones, (x, y, position.side))
            self._position = Position.set_up(
                position.rules, stones, position.side.other, position.walls
            )
        else:
            position.play(x, y)

    def _take_back(self, x: int, y: int) -> list[Effect]:
        """Remove a stone: the last one, or another, which only leaves the stones around it."""
        position = self._position
        assert position is not None
        stones = position.stones
        if stones and stones[-1][:2] == (x, y):
            position.undo()
            return [Reply("OK")]
        rest = tuple(stone for stone in stones if stone[:2] != (x, y))
        if len(rest) == len(stones):
            problem = _outside(position, x, y) or f"point {x},{y} has no stone"
            return [error(problem)]
        self._position = Position.set_up(position.rules, rest, position.side.other, position.walls)
        return [Reply("OK")]

    # -- lists -----------------------------------------------------------------------------------

    def _list_line(self, command: Command, now: float) -> list[Effect]:
        """A line between BOARD or SWAP2BOARD and DONE, or DONE."""
        given = self._list
        assert given is not None
        if command.kind != "done":
            given.add(command.line)
            return []
        self._list = None
        if self._position is None:
            return [Reply(NO_BOARD)]
        given.close()
        if given.problem:
            return [error(given.problem)]
        rules = self._position.rules
        if given.kind == "board":
            stones, side, walls = given.position()
            self._position = Position.set_up(rules, stones, side, walls)
            return self._search(self._position, now)
        if not given.stones:
            self._openings += 1
            return [Reply(swap2.opening(rules, self._openings - 1))]
        stones, side = given.opening()
        return self._search(Position.set_up(rules, stones, side), now, len(stones))

    # -- searches --------------------------------------------------------------------------------

    def _search(self, position: Position, now: float, question: int = 0) -> list[Effect]:
        """Ask for a search; first say what has not been said about settings and rule."""
        width, height = position.rules.width, position.rules.height
        if position.ply + len(position.walls) >= width * height:
            return [Reply(FULL)]
        rules, words = self.settings.rules(width, height)
        if position.rules != rules:
            position = Position.set_up(rules, position.stones, position.side, position.walls)
            if not question:
                self._position = position
        effects: list[Effect] = [message(note) for note in self.settings.notes()]
        if self._rule_told != (self.settings.rule, rules):
            self._rule_told = (self.settings.rule, rules)
            effects.append(message(f"{words}, board {width}x{height}"))
        if position.over:
            reason = position.result.reason
            effects.append(message(f"the game is over ({reason}): any point will do"))
        self._tickets += 1
        self._running = _Running(self._tickets, now, question)
        self.settings.clock.start_search()
        effects += self._vary()
        memory, new_game = self.settings.memory, self._new_game
        self._new_game = False
        search = Search(
            self._tickets,
            position.copy(),
            self._limits(),
            now,
            memory,
            new_game,
            self._variety,
            self.settings.strength,
            self.settings.threads,
        )
        return [*effects, search]

    def _vary(self) -> list[Effect]:
        """Settle the variety of a search, and say which seed repeats a game that drew one."""
        amount, seed = self.settings.variety, self.settings.seed
        strength = self.settings.strength
        draws = amount or strength < MAX_STRENGTH
        if not draws or seed:
            self._variety = (amount, seed) if draws else (0, 0)
            self._drawn = 0
            return []
        told = self._variety == (amount, self._drawn)
        if self._new_game or not self._drawn:
            self._drawn, told = self._draw(), False
        self._variety = (amount, self._drawn)
        asked = f"variety {amount}" if amount else f"strength {strength}"
        text = f"{asked}: INFO seed {self._drawn} plays this game again"
        return [] if told else [message(text)]

    def _words(self, result: SearchResult) -> list[str]:
        """What is said of a search."""
        return [summary(result)] if result.note is None else [result.note, summary(result)]

    def _choose(self, stones: int, result: SearchResult) -> tuple[str, str]:
        """The answer to a swap2 opening of so many stones, and the reason in words."""
        return swap2.choose(stones, result)

    def _limits(self) -> Limits:
        settings = self.settings
        return limits(settings.turn, settings.clock.left, settings.depth, settings.nodes)


def message(text: str) -> Reply:
    """A MESSAGE line; the text is never empty."""
    return Reply("MESSAGE " + (printable(text, 900) or "-"))


def error(text: str) -> Reply:
    """An ERROR line."""
    return Reply("ERROR " + printable(text, 900))


def summary(result: SearchResult) -> str:
    """One line about a search, in the form that clients read: pv letters are columns from a."""
    value = str(result.value)
    if result.win_in is not None:
        value = f"{'+' if result.win_in > 0 else '-'}M{abs(result.win_in)}"
    line = " ".join(point_name(x, y) for x, y in (result.line or (result.move,))[:MAX_LINE_POINTS])
    return (
        f"depth {result.depth}-{result.depth} ev {value} n {result.nodes} "
        f"n/ms {result.nodes // max(1, int(result.time_ms))} tm {int(result.time_ms)} pv {line}"
    )


def _coordinates(point: Point) -> str:
    return f"{point[0]},{point[1]}"


def _ms(seconds: float) -> int:
    return int(seconds * 1000)


def _size_problem(width: int, height: int) -> str:
    """What is wrong with a board size; empty: nothing."""
    for side in (width, height):
        if not MIN_SIDE <= side <= MAX_SIDE:
            return f"board size must be {MIN_SIDE}..{MAX_SIDE}, not {side}"
    return ""


def _outside(position: Position, x: int, y: int) -> str:
    rules = position.rules
    if 0 <= x < rules.width and 0 <= y < rules.height:
        return ""
    return f"point must be 0..{rules.width - 1},0..{rules.height - 1}, not {x},{y}"


def _point_problem(position: Position, x: int, y: int) -> str:
    """Why no stone can be put on a point; empty: it can. Rules are the referee's matter."""
    problem = _outside(position, x, y)
    if not problem and not position.is_empty(x, y):
        problem = f"point {x},{y} is occupied"
    return problem
