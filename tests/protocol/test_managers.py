"""Whole games with managers: item 59 of the conformance checklist.

Three of them: one that behaves like the Gomocup client (CRLF, everything in one burst before the
process has started, suspended whenever it is not to move), one like c-gomoku-cli (LF, many games
in one process), and pygomo-lib itself.
"""

import gc
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from brains import MOVE, SLACK, Brain

from shisan.engine import Colour, Position, Rules

RULES = {0: Rules.freestyle, 1: Rules.standard, 4: Rules.renju, 8: Rules.caro}


class Referee:
    """A game of the brain against someone who plays near the stones at random."""

    def __init__(self, size: int, rule: int, seed: int, opening: int) -> None:
        self.position = Position(RULES[rule](size))
        self.chance = random.Random(seed)
        for _ in range(opening):
            self.position.play(*self.other())

    def other(self) -> tuple[int, int]:
        """The opponent's move."""
        legal = self.position.legal_points()
        near = [
            point
            for point in legal
            if any(
                max(abs(point[0] - x), abs(point[1] - y)) <= 2 for x, y, _ in self.position.stones
            )
        ]
        return self.chance.choice(near or legal)

    def take(self, answer: str) -> None:
        """The brain's move: it must be legal."""
        assert MOVE.match(answer), answer
        x, y = map(int, answer.split(","))
        assert self.position.is_legal(x, y), f"{answer}: {self.position.why_illegal(x, y)}"
        self.position.play(x, y)

    def list(self) -> list[str]:
        """The stones as BOARD lines for the side to move."""
        side = self.position.side
        return [f"{x},{y},{1 if colour == side else 2}" for x, y, colour in self.position.stones]

    def turns(self) -> Iterator[str]:
        """Until the game is over: the opponent moves, and what it played is to be answered."""
        while not self.position.over:
            x, y = self.other()
            self.position.play(x, y)
            if not self.position.over:
                yield f"TURN {x},{y}"


@pytest.mark.skipif(os.name != "posix", reason="suspends the process")
@pytest.mark.parametrize(
    ("size", "rule", "opening"), [(15, 0, 3), (20, 1, 0), (15, 4, 5), (15, 8, 2)]
)
def test_59_like_the_gomocup_client(size: int, rule: int, opening: int, tmp_path: Path) -> None:
    turn_time = 0.15
    referee = Referee(size, rule, seed=size + rule, opening=opening)
    left = 180_000
    with Brain(end="\r\n", cwd=str(tmp_path)) as brain:
        process = brain.process
        brain.send(
            f"START {size}",
            f"INFO timeout_turn {turn_time * 1000:.0f}",
            "INFO timeout_match 180000",
            "INFO max_memory 367001600",
            "INFO game_type 3",
            f"INFO rule {rule}",
            f"INFO folder {tmp_path}",
        )
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        commands: list[str] = ["BOARD", *referee.list(), "DONE"]
        turns = referee.turns()
        slowest = 0.0
        while True:
            brain.send(f"INFO time_left {left}", *commands)
            at = time.monotonic()
            process.send_signal(signal.SIGCONT)
            line = brain.line()
            if line.text == "OK":
                line = brain.line()
            took = line.at - at
            process.send_signal(signal.SIGSTOP)
            slowest = max(slowest, took)
            left -= int(took * 1000)
            referee.take(line.text)
            turn = next(turns, None)
            if turn is None:
                break
            commands = [turn]
        assert slowest < turn_time + SLACK
        process.send_signal(signal.SIGCONT)
        assert brain.leave() < 0.5 + SLACK
    assert not list(tmp_path.iterdir())


def test_59_like_c_gomoku_cli() -> None:
    """Both ways of sending a position, three games in one process, each with its own rule."""
    with Brain() as brain:
        assert brain.ask("ABOUT").startswith('name="')
        for game, rule in enumerate((0, 4, 1)):
            referee = Referee(15, rule, seed=game, opening=game)
            assert brain.ask("START 15") == "OK"
            brain.send(f"INFO rule {rule}", "INFO timeout_turn 60", "INFO timeout_match 60000")
            brain.send("INFO max_memory 367001600", "INFO thread_num 1", "INFO time_left 60000")
            first = ["BOARD", *referee.list(), "DONE"] if game else ["BEGIN"]
            referee.take(brain.ask(*first))
            for turn in referee.turns():
                commands = [turn] if game != 1 else ["BOARD", *referee.list(), "DONE"]
                brain.send("INFO time_left 59000")
                answer, took = brain.timed(*commands)
                assert took < 0.06 + SLACK
                referee.take(answer)
        brain.leave()
        assert b"ERROR" not in brain.raw


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # it leaves its pipes open
def test_59_pygomo(tmp_path: Path) -> None:
    """Four games by the published client, with takebacks, its own records of each search."""
    pygomo = pytest.importorskip("pygomo")
    script = tmp_path / "pbrain-shisan"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shisan.protocol "$@"\n')
    script.chmod(0o755)
    with pygomo.EngineClient(str(script)) as client:
        assert client.start(15, timeout=30)
        assert "Shisan" in client.about()
        for game, rule in enumerate((0, 1, 4, 0)):
            assert client.start(15) if game % 2 else client.restart()
            client.configure(timeout_turn=60, thread_num=1)
            client.set_rule(rule)
            referee = Referee(15, rule, seed=game, opening=0)
            played = client.begin()
            referee.take(played.move.to_numeric())
            for turn in referee.turns():
                played = client.turn(turn[5:])
                referee.take(played.move.to_numeric())
            info = played.search_info
            assert info.depth >= 1 and info.pv[0] == played.move
        assert client.start(15)
        first = client.begin().move
        assert client.takeback(first)
        assert client.turn("1,1") is not None
    del client
    gc.collect()  # so that the warnings come here


def test_59_two_brains_play_each_other() -> None:
    """A game through pipes: each hears the other's answer as TURN."""
    position = Position(Rules.freestyle(15))
    with Brain() as black, Brain(end="\r\n") as white:
        for brain in (black, white):
            assert brain.ask("START 15", "INFO max_node 500") == "OK"
        answer = black.ask("BEGIN")
        for ply in range(120):
            x, y = map(int, answer.split(","))
            assert position.side == Colour(ply % 2) and position.is_legal(x, y)
            position.play(x, y)
            if position.over:
                break
            answer = (white if ply % 2 == 0 else black).ask(f"TURN {answer}")
        assert position.over or position.ply == 120
        black.leave()
        white.leave()
