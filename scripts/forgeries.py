"""Proofs behind verify: written and accepted, and broken on purpose.

A forged proof may be a proof still: a stone more somewhere far away changes nothing. So whatever
the checker accepts is held against a second one, which knows no shortcut: it plays every legal
reply of every position and looks for the five afterwards. Slow, and fit for short proofs.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from shisan.engine import (
    Colour,
    Point,
    Position,
    PositionError,
    Proof,
    ProofFours,
    ProofMove,
    ProofReply,
    Rules,
    Solution,
    Solver,
    check_proof,
)
from shisan.engine.reference import ReferencePosition
from shisan.protocol.proofs import proof_text, read_proof

from .checks import Tally
from .claims import RULES, puzzle

MEMORY: Final = 32 << 20
TIME_MS: Final = 20_000
LONGEST: Final = 7
"""Plies of the proofs that are broken: the plain checker takes seconds for longer ones."""


# Accepted


def check_written(record: dict[str, Any], time_ms: int = TIME_MS) -> Tally:
    """Solve a puzzle and take its proof through the file format to the checker."""
    kind = record["kind"]
    position = puzzle(record)
    method = "vcf" if kind.startswith("vcf") else "auto"
    solution = Solver(MEMORY).solve(position, method, time_ms=time_ms)
    counts = Counter({f"{kind}, {solution.status}": 1})
    faults = proof_faults(position, solution)
    counts["nodes"] += solution.nodes
    counts["ms"] += solution.time_ms
    if solution.plies is not None and "win_in" in record:
        slower = (solution.plies + 1) // 2 - record["win_in"]
        counts[f"{kind}, as short as known"] += slower == 0
        counts[f"{kind}, shorter than known"] += slower < 0
    return Tally(counts, [f"{record['id']}: {fault}" for fault in faults])


def proof_faults(position: Position, solution: Solution) -> list[str]:
    """Say what is wrong with a solution's proof, written, read and checked."""
    if solution.reason == "check":
        return [f"the checker does not accept the proof by {solution.method}"]
    if solution.status != "won":
        return []
    if solution.proof is None:
        return ["a win without a proof"]
    text = proof_text(solution.proof)
    proof = read_proof(text)
    if proof_text(proof) != text:
        return ["the proof is another one once it is read"]
    game = proof.position
    if game != ReferencePosition.set_up(
        position.rules, position.stones, position.side, position.walls
    ):
        return ["the proof is about another position"]
    verdict = check_proof(proof)
    if not verdict:
        return [f"{verdict}"]
    same = verdict.plies == solution.plies and verdict.line == solution.line
    return [] if same else [f"{solution.plies} plies announced, {verdict}"]


# The plain checker


class PlainProof:
    """Plays a proof by the letter: every legal reply, and the five itself."""

    def __init__(self, proof: Proof) -> None:
        self._proof = proof

    def holds(self) -> bool:
        """Whether the attacker wins as the proof says, however long it takes."""
        try:
            game = self._proof.position
        except PositionError:
            return False
        if game.over or not self._proof.nodes:
            return False
        node = self._proof.nodes[0]
        if game.side == self._proof.attacker:
            return self._wins(game, 0)
        return isinstance(node, ProofMove) and node.point is None and self._all(game, node)

    def _wins(self, game: ReferencePosition, index: int) -> bool:
        node = self._proof.nodes[index]
        if isinstance(node, ProofFours):
            return bool(node.line) and self._line(game, node.line)
        if node.point is None or not game.is_legal(*node.point):
            return False
        game.play(*node.point)
        won = game.result.winner == game.side.other if game.over else self._all(game, node)
        game.undo()
        return won

    def _all(self, game: ReferencePosition, node: ProofMove) -> bool:
        """Whether every reply loses; the defender is to move."""
        named = {point: at for points, at in node.replies if points is not None for point in points}
        rest = [at for points, at in node.replies if points is None]
        return all(self._loses(game, point, named.get(point, *rest[:1])) for point in _legal(game))

    def _loses(self, game: ReferencePosition, point: Point, index: int | None = None) -> bool:
        game.play(*point)
        lost = not game.over and (
            _five(game) or (index is not None and 0 <= index < 10**6 and self._at(game, index))
        )
        game.undo()
        return lost

    def _at(self, game: ReferencePosition, index: int) -> bool:
        return index < len(self._proof.nodes) and self._wins(game, index)

    def _line(self, game: ReferencePosition, line: tuple[Point, ...]) -> bool:
        """Whether a line of fours wins, every other reply leaving a five."""
        if not game.is_legal(*line[0]):
            return False
        game.play(*line[0])
        if game.over:
            won = game.result.winner == game.side.other and len(line) == 1
        else:
            won = all(self._left(game, point, line[1:]) for point in _legal(game))
            won = won and len(line) % 2 == 1 and (len(line) == 1 or game.is_legal(*line[1]))
        game.undo()
        return won

    def _left(self, game: ReferencePosition, point: Point, rest: tuple[Point, ...]) -> bool:
        """Whether a reply leaves the attacker a five, or is the one that the line answers."""
        game.play(*point)
        won = not game.over
        if won and rest[:1] == (point,):
            won = len(rest) > 1 and self._line(game, rest[1:])
        elif won:
            won = _five(game)
        game.undo()
        return won


def _legal(game: ReferencePosition) -> list[Point]:
    return game.legal_points()


def _five(game: ReferencePosition) -> bool:
    return any(game.makes_five(*point, game.side) for point in game.empty_points())


# Forged


def forged(random: Random, proof: Proof) -> tuple[str, Proof]:
    """Return what was done to a proof, and the result."""
    while True:
        how = random.choice(tuple(FORGERIES))
        changed = FORGERIES[how](random, proof)
        if changed is not None and changed != proof:
            return how, changed


def check_forged(proof: Proof, seed: int, count: int) -> Tally:
    """Break a proof until it was rejected so many times; what is accepted must hold plainly."""
    random = Random(f"{seed} {proof.stones}")
    counts: Counter[str] = Counter()
    faults: list[str] = []
    while counts["rejected"] < count and not faults:
        how, changed = forged(random, proof)
        verdict = check_proof(read_proof(proof_text(changed)))
        counts["rejected" if not verdict else "a proof still"] += 1
        counts[f"{how}, {'rejected' if not verdict else 'a proof still'}"] += 1
        if verdict and not PlainProof(changed).holds():
            faults.append(f"{how}: accepted, but it does not hold: {proof_text(changed)}")
        elif verdict.status == "broken" and not verdict.reason:
            faults.append(f"{how}: no reason given: {proof_text(changed)}")
    return Tally(counts, faults)


def _node(random: Random, proof: Proof, kind: type) -> tuple[int, Any] | None:
    """A node of a kind, with its index."""
    nodes = [(at, node) for at, node in enumerate(proof.nodes) if isinstance(node, kind)]
    return random.choice(nodes) if nodes else None


def _with(proof: Proof, at: int, node: ProofFours | ProofMove) -> Proof:
    return replace(proof, nodes=(*proof.nodes[:at], node, *proof.nodes[at + 1 :]))


def _reply_left_out(random: Random, proof: Proof) -> Proof | None:
    found = _node(random, proof, ProofMove)
    if found is None or not found[1].replies:
        return None
    at, node = found
    i = random.randrange(len(node.replies))
    points, following = node.replies[i]
    left: tuple[ProofReply, ...] = ()
    if points is not None and len(points) > 1:
        gone = random.choice(points)
        left = (ProofReply(tuple(p for p in points if p != gone), following),)
    return _with(
        proof, at, node._replace(replies=(*node.replies[:i], *left, *node.replies[i + 1 :]))
    )


def _point_swapped(random: Random, proof: Proof) -> Proof | None:
    at = random.randrange(len(proof.nodes))
    node = proof.nodes[at]
    point = random.choice(_board(proof.rules))
    if isinstance(node, ProofMove):
        return None if node.point is None else _with(proof, at, node._replace(point=point))
    i = random.randrange(len(node.line))
    return _with(proof, at, ProofFours((*node.line[:i], point, *node.line[i + 1 :])))


def _points_exchanged(random: Random, proof: Proof) -> Proof | None:
    found = _node(random, proof, ProofFours)
    if found is None or len(found[1].line) < 3:
        return None
    line = list(found[1].line)
    i, k = random.sample(range(len(line)), 2)
    line[i], line[k] = line[k], line[i]
    return _with(proof, found[0], ProofFours(tuple(line)))


def _line_cut(random: Random, proof: Proof) -> Proof | None:
    found = _node(random, proof, ProofFours)
    if found is None:
        return None
    return _with(proof, found[0], ProofFours(found[1].line[: random.randrange(len(found[1].line))]))


def _line_longer(random: Random, proof: Proof) -> Proof | None:
    found = _node(random, proof, ProofFours)
    if found is None:
        return None
    more = random.sample(_board(proof.rules), random.choice((1, 2)))
    return _with(proof, found[0], ProofFours((*found[1].line, *more)))


def _led_elsewhere(random: Random, proof: Proof) -> Proof | None:
    found = _node(random, proof, ProofMove)
    if found is None or not found[1].replies:
        return None
    at, node = found
    i = random.randrange(len(node.replies))
    other = ProofReply(node.replies[i].points, random.randrange(len(proof.nodes) + 2))
    return _with(
        proof, at, node._replace(replies=(*node.replies[:i], other, *node.replies[i + 1 :]))
    )


def _rule_changed(random: Random, proof: Proof) -> Proof:
    rules = proof.rules
    others = [replace(rule, width=rules.width, height=rules.height) for rule in RULES.values()]
    return replace(proof, rules=random.choice(others))


def _stone(random: Random, proof: Proof) -> int:
    return random.randrange(len(proof.stones))


def _stone_gone(random: Random, proof: Proof) -> Proof:
    i = _stone(random, proof)
    return replace(proof, stones=(*proof.stones[:i], *proof.stones[i + 1 :]))


def _stone_turned(random: Random, proof: Proof) -> Proof:
    i = _stone(random, proof)
    x, y, owner = proof.stones[i]
    return replace(proof, stones=(*proof.stones[:i], (x, y, owner.other), *proof.stones[i + 1 :]))


def _stone_more(random: Random, proof: Proof) -> Proof:
    x, y = random.choice(_used(proof))
    return replace(proof, stones=(*proof.stones, (x, y, random.choice(tuple(Colour)))))


def _wall_more(random: Random, proof: Proof) -> Proof:
    return replace(proof, walls=(*proof.walls, random.choice(_used(proof))))


def _used(proof: Proof) -> list[Point]:
    """Points that the proof plays on, and now and then any."""
    points = set(_board(proof.rules)[::40])
    for node in proof.nodes:
        points.update(node.line if isinstance(node, ProofFours) else filter(None, [node.point]))
    return sorted(points)


def _board(rules: Rules) -> list[Point]:
    return [(x, y) for y in range(rules.height) for x in range(rules.width)]


def _kind_changed(random: Random, proof: Proof) -> Proof:
    return replace(proof, kind="fours")


FORGERIES: Final[dict[str, Callable[[Random, Proof], Proof | None]]] = {
    "a reply left out": _reply_left_out,
    "a point swapped": _point_swapped,
    "two points exchanged": _points_exchanged,
    "a line cut": _line_cut,
    "a line longer": _line_longer,
    "led elsewhere": _led_elsewhere,
    "the rule changed": _rule_changed,
    "the side changed": lambda random, proof: replace(proof, side=proof.side.other),
    "the attacker changed": lambda random, proof: replace(proof, attacker=proof.attacker.other),
    "a stone gone": _stone_gone,
    "a stone turned": _stone_turned,
    "a stone more": _stone_more,
    "a wall more": _wall_more,
    "fewer plies": lambda random, proof: replace(proof, plies=max(0, proof.plies - 2)),
    "more plies": lambda random, proof: replace(proof, plies=proof.plies + 2),
    "another kind": _kind_changed,
}
"""Ways to break a proof, by name."""


def short_proofs(records: list[dict[str, Any]], longest: int = LONGEST) -> Iterator[Proof]:
    """Yield proofs of puzzles of so many plies at most; those of freestyle as caro too."""
    for record in records:
        rules = [replace(RULES[record["rule"]], width=record["size"], height=record["size"])]
        if record["rule"] == "freestyle":
            rules += [Rules.caro(record["size"]), Rules.caro(record["size"], exact=True)]
        position = puzzle(record)
        for rule in rules:
            there = Position.set_up(rule, position.stones, position.side)
            solution = Solver(MEMORY).solve(there, time_ms=TIME_MS)
            if solution.proof is not None and solution.proof.plies <= longest:
                yield solution.proof
