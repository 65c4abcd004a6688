"""Lets the tests here import the clients and stand-ins of tests/protocol/brains.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "protocol"))
