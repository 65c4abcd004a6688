"""Positions as text and as SVG: what is marked, that it can be told apart, that it is XML."""

import re
from xml.etree import ElementTree

import pytest

from shisan.engine import Colour, Position, Rules
from shisan.protocol.notation import read_points
from shisan.protocol.pictures import KIND_MARKS, draw_svg, draw_text, star_points, status
from shisan.protocol.records import play_all

SVG = "{http://www.w3.org/2000/svg}"


def set_up(black: str, white: str = "", walls: str = "", rules: Rules | None = None) -> Position:
    stones = [(x, y, Colour.BLACK) for x, y in read_points(black)]
    stones += [(x, y, Colour.WHITE) for x, y in read_points(white)]
    return Position.set_up(rules or Rules.renju(), stones, Colour.BLACK, read_points(walls))


def all_kinds() -> Position:
    """A double three at d4, a double four at k8 and an overline at d14."""
    return set_up("c4 e4 d3 d5  i8 j8 l8 k7 k9 k10  a14 b14 c14 e14 f14", "h8 k11")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_text_of_a_win() -> None:
    position = play_all(Rules.freestyle(9), read_points("e5d5e6d6e7d7e8d8e4"))
    assert draw_text(position) == (
        "    a b c d e f g h i\n"
        " 1  . . . . . . . . .  1\n"
        " 2  . . . . . . . . .  2\n"
        " 3  . . + . . . + . .  3\n"
        " 4  . . . .>X . . . .  4\n"
        " 5  . . . O*X . . . .  5\n"
        " 6  . . . O*X . . . .  6\n"
        " 7  . . + O*X . + . .  7\n"
        " 8  . . . O*X . . . .  8\n"
        " 9  . . . . . . . . .  9\n"
        "    a b c d e f g h i\n"
        "Black wins: e4 e5 e6 e7 e8 after 9 stones; freestyle, 9x9\n"
        "> last stone; * the line that won"
    )


def test_text_of_forbidden_points_and_walls() -> None:
    position = all_kinds()
    assert position.forbidden_points() == {
        (3, 3): "double three",
        (10, 7): "double four",
        (3, 13): "overline",
    }
    lines = draw_text(position).splitlines()
    assert lines[4].startswith(" 4  . . X!3 X")
    assert "X X!4 X" in lines[8]
    assert lines[14].startswith("14  X X X!6 X X")
    assert lines[-1].endswith("forbidden for Black: !3 double three, !4 double four, !6 overline")
    assert "1  # ." in draw_text(set_up("h8", walls="a1")).splitlines()[1]


def test_text_with_numbers() -> None:
    position = play_all(Rules.freestyle(5), read_points("c3d2"))
    assert draw_text(position, numbers=True).splitlines()[:4] == [
        "    a  b  c  d  e",
        " 1  .  .  .  .  .   1",
        " 2  .  .  . >O2 .   2",
        " 3  .  .  X1 .  .   3",
    ]
    rows = draw_text(all_kinds(), numbers=True).splitlines()[:-2]
    assert len({len(row) for row in rows[1:-1]}) == 1, "columns are aligned"


def test_plain_text_is_ascii_and_colour_only_adds_escapes() -> None:
    position = all_kinds()
    plain = draw_text(position)
    assert plain.isascii() and plain.isprintable() is False
    assert "\x1b" not in plain
    coloured = draw_text(position, colour=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("side", [5, 6, 9, 14, 15, 20, 22])
def test_every_size(side: int) -> None:
    for rules in (Rules.freestyle(side), Rules.standard(side, 5), Rules.renju(5, side)):
        position = Position(rules)
        assert len(draw_text(position).splitlines()) == rules.height + 3
        ElementTree.fromstring(draw_svg(position))
        assert all(position.is_empty(x, y) for x, y in star_points(rules.width, rules.height))


def test_status() -> None:
    assert status(Position(Rules.freestyle())) == "Black to move"
    assert status(play_all(Rules.freestyle(), [(7, 7)])) == "White to move"
    renju = play_all(Rules.renju(), read_points("g8 a1 i8 c1 h7 e1 h9 g1 h8"))
    assert status(renju) == "White wins: h8 is forbidden for Black"
    full = Position.set_up(
        Rules.freestyle(5),
        [(x, y, Colour((x + y // 2) % 2)) for x in range(5) for y in range(5)],
        Colour.WHITE,
    )
    assert status(full) == "Draw: the board is full"


def test_svg_is_whole_and_self_contained() -> None:
    svg = draw_svg(all_kinds(), title="A <b> & \x00\x1b\udc80 'c'")
    tree = ElementTree.fromstring(svg)
    assert tree.tag == f"{SVG}svg"
    assert tree.find(f"{SVG}title") is not None
    assert "A <b> &  'c'" in texts(svg)
    svg.encode("utf-8")
    kinds = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert kinds <= {
        "svg", "title", "defs", "linearGradient", "radialGradient", "pattern", "stop", "path",
        "rect", "circle", "text", "g",
    }  # fmt: skip
    outside = svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "href" not in outside and "http" not in outside
    used = set(re.findall(r"url\(#([^)]+)\)", svg))
    assert used == {element.get("id") for element in tree.iter() if element.get("id")}


def test_svg_shows_what_it_should() -> None:
    svg = draw_svg(all_kinds())
    for letter in "abcdefghijklmno":
        assert texts(svg).count(letter) == 2, "coordinates on both rims"
    assert texts(svg).count("15") == 2
    crosses = [
        group.findtext(f"{SVG}title") for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
    ]
    for kind, digit in KIND_MARKS.items():
        assert crosses.count(kind) == 2, "one on the board and one in the legend"
        assert texts(svg).count(digit) == 4, "two of them coordinates"
    assert "Forbidden for Black:" in texts(svg)
    assert svg.count("url(#shisan-black)") == 15
    assert svg.count("url(#shisan-white)") == 2
    assert "Forbidden for Black:" not in texts(draw_svg(Position(Rules.renju())))


def test_svg_of_a_win() -> None:
    moves = read_points("h8g7h7g6h6g5h5g4h4")
    won = draw_svg(play_all(Rules.freestyle(), moves))
    going_on = draw_svg(play_all(Rules.freestyle(), moves[:-1]))
    assert won.count('stroke="#2e9e4f"') == 6, "the line and a ring for each of its stones"
    assert 'stroke="#2e9e4f"' not in going_on
    assert going_on.count('stroke="#e0392b"') == 1, "the last stone"
    numbered = texts(draw_svg(play_all(Rules.freestyle(), moves), numbers=True))
    assert numbered.count("9") == 3, "two coordinates and the last stone"
