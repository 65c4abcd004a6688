"""Weak brains to spar with, in plain Python: `random`, and `greedy`, which sees one ply.

python -m shisan.scripts.sparring_brains random|greedy [--seed N]
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random
from time import monotonic
from typing import Final

from shisan.engine import Colour, Point, Position, SearchResult
from shisan.protocol.session import Quit, Reply, Search, Session

DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
WEIGHTS: Final = (1, 6, 30, 150, 800)
"""What a free window of five is worth to its owner, by the stones that it already has."""

NEAR: Final = 2
"""How far from a stone greedy looks for points, in both coordinates."""

Choice = Callable[[Position, Random], Point]


def choose_random(position: Position, luck: Random) -> Point:
    """Any legal point; any empty one if none is legal."""
    return luck.choice(position.legal_points() or list(_empty_points(position)))


def choose_greedy(position: Position, luck: Random) -> Point:
    """Make five, else block five, else what adds most to own windows and takes most of theirs.

    Among equals luck decides.
    """
    stones = {(x, y): colour for x, y, colour in position.stones}
    legal = position.legal_points() or list(_empty_points(position))
    near = [point for point in legal if _is_near(point, stones)] or [_middle(legal)]
    own = {point: _windows(position, stones, point, position.side) for point in near}
    theirs = {point: _windows(position, stones, point, position.side.other) for point in near}
    turned = Position.set_up(
        position.rules, position.stones, position.side.other, walls=position.walls
    )
    for board, worth in ((position, own), (turned, theirs)):
        fives = [p for p in near if worth[p] >= WEIGHTS[4] and _wins(board, p)]
        if fives:
            return luck.choice(fives)
    best = max(own[point] + theirs[point] for point in near)
    return luck.choice([point for point in near if own[point] + theirs[point] == best])


CHOICES: Final[dict[str, Choice]] = {"random": choose_random, "greedy": choose_greedy}


def _empty_points(position: Position) -> Iterator[Point]:
    rules = position.rules
    for y in range(rules.height):
        for x in range(rules.width):
            if position.is_empty(x, y):
                yield x, y


def _is_near(point: Point, stones: dict[Point, Colour]) -> bool:
    x, y = point
    reach = range(-NEAR, NEAR + 1)
    return any((x + dx, y + dy) in stones for dx in reach for dy in reach)


def _middle(points: list[Point]) -> Point:
    """The point nearest to the middle of them all."""
    cx = sum(x for x, _ in points) / len(points)
    cy = sum(y for _, y in points) / len(points)
    return min(points, key=lambda point: abs(point[0] - cx) + abs(point[1] - cy))


def _windows(position: Position, stones: dict[Point, Colour], point: Point, colour: Colour) -> int:
    """The worth of all windows of five through an empty point with stones of one colour only."""
    total = 0
    for dx, dy in DIRECTIONS:
        line = [(point[0] + i * dx, point[1] + i * dy) for i in range(-4, 5)]
        free = [p == point or stones.get(p) == colour or position.is_empty(*p) for p in line]
        held = [stones.get(p) == colour for p in line]
        for at in range(5):
            if all(free[at : at + 5]):
                total += WEIGHTS[sum(held[at : at + 5])]
    return total


def _wins(position: Position, point: Point) -> bool:
    """Whether a stone of the side to move wins there; the position is unchanged on return."""
    if not position.is_legal(*point):
        return False
    side = position.side
    position.play(*point)
    won = position.result.winner == side
    position.undo()
    return won


def serve(choose: Choice, luck: Random) -> None:
    """Answer the manager on standard input until END or the end of input."""
    session = Session()
    for line in sys.stdin.buffer:
        effects = session.receive(line.rstrip(b"\r\n"), monotonic())
        while effects:
            effect = effects.pop(0)
            if isinstance(effect, Quit):
                return
            if isinstance(effect, Reply):
                sys.stdout.write(effect.line + "\n")
                sys.stdout.flush()
            elif isinstance(effect, Search):
                move = choose(effect.position, luck)
                found = SearchResult(move, 0, None, 1, 1, 0, (move,), None)
                effects += session.finish(effect.ticket, found, monotonic())


def main(arguments: Sequence[str] | None = None) -> int:
    """Be one of the brains; other arguments are ignored, as managers expect."""
    made = argparse.ArgumentParser(prog="sparring_brains", description=__doc__)
    made.add_argument("brain", choices=CHOICES)
    made.add_argument("--seed", type=int, default=0)
    options, _ = made.parse_known_args(arguments)
    serve(CHOICES[options.brain], Random(options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
