"""shisan why: what a position shows, the engine's move, why not another, what the last one gave."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from shisan.engine import (
    Engine,
    GivenAway,
    Judgement,
    Limits,
    Position,
    best_move,
    explain,
    given_away,
    why_not,
)
from shisan.protocol.conditions import ConditionError, span
from shisan.protocol.facts import as_data
from shisan.protocol.notation import NotationError, point_name, read_points
from shisan.protocol.openings import opening_name
from shisan.protocol.pictures import draw_text, status
from shisan.protocol.words import (
    explain_words,
    given_away_words,
    result_words,
    why_not_words,
)

from .arguments import add_position, add_rules, position
from .show import wants_colour

EXAMPLES = """\
examples:
  shisan why h8i9h10                             what is there, and what the engine would play
  shisan why --rule renju h8g6f6g5f7g4h7g3g2a1   why is this lost?
  shisan why game.psq --ply 20 --not g12         why not g12?
  shisan why game.psq --ply 20 --not 'g12 h9'    why neither?
  shisan why game.psq --last                     what did the last move give away?
  shisan why --nodes 20000 h8i9                  the same answer on every machine
  shisan why --json game.psq --last | jq .last   the same as data

Points are a letter for the column and a number for the row, from the top left. A win that is
called proven can be replayed; a percentage is the search's opinion, and better with more time.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan why",
        usage="shisan why [MOVES | FILE.psq | -] [options]",
        description="Say in words what a position shows: threats with their points, the only"
        " defences, which of them are forbidden to Black and by which lines, the engine's move"
        " and its reasons.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_position(made)
    add_rules(made)
    made.add_argument("--ply", type=int, metavar="N", help="stop after the first N moves")
    made.add_argument(
        "--not", dest="refused", metavar="POINTS", help="say why not these moves: g12, or 'g12 h9'"
    )
    made.add_argument("--last", action="store_true", help="say what the last move gave away")
    made.add_argument(
        "--time",
        metavar="TIME",
        type=_span,
        help="time of each search: 300ms, 5s, 1m (default: 1s, or none with --nodes)",
    )
    made.add_argument("--nodes", type=int, metavar="N", help="nodes of each search")
    made.add_argument("--json", action="store_true", help="print the same as one JSON object")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command; a bad input is an error of usage (exit status 2)."""
    command = parser()
    options = command.parse_args(arguments)
    if options.ply is not None and options.ply < 0:
        command.error(f"--ply must be 0 or more, not {options.ply}")
    try:
        shown, _title = position(options, options.ply)
        engine = Engine(shown.rules)
        answer = _interruptible(engine, lambda: _answer(options, shown, engine))
    except ValueError as error:
        command.error(str(error))
    if options.json:
        print(json.dumps(answer["data"], ensure_ascii=False))
        return 0
    print(draw_text(shown, colour=wants_colour(sys.stdout)))
    for paragraph in answer["words"]:
        print()
        print("\n".join(paragraph))
    return 0


def _span(text: str) -> int:
    try:
        return span(text)
    except ConditionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _limits(options: argparse.Namespace) -> Limits:
    time = 1000 if options.time is None and options.nodes is None else options.time
    return Limits(turn_ms=time, nodes=options.nodes)


def _interruptible(engine: Engine, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do the work in a thread, so that Ctrl-C ends its searches at once."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not future.done():
                wait([future], 0.1)
        except KeyboardInterrupt:
            while not future.done():
                engine.stop()
                wait([future], 0.05)
            raise
        return future.result()


def _answer(options: argparse.Namespace, shown: Position, engine: Engine) -> dict[str, Any]:
    """The answer as paragraphs and as data. Raises ValueError."""
    limits = _limits(options)
    try:
        moves = read_points(options.refused or "", shown.rules.width, shown.rules.height)
    except NotationError as error:
        raise ValueError(f"--not: {error}") from None
    if options.last and any(part is not None for part in (options.black, options.white)):
        raise ValueError("--last needs a game: moves or a record, not a set-up")
    if options.last and not shown.ply:
        raise ValueError("--last needs a last move, and the board is empty")
    said, name = explain(shown), opening_name(shown)
    best = None if shown.over else best_move(shown, engine, limits)
    judged = [why_not(shown, move, engine, limits, best) for move in moves]
    last = _last(shown, engine, limits) if options.last else None
    words = [[*([f"Opening: {name}."] if name else []), *explain_words(shown, said)]]
    if best is not None:
        words.append(result_words(shown, said, best))
    words += [why_not_words(each) for each in judged]
    if last is not None:
        words.append(given_away_words(last))
    data = {
        "rule": shown.rules.name,
        "width": shown.rules.width,
        "height": shown.rules.height,
        "stones": [[point_name(x, y), as_data(colour)] for x, y, colour in shown.stones],
        "status": status(shown),
        "opening": name,
        "shows": {**as_data(said), "words": words[0]},
        "best": None if best is None else {**as_data(best), "words": words[1]},
        "not": [_with_words(each) for each in judged],
        "last": None if last is None else _with_words(last),
    }
    return {"words": words, "data": data}


def _last(shown: Position, engine: Engine, limits: Limits) -> GivenAway:
    """What the last move gave away."""
    before = shown.copy()
    return given_away(before, before.undo(), engine, limits)


def _with_words(said: Judgement | GivenAway) -> dict[str, Any]:
    words = why_not_words(said) if isinstance(said, Judgement) else given_away_words(said)
    return {**as_data(said), "words": words}
