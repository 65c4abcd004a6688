"""What is published: the checks find what they are for, and a release passes them."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from shisan.scripts import archives, release
from shisan.scripts.archives import ReleaseError

ROOT = Path(__file__).resolve().parents[2]
SUFFIX = ".so"
TRACKED = [
    "LICENSE",
    ".gitignore",
    "engine/cpu.pyx",
    "engine/planes.pxd",
    "engine/planes.pyx",
    "engine/rules.py",
    "engine/weights/any.json",
    "protocol/page/style.css",
    "scripts/test",
    "tests/data/big.txt",
]
WHEEL = [
    "shisan/engine/cpu.so",
    "shisan/engine/planes.so",
    "shisan/engine/planes.pxd",
    "shisan/engine/rules.py",
    "shisan/engine/avx2/planes.so",
    "shisan/engine/avx512/planes.so",
    "shisan/engine/weights/any.json",
    "shisan/protocol/page/style.css",
    "shisan-0.1.0.dist-info/METADATA",
    "shisan-0.1.0.dist-info/licenses/LICENSE",
]
METADATA = """\
Metadata-Version: 2.4
Name: shisan
Version: 0.1.0
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.10
Description-Content-Type: text/markdown
Requires-Dist: rich>=13; extra == "play"

"""


def archive_of(folder: Path, names: list[str]) -> Path:
    """A source archive with these files."""
    path = folder / "shisan-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(f"shisan-0.1.0/{name}"))
    return path


def wheel_of(folder: Path, names: list[str], metadata: str = METADATA) -> Path:
    """A wheel with these files."""
    path = folder / "shisan-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as zipped:
        for name in names:
            zipped.writestr(name, metadata if name.endswith("METADATA") else "")
    return path


def test_archive_has_what_is_tracked(tmp_path: Path) -> None:
    made = ["PKG-INFO", "setup.cfg", "shisan.egg-info/SOURCES.txt"]
    wanted = [name for name in TRACKED if name != ".gitignore"]
    assert archives.check_archive(archive_of(tmp_path, wanted + made), TRACKED) == len(wanted)
    with pytest.raises(ReleaseError, match=r"1 files are missing, scripts/test$"):
        archives.check_archive(archive_of(tmp_path, wanted[:-2] + wanted[-1:]), TRACKED)
    with pytest.raises(ReleaseError, match=r"1 files too many, engine/planes\.c$"):
        archives.check_archive(archive_of(tmp_path, [*wanted, "engine/planes.c"]), TRACKED)


def test_wheel_has_what_it_should(tmp_path: Path) -> None:
    assert archives.check_wheel(wheel_of(tmp_path, WHEEL), TRACKED, SUFFIX) == len(WHEEL) - 2
    for at in range(len(WHEEL) - 2):
        rest = WHEEL[:at] + WHEEL[at + 1 :]
        with pytest.raises(ReleaseError, match="1 files are missing, shisan/"):
            archives.check_wheel(wheel_of(tmp_path, rest), TRACKED, SUFFIX)
    more = [*WHEEL, "shisan/engine/rules.py.orig"]
    with pytest.raises(ReleaseError, match="1 files too many, shisan/engine/rules"):
        archives.check_wheel(wheel_of(tmp_path, more), TRACKED, SUFFIX)
    with pytest.raises(ReleaseError, match="licence is missing"):
        archives.check_wheel(wheel_of(tmp_path, WHEEL[:-1]), TRACKED, SUFFIX)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Version: 0.1.0", "Version: 0.2.0", "Version is 0.2.0, not 0.1.0"),
        ("MIT", "GPL-3.0-or-later", "License-Expression is GPL-3.0-or-later, not MIT"),
        ('; extra == "play"', "", "it needs rich>=13"),
        ("License-File: LICENSE\n", "", "License-File is None"),
        ("\n\n", "\nClassifier: License :: OSI Approved\n\n", "a licence classifier"),
    ],
)
def test_metadata(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert "no requirements" in archives.check_metadata(wheel_of(tmp_path, WHEEL), "0.1.0")
    wrong = wheel_of(tmp_path, WHEEL, METADATA.replace(old, new))
    with pytest.raises(ReleaseError, match=re.escape(said)):
        archives.check_metadata(wrong, "0.1.0")


SUM = "int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"
TEST = "#include <smmintrin.h>\nint zero(__m128i x) { return _mm_testz_si128(x, x); }"
COUNT = "int count(unsigned long x) { return __builtin_popcountl(x); }"


def compiled(folder: Path, name: str, source: str, *flags: str) -> Path:
    """A module-like library in an unpacked wheel."""
    path = folder / "shisan" / "engine" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", "-shared", "-fPIC", "-O3", "-x", "c", *flags, "-o", str(path), "-"]
    subprocess.run(command, input=source, text=True, check=True)
    return path


@pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("objdump") is None or sys.platform != "linux",
    reason="needs gcc and objdump",
)
def test_instructions_that_not_every_processor_has(tmp_path: Path) -> None:
    """Modules really compiled for one level or another are told apart."""
    compiled(tmp_path, "a.so", SUM)
    wide = compiled(tmp_path, "avx2/a.so", SUM, "-mavx2")
    compiled(tmp_path, "avx512/a.so", SUM, "-mavx512f", "-mprefer-vector-width=512")
    compiled(tmp_path, "avx512/b.so", COUNT)
    assert archives.check_levels(tmp_path) == {"baseline": 1, "avx2": 1, "avx512": 2}
    for name, source, flag, found in (
        ("b.so", COUNT, "-mpopcnt", "popcnt"),
        ("c.so", TEST, "-msse4.1", "ptest"),
        ("d.so", SUM, "-mavx", "vpaddd"),
    ):
        newer = compiled(tmp_path / "other", name, source, flag)
        assert found in archives.newer_instructions(archives.instructions(newer))
    compiled(tmp_path, "b.so", COUNT, "-mpopcnt")
    with pytest.raises(ReleaseError, match=r"b\.so: not for every x86-64: popcnt"):
        archives.check_levels(tmp_path)
    (tmp_path / "shisan" / "engine" / "b.so").unlink()
    wide.unlink()
    with pytest.raises(ReleaseError, match="nothing in it is compiled for avx2"):
        archives.check_levels(tmp_path)


@pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("readelf") is None or sys.platform != "linux",
    reason="needs gcc and readelf",
)
def test_a_module_without_relocations(tmp_path: Path) -> None:
    """As a linker once made one: it imports, and nothing is in it."""
    compiled(tmp_path, "a.so", "int x; int *at = &x; static int y; int *by = &y;")
    archives.check_relocations(tmp_path)
    compiled(tmp_path, "b.so", "int x;", "-nostdlib")
    with pytest.raises(ReleaseError, match=r"shisan/engine/b\.so: linked without relocations"):
        archives.check_relocations(tmp_path)


def test_listing_of_instructions() -> None:
    """Mnemonics, not parts of them, nor names of functions."""
    listing = "  10:\tmov    %eax,%ebx\n  12:\tcall   20 <vadd>\n  14:\tverr   %ax\n"
    assert archives.newer_instructions(listing) == []
    listing += "  16:\tvpaddd %ymm0,%ymm1,%ymm2\n  1a:\tshlx   %eax,%ebx,%ecx\n"
    assert archives.newer_instructions(listing) == ["shlx", "vpaddd"]


def test_levels_of_a_processor() -> None:
    old = "flags\t\t: fpu sse2 popcnt avx2 bmi1 bmi2\n"
    assert archives.levels_here(old) == ["baseline", "avx2"]
    new = old.strip() + " avx512f avx512bw avx512dq avx512vl\n"
    assert archives.levels_here(new) == ["baseline", "avx2", "avx512"]
    assert archives.levels_here("flags: avx2 popcnt\n") == ["baseline"]


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="only Linux tells")
def test_the_processor_is_known() -> None:
    """What the kernel asks the processor itself is what Linux says of it."""
    from shisan.engine import kernel

    told = archives.levels_here(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    assert list(kernel.KERNELS[: kernel.level() + 1]) == told


def test_platform_tag() -> None:
    shown = 'x.whl\nis consistent with the following platform tag:\n"manylinux_2_17_x86_64".\n'
    archives.check_tag(shown, "manylinux_2_17_x86_64")
    with pytest.raises(ReleaseError, match=r"allows manylinux_2_17_x86_64, not manylinux_2_5"):
        archives.check_tag(shown, "manylinux_2_5_x86_64")
    with pytest.raises(ReleaseError, match="allows no tag"):
        archives.check_tag("nothing", "manylinux_2_17_x86_64")


def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--root", str(tmp_path)], "--root must be a checkout of Shisan"),
        (["--root", str(ROOT), "--work", str(tmp_path)], "--work must be a folder that is not"),
    ):
        with pytest.raises(SystemExit):
            release.main(words)
        assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="wheels are made on Linux")
def test_release(tmp_path: Path) -> None:
    """All of it, from a clone: some minutes, and a package index for the tools."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "shisan.scripts.release", "--root", clone, "--out", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    names = sorted(path.name for path in tmp_path.glob("shisan-*"))
    assert len(names) == 2 and names[1].endswith(".tar.gz") and "manylinux_2_17" in names[0]
    for said in ("those that are tracked", "twine check", "run on every x86-64", "signature holds"):
        assert said in done.stdout
