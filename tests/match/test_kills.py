"""Forty games of brains that fail in every way, killed three times: nothing is lost or doubled."""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from outside import killed_and_resumed, rogue

from shisan.engine import Position
from shisan.protocol.journal import Game, Header, read_journal
from shisan.protocol.records import read_psq

FILLER = f"{sys.executable} {Path(__file__).with_name('filler.py')}"
PLAYERS = {
    "sleeps": rogue("sleep", "5"),
    "crashes": rogue("crash", "7"),
    "cheats": rogue("occupied", "5"),
    "fills": FILLER,
    "fills too": FILLER,
}


@pytest.mark.slow
def test_forty_games_killed_three_times(tmp_path: Path) -> None:
    words = ["tournament", "--games", "4", "--concurrency", "4", "--journal", "j.jsonl"]
    words += ["--turn", "2s", "--openings", "empty"]
    for name, command in PLAYERS.items():
        words += ["--engine", f"name={name}", f"cmd={command}"]
    _, out = killed_and_resumed(tmp_path, (1, 12, 25), *words)
    header, games = read_journal(tmp_path / "j.jsonl")
    assert [game.number for game in games] == list(range(1, 41))
    ends = {
        frozenset((header.players[game.black].name, header.players[game.white].name))
        for game in games
    }
    assert len(ends) == 10
    check_ends(header, games)
    check_files(tmp_path / "j", header, games)
    assert out.count("[40/40]") == 1


def check_ends(header: Header, games: list[Game]) -> None:
    """Each loses as it must."""
    names = [player.name for player in header.players]
    for game in games:
        both = {names[game.black], names[game.white]}
        loser = {"1-0": names[game.white], "0-1": names[game.black]}.get(game.result)
        if both == {"fills", "fills too"}:
            assert (game.result, game.reason) == ("1/2", "board full")
        elif game.reason == "crash":
            assert loser == "crashes"
        elif game.reason == "illegal move":
            assert loser == "cheats"
        else:
            assert game.reason in ("five", "board full")
    reasons = Counter(game.reason for game in games)
    assert reasons["crash"] >= 8
    assert reasons["illegal move"] >= 12


def check_files(folder: Path, header: Header, games: list[Game]) -> None:
    """journal = psq = SGF = tables."""
    for game in games:
        record = read_psq((folder / "psq" / f"{game.number:05}.psq").read_bytes())
        assert tuple((move.x, move.y) for move in record.moves) == game.moves
        position = Position(header.rules)
        for x, y in game.moves:
            position.play(x, y)
    trees = (folder / "games.sgf").read_text().split("(;")[1:]
    assert len(trees) == 40
    for game, tree in zip(games, trees, strict=True):
        nodes = re.findall(r";([BW])\[(\w)(\w)\]", tree)
        assert tuple((ord(x) - 97, ord(y) - 97) for _, x, y in nodes) == game.moves
        result = re.search(r"RE\[([^\]]*)\]", tree)
        assert result is not None
        assert result[1][:2] == {"1-0": "B+", "0-1": "W+"}.get(game.result, result[1][:2])
    with (folder / "games.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["result"] for row in table] == [game.result for game in games]
    points: Counter[str] = Counter()
    for game in games:
        for player in (game.black, game.white):
            points[header.players[player].name] += game.points(player)  # type: ignore[assignment]
    with (folder / "ratings.csv").open(newline="") as file:
        rated = {row["player"]: float(row["points"]) for row in csv.DictReader(file)}
    assert rated == dict(points)
