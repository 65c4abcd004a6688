"""Matches and batches on a Dask cluster: the same tasks, done by workers on other machines.

Nothing else of Shisan imports this; it needs the extra `cluster`. See docs/cluster.md.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from distributed import Client, WorkerPlugin, get_worker
from distributed.scheduler import KilledWorker

from shisan.protocol.batches import BatchError, Crew
from shisan.protocol.journal import Game, Header
from shisan.protocol.match import Force, Inbox, MatchError
from shisan.protocol.pairs import Message, Transcript, Wants, play_unit, try_program
from shisan.protocol.programs import files
from shisan.protocol.referee import Moved
from shisan.protocol.schedule import Unit

PATIENCE: Final = "5s"
"""How long a scheduler may take to answer."""

LOOK_SECONDS: Final = 2.0
"""How often the number of workers is looked at, and whether a game is still wanted."""

SENT: Final = "shisan-engines"
"""The folder of sent programs in a worker's own folder."""


class UnwantedError(Exception):
    """Nobody waits for this pair any more."""


class Engines(WorkerPlugin):
    """Puts the programs' files on each worker, those that join later too.

    files: by hash of the program and name, each file's bytes.
    """

    name = SENT

    def __init__(self, programs: dict[str, dict[str, bytes]]) -> None:
        self.programs = programs

    def setup(self, worker: Any) -> None:
        """Write the files, all of them executable."""
        for sha256, contents in self.programs.items():
            folder = Path(worker.local_directory) / SENT / sha256
            folder.mkdir(parents=True, exist_ok=True)
            for name, data in contents.items():
                path = folder / name
                path.write_bytes(data)
                path.chmod(0o755)

    def teardown(self, worker: Any) -> None:
        """Leave nothing behind."""
        shutil.rmtree(Path(worker.local_directory) / SENT, ignore_errors=True)


def play_there(topic: str, sent: bool, header: Header, unit: Unit, wants: Wants) -> list[Game]:
    """Play a unit in a Dask worker; games are told as their lines in a journal."""
    worker = get_worker()
    key = worker.get_current_task()
    looked = monotonic()

    def tell(message: Message) -> None:
        nonlocal looked
        if isinstance(message, Game):
            worker.log_event(topic, {"game": message.line()})
            return
        if isinstance(message, Transcript):
            worker.log_event(topic, {"transcript": [*message]})
            return
        if wants.moves:
            worker.log_event(topic, {"moved": [*message]})
        if monotonic() - looked > LOOK_SECONDS:
            looked = monotonic()
            task = worker.state.tasks.get(key)
            if task is None or task.state in ("cancelled", "released", "forgotten"):
                raise UnwantedError

    return play_unit(header, unit, tell, wants._replace(moves=True), _engines(sent))


def try_there(sent: bool, header: Header, player: int, swap2: bool) -> None:
    """Try a program on a worker."""
    try_program(header, player, swap2, _engines(sent))


def _engines(sent: bool) -> str:
    return str(Path(get_worker().local_directory) / SENT) if sent else ""


def force(address: str, header: Header, inbox: Inbox, *, send: bool) -> Force:
    """The workers of a cluster. Raises MatchError when there is none at the address."""
    try:
        client = _connect(address)
    except ConnectionError as problem:
        raise MatchError(str(problem)) from None
    topic = f"shisan-{uuid4().hex}"
    client.subscribe_topic(topic, partial(_hear, inbox))
    if send:
        client.register_plugin(Engines(_contents(header)))
    return Force(
        client.get_executor(pure=False),
        _width(client),
        partial(play_there, topic, send),
        partial(try_there, send),
        (KilledWorker,),
        partial(_end, client, topic, send),
    )


def crew(address: str) -> Crew:
    """The workers of a cluster, for a batch. Raises BatchError when there is none there."""
    try:
        client = _connect(address)
    except ConnectionError as problem:
        raise BatchError(str(problem)) from None
    return Crew(client.get_executor(pure=False), _width(client), (KilledWorker,), client.close)


def _connect(address: str) -> Any:
    """A client of the scheduler. Raises ConnectionError when there is none with workers."""
    make: Any = Client  # its own types are not complete
    try:
        client = make(address, timeout=PATIENCE, set_as_default=False)
        client.wait_for_workers(1, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as problem:
        text = str(problem).partition("\n")[0]
        raise ConnectionError(f"no Dask scheduler with workers at {address}: {text}") from None
    return client


def _hear(inbox: Inbox, event: tuple[float, dict[str, Any]]) -> None:
    """Put what a worker has told into the inbox."""
    import json

    _, message = event
    if "game" in message:
        inbox.put(Game.read(json.loads(message["game"])))
    elif "transcript" in message:
        inbox.put(Transcript(*message["transcript"]))
    elif "moved" in message:
        number, black, white, stones, time_ms, score = message["moved"]
        points = tuple((int(x), int(y)) for x, y in stones)
        inbox.put(Moved(number, black, white, points, time_ms, score))


def _width(client: Any) -> Callable[[], int]:
    """As many pairs at once as the workers have threads, looked up now and then."""
    known, looked = 1, 0.0

    def width() -> int:
        nonlocal known, looked
        if monotonic() - looked > LOOK_SECONDS:
            looked = monotonic()
            known = max(1, sum(client.nthreads().values()))
        return known

    return width


def _contents(header: Header) -> dict[str, dict[str, bytes]]:
    """The files of the players that are no modules of ours, which every worker has."""
    found = {}
    for player in header.players:
        if player.command[1:2] == ("-m",) and player.command[2].startswith("shisan."):
            continue
        paths = files(player.command, player.folder)
        found[player.sha256] = {path.name: path.read_bytes() for path in paths}
    return found


def _end(client: Any, topic: str, send: bool) -> None:
    """Leave the cluster as it was. May be called twice."""
    if client.status == "closed":
        return
    with suppress(Exception):  # the scheduler may have gone first
        client.unsubscribe_topic(topic)
        if send:
            client.unregister_worker_plugin(SENT)
    client.close()
