"""The package: a source archive from which everything can be built, and a wheel that plays."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, text: str = "") -> str:
    """Run a command to its end; its output is the failure's text."""
    done = subprocess.run(
        command, cwd=cwd, input=text, capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_archive_to_wheel_to_game(brain: Path, tmp_path: Path) -> None:
    """Clone, source archive, wheel built from it, installed in an empty environment, played."""
    clone = tmp_path / "clone"
    run("git", "clone", "-q", ROOT, clone, cwd=tmp_path)
    run(sys.executable, "setup.py", "-q", "sdist", "--dist-dir", tmp_path, cwd=clone)
    (archive,) = tmp_path.glob("shisan-*.tar.gz")
    with tarfile.open(archive) as tar:
        inside = {name.partition("/")[2] for name in tar.getnames()}
    tracked = set(run("git", "ls-files", cwd=clone).splitlines())
    left_out = {name for name in tracked - inside if not name.startswith(".")}
    assert not left_out
    assert not [name for name in inside if name.endswith((".so", ".c"))]

    empty = tmp_path / "empty"
    run(sys.executable, "-m", "venv", empty, cwd=tmp_path)
    run(empty / "bin" / "python", "-m", "pip", "install", "-q", archive, cwd=tmp_path)
    listed = run(empty / "bin" / "python", "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    packages = {line.partition("=")[0] for line in listed.splitlines()}
    assert packages <= {"shisan", "pip", "setuptools"}, "it needs nothing else"
    assert "Bench: freestyle " in run(empty / "bin" / "shisan", "bench", "--depth", "2", cwd=clone)
    answers = run(empty / "bin" / "pbrain-shisan", cwd=clone, text="START 15\nEND\n")
    assert answers == "OK\n"
