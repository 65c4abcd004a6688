"""Checks of INFO: what is obeyed, and what it costs in time and memory."""

import os
import time
from typing import Final

from shisan.engine import Rules

from .checkbench import QUIET, THINK, Bench, Talk, best
from .checkboards import Board
from .conformance import CheckFailed, Found, Group, NotSupported
from .police import read_line, rows_of

SETTINGS: Final = Group("settings")

_LATE: Final = {
    "Piskvork, GomocupJudge": "lost on time beyond the tolerance of 1 s",
    "c-gomoku-cli": "lost on time beyond the tolerance of 3 s",
}
_POSITION: Final = ("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")


@SETTINGS.check("info-silent", "No INFO line is answered, whatever its key and value", 32)
def info_silent(bench: Bench) -> Found:
    """Standard and extension keys, unknown ones, bad and missing values."""
    keys = (
        *("timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule"),
        *("evaluate", "folder", "max_depth", "max_node", "hash_size", "caution_factor"),
        *("time_increment", "show_detail", "no_such_key"),
    )
    values = ("", "abc", "-1", "9223372036854775807", "1.5")
    with bench.talk() as talk:
        talk.start()
        talk.send("INFO", *(f"INFO {key} {value}".rstrip() for key in keys for value in values))
        said = talk.quiet()
        if said:
            rows = rows_of(read_line(said[0], "move"), "idle")
            raise CheckFailed(f"INFO gave {said[0][:60]!r}", rows)
    with bench.talk() as talk:
        talk.start()
        talk.send("INFO no_such_key 1", "INFO evaluate 3,3", "INFO game_type 3", "INFO rule 0")
        talk.move("BEGIN")
    return Found()


@SETTINGS.check(
    "info-early",
    "INFO before START is taken, and outlasts START",
    33,
    cost={"Yixin-Board": "sends START before every board, and settings only when they change"},
)
def info_early(bench: Bench) -> Found:
    """Told by the time of moves: 100 ms, said once before two STARTs."""
    with bench.talk() as talk:
        talk.quiet(QUIET)  # what it says of itself is another check's
        talk.send("INFO timeout_turn 100", "INFO time_left 2147483647")
        said = talk.quiet(QUIET / 2)
        if said:
            raise CheckFailed(f"INFO before START gave {said[0][:60]!r}")
        for _ in range(2):
            answer = talk.ask("START 15", wanted="ok")
            if answer.kind != "ok":
                raise CheckFailed(f"{answer.text[:60]!r} to START 15 after INFO")
            ms = talk.move(*_POSITION, seconds=10).ms
            if ms > bench.bound(1000):
                raise CheckFailed(f"the move took {ms:.0f} ms of a turn of 100", (), f"{ms:.0f} ms")
            time.sleep(QUIET)
    return Found(f"{ms:.0f} ms", {"ms": ms})


@SETTINGS.check(
    "info-thinking",
    "INFO during a search is not answered, and the move comes",
    33,
    cost={"Piskvork": "sends it when settings change: the game is lost"},
)
def info_thinking(bench: Bench) -> Found:
    """As Piskvork sends it."""
    with bench.talk() as talk:
        talk.start(turn=600)
        at = talk.send(*_POSITION)
        time.sleep(0.1)
        talk.send("INFO max_memory 83886080", "INFO rule 0", "INFO evaluate 3,3")
        answer = talk.answer("move", at)
        if answer is None or answer.kind != "move":
            raise CheckFailed("no move" if answer is None else f"{answer.text[:60]!r}, no move")
        for text in talk.quiet():
            if read_line(text, "move").kind != "move":
                raise CheckFailed(f"{text[:60]!r} after the move")
    return Found()


@SETTINGS.check(
    "folder-info",
    "INFO folder may hold blanks, quotes and letters that are not ASCII",
    34,
    cost={"Piskvork, GomocupJudge": "if the path has blanks, its second word is read as a command"},
)
def folder_info(bench: Bench) -> Found:
    """The words in it are commands that would be answered."""
    path = bench.folder("the AI's folder \u00e9")
    with bench.talk() as talk:
        talk.start()
        talk.send(f"INFO folder {path}", 'INFO folder "C:\\Program Files\\ABOUT START 15"')
        said = talk.quiet()
        if said:
            raise CheckFailed(f"INFO folder gave {said[0][:60]!r}")
        talk.move("BEGIN")
    return Found(f"{len(os.listdir(path))} files written there" if os.listdir(path) else "")


@SETTINGS.check(
    "turn-0",
    "timeout_turn 0 is answered within 250 ms",
    35,
    cost={"Piskvork": "sends it as 'move now': nothing happens"},
)
def turn_0(bench: Bench) -> Found:
    """The best of three."""
    times = []
    with bench.talk() as talk:
        for number in range(3):
            talk.start(turn=0)
            answer = talk.ask(
                "BOARD", "7,7,2", f"8,{number},1", "6,10,2", "DONE", wanted="move", seconds=10
            )
            if answer.kind != "move":
                raise CheckFailed(f"{answer.text[:60]!r} in place of a move")
            times.append(answer.ms)
    return _within(best(times), 250, bench)


def _within(ms: float, bound: float, bench: Bench) -> Found:
    allowed = bench.bound(bound)
    words = f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"
    if ms > allowed:
        raise CheckFailed(f"{words}, allowed {allowed:.0f}", (), words, ms=ms)
    return Found(words, {"ms": ms})


@SETTINGS.check(
    "move-now",
    "timeout_turn 0 during a search ends it: one move within 250 ms",
    35,
    cost={"Piskvork": "sends it as 'move now': nothing happens"},
)
def move_now(bench: Bench) -> Found:
    """The best of three."""
    return hurried(bench, "INFO timeout_turn 0")


def hurried(bench: Bench, words: str) -> Found:
    """The best of three times from these words during a search to its one move: 250 ms."""
    times = []
    for _ in range(3):
        with bench.talk() as talk:
            talk.start(turn=THINK)
            talk.send(*_POSITION)
            for text in talk.quiet(0.3):
                if read_line(text, "move").kind == "move":
                    raise NotSupported("its move came before it could be hurried")
            at = talk.send(words)
            answer = talk.answer("move", at, 3)
            if answer is None:
                raise CheckFailed(f"no move in 3 s after {words}")
            if answer.unknown:
                raise NotSupported(answer.text[:60])
            if answer.kind != "move":
                raise CheckFailed(f"{words} gave {answer.text[:60]!r}")
            times.append(answer.ms)
            if answer.ms < 100:
                break
    return _within(best(times), 250, bench)


@SETTINGS.check("turn-time", "Moves keep to timeout_turn", 38, cost=_LATE)
def turn_time(bench: Bench) -> Found:
    """The middle of several moves within 50 ms of the turn, and none later than half a second."""
    turn, count = 300, 40 if bench.full else 7
    times = []
    with bench.talk() as talk:
        for number in range(count):
            talk.start(turn=turn)
            lines = ("BOARD", "7,7,2", f"{number % 15},{number // 15},1", "6,10,2", "DONE")
            times.append(talk.move(*lines).ms)
    times.sort()
    middle, most = times[count // 2], times[-1]
    words = f"{middle:.0f} ms of {turn}, at most {most:.0f}"
    figures = {"median_ms": middle, "max_ms": most, "moves": float(count)}
    if middle > bench.bound(turn + 50) or most > bench.bound(turn + 500):
        raise CheckFailed(words, (), words, **figures)
    return Found(words, figures)


@SETTINGS.check(
    "time-left", "time_left is kept to when it is less than timeout_turn", 37, cost=_LATE
)
def time_left(bench: Bench) -> Found:
    """A second for the rest of the game, 5 s for a move."""
    with bench.talk() as talk:
        talk.start(turn=5000)
        ms = talk.move("INFO timeout_match 10000", "INFO time_left 1000", *_POSITION, seconds=8).ms
    return _within(ms, 1000, bench)


@SETTINGS.check("no-time-left", "time_left 0 and below give a move at once", 37, cost=_LATE)
def no_time_left(bench: Bench) -> Found:
    """Piskvork and GomocupJudge send negative ones; 500 ms are allowed."""
    worst = 0.0
    with bench.talk() as talk:
        for left in (0, -1000):
            talk.start(turn=5000)
            lines = ("INFO timeout_match 10000", f"INFO time_left {left}", *_POSITION)
            worst = max(worst, talk.move(*lines, seconds=10).ms)
    return _within(worst, 500, bench)


@SETTINGS.check("endless", "time_left 2147483647 and timeout_match 0 are no limit", 37, cost=_LATE)
def endless(bench: Bench) -> Found:
    """The turn holds then: a move that comes, and not in no time by an overflow alone."""
    with bench.talk() as talk:
        talk.start(turn=300)
        ms = talk.move("INFO time_left 2147483647", *_POSITION).ms
    return _within(ms, 300 + 100, bench)


@SETTINGS.check(
    "max-node",
    "With max_node alone the search ends at the node limit",
    36,
    cost={
        "c-gomoku-cli": "games by nodes take the default time for each move",
        "Yixin-Board": "levels by nodes take the default time",
    },
)
def max_node(bench: Bench) -> Found:
    """A thousand nodes are done in a second; an extension."""
    with bench.talk() as talk:
        answer = talk.ask("START 15", wanted="ok")
        if answer.kind != "ok":
            raise CheckFailed(f"{answer.text[:60]!r} to START 15")
        at = talk.send("INFO max_node 1000", *_POSITION)
        found = talk.answer("move", at, 3 + bench.slack)
        if found is None:
            raise NotSupported("it thinks on after 3 s")
        if found.kind != "move":
            raise CheckFailed(f"{found.text[:60]!r} in place of a move")
    return Found(f"{found.ms:.0f} ms", {"ms": found.ms})


@SETTINGS.check(
    "one-thread",
    "With thread_num 1 a search uses one processor",
    58,
    cost={"c-gomoku-cli": "sends thread_num 1: the opponent's time is taken from it"},
)
def one_thread(bench: Bench) -> Found:
    """Processor time of a second's search is at most 1.3 s."""
    with bench.talk() as talk:
        talk.start(15, "INFO thread_num 1", turn=1000)
        talk.move(*_POSITION)
        talk.start(15, "INFO thread_num 1", turn=1000)
        talk.settle()
        before = talk.tree.cpu()
        ms = talk.move(*_POSITION).ms
        used = (talk.tree.cpu() - before) * 1000
    words = f"{used:.0f} ms in {ms:.0f}"
    if used > 1.3 * ms + 100:
        raise CheckFailed(f"processor time: {words}", (), words, cpu_ms=used)
    return Found(words, {"cpu_ms": used, "ms": ms})


def _memory(bench: Bench, limit: int) -> Found:
    """The most unique memory after any of a few moves on 20x20 stays below the limit."""
    turns = 6 if bench.full else 3
    most = 0
    with bench.talk() as talk:
        talk.start(20, f"INFO max_memory {limit}", turn=1000 if bench.full else 400)
        for number in range(turns):
            talk.move("BOARD", f"9,{number},2", "10,10,1", "9,11,2", "DONE")
            most = max(most, talk.usage())
    words = f"{most / (1 << 20):.0f} MiB of {limit >> 20}"
    if most > limit:
        raise CheckFailed(words, (), words, bytes=most)
    return Found(words, {"bytes": most, "limit": limit})


_OVER: Final = {
    "GomocupJudge": "unique memory over the limit is a loss, told as a crash",
    "Piskvork": "in tournaments the game is lost",
}


@SETTINGS.check(
    "memory-350", "max_memory 367001600 (350 MiB, Gomocup's) is kept to", 39, cost=_OVER
)
def memory_350(bench: Bench) -> Found:
    """Unique set size of the whole tree."""
    return _memory(bench, 367_001_600)


@SETTINGS.check("memory-80", "max_memory 83886080 (80 MiB) is kept to", 39, full=True, cost=_OVER)
def memory_80(bench: Bench) -> Found:
    """Unique set size of the whole tree."""
    return _memory(bench, 83_886_080)


@SETTINGS.check(
    "memory-flat",
    "Many games in one process do not add memory",
    58,
    cost={
        "c-gomoku-cli": "plays all games of a match in one process",
    },
)
def memory_flat(bench: Bench) -> Found:
    """Games after the first third may add 4 MiB at most; thirty games, or three hundred."""
    games = 300 if bench.full else 30
    sizes = []
    with bench.talk() as talk:
        for number in range(games):
            talk.start(15, "INFO max_memory 83886080", turn=10)
            _short_game(talk, number)
            sizes.append(talk.usage())
    third = games // 3
    growth = (max(sizes[-third:]) - max(sizes[: 2 * third])) / (1 << 20)
    words = f"{growth:+.1f} MiB in the last {third} of {games} games"
    if growth > 4:
        raise CheckFailed(words, (), words, growth_mib=growth)
    return Found(words, {"growth_mib": growth, "games": games})


def _short_game(talk: Talk, number: int) -> None:
    """Two moves of the brain on boards that differ from game to game."""
    x, y = number % 15, number // 15 % 15
    for stone in ((x, y), (14 - x, 14 - y)):
        board = Board(Rules.freestyle(), (), [stone], False)
        problem = board.why_illegal(talk.move(*board.lines()).point)
        if problem:
            raise CheckFailed(f"game {number + 1}: {problem}")
