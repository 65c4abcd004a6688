"""How the brain asks a database of positions: the request, and what a database has to be able to.

The database is asked from the thread that searches, so that a long import stops nobody from
reading commands.
"""

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, Protocol

from shisan.engine import Limits, Point, Position, SearchResult


class DatabaseRequest(NamedTuple):
    """One command for the database.

    verb: in lower case. arguments: the rest of its line, stripped, as it was sent.
    position: a copy that nobody else has: what the lines of points after the verb make, Black
        first and in turn, under the rules of the board; for verbs without points the board, None
        before the first START.
    path: the line after a verb that takes one, stripped at its ends; else empty. Bytes that are no
        UTF-8 are surrogate escapes, here and in arguments.
    read_only: whether nothing may be changed.
    """

    verb: str
    arguments: str
    position: Position | None
    path: str
    read_only: bool


class Database(Protocol):
    """What answers requests. Its methods are all called from one thread, and never raise."""

    def handle(self, request: DatabaseRequest) -> Iterable[str]:
        """Carry out a request; the lines to send, each of which leaves as soon as it is there."""
        ...

    def guide(
        self,
        position: Position,
        search: Callable[[Limits, Collection[Point]], SearchResult],
        limits: Limits,
        blocked: Collection[Point],
        stopped: Callable[[], bool],
        tell: Callable[[str], object],
    ) -> tuple[SearchResult, bool]:
        """Search a position with what is known of it; the result, and whether nothing was left out.

        search: takes limits and the points not to play; called once or more. blocked: the points
        that are not to be played at all. stopped: whether to end. tell: takes a text for people.
        """
        ...

    def found(self, position: Position, result: SearchResult, read_only: bool) -> None:
        """Take note of what a search has found."""
        ...
