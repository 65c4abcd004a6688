# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""How fast the maps are: many in a row without Python in between, for benchmarks only."""

from .planes cimport Board, ClassMaps, class_maps, five_map, four_maps
from .position cimport Position
from .typedefs cimport MAP_WORDS, uint64_t

from time import perf_counter_ns


def nanoseconds(Position position not None, str what, int repeats=100_000):
    """Return the mean time in ns of the "five", "four" (five and four) or "class" maps of a colour."""
    cdef Board board = position.board
    cdef uint64_t[MAP_WORDS] five
    cdef uint64_t[MAP_WORDS] four
    cdef ClassMaps maps
    cdef int i, kind = ("five", "four", "class").index(what)
    start = perf_counter_ns()
    with nogil:
        for i in range(repeats):
            if kind == 0:
                five_map(&board, i & 1, five)
            elif kind == 1:
                four_maps(&board, i & 1, five, four)
            else:
                class_maps(&board, i & 1, &maps)
    return (perf_counter_ns() - start) / repeats
