"""The thread sanitizer over a thousand searches that are stopped at random times."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEARCHES = os.environ.get("SHISAN_THREAD_SEARCHES", "1000")


def library() -> Path | None:
    """The sanitizer's library, which has to be loaded before Python."""
    try:
        asked = ["gcc", "-print-file-name=libtsan.so"]
        path = Path(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
    except FileNotFoundError:
        return None
    return path.resolve() if path.is_absolute() and path.exists() else None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or library() is None, reason="no thread sanitizer")
def test_no_races(tmp_path: Path) -> None:
    """The kernel is built anew; Python itself is not, so what its lock orders has to be right."""
    source = tmp_path / "source"
    built = ignore_patterns("*.so", "__pycache__", "build", ".*")
    for name in ("engine", "protocol", "scripts"):
        copytree(ROOT / name, source / name, ignore=built)
        (tmp_path / "shisan").mkdir(exist_ok=True)
        (tmp_path / "shisan" / name).symlink_to(source / name)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    building = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(
        building, cwd=source, env={**environment, "SANITIZE": "thread"}, check=True, timeout=3000
    )
    watched = {
        "SHISAN_CPU": "baseline",
        "LD_PRELOAD": str(library()),
        "TSAN_OPTIONS": "halt_on_error=0 exitcode=66",
    }
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "races.py"), SEARCHES, "1"],
        env={**environment, **watched},
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert "WARNING: ThreadSanitizer" not in done.stderr, done.stderr[:4000]
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(f"{SEARCHES} searches")
