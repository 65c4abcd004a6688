"""A GameRecord as SGF, with comments and variations: `sgftrees` gives the same game back."""

from collections import defaultdict
from collections.abc import Iterable

from shisan.engine import Point

from .about import VERSION
from .games import GameRecord
from .sgf import letters, simple_text, text
from .sgftrees import FACTS, RESULTS, outcome


def write_sgf(game: GameRecord) -> str:
    """The game as an SGF game tree, ending with a line break.

    A line goes on with its first child; where branches leave, it and they are variations in
    order. Passes are empty values. Walls, for which SGF has no property, are in one called WALL.
    What cannot stand in SGF is changed: blanks become spaces, what is not printable likewise.
    """
    return f"(;{_root(game)}{_tree(game)})\n"


def write_collection(games: Iterable[GameRecord]) -> str:
    """Many games as one SGF collection."""
    return "".join(write_sgf(game) for game in games)


def _root(game: GameRecord) -> str:
    square = game.width == game.height
    told = dict(game.facts)
    rule = game.rules.name if game.rules else told.get("rule", "")
    result = told.get("result", "")
    if outcome(result) != game.result:
        result = RESULTS[game.result]
    told |= {"rule": rule, "result": result}
    facts = [
        ("FF", "4"),
        ("GM", "4"),
        ("CA", "UTF-8"),
        ("AP", f"Shisan:{VERSION}"),
        ("SZ", f"{game.width}" if square else f"{game.width}:{game.height}"),
        ("GN", simple_text(game.source.name)),
        ("PB", simple_text(game.players[0])),
        ("PW", simple_text(game.players[1])),
        *((key, simple_text(told.get(name, ""))) for key, name in FACTS.items()),
    ]
    parts = [f"{name}[{value}]" for name, value in facts if value]
    for name, points in (("AB", game.black), ("AW", game.white), ("WALL", game.walls)):
        parts.append(_points(name, points))
    if game.black or game.white or game.side:
        parts.append(f"PL[{'BW'[game.side]}]")
    return "".join(parts) + _comment(game.comment)


def _points(name: str, points: Iterable[Point]) -> str:
    values = "".join(f"[{letters(point)}]" for point in points)
    return name + values if values else ""


def _comment(said: str) -> str:
    escaped = text(said)
    return f"C[{escaped}]" if escaped else ""


def _tree(game: GameRecord) -> str:
    """All moves; without recursion, as branches may be nested hundreds deep."""
    leaving = _leaving(game)
    parts: list[str] = []
    tasks: list[str | tuple[int, int, bool]] = [(0, 0, False)]  # line, ply, past its branches?
    while tasks:
        task = tasks.pop()
        if isinstance(task, str):
            parts.append(task)
            continue
        number, ply, forked = task
        line = game.branches[number - 1] if number else game
        start = game.branches[number - 1].ply if number else 0
        while forked or not leaving[number, ply]:
            if ply - start == len(line.moves):
                break
            said = line.comments[ply - start] if line.comments else ""
            parts.append(_node("BW"[(game.side + ply) % 2], line.moves[ply - start], said))
            ply, forked = ply + 1, False
        else:
            own = [(number, ply, True)] if ply - start < len(line.moves) else []
            others = [(fork, game.branches[fork - 1].ply, False) for fork in leaving[number, ply]]
            for variation in reversed(own + others):
                tasks += [")", variation, "\n("]
    return "".join(parts)


def _node(colour: str, move: Point | None, said: str) -> str:
    return f"\n;{colour}[{'' if move is None else letters(move)}]{_comment(said)}"


def _leaving(game: GameRecord) -> dict[tuple[int, int], list[int]]:
    """The branches that leave each line after so many moves."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, branch in enumerate(game.branches, 1):
        line = branch.parent
        while line and branch.ply <= game.branches[line - 1].ply:
            line = game.branches[line - 1].parent
        found[line, branch.ply].append(number)
    return found
