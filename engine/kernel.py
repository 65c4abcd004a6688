"""Choose the kernel at import: the modules compiled for AVX2 where the processor has it.

The environment variable SHISAN_CPU=baseline or avx2 forces one; both give the same moves.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from .cpu import has_avx2

VARIABLE: Final = "SHISAN_CPU"


def available() -> tuple[str, ...]:
    """Return the kernels that this build has and this processor runs."""
    built = has_avx2() and find_spec(f"{__package__}.avx2.planes") is not None
    return ("baseline", "avx2") if built else ("baseline",)


def _choose() -> str:
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "baseline", "avx2"):
        raise ImportError(f"{VARIABLE} must be baseline or avx2, not {wanted!r}")
    if wanted == "baseline":
        return wanted
    best = available()[-1]
    if wanted == "avx2" and best != wanted:
        raise ImportError(f"{VARIABLE}=avx2, but this processor or this build has no AVX2")
    return best


CPU: Final = _choose()
"""Which kernel is in use: "avx2" or "baseline"."""


def load(name: str, cpu: str = CPU) -> ModuleType:
    """Return a module of the kernel, such as "position", compiled for this kind of processor."""
    folder = f"{__package__}.avx2" if cpu == "avx2" else __package__
    return import_module(f"{folder}.{name}")
