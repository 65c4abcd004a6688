"""Search: iterative deepening and alpha-beta over one board."""

from .evaluate cimport Network, PointClasses
from .moves cimport Moves
from .planes cimport Board, ClassMaps
from .table cimport Table
from .threats cimport MAX_LINE, Solver
from .typedefs cimport MAP_WORDS, MAX_PLY, MAX_POINTS, int32_t, int64_t, uint64_t

cdef struct Frame:              # what a node of the search keeps, by ply
    ClassMaps own_maps
    ClassMaps opp_maps
    PointClasses own
    PointClasses opp
    Moves moves
    uint64_t[MAP_WORDS] tried
    uint64_t[MAP_WORDS] suspects
    int[MAX_LINE] refutation
    int[2] killers
    int[MAX_PLY + 2] line       # best line from here
    int line_length

cdef class Searcher:
    cdef Board board
    cdef Table table
    cdef uint64_t memory                # bytes asked for the table
    cdef Solver solver
    cdef Network[2] networks            # by the side to move
    cdef int32_t[2][MAX_POINTS] history
    cdef Frame *frames
    cdef int[64][64] reductions
    cdef volatile int stopped           # set by anyone: give up at once
    cdef volatile int64_t hard_ns       # monotonic time at which to give up
    cdef volatile int64_t soft_ns       # after which no new iteration begins
    cdef long long nodes
    cdef long long node_limit           # nodes of search and solver together
    cdef uint64_t salt
    cdef int root_side
    cdef int variety                    # added to static values: up to so much either way
    cdef uint64_t variety_salt
    cdef uint64_t[MAP_WORDS] avoided    # points that are not to be played at the root
    cdef bint avoiding
    cdef Moves root_moves
    cdef int best_point
    cdef int best_value
    cdef int best_depth
    cdef int[MAX_PLY + MAX_LINE] best_line
    cdef int best_length

    cdef bint give_up(self) noexcept nogil
    cdef int solve(self, int attacker, long long budget, int step) noexcept nogil
    cdef bint may_play(self, Frame *frame, int side, int point) noexcept nogil
    cdef int lost(self, int side, int ply) noexcept nogil
    cdef int static_value(self, Frame *frame, int side) noexcept nogil
    cdef int node(self, int alpha, int beta, int depth, int ply) noexcept nogil
    cdef int forced(self, int alpha, int beta, int depth, int ply,
                    const uint64_t *five) noexcept nogil
    cdef int rest(self, int alpha, int beta, int depth, int ply, int best) noexcept nogil
    cdef void candidates(self, Frame *frame, int side, bint threatened,
                         uint64_t *points) noexcept nogil
    cdef void prepare(self, Frame *frame, int side) noexcept nogil
    cdef void lead(self, Frame *frame, int ply, int point) noexcept nogil
    cdef int root(self, int alpha, int beta, int depth) noexcept nogil
    cdef void deepen(self, int max_depth, object on_progress)
    cdef void resist(self) noexcept nogil
    cdef bint at_once(self)
    cdef void record_solution(self, int depth) noexcept nogil
