"""Searches ended from outside at random moments, from before their first step on.

How many: SHISAN_FUZZ_RACES, 60 without it; the seed: SHISAN_FUZZ_SEED.
"""

import os
import random
import time

from brains import MOVE, SLACK, Brain

RACES = int(os.environ.get("SHISAN_FUZZ_RACES", "60"))
SEED = int(os.environ.get("SHISAN_FUZZ_SEED", "1"))

STOPS = ["STOP", "yxstop", "INFO timeout_turn 0", "INFO time_left 0"]
RESTARTS = ["START 15", "RESTART", "RECTSTART 15,15"]


def test_12_and_50_ends_from_outside() -> None:
    """A search has no limit here, so whatever ends it is what was sent."""
    chance = random.Random(SEED)
    with Brain() as brain:
        brain.ask("START 15")
        for _ in range(RACES):
            brain.send("INFO timeout_turn 600000", "INFO time_left 2147483647")
            x, y = chance.randrange(1, 14), chance.randrange(1, 14)
            request = ["BOARD", f"{x},{y},2", "DONE"]
            how = chance.choice([*STOPS, *RESTARTS, "both"])
            ends = ["STOP", "START 15"] if how == "both" else [how]
            delay = chance.choice([None, 0, 0.0001, 0.001, 0.003, 0.02])
            if delay is None:
                at = brain.send(*request, *ends)
            else:
                brain.send(*request)
                time.sleep(delay)
                at = brain.send(*ends)
            line = brain.line()
            assert line.at - at < 0.5 + SLACK
            if how in RESTARTS:
                assert line.text == "OK"
            elif how == "both":  # the move may be out before START arrives, or given up
                assert line.text == "OK" or (MOVE.match(line.text) and brain.line().text == "OK")
            else:
                assert MOVE.match(line.text)
            assert brain.ask("ABOUT").startswith('name="')
        brain.leave()


def test_17_ends_of_the_process() -> None:
    chance = random.Random(SEED)
    for _ in range(max(3, RACES // 20)):
        with Brain() as brain:
            brain.ask("START 15", "INFO timeout_turn 600000")
            brain.send("BEGIN")
            time.sleep(chance.choice([0, 0.0005, 0.002, 0.02]))
            if chance.random() < 0.5:
                assert brain.leave() < 0.5 + SLACK
            else:
                assert brain.process.stdin is not None
                brain.process.stdin.close()
                assert brain.left(time.monotonic()) < 0.5 + SLACK
