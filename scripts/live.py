"""What a person sees of a match under way: a board and progress on a terminal, else lines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from shisan.protocol.journal import Game
from shisan.protocol.match import Match
from shisan.protocol.pairs import Message
from shisan.protocol.pictures import draw_text
from shisan.protocol.records import play_all
from shisan.protocol.referee import Moved

from .show import wants_colour


class View(Protocol):
    """What watches a match. watching: whether it wants to be told of moves."""

    watching: bool

    def watch(self, match: Match, message: Message | None) -> None:
        """A game has ended, a stone was placed, or some time has passed."""


@contextmanager
def display(match: Match, live: bool) -> Iterator[View]:
    """The view that fits where the output goes."""
    if live and sys.stdout.isatty():
        try:
            board = Board(match)
        except ImportError:
            print("for a live board: pip install 'shisan[match]'", file=sys.stderr)
        else:
            with board.screen:
                yield board
            return
    yield Lines(match)


def game_line(match: Match, game: Game) -> str:
    """A game in one line."""
    black, white = (match.header.players[each].name for each in (game.black, game.white))
    how = f"{black} - {white} {game.result}"
    why = game.detail or game.reason
    text = f"game {game.number}: {how} after {len(game.moves)} moves: {game.reason}"
    return text if why == game.reason else f"{text} ({why})"


def standing_line(match: Match) -> str:
    """How the players stand, in one line."""
    players = zip(match.header.players, match.standings, strict=True)
    text = ", ".join(f"{player.name} {standing.points:g}" for player, standing in players)
    if match.test is not None:
        test = match.test
        text += f"; LLR {test.llr:.2f} ({test.lower:.2f}..{test.upper:.2f})"
    return text


class Lines:
    """A line for each game."""

    watching = False

    def __init__(self, match: Match) -> None:
        if match.resumed:
            print(f"resuming: {match.resumed} of {match.total} games are played", flush=True)

    def watch(self, match: Match, message: Message | None) -> None:
        """Print a game when it has ended."""
        if isinstance(message, Game):
            progress = f"{len(match.done)}/{match.total}"
            print(f"[{progress}] {game_line(match, message)}; {standing_line(match)}", flush=True)


class Board:
    """One of the games as a board, the latest results, and progress with the time left."""

    watching = True

    def __init__(self, match: Match) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.progress import BarColumn, Progress, TextColumn

        self._match = match
        self._begun = time.monotonic()
        self._shown: Moved | None = None
        self._at = 0.0
        self._ended: list[str] = []
        self._bar = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f} games"),
            BarColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._task = self._bar.add_task("", total=match.total, completed=match.resumed, left="")
        console = Console(no_color=not wants_colour(sys.stdout))
        self._colour = not console.no_color
        self.screen: Any = Live(self._picture(), console=console, auto_refresh=False)

    def watch(self, match: Match, message: Message | None) -> None:
        """Follow one game until it has ended, then another one."""
        if isinstance(message, Moved):
            shown = self._shown
            if shown is None or shown.number == message.number:
                self._shown = message
        elif isinstance(message, Game):
            self._ended = [*self._ended[-4:], game_line(match, message)]
            if self._shown is not None and self._shown.number == message.number:
                self._shown = None
        now = time.monotonic()
        if now - self._at >= 0.1 or len(match.done) == match.total:
            self._at = now
            self._bar.update(self._task, completed=len(match.done), left=self._left())
            self.screen.update(self._picture(), refresh=True)

    def _left(self) -> str:
        """An estimate of the time left, from the games of this run."""
        played = len(self._match.done) - self._match.resumed
        if not played:
            return ""
        spent = time.monotonic() - self._begun
        seconds = int(spent / played * (self._match.total - len(self._match.done)))
        hours, rest = divmod(seconds, 3600)
        return f"about {hours}:{rest // 60:02}:{rest % 60:02} left"

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = []
        if self._shown is not None:
            parts.append(Text.from_ansi(self._position(self._shown)))
        parts += [Text(line, no_wrap=True, overflow="ellipsis") for line in self._ended]
        parts.append(Text(standing_line(self._match), style="bold"))
        return Group(*parts, self._bar)

    def _position(self, moved: Moved) -> str:
        players = self._match.header.players
        title = (
            f"game {moved.number}: {players[moved.black].name} (Black, X)"
            f" - {players[moved.white].name} (White, O)"
        )
        said = "" if moved.score is None else f", value {moved.score:+d}"
        position = play_all(self._match.header.rules, moved.stones)
        board = draw_text(position, colour=self._colour)
        return f"{title}\nlast move {moved.time_ms:.0f} ms{said}\n{board}"
