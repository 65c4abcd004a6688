"""Checks of what happens to a brain under real managers: suspension, full pipes, whole games."""

import random
import re
import time
from typing import Final

from shisan.engine import Point, ReferencePosition, Rules

from .checkbench import PAUSE, Bench, Talk, text_of
from .checkboards import near, why_illegal
from .conformance import CheckFailed, Found, Group
from .manager import Brain
from .police import MANAGERS, MOVE_TABLE, read_line
from .requests import BrainFault, GameSettings
from .settings import rule_sum
from .transcripts import TranscriptLine

HARD: Final = Group("managers")

_JUDGE: Final = MANAGERS.index("GomocupJudge")

_POSITION: Final = ("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
_SUSPENDS: Final = {
    "GomocupJudge": "suspends it between moves: lost on time, or hangs",
    "Piskvork": "suspends its threads between moves, by default",
}


@HARD.check("suspended", "Suspension between moves changes nothing", 56, cost=_SUSPENDS)
def suspended(bench: Bench) -> Found:
    """Half a second three times, or 20 s once in a full run; the move keeps to its turn."""
    pauses = [20.0, 0.5] if bench.full else [0.5] * 3
    times = []
    with bench.talk() as talk:
        talk.start(turn=300)
        for pause in pauses:
            talk.move(*_POSITION)
            talk.suspend(pause)
            times.append(talk.move(*_POSITION).ms)
    ms = min(times)
    if ms > bench.bound(400):
        raise CheckFailed(f"{ms:.0f} ms of a turn of 300", (), f"{ms:.0f} ms", ms=ms)
    return Found(f"{ms:.0f} ms of 300", {"ms": ms})


@HARD.check(
    "suspended-thinking",
    "Suspension during a search costs no more than its time",
    56,
    cost=_SUSPENDS,
)
def suspended_thinking(bench: Bench) -> Found:
    """A second within a turn of half a second: the move comes half a second after it at most."""
    times = []
    for _ in range(2):
        with bench.talk() as talk:
            talk.start(turn=500)
            at = talk.send(*_POSITION)
            time.sleep(0.1)
            talk.suspend(1.0)
            answer = talk.answer("move", at)
            if answer is None or answer.kind != "move":
                raise CheckFailed("no move after it" if answer is None else answer.text[:60])
            times.append(answer.ms)
    ms = min(times)
    if ms > bench.bound(1700):
        raise CheckFailed(f"{ms:.0f} ms", (), f"{ms:.0f} ms", ms=ms)
    return Found(f"{ms:.0f} ms", {"ms": ms})


@HARD.check("full-pipe", "A manager that stops reading for a while blocks nothing for ever", 57)
def full_pipe(bench: Bench) -> Found:
    """More answers than a pipe holds, then END, then reading: it ends within a second."""
    with bench.talk() as talk:
        talk.start()
        line = b"y" * 60 + b"\n"
        written, until = 0, time.monotonic() + 2
        while written < 12_000 and time.monotonic() < until:
            if talk.push(line * 20):
                written += 20
            else:
                time.sleep(0.01)
                until = min(until, time.monotonic() + 0.3)
        talk.note(f"{written} unknown commands, no answer read")
        time.sleep(0.2)
        lines = len(talk.log)
        at = talk.send("", "END")  # reads while it cannot write
        took = talk.gone(at)
        said = len(talk.log) - lines
        del talk.log[lines + 5 : -5]
    if took is None:
        raise CheckFailed(f"it still runs 3 s after END; {said} lines came when reading went on")
    if took > bench.bound(1000):
        raise CheckFailed(f"{took:.0f} ms from END to its end", (), f"{took:.0f} ms", ms=took)
    return Found(f"{took:.0f} ms", {"ms": took})


# -- whole games as real managers hold them --------------------------------------------------------


def _game(brain: Brain, rules: Rules, luck: random.Random, limit: float, *, board: bool) -> int:
    """A game against a careless opponent, the opening given by TURN or BOARD; the brain's moves."""
    position = ReferencePosition(rules)
    moves = 0
    while not position.over and moves < 30:
        if position.ply or luck.random() < 0.5 or board:
            x, y = near(position, luck) if position.ply else (7, 7)
            position.play(x, y)
            if position.over:
                break
            time.sleep(PAUSE)  # the opponent thinks
            stones = [(a, b) for a, b, _ in position.stones]
            if board and not moves:
                reply = brain.board(stones, limit, 180_000)
            else:
                reply = brain.turn(x, y, limit, 180_000)
        else:
            reply = brain.begin(limit, 180_000)
        problem = why_illegal(position, reply.points[0]) if reply.points else "no point"
        if problem:
            raise CheckFailed(f"move {moves + 1}: {problem}")
        position.play(*reply.points[0])
        moves += 1
    return moves


def _whole_games(bench: Bench, manager: str, **how: object) -> Found:
    """Games as a manager holds them. What it would mind in any line is a failure."""
    games = 6 if bench.full else 2
    luck = random.Random(59)
    log: list[TranscriptLine] = []
    moves = 0
    brain = Brain(bench.command, cwd=bench.cwd, log=log, start_ms=10_000, **how)  # type: ignore[arg-type]
    try:
        for number in range(games):
            del log[:]
            rules = (Rules.freestyle(), Rules.standard(), Rules.renju())[number % 3]
            new = manager != "c-gomoku-cli"
            folder = bench.folder("game")
            settings = GameSettings(100, 180_000, 367_001_600, 1, folder)
            if not new:
                time.sleep(0.05)
            brain.start_game(rules, settings, new_process=new)
            limit = bench.bound(5000)  # to keep to the turn is another check's matter
            moves += _game(brain, rules, luck, limit, board=number % 2 == 0)
            if new:
                brain.quit()
    except BrainFault as fault:
        raise CheckFailed(f"{fault.reason}: {fault.detail}") from None
    finally:
        brain.quit()
        bench.transcript = tuple(log)
    for found in brain.offences:
        if manager in found.managers:
            raise CheckFailed(f"{found.line[:60]!r}: {found.how}")
    return Found(f"{games} games, {moves} moves", {"games": games, "moves": moves})


@HARD.check(
    "games-piskvork",
    "Whole games as under Piskvork: CRLF, stderr in the same pipe",
    59,
    cost={
        "Piskvork": "the game is lost",
    },
)
def games_piskvork(bench: Bench) -> Found:
    """Strict reading; a process for each game; END with 700 ms of grace."""
    return _whole_games(bench, "Piskvork", line_end="\r\n", strict=True)


@HARD.check(
    "games-gomocupjudge",
    "Whole games as under GomocupJudge: a burst, CRLF, suspended between moves",
    59,
    cost={"GomocupJudge": "the game is lost"},
)
def games_gomocupjudge(bench: Bench) -> Found:
    """OK is not waited for, stones come by BOARD; only moves that come in time are looked at."""
    games = 6 if bench.full else 2
    luck = random.Random(60)
    moves = 0
    for number in range(games):
        rules = (Rules.freestyle(), Rules.standard(), Rules.renju())[number % 3]
        with bench.talk(end="\r\n") as talk:
            talk.send(
                *("START 15", "INFO timeout_turn 100", "INFO timeout_match 180000"),
                *("INFO max_memory 367001600", "INFO game_type 3"),
                *(f"INFO rule {rule_sum(rules)}", f"INFO folder {bench.folder('game')}"),
            )
            moves += _judged_game(talk, rules, luck)
    return Found(f"{games} games, {moves} moves", {"games": games, "moves": moves})


def _judged_game(talk: Talk, rules: Rules, luck: random.Random) -> int:
    """A game against a careless opponent, who opens in the middle; the brain's moves."""
    position = ReferencePosition(rules)
    moves = 0
    while not position.over and moves < 30:
        time.sleep(0.01)  # as often as it looks for a move
        talk.tree.suspend()
        x, y = near(position, luck) if position.ply else (7, 7)
        position.play(x, y)
        talk.tree.resume()
        if position.over:
            break
        lines = [f"TURN {x},{y}"] if moves else ["BOARD", f"{x},{y},2", "DONE"]
        at = talk.send("INFO time_left 180000", *lines)
        point = _judged_move(talk, at, 5000)
        problem = why_illegal(position, point)
        if problem:
            raise CheckFailed(f"move {moves + 1}: {problem}")
        position.play(*point)
        moves += 1
    return moves


def _judged_move(talk: Talk, at_ns: int, limit_ms: float) -> Point:
    """The next line that GomocupJudge takes for a move."""
    limit_ms += 1000 * talk.slack
    while True:
        line = talk.line(limit_ms / 1000)
        if line is None or talk.since(at_ns, line.at_ns) > limit_ms:
            raise CheckFailed(f"no move in {limit_ms:.0f} ms")
        if re.search(rb"\r[^\r\n]", b"".join(talk.pieces)):
            raise CheckFailed("a CR ends no line: nothing is read")
        found = read_line(text_of(line), "move")
        taken = [MOVE_TABLE[feature][_JUDGE][0] == "+" for feature in found.features]
        if found.kind == "move" and all(taken):
            return found.points[0]


@HARD.check(
    "games-cli",
    "Whole games as under c-gomoku-cli: LF, all in one process",
    59,
    cost={
        "c-gomoku-cli": "the game is lost",
    },
)
def games_cli(bench: Bench) -> Found:
    """START again for each game."""
    return _whole_games(bench, "c-gomoku-cli")
