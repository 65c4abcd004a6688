"""Results of a batch as a Parquet file, for those who read tables; needs the extra `parquet`."""

import os
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from .answers import Body
from .batches import BatchError, read_results

ROWS: Final = 10_000
"""Rows that are held in memory and make one group of the file."""

BEST: Final = ("move", "value", "win_probability", "win_in", "depth", "pv")
"""Columns of the best line, in the table as in each of `lines`."""


def load() -> Any:
    """The package pyarrow. Raises BatchError where it is not installed."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise BatchError("Parquet needs pyarrow: pip install 'shisan[parquet]'") from None


def write_parquet(results: Path, path: Path) -> int:
    """Write the positions and errors of a file of results as a table. Returns the number of rows.

    The columns are the fields of a record, those of its best line among them; `lines` holds all
    lines. What a record does not have is null. The file is complete
    or not there. Raises BatchError.
    """
    arrow, parquet = load(), import_module("pyarrow.parquet")
    columns = _columns(arrow)
    rows = (_row(record) for record in read_results(results) if "shisan_batch" not in record)
    partial = path.with_name(path.name + ".part")
    count = 0
    try:
        with parquet.ParquetWriter(partial, columns) as writer:
            while group := list(islice(rows, ROWS)):
                writer.write_table(arrow.Table.from_pylist(group, columns))
                count += len(group)
        os.replace(partial, path)
    except OSError as problem:
        raise BatchError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        partial.unlink(missing_ok=True)
    return count


def _columns(arrow: Any) -> Any:
    text, whole, flag = arrow.string(), arrow.int64(), arrow.bool_()
    best = {
        "move": text,
        "value": arrow.int32(),
        "win_probability": arrow.float64(),
        "win_in": arrow.int32(),
        "depth": arrow.int32(),
        "pv": arrow.list_(text),
    }
    facts = ("black_exact", "white_exact", "closed_five", "forbidden", "foul_loses")
    return arrow.schema(
        [
            *((name, whole) for name in ("item", "game", "line", "byte", "turn")),
            *((name, text) for name in ("file", "name")),
            *((name, arrow.int32()) for name in ("width", "height")),
            ("rule", text),
            *((name, flag) for name in facts),
            ("side", text),
            *best.items(),
            ("lines", arrow.list_(arrow.struct(list(best.items())))),
            *((name, whole) for name in ("nodes", "time_ms")),
            *((name, text) for name in ("note", "winner", "reason", "error", "field", "given")),
        ]
    )


def _row(record: Body) -> Body:
    """A record with its nested fields side by side."""
    row = dict(record)
    row["width"], row["height"] = row.pop("size", (None, None))
    rule = row.pop("rule", {})
    row |= {name: value for name, value in rule.items() if name != "name"}
    row["rule"] = rule.get("name")
    row |= row.pop("result", {})
    for line in islice(row.get("lines", ()), 1):
        row |= {name: line[name] for name in BEST}
    return row
