"""RenjuNet databases: tables, coordinates, empty games, broken XML, thousands of games."""

import io
from pathlib import Path
from time import monotonic

import pytest

from shisan.engine import Rules
from shisan.protocol.games import GameError, GameRecord
from shisan.protocol.gametrees import PLAIN, Wanted
from shisan.protocol.rif import CHUNK, read_rif

SAMPLE = (Path(__file__).parents[1] / "data" / "games" / "database.rif").read_bytes()
HEAD, GAMES = SAMPLE[: SAMPLE.index(b"<games>")], b"<games>\n%s</games>\n</database>\n"


def found(data: bytes, wanted: Wanted = PLAIN) -> list[GameRecord | GameError]:
    return list(read_rif(io.BytesIO(data), "a.rif", wanted))


def short(data: bytes, wanted: Wanted = PLAIN) -> list[str]:
    """Each game as its name and number of moves; errors as they are."""
    return [
        str(each) if isinstance(each, GameError) else f"{each.source.name}:{len(each.moves)}"
        for each in found(data, wanted)
    ]


def game(number: int, moves: str = "h8 h9") -> bytes:
    return (
        f'<game id="{number}" rule="1" black="1" white="2"><move>{moves}</move></game>\n'.encode()
    )


def test_sample() -> None:
    """What the tables and attributes say, and rows counted from the bottom."""
    first, second, third, fourth, fifth, sixth = found(SAMPLE)
    assert isinstance(first, GameRecord)
    assert first.moves == ((7, 7), (7, 6), (7, 8), (8, 6), (6, 6))
    assert first.players == ("Ann Ångström", "Bob")
    assert (first.result, first.rules, first.comment) == (
        "1-0", Rules.renju(), 'shown at "the" club',
    )  # fmt: skip
    assert dict(first.facts) == {
        "event": "Cup of <Examples>",
        "date": "2026-01-30",
        "round": "1",
        "opening rule": "RIF",
        "opening": "D7",
        "alt": "g6",
        "btime": "55",
        "publisher": "1",
        "swap": "R",
        "wtime": "60",
    }
    assert (first.source.line, first.source.number, first.source.name) == (18, 1, "101")
    assert isinstance(second, GameRecord) and isinstance(third, GameRecord)
    assert (second.moves, second.result, second.players[1]) == ((), "1/2", "player 7")
    assert second.rules is None, "a gomoku rule does not say which"
    assert second.fact("date") == "1999"
    assert (third.moves, third.result) == ((), "0-1")
    assert str(fourth) == "a.rif: line 24, game 4: move 3 (h8) under renju: point 7,7 is occupied"
    assert isinstance(fifth, GameError)
    assert (
        str(fifth) == "a.rif: line 27, game 5: move: p9 at character 4 is outside: columns are a..o"
    )
    assert (fifth.field, fifth.value) == ("move", "p9 h7")
    assert isinstance(sixth, GameRecord)
    assert sixth.moves == ((0, 14), (1, 13), (2, 0))


def test_rows_from_the_top() -> None:
    last = found(SAMPLE, Wanted(rows="top"))[-1]
    assert isinstance(last, GameRecord) and last.moves == ((0, 0), (1, 1), (2, 14))


def test_rules_and_size() -> None:
    """Renju unless other rules are wanted; the board is always 15x15."""
    five = "h8 a1 i8 c1 j8 e1 k8 g1 l8 i1 m8"
    (error,) = short(HEAD + GAMES % game(1, five))
    assert error.endswith("move 10 (i15) under renju: the game is over: five")
    (error,) = short(HEAD + GAMES % game(1, five.replace(" l8", "")), Wanted(Rules.standard()))
    assert error == "1:10"
    assert "not 20x20 as asked for" in short(SAMPLE, Wanted(size=(20, 20)))[0]


def test_broken_xml_costs_its_own_game() -> None:
    """A missing end tag, a missing quote, a raw &, a foreign end tag; the tables stay known."""
    broken = (
        game(1)
        + b'<game id="2" black="1"><move>h8 h9</game>\n'
        + b'<game id=3 black="1"><move>h8</move></game>\n'
        + game(4)
        + b'<game id="5" black="1"><move>h8</move><info>a & b</info></game>\n'
        + b'<game id="6" black="1"></games>\n'
        + game(7, "h8 h9 h7")
    )
    found_texts = short(HEAD + GAMES % broken)
    assert found_texts == [
        "1:2",
        "a.rif: line 19, game 2: broken XML: mismatched tag",
        "a.rif: line 20, game 3: broken XML: not well-formed (invalid token)",
        "4:2",
        "a.rif: line 22, game 5: broken XML: not well-formed (invalid token)",
        "a.rif: line 23, game 6: broken XML: mismatched tag",
        "7:3",
    ]
    last = found(HEAD + GAMES % broken)[-1]
    assert isinstance(last, GameRecord) and last.players == ("Ann Ångström", "Bob")
    assert (last.source.line, last.source.number) == (24, 7)


@pytest.mark.parametrize("cut", [1, 20, 40, 70])
def test_cut_off(cut: int) -> None:
    """The games before the cut, then what is wrong."""
    whole = HEAD + GAMES % (game(1) + game(2))
    texts = short(whole[: len(whole) - cut])
    assert texts[0] == "1:2"
    assert texts[-1].endswith("the file ends too early: it is cut off") == (cut > 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<html></html>", "a.rif: line 1: no game in this file: it is no RenjuNet database"),
        (b"", "a.rif: line 1: no game in this file: it is no RenjuNet database"),
        (
            b'<!DOCTYPE d [<!ENTITY a "aaaa">]><d><game><move>&a;</move></game></d>',
            "a.rif: line 1: the file declares entities, which no RenjuNet database does",
        ),
    ],
)
def test_other_files(data: bytes, message: str) -> None:
    assert short(data)[0] == message


@pytest.mark.parametrize("encoding", ["windows-1251", "gbk", "utf-16", "utf-8-sig", "koi8-r"])
def test_encodings(encoding: str) -> None:
    """What the declaration or the mark says; XML parsers know few of them."""
    name = {"gbk": "五目", "windows-1251": "Жук", "koi8-r": "Жук"}.get(encoding, "Ünï 五")
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = (
        f'<?xml version="1.0" encoding="{declared}"?><d><player id="1" name="{name}"/>'
        '<game id="1" black="1"><move>h8</move></game></d>'
    )
    (only,) = found(text.encode(encoding))
    assert isinstance(only, GameRecord) and only.players[0] == name


def test_wrong_bytes_spoil_a_name_only() -> None:
    (only,) = found('<d><player id="1" name="Jürgen"/><game black="1"/></d>'.encode("latin-1"))
    assert isinstance(only, GameRecord) and only.players[0] == "J\ufffdrgen"


def test_thousands_of_games() -> None:
    """Broken ones at any distance from the edges of the pieces that are read; in linear time."""
    parts, expected = [], []
    for number in range(1, 8001):
        if number % 97 == 0:
            parts.append(f'<game id="{number}"><move>h8</game>\n'.encode())
            expected.append(None)
        else:
            parts.append(game(number))
            expected.append(str(number))
    data = HEAD + GAMES % b"".join(parts)
    assert len(data) > 8 * CHUNK
    begun = monotonic()
    names = [None if isinstance(each, GameError) else each.source.name for each in found(data)]
    assert names == expected
    lines = [each.source.line for each in found(data)]
    assert lines == list(range(18, 8018))
    assert monotonic() - begun < 30
