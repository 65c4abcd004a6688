"""The package as built, and Wine to run it in; both are made once, and only for slow tests."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import builder
from wine import SERVER, WINE, Wine


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip: SHISAN_WINDOWS_PACKAGE, or built here."""
    given = os.environ.get("SHISAN_WINDOWS_PACKAGE")
    if given:
        return Path(given)
    lacks = builder.build_windows.missing()
    if lacks:
        pytest.skip(f"the Windows package cannot be built here, which lacks {'; '.join(lacks)}")
    path = tmp_path_factory.mktemp("package") / "pbrain-shisan.zip"
    builder.build_windows.build(path, None)
    return path


@pytest.fixture(scope="session")
def exe(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, unpacked into a folder with blanks and letters beyond ASCII in its name."""
    folder = tmp_path_factory.mktemp("unpacked") / "a brain für 五"
    with ZipFile(package) as archive:
        archive.extractall(folder)
    return folder / "pbrain-shisan.exe"


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    """A fresh prefix, ended with all that runs in it."""
    if not WINE.is_file() or not SERVER.is_file():
        pytest.skip(f"Wine is missing: {WINE} and {SERVER}, Debian's wine64")
    made = Wine(tmp_path_factory.mktemp("wine"))
    yield made
    made.close()


@pytest.fixture
def wine(prefix: Wine) -> Iterator[Wine]:
    """The prefix; what a test starts in it ends with the test."""
    yield prefix
    prefix.tidy()
