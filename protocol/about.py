"""Who we are, for ABOUT and --version."""

from typing import Final

NAME: Final = "Shisan"
VERSION: Final = "0.1.0"
AUTHOR: Final = "The Shisan developers"

ABOUT: Final = f'name="{NAME}", version="{VERSION}", author="{AUTHOR}", country="International"'
"""The answer to ABOUT. Managers split it on commas and "=", so no value may contain either."""

PROTOCOL_VERSION: Final = "1,0"
"""The answer to PROTOCOLVERSION."""
