"""Lets the tests here import what they share: services.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
