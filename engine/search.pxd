# cython: language_level=3
"""Search: iterative deepening over one board."""

from .moves cimport Moves
from .team cimport Team
from .threats cimport MAX_LINE
from .frames cimport Tree
from .typedefs cimport MAP_WORDS, MAX_PLY, int64_t, uint64_t

cdef class Searcher:
    cdef Tree tree
    cdef int64_t soft_ns                # shared; monotonic: after that no new iteration begins
    cdef int asked                      # shared; whether stop was called since the last resume
    cdef Team team                      # of this searcher and its helpers
    cdef list helpers                   # other Searchers
    cdef Searcher leader                # of a helper at work
    cdef bint used                      # whether the tables may hold anything
    cdef bint alone                     # whether this search is to be without helpers
    cdef int number                     # of a helper, 1..
    cdef object running                 # a lock, held while a helper works
    cdef readonly int refused           # helpers of the last search that got no thread
    cdef uint64_t[MAP_WORDS] avoided    # points that are not to be played at the root
    cdef bint avoiding
    cdef Moves root_moves
    cdef int best_value
    cdef int best_depth
    cdef int[MAX_PLY + MAX_LINE] best_line
    cdef int best_length

    cdef void wipe(self)
    cdef void call_helpers(self)
    cdef void enlist(self, Searcher leader, int number)
    cdef void leave(self)
    cdef void accompany(self) noexcept nogil
    cdef bint finishes(self, int depth) noexcept nogil
    cdef void send_home(self) noexcept
    cdef void adopt(self) noexcept
    cdef bint at_once(self)
    cdef void deepen(self, int max_depth, object on_progress)
    cdef int iterate(self, int depth, int value) noexcept nogil
    cdef void resist(self) noexcept nogil
    cdef void record_solution(self, int depth) noexcept nogil
    cdef int root(self, int alpha, int beta, int depth) noexcept nogil
