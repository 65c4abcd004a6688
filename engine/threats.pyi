from typing_extensions import disjoint_base

from shisan.engine.position import Position
from shisan.engine.rules import Point

@disjoint_base
class VcfSolver:
    def __new__(cls, entries: int = ...) -> VcfSolver: ...
    @property
    def nodes(self) -> int: ...
    def solve(
        self, position: Position, nodes: int | None = None
    ) -> tuple[Point, ...] | bool | None: ...
    def defences(self, position: Position, nodes: int | None = None) -> set[Point] | None: ...
