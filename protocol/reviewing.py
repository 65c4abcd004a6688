"""Looks at every position of a game: best lines, the move that was played, proofs carried back.

From the end to the beginning. What was found behind a move is then still in the tables when the
position before it is searched, which sees deeper for it, and is carried back: the move that was
played is worth what the position after it was found to be worth. Before a move is called bad, the
one that would have been better is looked at in the same way, from the position after it.
"""

from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import replace
from time import monotonic
from typing import Final

from shisan.engine import (
    Analysis,
    Colour,
    Engine,
    Limits,
    Line,
    Point,
    Position,
    Rules,
    solve_vcf,
    win_probability,
)

from .about import VERSION
from .games import GameError, GameRecord, Moves
from .remarks import opening_length, remarks
from .reviews import (
    INACCURACY,
    Course,
    Found,
    Moment,
    Review,
    Setting,
    best_first,
    courses,
    stops,
    with_found,
)
from .summaries import WIN

FOURS: Final = 100_000
"""Fours that are tried to find a win by continuous fours which the search did not come to."""

TRIES: Final = 2
"""So many better moves are looked at again before a move is called bad, the best one each time."""

ENDING: Final = 10_000
"""Nodes of each search that fills up a proven line which the tables cut off."""

Remarks = Callable[[Position, Moment, Found], tuple[str, ...]]
"""What is to be said of a position, in sentences; it must leave the position as it is."""


class Reviewer:
    """Looks at a game position by position; what is done can be had at any time.

    game, rules: rules None: those the file tells. setting: limits of each position. branches:
    numbers of the branches to look at beside the main line, from 1; None: all. opening: so many
    first moves are not judged; None: the three of a named opening under forbidden moves, else
    none. engine: for these rules on this board; None: one of its own. remark: what to say.
    known: a review of the same game, rules and branches, of which what is done is taken over.
    Raises GameError for an illegal move, a branch that is none, or where nobody tells the rules.
    """

    def __init__(
        self,
        game: GameRecord,
        rules: Rules | None = None,
        setting: Setting | None = None,
        *,
        branches: Collection[int] | None = (),
        opening: int | None = None,
        engine: Engine | None = None,
        remark: Remarks = remarks,
        known: Review | None = None,
    ) -> None:
        told = rules or game.rules
        if told is None:
            raise GameError(game.source, "the file tells no rules: say which ones", "rules")
        self._game = game
        self._rules = game.sized(told)
        self._setting = setting or Setting()
        self._opening = opening_length(game, self._rules) if opening is None else opening
        self._courses = courses(game, self._rules, branches)
        self._found: list[list[Found | None]] = [
            [None] * len(course.moments) for course in self._courses
        ]
        self._seen: dict[Moves, Found] = {}
        self._engine = engine or Engine(self._rules)
        self._remark = remark
        if known is not None:
            self._take_over(known)

    @property
    def total(self) -> int:
        """How many positions there are to look at."""
        return sum(not moment.result.over for _, moment in self._moments())

    @property
    def done(self) -> int:
        """How many of them have been looked at."""
        return sum(found is not None for each in self._found for found in each)

    @property
    def review(self) -> Review:
        """The game with what has been found so far."""
        pairs = zip(self._courses, self._found, strict=True)
        return Review(
            self._game,
            self._rules,
            self._setting,
            self._opening,
            tuple(with_found(course, found) for course, found in pairs),
            f"Shisan {VERSION}",
        )

    def work(self) -> Generator[Moment, None, None]:
        """Look at what has not been looked at; yields each moment when it is done.

        The main line comes first, each line from its end. Closing the iterator, or an exception
        such as KeyboardInterrupt in it, ends the search that is running; what is done stays.
        """
        self._engine.clear()
        for number, course in enumerate(self._courses):
            for at in reversed(range(len(course.moments))):
                moment = course.moments[at]
                if moment.result.over or self._found[number][at] is not None:
                    continue
                self._found[number][at] = self._look(number, at)
                self._tell_forward(number, at)
                yield replace(moment, found=self._found[number][at])

    def _moments(self) -> Iterator[tuple[int, Moment]]:
        for number, course in enumerate(self._courses):
            yield from ((number, moment) for moment in course.moments)

    def _take_over(self, known: Review) -> None:
        """Take what another review of the same lines found."""
        same = (known.game.moves, known.game.branches, known.rules, known.setting)
        if same != (self._game.moves, self._game.branches, self._rules, self._setting):
            raise GameError(self._game.source, "this is a review of another game or setting")
        theirs = {course.branch: course for course in known.courses}
        for number, course in enumerate(self._courses):
            if course.branch in theirs:
                self._found[number] = [moment.found for moment in theirs[course.branch].moments]

    def _tell_forward(self, number: int, at: int) -> None:
        """Look again behind a move that proved to win or lose, where that was not seen before.

        The proof is in the tables by now.
        """
        course, found = self._courses[number], self._found[number]
        while at + 1 < len(found):
            here, after = found[at], found[at + 1]
            if here is None or here.played is None or here.played.win_in is None:
                return
            if after is None or after.best.win_in is not None:
                return
            path = self._game.line(course.branch)[: course.moments[at + 1].ply]
            self._seen.pop(path, None)
            looked = self._look(number, at + 1)
            if looked.best.win_in is None:
                return
            found[at + 1] = looked
            found[at] = self._look(number, at)
            at += 1

    # --- one position ----------------------------------------------------------------------------

    def _look(self, number: int, at: int) -> Found:
        """What there is to find at a moment of a course."""
        begun = monotonic()
        course = self._courses[number]
        moment = course.moments[at]
        position = self._game.position(self._rules, moment.ply, course.branch)
        path = self._game.line(course.branch)[: moment.ply]
        known = self._seen.get(path)
        if known is None:
            analysis = self._analyse(position, 3, lines=self._setting.lines)
            lines = self._with_fours(position, analysis)
            lines = [self._whole(position, line) for line in lines]
            known = Found(best_first(lines)[: self._setting.lines], None, (), analysis.nodes)
            self._seen[path] = replace(known, nodes=0)
        found = self._compared(position, course, at, known)
        found = replace(found, remarks=self._remark(position, moment, found))
        return replace(found, time_ms=round((monotonic() - begun) * 1000))

    def _analyse(
        self,
        position: Position,
        quarters: int,
        lines: int = 1,
        depth: int | None = None,
    ) -> Analysis:
        """The best lines within so many quarters of the limits, and no deeper than depth."""
        turn_ms, nodes = (
            None if limit is None else max(1, limit * quarters // 4)
            for limit in (self._setting.turn_ms, self._setting.nodes)
        )
        limits = Limits(turn_ms=turn_ms, nodes=nodes, depth=depth or self._setting.depth)
        *_, last = self._engine.watch(position, limits, lines)
        return last

    def _with_fours(self, position: Position, analysis: Analysis) -> list[Line]:
        """The lines, and before them a win by continuous fours that none of them is."""
        lines = list(analysis.lines)
        if any(line.win_in is not None and line.win_in > 0 for line in lines):
            return lines
        fours = solve_vcf(position, FOURS)
        if not isinstance(fours, tuple):
            return lines
        won = position.copy()
        whole = self._finished(won, fours, position.side)
        if won.result.winner != position.side:
            return lines
        win = _proven(whole, len(whole), analysis.depth)
        return [win, *(line for line in lines if line.move != win.move)]

    def _compared(self, position: Position, course: Course, at: int, known: Found) -> Found:
        """The lines with that of the move that was played, and better moves looked at again."""
        move = course.moments[at].move
        if move is None:
            return known
        played, depth = self._played(course, at, known)
        lines, nodes = [played, *(line for line in known.lines if line.move != move)], known.nodes
        again: set[Point] = {move}
        while len(again) <= TRIES:
            best = best_first(lines)[0]
            loss = best.win_probability - played.win_probability
            if best.move in again or best.win_in is not None or loss < INACCURACY:
                break
            again.add(best.move)
            looked, more = self._again(position, best, depth)
            lines[lines.index(best)], nodes = looked, nodes + more
        kept = [line for line in best_first(lines) if line is not played or _among(known, move)]
        return replace(known, lines=tuple(kept), played=played, nodes=nodes)

    def _played(self, course: Course, at: int, known: Found) -> tuple[Line, int]:
        """The line of the move that was played, and how deep the position after it was searched."""
        moment, after = course.moments[at], course.moments[at + 1]
        assert moment.move is not None
        if after.result.over:
            return _ending(moment, after, known.lines[0].depth), known.lines[0].depth
        found = self._found[self._courses.index(course)][at + 1]
        assert found is not None
        own = next((line for line in known.lines if line.move == moment.move), None)
        if own is not None and own.win_in is not None and found.best.win_in is None:
            return own, found.best.depth
        return _carried(moment.move, found.best), found.best.depth

    def _again(self, position: Position, line: Line, depth: int) -> tuple[Line, int]:
        """A line searched once more from the position after its move, and the nodes spent."""
        after = position.copy()
        after.play(*line.move)
        if after.over:
            return line, 0
        analysis = self._analyse(after, 1, depth=depth)
        return _carried(line.move, self._whole(after, analysis.best)), analysis.nodes

    # --- lines -----------------------------------------------------------------------------------

    def _whole(self, position: Position, line: Line) -> Line:
        """The line up to the five, if it is proven: tables cut such lines off."""
        if line.win_in is None:
            return line
        winner = position.side if line.win_in > 0 else position.side.other
        return replace(line, moves=self._finished(position.copy(), line.moves, winner))

    def _finished(
        self, board: Position, moves: tuple[Point, ...], winner: Colour
    ) -> tuple[Point, ...]:
        """Play moves, and go on until the winner has won; the moves that were played.

        Ends sooner where the loser has no legal answer, or none is found.
        """
        made: list[Point] = []
        waiting = list(moves)
        while not board.over:
            waiting = waiting or self._continuation(board, winner)
            if not waiting or not board.is_legal(*waiting[0]):
                break
            board.play(*waiting[0])
            made.append(waiting.pop(0))
        return tuple(made)

    def _continuation(self, board: Position, winner: Colour) -> list[Point]:
        """How play goes on in a position that the winner is known to win; [] if not found."""
        side = board.side
        fives = sorted(board.maps(side)["five"])
        if fives:
            return fives[:1]
        if side != winner:
            threats = sorted(board.maps(winner)["five"])
            if threats:
                answers = stops(board) or [point for point in threats if board.is_legal(*point)]
                return answers[:1]
            return [self._engine.search(board, Limits(nodes=ENDING)).move]
        fours = solve_vcf(board, ENDING)
        if isinstance(fours, tuple):
            return list(fours)
        found = self._engine.search(board, Limits(nodes=ENDING))
        return list(found.line) if (found.win_in or 0) > 0 else []


def _proven(moves: tuple[Point, ...], win_in: int, depth: int) -> Line:
    """A line that is proven to win, or to lose if win_in is negative."""
    value = WIN - win_in if win_in > 0 else -WIN - win_in
    return Line(moves[0], value, win_probability(value), win_in, depth, moves)


def _carried(move: Point, after: Line) -> Line:
    """The line of a move, given the opponent's best line after it."""
    moves, depth = (move, *after.moves), after.depth + 1
    if after.win_in is None:
        value = -after.value
        return Line(move, value, win_probability(value), None, depth, moves)
    return _proven(moves, -after.win_in - 1 if after.win_in > 0 else 1 - after.win_in, depth)


def _among(found: Found, move: Point) -> bool:
    """Whether a move is one of the best lines."""
    return any(line.move == move for line in found.lines)


def _ending(moment: Moment, after: Moment, depth: int) -> Line:
    """The line of a move that ended the game; a foul counts as lost in one ply."""
    assert moment.move is not None
    winner = after.result.winner
    if winner is None:
        return Line(moment.move, 0, 0.5, None, depth, (moment.move,))
    return _proven((moment.move,), 1 if winner == moment.side else -1, depth)


def review(
    game: GameRecord,
    rules: Rules | None = None,
    setting: Setting | None = None,
    *,
    branches: Collection[int] | None = (),
    opening: int | None = None,
    on_progress: Callable[[int, int, Moment], None] | None = None,
) -> Review:
    """Look at a whole game. on_progress: told how many of how many positions are done.

    The other arguments and errors are those of Reviewer.
    """
    reviewer = Reviewer(game, rules, setting, branches=branches, opening=opening)
    for done, moment in enumerate(reviewer.work(), 1):
        if on_progress is not None:
            on_progress(done, reviewer.total, moment)
    return reviewer.review
