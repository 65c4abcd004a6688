"""The parser alone: any line at all gives a Command."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisan.protocol.commands import Command, numbers_of, parse, printable
from shisan.protocol.options import number

EXAMPLES = int(os.environ.get("SHISAN_FUZZ_EXAMPLES", "200"))
KINDS = set(
    "start restart info begin turn board swap2board done takeback play about end stop "
    "yx foreign unknown error nothing".split()
)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
@settings(max_examples=EXAMPLES, deadline=None)
def test_total(line: bytes | str) -> None:
    command = parse(line)
    assert type(command) is Command
    assert command.kind in KINDS


@given(st.sampled_from(["TURN", "START", "INFO", "BOARD", "yxstop", "PLAY"]), st.text(max_size=50))
@settings(max_examples=EXAMPLES, deadline=None)
def test_total_behind_a_verb(verb: str, rest: str) -> None:
    assert parse(f"{verb} {rest}").kind in KINDS


@pytest.mark.parametrize(
    ("line", "kind", "numbers"),
    [
        ("START 15", "start", (15, 15)),
        ("start 15 15", "start", (15, 15)),
        ("RECTSTART 20,15", "start", (20, 15)),
        ("rectstart 20 , 15", "start", (20, 15)),
        ("TURN 7,8", "turn", (7, 8)),
        ("TURN +7,08", "turn", (7, 8)),
        ("turn\t7 ,8 \r\n", "turn", (7, 8)),
        ("TAKEBACK 0,0", "takeback", (0, 0)),
        ("PLAY -1,-1", "play", (-1, -1)),
        ("BEGIN", "begin", (0, 0)),
        ("begin now", "begin", (0, 0)),
        ("YXSTOP", "stop", (0, 0)),
        ("yxboard", "yx", (0, 0)),
        ("showforbid", "foreign", (0, 0)),
        ("BEGINNER", "unknown", (0, 0)),
        ("TURN7,7", "unknown", (0, 0)),
        ("\ufb01START 15", "unknown", (0, 0)),
        ("START fifteen", "error", (0, 0)),
        ("START \u0661\u0665", "error", (0, 0)),
        ("START 1_5", "error", (0, 0)),
        ("TURN 7", "error", (0, 0)),
        ("TURN 7,8,9", "error", (0, 0)),
        ("TURN " + "9" * 30 + ",1", "error", (0, 0)),
        ("", "nothing", (0, 0)),
        (" \t\r\n", "nothing", (0, 0)),
    ],
)
def test_kinds(line: str, kind: str, numbers: tuple[int, int]) -> None:
    for form in (line, line.encode("utf-8")):
        command = parse(form)
        assert (command.kind, command.numbers) == (kind, numbers)


@pytest.mark.parametrize(
    ("line", "key", "text"),
    [
        ("INFO timeout_turn 5", "timeout_turn", "5"),
        ("info TIMEOUT_TURN  5 ", "timeout_turn", "5"),
        ("INFO folder C:\\A b\\C  d", "folder", "C:\\A b\\C  d"),
        ("INFO folder", "folder", ""),
        ("INFO", "", ""),
    ],
)
def test_info(line: str, key: str, text: str) -> None:
    command = parse(line)
    assert (command.kind, command.key, command.text) == ("info", key, text)


def test_numbers() -> None:
    assert numbers_of("1,2,3") == [1, 2, 3]
    assert numbers_of(" 1 ,\t-2 ") == [1, -2]
    for text in ("", ",", "1,", "1,,2", "1 2", "x", "1,2x", "0x1,2", "1" * 300):
        assert numbers_of(text) is None
    assert number("0" * 19) == 0
    assert number("1" * 20) is None


def test_printable() -> None:
    assert printable("abc\x00\u00e9\udcff") == "abc???"
    assert printable("x" * 100, 10) == "xxxxxxx..."
