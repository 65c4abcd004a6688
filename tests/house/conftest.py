"""What the tests of the house share: where things are, and how to start a brain."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("engine", "protocol", "scripts", "setup.py", "pyproject.toml")
IN_ENVIRONMENT = Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()

Start = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def start() -> Start:
    """Run a command to its end with text on stdin."""

    def run(
        command: Sequence[str | Path],
        text: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 300,
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            encoding="utf-8",
            env=env,
            cwd=cwd,
            timeout=timeout,
        )

    return run


@pytest.fixture(scope="session")
def brain(root: Path) -> Path:
    """The brain's script; only where scripts/test has prepared what it runs in."""
    if not IN_ENVIRONMENT:
        pytest.skip("needs .venv: run scripts/test")
    return root / "scripts" / "pbrain-shisan"


@pytest.fixture(scope="session")
def elsewhere(brain: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared checkout in a folder with blanks and letters that are not ASCII."""
    folder = tmp_path_factory.mktemp("house") / "Weiße Steine 五目 & 'more'"
    folder.mkdir()
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.c")
    for name in SOURCES:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=leave)
            shutil.copystat(root / name, folder / name)
        else:
            shutil.copy2(root / name, folder / name)
    (folder / ".venv").symlink_to(root / ".venv")
    return folder
