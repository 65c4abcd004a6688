"""Each dialogue of this folder, on a Session and on a process. README.md tells how to read them."""

import re
from pathlib import Path

import pytest
from brains import MOVE, Brain, Line, Talk

DIALOGUES = sorted(Path(__file__).parent.glob("*.txt"))


def steps(path: Path) -> list[tuple[str, str]]:
    """The lines of a dialogue as (">" or "<", text)."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line[:1] not in ("#", "")]
    assert all(line[:2] in ("> ", "< ") for line in lines)
    return [(line[0], line[2:]) for line in lines]


def matches(said: str, expected: str) -> bool:
    """Whether a line is the expected one; x,y stands for a point, " or " for a choice."""
    if said == expected:
        return True
    if expected.startswith(("MESSAGE ", "ERROR ")):
        return False
    choices = [
        re.escape(choice).replace("x,y", "[0-9]+,[0-9]+") for choice in expected.split(" or ")
    ]
    return re.fullmatch("|".join(choices), said) is not None


def is_summary(line: str) -> bool:
    """Whether a line tells what a search found, which differs from search to search."""
    return line.startswith(("MESSAGE depth ", "MESSAGE swap2: "))


@pytest.mark.parametrize("path", DIALOGUES, ids=lambda path: path.stem)
def test_on_a_session(path: Path) -> None:
    talk = Talk()
    last, heard = "", 0
    for sign, text in steps(path):
        if sign == ">":
            talk.send(text.replace("$last", last))
            continue
        while is_summary(talk.said[heard]):
            heard += 1
        assert matches(talk.said[heard], text), (talk.said[heard:], text)
        last = talk.said[heard] if MOVE.match(talk.said[heard]) else last
        heard += 1
    assert talk.over
    assert all(is_summary(line) for line in talk.said[heard:])


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("path", DIALOGUES, ids=lambda path: path.stem)
def test_on_a_process(path: Path, end: str) -> None:
    with Brain(end=end) as brain:
        last = ""
        for sign, text in steps(path):
            if sign == ">":
                brain.send(text.replace("$last", last))
                continue
            line: Line = brain.line(messages=True)
            while is_summary(line.text):
                line = brain.line(messages=True)
            assert matches(line.text, text), "\n".join([*brain.log, f"expected {text}"])
            last = line.text if MOVE.match(line.text) else last
        brain.left(0)
