"""Bytes thrown at a process: as many answers as a Session gives to the same lines, all of them fit.

Sequences mix commands, damaged commands and junk, cut into writes anywhere. They contain no START
and no END, since those may give up a search or not depending on the moment. How many are tried:
SHISAN_FUZZ_SEQUENCES, 60 without it; the seed: SHISAN_FUZZ_SEED.
"""

import os
import random

from brains import Brain, Talk

from shisan.protocol.commands import parse

SEQUENCES = int(os.environ.get("SHISAN_FUZZ_SEQUENCES", "60"))
SEED = int(os.environ.get("SHISAN_FUZZ_SEED", "1"))
PER_PROCESS = 250

VERBS = (
    "BEGIN TURN PLAY TAKEBACK BOARD SWAP2BOARD DONE ABOUT INFO STOP YXSTOP START RESTART "
    "RECTSTART yxboard yxshowforbid yxhashload SHOWFORBID foo MESSAGE OK 7,7 yxnbest yxbalanceone "
    "yxbalancetwo yxsearchdefend yxblock yxblockundo yxblockreset yxblockpath yxforbid yxhashclear "
    "yxshowhashusage yxshowinfo yxprintfeature yxsoosorvstep2 yxdbcheck yxquerydatabaseall yxfoo"
).split()
KEYS = (
    "timeout_turn timeout_match time_left time_increment max_memory max_depth max_node rule "
    "game_type folder thread_num show_detail evaluate variety strength seed nonsense"
).split()
VALUES = ["", "0", "1", "-1", "4", "8", "15", "99", "2147483647", "9" * 30, "a b", "1.5", "7,7"]


def command(chance: random.Random, size: int) -> bytes:
    """One line without its end: a command, its arguments mostly sensible."""
    kind = chance.random()
    point = f"{chance.randint(-1, size)},{chance.randint(-1, size)}"
    if kind < 0.3:
        return f"{chance.choice(['TURN', 'turn', 'TAKEBACK', 'PLAY'])} {point}".encode()
    if kind < 0.5:
        return f"{point},{chance.randint(0, 4)}".encode()
    if kind < 0.7:
        return f"INFO {chance.choice(KEYS)} {chance.choice(VALUES)}".encode()
    return f"{chance.choice(VERBS)} {chance.choice(VALUES)}".encode()


def damaged(chance: random.Random, line: bytes) -> bytes:
    """The line with some bytes changed, doubled or gone."""
    data = bytearray(line)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randint(0, 2)] = bytes(chance.choices(range(256), k=2))
    return bytes(data)


def sequence(chance: random.Random, size: int) -> list[bytes]:
    """The lines of one sequence, line ends included."""
    lines = []
    for _ in range(chance.randint(1, 25)):
        kind = chance.random()
        line = command(chance, size)
        if kind < 0.15:
            line = damaged(chance, line)
        elif kind < 0.2:
            line = chance.randbytes(chance.choice([0, 1, 10, 5000]))
        lines += line.split(b"\n")
    ends = [b"\n", b"\r\n", b" \n"]
    kept = [line for line in lines if parse(line).kind not in ("start", "restart", "end")]
    return [line + chance.choice(ends) for line in kept]


def write_in_pieces(brain: Brain, chance: random.Random, data: bytes) -> None:
    """Write the data in a few writes, cut anywhere."""
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.choice([0, 1, 5])))
    for start, stop in zip([0, *cuts], [*cuts, len(data)], strict=True):
        brain.write(data[start:stop])


def test_27_and_7_bytes() -> None:
    chance = random.Random(SEED)
    done = 0
    while done < SEQUENCES:
        expected = Talk()
        with Brain() as brain:
            for _ in range(min(PER_PROCESS, SEQUENCES - done)):
                size = chance.choice([5, 6, 9, 15, 20, 22])
                before = [f"START {size}", "INFO timeout_turn 30", "INFO max_node 50"]
                assert brain.ask(*before) == "OK"
                lines = sequence(chance, size)
                expected.send(*before)
                said = expected.answers(*lines, "DONE", "DONE")
                asked = sum(not line.startswith("INFO ") for line in said)
                write_in_pieces(brain, chance, b"".join(lines))
                # The lists that may be open are closed, then what still runs is stopped.
                brain.send("DONE", "DONE", "STOP", "ABOUT")
                brain.log.append(f"  sequence {done}, {asked} answers expected: {lines}")
                for _ in range(asked):
                    answer = brain.line().text
                    assert not answer.startswith("ERROR internal"), brain.log
                while (answer := brain.line().text) and not answer.startswith('name="'):
                    raise AssertionError("\n".join(["one answer too many", *brain.log[-60:]]))
                done += 1
            brain.leave()
