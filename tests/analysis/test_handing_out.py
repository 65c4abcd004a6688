"""How the service hands out positions and what it does when a worker fails: without processes."""

from concurrent.futures import Future
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
from services import OUTPUT, Answer

from shisan.engine import Limits, Rules
from shisan.protocol import analysts, service
from shisan.protocol.queries import Defaults
from shisan.protocol.service import HANDFUL, Service
from shisan.protocol.workers import LostWorkerError

Handed = tuple[Any, "Future[None]"]


class Hands:
    """In place of workers: keeps what is handed out until the test says what became of it."""

    def __init__(self, count: int, hear: Any) -> None:
        self.count, self.hear = count, hear
        self.handed: list[Handed] = []
        self.calls: list[Any] = []

    def submit(self, fn: Any, tasks: Any, memory: Any, epoch: int) -> "Future[None]":
        assert fn is analysts.work
        future: Future[None] = Future()
        self.handed.append((tasks, future))
        return future

    def call(self, future: Any, fn: Any, number: int) -> None:
        assert fn is analysts.end
        self.calls.append(number)

    def kill(self) -> None:
        """Nothing to do."""


class Desk:
    """A service with such hands, and what it has answered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
        monkeypatch.setattr(service, "LocalWorkers", Hands)
        self.answers: list[Answer] = []
        defaults = Defaults(Rules.freestyle(), Limits(nodes=1000))
        self.service = Service(count, self.answers.append, defaults)
        self.hands: Any = self.service._workers

    def ask(self, text: str) -> None:
        self.service.receive(text.encode(), 1)

    def answer(self, handed: Handed, count: int | None = None) -> None:
        """The worker says something of the first tasks of its handful."""
        for number, task in handed[0][:count]:
            self.hands.hear((number, analysts.analyse(task), True))


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch, 2)


def ids(handed: Handed, desk: Desk) -> list[Any]:
    return [desk.service._running[number][0].id for number, _ in handed[0]]


def test_short_positions_are_handed_out_by_the_handful(desk: Desk) -> None:
    """As much as is worth it, never more than a worker's share, long ones by themselves."""
    for number in range(2):
        desk.ask(f'{{"id": "busy{number}", "moves": "", "nodes": 1}}')
    for number in range(10):
        desk.ask(f'{{"id": {number}, "moves": "h8", "nodes": 10000}}')
    desk.ask('{"id": "long", "moves": "h8", "depth": 9, "priority": -1}')
    busy = desk.hands.handed[:2]
    for handed in busy:
        desk.answer(handed)
        handed[1].set_result(None)
    first, second = desk.hands.handed[2:]
    assert [ids(first, desk), ids(second, desk)] == [[0, 1, 2], [3, 4, 5]]
    assert HANDFUL == 30_000
    desk.answer(first)
    first[1].set_result(None)
    third = desk.hands.handed[-1]
    assert ids(third, desk) == [6, 7]
    desk.answer(third)
    third[1].set_result(None)
    assert ids(desk.hands.handed[-1], desk) == [8]


def test_a_worker_that_dies_in_the_middle_of_a_handful(desk: Desk) -> None:
    """What it answered is answered; the next one is tried once more, the others as if new."""
    for number in range(2):
        desk.ask(f'{{"id": "busy{number}", "moves": "", "depth": 9}}')
    for number in range(6):
        desk.ask(f'{{"id": {number}, "moves": "h8", "nodes": 50}}')
    desk.answer(desk.hands.handed[0])
    desk.hands.handed[0][1].set_result(None)
    handful = desk.hands.handed[-1]
    assert ids(handful, desk) == [0, 1, 2]
    desk.answer(handful, 1)
    handful[1].set_exception(LostWorkerError("gone"))
    again = desk.hands.handed[-1]
    assert ids(again, desk) == [1, 2]
    again[1].set_exception(LostWorkerError("gone"))
    assert [each["id"] for each in desk.answers if "error" in each] == [1]
    last = desk.hands.handed[-1]
    assert ids(last, desk) == [2, 3]
    desk.answer(last)
    last[1].set_result(None)
    assert [each["id"] for each in desk.answers] == ["busy0", 0, 1, 2, 3]
    for each in desk.answers:
        OUTPUT.validate(each)


def test_a_fault_of_ours_costs_one_position(desk: Desk) -> None:
    for number in range(2):
        desk.ask(f'{{"id": "busy{number}", "moves": "", "depth": 9}}')
    for number in range(4):
        desk.ask(f'{{"id": {number}, "moves": "h8", "nodes": 50}}')
    desk.hands.handed[0][1].set_exception(ZeroDivisionError("oh"))
    handful = desk.hands.handed[-1]
    handful[1].set_exception(ZeroDivisionError("oh"))
    errors = [each for each in desk.answers if "error" in each]
    assert [each["id"] for each in errors] == ["busy0", 0]
    assert errors[1]["error"] == "the analysis failed: oh"
    assert ids(desk.hands.handed[-1], desk) == [1]


def test_ends_reach_what_runs(desk: Desk) -> None:
    for number in range(3):
        desk.ask(f'{{"id": {number}, "moves": "h8", "depth": 9}}')
    desk.ask('{"id": "t", "action": "terminate", "terminate_id": 1}')
    assert desk.hands.calls == [1]
    desk.hands.handed[1][1].set_exception(LostWorkerError("gone"))
    assert desk.answers[0] == {"id": "t", "action": "terminate", "terminate_id": 1, "ended": 1}
    assert (desk.answers[1]["id"], desk.answers[1]["stopped"]) == (1, True)
    assert ids(desk.hands.handed[-1], desk) == [2]


def test_reading_waits_for_room(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_WAITING", 5)
    for number in range(7):
        desk.ask(f'{{"id": {number}, "moves": "h8", "depth": 9}}')
    waiter = Thread(target=desk.service.wait_for_room)
    waiter.start()
    sleep(0.1)
    assert waiter.is_alive()
    desk.answer(desk.hands.handed[0])
    desk.hands.handed[0][1].set_result(None)
    waiter.join(10)
    assert not waiter.is_alive()


def test_done_means_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before the last answer has been taken, however slowly."""
    desk = Desk(monkeypatch, 1)
    desk.ask('{"id": 1, "moves": "h8", "depth": 1}')
    taken = []

    def slowly(answer: Answer) -> None:
        sleep(0.3)
        taken.append(answer)

    desk.service._send = slowly
    (handed,) = desk.hands.handed
    teller = Thread(target=desk.answer, args=[handed])
    teller.start()
    begun = monotonic()
    desk.service.wait_until_done()
    assert monotonic() - begun > 0.2
    assert len(taken) == 1
    teller.join()
