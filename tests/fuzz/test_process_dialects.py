"""Random sessions with a process: threads, pondering, a database and the dialect, all at once.

Each answer comes once, in order and in time, each move is legal and not excluded, and nobody speaks
unasked. How many requests: SHISAN_FUZZ_REQUESTS, 60 without it; the seed: SHISAN_FUZZ_SEED.
"""

import os
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

from brains import MOVE, SLACK, Brain, Line

from shisan.engine import Point, Position, Rules

REQUESTS = int(os.environ.get("SHISAN_FUZZ_REQUESTS", "60"))
SEED = int(os.environ.get("SHISAN_FUZZ_SEED", "1"))
SESSION = 40
"""Requests of one process."""

PAUSES = (None, None, 0.0, 0.001, 0.003, 0.01, 0.05)
PAIR = re.compile(r"^[0-9]+,[0-9]+ [0-9]+,[0-9]+$")
SEARCHES = (
    "yxnbest 1",
    "yxnbest 3",
    "yxnbest 400",
    "yxsearchdefend",
    "yxbalanceone 0",
    "yxbalanceone -100",
    "yxbalancetwo 30",
)
QUIET = (
    "INFO usedatabase 1",
    "INFO usedatabase 0",
    "INFO database_readonly 0",
    "INFO database_readonly 1",
    "INFO show_detail 0",
    "INFO show_detail 1",
    "INFO show_detail 2",
    "INFO show_detail 3",
    "INFO thread_num 1",
    "INFO thread_num 2",
    "INFO thread_num 3",
    "INFO thread_num 4",
    "INFO pondering 0",
    "INFO pondering 1",
    "INFO pondering 1",
    "INFO pondering 1",
    "INFO nbestsym 1",
    "INFO nbestsym 0",
    "INFO hash_size 1024",
    "INFO hash_size 4096",
    "INFO max_memory 0",
    "INFO max_memory 100000000",
    "INFO caution_factor 3",
    "yxhashclear",
    "yxstop",
    "yxblockreset",
    "yxblockpathreset",
)
TOLD = (
    "yxshowhashusage",
    "yxshowinfo",
    "yxsavedatabase",
    "yxdbcheck",
    "yxprintfeature",
    "yxdraw",
)


class Person:
    """One session: what is sent, and what has to come back."""

    def __init__(self, brain: Brain, chance: random.Random, folder: Path) -> None:
        self.brain = brain
        self.chance = chance
        self.folder = folder
        self.rule = 0
        self.turn_ms = 30
        self.yixin = False
        self.blocked: set[Point] = set()
        self.position = Position(Rules(15, 15))
        self.latest = 0.0
        self.settle("START 15", f"INFO timeout_turn {self.turn_ms}", "INFO pondering 1")

    # -- a word and what is said to it -----------------------------------------------------------

    def settle(self, *lines: str) -> list[str]:
        """Send lines that search nothing; all that was said until the brain has done them."""
        self.brain.send(*lines, "ABOUT")
        said: list[str] = []
        while not (text := self.brain.line(messages=True).text).startswith("name="):
            said.append(text)
        return said

    def pause(self) -> None:
        """Wait a little: nothing is said meanwhile, not even a MESSAGE."""
        seconds = self.chance.choice(PAUSES)
        if seconds is not None:
            before = len(self.brain.raw)
            time.sleep(seconds)
            assert len(self.brain.raw) == before, "\n".join(self.brain.log[-40:])

    def step(self) -> None:
        """One request of some kind."""
        others = (
            self.quiet,
            self.told,
            self.start,
            self.block,
            self.table,
            self.book,
            self.opening,
        )
        self.chance.choice((*others, *(self.move,) * len(others)))()
        self.pause()

    def quiet(self) -> None:
        line = self.chance.choice(QUIET)
        if line == "yxblockreset":
            self.blocked.clear()
        said = self.settle(line)
        assert all(text.startswith("MESSAGE ") for text in said), said
        self.yixin |= line.startswith(("yx", "INFO show")) and line != "yxstop"

    def told(self) -> None:
        said = self.settle(self.chance.choice(TOLD))
        self.yixin = True
        assert all(text.startswith("MESSAGE ") for text in said), said

    def start(self) -> None:
        side = self.chance.choice((15, 15, 15, 20, 9, 5))
        self.rule = self.chance.choice((0, 1, 4, 8, self.rule))
        assert self.brain.ask(f"INFO rule {self.rule}", f"START {side}") == "OK"
        self.position = Position(self.rules(side))

    def rules(self, side: int) -> Rules:
        renju = bool(self.rule & 4)
        exact = bool(self.rule & 1)
        return Rules(
            side,
            side,
            black_exact=exact or renju,
            white_exact=exact,
            closed_five=not self.rule & 8,
            forbidden=renju,
        )

    def block(self) -> None:
        side = self.position.rules.width
        points = [(self.chance.randrange(side), self.chance.randrange(side)) for _ in range(9)]
        self.blocked |= set(points)
        assert not self.settle("yxblock", *(f"{x},{y}" for x, y in points), "done")
        self.yixin = True

    def table(self) -> None:
        """The hash goes to a file and comes back, while helpers may still be on their way home."""
        verb = self.chance.choice(("yxhashdump", "yxhashload"))
        said = self.settle(verb, str(self.folder / "table"))
        self.yixin = True
        hashes = [text for text in said if text.startswith("MESSAGE hash ")]
        assert len(hashes) == 1, said

    def book(self) -> None:
        """Something of the database."""
        points = ["7,7", "8,8", "done"]
        lines = self.chance.choice(
            (
                ["yxsetdatabase", str(self.folder / "some.db")],
                ["yxedittvddatabase 7 -1 50 9", *points],
                ["yxquerydatabaseall", *points],
                ["yxquerydatabaseone", *points],
                ["yxquerydatabasetext", *points],
                ['yxedittextdatabase "one', 'stop two"', *points],
                ["yxdbtotxtall", str(self.folder / "some.txt")],
                ["yxdeletedatabaseall nonwl", *points],
            )
        )
        self.settle(*lines)
        self.yixin = True

    def opening(self) -> None:
        """A step of an opening: after it there is nothing to ponder, and nothing was played."""
        three, five = ("7,7,2", "8,8,1", "7,9,2"), ("6,6,1", "8,6,2")
        points = ["7,7", "8,8", "7,9", "6,6", "1,1", "2,2"]
        lines = self.chance.choice(
            (
                ["SWAP2BOARD", "DONE"],
                ["SWAP2BOARD", *points[:3], "DONE"],
                ["START 15", "yxboard", *three, "done", "yxswap2step2"],
                ["START 15", "yxboard", *three, *five, "done", "yxswap2step3"],
                ["START 15", "yxsoosorvstep2", *points[:3], "done"],
                ["START 15", "yxsoosorvstep3", *points[:3], "done"],
                ["START 15", "yxsoosorvstep4 2", *points[:4], "done"],
                ["START 15", "yxsoosorvstep5 2", *points[:4], "done"],
                ["START 15", "yxsoosorvstep6", *points, "done"],
            )
        )
        started = time.monotonic()
        said = [text for text in self.settle(*lines) if not text.startswith("INFO ")]
        assert time.monotonic() - started < self.turn_ms / 1000 + SLACK
        if lines[0] == "START 15":
            self.yixin = True
            self.position = Position(self.rules(15))
            stones = [line for line in lines if line.count(",") == 2]
            for x, y, _ in (line.split(",") for line in stones):
                self.position.play(int(x), int(y))
            assert said[0] == "OK"
            word = "SWAP2 SWAP" if stones else "SOOSORV "
            own = [text for text in said if text.startswith(f"MESSAGE {word}")]
            assert len(own) == (4 if "step5" in lines[1] else 1), said
        else:
            assert re.fullmatch(r"SWAP|[0-9]+,[0-9]+( [0-9]+,[0-9]+)*|ERROR .+", said[-1]), said

    # -- searches --------------------------------------------------------------------------------

    def random_position(self) -> tuple[list[str], Position]:
        """Stones one after the other, near the middle, as the lines of BOARD."""
        side = self.position.rules.width
        place = Position(self.rules(side))
        for _ in range(self.chance.randrange(0, 12)):
            near = [
                point
                for point in place.legal_points()
                if max(abs(point[0] - side // 2), abs(point[1] - side // 2)) < 4
            ]
            if place.over or not near:
                break
            place.play(*self.chance.choice(near))
        own = place.side
        lines = [f"{x},{y},{1 if colour is own else 2}" for x, y, colour in place.stones]
        return lines, place

    def move(self) -> None:
        """A search, perhaps ended from outside, and its move."""
        if self.chance.random() < 0.3:
            self.turn_ms = self.chance.choice((0, 1, 10, 30, 60, 100))
            self.brain.send(f"INFO timeout_turn {self.turn_ms}")
        turn = self.chance.random() < 0.4 and not self.position.over
        legal = sorted(self.position.legal_points())
        if turn and legal:
            point = self.chance.choice(legal)
            lines = ["TURN {},{}".format(*point)]
            place = self.position.copy()
            place.play(*point)
            how = "TURN"
        else:
            stones, place = self.random_position()
            how = self.chance.choice(("BOARD", *SEARCHES))
            if how == "BOARD":
                lines = ["BOARD", *stones, "DONE"]
            else:
                lines = [f"START {place.rules.width}", "yxboard", *stones, "done", how]
                self.yixin = True
        empty = [
            (x, y)
            for y in range(place.rules.height)
            for x in range(place.rules.width)
            if place.is_empty(x, y)
        ]
        nothing = not set(empty) - self.blocked
        behind = self.chance.choice((*((),) * 5, *self.behind()))
        between = self.chance.choice(PAUSES)
        started = time.monotonic()
        if between is None:
            self.brain.send(*lines, *behind)
        else:
            self.brain.send(*lines)
            time.sleep(between)
            self.brain.send(*behind)
        if lines[0].startswith("START"):
            assert self.brain.line().text == "OK"
        self.position = place
        abandoned = "START 15" in behind and not self.yixin
        answer = self.brain.line()
        if nothing:
            assert answer.text.startswith("ERROR"), self.brain.log[-20:]
        elif not (abandoned and answer.text == "OK"):
            self.check(answer, how, started)
            if abandoned:
                assert self.brain.line().text == "OK"
        if not abandoned:
            self.expect_behind(behind)
        if "START 15" in behind:
            self.position = Position(self.rules(15))
        self.yixin |= any(line.startswith("yx") and line != "yxstop" for line in behind)
        self.yixin |= any("show_detail" in line for line in behind)

    def behind(self) -> Sequence[tuple[str, ...]]:
        """What may be sent while a search runs."""
        return (
            ("STOP",),
            ("yxstop",),
            ("INFO timeout_turn 0",),
            ("START 15",),
            ("yxstop", "START 15"),
            ("INFO show_detail 0",),
            ("INFO show_detail 3",),
            ("INFO thread_num 2", "INFO pondering 1", "INFO usedatabase 1"),
            ("yxhashdump", str(self.folder / "table"), "ABOUT"),
            ("yxhashload", str(self.folder / "table"), "ABOUT"),
            ("yxsetdatabase", str(self.folder / "some.db"), "ABOUT"),
            ("yxquerydatabaseall", "7,7", "done", "ABOUT"),
            ("INFO pondering 0", "ABOUT"),
            ("yxshowinfo", "ABOUT"),
        )

    def expect_behind(self, behind: Sequence[str]) -> None:
        if "INFO timeout_turn 0" in behind:
            self.turn_ms = 0
        if "START 15" in behind:
            assert self.brain.line().text == "OK"
        if "ABOUT" in behind:
            assert self.brain.line().text.startswith("name=")

    def check(self, answer: Line, how: str, started: float) -> None:
        """One move, legal and not excluded, in time; it is put on the board here too."""
        log = "\n".join(self.brain.log[-40:])
        late = answer.at - started - self.turn_ms / 1000
        self.latest = max(self.latest, late)
        assert late < SLACK, log
        pair = how.startswith("yxbalancetwo")
        assert MOVE.match(answer.text) or (pair and PAIR.match(answer.text)), log
        for text in answer.text.split():
            x, y = (int(number) for number in text.split(","))
            assert self.position.is_empty(x, y), log
            assert (x, y) not in self.blocked, log
            free = set(self.position.legal_points()) - self.blocked
            assert self.position.over or not free or (x, y) in free, log
            if self.position.over:
                stones = (*self.position.stones, (x, y, self.position.side))
                self.position = Position.set_up(
                    self.position.rules, stones, self.position.side.other
                )
            else:
                self.position.play(x, y)

    def leave(self) -> None:
        """END or the end of input, idle, pondering, or in the middle of something."""
        how = self.chance.choice(("idle", "search", "table", "book"))
        lines = {
            "idle": [],
            "search": ["INFO timeout_turn 60000", "BOARD", "1,1,2", "DONE"],
            "table": ["yxhashdump", str(self.folder / "last")],
            "book": ["yxdbtotxtall", str(self.folder / "last.txt")],
        }[how]
        if lines:
            self.brain.send(*lines)
            time.sleep(self.chance.choice((0.0, 0.001, 0.02)))
        if self.chance.random() < 0.7:
            took = self.brain.leave(self.chance.choice(("END", "end")))
        else:
            assert self.brain.process.stdin is not None
            at = time.monotonic()
            self.brain.process.stdin.close()
            took = self.brain.left(at)
        assert took < 0.5 + SLACK


def test_everything_at_once(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    left = REQUESTS
    while left > 0:
        count = min(left, SESSION)
        left -= count
        with Brain() as brain:
            person = Person(brain, chance, tmp_path)
            try:
                for _ in range(count):
                    person.step()
                person.leave()
            finally:
                print(f"latest {person.latest * 1000:.0f} ms", *brain.log[-60:], sep="\n")
