"""The checks behind verify: the fast engine held against the plain reference.

Each returns what differs, in words, so that a test can want an empty list and the command can
count and print. Nothing here decides how much is checked.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from shisan.engine import Colour, IllegalMoveError, Point, Position, Rules
from shisan.engine.kernel import available, load
from shisan.engine.reference import DIRECTIONS, Line, ReferencePosition, Stone

BLACK, WHITE = Colour.BLACK, Colour.WHITE
KINDS: Final = {"33": "double three", "44": "double four", "6": "overline"}

ALL_RULES: Final = tuple(
    Rules(15, 15, black, white, closed, forbidden, foul)
    for black, white, closed, forbidden, foul in product((False, True), repeat=5)
    if (black or not forbidden) and (forbidden or foul)
)
"""Every combination of facts that differs from the others, 15x15."""


class Tally(NamedTuple):
    """What a check counted, and what it found wrong."""

    counts: Counter[str]
    faults: list[str]


# Reading the data


def points(text: str) -> list[Point]:
    """Return the points of a run of two-letter names."""
    codes = [ord(letter) - ord("a") for letter in text]
    return list(zip(codes[::2], codes[1::2], strict=True))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a compressed JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def stones_of(record: dict[str, Any]) -> list[Stone]:
    """Return the stones of a record of either kind, in order where one is known."""
    if record.get("moves"):
        return [(x, y, Colour(i % 2)) for i, (x, y) in enumerate(record["moves"])]
    black = points(record["b"]) if "b" in record else record["black"]
    white = points(record["w"]) if "w" in record else record["white"]
    return [(x, y, BLACK) for x, y in black] + [(x, y, WHITE) for x, y in white]


# rules: the stored verdicts. Each check takes Position or ReferencePosition as kind.


def check_forbidden(kind: Any, record: dict[str, Any]) -> list[str]:
    """Hold every forbidden point of a board, and its kind, against the stored ones."""
    position = kind.set_up(Rules.renju(record["size"]), stones_of(record), BLACK)
    if "forbidden" in record:
        stored = {name.replace("-", " "): where for name, where in record["forbidden"].items()}
    else:
        stored = {KINDS[name]: points(record[name]) for name in KINDS if name in record}
    wanted = {tuple(point): name for name, where in stored.items() for point in where}
    found = position.forbidden_points()
    faults = _differing(record["id"], "forbidden points", found.items(), wanted.items())
    legal = {point for point in found if position.is_legal(*point)}
    return faults + _differing(record["id"], "forbidden but legal", legal, ())


def check_last_move(kind: Any, record: dict[str, Any]) -> list[str]:
    """Hold the result of a last move under four rules against the stored ones."""
    size = record["size"]
    settings = {
        "free": Rules.freestyle(size),
        "exact": Rules.standard(size),
        "renju": Rules.renju(size),
        "forb_exact": replace(Rules.renju(size), white_exact=True),
    }
    letters = {"five": "W", "going on": "N", "no legal point": "N", "board full": "D"}
    mover = BLACK if record["mover"] == "b" else WHITE
    last = points(record["last"])[0]
    stones = [stone for stone in stones_of(record) if stone[:2] != last]
    faults = []
    for name, rules in settings.items():
        position = kind.set_up(rules, stones, mover)
        foul = _foul_kind(position, last) if mover == BLACK else None
        if not position.over:  # else drawn already: the point was the last one, and forbidden
            position.play(*last)
        reason = position.result.reason
        found = letters[reason] if foul is None else _foul_letters(foul)
        fits = foul is None or reason in ("forbidden move", "no legal point")
        if found != record[name] or not fits:
            faults.append(f"{record['id']} {name}: {found} ({reason}), stored {record[name]}")
    return faults


def check_no_legal_point(kind: Any, record: dict[str, Any]) -> list[str]:
    """Hold legality on an almost full board against the stored one."""
    position = kind.set_up(Rules.renju(record["size"]), stones_of(record), BLACK)
    faults = []
    reason = "no legal point" if record["black_to_move_draw"] else "going on"
    if position.result.reason != reason:
        faults.append(f"{record['id']}: {position.result}, stored {reason}")
    forbidden = points(record["forbidden"])
    faults += _differing(record["id"], "forbidden", position.forbidden_points(), forbidden)
    return faults + _differing(
        record["id"], "legal", position.legal_points(), points(record["legal"])
    )


def check_disputed(kind: Any, record: dict[str, Any]) -> list[str]:
    """Hold one disputed point against its verdict."""
    position = kind.set_up(Rules.renju(record["size"]), stones_of(record), BLACK)
    why = position.why_illegal(*points(record["pt"])[0])
    shown = "legal" if why is None else f"forbidden {_foul_letters(why.kind)[1:]}"
    if shown != record["verdict"]:
        return [f"{record['id']}: {shown}, stored {record['verdict']} ({record['reason']})"]
    return []


def check_black_line(kind: Any, record: tuple[int, str]) -> list[str]:
    """Hold what Black makes in the middle of one line of eleven points against the stored one."""
    number, stored = record
    digits = [number // 3**i % 3 for i in range(9, -1, -1)]
    columns = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
    stones = [(x, 7, Colour(d - 1)) for x, d in zip(columns, digits, strict=True) if d]
    position = kind.set_up(Rules.renju(), stones, BLACK)
    foul = _foul_kind(position, (7, 7))
    found = {None: "0", "overline": "4", "double four": "2"}[foul]
    if position.over:  # a five beside the point: whether it makes another cannot be asked
        found = stored if (found, stored) == ("0", "8") else found
    elif foul is None:
        position.play(7, 7)
        found = "8" if position.result.winner == BLACK else "0"
    return [] if found == stored else [f"line {number}: {found}, stored {stored}"]


CHECKS: Final[dict[str, Callable[..., list[str]]]] = {
    "forbidden points": check_forbidden,
    "forbidden puzzles": check_forbidden,
    "last moves": check_last_move,
    "no legal point": check_no_legal_point,
    "disputed": check_disputed,
    "black lines": check_black_line,
}
"""The checks of stored verdicts; each takes Position or ReferencePosition, and a record."""


def rules_records(data: Path, name: str) -> list[Any]:
    """Return the records for one of CHECKS."""
    if name == "black lines":
        with gzip.open(data / "rules/black_lines.txt.gz", "rt") as file:
            return list(enumerate(file.read().strip()))
    files = {
        "forbidden points": "rules/forbidden_points",
        "forbidden puzzles": "puzzles/forbidden_renju15",
        "last moves": "rules/wins",
        "no legal point": "rules/no_legal_point",
        "disputed": "rules/disputed",
    }
    return read_lines(data / f"{files[name]}.jsonl.gz")


def _foul_kind(position: Any, point: Point) -> str | None:
    """Return what forbids an empty point to Black, who is to move, even in a game that is over."""
    if position.over:
        found: str | None = position.forbidden_points().get(point)
        return found
    why = position.why_illegal(*point)
    return None if why is None else str(why.kind)


def _foul_letters(kind: str) -> str:
    return "F" + next(letters for letters, name in KINDS.items() if name == kind)


def _differing(where: object, what: str, found: Iterable[Any], wanted: Iterable[Any]) -> list[str]:
    extra, missing = set(found) - set(wanted), set(wanted) - set(found)
    if not extra and not missing:
        return []
    return [f"{where}: {what}: too many {sorted(extra)}, missing {sorted(missing)}"]


# walks: random games on both positions at once


class Walk:
    """Random games, with moves taken back, on Position and the reference together.

    Everything cheap is compared at every move, everything else at one move in full_every, and
    the classes of points at one of maps_every of these. A difference ends the walk.
    """

    def __init__(self, seed: int, full_every: int = 25, maps_every: int = 8) -> None:
        self.random = Random(seed)
        self.seed = seed
        self.full_every = full_every
        self.maps_every = maps_every
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.start()

    def run(self, moves: int) -> Tally:
        """Make so many moves, fewer if a difference is found."""
        while self.counts["moves"] < moves and not self.faults:
            self.step()
        return Tally(self.counts, self.faults)

    def start(self) -> None:
        """Begin another game: some rules, a size, perhaps walls and stones that are there."""
        rules = random_rules(self.random)
        board = [(x, y) for y in range(rules.height) for x in range(rules.width)]
        self.random.shuffle(board)
        walls = board[: self.random.randrange(1 + len(board) // 8)] if self.chance(0.2) else []
        free = board[len(walls) :]
        count = self.random.randrange(1 + len(free)) if self.chance(0.3) else 0
        stones = [(x, y, self.random.choice((BLACK, WHITE))) for x, y in free[:count]]
        side = self.random.choice((BLACK, WHITE)) if count else BLACK
        self.fast = Position.set_up(rules, stones, side, walls)
        self.slow = ReferencePosition.set_up(rules, stones, side, walls)
        self.keys = [self.fast.key]
        self.counts["games"] += 1
        self.compare()

    def step(self) -> None:
        """Play a point, or try to, or take some back; then compare."""
        if self.slow.over:
            self.compare_over()
            if len(self.keys) < 2 or self.chance(0.4):
                self.start()
                return
            self.take_back(self.random.randrange(1, 7))
        elif len(self.keys) > 1 and self.chance(0.05):
            self.take_back(self.random.randrange(1, 6))
        else:
            self.play(*self.choose())
        self.compare()

    def chance(self, share: float) -> bool:
        """Return True so often."""
        return self.random.random() < share

    def choose(self) -> Point:
        """Return an empty point, mostly in line with a stone and near it, at times forbidden."""
        stones = self.slow.stones
        if self.slow.rules.forbidden and self.slow.side == BLACK and self.chance(0.03):
            forbidden = sorted(self.slow.forbidden_points())
            if forbidden:
                return self.random.choice(forbidden)
        for _ in range(20 if stones and not self.chance(0.1) else 0):
            x, y, _owner = self.random.choice(stones[-12:])
            dx, dy = self.random.choice(DIRECTIONS)
            away = self.random.choice((-3, -2, -2, -1, -1, 1, 1, 2, 2, 3))
            if self.slow.is_empty(x + away * dx, y + away * dy):
                return x + away * dx, y + away * dy
        return self.random.choice(self.slow.empty_points())

    def play(self, x: int, y: int) -> None:
        """Play the point on both, or see both refuse it."""
        why = self.slow.why_illegal(x, y)
        self.equal("legality", self.fast.is_legal(x, y), why is None)
        if why is not None:
            self.compare_why(x, y)
            if not self.slow.rules.foul_loses:
                self.refused(x, y)
                return
        self.slow.play(x, y)
        self.fast.play(x, y)
        self.keys.append(self.fast.key)
        self.counts["moves"] += 1
        self.counts["fouls"] += why is not None

    def refused(self, x: int, y: int) -> None:
        """See the fast position refuse a point and stay as it was."""
        try:
            self.fast.play(x, y)
        except IllegalMoveError:
            return
        self.differ(f"{x},{y} was not refused")

    def take_back(self, count: int) -> None:
        """Take back moves; each time the key is the one there was."""
        for _ in range(min(count, len(self.keys) - 1)):
            self.equal("point taken back", tuple(self.fast.undo()), self.slow.undo())
            self.keys.pop()
            self.equal("key after undo", self.fast.key, self.keys[-1])
            self.counts["undone"] += 1

    # Comparing

    def equal(self, what: str, fast: object, slow: object) -> None:
        """Note a difference if there is one."""
        if fast != slow:
            self.differ(f"{what}: fast {fast}, reference {slow}")

    def differ(self, what: str) -> None:
        """Note a difference with all that is needed to see it again."""
        slow = self.slow
        stones = [(x, y, int(colour)) for x, y, colour in slow.stones]
        self.faults.append(
            f"seed {self.seed}: {what}; {slow.rules}, {slow.side.name} to move, "
            f"stones {stones}, walls {sorted(slow.walls)}"
        )

    def compare(self) -> None:
        """Compare side, ply and result, a point, and now and then everything."""
        fast, slow = self.fast, self.slow
        self.equal("side", fast.side, slow.side)
        self.equal("ply", fast.ply, slow.ply)
        self.equal("over", fast.over, slow.over)
        for fault in result_faults(fast, slow):
            self.differ(fault)
        x = self.random.randrange(-1, slow.rules.width + 1)
        y = self.random.randrange(-1, slow.rules.height + 1)
        self.equal(f"at {x},{y}", fast.at(x, y), slow.at(x, y))
        self.equal(f"is_empty {x},{y}", fast.is_empty(x, y), slow.is_empty(x, y))
        self.compare_why(x, y)
        self.counts[f"ended: {slow.result.reason}"] += slow.over
        if self.random.randrange(self.full_every) == 0:
            self.compare_all()

    def compare_why(self, x: int, y: int) -> None:
        """Compare whether and why a point cannot be played, lines included."""
        fast, slow = self.fast.why_illegal(x, y), self.slow.why_illegal(x, y)
        self.equal(f"is_legal {x},{y}", self.fast.is_legal(x, y), slow is None)
        if fast is None or slow is None:
            self.equal(f"why_illegal {x},{y}", fast, slow)
        else:
            self.equal(f"kind at {x},{y}", fast.kind, slow.kind)
            self.equal(f"lines at {x},{y}", _unordered(fast.lines), _unordered(slow.lines))

    def compare_over(self) -> None:
        """See that nothing can be played in a game that is over."""
        self.equal("legal points", list(self.fast.legal_points()), [])
        self.refused(*self.choose() if self.slow.empty_points() else (0, 0))

    def compare_all(self) -> None:
        """Compare every point, every legality, and equality with the same set up afresh."""
        fast, slow = self.fast, self.slow
        self.counts["full"] += 1
        forbidden = slow.forbidden_points()
        self.counts["forbidden points"] += len(forbidden)
        self.equal("forbidden points", dict(fast.forbidden_points()), forbidden)
        self.equal("legal points", sorted(fast.legal_points()), sorted(slow.legal_points()))
        self.equal("stones", tuple(fast.stones), slow.stones)
        self.equal("walls", set(fast.walls), set(slow.walls))
        for x, y in forbidden:
            self.compare_why(x, y)
        stones = list(slow.stones)
        self.random.shuffle(stones)
        afresh = Position.set_up(slow.rules, stones, slow.side, slow.walls)
        for twin, what in ((afresh, "set up afresh"), (fast.copy(), "copied")):
            self.equal(f"equal when {what}", (twin == fast, twin.key), (True, fast.key))
        other = Position.set_up(slow.rules, stones, slow.side.other, slow.walls)
        self.equal("equal with the other side to move", other == fast, False)
        if self.random.randrange(self.maps_every) == 0:
            self.counts["maps"] += 1
            for colour in Colour:
                for fault in map_faults(fast, slow, colour):
                    self.differ(fault)


def random_rules(random: Random) -> Rules:
    """Return some combination of rules on a board of some size, mostly 15 or a rectangle."""
    rules = random.choice(ALL_RULES)
    shape = random.random()
    if shape < 0.3:
        width = height = 15
    elif shape < 0.4:
        width = height = 20
    elif shape < 0.55:
        width = height = random.randrange(5, 23)
    elif shape < 0.7:
        width, height = random.randrange(5, 8), random.randrange(5, 8)
    else:
        width, height = random.randrange(5, 23), random.randrange(5, 23)
    return replace(rules, width=width, height=height)


def result_faults(fast: Position, slow: ReferencePosition) -> list[str]:
    """Compare two results. Of several fives either may name another."""
    found, wanted = fast.result, slow.result
    if (found.winner, found.reason) != (wanted.winner, wanted.reason):
        return [f"result: fast {found}, reference {wanted}"]
    if wanted.reason == "five":
        line = set(found.line)
        rows = [set(row) for row in slow.fives_through(*found.line[0])]
        if len(line) < 5 or not any(line <= row for row in rows):
            return [f"result: {found.line} is no five"]
    return []


def _unordered(lines: Iterable[Line]) -> list[Line]:
    return sorted(tuple(sorted(line)) for line in lines)


# maps: the classes of points along lines


MAP_NAMES: Final = ("five", "four", "closed three", "open four", "three", "two")
ONCE: Final = ("five", "open four")
"""Classes of which one direction is as good as two."""


def fold(counts: dict[str, dict[Point, int]]) -> dict[str, dict[Point, int]]:
    """Return counts of directions as the fast maps give them: none, one, two or more."""
    return {
        name: {p: min(n, 1 if name in ONCE else 2) for p, n in counts[name].items()}
        for name in MAP_NAMES
    }


def map_faults(
    fast: Position,
    slow: ReferencePosition,
    colour: Colour,
    counts: dict[str, dict[Point, int]] | None = None,
) -> list[str]:
    """Compare the classes of all empty points; counts are those of the reference, if known.

    Each kernel's maps are compared, and those of the slow row loops.
    """
    wanted = fold(slow.class_counts(colour) if counts is None else counts)
    faults = []
    for maker, found in _every_kernel(fast, colour):
        for name in MAP_NAMES:
            what = f"{name} of {colour.name.lower()}, {maker}"
            faults += _differing("maps", what, found[name].items(), wanted[name].items())
    return faults


def _every_kernel(fast: Position, colour: Colour) -> Iterator[tuple[str, dict[str, Any]]]:
    """The maps of a position by each kernel that this processor runs, and by the row loops."""
    for kernel in available():
        make = load("position", kernel).Position
        twin = make.set_up(fast.rules, fast.stones, fast.side, fast.walls)
        yield kernel, twin.maps(colour)
    yield "row loops", fast.maps(colour, portable=True)


def random_board(seed: int) -> tuple[Position, ReferencePosition]:
    """Return the same random board twice: some rules, size, density and perhaps walls."""
    random = Random(seed)
    rules = random_rules(random)
    board = [(x, y) for y in range(rules.height) for x in range(rules.width)]
    random.shuffle(board)
    walls = board[: random.choice((0, 0, 0, len(board) // 10))]
    share, blacks = random.uniform(0.05, 0.7), random.choice((0.5, 0.5, 0.8, 0.2))
    stones = [
        (x, y, BLACK if random.random() < blacks else WHITE)
        for x, y in board[len(walls) :]
        if random.random() < share
    ]
    return (
        Position.set_up(rules, stones, BLACK, walls),
        ReferencePosition.set_up(rules, stones, BLACK, walls),
    )


def board_faults(seed: int) -> list[str]:
    """Compare the classes on one random board."""
    fast, slow = random_board(seed)
    return [
        f"board {seed}: {fault}" for colour in Colour for fault in map_faults(fast, slow, colour)
    ]


LINE_RULES: Final = (
    Rules.freestyle(22),
    Rules.standard(22),
    Rules.caro(22),
    Rules.caro(22, exact=True),
)
"""What can count as a five, the same for both colours, on boards for long lines."""


def every_line(length: int = 11) -> str:
    """Return a text of 0 (empty), 1 and 2 which holds every line of this length once.

    A de Bruijn sequence, by joining the Lyndon words whose length divides the line's; the
    beginning is repeated at the end.
    """
    word, text = [0], []
    while word:
        if length % len(word) == 0:
            text += word
        word = [word[i % len(word)] for i in range(length)]
        while word and word[-1] == 2:
            word.pop()
        if word:
            word[-1] += 1
    return "".join(map(str, text + text[: length - 1]))


def line_boards() -> list[list[str]]:
    """Return rows of 22 points, 11 to a board, in which every line of eleven points occurs."""
    text = every_line()
    rows = [text[i : i + 22].ljust(22, "0") for i in range(0, len(text) - 10, 12)]
    return [rows[i : i + 11] for i in range(0, len(rows), 11)]


def line_faults(rules: Rules, rows: Sequence[str]) -> list[str]:
    """Compare the classes along rows that walls keep apart, so that no other line matters."""
    stones = [
        (x, 2 * i, Colour(int(digit) - 1))
        for i, row in enumerate(rows)
        for x, digit in enumerate(row)
        if digit != "0"
    ]
    walls = [(x, y) for y in range(1, 22, 2) for x in range(22)]
    slow = ReferencePosition.set_up(rules, stones, BLACK, walls)
    fast = Position.set_up(rules, stones, BLACK, walls)
    empty = slow.empty_points()
    faults = []
    for colour in Colour:
        counts: dict[str, dict[Point, int]] = {name: {} for name in (*MAP_NAMES, "overline")}
        for x, y in empty:
            for name in slow.classes_on(x, y, (1, 0), colour):
                counts[name][x, y] = 1
        faults += map_faults(fast, slow, colour, counts)
    return [f"{rules.name}, rows {list(rows)}: {fault}" for fault in faults]


# perft: how many sequences of legal moves there are


class Perft(NamedTuple):
    """A position and, for 1, 2, ... moves: the sequences, those that win, those that draw."""

    rules: Rules
    stones: list[Stone]
    side: Colour
    walls: list[Point]
    counts: list[tuple[int, int, int]]


def read_perft(path: Path) -> Iterator[Perft]:
    """Return the positions of a file of counts; its first comment lines tell the format."""
    rules = Rules()
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "rules":
            facts = {name: value == "yes" for name, value in (f.split("=") for f in rest.split())}
            rules = Rules(**facts)
        elif word and word != "#":
            width, height = map(int, word.split("x"))
            where, *counts = rest.split(" | ")
            side, black, white, walls = (field.partition(":")[2] for field in where.split(" "))
            stones = [(x, y, BLACK) for x, y in points(black)]
            stones += [(x, y, WHITE) for x, y in points(white)]
            yield Perft(
                replace(rules, width=width, height=height),
                stones,
                Colour[side.upper()],
                points(walls),
                [(int(n), int(won), int(drawn)) for n, won, drawn in map(str.split, counts)],
            )


def perft(position: Any, depth: int) -> tuple[int, int, int]:
    """Count the sequences of so many legal moves, those ending in a win, and in a draw.

    position: a Position or ReferencePosition; it is left as it was.
    """
    if depth == 0:
        reason = position.result.reason
        return 1, reason == "five", reason in ("board full", "no legal point")
    total = [0, 0, 0]
    for x, y in position.legal_points():  # none in a game that is over
        position.play(x, y)
        for i, count in enumerate(perft(position, depth - 1)):
            total[i] += count
        position.undo()
    return total[0], total[1], total[2]
