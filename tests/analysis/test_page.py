"""docs/analysis.md: its examples run, and its tables have every field of the schema."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from services import SCHEMA, Talk, run

from shisan.protocol.queries import ACTIONS, INTEGERS
from shisan.protocol.service import HANDFUL, MAX_WAITING
from shisan.protocol.serving import MAX_LINE
from shisan.scripts.analyze import NODES

PAGE = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
DEFINED = SCHEMA["$defs"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def rows(section: str) -> dict[str, list[str]]:
    """The cells of a section's tables by each field that the first one names."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", cells[0]) if line.startswith("| `") else []:
            found[name] = cells[1:]
    return found


def same(answer: Any) -> Any:
    """An answer without what differs from machine to machine and from search to search."""
    known = {"time_ms": 0, "kernel": "", "nodes": 0, "depth": 0}
    if isinstance(answer, dict):
        return {name: known.get(name, same(value)) for name, value in answer.items()}
    return [same(each) for each in answer] if isinstance(answer, list) else answer


def test_the_talk() -> None:
    """Each line is answered as the page says."""
    (talk,) = blocks("text")
    lines = talk.splitlines()
    assert {line[:2] for line in lines} == {"> ", "< "}
    with Talk("--jobs", "2") as service:
        for line in lines:
            if line.startswith("> "):
                service.write(f"{line[2:]}\n".encode())
            else:
                assert same(service.take()) == same(json.loads(line[2:]))
        assert service.end() == (0, [])


def test_the_batch(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("h8i9h9i10h10i11h11a1\nh8h8\n")
    (console,) = blocks("console")
    command, output = console.removeprefix("$ shisan analyze ").split("\n", 1)
    assert run(tmp_path, *shlex.split(command)).stdout == output


def test_every_field_is_in_its_table() -> None:
    query, answer, batch = rows("A query"), rows("An answer"), rows("Batches")
    assert set(query) == set(DEFINED["query"]["properties"])
    assert set(answer) == {*DEFINED["answer"]["properties"], *DEFINED["line"]["properties"]}
    own = {name for kind in ("record", "bad_item") for name in DEFINED[kind]["properties"]}
    assert set(batch) == own - set(answer) | {"time_ms"}
    assert set(rows("Actions")) == set(ACTIONS)


def test_ranges_are_those_that_are_checked() -> None:
    cells = rows("A query")
    for name, (low, high) in INTEGERS.items():
        assert re.search(rf"(^|\s){low}\.\.{high}$", cells[name][1]), name
    for number in (f"{NODES:,} nodes", f"{MAX_WAITING:,} positions", f"{HANDFUL:,} nodes"):
        assert number in PAGE
    assert MAX_LINE == 1 << 20
    assert "at most 1 MiB" in PAGE


def test_what_is_always_there_says_so() -> None:
    cells = rows("An answer")
    for name in DEFINED["answer"]["properties"]:
        always = name in DEFINED["answer"]["required"]
        assert (cells[name][2] == "always") == always or name == "depth", name
