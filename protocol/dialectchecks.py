"""Checks of what a brain may add: Swap2, and the words of Yixin-Board."""

import re
import time
from typing import Final

from shisan.engine import Point, Rules

from .checkbench import PATIENCE, QUIET, THINK, Answer, Bench, Talk
from .checkboards import Board, fork
from .conformance import CheckFailed, Found, Group, NotSupported
from .police import read_line
from .settingchecks import hurried

SWAP2: Final = Group("swap2")
YIXIN: Final = Group("yixin")

_THREE: Final = ((7, 7), (3, 3), (9, 8))
_FIVE: Final = (*_THREE, (2, 2), (11, 3))
_LOSES: Final = {"GomocupJudge, qpiskvork": "the game is lost in events with Swap2"}
_BOARD: Final = {"Yixin-Board": "misses it"}


def _swap2(talk: Talk, stones: tuple[Point, ...], *info: str, seconds: float = 5) -> Answer:
    """SWAP2BOARD with these stones. Raises NotSupported, and CheckFailed for an ERROR."""
    talk.settle()
    at = talk.send(*info, "SWAP2BOARD", *(f"{x},{y}" for x, y in stones), "DONE")
    answer = talk.answer("swap", at, seconds)
    if answer is None or answer.unknown:
        raise NotSupported("no answer to SWAP2BOARD" if answer is None else answer.text[:60])
    if answer.kind == "error":
        raise CheckFailed(f"SWAP2BOARD with {len(stones)} stones gave {answer.text[:60]!r}")
    return answer


def _exact(answer: Answer, *counts: int, swap: bool, taken: tuple[Point, ...] = ()) -> None:
    """Whether the answer is spelled as it must be: so many points, or SWAP where it may be."""
    if swap and answer.text == "SWAP":
        return
    points = answer.points
    if not re.fullmatch(r"\d+,\d+( \d+,\d+)*", answer.text) or len(points) not in counts:
        raise CheckFailed(f"{answer.text[:60]!r}")
    if len({*points, *taken}) != len(points) + len(taken):
        raise CheckFailed(f"{answer.text[:60]!r}: a point twice, or an occupied one")
    if any(not (0 <= x < 15 and 0 <= y < 15) for x, y in points):
        raise CheckFailed(f"{answer.text[:60]!r} is outside the board")


@SWAP2.check("swap2-lay", "SWAP2BOARD without stones lays three different ones", 44, cost=_LOSES)
def swap2_lay(bench: Bench) -> Found:
    """Single blanks between, none behind."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 1", turn=1000)
        answer = _swap2(talk, ())
        _exact(answer, 3, swap=False)
    return Found(answer.text)


@SWAP2.check("swap2-choose", "It chooses a side with 3 stones and with 5", 45, cost=_LOSES)
def swap2_choose(bench: Bench) -> Found:
    """SWAP, one point or, with 3 stones, two."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 1", turn=1000)
        three = _swap2(talk, _THREE)
        _exact(three, 1, 2, swap=True, taken=_THREE)
        five = _swap2(talk, _FIVE)
        _exact(five, 1, swap=True, taken=_FIVE)
    return Found(f"{three.text}; {five.text}")


@SWAP2.check(
    "swap2-board", "Its answer changes no board: BOARD follows without START", 46, cost=_LOSES
)
def swap2_board(bench: Bench) -> Found:
    """The stones of the question, with an owner."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 1")
        _swap2(talk, _THREE)
        board = Board(Rules.standard(), [_THREE[1]], [_THREE[0], _THREE[2]], False)
        problem = board.why_illegal(talk.move(*board.lines()).point)
        if problem:
            raise CheckFailed(problem)
    return Found()


@SWAP2.check("swap2-time", "SWAP2BOARD keeps to timeout_turn and time_left", 47, cost=_LOSES)
def swap2_time(bench: Bench) -> Found:
    """500 ms for the turn; then no time left."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 1", turn=500)
        slow = _swap2(talk, _THREE).ms
        at_once = _swap2(talk, _THREE, "INFO time_left 0").ms
    words = f"{slow:.0f} ms of 500, {at_once:.0f} ms of none"
    if slow > bench.bound(600) or at_once > bench.bound(500):
        raise CheckFailed(words, (), words, turn_ms=slow, none_ms=at_once)
    return Found(words, {"turn_ms": slow, "none_ms": at_once})


@SWAP2.check("swap2-count", "Other numbers of stones give one ERROR, after DONE", 48)
def swap2_count(bench: Bench) -> Found:
    """Four stones."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 1")
        _swap2(talk, _THREE)
        talk.settle()
        talk.send("SWAP2BOARD", *(f"{x},{y}" for x, y in _FIVE[:4]))
        talk.only("DONE", "error")
        talk.move("BOARD", "7,7,2", "DONE")
    return Found()


# -- Yixin-Board -----------------------------------------------------------------------------------


def _claimed(bench: Bench) -> bool:
    """Whether it answers yxshowforbid or yxshowinfo as a brain for that board does."""
    with bench.talk() as talk:
        talk.start(15, "INFO rule 4")
        talk.send("yxshowforbid")
        if any(line.startswith("FORBID ") for line in talk.quiet()):
            return True
        talk.send("yxshowinfo")
        talk.quiet()
        return any("MAX_THREAD_NUM" in line for line in talk.heard())


def _need(bench: Bench) -> None:
    if not bench.keep(_claimed):
        raise NotSupported("it answers neither yxshowforbid nor yxshowinfo")


@YIXIN.check(
    "stop",
    "STOP or YXSTOP during a search gives one move within 250 ms",
    50,
    cost={
        "Yixin-Board, pygomo-lib": "waits to the end of the search",
    },
)
def stop(bench: Bench) -> Found:
    """yxstop where the dialect is known, else STOP; the best of three."""
    if bench.keep(_claimed):
        return hurried(bench, "yxstop")
    try:
        return hurried(bench, "STOP")
    except CheckFailed as problem:
        if problem.detail.startswith("no move in"):
            raise NotSupported(problem.detail) from None
        raise


@YIXIN.check(
    "stop-idle",
    "YXSTOP while nothing is searched gives nothing",
    49,
    cost={
        "Yixin-Board": "takes it for a move",
    },
)
def stop_idle(bench: Bench) -> Found:
    """Before and after a move."""
    _need(bench)
    with bench.talk() as talk:
        talk.start()
        for _ in range(2):
            talk.settle()
            talk.send("yxstop")
            said = talk.quiet()
            if said:
                raise CheckFailed(f"yxstop gave {said[0][:60]!r}")
            talk.move("BOARD", "7,7,2", "DONE")
    return Found()


@YIXIN.check(
    "stop-order",
    "The stopped search's move comes before the next answer",
    50,
    cost={
        "Yixin-Board": "swallows the wrong line, and hangs after undo",
    },
)
def stop_order(bench: Bench) -> Found:
    """yxstop and start in one write."""
    _need(bench)
    with bench.talk() as talk:
        talk.start(turn=THINK)
        talk.send("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
        if any(read_line(text, "move").kind == "move" for text in talk.quiet(0.3)):
            raise NotSupported("its move came before it could be stopped")
        at = talk.send("yxstop", "start 15")
        first = talk.answer("move", at)
        second = talk.answer("ok", at)
        kinds = tuple("nothing" if found is None else found.kind for found in (first, second))
        if kinds != ("move", "ok"):
            raise CheckFailed(f"yxstop and start gave {kinds[0]}, then {kinds[1]}")
    return Found()


@YIXIN.check("yxboard", "yxboard sets a position in silence, yxnbest searches it", 49, cost=_BOARD)
def yxboard(bench: Bench) -> Found:
    """One move line."""
    _need(bench)
    with bench.talk() as talk:
        talk.start(turn=300)
        talk.send("yxboard", "7,7,2", "8,9,1", "6,10,2", "done")
        said = talk.quiet(0.5)
        if said:
            raise CheckFailed(f"yxboard gave {said[0][:60]!r}")
        answer = talk.move("yxnbest 2")
        board = Board(Rules.freestyle(), [(8, 9)], [(7, 7), (6, 10)], False)
        if board.why_illegal(answer.point):
            raise CheckFailed(board.why_illegal(answer.point))
        if any(line.startswith("INFO ") for line in talk.heard()):
            raise CheckFailed("INFO lines though show_detail was not set")
    return Found()


@YIXIN.check(
    "yxshowforbid",
    "yxshowforbid names the forbidden points, with a dot at the end",
    51,
    cost={
        "Yixin-Board": "looks for the dot without bound",
    },
)
def yxshowforbid(bench: Bench) -> Found:
    """A double three at 7,7 by the plain rules, and no point when White is to move."""
    _need(bench)
    board = fork(Rules.renju())
    points = sorted(board.position.forbidden_points())
    wanted = "FORBID " + "".join(f"{x:02}{y:02}" for x, y in points) + "."
    with bench.talk() as talk:
        for lines, expected in (
            (board.lines(), wanted),
            (["BOARD", "7,7,2", "DONE"], "FORBID ."),
        ):
            talk.start(15, "INFO rule 4")
            talk.send("yxboard", *lines[1:-1], "done", "yxshowforbid")
            said = talk.quiet()
            if said != [expected]:
                raise CheckFailed(f"{said[0][:60] if said else 'nothing'!r}, not {expected!r}")
    return Found()


@YIXIN.check("yxshowinfo", "yxshowinfo tells threads and memory, before START too", 52, cost=_BOARD)
def yxshowinfo(bench: Bench) -> Found:
    """Two MESSAGE INFO lines."""
    _need(bench)
    with bench.talk() as talk:
        talk.send("INFO show_detail 3", "yxshowinfo")
        keys = ("MESSAGE INFO MAX_THREAD_NUM", "MESSAGE INFO MAX_HASH_SIZE")
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            talk.quiet(QUIET)
            said = " ".join(talk.heard())
            missing = [key for key in keys if not re.search(rf"{key} \d+", said)]
            if not missing:
                break
        if missing:
            raise CheckFailed(f"no line {missing[0]}")
    return Found()


@YIXIN.check(
    "yx-unknown",
    "After yxshowinfo an unknown yx word and its list give no output",
    52,
    cost={
        "Yixin-Board": "shows them; a coordinate among them is taken for a move",
    },
)
def yx_unknown(bench: Bench) -> Found:
    """Words of other versions of the board, each with its data."""
    _need(bench)
    with bench.talk() as talk:
        talk.start()
        talk.send("yxshowinfo")
        talk.quiet()
        talk.send("yxsoosorvstep3", "7,7", "8,8", "done", "yxblockpath", "7,7", "8,8", "done")
        said = [
            text for text in talk.quiet() if read_line(text, "move").kind in ("unknown", "error")
        ]
        if said:
            raise CheckFailed(f"{said[0][:60]!r}")
        talk.start()
        talk.move("BOARD", "7,7,2", "done")
    return Found()


_A_FIVE_AT_7_3: Final = (
    *("3,3,1", "2,3,2", "4,3,1", "10,10,2", "5,3,1", "12,4,2", "6,3,1", "9,12,2"),
)
"""Four in a row of the brain's, closed at one end."""


@YIXIN.check(
    "yxblock",
    "Points of yxblock are not played until yxblockreset",
    54,
    cost={
        "Yixin-Board": "plays a point that was excluded",
    },
)
def yxblock(bench: Bench) -> Found:
    """Its own first choice is excluded, five times; then the point that makes a five."""
    _need(bench)
    with bench.talk() as talk:
        talk.start()
        blocked: list[Point] = []
        for _ in range(5):
            point = talk.move("BOARD", "7,7,2", "DONE").point
            if point in blocked:
                raise CheckFailed(f"{point[0]},{point[1]} was excluded")
            blocked.append(point)
            talk.start()
            talk.send("yxblock", f"{point[0]},{point[1]}", "done")
            if talk.quiet(0.1):
                raise CheckFailed("yxblock gave an answer")
        talk.send("yxblock", "7,3", "done")
        if talk.move("BOARD", *_A_FIVE_AT_7_3, "DONE").point == (7, 3):
            raise CheckFailed("7,3 was excluded: it makes a five, and was played")
        talk.start()
        talk.send("yxblockreset")
        if talk.move("BOARD", *_A_FIVE_AT_7_3, "DONE").point != (7, 3):
            raise CheckFailed("7,3, which makes a five, is not played after yxblockreset")
    return Found()


@YIXIN.check(
    "show-detail",
    "INFO lines come with show_detail and stop with show_detail 0",
    53,
    cost={
        "Piskvork": "an INFO line loses the game",
    },
)
def show_detail(bench: Bench) -> Found:
    """Bit 2 asks for them."""
    _need(bench)
    with bench.talk() as talk:
        counts = []
        for detail in (3, 0):
            talk.start(15, f"INFO show_detail {detail}", turn=500)
            before = len(talk.log)
            talk.move("BOARD", "7,7,2", "8,9,1", "6,10,2", "DONE")
            said = [line.text for line in talk.log[before:] if line.way == "<"]
            counts.append(sum(t.startswith(("INFO ", "MESSAGE REALTIME")) for t in said))
    if not counts[0]:
        raise NotSupported("no detail with show_detail 3")
    if counts[1]:
        raise CheckFailed(f"{counts[1]} lines of detail after show_detail 0")
    return Found(f"{counts[0]} lines", {"lines": counts[0]})
