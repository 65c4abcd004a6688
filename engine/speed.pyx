# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""How fast the maps and the solver are: many in a row without Python in between, for benchmarks."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .planes cimport Board, ClassMaps, class_maps, five_map, four_maps
from .position cimport Position
from .threats cimport Solver, vcf
from .typedefs cimport MAP_WORDS, uint64_t

from time import perf_counter_ns

cdef enum:
    ENTRIES = 1 << 12       # of the solver's table: cleared for each position, so kept small


def nanoseconds(Position position not None, str what, int repeats=100_000):
    """Return the mean ns of the "five", "four" (five and four) or "class" maps of a colour."""
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


def vcf_speed(Position position not None, int repeats=100, long long budget=200_000):
    """Solve a position by continuous fours again and again, each time from an empty table.

    Returns (fours put on the board, positions whose fours were looked at, ns) of all together.
    """
    cdef Board board = position.board
    cdef Solver solver
    cdef int _round, side = position.mover
    cdef int never = 0
    memset(&solver, 0, sizeof(Solver))
    solver.table = <uint64_t *> calloc(ENTRIES, sizeof(uint64_t))
    if solver.table == NULL:
        raise MemoryError
    solver.mask = ENTRIES - 1
    solver.stop = &never
    start = perf_counter_ns()
    with nogil:
        for _round in range(repeats):
            memset(solver.table, 0, ENTRIES * sizeof(uint64_t))
            vcf(&solver, &board, side, budget, 1)
    elapsed = perf_counter_ns() - start
    free(solver.table)
    return solver.nodes, solver.visits, elapsed
