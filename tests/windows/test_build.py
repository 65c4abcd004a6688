"""What the builder packs, looked at without Wine; what needs a built package is slow."""

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from builder import build_windows

from shisan.engine.kernel import KERNELS

ROOT = Path(__file__).parents[2]

BUILT_IN = frozenset(
    """_abc _ast _bisect _codecs _collections _contextvars _datetime _functools _heapq _io _json
    _locale _operator _random _sha512 _signal _sre _stat _string _struct _thread _typing _warnings
    _weakref _winapi array atexit binascii builtins errno itertools marshal math msvcrt nt sys time
    winreg zlib""".split()
)
"""Modules inside python311.dll that a brain may well import."""


def test_every_import_of_ours_is_there() -> None:
    """What the brain's own modules import is packed, compiled, of the runtime, or in the dll."""
    found = build_windows.modules()
    top = {name.partition(".")[0] for name in found.files}
    compiled = {path.stem for path in (ROOT / "engine").glob("*.pyx")}
    for name in ("shisan.protocol.loop", "shisan.protocol.session", "shisan.protocol.usage"):
        assert name in found.files
    for name in sorted(found.lacking):
        if name.startswith("shisan."):
            owner = name.rpartition(".")[0]
            assert compiled & set(name.split(".")) or owner in found.files, name
    for name, path in found.files.items():
        if name.startswith("shisan."):
            for module in re.findall(r"^ *(?:from|import) (\w+)", path.read_text(), re.M):
                known = top | BUILT_IN | build_windows.LEFT_OUT | set(build_windows.RUNTIME_MODULES)
                assert module in known or module in sys.builtin_module_names, f"{name}: {module}"


def test_nothing_of_the_rest_is_packed() -> None:
    """Matches, pages and command lines stay out, and what only tests of the library need."""
    found = build_windows.modules()
    for name in ("shisan.protocol.match", "shisan.scripts", "argparse", "unittest", "asyncio"):
        assert name not in found.files


def test_bytecode_names_no_folder_of_this_machine() -> None:
    """Equal sources give equal bytes wherever they lie."""
    made = build_windows.bytecode("shisan.protocol.about", ROOT / "protocol" / "about.py")
    assert str(ROOT).encode() not in made and b"shisan/protocol/about.py" in made
    assert made[4:16] == bytes(12)


def test_zip_depends_on_files_alone(tmp_path: Path) -> None:
    """Neither the order of the files nor the time is in it."""
    files = {"b.exe": b"x" * 99, "a/c.txt": b"y"}
    build_windows.zipped(tmp_path / "one.zip", files, 8)
    build_windows.zipped(tmp_path / "two.zip", dict(reversed(files.items())), 8)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_another_runtime_is_refused(tmp_path: Path) -> None:
    """What does not have the digest is not used, and the line says what is wrong."""
    wheel = tmp_path / build_windows.RUNTIME
    wheel.write_bytes(b"something else")
    with pytest.raises(build_windows.BuildError, match=r"has SHA-256 \w+, not 37acfb92"):
        build_windows.runtime(wheel)
    with pytest.raises(build_windows.BuildError, match="cannot be read"):
        build_windows.runtime(tmp_path / "none.whl")


def test_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tool that is not there is named, with the package that has it; nothing is made."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert build_windows.main(["--out", "/nowhere/at/all.zip"]) == 1
    assert "x86_64-w64-mingw32-gcc: apt-get install gcc-mingw-w64-x86-64" in capsys.readouterr().err


@pytest.mark.slow
def test_package(package: Path) -> None:
    """As tournaments want it: one program, at the top, under 8 MB; and its licences."""
    with ZipFile(package) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
        programs = [name for name in names if name.lower().endswith((".exe", ".com", ".bat"))]
        assert programs == ["pbrain-shisan.exe"]
        assert all(Path(name).name.isascii() for name in names)
        assert package.stat().st_size < 8_000_000
        for name in ("LICENSE.txt", "licences/python.txt", "licences/mingw-w64.txt", "README.txt"):
            assert len(archive.read(name)) > 500, name
        for kernel in KERNELS:
            folder = "lib/shisan/engine/" + ("" if kernel == "baseline" else f"{kernel}/")
            assert f"{folder}search.pyd" in names
        for name in ("pbrain-shisan.exe", "python311.dll", "lib/shisan/engine/search.pyd"):
            machine, subsystem = _header(archive.read(name))
            assert machine == 0x8664
            assert name != "pbrain-shisan.exe" or subsystem == 2, "a console would open"


def _header(program: bytes) -> tuple[int, int]:
    """Return machine and subsystem of a program: 0x8664 is x86-64, 2 has no console."""
    (at,) = struct.unpack_from("<I", program, 0x3C)
    (machine,) = struct.unpack_from("<H", program, at + 4)
    (subsystem,) = struct.unpack_from("<H", program, at + 24 + 68)
    return machine, subsystem


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("x86_64-w64-mingw32-objdump") is None,
    reason="binutils-mingw-w64-x86-64 is missing",
)
def test_no_vector_must_lie_on_32_bytes(package: Path, tmp_path: Path) -> None:
    """Windows keeps stacks on 16 bytes: a move of 256 bits that asks for more would fault there."""
    moves = 0
    with ZipFile(package) as archive:
        for name in archive.namelist():
            if not re.search(r"/avx\w+/\w+\.pyd$", name):
                continue
            path = Path(archive.extract(name, tmp_path))
            command = ["x86_64-w64-mingw32-objdump", "-d", "--no-show-raw-insn", str(path)]
            listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            moves += len(re.findall(r"vmovdqu\d* .*%ymm", listing))
            aligned = re.findall(r"v(?:movdqa\d*|movap[sd]|movntdq|movntp[sd]) .*%[yz]mm", listing)
            assert not [line for line in aligned if "(" in line], (name, aligned[0])
    assert moves > 1000


@pytest.mark.slow
def test_builds_the_same_again(package: Path, tmp_path: Path) -> None:
    """Equal inputs, equal bytes, from what is compiled already."""
    if build_windows.missing():
        pytest.skip("the Windows package cannot be built here")
    command = [sys.executable, str(ROOT / "scripts" / "build_windows.py"), "--out"]
    for name in ("one.zip", "two.zip"):
        subprocess.run([*command, str(tmp_path / name)], check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
