"""The managers' pages: the tables are what the brain does, the examples run as they stand."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import support_tables
from brains import Found, Talk

from shisan.protocol import sayings, summaries

PAGES = Path(__file__).parents[2] / "docs" / "managers"
PYGOMO = PAGES / "pygomo-lib.md"

LINES = (
    (
        Found((7, 7), 35, None, 12, 210_000, 3011, ((7, 7), (8, 8))),
        "depth 12-12 ev 35 n 210000 n/ms 69 tm 3011 pv h8 i9",
        (12, "35", 210_000, 69, 3011, ["h8", "i9"]),
    ),
    (
        Found((0, 0), -1200, None, 3, 1, 0, ()),
        "depth 3-3 ev -1200 n 1 n/ms 1 tm 0 pv a1",
        (3, "-1200", 1, 1, 0, ["a1"]),
    ),
    (
        Found((21, 21), 29_995, 5, 7, 12_000_000, 2000, ((21, 21), (20, 9))),
        "depth 7-7 ev +M5 n 12000000 n/ms 6000 tm 2000 pv v22 u10",
        (7, "+M5", 12_000_000, 6000, 2000, ["v22", "u10"]),
    ),
    (
        Found((7, 7), -29_994, -6, 0, 0, 0, ((7, 7),)),
        "depth 0-0 ev -M6 n 0 n/ms 0 tm 0 pv h8",
        (0, "-M6", 0, 0, 0, ["h8"]),
    ),
)
"""What a search has found, what is said of it, and what a client must make of that: depth, value,
nodes, nodes a millisecond, milliseconds and best line, as the published form has them."""


def test_tables() -> None:
    """Run `python tests/protocol/support_tables.py` to write them anew."""
    page = support_tables.PAGE.read_text(encoding="utf-8")
    assert support_tables.filled(page) == page


def test_every_page_is_listed_and_says_what_was_run() -> None:
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    for page in PAGES.glob("*.md"):
        if page.name != "README.md":
            assert f"]({page.name})" in index, page.name
            assert "\n## What was run\n" in page.read_text(encoding="utf-8"), page.name


@pytest.mark.parametrize(("found", "line", "parsed"), LINES)
def test_summaries_are_in_the_published_form(
    found: Found, line: str, parsed: tuple[int, str, int, int, int, list[str]]
) -> None:
    """Read by an expression of our own, and by our reader of other brains' lines."""
    assert sayings.summaries(found) == [line]  # type: ignore[arg-type]
    form = r"depth (\d+)-\1 ev ([+-]?M?\d+) n (\d+) n/ms (\d+) tm (\d+) pv ((?:[a-v]\d+ ?)+)"
    match = re.fullmatch(form, line)
    assert match is not None
    depth, value, nodes, speed, time_ms, moves = match.groups()
    assert (int(depth), value, int(nodes), int(speed), int(time_ms), moves.split()) == parsed
    assert summaries.read_summary(line) == (found.value, found.nodes, found.depth)


@pytest.mark.parametrize(("found", "line", "parsed"), LINES)
def test_pygomo_reads_our_summaries(
    found: Found, line: str, parsed: tuple[int, str, int, int, int, list[str]]
) -> None:
    """The published client's own parser."""
    protocol = pytest.importorskip("pygomo.protocol").GomocupProtocol()
    read = protocol.parse_message("MESSAGE " + line)
    keys = ("depth", "eval", "nodes", "nps", "time", "pv")
    assert tuple(read[key] for key in keys) == parsed
    info = protocol.parse_search_info("MESSAGE " + line)
    assert info.pv[0].to_tuple() == found.move
    assert info.eval.is_mate() == (found.win_in is not None)
    if found.win_in is not None:
        assert info.eval.is_winning() == (found.win_in > 0)
        assert info.eval.score().steps() == abs(found.win_in)


def test_other_messages_are_no_summaries() -> None:
    """Nothing else that we say looks like a search to that client."""
    protocol = pytest.importorskip("pygomo.protocol").GomocupProtocol()
    talk = Talk("START 15", "INFO rule 6", "INFO variety 8", "INFO strength 900", "INFO nonsense 5")
    said = talk.messages("INFO thread_split_depth 3", "INFO pondering 1", "BEGIN")
    said += talk.messages("SWAP2BOARD", "0,0", "1,1", "2,2", "DONE", "INFO rule 1", "TURN 9,9")
    said.append("lost in 1: White wins at g7, forbidden for Black (double three)")
    assert len(said) > 5
    for text in said:
        read = protocol.parse_message("MESSAGE " + text)
        assert (read["depth"], read["eval"], read["nodes"], read["pv"]) == (0, "0", 0, [])


@pytest.mark.skipif(os.name != "posix", reason="the brain is started by a script")
def test_pygomo_example(tmp_path: Path) -> None:
    """The page's program prints what the page says, the moves apart."""
    pytest.importorskip("pygomo")
    text = PYGOMO.read_text(encoding="utf-8")
    program, printed = re.findall(r"^```(?:python|text)\n(.*?)^```$", text, re.M | re.S)[:2]
    script = tmp_path / "pbrain-shisan"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shisan.protocol "$@"\n')
    script.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr

    def blurred(output: str) -> str:
        return re.sub(r"\b[a-o]\d+\b|-?\d+\.?\d*", "N", output)

    assert blurred(done.stdout) == blurred(printed)


@pytest.mark.skipif(not os.environ.get("C_GOMOKU_CLI"), reason="C_GOMOKU_CLI names no runner")
def test_c_gomoku_cli_example(tmp_path: Path) -> None:
    """The page's command, with the runner that the environment variable names."""
    runner = os.environ["C_GOMOKU_CLI"]
    page = (PAGES / "c-gomoku-cli.md").read_text(encoding="utf-8")
    match = re.search(r"^    (c-gomoku-cli (?:.*\\\n)*.*)$", page, re.MULTILINE)
    assert match is not None
    script = tmp_path / "pbrain-shisan"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shisan.protocol "$@"\n')
    script.chmod(0o755)
    shutil.copy(runner, tmp_path / "c-gomoku-cli")
    (tmp_path / "openings.txt").write_text("h8i8i11\nh8i7g9f6i9\n")
    done = subprocess.run(
        ["sh", "-c", match[1]],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    finished = re.findall(r"^\[1\] Finished game \d+ .*\{(.*)\}$", done.stdout, re.MULTILINE)
    assert len(finished) == 4, done.stdout + done.stderr
    assert not [why for why in finished if not re.search("five connection|fullfilled", why)]
