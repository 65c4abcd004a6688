"""The documents keep to what the program does: tables, dialogues, examples, links, versions."""

import doctest
import importlib
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from shisan.protocol.about import VERSION
from shisan.protocol.options import markdown_table
from shisan.scripts import cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(path for path in (ROOT / "tests").rglob("*.md")),
]
SESSIONS = [page for page in PAGES if re.search(r"^>>> ", page.read_text(encoding="utf-8"), re.M)]
MODULES = sorted(
    f"shisan.{path.relative_to(ROOT).with_suffix('').as_posix().replace('/', '.')}"
    for folder in ("engine", "protocol", "scripts")
    for path in (ROOT / folder).glob("*.py*")
    if path.suffix in (".py", ".pyx") and not path.stem.startswith("__")
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(language: str) -> list[str]:
    """The README's fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_option_table() -> None:
    """The table of INFO keys is the one that the parser reads."""
    assert markdown_table() in README, "paste what protocol.options.markdown_table() gives"


def answers(brain: Path, dialogue: str) -> Iterator[tuple[str, str]]:
    """Hold a dialogue: for each answer, what is expected and what came."""
    with subprocess.Popen(
        [brain], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stderr is not None
        too_long = Timer(60, process.kill)
        too_long.start()
        for line in dialogue.splitlines():
            mark, _, text = line.partition(" ")
            if mark == ">":
                process.stdin.write(f"{text}\n")
                process.stdin.flush()
                continue
            answer = process.stdout.readline().strip()
            while answer.startswith("MESSAGE ") and answer != text:
                answer = process.stdout.readline().strip()
            yield text, answer
        process.stdin.close()
        yield "", process.stdout.read() + process.stderr.read()
        too_long.cancel()


def test_dialogue(brain: Path) -> None:
    """The dialogue runs as it stands: > is sent, < is answered.

    A MESSAGE may be left out, and where the brain is free to choose, its point may be another.
    """
    dialogues = blocks("text")
    assert dialogues
    for dialogue in dialogues:
        assert {line[:2] for line in dialogue.splitlines()} == {"> ", "< "}
        for expected, answer in answers(brain, dialogue):
            point = r"\d+,\d+"
            both = re.fullmatch(point, expected) and re.fullmatch(point, answer)
            assert both or answer == expected


def test_console_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """What `$ shisan ...` is said to print is what it prints."""
    tried = 0
    for block in blocks("console"):
        for command, output in re.findall(r"^\$ shisan (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if output:
                assert cli.main(shlex.split(command)) == 0
                assert capsys.readouterr().out == output
                tried += 1
    assert tried


@pytest.mark.parametrize("page", SESSIONS, ids=name_of)
def test_python_examples(page: Path) -> None:
    """The Python session of a page runs as it stands."""
    text, name = page.read_text(encoding="utf-8"), name_of(page)
    examples = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert examples.examples
    results = doctest.DocTestRunner().run(examples)
    assert results.failed == 0


def test_picture(tmp_path: Path) -> None:
    """The README's board is what its command draws."""
    command = re.search(r"^\$ shisan (show .*--svg docs/board\.svg.*)$", README, re.MULTILINE)
    assert command is not None
    fresh = tmp_path / "board.svg"
    words = [word.replace("docs/board.svg", str(fresh)) for word in shlex.split(command[1])]
    assert cli.main(words) == 0
    drawn = fresh.read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs" / "board.svg").read_text(encoding="utf-8")


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    """Every relative link leads to a file, and every anchor to a heading."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{name_of(page)}: {target}"
        if anchor:
            assert anchor in anchors(path), f"{name_of(page)}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_files_exist(page: Path) -> None:
    """A file that a page names in code marks is there."""
    text = page.read_text(encoding="utf-8")
    folders = "engine|protocol|scripts|tests|docs"
    for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
        assert (ROOT / name).exists(), f"{name_of(page)}: {name}"


def test_versions_agree() -> None:
    """What ABOUT says, from where the package takes it, and what the changelog has on top."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '\ndynamic = ["version"]\n' in project
    assert '\nversion = { attr = "shisan.protocol.about.VERSION" }\n' in project
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == VERSION


def test_benchmarks_say_where_they_come_from() -> None:
    """Every figure has a value, a command, a commit and a machine; a table of its own says once."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    main, *sections = text.split("\n## ")
    for section in sections:
        assert re.search(r"`(shisan|python -m shisan)[^`]*`", section), section[:60]
        assert re.search(r"\bcommit [0-9a-f]{7,}", section), section[:60]
        assert re.search(r"\bmachine\b", section), section[:60]
    for row in [line for line in main.splitlines() if line.startswith("|")][2:]:
        assert row.count("|") == 6, row
    for row in (line for line in text.splitlines() if line.startswith("|")):
        assert all(cell.strip() for cell in row.strip("|").split("|")), row


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    """The examples in docstrings, those of compiled modules too."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
