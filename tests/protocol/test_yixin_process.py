"""The dialect of Yixin-Board, spoken with a process: stops, what is shown, tables, blocks."""

import re
import time
from pathlib import Path

import pytest
from brains import MOVE, SLACK, Brain

STONES = ["yxboard", "7,7,2", "8,8,1", "7,8,2", "done"]
LIMITLESS = [
    "INFO max_node -1",
    "INFO timeout_match 100000000",
    "INFO time_left 100000000",
    "INFO timeout_turn 2000000",
    "INFO max_depth 225",
]
SEARCHES = {
    "board": r"[0-9]+,[0-9]+",
    "yxnbest 3": r"[0-9]+,[0-9]+",
    "yxsearchdefend": r"[0-9]+,[0-9]+",
    "yxbalanceone 0": r"[0-9]+,[0-9]+",
    "yxbalancetwo 0": r"[0-9]+,[0-9]+ [0-9]+,[0-9]+",
}


def ask(verb: str) -> list[str]:
    """The lines that begin a search of this kind."""
    if verb == "board":
        return ["start 15", "board", *STONES[1:]]
    return ["start 15", *STONES, verb]


@pytest.mark.parametrize("verb", SEARCHES)
def test_50_a_stop_gives_one_line_within_50_ms(verb: str) -> None:
    """However long the search has run, and before the reply to what comes after."""
    with Brain() as brain:
        brain.send("info show_detail 0", "yxshowinfo", "start 15", *LIMITLESS)
        assert brain.line().text == "OK"
        for wait in (0.6, 0.0, 0.002, 0.05, 0.3):
            brain.send(*ask(verb))
            assert brain.line().text == "OK"
            time.sleep(wait)
            at = brain.send("yxstop", "start 15", "yxshowforbid")
            line = brain.line()
            assert re.fullmatch(SEARCHES[verb], line.text), brain.log
            assert line.at - at < 0.05 + SLACK
            assert [brain.line().text, brain.line().text] == ["OK", "FORBID ."]
        brain.quiet()
        assert brain.leave("end") < 0.5 + SLACK


@pytest.mark.parametrize("verb", SEARCHES)
@pytest.mark.parametrize("now", ["INFO timeout_turn 0", "INFO time_left 0"])
def test_35_move_now(verb: str, now: str) -> None:
    with Brain() as brain:
        brain.send("start 15", "INFO timeout_turn 600000", *ask(verb))
        assert [brain.line().text, brain.line().text] == ["OK", "OK"]
        time.sleep(0.3)
        at = brain.send(now)
        line = brain.line()
        assert re.fullmatch(SEARCHES[verb], line.text) and line.at - at < 0.05 + SLACK
        brain.leave("end")


def test_53_shown_while_asked_for() -> None:
    with Brain() as brain:
        brain.send("info show_detail 3", "yxshowinfo", "start 15", *LIMITLESS, *ask("yxnbest 2"))
        heard: list[str] = []
        deadline = time.monotonic() + 10
        while heard.count("INFO PV 1") < 2 and time.monotonic() < deadline:
            heard.append(brain.line(messages=True).text)
        begin = heard.index("INFO PV 0")
        keys = [line.split()[1] for line in heard[begin : begin + 12]]
        assert (
            keys
            == (
                "PV NUMPV DEPTH SELDEPTH NODES TOTALNODES TOTALTIME SPEED EVAL WINRATE BESTLINE PV"
            ).split()
        )
        assert heard[begin + 1] == "INFO NUMPV 2" and heard[begin + 11] == "INFO PV DONE"
        assert any(re.fullmatch(r"MESSAGE REALTIME BEST \d+,\d+", line) for line in heard)
        assert any(re.fullmatch(r"MESSAGE REALTIME PV( [a-o]\d+)+", line) for line in heard)
        brain.send("info show_detail 0", "ABOUT")
        time.sleep(0.3)
        brain.send("yxstop")
        rest = []
        while not (text := brain.line(messages=True).text).startswith("name="):
            rest.append(text)
        last = max(i for i, line in enumerate(rest) if line.startswith("MESSAGE depth"))
        assert MOVE.match(rest[last + 1])
        assert not any("REALTIME" in line or line[:5] == "INFO " for line in rest[last - 1 :])
        brain.leave("end")


def test_nothing_is_shown_unasked() -> None:
    with Brain() as brain:
        brain.send("yxshowinfo", "start 15", "INFO timeout_turn 500", *STONES, "yxnbest 3")
        heard = []
        while not MOVE.match(text := brain.line(messages=True).text):
            heard.append(text)
        assert not any("REALTIME" in line for line in heard)
        assert not any(line.startswith("INFO") for line in heard)
        brain.leave("end")


def test_54_blocked_points_of_a_process() -> None:
    """A five is not made and a four is not stopped on a point that is blocked; afterwards it is."""
    five = ["yxboard", "7,7,1", "0,0,2", "8,7,1", "2,0,2", "9,7,1", "4,0,2", "10,7,1", "6,0,2"]
    stop = ["yxboard", "0,0,2", "7,7,1", "2,0,2", "8,7,1", "4,0,2", "9,7,1", "6,7,2", "10,7,1"]
    with Brain() as brain:
        brain.send("yxshowinfo", "start 15", "INFO timeout_turn 200")
        brain.line()
        for stones, wanted in ((five, {"6,7", "11,7"}), ([*stop[:-1]], {"11,7"})):
            if stones is not five:  # our stones are the ones that stop: exchange the sides
                swapped = {"1": "2", "2": "1"}
                stones = [line[:-1] + swapped[line[-1]] if "," in line else line for line in stop]
            for verb in ("yxnbest 1", "yxnbest 3", "yxsearchdefend"):
                blocked = ["yxblock", *sorted(wanted), "done"]
                brain.send("start 15", *stones, "done", *blocked, verb)
                assert brain.line().text == "OK"
                assert brain.line().text not in wanted
                brain.send("yxblockreset", "start 15", *stones, "done", verb)
                assert brain.line().text == "OK"
                assert brain.line().text in wanted
        brain.leave("end")


def test_a_table_goes_from_one_process_to_another(tmp_path: Path) -> None:
    path = tmp_path / "some table"
    setup = ["yxshowinfo", "start 15", "INFO hash_size 2048", "INFO max_depth 9"]
    summary = re.compile(r"MESSAGE depth 9-9 ev \S+ n (\d+) ")

    def nodes(brain: Brain) -> int:
        brain.send("start 15", *STONES, "yxnbest 1")
        while not (found := summary.match(brain.line(messages=True).text)):
            pass
        brain.line()
        return int(found[1])

    def told(brain: Brain, *lines: str) -> str:
        brain.send(*lines)
        while not (text := brain.line(messages=True).text).startswith("MESSAGE hash"):
            pass
        return text

    with Brain() as brain:
        brain.send(*setup)
        fresh = nodes(brain)
        assert told(brain, "yxhashdump", str(path)).startswith("MESSAGE hash saved to ")
        assert re.search(r"usage \d+\.\d % of \d+ KiB$", told(brain, "yxshowhashusage"))
        brain.leave("end")
    with Brain() as brain:
        brain.send(*setup)
        assert told(brain, "yxhashload", str(path)).startswith("MESSAGE hash loaded from ")
        assert nodes(brain) < fresh / 2
        brain.send("yxhashclear")
        assert nodes(brain) == fresh
        brain.send("INFO rule 1", "start 15")
        assert "holds another table" in told(brain, "yxhashload", str(path))
        path.write_bytes(path.read_bytes()[:-2])
        brain.send("INFO rule 0", "start 15")
        assert "is damaged" in told(brain, "yxhashload", str(path))
        assert nodes(brain) == fresh
        brain.leave("end")


def test_unknown_words_and_data_of_a_process() -> None:
    with Brain(end="\r\n") as brain:
        brain.send("yxshowinfo", "yxfoo", "1,1", "2,2", "done", "yxbar", "yxdbsplit", "/a b/1,1")
        brain.send("YXSOOSORVSTEP9", "1,1", "DONE", "yxhashload", "start 15", "start 15")
        assert brain.line().text == "ERROR no board: send START first"  # of yxhashload
        assert brain.line().text == "OK"
        brain.quiet()
        brain.leave("end")


def test_a_database_of_a_process(tmp_path: Path) -> None:
    """Named, written by hand and by a search, asked during one, and damaged."""
    path = tmp_path / "a book.db"
    with Brain() as brain:

        def told(*lines: str) -> list[str]:
            """What is said to these lines, the answer to ABOUT left out."""
            brain.send(*lines, "ABOUT")
            said = []
            while not (text := brain.line(messages=True).text).startswith("name="):
                said.append(text)
            return said

        told("yxshowinfo", "start 15", "INFO max_node 2000", "info usedatabase 1")
        assert told("yxsetdatabase", str(path))
        assert path.exists()
        told("yxedittvddatabase 2 -1 77 0", "7,7", "8,8", "done")
        (one,) = told("yxquerydatabaseone", "7,7", "8,8", "done")
        assert one.startswith("MESSAGE DATABASE ONE") and " 77 " in one
        said = told("start 15", *STONES, "yxnbest 1", "yxquerydatabaseone", *STONES[1:3], "done")
        assert sum(bool(MOVE.match(line)) for line in said) == 1
        moved = next(i for i, line in enumerate(said) if MOVE.match(line))
        assert any(line.startswith("MESSAGE DATABASE ONE") for line in said[moved:])
        told("start 15", "board", "7,7,2", "done", "yxsavedatabase")
        all_of_it = told("yxquerydatabaseall", "7,7", "done")
        assert all_of_it[0] == "MESSAGE DATABASE REFRESH"
        assert all_of_it[-1] == "MESSAGE DATABASE DONE"
        brain.leave("end")
    path.write_bytes(b"this is no database, whatever it is called" * 100)
    with Brain() as brain:
        brain.send("yxshowinfo", "start 15", "INFO max_node 2000", "info usedatabase 1")
        brain.send("yxsetdatabase", str(path), "board", "7,7,2", "done")
        assert brain.line().text == "OK"
        assert MOVE.match(brain.line().text)
        brain.leave("end")
    assert path.read_bytes().startswith(b"this is no database")


@pytest.mark.parametrize("end", ["END", ""])
def test_what_is_saved_last_is_on_the_disk(tmp_path: Path, end: str) -> None:
    """Save and leave, in one burst: the file is whole, and nothing unfinished lies beside it."""
    path = tmp_path / "table"
    with Brain() as brain:
        brain.ask("START 15", "INFO hash_size 2048", "INFO max_node 500")
        assert MOVE.match(brain.ask("TURN 7,7"))
        at = brain.send("yxhashdump", str(path), *filter(None, [end]))
        if not end:
            assert brain.process.stdin is not None
            brain.process.stdin.close()
        assert brain.left(at) < 0.5 + SLACK
    assert [file.name for file in tmp_path.iterdir()] == ["table"]
    with Brain() as brain:
        brain.ask("START 15", "INFO hash_size 2048", "yxhashload", str(path), "ABOUT")
        brain.line()
        assert any("MESSAGE hash loaded from" in line for line in brain.log)
        brain.leave()


def test_a_long_save_keeps_nobody_from_leaving(tmp_path: Path) -> None:
    with Brain() as brain:
        brain.ask("START 15", "INFO hash_size 524288")
        brain.send("yxhashdump", str(tmp_path / "table"))
        time.sleep(0.1)
        assert brain.leave() < 0.5 + SLACK
    assert not (tmp_path / "table").exists()
