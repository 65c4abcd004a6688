"""What a Session wants done: lines to send, searches to run, the end of a search or of it all."""

from typing import NamedTuple

from shisan.engine import Limits, Point, Position

from .consulting import DatabaseRequest
from .yixin import MOVE, Task


class Reply(NamedTuple):
    """Send this line, without its line end: printable ASCII, at most 999 characters."""

    line: str


class Search(NamedTuple):
    """Search this position and hand the result to finish() with the ticket.

    position: a copy that nobody else has; started: when the request counts as read,
    time.perf_counter(); memory: bytes, None = default; new_game: the first search of a game, which
    should not depend on games before; variety: how much and from which seed, as Engine.vary takes;
    strength, threads: as Engine.strength and Engine.threads. avoid: points not to play; task: what
    it is for, carried out by tasks.perform; use_database, read_only: whether to ask the database,
    and only to ask.
    """

    ticket: int
    position: Position
    limits: Limits
    started: float
    memory: int | None
    new_game: bool
    variety: tuple[int, int]
    strength: int
    threads: int = 1
    avoid: tuple[Point, ...] = ()
    task: Task = MOVE
    use_database: bool = False
    read_only: bool = False


class Ponder(NamedTuple):
    """Search this position, the opponent to move, until another line is read: for later searches.

    It comes last; nobody wants the result, and nothing is to be sent. memory, threads: as the last
    search's; if they differ from what the engine has, nothing is to be searched.
    """

    position: Position
    limits: Limits
    memory: int | None
    threads: int


class Consult(NamedTuple):
    """Ask the database; hand its lines to tell() and then call finish() without a result."""

    ticket: int
    request: DatabaseRequest


class ChangeLimits(NamedTuple):
    """The running search is to take these time limits."""

    limits: Limits


class Stop(NamedTuple):
    """The running search is to end at once with its best move; its result is still wanted."""


class Abort(NamedTuple):
    """The running search is to end at once; nobody wants its result."""


class Quit(NamedTuple):
    """Leave: stop all work, send nothing more, exit with status 0."""


Effect = Reply | Search | Ponder | Consult | ChangeLimits | Stop | Abort | Quit


class Running(NamedTuple):
    """The work under way. stopped: whether it was told to end, and its result is wanted."""

    ticket: int
    started: float
    task: Task
    stopped: bool = False

    @property
    def searches(self) -> bool:
        """Whether it is a search, which ends when it is told to, and not work on files."""
        return self.task.kind not in ("hash", "database")
