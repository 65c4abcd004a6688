"""shisan solve and shisan check, as a person types them."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shisan.scripts import cli

WON = "h8i7h7i8h9i10"  # Black has an open three
HARD = "h8i9c4"


def shisan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command."""
    try:
        status = cli.main(words)
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    out, err = capsys.readouterr()
    return status, out, err


def test_a_win_with_its_proof(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = str(tmp_path / "win.json")
    status, out, err = shisan(capsys, "solve", WON, "--proof", target)
    assert (status, err) == (0, "")
    assert out.startswith("Black wins by fours in 3 plies (no win by fours is shorter): h6 (")
    assert out.endswith(f"; proof: {target}\n")
    status, out, err = shisan(capsys, "check", target)
    assert (status, out, err) == (
        0,
        f"{target}: accepted: Black wins by fours in 3 plies, h6\n",
        "",
    )
    status, out, _ = shisan(capsys, "check", "--json", target)
    assert json.loads(out) == {
        "file": target,
        "status": "accepted",
        "nodes": 1,
        "attacker": "black",
        "kind": "fours",
        "plies": 3,
        "line": "h6",
    }


def test_no_position_is_no_empty_board(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = shisan(capsys, "solve")
    assert status == 2
    assert "give a position: moves, a file, - or stones by colour" in err


def test_nothing_is_overwritten_unless_forced(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "win.json"
    target.write_text("mine")
    status, out, err = shisan(capsys, "solve", WON, "--proof", str(target))
    assert (status, out) == (2, "")
    said = err.splitlines()[-1]
    assert said == f"shisan solve: error: --proof: {target} exists; --force replaces it"
    assert target.read_text() == "mine"
    assert shisan(capsys, "solve", WON, "--proof", str(target), "--force")[0] == 0
    assert shisan(capsys, "check", str(target))[0] == 0
    nowhere = tmp_path / "no" / "win.json"
    status, out, err = shisan(capsys, "solve", WON, "--proof", str(nowhere))
    assert status == 2
    assert f"--proof: there is no folder {tmp_path / 'no'}" in err


def test_where_a_proof_breaks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "win.json"
    shisan(capsys, "solve", WON, "--proof", str(target))
    good = target.read_text()
    target.write_text(good.replace('"fours": "h6"', '"fours": "k6"'))
    status, out, _ = shisan(capsys, "check", str(target))
    assert status == 1
    assert out == f"{target}: broken after k6a1: White is not made to reply\n"
    target.write_text(good.replace('"white": "i7', '"white": "h10h6'))
    assert shisan(capsys, "check", str(target))[1].startswith(f"{target}: broken after h6: ")
    target.write_text(good[:-20])
    status, out, _ = shisan(capsys, "check", str(target))
    assert status == 1
    assert out.startswith(f"{target}: unreadable: line ")
    target.write_text(good)
    missing = tmp_path / "none.json"
    status, out, _ = shisan(capsys, "check", str(missing), str(target))  # the others go on
    assert status == 1
    lines = out.splitlines()
    assert lines[0] == f"{missing}: unreadable: cannot read: No such file or directory"
    assert lines[1].startswith(f"{target}: accepted")
    status, out, _ = shisan(capsys, "check", str(target), "--nodes", "0")
    assert (status, "not finished" in out) == (1, True)


def test_check_reads_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = tmp_path / "win.json"
    shisan(capsys, "solve", WON, "--proof", str(target))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(target.read_bytes())))
    assert shisan(capsys, "check", "-")[0] == 0


def test_refuted_and_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = shisan(capsys, "solve", "h8", "--method", "vcf")
    assert status == 1
    assert out.startswith("refuted: there is no win by continuous fours (")
    status, out, _ = shisan(capsys, "solve", "--size", "5", "--method", "dfpn", "a1", "--walls=")
    assert status == 2  # moves or a set-up
    small = ["--black", "a1b2", "--white", "c3", "--side", "white", "--size", "5"]
    walls = "a2a3a4a5b3b4b5c4c5d4d5e4e5"
    status, out, _ = shisan(capsys, "solve", *small, "--walls", walls, "--method", "dfpn")
    assert (status, out.startswith("refuted: there is no win (")) == (1, True)
    status, out, _ = shisan(capsys, "solve", HARD, "--time", "0.2", "--method", "dfpn")
    assert status == 3
    assert out.startswith("undecided by dfpn: the time is up (--time)")
    status, out, _ = shisan(capsys, "solve", HARD, "--nodes", "100", "--method", "dfpn", "--json")
    assert status == 3
    assert json.loads(out)["reason"] == "nodes"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["h8h8"], "move 2 (h8) under freestyle: point 7,7 is occupied"),
        ([WON, "--time", "-1"], "--time must be 0 or more, not -1"),
        ([WON, "--memory", "1"], "memory must be at least 16777216 bytes, not 1048576"),
        ([WON, "--file", "x"], "give a position or --file, not both"),
        (["--file", "no/such"], "cannot read no/such: No such file or directory"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    status, out, err = shisan(capsys, "solve", *words)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == f"shisan solve: error: {message}"
    assert err.count("\n") == 2


def test_wrong_values_are_told_of_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([WON, "--nodes", "-1"], [WON, "--method", "vcf", "--attacker", "white"]):
        status, out, err = shisan(capsys, "solve", *words)
        assert (status, out) == (2, "")
        assert err.startswith("shisan solve: error: ")
    status, _, err = shisan(capsys, "solve", "h8a1i8a2j8a3k8a4l8")
    assert (status, "the game is over: five" in err) == (2, True)


def test_a_file_of_positions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One bad line spoils no other; each win gets a proof."""
    file, folder = tmp_path / "some.jsonl", tmp_path / "proofs"
    file.write_text(
        f'{{"moves": "{WON}"}}\n{{"moves": "h8", "id": "lone"}}\n{{"moves": "z99"}}\n'
        f'{{"moves": "", "rule": "chess"}}\n{{"moves": "{WON}"}}\n'
    )
    words = ["solve", "--file", str(file), "--method", "vcf", "--proof", str(folder)]
    status, out, err = shisan(capsys, *words)
    assert status == 2
    lines = out.splitlines()
    assert lines[0].startswith("1: Black wins by fours in 3 plies")
    assert lines[1].startswith("lone: refuted")
    assert lines[2].startswith("5: Black wins")
    third, fourth = err.splitlines()
    assert third == (
        f"shisan solve: error: {file}: line 3, game 3:"
        " moves: z99 at character 1 is outside: columns are a..o"
    )
    assert fourth.startswith(f"shisan solve: error: {file}: line 4, game 4: rule")
    assert sorted(path.name for path in folder.iterdir()) == ["1.json", "5.json"]
    assert shisan(capsys, "check", *map(str, folder.iterdir()))[0] == 0
    status, out, err = shisan(capsys, *words, "--json")  # the proofs are there
    assert "1.json is there: --force overwrites it" in err
    assert json.loads(out.splitlines()[0])["error"].endswith("--force overwrites it")
    status, out, _ = shisan(capsys, *words, "--json", "--force")
    records = [json.loads(line) for line in out.splitlines()]
    assert [record.get("status") for record in records] == ["won", "refuted", None, None, "won"]
    assert records[0]["proof"] == str(folder / "1.json")


def test_interrupt_prints_what_is_known(tmp_path: Path) -> None:
    """Ctrl-C during the second of three positions: the first is answered, the second undecided."""
    file = tmp_path / "some.txt"
    file.write_text(f"{WON}\n{HARD}\n{WON}\n")
    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "solve", "--file", str(file), "--time", "0"]
    command += ["--method", "dfpn"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        time.sleep(0.5)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(10) == 3
        assert time.monotonic() - sent < 5
        assert process.stderr.read() == b""
    assert first.startswith(b"1: Black wins")
    assert rest.startswith(b"2: undecided by dfpn: stopped (")
    assert rest.count(b"\n") == 1


def test_progress_on_a_terminal_only(tmp_path: Path) -> None:
    """On a terminal there is a line of progress, which is gone at the end; stdout stays clean."""
    import pty

    code = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "solve", HARD, "--time", "1", "--method", "dfpn"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as one:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end has closed
            pass
        os.close(ours)
        assert one.stdout is not None
        out = one.stdout.read()
    assert out.startswith(b"undecided by dfpn") and out.count(b"\n") == 1
    assert b"dfpn: " in shown and b"to prove" in shown
    assert shown.rstrip().endswith((b"\x1b[?25h", b"\x1b[2K"))  # the cursor is back


@pytest.mark.parametrize("time", ["1s", "1000ms", "1", "0.5"])
def test_times_with_and_without_a_unit(capsys: pytest.CaptureFixture[str], time: str) -> None:
    assert shisan(capsys, "solve", WON, "--time", time)[0] == 0


@pytest.mark.parametrize("time", ["nan", "-1", "inf", "soon"])
def test_times_that_are_none(capsys: pytest.CaptureFixture[str], time: str) -> None:
    status, _, err = shisan(capsys, "solve", WON, f"--time={time}")
    assert status == 2 and "time" in err and "Traceback" not in err
