"""Checks of the text layer: bytes and lines out, words and blanks in."""

import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from .checkbench import PATIENCE, QUIET, Bench, Talk, best
from .conformance import CannotMeasure, CheckFailed, Found, Group, harmful
from .police import BYTES_TABLE, MOVE_TABLE, OK_TABLE, Row, read_line, rows_of

TEXT: Final = Group("text")

_SPLIT: Final = {"qpiskvork": "misreads a line that comes in two pieces"}
_REFUSALS: Final = ("error", "unknown")
_NOT_HEARD: Final = "the command is not understood: the game is lost or hangs"


@dataclass
class Record:
    """A short session as a manager would hold it, and all that the brain said in it.

    raw: all bytes of stdout. said: its lines and what was waited for when each came: "start"
    (before the first OK), "ok", "move" or "idle". errors: its lines of stderr.
    """

    raw: bytes = b""
    said: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def rows(self, *wanted: str) -> Iterable[tuple[str, tuple[str, ...], list[Row]]]:
        """The lines that came while one of these was waited for, with features and rows."""
        for was, text in self.said:
            if was in wanted:
                found = read_line(text, "move" if was in ("idle", "start") else was)
                yield text, found.features, rows_of(found, was)


def record(bench: Bench) -> Record:
    """Hold the session. It goes as far as the brain does."""
    kept = Record()
    with bench.talk() as talk:
        try:
            _hold(talk, kept)
        except CheckFailed as problem:
            talk.note(problem.detail)
        kept.raw = b"".join(talk.pieces)
        kept.errors = talk.heard("!")
    return kept


def _hold(talk: Talk, kept: Record) -> None:
    def part(wanted: str, *lines: str) -> None:
        """Send lines; note what comes until the answer, then what comes without being asked."""
        before = len(talk.log)
        missing = None
        try:
            if wanted == "ok" and lines:
                talk.ask(*lines, wanted="ok")
            elif lines and wanted == "move":
                talk.move(*lines)
            else:
                talk.send(*lines)
        except CheckFailed as problem:
            missing = problem
        kept.said += [(wanted, line.text) for line in talk.log[before:] if line.way == "<"]
        before = len(talk.log)
        talk.all_of(QUIET / 2)
        kept.said += [("idle", line.text) for line in talk.log[before:] if line.way == "<"]
        if missing is not None:
            raise missing

    talk.all_of(2 * QUIET)
    kept.said += [("start", text) for text in talk.heard()]
    part("ok", "START 15")
    first = next((at for at, (was, _) in enumerate(kept.said) if was == "ok"), 0)
    while first < len(kept.said) and read_line(kept.said[first][1], "ok").kind != "ok":
        kept.said[first] = ("start", kept.said[first][1])
        first += 1
    part("idle", "INFO timeout_turn 100", "INFO timeout_match 0", "INFO rule 0")
    part("move", "BEGIN")
    part("move", "TURN 0,0")
    part("move", "BOARD", "7,7,2", "DONE")
    part("ok", "START 15")
    part("move", "TURN 3,3")
    part("move", "TURN 4,12")


def _record(bench: Bench) -> Record:
    kept = bench.keep(record)
    if not kept.said:
        raise CheckFailed("it said nothing in a whole session")
    return kept


@TEXT.check("silent", "Nothing but MESSAGE is written before the first OK", 5)
def silent(bench: Bench) -> Found:
    """Banners: c-gomoku-cli takes them for the answer to ABOUT."""
    early = [text for was, text in _record(bench).said if was == "start"]
    for text in early:
        found = read_line(text, "ok")
        rows = (
            [OK_TABLE["text"]] if found.kind not in ("message", "debug") else rows_of(found, "ok")
        )
        if harmful(rows):
            raise CheckFailed(f"before OK it writes {text[:60]!r}", rows)
    return Found("a MESSAGE comes first" if early else "")


@TEXT.check("stderr", "Nothing is written to stderr in a normal game", 5)
def stderr(bench: Bench) -> Found:
    """Piskvork has both in one pipe."""
    errors = _record(bench).errors
    if errors:
        more = f", and {len(errors) - 1} more lines" if len(errors) > 1 else ""
        raise CheckFailed(f"stderr: {errors[0][:80]!r}{more}", [BYTES_TABLE["stderr"]])
    return Found()


@TEXT.check(
    "line-ends",
    "Every line ends in LF, or every line in CRLF",
    4,
    cost={
        "GomocupJudge, c-gomoku-cli, pygomo-lib": "a CR ends no line: no answer is seen",
        "qpiskvork": "glues lines together where CR and LF are mixed",
    },
)
def line_ends(bench: Bench) -> Found:
    """A CR alone ends a line for some managers only."""
    raw = _record(bench).raw
    bare = len(re.findall(rb"\r(?!\n)", raw))
    both, alone = raw.count(b"\r\n"), len(re.findall(rb"(?<!\r)\n", raw))
    if bare:
        raise CheckFailed(f"{bare} CR without LF")
    if both and alone:
        raise CheckFailed(f"{both} lines end in CRLF and {alone} in LF")
    return Found("CRLF" if both else "LF")


@TEXT.check("one-write", "Every line is written by one write call", 4, cost=_SPLIT)
def one_write(bench: Bench) -> Found:
    """Each read of a packet pipe gives what one write wrote."""
    try:
        with bench.talk(packets=True) as talk:
            talk.start()
            talk.move("BEGIN")
            talk.move("TURN 0,0")
            talk.all_of(QUIET / 2)
            pieces = [piece for piece in talk.pieces if len(piece) < 4096]
    except AttributeError:
        raise CannotMeasure("pipes that keep writes apart are Linux's") from None
    for piece in pieces:
        if not piece.endswith((b"\n", b"\r")):
            raise CheckFailed(f"a write ends within a line: {piece[-40:]!r}")
    return Found()


@TEXT.check("bare-message", "No MESSAGE or DEBUG is without text or has a blank in front", 6)
def bare_message(bench: Bench) -> Found:
    """Piskvork looks for the word and a blank."""
    bad = {"MESSAGE without text", "DEBUG without text", "blank before MESSAGE"}
    for text, features, _ in _record(bench).rows("start", "ok", "move", "idle"):
        if bad & {*features}:
            raise CheckFailed(f"{text!r}", [MOVE_TABLE[name] for name in features])
    return Found()


@TEXT.check("debug", "No DEBUG lines unless asked for", 6)
def debug(bench: Bench) -> Found:
    """They break pygomo-lib's wait for OK."""
    for text, features, _ in _record(bench).rows("start", "ok", "move", "idle"):
        if "DEBUG" in features:
            raise CheckFailed(f"{text[:60]!r}", [OK_TABLE["DEBUG"]])
    return Found()


@TEXT.check("ascii", "All text is printable ASCII", 6)
def ascii_only(bench: Bench) -> Found:
    """Each manager decodes in its own way; one stops reading."""
    for piece in _record(bench).raw.splitlines():
        text = piece.strip(b"\r\n")
        if any(byte < 32 or byte == 127 for byte in text):
            raise CheckFailed(f"a control character in {text[:60]!r}")
        try:
            text.decode("ascii")
        except UnicodeDecodeError:
            try:
                text.decode("utf-8")
            except UnicodeDecodeError:
                rows = [BYTES_TABLE["not UTF-8"]]
                raise CheckFailed(f"no UTF-8: {text[:60]!r}", rows) from None
            raise CheckFailed(f"not ASCII: {text[:60]!r}") from None
    return Found()


@TEXT.check("long-lines", "No line is longer than 1000 bytes", 6)
def long_lines(bench: Bench) -> Found:
    """Piskvork cuts after 7997."""
    lengths = [len(line) for line in _record(bench).raw.splitlines()]
    if max(lengths) > 1000:
        rows = [BYTES_TABLE["too long"]] if max(lengths) > 7997 else []
        raise CheckFailed(f"a line has {max(lengths)} bytes", rows)
    return Found(f"{max(lengths)} bytes", {"bytes": max(lengths)})


@TEXT.check("stray-lines", "Between request and answer come MESSAGE and DEBUG only", 5, 31)
def stray_lines(bench: Bench) -> Found:
    """INFO lines, prints of libraries, SUGGEST."""
    for text, features, rows in _record(bench).rows("ok", "move"):
        if {*features} & {"text", "SUGGEST", "text beside the coordinates", "number missing"}:
            raise CheckFailed(f"{text[:60]!r}", rows)
    for text, features, rows in _record(bench).rows("idle"):
        if {*features} & {"text", "ERROR", "UNKNOWN", "OK"}:
            raise CheckFailed(f"{text[:60]!r} although nothing was asked", rows)
    return Found()


@TEXT.check("move-form", "A move is x,y: digits, one comma, no blanks", 20)
def move_form(bench: Bench) -> Found:
    """By the table of what six managers take."""
    for text, features, rows in _record(bench).rows("move"):
        found = read_line(text, "move")
        if found.kind == "move" and features != ("x,y",):
            raise CheckFailed(f"{text[:60]!r}: {', '.join(features)}", rows)
    return Found()


@TEXT.check(
    "mixed-ends",
    "Commands may end in LF and CRLF, mixed within one list",
    1,
    cost={
        "Piskvork, GomocupJudge": "sends CRLF: " + _NOT_HEARD,
        "qpiskvork": "mixes both in one list: " + _NOT_HEARD,
        "c-gomoku-cli, Yixin-Board, pygomo-lib": "sends LF: " + _NOT_HEARD,
    },
)
def mixed_ends(bench: Bench) -> Found:
    """One after the other, so that it is known which is missed."""
    for end, name in (("\r\n", "CRLF"), ("\n", "LF")):
        with bench.talk(end=end) as talk:
            try:
                talk.start()
                talk.move("BOARD", "7,7,2", "DONE")
                talk.move("TURN 0,0")
                if end == "\r\n":
                    at = talk.write(b"BOARD\r\n7,7,2\n8,8,1\r\n6,9,2\nDONE\r\n")
                    answer = talk.answer("move", at)
                    if answer is None or answer.kind != "move":
                        raise CheckFailed("no move for a list with both line ends")
            except CheckFailed as problem:
                raise CheckFailed(f"{name}: {problem.detail}") from None
    return Found()


@TEXT.check(
    "case",
    "Verbs and INFO keys are understood in upper, lower and mixed case",
    2,
    cost={"Yixin-Board": "sends lower case: it hangs", "pygomo-lib": "sends INFO keys in capitals"},
)
def case(bench: Bench) -> Found:
    """timeout_turn in capitals is told by the time of the move."""
    with bench.talk() as talk:
        for change in (str.lower, str.title):
            talk.settle()
            answer = talk.ask(change("START 15"), wanted="ok")
            if answer.kind != "ok":
                raise CheckFailed(f"{change('START 15')!r} gave {answer.text[:60]!r}")
            talk.send(change("INFO TIMEOUT_TURN 100"))
            talk.move(*map(change, ("BOARD", "7,7,2", "DONE")))
            talk.move(change("TURN 0,0"))
    with bench.talk() as talk:
        talk.start(turn=3000)
        talk.send("info TIMEOUT_TURN 100")
        if talk.move("BOARD", "7,7,2", "DONE").ms > bench.bound(1500):
            raise CheckFailed("TIMEOUT_TURN in capitals is not obeyed")
    return Found()


@TEXT.check("blanks", "Blanks around and between words are taken, empty lines ignored", 3)
def blanks(bench: Bench) -> Found:
    """No manager is known to send them; people who type do."""
    with bench.talk() as talk:
        talk.start()
        talk.write(b"\n   \n\t\n")  # CRLF is another check's
        said = talk.quiet()
        if said:
            raise CheckFailed(f"an empty line gave {said[0][:60]!r}")
        talk.move("  BOARD", " 7 , 7 , 2 ", "DONE  ")
        talk.move("TURN   0, 0  ")
    return Found()


@TEXT.check(
    "junk",
    "Long lines, binary junk and NUL bytes give UNKNOWN or nothing, and the game goes on",
    7,
)
def junk(bench: Bench) -> Found:
    """100 kB without a line end, then all bytes there are."""
    with bench.talk() as talk:
        talk.start()
        for data in (b"x" * 100_000 + b"\n", b"\x00\xff\xfe\x80 \x01\x1b\n", b"\x00\x00\n"):
            talk.write(data)
            said = talk.quiet(QUIET)
            if len(said) > 1 or (said and read_line(said[0], "move").kind not in _REFUSALS):
                raise CheckFailed(f"{len(said)} lines for one of junk, {said[0][:60]!r} first")
        talk.move("TURN 7,7")
    return Found()


@TEXT.check("whole-words", "Commands are whole words: BEGINNER is not BEGIN", 55)
def whole_words(bench: Bench) -> Found:
    """Prefix matching, as the classic skeleton in C has it."""
    with bench.talk() as talk:
        talk.start()
        for line in ("BEGINNER", "TURNS 7,7", "STARTED 15", "INFOS rule 1"):
            talk.settle()
            talk.send(line)
            for text in talk.quiet():
                if read_line(text, "move").kind not in _REFUSALS:
                    raise CheckFailed(f"{line} gave {text[:60]!r}")
        talk.move("TURN 7,7")
    return Found()


@TEXT.check("unknown", "An unknown command gives one line that begins with UNKNOWN", 55)
def unknown(bench: Bench) -> Found:
    """And the next one works."""
    with bench.talk() as talk:
        talk.start()
        for line in ("HELLO", "foo 1,2,3"):
            talk.only(line, "unknown")
        talk.move("TURN 7,7")
    return Found()


@TEXT.check(
    "arguments",
    "Unknown command-line arguments are ignored",
    8,
    cost={"Yixin-Board": "starts it with --force-utf8 on Windows: the board closes"},
)
def arguments(bench: Bench) -> Found:
    """As Yixin-Board gives one."""
    with bench.talk("--force-utf8", "-x") as talk:
        talk.start()
        talk.move("BEGIN")
    return Found()


@TEXT.check(
    "folder",
    "It works from any folder, and writes nothing there",
    9,
    cost={"Piskvork": "runs it in a folder of its own: it does not find its files"},
)
def folder(bench: Bench) -> Found:
    """An empty folder with blanks and letters that are not ASCII in its name."""
    path = bench.folder("a folder \u00e9")
    with bench.talk(elsewhere=path) as talk:
        talk.start()
        talk.move("BEGIN")
    left = os.listdir(path)
    if left:
        raise CheckFailed(f"it wrote {left[0]!r} into the folder it was started in")
    return Found()


@TEXT.check(
    "latency",
    "Answers that need no thought come at once: START in a running process",
    4,
    cost={"Yixin-Board": "sends START before every board: it feels slow"},
)
def latency(bench: Bench) -> Found:
    """The best of five; 50 ms and the slack are allowed."""
    times = []
    with bench.talk() as talk:
        talk.start()
        for _ in range(5):
            answer = talk.ask("START 15", wanted="ok", seconds=PATIENCE)
            if answer.kind != "ok":
                raise CheckFailed(f"{answer.text[:60]!r} to a second START")
            times.append(answer.ms)
            time.sleep(0.02)
    ms, bound = best(times), bench.bound(50)
    if ms > bound:
        raise CheckFailed(f"{ms:.1f} ms, allowed {bound:.0f}", (), f"{ms:.1f} ms", ms=ms)
    return Found(f"{ms:.1f} ms", {"ms": ms})
