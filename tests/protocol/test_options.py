"""The table of options: what the parser, --help and the tables make of it."""

import pytest

from shisan.engine import MAX_STRENGTH, MAX_THREADS, MAX_VARIETY
from shisan.protocol.options import (
    BY_KEY,
    OPTIONS,
    OptionError,
    help_table,
    markdown_table,
    value_of,
)
from shisan.protocol.settings import Settings


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_rows(option) -> None:  # type: ignore[no-untyped-def]
    assert option.key == option.key.lower()
    assert option.kind in ("number", "bits", "text")
    assert option.effect
    assert option.effect not in ("ignored", "ignored:")
    for table in (markdown_table(), help_table()):
        assert option.key in table
        assert option.effect in table


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_each_key_does_something_or_is_ignored(option) -> None:  # type: ignore[no-untyped-def]
    """A key that is not marked as ignored changes the settings when it is taken."""
    settings = Settings()
    before = state(settings)
    high = 7 if option.high is None else min(7, option.high)
    settings.take(option.key, str(high))
    assert (state(settings) == before) == option.ignored


def state(settings: Settings) -> object:
    """Everything that the settings lead to."""
    clock = settings.clock
    return (
        *(settings.turn, settings.depth, settings.nodes, settings.rule, settings.folder),
        *(settings.memory, clock.left, clock.match, clock.increment),
        *(settings.variety, settings.strength, settings.seed, settings.threads),
        settings.pondering,
        *(settings.show_detail, settings.merge_images),
        *(settings.use_database, settings.database_read_only),
    )


def test_variety_goes_as_far_as_the_engine_lets_it() -> None:
    assert BY_KEY["variety"].high == MAX_VARIETY


def test_as_many_threads_as_the_engine_has() -> None:
    assert BY_KEY["thread_num"].high == MAX_THREADS


def test_full_strength_is_the_default() -> None:
    assert BY_KEY["strength"].high == BY_KEY["strength"].default == MAX_STRENGTH


def test_defaults_are_in_their_range() -> None:
    for option in OPTIONS:
        if option.kind != "text" and option.default not in (None, ""):
            assert value_of(option, str(option.default)) == option.default


@pytest.mark.parametrize(
    ("key", "text", "problem"),
    [
        ("timeout_turn", "-1", "timeout_turn must be 0.., not -1"),
        ("timeout_turn", "abc", "timeout_turn must be 0.., not abc"),
        ("time_left", "", "time_left must be an integer, not empty"),
        ("rule", "-3", "rule must be 0..15, not -3"),
        ("max_depth", "-2", "max_depth must be -1.., not -2"),
        ("variety", "101", "variety must be 0..100, not 101"),
        ("strength", "101", "strength must be 0..100, not 101"),
        ("thread_num", "65", "thread_num must be 1..64, not 65"),
        ("pondering", "2", "pondering must be 0..1, not 2"),
        ("seed", "-1", "seed must be 0..2147483647, not -1"),
    ],
)
def test_values_refused(key: str, text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=f"^{problem}$"):
        value_of(BY_KEY[key], text)


def test_markdown_is_a_table() -> None:
    lines = markdown_table().split("\n")
    assert len(lines) == len(OPTIONS) + 2
    assert {line.count(" | ") for line in lines} == {4}
    assert not any("||" in line for line in lines)
