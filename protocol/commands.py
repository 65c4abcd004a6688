"""Lines to commands. No input or output, no state; any line at all gives a Command."""

from typing import Final, NamedTuple

from .options import number

MAX_ECHO: Final = 60
"""How much of a manager's text is repeated in an answer, in characters."""

TWO_NUMBERS: Final = ("TURN", "PLAY", "TAKEBACK")
LISTS: Final = ("BOARD", "SWAP2BOARD")
PLAIN: Final = ("BEGIN", "RESTART", "ABOUT", "END", "STOP", "DONE", *LISTS)

EXTENDED: Final = ("CLEARHASH", "PROTOCOLVERSION")
"""Plain verbs of the extended protocol that we know; SHOWFORBID, with a list, is another."""

FOREIGN_LISTS: Final = frozenset(
    "SHOWFORBID BALANCE SWAPBOARD SWAP1STBOARD PROBOARD LONGPROBOARD "
    "YXBOARD YXBLOCK YXBLOCKUNDO YXBLOCKPATH YXBLOCKPATHUNDO "
    "YXSOOSORVSTEP2 YXSOOSORVSTEP3 YXSOOSORVSTEP4 YXSOOSORVSTEP5 YXSOOSORVSTEP6 "
    "YXQUERYDATABASEALL YXQUERYDATABASEALLT YXQUERYDATABASEONE YXQUERYDATABASETEXT "
    "YXEDITTVDDATABASE YXEDITTEXTDATABASE YXEDITLABELDATABASE "
    "YXDELETEDATABASEONE YXDELETEDATABASEALL "
    "YXSETBESTMOVEDATABASE YXCLEARBESTMOVEDATABASE".split()
)
"""Verbs of other dialects that carry lines up to DONE, whether we know what they mean or not."""

FOREIGN_PATHS: Final = frozenset(
    "YXHASHDUMP YXHASHLOAD YXSETDATABASE YXDBTOTXT YXDBTOTXTALL YXTXTTODB YXDBTOPOS YXLIBTODB "
    "YXDBTOLIB YXDBMERGE YXDBSPLIT".split()
)
"""Verbs of other dialects that are followed by one line with a path."""


class Command(NamedTuple):
    """One line, understood.

    kind: the verb in lower case for the ones we know ("start" also for RECTSTART, "stop" also for
        YXSTOP); "nothing" for a blank line; "yx" for another verb that begins with yx; "foreign"
        for a list verb of another dialect; "extended" for a plain one of the extended protocol;
        "unknown"; "error" for a known verb whose arguments make no sense, with the reason in
        `text`.
    word: the verb as sent. text: the rest of the line, stripped; for INFO the value.
    numbers: of START (width, height), TURN, PLAY and TAKEBACK (x, y). key: of INFO, lower case.
    line: the whole line, stripped: what a list reads it as.
    """

    kind: str
    word: str = ""
    text: str = ""
    numbers: tuple[int, int] = (0, 0)
    key: str = ""
    line: str = ""

    @property
    def data(self) -> str:
        """What follows the line: "list", lines up to DONE; "path", one line; "" nothing."""
        verb = self.word.upper()
        if self.kind in ("board", "swap2board") or verb in FOREIGN_LISTS:
            return "list"
        return "path" if verb in FOREIGN_PATHS else ""


def printable(text: str, limit: int = MAX_ECHO) -> str:
    """The text in printable ASCII, anything else as "?", cut to at most limit characters."""
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(c if " " <= c <= "~" else "?" for c in text)


def numbers_of(text: str) -> list[int] | None:
    """The integers of "7,8" or " 7 , 8": commas with optional blanks. None: something else."""
    if len(text) > 200:
        return None
    values = [number(part.strip()) for part in text.split(",")]
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else None


def parse(line: bytes | str) -> Command:
    """The command in one line, with or without its line end. Never raises.

    Bytes that are no UTF-8 (paths) are kept as surrogate escapes.
    """
    if isinstance(line, bytes):
        line = line.decode("utf-8", "surrogateescape")
    line = line.strip()
    if not line:
        return Command("nothing")
    word, *rest = line.split(None, 1)
    text = rest[0].strip() if rest else ""
    verb = word.upper() if word.isascii() else ""
    if verb == "INFO":
        key, *value = text.split(None, 1) or [""]
        return Command("info", word, value[0].strip() if value else "", (0, 0), key.lower(), line)
    if verb in TWO_NUMBERS:
        return _point(verb, word, text, line)
    if verb in PLAIN:
        return Command(verb.lower(), word, text, line=line)
    if verb in ("START", "RECTSTART"):
        return _start(verb, word, text, line)
    if verb == "YXSTOP":
        return Command("stop", word, text, line=line)
    if verb.startswith("YX"):
        return Command("yx", word, text, line=line)
    if verb in EXTENDED:
        return Command("extended", word, text, line=line)
    return Command("foreign" if verb in FOREIGN_LISTS else "unknown", word, text, line=line)


def _point(verb: str, word: str, text: str, line: str) -> Command:
    """TURN x,y and its like."""
    values = numbers_of(text)
    if values is None or len(values) != 2:
        return Command("error", word, f"point must be x,y, not {_shown(text)}", line=line)
    return Command(verb.lower(), word, text, (values[0], values[1]), line=line)


def _start(verb: str, word: str, text: str, line: str) -> Command:
    """START n, also "n n" as an old board sends it; RECTSTART w,h, also with a blank."""
    values = numbers_of(",".join(text.replace(",", " ").split()))
    if values and len(values) == 1 and verb == "START":
        values *= 2
    if values is None or len(values) != 2:
        wanted = "a number" if verb == "START" else "width,height"
        return Command("error", word, f"board size must be {wanted}, not {_shown(text)}", line=line)
    if verb == "START" and values[0] != values[1]:
        reason = f"board size must be a number, not {_shown(text)}: RECTSTART takes two"
        return Command("error", word, reason, line=line)
    return Command("start", word, text, (values[0], values[1]), line=line)


def _shown(text: str) -> str:
    return printable(text) or "empty"
