"""The claims behind verify: wins the engine announces, replayed by the proof checker.

Each check returns what it counted and what was wrong, in words. The proof checker stands on the
plain reference and shares nothing with the search.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Colour, Engine, Limits, Point, Position, Rules, SearchResult, solve_vcf
from shisan.engine.kernel import load
from shisan.engine.proof import Verdict, check_line, check_win
from shisan.engine.reference import DIRECTIONS, Line, ReferencePosition

from .checks import Tally, read_lines, stones_of
from .plain import BudgetError, PlainSolver, threes

RULES: Final = {
    "freestyle": Rules.freestyle(),
    "standard": Rules.standard(),
    "renju": Rules.renju(),
    "caro": Rules.caro(),
    "caro-exact": Rules.caro(exact=True),
    "renju-exact": replace(Rules.renju(), white_exact=True),
    "renju-closed": replace(Rules.renju(), closed_five=False),
    "freestyle-20": Rules.freestyle(20),
    "standard-7x9": Rules.standard(7, 9),
}
"""The rules under which wins are checked, by the name the command takes."""

SOLVER_NODES: Final = 20_000
REPLAY_NODES: Final = 300_000
PLAIN_NODES: Final = 2_000
STONES: Final = 3
"""So many stones that should not stop a win are tried on each small board that has one."""
MEMORY: Final = 96 << 20


def solve(position: Position, nodes: int | None = None) -> tuple[Line, bool]:
    """Return a winning line of continuous fours, empty if none was found, and if that is sure."""
    found = solve_vcf(position, nodes)
    return (found if isinstance(found, tuple) else ()), found is not False


# vcf: the puzzles


def puzzle(record: dict[str, Any], turned: bool = False) -> Position:
    """Return the position of a puzzle; turned: with the other side to move."""
    rules = replace(RULES[record["rule"]], width=record["size"], height=record["size"])
    side = Colour[record["side"].upper()]
    return Position.set_up(rules, stones_of(record), side.other if turned else side)


def check_puzzle(record: dict[str, Any]) -> Tally:
    """Solve one puzzle by continuous fours, as far as its kind says what must come out."""
    counts: Counter[str] = Counter({record["kind"]: 1})
    faults: list[str] = []
    position = puzzle(record, turned=record["kind"] == "defend")
    line, decided = solve(position)
    if not decided:
        counts[f"{record['kind']}, not decided"] += 1
    elif record["kind"] in ("novcf", "vct") and line:
        faults.append(f"a line where there is none: {line}, {check_line(position, line)}")
    elif record["kind"] in ("vcf", "defend") and not line:
        faults.append("no line where there is one")
    if line:
        faults += line_faults(position, line)
        slower = (len(line) + 2) // 2 - record.get("win_in", 999)  # if it ends with a double
        counts["vcf, longer than need be"] += slower > 0
        if record["kind"] == "vcf" and slower <= 4 and list(line[0]) not in record["answers"]:
            counts["vcf, another first move"] += 1
    if record["kind"] == "defend":
        for point in record["answers"]:
            defended = puzzle(record)
            defended.play(*point)
            after, _decided = solve(defended)
            if after:
                faults.append(f"a line after the defence {point}: {after}")
    return Tally(counts, [f"{record['id']}: {fault}" for fault in faults])


def puzzle_records(data: Path, kinds: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the puzzles of these kinds."""
    files = sorted((data / "puzzles").glob("*.jsonl.gz"))
    records = [record for path in files for record in read_lines(path)]
    return [record for record in records if record["kind"] in kinds]


def line_faults(position: Position, line: tuple[Point, ...]) -> list[str]:
    """Return what is wrong with a line of continuous fours, by the proof checker."""
    verdict = check_line(position, line)
    return [] if verdict else [f"line {line} is no win: {verdict}"]


# wins: announced in positions out of random games


def won_positions(random: Random, rules: Rules) -> Iterator[Position]:
    """Return positions of random games among near points, without end; none is over.

    Stones crowd together, so that about every other one is won by continuous fours.
    """
    while True:
        position = Position(rules)
        target = random.randrange(7, min(60, rules.width * rules.height // 2))
        while not position.over and position.ply < target:
            position.play(*_near(random, position))
        if not position.over:
            yield position


def _near(random: Random, position: Position) -> Point:
    stones = position.stones or ((position.rules.width // 2, position.rules.height // 2, 0),)
    for _ in range(20):
        x, y, _owner = random.choice(stones[-10:])
        dx, dy = random.choice(DIRECTIONS)
        away = random.choice((-2, -1, -1, 1, 1, 2))
        point = (x + away * dx, y + away * dy)
        if position.is_legal(*point):
            return point
    return random.choice(position.legal_points())


def check_lines(name: str, seed: int, count: int) -> Tally:
    """Replay so many lines announced by the solver, the five at hand not among them."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for position in won_positions(Random(seed), RULES[name]):
        if counts[name] == count or faults:
            break
        line, _decided = solve(position, SOLVER_NODES)
        if len(line) < 3:
            continue
        counts[name] += 1
        counts[f"{name}, plies"] += len(line)
        faults += [_said(position, fault) for fault in line_faults(position, line)]
    return Tally(counts, faults)


def check_refuted(name: str, seed: int, count: int) -> Tally:
    """Hold the solver against the plain one on so many small boards.

    Where no four is tried, since it is said that no win is possible, that is counted.
    """
    random = Random(seed)
    counts: Counter[str] = Counter()
    faults: list[str] = []
    while counts[name] < count and not faults:
        sides = (RULES[name].width, RULES[name].height)
        width, height = (min(side, random.randrange(6, 11)) for side in sides)
        rules = replace(RULES[name], width=width, height=height)
        side = Colour(random.randrange(2))
        position = Position.set_up(rules, threes(random, rules), side)
        if position.over or position.maps(side)["five"] or not position.maps(side)["four"]:
            continue
        game = ReferencePosition.set_up(rules, position.stones, side)
        line, _decided = solve(position)
        possible = load("prospects").may_win_by_fours(position)
        try:
            won = PlainSolver(PLAIN_NODES).wins(game)
        except BudgetError:
            counts[f"{name}, not decided"] += 1
            continue
        if won != bool(line) or won > possible:
            faults.append(_said(position, f"won: {won}, possible: {possible}, line {line}"))
        if won:
            kept = defences(position)
            others = [point for point in game.legal_points() if point not in kept]
            for point in random.sample(others, min(STONES, len(others))):
                if not _wins_after(game, point):
                    faults.append(_said(position, f"{point} stops the win, but is no defence"))
        counts[name] += 1
        counts[f"{name}, won"] += won
        counts[f"{name}, refuted without a four tried"] += not possible
    return Tally(counts, faults)


def _wins_after(game: ReferencePosition, point: Point) -> bool:
    """Whether the side to move still wins by fours after a stone of the other side."""
    with game.trial(*point, game.side.other):
        return PlainSolver(PLAIN_NODES).wins(game)


def defences(position: Position) -> set[Point]:
    """Points that may stop the win by fours that the solver finds, as it says."""
    found: set[Point] | None = load("threats").VcfSolver().defences(position)
    assert found is not None
    return found


def check_announced(
    name: str, seed: int, count: int, nodes: int, quiet: int, threads: int = 1
) -> Tally:
    """Replay so many wins announced by the search, each reply met by it or the solver.

    nodes: of each search. quiet: of the wins that are none by continuous fours alone, and take
    long to replay, one in so many is. threads: of the engine.
    """
    engine = Engine(RULES[name], memory=MEMORY, threads=threads)
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for position in won_positions(Random(seed), RULES[name]):
        if counts[name] >= count or faults:
            break
        result = engine.search(position, Limits(nodes=nodes))
        if not result.win_in or result.win_in < 2:
            continue
        kind = "fours" if solve(position, SOLVER_NODES)[0] else "quiet"
        counts[f"{name}, {kind}"] += 1
        if kind == "quiet":
            if (counts[f"{name}, quiet"] - 1) % quiet:
                continue
            counts[f"{name}, quiet, replayed"] += 1
        counts[name] += 1
        verdict = replay(engine, position, result, nodes)
        if verdict.status == "budget":
            counts[f"{name}, replay not finished"] += 1
        elif not verdict:
            faults.append(_said(position, f"{result.move} wins in {result.win_in}: {verdict}"))
        else:
            counts[f"{name}, longer than announced"] += verdict.plies > result.win_in
    return Tally(counts, faults)


def replay(engine: Engine, position: Position, result: SearchResult, nodes: int) -> Verdict:
    """Check an announced win: its move first, then the solver's lines or the engine's moves."""
    root = position.ply

    def fast(game: ReferencePosition) -> Position:
        return Position.set_up(game.rules, game.stones, game.side, game.walls)

    def fours(game: ReferencePosition) -> Line:
        if game.ply == root and not game.five_points(game.side):
            return ()
        return solve(fast(game), SOLVER_NODES)[0]

    def strategy(game: ReferencePosition) -> Point | None:
        if game.ply == root:
            return result.move
        return engine.search(fast(game), Limits(nodes=4 * nodes)).move

    board = position.rules.width * position.rules.height
    return check_win(position, strategy, board, REPLAY_NODES, fours)


def _said(position: Position, fault: str) -> str:
    stones = [(x, y, int(colour)) for x, y, colour in position.stones]
    return f"{fault}; {position.rules}, {position.side.name} to move, stones {stones}"
