"""Whoever sits a person down against the engine: game after game, kept in files, told in words.

What shows it, a screen or lines, calls the methods for what the person wants and poll now and then.
No input, output or terminal here; the engine thinks in a Thinker.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Final

from shisan.engine import MAX_STRENGTH, Colour, Limits, Point, Position

from .hints import Hint
from .keeping import Keeper, KeepError, Names, default_name
from .notation import point_name
from .sitting import PlayError, Sitting, describe
from .thinker import Thinker, Thought

VARIETY: Final = 8
"""As Engine.vary: enough that games differ, and no weaker."""

ENGINE: Final = "Shisan"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person asked for.

    start: where each game begins. fixed: stones of it that are never taken back; set_up: it is no
    game from an empty board. colour: the person's; None: drawn for each game. clock_s: seconds a
    move for the person, None: no clock. think_s: seconds that the engine and a hint take at most.
    strength: 0..MAX_STRENGTH. name: the person's in records.
    """

    start: Position
    fixed: int = 0
    set_up: bool = False
    colour: Colour | None = Colour.BLACK
    clock_s: float | None = None
    think_s: float = 2.0
    strength: int = MAX_STRENGTH
    name: str = "Player"


class Host:
    """Plays with the person.

    clock: seconds, never going back. now: the date and time. luck: draws colours.
    Raises PlayError if the start is over or the strength out of its range.
    """

    def __init__(
        self,
        wishes: Wishes,
        thinker: Thinker,
        keeper: Keeper,
        luck: Random,
        clock: Callable[[], float],
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._wishes = wishes
        self._thinker = thinker
        self._keeper = keeper
        self._luck = luck
        self._clock = clock
        self._now = now
        self._hint: Hint | None = None
        self._hinting = False
        self._asked, self._asked_strength = 0.0, MAX_STRENGTH
        self._kept = False
        self._strength = MAX_STRENGTH
        self.set_strength(wishes.strength)
        self._sitting = self._sit_down()

    def _sit_down(self) -> Sitting:
        """A new game."""
        wishes = self._wishes
        colour = wishes.colour
        if colour is None:
            colour = self._luck.choice(tuple(Colour))
        return Sitting(
            wishes.start, colour, self._clock(), wishes.clock_s, wishes.fixed, wishes.set_up
        )

    @property
    def sitting(self) -> Sitting:
        """The present game."""
        return self._sitting

    @property
    def strength(self) -> int:
        """How strong the engine plays, 0..MAX_STRENGTH."""
        return self._strength

    @property
    def hint(self) -> Hint | None:
        """The hint for the position on the board; None: none was given."""
        return self._hint

    @property
    def hinting(self) -> bool:
        """Whether a hint was asked for that is not there yet."""
        return self._hinting

    @property
    def thinker(self) -> Thinker:
        """Who thinks."""
        return self._thinker

    @property
    def thinking_s(self) -> float | None:
        """For how long the engine has been thinking, in seconds; None: it is not."""
        return self._clock() - self._asked if self._thinker.busy else None

    @property
    def left_s(self) -> float | None:
        """Seconds that the person has left for this move; None: no clock, or it stands."""
        return self._sitting.left(self._clock())

    @property
    def file(self) -> Path | None:
        """The file that the game is kept in; None: there is none."""
        return self._keeper.path

    @property
    def kept(self) -> bool:
        """Whether the file holds the game as it stands."""
        return self._kept

    # What the person does; each returns what there is to say, or raises PlayError

    def begin(self) -> None:
        """Let the engine move if it is its turn."""
        if self._sitting.engines_turn:
            self._ask(self._strength, why=False)

    def place(self, point: Point) -> str:
        """Put the person's stone."""
        self._watch_the_clock()
        self._sitting.place(point, self._clock())
        return self._moved()

    def take_back(self) -> str:
        """Take back the person's last move and what came after it."""
        taken = self._sitting.take_back(self._clock())
        self._forget()
        words = {0: "the game goes on", 1: "one stone taken back"}
        said = self._with_file(words.get(taken, f"{taken} stones taken back"))
        self.begin()
        return said

    def ask_hint(self) -> str:
        """Think about what the person should play; the hint is there when poll says so."""
        if not self._sitting.persons_turn:
            raise PlayError(self._why_no_hint())
        self._hint, self._hinting = None, True
        self._ask(MAX_STRENGTH, why=True)
        return "thinking about a hint"

    def hurry(self) -> str:
        """Let the engine move, or give its hint, at once."""
        if not self._thinker.busy:
            raise PlayError("nobody is thinking")
        self._thinker.hurry()
        return ""

    def resign(self) -> str:
        """Give the game up."""
        self._sitting.resign(self._clock())
        self._forget()
        return self._with_file(self._over())

    def new_game(self) -> str:
        """Begin another game; the one before stays in its file."""
        self._forget()
        said = self._with_file("")
        self._keeper.next_game()
        self._sitting, self._kept = self._sit_down(), False
        self.begin()
        return (
            f"{said + '; ' if said else ''}a new game: you are {self._sitting.person.name.lower()}"
        )

    def set_strength(self, strength: int) -> str:
        """Let the engine play stronger or weaker from its next move on. Raises PlayError."""
        if not 0 <= strength <= MAX_STRENGTH:
            raise PlayError(f"strength is 0..{MAX_STRENGTH}, not {strength}")
        self._strength = strength
        return f"strength {strength} from the next move on"

    def save(self, path: Path | None = None) -> str:
        """Keep the game in a file from now on; None: the one it has, or one with a default name.

        Raises KeepError.
        """
        if path is None and self._keeper.path is None:
            path = Path(default_name(self._sitting, self._now()))
        keeper = self._keeper
        if path is not None and path != keeper.path:
            keeper = Keeper(path)
        keeper.keep(self._sitting, self._names())
        self._keeper, self._kept = keeper, True
        return f"saved in {keeper.path}"

    def pause(self) -> None:
        """Let the clock stand."""
        self._sitting.pause(self._clock())

    def resume(self) -> None:
        """Let the clock run again."""
        self._sitting.resume(self._clock())

    def leave(self) -> None:
        """Stop thinking, for good; the game is kept as it stands if it has a file."""
        self._thinker.drop()
        if self._sitting.moved:
            self._with_file("")

    def poll(self) -> list[str]:
        """Take in what has happened meanwhile, and return what there is to say of it.

        Raises what went wrong in thinking.
        """
        said = []
        if self._sitting.tick(self._clock()):
            self._forget()
            said.append(self._with_file(self._over()))
        thought = self._thinker.take()
        if thought is not None:
            if self._hinting:
                self._hinting, self._hint = False, thought.hint
                said.append(thought.hint.text if thought.hint else "")
            elif self._sitting.engines_turn:
                said.append(self._answer(thought))
        return said

    # Inside

    def _ask(self, strength: int, why: bool) -> None:
        """Let the engine think."""
        seconds = self._wishes.think_s
        if self._wishes.clock_s is not None:
            left = self.left_s
            seconds = min(seconds, self._wishes.clock_s if left is None else left / 2)
        self._asked, self._asked_strength = self._clock(), strength
        limits = Limits(turn_ms=round(seconds * 1000))
        self._thinker.begin(self._sitting.position, limits, strength, why)

    def _answer(self, thought: Thought) -> str:
        """Put the engine's stone."""
        found = thought.found
        note = f"strength {self._asked_strength}, value {found.value:+d}"
        self._sitting.answer(found.move, self._clock(), note)
        name = point_name(*found.move)
        spent = (self._sitting.plies[-1].time_ms or 0) / 1000
        said = f"{ENGINE} plays {name} ({spent:.1f} s)"
        if self._sitting.ending is not None:
            said += f"; {self._over()}"
        return self._with_file(said)

    def _moved(self) -> str:
        """After the person's stone: keep the game, and let the engine answer."""
        self._forget()
        over = self._over() if self._sitting.ending is not None else ""
        said = self._with_file(over)
        self.begin()
        return said

    def _forget(self) -> None:
        """Stop thinking about a position that is no more."""
        self._thinker.drop()
        self._hint, self._hinting = None, False

    def _watch_the_clock(self) -> None:
        if self._sitting.tick(self._clock()):
            self._forget()
            raise PlayError(self._with_file(self._over()))

    def _over(self) -> str:
        ending = self._sitting.ending
        return describe(ending) if ending is not None else ""

    def _why_no_hint(self) -> str:
        if self._sitting.ending is not None:
            return f"no hint: {self._over()}"
        return "no hint while the engine thinks"

    def _with_file(self, said: str) -> str:
        """Keep the game; what there is to say, and what went wrong with the file."""
        try:
            self._keeper.keep(self._sitting, self._names())
            self._kept = self._keeper.path is not None
        except KeepError as error:
            self._kept = False
            return f"{said}; not saved: {error}" if said else f"not saved: {error}"
        return said

    def _names(self) -> Names:
        engine = f"{ENGINE} (strength {self._strength})"
        return Names(self._wishes.name, engine, f"{self._now():%Y-%m-%d}")
