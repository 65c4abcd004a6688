"""The command shisan, as a person types it: help that teaches, answers, and errors on one line."""

import importlib.util
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import pytest

from shisan.engine import Rules
from shisan.scripts import arguments, cli, show

PSQ = "Piskvorky 9x9, 0:0, 1\n5,5,0\n4,4,10\n5,4,20\nfirst.exe\nsecond.exe\n0\n"


def shisan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a command."""
    try:
        status = cli.main(words)
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    out, err = capsys.readouterr()
    return status, out, err


def test_help_lists_every_command_and_gives_examples(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = shisan(capsys, "--help")
    assert status == 0
    for name, what in cli.COMMANDS.items():
        assert f"  {name:<14} {what}\n" in out
        assert f"shisan {name}" in out.partition("examples:")[2]


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_explains_itself(capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, err = shisan(capsys, command, "--help")
    assert (status, err) == (0, "")
    assert len(out) > 200


def test_tools_explain_themselves() -> None:
    for name in cli.TOOLS:
        if name in ("fit", "tune") and importlib.util.find_spec("numpy") is None:
            continue  # they have an extra of their own
        command = [sys.executable, "-m", f"shisan.scripts.{name}", "--help"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, name
        assert done.stdout.startswith("usage: "), name
        assert name in cli.parser().format_help()


def test_wrong_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        ((), "give a command: brain"),
        (("dance",), "no command 'dance': there"),
        (("dance", "--help"), "no command 'dance': there"),
    ):
        status, out, err = shisan(capsys, *words)
        assert (status, out) == (2, "")
        assert err.splitlines()[-1].startswith(f"shisan: error: {message}")
        assert err.count("\n") == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_told_in_a_line() -> None:
    code = "import sys; from shisan.scripts import cli; sys.exit(cli.main(['show', 'h8']))"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True
        )
    told = "shisan show: error: cannot write to standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, told)
    shut = f'exec "{sys.executable}" -c "{code}" >&-'
    done = subprocess.run(["sh", "-c", shut], stderr=subprocess.PIPE, text=True)
    told = "shisan show: error: standard output is closed\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_only_the_command_asked_for_is_imported() -> None:
    code = (
        "import sys; from shisan.scripts import cli; cli.main(['show', 'h8']);"
        " print(sorted(m for m in sys.modules if m.startswith('shisan.scripts.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    last = done.stdout.splitlines()[-1]
    assert last == "['shisan.scripts.arguments', 'shisan.scripts.cli', 'shisan.scripts.show']"


def test_every_fact_of_a_rule_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    facts = {field.name for field in fields(Rules)} - {"width", "height"}
    assert set(arguments.FACTS) == facts
    _, out, _ = shisan(capsys, "show", "--help")
    for name in facts:
        option = name.replace("_", "-")
        assert f"--{option}, --no-{option}" in out


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ([], Rules.freestyle()),
        (["--rule", "renju", "--size", "12"], Rules.renju(12)),
        (["--size", "20x15", "--rule", "standard"], Rules.standard(20, 15)),
        (["--rule", "caro", "--exact"], Rules.caro(exact=True)),
        (
            ["--rule", "renju", "--white-exact", "--no-foul-loses"],
            Rules(black_exact=True, white_exact=True, forbidden=True, foul_loses=False),
        ),
        (["--no-closed-five"], Rules.caro()),
        (["--rule", "standard", "--no-white-exact"], Rules(black_exact=True)),
    ],
)
def test_rules_from_options(words: list[str], rules: Rules) -> None:
    assert arguments.rules(show.parser().parse_args(words)) == rules


def test_show_moves(capsys: pytest.CaptureFixture[str]) -> None:
    _, expected, _ = shisan(capsys, "show", "h8i9h10")
    assert ">X" in expected.splitlines()[10]
    for words in (["h8", "i9", "h10"], ["7,7 8,8 7,9"], ["7,7", "8,8", "7,9"], ["H8I9", "H10"]):
        assert shisan(capsys, "show", *words) == (0, expected, "")


def test_show_without_a_position_is_the_empty_board(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = shisan(capsys, "show", "--size", "20")
    assert status == 0
    assert out.splitlines()[-1] == "Black to move after 0 stones; freestyle, 20x20"


def test_show_set_up(capsys: pytest.CaptureFixture[str]) -> None:
    """A three that is none: the forbidden set is exactly h7."""
    black = "f8 i8 h9 h10 g4 g5 g6 g7"
    words = ["--rule", "renju", "--black", black, "--white", "a1c1e1m1o1a15c15e15"]
    _, out, _ = shisan(capsys, "show", *words)
    assert out.count("!3") == 2 and "X!3 ." in out.splitlines()[7]
    _, out, _ = shisan(capsys, "show", "--black", "h8", "--side", "black", "--walls", "a1")
    assert "Black to move after 1 stone;" in out


def test_show_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "game one.psq"
    file.write_text(PSQ)
    status, out, _ = shisan(capsys, "show", str(file))
    assert status == 0
    assert out.splitlines()[-2] == "White to move after 3 stones; freestyle, 9x9"
    _, out, _ = shisan(capsys, "show", str(file), "--ply", "1", "--rule", "renju")
    assert out.splitlines()[-2] == "White to move after 1 stone; renju, 9x9"
    picture = tmp_path / "board.svg"
    assert shisan(capsys, "show", "--svg", str(picture), str(file)) == (0, "", "")
    root = ElementTree.parse(picture).getroot()
    assert "second.exe - first.exe" in "".join(root.itertext())


GAMES = Path(__file__).parents[1] / "data" / "games"


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (["tree.sgf"], "Black to move after 6 stones; renju, 15x15"),
        (["tree.sgf", "--rule", "standard"], "Black to move after 6 stones; standard, 15x15"),
        (["tree.sgf", "--ply", "2"], "Black to move after 2 stones; renju, 15x15"),
        (["tree.sgf", "--game", "2"], "Black to move after 8 stones; freestyle, 20x15"),
        (["database.rif"], "White to move after 5 stones; renju, 15x15"),
        (["database.rif", "--game", "6", "--rows", "top"], "White to move after 3 stones; renju, "),
    ],
)
def test_show_games(capsys: pytest.CaptureFixture[str], words: Sequence[str], last: str) -> None:
    """Any file of games; the rules are those asked for, else those that the file tells."""
    status, out, _ = shisan(capsys, "show", str(GAMES / words[0]), *words[1:])
    assert status == 0
    assert any(line.startswith(last) for line in out.splitlines()), out


def test_show_lines_of_a_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A text is one game, or one a line if --game says which; rows from the bottom if asked."""
    file = tmp_path / "games.txt"
    file.write_text("h8 i9\n\na1 b2 c3\n")
    _, out, _ = shisan(capsys, "show", str(file))
    assert "after 5 stones" in out
    _, out, _ = shisan(capsys, "show", str(file), "--game", "2", "--rows", "bottom")
    assert out.splitlines()[15].startswith("15  X")
    _, out, _ = shisan(capsys, "show", "a1", "--rows", "bottom")
    assert out.splitlines()[15].startswith("15 >X")
    _, out, _ = shisan(capsys, "show", "--black", "a1", "--rows", "bottom")
    assert "X" in out.splitlines()[15]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["database.rif", "--game", "4"], "line 24, game 4: move 3 (h8): point 7,7 is occupied"),
        (["database.rif", "--game", "7"], "there is no game 7, only 6"),
        (["tree.sgf", "--game", "2", "--size", "15"], "line 8, game 2: the board is 20x15, not"),
    ],
)
def test_show_bad_games(
    capsys: pytest.CaptureFixture[str], words: Sequence[str], message: str
) -> None:
    status, out, err = shisan(capsys, "show", str(GAMES / words[0]), *words[1:])
    assert (status, out) == (2, "")
    said = f"shisan show: error: {GAMES / words[0]}: {message}"
    assert err.splitlines()[-1].startswith(said)


def test_show_svg_to_stdout(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["show", "--svg", "-", "h8"]) == 0
    ElementTree.fromstring(capfdbinary.readouterr().out)


@pytest.mark.parametrize("data", [PSQ.encode(), b"\xef\xbb\xbf" + PSQ.encode(), b"e5d4\ne4\n"])
def test_show_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, out, _ = shisan(capsys, "show", "-")
    assert status == 0
    assert "after 3 stones" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["h8h8"], "move 2 (h8) under freestyle: point 7,7 is occupied"),
        (["h8", "q9"], "q9 at character 4 is outside: columns are a..o"),
        (["--size", "4"], "width must be 5..22, not 4"),
        (["--size", "15x"], None),
        (["--size", "ten"], "argument --size: 'ten' is neither 15 nor 20x15"),
        (["--forbidden"], "forbidden moves need black_exact: Black's overline is one of them"),
        (["--ply", "-1", "h8"], "--ply must be 0 or more, not -1"),
        (["--ply", "2", "h8"], "--ply: the game has 1 moves, not 2"),
        (["--game", "0", "a.sgf"], "--game must be 1 or more, not 0"),
        (["nosuch.psq"], "cannot read nosuch.psq: No such file or directory"),
        (["h8", "--black", "h9"], "give moves or a set-up, not both"),
        (["--black", "h8", "--white", "h8"], None),
        (["--black", "x8"], "--black: x8 at character 1 is outside: columns are a..o"),
        (["h8", "--svg", "no/such/folder.svg"], None),
        (["h8g7h7g6h6g5h5g4h4a1"], None),
    ],
)
def test_show_errors(
    capsys: pytest.CaptureFixture[str], words: Sequence[str], message: str | None
) -> None:
    """Exit status 2, the usage and one line."""
    if words == ["--size", "15x"]:
        assert shisan(capsys, "show", *words)[0] == 0
        return
    status, out, err = shisan(capsys, "show", *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 2
    last = err.splitlines()[-1]
    assert last.startswith("shisan show: error: ")
    assert message is None or last == f"shisan show: error: {message}"


def test_show_bad_records(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bad.psq"
    file.write_text(PSQ.replace("4,4,10", "4,44,10"))
    _, _, err = shisan(capsys, "show", str(file))
    assert err.splitlines()[-1] == (
        f"shisan show: error: {file}: line 3: 4,44 is outside the board of 9x9"
    )
    file.write_text(PSQ)
    _, _, err = shisan(capsys, "show", str(file), "--size", "15")
    assert err.splitlines()[-1].endswith("line 1: the board is 9x9, not 15x15 as asked for")
    file.write_bytes(b"\xff\xfe\x00h8")
    _, _, err = shisan(capsys, "show", str(file))
    assert err.splitlines()[-1].startswith(f"shisan show: error: {file}: ")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert show.wants_colour(Terminal())
    assert not show.wants_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not show.wants_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not show.wants_colour(Terminal())


def test_reader_that_goes_away() -> None:
    """`shisan show | head -1` says nothing on stderr."""
    code = "from shisan.scripts.cli import main; raise SystemExit(main(['show']))"
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert done.stderr == b""


def test_show_replaces_nothing_unasked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game, picture = tmp_path / "game.txt", tmp_path / "game.svg"
    game.write_text("h8i9")
    picture.write_text("mine")
    for words, message in (
        (("--svg", str(game), "--force"), f"--svg: {game} is the file to read"),
        (("--svg", str(picture)), f"--svg: {picture} exists; --force replaces it"),
        (("--svg", str(tmp_path / "no" / "x.svg")), f"--svg: there is no folder {tmp_path / 'no'}"),
    ):
        with pytest.raises(SystemExit, match="2"):
            cli.main(["show", str(game), *words])
        assert message in capsys.readouterr().err
    assert (game.read_text(), picture.read_text()) == ("h8i9", "mine")
    assert cli.main(["show", str(game), "--svg", str(picture), "--force"]) == 0
    assert picture.read_text().startswith("<svg")
