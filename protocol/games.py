"""A game as read from a file, whatever the format: main line, branches, comments, and its legality.

Points are (x, y) as in the kernel: column and row from 0, (0, 0) top left. Readers turn every other
way of counting into this one. A file says of a game what it says and no more: where it tells no
rule, size or result, the record has none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any, Final, Literal, NamedTuple

from shisan.engine import (
    MAX_SIDE,
    Colour,
    IllegalMoveError,
    Point,
    Position,
    PositionError,
    Rules,
    RulesError,
)

from .notation import point_name
from .settings import rule_sum

Format = Literal["psq", "rec", "sgf", "rif", "renlib", "json", "text"]
"""What a file can be, as `docs/formats.md` describes it."""

Outcome = Literal["", "1-0", "0-1", "1/2"]
"""What a file tells of the end: Black's points first; "" for nothing."""

Moves = tuple[Point | None, ...]
"""Moves in order of play, colours in turn; None is a pass."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a game stands.

    file: the name that the reader was given, "" for bytes. number: which game of the file, from 1.
    line: its first line, from 1; None in binary files. offset: its first byte, from 0; None in
    texts. name: what the file calls the game, perhaps "".
    """

    file: str = ""
    format: Format = "text"
    number: int = 1
    line: int | None = None
    offset: int | None = None
    name: str = ""

    def __str__(self) -> str:
        """For people: `games.sgf: line 3, game 2`."""
        parts = []
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.offset is not None:
            parts.append(f"byte {self.offset}")
        if self.number > 1:
            parts.append(f"game {self.number}")
        return ": ".join(part for part in (self.file, ", ".join(parts)) if part)


class GameError(ValueError):
    """A file, or one game of it, that cannot be read or is not legal.

    The text is `FILE: line 3, game 2: PROBLEM`; in binary files `byte 40` in place of the line.
    source: where; its line or offset is that of what is wrong. problem: what is wrong and perhaps
    what to do. field: which property, attribute, column or move; "" where there is none.
    value: what stands there, cut to a few characters.
    """

    def __init__(self, source: Source, problem: str, field: str = "", value: str = "") -> None:
        where = shortened(str(source), 1000)
        problem = shortened(problem, 1000)
        super().__init__(f"{where}: {problem}" if where else problem)
        self.source = source
        self.problem = problem
        self.field = field
        self.value = shortened(value)

    def __reduce__(self) -> tuple[type["GameError"], tuple[Source, str, str, str]]:
        return type(self), (self.source, self.problem, self.field, self.value)


@dataclass(frozen=True, slots=True)
class Branch:
    """Moves that leave another line of the game: a variation.

    parent: the line that is left, 0 the main line, k the k-th branch, always an earlier one.
    ply: how many of the moves of that whole line come before. comments: as in GameRecord.
    """

    parent: int
    ply: int
    moves: Moves
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as a file tells it.

    width, height: the board. side: who makes the first of the moves; colours take turns, and where
    a file lets one colour move twice there is a pass between. black, white, walls: what lies on
    the board before. rules: None where the file tells none. players: Black's name and White's, ""
    where untold. result: as told, which a replay may contradict. comment: on the game or its
    first position. comments: one a move, or none at all. times_ms: likewise; None: untold.
    facts: what else is told, as (name, value): event, date, round, place, opening and more; result
    where it says more than who won, rule where it is none that rules can be. branches: in the
    order of the file, each after the line it leaves.
    """

    width: int = 15
    height: int = 15
    moves: Moves = ()
    side: Colour = Colour.BLACK
    black: tuple[Point, ...] = ()
    white: tuple[Point, ...] = ()
    walls: tuple[Point, ...] = ()
    rules: Rules | None = None
    players: tuple[str, str] = ("", "")
    result: Outcome = ""
    comment: str = ""
    comments: tuple[str, ...] = ()
    times_ms: tuple[int | None, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    branches: tuple[Branch, ...] = ()
    source: Source = field(default_factory=Source, compare=False)

    def fact(self, name: str) -> str:
        """What is told under this name, or ""."""
        return dict(self.facts).get(name, "")

    def line(self, number: int = 0) -> Moves:
        """All moves of a line from the beginning: 0 the main line, k the k-th branch."""
        return tuple(move for move, _ in self._steps(number))

    def line_comments(self, number: int = 0) -> tuple[str, ...]:
        """The comments on the moves of a line, one a move, "" for none."""
        return tuple(said for _, said in self._steps(number))

    def _steps(self, number: int) -> list[tuple[Point | None, str]]:
        parts: list[list[tuple[Point | None, str]]] = []
        end: int | None = None
        while number > 0:
            branch = self.branches[number - 1]
            own = None if end is None else max(0, end - branch.ply)
            parts.append(_paired(branch.moves, branch.comments)[:own])
            number, end = branch.parent, branch.ply if end is None else min(end, branch.ply)
        parts.append(_paired(self.moves, self.comments)[:end])
        return [step for part in reversed(parts) for step in part]

    @property
    def title(self) -> str:
        """The players' names, `Black - White`, or what the file calls the game."""
        if any(self.players):
            return " - ".join(name or "?" for name in self.players)
        return self.source.name

    def sized(self, rules: Rules) -> Rules:
        """These rules on the game's board. Raises RulesError for sides out of range."""
        return replace(rules, width=self.width, height=self.height)

    def position(
        self, rules: Rules | None = None, plies: int | None = None, line: int = 0
    ) -> Position:
        """The position after so many moves of a line (None: all of them), under rules.

        rules: their size gives way to the game's; None: those the file tells. Raises GameError for
        an illegal move or set-up, or where neither tells rules.
        """
        wanted = rules or self.rules
        if wanted is None:
            raise GameError(self.source, "the file tells no rules: say which ones", "rules")
        try:
            board = Replay(self, wanted)
        except PositionError as bad:
            raise GameError(self.source, f"set-up: {bad}", "set-up") from None
        for ply, move in enumerate(self.line(line)[:plies]):
            problem = board.play(move)
            if problem:
                where = move_place(line, ply, move) + f" under {wanted.name}"
                raise GameError(self.source, f"{where}: {problem}", f"move {ply + 1}")
        return board.position


class Fault(NamedTuple):
    """The first move of a game that is not legal.

    line: 0 the main line, k the k-th branch. ply: its index in that whole line, -1: what was set
    up. problem: for people, with the move's number and point.
    """

    line: int
    ply: int
    problem: str


class Replay:
    """A game's position move by move, passes too. Raises PositionError for a bad set-up."""

    def __init__(self, game: GameRecord, rules: Rules) -> None:
        sized = game.sized(rules)
        stones = [(x, y, Colour.BLACK) for x, y in game.black]
        stones += [(x, y, Colour.WHITE) for x, y in game.white]
        if stones or game.walls or game.side != Colour.BLACK:
            start = Position.set_up(sized, stones, game.side, game.walls)
        else:
            start = Position(sized)
        self._positions = [start]
        self._moves: list[Point | None] = []

    @property
    def position(self) -> Position:
        """The position now; it changes with the next move."""
        return self._positions[-1]

    def play(self, move: Point | None) -> str:
        """Make a move. Returns why it is illegal, and then nothing has changed; or ""."""
        now = self.position
        if move is not None:
            try:
                now.play(*move)
            except IllegalMoveError as problem:
                return str(problem)
        elif now.over:
            return f"the game is over: {now.result.reason}"
        else:
            passed = Position.set_up(now.rules, now.stones, now.side.other, now.walls)
            self._positions.append(passed)
        self._moves.append(move)
        return ""

    def undo(self) -> None:
        """Take the last move back."""
        if self._moves.pop() is None:
            self._positions.pop()
        else:
            self.position.undo()

    def go(self, line: Moves) -> tuple[int, str]:
        """Go to the end of a line by the least moves. Returns the ply that failed and why, or -1.

        After a failure the position is the one before it.
        """
        common = 0
        for old, new in zip(self._moves, line, strict=False):
            if old != new:
                break
            common += 1
        while len(self._moves) > common:
            self.undo()
        for ply in range(common, len(line)):
            problem = self.play(line[ply])
            if problem:
                return ply, problem
        return -1, ""


def first_fault(game: GameRecord, rules: Rules | None = None, legal: bool = True) -> Fault | None:
    """The first illegal move, main line first; None if there is none.

    rules: None: those the file tells. A move after the end of the game is illegal. If there are no
    rules, or legal is false, moves need only be on empty points of the board.
    """
    wanted = (rules or game.rules) if legal else None
    try:
        board = Replay(game, wanted or Rules.freestyle())
    except PositionError as problem:
        return Fault(0, -1, f"set-up: {problem}")
    if wanted is None:
        return _first_collision(game)
    for number in range(len(game.branches) + 1):
        line = game.line(number)
        ply, problem_text = board.go(line)
        if problem_text:
            where = f"{move_place(number, ply, line[ply])} under {wanted.name}"
            return Fault(number, ply, f"{where}: {problem_text}")
    return None


def _first_collision(game: GameRecord) -> Fault | None:
    """The first move outside the board or on a point that is taken."""
    taken = {*game.black, *game.white, *game.walls}
    for number in range(len(game.branches) + 1):
        line = game.line(number)
        seen = set(taken)
        for ply, move in enumerate(line):
            if move is None:
                continue
            x, y = move
            problem = ""
            if not (0 <= x < game.width and 0 <= y < game.height):
                problem = f"point {x},{y} is outside"
            elif move in seen:
                problem = f"point {x},{y} is occupied"
            if problem:
                return Fault(number, ply, f"{move_place(number, ply, move)}: {problem}")
            seen.add(move)
    return None


def move_place(line: int, ply: int, move: Point | None) -> str:
    """A move for people: `move 5 (h8)`, `branch 2, move 5 (h8)`."""
    if move is None:
        name = "pass"
    elif 0 <= move[0] < MAX_SIDE:
        name = point_name(*move)
    else:
        name = f"{move[0]},{move[1]}"
    return (f"branch {line}, " if line else "") + f"move {ply + 1} ({name})"


def _paired(moves: Moves, comments: tuple[str, ...]) -> list[tuple[Point | None, str]]:
    said = comments or ("",) * len(moves)
    return list(zip(moves, said, strict=True))


def shortened(value: str, most: int = 24) -> str:
    """A value for an error message: not too long, nothing that cannot be printed."""
    plain = "".join(mark if mark.isprintable() else "?" for mark in value[: most + 1])
    return plain if len(value) <= most else plain[:most] + "..."


def _all_rules() -> Iterator[Rules]:
    """Every combination of the facts of a rule, on a board of 15."""
    for black, white, closed, forbidden in product((False, True), repeat=4):
        if black or not forbidden:
            yield Rules(
                black_exact=black, white_exact=white, closed_five=closed, forbidden=forbidden
            )


def _rules_by_name() -> dict[str, Rules]:
    known = {}
    for rules in _all_rules():
        known[rules.name] = rules
        try:
            known[str(rule_sum(rules))] = rules
        except ValueError:
            continue
    return known


_NAMED: Final = _rules_by_name()


def rules_named(name: str, width: int = 15, height: int = 15) -> Rules | None:
    """The rules that a file means by a name, or None for a name that may mean several things.

    Names are those of Rules.name; numbers the sums of INFO rule, as c-gomoku-cli writes them.

    >>> rules_named("Renju").forbidden, rules_named("1").name, rules_named("gomoku")
    (True, 'standard', None)
    """
    found = _NAMED.get(" ".join(name.lower().split()))
    return None if found is None else replace(found, width=width, height=height)


FACTS: Final = ("black_exact", "white_exact", "closed_five", "forbidden", "foul_loses")
"""The facts of a rule that are yes or no, as in Rules."""


def rule_facts(rules: Rules) -> dict[str, str | bool]:
    """A rule as a JSON object: its name and its facts, without the size."""
    facts = asdict(rules)
    return {"name": rules.name} | {name: facts[name] for name in FACTS}


KNOWN_RULES: Final = "there are freestyle, standard, renju, caro, and sums of INFO rule"
"""What an error says of names of rules."""


def rules_of_facts(said: Mapping[str, Any], width: int = 15, height: int = 15) -> Rules:
    """The rules that such an object means: those of its name, freestyle without one, and its facts.

    Raises RulesError, which names the fact.

    >>> rules_of_facts({"name": "renju", "white_exact": True}).name
    'renju, white exactly five'
    """
    name = said.get("name", "freestyle")
    base = rules_named(name, width, height) if isinstance(name, str) else None
    if base is None:
        raise RulesError(f"rule {shortened(str(name))!r} is not known: {KNOWN_RULES}")
    for fact, value in said.items():
        if fact != "name" and fact not in FACTS:
            raise RulesError(f"a rule has no {shortened(fact)!r}: {', '.join(FACTS)}")
        if fact != "name" and type(value) is not bool:
            raise RulesError(f"{fact} must be true or false, not {shortened(str(value))}")
    return replace(base, **{fact: said[fact] for fact in FACTS if fact in said})
