"""The conformance kit: clean brains pass all of it, and each fault fails the checks meant for it.

Bounds of time have SHISAN_TEST_SLACK (a second) on top here, as the machines that run this are
busy; the faults of time are larger than that or run without it.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from shisan.engine import Rules
from shisan.protocol import checkboards
from shisan.protocol.checkbench import Bench
from shisan.protocol.checkreport import described
from shisan.protocol.checkrun import CHECKS, GROUPS, ChoiceError, choose, run
from shisan.protocol.conformance import FAIL, PASS, UNSUPPORTED, Check, Outcome
from shisan.protocol.police import MANAGERS
from shisan.scripts import cli

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="weighs processes by /proc")

SLACK = float(os.environ.get("SHISAN_TEST_SLACK", "1"))
OWN = (sys.executable, "-m", "shisan.protocol")
FAULTY = (sys.executable, str(Path(__file__).with_name("faulty_brain.py")))
THREADS = 4


def made(
    command: Sequence[str], checks: Sequence[Check], slack: float = SLACK, full: bool = False
) -> dict[str, Outcome]:
    """The outcomes of checks, several benches at a time, since a check mostly waits."""

    def part(number: int) -> list[Outcome]:
        with Bench(command, full=full, slack=slack) as bench:
            return list(run(bench, checks[number::THREADS]))

    with ThreadPoolExecutor(THREADS) as pool:
        found = [outcome for part in pool.map(part, range(THREADS)) for outcome in part]
    return {outcome.check.name: outcome for outcome in found}


def failures(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: found.detail for name, found in outcomes.items() if found.verdict == FAIL}


# -- the table of faults ---------------------------------------------------------------------------

TIMED = {"overruns", "slow start", "slow end", "unlimited at 0", "no time left", "late stop"}
"""Faults that are about time: no slack for them."""
END = {"end", "end-thinking", "end-pondering"}
EOF = {"eof", "eof-thinking", "eof-list", "eof-pondering"}
GAMES = {"games-piskvork", "games-gomocupjudge", "games-cli"}

FAULTS: dict[str, set[str]] = {
    # lines out
    "ok text": {"start-ok", "games-piskvork", "games-cli"},
    "banner": {"silent", "games-piskvork", "games-cli"},
    "stderr": {"stderr", "games-piskvork"},
    "cr only": {"line-ends", "games-gomocupjudge", "games-cli"},
    "mixed ends": {"line-ends"},
    "two writes": {"one-write"},
    "bare message": {"bare-message", "games-piskvork"},
    "debug": {"debug"},
    "latin": {"ascii"},
    "control": {"ascii"},
    "long line": {"long-lines"},
    "info lines": {"stray-lines", "games-piskvork"},
    "blank behind": {"move-form", "games-cli"},
    "two moves": {"one-answer", *GAMES},
    # words in
    "prefixes": {"whole-words"},
    "silent unknown": {"unknown"},
    "answers blanks": {"blanks"},
    "upper case only": {"case"},
    "no crlf": {"mixed-ends", "burst", "games-piskvork", "games-gomocupjudge"},
    "arguments": {"arguments"},
    "writes a file": {"folder"},
    "capital about": {"about"},
    "comma in about": {"about-form"},
    # life
    "slow start": {"start-up"},
    "old board": {"new-game", "games-cli"},
    "old board at restart": {"restart"},
    "move after start": {"start-thinking"},
    "says bye": {"end", "end-thinking"},
    "exit status": {"end", "end-thinking"},
    "slow end": {*END, "full-pipe"},
    "no end": {*END, "full-pipe"},
    "no eof": EOF,
    "no eof in lists": {"eof-list"},
    "sigterm": {"sigterm"},
    "writes on": {"closed-stdout"},
    "leaves a child": {*END, *EOF},
    "burns on": {"start-cpu", "restart-cpu"},
    "burns idle": {"idle-cpu"},
    "single thread": {
        *("start-thinking", "end-thinking", "start-cpu", "restart-cpu", "move-now"),
    },
    # moves and rules
    "leaves lists": {"bad-list"},
    "adds lists": {"board-replaces"},
    "no walls": {"walls"},
    "keeps stones": {"takeback"},
    "deaf after move": {"at-once"},
    "occupied": {"legal-freestyle", "legal-standard", "legal-renju", "legal-caro", *GAMES},
    "forbidden": {"forbidden-renju", "colour", "colour-mixed"},
    "colour by order": {"colour-mixed"},
    "freestyle only": {
        *("six-standard", "closed-caro", "closed-caro-9", "six-caro-9"),
        *("forbidden-renju", "black-six-renju", "rule-early", "rule-change"),
        *("colour", "colour-mixed"),
    },
    "first rule": {"rule-change"},
    # INFO
    "answers info": {"info-silent"},
    "words of folder": {"folder-info"},
    "settings lost": {"info-early", "rule-early"},
    "unlimited at 0": {"turn-0"},
    "no move now": {"move-now"},
    "no time left": {"time-left", "no-time-left"},
    "overruns": {
        *("turn-time", "burst", "info-early", "turn-0", "time-left", "no-time-left", "endless"),
        "suspended",
    },
    "late stop": {"stop"},
    "grows": {"memory-flat"},
    # Swap2
    "swap2 blank": {"swap2-lay"},
}
"""Each fault of faulty_brain.py, and every check that it fails."""


def some(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases as parameters; all but every so-many-th are slow."""
    return [
        pytest.param(case, marks=() if number % every == 0 else pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


@pytest.mark.parametrize("fault", some(FAULTS, 3))
def test_each_fault_fails_its_own_checks(fault: str) -> None:
    """What fails is told with its cost and with what was said."""
    wanted = FAULTS[fault]
    quick = sorted(wanted - GAMES)[:2] or sorted(wanted)[:1]
    slack = 0 if fault in TIMED else SLACK
    outcomes = made((*FAULTY, fault), choose(quick, False), slack)
    assert set(failures(outcomes)) == set(quick), failures(outcomes)
    for found in outcomes.values():
        assert found.detail and found.transcript
        assert set(found.cost) <= set(MANAGERS)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_fails_no_other_check(fault: str) -> None:
    slack = 0 if fault in TIMED else SLACK
    outcomes = made((*FAULTY, fault), choose([], False), slack)
    assert set(failures(outcomes)) == FAULTS[fault], failures(outcomes)


def test_the_clean_brain_passes() -> None:
    outcomes = made(FAULTY, choose(["text", "life", "moves", "settings", "swap2"], False))
    assert not failures(outcomes)
    claims = {name for name, found in outcomes.items() if found.verdict == UNSUPPORTED}
    assert not claims


def test_a_brain_that_plays_at_once_has_no_search_to_end() -> None:
    """The ten lines of docs/serve.md do not think: that is no fault."""
    example = Path(__file__).parents[2] / "docs" / "examples" / "ten_lines.py"
    names = ["start-thinking", "end-thinking", "eof-thinking", "sigterm", "stop-order"]
    for found in made((sys.executable, str(example)), choose(names, False)).values():
        assert (found.verdict, found.cost) == (UNSUPPORTED, {})
        assert "came" in found.detail


# -- our own brain ---------------------------------------------------------------------------------


def test_our_brain_passes() -> None:
    """All groups; what a quick run makes, less what takes long for its waits alone."""
    long = {"memory-flat", "burst", "suspended", "suspended-thinking", "turn-first"}
    checks = [check for check in choose([], False) if check.name not in long]
    outcomes = made(OWN, checks)
    assert not failures(outcomes)
    assert outcomes["stop"].verdict == PASS


@pytest.mark.slow
def test_our_brain_passes_all_of_it() -> None:
    with Bench(OWN, full=True, slack=SLACK) as bench:
        outcomes = {found.check.name: found for found in run(bench, choose([], True))}
    assert not failures(outcomes)


# -- the positions ---------------------------------------------------------------------------------


POSITIONS = (
    (Rules.renju(), checkboards.six_or_defend, {(8, 9)}),
    (Rules.freestyle(), checkboards.threat, {(8, 7)}),
    (Rules.caro(), checkboards.threat, {(8, 7), (9, 7)}),
    (Rules.standard(), checkboards.six_or_defend, {(8, 9)}),
    (Rules.freestyle(), checkboards.six_or_defend, {(4, 5)}),
    (Rules.caro(), checkboards.closed_or_defend, {(8, 9), (9, 9)}),
    (Rules.freestyle(), checkboards.closed_or_defend, {(4, 5)}),
    (Rules.renju(), checkboards.white_six, {(4, 5)}),
    (Rules.standard(), checkboards.own_five, {(3, 5), (8, 5)}),
)


@pytest.mark.parametrize("case", some(POSITIONS, 4))
def test_positions_ask_for_these_answers(case: Any) -> None:
    """What the plain rules leave, beside what a person sees; every point is tried."""
    rules, make, answers = case
    board = make(rules)
    assert not board.position.over
    points = board.position.empty_points()
    assert {point for point in points if not board.why_not(point)} == answers


def test_the_fork_is_forbidden_to_black_alone() -> None:
    board = checkboards.fork(Rules.renju())
    assert board.why_not((7, 7)) == "7,7 is forbidden for Black: double three"
    assert not checkboards.fork(Rules.standard()).why_not((7, 7))
    assert board.why_illegal((5, 7)) == "5,7 is occupied"
    assert board.why_illegal((15, 7)) == "15,7 is outside the board"


def test_filled_boards_have_no_five() -> None:
    board = checkboards.filled(Rules.freestyle(), [(14, 14)])
    assert len(board.own) == len(board.other) == 112
    assert board.position.result.reason == "going on"
    board = checkboards.last_is_overline()
    assert board.position.result.reason == "no legal point"
    assert not board.why_illegal((3, 6))


def test_orders_of_a_list() -> None:
    board = checkboards.white_six(Rules.renju())
    lines = board.lines()
    assert [line[-1] for line in lines[1:-1]] == list("21212121212")
    assert sorted(board.lines(1)) == sorted(lines) and board.lines(1) != lines


# -- choosing, reporting, stopping -----------------------------------------------------------------


def test_names_are_unique_and_costs_known() -> None:
    names = [check.name for check in CHECKS]
    assert len(names) == len({*names})
    assert not {group.name for group in GROUPS} & {*names} - {"text"}
    for check in CHECKS:
        assert set(check.cost) <= set(MANAGERS)
        assert 10 < len(check.title) < 90 and check.items


def test_the_docs_have_the_table_of_checks() -> None:
    docs = Path(__file__).parents[2] / "docs" / "protocol-check.md"
    assert described(CHECKS) in docs.read_text(encoding="utf-8"), "paste what described() gives"


def test_every_fault_of_the_brain_is_in_the_table() -> None:
    text = Path(FAULTY[1]).read_text(encoding="utf-8")
    assert not [fault for fault in FAULTS if f'"{fault}"' not in text]


def test_choose() -> None:
    assert {check.name for check in choose(["end*", "stderr"], False)} == {
        *("stderr", "end", "end-thinking", "end-pondering", "endless"),
    }
    assert [check.group for check in choose(["swap2"], False)] == ["swap2"] * 5
    assert len(choose([], True)) > len(choose([], False))
    assert [check.name for check in choose(["memory-80"], False)] == ["memory-80"]
    with pytest.raises(ChoiceError, match="no check 'nosuch'"):
        choose(["nosuch"], False)


def command(*words: str) -> "subprocess.CompletedProcess[str]":
    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, "protocol-check", *words], capture_output=True, text=True
    )


def quoted(*words: str) -> str:
    return " ".join(f"'{word}'" for word in (*FAULTY, *words))


def test_the_report_and_its_schema(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(cli.__file__).parents[1] / "protocol" / "schema" / "protocol-check.json"
    file = tmp_path / "report.json"
    done = command(quoted("ok text"), "--only", "start-ok,about,yxboard", "--json", str(file))
    assert done.returncode == 1, done.stderr
    assert "FAIL  start-ok" in done.stdout
    assert "START 15 gave 'OK - ready'" in done.stdout
    assert "c-gomoku-cli: not exactly OK: the time runs out" in done.stdout
    assert "ms > START 15" in done.stdout and "ms < OK - ready" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Faulty 1.0: 1 pass, 1 fail, 1 not supported")
    report = json.loads(file.read_text())
    jsonschema.validate(report, json.loads(schema.read_text()))
    assert report["counts"] == {"pass": 1, "fail": 1, "not supported": 1, "not run": 0}
    again = command(quoted(), "--only", "about", "--json", str(file))
    assert again.returncode == 2 and "exists; --force replaces it" in again.stderr


def test_json_alone_on_stdout() -> None:
    done = command(quoted(), "--only", "start-ok", "--json", "-")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["about"]["name"] == "Faulty" and report["complete"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give an ENGINE"),
        (("./no-such-brain",), "cannot be checked: it cannot be started: No such file"),
        (("/bin/true",), "cannot be checked: it has ended by itself with status 0"),
        (("'unclosed",), "No closing quotation"),
        (("shisan", "--only", "nosuch"), "--only: no check 'nosuch'"),
        (("shisan", "--dir", "/no/such"), "--dir: there is no folder /no/such"),
        (("shisan", "--json", "/no/such/file"), "--json: there is no folder /no/such"),
        (("shisan", "--slack", "-1"), "--slack must be 0 or more, not -1"),
    ],
)
def test_what_cannot_run(words: tuple[str, ...], message: str) -> None:
    done = command(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[-1]


def test_list() -> None:
    done = command("--list")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(CHECKS)
    assert "memory-80" in done.stdout and "(full run)" in done.stdout


def test_ctrl_c_tells_what_is_known_and_leaves_nothing(tmp_path: Path) -> None:
    mark = f"kit-{os.getpid()}-{time.time_ns()}"
    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ("protocol-check", quoted("--", mark), "--only", "start-ok,legal-*,start-thinking")
    with subprocess.Popen(
        [sys.executable, "-c", code, *words, "--json", str(tmp_path / "part.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        while "start-ok" not in (line := process.stdout.readline()):
            assert line, "it ended too early"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "1 pass, 5 not run" in out and "stopped" in err
    report = json.loads((tmp_path / "part.json").read_text())
    assert report["complete"] is False and report["counts"]["not run"] == 5
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if mark.encode() in line]
