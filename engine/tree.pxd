# cython: language_level=3
"""The tree: alpha-beta below the root."""

from .evaluate cimport Network, PointClasses
from .history cimport History
from .margins cimport Margins, Reductions
from .moves cimport Moves
from .planes cimport Board, ClassMaps
from .shared cimport read_flag
from .table cimport Table
from .threats cimport MAX_LINE, Solver
from .typedefs cimport MAP_WORDS, MAX_PLY, int64_t, uint64_t

cdef struct Frame:              # what a node keeps, by ply
    ClassMaps own_maps
    ClassMaps opp_maps
    PointClasses own
    PointClasses opp
    Moves moves
    uint64_t[MAP_WORDS] tried
    uint64_t[MAP_WORDS] suspects    # where Black's move may be forbidden
    int[2] killers
    int move                    # being searched
    int best                    # of those tried, or NO_POINT
    int excluded                # a move that is not to be tried, or NO_POINT
    int guess                   # static value, of the node's own side to move
    bint valued                 # whether guess is of this node
    bint sole                   # whether its move is the one answer to a four
    int own_fours               # the solver's word on the mover's own fours
    int table_point             # of the table's entry: its move, or NO_POINT
    int table_value
    int table_depth             # -1: no entry
    int table_bound
    int threat                  # the solver's word on the opponent's fours if we passed
    int[MAX_LINE] refutation    # his win by them
    int refutation_length       # 0: none is known
    int refutation_plies
    uint64_t[MAP_WORDS] defences    # the only points that may stop it
    bint exact                  # whether those are known
    int[MAX_PLY + 2] line       # best line from here
    int line_length

cdef struct Team:               # what the threads of one search share beside the table
    int64_t nodes               # of all threads, as far as they were counted
    int winner                  # the first helper, 1.., that has proven a win; 0: none

cdef struct Tree:               # one board's search below its root
    Board board
    Table table
    Solver solver
    Network[2] networks         # by the side to move
    History history
    Margins margins
    Reductions reductions
    Frame *frames               # MAX_PLY + 2
    int stopped                 # shared; set by anyone: give up at once
    int64_t hard_ns             # shared; monotonic time at which to give up
    long long nodes
    long long node_limit        # nodes of search and solver together, of all threads
    Team *team                  # NULL: no other threads
    long long counted           # own nodes that the team knows of
    long long others            # nodes of the other threads, as far as known
    uint64_t salt               # of the position's rules
    int root_side
    int root_depth              # of the iteration under way
    int variety                 # added to static values: up to so much either way
    uint64_t variety_salt

cdef enum:
    UNASKED = -1                # a frame's threat where the solver was not asked

cdef bint give_up(Tree *tree) noexcept nogil
cdef long long all_nodes(Tree *tree) noexcept nogil
cdef int solve(Tree *tree, int attacker, long long budget, int step) noexcept nogil
cdef void prepare(Tree *tree, Frame *frame, int side) noexcept nogil
cdef void candidates(Tree *tree, Frame *frame, int side, bint threatened,
                     uint64_t *points) noexcept nogil
cdef void lead(Tree *tree, Frame *frame, int ply, int point) noexcept nogil
cdef bint threat(Tree *tree, Frame *frame, int side, long long budget) noexcept nogil
cdef int node(Tree *tree, int alpha, int beta, int depth, int ply) noexcept nogil
cdef int rest(Tree *tree, int alpha, int beta, int depth, int ply, int best) noexcept nogil


cdef inline bint is_stopped(Tree *tree) noexcept nogil:
    """Whether the search is to give up."""
    return read_flag(&tree.stopped)


cdef inline void forget_node(Frame *frame) noexcept nogil:
    """Forget what a frame keeps of another position."""
    frame.line_length = 0
    frame.valued = False
    frame.threat = UNASKED
    frame.own_fours = UNASKED
    frame.sole = False
    frame.refutation_length = 0
    frame.exact = False
