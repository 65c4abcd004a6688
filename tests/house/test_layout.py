"""The layout: who may import whom, how long files may be, what every kernel file says."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shisan.engine

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "protocol", "scripts")
PYTHON = sorted(
    path
    for folder in PACKAGES
    for path in (ROOT / folder).rglob("*.py*")
    if path.suffix in (".py", ".pyi")
)
CYTHON = sorted((ROOT / "engine").rglob("*.p[yx][xd]"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAP = ROOT / "docs" / "architecture.md"

CIMPORT = re.compile(r"^\s*(?:from\s+(\S+)\s+c?import\s+\(?([^#\n]*)|c?import\s+([^#\n]+))", re.M)


def name_of(path: Path) -> str:
    """A path for people: engine/rules.py."""
    return path.relative_to(ROOT).as_posix()


def package_of(path: Path) -> str:
    """The package that a file belongs to: shisan.engine."""
    return ".".join(("shisan", *path.relative_to(ROOT).parts[:-1]))


def absolute(path: Path, module: str | None, level: int) -> str:
    """The whole name of a module that a file imports."""
    if level == 0:
        return module or ""
    base = package_of(path).split(".")[: -(level - 1) or None]
    return ".".join([*base, module] if module else base)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports or cimports, anywhere in it; name may be empty."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".pyx", ".pxd"):
        for match in CIMPORT.finditer(text):
            if match[1]:
                dots = len(match[1]) - len(match[1].lstrip("."))
                module = absolute(path, match[1].lstrip(".") or None, dots)
                yield from ((module, word.strip()) for word in match[2].split(","))
            else:
                yield from ((word.split(" as ")[0].strip(), "") for word in match[3].split(","))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = absolute(path, node.module, node.level)
            yield from ((module, alias.name) for alias in node.names)


def within(module: str, package: str) -> bool:
    """Whether a module is a package or lies inside it."""
    return module == package or module.startswith(package + ".")


def test_root_has_no_shisan() -> None:
    """Anything called shisan in the root would shadow the installed package."""
    names = [path.name for path in ROOT.iterdir()]
    assert not [name for name in names if name.split(".")[0] == "shisan" and "egg-info" not in name]
    for folder in PACKAGES:
        assert not (ROOT / folder / "shisan").exists()


def test_nobody_imports_the_folders_as_packages() -> None:
    """`import engine` would make a second copy of every module."""
    for path in (*PYTHON, *CYTHON, *TESTS):
        for module, _ in imports(path):
            assert module.split(".")[0] not in (*PACKAGES, "tests"), f"{name_of(path)}: {module}"
    for folder in PACKAGES:
        importlib.import_module(f"shisan.{folder}")
        assert folder not in sys.modules


def test_direction_of_packages() -> None:
    """engine knows nothing of the others, protocol nothing of scripts."""
    above = {"engine": ("protocol", "scripts"), "protocol": ("scripts",), "scripts": ()}
    for path in (*PYTHON, *CYTHON):
        folder = path.relative_to(ROOT).parts[0]
        for module, name in imports(path):
            for other in above[folder]:
                whole = f"{module}.{name}"
                assert not within(whole, f"shisan.{other}"), f"{name_of(path)} imports {whole}"


def test_protocol_uses_public_names_of_engine() -> None:
    """Search internals can change without protocol noticing."""
    public = set(shisan.engine.__all__)
    for path in PYTHON:
        if path.relative_to(ROOT).parts[0] != "protocol":
            continue
        for module, name in imports(path):
            if within(module, "shisan.engine"):
                assert module == "shisan.engine", f"{name_of(path)} imports {module}"
                assert name in public, f"{name_of(path)} imports {name}"


def at_top(path: Path) -> Iterator[str]:
    """The modules that a Python file imports as soon as it is imported itself."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield absolute(path, node.module, node.level)


def test_no_third_party_package() -> None:
    """The engine and the brain need the standard library alone.

    A helper is an extra in pyproject.toml; only scripts may import one at the top of a file, and
    protocol inside the function that needs it.
    """
    allowed = sys.stdlib_module_names | {"shisan"}
    more = {".pxd": {"cython", "libc", "cpython", "posix"}, ".pyi": {"typing_extensions"}}
    more[".pyx"] = more[".pxd"]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = project.partition("[project.optional-dependencies]")[2].partition("test = [")[0]
    helpers = set(re.findall(r'"([a-z]+)[>=~]', extras))
    assert helpers
    for path in (*PYTHON, *CYTHON):
        folder = path.relative_to(ROOT).parts[0]
        known = allowed | more.get(path.suffix, set())
        if folder == "protocol":
            for module in at_top(path):
                assert module.split(".")[0] in known, f"{name_of(path)} imports {module} at the top"
        if folder != "engine":
            known = known | helpers
        for module, _ in imports(path):
            assert module.split(".")[0] in known, f"{name_of(path)} imports {module}"


@pytest.mark.parametrize(
    ("folder", "banned"),
    [
        ("engine", {"subprocess", "argparse", "socket", "fileinput"}),
        ("protocol", {"argparse", "optparse", "getopt", "asyncio"}),
    ],
)
def test_packages_keep_to_their_question(folder: str, banned: set[str]) -> None:
    """No command line below scripts, no processes in the engine."""
    for path in (*PYTHON, *CYTHON):
        if path.relative_to(ROOT).parts[0] == folder:
            used = {module.split(".")[0] for module, _ in imports(path)}
            assert not used & banned, f"{name_of(path)}: {used & banned}"
            if folder == "engine":
                assert "sys.stdin" not in path.read_text(encoding="utf-8"), name_of(path)


def mapped() -> list[str]:
    """The files that docs/architecture.md names in its map, in its order."""
    text = MAP.read_text(encoding="utf-8")
    names = []
    for line in text.splitlines():
        row = re.match(r"\| (`[^|]*`) \|", line)
        if row:
            names += re.findall(r"`([^`]+)`", row[1])
    return names


def test_architecture_map_names_every_file() -> None:
    """A file that is not on the map is in nobody's head."""
    files = {name_of(path) for path in (*PYTHON, *CYTHON)}
    files |= {
        name_of(path)
        for path in (ROOT / "scripts").iterdir()
        if path.is_file() and path.suffix == ""
    }
    files = {name for name in files if not name.endswith("__init__.py")}
    listed = [name for name in mapped() if name.split("/")[0] in PACKAGES]
    assert sorted(listed) == sorted(files)


def test_files_use_only_what_stands_above_them() -> None:
    """The map is in the order of imports: a reader can start at the top."""
    order = {name: at for at, name in enumerate(mapped())}
    stems: dict[str, int] = {}
    for name, at in order.items():
        module = "shisan." + name.rpartition(".")[0].replace("/", ".")
        stems[module] = min(at, stems.get(module, at))
    for path in (*PYTHON, *CYTHON):
        here = stems.get(f"{package_of(path)}.{path.stem}")
        if here is None:
            continue  # __init__: the package's face, above all its files
        for module, name in imports(path):
            for whole in (module, f"{module}.{name}"):
                if whole in stems:
                    assert stems[whole] <= here, f"{name_of(path)} imports {whole}, below it"


@pytest.mark.parametrize("path", [*PYTHON, *CYTHON, *TESTS], ids=name_of)
def test_files_are_short(path: Path) -> None:
    """Under 600 lines each; a longer one is two."""
    assert path.read_text(encoding="utf-8").count("\n") < 600


def test_functions_are_short() -> None:
    """Under 60 lines each, as far as Python's own parser sees them."""
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= 60, f"{name_of(path)}: {node.name} has {length} lines"


def test_every_module_says_what_it_is_for() -> None:
    """A docstring at the top of every file."""
    for path in PYTHON:
        if path.suffix == ".py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), name_of(path)
    for path in CYTHON:
        code = re.sub(r"^(#.*\n|\n)*", "", path.read_text(encoding="utf-8"))
        assert code.startswith('"""'), name_of(path)


def test_cython_files_say_their_directives() -> None:
    """Bounds checks and the like are decided in each file, not by the build."""
    for path in CYTHON:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".pyx" or "cdef inline" in text:
            assert re.match(r"# cython: .*\blanguage_level=3\b", text), name_of(path)


def test_nogil_functions_say_noexcept() -> None:
    """Without noexcept every call tests for an exception, for void with the GIL."""
    for path in CYTHON:
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for match in re.finditer(r"^[ \t]*cdef\s[^\n(=]*\([^:\"]*?\)([^\n:]*)", text, re.M):
            if "nogil" in match[1]:
                assert "except" in match[1], f"{name_of(path)}: {match[0]}"
