"""What a worker does: play a pair of games, or try whether a program can take part.

Everything that it needs comes with the task, so that it can run in any process on any machine.
"""

import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, NamedTuple

from .conditions import Conditions
from .journal import Game, Header, Player
from .manager import Brain, BrainFault
from .programs import BUILT_IN, ProgramError, digest
from .referee import Moved, Plan, Seat, own_conditions, play_game
from .schedule import Unit
from .transcripts import TranscriptLine, transcript_text

QUIET_SECONDS: Final = 0.04
"""Moves of one worker are not told more often than this."""

OTHER_FILES: Final = "the program on this machine is another one than the match began with"


class Transcript(NamedTuple):
    """What was said in a game, as text."""

    number: int
    text: str


class Wants(NamedTuple):
    """What the owner of a match wants to be told of beside the games."""

    moves: bool = False
    transcripts: bool = False


ONLY_GAMES: Final = Wants()
Logs = dict[int, list[TranscriptLine]]
Message = Game | Moved | Transcript
Tell = Callable[[Message], None]


class CannotPlayError(ValueError):
    """A program that cannot take part: it does not start, or refuses the rule or the board."""


def conditions_of(header: Header) -> Conditions:
    """The conditions that the header holds."""
    return Conditions(**{each.name: header.settings[each.name] for each in fields(Conditions)})


def brain_of(
    player: Player,
    conditions: Conditions,
    seed: int,
    engines: str = "",
    log: list[TranscriptLine] | None = None,
) -> Brain:
    """A brain for a player, without a process as yet.

    seed: takes the place of {seed} in its command. engines: a folder of programs that were sent,
    by their hashes. log: gets what is said.
    """
    words = [word.replace("{seed}", str(seed)) for word in player.command]
    folder = player.folder
    sent = Path(engines) / player.sha256 if engines else None
    if sent is not None and sent.is_dir():
        words[0] = str(sent / Path(words[0]).name)
        words[1:] = [_sent(sent, word) for word in words[1:]]
        folder = str(sent)
    elif words[:3] == list(BUILT_IN) or (words[1:2] == ["-m"] and words[2].startswith("shisan.")):
        words[0] = sys.executable  # ours, wherever this worker's Python is
    own = own_conditions(conditions, player)
    return Brain(
        words,
        name=player.name,
        line_end="\r\n" if conditions.line_end == "crlf" else "\n",
        strict=conditions.strict,
        cwd=folder or None,
        suspend=conditions.suspend,
        memory_limit=own.memory,
        start_ms=own.start_time,
        charge_start=conditions.charge_start,
        log=log,
    )


def _sent(folder: Path, word: str) -> str:
    """An argument, or the file in this folder that has come in its place."""
    path = folder / Path(word).name
    return str(path) if word and path.is_file() else word


def play_unit(
    header: Header, unit: Unit, tell: Tell, wants: Wants = ONLY_GAMES, engines: str = ""
) -> list[Game]:
    """Play the games of a unit; each is told when it has ended, and what else is wanted."""
    conditions = conditions_of(header)
    brains: dict[int, Brain] = {}
    spares: list[Brain] = []
    logs: Logs | None = {} if wants.transcripts else None
    games = []
    watch = _Quietly(tell) if wants.moves else None

    def substitute() -> Brain:
        spares.append(Brain(BUILT_IN, name="the built-in engine"))
        return spares[-1]

    try:
        for plan in unit.plans:
            seats = [
                _seat(header, conditions, plan, player, brains, engines, logs)
                for player in (plan.black, plan.white)
            ]
            games.append(play_game(plan, seats, header.rules, substitute, watch))
            if logs is not None:
                told = {header.players[player].name: log for player, log in logs.items()}
                tell(Transcript(plan.number, transcript_text(told)))
                for log in logs.values():
                    log.clear()
            tell(games[-1])
            for seat in seats:
                if seat.replaced or not conditions.keep:
                    brains.pop(seat.player).quit()
                    seat.brain.quit()
        for brain in brains.values():
            brain.quit()
        return games
    finally:
        for brain in (*brains.values(), *spares):
            brain.kill()


def _seat(
    header: Header,
    conditions: Conditions,
    plan: Plan,
    player: int,
    brains: dict[int, Brain],
    engines: str,
    logs: Logs | None,
) -> Seat:
    """A player's seat in a game, with the process that it has or a new one."""
    program = header.players[player]
    fresh = player not in brains or not brains[player].running
    if fresh:
        if player in brains:
            brains.pop(player).kill()
        seed = Random(f"{header.seed} program {plan.number} {player}").randrange(1 << 30)
        log = None if logs is None else logs.setdefault(player, [])
        brains[player] = brain_of(program, conditions, seed, engines, log)
    own = own_conditions(conditions, program)
    return Seat(player, brains[player], own, tuple(program.options.items()), fresh)


class _Quietly:
    """Tells of moves, but not of more than a person can see."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._next = tell, 0.0

    def __call__(self, moved: Moved) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + QUIET_SECONDS
            self._tell(moved)


def try_program(header: Header, player: int, swap2: bool, engines: str = "") -> None:
    """Start a program, tell it the rule, ask for a first move. Raises CannotPlayError.

    What it plays, and how fast, is left to the games: only a start that fails, ERROR or UNKNOWN
    keep it out, or files of another hash than the header's.
    """
    program = header.players[player]
    own = own_conditions(conditions_of(header), program)
    if program.sha256 and not engines:
        try:
            if digest(program.command, program.folder) != program.sha256:
                raise CannotPlayError(f"{program.name}: {OTHER_FILES}")
        except ProgramError as problem:
            raise CannotPlayError(f"{program.name} cannot start: {problem}") from None
    brain = brain_of(program, own, 0, engines)
    seat = Seat(player, brain, own, tuple(program.options.items()))
    said = ""
    try:
        brain.start_game(header.rules, seat.settings())
        try:
            reply = brain.swap2((), seat.limit_ms()) if swap2 else brain.begin(seat.limit_ms())
            said = reply.line if reply.kind in ("error", "unknown") else ""
        except BrainFault as fault:
            said = fault.detail if _complains(fault.detail) else ""
    except BrainFault as fault:
        raise CannotPlayError(f"{program.name} cannot start: {fault.detail}") from None
    finally:
        brain.quit()
    refused = [each.line for each in brain.offences if _complains(each.line)]
    if said or refused:
        size = f"{header.rules.width}x{header.rules.height}"
        what = f"{header.rules.name} {size}" + (" with swap2" if swap2 else "")
        raise CannotPlayError(f"{program.name} refuses {what}: {(said or refused[0])[:120]!r}")


def _complains(text: str) -> bool:
    return text.upper().startswith(("ERROR", "UNKNOWN")) or "'ERROR" in text or "'UNKNOWN" in text
