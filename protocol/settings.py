"""What INFO has set: values by the table of options, the rule they make, and what is to be said."""

from os import urandom
from typing import Final

from shisan.engine import MAX_STRENGTH, PROCESS_MEMORY, THREAD_MEMORY, Rules, most_threads

from .commands import printable
from .options import BY_KEY, MAX_SEED, OptionError, value_of
from .timing import MatchClock

MAX_NOTES: Final = 8
"""How many remarks on INFO are kept for the next search; the rest is only counted."""

MAX_TOLD: Final = 1000
"""How many ignored settings are remembered as told."""

ENDLESS: Final = (2_000_000, 100_000_000)
"""timeout_turn and timeout_match of a Yixin board whose user set no limit, in ms."""

EXACT: Final = 1
CONTINUOUS: Final = 2
FORBIDDEN: Final = 4
CARO: Final = 8
KNOWN: Final = EXACT | CONTINUOUS | FORBIDDEN | CARO


def rule_sum(rules: Rules) -> int:
    """The rule sum that means these rules, size apart. Raises ValueError where there is none."""
    if rules.forbidden and not rules.white_exact:
        played = FORBIDDEN
    elif rules.black_exact == rules.white_exact:
        played = EXACT * rules.black_exact + FORBIDDEN * rules.forbidden
    else:
        raise ValueError(f"no sum for INFO rule means {rules.name}")
    return played + CARO * (not rules.closed_five)


def draw_seed() -> int:
    """A seed that nobody can foretell, never 0."""
    return 1 + int.from_bytes(urandom(8), "big") % MAX_SEED


class Settings:
    """The values of the options; they outlast every game of the process.

    INFO is never answered: what is wrong with it waits as a note until the next search.
    yixin: whether a Yixin board is attached: show_detail or a yx verb other than yxstop was seen.
    """

    def __init__(self) -> None:
        self.clock = MatchClock()
        self.turn: int | None = None
        self.depth: int | None = None
        self.nodes: int | None = None
        self.rule = 0
        self.variety = 0
        self.strength = MAX_STRENGTH
        self.seed = 0
        self.pondering = False
        self.folder = ""
        self.yixin = False
        self.show_detail = 0
        self.merge_images = False
        self.use_database = False
        self.database_read_only = False
        self._max_memory = 0
        self._hash_size = 0
        self._threads = 1
        self._notes: list[str] = []
        self._more = 0
        self._told: set[str] = set()

    def take(self, key: str, text: str, elapsed: int | None = None) -> bool:
        """Take one INFO. True: it has changed the time limits of a running search.

        elapsed: ms since that search began, None when there is none.
        """
        option = BY_KEY.get(key)
        if option is None:
            given = printable(f"{key} {text}".strip()) or "without a key"
            self.note(f"INFO {given} is unknown and ignored")
            return False
        try:
            value = value_of(option, text)
        except OptionError as problem:
            self.note(f"INFO {printable(str(problem), 200)}: ignored")
            return False
        if option.ignored:
            if option.default not in (None, value):
                self._tell_once(f"INFO {key} {value} is {option.effect}")
            return False
        if isinstance(value, str):
            self.folder = value
            return False
        before = self.turn, self.clock.left
        self._set(key, value, elapsed)
        return (self.turn, self.clock.left) != before

    def _set(self, key: str, value: int, elapsed: int | None) -> None:
        if key == "timeout_turn":
            self.turn = value
        elif key == "timeout_match":
            self.clock.match = value
        elif key == "time_left":
            self.clock.announce(value, elapsed)
        elif key == "time_increment":
            self.clock.increment = value
        elif key == "max_memory":
            self._max_memory = value
            if 0 < value < PROCESS_MEMORY:
                self.note(
                    f"max_memory {value} is less than the {PROCESS_MEMORY} bytes of a small "
                    "process: the tables are as small as they can be"
                )
        elif key == "hash_size":
            self._hash_size = value * 1024
        elif key == "thread_num":
            self._threads = value
        elif key in ("pondering", "auto_pondering"):
            self.pondering = value == 1
        elif key == "rule":
            self.rule = value
        elif key == "variety":
            self.variety = value
        elif key == "strength":
            self.strength = value
        elif key == "seed":
            self.seed = value
        elif key == "show_detail":
            self.show_detail, self.yixin = value, True
        elif key in ("nbestsym", "nbest_sym"):
            self.merge_images = value > 0
        elif key == "usedatabase":
            self.use_database = value > 0
        elif key == "database_readonly":
            self.database_read_only = value > 0
        elif key == "max_depth":
            self.depth = value if value > 0 else None
        elif key == "max_node":
            self.nodes = value if value > 0 else None
        else:
            raise AssertionError(f"option {key} is in the table and nowhere else")

    @property
    def endless(self) -> bool:
        """Whether a search has no time limit: what a Yixin board sends when it means none."""
        return self.yixin and (self.turn, self.clock.match) == ENDLESS

    @property
    def memory(self) -> int | None:
        """Bytes that the process may use; None: the engine's default.

        hash_size is a size of the table alone, so what the rest of the process uses is added.
        """
        rest = PROCESS_MEMORY + (self._threads - 1) * THREAD_MEMORY
        wanted = self._hash_size and rest + self._hash_size * 10 // 9
        both = [size for size in (self._max_memory, wanted) if size]
        return min(both, default=None)

    @property
    def threads(self) -> int:
        """How many threads search: thread_num, or as many as the memory has room for."""
        return min(self._threads, most_threads(self.memory))

    def rules(self, width: int, height: int) -> tuple[Rules, str]:
        """The rules of a board under the rule sum, and the sum in words for people."""
        bits = FORBIDDEN if self.yixin and self.rule == CONTINUOUS else self.rule
        played = bits & KNOWN & ~CONTINUOUS
        forbidden = bool(played & FORBIDDEN)
        exact = bool(played & EXACT)
        rules = Rules(
            width,
            height,
            black_exact=exact or forbidden,
            white_exact=exact,
            closed_five=not played & CARO,
            forbidden=forbidden,
        )
        lacking = []
        if bits & ~KNOWN:
            lacking.append(f"{bits & ~KNOWN} is no known bit")
        if bits & CONTINUOUS:
            lacking.append("continuous game (2) is not supported")
        words = f"rule {self.rule}: "
        if lacking:
            words += f"{', '.join(lacking)}; playing rule {played}: "
        return rules, words + rules.name

    def note(self, text: str) -> None:
        """Keep something to say at the next search; what was kept already is not kept twice."""
        if text in self._notes:
            return
        if len(self._notes) < MAX_NOTES:
            self._notes.append(text)
        else:
            self._more += 1

    def _tell_once(self, text: str) -> None:
        if text not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(text)
            self.note(text)

    def notes(self) -> list[str]:
        """What is to be said now; it is said once."""
        if self.threads < self._threads:
            self._tell_once(
                f"thread_num {self._threads}: max_memory {self._max_memory} has room for "
                f"{self.threads}"
            )
        notes, more = self._notes, self._more
        self._notes, self._more = [], 0
        return [*notes, f"{more} more remarks on INFO are left out"] if more else notes
