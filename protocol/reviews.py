"""A game reviewed: what was found at each position, what that says of each move, and accuracy.

Only data and what follows from it; `reviewing` does the looking. `docs/report.md` tells the
thresholds and formulas to people.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final, Literal

from shisan.engine import Colour, Line, Point, Position, PositionError, Result, Rules

from .games import GameError, GameRecord, Replay, move_place

Mark = Literal["", "inaccuracy", "mistake", "blunder"]
"""What a move is called by the win probability that it lost."""

INACCURACY: Final = 0.05
MISTAKE: Final = 0.10
BLUNDER: Final = 0.20
"""Win probability lost, from which on a move is called so."""

ONLY: Final = 0.20
"""How far the best move must be ahead of all others to be the only one."""

LEADS: Final = 0.60
"""A side leads from this win probability on, until the other one does."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How positions were looked at: the limits of each, and how many lines were asked for.

    turn_ms, nodes, depth: as in Limits, for a position with all its lines; None: no such limit.
    """

    turn_ms: int | None = 1000
    nodes: int | None = None
    depth: int | None = None
    lines: int = 3


@dataclass(frozen=True, slots=True)
class Found:
    """What was found at a position.

    lines: the best moves, best first. played: the line of the move that was played, worth what the
    position after it was found to be worth; None where none was played, or a pass.
    remarks: sentences for people on what the position shows.
    nodes: positions of the search and its solver; time_ms: for all of it.
    """

    lines: tuple[Line, ...]
    played: Line | None
    remarks: tuple[str, ...] = ()
    nodes: int = 0
    time_ms: int = 0

    @property
    def all_lines(self) -> tuple[Line, ...]:
        """The lines, and that of the move that was played if it is none of them; best first."""
        if self.played is None or any(line.move == self.played.move for line in self.lines):
            return self.lines
        return best_first([*self.lines, self.played])

    @property
    def best(self) -> Line:
        """The best move known, be it the one that was played."""
        return self.all_lines[0]


def best_first(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines by their value; those of the same value as they were."""
    return tuple(sorted(lines, key=lambda line: -line.value))


@dataclass(frozen=True, slots=True)
class Moment:
    """A position of a game.

    ply: moves before it. side: to move. move: what was played; None: a pass, or nothing more.
    result: how the game stands. forbidden: the points forbidden for Black, with their kinds, in
    order. forced: the one point where the side to move can stop a five of the opponent, if it has
    none of its own; else None. found: None: not looked at.
    """

    ply: int
    side: Colour
    move: Point | None
    result: Result
    forbidden: tuple[tuple[Point, str], ...]
    forced: Point | None
    found: Found | None = None

    @property
    def foul(self) -> str:
        """The kind of the forbidden point that was played, or ""."""
        return dict(self.forbidden).get(self.move, "") if self.move and not self.side else ""

    @property
    def chance(self) -> float | None:
        """The side to move's win probability, 0..1; None: not known."""
        if self.result.over:
            winner = self.result.winner
            return 0.5 if winner is None else float(winner == self.side)
        return self.found.best.win_probability if self.found else None

    @property
    def black_chance(self) -> float | None:
        """Black's win probability, 0..1; None: not known."""
        chance = self.chance
        return 1 - chance if chance is not None and self.side else chance


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a move was worth.

    mark: by loss. loss: of win probability, best move minus played one, 0..1. missed_win: the
    best move was proven to win, the played one is not. allowed_loss: the played move is proven to
    lose, the best one is not. only: it was played, and all others were far worse. forced: it
    stopped a five on the one point where that could be done. lost: nothing could be lost any
    more, every move being proven to lose. foul: the kind of the forbidden point, or "".
    """

    mark: Mark
    loss: float
    missed_win: bool
    allowed_loss: bool
    only: bool
    forced: bool
    lost: bool
    foul: str

    @property
    def counts(self) -> bool:
        """Whether there was something to choose, so that accuracy counts the move."""
        return not (self.forced or self.lost)

    @property
    def accuracy(self) -> float:
        """0..100, after lichess.org/page/accuracy: 100 for no loss, 64 for 0.1, 40 for 0.2."""
        return min(100.0, max(0.0, 103.1668 * exp(-4.354 * self.loss) - 3.1669))


def judge(moment: Moment) -> Verdict | None:
    """What the move played at a moment was worth; None: none was played, or it is not known.

    A win thrown away and a loss walked into are inaccuracies at least, whatever they cost.
    """
    found = moment.found
    if found is None or found.played is None:
        return None
    best, played = found.best, found.played
    loss = max(0.0, best.win_probability - played.win_probability)
    missed = _wins(best) and not _wins(played)
    allowed = _loses(played) and not _loses(best)
    others = [line for line in found.lines if line.move != played.move]
    second = max((line.win_probability for line in others), default=None)
    good = loss < INACCURACY and not _loses(best)
    only = good and second is not None and played.win_probability - second >= ONLY
    mark = _mark(loss)
    return Verdict(
        mark="inaccuracy" if not mark and (missed or allowed) else mark,
        loss=loss,
        missed_win=missed,
        allowed_loss=allowed,
        only=only and moment.forced is None,
        forced=moment.forced is not None and moment.move == moment.forced,
        lost=_loses(best),
        foul=moment.foul,
    )


def _wins(line: Line) -> bool:
    return line.win_in is not None and line.win_in > 0


def _loses(line: Line) -> bool:
    return line.win_in is not None and line.win_in < 0


def _mark(loss: float) -> Mark:
    if loss >= BLUNDER:
        return "blunder"
    if loss >= MISTAKE:
        return "mistake"
    return "inaccuracy" if loss >= INACCURACY else ""


@dataclass(frozen=True, slots=True)
class Course:
    """A line of the game, position by position.

    branch: 0 the main line, k the k-th branch of the record. moments: of its own moves and of the
    position after the last of them, in order; a branch begins where it leaves its parent.
    """

    branch: int
    moments: tuple[Moment, ...]

    @property
    def start(self) -> int:
        """Moves before the first moment."""
        return self.moments[0].ply

    @property
    def end(self) -> Moment:
        """The position after the last move."""
        return self.moments[-1]


@dataclass(frozen=True, slots=True)
class Tally:
    """One side's moves in a line. accuracy: 0..100; None: no move of it counts.

    moves: those that accuracy counts. lost: win probability given away in all of them together.
    """

    accuracy: float | None
    moves: int
    inaccuracies: int
    mistakes: int
    blunders: int
    missed_wins: int
    allowed_losses: int
    lost: float


@dataclass(frozen=True, slots=True)
class Review:
    """A game with what was found in it.

    rules: those it was reviewed under, with its board. opening: so many first moves are not
    judged. courses: the main line, then branches in the order of the record. engine: what looked.
    """

    game: GameRecord
    rules: Rules
    setting: Setting
    opening: int
    courses: tuple[Course, ...]
    engine: str

    @property
    def main(self) -> Course:
        """The main line."""
        return self.courses[0]

    @property
    def complete(self) -> bool:
        """Whether every position was looked at."""
        return all(
            moment.found or moment.result.over
            for course in self.courses
            for moment in course.moments
        )

    def whole(self, course: Course) -> list[Moment]:
        """The moments of a course from the beginning of the game."""
        if not course.branch:
            return list(course.moments)
        above = parent(self.game, course.branch)
        line = next(each for each in self.courses if each.branch == above)
        before = [moment for moment in self.whole(line) if moment.ply < course.start]
        return [*before, *course.moments]

    def verdict(self, moment: Moment) -> Verdict | None:
        """What the move of a moment was worth; None in the opening too."""
        return None if moment.ply < self.opening else judge(moment)

    def verdicts(self, course: Course) -> list[tuple[Moment, Verdict]]:
        """The judged moves of a line, in order."""
        judged = ((moment, self.verdict(moment)) for moment in course.moments)
        return [(moment, verdict) for moment, verdict in judged if verdict is not None]

    def tally(self, colour: Colour, course: Course | None = None) -> Tally:
        """One side's moves in a line, the main one if none is given."""
        own = [v for m, v in self.verdicts(course or self.main) if m.side == colour]
        counted = [verdict.accuracy for verdict in own if verdict.counts]
        marks = [verdict.mark for verdict in own]
        return Tally(
            sum(counted) / len(counted) if counted else None,
            len(counted),
            marks.count("inaccuracy"),
            marks.count("mistake"),
            marks.count("blunder"),
            sum(verdict.missed_win for verdict in own),
            sum(verdict.allowed_loss for verdict in own),
            sum(verdict.loss for verdict in own),
        )


# --- the course of a game ------------------------------------------------------------------------


def courses(
    game: GameRecord, rules: Rules, branches: Collection[int] | None = ()
) -> tuple[Course, ...]:
    """The positions of the main line and of some branches, not looked at.

    branches: their numbers from 1, None: all; those that they leave come with them. Raises
    GameError for an illegal move or set-up, or a branch that is none.
    """
    chosen = _with_parents(game, branches)
    try:
        replay = Replay(game, rules)
    except PositionError as bad:
        raise GameError(game.source, f"set-up: {bad}", "set-up") from None
    starts = {0: 0, **{number: game.branches[number - 1].ply for number in chosen}}
    return tuple(_course(game, replay, number, start) for number, start in starts.items())


def _with_parents(game: GameRecord, branches: Collection[int] | None) -> list[int]:
    """The numbers of these branches and of those that they leave, in order."""
    if branches is None:
        return list(range(1, len(game.branches) + 1))
    chosen: set[int] = set()
    for number in branches:
        if not 1 <= number <= len(game.branches):
            problem = f"there is no branch {number}, only {len(game.branches)}"
            raise GameError(game.source, problem, "branch", str(number))
        while number:
            chosen.add(number)
            number = parent(game, number)
    return sorted(chosen)


def parent(game: GameRecord, branch: int) -> int:
    """The line that has the last move before a branch: the main line, 0, or another branch."""
    ply = game.branches[branch - 1].ply
    found = game.branches[branch - 1].parent
    while found and ply <= game.branches[found - 1].ply:
        found = game.branches[found - 1].parent
    return found


def _course(game: GameRecord, replay: Replay, number: int, start: int) -> Course:
    line = game.line(number)
    moments = []
    for ply in range(start, len(line) + 1):
        failed, problem = replay.go(line[:ply])
        if problem:
            where = move_place(number, failed, line[failed])
            name = replay.position.rules.name
            problem = f"{where} under {name}: {problem}"
            raise GameError(game.source, problem, f"move {failed + 1}")
        move = line[ply] if ply < len(line) else None
        moments.append(_moment(replay.position, ply, move))
    return Course(number, tuple(moments))


def _moment(position: Position, ply: int, move: Point | None) -> Moment:
    quiet = position.over or position.maps(position.side)["five"]
    answers = [] if quiet else stops(position)
    return Moment(
        ply,
        position.side,
        move,
        position.result,
        tuple(sorted(position.forbidden_points().items())) if not position.over else (),
        answers[0] if len(answers) == 1 else None,
    )


def stops(position: Position) -> list[Point]:
    """The legal points after which the opponent has no five any more; [] if he has none now.

    The position is unchanged.
    """
    other = position.side.other
    if not position.maps(other)["five"]:
        return []
    found = []
    for x, y in position.legal_points():
        position.play(x, y)
        if not position.maps(other)["five"]:
            found.append((x, y))
        position.undo()
    return found


def with_found(course: Course, found: Sequence[Found | None]) -> Course:
    """The course with what was found at its moments."""
    pairs = zip(course.moments, found, strict=True)
    return replace(course, moments=tuple(replace(moment, found=each) for moment, each in pairs))


# --- what a course tells -------------------------------------------------------------------------


def turning_points(review: Review, course: Course | None = None) -> list[Moment]:
    """The moments whose move let the other side take the lead, or turned a proven result.

    A side leads from LEADS on; it keeps the lead until the other side has it. What turns a proven
    result is a blunder that missed a win or allowed a loss.
    """
    course = course or review.main
    moments = course.moments
    leader: Colour | None = None
    found = [
        moment
        for moment, verdict in review.verdicts(course)
        if verdict.mark == "blunder" and (verdict.missed_win or verdict.allowed_loss)
    ]
    for before, after in zip((None, *moments), moments, strict=False):
        ahead = _ahead(after)
        if ahead is not None and ahead != leader:
            if leader is not None and before is not None and before.ply >= review.opening:
                found.append(before)
            leader = ahead
    return sorted(set(found), key=lambda moment: moment.ply)


def _ahead(moment: Moment) -> Colour | None:
    chance = moment.black_chance
    if chance is None:
        return None
    if chance >= LEADS:
        return Colour.BLACK
    return Colour.WHITE if 1 - chance >= LEADS else None


def decided(course: Course) -> tuple[Moment, Colour] | None:
    """From which moment on one side's win was proven, to the end; None: not at the end."""
    first: tuple[Moment, Colour] | None = None
    for moment in reversed(course.moments):
        winner = _proven(moment)
        if winner is None or (first is not None and winner != first[1]):
            break
        first = (moment, winner)
    return first


def _proven(moment: Moment) -> Colour | None:
    if moment.result.over:
        return moment.result.winner
    if moment.found is None or moment.found.best.win_in is None:
        return None
    return moment.side if moment.found.best.win_in > 0 else moment.side.other


def losing_move(review: Review, course: Course | None = None) -> Moment | None:
    """The last move by which the side that is proven to lose gave away INACCURACY or more.

    None: it gave nothing away, or no win is proven.
    """
    course = course or review.main
    end = decided(course)
    if end is None:
        return None
    judged = reversed(review.verdicts(course))
    own = (m for m, v in judged if m.side != end[1] and v.loss >= INACCURACY)
    return next(own, None)
