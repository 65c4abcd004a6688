"""A proof as a record: a win with an answer to every legal reply, and its checker.

The checker stands on the reference alone. It takes nothing from the proof but moves: what is legal,
which replies there are, who makes a five and how many plies that takes it works out for itself.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from .errors import PositionError
from .proof import BrokenError, Replay, Verdict, name_of
from .reference import Identity, ReferencePosition, Stone
from .rules import Colour, Point, Rules

PROOF_KINDS: Final = ("fours", "threats", "any")
"""What the attacker's moves are: nothing but fours; fours, and moves after which fours win against
every reply that has no answer of its own; anything."""

CHECK_NODES: Final = 50_000_000
"""How many stones check_proof puts unless told otherwise."""


class ProofReply(NamedTuple):
    """What the attacker does about some replies.

    points: the replies, or None for every legal one that no other reply of the move names.
    node: index of the node that follows; it is a later one.
    """

    points: tuple[Point, ...] | None
    node: int


class ProofFours(NamedTuple):
    """The attacker wins by a line of fours; every other reply on the way leaves him a five at once.

    line: four, its only answer, four, ..., and last a five or a four that has no answer.
    """

    line: tuple[Point, ...]


class ProofMove(NamedTuple):
    """The attacker plays a point, and this is what follows each reply.

    Replies that leave him a five at once need no answer and have none. point: None at the root if
    the defender is to move.
    """

    point: Point | None
    replies: tuple[ProofReply, ...]


ProofNode = ProofFours | ProofMove


@dataclass(frozen=True, slots=True)
class Proof:
    """A win: the position, who wins it, and how.

    stones: in any order; side: to move; walls: points that neither side may use.
    kind: one of PROOF_KINDS. plies: from the position up to and including the five, both sides'
    counted, against the longest resistance that the nodes allow.
    nodes: nodes[0] is the root; a node may follow several others.
    """

    rules: Rules
    stones: tuple[Stone, ...]
    side: Colour
    walls: tuple[Point, ...]
    attacker: Colour
    kind: str
    plies: int
    nodes: tuple[ProofNode, ...]

    @property
    def position(self) -> ReferencePosition:
        """The position. Raises PositionError if it is none."""
        return ReferencePosition.set_up(self.rules, self.stones, self.side, self.walls)


def check_proof(
    proof: Proof, nodes: int = CHECK_NODES, give_up: Callable[[], bool] | None = None
) -> Verdict:
    """Check a proof by the rules: every legal reply of the defender is tried.

    nodes: stones to put before giving up with status "budget"; give_up: asked now and then, the
    same if it says so. When proven the verdict's line is the longest resistance, up to the last
    move that could be answered or the five. Replies that cannot be made or need no answer, nodes
    that nothing leads to, and another kind or number of plies than the proof says break it too.
    """
    try:
        check = _TreeCheck(proof, nodes, give_up)
    except PositionError as error:
        return Verdict("broken", f"no position: {error}", (), 0, 0)
    return check.check(proof.plies)


def count_plies(
    proof: Proof, nodes: int = CHECK_NODES, give_up: Callable[[], bool] | None = None
) -> tuple[Proof, Verdict]:
    """Check a proof whose number of plies is not known yet; return it with that number."""
    verdict = _TreeCheck(proof, nodes, give_up).check(None)
    return replace(proof, plies=verdict.plies), verdict


class _Way(NamedTuple):
    """plies: that a node needs at most; line: the moves of that resistance."""

    plies: int
    line: tuple[Point, ...]


class _TreeCheck(Replay):
    """The check of one proof."""

    def __init__(self, proof: Proof, budget: int, give_up: Callable[[], bool] | None) -> None:
        super().__init__(proof.position, budget)
        self.attacker = proof.attacker
        self.defender = proof.attacker.other
        self.proof = proof
        self.ways: dict[tuple[Identity, int], _Way] = {}
        self.reached: set[int] = set()
        self.give_up = give_up

    def check(self, plies: int | None) -> Verdict:
        """Check the whole; plies: that the win must take, None: whatever."""
        way = _Way(0, ())

        def whole() -> int:
            nonlocal way
            way = self._whole(plies)
            return way.plies

        verdict = self.verdict(whole)
        return verdict._replace(line=way.line) if verdict else verdict

    def _whole(self, plies: int | None) -> _Way:
        proof = self.proof
        if proof.kind not in PROOF_KINDS:
            raise BrokenError(f"kind {proof.kind!r} is none of {', '.join(PROOF_KINDS)}")
        if not proof.nodes:
            raise BrokenError("there is no node")
        self.reached.add(0)
        if proof.side == proof.attacker:
            way = self._win_by(0)
        else:
            root = proof.nodes[0]
            if isinstance(root, ProofFours) or root.point is not None:
                raise BrokenError(f"node 0 moves, but {name_of(self.defender)} is to move")
            way = self._hold(0, root)
        if plies not in (None, way.plies):
            raise BrokenError(f"the win takes {way.plies} plies, not {plies}")
        for index in range(len(proof.nodes)):
            if index not in self.reached:
                raise BrokenError(f"nothing leads to node {index}")
        return way

    def _win_by(self, index: int) -> _Way:
        """Return how long the attacker, to move, needs by this node."""
        node = self.proof.nodes[index]
        if isinstance(node, ProofFours):
            return self._followed(node)
        key = self.game.identity(), index
        way = self.ways.get(key)
        if way is None:
            way = self.ways[key] = self._moved(index, node)
        return way

    def _followed(self, node: ProofFours) -> _Way:
        self._spend()
        ply = self.game.ply
        needed = self.follow(node.line)
        while self.game.ply > ply:
            self.undo()
        return _Way(needed, node.line)

    def _moved(self, index: int, node: ProofMove) -> _Way:
        if node.point is None:
            raise BrokenError(f"node {index} has no move")
        self._spend()
        self.play(*node.point)
        way = _Way(0, ()) if self.game.over else self._hold(index, node)
        self.undo()
        return _Way(1 + way.plies, (node.point, *way.line))

    def _hold(self, index: int, node: ProofMove) -> _Way:
        """Return how long the attacker needs at most, the defender to move and the game going on.

        Only replies that leave the attacker no five at once have to be tried.
        """
        replies = self.open_replies()
        self._kind(index, node)
        answers = self._answers(index, node, replies)
        longest = _Way(2, ()) if self.fives[self.attacker] else _Way(0, ())
        for point in replies:
            following = answers.get(point, answers.get(None))
            if following is None:
                raise BrokenError(f"{name_of(self.defender)}'s reply is not answered", point)
            self.reached.add(following)
            self.play(*point)
            way = self._win_by(following)
            self.undo()
            if 1 + way.plies > longest.plies:
                longest = _Way(1 + way.plies, (point, *way.line))
        return longest

    def _answers(
        self, index: int, node: ProofMove, replies: Iterable[Point]
    ) -> dict[Point | None, int]:
        """Return the node that follows each reply it names; under None, every other one."""
        answers: dict[Point | None, int] = {}
        known = set(replies)
        for points, following in node.replies:
            if not index < following < len(self.proof.nodes):
                raise BrokenError(f"node {index} leads to {following}, which is no later node")
            for point in (None,) if points is None else points:
                if point in answers:
                    raise BrokenError(f"node {index} answers a reply twice", *_known(point))
                if point is not None and point not in known:
                    raise BrokenError(f"node {index} answers what is no reply or needs none", point)
                answers[point] = following
        return answers

    def _kind(self, index: int, node: ProofMove) -> None:
        """Break the claim if the attacker's move is not of the kind that the proof says."""
        if self.proof.kind == "any" or self.fives[self.attacker]:
            return
        if self.proof.kind == "fours":
            raise BrokenError(f"node {index} makes no four, but the proof says fours")
        rest = [following for points, following in node.replies if points is None]
        if not all(isinstance(self.proof.nodes[i], ProofFours) for i in rest[:1]) or not rest:
            raise BrokenError(f"node {index} makes no threat of fours, but the proof says threats")

    def _spend(self) -> None:
        if self.nodes >= self.budget:
            raise BrokenError(f"{self.nodes} stones put", status="budget")
        if self.give_up is not None and self.give_up():
            raise BrokenError("stopped", status="budget")


def _known(point: Point | None) -> tuple[Point, ...]:
    return () if point is None else (point,)
