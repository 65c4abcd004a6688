"""Searches of several threads, stopped at random times: what the thread sanitizer watches.

    python races.py SEARCHES SEED

Prints how many searches were made, and which of them ended how.
"""

import random
import sys
import threading
import time
from collections import Counter
from functools import partial

from shisan.engine import Engine, Limits, Position, Rules
from shisan.engine.kernel import load

RULES = [
    Rules.freestyle(15),
    Rules.freestyle(20),
    Rules.standard(15),
    Rules.renju(15),
    Rules.caro(15),
]


def place(chance: random.Random, rules: Rules) -> Position:
    """A position some moves into a game near the middle."""
    position = Position(rules)
    for _ in range(chance.randrange(1, 24)):
        points = [
            (x, y)
            for x, y in position.legal_points()
            if abs(x - rules.width // 2) < 5 and abs(y - rules.height // 2) < 5
        ]
        if position.over or not points:
            break
        position.play(*chance.choice(points))
    if position.over:
        position.undo()
    return position


def one(chance: random.Random, engine: Engine) -> str:
    """One search, ended in one of many ways; which."""
    position = place(chance, engine.rules)
    how = chance.choice(["stop", "stop", "limits", "enough", "nodes", "time", "lines", "twice"])
    delay = chance.choice([0, 0.0003, 0.002, 0.01, 0.03])
    enough = threading.Event()
    ends = [engine.stop]
    if how == "limits":
        ends = [partial(engine.change_limits, Limits(turn_ms=1)), engine.stop]
    elif how == "enough":
        ends = [enough.set, engine.stop]
    elif how == "twice":
        ends = [engine.stop, engine.stop]

    def end() -> None:
        time.sleep(delay)
        for action in ends:
            action()
            time.sleep(0.0002)

    other = threading.Thread(target=end)
    if how == "nodes":
        engine.search(position, Limits(nodes=chance.randrange(1, 20_000), turn_ms=500))
    elif how == "time":
        engine.search(position, Limits(turn_ms=chance.randrange(0, 30)))
    else:
        other.start()
        if how == "lines":
            engine.analyse(position, Limits(turn_ms=200), lines=3)
        elif how == "enough":
            engine.search(position, Limits(turn_ms=2000), enough=enough)
        else:
            engine.search(position, Limits(turn_ms=2000), on_progress=lambda _: None)
        other.join()
    if chance.random() < 0.1:
        chance.choice([engine.clear, engine.new_game, partial(engine.vary, 8, 1)])()
    return how


def main() -> None:
    """Search so often, by engines of 2 to 4 threads."""
    searches, seed = int(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    table = load("table").SharedTable(4096)
    hammers = [
        threading.Thread(target=table.hammer, args=(number, 20_000, 64)) for number in range(4)
    ]
    for hammer in hammers:
        hammer.start()
    for hammer in hammers:
        hammer.join()
    counts: Counter[str] = Counter()
    engine = Engine(RULES[0], memory=80 << 20, threads=4)
    for number in range(searches):
        if number % 20 == 0:
            engine.rules = chance.choice(RULES)
        if number % 50 == 25:
            engine.threads = chance.randrange(2, 5)
        counts[one(chance, engine)] += 1
    print(sum(counts.values()), "searches:", dict(counts))


if __name__ == "__main__":
    main()
