"""A Session under arbitrary sequences of commands and search ends: one answer each, in order.

The model knows which commands have an answer and of which kind, and nothing else. How many
sequences are tried: SHISAN_FUZZ_EXAMPLES, 50 without it.
"""

import os
import re
from collections import deque

from brains import Found, Talk, nearest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from shisan.protocol.commands import FOREIGN_LISTS, FOREIGN_PATHS
from shisan.protocol.session import Search

EXAMPLES = int(os.environ.get("SHISAN_FUZZ_EXAMPLES", "50"))

numbers = st.integers(-1, 7)
points = st.tuples(numbers, numbers).map(lambda point: f"{point[0]},{point[1]}")
list_lines = st.one_of(
    st.tuples(points, st.integers(0, 4)).map(lambda line: f"{line[0]},{line[1]}"),
    st.sampled_from(["", "x", "START 15", "INFO rule 1", "STOP", "TURN 1,1", "BOARD"]),
)
keys = st.sampled_from(
    "timeout_turn timeout_match time_left max_memory rule max_depth max_node hash_size "
    "show_detail thread_num folder variety strength seed nonsense nbestsym usedatabase".split()
)
values = st.sampled_from(["", "0", "1", "2", "4", "9", "-1", "100", "2147483647", "x", "9" * 30])

MOVE = r"[0-9]+,[0-9]+|ERROR .+"
ANSWERS = {
    "BEGIN": MOVE,
    "TURN": MOVE,
    "PLAY": MOVE,
    "BOARD": MOVE,
    "SWAP2BOARD": rf"{MOVE}|SWAP|([0-9]+,[0-9]+ ?\b)+",
    "START": "OK|ERROR .+",
    "RESTART": "OK|ERROR .+",
    "TAKEBACK": "OK|ERROR .+",
    "ABOUT": 'name=".+',
    "foo": "UNKNOWN foo",
    "yxmove": MOVE,
    "yxpair": rf"{MOVE}|[0-9]+,[0-9]+ [0-9]+,[0-9]+",
    "yxshowforbid": r"FORBID ([0-9]{4})*\.|ERROR .+",
    "SHOWFORBID": r"FORBID( [0-9]+,[0-9]+)*|ERROR .+",
    "yxboard": "ERROR .+",
    "yxstep": MOVE,
    "yxquiet": "ERROR .+",
    "yxfoo": "UNKNOWN yxfoo",
}
SEARCHING = ("BEGIN", "TURN", "BOARD", "SWAP2BOARD", "yxmove", "yxpair")
MAYBE = ("yxboard", "yxstep", "yxquiet", "yxfoo")
"""What is not answered, or with MESSAGEs, unless something is wrong."""

PATHS = sorted(verb.lower() for verb in FOREIGN_PATHS)
SHOWN = ("YXBOARD", "SHOWFORBID")
LISTS = sorted(verb.lower() for verb in FOREIGN_LISTS if verb[:2] == "YX" and verb not in SHOWN)
LISTS += ["yxsoosorvstep4 2", "yxsoosorvstep5 2"]
PLAIN = (
    "yxshowinfo yxblockreset yxblockpathreset yxhashclear yxshowhashusage yxprintfeature yxdraw "
    "yxresign yxswap2step1 yxsoosorvstep1 yxsavedatabase yxdbcheck yxdbfix".split()
)
PLAIN += ["yxforbid add 1 1 0", "yxforbid del 1 1 1", "yxforbid x"]


def fits(asked: list[str], said: list[str]) -> bool:
    """Whether the lines answer the commands in order; a search that did not begin has no line."""
    if not asked:
        return not said
    if said and re.fullmatch(ANSWERS[asked[0]], said[0]) and fits(asked[1:], said[1:]):
        return True
    return asked[0] in (*SEARCHING, *MAYBE) and fits(asked[1:], said)


class Conversation(RuleBasedStateMachine):
    """Sends commands, ends searches, and checks each line that comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk(answer=self.checked)
        self.talk.hold = True
        self.open: deque[str] = deque()  # what still has to be answered
        self.heard = 0
        self.late = False  # whether a START may have to wait for the end of a search

    def checked(self, search: Search) -> Found:
        """The stand-in's answer, which is on an empty point of the position it was asked for."""
        found = nearest(search)
        assert search.position.is_empty(*found.move)
        assert found.move not in search.avoid
        return found

    def send(self, verb: str, *lines: str) -> None:
        """Send a command that has one answer."""
        self.open.append(verb)
        self.talk.send(*lines)

    def new_game(self, line: str) -> None:
        """Send a START or RESTART that is accepted: a running search is given up."""
        searching = self.talk.session.searching
        before = len(self.talk.said)
        self.talk.send(line)
        if self.late and searching and self.talk.said[before:] == []:
            self.open.append("START")
            return
        if searching:
            self.give_up()
        assert self.talk.said[-1] == "OK"
        self.heard = len(self.talk.said)

    def give_up(self) -> None:
        """Check the answers to what waited behind an abandoned search, which itself has none."""
        said = self.answers()[:-1]
        assert fits(list(self.open), said), (self.open, said)
        self.open.clear()

    def answers(self) -> list[str]:
        """The lines that may still have to be held against what was asked."""
        return [line for line in self.talk.said[self.heard :] if not line.startswith("MESSAGE ")]

    @rule(size=st.integers(5, 8))
    def start(self, size: int) -> None:
        self.new_game(f"START {size}")

    @rule()
    @precondition(lambda self: self.talk.session.position is not None)
    def restart(self) -> None:
        self.new_game("RESTART")

    @rule(line=st.sampled_from(["START 4", "START", "RECTSTART 5", "START 15 16"]))
    def refused_start(self, line: str) -> None:
        self.send("START", line)

    @rule(verb=st.sampled_from(["TURN", "PLAY", "TAKEBACK"]), point=points)
    def point(self, verb: str, point: str) -> None:
        self.send(verb, f"{verb} {point}")

    @rule(verb=st.sampled_from(["BEGIN", "ABOUT", "foo"]))
    def plain(self, verb: str) -> None:
        self.send(verb, verb)

    @rule(verb=st.sampled_from(["BOARD", "SWAP2BOARD"]), lines=st.lists(list_lines, max_size=6))
    def position(self, verb: str, lines: list[str]) -> None:
        self.send(verb, verb, *lines, "DONE")

    @rule(stones=st.sets(points, min_size=3, max_size=5))
    def opening(self, stones: set[str]) -> None:
        self.send("SWAP2BOARD", "SWAP2BOARD", *sorted(stones), "DONE")

    @rule(lines=st.lists(list_lines, max_size=6))
    def yixin_position(self, lines: list[str]) -> None:
        self.dialect("yxboard", "yxboard", *lines, "done")

    @rule(verb=st.sampled_from(["yxnbest 3", "yxnbest", "yxsearchdefend", "yxbalanceone -5"]))
    def yixin_search(self, verb: str) -> None:
        self.dialect("yxmove", verb)

    @rule(bias=st.sampled_from(["0", "x", ""]))
    def yixin_pair(self, bias: str) -> None:
        self.dialect("yxpair", f"yxbalancetwo {bias}")

    @rule(step=st.sampled_from(["yxswap2step2", "yxswap2step3"]))
    def yixin_step(self, step: str) -> None:
        self.dialect("yxstep", step)

    @rule(verb=st.sampled_from(LISTS), lines=st.lists(st.one_of(points, list_lines), max_size=5))
    def yixin_list(self, verb: str, lines: list[str]) -> None:
        self.dialect("yxquiet", verb, *lines, "done")

    @rule(
        verb=st.sampled_from(PATHS), path=st.sampled_from(["/tmp/a b", "START 15", "done", "1,1"])
    )
    def yixin_path(self, verb: str, path: str) -> None:
        self.dialect("yxquiet", verb, path)

    @rule(verb=st.sampled_from(PLAIN))
    def yixin_plain(self, verb: str) -> None:
        self.immediate("yxquiet", verb)

    @rule()
    def yixin_forbidden(self) -> None:
        self.immediate("yxshowforbid", "yxshowforbid")

    @rule(lines=st.lists(list_lines, max_size=4))
    def forbidden(self, lines: list[str]) -> None:
        self.send("SHOWFORBID", "SHOWFORBID", *lines, "DONE")

    @rule(data=st.lists(points, max_size=3), end=st.booleans())
    def yixin_unknown(self, data: list[str], end: bool) -> None:
        self.dialect("yxfoo", "yxfoo", *data, *(["done"] if end else []))
        self.talk.send("STOP")  # what follows is no data any more

    def dialect(self, verb: str, *lines: str) -> None:
        """Send a command of the dialect, which shows that a board is attached."""
        self.late = True
        self.send(verb, *lines)

    def immediate(self, verb: str, line: str) -> None:
        """Send one that may be answered before the search that runs."""
        self.late = True
        before = len(self.talk.said)
        self.talk.send(line)
        answers = [text for text in self.talk.said[before:] if not text.startswith("MESSAGE ")]
        if answers and self.talk.session.searching:
            assert len(answers) == 1 and re.fullmatch(ANSWERS[verb], answers[0])
            del self.talk.said[before:]
        else:
            self.open.append(verb)

    @rule(key=keys, value=values)
    def info(self, key: str, value: str) -> None:
        self.late |= key == "show_detail"
        self.talk.send(f"INFO {key} {value}")

    @rule(line=st.sampled_from(["", "  ", "STOP", "yxstop"]))
    def silent(self, line: str) -> None:
        self.late |= line.strip() != ""
        self.talk.send(line)

    @rule(value=st.integers(-3, 3))
    @precondition(lambda self: self.talk.session.searching)
    def search_ends(self, value: int) -> None:
        if self.talk.consulting:
            self.talk.reply("MESSAGE DATABASE DONE")
            return
        self.talk.finish(self.checked(self.talk.searches[-1])._replace(value=value), after=0.01)

    @invariant()
    def answers_match(self) -> None:
        """What was said since the last look answers what was asked, in that order."""
        asked, said = list(self.open), self.answers()
        if self.talk.session.searching:
            assert any(fits(asked[:count], said) for count in range(len(asked) + 1)), (asked, said)
            return
        assert fits(asked, said), (asked, said)
        self.heard = len(self.talk.said)
        self.open.clear()

    def teardown(self) -> None:
        """Whatever still runs comes to its end, with everything answered."""
        while self.talk.session.searching:
            self.search_ends(0)
            self.answers_match()


TestConversation = Conversation.TestCase
TestConversation.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
