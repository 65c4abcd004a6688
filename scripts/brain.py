"""shisan brain: what pbrain-shisan runs, as a sub-command."""

from shisan.protocol.loop import main

__all__ = ["main"]
