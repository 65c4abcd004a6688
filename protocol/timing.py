"""Milliseconds: what a move may use. The safety margins and the match clock, nothing else."""

from typing import Final

from shisan.engine import Limits

from .options import UNLIMITED

DEFAULT_TURN: Final = 30000
MAX_TURN_MARGIN: Final = 150
MAX_LEFT_MARGIN: Final = 500


def turn_margin(turn: int) -> int:
    """The part of a turn's time that is left unused, in ms. The one place where it is decided.

    The manager's clock runs from its write to its read of our answer, so two ways through a pipe,
    a thread switch and a busy machine's scheduler are in it: 6 ms, and 3 % of a longer turn, at
    most 150 ms. 100 ms leave 94 for the search, 1 s leaves 970, 5 s and more leave all but 150.
    """
    return min(max(6, turn * 3 // 100), MAX_TURN_MARGIN)


def left_margin(left: int) -> int:
    """The part of a game's remaining time that is never planned for, in ms: 5 %, at most 500."""
    return min(max(10, left // 20), MAX_LEFT_MARGIN)


def limits(turn: int | None, left: int | None, depth: int | None, nodes: int | None) -> Limits:
    """The limits of one search, counted from the moment its request was read.

    turn, left: ms for this move and for the rest of the game; None: not set, no limit. The default
    of a turn holds only if nothing else limits the search.
    """
    if turn is None and left is None and depth is None and nodes is None:
        turn = DEFAULT_TURN
    return Limits(
        turn_ms=None if turn is None else max(0, turn - turn_margin(turn)),
        left_ms=None if left is None else left - left_margin(left),
        nodes=nodes,
        depth=depth,
    )


class MatchClock:
    """The time left for our moves of a game, in ms.

    time_left, when it was sent, counts from the next search on; until it is sent again our own
    thinking is subtracted and the increment added after each move. Without it timeout_match counts
    down from the start of the game.

    match: timeout_match, 0 = no limit; increment: time_increment.
    """

    __slots__ = ("_announced", "_fresh", "_used", "increment", "match")

    def __init__(self) -> None:
        self.match = 0
        self.increment = 0
        self._announced: int | None = None
        self._fresh = False
        self._used = 0

    def announce(self, left: int, elapsed: int | None = None) -> None:
        """Take a time_left.

        elapsed: ms since the running search began, None when there is none. During a search the
        value it started with is a repetition and says nothing new; another one holds from now.
        """
        if elapsed is not None and left == self._announced:
            return
        self._announced, self._fresh, self._used = left, True, -(elapsed or 0)

    @property
    def left(self) -> int | None:
        """ms left when the running or next search began, may be negative; None: no limit."""
        if self._announced is not None:
            return None if self._announced >= UNLIMITED else self._announced - self._used
        return self.match - self._used if self.match else None

    def start_search(self) -> None:
        """A search begins."""
        self._fresh = False

    def end_search(self, used: int) -> None:
        """The search has ended with an answer after this many ms."""
        self._used += used - self.increment

    def new_game(self) -> None:
        """START, RESTART: a time_left sent since the last search began holds, an older one not."""
        if not self._fresh:
            self._announced = None
            self._used = 0
