"""shisan why: what it says of positions that people asked about, and its page of examples."""

import doctest
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from shisan.scripts import cli

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reasons.md").read_text(encoding="utf-8")

LOST = "h8g6f6g5f7g4h7g3g2a1"
BLOCK = "h8h7i7g9h6g5g7i6g8f8f6e5f5j10i10i11k9h10j12l10"
WON = "h8h7i9k7i8f9g7f6i10i11g10f10h10f8f7k11h9f11f12g11h11h12e9k6"


def why(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The sentences of an answer, the board left out."""
    assert cli.main(["why", "--nodes", "20000", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.partition("\n\n")[2].splitlines()


def test_forced_onto_a_forbidden_point(capsys: pytest.CaptureFixture[str]) -> None:
    found = why(capsys, "--rule", "renju", "--not", "g7 h10", LOST)
    lines = "double three (f7-g7-h7 and f6-g7-h8)"
    assert found[:3] == [
        "White's four g3-g4-g5-g6 threatens a five at g7.",
        f"g7 would stop it but is forbidden to Black: {lines}.",
        "Black cannot stop it: every move loses.",
    ]
    assert "Black is lost: White wins in 1 move, proven." in found
    assert f"g7 is forbidden to Black: {lines}." in found
    assert "h10 loses: White makes a five at g7." in found
    (plays,) = (line for line in found if line.startswith("The engine plays"))
    assert plays != "The engine plays g7."


def test_a_three_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """h7 is a double three, and h8 is allowed."""
    stones = ("--black", "f8i8h9h10g4g5g6g7", "--white", "a1c1e1m1o1a15c15e15")
    found = why(capsys, "--rule", "renju", *stones, "--side", "black", "--not", "h7 h8")
    assert found[0] == "Black wins at once with a five at g3 or g8."
    (foul,) = (line for line in found if line.startswith("h7 "))
    assert re.fullmatch(r"h7 is forbidden to Black: double three \(\S+ and \S+\)\.", foul)
    assert not any(line.startswith("h8 is forbidden") for line in found)


def test_a_plain_four(capsys: pytest.CaptureFixture[str]) -> None:
    found = why(capsys, BLOCK, "--not", "a1", "--last")
    assert found[0] == "Opening: Kagetsu."
    assert found[1:3] == [
        "White's four f8-g9-h10-i11 threatens a five at e7.",
        "Only e7 stops it.",
    ]
    assert found[4:6] == ["The engine plays e7.", "It stops White's five."]
    assert "a1 loses: White makes a five at e7." in found
    assert found[-1] == "l10 missed a win in 1 move: e7."


def test_a_win_and_slower_ones(capsys: pytest.CaptureFixture[str]) -> None:
    found = why(capsys, WON, "--not", "j10 i7")
    assert found[:3] == [
        "Opening: Kyugetsu.",
        "Black wins by fours: g8.",
        "Then a five at e6 or j11 can no longer be stopped.",
    ]
    assert "Black wins in 2 moves, proven: g8." in found
    for point in ("j10", "i7"):
        assert f"{point} wins in 3 moves, proven." in found


def test_the_same_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rule", "renju", "--not", "g7 h10", "--last", LOST]
    sentences = why(capsys, *words)
    (line,) = _json_lines(capsys, *words)
    data = json.loads(line)
    assert (data["rule"], data["width"], data["height"]) == ("renju", 15, 15)
    assert data["stones"][:2] == [["h8", "black"], ["g6", "white"]]
    assert (data["status"], data["opening"]) == ("Black to move", None)
    assert data["shows"]["white"]["fours"] == [
        {"stones": ["g3", "g4", "g5", "g6"], "fives": ["g7"]}
    ]
    barred = data["shows"]["defence"]["forbidden"]
    assert [each["point"] for each in barred] == ["g7"]
    assert barred[0]["why"] == {
        "kind": "double three",
        "lines": [["f7", "g7", "h7"], ["f6", "g7", "h8"]],
    }
    assert [each["verdict"] for each in data["not"]] == ["forbidden", "loses"]
    assert (data["best"]["win_in"], data["best"]["win_probability"]) == (-2, 0.0)
    parts = [data["shows"], data["best"], *data["not"], data["last"]]
    assert [each for part in parts for each in part["words"]] == [
        line for line in sentences if line
    ]


def _json_lines(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert cli.main(["why", "--nodes", "20000", "--json", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_game_that_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    game = "h8a1i8c1j8e1k8g1l8"
    found = why(capsys, game, "--not", "a2", "--last")
    assert found == [
        "White wins: h8 i8 j8 k8 l8.".replace("White", "Black"),
        "",
        "a2 cannot be played: the game is over.",
        "",
        "l8 gave nothing away.",
    ]
    (line,) = _json_lines(capsys, game)
    assert json.loads(line)["best"] is None


def test_a_foul_that_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    found = why(capsys, "--rule", "renju", LOST + "g7", "--last")
    assert found[0] == "White wins: g7 is forbidden for Black."
    assert found[-1].startswith("g7 is forbidden to Black: double three (")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["h8", "--not", "q9"], "--not: q9 at character 1 is outside: columns are a..o"),
        (["--last"], "--last needs a last move, and the board is empty"),
        (["--black", "h8", "--last"], "--last needs a game: moves or a record, not a set-up"),
        (["h8", "--ply", "-1"], "--ply must be 0 or more, not -1"),
        (["h8", "--nodes", "0"], "nodes must be 1 or more, not 0"),
        (
            ["h8", "--time", "soon"],
            "argument --time: 'soon' is no time: 300ms, 30s, 2m, 1h or none",
        ),
        (["nosuch.psq"], "cannot read nosuch.psq: No such file or directory"),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], words: Sequence[str], message: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["why", *words])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.splitlines()[-1] == f"shisan why: error: {message}"
    assert err.count("\n") == 2


def test_console_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """What `$ shisan ...` is said to print on the page is what it prints."""
    blocks = re.findall(r"^```console\n\$ shisan ([^\n]*)\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) >= 2
    for command, output in blocks:
        assert cli.main(shlex.split(command)) == 0
        assert capsys.readouterr().out == output


def test_python_examples() -> None:
    """The page's Python session runs as it stands."""
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "reasons.md", "reasons.md", 0)
    assert len(examples.examples) > 10
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_ctrl_c_ends_the_search_at_once() -> None:
    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "why", "h8i9h10", "--time", "60s"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(2)
        begun = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    assert (run.returncode, err) == (130, "shisan why: stopped\n")
