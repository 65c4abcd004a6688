"""Lint, format, types and stubs: the same commands that a developer would type."""

import importlib
import importlib.util
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUBS = sorted((ROOT / "engine").glob("*.pyi"))


def run(*command: str) -> None:
    """Run a tool of this environment in the root; its output is the failure's text."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    """Python files follow the rules in pyproject.toml."""
    run("ruff", "check", ".")


def test_format() -> None:
    """And are formatted by ruff format."""
    run("ruff", "format", "--check", ".")


def test_cython_lint() -> None:
    """Cython files too, which ruff does not read."""
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "engine").glob("*.p[yx][xd]"))]
    assert files
    tools = Path(sys.executable).parent  # cython-lint looks for pycodestyle on the PATH
    done = subprocess.run(
        [tools / "cython-lint", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types() -> None:
    """What is installed passes mypy --strict (the packages and options are in pyproject.toml)."""
    run("mypy")


def test_stubs() -> None:
    """Each stub says what its compiled module really has."""
    assert STUBS
    modules = [f"shisan.engine.{path.stem}" for path in STUBS]
    run("mypy.stubtest", "--ignore-missing-stub", *modules)


def test_every_compiled_module_has_a_stub() -> None:
    """A kernel module with a Python face is typed; without one the stub says so."""
    import shisan.engine

    for module in pkgutil.iter_modules(shisan.engine.__path__):
        spec = importlib.util.find_spec(f"shisan.engine.{module.name}")
        if spec is not None and str(spec.origin).endswith(".so"):
            face = [
                name
                for name in vars(importlib.import_module(spec.name))
                if not name.startswith("_") and name not in ("IllegalMoveError", "PositionError")
            ]
            stub = ROOT / "engine" / f"{module.name}.pyi"
            assert stub.exists() or not face, f"{module.name} has {face} and no stub"


@pytest.mark.parametrize("folder", ["engine", "protocol", "scripts"])
def test_package_is_marked_as_typed(folder: str) -> None:
    """Type checkers of library users read our annotations."""
    package = importlib.import_module(f"shisan.{folder}")
    assert (Path(str(package.__path__[0])) / "py.typed").exists()
