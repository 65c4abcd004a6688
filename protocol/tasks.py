"""What the searching thread does for a Search: plain searches, several lines, moves one by one.

Everything here keeps the limits of the one search it is, ends when it is told to, and always comes
to a legal move that is not excluded.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from random import Random
from time import perf_counter as monotonic  # the engine's clock
from typing import Final, NamedTuple

from shisan.engine import (
    MAX_SIDE,
    MAX_STRENGTH,
    Analysis,
    Engine,
    Limits,
    Line,
    Point,
    Position,
    SearchResult,
    win_probability,
)

from . import swap2
from .consulting import Database
from .details import News, Trial
from .effects import Search

WIN_AT_ONCE: Final = 29_999
"""The value of a move that makes a five, as the engine counts."""

SHARE: Final = 25
"""Of the time left for a game, a task that is no plain move takes one part in so many."""

LAST_DEPTH: Final = 12
"""Plies: deeper, the value of a move that is to be balanced hardly changes."""

MAX_DEPTH: Final = 125

SAFE_DEPTH: Final = 4
"""Plies of the plain search that comes first, whose move is the answer if there is no more time."""

KEPT: Final = 4
"""How many candidates of a balance stay to the end."""

PAIRS: Final = 300
"""How many pairs of moves are looked at before the best of them are searched deeper."""

NEAR: Final = 3
"""Points so near to another stone may belong to a pair; before the third stone any may."""

FOURTHS: Final = 8
"""How many fourth moves of a Soosorv opening are looked at with all that may follow."""

FIFTHS_DEPTH: Final = 4

Report = Callable[[News | None], None]
Stopped = Callable[[], bool]


class Outcome(NamedTuple):
    """What came of a Search, as Session.finish takes it.

    result: None if nothing was searched. whole: whether it is worth to be kept in a database.
    """

    result: SearchResult | None
    lines: tuple[Line, ...] = ()
    said: tuple[str, ...] = ()
    whole: bool = False


def perform(
    engine: Engine,
    job: Search,
    report: Report,
    stopped: Stopped,
    database: Database | None = None,
    tell: Callable[[str], object] = str,
) -> Outcome:
    """Do what a Search asks for.

    report: called from this thread with what is known, or None when there is no news; it calls
    engine.stop once more if the search is to end. stopped: whether it is. database: what is asked
    before a plain search; tell: takes what it has to say.
    """
    kind = job.task.kind
    if kind == "hash":
        from .hashfile import use_table

        return Outcome(None, said=tuple(use_table(engine, job.task)))
    if kind == "lines" and job.task.number > 1:
        found = _Trials(engine, job, report, stopped).best(job.task.number, job.task.merge)
        return Outcome(_result(found.lines[0], found), found.lines)
    if kind == "defend":
        return _Trials(engine, job, report, stopped).defend()
    if kind in ("balance one", "balance two"):
        return _Trials(engine, job, report, stopped).balance()
    if kind == "soosorv":
        return _Trials(engine, job, report, stopped).soosorv()
    limits = Limits(turn_ms=0) if stopped() else job.limits

    def search(limits: Limits, avoid: Collection[Point]) -> SearchResult:
        return engine.search(job.position, limits, job.started, report, avoid)

    if database is None or kind not in ("move", "lines"):
        return Outcome(search(limits, job.avoid))
    result, whole = database.guide(job.position, search, limits, job.avoid, stopped, tell)
    return Outcome(result, whole=whole)


def perform_plain(
    search: Callable[..., SearchResult], job: Search, report: Report, stopped: Stopped
) -> Outcome:
    """Do a Search with anything that can search as Engine does: a plain search, whatever is asked.

    search: takes the position, limits, when the request was read, what to call meanwhile, and the
    points to avoid. What is no search for one move is only answered in words.
    """
    kind, number, verb, *_ = job.task
    if kind == "hash":
        return Outcome(None, said=(f"MESSAGE {verb}: there is no table",))
    if kind == "soosorv":
        return Outcome(None, said=(f"MESSAGE yxsoosorvstep{number}: this brain only finds moves",))
    limits = Limits(turn_ms=0) if stopped() else job.limits
    return Outcome(search(job.position, limits, job.started, report, job.avoid))


def out_of_time(job: Search, limits: Limits) -> bool:
    """Whether a task of many searches has used up the time that it was given since it began.

    A plain search, and an analysis, hear of new limits themselves.
    """
    if job.task.kind not in ("defend", "balance one", "balance two", "soosorv"):
        return False
    turn_ms = _turn_ms(limits)
    return turn_ms is not None and (monotonic() - job.started) * 1000 >= turn_ms


def keep(database: Database, job: Search, found: Outcome) -> None:
    """Let a database take note of a result, unless something was held back."""
    plain = job.strength == MAX_STRENGTH and not job.variety[0] and not job.avoid
    if plain and found.whole and found.result is not None:
        database.found(job.position, found.result, job.read_only)


def images(position: Position, excluded: Collection[Point]) -> set[Point]:
    """The empty points that are images, in a symmetry of the position, of one that is kept.

    The first in reading order is kept, of those that are not excluded.
    """
    from .openings import symmetries, turned

    rules = position.rules
    stones, walls = set(position.stones), set(position.walls)
    kept = []
    for k in symmetries(rules):
        places = turned(((x, y) for x, y, _ in position.stones), k, rules)
        moved = {(*p, c) for p, (_, _, c) in zip(places, position.stones, strict=True)}
        if moved == stones and set(turned(walls, k, rules)) == walls:
            kept.append(k)
    found: set[Point] = set()
    for point in _empty(position):
        if point in found or point in excluded:
            continue
        found.update(turned([point], k, rules)[0] for k in kept)
        found.discard(point)
        # what was kept before is no image of this one: images of images are images
    return found - set(excluded)


def _empty(position: Position) -> Iterable[Point]:
    rules = position.rules
    points = ((x, y) for y in range(rules.height) for x in range(rules.width))
    return (point for point in points if position.is_empty(*point))


class _Trials:
    """One search made of many small ones; what they have used, and when they are to end."""

    def __init__(self, engine: Engine, job: Search, report: Report, stopped: Stopped) -> None:
        self._engine = engine
        self._job = job
        self._report = report
        self._stopped = stopped
        self._avoid = set(job.avoid)
        self._nodes = 0
        self._turn_ms = _turn_ms(job.limits)

    # -- the small searches ----------------------------------------------------------------------

    def _limits(self, depth: int) -> Limits:
        """What is left for one more search."""
        nodes = self._job.limits.nodes
        return Limits(
            turn_ms=0 if self._stopped() else self._turn_ms,
            nodes=None if nodes is None else max(1, nodes - self._nodes),
            depth=min(depth, self._job.limits.depth or MAX_DEPTH),
        )

    def _spent(self) -> bool:
        """Whether no further search may begin."""
        nodes = self._job.limits.nodes
        return (
            self._stopped()
            or (nodes is not None and self._nodes >= nodes)
            or (self._turn_ms is not None and self._used_ms() >= self._turn_ms)
        )

    def _used_ms(self) -> int:
        return max(0, int((monotonic() - self._job.started) * 1000))

    def _safe(self) -> SearchResult:
        """A plain search, short, whose move is safe to play: the first of all."""
        limits = self._limits(SAFE_DEPTH)
        found = self._engine.search(
            self._job.position, limits, self._job.started, self._report, self._job.avoid
        )
        self._nodes += found.nodes
        return found

    def _try(self, moves: tuple[Point, ...], depth: int) -> Line | None:
        """The line that begins with these legal moves, searched to a depth; None: no time left.

        Its value is from the view of the side to move before them.
        """
        if self._spent():
            return None
        place = self._job.position.copy()
        for move in moves:
            place.play(*move)
        plies, sign = len(moves), -1 if len(moves) % 2 else 1
        if place.over:
            value = 0 if place.result.winner is None else -sign * (WIN_AT_ONCE - plies + 1)
            win_in = -sign * plies if value else None
            return Line(moves[0], value, win_probability(value), win_in, depth, moves)
        found = self._engine.search(
            place, self._limits(depth), self._job.started, lambda _: self._report(None)
        )
        self._nodes += found.nodes
        value, win_in = found.value, found.win_in
        if win_in is None:
            if found.depth < min(depth, self._job.limits.depth or depth) and self._spent():
                return None
        else:
            farther = plies if win_in > 0 else -plies
            value, win_in = value - farther, sign * (win_in + farther)
        value *= sign
        chance = win_probability(value)
        return Line(moves[0], value, chance, win_in, depth, (*moves, *found.line))

    def _rounds(
        self,
        candidates: Sequence[tuple[Point, ...]],
        worth: Callable[[Line], int],
        kept: Callable[[int], int],
        last_depth: int,
        part: float = 0.0,
        enough: int = 0,
    ) -> list[Line]:
        """Search the candidates a ply deeper in each round, and go on with the kept(n) best.

        What the last round found, the best first, then the rest of the round before it. A round
        that was cut short counts if a part of the candidates was searched, as much as `part`
        says; the first round only if all were, or so many as `enough` says. Empty: they were not.
        """
        known: list[Line] = []
        plies = len(candidates[0]) if candidates else 0
        for depth in range(1, min(last_depth, self._job.limits.depth or last_depth) + 1):
            found: list[Line] = []
            for moves in candidates:
                self._report(Trial(moves[0], ended=False))
                line = self._try(moves, depth)
                lost = line is not None and (line.win_in or 0) < 0
                self._report(Trial(moves[0], ended=True, lost=lost))
                if line is None:
                    break
                found.append(line)
            whole = len(found) == len(candidates)
            if not known and len(found) < (enough or len(candidates)):
                return []
            if known and len(found) < part * len(candidates):
                break
            found.sort(key=worth, reverse=True)
            moved = {line.moves[:plies] for line in found}
            known = found + [line for line in known if line.moves[:plies] not in moved]
            if not whole or all(line.win_in is not None for line in known):
                break
            known = known[: kept(len(known))]
            self._report(self._analysis(known))
            candidates = [line.moves[:plies] for line in known]
        return known

    def _analysis(self, lines: Iterable[Line]) -> Analysis:
        return Analysis(tuple(lines), self._nodes, self._used_ms())

    # -- what is asked for -----------------------------------------------------------------------

    def best(self, wanted: int, merge: bool, position: Position | None = None) -> Analysis:
        """The best moves, each with its line."""
        place = self._job.position if position is None else position
        avoid = set(self._avoid) if position is None else set()
        if merge:
            avoid |= images(place, avoid)
        limits = self._limits(self._job.limits.depth or MAX_DEPTH)
        found = self._engine.analyse(
            place, limits, wanted, self._report, avoid, started=self._job.started
        )
        self._nodes += found.nodes
        return found

    def _legal(self) -> list[Point]:
        """The moves there are, those near the stones first."""
        position = self._job.position
        legal = [point for point in position.legal_points() if point not in self._avoid]
        far = _distances(position)
        return sorted(legal, key=lambda point: far[point])

    def defend(self) -> Outcome:
        """Every legal move with its value, and the best of them as the answer."""
        safe = self._safe()
        found = self._rounds(_alone(self._legal()), lambda line: line.value, int, MAX_DEPTH)
        if not found:
            return Outcome(safe)
        return Outcome(_result(found[0], self._analysis(found)), tuple(found))

    def balance(self) -> Outcome:
        """The move, or the two, after which the value is closest to what was asked for."""
        target, two = self._job.task.number, self._job.task.kind == "balance two"
        safe = self._safe()
        candidates = self._pairs() if two else _alone(() if self._spent() else self._legal())
        found = self._rounds(
            candidates,
            lambda line: -abs(line.value - target),
            lambda count: max(KEPT, count // 2),
            LAST_DEPTH,
            part=0.5,
            enough=1,
        )
        if found:
            return Outcome(_result(found[0], self._analysis(found)))
        points = candidates[0] if two and candidates else (safe.move,)
        return Outcome(replace(safe, move=points[0], line=points))

    def _pairs(self) -> list[tuple[Point, ...]]:
        """Pairs of moves that are legal one after the other and do not end the game.

        One at least if there is one; at random, the same in the same position.
        """
        position = self._job.position
        luck = Random(position.key)
        far = _distances(position)
        legal = [point for point in position.legal_points() if point not in self._avoid]
        near = [point for point in legal if far[point] <= NEAR]
        near = near if position.ply > 1 and len(near) > 1 else legal
        found: dict[tuple[Point, ...], None] = {}
        for _ in range(2 * PAIRS if len(near) > 1 else 0):
            first, second = luck.sample(near, 2)
            place = position.copy()
            place.play(*first)
            if not place.over and place.is_legal(*second):
                found[first, second] = None
            if len(found) == PAIRS or (found and self._spent()):
                break
        return list(found)

    # -- Soosorv ---------------------------------------------------------------------------------

    def soosorv(self) -> Outcome:
        """One step of the Soosorv opening; job.task.number is its number."""
        step, fifths = self._job.task.number, self._job.task.fifths
        if step == 2:
            found = self._engine.search(
                self._job.position, self._limits(MAX_DEPTH), self._job.started, self._report
            )
            swap = swap2.choose(3, found)[0] == "SWAP"
            return Outcome(found, said=(f"MESSAGE SOOSORV SWAP1 {'Y' if swap else 'N'}",))
        if step == 3:
            return self._fourth()
        if step == 4:
            analysis = self.best(fifths, merge=True)
            worst = analysis.lines[-1].value  # White leaves Black the worst that he offers
            word = "Y" if worst < 0 else "N"
            result = _result(analysis.lines[0], analysis)
            return Outcome(result, said=(f"MESSAGE SOOSORV SWAP2 {word}",))
        return self._offer(fifths) if step == 5 else self._take_fifth()

    def _fourth(self) -> Outcome:
        """White's fourth move, and how many fifth moves make the game equal after it."""
        safe = self._safe()
        found = self._rounds(
            _alone(self._legal()),
            lambda line: line.value,
            lambda count: max(FOURTHS, count // 3),
            FIFTHS_DEPTH,
        )
        best, number, distance = safe.move, 1, abs(safe.value) + 1
        for line in found[:FOURTHS]:
            if self._spent():
                break
            place = self._job.position.copy()
            place.play(*line.move)
            limits = self._limits(FIFTHS_DEPTH)
            avoid = images(place, ())
            fifths = self._engine.analyse(
                place, limits, 8, lambda _: self._report(None), avoid, started=self._job.started
            )
            self._nodes += fifths.nodes
            for i, fifth in enumerate(fifths.lines):
                if abs(fifth.value) < distance:
                    best, number, distance = line.move, i + 1, abs(fifth.value)
        x, y = best
        result = replace(safe, move=best, line=(best,), nodes=self._nodes)
        return Outcome(result, said=(f"MESSAGE SOOSORV MOVE4 {x} {y} {number}",))

    def _offer(self, fifths: int) -> Outcome:
        """Black's best fifth moves, none the image of another."""
        analysis = self.best(fifths, merge=True)
        offered = [line.move for line in analysis.lines]
        twice = images(self._job.position, ())
        rest = (p for p in self._legal() if p not in twice and p not in offered)
        while len(offered) < fifths and (point := next(rest, None)) is not None:
            offered.append(point)
        said = ["REFRESH", *(f"{x} {y}" for x, y in offered), "DONE"]
        lines = tuple(f"MESSAGE SOOSORV MOVE5 {text}" for text in said)
        return Outcome(_result(analysis.lines[0], analysis), said=lines)

    def _take_fifth(self) -> Outcome:
        """The fifth move, of those offered, that is worst for Black."""
        points = dict.fromkeys(self._job.task.points[4:])
        offered = _alone(point for point in points if self._job.position.is_legal(*point))
        safe = self._safe()
        found = self._rounds(offered, lambda line: -line.value, int, LAST_DEPTH)
        x, y = found[0].move if found else self._job.task.points[4]
        result = _result(found[0], self._analysis(found)) if found else safe
        return Outcome(result, said=(f"MESSAGE SOOSORV MOVE5C {x} {y}",))


def _turn_ms(limits: Limits) -> int | None:
    """The time of a task of many searches, in ms since it was asked for; None: no limit."""
    turns = [] if limits.turn_ms is None else [limits.turn_ms]
    if limits.left_ms is not None:
        turns.append(max(0, limits.left_ms) // SHARE)
    return min(turns, default=None)


def _result(line: Line, known: Analysis) -> SearchResult:
    """A line as what a search has found."""
    return SearchResult(
        move=line.move,
        value=line.value,
        win_in=line.win_in,
        depth=line.depth,
        nodes=known.nodes,
        time_ms=known.time_ms,
        line=line.moves,
        note=known.note,
    )


def _alone(points: Iterable[Point]) -> list[tuple[Point, ...]]:
    """Each point as a candidate of its own."""
    return [(point,) for point in points]


def _distances(position: Position) -> dict[Point, int]:
    """From each point to the next stone, or to the middle; diagonal steps count one."""
    rules = position.rules
    stones = [(x, y) for x, y, _ in position.stones] or [(rules.width // 2, rules.height // 2)]
    points = [(x, y) for y in range(rules.height) for x in range(rules.width)]
    far = dict.fromkeys(points, MAX_SIDE)
    for a, b in stones:
        for x, y in points:
            far[x, y] = min(far[x, y], max(abs(x - a), abs(y - b)))
    return far
