"""What the engine raises: ValueErrors whose text names the value and what is allowed."""


class RulesError(ValueError):
    """A rule, size or combination that does not exist."""


class IllegalMoveError(ValueError):
    """A point that cannot be played: outside, occupied, forbidden, or the game is over."""


class PositionError(ValueError):
    """A set-up that is no position: a point twice, outside, or nothing to undo."""


class LimitError(ValueError):
    """A search limit out of its range."""


class DataError(RuntimeError):
    """A data file of our own that is missing or damaged."""
