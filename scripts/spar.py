"""Two brains play each other, with a referee between them: small, for a quick look at strength.

Each opening is played twice, once with each brain on the first move of the game. The referee is
shisan.engine.Position and a clock that runs from our write to our read. An illegal move, a crash,
an answer later than turn plus tolerance and a line that is no answer each lose the game, and are
counted apart. Every game gets processes of its own, and a line in the log.
"""

import argparse
import json
import os
import select
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic, strftime
from typing import Any, Final, NamedTuple

from shisan.engine import Colour, Point, Position, Rules
from shisan.protocol.notation import read_points
from shisan.protocol.settings import Settings

START_TIME: Final = 20.0  # seconds from the creation of a brain to the OK after START
LEAVE_TIME: Final = 2.0  # seconds from END to its exit

EXAMPLES: Final = """\
ENGINE is a command line, or builtin:shisan, builtin:random, builtin:greedy. Examples:
  spar builtin:shisan builtin:greedy --games 20 --turn-ms 30 --rule 4
  spar builtin:shisan ./pbrain-other --openings FILE --log spar.jsonl
"""

Record = dict[str, Any]


class FoulError(Exception):
    """A brain has lost by what it did. The text begins with one word for the kind."""


class Plan(NamedTuple):
    """What all games of a run share. turn_ms, tolerance_ms: of a move."""

    rules: Rules
    rule: int
    turn_ms: int
    tolerance_ms: int


class Brain:
    """A brain in one game, a process group of its own. took_ms: the latest answer's time."""

    def __init__(self, command: Sequence[str], plan: Plan) -> None:
        self.took_ms = 0.0
        self._plan = plan
        self._told = 0  # stones of the game that it knows of
        self._rest = b""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def start(self) -> None:
        """START, which is not charged to the first move."""
        side = self._plan.rules.width
        answer = self._ask([f"START {side}"], START_TIME)
        if answer != "OK":
            raise FoulError(f"protocol: START {side} was answered with {answer[:80]!r}")

    def move(self, position: Position) -> Point:
        """The brain's move, whatever point it is."""
        stones = position.stones
        if self._told and len(stones) == self._told + 1:
            lines = [f"TURN {stones[-1][0]},{stones[-1][1]}"]
        else:
            lines = [f"INFO timeout_turn {self._plan.turn_ms}", "INFO timeout_match 0"]
            lines += ["INFO game_type 1", f"INFO rule {self._plan.rule}"]
            listed = [f"{x},{y},{1 if c == position.side else 2}" for x, y, c in stones]
            lines += ["BOARD", *listed, "DONE"] if stones else ["BEGIN"]
        self._told = len(stones) + 1
        answer = self._ask(lines, (self._plan.turn_ms + self._plan.tolerance_ms) / 1000)
        x, _, y = answer.partition(",")
        if not (x.isdecimal() and y.isdecimal()):
            raise FoulError(f"protocol: {answer[:80]!r} is no move")
        return int(x), int(y)

    def close(self) -> None:
        """END, and soon the end of its whole process group."""
        with suppress(OSError), self._input:  # closed even if it has left already
            self._input.write(b"END\r\n")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVE_TIME)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._output.close()

    def _ask(self, lines: Sequence[str], seconds: float) -> str:
        """Send lines in one write; the next line that comes, MESSAGE and DEBUG apart."""
        begun = monotonic()
        try:
            self._input.write("".join(line + "\r\n" for line in lines).encode())
        except OSError:
            raise FoulError("crash: it does not read") from None
        while (left := begun + seconds - monotonic()) > 0:
            line, end, rest = self._rest.partition(b"\n")
            if end:
                self._rest = rest
                self.took_ms = (monotonic() - begun) * 1000
                if line.strip() and line.split()[0].upper() not in (b"MESSAGE", b"DEBUG"):
                    return line.decode("ascii", "replace").strip()
            elif select.select([self._output], [], [], left)[0]:
                chunk = os.read(self._output.fileno(), 65536)
                if not chunk:
                    raise FoulError("crash: it has left")
                self._rest += chunk
        raise FoulError(f"time: no answer in {seconds * 1000:.0f} ms")


def play(plan: Plan, opening: Sequence[Point], commands: Sequence[Sequence[str]]) -> Record:
    """Play a game; commands: of Black (the first mover of the opening) and of White.

    The record: winner "black", "white" or None; reason, a kind of FoulError or what Position says;
    detail of a foul; opening, the number of its moves; moves, opening included; ms of each move
    after it. Raises OSError when a brain cannot be started.
    """
    position = Position(plan.rules)
    for point in opening:
        position.play(*point)
    times: list[float] = []
    brains: list[Brain] = []
    foul, mover = "", position.side
    try:
        for mover in Colour:
            brains.append(Brain(commands[mover], plan))
            brains[mover].start()
        while not position.over:
            mover = position.side
            x, y = brains[mover].move(position)
            times.append(round(brains[mover].took_ms, 1))
            if not position.is_empty(x, y):
                raise FoulError(f"illegal: {x},{y} is not an empty point")
            position.play(x, y)
    except FoulError as problem:
        foul = str(problem)
    finally:
        for brain in brains:
            brain.close()
    winner = mover.other if foul else position.result.winner
    return {
        "winner": None if winner is None else winner.name.lower(),
        "reason": foul.partition(":")[0] if foul else position.result.reason,
        "detail": foul,
        "opening": len(opening),
        "moves": " ".join(f"{x},{y}" for x, y, _ in position.stones),
        "ms": times,
    }


def read_openings(path: Path, rules: Rules) -> list[list[Point]]:
    """One opening a line, empty lines and comments (#) left out. Raises ValueError."""
    found = []
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            position = Position(rules)
            for x, y in read_points(line, rules.width, rules.height):
                position.play(x, y)
        except ValueError as problem:
            raise ValueError(f"{path}, line {number}: {problem}") from None
        if position.over:
            raise ValueError(f"{path}, line {number}: {position.result.reason}")
        found.append([(x, y) for x, y, _ in position.stones])
    return found


def random_opening(rules: Rules, luck: Random) -> list[Point]:
    """One to three stones within two points of the middle: nobody has won yet."""
    position = Position(rules)
    cx, cy = rules.width // 2, rules.height // 2
    for _ in range(luck.randint(1, 3)):
        legal = position.legal_points()
        position.play(*luck.choice([p for p in legal if max(abs(p[0] - cx), abs(p[1] - cy)) <= 2]))
    return [(x, y) for x, y, _ in position.stones]


def command_of(engine: str, seed: int) -> list[str]:
    """The command of an engine as named on the command line. Raises ValueError."""
    kind, _, name = engine.partition(":")
    if kind != "builtin":
        return shlex.split(engine)
    if name == "shisan":
        return [sys.executable, "-m", "shisan.protocol"]
    if name in ("random", "greedy"):
        return [sys.executable, "-m", "shisan.scripts.sparring_brains", name, f"--seed={seed}"]
    raise ValueError(f"there is no {engine}: builtin:shisan, builtin:random, builtin:greedy")


def summary(records: Sequence[Record], turn_ms: int) -> str:
    """The result for A as text: games, pairs, and what was not as it should be."""
    points = [record["score_a"] for record in records]
    pairs = Counter(sum(points[at : at + 2]) for at in range(0, len(points) - 1, 2))
    endings: Counter[str] = Counter()
    for record in records:
        lost_by = " by A" if record["score_a"] == 0 else " by B"
        foul = record["detail"] or record["reason"] == "forbidden move"
        endings[record["reason"] + (lost_by if foul else "")] += 1
    lines = [
        f"A: {points.count(1)}-{points.count(0.5)}-{points.count(0)} (W-D-L), "
        f"{100 * sum(points) / max(1, len(points)):.1f} % of {len(points)} games",
        "pairs with 2, 1.5, 1, 0.5, 0 points: "
        + ", ".join(str(pairs[both]) for both in (2, 1.5, 1, 0.5, 0)),
        "endings: " + ", ".join(f"{n} {why}" for why, n in sorted(endings.items())),
    ]
    for name in "ab":
        times: list[float] = []
        for record in records:
            first = (record["opening"] % 2 == 0) == (record["black"] == name)
            times += record["ms"][0 if first else 1 :: 2]
        lines.append(
            f"{name.upper()}: {len(times)} moves, mean {sum(times) / max(1, len(times)):.0f} ms,"
            f" longest {max(times, default=0):.0f} ms,"
            f" {sum(ms > turn_ms for ms in times)} over {turn_ms} ms"
        )
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    kind = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(
        prog="spar", description=__doc__, epilog=EXAMPLES, formatter_class=kind
    )
    add = made.add_argument
    add("a", metavar="ENGINE_A")
    add("b", metavar="ENGINE_B")
    add("--games", type=int, default=20, help="default 20")
    add("--turn-ms", type=int, default=300, help="time of a move; default 300")
    add("--tolerance-ms", type=int, default=1000, help="allowed beyond it; default 1000")
    add("--rule", type=int, default=0, metavar="SUM", help="as INFO rule; default 0")
    add("--size", type=int, default=15, help="side of the board; default 15")
    openings = "lines of 'x,y x,y ...', used in turn; default: random stones near the middle"
    add("--openings", type=Path, metavar="FILE", help=openings)
    add("--seed", type=int, default=1, help="of random openings and built-in brains")
    add("--log", type=Path, metavar="FILE", help="append a line of JSON a game")
    add("--wins-only", action="store_true", help="stop when A has not won a game, with status 1")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and print the result. Exit status 1: --wins-only and A has not won."""
    options = parser().parse_args(arguments)
    settings = Settings()
    settings.take("rule", str(options.rule))
    try:
        rules, _ = settings.rules(options.size, options.size)
        known = read_openings(options.openings, rules) if options.openings else []
        command_of(options.a, 0), command_of(options.b, 0)
    except (ValueError, OSError) as problem:
        parser().error(str(problem))
    plan = Plan(rules, options.rule, options.turn_ms, options.tolerance_ms)
    shared: Record = {"run": strftime("%Y-%m-%d %H:%M:%S")}
    shared |= {name: getattr(options, name) for name in "a b rule size turn_ms seed".split()}
    records: list[Record] = []
    for game in range(options.games):
        pair, second = divmod(game, 2)
        luck = Random(f"{options.seed} {pair}")
        opening = known[pair % len(known)] if known else random_opening(rules, luck)
        commands = [command_of(engine, luck.randrange(10**6)) for engine in (options.a, options.b)]
        played = play(plan, opening, commands[::-1] if second else commands)
        score = {None: 0.5, "black": 1 - second, "white": second}[played["winner"]]
        records.append({**shared, "game": game + 1, "black": "ab"[second], "score_a": score})
        records[-1] |= played
        if options.log:
            with options.log.open("a", encoding="ascii") as log:
                log.write(json.dumps(records[-1]) + "\n")
        outcome = {1: "A wins", 0.5: "draw", 0: "B wins"}[score]
        why, plies = played["detail"] or played["reason"], len(played["moves"].split())
        print(f"game {game + 1}: {outcome} after {plies} moves: {why}", flush=True)
        if options.wins_only and score != 1:
            print(f"rule {options.rule}, A is {'white' if second else 'black'}: {played['moves']}")
            break
    print(summary(records, options.turn_ms))
    return int(options.wins_only and any(record["score_a"] != 1 for record in records))


if __name__ == "__main__":
    sys.exit(main())
