"""Any Python function as a brain: the pipes, the clock and every mishap are taken care of.

    from shisan.protocol import serve

    def choose_move(position, turn):
        return position.legal_points()[0]

    serve(choose_move, name="First")

The function is called with a shisan.engine.Position, a copy that it may change, and a Turn; it
returns x, y from 0 at the top left. It runs in a thread of its own, never twice at once.

Whatever it does, each request gets exactly one legal answer in time. Where the function fails, is
late or answers what cannot be played, a MESSAGE says so, and the point it offered last is played,
or else one of our own choosing.
"""

import math
import sys
from collections.abc import Callable, Collection, Sequence
from operator import index
from threading import Condition, Thread
from time import perf_counter as monotonic  # what the loop gives is on this clock
from typing import Any, Final, NoReturn

from shisan.engine import Limits, Line, Point, Position, Progress, SearchResult, deadlines

from .details import News
from .effects import Effect
from .loop import BrainProcess
from .session import Session, message

ChooseMove = Callable[[Position, "Turn"], Any]
"""What serve takes; the answer is looked at before it is believed."""

GRACE_S: Final = 0.02
"""Between Turn.over and the moment at which we answer ourselves; at most a fifth of the turn."""

CUT_S: Final = 0.015
"""What our threads need to get a word in beside a function that computes, and to answer; the limits
have margins for the way to the manager already. At most a tenth of the turn."""

LEAST_S: Final = 0.01
"""What a function gets when there is no time at all."""

SWITCH_S: Final = 0.001
"""How long a function that computes in Python may keep the interpreter from our other threads."""

POLL_S: Final = 0.05
"""How long a call that was ended from outside may go unnoticed."""

MAX_SAID: Final = 20
"""How many texts of Turn.say leave with one move."""


class TurnOver(BaseException):
    """Raised in a function that did not return in time, so that it does not go on for nothing.

    It cannot reach a function that sleeps or computes outside Python before that has ended.
    """


class Turn:
    """What a function is told of its turn, and whom it tells.

    limits: what the manager has set, safety margins taken off; depth and nodes are the function's
    to obey. seconds: what the move should take at most, math.inf: no limit of time. A match's time
    is shared out over the moves to come, so that it may be less than what is allowed.
    avoid: points that are not to be played here, whatever they are worth (yxblock).
    """

    def __init__(
        self, position: Position, limits: Limits, started: float, avoid: Collection[Point] = ()
    ) -> None:
        self.avoid = frozenset(avoid)
        self.offered: Point | None = None
        self.said: list[str] = []
        self._position = position
        self._started = started
        self._stopped = False
        self.seconds = self.cut = self._over = math.inf
        self.set_limits(limits)

    def set_limits(self, limits: Limits) -> None:
        """Take other limits; they count from the same moment."""
        self.limits = limits
        soft, hard = deadlines(limits, 0)
        given = math.inf if hard is None else hard / 1e9
        allowed = given - min(CUT_S, given / 10)
        own = allowed - min(GRACE_S, allowed / 5) if allowed < math.inf else allowed
        self.seconds = own if soft is None else min(own, soft / 1e9)
        self.cut = max(self._started + allowed, monotonic() + LEAST_S)
        self._over = self._started + own

    def stop(self) -> None:
        """Let the turn be over now."""
        self._stopped = True
        self.cut = min(self.cut, monotonic() + GRACE_S)

    @property
    def left(self) -> float:
        """Seconds until the turn is over, 0.0 and more; it may become less at any time."""
        return 0.0 if self._stopped else max(0.0, self._over - monotonic())

    @property
    def over(self) -> bool:
        """Whether to return at once: time is up, or the manager wants its answer now."""
        return self._stopped or monotonic() >= self._over

    def offer(self, x: int, y: int) -> None:
        """Keep a point to be played if no better answer comes in time.

        Raises ValueError for a point that cannot be played.
        """
        point, problem = read_point((x, y), self._position, self.avoid)
        if point is None:
            raise ValueError(f"cannot offer {x},{y}: {problem}")
        self.offered = point

    def say(self, text: str) -> None:
        """Tell people something: it leaves as a MESSAGE with the move, at most 20 of them."""
        if len(self.said) < MAX_SAID:
            self.said.append(" ".join(str(text).split()))


def serve(
    choose_move: ChooseMove, *, name: str = "", version: str = "1.0", author: str = ""
) -> NoReturn:
    """Be a brain that plays what a function chooses, until END, end of input or a signal.

    name, version, author: the answer to ABOUT, where an empty name is the function's own and an
    empty author is left out. Managers split it on commas and "=", so that none may contain these
    or a quote: ValueError.
    Call it from the main thread, as the last thing that a program does. Standard input and output
    belong to the manager from then on: what the function prints goes nowhere.
    """
    session = FunctionSession(about(name or _name(choose_move), version, author))
    sys.setswitchinterval(SWITCH_S)
    BrainProcess(FunctionThinker(choose_move), session).run()


def about(name: str, version: str, author: str) -> str:
    """The answer to ABOUT. Raises ValueError for a text that managers would misread.

    >>> about("First", "1.0", "")
    'name="First", version="1.0"'
    """
    fields = {"name": name, "version": version, "author": author}
    for key, text in fields.items():
        if len(text) > 100 or any(c in '",=' or not " " <= c <= "~" for c in text):
            raise ValueError(
                f'{key} must be at most 100 plain letters without ", comma or =, not {text!r}'
            )
    return ", ".join(f'{key}="{text}"' for key, text in fields.items() if text)


class FunctionSession(Session):
    """A Session whose searches are made by a function: no summaries, no values, no variety."""

    def __init__(self, about: str) -> None:
        super().__init__(about=about)

    def _words(self, result: SearchResult, lines: Sequence[Line] = ()) -> list[str]:
        return (result.note or "").splitlines()

    def report(self, ticket: int, news: News, now: float) -> list[Effect]:
        """Say nothing while a function runs: what is known then is none of its own."""
        return []

    def _conclude(self, result: SearchResult, lines: Sequence[Line]) -> list[Effect]:
        return [message(text) for text in self._words(result, lines)]

    def _choose(self, stones: int, result: SearchResult) -> tuple[str, str]:
        x, y = result.move
        return f"{x},{y}", f"swap2: a function does not judge {stones} stones, staying White"

    def _vary(self) -> list[Any]:
        return []


class FunctionThinker:
    """Calls a function for each search, and answers in its place when it must."""

    def __init__(self, choose_move: ChooseMove) -> None:
        self._function = choose_move
        self._name = _name(choose_move)
        self._news = Condition()
        self._turn: Turn | None = None
        self._call: _Call | None = None  # the latest, which may run still

    def search(
        self,
        position: Position,
        limits: Limits,
        started: float | None,
        on_progress: Callable[[Progress], None],
        avoid: Collection[Point] = (),
    ) -> SearchResult:
        """Return the function's move, or another one when its time is up or it may not be played.

        avoid: points that are not to be played; another one must be empty.
        """
        begun = monotonic() if started is None else started
        own = fallback(position, avoid)
        turn = Turn(position, limits, begun, avoid)
        with self._news:
            self._turn = turn
        on_progress(Progress(own, 0, None, 0, 0, _ms(begun), (own,)))
        call = self._run(position, turn)
        move, problem = self._answer(call, position, turn.avoid)
        texts = list(turn.said)
        if move is None:
            move = turn.offered or own
            whose = "the point it offered last" if turn.offered else "a point of our own"
            x, y = move
            texts.append(f"{self._name} {problem}: playing {x},{y}, {whose}")
        return SearchResult(move, 0, None, 0, 0, _ms(begun), (move,), "\n".join(texts) or None)

    def stop(self) -> None:
        """Let the running call be over now."""
        with self._news:
            if self._turn is not None:
                self._turn.stop()
                self._news.notify_all()

    def change_limits(self, limits: Limits) -> None:
        """Give the running call other limits."""
        with self._news:
            if self._turn is not None:
                self._turn.set_limits(limits)
                self._news.notify_all()

    def _run(self, position: Position, turn: Turn) -> "_Call | None":
        """Call the function and wait for its end or the turn's. None: an earlier call runs on."""
        earlier = self._call
        if earlier is not None and not self._wait(earlier, turn):
            earlier.end()
            return None
        call = self._call = _Call(self._function, position.copy(), turn, self._tell)
        call.start()
        if not self._wait(call, turn):
            call.end()
        return call

    def _wait(self, call: "_Call", turn: Turn) -> bool:
        """Wait for the end of a call, at most until the turn is cut short. False: it goes on."""
        with self._news:
            while call.is_alive() and not call.returned:
                left = turn.cut - monotonic()
                if left <= 0:
                    return False
                self._news.wait(min(left, POLL_S))
        return True

    def _tell(self) -> None:
        with self._news:
            self._news.notify_all()

    def _answer(
        self, call: "_Call | None", position: Position, avoid: Collection[Point]
    ) -> tuple[Point | None, str]:
        """The point a call has come to, or None and what is wrong with it."""
        if call is None:
            return None, "still computes an earlier move"
        if not call.returned:
            return None, "did not answer in time"
        if call.failure:
            return None, f"failed: {call.failure}"
        point, problem = read_point(call.answer, position, avoid)
        return point, f"answered {_shown(call.answer)}: {problem}"


class _Call(Thread):
    """One call of the function. returned: it is over, with an answer or with a failure."""

    def __init__(
        self, function: ChooseMove, position: Position, turn: Turn, tell: Callable[[], None]
    ) -> None:
        super().__init__(daemon=True)
        self.answer: Any = None
        self.failure = ""
        self.returned = False
        self._work = function, position, turn
        self._tell = tell

    def run(self) -> None:
        """Call it. Whatever is raised, the brain lives on."""
        function, position, turn = self._work
        try:
            try:
                self.answer = function(position, turn)
            except TurnOver:
                return
            except BaseException as problem:
                self.failure = _failure(problem)
            self.returned = True
            self._tell()
        except TurnOver:
            return  # came when nothing was left to do

    def end(self) -> None:
        """Raise TurnOver in it, as soon as it runs Python code."""
        if self.ident is None:
            return
        try:
            from ctypes import c_ulong, py_object, pythonapi
        except ImportError:  # a Python without it: the function ends when it ends
            return
        pythonapi.PyThreadState_SetAsyncExc(c_ulong(self.ident), py_object(TurnOver))


def read_point(
    answer: Any, position: Position, avoid: Collection[Point] = ()
) -> tuple[Point | None, str]:
    """The point that an answer means, if it can be played, and else None and why it cannot.

    Any two integers will do, numpy's too. avoid: points that may not be played. Where no legal
    point is left, any other empty one is taken.
    """
    try:
        first, second = answer
        x, y = index(first), index(second)
    except (TypeError, ValueError):
        return None, "it must be x, y, two integers"
    width, height = position.rules.width, position.rules.height
    if not (0 <= x < width and 0 <= y < height):
        return None, f"it must be 0..{width - 1},0..{height - 1}"
    if not position.is_empty(x, y):
        return None, "the point is taken"
    if (x, y) in avoid:
        return None, "the point is blocked"
    if position.is_legal(x, y) or set(avoid).issuperset(position.legal_points()):
        return (x, y), ""
    fault = position.why_illegal(x, y)
    return None, "the point is forbidden" + ("" if fault is None else f" ({fault.kind})")


def fallback(position: Position, avoid: Collection[Point] = ()) -> Point:
    """A point to play without thinking: a five, to stop one, the same with open fours, else near.

    It is legal if there is a legal one. avoid: points not to be played; at least one other point
    must be empty.
    """
    rules = position.rules
    board = ((x, y) for y in range(rules.height) for x in range(rules.width))
    legal = [point for point in position.legal_points() if point not in avoid]
    points = legal or [p for p in board if position.is_empty(*p) and p not in avoid]
    maps = {side: position.maps(side) for side in (position.side, position.side.other)}
    for kind in ("five", "open four"):
        for known in maps.values():
            for point in points:
                if point in known[kind]:
                    return point
    middle = (rules.width // 2, rules.height // 2)
    x, y = position.stones[-1][:2] if position.stones else middle
    return min(points, key=lambda point: ((point[0] - x) ** 2 + (point[1] - y) ** 2, point))


def _name(function: ChooseMove) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _failure(problem: BaseException) -> str:
    """An exception in a line: what, and where it was raised."""
    text = " ".join(f"{type(problem).__name__}: {problem}".split())[:300]
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return text
    file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{text} ({file}, line {trace.tb_lineno})"


def _shown(answer: Any) -> str:
    """An answer for people, whatever it is."""
    try:
        return " ".join(repr(answer).split())[:100]
    except Exception:
        return f"a {type(answer).__name__} that cannot be printed"


def _ms(begun: float) -> int:
    return int((monotonic() - begun) * 1000)
