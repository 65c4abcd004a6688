"""Points as text: both spellings, every board, and errors that say where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisan.engine import MAX_SIDE
from shisan.protocol.notation import (
    NotationError,
    point_name,
    points_text,
    read_point,
    read_points,
)

POINTS = st.tuples(st.integers(0, MAX_SIDE - 1), st.integers(0, MAX_SIDE - 1))


def test_row_one_is_on_top() -> None:
    """The convention that differs from renju books."""
    assert read_point("a1") == (0, 0)
    assert read_point("h8") == (7, 7)
    assert read_point("a15", 15, 15) == (0, 14)
    assert read_point("v22") == (21, 21)
    assert read_point("i1") == (8, 0), "no letter is left out"


@given(st.lists(POINTS))
def test_names_read_back(points: list[tuple[int, int]]) -> None:
    """Both spellings, concatenated or apart, give the same points."""
    assert read_points(points_text(points)) == points
    assert read_points(" ".join(point_name(x, y).upper() for x, y in points)) == points
    assert read_points(" ".join(f"{x},{y}" for x, y in points)) == points
    assert read_points(", ".join(f"{x} , {y}" for x, y in points)) == points


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("h", 0, "h at character 1 names no point: a number must follow the letter"),
        ("h8 ?9", 3, "?9 at character 4 names no point: write h8 or 7,7"),
        ("h8p9", 2, "p9 at character 3 is outside: columns are a..o"),
        ("h16", 0, "h16 at character 1 is outside: rows are 1..15"),
        ("h0", 0, "h0 at character 1 is outside: rows are 1..15"),
        ("7,7 15,3", 4, "15,3 at character 5 is outside: x is 0..14"),
        ("7,7 3,15", 4, "3,15 at character 5 is outside: y is 0..14"),
        ("7,", 0, "7, at character 1 names no point: write h8 or 7,7"),
        ("-1,-1", 0, "-1,-1 at character 1 names no point: write h8 or 7,7"),
        ("7", 0, "7 at character 1 names no point: write h8 or 7,7"),
        (",h8", 0, ",h8 at character 1 names no point: write h8 or 7,7"),
        ("h8 h²", 3, "h² at character 4 names no point: a number must follow the letter"),
        ("h" + "9" * 5000, 0, "h99999999999... at character 1 is outside: rows are 1..15"),
    ],
)
def test_errors_say_where(text: str, at: int, message: str) -> None:
    """The character is the first one of what is wrong."""
    with pytest.raises(NotationError) as caught:
        read_points(text, 15, 15)
    assert caught.value.at == at
    assert str(caught.value) == message


def test_one_point() -> None:
    """read_point takes exactly one."""
    assert read_point("  7, 8 ") == (7, 8)
    with pytest.raises(NotationError, match="h9 at character 4 is more than one point"):
        read_point("h8 h9")
    with pytest.raises(NotationError, match="the end at character 1"):
        read_point("")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else is raised, and what is read is on the board."""
    try:
        points = read_points(text, 15, 10)
    except NotationError as error:
        assert 0 <= error.at <= len(text)
    else:
        assert all(0 <= x < 15 and 0 <= y < 10 for x, y in points)
