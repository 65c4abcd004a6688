"""A brain of our own for the conformance kit, clean by itself, with one fault where one is named.

python faulty_brain.py [FAULT]

It shares nothing with Shisan's session and loop but the choice of moves: commands, clock and
threads are its own, so that a clean brain passes by what is written here.
"""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

FAULT = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
OWN, OTHER, WALL = 1, 2, 3


class Brain:
    def __init__(self) -> None:
        self.size = 0
        self.stones: list[tuple[int, int, int]] = []
        self.info = {"timeout_turn": 30000, "rule": 0, "time_left": 2147483647}
        self.lock = threading.RLock()
        self.ticket = 0
        self.hurry = threading.Event()
        self.searching = False
        self.waiting: list[bytes] = []
        self.moves = 0
        self.deaf_until = 0.0
        self.hoard: list[bytearray] = []
        self.children: list[subprocess.Popen[bytes]] = []

    # -- output ----------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape") + (b"\r" if FAULT == "cr only" else b"\n")
        if FAULT == "mixed ends" and text == "OK":
            data = b"OK\r\n"
        pieces = [data]
        if FAULT == "two writes" and "," in text:
            pieces = [data[:1], data[1:]]
        for piece in pieces:
            try:
                os.write(1, piece)
            except OSError:
                if FAULT != "writes on":
                    os._exit(0)

    def say_move(self, x: int, y: int) -> None:
        self.moves += 1
        if FAULT == "occupied" and self.moves % 4 == 0:
            x, y = self.stones[-2][:2]
        text = f"{x},{y}"
        before = {
            "bare message": "MESSAGE",
            "debug": "DEBUG depth 3",
            "info lines": "INFO DEPTH 3",
            "latin": "MESSAGE caf\udce9",
            "control": "MESSAGE a\x07b",
            "long line": "MESSAGE " + "x" * 2000,
        }
        if FAULT in before:
            self.say(before[FAULT])
        if FAULT == "stderr":
            os.write(2, b"warning: something\n")
        if FAULT == "blank behind":
            text += " "
        if FAULT == "two moves":
            self.say(text)
        self.say(text)
        self.deaf_until = time.monotonic() + (0.02 if FAULT == "deaf after move" else 0)

    # -- input -----------------------------------------------------------------------------------

    def serve(self) -> None:
        if FAULT == "banner":
            self.say("Faulty brain 1.0 ready")
        if FAULT == "slow start":
            time.sleep(0.8)
        if FAULT == "writes a file":
            open("faulty.log", "w").close()
        if FAULT == "arguments" and "--force-utf8" in sys.argv:
            sys.exit("unknown argument")
        if FAULT == "sigterm":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        rest = b""
        while True:
            chunk = os.read(0, 65536)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if time.monotonic() < self.deaf_until:
                    continue
                if FAULT == "single thread":
                    while self.searching:
                        time.sleep(0.01)
                with self.lock:
                    self.receive(line)
        if FAULT in ("no eof", "no eof in lists") and (FAULT == "no eof" or self.reading):
            while True:
                time.sleep(1)
        self.leave()

    def leave(self, status: int = 0) -> None:
        if FAULT == "leaves a child":
            subprocess.Popen(["sleep", "30"], start_new_session=True)
        os._exit(status)

    reading: "list[bytes] | None" = None

    def receive(self, raw: bytes) -> None:
        if FAULT == "no crlf" and raw.endswith(b"\r"):
            raw = b"?" + raw
        raw = raw.strip(b"\r\n \t\x00")
        if FAULT == "answers blanks" and not raw:
            self.say("UNKNOWN")
        if not raw:
            return
        word = raw.split()[0].decode("latin-1")
        if FAULT != "upper case only":
            word = word.upper()
        if self.reading is not None and (word == "DONE" or word not in ("END", "YXSTOP")):
            self.read_list(raw, word)
            return
        if self.searching and word not in ("START", "RESTART", "INFO", "STOP", "YXSTOP", "END"):
            self.waiting.append(raw)
            return
        name = word.lower()
        known = ("start", "rectstart", "restart", "info", "begin", "turn", "board", "about")
        known += ("swap2board", "takeback", "play", "end", "stop", "yxstop")
        if FAULT == "prefixes":
            name = next((verb for verb in known if name.startswith(verb)), name)
        if name not in known:
            if FAULT != "silent unknown":
                self.say("UNKNOWN command")
            return
        getattr(self, "do_" + name)(raw.decode("utf-8", "surrogateescape").partition(" ")[2])

    def read_list(self, raw: bytes, word: str) -> None:
        assert self.reading is not None
        if word != "DONE":
            text = raw.replace(b" ", b"")
            if FAULT == "leaves lists" and not re.fullmatch(rb"\d+,\d+(,\d)?", text):
                self.say("ERROR bad line")
                self.reading = None
            else:
                self.reading.append(text)
            return
        lines, self.reading = self.reading, None
        (self.swap2 if self.swapping else self.set_up)(lines)

    # -- commands --------------------------------------------------------------------------------

    def abort(self) -> None:
        if self.searching and FAULT == "burns on":
            threading.Thread(target=burn, daemon=True).start()
        if not (FAULT == "move after start" and self.searching):
            self.ticket += 1
        self.searching = False
        self.waiting.clear()
        self.hurry.set()

    def do_start(self, text: str) -> None:
        numbers = text.split()
        if (
            not numbers
            or not all(number.isdigit() for number in numbers)
            or len({*numbers}) > 1
            or not 5 <= int(numbers[0]) <= 22
        ):
            self.say("ERROR size")
        else:
            self.abort()
            self.size = int(numbers[0])
            if FAULT != "old board":
                self.stones = []
            if FAULT == "settings lost":
                self.info |= {"timeout_turn": 5000, "rule": 0}
            if FAULT == "grows":
                self.hoard.append(bytearray(os.urandom(1 << 20)))
            self.say("OK - ready" if FAULT == "ok text" else "OK")

    def do_rectstart(self, text: str) -> None:
        sides = text.split(",")
        if len({*sides}) == 1:
            self.do_start(sides[0])
        else:
            self.say("ERROR rectangles")

    def do_restart(self, _: str) -> None:
        if not self.size:
            self.say("ERROR no board")
            return
        self.abort()
        if FAULT != "old board at restart":
            self.stones = []
        self.say("OK")

    def do_info(self, text: str) -> None:
        key, _, value = text.partition(" ")
        key = key.lower()
        if FAULT == "answers info" and value == "abc":
            self.say("ERROR abc")
        if FAULT == "words of folder" and key == "folder" and " " in value:
            for word in value.split()[1:]:
                self.receive(word.encode("utf-8", "surrogateescape"))
        if re.fullmatch(r"-?\d+", value):
            if FAULT == "first rule" and key == "rule" and key in self.__dict__.setdefault("s", []):
                return
            self.__dict__.setdefault("s", []).append(key)
            self.info[key] = int(value)
        if key == "timeout_turn" and value == "0" and FAULT != "no move now":
            self.hurry.set()

    def do_begin(self, _: str) -> None:
        if not self.size or self.stones:
            self.say("ERROR board")
        else:
            self.search()

    def do_turn(self, text: str) -> None:
        point = self.point(text)
        if point is None:
            self.say("ERROR point")
            return
        self.stones.append((*point, OTHER))
        self.search()

    def do_play(self, text: str) -> None:
        point = self.point(text)
        if point is None:
            self.say("ERROR point")
            return
        self.stones.append((*point, OWN))
        self.say(f"{point[0]},{point[1]}")

    def point(self, text: str) -> "tuple[int, int] | None":
        found = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
        if not found or not self.size:
            return None
        x, y = int(found[1]), int(found[2])
        taken = any((x, y) == stone[:2] for stone in self.stones)
        return None if taken or x >= self.size or y >= self.size else (x, y)

    def do_takeback(self, text: str) -> None:
        found = [stone for stone in self.stones if f"{stone[0]},{stone[1]}" == text.strip()]
        if not found:
            self.say("ERROR no stone")
            return
        if FAULT != "keeps stones":
            self.stones.remove(found[0])
        self.say("OK")

    def do_board(self, _: str) -> None:
        self.reading, self.swapping = [], False

    def do_swap2board(self, _: str) -> None:
        self.reading, self.swapping = [], True

    def set_up(self, lines: "list[bytes]") -> None:
        stones = []
        for line in lines:
            found = re.fullmatch(rb"(\d+),(\d+),([123])", line)
            if not found or not self.size or max(int(found[1]), int(found[2])) >= self.size:
                self.say("ERROR line")
                return
            stones.append((int(found[1]), int(found[2]), int(found[3])))
        if FAULT == "no walls":
            stones = [stone for stone in stones if stone[2] != WALL]
        self.stones = self.stones + stones if FAULT == "adds lists" else stones
        self.search()

    def swap2(self, lines: "list[bytes]") -> None:
        stones = [line.decode() for line in lines]
        if not stones:
            self.say("2,1 2,3 3,3" + (" " if FAULT == "swap2 blank" else ""))
        elif len(stones) in (3, 5):
            self.say("SWAP")
        else:
            self.say("ERROR number of stones")

    def do_about(self, _: str) -> None:
        name = "Faulty, or not" if FAULT == "comma in about" else "Faulty"
        key = "Name" if FAULT == "capital about" else "name"
        self.say(f'{key}="{name}", version="1.0", author="us", country="none"')

    def do_stop(self, _: str) -> None:
        if FAULT == "late stop":
            threading.Timer(1, self.hurry.set).start()
        else:
            self.hurry.set()

    do_yxstop = do_stop

    def do_end(self, _: str) -> None:
        if FAULT == "says bye":
            self.say("bye")
        if FAULT == "slow end":
            time.sleep(1.3)
        if FAULT == "no end":
            return
        self.leave(1 if FAULT == "exit status" else 0)

    # -- thinking --------------------------------------------------------------------------------

    def search(self) -> None:
        self.ticket += 1
        self.hurry.clear()
        self.searching = True
        now = time.monotonic()
        threading.Thread(target=self.think, args=(self.ticket, now), daemon=True).start()

    def think(self, ticket: int, begun: float) -> None:
        seconds = self.info["timeout_turn"] * 0.9 / 1000
        left = self.info["time_left"]
        if left != 2147483647 and FAULT != "no time left":
            seconds = min(seconds, left / 20_000)
        if "max_node" in self.info and self.info["max_node"] > 0:
            seconds = 0
        if self.info["timeout_turn"] == 0 and FAULT == "unlimited at 0":
            seconds = 60
        if FAULT == "overruns":
            seconds = seconds + 1
        try:
            move = self.choose()
        except IndexError:
            move = None
        while not self.hurry.is_set() and time.monotonic() < begun + seconds:
            self.hurry.wait(max(0.0, begun + seconds - time.monotonic()))
        with self.lock:
            if ticket != self.ticket:
                return
            self.searching = False
            if move is None:
                self.say("ERROR board is full")
            else:
                self.stones.append((*move, OWN))
                self.say_move(*move)
            if FAULT == "burns idle":
                threading.Thread(target=burn, daemon=True).start()
            while self.waiting and not self.searching:
                self.receive(self.waiting.pop(0))

    def choose(self) -> "tuple[int, int]":
        from shisan.engine import Colour, Position, Rules  # late, so that most checks need not wait
        from shisan.scripts.sparring_brains import choose_greedy

        named = {0: Rules.freestyle, 1: Rules.standard, 4: Rules.renju, 8: Rules.caro}
        number = 0 if FAULT == "freestyle only" else self.info["rule"]
        rules = named.get(number, Rules.freestyle)(self.size)
        if number == 9:
            rules = Rules.caro(self.size, exact=True)
        own = sum(field == OWN for *_, field in self.stones)
        other = sum(field == OTHER for *_, field in self.stones)
        side = Colour.BLACK if own == other else Colour.WHITE
        if FAULT == "colour by order" and self.stones:
            side = Colour.BLACK if self.stones[0][2] == OWN else Colour.WHITE
        stones = [
            (x, y, side if field == OWN else side.other) for x, y, field in self.stones if field < 3
        ]
        walls = [(x, y) for x, y, field in self.stones if field == WALL]
        position = Position.set_up(rules, stones, side, walls=walls)
        if FAULT == "forbidden" and rules.forbidden:
            position = Position.set_up(Rules.standard(self.size), stones, side, walls=walls)
        return choose_greedy(position, random.Random(1))


def burn() -> None:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        pass


if __name__ == "__main__":
    Brain().serve()
