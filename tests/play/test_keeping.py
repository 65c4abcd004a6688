"""Games kept in files: written, read back, and never over another file."""

import os
import re
from pathlib import Path

import pytest
from played_out import Table

from shisan.engine import Colour, Position, Rules
from shisan.protocol.host import Host
from shisan.protocol.keeping import Keeper, KeepError, Names, as_sgf
from shisan.protocol.notation import read_points
from shisan.protocol.records import read_psq, replay
from shisan.protocol.sitting import PlayError, Sitting


def moves(host: Host) -> list[tuple[int, int]]:
    return [(x, y) for x, y, _ in host.sitting.position.stones]


def sgf_properties(text: str) -> list[dict[str, list[str]]]:
    """The nodes of a game tree without branches, by a reader that knows nothing of the writer."""
    assert text.startswith("(;")
    assert text.endswith(")\n")
    nodes: list[dict[str, list[str]]] = []
    at, name = 1, ""
    while at < len(text) - 2:
        if text[at] == ";":
            nodes.append({})
            at += 1
        elif text[at] == "[":
            value, at = "", at + 1
            while text[at] != "]":
                at += text[at] == "\\"
                value += text[at]
                at += 1
            nodes[-1].setdefault(name, []).append(value)
            at += 1
        elif text[at].isspace():
            at += 1
        else:
            match = re.match(r"[A-Z]+", text[at:])
            assert match is not None, text[at:]
            name, at = match[0], at + match.end()
    return nodes


def test_saved_after_each_move_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "game.psq"
    table = Table(save=file, name="Ann Ö", strength=40)
    assert not file.exists()
    table.now += 2.5
    table.host.place((7, 7))
    assert len(read_psq(file.read_bytes()).moves) == 1
    table.now += 1
    table.reply("i9")
    record = read_psq(file.read_bytes())
    assert [(move.x, move.y, move.time_ms) for move in record.moves] == [
        (7, 7, 2500),
        (8, 8, 1000),
    ]
    assert record.players == ("Ann Ö", "Shisan (strength 40)")
    assert record.ending == 9
    assert replay(record, Rules.freestyle()).stones == table.host.sitting.position.stones
    table.host.take_back()
    assert read_psq(file.read_bytes()).moves == ()


def test_the_endings_of_a_psq(tmp_path: Path) -> None:
    for way, ending in (("resign", 0), ("time", 15)):
        table = Table(save=tmp_path / f"{way}.psq", clock_s=30)
        if way == "resign":
            table.host.resign()
        else:
            table.now += 31
            assert table.host.poll() == ["White wins: Black's time has run out"]
        assert read_psq((tmp_path / f"{way}.psq").read_bytes()).ending == ending


def test_sgf(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    table = Table(Rules.renju(15, 12), save=file, colour=Colour.WHITE, name="A]n\\n")
    table.now += 1
    table.reply("h8")
    table.host.place((6, 6))
    table.host.resign()
    root, first, second = sgf_properties(file.read_text(encoding="utf-8"))
    assert (root["SZ"], root["GM"], root["FF"]) == (["15:12"], ["4"], ["4"])
    assert (root["PB"], root["PW"]) == (["Shisan (strength 100)"], ["A]n\\n"])
    assert (root["RE"], root["RU"]) == (["B+R"], ["renju"])
    assert root["C"] == ["Black wins: White resigns"]
    assert root["DT"] == ["2026-05-04"]
    assert first == {"B": ["hh"], "C": ["1.0 s, strength 100, value +0"]}
    assert second["W"] == ["gg"]


def test_a_set_up_goes_into_an_sgf_only(tmp_path: Path) -> None:
    stones = [(7, 7, Colour.BLACK), (8, 8, Colour.BLACK), (0, 0, Colour.WHITE)]
    start = Position.set_up(Rules.freestyle(), stones, Colour.WHITE)
    game = Sitting(start, Colour.WHITE, 0, set_up=True)
    game.place((1, 1), 0)
    root, move = sgf_properties(as_sgf(game, Names("a", "b")))
    assert (root["AB"], root["AW"], root["PL"]) == (["hh", "ii"], ["aa"], ["W"])
    assert (root["RE"], move["W"]) == (["Void"], ["bb"])
    with pytest.raises(KeepError, match=r"save as \.sgf"):
        Keeper(tmp_path / "x.psq").keep(game, Names("a", "b"))
    assert list(tmp_path.iterdir()) == []


def test_the_line_that_won_and_draws() -> None:
    table = Table(moves="h8a1i8c1j8e1k8g1")
    assert table.host.place((11, 7)) == "Black wins: h8 i8 j8 k8 l8"
    assert sgf_properties(as_sgf(table.host.sitting, Names("a", "b")))[0]["RE"] == ["B+"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("game.txt", "game.txt: games are saved as .psq or .sgf"),
        ("there.psq", "there.psq is there already: give another name"),
        ("folder.psq", "folder.psq is there already"),
        ("none/game.psq", "there is no folder"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "there.psq").write_text("mine")
    (tmp_path / "folder.psq").mkdir()
    with pytest.raises(KeepError, match=re.escape(words)):
        Keeper(tmp_path / name)
    assert (tmp_path / "there.psq").read_text() == "mine"
    with pytest.raises(KeepError):
        Keeper(tmp_path / "folder.psq", force=True)


def test_a_file_that_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "game.psq"
    table = Table(save=file)
    file.write_text("another's")
    said = table.host.place((7, 7))
    assert said == f"not saved: {file} is there already: give another name"
    assert file.read_text() == "another's"
    assert not table.host.kept
    assert table.host.save(tmp_path / "other.psq") == f"saved in {tmp_path / 'other.psq'}"
    assert table.host.kept
    table.reply("i9")
    assert len(read_psq((tmp_path / "other.psq").read_bytes()).moves) == 2


def test_force_writes_over_a_file_once_the_game_begins(tmp_path: Path) -> None:
    file = tmp_path / "game.psq"
    file.write_text("old")
    table = Table(save=file, force=True)
    assert file.read_text() == "old"
    table.host.place((7, 7))
    assert len(read_psq(file.read_bytes()).moves) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["game.psq"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.psq").write_text("old")
    (tmp_path / "link.psq").symlink_to("real.psq")
    Table(save=tmp_path / "link.psq", force=True).host.place((7, 7))
    assert (tmp_path / "link.psq").is_symlink()
    assert len(read_psq((tmp_path / "real.psq").read_bytes()).moves) == 1


def test_further_games_have_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "game-2.psq").write_text("another's")
    table = Table(save=tmp_path / "game.psq")
    for column in range(3):
        table.host.place((column, 0))
        table.host.new_game()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["game-2.psq", "game-3.psq", "game-4.psq", "game.psq"]
    for name, column in (("game", 0), ("game-3", 1), ("game-4", 2)):
        record = read_psq((tmp_path / f"{name}.psq").read_bytes())
        assert [(move.x, move.y) for move in record.moves] == [(column, 0)]
    assert (tmp_path / "game-2.psq").read_text() == "another's"


def test_a_default_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = Table()
    table.host.place((7, 7))
    assert list(tmp_path.iterdir()) == []
    assert table.host.save() == "saved in shisan-20260504-130709.psq"
    table.reply("i9")
    assert len(read_psq(Path("shisan-20260504-130709.psq").read_bytes()).moves) == 2
    table.host.new_game()
    table.host.place((7, 7))
    assert str(table.host.file) == "shisan-20260504-130709-2.psq"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = Table(save=tmp_path / "game.psq").host.place((7, 7))
    tmp_path.chmod(0o700)
    assert said.startswith(f"not saved: cannot write {tmp_path}")


def test_a_folder_that_has_gone(tmp_path: Path) -> None:
    """The game goes on, and says so."""
    folder = tmp_path / "folder"
    folder.mkdir()
    table = Table(save=folder / "game.psq")
    folder.rmdir()
    said = table.host.place((7, 7))
    assert said == f"not saved: cannot write {folder / 'game.psq'}: No such file or directory"
    assert table.reply("i9")[0].startswith("Shisan plays i9 (0.0 s); not saved: ")
    assert moves(table.host) == read_points("h8i9")
    with pytest.raises(PlayError):
        table.host.place((7, 7))
