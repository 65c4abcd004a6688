from shisan.engine.position import Position
from shisan.engine.rules import Point

def fours_that_matter(position: Position) -> tuple[Point, ...] | None: ...
