from shisan.engine.position import Position
from shisan.engine.rules import Colour

def fives_after(
    position: Position, colour: Colour, x: int, y: int
) -> tuple[int, tuple[int, int] | None]: ...
def fours_after(position: Position, colour: Colour, x: int, y: int) -> set[tuple[int, int]]: ...
