"""Records of shisan.engine as plain data for JSON: dictionaries, lists, numbers and text."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from shisan.engine import FoursWin, Judgement, SearchResult, win_probability

from .notation import point_name


def as_data(value: Any) -> Any:
    """Return a record with all it holds, by the names of its fields.

    Points become h8 as in notation, colours black and white, tuples lists. A value of a search
    gets its win_probability beside it, a win by fours its plies, a judgement its cost.

    >>> as_data(((7, 7), (0, 14)))
    ['h8', 'a15']
    """
    if isinstance(value, Enum):
        return value.name.lower()
    if _is_point(value):
        return point_name(*value)
    if is_dataclass(value):
        found = {field.name: as_data(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, SearchResult | Judgement) and value.value is not None:
            found["win_probability"] = round(win_probability(value.value), 4)
        if isinstance(value, FoursWin):
            found["plies"] = value.plies
        if isinstance(value, Judgement):
            found["cost"] = round(value.cost, 4)
        return found
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: as_data(getattr(value, name)) for name in value._fields}
    if isinstance(value, tuple | list):
        return [as_data(each) for each in value]
    if isinstance(value, Mapping):
        return {as_data(key): as_data(each) for key, each in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _is_point(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(type(each) is int for each in value)
