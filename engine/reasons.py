"""Why: what a position shows, why not another move, what a played move gave away.

Data only; protocol/words.py makes sentences of them. Nothing is guessed: shapes follow from the
stones, wins by continuous fours come from the solver and can be replayed by engine/proof.py, and
what only a search says is marked as its opinion by a value, unless the search has proven it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from .clock import Limits
from .engine import Engine, SearchResult
from .errors import PositionError
from .kernel import load
from .odds import PROVEN, WIN, win_probability
from .rules import Colour, Point
from .shapes import (
    DIRECTIONS,
    Chance,
    Four,
    Line,
    Three,
    chances,
    five_points,
    fours,
    in_order,
    threes,
    with_stone,
)
from .verdicts import Illegal, Result

if TYPE_CHECKING:
    from .position import Position
    from .threats import VcfSolver
else:
    Position = load("position").Position
    VcfSolver = load("threats").VcfSolver

NODES: Final = 1_000_000
"""Fours that are tried to find a side's win by continuous fours."""

TRY_NODES: Final = 50_000
"""Fours that are tried after each move that may stop such a win."""

ABOUT_EQUAL: Final = 0.02
"""A move that costs less of the win probability than this is as good as the best."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A point that Black may not play. why: its kind, and the stones of the lines."""

    point: Point
    why: Illegal


@dataclass(frozen=True, slots=True)
class FoursWin:
    """A win by continuous fours, a shortest one: of fours with a single answer.

    line: four, answer, four, ..., and last the move that makes the five or cannot be answered.
    fives: where the five is made after that; none if the last move makes it.
    forbidden: the answers that Black would need and may not play.
    """

    line: Line
    fives: Line
    forbidden: tuple[Forbidden, ...]

    @property
    def plies(self) -> int:
        """Plies up to and with the five, both sides' counted."""
        return len(self.line) + 2 if self.fives else len(self.line)


@dataclass(frozen=True, slots=True)
class SideReasons:
    """What one side has.

    fours, threes: on the board. chances: what one more stone of it makes, the strongest first,
    single threes left out, and forbidden points too.
    win: its win by continuous fours if it were to move, which for the side that is not means: if
    the other side passes. decided: False: not known whether there is one.
    """

    colour: Colour
    fours: tuple[Four, ...]
    threes: tuple[Three, ...]
    chances: tuple[Chance, ...]
    win: FoursWin | None
    decided: bool


@dataclass(frozen=True, slots=True)
class Defence:
    """What the side to move can do against the opponent's win by continuous fours.

    blocks: where a stone of his leaves the opponent no five at once, forbidden or not, if the
        opponent has a five at hand.
    moves: after them there is no such win. fours: they make a four, which must be answered first,
        so that they at least put it off. unsure: not decided. forbidden: they would stop it, but
        Black may not play there. Every other legal move loses by continuous fours.
    exact: whether moves and fours are known to stop or put off every win by continuous fours; not
        so if some are unsure, or where a closed five does not count (fours with several answers).
    """

    blocks: Line
    moves: Line
    fours: Line
    unsure: Line
    forbidden: tuple[Forbidden, ...]
    exact: bool

    @property
    def lost(self) -> bool:
        """Whether every legal move loses by continuous fours."""
        return not (self.moves or self.fours or self.unsure)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a position shows. side: to move. Empty sides if the game is over.

    defence: None if the side to move wins by continuous fours itself, or the other has no such
    win.
    """

    side: Colour
    result: Result
    black: SideReasons
    white: SideReasons
    defence: Defence | None

    def of(self, colour: Colour) -> SideReasons:
        """The reasons of a side."""
        return self.white if colour is Colour.WHITE else self.black


def explain(position: "Position", nodes: int = NODES, try_nodes: int = TRY_NODES) -> Explanation:
    """Return what a position shows, for both sides; the position is unchanged.

    nodes: fours tried to find a win, for each side. try_nodes: after each move that may stop one.
    """
    mover = position.side
    if position.over:
        black, white = (SideReasons(each, (), (), (), None, True) for each in Colour)
        return Explanation(mover, position.result, black, white, None)
    solver = VcfSolver()
    sides = {colour: _side(solver, turned(position, colour), colour, nodes) for colour in Colour}
    defence = None
    if sides[mover].win is None and sides[mover.other].win is not None:
        defence = _defence(solver, position, nodes, try_nodes)
    return Explanation(mover, position.result, sides[Colour.BLACK], sides[Colour.WHITE], defence)


def turned(position: "Position", side: Colour) -> "Position":
    """Return the position with this side to move; a pass, if it was the other's turn."""
    return Position.set_up(position.rules, position.stones, side, position.walls)


def _side(solver: "VcfSolver", position: "Position", colour: Colour, nodes: int) -> SideReasons:
    """What a side has that is to move."""
    win = fours_win(position, nodes, solver)
    return SideReasons(
        colour,
        fours(position, colour),
        threes(position, colour),
        chances(position, colour),
        win or None,
        win is not False,
    )


def fours_win(
    position: "Position", nodes: int = NODES, solver: "VcfSolver | None" = None
) -> FoursWin | Literal[False] | None:
    """Return a shortest win by continuous fours of the side to move, with how it ends.

    None: there is none; False: not decided within these nodes. solver: one that has not been used
    with other rules or walls.
    """
    line, last = _solved(solver or VcfSolver(), position, nodes)
    if not line:
        return None if line is None else False
    if last.over:
        return FoursWin(line, (), ())
    attacker = position.side
    stops = blocks(last, attacker)
    return FoursWin(line, five_points(last, attacker), _forbidden(last, stops))


def _solved(
    solver: "VcfSolver", position: "Position", nodes: int
) -> tuple[Line | Literal[False] | None, "Position"]:
    """What the solver says, and the position after its line.

    A line that leaves Black without any legal point draws the game on the way and wins nothing,
    which the solver does not see: not decided then.
    """
    line = solver.solve(position, nodes)
    last = turned(position, position.side)
    if not isinstance(line, tuple):
        return (False if line is False else None), last
    for point in line:
        if last.over:
            return False, last
        last.play(*point)
    drawn = last.over and last.result.winner is not position.side
    return (False if drawn else line), last


def _forbidden(position: "Position", points: Iterable[Point]) -> tuple[Forbidden, ...]:
    """Those of some empty points that the side to move may not play."""
    found = []
    for point in points:
        why = position.why_illegal(*point)
        if why is not None:
            found.append(Forbidden(point, why))
    return tuple(found)


def blocks(position: "Position", attacker: Colour) -> Line:
    """Return the points where one stone of the other side leaves the attacker no five at once.

    Forbidden ones too, and whoever is to move; none if the attacker has no five at hand.
    """
    fives = five_points(position, attacker)
    if not fives:
        return ()
    if position.rules.closed_five:
        return fives if len(fives) == 1 else ()
    x, y = fives[0]
    near = {(x + i * dx, y + i * dy) for dx, dy in DIRECTIONS for i in range(-5, 6)}
    return tuple(
        point
        for point in in_order(near)
        if position.is_empty(*point)
        and not with_stone(position, point, attacker.other).maps(attacker)["five"]
    )


def _defence(solver: "VcfSolver", position: "Position", nodes: int, try_nodes: int) -> Defence:
    """Try every move that may stop the opponent's win by continuous fours."""
    mover, attacker = position.side, position.side.other
    passed = turned(position, attacker)
    candidates = solver.defences(passed, nodes) or set()
    kept: dict[str, list[Point]] = {"moves": [], "fours": [], "unsure": []}
    forbidden = []
    for point in in_order(candidates):
        if not position.is_empty(*point):
            continue
        after = with_stone(position, point, mover, attacker)
        found = None if after.over else _solved(solver, after, try_nodes)[0]
        if found:
            continue
        why = position.why_illegal(*point)
        if why is not None:
            if found is None:
                forbidden.append(Forbidden(point, why))
        elif found is False:
            kept["unsure"].append(point)
        else:
            kept["fours" if after.maps(mover)["five"] else "moves"].append(point)
    return Defence(
        blocks(position, attacker),
        tuple(kept["moves"]),
        tuple(kept["fours"]),
        tuple(kept["unsure"]),
        tuple(forbidden),
        position.rules.closed_five and not kept["unsure"],
    )


# --- One move ------------------------------------------------------------------------------------

VERDICTS: Final = (
    "illegal",
    "forbidden",
    "wins",
    "loses",
    "draws",
    "lets a win slip",
    "best",
    "as good",
    "worse",
)
"""What can be said of a move, see Judgement."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with a move, or right.

    verdict: the first that holds of VERDICTS. "illegal": cannot be played; "forbidden": to Black;
        "wins", "loses": proven; "draws": the game is over; "lets a win slip": the best move is
        proven to win, this one is not; "best": the search's own choice; "as good": costs less than
        ABOUT_EQUAL of the win probability; "worse".
    illegal: why it cannot be played, with the lines if it is forbidden.
    reply: the opponent's win by continuous fours after it.
    line: what follows the move: that win, else the line the search expects; it begins with the
        opponent's reply.
    value, win_in: of the position after the move, but from the mover's view and counted from
        before it, as those of best are; None: the move was not played out.
    best: the move to play instead, with its value, see best_move; None if the game is over.
    """

    move: Point
    mover: Colour
    verdict: str
    illegal: Illegal | None
    reply: FoursWin | None
    line: Line
    value: int | None
    win_in: int | None
    best: SearchResult | None

    @property
    def cost(self) -> float:
        """The win probability that the move costs, 0..1; a foul costs all; 0 if not known."""
        if self.best is None or self.verdict == "illegal":
            return 0.0
        after = 0.0 if self.value is None else win_probability(self.value)
        return max(0.0, win_probability(self.best.value) - after)


@dataclass(frozen=True, slots=True)
class GivenAway:
    """What a played move gave away, against the best one.

    judgement: of the move. missed_win: the best line, if it is proven to win and the move is not.
    missed_defences: the only points that stopped a win by continuous fours, if the opponent
    threatened one and has one after the move; with exact as in Defence.
    allowed_loss: whether the move is proven to lose and the best one is not.
    cost: of the win probability, 0..1.
    """

    judgement: Judgement
    missed_win: Line
    missed_defences: Line
    exact: bool
    allowed_loss: bool
    cost: float


def best_move(position: "Position", engine: Engine, limits: Limits) -> SearchResult:
    """Return what the search finds, or a win by continuous fours that it did not come to.

    Raises as Engine.search does.
    """
    found = engine.search(position, limits)
    win = None if found.win_in is not None and found.win_in > 0 else fours_win(position)
    if not isinstance(win, FoursWin):
        return found
    plies = win.plies
    return replace(found, move=win.line[0], line=win.line, value=WIN - plies, win_in=plies)


def why_not(
    position: "Position",
    move: Point,
    engine: Engine,
    limits: Limits,
    best: SearchResult | None = None,
    reply: SearchResult | None = None,
) -> Judgement:
    """Return what speaks against a move in this position, which is unchanged.

    limits: of each search, of which there are two: the position's, and that after the move.
    best, reply: what best_move and the search gave for them, if they were asked before. Raises
    LimitError if the position has other rules than the engine.
    """
    mover = position.side
    illegal = position.why_illegal(*move)
    foul = illegal is not None and position.is_empty(*move) and not position.over
    if best is None and not position.over and (illegal is None or foul):
        best = best_move(position, engine, limits)
    if illegal is not None:
        verdict = "forbidden" if foul else "illegal"
        return Judgement(move, mover, verdict, illegal, None, (), None, None, best)
    after = position.copy()
    after.play(*move)
    if after.over:
        return _ended(after, move, mover, best)
    win = fours_win(after)
    if isinstance(win, FoursWin):
        plies = win.plies + 1
        return Judgement(move, mover, "loses", None, win, win.line, plies - WIN, -plies, best)
    if reply is None:
        reply = engine.search(after, limits)
    value = _before(-reply.value)
    win_in = None if reply.win_in is None else _counted_before(-reply.win_in)
    verdict = _verdict(move, value, win_in, best)
    return Judgement(move, mover, verdict, None, None, reply.line, value, win_in, best)


def _ended(after: "Position", move: Point, mover: Colour, best: SearchResult | None) -> Judgement:
    """The judgement of a move that ends the game."""
    if after.result.winner is mover:
        return Judgement(move, mover, "wins", None, None, (), WIN - 1, 1, best)
    return Judgement(move, mover, "draws", None, None, (), 0, None, best)


def _before(value: int) -> int:
    """A proven value one ply earlier, as the distance grows."""
    return value - (value > PROVEN) + (value < -PROVEN)


def _counted_before(win_in: int) -> int:
    return win_in + (1 if win_in > 0 else -1)


def _verdict(move: Point, value: int, win_in: int | None, best: SearchResult | None) -> str:
    if win_in is not None:
        return "wins" if win_in > 0 else "loses"
    if best is None:
        return "best"
    if best.win_in is not None and best.win_in > 0:
        return "lets a win slip" if move != best.move else "best"
    if move == best.move:
        return "best"
    cost = win_probability(best.value) - win_probability(value)
    return "as good" if cost < ABOUT_EQUAL else "worse"


def given_away(
    position: "Position",
    move: Point,
    engine: Engine,
    limits: Limits,
    best: SearchResult | None = None,
    reply: SearchResult | None = None,
) -> GivenAway:
    """Return what a move gave away that was played in this position, which is unchanged.

    Arguments as for why_not. Raises PositionError if the move cannot have been played: outside,
    occupied, or the game was over.
    """
    judged = why_not(position, move, engine, limits, best, reply)
    if judged.verdict == "illegal" or judged.best is None:
        raise PositionError(f"{move[0]},{move[1]} cannot have been played there")
    won, lost = (judged.best.win_in or 0) > 0, (judged.best.win_in or 0) < 0
    missed: Line = ()
    exact = True
    if judged.reply is not None:
        defence = explain(position).defence
        if defence is not None and defence.moves:
            missed, exact = defence.moves, defence.exact
    return GivenAway(
        judged,
        judged.best.line if won and judged.verdict != "wins" else (),
        missed,
        exact,
        judged.verdict in ("loses", "forbidden") and not lost,
        judged.cost,
    )
