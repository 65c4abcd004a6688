from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from typing_extensions import disjoint_base

from shisan.engine.position import Position
from shisan.engine.rules import Colour, Point

_Found: TypeAlias = tuple[Point, int, int, int, tuple[Point, ...]]

@disjoint_base
class Searcher:
    def __new__(cls, memory: int = ...) -> Searcher: ...
    def set_weights(self, colour: Colour, weights: Mapping[str, object]) -> None: ...
    def set_variety(self, amount: int, seed: int) -> None: ...
    def clear(self) -> None: ...
    def stop(self) -> None: ...
    def set_deadlines(self, soft_ns: int | None, hard_ns: int | None) -> None: ...
    def search(
        self,
        position: Position,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        on_progress: Callable[[Point, int, int, int, tuple[Point, ...]], None] | None = None,
        avoid: Iterable[Point] = (),
    ) -> _Found: ...
    def found(self) -> _Found: ...
