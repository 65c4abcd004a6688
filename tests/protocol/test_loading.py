"""What keeps the engine from loading: one line on stderr, status 1, and no answer."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from brains import COMMAND


def test_a_wrong_kernel_is_one_line_on_stderr() -> None:
    done = subprocess.run(
        COMMAND,
        input=b"START 15\n",
        capture_output=True,
        check=False,
        env={**os.environ, "SHISAN_CPU": "abacus"},
    )
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1 and b"SHISAN_CPU" in done.stderr


@pytest.mark.parametrize("damage", ["missing", "cut off", "changed"])
def test_damaged_weights_are_one_line_on_stderr(damage: str, tmp_path: Path) -> None:
    """A data file of ours that is not what it was stops the start, before any answer."""
    import shisan.engine

    engine = Path(shisan.engine.__file__).parent
    for name in ("engine", "protocol"):
        shutil.copytree(engine.parent / name, tmp_path / "shisan" / name)
    weights = tmp_path / "shisan" / "engine" / "weights" / "renju_white.json"
    content = weights.read_bytes()
    weights.unlink()
    if damage == "cut off":
        weights.write_bytes(content[:-100])
    elif damage == "changed":
        other = json.loads(content)
        other["third_bias"] += 1
        weights.write_text(json.dumps(other), encoding="ascii")
    done = subprocess.run(
        [sys.executable, "-m", "shisan.protocol"],
        input=b"START 15\n",
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1 and b"renju_white.json" in done.stderr
