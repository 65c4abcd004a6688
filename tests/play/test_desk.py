"""Keys in, a picture out, without a terminal."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from played_out import Table

from shisan.engine import Colour, Rules
from shisan.protocol.notation import point_name
from shisan.protocol.records import read_psq
from shisan.scripts import lines
from shisan.scripts.desk import Desk
from shisan.scripts.face import KEYS, draw
from shisan.scripts.keys import UNKNOWN, decode
from shisan.scripts.screen import render


class Desktop(Table):
    """A table with a desk on it."""

    def __init__(self, *arguments, only_ascii: bool = False, **more) -> None:
        super().__init__(*arguments, **more)
        self.desk = Desk(self.host, only_ascii)

    def press(self, keys: str | Sequence[str]) -> None:
        for key in keys:
            self.desk.poll()
            self.desk.press(key)
        self.desk.poll()

    @property
    def message(self) -> str:
        return self.desk.face().message

    @property
    def cursor(self) -> str:
        return point_name(*self.desk.cursor)

    def text(self, columns: int = 80, lines: int = 24) -> str:
        return draw(self.desk.face(), columns, lines).plain


# Keys


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"h8\r", ["h", "8", "enter"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOB\x1bOM", ["up", "down", "enter"]),
        (b"\x1b[1;5C\x1b[1;2A", ["right", "up"]),
        (b"\x1b[H\x1b[F\x1b[1~\x1b[4~", ["home", "end", "home", "end"]),
        (b"\x1b[3~\x1b[200~", [UNKNOWN, UNKNOWN]),
        (b"\x1b\x1b[A", ["escape", "up"]),
        (b"\x7f\b\n\x03\x04\x0c\x01", "backspace backspace enter leave leave redraw".split()),
        ("ö中🙂".encode(), ["ö", "中", "🙂"]),
        (b"\xff\xc3(a", ["\ufffd", "\ufffd", "(", "a"]),
    ],
)
def test_keys(data: bytes, keys: list[str]) -> None:
    keys = [*keys, UNKNOWN] if data.endswith(b"\x01") else keys
    assert decode(data, final=True) == (keys, b"")


def test_keys_cut_anywhere_are_the_same() -> None:
    data = "h8\x1b[A\x1b[1;5Cö中🙂\x1bOB?\x1b[3~q".encode()
    whole, rest = decode(data)
    assert rest == b""
    for cut in range(len(data) + 1):
        first, rest = decode(data[:cut])
        second, nothing = decode(rest + data[cut:])
        assert (first + second, nothing) == (whole, b""), cut


def test_any_bytes_are_keys() -> None:
    for first in range(256):
        for second in range(256):
            keys, rest = decode(bytes((first, second)), final=True)
            assert rest == b""
            assert 1 <= len(keys) <= 2


# Pressing them


def test_the_cursor_stays_on_the_board() -> None:
    table = Desktop(Rules.freestyle(7, 5))
    assert table.cursor == "d3"
    for keys, point in (
        (["left"] * 9, "a3"),
        (["up"] * 9, "a1"),
        (["end"], "g1"),
        (["down"] * 9, "g5"),
        (["right", "home"], "a5"),
        ("llkk", "c3"),
        ("hj", "b4"),
    ):
        table.press(keys)
        assert table.cursor == point


@pytest.mark.parametrize(
    ("typed", "point"),
    [("h8", "h8"), ("a1", "a1"), ("o15", "o15"), ("j10", "j10"), ("L12", "l12"), ("n3", "n3")],
)
def test_points_are_typed(typed: str, point: str) -> None:
    """Letters that move the cursor or mean something are columns too, once a digit follows."""
    table = Desktop()
    table.press(typed)
    assert table.cursor == point
    assert f"going to {typed.lower()}" in table.text()
    table.press(["enter"])
    assert point_name(*table.host.sitting.position.stones[-1][:2]) == point


def test_capitals_are_always_columns() -> None:
    table = Desktop(Rules.freestyle(22))
    table.press("h8")
    table.press(["enter"])
    table.reply("i9")
    for typed in ("Q8", "U20", "R3", "S1"):
        table.press(typed)
        assert table.cursor == typed.lower()
    assert not table.desk.left
    assert table.host.sitting.position.ply == 2
    assert "Q8 and U8 in capitals" in table.text(120, 40)
    assert "in capitals" not in Desktop().text(120, 40)


def test_a_point_that_is_none_says_what_is_allowed() -> None:
    table = Desktop()
    table.press("h99")
    assert table.message == "h99 at character 1 is outside: rows are 1..15"
    assert table.desk.face().wrong
    table.press("5")
    assert "'5' is no key" in table.message
    table.press("x")
    assert "'x' is no key" in table.message


def test_backspace_and_escape() -> None:
    table = Desktop()
    table.press("h1")
    table.press(["backspace", "9", "enter"])
    assert point_name(*table.host.sitting.position.stones[-1][:2]) == "h9"
    table.reply("a1")
    table.press(["c", "escape", "5"])
    assert "'5' is no key" in table.message


def test_a_refused_point_says_why() -> None:
    table = Desktop(Rules.renju(), moves="h8g6f6g5f7g4h7g3g2a1")
    table.press(["g", "7", "enter"])
    assert table.message == "g7 is forbidden for Black: double three, f7 g7 h7 and f6 g7 h8"
    assert table.desk.face().wrong
    table.press(["h", "8", "enter"])
    assert table.message == "h8 is occupied by a black stone, number 1"


def test_resigning_and_a_new_game_want_to_be_sure() -> None:
    table = Desktop()
    table.press(["enter"])
    table.reply("a1")
    for key, what in (("r", "resign"), ("n", "begin a new game")):
        table.press(key)
        assert table.message == f"{key} again to {what}"
        table.press(["up", key])
        assert table.message == f"{key} again to {what}"
        table.press(["escape"])
    table.press("r8")
    assert table.host.sitting.ending is None
    table.press("rr")
    assert table.host.sitting.ending is not None
    assert "White wins: Black resigns" in table.text()
    table.press("n")
    assert table.message == "a new game: you are black"
    assert table.host.sitting.position.ply == 0


def test_levels() -> None:
    table = Desktop(strength=95)
    table.press("++")
    assert table.host.strength == 100
    table.press("-" * 30)
    assert table.host.strength == 0
    assert "Shisan, strength 0" in table.text()


def test_keys_are_alive_while_the_engine_thinks() -> None:
    table = Desktop()
    table.press(["enter"])
    table.now += 3
    assert "Shisan thinks (3 s)" in table.text()
    table.press(["up", "enter"])
    assert table.message == "it is the engine's turn"
    table.press(".")
    assert table.engine.hurried == 1
    table.press("u")
    assert table.message == "one stone taken back"
    assert table.host.sitting.persons_turn


def test_leaving() -> None:
    for key in ("q", "leave"):
        table = Desktop()
        table.press([key])
        assert table.desk.left


def test_any_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of keys in any order, the engine answering now and then: no surprise.

    Never a stone on a forbidden or an occupied point, stones of both colours in turn, and a screen
    that can be drawn.
    """
    monkeypatch.chdir(tmp_path)
    luck = Random(7)
    keys = [*"hjklabcdegnou?.+-=sr1234567890QXö ", "enter", "enter", "up", "down", "escape"]
    keys += ["backspace", "home", "end", "redraw", UNKNOWN]
    for rules in (Rules.renju(9), Rules.freestyle(5), Rules.caro(22, 6)):
        table = Desktop(rules, clock_s=30, colour=None)
        games = 0
        for _ in range(3000):
            table.press([luck.choice(keys)])
            table.now += luck.choice((0, 0, 0.1, 3))
            position = table.host.sitting.position
            if table.engine.busy and luck.random() < 0.7:
                table.engine.tell(
                    point_name(*luck.choice(table.engine.asked[-1][0].legal_points()))
                )
                table.desk.poll()
            games += position.ply == 0
            owners = [owner for _, _, owner in position.stones]
            assert owners == [Colour(number % 2) for number in range(len(owners))]
            assert position.result.reason != "forbidden move"
            assert len(table.host.sitting.plies) == position.ply
            if luck.random() < 0.02:
                table.text(luck.randint(1, 120), luck.randint(1, 50))
        assert games
        saved = list(tmp_path.glob("shisan-*.psq"))
        assert all(read_psq(file.read_bytes()) for file in saved)
        assert saved


# What it looks like


BOARD = """\
   a b c d e f g     Shisan: freestyle, 7x5
 1 ┌─┬─┬─┬─┬─┬─┐ 1   ● Black: you, 0:29 left
 2 ├─┼─┼(○)┼─┼─┤ 2   ○ White: Shisan, strength 100
 3 ├─┼─●[╋]┼─┼─┤ 3
 4 ├─┼─┼─┼─┼─┼─┤ 4   Black to move: you
 5 └─┴─┴─┴─┴─┴─┘ 5
   a b c d e f g     Shisan plays d2 (0.0 s)

                     1.c3 2.d2"""
ASCII = """\
   a b c d e f g     Shisan: freestyle, 7x5
 1 . . . . . . . 1   X Black: you, 0:29 left
 2 . . .(O). . . 2   O White: Shisan, strength 100
 3 . . X[+]. . . 3
 4 . . . . . . . 4   Black to move: you
 5 . . . . . . . 5
   a b c d e f g     Shisan plays d2 (0.0 s)

                     1.c3 2.d2"""
NARROW = """\
   a b c d e f g
 1 ┌─┬─┬─┬─┬─┬─┐ 1
 2 ├─┼─┼(○)┼─┼─┤ 2
 3 ├─┼─●[╋]┼─┼─┤ 3
 4 ├─┼─┼─┼─┼─┼─┤ 4
 5 └─┴─┴─┴─┴─┴─┘ 5
   a b c d e f g
Black: you, 0:29 left; White:
Shisan, strength 100
Black to move: you
Shisan plays d2 (0.0 s)"""


@pytest.mark.parametrize(
    ("only_ascii", "columns", "wanted"),
    [(False, 80, BOARD), (True, 80, ASCII), (False, 32, NARROW)],
)
def test_the_board(only_ascii: bool, columns: int, wanted: str) -> None:
    table = Desktop(Rules.freestyle(7, 5), only_ascii=only_ascii, clock_s=30)
    table.press(["left", "enter", "right"])
    table.engine.tell("d2")
    table.desk.poll()
    table.now += 1
    text = table.text(columns, 24)
    assert text.isascii() == only_ascii
    lines = [line.rstrip() for line in text.split("\n")]
    assert "\n".join(lines[: wanted.count("\n") + 1]) == wanted
    assert "q leave" in text


def test_the_line_that_won_and_forbidden_points_are_marked() -> None:
    table = Desktop(moves="h8a1i8c1j8e1k8g1")
    table.press(["l", "8", "enter", "down"])
    assert "┼*●*●*●*●*●)┼" in table.text()
    table = Desktop(Rules.renju(), moves="h8g6f6g5f7g4h7g3g2a1")
    assert "●─3─●" in table.text()
    assert "forbidden: 3 double three" in table.text()


def test_a_hint_is_marked() -> None:
    table = Desktop(moves="h8g8i8c1j8e1k8g1")
    table.press("?")
    table.engine.tell("l8")
    table.desk.poll()
    assert table.message == "l8 makes five and wins"
    assert "●─?─" in table.text()


@pytest.mark.parametrize("columns", [10, 20, 34, 40, 62, 80, 200])
@pytest.mark.parametrize("lines", [4, 10, 17, 24, 60])
@pytest.mark.parametrize("rules", [Rules.renju(15), Rules.freestyle(22, 5), Rules.caro(22, 22)])
def test_every_size_fits_and_shows_the_cursor(rules: Rules, columns: int, lines: int) -> None:
    table = Desktop(rules)
    table.press(["?"])
    table.now += 2
    for keys in ("", ["home"] + ["up"] * 30, ["end"] + ["down"] * 30):
        table.press(keys)
        rows = table.text(columns, lines).split("\n")
        assert len(rows) == lines
        assert max(map(len, rows)) <= columns
        if columns >= 20 and lines >= 10:
            assert "[" in "".join(rows)


def test_without_colours_there_are_no_sequences() -> None:
    table = Desktop()
    assert "\x1b" not in "".join(render(table.desk, 80, 24, colour=False))
    assert "\x1b[" in "".join(render(table.desk, 80, 24, colour=True))
    assert len(render(table.desk, 80, 24, colour=True)) == 24


def test_drawing_is_quick() -> None:
    """Far less than the time between two keys, on the largest board."""
    table = Desktop(Rules.renju(22), colour=Colour.WHITE)
    render(table.desk, 120, 40, colour=True)
    begun = time.process_time()
    for _ in range(10):
        render(table.desk, 120, 40, colour=True)
    assert time.process_time() - begun < 1


DOCS = Path(__file__).parents[2] / "docs" / "play.md"


def test_the_picture_in_the_docs() -> None:
    """Remake it by pasting what this draws."""
    table = Desktop(Rules.renju(), moves="h8g6f6g5f7g4h7g3g2a1", strength=40, clock_s=30)
    table.now += 8
    table.press(["g", "7", "enter"])
    drawn = "\n".join(line.rstrip() for line in table.text(86, 19).split("\n"))
    assert f"```text\n{drawn}\n```" in DOCS.read_text(encoding="utf-8")


def test_the_docs_name_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    table = text.partition("## Keys")[2].partition("\n## ")[0]
    named = {
        key for row in re.findall(r"^\| ([^|]+) \|", table, re.M) for key in re.split("[, ]+", row)
    }
    assert {key.split()[0] for key in KEYS if not key.startswith("h8")} <= named
    for line in lines.HELP.split("    "):
        for word in re.split(r"[:\n]", line)[0].replace(",", " ").split()[:1]:
            assert f"`{word}" in text, word
