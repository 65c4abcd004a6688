"""The manager's side: start a brain, speak to it, police it. Every wait is bounded.

A Brain is one process for one game or several. Its times run from just before a command is
written to the arrival of the answer. Whatever goes wrong with it is a BrainFault, after which its
whole process tree is gone; nothing that it does reaches another game.
"""

import signal
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NoReturn

from shisan.engine import Point, Rules

from .pipes import Channel, ClosedError, FloodError, Line, own_delay_ns
from .police import (
    BYTES_TABLE,
    Offence,
    Row,
    Verdict,
    offence,
    read_line,
    rows_of,
    takes,
)
from .processes import Tree
from .requests import BrainFault as BrainFault
from .requests import GameSettings as GameSettings
from .requests import Reply as Reply
from .settings import rule_sum
from .summaries import NOTHING, read_summary
from .transcripts import TranscriptLine as TranscriptLine

MAX_OFFENCES: Final = 200
"""Offences that are kept of a brain; the rest is counted."""

MAX_MESSAGES: Final = 50
"""MESSAGEs that a Reply carries and that are read for value, nodes and depth: the last ones."""

LAST_WORDS: Final = 10.0
"""Seconds that a brain without a time limit may still think after it has said ERROR."""

RETRY: Final = 0.5
"""Seconds after which START is sent again to a process that has played before: some brains
drop every command that comes too soon after their last move."""

_MS: Final = 1_000_000


class Brain:
    """A brain, spoken to by one thread at a time.

    command: the words of its command line. name: for people; default: the file's name.
    line_end: of our lines, LF or CRLF. strict: read its lines as Piskvork does, stderr
    included; else take what c-gomoku-cli or Piskvork takes. cwd: its folder; None: ours.
    suspend: stop its processes whenever it is not on move. memory_limit: bytes of USS that its
    processes may use together, looked at after each answer; None: not watched.
    log: a list that gets every line. start_ms: how long it may take to answer START.
    charge_start: the start of its process is part of its first move.
    patience_ms: bound of a request that has no time limit.

    offences: what some real manager would have punished; more_offences: those not kept.
    started_ms: how long the latest START took, from the creation of the process if it was new.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str = "",
        line_end: str = "\n",
        strict: bool = False,
        cwd: str | None = None,
        suspend: bool = False,
        memory_limit: int | None = None,
        log: list[TranscriptLine] | None = None,
        start_ms: float = 10_000,
        charge_start: bool = False,
        patience_ms: float = 600_000,
    ) -> None:
        if line_end not in ("\n", "\r\n"):
            raise ValueError(f"line_end must be LF or CRLF, not {line_end!r}")
        if not command:
            raise ValueError("command is empty")
        self.command = tuple(command)
        self.name = name or self.command[0].rpartition("/")[2]
        self.offences: list[Offence] = []
        self.more_offences = 0
        self.started_ms = 0.0
        self._end, self._strict, self._cwd = line_end, strict, cwd
        self._suspend, self._memory_limit = suspend, memory_limit
        self._log = log
        self._start_limit, self._charge, self._patience = start_ms, charge_start, patience_ms
        self._tree: Tree | None = None
        self._channel: Channel | None = None
        self._created_ns = 0
        self._owed_ms = 0.0  # of the start, to be paid by the first move
        self._turn_ms: int | None = None
        self._hurried = False
        self._suspended = False
        self._status: int | None = None
        self._peak = 0

    # The process

    def start(self) -> None:
        """Create the process. Raises BrainFault("start")."""
        self.kill()
        self._created_ns = time.monotonic_ns()
        try:
            self._tree = Tree(self.command, self._cwd, merge=self._strict)
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            raise BrainFault("start", f"{self.command[0]} cannot be started: {why}") from None
        self._channel = Channel(self._tree, at_cr=self._strict)
        self._suspended = self._hurried = False
        self._status = None

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self._tree is not None and not self._tree.exited()

    @property
    def pid(self) -> int:
        """Of its process; 0 when there is none."""
        return 0 if self._tree is None else self._tree.pid

    @property
    def exit_status(self) -> int | None:
        """Of the latest process that has ended; negative: the signal that ended it."""
        return self._status

    @property
    def peak_memory(self) -> int:
        """The most bytes of USS that were seen of any of its processes' trees."""
        return self._peak if self._tree is None else max(self._peak, self._tree.peak)

    def usage(self) -> int:
        """Bytes of USS of the whole tree now; 0 when it does not run."""
        return 0 if self._tree is None else self._tree.usage()

    def suspend(self) -> None:
        """Stop the whole tree until resume() or the next request."""
        if self._tree is not None:
            self._suspended = True
            self._tree.suspend()

    def resume(self) -> None:
        """Let the tree go on."""
        if self._tree is not None and self._suspended:
            self._suspended = False
            self._tree.resume()

    def stop_thinking(self) -> None:
        """Ask the thinking brain to move at once, as Piskvork does. From any thread."""
        channel = self._channel
        if channel is not None:
            self._hurried = True
            with suppress(OSError):
                channel.write_at_once(self._encoded(["INFO timeout_turn 0"]))

    def quit(self, grace_ms: float = 700) -> int | None:
        """END, a time of grace, then the end of the whole tree. Its exit status, None: none."""
        tree, channel = self._tree, self._channel
        if tree is None or channel is None:
            return self._status
        self.resume()
        until = time.monotonic_ns() + int(grace_ms * _MS)
        with suppress(OSError, FloodError):
            self._send(channel, ["END"], until)
            tree.close_input()
        while not tree.wait(0.02) and time.monotonic_ns() < until:
            with suppress(FloodError):
                channel.allow()
                for line in channel.waiting()[:MAX_MESSAGES]:
                    self._judge(line, "idle")
        if not tree.exited():
            how = "waits without limit for the brain to end after END"
            self._hold(Offence("END", ("c-gomoku-cli", "Yixin-Board"), how))
        self.kill()
        return self._status

    def kill(self) -> None:
        """Kill the whole tree at once. No harm if there is none."""
        tree, channel = self._tree, self._channel
        self._tree = self._channel = None
        if tree is not None and channel is not None:
            others = tree.kill()
            self._status = tree.status
            self._peak = max(self._peak, tree.peak)
            if others:
                self._note(f"killed with {others} more processes")

    # The game

    def start_game(
        self, rules: Rules, settings: GameSettings, *, new_process: bool = True
    ) -> Reply:
        """START (or RECTSTART), OK, then the INFO lines. Raises BrainFault, mostly "start".

        new_process: in a process of its own; else in the one that runs, if one does.
        """
        if new_process or not self.running:
            if self._tree is not None:
                self.quit()
            self.start()
            begun, resend = self._created_ns, False
        else:
            begun, resend = 0, True
        size = f"START {rules.width}"
        if rules.width != rules.height:
            size = f"RECTSTART {rules.width},{rules.height}"
        info = settings.lines(rule_sum(rules))
        reply = self._ask([size], "ok", self._start_limit, begun_ns=begun, resend=resend)
        self.started_ms = reply.time_ms
        self._owed_ms = reply.time_ms if self._charge else 0.0
        self._turn_ms = settings.turn_ms
        self._tell(info)
        return reply

    def begin(self, limit_ms: float | None = None, left_ms: float | None = None) -> Reply:
        """BEGIN: the first move on the empty board.

        limit_ms: the time after which the move is a fault. left_ms: sent as time_left before.
        """
        return self._ask_move(["BEGIN"], limit_ms, left_ms)

    def turn(
        self, x: int, y: int, limit_ms: float | None = None, left_ms: float | None = None
    ) -> Reply:
        """TURN: the opponent has played x,y."""
        return self._ask_move([f"TURN {x},{y}"], limit_ms, left_ms)

    def board(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
        closed: Sequence[Point] = (),
    ) -> Reply:
        """BOARD: stones in order of play, the last one the opponent's.

        closed: points that neither side may use (field 3).
        """
        field = [2 - (len(stones) - 1 - at) % 2 for at in range(len(stones))]
        field += [3] * len(closed)
        listed = [f"{x},{y},{own}" for (x, y), own in zip([*stones, *closed], field, strict=True)]
        return self._ask_move(["BOARD", *listed, "DONE"], limit_ms, left_ms)

    def swap2(
        self,
        stones: Sequence[Point],
        limit_ms: float | None = None,
        left_ms: float | None = None,
    ) -> Reply:
        """SWAP2BOARD with 0, 3 or 5 stones. "points", "swap", "move", "error" or "unknown"."""
        listed = [f"{x},{y}" for x, y in stones]
        return self._ask_move(["SWAP2BOARD", *listed, "DONE"], limit_ms, left_ms, "swap")

    def takeback(self, x: int, y: int, limit_ms: float = 1000) -> Reply:
        """TAKEBACK x,y: "ok", or whatever it answers instead; "text" if it keeps silent."""
        return self._ask([f"TAKEBACK {x},{y}"], "text", limit_ms, soft=True)

    def about(self, limit_ms: float = 1000) -> Reply:
        """ABOUT: its answer as "text", with an empty line if it keeps silent."""
        return self._ask(["ABOUT"], "text", limit_ms, soft=True)

    # Requests

    def _ask_move(
        self,
        lines: list[str],
        limit_ms: float | None,
        left_ms: float | None,
        wanted: str = "move",
    ) -> Reply:
        if left_ms is not None:
            lines = [f"INFO time_left {round(left_ms)}", *lines]
        if self._hurried and self._turn_ms is not None:
            lines = [f"INFO timeout_turn {self._turn_ms}", *lines]
        self._hurried = False
        owed, self._owed_ms = self._owed_ms, 0.0
        return self._ask(lines, wanted, limit_ms, owed_ms=owed)

    def _ask(
        self,
        lines: list[str],
        wanted: str,
        limit_ms: float | None,
        *,
        begun_ns: int = 0,
        owed_ms: float = 0.0,
        resend: bool = False,
        soft: bool = False,
    ) -> Reply:
        """Send lines, wait for the answer.

        begun_ns: when its time began, 0: now. owed_ms: time that counts as spent already.
        resend: say it again after a while. soft: no answer is an answer: an empty text.
        """
        channel = self._ready()
        self._flush(channel, wanted)
        self.resume()
        delay, now = own_delay_ns(), time.monotonic_ns()
        wait = _Wait(wanted, (begun_ns or now) - int(owed_ms * _MS), limit_ms, delay)
        wait.until_ns = wait.begun_ns + int((limit_ms or 0) * _MS)
        if limit_ms is None:
            wait.until_ns = now + int(self._patience * _MS)
        self._write(channel, lines, wait)
        wait.writing_ns = time.monotonic_ns() - now
        try:
            if resend:
                found = channel.line(now + int(RETRY * 1e9))
                if found is None:
                    self._write(channel, lines, wait)
                else:
                    channel.push_back(found)
            while True:
                found = channel.line(wait.until_ns)
                if found is None or found.at_ns > wait.until_ns:
                    late_ns = wait.until_ns + wait.own_delay_ns()
                    found = found or channel.line(late_ns)
                    if found is None and soft:
                        return Reply("text", (), "", wait.lasted_ms(), 0.0)
                    if found is None or found.at_ns > late_ns:
                        self._fault_late(wait, found)
                verdict = self._weigh(channel, found, wait)
                if verdict is not None:
                    return self._finish(found, verdict, wait)
        except ClosedError:
            self._fault_closed(wait)
        except FloodError:
            self._fault("nonsense", "it floods its output", wait)

    def _weigh(self, channel: Channel, found: Line, wait: "_Wait") -> Verdict | None:
        """Look at a line that has come; None: it is not the answer."""
        text, verdict = self._judge(found, wait.wanted)
        if found.error or not text.strip():
            return None
        action = takes(verdict, wait.wanted, self._strict)
        if action == "take":
            return verdict
        if action == "fault":
            self._fault_line(text, verdict, wait)
        if verdict.kind == "message":
            wait.messages.append(text.strip()[8:])
        elif verdict.kind == "suggest" and self._strict and verdict.points:
            x, y = verdict.points[0]
            self._write(channel, [f"PLAY {x},{y}"], wait)
        elif verdict.kind != "debug":
            wait.complaint = text
            if wait.limit_ms is None and verdict.kind in ("error", "unknown"):
                wait.until_ns = min(wait.until_ns, found.at_ns + int(LAST_WORDS * 1e9))
        return None

    def _finish(self, found: Line, verdict: Verdict, wait: "_Wait") -> Reply:
        """The answer as a Reply; then what is to be done between two requests."""
        said = NOTHING
        for message in wait.messages:
            said = said.updated(read_summary(message))
        handled = time.monotonic_ns() - found.at_ns
        reply = Reply(
            verdict.kind,
            verdict.points,
            _text_of(found).strip(),
            (found.at_ns - wait.begun_ns) / _MS,
            (handled + wait.writing_ns) / _MS,
            *said,
            tuple(wait.messages),
        )
        if self._memory_limit is not None and self._tree is not None:
            used = self._tree.usage()
            if used > self._memory_limit:
                self._fault("memory", f"it uses {used} bytes of {self._memory_limit}", wait)
        if self._suspend and wait.wanted in ("move", "swap"):
            self.suspend()
        return reply

    # Lines

    def _ready(self) -> Channel:
        if self._channel is None:
            raise BrainFault("crash", "its process does not run")
        self._channel.allow()
        return self._channel

    def _tell(self, lines: list[str]) -> None:
        """Send lines that are not answered."""
        channel = self._ready()
        wait = _Wait("", time.monotonic_ns(), 1000, own_delay_ns())
        wait.until_ns = wait.begun_ns + 1000 * _MS
        self._write(channel, lines, wait)

    def _write(self, channel: Channel, lines: list[str], wait: "_Wait") -> None:
        until = max(wait.until_ns, time.monotonic_ns() + 100 * _MS)
        try:
            if self._send(channel, lines, until):
                return
        except OSError:
            self._fault_closed(wait)
        except FloodError:
            self._fault("nonsense", "it floods its output", wait)
        self._fault("start" if wait.wanted == "ok" else "time", "it reads no commands", wait)

    def _send(self, channel: Channel, lines: list[str], until_ns: int) -> bool:
        return channel.write(self._encoded(lines), until_ns)

    def _encoded(self, lines: list[str]) -> bytes:
        """The lines as bytes, with line ends; they are noted as sent."""
        if self._log is not None:
            at = time.monotonic_ns()
            self._log.extend(TranscriptLine(at, ">", line) for line in lines)
        return "".join(line + self._end for line in lines).encode("utf-8", "surrogateescape")

    def _flush(self, channel: Channel, wanted: str) -> None:
        """What has come although nothing was asked: held against the brain and thrown away."""
        try:
            stale = channel.waiting()
        except FloodError:
            self._fault("nonsense", "it floods its output while it is not on move", None)
        for line in stale:
            text, verdict = self._judge(line, "idle")
            harmless = verdict.kind in ("message", "debug") or line.error or not text.strip()
            if self._strict and not harmless:
                reason = "start" if wanted == "ok" else "nonsense"
                self._fault(reason, f"{text[:80]!r} came although nothing was asked", None)

    def _judge(self, line: Line, wanted: str) -> tuple[str, Verdict]:
        """The line as text and what it is; offences are noted."""
        text = _text_of(line)
        if self._log is not None:
            self._log.append(TranscriptLine(line.at_ns, "!" if line.error else "<", text))
        verdict = read_line(text, "move" if wanted == "idle" else wanted)
        if text.strip():
            rows = [BYTES_TABLE["stderr"]] if line.error else rows_of(verdict, wanted)
            found = offence(text, [*rows, *_byte_rows(line)])
            if found is not None:
                self._hold(found)
        return text, verdict

    def _hold(self, found: Offence) -> None:
        if len(self.offences) < MAX_OFFENCES:
            self.offences.append(found)
        else:
            self.more_offences += 1

    def _note(self, text: str) -> None:
        if self._log is not None:
            self._log.append(TranscriptLine(time.monotonic_ns(), "#", text))

    # Faults

    def _fault(self, reason: str, detail: str, wait: "_Wait | None") -> NoReturn:
        """End the brain and say why."""
        lasted = 0.0 if wait is None else wait.lasted_ms()
        self._note(f"{reason}: {detail}")
        self.kill()
        raise BrainFault(reason, detail, lasted)

    def _fault_late(self, wait: "_Wait", found: Line | None) -> NoReturn:
        reason = "start" if wait.wanted == "ok" else "time"
        wanted = {"ok": "OK", "move": "move"}.get(wait.wanted, "answer")
        limit = self._patience if wait.limit_ms is None else wait.limit_ms
        if found is None:
            detail = f"no {wanted} in {min(limit, wait.lasted_ms()):.0f} ms"
        else:
            came = (found.at_ns - wait.begun_ns) / _MS
            detail = f"{_text_of(found)[:40]!r} came after {came:.1f} ms, the limit is {limit:.0f}"
        if wait.complaint:
            detail += f"; it had said {wait.complaint[:80]!r}"
        self._fault(reason, detail, wait)

    def _fault_line(self, text: str, verdict: Verdict, wait: "_Wait") -> NoReturn:
        if wait.wanted == "ok":
            self._fault("start", f"START was answered with {text[:80]!r}", wait)
        self._fault("nonsense", f"{text[:80]!r} is no move ({verdict.features[0]})", wait)

    def _fault_closed(self, wait: "_Wait") -> NoReturn:
        """It has ended, or has closed its pipes."""
        what = "it closed its pipes"
        if self._tree is not None and self._tree.wait(0.3):
            self.kill()
            what = _ending(self._status or 0)
        if wait.complaint:
            what += f"; it had said {wait.complaint[:80]!r}"
        self._fault("start" if wait.wanted == "ok" else "crash", what, wait)


class _Wait:
    """A request that is waited for. All times by time.monotonic_ns."""

    def __init__(self, wanted: str, begun_ns: int, limit_ms: float | None, delay_ns: int) -> None:
        self.wanted, self.begun_ns, self.limit_ms = wanted, begun_ns, limit_ms
        self.until_ns = 0
        self.writing_ns = 0
        self.messages: deque[str] = deque(maxlen=MAX_MESSAGES)
        self.complaint = ""  # the latest line that was not taken
        self._delay_ns = delay_ns

    def lasted_ms(self) -> float:
        """How long it has lasted until now."""
        return (time.monotonic_ns() - self.begun_ns) / _MS

    def own_delay_ns(self) -> int:
        """How long this thread has been kept from running since: no fault of the brain."""
        return own_delay_ns() - self._delay_ns


def _text_of(line: Line) -> str:
    """The line for people: bytes that are no UTF-8 are written as escapes."""
    return line.data.decode("utf-8", "backslashreplace")


def _byte_rows(line: Line) -> list[Row]:
    rows = []
    if line.cut:
        rows.append(BYTES_TABLE["too long"])
    if line.bare:
        rows.append(BYTES_TABLE["lone CR"])
    try:
        line.data.decode("utf-8")
    except UnicodeDecodeError:
        rows.append(BYTES_TABLE["not UTF-8"])
    return rows


def _ending(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"it ended by itself with status {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"it was ended by signal {-status}"
