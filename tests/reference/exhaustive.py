"""Who wins, by trying everything on the reference: for boards that are almost full."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from shisan.engine import Colour, Rules
from shisan.engine.reference import Identity, ReferencePosition


class Exhaustive:
    """Tries every legal move of both sides; remembers positions met before."""

    def __init__(self, attacker: Colour) -> None:
        self.attacker = attacker
        self.known: dict[Identity, int | None] = {}

    def plies(self, game: ReferencePosition) -> int | None:
        """Plies to the attacker's five if both sides play best; None if he does not win."""
        if game.over:
            return 0 if game.result.winner == self.attacker else None
        identity = game.identity()
        if identity not in self.known:
            self.known[identity] = self._search(game)
        return self.known[identity]

    def _search(self, game: ReferencePosition) -> int | None:
        attacking = game.side == self.attacker
        best: int | None = None
        for point in game.legal_points():
            game.play(*point)
            found = self.plies(game)
            game.undo()
            if attacking and found is not None and (best is None or found + 1 < best):
                best = found + 1
            if not attacking:
                if found is None:
                    return None
                best = max(best or 0, found + 1)
        return best


def crowded(random: Random, rules: Rules, empty: int) -> Iterator[ReferencePosition]:
    """Small boards with so many empty points, walls among the stones, and no five yet."""
    while True:
        width, height = random.choice(((5, 5), (6, 5), (6, 6), (7, 6), (7, 7)))
        board = [(x, y) for y in range(height) for x in range(width)]
        random.shuffle(board)
        most = random.choice(tuple(Colour))
        stones = [(x, y, most if random.random() < 0.7 else most.other) for x, y in board[empty:]]
        walls = [(x, y) for x, y, _ in stones[18:]]
        small = replace(rules, width=width, height=height)
        side = Colour(random.randrange(2))
        position = ReferencePosition.set_up(small, stones[:18], side, walls)
        if not position.over and not position.five_points(side):
            yield position
