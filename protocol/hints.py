"""What to play and why, in words: only what the rules, the solver or a proof make certain.

Everything else is said to be the search's opinion, as a chance of winning.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from shisan.engine import Colour, Point, Position, SearchResult, solve_vcf, win_probability

from .notation import point_name

FOURS_NODES: Final = 20_000
"""What a hint spends at most on each look for a win by fours; some tenths of a second."""


class Hint(NamedTuple):
    """A point to play, and why. line: how play may go on from here, the point first."""

    point: Point
    line: tuple[Point, ...]
    text: str


def hint(position: Position, found: SearchResult) -> Hint:
    """Say what a search at full strength found for the side to move, and what makes it certain.

    position: not over, as it was searched.
    """
    own, their = position.side, position.side.other
    fives = position.maps(own)["five"]
    if fives:
        point = found.move if found.move in fives else min(fives)
        return Hint(point, (point,), f"{point_name(*point)} makes five and wins")
    if position.maps(their)["five"]:
        return _against_five(position, found)
    fours = solve_vcf(position, FOURS_NODES)
    if isinstance(fours, tuple):
        text = f"{point_name(*fours[0])} wins by fours, each answer forced: {_forced(fours)}"
        return Hint(fours[0], fours, text)
    threat = _threat(position)
    return Hint(found.move, found.line, threat + _opinion(position, found))


def five_stops(position: Position) -> list[Point]:
    """The legal points after which the opponent has no five to make, row by row.

    Where a closed five does not count, these need not be among the points where he makes it.
    """
    their = position.side.other
    trial = position.copy()
    stops = []
    for x, y in position.legal_points():
        trial.play(x, y)
        if not trial.maps(their)["five"]:
            stops.append((x, y))
        trial.undo()
    return stops


def _against_five(position: Position, found: SearchResult) -> Hint:
    """The opponent threatens five, and the side to move makes none itself."""
    their = position.side.other
    stops = five_stops(position)
    threat = f"{_colour(their)} threatens five at {_names(position.maps(their)['five'])}"
    if not stops:
        return Hint(found.move, found.line, f"{threat}; {_unstoppable(position)}")
    point = stops[0] if len(stops) == 1 or found.move not in stops else found.move
    line = found.line if point == found.move else (point,)
    name = point_name(*point)
    if len(stops) == 1:
        rest = f"only {name} stops it"
    else:
        rest = f"{_names(stops)} stop it; {name} looks best"
    return Hint(point, line, f"{threat}: {rest}. {_prospects(position, found)}")


def _unstoppable(position: Position) -> str:
    """Why a five cannot be stopped."""
    forbidden = position.forbidden_points() if position.side == Colour.BLACK else {}
    for point in position.maps(position.side.other)["five"]:
        if point in forbidden:
            name = point_name(*point)
            return f"Black may not stop it at {name}, which is forbidden ({forbidden[point]})"
    return "no move stops it"


def _threat(position: Position) -> str:
    """The opponent's win by fours if the side to move did nothing; "" if none is known."""
    passed = Position.set_up(position.rules, position.stones, position.side.other, position.walls)
    fours = solve_vcf(passed, FOURS_NODES)
    if not isinstance(fours, tuple):
        return ""
    return f"{_colour(passed.side)} threatens to win by fours: {_forced(fours)}. "


def _opinion(position: Position, found: SearchResult) -> str:
    """The search's move, how it may go on, and what comes of it."""
    name = point_name(*found.move)
    further = found.line[1:7]
    then = f", then {_names(further, ' ')}" if further else ""
    return f"{name}{then}. {_prospects(position, found)}"


def _prospects(position: Position, found: SearchResult) -> str:
    """What the search proved, or the chance of winning it sees."""
    own, their = _colour(position.side), _colour(position.side.other)
    if found.win_in is not None:
        winner, plies = (own, found.win_in) if found.win_in > 0 else (their, -found.win_in)
        return f"Proven: {winner} wins in {plies} {'ply' if plies == 1 else 'plies'} at most"
    percent = min(max(round(100 * win_probability(found.value)), 1), 99)
    return f"{own} wins with about {percent} % (depth {found.depth})"


def _forced(line: Iterable[Point]) -> str:
    """Fours with their answers in brackets: h8 (h9) g7 (f6) i9."""
    names = [point_name(x, y) for x, y in line]
    return " ".join(name if at % 2 == 0 else f"({name})" for at, name in enumerate(names))


def _names(points: Iterable[Point], between: str = ", ") -> str:
    return between.join(point_name(x, y) for x, y in points)


def _colour(side: Colour) -> str:
    return side.name.capitalize()
