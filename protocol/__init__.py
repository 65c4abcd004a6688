"""How programs talk: the brain's side of the Gomocup/Piskvork protocol, records and notation.

Names are loaded on first use, so that importing one module of the package loads no other.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .commands import Command as Command
    from .commands import parse as parse
    from .functions import Turn as Turn
    from .functions import serve as serve
    from .gamefiles import read_game as read_game
    from .gamefiles import read_games as read_games
    from .games import GameError as GameError
    from .games import GameRecord as GameRecord
    from .gametrees import Wanted as Wanted
    from .loop import main as main
    from .options import OPTIONS as OPTIONS
    from .options import Option as Option
    from .reviewfiles import read_review as read_review
    from .reviewfiles import write_review as write_review
    from .reviewing import Reviewer as Reviewer
    from .reviewing import review as review
    from .reviewpages import review_page as review_page
    from .reviews import Review as Review
    from .reviews import Setting as Setting
    from .session import Session as Session
    from .sgfwriter import write_sgf as write_sgf

_HOME: Final = {
    "Command": "commands",
    "GameError": "games",
    "GameRecord": "games",
    "OPTIONS": "options",
    "Option": "options",
    "Review": "reviews",
    "Reviewer": "reviewing",
    "Session": "session",
    "Setting": "reviews",
    "Turn": "functions",
    "Wanted": "gametrees",
    "main": "loop",
    "parse": "commands",
    "read_game": "gamefiles",
    "read_games": "gamefiles",
    "read_review": "reviewfiles",
    "review": "reviewing",
    "review_page": "reviewpages",
    "serve": "functions",
    "write_review": "reviewfiles",
    "write_sgf": "sgfwriter",
}

__all__ = [
    "OPTIONS",
    "Command",
    "GameError",
    "GameRecord",
    "Option",
    "Review",
    "Reviewer",
    "Session",
    "Setting",
    "Turn",
    "Wanted",
    "main",
    "parse",
    "read_game",
    "read_games",
    "read_review",
    "review",
    "review_page",
    "serve",
    "write_review",
    "write_sgf",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
