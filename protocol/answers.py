"""What an analysis says as JSON: answers of the service, records of a batch, and their schema."""

import json
from importlib.resources import files
from typing import Any

from shisan.engine import Analysis, Colour, Line, Point, Position

from .games import rule_facts
from .notation import Rows, point_name
from .queries import Task

Body = dict[str, Any]
"""An answer without its id."""

PLACES = 6
"""Decimals of a probability."""


def schema() -> dict[str, Any]:
    """The JSON Schema of everything that goes into the service and comes out of it or a batch."""
    text = files(__package__).joinpath("schema/analysis.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def answer(
    task: Task,
    position: Position,
    analysis: Analysis | None,
    *,
    during: bool = False,
    stopped: bool = False,
) -> Body:
    """What is known of a position. analysis: None: nothing, or the game is over.

    during: it goes on. stopped: it was ended before its limits.
    """
    height = position.rules.height
    body: Body = {
        "turn": task.turn,
        "during": during,
        "size": [position.rules.width, height],
        "rule": rule_facts(position.rules),
        "side": position.side.name.lower(),
        "lines": [],
        "nodes": 0,
        "time_ms": 0,
    }
    if stopped:
        body["stopped"] = True
    if analysis is not None:
        body["lines"] = [_line(line, height, task.rows) for line in analysis.lines]
        body["nodes"], body["time_ms"] = analysis.nodes, analysis.time_ms
        if analysis.note is not None:
            body["note"] = analysis.note
    if position.over:
        winner = position.result.winner
        name = None if winner is None else Colour(winner).name.lower()
        body["result"] = {"winner": name, "reason": position.result.reason}
    if task.forbidden:
        points = sorted(position.forbidden_points().items())
        body["forbidden"] = {_name(point, height, task.rows): kind for point, kind in points}
    return body


def failure(task: Task, problem: str, field: str | None = None) -> Body:
    """What is said of a position that could not be analysed."""
    return {"turn": task.turn, "error": problem, "field": field}


def _line(line: Line, height: int, rows: Rows) -> Body:
    return {
        "move": _name(line.move, height, rows),
        "value": line.value,
        "win_probability": round(line.win_probability, PLACES),
        "win_in": line.win_in,
        "depth": line.depth,
        "pv": [_name(point, height, rows) for point in line.moves],
    }


def _name(point: Point, height: int, rows: Rows) -> str:
    x, y = point
    return point_name(x, y if rows == "top" else height - 1 - y)
