"""What must be in a source archive and in a wheel, and what must not: the checks behind release."""

import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Final

PACKAGES: Final = ("engine", "protocol", "scripts")
LEVELS: Final = ("avx2", "avx512")
BASELINE_ONLY: Final = ("cpu",)
"""Modules that exist for the baseline alone, as setup.py has them."""

NOT_SENT: Final = (".gitignore",)
"""Tracked files that are of no use outside a checkout."""

MADE: Final = re.compile(r"PKG-INFO|setup\.cfg|shisan\.egg-info/[\w.-]+")
"""What the packaging tools add to a source archive."""

NEWER: Final = re.compile(
    r"\t(v(?!erw|err)\w+|popcnt|lzcnt|andn|bextr|bls(?:i|r|msk)|bzhi|mulx|pdep|pext|rorx|s[ah]rx|"
    r"shlx|crc32\w?|movbe|pshufb|palignr|ph?add[wd]?_?s?sw|psign[bwd]|pabs[bwd]|pmulld|pmuldq|"
    r"ptest|pcmpeqq|pcmpgtq|p(?:min|max)(?:s[bd]|u[wd])|pblend\w+|blendv?p[sd]|"
    r"p(?:ext|ins)r[bdq]|pmov[sz]x\w+|round[sp][sd]|packusdw|movddup|haddp[sd]|lddqu)\b"
)
"""Instructions, as objdump prints them, that a 64-bit x86 processor need not have (SSE3 and on)."""

WIDE: Final = re.compile(r"%ymm")
MASKED: Final = re.compile(r"%k[1-7]|%zmm|%[xy]mm(?:1[6-9]|2\d|3[01])")
"""What shows that a module was compiled for AVX2, and for AVX-512."""


FLAGS: Final = {
    "baseline": set[str](),
    "avx2": {"avx2", "bmi1", "bmi2", "popcnt"},
    "avx512": {"avx2", "bmi1", "bmi2", "popcnt", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
}
"""What Linux must say of a processor that runs a level."""


class ReleaseError(Exception):
    """What is made is not fit to be published; the text says what is wrong and where."""


def names_in_archive(archive: Path) -> set[str]:
    """The files of a source archive, its top folder left out."""
    with tarfile.open(archive) as tar:
        return {item.name.partition("/")[2] for item in tar.getmembers() if item.isfile()}


def check_archive(archive: Path, tracked: Iterable[str]) -> int:
    """Compare a source archive with the tracked files; how many it has. Raises ReleaseError."""
    inside = {name for name in names_in_archive(archive) if not MADE.fullmatch(name)}
    wanted = {name for name in tracked if name not in NOT_SENT}
    _compare(archive.name, inside, wanted)
    return len(inside)


def wheel_files(tracked: Iterable[str], suffix: str) -> Iterator[str]:
    """What a wheel has beside its metadata, from the tracked files.

    suffix: of compiled modules, ".cpython-311-x86_64-linux-gnu.so".
    """
    for name in tracked:
        folder, _, rest = name.partition("/")
        if folder not in PACKAGES:
            continue
        if name.endswith((".py", ".pyi", ".pxd", "py.typed")) or re.match(
            r"(weights/.*\.json|page/.*|schema/.*)$", rest
        ):
            yield f"shisan/{name}"
        if name.endswith(".pyx"):
            stem = Path(name).stem
            yield f"shisan/engine/{stem}{suffix}"
            if stem not in BASELINE_ONLY:
                yield from (f"shisan/engine/{level}/{stem}{suffix}" for level in LEVELS)


def check_wheel(wheel: Path, tracked: Iterable[str], suffix: str) -> int:
    """Compare a wheel with what it should have; how many files. Raises ReleaseError."""
    with zipfile.ZipFile(wheel) as zipped:
        files = [name for name in zipped.namelist() if not name.endswith("/")]
        inside = {name for name in files if ".dist-info/" not in name}
        licences = [name for name in zipped.namelist() if name.endswith("/licenses/LICENSE")]
    _compare(wheel.name, inside, set(wheel_files(tracked, suffix)))
    if not licences:
        raise ReleaseError(f"{wheel.name}: the licence is missing")
    return len(inside)


def _compare(where: str, inside: set[str], wanted: set[str]) -> None:
    missing, junk = sorted(wanted - inside), sorted(inside - wanted)
    if missing:
        raise ReleaseError(f"{where}: {len(missing)} files are missing, {', '.join(missing[:5])}")
    if junk:
        raise ReleaseError(f"{where}: {len(junk)} files too many, {', '.join(junk[:5])}")


def metadata(wheel: Path) -> Message:
    """The metadata of a wheel."""
    with zipfile.ZipFile(wheel) as zipped:
        (name,) = [name for name in zipped.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(zipped.read(name).decode("utf-8"))


def check_metadata(wheel: Path, version: str) -> str:
    """Look at what a package index shows; a summary. Raises ReleaseError."""
    told = metadata(wheel)
    wanted = {
        "Name": "shisan",
        "Version": version,
        "License-Expression": "MIT",
        "License-File": "LICENSE",
        "Requires-Python": ">=3.10",
        "Description-Content-Type": "text/markdown",
    }
    for key, value in wanted.items():
        if told[key] != value:
            raise ReleaseError(f"{wheel.name}: {key} is {told[key]}, not {value}")
    needs = [need for need in told.get_all("Requires-Dist") or [] if "extra ==" not in need]
    if needs:
        raise ReleaseError(f"{wheel.name}: it needs {', '.join(needs)}, and should need nothing")
    if any(text.startswith("License ::") for text in told.get_all("Classifier") or []):
        raise ReleaseError(f"{wheel.name}: a licence classifier beside License-Expression")
    return f"{told['Name']} {told['Version']}, {told['License-Expression']}, no requirements"


def instructions(module: Path) -> str:
    """A module's code, as objdump prints it. Raises ReleaseError."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(module)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise ReleaseError("objdump is missing: install binutils") from None
    if done.returncode:
        raise ReleaseError(f"objdump {module}: {done.stderr.strip()}")
    return done.stdout


def newer_instructions(code: str) -> list[str]:
    """The mnemonics in a listing that the baseline may not have, each once."""
    return sorted(set(NEWER.findall(code)))


def check_levels(folder: Path) -> dict[str, int]:
    """See that each compiled module of an unpacked wheel is of its level; how many of each.

    The baseline's have nothing that an x86-64 processor may lack; each set for a level has in some
    module what that level is for, so that it is known to have been compiled as such. Raises
    ReleaseError.
    """
    counts = {"baseline": 0}
    for module in sorted((folder / "shisan" / "engine").glob("*.so")):
        newer = newer_instructions(instructions(module))
        if newer:
            raise ReleaseError(f"{module.name}: not for every x86-64: {', '.join(newer[:8])}")
        counts["baseline"] += 1
    for level, sign in zip(LEVELS, (WIDE, MASKED), strict=True):
        modules = sorted((folder / "shisan" / "engine" / level).glob("*.so"))
        if not any(sign.search(instructions(module)) for module in modules):
            raise ReleaseError(f"shisan/engine/{level}: nothing in it is compiled for {level}")
        counts[level] = len(modules)
    if not counts["baseline"]:
        raise ReleaseError("shisan/engine: no compiled module")
    return counts


def check_relocations(folder: Path) -> None:
    """See that no compiled module lacks its relocations: such a one imports, and is empty.

    A linker has left them out once, of one module in 49. Raises ReleaseError.
    """
    for module in sorted(folder.rglob("*.so")):
        command = ["readelf", "-rW", str(module)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or "_RELATIVE" not in done.stdout:
            raise ReleaseError(f"{module.relative_to(folder)}: linked without relocations")


def check_tag(shown: str, policy: str) -> None:
    """See that what `auditwheel show` says allows a tag and names no library. ReleaseError."""
    text = " ".join(shown.split())
    found = re.search(r'following platform tag: "(\w+)"', text)
    if found is None or found[1] != policy:
        raise ReleaseError(f"auditwheel allows {found[1] if found else 'no tag'}, not {policy}")
    if "external shared libraries" in text and "no external shared libraries" not in text:
        raise ReleaseError(f"the wheel needs libraries of this machine: {text}")


def levels_here(told: str) -> list[str]:
    """The levels that a processor runs, from the text of /proc/cpuinfo."""
    found = re.search(r"^flags\s*:(.*)$", told, re.MULTILINE)
    flags = set(found[1].split()) if found else set[str]()
    return [level for level, needed in FLAGS.items() if needed <= flags]


def last_line(text: str) -> str:
    """The last line of an output that says something."""
    lines: Sequence[str] = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
