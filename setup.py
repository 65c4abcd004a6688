"""Build the extension modules: every engine/*.pyx, for the baseline, for AVX2 and for AVX-512.

The kernel's sources are compiled again, with more of the processor allowed, as the modules of
shisan.engine.avx2 and shisan.engine.avx512; engine/kernel.py chooses one at import. Environment
variables of a build: TRACE=1 for line coverage, ANNOTATE=1 for Cython's annotated HTML, SANITIZE=1
for address and undefined-behaviour sanitizers, SANITIZE=thread for the thread sanitizer,
OPTIMISE=-O2 for another level than -O3, STRICT=1 to make every warning of Cython and the compiler
an error, as scripts/test does.
"""

import os
import platform
import sys
from pathlib import Path
from shutil import copy2, rmtree

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "engine"
MIRROR = ROOT / "build" / "sources" / "shisan" / "engine"
BASELINE_ONLY = {"cpu"}  # asks the processor, so it must run on any
TRACE = os.environ.get("TRACE") == "1"
SANITIZERS = {"1": "-fsanitize=address,undefined", "thread": "-fsanitize=thread"}
SANITIZE = SANITIZERS.get(os.environ.get("SANITIZE", ""))
STRICT = os.environ.get("STRICT") == "1"

# No option that lets floating point or signed overflow differ between compilers; the vector types
# are only passed between functions that are inlined, hence no-psabi.
FLAGS = [
    os.environ.get("OPTIMISE", "-O3"),
    "-fno-math-errno",
    "-fno-trapping-math",
    "-Wno-psabi",
    "-Wall",
    "-Wno-unused-function",
]
if STRICT:  # not for users: a compiler to come may warn of what today's do not
    FLAGS.append("-Werror")
    Options.warning_errors = True
# The map expressions take their rule as a literal, which only folds away once they are inlined.
INLINING = [("CYTHON_INLINE", "inline __attribute__((always_inline))")]
TRACING = [("CYTHON_TRACE_NOGIL", "1"), ("CYTHON_USE_SYS_MONITORING", "0")]
AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]
# Vectors stay at 256 bits: 512 were slower, 32 registers and three operands a step are what counts.
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=256"]
LEVELS = {"avx2": AVX2, "avx512": AVX512}  # what engine/cpu.pyx asks for
if SANITIZE:
    FLAGS += [SANITIZE, "-fno-sanitize-recover=all", "-g", "-O1"]


def mirror(folder: Path, pattern: str) -> None:
    """Copy the kernel's sources where Cython looks up shisan.engine; times are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(SOURCES.glob(pattern)):
        target = folder / source.name
        if not target.exists() or target.stat().st_mtime != source.stat().st_mtime:
            copy2(source, target)


def extension(name: str, source: Path, flags: list[str]) -> Extension:
    """One module of the kernel."""
    macros = TRACING if TRACE else INLINING
    return Extension(
        name,
        [str(source.relative_to(ROOT))],
        define_macros=macros,
        extra_compile_args=FLAGS + flags,
        extra_link_args=[SANITIZE] if SANITIZE else [],
    )


def extensions() -> list[Extension]:
    """Every module for the baseline; on x86-64 each but the probe for the other levels too."""
    modules = [
        extension(f"shisan.engine.{source.stem}", source, [])
        for source in sorted(SOURCES.glob("*.pyx"))
    ]
    if platform.machine().lower() in ("x86_64", "amd64") and not TRACE:
        modules += [
            extension(f"shisan.engine.{level}.{source.stem}", source, flags)
            for level, flags in LEVELS.items()
            for source in sorted((MIRROR / level).glob("*.pyx"))
            if source.stem not in BASELINE_ONLY
        ]
    return modules


PACKING = not {"sdist", "egg_info"}.isdisjoint(sys.argv)  # nothing is compiled for these
if not PACKING:
    rmtree(ROOT / "build" / "lib", ignore_errors=True)
mirror(MIRROR, "*.pxd")
for name in LEVELS:
    mirror(MIRROR / name, "*.p[xy][dx]")
setup(
    ext_modules=cythonize(
        [] if PACKING else extensions(),
        include_path=[str(MIRROR.parents[1])],
        build_dir=None if TRACE else "build/cython",  # Cython.Coverage needs the .c beside the .pyx
        nthreads=0,
        compiler_directives={"language_level": 3, "linetrace": TRACE, "warn.undeclared": False},
        force=TRACE,
        annotate=os.environ.get("ANNOTATE") == "1",
    ),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
