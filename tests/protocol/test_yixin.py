"""The dialect of Yixin-Board on a Session, without a process; docs/yixin.md has the verbs."""

import re

import pytest
from brains import Found, Talk, nearest

from shisan.engine import Analysis, Colour, Limits, Line, Progress, Rules
from shisan.protocol.commands import FOREIGN_LISTS, FOREIGN_PATHS
from shisan.protocol.details import Trial
from shisan.protocol.options import BY_KEY
from shisan.protocol.session import Abort, Consult, Search, Stop
from shisan.protocol.summaries import read_summary
from shisan.protocol.yixin import MAX_HASH_SIZE, PLAIN

EMPTY = ["start 15", "yxboard", "done"]


def moves(lines: list[str]) -> list[str]:
    """Without MESSAGEs and INFO lines."""
    return [line for line in lines if not line.startswith(("MESSAGE ", "INFO "))]


# -- positions and searches ------------------------------------------------------------------------


def test_49_yxboard_is_silent_and_yxnbest_answers_once() -> None:
    talk = Talk("start 15")
    assert talk.send("yxboard", "7,7,2", "8,8,1", "9,9,2", "done") == []
    assert talk.session.position is not None
    assert talk.session.position.side == Colour.WHITE and talk.session.position.ply == 3
    assert moves(talk.send("yxnbest 2")) == ["0,0"]
    assert talk.searches[-1].task[:2] == ("lines", 2)
    assert talk.session.position.ply == 4  # the move is on the board


def test_yxboard_replaces_and_passes_turn_the_side() -> None:
    talk = Talk("start 15")
    talk.send("yxboard", "7,7,2", "-1,-1,1", "8,8,2", "done")
    position = talk.session.position
    assert position is not None
    assert position.stones == ((7, 7, Colour.BLACK), (8, 8, Colour.BLACK))
    assert position.side == Colour.WHITE
    assert talk.send("yxboard", "7,7,2", "7,7,1", "done") == ["ERROR point 7,7 is given twice"]
    assert talk.session.position == position  # a refused list changes nothing
    assert talk.answers("BOARD", "-1,-1,2", "DONE") == [
        "ERROR point must be 0..14,0..14, not -1,-1"
    ]


@pytest.mark.parametrize("line", ["start 15", "START 20", "RESTART"])
def test_one_move_line_for_a_stopped_search_before_anything_else(line: str) -> None:
    """The board leaves out one move line of each search that it has stopped."""
    for setup in ([], ["yxshowinfo"]):
        talk = Talk("start 15", *setup)
        talk.hold = True
        assert moves(talk.send("board", "7,7,2", "done")) == []
        assert talk.send("yxstop", line, "yxboard", "3,3,2", "done", "yxshowforbid") == []
        assert not any(isinstance(effect, Abort) for effect in talk.effects)
        assert moves(talk.finish()) == ["0,0", "OK", "FORBID ."]


def test_the_line_of_a_stopped_search_comes_before_any_answer() -> None:
    talk = Talk("yxshowinfo", "start 15")
    talk.hold = True
    talk.send("yxnbest 1")
    assert talk.send("yxshowforbid") == ["FORBID ."]
    assert talk.send("yxstop", "yxshowforbid", "yxdraw") == []
    assert talk.finish()[-3:] == ["0,0", "FORBID .", "MESSAGE DRAW REJECT"]
    talk.send("yxnbest 1", "yxnbest 1", "yxdraw", "yxshowforbid")  # what waited keeps its order
    assert moves(talk.finish()) == ["1,0"]
    assert talk.finish()[-3:] == ["2,0", "MESSAGE DRAW REJECT", "FORBID ."]


def test_a_start_of_a_board_ends_the_search_with_its_line() -> None:
    talk = Talk("start 15", "yxshowinfo")
    talk.hold = True
    talk.send("yxnbest 1", "start 15")
    assert isinstance(talk.effects[-1], Stop)
    assert moves(talk.finish()) == ["0,0", "OK"]


def test_during_a_search() -> None:
    """What the search does not use is answered at once, the rest in its turn, nothing dropped."""
    talk = Talk("info show_detail 0", "start 15", "info rule 4", "start 15")
    talk.hold = True
    talk.send("board", "7,7,2", "done")
    assert talk.send("yxshowforbid") == ["FORBID ."]
    assert talk.send("yxblock", "3,3", "done", "yxshowforbid") == []
    assert talk.send("yxquerydatabaseall", "7,7", "done", "turn 9,9") == []
    assert talk.consulted == []
    said = talk.finish()
    assert moves(said) == ["0,0", "FORBID ."]
    request = talk.consulted[-1].request
    assert request.verb == "yxquerydatabaseall"
    assert request.position is not None
    assert request.position.stones == ((7, 7, Colour.BLACK),)
    assert len(talk.searches) == 1  # the turn waits for the database
    assert talk.reply("MESSAGE DATABASE REFRESH", "MESSAGE DATABASE DONE")[:2] == [
        "MESSAGE DATABASE REFRESH",
        "MESSAGE DATABASE DONE",
    ]
    assert len(talk.searches) == 2 and talk.searches[-1].avoid == ((3, 3),)


@pytest.mark.parametrize("verb", ["yxnbest", "yxnbest 0", "yxnbest x", "yxnbest -3"])
def test_yxnbest_needs_a_number(verb: str) -> None:
    talk = Talk(*EMPTY)
    given = verb[8:] or "empty"
    assert talk.send(verb) == [f"ERROR yxnbest must be 1..484, not {given}"]


def test_yxnbest_takes_more_than_there_can_be() -> None:
    talk = Talk(*EMPTY)
    talk.send("yxnbest 99999")
    assert talk.searches[-1].task.number == 484


def test_the_board_without_limits_has_none() -> None:
    talk = Talk("yxshowinfo", "start 15", "INFO max_node -1", "INFO max_depth 225")
    talk.send("INFO timeout_match 100000000", "INFO time_left 100000000")
    talk.send("INFO timeout_turn 2000000", "yxnbest 1")
    assert talk.limits == Limits(depth=225)
    talk = Talk("start 15", "INFO timeout_match 100000000", "INFO timeout_turn 2000000", "BEGIN")
    assert talk.limits.turn_ms is not None  # another manager may mean it


def test_without_a_board() -> None:
    said = Talk("yxnbest 2", "yxshowforbid", "yxboard", "1,1,1", "done", "yxshowhashusage").said
    assert said == ["ERROR no board: send START first"] * 4
    talk = Talk("yxblock", "1,1", "done", "yxforbid add 2 2 0", "yxhashclear", "yxdraw")
    assert talk.said == ["MESSAGE DRAW REJECT"]
    talk.send("start 15", "begin")
    assert talk.searches[-1].avoid == ((1, 1), (2, 2))


# -- points that are not to be played --------------------------------------------------------------


def test_54_blocked_points() -> None:
    talk = Talk("start 15", "yxblock", "3,3", "0,0", "99,99", "-1,4", "done", "begin")
    assert talk.searches[-1].avoid == ((0, 0), (3, 3))
    assert talk.said[-1] == "1,0"
    talk.send("start 15", "yxblockundo", "0,0", "5,5", "done", "yxboard", "3,3,2", "done")
    talk.send("yxnbest 1")
    assert talk.searches[-1].avoid == ()  # what is occupied need not be blocked
    talk.send("start 15", "begin")
    assert talk.searches[-1].avoid == ((3, 3),)
    talk.send("start 15", "yxblockreset", "begin")
    assert talk.searches[-1].avoid == ()


def test_54_a_line_that_is_no_point_is_told() -> None:
    talk = Talk("start 15")
    assert talk.send("yxblock", "3,3", "x", "4,4", "done") == []
    assert "yxblock: line must be x,y, not x" in talk.messages("begin")
    assert talk.searches[-1].avoid == ((3, 3), (4, 4))


def test_54_nothing_left() -> None:
    talk = Talk("start 5", "yxblock", *(f"{x},{y}" for x in range(5) for y in range(5)), "done")
    assert talk.send("begin") == ["ERROR every empty point is blocked: send yxblockreset"]
    talk.send("yxblockundo", "4,4", "done")
    assert talk.answers("begin") == ["4,4"]


def test_blocked_sequences() -> None:
    talk = Talk("start 15", "yxblockpath", "7,7", "8,8", "6,6", "done")
    talk.send("yxblockpath", "7,7", "8,8", "9,9", "1,1", "done")
    for stones, avoid in (
        (["7,7,2"], ()),
        (["7,7,1", "8,8,2"], ((6, 6),)),
        (["8,8,1", "7,7,2"], ()),  # the colours are exchanged
        (["9,9,2", "8,8,1", "7,7,2"], ((1, 1),)),  # Black's stones in another order
        (["7,7,1", "8,8,2", "0,0,1", "0,1,2"], ()),
    ):
        talk.send("start 15", "yxboard", *stones, "done", "yxnbest 1")
        assert talk.searches[-1].avoid == avoid
    talk.send("yxblockpathundo", "7,7", "8,8", "6,6", "done")
    talk.send("yxboard", "7,7,1", "8,8,2", "done", "yxnbest 1")
    assert talk.searches[-1].avoid == ()
    talk.send("yxblockpathreset", "yxboard", "9,9,2", "8,8,1", "7,7,2", "done", "yxnbest 1")
    assert talk.searches[-1].avoid == ()
    talk.send("yxblockpath", "0,0", "done", "start 15", "begin")  # a sequence of one move
    assert talk.searches[-1].avoid == ((0, 0),)


def test_forbidden_by_the_user_for_one_side() -> None:
    talk = Talk("start 15", "yxforbid add 0 0 0", "yxforbid add 1 0 1", "begin")
    assert talk.searches[-1].avoid == ((0, 0),)
    talk.send("turn 9,9", "yxboard", "9,9,2", "done", "yxnbest 1")
    assert talk.searches[-1].avoid == ((1, 0),)
    talk.send("yxforbid del 1 0 1", "yxboard", "9,9,2", "done", "yxnbest 1")
    assert talk.searches[-1].avoid == ()
    for text in ("", "add", "add 1 1", "add 1 1 2", "add 99 1 0", "put 1 1 0", "add a b 0"):
        (line,) = talk.send(f"yxforbid {text}")
        assert line.startswith("ERROR yxforbid must ")


# -- what the board asks for -----------------------------------------------------------------------


def test_yxshowinfo() -> None:
    (name, threads, size) = Talk().send("yxshowinfo")
    assert name.startswith("MESSAGE Shisan ")
    assert threads == f"MESSAGE INFO MAX_THREAD_NUM {BY_KEY['thread_num'].high or 1}"
    assert size == f"MESSAGE INFO MAX_HASH_SIZE {MAX_HASH_SIZE}"


def test_51_forbidden_points_follow_the_rule_and_the_side() -> None:
    stones = [(x, 5) for x in (1, 2, 4, 5)] + [(3, y) for y in (2, 3)]
    black = [f"{x},{y},1" for x, y in stones]
    white = [f"{2 * i},14,2" for i in range(6)]
    talk = Talk("yxshowinfo", "start 15", "yxboard", *black, *white, "done")
    assert talk.send("yxshowforbid") == ["FORBID ."]  # freestyle
    assert talk.send("INFO rule 2", "yxshowforbid") == ["FORBID ."]  # a five wins
    black = [line.replace("5,5,1", "6,5,1") for line in black]
    talk.send("start 15", "yxboard", *black, *white, "done")
    assert talk.send("yxshowforbid") == ["FORBID ."]
    talk.send("start 15", "yxboard", "0,3,1", "2,3,1", "3,3,1", "4,3,1", "5,3,1", *white, "done")
    assert talk.send("yxshowforbid") == ["FORBID ."]  # White has one stone more: we are White
    talk.send("yxboard", "0,3,1", "2,3,1", "3,3,1", "4,3,1", "5,3,1", *white[:5], "done")
    assert talk.send("yxshowforbid") == ["FORBID 0103."]


def test_hash_verbs_need_the_engine() -> None:
    talk = Talk("start 15", "begin")
    assert not talk.searches[-1].task.verb
    talk.send("yxhashclear", "start 15", "begin")  # as the board sends them
    assert talk.searches[-1].new_game
    talk.send("start 15", "begin")
    assert not talk.searches[-1].new_game  # a new position is no new game
    talk.send("yxhashclear", "turn 9,9")
    assert talk.searches[-1].new_game  # the search begins with empty tables
    talk.send("turn 9,8")
    assert not talk.searches[-1].new_game
    for verb, path in (("yxhashdump", "/a b/c"), ("yxhashload", "start 15")):
        assert talk.send(verb, path) == [f"MESSAGE {verb} {path}"]
        assert talk.searches[-1].task[:4] == ("hash", 0, verb, path)
    assert talk.send("yxshowhashusage") == ["MESSAGE yxshowhashusage"]


@pytest.mark.parametrize(("value", "word"), [(30, "NO"), (0, "NO"), (-30, "YES")])
def test_swap2_steps(value: int, word: str) -> None:
    talk = Talk("start 15")
    talk.answer = lambda search: nearest(search)._replace(value=value)
    first = talk.send("yxswap2step1")
    assert [line.rsplit(" ", 2)[0] for line in first] == [
        f"MESSAGE SWAP2 MOVE{i}" for i in (1, 2, 3)
    ]
    stones = ["5,5,2", "6,6,1", "7,7,2", "8,8,1", "9,9,2"]
    talk.send("yxboard", *stones[:3], "done")
    assert talk.send("yxswap2step2")[-1] == f"MESSAGE SWAP2 SWAP1 {word}"
    talk.send("yxboard", *stones, "done")
    assert talk.send("yxswap2step3")[-1] == f"MESSAGE SWAP2 SWAP2 {word}"
    assert talk.send("yxswap2step2") == [
        "ERROR yxswap2step2 must have 3 stones and White to move, not 5 and White"
    ]
    talk.hold = True
    talk.send("yxswap2step3", "yxstop")
    assert moves(talk.finish()) == ["0,0"]  # the board leaves out one line of a stopped search


def test_soosorv_lists() -> None:
    talk = Talk("start 15", "info rule 4")
    assert [line.split()[2] for line in talk.send("yxsoosorvstep1")] == ["MOVE1", "MOVE2", "MOVE3"]
    for lines, problem in (
        (["yxsoosorvstep2", "7,7", "done"], "must have 3 points, not 1"),
        (["yxsoosorvstep4", "7,7", "7,6", "7,5", "1,1", "done"], "must have 1..8 fifth moves"),
        (["yxsoosorvstep4 9", "7,7", "7,6", "7,5", "1,1", "done"], "must have 1..8 fifth moves"),
        (["yxsoosorvstep6", "7,7", "7,6", "7,5", "1,1", "done"], "must have more than 4 points"),
        (["yxsoosorvstep3", "7,7", "7,7", "7,5", "done"], "point 7,7 is given twice"),
        (["yxsoosorvstep3", "7,7", "-1,-1", "7,5", "done"], "has no passes"),
    ):
        (line,) = talk.send(*lines)
        assert line.startswith(f"MESSAGE {lines[0].split()[0]}: {problem}")
    talk.hold = True
    talk.send("yxsoosorvstep5 3", "7,7", "7,6", "7,5", "1,1", "done")
    search = talk.searches[-1]
    assert (search.task.number, search.task.fifths) == (5, 3)
    assert search.position.ply == 4 and search.position.side == Colour.BLACK


# -- the database ----------------------------------------------------------------------------------


def test_database_requests() -> None:
    talk = Talk("start 15", "info database_readonly 1")
    talk.hold = True
    talk.send("yxdeletedatabaseall wlinsteprecursive 3", "7,7", "8,8", "done")
    request = talk.consulted[-1].request
    assert request.verb == "yxdeletedatabaseall"
    assert request.arguments == "wlinsteprecursive 3"
    assert request.read_only and request.path == ""
    assert request.position is not None and request.position.side == Colour.BLACK
    talk.reply()
    talk.send(b"YXSETDATABASE", b"/a  b/\xff.db ")
    request = talk.consulted[-1].request
    assert request.verb == "yxsetdatabase"
    assert request.path.encode("utf-8", "surrogateescape") == b"/a  b/\xff.db"
    assert talk.send("yxstop", "start 15", "yxdbcheck") == []  # it waits for the database
    assert talk.reply("MESSAGE done\u263a") == ["MESSAGE done?", "OK"]
    assert talk.consulted[-1].request.verb == "yxdbcheck"
    talk.reply()
    assert talk.send("yxquerydatabaseone", "7,7", "7,7", "done") == [
        "MESSAGE yxquerydatabaseone: point 7,7 is given twice"
    ]


def test_work_on_files_is_no_time_of_the_game() -> None:
    """A time_left that comes meanwhile holds as it is, not from when that work was begun."""
    for work in (["yxtxttodb", "some.txt"], ["yxhashload", "some.hash"]):
        talk = Talk("yxshowinfo", "start 15", "info time_left 60000")
        talk.hold = True
        talk.send(*work)
        talk.now += 30
        talk.send("info time_left 5000")
        if talk.consulting:
            talk.reply()
        else:
            talk.finish()
        talk.send("begin")
        assert talk.limits.left_ms is not None and talk.limits.left_ms < 5000


def test_a_text_may_have_several_lines() -> None:
    talk = Talk("start 15")
    talk.hold = True
    talk.send('yxedittextdatabase "one', "done", "", "start 15", 'say \\"hi\\""', "7,7", "done")
    request = talk.consulted[-1].request
    assert request.arguments == '"one\ndone\n\nstart 15\nsay \\"hi\\""'
    assert request.position is not None and request.position.ply == 1


def test_every_verb_is_consumed_with_its_data() -> None:
    """Whatever is sent, what follows is no unknown command."""
    names = [verb for verb in FOREIGN_LISTS | FOREIGN_PATHS if verb.startswith("YX")]
    for verb in (*names, *PLAIN, "yxunheardof"):
        talk = Talk("yxshowinfo", "start 15")
        data = ["1,1", "2,2", "done"] if verb in FOREIGN_LISTS else []
        data = ["/some path/1,1"] if verb in FOREIGN_PATHS else data
        said = talk.send(verb, *data)
        assert not any(line.startswith("UNKNOWN") for line in said), (verb, said)
        assert talk.send("START 15") == ["OK"], verb


# -- what is shown ---------------------------------------------------------------------------------


def progress(depth: int, move: tuple[int, int] = (7, 9), value: int = 12) -> Progress:
    return Progress(move, value, None, depth, 1000 * depth, 10 * depth, (move, (0, 1)))


def shown(detail: int, *news: tuple[float, object]) -> list[str]:
    """What a search says that knows this news at these seconds after its beginning."""
    talk = Talk(f"info show_detail {detail}", "start 15")
    talk.hold = True
    talk.send("begin")
    before, ticket = len(talk.said), talk.searches[-1].ticket
    for after, known in news:
        effects = talk.session.report(ticket, known, talk.now + after)  # type: ignore[arg-type]
        talk._carry_out(effects)
    return talk.said[before:]


def test_53_realtime_lines() -> None:
    assert shown(1, (1, progress(3))) == [
        "MESSAGE REALTIME REFRESH",
        "MESSAGE REALTIME BEST 7,9",
        "MESSAGE REALTIME VAL 12",
        "MESSAGE REALTIME PV j8 b15",  # as that board names it: row 7 from the top is 8
    ]


def test_53_blocks() -> None:
    best = Line((7, 9), 29993, 1.0, 7, 5, ((7, 9), (8, 8)))
    other = Line((1, 2), -200, 0.2689, None, 5, ((1, 2),))
    known = Analysis((best, other), 5000, 20)
    lines = shown(2, (1, known))
    assert lines[:12] == [
        "INFO PV 0",
        "INFO NUMPV 2",
        "INFO DEPTH 5",
        "INFO SELDEPTH 5",
        "INFO NODES 5000",
        "INFO TOTALNODES 5000",
        "INFO TOTALTIME 20",
        "INFO SPEED 250000",
        "INFO EVAL +M7",
        "INFO WINRATE 1.000",
        "INFO BESTLINE 7,9 8,8",
        "INFO PV DONE",
    ]
    assert lines[12] == "INFO PV 1" and "INFO EVAL -200" in lines and "INFO WINRATE 0.269" in lines


def test_53_not_more_blocks_than_a_stop_has_time_for() -> None:
    lines = tuple(
        Line((i % 15, i // 15), -i, 0.5, None, 3, ((i % 15, i // 15),)) for i in range(99)
    )
    said = shown(2, (1, Analysis(lines, 5000, 20)))
    assert said[-12] == "INFO PV 63" and set(said[1::12]) == {"INFO NUMPV 64"}


def test_53_not_too_often_and_never_twice() -> None:
    assert shown(3, (0.01, progress(1))) == []
    lines = shown(1, (0.2, progress(1)), (0.25, progress(2)), (0.31, progress(3)), (9, progress(3)))
    assert sum(line.startswith("MESSAGE REALTIME BEST") for line in lines) == 2
    assert sum("REFRESH" in line for line in lines) == 1


def test_53_points_tried_one_by_one() -> None:
    lost = Trial((4, 4), ended=True, lost=True)
    lines = shown(
        1,
        (0.2, Trial((3, 3), ended=False)),
        (0.21, Trial((3, 3), ended=True)),
        (0.22, Trial((4, 4), ended=False)),
        (0.23, lost),
        (0.24, lost),
    )
    assert [line[17:] for line in lines] == ["REFRESH", "POS 3,3", "DONE 3,3", "LOST 4,4"]


def test_53_only_when_asked() -> None:
    assert shown(0, (1, progress(3)), (2, Trial((3, 3), ended=False))) == []
    talk = Talk("info show_detail 3", "start 15")
    talk.hold = True
    talk.send("begin")
    ticket = talk.searches[-1].ticket
    assert talk.session.report(ticket, progress(3), talk.now + 1)
    talk.send("info show_detail 0")
    assert talk.session.report(ticket, progress(4), talk.now + 2) == []
    said = talk.finish()
    assert not any("REALTIME" in line or line.startswith("INFO") for line in said)


def test_53_the_result_is_always_shown() -> None:
    talk = Talk("info show_detail 3", "start 15", "begin")
    assert "MESSAGE REALTIME BEST 0,0" in talk.said
    assert talk.said.index("INFO PV DONE") < talk.said.index("0,0")
    assert talk.said[-1] == "0,0"


def test_a_summary_for_each_of_several_lines() -> None:
    """In the form that pygomo-lib and others read."""
    talk = Talk("start 15", "yxboard", "7,7,2", "done")
    talk.hold = True
    talk.send("yxnbest 2")
    lines = (
        Line((8, 8), 35, 0.54, None, 9, ((8, 8), (6, 6))),
        Line((1, 1), -29990, 0.0, -10, 9, ((1, 1),)),
    )
    found = Found((8, 8), 35, None, 9, 4321, 20, ((8, 8), (6, 6)))
    ticket = talk.searches[-1].ticket
    effects = talk.session.finish(ticket, found, talk.now, lines)  # type: ignore[arg-type]
    talk._carry_out(effects)
    assert talk.said[-3:] == [
        "MESSAGE depth 9-9 multipv 1 ev 35 n 4321 n/ms 216 tm 20 pv i9 g7",
        "MESSAGE depth 9-9 multipv 2 ev -M10 n 4321 n/ms 216 tm 20 pv b2",
        "8,8",
    ]
    summary = read_summary(talk.said[-2])
    assert (summary.depth, summary.score, summary.nodes) == (9, -29990, 4321)
    form = r"depth (\d+)-(\d+)( multipv \d+)? ev ([+-]?M?\d+) n \d+ n/ms \d+ tm \d+ pv( [a-z]\d+)+"
    for line in talk.said[-3:-1]:
        assert re.fullmatch(f"MESSAGE {form}", line)


def test_effects_carry_what_the_thread_needs() -> None:
    talk = Talk("start 15", "info usedatabase 1", "info nbestsym 1", "yxnbest 3")
    search = talk.searches[-1]
    assert search.use_database and not search.read_only and search.task.merge
    assert isinstance(search, Search) and not isinstance(search, Consult)
    assert search.position.rules == Rules.freestyle(15)


def test_pygomo_reads_the_summary() -> None:
    """The client itself, where it is installed."""
    gomocup = pytest.importorskip("pygomo.protocol.gomocup")
    talk = Talk("start 15", "yxboard", "7,7,2", "done")
    talk.answer = lambda search: Found((8, 8), -29990, -10, 9, 4321, 20, ((8, 8), (6, 6)))
    line = next(line for line in talk.send("yxnbest 1") if line.startswith("MESSAGE depth"))
    read = gomocup.GomocupProtocol().parse_message(line)
    assert (read["depth"], read["eval"], read["nodes"], read["time"]) == (9, "-M10", 4321, 20)
    assert len(read["pv"]) == 2
