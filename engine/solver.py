"""Solver: proves that a side wins, or that it cannot, and writes the proof down.

Three methods, each a superset of the one before: vcf plays nothing but fours, vct fours and threats
of fours, dfpn anything. A win is only announced with a proof that the checker has accepted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from .errors import LimitError, PositionError
from .kernel import load
from .proof import Verdict
from .proof_tree import Proof, ProofFours, ProofMove, ProofNode, ProofReply, count_plies
from .rules import Colour, Point

if TYPE_CHECKING:
    from .dfpn import Hunter
    from .position import Position
    from .threats import VcfSolver
else:
    Hunter = load("dfpn").Hunter
    VcfSolver = load("threats").VcfSolver

METHODS: Final = ("auto", "vcf", "vct", "dfpn")
"""How to solve; auto: one after the other."""

SOLVE_MEMORY: Final = 256 << 20
"""Bytes of tables unless told otherwise."""

LEAST_MEMORY: Final = 16 << 20
INNER_NODES: Final = 4000  # of a solver call inside a search
FIRST_SHARES: Final = {"vcf": 0.3, "vct": 0.5}  # of what is left, where another method follows
FIRST_NODES: Final = {"vcf": 50_000_000, "vct": 200_000_000}  # at most, likewise
LOOK_SECONDS: Final = 0.02  # between two looks at a running search
PROGRESS_SECONDS: Final = 0.25
WRITING_SECONDS: Final = 1.0  # a proof may always take so long

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """What a solver is doing.

    method: one of METHODS but auto; nodes: positions and fours tried so far, of all methods;
    time_ms: since the beginning; proof, disproof: how many positions would at least have to be
    proven or disproven still, None for vcf.
    """

    method: str
    nodes: int
    time_ms: int
    proof: int | None = None
    disproof: int | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """What came of solving a position.

    status: "won"; "refuted": by vcf, that there is no win by continuous fours (where a closed five
        does not count: of fours with a single answer), by dfpn, that there is no win at all;
        "undecided".
    method: that decided it, or was tried last.
    reason: why it is undecided: "time", "nodes", "memory" (the table was lost many times over),
        "stopped", "threats" (all of vct's were tried), "length" (of vcf's lines), or "check" (a
        proof was written, but not accepted: a fault of ours). None if it is decided.
    line: of a win, against the longest resistance, as the checker says; else empty.
    plies: up to and including the five, both sides' counted; None if not won.
    shortest: whether it is known that there is no win in fewer plies; of a win by vcf, by fours.
    nodes: positions and fours tried; time_ms: of it all.
    proof: of a win, accepted by the checker.
    """

    status: str
    method: str
    reason: str | None = None
    line: tuple[Point, ...] = ()
    plies: int | None = None
    shortest: bool = False
    nodes: int = 0
    time_ms: int = 0
    proof: Proof | None = None


OnProgress = Callable[[SolveProgress], None]


class Solver:
    """Solves one position after the other.

    memory: bytes of tables, at least 16 MiB; they take only what they use. One solve at a time;
    stop may be called from any thread. Raises LimitError.
    """

    def __init__(self, memory: int = SOLVE_MEMORY) -> None:
        if memory < LEAST_MEMORY:
            raise LimitError(f"memory must be at least {LEAST_MEMORY} bytes, not {memory}")
        self._memory = memory
        self._run = _Run(None, None, None)

    def stop(self) -> None:
        """Let the running solve return with what is known."""
        self._run.stopped.set()

    def solve(
        self,
        position: "Position",
        method: str = "auto",
        *,
        attacker: Colour | None = None,
        time_ms: int | None = None,
        nodes: int | None = None,
        shortest: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Solution:
        """Return whether the attacker wins, with a proof if he does; the position is unchanged.

        method: one of METHODS. attacker: None for the side to move; vcf is for that only.
        time_ms: of the search; to write and to check a proof may take as long again, or a second.
        nodes: positions and fours to try. shortest: having won, look on for a shorter win until it
        is known that there is none, or a limit; a win by vcf is a shortest by fours as it is.
        on_progress: called now and then, in the calling thread. An interrupt (Ctrl-C) stops the
        search and is raised. Raises LimitError, and PositionError if the game is over.
        """
        side = position.side if attacker is None else attacker
        _check(position, method, side, time_ms, nodes)
        self._run = run = _Run(time_ms, nodes, on_progress)
        solution = Solution("undecided", method)
        methods = METHODS[1:] if method == "auto" else (method,)
        for at, name in enumerate(methods):
            share = at + 1 < len(methods)
            if name == "vcf":
                if side != position.side:
                    continue
                solution = self._fours(position, run, share)
            else:
                solution = self._hunt(position, side, name, run, share)
            known = name == "dfpn" or method == "vcf"
            if solution.status == "won" or (solution.status == "refuted" and known):
                break
            if run.why_over() is not None:
                break
        if shortest and solution.status == "won" and solution.method != "vcf":
            solution = self._shorten(position, side, solution, method, run)
        return run.closed(solution)

    def _fours(self, position: "Position", run: "_Run", share: bool) -> Solution:
        """Solve by continuous fours."""
        entries = 1 << ((self._memory // 8).bit_length() - 1)
        solver = VcfSolver(entries)
        run.begin("vcf", share, lambda: solver.nodes, solver.stop)
        found = run.wait(lambda: solver.solve(position, run.nodes_left))
        if found is None:
            return Solution("refuted", "vcf")
        if not isinstance(found, tuple):
            return Solution("undecided", "vcf", run.why() or "length")
        return _announce(position, position.side, "vcf", (ProofFours(found),), run, True)

    def _hunt(
        self,
        position: "Position",
        attacker: Colour,
        method: str,
        run: "_Run",
        share: bool = False,
        plies: int | None = None,
    ) -> Solution:
        """Solve by df-pn; plies: only wins within so many."""
        hunter = Hunter(self._memory - LEAST_MEMORY // 2)
        run.begin(method, share, lambda: hunter.nodes, hunter.stop, lambda: hunter.numbers)
        hunter.begin(
            position,
            attacker,
            method == "vct",
            plies,
            INNER_NODES,
            nodes=run.nodes_left,
        )
        found = run.wait(hunter.run)
        if found is None:
            return Solution(
                "undecided", method, run.why() or ("memory" if hunter.full else "nodes")
            )
        if not found and method == "vct":
            return Solution("undecided", method, "threats")
        if not found:
            return Solution("refuted", method)
        run.write()
        hunter.resume()
        nodes = run.wait(lambda: _Writer(hunter, position.copy(), attacker).nodes())
        if nodes is None:
            return Solution("undecided", method, run.why() or "memory")
        return _announce(position, attacker, method, nodes, run, False)

    def _shorten(
        self, position: "Position", side: Colour, best: Solution, method: str, run: "_Run"
    ) -> Solution:
        """Look for shorter wins until one is known to be the shortest, or a limit."""
        names = {"vct": ("vct",), "dfpn": ("dfpn",)}.get(method, ("vct", "dfpn"))
        for name in names:
            while run.why_over() is None and best.plies is not None:
                plies = best.plies - 2
                found = self._hunt(position, side, name, run, name != names[-1], plies)
                if found.status == "won":
                    best = found
                    continue
                if found.status == "refuted":
                    return replace(best, shortest=True)
                break
        return best


def solve(
    position: "Position",
    method: str = "auto",
    *,
    attacker: Colour | None = None,
    time_ms: int | None = None,
    nodes: int | None = None,
    memory: int = SOLVE_MEMORY,
    shortest: bool = False,
    on_progress: OnProgress | None = None,
) -> Solution:
    """Return whether a side wins, with a proof if it does: Solver(memory).solve(...)."""
    return Solver(memory).solve(
        position,
        method,
        attacker=attacker,
        time_ms=time_ms,
        nodes=nodes,
        shortest=shortest,
        on_progress=on_progress,
    )


def _check(
    position: "Position", method: str, attacker: Colour, time_ms: int | None, nodes: int | None
) -> None:
    """Raise what solve raises for its arguments."""
    if method not in METHODS:
        raise LimitError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    for name, value in (("time_ms", time_ms), ("nodes", nodes)):
        if value is not None and value < 0:
            raise LimitError(f"{name} must be 0 or more, or None, not {value}")
    if position.over:
        raise PositionError(f"the game is over: {position.result.reason}")
    if method == "vcf" and attacker != position.side:
        raise LimitError("vcf is for the side to move: give vct, dfpn or auto")


def _announce(
    position: "Position",
    attacker: Colour,
    method: str,
    nodes: tuple[ProofNode, ...],
    run: "_Run",
    shortest: bool,
) -> Solution:
    """Make a solution of a proof's nodes, if the checker accepts them."""
    run.write()
    verdict = Verdict("budget", "", (), 0, 0)
    for kind in {"vcf": ("fours",), "vct": ("threats", "any")}.get(method, ("any",)):
        proof = Proof(
            position.rules,
            position.stones,
            position.side,
            tuple(sorted(position.walls)),
            attacker,
            kind,
            0,
            nodes,
        )
        proof, verdict = count_plies(proof, give_up=run.give_up)
        if verdict:
            return Solution("won", method, None, verdict.line, verdict.plies, shortest, proof=proof)
    why = (run.why() or "memory") if verdict.status == "budget" else "check"
    return Solution("undecided", method, why)


class _Writer:
    """Writes down the proof that a search has found, asking it again where it has forgotten."""

    def __init__(self, hunter: "Hunter", position: "Position", attacker: Colour) -> None:
        self._hunter = hunter
        self._position = position
        self._attacker = attacker
        self._nodes: list[ProofNode] = []  # those that follow a node before it
        self._known: dict[ProofNode, int] = {}
        self._places: dict[int, int] = {}  # by the position's key

    def nodes(self) -> tuple[ProofNode, ...] | None:
        """Return the nodes, the root first; None if the search was stopped before that."""
        try:
            if self._position.side == self._attacker:
                self._attack()
            else:
                self._nodes.append(ProofMove(None, self._replies()))
        except _ForgottenError:
            return None
        last = len(self._nodes) - 1
        return tuple(_turned(node, last) for node in reversed(self._nodes))

    def _attack(self) -> int:
        """Write how the attacker, to move, wins; return the node's place."""
        key = self._position.key
        place = self._places.get(key)
        if place is None:
            found = self._hunter.attack(self._position)
            if found is None:
                raise _ForgottenError
            line, point = found
            if point is None:
                place = self._add(ProofFours(line))
            else:
                self._position.play(*point)
                replies = self._replies()
                self._position.undo()
                place = self._add(ProofMove(point, replies))
            self._places[key] = place
        return place

    def _replies(self) -> tuple[ProofReply, ...]:
        """Write what follows each reply of the defender, to move."""
        found = self._hunter.defend(self._position)
        if found is None:
            raise _ForgottenError
        line, points = found
        answers: dict[int, list[Point]] = {}
        for point in points:
            self._position.play(*point)
            answers.setdefault(self._attack(), []).append(point)
            self._position.undo()
        rest = None
        if line and len(points) < len(self._position.legal_points()):
            rest = self._add(ProofFours(line))
            answers.pop(rest, None)
        replies = [ProofReply(tuple(sorted(where)), at) for at, where in sorted(answers.items())]
        return tuple(replies) if rest is None else (*replies, ProofReply(None, rest))

    def _add(self, node: ProofNode) -> int:
        place = self._known.get(node)
        if place is None:
            place = self._known[node] = len(self._nodes)
            self._nodes.append(node)
        return place


class _ForgottenError(Exception):
    """A proven position could not be proven again within the limits."""


def _turned(node: ProofNode, last: int) -> ProofNode:
    """Return a node whose followers are counted from the other end."""
    if isinstance(node, ProofFours):
        return node
    return ProofMove(node.point, tuple(ProofReply(p, last - at) for p, at in node.replies))


class _Run:
    """The limits of one solve, and what it has spent of them.

    It has phases, each with a kernel's search; an early one may take a share only.
    """

    def __init__(
        self, time_ms: int | None, nodes: int | None, on_progress: OnProgress | None
    ) -> None:
        self.stopped = Event()
        self._started = self._shown = monotonic()
        self._seconds = None if time_ms is None else time_ms / 1000
        self._deadline = None if self._seconds is None else self._started + self._seconds
        self._limit = nodes
        self._on_progress = on_progress
        self._before = 0  # nodes of earlier phases
        self._method = ""
        self._until = self._deadline
        self._most: int | None = None  # nodes of this phase
        self._stop: Callable[[], None] = lambda: None
        self._count: Callable[[], int] = lambda: 0
        self._numbers: Callable[[], tuple[int, int]] | None = None

    def begin(
        self,
        method: str,
        share: bool,
        count: Callable[[], int],
        stop: Callable[[], None],
        numbers: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        """Begin a phase. share: another follows; count: its nodes; numbers: as in SolveProgress."""
        self._before += self._count()
        self._method = method
        self._count, self._stop, self._numbers = count, stop, numbers
        self._until = self._deadline
        self._most = None if self._limit is None else max(0, self._limit - self._before)
        if share:
            part = FIRST_SHARES[method]
            now = monotonic()
            if self._deadline is not None:
                self._until = now + part * max(0.0, self._deadline - now)
            most = FIRST_NODES[method] if self._most is None else int(part * self._most)
            self._most = min(most, FIRST_NODES[method])

    def write(self) -> None:
        """Begin to write a proof, or to check one: as much time again."""
        if self._seconds is not None:
            self._until = monotonic() + max(WRITING_SECONDS, self._seconds)
        self._most = None

    @property
    def nodes_left(self) -> int | None:
        """Nodes that this phase may take; None: any number."""
        return self._most

    def why(self) -> str | None:
        """Return which limit has ended this phase; None: none has."""
        if self.stopped.is_set():
            return "stopped"
        if self._until is not None and monotonic() >= self._until:
            return "time"
        return "nodes" if self._most is not None and self._count() >= self._most else None

    def why_over(self) -> str | None:
        """Return which limit of the whole is reached; None: none is."""
        if self.stopped.is_set():
            return "stopped"
        if self._deadline is not None and monotonic() >= self._deadline:
            return "time"
        spent = self._before + self._count()
        return "nodes" if self._limit is not None and spent >= self._limit else None

    def give_up(self) -> bool:
        """Return whether to give up; for who works in the calling thread."""
        return self.why() is not None

    def wait(self, task: Callable[[], T]) -> T:
        """Run a kernel's search in a thread of its own, and look after it."""
        results: list[T] = []
        faults: list[BaseException] = []

        def work() -> None:
            try:
                results.append(task())
            except BaseException as fault:  # handed over
                faults.append(fault)

        thread = Thread(target=work, name="shisan-solver", daemon=True)
        thread.start()
        with self._ended(thread):
            while thread.is_alive():
                thread.join(LOOK_SECONDS)
                if self.stopped.is_set() or (
                    self._until is not None and monotonic() >= self._until
                ):
                    self._stop()
                self._show()
        if faults:
            raise faults[0]
        return results[0]

    @contextmanager
    def _ended(self, thread: Thread) -> Iterator[None]:
        """Let no search run on, whatever is raised here."""
        try:
            yield
        except BaseException:
            self.stopped.set()
            while thread.is_alive():
                self._stop()
                thread.join(LOOK_SECONDS)
            raise

    def _show(self) -> None:
        now = monotonic()
        if self._on_progress is None or now - self._shown < PROGRESS_SECONDS:
            return
        self._shown = now
        numbers = self._numbers() if self._numbers is not None else (None, None)
        spent = self._before + self._count()
        self._on_progress(SolveProgress(self._method, spent, self._ms(), *numbers))

    def _ms(self) -> int:
        return int((monotonic() - self._started) * 1000)

    def closed(self, solution: Solution) -> Solution:
        """Return a solution with what the whole has taken."""
        spent = self._before + self._count()
        return replace(solution, nodes=spent, time_ms=self._ms())
