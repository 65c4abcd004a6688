"""Lets the tests here import their stand-ins."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
