"""The one table of a match's options: how its games are played, which ones, and by what means.

Conditions and Schedule stand in the header of the journal, so that a match can be repeated; Means
(where, how many at once, which files) do not. Each field's metadata is its row of the table: the
command line's parser, its help and docs/match.md are made from it. Times are in ms inside.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple

UNITS: Final = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}
SIZES: Final = {"B": 1, "K": 1 << 10, "KB": 1 << 10, "M": 1 << 20, "MB": 1 << 20, "G": 1 << 30}
SIZES["GB"] = SIZES["G"]
NONE: Final = ("none", "off")

TIMEOUTS: Final = ("loses", "plays-on")
FIRSTS: Final = ("alternate", "first", "second", "random")
FORMS: Final = ("auto", "offset", "points", "psq")
FORMATS: Final = ("psq", "sgf", "csv", "table", "html")


class ConditionError(ValueError):
    """A value that an option does not take, or options that contradict each other."""


class Row(NamedTuple):
    """An option of the table. read: text to value, ConditionError; None: yes or no.

    flag: --flag. shown: the default in words. takes: what the value looks like. text: one sentence.
    """

    name: str
    flag: str
    default: Any
    shown: str
    takes: str
    text: str
    read: Callable[[str], Any] | None


# --- reading values ------------------------------------------------------------------------------


def duration(text: str) -> int | None:
    """Milliseconds of 300ms, 30s, 2m, 1h; None of none.

    >>> duration("0.5s"), duration("2m"), duration("none")
    (500, 120000, None)
    """
    if text in NONE:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|min|h)", text)
    if not found:
        raise ConditionError(f"{text!r} is no time: 300ms, 30s, 2m, 1h or none")
    return round(float(found[1]) * UNITS[found[2]])


def span(text: str) -> int:
    """Milliseconds of 300ms, 30s, 2m, 1h."""
    value = duration(text)
    if value is None:
        raise ConditionError("this time must have an end: 300ms, 30s, 2m or 1h")
    return value


def size(text: str) -> int | None:
    """Bytes of 350MB, 1G, 367001600; None of none. A K is 1024."""
    if text in NONE:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?B?)", text.upper())
    if not found:
        raise ConditionError(f"{text!r} is no amount of memory: 350MB, 1G or none")
    return round(float(found[1]) * SIZES[found[2] or "B"])


def count(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """A whole number from 0."""
    return _whole(text, 0)


def some(text: str) -> int | None:
    """A whole number from 1; None of none."""
    return None if text in NONE else _whole(text, 1)


def share(text: str) -> float:
    """A probability of error between 0 and 0.5."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 0.5:
        raise ConditionError(f"{text!r} is no probability between 0 and 0.5")
    return value


def bounds(text: str) -> tuple[float, float] | None:
    """Two Elo values, ELO0:ELO1; None of none.

    >>> bounds("0:30")
    (0.0, 30.0)
    """
    if text in NONE:
        return None
    try:
        low, high = (float(word) for word in text.split(":"))
    except ValueError:
        raise ConditionError(f"{text!r} is not ELO0:ELO1, such as 0:30") from None
    if low >= high:
        raise ConditionError(f"ELO0 must be less than ELO1, not {text}")
    return low, high


def one_of(*allowed: str) -> Callable[[str], str]:
    """A reader of one of these words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ConditionError(f"{text!r} is none of {', '.join(allowed)}")
        return text

    return read


def words_of(*allowed: str) -> Callable[[str], tuple[str, ...]]:
    """A reader of some of these words with commas between, or of none."""

    def read(text: str) -> tuple[str, ...]:
        words = () if text in NONE else tuple(text.split(","))
        return tuple(one_of(*allowed)(word) for word in words)

    return read


def anything(text: str) -> str:
    """The text itself, if there is any."""
    if not text:
        raise ConditionError("an empty text is no value")
    return text


def _whole(text: str, low: int) -> int:
    if not text.isdecimal() or int(text) < low:
        raise ConditionError(f"{text!r} is no whole number from {low}")
    return int(text)


# --- the table -----------------------------------------------------------------------------------


def _option(
    default: Any, read: Callable[[str], Any] | None, takes: str, text: str, shown: str = ""
) -> Any:
    return field(
        default=default, metadata={"read": read, "takes": takes, "text": text, "shown": shown}
    )


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a game is played: clocks, what a fault costs, and when it is called off. See the table.

    Times in ms, memory in bytes; None: no limit.
    """

    turn: int | None = _option(
        300, duration, "TIME", "time per move: none, 300ms, 30s, 1m", "300ms; none with --nodes"
    )
    time: int | None = _option(None, duration, "TIME", "time of each side for the whole game")
    increment: int = _option(0, span, "TIME", "added to --time after each move", "0ms")
    nodes: int | None = _option(None, some, "N", "nodes per move (INFO max_node)")
    depth: int | None = _option(None, some, "N", "depth of a search in plies (INFO max_depth)")
    tolerance: int = _option(
        1000, span, "TIME", "how late a move may come and not be punished", "1s"
    )
    pause: int = _option(
        0,
        span,
        "TIME",
        "wait so long after a program's answer before it is asked again, off its clock: some miss"
        " a command that follows at once",
        "0ms",
    )
    timeout: str = _option(
        "loses",
        one_of(*TIMEOUTS),
        "|".join(TIMEOUTS),
        "what a late move costs: the game; or the built-in engine plays on for that side",
    )
    start_time: int = _option(
        20_000, span, "TIME", "how long a program may take to answer START", "20s"
    )
    charge_start: bool = _option(
        False, None, "", "the start of the process is part of its first move, as in GomocupJudge"
    )
    memory: int | None = _option(
        None, size, "SIZE", "memory of a program (INFO max_memory); using more loses: 350MB"
    )
    asks: int = _option(
        3,
        natural,
        "N",
        "with --no-foul-loses: how often a forbidden move is put back and another one asked for,"
        " before it loses",
    )
    draw_score: int | None = _option(
        None, some, "VALUE", "a draw is agreed when both sides' values stay within VALUE of 0"
    )
    draw_moves: int = _option(10, count, "N", "for so many moves of each side")
    resign_score: int | None = _option(
        None, some, "VALUE", "a side resigns when its own value stays at -VALUE or less"
    )
    resign_moves: int = _option(4, count, "N", "for so many of its moves")
    max_moves: int | None = _option(None, some, "N", "a draw after N stones, the opening included")
    draw_empty: int = _option(
        0, natural, "N", "a draw when at most N points are empty; Piskvork: 25", "0: full board"
    )
    strict: bool = _option(
        False,
        None,
        "",
        "punish every line that Piskvork would punish; else be as lenient as c-gomoku-cli",
    )
    line_end: str = _option("crlf", one_of("crlf", "lf"), "crlf|lf", "line end of our commands")
    suspend: bool = _option(
        False, None, "", "suspend a program while it is not on move, as Piskvork does"
    )
    keep: bool = _option(
        False, None, "", "keep a program's process for both games of a pair; else one for each game"
    )


@dataclass(frozen=True, slots=True)
class Schedule:
    """Which games are played. See the table."""

    games: int = _option(20, count, "N", "games between two players; two share an opening")
    seed: int = _option(1, natural, "N", "of everything that is left to chance")
    first: str = _option(
        "alternate",
        one_of(*FIRSTS),
        "|".join(FIRSTS),
        "who has Black: both in turn, always the player named first or second, or drawn by seed",
    )
    openings: str = _option(
        "balanced",
        anything,
        "KIND|FILE",
        "balanced (found by our search), random (1 to 3 stones), named (the 26 of renju), swap2"
        " (laid by the players), empty, or a file or a folder of .psq",
    )
    form: str = _option("auto", one_of(*FORMS), "|".join(FORMS), "how the file spells its openings")
    plies: int = _option(
        0, natural, "N", "stones taken of each .psq opening", "0: all but the last quarter"
    )
    symmetries: bool = _option(
        True, None, "", "turn and mirror each opening by seed: all 8 symmetries of a square"
    )
    shuffle: bool = _option(False, None, "", "use the openings in an order drawn by seed")
    sprt: tuple[float, float] | None = _option(
        None, bounds, "ELO0:ELO1", "stop when a test of ELO1 against ELO0 decides: 0:30"
    )
    alpha: float = _option(0.05, share, "P", "chance that the test takes ELO1 for ELO0's truth")
    beta: float = _option(0.05, share, "P", "chance that the test takes ELO0 for ELO1's truth")
    model: str = _option(
        "logistic", one_of("logistic", "normalised"), "MODEL", "Elo of the test's bounds"
    )
    anchor: str | None = _option(
        None, anything, "NAME=ELO", "the rating list's fixed point", "none: the mean is 0"
    )


@dataclass(frozen=True, slots=True)
class Means:
    """By what means a match is run; none of it changes its games. See the table."""

    concurrency: int | None = _option(
        None, some, "N", "pairs of games at once", "cores // cores per game"
    )
    cores_per_game: int | None = _option(
        None, some, "N", "cores that a game needs", "2, one per engine; 1 with --suspend"
    )
    cluster: str | None = _option(
        None, anything, "ADDRESS", "run on a Dask cluster: tcp://host:8786", "this machine"
    )
    send_engines: bool = _option(
        False, None, "", "with --cluster: send the engines' files to the workers"
    )
    out: str | None = _option(
        None, anything, "DIR", "folder of journal and reports", "matches/NAMES-HASH"
    )
    journal: str | None = _option(
        None, anything, "FILE", "the journal; one that exists is resumed", "OUT/journal.jsonl"
    )
    times: bool = _option(
        True, None, "", "keep times and memory in the journal; --no-times for byte equality"
    )
    transcripts: bool = _option(
        False, None, "", "keep what was said in each game, with times: OUT/transcripts/00001.txt"
    )
    formats: tuple[str, ...] = _option(
        FORMATS, words_of(*FORMATS), "LIST", "reports to write", ",".join(FORMATS)
    )
    live: bool = _option(
        True, None, "", "board, score and progress on a terminal; --no-live for plain lines"
    )


def rows(record: type[Conditions] | type[Schedule] | type[Means]) -> Iterator[Row]:
    """The table's rows of one of the three records."""
    for each in fields(record):
        about = each.metadata
        flag = "--" + each.name.replace("_", "-")
        shown = about["shown"] or _shown(each.default)
        yield Row(
            each.name, flag, each.default, shown, about["takes"], about["text"], about["read"]
        )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def check(conditions: Conditions, schedule: Schedule) -> None:
    """Refuse options that contradict each other. Raises ConditionError."""
    if conditions.time is None and conditions.increment:
        raise ConditionError("--increment needs --time")
    if conditions.turn is conditions.time is conditions.nodes is conditions.depth is None:
        raise ConditionError("a move needs a limit: --turn, --time, --nodes or --depth")
    if schedule.first != "alternate" and schedule.openings == "swap2":
        raise ConditionError("--first and swap2 contradict: there the players choose")
    if schedule.sprt is not None and schedule.first != "alternate":
        raise ConditionError("--sprt counts pairs with exchanged colours: --first alternate")
    if schedule.openings == "swap2" and conditions.timeout == "plays-on":
        raise ConditionError(
            "--timeout plays-on and swap2 contradict: a choice cannot be taken over"
        )


def markdown_table(record: type[Conditions] | type[Schedule] | type[Means]) -> str:
    """The rows of a record as the table that docs/match.md shows."""
    lines = ["| option | default | what it says |", "|---|---|---|"]
    for row in rows(record):
        flag = row.flag if row.read else f"{row.flag}, --no-{row.flag[2:]}"
        value = f" {row.takes}" if row.takes else ""
        cells = (f"`{flag}{value}`", row.shown, row.text)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)
