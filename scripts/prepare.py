"""Make .venv fit the sources: what scripts/prepare runs before anything is installed.

It imports nothing of Shisan and runs under any Python >= 3.10, the one that .venv is made with.
Sources are built in place (build/ keeps what has not changed) and installed as copies, so that a
running brain never sees a half-saved file. Promises: one process prepares at a time and the others
wait for it; the stamp is written last, so that what was interrupted is done again; a failure is one
line on stderr and exit status 1.
"""

import ast
import fcntl
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "shisan-prepared"
LOG = ROOT / "build" / "prepare.log"
PYTHON = ENVIRONMENT / "bin" / "python"
TELLING = re.compile(
    r"\.p[yx][xd]:\d+:\d+: |^\w+Error\b"
    r"|\berror: (?!subprocess-exited|metadata-generation|failed-wheel|Failed building)",
    re.IGNORECASE,
)
"""What a line of the log looks like that tells why a step failed."""


def say(text: str) -> None:
    """Tell a person, on stderr."""
    print(f"shisan: {text}", file=sys.stderr, flush=True)


def fail(text: str) -> NoReturn:
    """End with one line."""
    say(text)
    raise SystemExit(1)


def sources() -> Iterator[Path]:
    """Everything whose change asks for a new build, folders included (pbrain-shisan knows too)."""
    yield ROOT / "setup.py"
    yield ROOT / "pyproject.toml"
    for top in ("engine", "protocol", "scripts"):
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if name != "__pycache__"]
            yield Path(folder)
            yield from (Path(folder, name) for name in files if not name.endswith((".so", ".c")))


def newest(paths: Iterator[Path]) -> int:
    """The latest change, in ns."""
    return max(path.lstat().st_mtime_ns for path in paths)


def asked() -> str:
    """The Python that the caller wants .venv made with; empty: any."""
    return os.environ.get("SHISAN_PYTHON", "")


def stamp() -> tuple[str, str, int]:
    """What the stamp says: the Python asked for, "test" or "play", and its time in ns.

    Without a stamp that can be read: empty, empty, 0.
    """
    try:
        python, kind = STAMP.read_text().splitlines()
        return python, kind, STAMP.stat().st_mtime_ns
    except (OSError, ValueError):
        return "", "", 0


def is_fresh(test: bool) -> bool:
    """Whether there is nothing to do."""
    python, kind, made = stamp()
    return (
        os.access(PYTHON, os.X_OK)
        and asked() in ("", python)
        and (kind == "test" or not test)
        and newest(sources()) <= made
    )


def compiler() -> str:
    """The C compiler's command, CC's choice first. Ends with one line if it cannot build a module.

    It is tried on Python.h, because a compiler alone is not enough: Debian keeps the headers of
    Python and of the C library in packages of their own.
    """
    asked = os.environ.get("CC")
    usual = str(sysconfig.get_config_var("CC") or "cc")
    command = next(
        (
            c
            for c in ([asked] if asked else [usual, "cc", "gcc", "clang"])
            if shutil.which(shlex.split(c)[0])
        ),
        None,
    )
    if command is None:
        if asked:
            fail(f"CC={asked} is no command: name a C compiler, or unset CC")
        fail(
            "no C compiler (tried cc, gcc, clang): install one (Debian: apt install gcc libc6-dev)"
        )
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    include = sysconfig.get_path("include")
    if not Path(include, "Python.h").is_file():
        fail(
            f"no Python headers ({include}/Python.h): install them"
            f" (Debian: apt install python{version}-dev)"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\nint probe(void) { return PY_MAJOR_VERSION; }\n")
        probe = [
            *shlex.split(command),
            f"-I{include}",
            "-c",
            str(source),
            "-o",
            str(source.with_suffix(".o")),
        ]
        done = subprocess.run(
            probe, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL
        )
    if done.returncode:
        why = next((line for line in done.stderr.splitlines() if "error" in line), "no reason")
        fail(
            f"the C compiler {command!r} cannot compile for Python: install its headers"
            f" (Debian: apt install libc6-dev python{version}-dev): {why.strip()}"
        )
    return command


def environment(command: str) -> dict[str, str]:
    """What pip runs in: the caller's variables, without those that would lead it elsewhere."""
    misleading = {
        "PYTHONPATH",
        "PYTHONHOME",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_USER",
        "PIP_ROOT",
        "PIP_REQUIRE_VIRTUALENV",
        "VIRTUAL_ENV",
    }
    variables = {name: value for name, value in os.environ.items() if name not in misleading}
    return variables | {"CC": command}


def run(arguments: Sequence[str | Path], variables: dict[str, str]) -> None:
    """Run one step into the log; a failure ends with the line of the log that tells most."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {shlex.join(map(str, arguments))}\n")
        log.flush()
        start = log.tell()
        code = subprocess.call(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=variables, cwd=ROOT
        )
    if code:
        with LOG.open(encoding="utf-8", errors="replace") as log:
            log.seek(start)
            lines = [line.strip() for line in log if line.strip()]
        telling = [line for line in lines if TELLING.search(line)]
        why = (telling or lines or ["no output"])[0]
        fail(f"preparing .venv failed: {why[:300]} (all of it: {LOG})")


def build_requirements() -> list[str]:
    """What pyproject.toml says the build needs. By hand: Python 3.10 has no TOML reader."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r"^requires = (\[.*?\])", text, re.MULTILINE | re.DOTALL)
    if found is None:
        fail("pyproject.toml names no build requirements")
    return [str(requirement) for requirement in ast.literal_eval(found[1])]


def clean_build(made: int) -> None:
    """Drop what the build would wrongly keep: all after other flags, else what has no source."""
    build = ROOT / "build"
    if newest(iter([ROOT / "setup.py", ROOT / "pyproject.toml"])) > made:
        shutil.rmtree(build, ignore_errors=True)
    for path in build.glob("lib*/**/*"):
        module = ROOT / "engine" / f"{path.name.partition('.')[0]}.pyx"
        if path.is_file() and not (path.suffix == ".so" and module.exists()):
            path.unlink()
    build.mkdir(exist_ok=True)


def works() -> bool:
    """Whether .venv can be kept: a Python that runs there, new enough, with pip."""
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 10) or sys.prefix == sys.base_prefix)"
    return (
        os.access(PYTHON, os.X_OK)
        and subprocess.call(
            [PYTHON, "-I", "-c", probe],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        == 0
    )


def prepare(test: bool) -> None:
    """Build and install; the caller holds the lock and knows that it is needed."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        fail(
            f"this Python has no venv module: install it (Debian: apt install python{version}-venv)"
        )
    variables = environment(compiler()) | ({"STRICT": "1"} if test else {})
    began = time.monotonic()
    changed = newest(sources())
    python, _, made = stamp()
    STAMP.unlink(missing_ok=True)
    clean_build(made)
    LOG.write_text("")
    say("preparing .venv, a minute or two the first time ...")
    if asked() not in ("", python) or not works():
        # The real path names the version, so that a new Python under the old name is noticed.
        base = os.path.realpath(sys.executable)
        run([base, "-I", "-m", "venv", "--clear", ENVIRONMENT], variables)
    pip: list[str | Path] = [
        PYTHON,
        "-I",
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "2",
        "install",
    ]
    run([*pip, *build_requirements()], variables)
    run([*pip, "--no-build-isolation", ".[test]" if test else "."], variables)
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(f"{asked()}\n{'test' if test else 'play'}\n")
    os.utime(fresh, ns=(changed, changed))  # what was saved during the build is newer
    fresh.replace(STAMP)
    say(f"ready after {time.monotonic() - began:.0f} s")


def main(arguments: Sequence[str]) -> None:
    """Wait for the lock, then prepare unless somebody else has done so meanwhile."""
    test = "--test" in arguments
    if is_fresh(test):
        return
    try:
        lock = os.open(ROOT / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        fail(f"{ROOT} must be prepared but cannot be written: {error.strerror}")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        say("waiting for another process that prepares .venv ...")
        fcntl.flock(lock, fcntl.LOCK_EX)
    if not is_fresh(test):
        prepare(test)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as problem:
        fail(f"preparing .venv failed: {problem}")
    except KeyboardInterrupt:
        fail("preparing .venv was interrupted")
