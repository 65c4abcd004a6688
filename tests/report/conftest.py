"""Lets the tests here import their stand-ins, and the browser of the tests of matches."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, HERE.parent / "match"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
