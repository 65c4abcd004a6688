"""tune: games between margins, what they say, and the journal that they are kept in."""

import json
from pathlib import Path
from random import Random

import pytest

from shisan.engine import Engine, LimitError, Limits, Position, Rules
from shisan.engine.kernel import load
from shisan.scripts import tune

np = pytest.importorskip("numpy")

FACTORS = {
    "depth": [{}, {"futility_depth": 3}],
    "late": [{}, {"reduction": 20}, {"reduction": 150, "reduction_slope": 120}],
}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "factors.json").write_text(json.dumps(FACTORS))
    (tmp_path / "openings.txt").write_text("3,3 4,4 3,4\n3,3 5,4 2,2\n")
    files = [str(tmp_path / "factors.json"), "--openings", str(tmp_path / "openings.txt")]
    limits = ["--turn", "none", "--nodes", "60", "--size", "9", "--jobs", "2"]
    return [*files, *limits, "--out", str(tmp_path / "tune.jsonl")]


def test_games_are_kept_and_gone_on_with(words, tmp_path, capsys):
    """The games do not depend on where the command was stopped."""
    assert tune.main([*words, "--games", "4"]) == 0
    assert capsys.readouterr().out.startswith("4 games, ")
    journal = tmp_path / "tune.jsonl"
    journal.write_text(journal.read_text() + '{"number": 9, "first": [0')  # killed while it wrote
    assert tune.main([*words, "--games", "8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("8 games, ") and out.count(" +- ") == 3
    again = tmp_path / "again.jsonl"
    assert tune.main([*words[:-1], str(again), "--games", "8"]) == 0
    assert sorted(journal.read_text().splitlines()) == sorted(again.read_text().splitlines())
    assert tune.main([*words, "--seed", "2"]) == 2
    assert "another experiment" in capsys.readouterr().err


def test_effects_are_found_where_they_are_known():
    """Results drawn from known effects: each is found within three of its errors."""
    factors = tune.Factors(("a", "b"), (({}, {"x": 1}), ({}, {"y": 1}, {"y": 2})))
    worth = {(0, 1): 100.0, (1, 1): -60.0, (1, 2): 0.0}
    luck = Random(1)

    def result(black: tune.Levels, white: tune.Levels) -> int:
        elo = sum(worth.get(x, 0) for x in enumerate(black))
        elo -= sum(worth.get(x, 0) for x in enumerate(white))
        return 1 if luck.random() < 1 / (1 + 10 ** (-elo / 400)) else -1

    found = []
    for number in range(1500):
        first, second = factors.drawn(luck), factors.drawn(luck)
        found.append(
            tune.Trial(number, first, second, (result(first, second), result(second, first)))
        )
    effects = tune.effects(factors, found)
    assert [effect.factor for effect in effects] == ["a", "b", "b"]
    for effect, truth in zip(effects, worth.values(), strict=True):
        assert abs(effect.elo - truth) < 1.5 * effect.error
        assert 10 < effect.error < 40


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "cannot read"), ('{"a": [{}]}', "must be"), ('{"a": [{}, {"speed": 1}]}', "speed")],
)
def test_bad_factors(words, tmp_path, capsys, text, said):
    (tmp_path / "factors.json").write_text(text)
    assert tune.main(words) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "tune.jsonl").exists()


def test_margins_change_the_search_until_they_are_changed_back():
    engine = Engine(Rules.freestyle(), 64 << 20)
    position = Position(engine.rules)
    for point in ((7, 7), (8, 8), (7, 8), (8, 6)):
        position.play(*point)
    nodes = engine.search(position, Limits(depth=6)).nodes
    engine.set_margins({"futility_depth": 0, "moves_depth": 0})
    assert engine.search(position, Limits(depth=6)).nodes > nodes
    engine.set_margins({"reduction": 60})
    assert engine.search(position, Limits(depth=6)).nodes != nodes  # hundredths of a ply count
    engine.resize(None)
    engine.set_margins({})
    assert engine.search(position, Limits(depth=6)).nodes == nodes
    with pytest.raises(LimitError, match="haste"):
        engine.set_margins({"haste": 1})
    assert load("margins").defaults()["killer"] > 0
