"""The conformance checklist on a Session, continued: INFO, rules, Swap2, extensions, robustness."""

import pytest
from brains import Talk, nearest

from shisan.engine import Colour
from shisan.protocol.options import OPTIONS
from shisan.protocol.session import ChangeLimits, Limits, Reply, Search, Stop

# -- INFO ----------------------------------------------------------------------------------------

VALUES = ["", "1", "0", "-1", "abc", "9223372036854775807", "-9223372036854775808", "1.5", "9" * 40]


@pytest.mark.parametrize("key", [*(option.key for option in OPTIONS), "no_such_key", ""])
def test_32_info_is_never_answered(key: str) -> None:
    talk = Talk("START 15")
    for value in VALUES:
        assert talk.send(f"INFO {key} {value}") == []
    talk.hold = True
    talk.send("BEGIN")
    for value in VALUES:
        assert talk.send(f"INFO {key} {value}") == []
    assert talk.finish()[-1] == "0,0"


def test_33_info_at_any_time() -> None:
    talk = Talk("INFO rule 4", "START 15", "INFO rule 1", "BEGIN")
    assert talk.searches[-1].position.rules.name == "standard"
    talk.hold = True
    talk.send("TURN 5,5", "INFO rule 0")
    assert talk.searches[-1].position.rules.name == "standard"
    talk.finish()
    talk.send("TURN 6,6")
    assert talk.searches[-1].position.rules.name == "freestyle"
    assert talk.searches[-1].position.ply == 4


@pytest.mark.parametrize(
    "folder",
    ["C:\\Program Files\\x y", '"/tmp/a  b"', "/tmp/\u00e9\u4e2d", "AI's/AI", ""],
)
def test_34_folder_is_kept_whole(folder: str) -> None:
    talk = Talk(f"INFO folder {folder}".encode())
    assert talk.session.settings.folder == folder
    talk = Talk(b"INFO folder /tmp/\xe9\xff")
    assert talk.session.settings.folder.encode("utf-8", "surrogateescape") == b"/tmp/\xe9\xff"


def test_35_move_now_during_a_search() -> None:
    talk = Talk("START 15", "INFO timeout_turn 60000")
    talk.hold = True
    talk.send("BEGIN", "INFO timeout_turn 0")
    assert isinstance(talk.effects[-1], ChangeLimits)
    assert talk.limits.turn_ms == 0


def test_36_node_limits() -> None:
    talk = Talk("START 15", "BEGIN")
    assert talk.limits.turn_ms == 30000 - 150
    talk.send("INFO max_node 5000", "TURN 5,5")
    assert talk.limits == Limits(nodes=5000)
    for unlimited in (0, -1):
        talk.send(f"INFO max_node {unlimited}", "RESTART", "BEGIN")
        assert talk.limits == Limits(turn_ms=30000 - 150)
    talk.send("INFO max_node 70", "INFO timeout_turn 1000", "RESTART", "BEGIN")
    assert talk.limits == Limits(turn_ms=970, nodes=70)


def test_37_time_left() -> None:
    talk = Talk("START 15", "INFO timeout_turn 5000", "INFO time_left 2147483647", "BEGIN")
    assert talk.limits == Limits(turn_ms=4850)
    for left in (0, -5000):
        talk.send(f"INFO time_left {left}", "RESTART", "BEGIN")
        assert talk.limits.left_ms is not None and talk.limits.left_ms <= 0
    talk.send("INFO time_left 100000", "RESTART", "BEGIN")
    assert talk.limits == Limits(turn_ms=4850, left_ms=99500)


def test_39_max_memory() -> None:
    talk = Talk("START 15", "INFO max_memory 83886080", "BEGIN")
    assert talk.searches[-1].memory == 83886080
    talk.send("INFO max_memory 0", "TURN 5,5")
    assert talk.searches[-1].memory is None


def test_40_hash_size_is_kib_within_max_memory() -> None:
    talk = Talk("START 15", "INFO hash_size 65536", "BEGIN")
    assert talk.searches[-1].memory == (40 << 20) + (64 << 20) * 10 // 9
    talk.send("INFO max_memory 83886080", "TURN 5,5")
    assert talk.searches[-1].memory == 83886080
    talk.send("INFO hash_size 0", "INFO max_memory 0", "TURN 6,6")
    assert talk.searches[-1].memory is None


RULES = ((0, "freestyle"), (1, "standard"), (4, "renju"), (8, "caro"), (9, "caro, exactly five"))
OUTCOMES = {
    # what is made, by whom: who wins under rules 0, 1, 4, 8, 9; None: nobody
    "five": "MMMMM",
    "six": "M--M-",
    "five blocked at both ends": "MMM--",
    "six blocked at both ends": "M--M-",
    "five blocked by the edge": "MMMMM",
}


def outcome(rule: int, stones: list[str], last: str) -> str:
    """Play `last` as the side to move: M it wins, - nobody, L it loses."""
    talk = Talk("START 15", f"INFO rule {rule}", "BOARD")
    talk.hold = True
    talk.send(*stones, "DONE")
    position = talk.searches[-1].position.copy()
    position.play(*map(int, last.split(",")))
    winner = position.result.winner
    return "-" if winner is None else "M" if winner == position.side.other else "L"


def row(made: str, us: Colour) -> tuple[list[str], str]:
    """A list in which we, of this colour, complete the line that `made` names at 6,5."""
    columns = {"five blocked by the edge": range(5), "six": range(3, 9)}.get(made, range(4, 9))
    columns = range(3, 9) if made.startswith("six") else columns
    own = [(x, 5) for x in columns if x != 6] if 6 in columns else [(x, 5) for x in range(4)]
    last = "6,5" if 6 in columns else "4,5"
    other = [(columns[0] - 1, 5), (columns[-1] + 1, 5)] if "both" in made else []
    other += [(5, 5)] if made == "five blocked by the edge" else []
    far = [(2 * i, 13) for i in range(7)]
    count = len(own) if us == Colour.BLACK else len(own) + 1
    other += far[: count - len(other)]
    return [f"{x},{y},1" for x, y in own] + [f"{x},{y},2" for x, y in other], last


@pytest.mark.parametrize("made", OUTCOMES)
@pytest.mark.parametrize("us", [Colour.BLACK, Colour.WHITE])
def test_41_winners(made: str, us: Colour) -> None:
    stones, last = row(made, us)
    found = "".join(outcome(rule, stones, last) for rule, _ in RULES)
    expected = OUTCOMES[made]
    if made.startswith("six"):  # renju: Black's overline loses, White's wins
        expected = expected[:2] + ("L" if us == Colour.BLACK else "M") + expected[3:]
    assert found == expected


def test_41_black_five_and_fork() -> None:
    """The five wins although the same stone makes a double three."""
    black = [(3, 7), (4, 7), (5, 7), (6, 7), (7, 5), (7, 6), (8, 6), (6, 8)]
    white = [(2 * i, 13) for i in range(7)] + [(1, 0)]
    stones = [f"{x},{y},1" for x, y in black] + [f"{x},{y},2" for x, y in white]
    assert outcome(4, stones, "7,7") == "M"


@pytest.mark.parametrize(("rule", "name"), RULES)
def test_41_names(rule: int, name: str) -> None:
    talk = Talk("START 15", f"INFO rule {rule}")
    assert talk.messages("BEGIN") == [f"rule {rule}: {name}, board 15x15"]


@pytest.mark.parametrize(
    ("rule", "facts"),
    [
        # (black exactly five, white exactly five, closed five counts, forbidden moves)
        (5, (True, True, True, True)),
        (12, (True, False, False, True)),
        (13, (True, True, False, True)),
    ],
)
def test_41_a_sum_means_its_bits(rule: int, facts: tuple[bool, ...]) -> None:
    talk = Talk("START 15", f"INFO rule {rule}", "BEGIN")
    rules = talk.searches[-1].position.rules
    assert (rules.black_exact, rules.white_exact, rules.closed_five, rules.forbidden) == facts


def test_42_rule_2() -> None:
    talk = Talk("START 15", "INFO rule 2")
    assert talk.messages("BEGIN") == [
        "rule 2: continuous game (2) is not supported; playing rule 0: freestyle, board 15x15"
    ]
    for marker in ("INFO show_detail 3", "yxshowinfo", "YXBOARD"):
        talk = Talk("START 15", "INFO rule 2", marker, "done", "BEGIN")
        assert talk.searches[-1].position.rules.name == "renju"
    talk = Talk("START 15", "INFO rule 2", "YXSTOP", "STOP", "BEGIN")
    assert talk.searches[-1].position.rules.name == "freestyle"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (3, "rule 3: continuous game (2) is not supported; playing rule 1: standard"),
        (6, "rule 6: continuous game (2) is not supported; playing rule 4: renju"),
        (20, "rule 20: 16 is no known bit; playing rule 4: renju"),
        (
            18,
            "rule 18: 16 is no known bit, continuous game (2) is not supported; "
            "playing rule 0: freestyle",
        ),
    ],
)
def test_42_unsupported_sums_are_said_at_the_next_search(rule: int, words: str) -> None:
    talk = Talk("START 15")
    assert talk.send(f"INFO rule {rule}") == []
    assert talk.messages("BEGIN") == [f"{words}, board 15x15"]
    assert talk.messages("TURN 5,5") == []


# -- swap2 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(5, 23))
def test_44_opening(size: int) -> None:
    talk = Talk(f"START {size}")
    for _ in range(12):
        (line,) = talk.send("SWAP2BOARD", "DONE")
        pairs = [tuple(map(int, pair.split(","))) for pair in line.split(" ")]
        assert len(set(pairs)) == 3
        assert all(0 <= x < size and 0 <= y < size for x, y in pairs)


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize(("value", "swapped"), [(40, False), (0, False), (-40, True)])
def test_45_choice(count: int, value: int, swapped: bool) -> None:
    talk = Talk("START 15")
    talk.answer = lambda search: nearest(search)._replace(value=value)
    stones = [f"{i},{i}" for i in range(5, 5 + count)]
    (answer,) = talk.answers("SWAP2BOARD", *stones, "DONE")
    assert answer == ("SWAP" if swapped else "0,0")
    asked = talk.searches[-1].position
    assert asked.side == Colour.WHITE and asked.ply == count


def test_46_the_answer_leaves_no_stone() -> None:
    talk = Talk("START 15")
    for stones in ([], ["5,5", "6,6", "7,7"], ["5,5", "6,6", "7,7", "8,8", "9,9"]):
        assert len(talk.answers("SWAP2BOARD", *stones, "DONE")) == 1
        assert talk.session.position is not None and talk.session.position.ply == 0
    assert talk.answers("BOARD", "5,5,2", "6,6,1", "7,7,2", "DONE") == ["0,0"]
    assert talk.session.position.side == Colour.BLACK


def test_47_swap2_obeys_the_clock() -> None:
    talk = Talk("START 15", "INFO timeout_turn 1000", "INFO time_left 50000")
    talk.send("SWAP2BOARD", "5,5", "6,6", "7,7", "DONE")
    assert talk.limits == Limits(turn_ms=970, left_ms=49500)
    talk.send("INFO time_left 0", "SWAP2BOARD", "5,5", "6,6", "7,7", "DONE")
    assert talk.limits.left_ms is not None and talk.limits.left_ms <= 0


@pytest.mark.parametrize("count", [1, 2, 4, 6])
def test_48_other_counts(count: int) -> None:
    talk = Talk("START 15")
    stones = [f"{i},{i}" for i in range(count)]
    assert talk.answers("SWAP2BOARD", *stones) == []
    assert talk.answers("DONE") == [f"ERROR SWAP2BOARD must have 0, 3 or 5 stones, not {count}"]


def test_48_bad_lines() -> None:
    talk = Talk("START 15")
    assert talk.answers("SWAP2BOARD", "1,1", "1,1", "2,2", "DONE") == [
        "ERROR point 1,1 is given twice"
    ]
    assert talk.answers("SWAP2BOARD", "1,1", "x", "2,2", "DONE") == [
        "ERROR line must be x,y, not x"
    ]
    assert talk.answers("SWAP2BOARD", "1,1,1", "3,3,2", "2,2,1", "DONE") == ["0,0"]


# -- extensions and robustness -------------------------------------------------------------------


def test_49_stop_while_idle() -> None:
    assert Talk("STOP", "YXSTOP", "START 15", "STOP", "yxstop").said == ["OK"]


def test_50_stop_during_a_search() -> None:
    for word in ("STOP", "yxstop"):
        talk = Talk("START 15")
        talk.hold = True
        assert talk.answers("BEGIN", word, "ABOUT") == []
        assert isinstance(talk.effects[-1], Stop)
        assert [line for line in talk.finish() if not line.startswith("MESSAGE")] == [
            "0,0",
            *Talk("ABOUT").said,
        ]


def test_50_stop_reaches_the_requests_that_wait_before_it() -> None:
    talk = Talk("START 15")
    talk.hold = True
    talk.answers("BEGIN", "TURN 5,5", "STOP")
    talk.finish()
    assert len(talk.searches) == 2
    assert isinstance(talk.effects[-1], Stop)


def test_50_lines_wait_in_order() -> None:
    talk = Talk("START 15")
    talk.hold = True
    assert talk.answers("BEGIN", "TURN 5,5", "TAKEBACK 1,0", "BOARD", "9,9,2") == []
    assert talk.answers("DONE", "foo", "INFO rule 1") == []
    assert talk.finish()[-1] == "0,0"
    said = talk.finish()
    assert [line for line in said if not line.startswith("MESSAGE")] == ["1,0", "OK"]
    assert talk.searches[-1].position.stones == ((9, 9, Colour.BLACK),)
    said = talk.finish()
    assert [line for line in said if not line.startswith("MESSAGE")] == ["0,0", "UNKNOWN foo"]


def test_52_yixin_words() -> None:
    """The first one shows that a board is attached; from then on unknown ones are silent."""
    talk = Talk("START 15")
    assert talk.send("yxfoo 1") == ["UNKNOWN yxfoo"]
    assert talk.send("1,1", "2,2", "done", "yxfoo", "yxbar", "1,1,1", "DONE") == []
    assert talk.send("yxshowinfo")[1:] == [
        "MESSAGE INFO MAX_THREAD_NUM 64",
        "MESSAGE INFO MAX_HASH_SIZE 24",
    ]
    assert talk.send("YXBLOCK", "1,1", "2,2", "done", "yxhashload", "/a b/c") == [
        "MESSAGE yxhashload /a b/c"
    ]
    assert talk.send("yxfoo", "1,1", "START 15", "2,2") == ["OK", "UNKNOWN 2,2"]
    assert talk.send("SWAPBOARD", "1,1,1", "x", "DONE", "foo") == [
        "UNKNOWN SWAPBOARD",
        "UNKNOWN foo",
    ]


def test_55_unknown_words() -> None:
    talk = Talk()
    assert talk.send("foo bar", "BEGINNER", "STARTX 15", "RESTARTS") == [
        "UNKNOWN foo",
        "UNKNOWN BEGINNER",
        "UNKNOWN STARTX",
        "UNKNOWN RESTARTS",
    ]
    assert talk.send("START 15") == ["OK"]


def test_58_games_leave_nothing_behind() -> None:
    talk = Talk()
    games = []
    for _ in range(20):
        said = talk.answers("START 15", "TURN 7,7", "TURN 8,8", "TURN 9,9")
        games.append(said)
    assert all(game == games[0] for game in games)
    assert [search.new_game for search in talk.searches[:4]] == [True, False, False, True]


def test_59_the_answers_come_after_the_messages() -> None:
    talk = Talk("START 15", "INFO checkmate 3")
    effects: list[object] = []
    talk.hold = True
    before = len(talk.effects)
    talk.send("BEGIN")
    talk.finish()
    effects = talk.effects[before:]
    lines = [effect.line for effect in effects if isinstance(effect, Reply)]
    assert [line.startswith("MESSAGE ") for line in lines] == [True, True, True, False]
    assert isinstance(effects[2], Search)
