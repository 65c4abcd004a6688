"""Brains that misbehave, each in one way: python rogues.py WAY [NUMBER].

A rogue plays the first empty point in reading order, and does what its way says (see WAYS) at the
moment that NUMBER says, where there is one: a move, counted from 1, or seconds. The way say:TEXT
says that text in place of a move; |, \\r and \\0 in it are a line end, a CR and a NUL.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable


class Rogue:
    """A brain that behaves, with hooks for those that do not."""

    def __init__(self, number: float) -> None:
        self.number = number
        self.side = (15, 15)
        self.taken: set[tuple[int, int]] = set()
        self.moves = 0
        self.suggested = ""

    def say(self, text: str, end: str = "\n") -> None:
        self.raw((text + end).encode())

    def raw(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def serve(self) -> None:
        """Read and answer until END or the end of input."""
        rest = b""
        while chunk := os.read(0, 4096):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if not self.hear(line.decode("utf-8", "replace").strip()):
                    return
        self.at_end()

    def hear(self, line: str) -> bool:
        """A line; False: it was END."""
        verb, _, rest = line.partition(" ")
        if verb == "END":
            return self.at_end()
        if verb in ("START", "RECTSTART", "RESTART"):
            sides = [int(n) for n in rest.split(",") if n] or list(self.side)
            self.side = (sides[0], sides[-1])
            self.taken, self.moves = set(), 0
            self.start()
        elif verb == "BOARD":
            self.taken = set()
        elif verb in ("BEGIN", "DONE"):
            self.answer()
        elif verb == "TURN":
            self.take(rest)
            self.answer()
        elif verb == "TAKEBACK":
            self.taken.discard(tuple(map(int, rest.split(","))))  # type: ignore[arg-type]
            self.say("OK")
        elif verb == "PLAY":
            self.say(rest)
        elif verb == "ABOUT":
            self.say('name="Rogue", version="1"')
        elif verb[:1].isdigit():
            self.take(line)
        return True

    def take(self, text: str) -> None:
        x, y, *_ = map(int, text.split(","))
        self.taken.add((x, y))

    def point(self) -> tuple[int, int]:
        width, height = self.side
        free = ((x, y) for y in range(height) for x in range(width) if (x, y) not in self.taken)
        return next(free, (0, 0))

    def start(self) -> None:
        self.say("OK")

    def answer(self) -> None:
        """A move is wanted."""
        self.moves += 1
        if self.moves == self.number or not self.number:
            self.misbehave()
        else:
            self.move()

    def move(self) -> None:
        x, y = self.point()
        self.taken.add((x, y))
        self.say(f"{x},{y}")

    def misbehave(self) -> None:
        self.move()

    def at_end(self) -> bool:
        return False


def after_start(do: Callable[[Rogue], object]) -> type[Rogue]:
    """A rogue that does something in place of the OK."""

    class Made(Rogue):
        def start(self) -> None:
            do(self)

    return Made


def at_move(do: Callable[[Rogue], object]) -> type[Rogue]:
    """A rogue that does something in place of its move."""

    class Made(Rogue):
        def misbehave(self) -> None:
            do(self)

    return Made


def sleeps(rogue: Rogue) -> None:
    time.sleep(rogue.number)
    rogue.say("OK")


def crashes(_: Rogue) -> None:
    os._exit(3)


def is_killed(_: Rogue) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(_: Rogue) -> None:
    time.sleep(3600)


def oks_and_hangs(rogue: Rogue) -> None:
    rogue.say("OK")
    time.sleep(3600)


def floods(rogue: Rogue) -> None:
    while True:
        rogue.raw(b"MESSAGE all work and no play\n" * 1000)


def floods_without_end(rogue: Rogue) -> None:
    while True:
        rogue.raw(b"x" * 65536)


def floods_errors(rogue: Rogue) -> None:
    """A little of it: more than a pipe holds; then the move."""
    for _ in range(40):
        os.write(2, b"warning: something\n" * 100)
    rogue.move()


def closes_input(rogue: Rogue) -> None:
    os.close(0)
    rogue.move()
    time.sleep(3600)


def closes_output(_: Rogue) -> None:
    os.close(1)
    os.close(2)
    time.sleep(3600)


def spins() -> None:
    """What forks() leaves behind: deaf, and with no parent."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(3600)


def forks() -> None:
    """A child; a child in a session of its own; one that has lost its parent, too."""
    me = [sys.executable, "-I", "-S", __file__, "spin"]
    keep = {"stdin": subprocess.DEVNULL}
    subprocess.Popen(me, **keep)  # type: ignore[call-overload]
    subprocess.Popen(me, start_new_session=True, **keep)  # type: ignore[call-overload]
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(me[0], me)
        os._exit(0)
    os.wait()


def forks_and_moves(rogue: Rogue) -> None:
    forks()
    rogue.move()


def forks_and_crashes(_: Rogue) -> None:
    """The children hold the pipe open."""
    forks()
    os._exit(5)


def eats_memory(rogue: Rogue) -> None:
    rogue.hoard = bytearray(b"x" * (64 << 20))  # type: ignore[attr-defined]
    rogue.move()


def in_pieces(rogue: Rogue) -> None:
    for piece in ("MESSAGE dep", "th 3-5 ev 12\n", "7", ",", "7", "\r"):
        rogue.say(piece, end="")
        time.sleep(0.02)
    rogue.say("")


def chats(rogue: Rogue) -> None:
    rogue.raw(b"MESSAGE caf\xe9 \xc4\xe3\xba\xc3\nDEBUG x\n\n")
    rogue.say("MESSAGE depth 9-15 ev -12 n 210k n/ms 70 tm 3011 pv h6 i8")
    rogue.move()


def moves_twice(rogue: Rogue) -> None:
    rogue.say("7,7\n8,8")


def moves_late(rogue: Rogue) -> None:
    """The move, and long after it another line."""
    rogue.move()
    time.sleep(0.05)
    rogue.say("OK")


def errs_then_moves(rogue: Rogue) -> None:
    rogue.say("ERROR I do not know this rule")
    rogue.move()


class Deaf(Rogue):
    """Ignores END and the end of its input."""

    def at_end(self) -> bool:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
        return True


class Hasty(Rogue):
    """Does not hear a START that comes within NUMBER seconds after its last move."""

    last = 0.0

    def hear(self, line: str) -> bool:
        if line.startswith("START") and time.monotonic() < self.last + self.number:
            return True
        return super().hear(line)

    def answer(self) -> None:
        self.move()
        self.last = time.monotonic()


def says(*texts: str) -> type[Rogue]:
    """A rogue that says this in place of its move."""
    return at_move(lambda rogue: [rogue.say(text) for text in texts])


def starts(*texts: str) -> type[Rogue]:
    """A rogue that says this in place of OK."""
    return after_start(lambda rogue: [rogue.say(text) for text in texts])


class Swaps(Rogue):
    """Answers SWAP2BOARD."""

    def __init__(self, number: float) -> None:
        super().__init__(number)
        self.swap2 = False

    def hear(self, line: str) -> bool:
        if line == "SWAP2BOARD":
            self.swap2, self.taken = True, set()
            return True
        if line == "DONE" and self.swap2:
            self.swap2 = False
            replies = {0: "2,3 3,12 10,4", 3: "5,5 6,6", 5: "SWAP"}
            self.say(replies[len(self.taken)])
            return True
        return super().hear(line)


class Obedient(Rogue):
    """Moves when it has been told that its time is up."""

    hurry = asked = False

    def hear(self, line: str) -> bool:
        self.hurry |= line == "INFO timeout_turn 0"
        going_on = super().hear(line)
        if self.hurry and self.asked:
            self.hurry = self.asked = False
            self.move()
        return going_on

    def misbehave(self) -> None:
        self.asked = True


class Thinker(Rogue):
    """Thinks for NUMBER seconds, and says when it began and ended, by time.monotonic_ns."""

    def answer(self) -> None:
        begun = time.monotonic_ns()
        time.sleep(self.number)
        self.say(f"MESSAGE thought {begun} {time.monotonic_ns()}")
        self.move()


class NoSwap(Rogue):
    """Knows no SWAP2BOARD."""

    def hear(self, line: str) -> bool:
        if line == "SWAP2BOARD":
            self.say("UNKNOWN SWAP2BOARD")
        return line in ("SWAP2BOARD", "DONE") or super().hear(line)


WAYS: dict[str, type[Rogue]] = {
    "good": Rogue,
    "sleep": after_start(sleeps),
    "crash-at-start": after_start(crashes),
    "mute": after_start(lambda rogue: None),
    "refuse": starts("ERROR unsupported board size"),
    "ok-text": starts("OK - everything is good"),
    "ok-lower": starts("ok"),
    "banner": starts("Rogue 1.0", "OK"),
    "chat-first": starts("MESSAGE hello", "OK"),
    "crash": at_move(crashes),
    "segfault": at_move(is_killed),
    "hang": at_move(hangs),
    "no-ear": after_start(oks_and_hangs),
    "flood": at_move(floods),
    "flood-line": at_move(floods_without_end),
    "flood-errors": at_move(floods_errors),
    "close-input": at_move(closes_input),
    "close-output": at_move(closes_output),
    "fork": at_move(forks_and_moves),
    "fork-crash": at_move(forks_and_crashes),
    "memory": at_move(eats_memory),
    "pieces": at_move(in_pieces),
    "chat": at_move(chats),
    "crlf": says("MESSAGE hi\r\n7,7\r"),
    "twice": at_move(moves_twice),
    "late": at_move(moves_late),
    "error": says("ERROR no idea"),
    "error-move": at_move(errs_then_moves),
    "nonsense": says("I resign"),
    "minus": says("-1,-1"),
    "occupied": at_move(lambda rogue: rogue.say("{},{}".format(*min(rogue.taken, default=(0, 0))))),
    "outside": says("40,2"),
    "blank-end": says("7,8 "),
    "blank-before": says("7 ,8"),
    "half": says("3,"),
    "suggest": says("SUGGEST 7,8"),
    "deaf": Deaf,
    "hasty": Hasty,
    "obedient": Obedient,
    "swap": Swaps,
    "think": Thinker,
    "unknown-swap": NoSwap,
}


def main() -> None:
    """Be one of the rogues."""
    if sys.argv[1] == "spin":
        spins()
    number = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    way, _, text = sys.argv[1].partition(":")
    lines = text.replace("\\r", "\r").replace("\\0", "\0").split("|")
    (says(*lines) if way == "say" else WAYS[way])(number).serve()


if __name__ == "__main__":
    main()
