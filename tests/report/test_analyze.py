"""shisan analyze GAME: what it writes and says, what it refuses, and Ctrl-C."""

import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from played import DATA, MISSED_FIVE

from shisan.protocol.gamefiles import read_game
from shisan.protocol.reviewfiles import read_review
from shisan.scripts import cli

QUICK = ("--nodes", "200")


def shisan(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of shisan analyze."""
    try:
        status = cli.main(["analyze", *map(str, words)])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    out, err = capsys.readouterr()
    return status, out, err


def test_summary_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = shisan(capsys, *MISSED_FIVE.split(), "--nodes", "3000")
    assert (status, err) == (0, "")
    assert "The record ends after 12 moves" in out and "Missed wins: 11. o1" in out
    assert "Black 11. o1?!" in out


def test_every_form_and_from_a_saved_report(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, saved, sgf = (tmp_path / name for name in ("a.html", "a.json", "a.sgf"))
    game = DATA / "psq" / "2_10_11_09.psq"
    status, first, err = shisan(
        capsys, game, *QUICK, "--report", page, "--json", saved, "--sgf", sgf
    )
    assert (status, err) == (0, "")
    found = read_review(saved.read_bytes())
    assert found.setting.turn_ms is None and found.setting.nodes == 200
    assert found.game.source.file == str(game)
    assert read_game(sgf).moves == found.game.moves
    again = tmp_path / "again.html"
    begun = time.monotonic()
    status, second, _ = shisan(capsys, saved, "--report", again)
    assert status == 0 and time.monotonic() - begun < 2
    assert second == first and again.read_text() == page.read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_stdout(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["analyze", "h8i9", *QUICK, "--json", "-"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["game"]["moves"] == [[7, 7], [8, 8]]


def test_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = (DATA / "games" / "tree.sgf").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, out, _ = shisan(capsys, "-", *QUICK, "--branches", "2")
    assert status == 0
    assert out.startswith("Ånn [A] - Bob\nrenju, 15×15, example, 2026-01-31, opening Kagetsu\n")


def test_which_game_which_rule_which_opening(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    saved = tmp_path / "a.json"
    games = DATA / "games" / "tree.sgf"
    words = ("--game", 2, "--rule", "standard", "--opening", "1", "--branches", "all")
    assert shisan(capsys, games, *QUICK, *words, "--json", saved)[0] == 0
    found = read_review(saved.read_bytes())
    assert (found.rules.width, found.rules.height, found.rules.name) == (20, 15, "standard")
    assert found.opening == 1 and found.game.source.number == 2
    shisan(capsys, saved, "--opening", 0, "--json", tmp_path / "b.json")
    assert read_review((tmp_path / "b.json").read_bytes()).opening == 0


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("mine")
    status, out, err = shisan(capsys, "h8", *QUICK, "--report", page, "--json", tmp_path / "a.json")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"shisan analyze: error: --report: {page} exists; --force replaces it"
    )
    assert page.read_text() == "mine" and not (tmp_path / "a.json").exists()
    assert shisan(capsys, "h8", *QUICK, "--report", page, "--force")[0] == 0
    assert page.read_text().startswith("<!DOCTYPE html>")


BAD_PSQ = "Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\nx\ny\n0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], None),
        (["h8h8"], "move 2 (h8) under freestyle: point 7,7 is occupied"),
        (["h8", "q9"], "q9 at character 4 is outside: columns are a..o"),
        (["/dev/null"], "/dev/null: line 1: no game in this file"),
        (["nosuch.sgf"], "cannot read nosuch.sgf: No such file or directory"),
        (["h8", "--game", "0"], "--game must be 1 or more, not 0"),
        (["h8", "--nodes", "0"], None),
        (["h8", "--time", "soon"], None),
        (["h8", "--lines", "none"], None),
        (["h8", "--branches", "one"], None),
        (["h8", "--branches", "1"], "there is no branch 1, only 0"),
        (["h8", "--resume"], "--resume goes on with a saved report, and h8 is none"),
        (["h8", "--report", "no/such/a.html"], "--report: there is no folder no/such"),
        (
            ["h8", "--report", "-", "--json", "-"],
            "--report, --json and --sgf must go to different files",
        ),
        (["h8", "--report", ""], None),
    ],
)
def test_errors(
    capsys: pytest.CaptureFixture[str], words: Sequence[str], message: str | None
) -> None:
    if words == ["h8", "--report", ""]:
        assert shisan(capsys, *words, *QUICK)[0] == 0, "as if it was not there"
        return
    status, out, err = shisan(capsys, *words)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].startswith("shisan analyze: error: ")
    assert message is None or err.splitlines()[-1] == f"shisan analyze: error: {message}"


def test_bad_files_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def last(*words: object) -> str:
        status, _, err = shisan(capsys, *words)
        assert status == 2
        return err.splitlines()[-1].partition("error: ")[2]

    bad = tmp_path / "bad.psq"
    bad.write_text(BAD_PSQ)
    assert last(bad) == f"{bad}: line 3: 8,8 is occupied since line 2"
    database = DATA / "games" / "database.rif"
    assert last(database, "--game", 4).startswith(f"{database}: line 24, game 4: move 3 (h8): ")
    saved = tmp_path / "a.json"
    shisan(capsys, "h8", *QUICK, "--json", saved)
    text = saved.read_text()
    saved.write_text(text.replace('"version":1', '"version":9'))
    assert last(saved) == f"{saved}: line 1: version must be 1: made by another Shisan, not 9"
    saved.write_text(text[:-40])
    assert last(saved).startswith(f"{saved}: line 1: no JSON: ")
    saved.write_text(text)
    for words in (("--time", "1s"), ("--rule", "renju"), ("--lines", 2), ("--branches", "all")):
        assert "cannot be changed in a saved report" in last(saved, *words), words


def test_a_file_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are written, and the status tells."""
    full = Path.write_bytes

    def write(self: Path, data: bytes) -> int:
        if ".a.html." in self.name:
            raise OSError(28, "No space left on device")
        return full(self, data)

    monkeypatch.setattr(Path, "write_bytes", write)
    page, saved = tmp_path / "a.html", tmp_path / "a.json"
    status, _, err = shisan(capsys, "h8", *QUICK, "--report", page, "--json", saved)
    assert status == 1 and saved.exists() and not page.exists()
    assert err == f"shisan analyze: cannot write {page}: No space left on device\n"


def test_interrupted_and_resumed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Ctrl-C in the middle of a search writes what is done; --resume does the rest."""
    saved, page = tmp_path / "a.json", tmp_path / "a.html"
    game = DATA / "psq" / "2_08_10_11.psq"
    command = [sys.executable, "-c", "from shisan.scripts.cli import main; import sys;"]
    command[-1] += " sys.exit(main(sys.argv[1:]))"
    command += ["analyze", str(game), "--time", "2s", "--json", str(saved), "--report", str(page)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = process.communicate(timeout=30)
    assert time.monotonic() - begun < 1.5, "not after the search"
    assert process.returncode == 130, err
    assert err.startswith(b"stopped: ") and err.count(b"\n") == 1
    found = read_review(saved.read_bytes())
    total = len(found.main.moments) - 1
    assert not found.complete and b"Only " in out and page.exists()
    quick = saved.read_text().replace('"turn_ms":2000', '"turn_ms":20')
    saved.write_text(quick)
    kept = sum(moment.found is not None for moment in found.main.moments)
    status, text, _ = shisan(capsys, saved, "--resume", "--json", saved, "--force")
    assert status == 0 and "Only " not in text
    whole = read_review(saved.read_bytes())
    assert whole.complete and kept < total
    assert whole.main.moments[-1 - kept :] == found.main.moments[-1 - kept :]


def test_no_game_is_lost_to_what_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Neither the game itself, nor one output to another under a second spelling."""
    game, page = tmp_path / "a.txt", tmp_path / "a.html"
    game.write_text("h8i9")
    status, _, err = shisan(capsys, game, "--report", game, "--force", *QUICK)
    assert status == 2 and f"--report: {game} is the file to read" in err
    twice = tmp_path / ".." / tmp_path.name / "a.html"
    status, _, err = shisan(capsys, game, "--report", page, "--json", twice, *QUICK)
    assert status == 2 and "must go to different files" in err
    assert game.read_text() == "h8i9" and not page.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--jsonl", "--report", "a.html"), "are for a game, not for the service"),
        (("FILE", "FILE"), "for several files give --out RESULTS"),
        (("FILE", "--out", "r.jsonl", "--sgf", "a.sgf"), "--out is for batches"),
        (("--jsonl", "--memory", "1"), "--memory must be 41MB or more"),
    ],
)
def test_words_that_do_not_go_together(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: Sequence[str], message: str
) -> None:
    game = tmp_path / "a.txt"
    game.write_text("h8i9")
    given = [str(game) if word == "FILE" else word for word in words]
    status, _, err = shisan(capsys, *given)
    assert status == 2 and message in err
