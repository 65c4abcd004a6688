"""Measure a database of many positions: written, looked up, exported, imported, beside a search.

    python -m shisan.scripts.databasespeed [--positions N] [--nodes N] [--rounds N] [--folder DIR]

Positions are drawn from random stones near the middle of a 15x15 board, each with a value, a depth
and a best move, as searches leave them. It prints records a second for writing, for looking a
position up and for looking it and all its moves up (what a search does once), for the export as
text and its import into an empty database, and the bytes of each file. Then it searches the 26
named renju openings, which the database holds with a hundred moves each, with and without its
look-ups in turn, with emptied tables and the same nodes, and prints what the look-ups add to the
time: measured by themselves, and by the difference of all. Seconds are of this process's processor,
so that other work on the machine does not count; those of the clock stand beside.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time

from shisan.engine import Colour, Engine, Limits, Point, Position, Rules
from shisan.protocol.database import Entry, Store
from shisan.protocol.databasefiles import export_text, import_text
from shisan.protocol.databasesearch import advice
from shisan.protocol.openings import NAMED
from shisan.protocol.positionkeys import Setup, keys_for
from shisan.protocol.positionrecords import Bound, Record

RULES = Rules.renju(15)
MIDDLE = [y * 15 + x for y in range(3, 12) for x in range(3, 12)]


def drawn(count: int, seed: int = 1) -> Iterator[Entry]:
    """Positions of 4 to 30 stones with records; hardly any is a turned form of another."""
    luck, keys = Random(seed), keys_for(15, 15)
    for _ in range(count):
        cells = luck.sample(MIDDLE, luck.randint(4, 30))
        cells, best = cells[:-1], cells[-1]
        setup = Setup(Colour(len(cells) % 2), tuple(sorted(cells[::2])), tuple(sorted(cells[1::2])))
        value, depth = luck.randint(-400, 400), luck.randint(6, 20)
        yield Entry(RULES, setup, Record("", value, depth, Bound.EXACT, keys.point(best)))


@contextmanager
def rate(name: str, count: int, path: Path | None = None) -> Iterator[None]:
    """Print how many a second the work inside did, and the bytes of its file."""
    clock, processor = perf_counter(), process_time()
    yield
    processor, clock = process_time() - processor, perf_counter() - clock
    size = "" if path is None else f", {path.stat().st_size:,} bytes"
    print(
        f"{name:<28}{count / processor:>12,.0f} a second ({count / clock:,.0f} by the clock){size}",
        flush=True,
    )


def measure_files(entries: Sequence[Entry], folder: Path) -> Store:
    """Write, look up, export and import; returns the database, open."""
    path, text, again = folder / "a.db", folder / "a.jsonl", folder / "b.db"
    store = Store(path, "create")
    with rate("insert", len(entries), path):
        store.put_all(entries)
    keys, luck = keys_for(15, 15), Random(2)
    asked = [keys.position(RULES, luck.choice(entries).setup) for _ in range(2000)]
    with rate("look up a position", len(asked)):
        assert all(store.get(each) is not None for each in asked)
    with rate("look up it and its moves", len(asked)):
        for each in asked:
            store.get(each)
            store.children(each)
    with rate("export", len(store), text):
        export_text(store, text)
    with Store(again, "create") as other:
        with rate("import", len(store)):
            import_text(other, text)
        assert len(other) == len(store)
    return store


def measure_searches(store: Store, rounds: int, nodes: int) -> None:
    """Search with and without the look-ups that a search makes, in turn."""
    engine = Engine(RULES)
    places = [_position(stones) for stones in NAMED.values()]
    with store.transaction():
        for place in places:
            store.put(place, Record("", 20, 12, Bound.EXACT, place.legal_points()[0]))
            for x, y in place.legal_points()[:100]:
                after = place.copy()
                after.play(x, y)
                store.put(after, Record("", -20, 11, Bound.EXACT))
    plain: list[float] = []
    looked: list[float] = []
    added: list[float] = []
    for turn, place in enumerate(places * rounds):
        for with_database in (turn % 2 == 0, turn % 2 == 1):
            engine.clear()
            begun = process_time()
            if with_database:
                advice(place, store.get(place), store.children(place))
                added.append(process_time() - begun)
            engine.search(place, Limits(nodes=nodes))
            (looked if with_database else plain).append(process_time() - begun)
    print(f"searches of {nodes:,} nodes: {len(plain)} each, median {1000 * median(plain):.0f} ms")
    print(f"look-ups before a search: median {1000 * median(added):.2f} ms")
    difference = sum(looked) / sum(plain) - 1
    print(f"a search takes {sum(added) / sum(plain):.2%} longer (all in all: {difference:+.2%})")


def _position(stones: Sequence[Point]) -> Position:
    place = Position(RULES)
    for dx, dy in stones:
        place.play(7 + dx, 7 + dy)
    return place


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the measurement."""
    parser = argparse.ArgumentParser(
        prog="python -m shisan.scripts.databasespeed",
        description="Measure a database of positions, and what it costs a search.",
    )
    parser.add_argument("--positions", type=int, default=1_000_000, help="in it (1000000)")
    parser.add_argument("--nodes", type=int, default=200_000, help="of a search (200000)")
    parser.add_argument("--rounds", type=int, default=1, help="over the 26 openings searched (1)")
    parser.add_argument("--folder", help="where the files are made and removed (the system's)")
    options = parser.parse_args(arguments)
    for name in ("positions", "nodes", "rounds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be 1 or more")
    entries = list(drawn(options.positions))
    with (
        tempfile.TemporaryDirectory(dir=options.folder) as folder,
        measure_files(entries, Path(folder)) as store,
    ):
        measure_searches(store, options.rounds, options.nodes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
