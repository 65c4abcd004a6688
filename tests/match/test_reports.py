"""Tables, CSV, .psq and SGF: they say what the journal says, and other programs can read them."""

import csv
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from made_up import BLACK_WINS, OPENING, game, header, series

from shisan.engine import Rules
from shisan.protocol import sgf, sgftrees
from shisan.protocol.games import GameRecord
from shisan.protocol.journal import REASONS, Event, Game
from shisan.protocol.records import read_psq, replay
from shisan.protocol.reports import (
    FORMATS,
    GAME_COLUMNS,
    RATING_COLUMNS,
    cross_table,
    export,
    games_csv,
    html,
    psq,
    ratings_csv,
    summary,
)
from shisan.protocol.statistics import standings

NASTY = "a]b\\c;(\n<b>&\"'x\x1b[2J,=1+1"
NAMES = ("shisan", NASTY, "wine")


def some_games() -> list[Game]:
    late = Event(5, 1, "time", "32 s")
    return [
        game(1, 0, 1, "1-0", scores=[None] * 7 + [-29999, 30000], nodes=[None] * 8 + [12345]),
        game(2, 1, 0, "0-1", "time", opening=3, detail="no answer within 5 s"),
        game(3, 0, 2, "1/2", "agreed draw", events=[]),
        game(4, 2, 0, "0-1", "illegal move", detail="h8 is occupied"),
        game(5, 1, 2, "0-1", "forbidden move", moves=(), events=[late]),
        game(6, 2, 1, "1/2", "aborted", moves=OPENING, opening=3),
    ]


# --- text ---------------------------------------------------------------------------------------


def test_cross_table() -> None:
    """Ranks, points and names in their places; every point stands on both sides."""
    games = series([(0, 1, [1, 1, 0.5, 1]), (0, 2, [1, 0.5, 1, 1]), (1, 2, [0, 1, 0, 0.5])])
    text = cross_table(header(["shisan", "embryo", "wine"]), games)
    lines = text.splitlines()
    assert lines[0].split() == [
        *("#", "player", "Elo", "±", "games", "points", "%", "draws", "faults", "1", "2", "3"),
    ]
    rows = {line.split()[1]: line.split() for line in lines[1:4]}
    assert list(rows) == ["shisan", "wine", "embryo"]
    assert rows["shisan"][4:] == ["8", "7", "87.5", "2", "0", "-", "3½", "3½"]
    assert rows["wine"][4:] == ["8", "3", "37.5", "2", "0", "½", "-", "2½"]
    assert rows["embryo"][4:] == ["8", "2", "25.0", "2", "0", "½", "1½", "-"]
    assert len({len(line) for line in lines[:4]}) == 1, "columns line up"


def test_empty_match_has_tables_too() -> None:
    match = header(["a", "b"])
    assert cross_table(match, []) == "no games yet"
    assert summary(match, []) == ""
    assert games_csv(match, []).splitlines() == [",".join(GAME_COLUMNS)]
    assert "No game has ended yet" in html(match, [])


def test_anchor_of_the_header() -> None:
    """It holds as soon as the anchor has played; until then the average is 0."""
    match = header(["a", "b", "c"], {"anchor": {"name": "c", "elo": 2000}})
    early = series([(0, 1, [1, 0.5, 0, 1])])
    assert cross_table(match, early).endswith("; the average is 0.")
    late = series([(0, 1, [1, 0.5, 0, 1]), (0, 2, [1, 0.5, 0, 0])])
    text = cross_table(match, late)
    assert text.endswith("; c is 2000.")
    assert re.search(r"c +2000 +0 ", text)


def test_terminals_get_no_orders() -> None:
    """A name cannot colour, clear or ring."""
    match = header(NAMES)
    for text in (cross_table(match, some_games()), summary(match, some_games())):
        assert all(mark.isprintable() or mark == "\n" for mark in text)


def test_summary_says_everything_once() -> None:
    test = {"elo0": 0, "elo1": 30, "alpha": 0.05, "beta": 0.05, "model": "logistic"}
    text = summary(header(["a", "b", "c"], {"sprt": test}), some_games())
    assert "2 games, +2 =0 -0, 2 points (100.0 %)" in text
    assert "pairs with 0, ½, 1, 1½, 2 points: 0, 0, 0, 0, 1" in text
    assert text.count("SPRT of 30 against 0 Elo") == 3
    assert "Black: +1 =1 -3" in text and "draws 20.0 %" in text
    assert "b lost or erred: 1 by time, 1 by forbidden" not in text
    assert "b lost or erred: 1 by time, 1 late moves" in text
    assert "c lost or erred: 1 by illegal move" in text
    assert text.endswith("1 games aborted, not counted")


# --- CSV ----------------------------------------------------------------------------------------


def test_games_as_csv() -> None:
    match = header(NAMES)
    rows = list(csv.DictReader(StringIO(games_csv(match, some_games()))))
    assert tuple(rows[0]) == GAME_COLUMNS
    assert [row["number"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert rows[0]["white"] == NASTY and rows[0]["winner"] == "shisan"
    assert rows[0]["moves"] == "h8h9i8i9j8j9k8k9l8" and rows[0]["opening"] == ""
    assert (rows[0]["black_ms"], rows[0]["white_ms"]) == ("250", "200")
    assert (rows[0]["black_max_ms"], rows[0]["white_max_ms"]) == ("90", "80")
    # three stones of an opening: White's first own move is the first that took time
    assert (rows[1]["black_ms"], rows[1]["white_ms"]) == ("120", "90")
    assert (rows[1]["fault"], rows[1]["reason"]) == ("1", "time")
    assert rows[2]["winner"] == "" and rows[4]["moves"] == ""


def test_ratings_as_csv() -> None:
    match = header(NAMES)
    rows = list(csv.DictReader(StringIO(ratings_csv(match, some_games()))))
    assert tuple(rows[0]) == RATING_COLUMNS
    assert rows[0]["player"] == "shisan" and rows[0]["points"] == "3.5"
    table = {line.name: line for line in standings(some_games(), match.players)}
    for row in rows:
        line = table[row["player"]]
        assert (int(row["wins"]), int(row["draws"])) == (line.wins, line.draws)
        assert int(row["time"]) == line.faults.get("time", 0)
        assert float(row["low"]) <= float(row["elo"]) <= float(row["high"])
    assert [row["late_moves"] for row in rows if row["player"] == NASTY] == ["1"]


# --- .psq ---------------------------------------------------------------------------------------


def test_psq_read_back() -> None:
    """The stones, the times and the winner come back out of the file."""
    match = header(NAMES)
    record = read_psq(psq(match, some_games()[1]))
    assert (record.width, record.height, record.ending) == (15, 15, 15)
    assert record.white == "shisan" and record.black is not None
    assert tuple((move.x, move.y) for move in record.moves) == BLACK_WINS
    assert [move.time_ms for move in record.moves] == [0, 0, 0, 10, 20, 30, 40, 50, 60]
    result = replay(read_psq(psq(match, some_games()[0])), match.rules).result
    assert result.winner == 0 and result.reason == "five"


@pytest.mark.parametrize("name", ["12,13", "1,2,3", "", " ", "\n", "-1", "0", NASTY, "六子"])
def test_psq_with_any_name(name: str) -> None:
    match = header([name, "other"])
    record = read_psq(psq(match, game(1)))
    assert len(record.moves) == 9 and record.ending == 0
    assert record.players is not None and record.players[1] == "other"


@pytest.mark.parametrize("reason", REASONS)
def test_psq_and_sgf_of_every_reason(reason: str) -> None:
    result = "1/2" if reason in ("board full", "aborted") else "1-0"
    match, each = header(["a", "b"]), game(1, result=result, reason=reason)
    assert read_psq(psq(match, each)).ending is not None
    assert re.search(r"RE\[(B\+[TRF]?|0|Void)\]", sgf.sgf(match, each))


def test_psq_of_a_game_without_times() -> None:
    """A journal written without times still gives a file with a time for every stone."""
    match, each = header(["a", "b"]), replace(game(1), times_ms=())
    assert [move.time_ms for move in read_psq(psq(match, each)).moves] == [0] * 9


# --- SGF ----------------------------------------------------------------------------------------


def read_sgf(text: str) -> list[list[dict[str, str]]]:
    """The nodes of each game of a collection: a reader by the letter of the standard."""
    games: list[list[dict[str, str]]] = []
    at = 0
    while at < len(text):
        if text[at] in " \n":
            at += 1
            continue
        assert text[at] == "(", text[at:]
        at += 1
        nodes: list[dict[str, str]] = []
        while text[at] != ")":
            if text[at] == "\n":
                at += 1
                continue
            assert text[at] == ";", text[at:]
            at += 1
            node: dict[str, str] = {}
            while (found := re.match(r"\s*([A-Z]{1,2})\[", text[at:])) is not None:
                at += found.end()
                value = ""
                while text[at] != "]":
                    if text[at] == "\\":
                        at += 1
                    value += text[at]
                    at += 1
                at += 1
                assert found[1] not in node
                node[found[1]] = value
            nodes.append(node)
        at += 1
        games.append(nodes)
    return games


def test_sgf_read_back() -> None:
    match = header(NAMES)
    games = read_sgf(sgf.collection(match, some_games()))
    assert len(games) == 6
    root, *moves = games[0]
    assert (root["FF"], root["GM"], root["SZ"], root["CA"]) == ("4", "4", "15", "UTF-8")
    assert root["DT"] == "2026-08-31" and root["RE"] == "B+" and root["RU"] == "freestyle"
    assert root["PB"] == "shisan"
    assert root["PW"] == "a]b\\c;( <b>&\"'x [2J,=1+1"
    assert [node.get("B", node.get("W")) for node in moves] == [sgf.letters(p) for p in BLACK_WINS]
    assert [("B" in node, "W" in node) for node in moves] == [
        (ply % 2 == 0, ply % 2 == 1) for ply in range(9)
    ]
    assert moves[-1]["C"] == "90 ms, score +30000, 12345 nodes"
    assert [node["C"] for node in games[1][1:4]] == ["opening"] * 3
    assert games[1][0]["RE"] == "W+T" and games[1][0]["C"] == "time: no answer within 5 s"
    assert [nodes[0]["RE"] for nodes in games[2:]] == ["0", "W+F", "W+", "Void"]


def test_sgf_is_read_as_the_game_it_was() -> None:
    """By the reader of game files, which knows nothing of matches."""
    match = header(NAMES)
    played = some_games()
    found = list(sgftrees.read_sgf(sgf.collection(match, played)))
    for record, each in zip(found, played, strict=True):
        assert isinstance(record, GameRecord)
        assert record.moves == each.moves
        assert record.rules == match.rules
        assert record.result == ("" if each.reason == "aborted" else each.result)
    first = found[0]
    assert isinstance(first, GameRecord)
    assert first.players == ("shisan", "a]b\\c;( <b>&\"'x [2J,=1+1")
    assert first.comments[-1] == "90 ms, score +30000, 12345 nodes"


def test_sgf_of_a_rectangle_without_a_date() -> None:
    match = replace(header(["a", "b"], rules=Rules.renju(19, 15)), created="")
    (nodes,) = read_sgf(sgf.sgf(match, game(1)))
    assert nodes[0]["SZ"] == "19:15" and "DT" not in nodes[0]


# --- files --------------------------------------------------------------------------------------


def test_export_writes_what_is_asked(tmp_path: Path) -> None:
    match = header(NAMES)
    written = export(tmp_path / "out", match, some_games())
    names = sorted(str(path.relative_to(tmp_path / "out")) for path in written)
    assert names == [
        *("games.csv", "games.sgf", *(f"psq/0000{n}.psq" for n in range(1, 7))),
        *("ratings.csv", "report.html", "table.txt"),
    ]
    everything = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    assert sorted(everything) == sorted(written), "nothing beside them"
    export(tmp_path / "out", match, list(reversed(some_games())))
    assert {path: path.read_bytes() for path in everything} == everything, "order is no matter"
    assert [path.name for path in export(tmp_path / "some", match, [game(1)], ("table",))] == [
        "table.txt"
    ]
    assert set(FORMATS) == {"psq", "sgf", "csv", "table", "html"}


def test_journal_psq_sgf_and_table_agree(tmp_path: Path) -> None:
    """The results that other programs would count in the files are those of the table."""
    match = header(["a", "b"])
    games = series([(0, 1, [1, 1, 0, 0.5, 1, 0, 0.5, 0.5])])
    export(tmp_path, match, games)
    results = [nodes[0]["RE"] for nodes in read_sgf((tmp_path / "games.sgf").read_text())]
    black = [{"B+": 1.0, "W+": 0.0, "0": 0.5}[result] for result in results]
    points = sum(p if at % 2 == 0 else 1 - p for at, p in enumerate(black))
    assert points == 4.5
    assert len(list((tmp_path / "psq").iterdir())) == len(games)
    with (tmp_path / "games.csv").open(encoding="utf-8") as file:
        assert sum(row["winner"] == "a" for row in csv.DictReader(file)) == 3
    assert re.search(r"1 a +\S+ +\S+ +8 +4½ +56.2", (tmp_path / "table.txt").read_text())
