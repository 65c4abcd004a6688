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
    "show_detail thread_num folder variety strength seed nonsense".split()
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
}
SEARCHING = ("BEGIN", "TURN", "BOARD", "SWAP2BOARD")


def fits(asked: list[str], said: list[str]) -> bool:
    """Whether the lines answer the commands in order; a search that did not begin has no line."""
    if not asked:
        return not said
    if said and re.fullmatch(ANSWERS[asked[0]], said[0]) and fits(asked[1:], said[1:]):
        return True
    return asked[0] in SEARCHING and fits(asked[1:], said)


class Conversation(RuleBasedStateMachine):
    """Sends commands, ends searches, and checks each line that comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk(answer=self.checked)
        self.talk.hold = True
        self.open: deque[str] = deque()  # what still has to be answered
        self.heard = 0

    def checked(self, search: Search) -> Found:
        """The stand-in's answer, which is on an empty point of the position it was asked for."""
        found = nearest(search)
        assert search.position.is_empty(*found.move)
        return found

    def send(self, verb: str, *lines: str) -> None:
        """Send a command that has one answer."""
        self.open.append(verb)
        self.talk.send(*lines)

    def new_game(self, line: str) -> None:
        """Send a START or RESTART that is accepted: a running search is given up."""
        searching = self.talk.session.searching
        self.talk.send(line)
        if searching:
            self.give_up()
        assert self.talk.said[-1] == "OK"
        self.heard = len(self.talk.said)

    def give_up(self) -> None:
        """Check the answers to what waited behind an abandoned search, which itself has none."""
        said = [line for line in self.talk.said[self.heard : -1] if not line.startswith("MESSAGE ")]
        asked = list(self.open)[1:]
        self.open.clear()
        assert fits(asked, said), (asked, said)

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

    @rule(key=keys, value=values)
    def info(self, key: str, value: str) -> None:
        self.talk.send(f"INFO {key} {value}")

    @rule(line=st.sampled_from(["", "  ", "STOP", "yxstop"]))
    def silent(self, line: str) -> None:
        self.talk.send(line)

    @rule(value=st.integers(-3, 3))
    @precondition(lambda self: self.talk.session.searching)
    def search_ends(self, value: int) -> None:
        self.talk.finish(self.checked(self.talk.searches[-1])._replace(value=value), after=0.01)

    @invariant()
    def answers_match(self) -> None:
        """What was said since the last look answers what was asked, in that order."""
        for line in self.talk.said[self.heard :]:
            if line.startswith("MESSAGE "):
                continue
            assert self.open, f"not asked for: {line}"
            verb = self.open.popleft()
            assert re.fullmatch(ANSWERS[verb], line), (verb, line)
        self.heard = len(self.talk.said)
        if not self.talk.session.searching:
            assert not self.open, f"not answered: {list(self.open)}"

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
