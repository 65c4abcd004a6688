"""shisan bench: search fixed positions and print the nodes of each rule, the search's signature."""

import argparse
from collections.abc import Sequence

EXAMPLES = """\
examples:
  shisan bench                         the signature, and how fast this machine is
  shisan bench --depth 4               a shorter run, with a signature of its own
  SHISAN_CPU=baseline shisan bench     the same nodes without AVX2

The nodes are the same on every machine and compiler; a difference is a different search. The
times are this machine's.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan bench",
        description="Search fixed positions of every rule to a fixed depth, with one thread and"
        " cleared tables, and print how many nodes that took.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--depth", type=int, metavar="N", help="plies to search, from 1")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the bench and print a line a rule as it goes."""
    command = parser()
    options = command.parse_args(arguments)
    from shisan.engine import cpu
    from shisan.engine.bench import DEPTH, Line, run, signature

    depth = DEPTH if options.depth is None else options.depth
    if depth < 1:
        command.error(f"--depth must be 1 or more, not {depth}")

    def show(name: str, nodes: int, time_ms: int) -> None:
        print(f"{name:<20} {nodes:>12} {time_ms:>8} {nodes / max(time_ms, 1):>8.0f}", flush=True)

    def on_line(line: Line) -> None:
        show(*line)

    print(f"depth {depth}, kernel {cpu()}")
    print(f"{'rule':<20} {'nodes':>12} {'ms':>8} {'nodes/ms':>8}")
    lines = run(depth, on_line)
    show("all", sum(line.nodes for line in lines), sum(line.time_ms for line in lines))
    print(f"Bench: {signature(lines)}")
    return 0
