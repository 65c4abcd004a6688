"""The brain's side of a conversation: commands in, effects out. No input, output or threads.

A Session is told each line as it was read and each search result as it comes; what it returns is
to be carried out in order. It promises exactly one answer for each command that has one, in the
order of the commands, whatever arrives while a search runs.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from shisan.engine import (
    MAX_STRENGTH,
    Analysis,
    Limits,
    Line,
    Position,
    Rules,
    SearchResult,
)

from . import sayings, swap2, yixin
from .about import ABOUT, PROTOCOL_VERSION
from .commands import Command, numbers_of, parse, printable
from .consulting import DatabaseRequest
from .details import Details, News
from .effects import Abort as Abort
from .effects import ChangeLimits as ChangeLimits
from .effects import Consult as Consult
from .effects import Effect as Effect
from .effects import Ponder as Ponder
from .effects import Quit as Quit
from .effects import Reply as Reply
from .effects import Running
from .effects import Search as Search
from .effects import Stop as Stop
from .lists import PointList
from .sayings import coordinates, outside, point_problem, size_problem
from .settings import Settings, draw_seed
from .timing import limits
from .yixin import MOVE, Moves, Task, Wanted

NO_BOARD: Final = "ERROR no board: send START first"
FULL: Final = "ERROR no empty point left"
BLOCKED: Final = "ERROR every empty point is blocked: send yxblockreset"
PLAYS: Final = ("move", "lines", "defend")
"""Tasks whose answer is a move of a game, after which there may be time to think on."""


class Session:
    """One manager's conversation with us, from the first line to END.

    receive(line, now) and finish(ticket, result, now) return effects; `now` is time.perf_counter(),
    for a line the moment at which it counts as read. A call that raises leaves no usable session.
    draw: called for the seed of a game that is to vary and was given none. report(ticket, news,
    now) may be called with what a running search knows, tell(ticket, line) with what the database
    says; they return effects too.
    about: the answer to ABOUT.
    """

    def __init__(self, draw: Callable[[], int] = draw_seed, about: str = ABOUT) -> None:
        self.settings = Settings()
        self._about = about
        self._draw = draw
        self._variety = (0, 0)
        self._drawn = 0  # the seed that was drawn for this game; 0: none
        self._position: Position | None = None
        self._running: Running | None = None
        self._tickets = 0
        self._waiting: deque[Command] = deque()
        self._inside = ""  # "list" or "path": what the last of the waiting lines has begun
        self._list: PointList | Moves | None = None
        self._path: Command | None = None  # a command whose path comes next
        self._skip = ""  # what of an unknown command is still to come: "list", or "numbers" if any
        self._exclusions = yixin.Exclusions()
        self._details: Details | None = None
        self.new_game = True  # whether the next search is the first of a game
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

    def finish(
        self,
        ticket: int,
        result: SearchResult | None,
        now: float,
        lines: Sequence[Line] = (),
        said: Sequence[str] = (),
    ) -> list[Effect]:
        """Take the result of a search; of one that was aborted it is dropped.

        result: None of what was no search. lines: the best moves, where several were asked for.
        said: lines that the task has made; they are sent before the answer.
        """
        running = self._running
        if running is None or running.ticket != ticket:
            return []
        self._running = None
        effects: list[Effect] = []
        if result is not None:
            self.settings.clock.end_search(_ms(now - running.started))
            effects += self._conclude(result, lines)
        effects += [Reply(line) for line in said]
        if result is not None:
            effects += self._answer(running, result)
        waiting, self._waiting = self._waiting, deque()
        self._inside = ""
        for command in waiting:
            effects += self._take(command, now, waited=True)
        if not waiting and running.task.kind in PLAYS:
            effects += self._ponder()
        return effects

    def _ponder(self) -> list[Effect]:
        """Think on the opponent's time, if that is asked for and play is not held back."""
        position, settings = self._position, self.settings
        wanted = settings.pondering and settings.strength == MAX_STRENGTH
        if not wanted or position is None or position.over:
            return []
        limits = Limits(depth=settings.depth, nodes=settings.nodes)
        return [Ponder(position.copy(), limits, settings.memory, settings.threads)]

    def report(self, ticket: int, news: News, now: float) -> list[Effect]:
        """Take what a running search knows; lines only if a Yixin board wants them."""
        show = self.settings.show_detail
        if not show or self._details is None or not self._is_running(ticket):
            return []
        return [Reply(line) for line in self._details.take(news, show, now)]

    def tell(self, ticket: int, line: str) -> list[Effect]:
        """Take a line of the database, which is to be sent if its work is still wanted."""
        return [Reply(printable(line, 990).strip())] if self._is_running(ticket) else []

    def _is_running(self, ticket: int) -> bool:
        return self._running is not None and self._running.ticket == ticket

    def _conclude(self, result: SearchResult, lines: Sequence[Line]) -> list[Effect]:
        """What is said of a search before its answer."""
        known = Analysis(tuple(lines), result.nodes, result.time_ms) if lines else result
        show, details = self.settings.show_detail, self._details
        effects: list[Effect] = []
        if show and details is not None:
            effects += [Reply(line) for line in details.last(known, show)]
        return effects + [message(text) for text in self._words(result, lines)]

    def _answer(self, running: Running, result: SearchResult) -> list[Effect]:
        """The line that a search ends with. What it plays is put on the board."""
        task = running.task
        if task.kind == "swap2":
            answer, reason = self._choose(task.number, result)
            return [message(reason), Reply(answer)]
        if task.kind == "swap2 step":
            if running.stopped:  # that program leaves out one move line of a search it has stopped
                return [Reply(coordinates(result.move))]
            return [
                Reply(text)
                for text in yixin.swap2_lines(task.number, *self._choose(task.number, result))
            ]
        if task.kind == "soosorv":
            return []
        points = (task.kind == "balance two" and result.line[:2]) or (result.move,)
        for point in points:
            self._put(*point)
        return [Reply(coordinates(*points))]

    # -- what arrives, idle or searching ---------------------------------------------------------

    def _take(self, command: Command, now: float, waited: bool = False) -> list[Effect]:
        """Take a command; waited: it came before the work that runs was begun."""
        if isinstance(self._list, Moves) and self._list.quoting and command.kind != "end":
            self._list.add(command.line)  # any line at all is text, a blank one too
            return []
        if command.kind == "nothing":
            return []
        if command.kind == "end":
            self._running = None
            return [Quit()]
        if self._running is None:
            return self._serve(command, now)
        if not waited and self._may_be_served(command):
            return self._serve(command, now)
        return self._meanwhile(command, now)

    def _may_be_served(self, command: Command) -> bool:
        """Whether a line that arrives during a search can be answered before the move."""
        assert self._running is not None
        at_once = command.kind == "yx" and command.word.lower() in yixin.AT_ONCE
        return at_once and not (self._waiting or self._running.stopped)

    def _meanwhile(self, command: Command, now: float) -> list[Effect]:
        """A line that arrives during a search: served if it concerns the search, else kept."""
        kind, effects = command.kind, list[Effect]()
        if self._inside:
            if self._inside == "path" or kind == "done":
                self._inside = ""
        elif kind == "restart" or (kind == "start" and not size_problem(*command.numbers)):
            if not self._owes_an_answer():
                return [*self._abandon(now), *self._serve(command, now)]
            effects += self._stop()
        elif kind == "stop":
            effects += self._stop()
        elif kind == "info":
            if not self._waiting or command.key == "timeout_turn":
                effects += self._info_meanwhile(command, now)
        else:
            self._inside = command.data
        if self._waiting or kind not in ("stop", "info"):
            self._waiting.append(command)
        return effects

    def _owes_an_answer(self) -> bool:
        """Whether what runs is to be answered although a START has come.

        Yixin-Board leaves out one move line of each search that it has stopped. For any other
        program a START ends the search without a line.
        """
        assert self._running is not None
        if self.settings.yixin or self._running.stopped or not self._running.searches:
            return True
        return any(command.kind == "yx" for command in self._waiting)

    def _stop(self) -> list[Effect]:
        """The running search is to end now, with its answer."""
        assert self._running is not None
        if not self._running.searches:
            return []
        self._running = self._running._replace(stopped=True)
        return [Stop()]

    def _info_meanwhile(self, command: Command, now: float) -> list[Effect]:
        """INFO during a search: settings are kept, new time limits hold at once."""
        assert self._running is not None
        searches = self._running.searches  # else no time of the game is running
        elapsed = _ms(now - self._running.started) if searches else None
        changed = self.settings.take(command.key, command.text, elapsed)
        return [ChangeLimits(self._limits())] if changed else []

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
        if self._path is not None:
            return self._path_line(command, now)
        if self._skip and (kind == "done" or self._is_skipped(command)):
            if kind == "done":
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
        if kind == "yx":
            return self._serve_yixin(command, now)
        if kind in ("info", "stop", "foreign", "extended", "unknown", "about"):
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
        verb = command.word.upper()
        if verb == "CLEARHASH":
            self.new_game = True  # the next search begins with empty tables
            return []
        if verb == "PROTOCOLVERSION":
            return [Reply(PROTOCOL_VERSION)]
        if verb == "SHOWFORBID":
            self._list = PointList("showforbid", self._position.rules if self._position else None)
            return []
        if command.kind == "foreign":
            self._skip = "list"
        return [Reply("UNKNOWN " + printable(command.word))]

    def _is_skipped(self, command: Command) -> bool:
        """Whether a line belongs to an unknown command before it."""
        if command.kind != "unknown":
            return False
        return self._skip == "list" or numbers_of(command.line) is not None

    # -- the dialect of Yixin-Board --------------------------------------------------------------

    def _serve_yixin(self, command: Command, now: float) -> list[Effect]:
        verb = command.word.lower()
        seen, self.settings.yixin = self.settings.yixin, True
        if not yixin.is_known(verb):
            self._skip = "numbers"
            return [] if seen else [Reply("UNKNOWN " + printable(command.word))]
        if verb == "yxboard":
            rules = self._position.rules if self._position else None
            self._list = PointList("yxboard", rules, passes=True)
            return []
        if command.data == "list":
            self._list = Moves(verb, command.text)
            return []
        if command.data == "path":
            self._path = command
            return []
        if verb == "yxhashclear":
            self.new_game = True
            return []
        if verb in ("yxblockreset", "yxblockpathreset"):
            self._exclusions.reset(verb)
            return []
        if verb == "yxforbid":
            problem = self._exclusions.forbid(command.text)
            return [error(problem)] if problem else []
        if verb not in yixin.NEEDS_NO_BOARD and self._position is None:
            return [Reply(NO_BOARD)]
        if verb in ("yxswap2step1", "yxsoosorvstep1"):
            self._openings += 1
        self._adopt_rules()
        wanted = yixin.plain(verb, command.text, self._position, self._openings - 1)
        return self._want(wanted, now)

    def _path_line(self, command: Command, now: float) -> list[Effect]:
        """The line with a path after a verb of the dialect."""
        asked, self._path = self._path, None
        assert asked is not None
        verb = asked.word.lower()
        if verb in ("yxhashdump", "yxhashload"):
            if self._position is None:
                return [Reply(NO_BOARD)]
            return self._want(Task("hash", verb=verb, path=command.line), now)
        board = None if self._position is None else self._position.copy()
        return self._want(DatabaseRequest(verb, asked.text, board, command.line, False), now)

    def _moves_done(self, moves: Moves, now: float) -> list[Effect]:
        """DONE after the points of a verb of the dialect."""
        if moves.verb in yixin.BLOCKING:
            problem = moves.problem
            if not problem or "path" not in moves.verb:  # a sequence with a gap is another one
                problem = self._exclusions.change(moves.verb, moves.points) or problem
            if problem:
                self.settings.note(f"{moves.verb}: {problem}")
            return []
        if self._position is None:
            return [Reply(NO_BOARD)]
        self._adopt_rules()
        return self._want(yixin.listed(moves, self._position), now)

    def _want(self, wanted: Wanted, now: float) -> list[Effect]:
        """Do what a verb of the dialect came to."""
        if isinstance(wanted, list):
            return [Reply(line) for line in wanted]
        if isinstance(wanted, DatabaseRequest):
            self._tickets += 1
            self._running = Running(self._tickets, now, Task("database"))
            request = wanted._replace(read_only=self.settings.database_read_only)
            return [Consult(self._tickets, request)]
        assert self._position is not None
        if wanted.kind == "lines":
            wanted = wanted._replace(merge=self.settings.merge_images)
        if wanted.kind == "soosorv":
            return self._search(yixin.soosorv_position(wanted, self._position.rules), now, wanted)
        return self._search(self._position, now, wanted)

    def _adopt_rules(self) -> None:
        """Let the board have the rules that INFO rule has set since."""
        if self._position is not None:
            self._position = self._by_rules(self._position)[0]

    def _by_rules(self, position: Position) -> tuple[Position, str]:
        """A position under the rules that are set, and these in words."""
        rules, words = self.settings.rules(position.rules.width, position.rules.height)
        if position.rules != rules:
            position = Position.set_up(rules, position.stones, position.side, position.walls)
        return position, words

    # -- the board -------------------------------------------------------------------------------

    def _start(self, width: int, height: int) -> list[Effect]:
        problem = size_problem(width, height)
        if problem:
            return [error(problem)]
        rules, _ = self.settings.rules(width, height)
        self._position = Position(rules)
        if not self.settings.yixin:  # such a board sends START for every position
            self.new_game = True
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
        problem = point_problem(position, x, y)
        if problem:
            return [error(problem)]
        self._put(x, y)
        if command.kind == "play":
            return [Reply(coordinates((x, y)))]
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
            problem = outside(position, x, y) or f"point {x},{y} has no stone"
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
        if isinstance(given, Moves):
            return self._moves_done(given, now)
        if self._position is None:
            return [Reply(NO_BOARD)]
        given.close()
        if given.problem:
            return [error(given.problem)]
        rules = self._position.rules
        if given.kind != "swap2board":
            stones, side, walls = given.position()
            position = Position.set_up(rules, stones, side, walls)
            if given.kind == "showforbid":
                points = yixin.forbidden(self._by_rules(position)[0])
                return [Reply(" ".join(("FORBID", *map(coordinates, points))))]
            self._position = position
            return self._search(position, now) if given.kind == "board" else []
        if not given.stones:
            self._openings += 1
            return [Reply(swap2.opening(rules, self._openings - 1))]
        stones, side = given.opening()
        task = Task("swap2", len(stones))
        return self._search(Position.set_up(rules, stones, side), now, task)

    # -- searches --------------------------------------------------------------------------------

    def _search(self, position: Position, now: float, task: Task = MOVE) -> list[Effect]:
        """Ask for a search; first say what has not been said about settings and rule."""
        width, height = position.rules.width, position.rules.height
        position, words = self._by_rules(position)
        if task.kind not in ("swap2", "soosorv"):
            self._position = position
        avoid = self._exclusions.of(position)
        empty = width * height - position.ply - len(position.walls)
        effects: list[Effect] = []
        if task.kind != "hash":
            if empty <= 0 or len(avoid) >= empty:
                return [Reply(BLOCKED if empty > 0 else FULL)]
            effects += self._remarks(position, words)
            self.settings.clock.start_search()
        self._tickets += 1
        self._running = Running(self._tickets, now, task)
        self._details = Details(position.rules, now)
        effects += self._vary()
        memory, new_game = self.settings.memory, self.new_game
        self.new_game = False
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
            avoid,
            task,
            self.settings.use_database,
            self.settings.database_read_only,
        )
        return [*effects, search]

    def _remarks(self, position: Position, words: str) -> list[Effect]:
        """What is to be said before a search. words: the rule's name."""
        rules = position.rules
        effects: list[Effect] = [message(note) for note in self.settings.notes()]
        if self._rule_told != (self.settings.rule, rules):
            self._rule_told = (self.settings.rule, rules)
            effects.append(message(f"{words}, board {rules.width}x{rules.height}"))
        if position.over:
            reason = position.result.reason
            effects.append(message(f"the game is over ({reason}): any point will do"))
        return effects

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
        if self.new_game or not self._drawn:
            self._drawn, told = self._draw(), False
        self._variety = (amount, self._drawn)
        asked = f"variety {amount}" if amount else f"strength {strength}"
        text = f"{asked}: INFO seed {self._drawn} plays this game again"
        return [] if told else [message(text)]

    def _words(self, result: SearchResult, lines: Sequence[Line] = ()) -> list[str]:
        """What is said of a search."""
        note = [] if result.note is None else [result.note]
        return note + sayings.summaries(result, lines)

    def _choose(self, stones: int, result: SearchResult) -> tuple[str, str]:
        """The answer to a swap2 opening of so many stones, and the reason in words."""
        return swap2.choose(stones, result)

    def _limits(self) -> Limits:
        settings = self.settings
        if settings.endless:
            return Limits(nodes=settings.nodes, depth=settings.depth)
        return limits(settings.turn, settings.clock.left, settings.depth, settings.nodes)


def message(text: str) -> Reply:
    """A MESSAGE line; the text is never empty."""
    return Reply(sayings.message(text))


def error(text: str) -> Reply:
    """An ERROR line."""
    return Reply(sayings.error(text))


def _ms(seconds: float) -> int:
    return int(seconds * 1000)
