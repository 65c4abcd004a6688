"""The conformance checklist on a Session, without a process. Each test bears its item's number.

Items 1 to 31; those from 32 on are in test_checklist_settings.py. What is about processes, pipes
and clocks stands in test_checklist_process.py under the same numbers.
"""

import random

import pytest
from brains import MOVE, Found, Talk

from shisan.engine import Colour
from shisan.protocol.session import Abort

# -- text layer ----------------------------------------------------------------------------------


def test_01_line_ends_mixed_within_one_list() -> None:
    talk = Talk("START 15\r\n")
    assert talk.answers("BOARD\n", "0,0,1\r\n", b"1,0,2\n", b"DONE\r\n") == ["2,0"]


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title, str.swapcase])
def test_02_case_of_verbs_and_keys(change) -> None:  # type: ignore[no-untyped-def]
    lines = ["ABOUT", "START 15", "INFO timeout_turn 7000", "BOARD", "DONE", "TURN 5,5"]
    talk = Talk(*map(change, lines))
    assert [line for line in talk.said if not line.startswith("MESSAGE ")][1:] == [
        "OK",
        "0,0",
        "1,0",
    ]
    assert talk.session.settings.turn == 7000


def test_03_blanks_and_empty_lines() -> None:
    talk = Talk("  START\t 15  ", "", "   ", "\t", "\r\n")
    assert talk.said == ["OK"]
    assert talk.answers(" TURN   5 ,\t5 ") == ["0,0"]
    assert talk.answers("BOARD", "", "  1 , 1 , 2  ", "\t", "\tDONE ") == ["0,0"]


def test_06_no_line_is_bare_long_or_unprintable() -> None:
    """Talk checks every line; here are the ones that could go wrong."""
    talk = Talk(f"INFO max_node {'9' * 5000}", "INFO \u263a\u263a 1", "INFO", "START 15")
    talk.answer = lambda search: Found((7, 7), line=((7, 7),) * 225, note="x\u263a" * 1000)
    assert talk.answers("BEGIN", "\u263a" * 5000, f"TURN {'9' * 5000}") == [
        "7,7",
        "UNKNOWN " + "?" * 57 + "...",
        "ERROR point must be x,y, not " + "9" * 57 + "...",
    ]


@pytest.mark.parametrize(
    "junk",
    [
        b"x" * 100_000,
        b"\x00" * 10,
        b"\xff\xfe\xfd",
        bytes(range(256)),
        b"\x00START 15",
        b"\x1f\x1c",
    ],
)
def test_07_junk_gives_one_unknown_line_or_nothing(junk: bytes) -> None:
    talk = Talk("START 15")
    for line in junk.split(b"\n"):
        answers = talk.answers(line)
        assert len(answers) <= 1
        assert all(answer.startswith("UNKNOWN ") for answer in answers)
    assert talk.answers("BEGIN") == ["0,0"]


# -- lifecycle -----------------------------------------------------------------------------------


def test_10_start_sizes() -> None:
    talk = Talk()
    for size in (5, 15, 20, 22):
        assert talk.send(f"START {size}") == ["OK"]
    assert talk.send("START 4") == ["ERROR board size must be 5..22, not 4"]
    assert talk.send("START 23") == ["ERROR board size must be 5..22, not 23"]
    assert talk.send("START -15") == ["ERROR board size must be 5..22, not -15"]
    assert talk.send("START abc") == ["ERROR board size must be a number, not abc"]
    assert talk.send("START") == ["ERROR board size must be a number, not empty"]
    assert talk.send("START 15.0") == ["ERROR board size must be a number, not 15.0"]
    assert talk.send("START 15") == ["OK"]


def test_10_a_refused_start_changes_nothing() -> None:
    talk = Talk("START 15", "BEGIN")
    talk.send("START 4", "START abc", "RECTSTART 4,15")
    assert talk.session.position is not None
    assert talk.session.position.stones == ((0, 0, Colour.BLACK),)


def test_11_two_numbers_and_rectangles() -> None:
    talk = Talk()
    assert talk.send("start 15 15") == ["OK"]
    assert talk.send("RECTSTART 15,15") == ["OK"]
    assert talk.send("RECTSTART 20,15", "TURN 19,14") == ["OK", *talk.said[3:]]
    assert talk.answers("TURN 14,15") == ["ERROR point must be 0..19,0..14, not 14,15"]
    assert talk.send("START 15 16") == [
        "ERROR board size must be a number, not 15 16: RECTSTART takes two"
    ]
    assert talk.send("RECTSTART 15") == ["ERROR board size must be width,height, not 15"]
    assert talk.send("RECTSTART 15,4") == ["ERROR board size must be 5..22, not 4"]


def test_12_start_again_and_after_a_game() -> None:
    talk = Talk("INFO timeout_turn 1234", "INFO rule 1")
    assert talk.send("START 15", "START 15") == ["OK", "OK"]
    talk.send("BOARD", *(f"{x},5,1" for x in range(5)), *(f"{x},7,2" for x in range(5)), "DONE")
    assert talk.send("START 15") == ["OK"]
    assert talk.session.position is not None and talk.session.position.ply == 0
    assert talk.answers("BEGIN") == ["0,0"]
    assert talk.session.settings.turn == 1234
    assert talk.session.position.rules.name == "standard"


@pytest.mark.parametrize("line", ["START 15", "RESTART", "RECTSTART 15,15"])
def test_12_start_during_a_search(line: str) -> None:
    talk = Talk("START 15", "INFO max_depth 3")
    talk.hold = True
    assert talk.answers("BEGIN") == []
    assert talk.answers(line) == ["OK"]
    assert isinstance(talk.effects[-2], Abort)
    assert talk.finish() == []  # the result of the search that was given up
    assert talk.answers("TURN 5,5") == []
    assert talk.finish()[-1] == "0,0"
    assert talk.limits.depth == 3


def test_12_start_answers_what_waited_except_with_moves() -> None:
    talk = Talk("START 15")
    talk.hold = True
    talk.answers("BEGIN")
    assert talk.answers("TURN 9,9", "ABOUT", "foo", "BOARD", "1,1,1", "START 7", "DONE") == []
    said = talk.answers("START 15")
    assert [line.split()[0] for line in said] == ['name="Shisan",', "UNKNOWN", "ERROR", "OK"]
    assert talk.finish() == []
    assert not talk.session.searching


def test_12_a_refused_start_does_not_end_a_search() -> None:
    talk = Talk("START 15")
    talk.hold = True
    assert talk.answers("BEGIN", "START 4") == []
    assert talk.finish()[-2:] == ["0,0", "ERROR board size must be 5..22, not 4"]


def test_15_restart() -> None:
    talk = Talk("RESTART")
    assert talk.said == ["ERROR no board: send START first"]
    talk.send("INFO timeout_turn 77", "RECTSTART 9,12", "BEGIN")
    assert talk.send("RESTART") == ["OK"]
    position = talk.session.position
    assert position is not None and position.ply == 0
    assert (position.rules.width, position.rules.height) == (9, 12)
    assert talk.session.settings.turn == 77


def test_16_about_before_start_for_both_parsers() -> None:
    (line,) = Talk("ABOUT").said
    assert line.startswith('name="')
    pieces = [piece.strip().split("=") for piece in line.split(",")]
    assert all(len(piece) == 2 for piece in pieces)
    values = {key: value.strip('"') for key, value in pieces}
    assert values["name"] == "Shisan"
    assert {"version", "author", "country"} <= set(values)
    assert sum("name" in key for key in values) == 1


@pytest.mark.parametrize("before", [[], ["START 15"], ["START 15", "BOARD", "1,1,1"]])
def test_17_end_says_nothing(before: list[str]) -> None:
    talk = Talk(*before)
    assert talk.send("END") == []
    assert talk.over


def test_17_end_during_a_search() -> None:
    talk = Talk("START 15")
    talk.hold = True
    talk.answers("BEGIN", "TURN 4,4", "ABOUT")
    assert talk.send("END") == []
    assert talk.over
    assert talk.finish() == []


# -- moves ---------------------------------------------------------------------------------------


def test_20_begin() -> None:
    talk = Talk("START 15")
    (answer,) = talk.answers("BEGIN")
    assert MOVE.match(answer)
    assert talk.answers("BEGIN") == ["ERROR board is not empty"]


def test_21_turn_errors_leave_the_board() -> None:
    talk = Talk("TURN 7,7")
    assert talk.said == ["ERROR no board: send START first"]
    talk.send("START 15")
    assert talk.answers("TURN 7,7") == ["0,0"]
    assert talk.answers("TURN 7,7") == ["ERROR point 7,7 is occupied"]
    assert talk.answers("TURN 0,0") == ["ERROR point 0,0 is occupied"]
    assert talk.answers("TURN 15,0") == ["ERROR point must be 0..14,0..14, not 15,0"]
    assert talk.answers("TURN -1,0") == ["ERROR point must be 0..14,0..14, not -1,0"]
    assert talk.answers("TURN 7;8") == ["ERROR point must be x,y, not 7;8"]
    assert talk.answers("TURN 7,8,9") == ["ERROR point must be x,y, not 7,8,9"]
    assert talk.answers("TURN") == ["ERROR point must be x,y, not empty"]
    assert talk.session.position is not None
    assert talk.session.position.stones == ((7, 7, Colour.BLACK), (0, 0, Colour.WHITE))


def test_22_an_empty_list_is_begin() -> None:
    assert Talk("START 15").answers("BOARD", "DONE") == ["0,0"]


FORK = [(5, 7), (6, 7), (7, 5), (7, 6)]
"""Black stones that make 7,7 a double three; the white ones below are far away."""
FAR = [(0, 0), (14, 0), (0, 14), (14, 14), (13, 13)]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("us", [Colour.BLACK, Colour.WHITE])
def test_23_who_is_black(us: Colour, shuffled: bool) -> None:
    """Told by the forbidden point: it is there only if the fork is Black's."""
    black = [(x, y, 1 if us == Colour.BLACK else 2) for x, y in FORK]
    white = [(x, y, 2 if us == Colour.BLACK else 1) for x, y in FAR[:4]]
    if us == Colour.WHITE:
        white.pop()
    stones = [stone for pair in zip(black, [*white, None], strict=False) for stone in pair if stone]
    if shuffled:
        random.Random(5).shuffle(stones)
    talk = Talk("INFO rule 4", "START 15", "BOARD", *(f"{x},{y},{f}" for x, y, f in stones))
    talk.hold = True
    talk.send("DONE")
    position = talk.searches[-1].position
    assert position.side == us
    assert set(position.forbidden_points()) == {(7, 7)}
    colours = [colour for _, _, colour in position.stones]
    assert colours == [Colour(ply % 2) for ply in range(len(stones))]


def test_23_irregular_lists_are_played() -> None:
    """Black owns the first stone; we move whatever the counts are."""
    talk = Talk("INFO rule 4", "START 15")
    for first, us in (("1", Colour.BLACK), ("2", Colour.WHITE)):
        answers = talk.answers("BOARD", f"5,5,{first}", "6,6,1", "8,8,1", "10,10,1", "DONE")
        assert len(answers) == 1
        assert talk.searches[-1].position.side == us


def test_24_board_replaces_and_goes_on() -> None:
    talk = Talk("START 15", "TURN 3,3")
    talk.send("BOARD", "9,9,2", "8,8,1", "7,7,2", "DONE", "TURN 3,3")
    assert talk.session.position is not None
    assert [stone[:2] for stone in talk.session.position.stones] == [
        *((9, 9), (8, 8), (7, 7), (0, 0)),
        *((3, 3), (1, 0)),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1,1", "line must be x,y,field, not 1,1"),
        ("START 15", "line must be x,y,field, not START 15"),
        ("1;1;1", "line must be x,y,field, not 1;1;1"),
        ("15,1,1", "point must be 0..14,0..14, not 15,1"),
        ("-1,-1,1", "point must be 0..14,0..14, not -1,-1"),
        ("2,2,1", "point 2,2 is given twice"),
        ("1,1,4", "field must be 1..3, not 4"),
        ("1,1,0", "field must be 1..3, not 0"),
        ("1,1,99999999999999999999", "line must be x,y,field, not 1,1,99999999999999999999"),
    ],
)
def test_25_a_bad_line_gives_one_error_after_done(line: str, problem: str) -> None:
    talk = Talk("START 15", "TURN 7,7")
    before = talk.session.position.stones  # type: ignore[union-attr]
    assert talk.answers("BOARD", "2,2,2", line, "nonsense", "3,3,3") == []
    assert talk.answers("DONE") == [f"ERROR {problem}"]
    assert talk.session.position.stones == before  # type: ignore[union-attr]
    assert len(talk.answers("TURN 8,8")) == 1


def test_25_list_before_start() -> None:
    assert Talk("BOARD", "1,1,1", "DONE").said == ["ERROR no board: send START first"]


def test_25_done_alone() -> None:
    assert Talk("DONE").said == ["ERROR DONE without BOARD"]


def test_26_walls() -> None:
    """On 5x5 with walls everywhere but two points; they count for nobody's turn."""
    talk = Talk("START 5")
    walls = [f"{x},{y},3" for y in range(5) for x in range(5) if (x, y) not in ((2, 2), (4, 4))]
    walls.insert(3, "2,2,2")
    assert talk.answers("BOARD", *walls, "DONE") == ["4,4"]
    position = talk.searches[-1].position
    assert position.side == Colour.WHITE and len(position.walls) == 23
    assert talk.answers("BOARD", *(f"{x},1,3" for x in range(5)), "DONE") == ["0,0"]
    assert talk.searches[-1].position.side == Colour.BLACK


def test_27_one_answer_each_over_random_sequences() -> None:
    """test_session_machine.py does it thoroughly; this is the floor."""
    chance = random.Random(1)
    talk = Talk("START 15")
    for _ in range(300):
        line = chance.choice(["BEGIN", "TURN", "RESTART", "LIST"])
        point = f"{chance.randrange(15)},{chance.randrange(15)}"
        lines = {"TURN": [f"TURN {point}"], "LIST": ["BOARD", f"{point},2", "DONE"]}
        assert len(talk.answers(*lines.get(line, [line]))) == 1


def test_28_a_forbidden_point_is_played_only_if_nothing_else_is_left() -> None:
    """Five points are left for Black, each of them an overline: one is answered and put."""
    lines = ["INFO rule 4", "START 7", "BOARD"]
    for y in range(7):
        # Rows of black stones but for column 3: putting one there joins seven.
        row = [(x, 1 if y % 2 == 0 else 2) for x in range(7) if x != 3 or y % 2]
        lines += [f"{x},{y},{field}" for x, field in row]
    talk = Talk(*lines)
    (answer,) = talk.answers("DONE")
    assert answer in {f"3,{y}" for y in range(0, 7, 2)}


def test_29_one_free_point_and_none() -> None:
    talk = Talk("START 5")
    fields = "1122211112222211112221122"
    stones = [f"{i % 5},{i // 5},{field}" for i, field in enumerate(fields)]
    assert talk.answers("BOARD", *stones[:-1], "DONE") == ["4,4"]
    assert talk.answers("BOARD", *stones, "DONE") == ["ERROR no empty point left"]
    assert talk.answers("BOARD", *stones[:-1], "DONE", "TAKEBACK 4,4", "TURN 4,4") == [
        "4,4",
        "OK",
        "ERROR no empty point left",
    ]


def test_30_takeback() -> None:
    talk = Talk("START 15", "TURN 7,7")
    assert talk.answers("TAKEBACK 5,5") == ["ERROR point 5,5 has no stone"]
    assert talk.answers("TAKEBACK 15,5") == ["ERROR point must be 0..14,0..14, not 15,5"]
    assert talk.answers("TAKEBACK 0,0") == ["OK"]
    position = talk.session.position
    assert position is not None and position.side == Colour.WHITE
    assert talk.answers("TAKEBACK 7,7", "TURN 8,8") == ["OK", "0,0"]
    assert talk.session.position is not None
    assert talk.session.position.stones == ((8, 8, Colour.BLACK), (0, 0, Colour.WHITE))


def test_30_takeback_of_another_stone() -> None:
    talk = Talk("START 15", "TURN 7,7", "TURN 8,8")
    assert talk.answers("TAKEBACK 7,7", "TAKEBACK 0,0") == ["OK", "OK"]
    assert talk.session.position is not None
    assert talk.session.position.stones == ((8, 8, Colour.BLACK), (1, 0, Colour.WHITE))
    assert talk.session.position.side == Colour.BLACK


def test_30_takeback_reopens_a_finished_game() -> None:
    talk = Talk("START 15", "BOARD", *(f"{x},9,2" for x in range(5)))
    talk.send(*(f"{x},11,1" for x in range(4)), "DONE")
    assert talk.session.position is not None and talk.session.position.over
    talk.send("TAKEBACK 0,0", "TAKEBACK 4,9")
    assert not talk.session.position.over


def test_31_play_echoes() -> None:
    talk = Talk("START 15", "TURN 7,7")
    assert talk.answers("TAKEBACK 0,0", "PLAY 9,9") == ["OK", "9,9"]
    assert talk.session.position is not None
    assert talk.session.position.stones[-1] == (9, 9, Colour.WHITE)
    assert talk.answers("PLAY 9,9") == ["ERROR point 9,9 is occupied"]


def test_31_turn_after_a_finished_game_is_answered() -> None:
    """Some managers play on; the stones go on the board and a free point is answered."""
    talk = Talk("START 15", "BOARD", *(f"{x},9,2" for x in range(5)))
    talk.send(*(f"{x},11,1" for x in range(4)), "DONE")
    assert talk.answers("TURN 9,9") == ["1,0"]
    assert talk.session.position is not None and talk.session.position.ply == 12
