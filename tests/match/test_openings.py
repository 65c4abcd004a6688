"""Openings: each spelling, each kind, and what a broken line says."""

import csv
from pathlib import Path
from random import Random
from statistics import median

import pytest

from shisan.engine import Colour, Engine, Limits, Point, Position, Rules
from shisan.protocol.openings import (
    BALANCED_VALUE,
    NAMED,
    OpeningError,
    balanced_openings,
    check,
    load,
    named,
    opening_name,
    random_opening,
    read_openings,
    symmetries,
    turned,
)

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
RULES = {"freestyle": Rules.freestyle, "standard": Rules.standard, "renju": Rules.renju}
RULES["any"] = Rules.freestyle
FREE = Rules.freestyle()


@pytest.mark.parametrize("path", sorted((DATA / "openings").glob("*.txt")), ids=lambda p: p.name)
def test_known_lists(path: Path) -> None:
    """Each can be played under the rule in its name, as points and as Gomocup offsets."""
    name, side = path.name.partition("_")[0][:-2], int(path.name.partition("_")[0][-2:])
    rules = RULES[name](side)
    found = read_openings(path, rules)
    assert len(set(found)) == len(found) >= 6


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "line",
    [
        "0,0, 0,-1, 2,1",
        "0,0,0,-1,2,1,",
        " 0, 0, 0, -1, +2, 1 ",
        "7,7 7,6 9,8",
        "7,7; 7,6; 9,8",
        "h8h7j9",
        "H8 H7 J9",
    ],
)
def test_spellings(tmp_path: Path, line: str, end: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_bytes(f"\ufeff# three stones{end}{end}{line}{end}".encode())
    assert read_openings(path, FREE) == [((7, 7), (7, 6), (9, 8))]


def test_offsets_count_from_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("1,0, 0,1\n2,2, 3,3\n-10,9, 9,-10\n")
    assert read_openings(path, Rules.freestyle(20)) == [
        ((11, 10), (10, 11)),
        ((12, 12), (13, 13)),
        ((0, 19), (19, 0)),
    ]
    path.write_text("7,7 8,8\n")
    assert read_openings(path, FREE, form="points") == [((7, 7), (8, 8))]
    path.write_text("1,1\n")
    assert read_openings(path, FREE, form="offset") == [((8, 8),)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("7,7 8,8\n\n7,7 7,7\n", "line 3: stone 2: point 7,7 is occupied"),
        ("7,7 8,8\n7,7 15,7\n", "line 2: 15,7 at character 5 is outside"),
        ("h8\nh8 q\n", "line 2: q at character 4 names no point"),
        ("0,0, 1,1\n0,0, 8,1\n", "line 2: 8,1 leads from the middle off the board of 15x15"),
        ("0,0, 1,1\n0,0, 1\n", "line 2: 3 numbers make no pairs"),
        ("0,0, -1,1\n0,0, 1,x\n", "line 2: number 4 is 'x', not an offset like -3"),
        ("0,0, -1,1\n0,0,,1\n", "line 2: number 3 is nothing, not an offset"),
        ("# nothing\n\n", "holds no opening"),
        ("h8a1h9a2h10a3h11a4h12\n", "line 1: the game is over at stone 9: five"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n0\n", "line 3: 8,8 is occupied since line 2"),
        ("Piskvorky 20x20, 0:0, 0\n8,8,0\n0\n", "line 1: the board is 20x20, not 15x15"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, text: str, told: str) -> None:
    """With file and line."""
    path = tmp_path / "openings.txt"
    path.write_text(text)
    with pytest.raises(OpeningError) as caught:
        read_openings(path, FREE)
    assert str(caught.value).startswith(str(path))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(OpeningError, match=r"cannot read nosuch: .* \(openings are balanced, "):
        load("nosuch", FREE, count=1)
    with pytest.raises(OpeningError, match=r"no \.psq file in this folder"):
        load(str(tmp_path), FREE, count=1)


def test_records(tmp_path: Path) -> None:
    path = DATA / "psq" / "1_00_06_00.psq"
    side = int(path.read_text().split("x")[1].partition(",")[0])
    rules = Rules.freestyle(side)
    (whole,) = read_openings(path, rules)
    (short,) = read_openings(path, rules, plies=3)
    assert short == whole[:3]
    (tmp_path / "b.psq").write_bytes(path.read_bytes())
    (tmp_path / "a.psq").write_text(f"Piskvorky {side}x{side}, 0:0, 0\n5,5,0\n6,6,0\n")
    assert read_openings(tmp_path, rules, plies=2) == [((4, 4), (5, 5)), whole[:2]]


def test_named_openings() -> None:
    """26, all different, in any symmetry but the one that keeps the first two stones."""
    found = named(Rules.renju())
    assert len(NAMED) == len(set(found)) == 26
    assert found[0] == ((7, 7), (7, 6), (7, 5))
    assert found[25] == ((7, 7), (8, 6), (5, 9))
    forms = {min(turned(each, k, FREE) for k in range(8)) for each in found}
    assert len(forms) == 26
    with pytest.raises(OpeningError):
        check([(7, 7), (7, 7)], FREE)


def test_symmetries() -> None:
    """All eight differ, and each keeps distances."""
    stones = ((7, 7), (8, 6), (5, 8))
    forms = {turned(stones, k, FREE) for k in symmetries(FREE)}
    assert len(forms) == 8
    wide = Rules.freestyle(20, 10)
    assert symmetries(wide) == (0, 1, 2, 3)
    for k in symmetries(wide):
        assert check(turned([(0, 0), (19, 9), (3, 4)], k, wide), wide)


def test_random_openings() -> None:
    found = [random_opening(Rules.renju(), Random(seed)) for seed in range(50)]
    assert {len(each) for each in found} == {1, 2, 3}
    assert all(abs(x - 7) <= 2 and abs(y - 7) <= 2 for each in found for x, y in each)


@pytest.mark.parametrize("rules", [Rules.freestyle(), Rules.renju(), Rules.caro(20, exact=True)])
def test_balanced_openings(rules: Rules) -> None:
    """The same seed gives the same ones, and a search of another size agrees that they are even."""
    found = list(balanced_openings(rules, 4, 5))
    assert found == list(balanced_openings(rules, 4, 5))
    assert found[:2] != list(balanced_openings(rules, 2, 6))
    values = []
    for stones in found:
        check(stones, rules)
        position = Position(rules)
        for point in stones:
            position.play(*point)
        result = Engine(rules).search(position, Limits(nodes=40_000))
        assert result.win_in is None
        values.append(abs(result.value))
    assert median(values) <= 2 * BALANCED_VALUE
    assert max(values) <= 6 * BALANCED_VALUE


def test_kinds() -> None:
    assert load("swap2", FREE, count=3).swap2
    assert load("empty", FREE, count=3).stones == ((),)
    assert load("named", FREE, count=3).of(26) == load("named", FREE, count=3).of(0)
    once, twice = load("random", FREE, count=9, seed=4), load("random", FREE, count=9, seed=4)
    assert len(once.stones) == 9
    assert once.sha256 == twice.sha256 != load("random", FREE, count=9, seed=5).sha256
    assert load("swap2", FREE, count=1).sha256 != load("empty", FREE, count=1).sha256


def every_form() -> dict[tuple[Point, ...], str]:
    """Each form of each named opening: turned about the centre and mirrored, as complex numbers."""
    forms = {}
    text = (DATA / "openings" / "renju15_named26.csv").read_text(encoding="ascii")
    for row in csv.DictReader(text.splitlines()):
        points = [tuple(map(int, word.split(","))) for word in row["moves"].split()]
        offsets = [complex(x - 7, y - 7) for x, y in points]
        for mirrored in (offsets, [each.conjugate() for each in offsets]):
            for turn in (1, 1j, -1, -1j):
                placed = [each * turn for each in mirrored]
                form = tuple((int(each.real) + 7, int(each.imag) + 7) for each in placed)
                forms[form] = row["name"]
    return forms


def test_names_of_openings_in_all_forms() -> None:
    """The 26 in their eight forms, and nothing else of all that three stones can be."""
    forms = every_form()
    assert len(set(forms.values())) == 26
    points = [(x, y) for y in range(15) for x in range(15)]
    found = {}
    for second in points:
        for third in points:
            name = opening_name([(7, 7), second, third])
            if name is not None:
                found[(7, 7), second, third] = name
    assert found == forms


def test_names_of_openings_in_games() -> None:
    stones = ((7, 7), (7, 6), (8, 6))
    for rules in (Rules.renju(), Rules.freestyle()):
        position = Position(rules)
        for number, point in enumerate((*stones, (0, 0))):
            assert opening_name(position) == ("Kagetsu" if number == 3 else None)
            position.play(*point)
        assert opening_name(position) == "Kagetsu"
    assert opening_name([*stones, (3, 3)]) == "Kagetsu"
    assert opening_name(stones[:2]) is None
    assert opening_name([(7, 8), (7, 7), (8, 7)]) is None  # Black's first is not in the centre
    assert opening_name([stones[2], stones[1], stones[0]]) is None
    other = Position(Rules.renju(16))
    for point in stones:
        other.play(*point)
    assert opening_name(other) is None
    white = Position.set_up(
        Rules.renju(), [(*point, Colour.WHITE) for point in stones], Colour.BLACK
    )
    assert opening_name(white) is None
