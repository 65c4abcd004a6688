"""The tables of what managers make of a line, the reading of lines, and of what MESSAGEs tell."""

import pytest

from shisan.protocol import police
from shisan.protocol.police import MANAGERS, Offence, offence, read_line, rows_of, takes
from shisan.protocol.summaries import NOTHING, Summary, read_summary

P, J, C, Q, Y, G = MANAGERS

# line, taken leniently, taken strictly ("fault": it loses), managers that would punish it
MOVES = [
    ("7,8", True, True, ()),
    ("7, 8", True, True, ()),
    (" 7,8", True, True, (Q,)),
    ("7,8 ", True, True, (C,)),
    ("7 ,8", False, "fault", (P, C, Q, Y)),
    ("+7,8", True, True, (G,)),
    ("07,08", True, True, ()),
    ("7,8 best", True, True, (J, C, Q, Y, G)),
    ("my move: 7,8", False, "fault", MANAGERS),
    ("3,", False, "fault", MANAGERS),
    (",", False, "fault", MANAGERS),
    ("SUGGEST 7,8", False, False, (J, C, Q, Y, G)),
    ("MESSAGE text", False, False, ()),
    ("message text", False, False, ()),
    ("MESSAGE", False, "fault", (P,)),
    (" MESSAGE text", False, "fault", (P, Q)),
    ('MESSAGE name="x"', False, False, (Q,)),
    ("DEBUG text", False, False, (G,)),
    ("ERROR text", False, "fault", (P, Q)),
    ("UNKNOWN text", False, "fault", (P, Q)),
    ("OK", False, "fault", (P, Q, G)),
    ("thinking", False, "fault", (P, Q)),
    ("INFO EVAL 3", False, "fault", (P, Q)),
    ("SWAP", False, "fault", (P, Q)),
]

STARTS = [
    ("OK", True, True, ()),
    ("ok", True, True, (C, Q)),
    ("OK ", False, "fault", (P, C)),
    ("OK - everything is good", False, "fault", (P, C, G)),
    ("DEBUG x", False, False, (G,)),
    ("MESSAGE x", False, False, ()),
    ("Brain 1.0", False, "fault", (P, C, Q, G)),
    ("ERROR unsupported board size", "fault", "fault", (P, C, Q, G)),
    ("UNKNOWN", False, "fault", (P, Q, G)),
]


def names(action: str) -> bool | str:
    return {"take": True, "pass": False}.get(action, action)


@pytest.mark.parametrize(("wanted", "cases"), [("move", MOVES), ("ok", STARTS)])
def test_every_kind_of_line(wanted: str, cases: list[tuple[str, object, object, object]]) -> None:
    for line, lenient, strict, managers in cases:
        verdict = read_line(line, wanted)
        assert names(takes(verdict, wanted, False)) == lenient, line
        assert names(takes(verdict, wanted, True)) == strict, line
        found = offence(line, rows_of(verdict, wanted))
        assert (found.managers if found else ()) == managers, line
        assert found is None or (found.line == line and found.how)


def test_points() -> None:
    for line in ("7,8", " 7,8", "+7,08", "7, 8 so", "7,8,1"):
        assert read_line(line, "move").points == ((7, 8),), line
    assert read_line("-1,-1", "move").points == ((-1, -1),)
    assert read_line("SUGGEST 7,8", "move").points == ((7, 8),)
    assert read_line("1234567890,1", "move").kind == "text"
    for strict in (False, True):
        assert takes(read_line("-1,-1", "move"), "move", strict) == "take"


def test_answers_to_swap2board() -> None:
    for line, kind, points in (
        ("SWAP", "swap", ()),
        ("swap ", "swap", ()),
        ("7,7", "move", ((7, 7),)),
        ("7,7 8,8", "points", ((7, 7), (8, 8))),
        ("7,7 8,8 9,9", "points", ((7, 7), (8, 8), (9, 9))),
        ("UNKNOWN SWAP2BOARD", "unknown", ()),
        ("ERROR x", "error", ()),
    ):
        verdict = read_line(line, "swap")
        assert (verdict.kind, verdict.points) == (kind, points)
        assert takes(verdict, "swap", False) == "take"
    for line in ("7,7  8,8", "7,7;8,8", "hello"):
        assert read_line(line, "swap").kind == "text"
        assert takes(read_line(line, "swap"), "swap", True) == "fault"


def test_what_nobody_asked_for() -> None:
    """A second move is read as the next answer by everybody."""
    for line, managers in (
        ("7,7", MANAGERS),
        ("MESSAGE still here", ()),
        ("DEBUG x", (G,)),
        ("OK", (P, Q, G)),
    ):
        found = offence(line, rows_of(read_line(line, "move"), "idle"))
        assert (found.managers if found else ()) == managers, line


def test_reasons_are_told_by_manager() -> None:
    found = offence("7,8 ", rows_of(read_line("7,8 ", "move"), "move"))
    assert found == Offence("7,8 ", (C,), f"{C}: not read as a move: the time runs out")


def test_tables_are_well_formed() -> None:
    tables = (police.MOVE_TABLE, police.OK_TABLE, police.STALE_TABLE, police.BYTES_TABLE)
    for table in tables:
        for feature, row in table.items():
            assert len(row) == len(MANAGERS), feature
            for cell in row:
                assert cell in ("+", ".") or (cell[:2] in ("- ", "? ", "! ") and cell[2:]), cell


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("depth 12-20 ev 35 n 210k n/ms 70 tm 3011 pv h8 i9", (35, 210_000, 12)),
        ("depth 3-3 multipv 2 ev -7 n 12 n/ms 70 tm 3 pv h8", (-7, 12, 3)),
        ("depth 1-1 ev +M5 n 1.2M n/ms 1k tm 3 pv h8", (29995, 1_200_000, 1)),
        ("Depth 12-20 | Eval -M6 | Time 3011ms | h8 i9", (-29994, None, 12)),
        ("Speed 70k | Depth 12-20 | Eval 35 | Node 3G | Time 3s", (35, 3 * 10**9, 12)),
        ("Nodes=24158, Time=189ms, speed=1, depth=4-5, Evaluation=-5", (-5, 24158, 4)),
        ("(2) -41 | 12-20 | h8 i9", (-41, None, 12)),
        ("INFO EVAL 35", (35, None, None)),
        ("INFO TOTALNODES 990001", (None, 990_001, None)),
        ("MESSAGE ev 0.6", (1, None, None)),
        ("n is a letter, and 5 a number", (None, None, None)),
        ("depth " + "9" * 400, (None, None, None)),
        ("eval M99999", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_summaries(text: str, summary: tuple[int | None, ...]) -> None:
    assert read_summary(text) == Summary(*summary)


def test_later_summaries_add_to_earlier_ones() -> None:
    known = NOTHING.updated(Summary(5, 100, 3)).updated(Summary(7, None, 4))
    assert known == Summary(7, 100, 4)
