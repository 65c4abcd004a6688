"""A brain that fills the board: two of them never make a five, and draw when it is full."""

import sys

side = 15
taken: set[tuple[int, int]] = set()


def move() -> None:
    """The first free point of the own colour's pattern, pairs of stones that change every row."""
    own = len(taken) % 2
    free = [(x, y) for y in range(side) for x in range(side) if (x, y) not in taken]
    x, y = next(((x, y) for x, y in free if (x // 2 + y) % 2 == own), free[0])
    taken.add((x, y))
    print(f"{x},{y}", flush=True)


for line in sys.stdin:
    verb, _, rest = line.strip().partition(" ")
    if verb == "START":
        side = int(rest)
        taken.clear()
        print("OK", flush=True)
    elif verb == "BOARD":
        taken.clear()
    elif verb in ("BEGIN", "DONE"):
        move()
    elif verb == "TURN" or verb[:1].isdigit():
        x, y, *_ = map(int, (rest or verb).split(","))
        taken.add((x, y))
        if verb == "TURN":
            move()
    elif verb == "END":
        break
