"""Swap2: an opening to lay, and which side to take.

Every choice rests on one search of the position with White to move. Its value says which colour is
better off, so we take that colour: staying White answers with the move found, taking Black answers
SWAP. Laying two more stones is legal too but hands the choice to the opponent: by our own value
it can gain nothing over taking the better side now.
"""

from typing import Final

from shisan.engine import Point, Rules, SearchResult

OPENINGS: Final[tuple[tuple[Point, Point, Point], ...]] = (
    ((2, 1), (2, 3), (3, 3)),
    ((2, 3), (1, 1), (3, 0)),
    ((1, 4), (4, 2), (5, 2)),
    ((6, 6), (4, 5), (5, 2)),
    ((2, 2), (4, 6), (4, 4)),
    ((6, 3), (4, 2), (1, 4)),
)
"""Openings of our own: Black, White, Black, from the upper left corner, the smallest first.

None is its own mirror image. Chosen from 800 random ones in the corner 8x8: on 15x15 with exactly
five a search of 400,000 nodes gives each a value within 35 of 0, of 150,000 nodes in freestyle on
15x15 and 20x20 and in caro within 56. Under renju White is better in all, by 57 to 103.
"""


def opening(rules: Rules, number: int) -> str:
    """The answer to an empty SWAP2BOARD: three points; number counts the openings laid so far."""
    fitting = [stones for stones in OPENINGS if _fits(stones, rules)]
    return " ".join(f"{x},{y}" for x, y in fitting[number % len(fitting)])


def _fits(stones: tuple[Point, Point, Point], rules: Rules) -> bool:
    return all(x < rules.width and y < rules.height for x, y in stones)


def choose(stones: int, result: SearchResult) -> tuple[str, str]:
    """The answer to a SWAP2BOARD of three or five stones, and the reason in words.

    result: of the search with White to move. Equal counts for White, who has the move.
    """
    if result.value >= 0:
        x, y = result.move
        return f"{x},{y}", f"swap2: White is not worse after {stones} stones, staying White"
    return "SWAP", f"swap2: Black is better after {stones} stones, taking Black"
