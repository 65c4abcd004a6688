"""Try margins of the search against each other, many at once, in games of the engine with itself.

    python -m shisan.scripts.tune FACTORS.json [--games N] [--turn TIME] [--out FILE.jsonl]

A factorial experiment: for each pair of games every factor is drawn anew for both sides, so that
each game says something of every factor in which the sides differ. A logistic regression of the
results on the differences tells the factors apart; the first level of each is what the others are
measured against. Ten factors cost hardly more games than one, but what only pays together
with something else is not seen: what looks good is then played for, by `shisan match --sprt`.

FACTORS.json: {"factor": [{}, {"futility": 80}, {"futility": 45, "futility_depth": 9}], ...}; the
margins and their defaults are in engine/margins.pyx. Games are written to the journal as they end;
the same command goes on where it was stopped.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from shisan.engine import Colour, Engine, Limits, Position, Rules
from shisan.protocol.conditions import ConditionError, duration
from shisan.protocol.openings import OpeningError, Stones, read_openings, symmetries, turned
from shisan.protocol.workers import LocalWorkers
from shisan.scripts import arguments

try:
    np: Any = import_module("numpy")
except ImportError:  # nothing else in the project needs it
    np = None

MEMORY: Final = 64 << 20
"""Of each of the two engines of a game."""
RIDGE: Final = 0.5
"""Holds effects near 0 while there are few games: as if each level had drawn two more."""

Margins = dict[str, int]
Levels = tuple[int, ...]
"""The level of each factor, in their order."""


class TuneError(ValueError):
    """A file that cannot be used; the message says why."""


@dataclass(frozen=True)
class Factors:
    """What is tried. levels: of each factor, the margins of its levels."""

    names: tuple[str, ...]
    levels: tuple[tuple[Margins, ...], ...]

    def drawn(self, luck: Random) -> Levels:
        """A level of each factor."""
        return tuple(luck.randrange(len(levels)) for levels in self.levels)

    def margins(self, chosen: Levels) -> Margins:
        """The margins of these levels together."""
        found: Margins = {}
        for levels, level in zip(self.levels, chosen, strict=True):
            found |= levels[level]
        return found


def read_factors(path: Path) -> Factors:
    """The factors of a file, each of their margins tried on an engine. Raises TuneError."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise TuneError(f"cannot read {path}: {problem}") from None
    if not isinstance(found, dict) or not all(
        isinstance(levels, list) and len(levels) > 1 and all(isinstance(x, dict) for x in levels)
        for levels in found.values()
    ):
        raise TuneError(f'{path} must be {{"factor": [{{}}, {{"margin": number}}, ...], ...}}')
    engine = Engine(Rules.freestyle(), MEMORY)
    for levels in found.values():
        for margins in levels:
            engine.set_margins(margins)
    return Factors(tuple(found), tuple(tuple(levels) for levels in found.values()))


# Games


def play(rules: Rules, opening: Stones, sides: Sequence[Margins], limits: Limits) -> int:
    """One game of the engine with itself: 1 Black won, 0 drawn, -1 White won.

    sides: margins of Black and White. A proven win is taken at its word.
    """
    engines = [Engine(rules, MEMORY) for _ in sides]
    for engine, margins in zip(engines, sides, strict=True):
        engine.set_margins(margins)
    position = Position(rules)
    for point in opening:
        position.play(*point)
    while not position.over:
        found = engines[position.side].search(position, limits)
        if found.win_in is not None and found.win_in > 0:
            return 1 if position.side is Colour.BLACK else -1
        position.play(*found.move)
    winner = position.result.winner
    return 0 if winner is None else 1 if winner is Colour.BLACK else -1


def play_pair(
    rules: Rules, opening: Stones, sides: tuple[Margins, Margins], limits: Limits
) -> tuple[int, int]:
    """Two games with exchanged colours; results as of play, the first side Black at first."""
    first, second = sides
    return (
        play(rules, opening, (first, second), limits),
        play(rules, opening, (second, first), limits),
    )


@dataclass(frozen=True)
class Trial:
    """A pair of games. first, second: levels of the two sides; results: first is Black at first."""

    number: int
    first: Levels
    second: Levels
    results: tuple[int, int]


def trials(
    plan: argparse.Namespace, factors: Factors, rules: Rules, done: set[int]
) -> Iterator[Trial]:
    """Play the pairs that are not done, several at once; each follows from the seed and its number.

    They come as they end.
    """
    limits = Limits(turn_ms=plan.turn, nodes=plan.nodes)
    openings = read_openings(plan.openings, rules)
    turns = symmetries(rules)
    ahead = iter(sorted(set(range((plan.games + 1) // 2)) - done))
    running: dict[Future[tuple[int, int]], tuple[int, Levels, Levels]] = {}
    with LocalWorkers(plan.jobs) as workers:
        try:
            while True:
                for number in islice(ahead, plan.jobs - len(running)):
                    luck = Random(f"{plan.seed} {number}")
                    first, second = factors.drawn(luck), factors.drawn(luck)
                    opening = turned(luck.choice(openings), luck.choice(turns), rules)
                    sides = factors.margins(first), factors.margins(second)
                    future = workers.submit(play_pair, rules, opening, sides, limits)
                    running[future] = (number, first, second)
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield Trial(*running.pop(future), future.result())
        finally:
            workers.kill()


# What they say


@dataclass(frozen=True)
class Effect:
    """What a level is worth against the first of its factor, in Elo. error: of 95 %."""

    factor: str
    margins: Margins
    elo: float
    error: float


def effects(factors: Factors, found: Sequence[Trial]) -> list[Effect]:
    """A logistic regression of the games' results on the differences of the sides' levels.

    An effect b of a level changes the odds by e to b, which is 400 / ln 10 Elo for b = 1. Errors
    come from the curvature of the likelihood; a draw counts as half a win, which makes them a
    little too large.
    """
    columns = [(i, k) for i, levels in enumerate(factors.levels) for k in range(1, len(levels))]
    rows, results = [], []
    for trial in found:
        sides = (trial.first, trial.second), (trial.second, trial.first)
        for (black, white), result in zip(sides, trial.results, strict=True):
            rows.append([1.0, *(float(black[i] == k) - float(white[i] == k) for i, k in columns)])
            results.append((result + 1) / 2)
    x, y = np.array(rows), np.array(results)
    weights = np.zeros(x.shape[1])
    for _ in range(30):  # Newton's method
        chance = 1 / (1 + np.exp(-x @ weights))
        curvature = x.T @ (x * (chance * (1 - chance))[:, None]) + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curvature, x.T @ (y - chance) - RIDGE * weights)
    deviations = np.sqrt(np.diag(np.linalg.inv(curvature)))
    elo = 400 / np.log(10)
    return [
        Effect(
            factors.names[i],
            factors.levels[i][k],
            float(weights[at] * elo),
            float(1.96 * deviations[at] * elo),
        )
        for at, (i, k) in enumerate(columns, 1)
    ]


def table(factors: Factors, found: Sequence[Trial]) -> Iterator[str]:
    """The effects as lines of text."""
    games = [result for trial in found for result in trial.results]
    yield f"{len(games)} games, {games.count(0)} drawn, Black won {games.count(1)}"
    for effect in effects(factors, found):
        margins = ", ".join(f"{name} {value}" for name, value in effect.margins.items())
        yield f"{effect.factor:<16}{effect.elo:+6.0f} +- {effect.error:.0f}  {margins or '-'}"


# The journal


def read_journal(path: Path, header: dict[str, Any]) -> list[Trial]:
    """The pairs that a journal holds; it begins with the header. Raises TuneError for another."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(header) + "\n", "utf-8")
        return []
    text = path.read_text("utf-8")
    *lines, cut = text.split("\n")
    if cut:  # by a kill: the line is written anew
        path.write_text(text[: -len(cut)], "utf-8")
    if not lines or json.loads(lines[0]) != header:
        raise TuneError(f"{path} holds another experiment: choose another --out")
    return [
        Trial(
            int(found["number"]),
            tuple(found["first"]),
            tuple(found["second"]),
            (found["results"][0], found["results"][1]),
        )
        for found in map(json.loads, lines[1:])
    ]


def parser() -> argparse.ArgumentParser:
    """Its command line."""
    made = argparse.ArgumentParser(
        prog="python -m shisan.scripts.tune",
        description="Try margins of the search against each other, many at once, in games of the"
        " engine with itself; prints what each level of each factor is worth in Elo.",
    )
    made.add_argument("factors", type=Path, metavar="FACTORS.json", help="what is tried")
    made.add_argument("--games", type=int, default=1000, help="how many games (1000)")
    made.add_argument("--turn", type=duration, default="25ms", help="time per move (25ms)")
    made.add_argument("--nodes", type=int, default=None, help="nodes per move, with --turn none")
    made.add_argument("--openings", type=Path, required=True, metavar="FILE", help="their openings")
    made.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    made.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="games at once (one a core)"
    )
    made.add_argument("--out", type=Path, default=Path("tune.jsonl"), help="journal (tune.jsonl)")
    arguments.add_rules(made)
    return made


def main(words: Sequence[str] | None = None) -> int:
    """Play, and print the table; after an interrupt too."""
    plan = parser().parse_args(words)
    if np is None:
        print("tune needs numpy: pip install 'shisan[fit]'", file=sys.stderr)
        return 2
    try:
        rules = arguments.rules(plan)
        factors = read_factors(plan.factors)
        header = {
            "factors": dict(zip(factors.names, factors.levels, strict=True)),
            "rules": str(rules),
            "turn": plan.turn,
            "nodes": plan.nodes,
            "seed": plan.seed,
        }
        found = read_journal(plan.out, json.loads(json.dumps(header)))
        with suppress(KeyboardInterrupt), plan.out.open("a", encoding="utf-8") as journal:
            for trial in trials(plan, factors, rules, {trial.number for trial in found}):
                found.append(trial)
                print(json.dumps(asdict(trial)), file=journal, flush=True)
                if sys.stderr.isatty():
                    print(f"\r{2 * len(found)} of {plan.games} games", end="", file=sys.stderr)
    except (TuneError, OpeningError, ConditionError, ValueError) as problem:
        print(f"tune: {problem}", file=sys.stderr)
        return 2
    if not found:
        print("no games", file=sys.stderr)
        return 1
    print("\n".join(table(factors, found)))
    return 0


if __name__ == "__main__":
    from shisan.scripts import tune  # by its name, under which workers find it

    sys.exit(tune.main())
