"""spar: two brains, a referee and a log."""

import json
import sys
from pathlib import Path

import pytest

from shisan.engine import Position, Rules
from shisan.scripts.spar import Brain, Plan, main, play, read_openings

ROOT = Path(__file__).resolve().parents[2]
OPENINGS = ROOT / "tests" / "data" / "openings"
RULES = {"freestyle": Rules.freestyle, "standard": Rules.standard, "renju": Rules.renju}
RULES["any"] = Rules.freestyle

BRAIN = """\
import sys
answers = iter({answers!r})
for line in sys.stdin:
    if line.startswith("START"):
        print("OK", flush=True)
    elif line.startswith(("BEGIN", "TURN", "DONE")):
        print(next(answers), flush=True)
"""


def scripted(*answers: str) -> list[str]:
    """A brain that says these answers to its move requests, then dies; "" is silence."""
    return [sys.executable, "-c", BRAIN.format(answers=answers)]


def test_match_of_built_in_brains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Greedy beats random with both colours; the log replays to what the result says."""
    log = tmp_path / "spar.jsonl"
    words = ["builtin:greedy", "builtin:random", "--games", "2", "--turn-ms", "10000"]
    assert main([*words, "--rule", "4", "--log", str(log), "--wins-only"]) == 0
    printed = capsys.readouterr().out
    assert "A: 2-0-0 (W-D-L), 100.0 % of 2 games" in printed
    assert "points: 1, 0, 0, 0, 0" in printed
    games = [json.loads(line) for line in log.read_text().splitlines()]
    assert [game["black"] for game in games] == ["a", "b"]
    assert [game["winner"] for game in games] == ["black", "white"]
    first, second = (game["moves"].split()[: game["opening"]] for game in games)
    assert first == second
    assert 1 <= len(first) <= 3
    for game in games:
        position = Position(Rules.renju())
        for word in game["moves"].split():
            assert not position.over
            x, y = word.split(",")
            position.play(int(x), int(y))
        assert position.result.winner is not None
        assert position.result.winner.name.lower() == game["winner"]
        assert position.result.reason == game["reason"]
        assert len(game["ms"]) == position.ply - game["opening"]
    main([*words[:3], "0", "--log", str(log)])
    assert len(log.read_text().splitlines()) == 2, "a log is only ever added to"


@pytest.mark.parametrize(
    ("answers", "reason", "detail"),
    [
        (["7,7"], "illegal", "7,7 is not an empty point"),
        (["15,0"], "illegal", "15,0 is not an empty point"),
        (["0,0", "SUGGEST 1,1"], "protocol", "is no move"),
        (["MESSAGE thinking\nDEBUG still\n0,0"], "crash", "it has left"),
        ([""], "time", "no answer in 300 ms"),
    ],
)
def test_fouls_lose(answers: list[str], reason: str, detail: str) -> None:
    """And the record says which it was."""
    plan = Plan(Rules.freestyle(), 0, 200, 100 if reason == "time" else 20_000)
    white = scripted("0,2", "0,3", "0,4", "0,5")
    played = play(plan, [(7, 7), (8, 8)], [scripted(*answers), white])
    assert played["winner"] == "white"
    assert played["reason"] == reason
    assert detail in played["detail"]


def test_a_dead_brain_leaves_no_open_pipe() -> None:
    """Whether it died before END was written, or reads nothing any more."""
    brain = Brain([sys.executable, "-c", "pass"], Plan(Rules.freestyle(), 0, 200, 200))
    brain._process.wait(20)
    brain.close()
    assert brain._input.closed
    assert brain._output.closed


def test_forbidden_move_loses() -> None:
    """It is played, and the referee says what it is."""
    opening = [(7, 5), (0, 0), (7, 6), (2, 0), (5, 7), (4, 0), (6, 7), (6, 0)]
    played = play(Plan(Rules.renju(), 4, 200, 20_000), opening, [scripted("7,7"), scripted()])
    assert played["winner"] == "white"
    assert (played["reason"], played["detail"]) == ("forbidden move", "")


@pytest.mark.parametrize("path", sorted(OPENINGS.glob("*.txt")), ids=lambda path: path.name)
def test_openings_can_be_played(path: Path) -> None:
    """Under the rule in the file's name, and no game is over with them."""
    name, side = path.name.partition("_")[0][:-2], int(path.name.partition("_")[0][-2:])
    openings = read_openings(path, RULES[name](side))
    assert len(set(map(tuple, openings))) == len(openings) >= 6


def test_bad_openings_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File, line and what is wrong with it."""
    path = tmp_path / "openings.txt"
    path.write_text("# good\n7,7 8,8\n\n7,7 7,7\n")
    with pytest.raises(SystemExit):
        main(["builtin:random", "builtin:random", "--openings", str(path)])
    assert "openings.txt, line 4: " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["builtin:random", "builtin:clever"])
    assert "there is no builtin:clever" in capsys.readouterr().err
