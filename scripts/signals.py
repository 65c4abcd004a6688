"""Signals that end long work in good order."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def stopped_by_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP call stop; a second Ctrl-C does not wait for what follows."""

    def handle(number: int, frame: Any) -> None:
        stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, handle) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
