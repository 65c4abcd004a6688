"""Checks of a brain's life: start, new games, and every way to its end."""

import os
import re
import signal
import time
from typing import Final

from .checkbench import PATIENCE, QUIET, THINK, Answer, Bench, Talk, best
from .conformance import CheckFailed, Found, Group, NotSupported, harmful
from .police import read_line, rows_of

LIFE: Final = Group("life")

_REFUSED: Final = ("error", "unknown")
_THINKING: Final = 0.3
"""Seconds that a search has had when it is cut short."""

_ORPHANS: Final = {
    "GomocupJudge": "kills it after 500 ms",
    "Piskvork": "kills the first process after 700 ms; what that has started goes on",
    "c-gomoku-cli": "on Unix waits without limit",
    "Yixin-Board": "does not close",
}


@LIFE.check("start-ok", "START 15 and START 20 are answered by exactly OK", 10)
def start_ok(bench: Bench) -> Found:
    """Judged by the table of what six managers take for OK."""
    for size in (15, 20):
        with bench.talk() as talk:
            answer = talk.ask(f"START {size}", wanted="ok")
            found = read_line(answer.text, "ok")
            if answer.text != "OK":
                rows = rows_of(found, "ok")
                raise CheckFailed(f"START {size} gave {answer.text[:60]!r}", rows)
    return Found()


@LIFE.check(
    "start-bad",
    "A size that cannot be is refused in one ERROR line, and the next START works",
    10,
    cost={"Piskvork, c-gomoku-cli": "the refusal is not seen: the first move is lost on time"},
)
def start_bad(bench: Bench) -> Found:
    """A thousand, a word, nothing."""
    for words in ("START 1000", "START abc", "START"):
        with bench.talk() as talk:
            answer = talk.ask(words, wanted="ok")
            if answer.kind != "error":
                raise CheckFailed(f"{words} gave {answer.text[:60]!r}")
            if talk.quiet():
                raise CheckFailed(f"more than one line for {words}")
            talk.start()
            talk.move("BEGIN")
    return Found()


@LIFE.check(
    "start-sizes",
    "start 15 15 and RECTSTART 15,15 give OK, RECTSTART 20,15 OK or ERROR",
    11,
    cost={"Yixin-Board": "older ones send two numbers: no board"},
)
def start_sizes(bench: Bench) -> Found:
    """RECTSTART is optional: UNKNOWN is an answer."""
    with bench.talk() as talk:
        words = ("start 15 15", "RECTSTART 15,15", "RECTSTART 20,15")
        for number, text in enumerate(words):
            answer = talk.ask(text, wanted="ok")
            refusable = number == 2 or (number == 1 and answer.unknown)
            if answer.kind != "ok" and not (refusable and answer.kind in _REFUSED):
                raise CheckFailed(f"{text} gave {answer.text[:60]!r}")
        talk.start()
    return Found("rectangles" if answer.kind == "ok" else "no rectangles")


@LIFE.check(
    "new-game",
    "START in a running process begins a new game: one OK, an empty board",
    12,
    cost={"c-gomoku-cli": "plays all games in one process: an illegal move, or none"},
)
def new_game(bench: Bench) -> Found:
    """The stones of the game before must be playable again, and the brain's answer legal."""
    with bench.talk() as talk:
        talk.start()
        first = talk.move("TURN 7,7").point
        _started_once(talk, "START 15")
        _plays_on(talk, first)
        _started_once(talk, "START 20", "START 15")
        talk.send("INFO timeout_turn 100")
        talk.move("BEGIN")
    return Found()


@LIFE.check(
    "restart",
    "RESTART answers OK and empties the board",
    15,
    cost={
        "Piskvork": "ends the process and starts a new one for the next game",
        "pygomo-lib": "the call for a new game fails",
    },
)
def restart(bench: Bench) -> Found:
    """It keeps size and settings."""
    with bench.talk() as talk:
        talk.start()
        first = talk.move("TURN 7,7").point
        _started_once(talk, "RESTART")
        _plays_on(talk, first)
        answer = talk.ask("RESTART", wanted="ok")
        if answer.text != "OK":
            rows = rows_of(read_line(answer.text, "ok"), "ok")
            raise CheckFailed(f"RESTART gave {answer.text[:60]!r}", rows if harmful(rows) else ())
    return Found()


def _started_once(talk: Talk, *commands: str) -> None:
    """Send them; one OK each. One that is dropped is said again, as managers do."""
    for command in commands:
        talk.settle()
        time.sleep(QUIET)
        answer = talk.ask(command, wanted="ok")
        if answer.kind != "ok":
            raise CheckFailed(f"{command} gave {answer.text[:60]!r}")
    said = talk.quiet()
    if said:
        raise CheckFailed(f"{said[0][:60]!r} after OK")


def _plays_on(talk: Talk, old: tuple[int, int]) -> None:
    """TURN to where it had a stone in the game before: a legal move answers."""
    x, y = old
    answer = talk.ask(f"TURN {x},{y}", wanted="move")
    if answer.kind != "move":
        raise CheckFailed(
            f"the board is not empty: {answer.text[:60]!r} to a stone of the old game"
        )
    if answer.point == old:
        raise CheckFailed(f"it plays {x},{y}, where the opponent has just played")
    talk.settle()
    again = talk.ask("TURN 7,7" if answer.point != (7, 7) else "TURN 3,11", wanted="move")
    if again.kind != "move":
        raise CheckFailed(f"the board is not empty: {again.text[:60]!r} to the second TURN")


@LIFE.check(
    "restart-early",
    "RESTART, BEGIN and TURN before START are refused, and START works after that",
    15,
    21,
)
def restart_early(bench: Bench) -> Found:
    """One ERROR line each."""
    with bench.talk() as talk:
        for words in ("RESTART", "BEGIN", "TURN 7,7"):
            talk.only(words, *_REFUSED)
        talk.start()
        talk.move("BEGIN")
    return Found()


@LIFE.check(
    "start-thinking",
    "START and RESTART end a search: OK, and no move line",
    12,
    cost={"Yixin-Board": "where yxstop is not known either: takes the move for the next answer"},
)
def start_thinking(bench: Bench) -> Found:
    """Boards send yxstop first; this is the harder case."""
    for command in ("START 15", "RESTART"):
        with bench.talk() as talk:
            _think(talk)
            at = talk.send(command)
            first = talk.answer("ok", at)
            if first is None:
                raise CheckFailed(f"no answer to {command} during a search in {PATIENCE:g} s")
            if first.kind != "ok":
                raise CheckFailed(f"{command} during a search gave {first.text[:60]!r}")
            said = talk.quiet(2 * QUIET)
            if said:
                raise CheckFailed(f"{said[0][:60]!r} came after OK")
            talk.send("INFO timeout_turn 100")
            talk.move("TURN 1,13")
    return Found()


def _think(talk: Talk, turn: int = THINK) -> int:
    """Let it think about a position that has no obvious answer; when that began.

    Raises NotSupported where it plays at once: there is no search then that could be ended.
    """
    talk.start(turn=turn)
    at = talk.send("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
    for text in talk.quiet(_THINKING):
        if read_line(text, "move").kind == "move":
            raise NotSupported(f"it does not think: {text!r} came at once, of {turn} ms")
    return at


@LIFE.check(
    "start-up",
    "From the creation of the process to OK it takes less than 500 ms",
    13,
    cost={
        "GomocupJudge": "the first move pays for it; what takes longer than a turn loses the game",
        "c-gomoku-cli": "3 s by default, then the game is lost",
    },
)
def start_up(bench: Bench) -> Found:
    """The best of three, or of ten in a full run; START 20."""
    times = []
    for _ in range(10 if bench.full else 3):
        with bench.talk() as talk:
            talk.send("START 20")
            answer = talk.answer("ok", talk.created_ns, PATIENCE + bench.slack)
            if answer is None:
                raise CheckFailed(f"no OK in {PATIENCE:g} s")
            times.append(answer.ms)
    ms, bound = best(times), bench.bound(500)
    if ms > bound:
        raise CheckFailed(f"{ms:.0f} ms, allowed {bound:.0f}", (), f"{ms:.0f} ms", ms=ms)
    return Found(f"{ms:.0f} ms", {"ms": ms, "worst_ms": max(times)})


@LIFE.check(
    "burst",
    "START, INFO, BOARD and DONE in one burst, with the process suspended right after",
    14,
    cost={"GomocupJudge": "does exactly that: the first move is late, or never comes"},
)
def burst(bench: Bench) -> Found:
    """CRLF; one OK and one move, within the turn from when it is let go. The best of three."""
    times = []
    for pause in (0.0, 0.02, 0.06):
        with bench.talk(end="\r\n") as talk:
            talk.send(
                "START 20",
                *("INFO timeout_turn 1000", "INFO timeout_match 180000"),
                *("INFO max_memory 367001600", "INFO game_type 3", "INFO rule 0"),
                f"INFO folder {bench.folder('ab')}",
            )
            time.sleep(pause)
            talk.suspend(0.5)
            talk.send("INFO time_left 180000", "BOARD", "3,2,2", "4,4,1", "2,5,2", "DONE")
            at = time.monotonic_ns()
            answer = talk.answer("move", at)
            oks = 0
            while answer is not None and answer.kind == "ok":
                oks += 1
                answer = talk.answer("move", at)
            if answer is None:
                raise CheckFailed(f"no move in {PATIENCE:g} s; {oks} OK")
            if answer.kind != "move" or oks != 1:
                raise CheckFailed(f"{oks} OK, then {answer.text[:60]!r}")
            times.append(answer.ms)
    ms, bound = best(times), bench.bound(1000)
    if ms > bound:
        raise CheckFailed(f"{ms:.0f} ms of a turn of 1000", (), f"{ms:.0f} ms", ms=ms)
    return Found(f"{ms:.0f} ms", {"ms": ms})


@LIFE.check(
    "about",
    'ABOUT before START is answered by one line with name="..."',
    16,
    cost={
        "c-gomoku-cli": "refuses to run a brain that does not answer",
        "qpiskvork": "has no name for it, or reads the line as a swap",
    },
)
def about(bench: Bench) -> Found:
    """For the parser that looks at quotes, and for the one that splits at commas."""
    with bench.talk() as talk:
        answer = _about(talk)
        if talk.quiet():
            raise CheckFailed("more than one line")
        fields = dict(re.findall(r'(\w+)\s*=\s*"([^"]*)"', answer.text))
        if not answer.text.startswith("name="):
            raise CheckFailed(f"it does not begin with name=: {answer.text[:60]!r}")
        if not fields.get("name"):
            raise CheckFailed(f"no name in {answer.text[:60]!r}")
    return Found(fields["name"][:30])


def _about(talk: Talk) -> Answer:
    """The answer to ABOUT; a banner in front of it is another check's matter."""
    answer = talk.ask("ABOUT")
    at = time.monotonic_ns()
    while "=" not in answer.text and not answer.unknown:
        more = talk.answer("text", at, QUIET)
        if more is None:
            break
        answer = more
    return answer


@LIFE.check("about-form", "No value of ABOUT has a comma or = in it, and one key says name", 16)
def about_form(bench: Bench) -> Found:
    """Two parsers split at every comma."""
    with bench.talk() as talk:
        answer = _about(talk)
    pieces = [piece.split("=") for piece in answer.text.split(",")]
    if any(len(piece) != 2 for piece in pieces) or sum("name" in p[0].lower() for p in pieces) != 1:
        raise CheckFailed(f"{answer.text[:100]!r}")
    return Found()


def _ends(bench: Bench, how: str, *, thinking: bool, listing: bool = False) -> Found:
    """It ends in silence with status 0 within 500 ms. how: "END" or "EOF". Best of three."""
    times = []
    for _ in range(3):
        with bench.talk() as talk:
            if thinking:
                _think(talk)
            else:
                talk.start()
                talk.send(*(["BOARD", "7,7,2"] if listing else []))
                time.sleep(0.05)
            at = talk.send("END") if how == "END" else talk.close_input()
            took = talk.gone(at)
            if took is None:
                raise CheckFailed("it still runs after 3 s")
            time.sleep(0.05)  # an environment that was just made can be read by then
            others = len(talk.tree.descendants())
            talk.kill()
            if others:
                raise CheckFailed(f"{others} processes that it has started still run")
            said = [text for text in talk.heard(since_ns=at) if not text.startswith("MESSAGE ")]
            if said or talk.heard("!", at):
                raise CheckFailed(f"it said {(said or talk.heard('!', at))[0][:60]!r}")
            if talk.tree.status != 0:
                raise CheckFailed(f"its exit status is {talk.tree.status}")
            times.append(took)
            if took < 250:
                break
    ms, bound = best(times), bench.bound(500)
    if ms > bound:
        raise CheckFailed(f"{ms:.0f} ms, allowed {bound:.0f}", (), f"{ms:.0f} ms", ms=ms)
    return Found(f"{ms:.0f} ms", {"ms": ms})


@LIFE.check("end", "END ends it in silence, with status 0, within 500 ms", 17, cost=_ORPHANS)
def end(bench: Bench) -> Found:
    """While it is idle."""
    return _ends(bench, "END", thinking=False)


@LIFE.check("end-thinking", "END during a search does the same", 17, cost=_ORPHANS)
def end_thinking(bench: Bench) -> Found:
    """And no move comes."""
    return _ends(bench, "END", thinking=True)


_EOF: Final = {
    "all": "when the manager dies or closes the pipe, the process stays behind",
}


@LIFE.check("eof", "The end of stdin ends it as END does", 17, cost=_EOF)
def eof(bench: Bench) -> Found:
    """While it is idle."""
    return _ends(bench, "EOF", thinking=False)


@LIFE.check("eof-thinking", "The end of stdin during a search does the same", 17, cost=_EOF)
def eof_thinking(bench: Bench) -> Found:
    """A brain that does not read while it thinks goes on to the end of its time."""
    return _ends(bench, "EOF", thinking=True)


@LIFE.check("eof-list", "The end of stdin within a BOARD list does the same", 17, cost=_EOF)
def eof_list(bench: Bench) -> Found:
    """Where loops that wait for DONE go on for ever."""
    return _ends(bench, "EOF", thinking=False, listing=True)


@LIFE.check(
    "sigterm",
    "SIGTERM during a search ends it within 500 ms, without a word on stderr",
    18,
    cost={
        "c-gomoku-cli": "ends a late brain that way",
        "pygomo-lib": "sends it right after END; kills after 5 s",
    },
)
def sigterm(bench: Bench) -> Found:
    """SIGTERM, and SIGHUP as of a runner that has died.

    Where we ignore SIGHUP, as under nohup, a brain begins with that and is not asked.
    """
    took = 0.0
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in (signal.SIGTERM,) if ignored else (signal.SIGTERM, signal.SIGHUP):
        with bench.talk() as talk:
            _think(talk)
            at = talk.signal(number)
            ms = talk.gone(at)
            if ms is None or ms > bench.bound(500):
                raise CheckFailed(f"it still runs {ms or 3000:.0f} ms after {number.name}")
            if talk.heard("!", at):
                raise CheckFailed(f"stderr: {talk.heard('!', at)[0][:60]!r}")
            took = max(took, ms)
    return Found(f"{took:.0f} ms", {"ms": took})


@LIFE.check(
    "closed-stdout",
    "It ends by itself when nobody can read its answers any more",
    19,
    cost={"all": "when the manager dies, the process stays behind"},
)
def closed_stdout(bench: Bench) -> Found:
    """At its next answers, within a second."""
    with bench.talk() as talk:
        talk.start()
        talk.close_output()
        at = time.monotonic_ns()
        for _ in range(10):
            if talk.tree.exited():
                break
            try:
                talk.push(b"START 15\nFOO\n")
            except CheckFailed:
                break
            time.sleep(0.05)
        ms = talk.gone(at, 2)
    if ms is None:
        raise CheckFailed("it still runs after 2.5 s")
    return Found(f"{ms:.0f} ms", {"ms": ms})


# -- processor time when there is nothing to do ----------------------------------------------------

_BURNS: Final = {
    "GomocupJudge": "suspends the process only, not what it has started",
    "c-gomoku-cli": "the opponent's time is taken from it on a busy machine",
    "Yixin-Board": "the machine stays busy",
}
_CPU_WINDOW: Final = 0.5


def _idle(talk: Talk, bench: Bench) -> Found:
    """Busy time in half a second that begins 200 ms from now: under a tenth of it."""
    time.sleep(0.2)
    begun, before = time.monotonic(), talk.busy()
    time.sleep(_CPU_WINDOW)
    used = (talk.busy() - before) * _CPU_WINDOW / (time.monotonic() - begun) * 1000
    share = used / (_CPU_WINDOW * 1000)
    if share > 0.1:
        words = f"{used:.0f} ms of processor time in {_CPU_WINDOW * 1000:.0f} ms"
        raise CheckFailed(words, (), words, cpu_ms=used)
    return Found(f"{used:.0f} ms in {_CPU_WINDOW * 1000:.0f}", {"cpu_ms": used})


@LIFE.check("idle-cpu", "After its move no thread goes on, without pondering", 58, cost=_BURNS)
def idle_cpu(bench: Bench) -> Found:
    """INFO pondering 0 is said, for those who know it."""
    with bench.talk() as talk:
        talk.start(15, "INFO pondering 0", "INFO thread_num 4", turn=300)
        talk.move("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
        return _idle(talk, bench)


def _cpu_after(bench: Bench, command: str) -> Found:
    with bench.talk() as talk:
        talk.start(15, "INFO pondering 1", "INFO thread_num 4", turn=THINK)
        at = talk.send("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
        talk.quiet(_THINKING)
        at = talk.send(command)
        if talk.answer("ok", at) is None:
            raise CheckFailed(f"no answer to {command} in {PATIENCE:g} s: it thinks on")
        return _idle(talk, bench)


@LIFE.check("start-cpu", "START ends all threads of a search or of pondering", 58, cost=_BURNS)
def start_cpu(bench: Bench) -> Found:
    """thread_num 4, pondering 1."""
    return _cpu_after(bench, "START 15")


@LIFE.check("restart-cpu", "RESTART ends all threads of a search or of pondering", 58, cost=_BURNS)
def restart_cpu(bench: Bench) -> Found:
    """thread_num 4, pondering 1."""
    return _cpu_after(bench, "RESTART")


def _left_over(bench: Bench, how: str) -> Found:
    """After a game with threads and pondering, nothing is left 500 ms after END or EOF."""
    with bench.talk() as talk:
        talk.start(15, "INFO pondering 1", "INFO thread_num 4", turn=300)
        talk.move("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
        time.sleep(0.1)
        at = talk.send("END") if how == "END" else talk.close_input()
        took = talk.gone(at)
        time.sleep(max(0.0, 0.2 - (took or 0) / 1000))
        left = talk.tree.descendants()
        if took is None:
            begun, used = time.monotonic(), talk.busy()
            time.sleep(0.3)
            share = (talk.busy() - used) / (time.monotonic() - begun)
            raise CheckFailed(f"it still runs after 3 s, {100 * share:.0f} % of the time busy")
        if took > bench.bound(500):
            raise CheckFailed(f"{took:.0f} ms, allowed {bench.bound(500):.0f}")
        if left:
            names = ", ".join(_name_of(pid) for pid in left[:3])
            raise CheckFailed(f"{len(left)} processes are left: {names}")
    return Found(f"{took:.0f} ms", {"ms": took})


def _name_of(pid: int) -> str:
    try:
        with open(os.path.join("/proc", str(pid), "comm"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return str(pid)


@LIFE.check(
    "end-pondering", "END while threads ponder leaves nothing behind", 17, 58, cost=_ORPHANS
)
def end_pondering(bench: Bench) -> Found:
    """Its processes, and what they have started."""
    return _left_over(bench, "END")


@LIFE.check("eof-pondering", "So does the end of stdin", 17, 58, cost=_EOF)
def eof_pondering(bench: Bench) -> Found:
    """Its processes, and what they have started."""
    return _left_over(bench, "EOF")
