"""The fingerprint: one signature, committed, on every processor, run after run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shisan.engine import Engine, Limits, Position, Rules, bench
from shisan.engine.kernel import KERNELS, available, load

SIGNATURE = Path(__file__).parents[1] / "bench" / "signature.txt"


def wanted() -> str:
    """The committed signature; without the file nothing is right."""
    return SIGNATURE.read_text(encoding="ascii").strip()


def test_signature_twice_and_after_a_game() -> None:
    assert bench.signature(bench.run()) == wanted()
    place = Position(Rules.freestyle())
    engine = Engine(place.rules)
    while not place.over and place.ply < 30:
        place.play(*engine.search(place, Limits(nodes=2000)).move)
    assert bench.signature(bench.run()) == wanted()


@pytest.mark.parametrize("cpu", KERNELS)
def test_signature_of_each_kernel(cpu: str) -> None:
    if cpu not in available():
        pytest.skip(f"this processor or this build has no {cpu}")
    code = "from shisan.engine import bench, cpu; print(cpu(), bench.signature(bench.run()))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SHISAN_CPU": cpu},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == f"{cpu} {wanted()}"


@pytest.mark.parametrize("value", ["avx1024", "AVX2", "0"])
def test_an_unknown_kernel_is_refused(value: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import shisan.engine"],
        env={**os.environ, "SHISAN_CPU": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert f"SHISAN_CPU must be one of baseline, avx2, avx512, not '{value}'" in run.stderr


@pytest.mark.skipif(len(available()) == 1, reason="nothing but the baseline here")
def test_no_two_kernels_are_one() -> None:
    kinds = {load("position", cpu).Position for cpu in available()}
    assert len(kinds) == len(available())
