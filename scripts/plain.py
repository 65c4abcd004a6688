"""Wins by continuous fours, the plain way: every four, every order, by the reference's rules.

What verify and the tests hold the solver's refutations against. Slow, and fit for small boards.
"""

from collections.abc import Iterator
from random import Random

from shisan.engine import Colour, Point, Rules
from shisan.engine.reference import DIRECTIONS, ReferencePosition, Stone


class BudgetError(Exception):
    """More fours would have to be tried than was allowed."""


class PlainSolver:
    """Tries fours with one answer until one wins.

    budget: fours to try before BudgetError.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._refuted: set[object] = set()

    def wins(self, game: ReferencePosition) -> bool:
        """Whether the side to move wins by a five or by fours that each have one answer."""
        attacker = game.side
        if game.five_points(attacker):
            return True
        identity = game.identity()
        if identity in self._refuted:
            return False
        fours = game.four_points(attacker)
        block = game.five_points(attacker.other)
        if block:
            fours = fours & block if len(block) == 1 else set()
        if any(self._wins_by(game, four) for four in sorted(fours) if game.is_legal(*four)):
            return True
        self._refuted.add(identity)
        return False

    def _wins_by(self, game: ReferencePosition, four: Point) -> bool:
        """Whether this four, its answer and what follows win."""
        self._budget -= 1
        if self._budget < 0:
            raise BudgetError
        attacker = game.side
        game.play(*four)
        try:
            if game.over or not game.five_points(attacker):
                return False
            answers = list(_answers(game, attacker))
            if len(answers) > 1:
                return False
            if not answers or not game.is_legal(*answers[0]):
                return True
            game.play(*answers[0])
            try:
                return not game.over and self.wins(game)
            finally:
                game.undo()
        finally:
            game.undo()


def _answers(game: ReferencePosition, attacker: Colour) -> Iterator[Point]:
    """Points where a stone of the defender, allowed or not, leaves the attacker no five."""
    fives = game.five_points(attacker)
    reach = range(-5, 6) if game.rules.closed_five is False else range(1)
    points = {
        (x + step * dx, y + step * dy) for x, y in fives for dx, dy in DIRECTIONS for step in reach
    }
    for point in sorted(points):
        if game.is_empty(*point):
            with game.trial(*point, attacker.other):
                stopped = not game.five_points(attacker)
            if stopped:
                yield point


def threes(random: Random, rules: Rules) -> list[Stone]:
    """Stones in short lines of three of a colour, most of them blocked at an end or two."""
    stones: dict[Point, Colour] = {}
    for _ in range(random.randrange(2, 3 + rules.width * rules.height // 16)):
        dx, dy = random.choice(DIRECTIONS)
        x, y = random.randrange(rules.width), random.randrange(rules.height)
        colour = Colour(random.random() < 0.3)
        length = random.choice((5, 6, 7))
        owners = dict.fromkeys(random.sample(range(length), 3), colour)
        owners |= {i: colour.other for i in (-1, length) if random.random() < 0.6}
        for i, owner in owners.items():
            point = (x + i * dx, y + i * dy)
            if 0 <= point[0] < rules.width and 0 <= point[1] < rules.height:
                stones.setdefault(point, owner)
    return [(x, y, colour) for (x, y), colour in stones.items()]
