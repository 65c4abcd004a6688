# cython: language_level=3
"""Search: iterative deepening over one board."""

from .moves cimport Moves
from .threats cimport MAX_LINE
from .tree cimport Tree
from .typedefs cimport MAP_WORDS, MAX_PLY, int64_t, uint64_t

cdef class Searcher:
    cdef Tree tree
    cdef volatile int64_t soft_ns       # monotonic time after which no new iteration begins
    cdef uint64_t[MAP_WORDS] avoided    # points that are not to be played at the root
    cdef bint avoiding
    cdef Moves root_moves
    cdef int best_value
    cdef int best_depth
    cdef int[MAX_PLY + MAX_LINE] best_line
    cdef int best_length

    cdef bint at_once(self)
    cdef void deepen(self, int max_depth, object on_progress)
    cdef void resist(self) noexcept nogil
    cdef void record_solution(self, int depth) noexcept nogil
    cdef int root(self, int alpha, int beta, int depth) noexcept nogil
