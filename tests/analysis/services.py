"""The service as a process of its own, every line of which is held against the schema."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import psutil
from jsonschema import Draft202012Validator

from shisan.engine import Analysis, Engine, Limits, Point, Rules
from shisan.protocol.answers import schema
from shisan.protocol.games import GameRecord
from shisan.protocol.notation import point_name

SHISAN = "import sys; from shisan.scripts.cli import main; sys.exit(main(sys.argv[1:]))"
SCHEMA = schema()
Answer = dict[str, Any]


def validator(name: str) -> Draft202012Validator:
    """Of one of the schema's definitions."""
    return Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


INPUT, OUTPUT, RESULTS = (validator(name) for name in ("input", "output", "results"))


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", SHISAN, "analyze", *words]


def run(
    folder: Path, *words: str, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """`shisan analyze` to its end."""
    return subprocess.run(
        command(*words),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | (env or {}),
    )


def results(path: Path) -> list[Answer]:
    """The lines of a file of results, each valid; the first one too."""
    lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    for line in lines:
        RESULTS.validate(line)
    return lines


def wait_until(true: Callable[[], object], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


class Talk:
    """A running service. A context manager: at its end nothing of it may be left."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            command("--jsonl", *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.errors = b""
        self._answers: Queue[bytes] = Queue()
        self._threads = [
            Thread(target=self._listen, daemon=True),
            Thread(target=self._complaints, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Talk":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        workers = self.workers() if self.process.poll() is None else []
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        if kind is None:
            assert self.errors == b""
            for worker in workers:
                wait_until(lambda worker=worker: not alive(worker), 10)  # type: ignore[misc]

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)

    def _complaints(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def workers(self) -> list[psutil.Process]:
        """The service's own processes."""
        return psutil.Process(self.process.pid).children()

    def send(self, *queries: Answer) -> None:
        """Queries, which must be what the schema says."""
        for query in queries:
            INPUT.validate(query)
        self.write("".join(json.dumps(query) + "\n" for query in queries).encode())

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def take(self, seconds: float = 60) -> Answer:
        """The next answer."""
        line = self._answers.get(timeout=seconds)
        assert line.endswith(b"\n")
        answer: Answer = json.loads(line)
        OUTPUT.validate(answer)
        return answer

    def take_all(self, count: int) -> list[Answer]:
        return [self.take() for _ in range(count)]

    def end(self) -> tuple[int, list[Answer]]:
        """Close its input and wait. Returns its status and the answers that were left."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(60)
        self._threads[0].join(10)
        left = []
        try:
            while True:
                left.append(self.take(0.01))
        except Empty:
            return status, left


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def direct(
    moves: tuple[Point, ...], rules: Rules, limits: Limits, lines: int = 1, **more: Any
) -> Analysis:
    """What a fresh engine says of a position."""
    position = GameRecord(rules.width, rules.height, moves).position(rules)
    return Engine(rules).analyse(position, limits, lines, **more)


def told(analysis: Analysis) -> list[Answer]:
    """The lines of an analysis as an answer has them, written out by hand."""
    return [
        {
            "move": point_name(*line.move),
            "value": line.value,
            "win_probability": round(line.win_probability, 6),
            "win_in": line.win_in,
            "depth": line.depth,
            "pv": [point_name(*point) for point in line.moves],
        }
        for line in analysis.lines
    ]
