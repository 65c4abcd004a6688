"""scripts/build_windows.py as a module: of the checkout, as an installed copy has no sources."""

import importlib.util
import sys
from pathlib import Path

_PATH = Path(__file__).parents[2] / "scripts" / "build_windows.py"
_spec = importlib.util.spec_from_file_location("build_windows", _PATH)
assert _spec is not None and _spec.loader is not None
build_windows = importlib.util.module_from_spec(_spec)
_writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # it would change the sources
_spec.loader.exec_module(build_windows)
sys.dont_write_bytecode = _writes
