"""Choose the kernel at import: the modules compiled for the most that the processor can do.

The environment variable SHISAN_CPU, one of KERNELS, forces one; all give the same moves.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from .cpu import level

VARIABLE: Final = "SHISAN_CPU"
KERNELS: Final = ("baseline", "avx2", "avx512")
"""The kernels, in the order of what they ask of a processor."""


def _folder(cpu: str) -> str:
    """Return the package that holds a kernel's modules."""
    return __package__ if cpu == "baseline" else f"{__package__}.{cpu}"


def available() -> tuple[str, ...]:
    """Return the kernels that this build has and this processor runs."""
    return tuple(cpu for cpu in KERNELS[: level() + 1] if find_spec(f"{_folder(cpu)}.planes"))


def _choose() -> str:
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", *KERNELS):
        raise ImportError(f"{VARIABLE} must be one of {', '.join(KERNELS)}, not {wanted!r}")
    able = available()
    if wanted and wanted not in able:
        raise ImportError(f"{VARIABLE}={wanted}, but this processor or this build has no {wanted}")
    return wanted or able[-1]


CPU: Final = _choose()
"""Which kernel is in use, one of KERNELS."""


def load(name: str, cpu: str = CPU) -> ModuleType:
    """Return a module of the kernel, such as "position", compiled for this kind of processor."""
    return import_module(f"{_folder(cpu)}.{name}")
