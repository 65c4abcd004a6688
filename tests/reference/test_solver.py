"""The solver: against trying everything, and its proofs under every rule, written and accepted."""

import threading
import time
from dataclasses import replace
from random import Random

import pytest
from exhaustive import Exhaustive, crowded

from shisan.engine import (
    Colour,
    LimitError,
    Position,
    PositionError,
    Rules,
    Solver,
    solve,
)
from shisan.scripts.checks import ALL_RULES
from shisan.scripts.claims import puzzle, puzzle_records, won_positions
from shisan.scripts.forgeries import check_written, proof_faults

MEMORY = 16 << 20


def fast(game):
    return Position.set_up(game.rules, game.stones, game.side, game.walls)


# Against trying everything


def hold_against_everything(rules, seed, boards, empty):
    random = Random(f"{rules} {seed}")
    solver = Solver(MEMORY)
    wins = 0
    for game, _ in zip(crowded(random, rules, empty), range(boards), strict=False):
        for attacker in Colour:
            truth = Exhaustive(attacker).plies(game)
            position = fast(game)
            found = solver.solve(position, "dfpn", attacker=attacker, shortest=True)
            said = f"{rules}, {attacker.name}, {game.stones}, {game.walls}, {game.side.name}"
            assert found.status == ("refuted" if truth is None else "won"), said
            assert found.plies == truth, said
            assert found.shortest == (truth is not None), said
            assert proof_faults(position, found) == [], said
            for method in ("vct", "auto") + ("vcf",) * (attacker == game.side):
                other = solver.solve(position, method, attacker=attacker)
                assert other.status != "won" or truth is not None, said
                if method == "auto":
                    assert (other.status == "won") == (truth is not None), said
            wins += truth is not None
    return wins


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: f"{rules.name} {rules.foul_loses}")
def test_against_trying_everything(rules):
    hold_against_everything(rules, 1, 8, 7)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: f"{rules.name} {rules.foul_loses}")
def test_against_trying_everything_at_length(rules):
    assert hold_against_everything(rules, 2, 60, 9) >= 3


# Proofs of puzzles, and under every rule


def test_puzzles_of_each_kind_are_proven(data):
    counts = 0
    for name in ("freestyle", "standard", "renju"):
        for kind, step in (("vcf", 30), ("vct", 12)):
            records = [r for r in puzzle_records(data, (kind,)) if r["rule"] == name]
            for record in records[::step][:8]:
                tally = check_written(record)
                assert tally.faults == []
                assert tally.counts[f"{kind}, won"] == 1, record["id"]
                counts += 1
    assert counts >= 25


def test_vcf_is_as_short_as_known(data):
    for record in puzzle_records(data, ("vcf",))[::40]:
        solution = solve(puzzle(record), "vcf", memory=MEMORY)
        assert solution.shortest
        assert solution.plies == 2 * record["win_in"] - 1, record["id"]


def test_vcf_refutes(data):
    for record in puzzle_records(data, ("novcf",))[::20]:
        solution = solve(puzzle(record), "vcf", memory=MEMORY)
        assert (solution.status, solution.method, solution.proof) == ("refuted", "vcf", None)


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: f"{rules.name} {rules.foul_loses}")
def test_wins_under_every_rule_are_proven(rules):
    """Positions out of random games; whatever is won comes with a proof that stands."""
    random = Random(f"wins {rules}")
    solver = Solver(MEMORY)
    won = 0
    for position, _ in zip(
        won_positions(random, replace(rules, width=11)), range(12), strict=False
    ):
        solution = solver.solve(position, random.choice(("auto", "vct", "dfpn")), nodes=60_000)
        assert solution.reason != "check"
        assert proof_faults(position, solution) == []
        won += solution.status == "won"
    assert won


# Limits and stops: a position that nothing decides soon

OPEN = Rules.freestyle()


def undecided():
    position = Position(OPEN)
    for x, y in ((7, 7), (8, 8), (2, 3)):
        position.play(x, y)
    return position


@pytest.mark.parametrize("method", ["auto", "vct", "dfpn"])
def test_time_is_kept(method):
    solver = Solver(MEMORY)
    started = time.monotonic()
    solution = solver.solve(undecided(), method, time_ms=300)
    took = time.monotonic() - started
    assert solution.status == "undecided"
    assert solution.reason in ("time", "threats")
    assert took < 1.5
    assert method == "vct" or (solution.reason == "time" and took > 0.25)


def test_nodes_are_kept():
    solution = solve(undecided(), "dfpn", nodes=5000, memory=MEMORY)
    assert (solution.status, solution.reason) == ("undecided", "nodes")
    assert 5000 <= solution.nodes < 5000 + 8 * 4000  # solver calls under way are finished
    again = solve(undecided(), "dfpn", nodes=5000, memory=MEMORY)
    assert again.nodes == solution.nodes


def test_a_long_search_by_fours_keeps_its_limits(data):
    position = puzzle(puzzle_records(data, ("vcf_long",))[0])
    started = time.monotonic()
    found = solve(position, "vcf", time_ms=50, memory=MEMORY)
    assert (found.status, found.method, found.reason) == ("undecided", "vcf", "time")
    assert time.monotonic() - started < 1.5
    found = solve(position, "vcf", nodes=10_000, memory=MEMORY)
    assert (found.status, found.reason) == ("undecided", "nodes")


def test_stop_from_another_thread():
    solver = Solver(MEMORY)
    position = undecided()
    threading.Timer(0.3, solver.stop).start()
    started = time.monotonic()
    solution = solver.solve(position, "dfpn")
    assert (solution.status, solution.reason) == ("undecided", "stopped")
    assert time.monotonic() - started < 1.5
    assert solver.solve(position, "dfpn", nodes=100).reason == "nodes"  # not for good
    assert position == undecided()


def test_progress_and_what_it_raises():
    seen = []
    solver = Solver(MEMORY)
    solver.solve(undecided(), "dfpn", time_ms=900, on_progress=seen.append)
    assert seen
    assert all(progress.method == "dfpn" for progress in seen)
    assert all(progress.proof > 0 and progress.disproof > 0 for progress in seen)
    assert [p.nodes for p in seen] == sorted(p.nodes for p in seen)

    def fail(progress):
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(undecided(), "dfpn", on_progress=fail)
    assert threading.active_count() == before  # nothing searches on


def test_what_cannot_be_solved(drawn):
    position = undecided()
    for options, error in (
        ({"method": "magic"}, LimitError),
        ({"time_ms": -1}, LimitError),
        ({"nodes": -1}, LimitError),
        ({"method": "vcf", "attacker": position.side.other}, LimitError),
        ({"memory": 1000}, LimitError),
    ):
        with pytest.raises(error):
            solve(position, **options)
    with pytest.raises(PositionError, match="over"):
        solve(fast(drawn(Rules.freestyle(9), "XXXXX....")))


def test_the_table_may_be_small(data):
    """With hardly any table the search goes on, forgets, and still proves what it can."""
    import psutil

    before = psutil.Process().memory_info().rss
    solution = solve(undecided(), "dfpn", nodes=1_000_000, memory=MEMORY)
    assert solution.reason in ("nodes", "memory")
    assert psutil.Process().memory_info().rss - before < 2 * MEMORY
    record = next(r for r in puzzle_records(data, ("vct",)) if r["rule"] == "standard")
    assert solve(puzzle(record), "dfpn", memory=MEMORY).status == "won"
