"""How programs talk: the brain's side of the Gomocup/Piskvork protocol, records and notation.

Names are loaded on first use, so that importing one module of the package loads no other.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .commands import Command as Command
    from .commands import parse as parse
    from .loop import main as main
    from .options import OPTIONS as OPTIONS
    from .options import Option as Option
    from .session import Session as Session

_HOME: Final = {
    "Command": "commands",
    "OPTIONS": "options",
    "Option": "options",
    "Session": "session",
    "main": "loop",
    "parse": "commands",
}

__all__ = ["OPTIONS", "Command", "Option", "Session", "main", "parse"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
