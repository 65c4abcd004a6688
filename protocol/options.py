"""The one table of options: what INFO may set. The parser, --help and the README all read it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

UNLIMITED: Final = 2147483647
"""The time_left that means no limit; anything above means it too."""

MAX_SEED: Final = 2147483647
"""The largest seed that INFO takes."""

Value = int | str


class Option(NamedTuple):
    """One INFO key.

    kind: "number" (an integer), "bits" (a sum of powers of two) or "text" (the rest of the line).
    default: the value before any INFO.
    low, high: the allowed range, both ends included; None: no end.
    effect: what it does. "ignored" in front: it is accepted and does nothing. Then the default is
        what we do anyway, and another value is named in a MESSAGE; None: no value can matter.
    """

    key: str
    kind: str
    default: Value | None
    low: int | None
    high: int | None
    unit: str
    effect: str

    @property
    def ignored(self) -> bool:
        """Whether the key is accepted and does nothing."""
        return self.effect.startswith("ignored")

    @property
    def allowed(self) -> str:
        """The allowed values in words: "0..15", "0..", "any integer", "text"."""
        if self.kind == "text":
            return "text"
        if self.low is None and self.high is None:
            return "any integer"
        ends = ("" if end is None else str(end) for end in (self.low, self.high))
        return "..".join(ends)


def _number(
    key: str, default: int, low: int | None, unit: str, effect: str, high: int | None = None
) -> Option:
    return Option(key, "number", default, low, high, unit, effect)


def _ignored(key: str, default: Value | None, why: str, kind: str = "number") -> Option:
    return Option(key, kind, default, None, None, "", f"ignored: {why}")


_TURN: Final = (
    "hard limit of a move; 0 = at once; also for the running search. If it was never set, "
    "max_depth, max_node and a limited match each switch the default off"
)
_LEFT: Final = (
    f"time left for the rest of the game; 0 or less = move at once; {UNLIMITED} = no limit; "
    "counted down from the last value when it is not sent again"
)
_RULE: Final = (
    "1 exactly five wins; 4 forbidden moves for Black (renju); 8 a five closed at both ends does "
    "not count (caro); 2 continuous game: not supported, said in a MESSAGE; after a Yixin command "
    "(show_detail or a yx verb) the value 2 is renju"
)
_VARIETY: Final = (
    "values differ by up to this much, so that moves of about equal worth take turns from game to "
    "game; 0 = always the same move; 8 is enough"
)
_STRENGTH: Final = (
    "100 = full strength; below that a search sees fewer nodes, its values are off, and under 30 "
    "some moves are played at random; the Elo of each level is in docs/strength.md"
)
_SEED: Final = (
    "what variety and strength draw from: the same number plays the same game; 0 = another one "
    "each game, named in a MESSAGE"
)
_THREADS: Final = (
    "threads that search together: two play better than one (docs/strength.md); at most as many as "
    "max_memory has room for (9 MiB each), which is said in a MESSAGE; more than there are "
    "processors make it slower"
)
_PONDERING: Final = (
    "1 = after a move goes on to think about the position, silently, until the next command"
)
_DETAIL: Final = (
    "1 MESSAGE REALTIME lines, 2 INFO lines of every best move while a search runs; 0 = none; the "
    "key also tells that a Yixin board is attached"
)
_SYMMETRY: Final = (
    "0 = yxnbest gives any moves; else of moves that are images of each other only the first"
)
_DATABASE: Final = (
    "0 = no database; else searches take its advice and tell it what they found; yxsetdatabase "
    "and, on the next line, a path open its file"
)
_MEMORY: Final = "all that the process may use: sets the table size; 0 = default tables (64 MiB)"

OPTIONS: Final = (
    _number("timeout_turn", 30000, 0, "ms", _TURN),
    _number("timeout_match", 0, 0, "ms", "time for all moves of a game; 0 = no limit"),
    _number("time_left", UNLIMITED, None, "ms", _LEFT),
    _number("time_increment", 0, 0, "ms", "added after each move while time_left is counted down"),
    _number("max_memory", 0, 0, "bytes", _MEMORY),
    _number("hash_size", 0, 0, "KiB", "table size, within max_memory; 0 = from max_memory"),
    Option("rule", "bits", 0, 0, 15, "sum", _RULE),
    _number("max_depth", 0, -1, "plies", "depth limit of a search; 0 or -1 = no limit"),
    _number("max_node", 0, -1, "nodes", "node limit of a search; 0 or -1 = no limit"),
    _number("thread_num", 1, 1, "threads", _THREADS, 64),
    _number("pondering", 0, 0, "", _PONDERING, 1),
    _number("auto_pondering", 0, 0, "", "another name of pondering", 1),
    _number("variety", 0, 0, "value", _VARIETY, 100),
    _number("strength", 100, 0, "", _STRENGTH, 100),
    _number("seed", 0, 0, "", _SEED, MAX_SEED),
    Option("folder", "text", "", None, None, "path", "kept; nothing is written there"),
    Option("show_detail", "bits", 0, 0, 3, "sum", _DETAIL),
    _number("nbestsym", 0, 0, "", _SYMMETRY),
    _number("nbest_sym", 0, 0, "", "the same as nbestsym"),
    _number("usedatabase", 0, 0, "", _DATABASE),
    _number("database_readonly", 0, 0, "", "0 = the database may be changed; else it may not"),
    _ignored("game_type", None, "play does not depend on the opponent"),
    _ignored("evaluate", None, "a debugging aid", "text"),
    _ignored("thread_split_depth", None, "threads share all of the work"),
    _ignored("start_depth", 1, "a search starts at depth 1"),
    _ignored("caution_factor", "", "the search chooses its candidates itself"),
    _ignored("vcthread", None, "threat solvers run inside the search"),
    _ignored("checkmate", 0, "every search looks for wins by threats and goes on without"),
    _ignored("swapable", 0, "no move is left to a swap"),
    _ignored("max_moves", 0, "a game ends when the board is full"),
    _ignored("draw_result", 0, "a draw is a draw"),
    _ignored("evaluator_draw_black_winrate", "", "a draw is a draw", "text"),
    _ignored("evaluator_draw_ratio", "", "a draw is a draw", "text"),
    _ignored("search_type", "", "there is one kind of search", "text"),
    _ignored("analysis_mode", 0, "a search always ends with a move"),
    _ignored("protocol_lag", 0, "the safety margin is fixed"),
    _ignored("style", "", "there is one style", "text"),
)
"""Every INFO key we know, in the order in which the tables show them."""

BY_KEY: Final = {option.key: option for option in OPTIONS}


class OptionError(ValueError):
    """An INFO value that is not taken; the text names the key, the allowed range and the value."""


def number(text: str) -> int | None:
    """The integer written in text, decimal ASCII digits with an optional sign; None: it is none.

    At most 19 digits, so that nobody's input grows into a number that takes long to read.
    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isascii() and digits.isdigit() and len(digits) <= 19:
        return int(text)
    return None


def value_of(option: Option, text: str) -> Value:
    """The value written in text for this option. Raises OptionError.

    Bits above the known ones are taken: what is played instead is for the rule's owner to say.
    """
    if option.kind == "text":
        return text
    value = number(text)
    if value is None:
        wanted = "an integer" if option.allowed == "any integer" else option.allowed
        raise OptionError(f"{option.key} must be {wanted}, not {text or 'empty'}")
    if (option.low is not None and value < option.low) or (
        option.high is not None and value > option.high and option.kind != "bits"
    ):
        raise OptionError(f"{option.key} must be {option.allowed}, not {value}")
    return value


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """One row an option for people: key, default, allowed values, unit, effect."""
    for option in OPTIONS:
        default = "" if option.default is None else str(option.default)
        yield option.key, default, option.allowed, option.unit, option.effect


HEADINGS: Final = ("key", "default", "allowed", "unit", "effect")


def markdown_table() -> str:
    """The table of options as the README shows it, without a line end after the last row."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *rows()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def help_table() -> str:
    """The table of options as --help shows it: the values in columns, the effect below them."""
    lines = []
    for key, default, allowed, unit, effect in rows():
        values = f"default {default or 'none'}, allowed {allowed}" + (
            f", in {unit}" if unit else ""
        )
        lines += [f"  {key:<18} {effect}", f"  {'':<18}   ({values})"]
    return "\n".join(lines)
