"""The one table of options: help, documents and defaults come from it."""

from pathlib import Path

import pytest

from shisan.protocol.conditions import (
    ConditionError,
    Conditions,
    Means,
    Schedule,
    check,
    markdown_table,
    rows,
)
from shisan.scripts import match, tournament

ROOT = Path(__file__).resolve().parents[2]
RECORDS = (Conditions, Schedule, Means)


@pytest.mark.parametrize("record", RECORDS)
def test_the_documents_show_the_table(record: type[Conditions]) -> None:
    text = (ROOT / "docs" / "match.md").read_text(encoding="utf-8")
    assert markdown_table(record) in text


@pytest.mark.parametrize("command", [match, tournament])
def test_the_help_shows_the_table(command: object) -> None:
    text = "".join(command.parser().format_help().split())  # type: ignore[attr-defined]
    for record in RECORDS:
        for row in rows(record):
            assert row.flag in text
            assert "".join(f"(default: {row.shown})".split()) in text


@pytest.mark.parametrize("record", RECORDS)
def test_defaults_shown_are_the_defaults(record: type[Conditions]) -> None:
    """What is shown as a default reads back as it, unless it says more than a value."""
    for row in rows(record):
        if row.read is None:
            assert row.default is (row.shown == "yes")
        elif row.default is not None and " " not in row.shown:
            assert row.read(row.shown) == row.default, row.name
        elif row.shown == "none":
            assert row.default is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("turn", "fast"),
        ("turn", "5"),
        ("tolerance", "none"),
        ("memory", "much"),
        ("games", "0"),
        ("games", "many"),
        ("first", "third"),
        ("sprt", "30"),
        ("sprt", "30:0"),
        ("alpha", "0.6"),
        ("alpha", "x"),
        ("formats", "psq,pgn"),
        ("openings", ""),
    ],
)
def test_bad_values(name: str, text: str) -> None:
    (row,) = [row for record in RECORDS for row in rows(record) if row.name == name]
    assert row.read is not None
    with pytest.raises(ConditionError):
        row.read(text)


def test_contradictions() -> None:
    check(Conditions(), Schedule())
    with pytest.raises(ConditionError, match="a move needs a limit"):
        check(Conditions(turn=None), Schedule())
    with pytest.raises(ConditionError, match="swap2"):
        check(Conditions(timeout="plays-on"), Schedule(openings="swap2"))
    with pytest.raises(ConditionError, match="--first"):
        check(Conditions(), Schedule(first="random", openings="swap2"))
