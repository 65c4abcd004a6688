"""Watch work that reports as it goes: in a thread of its own, seen as an iterator."""

from collections.abc import AsyncIterator, Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Generic, TypeVar

Report = TypeVar("Report")
Work = Callable[[Callable[[Report], None], Event], Report]
"""Work to watch: it is given a place for reports and the order to end, and returns the last one."""


class _Ended(Generic[Report]):
    """The end of the work: its last report, or what it raised."""

    def __init__(self, report: Report | None, error: BaseException | None) -> None:
        self.report = report
        self.error = error

    def result(self) -> Report:
        """Return the last report, or raise what the work raised."""
        if self.error is not None:
            raise self.error
        assert self.report is not None
        return self.report


def _begin(
    work: Work[Report], put: Callable[[Report | _Ended[Report]], None]
) -> tuple[Thread, Event]:
    """Start the work in a thread; put takes its reports and then its end."""
    enough = Event()

    def run() -> None:
        try:
            ended: _Ended[Report] = _Ended(work(put, enough), None)
        except BaseException as error:  # it is raised where the reports are read
            ended = _Ended(None, error)
        put(ended)

    thread = Thread(target=run, name="shisan analysis", daemon=True)
    thread.start()
    return thread, enough


def iterate(work: Work[Report], interrupt: Callable[[], None]) -> Iterator[Report]:
    """Yield the reports of the work, its result last; closing the iterator ends the work.

    interrupt: called when the iterator is closed early, after the order to end has been given. The
    thread has ended when the iterator has. Raises what the work raises.
    """
    reports: SimpleQueue[Report | _Ended[Report]] = SimpleQueue()
    thread, enough = _begin(work, reports.put)
    try:
        while not isinstance(report := reports.get(), _Ended):
            yield report
        yield report.result()
    finally:
        enough.set()
        interrupt()
        thread.join()


async def iterate_async(work: Work[Report], interrupt: Callable[[], None]) -> AsyncIterator[Report]:
    """Do as iterate does for `async for`; cancelling the task ends the work too."""
    import asyncio  # takes as long to load as all the rest of the engine

    loop = asyncio.get_running_loop()
    reports: asyncio.Queue[Report | _Ended[Report]] = asyncio.Queue()

    def put(report: Report | _Ended[Report]) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, report)

    thread, enough = _begin(work, put)
    try:
        while not isinstance(report := await reports.get(), _Ended):
            yield report
        yield report.result()
    finally:
        enough.set()
        interrupt()
        await asyncio.shield(asyncio.to_thread(thread.join))
