# cython: language_level=3
"""What the search of one board keeps: in the whole, and for each node on the way from the root."""

from .evaluate cimport Network, PointClasses
from .history cimport History
from .margins cimport Margins, Reductions
from .monotonic cimport now_ns
from .moves cimport Moves
from .planes cimport Board, ClassMaps, zobrist
from .shared cimport add, read_flag, read_time, write_flag
from .table cimport Table
from .team cimport Team, is_overtaken
from .threats cimport MAX_LINE, Solver, vcf
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
    bint threatened             # whether the opponent could make an open four or a double four
    bint prepared               # whether the maps and classes are of this node
    uint64_t key                # of the stones that they are of
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

cdef struct Tree:               # one board's search below its root
    Board board
    Table table
    Solver solver
    Network[2] networks         # by the side to move
    History history
    Margins margins
    Reductions reductions
    Frame *frames               # MAX_PLY + 2
    uint64_t *values            # VALUES static values of positions, see values.pxd
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
    COUNTED_NODES = 64          # that a thread searches before it tells the others

cdef inline uint64_t key_of(const Tree *tree, int side) noexcept nogil:
    """The table's key of the position with this side to move."""
    return tree.board.key ^ tree.salt ^ (<uint64_t> 0x9E3779B97F4A7C15u if side else 0)


cdef inline uint64_t key_after(const Tree *tree, int side, int point) noexcept nogil:
    """The same after a stone of this side at an empty point."""
    return key_of(tree, 1 - side) ^ zobrist[side][point]


# --- When to give up ---------------------------------------------------------------------------

cdef inline bint is_stopped(Tree *tree) noexcept nogil:
    """Whether the search is to give up."""
    return read_flag(&tree.stopped)


cdef inline void keep_count(Tree *tree) noexcept nogil:
    """Tell the other threads of nodes and learn of theirs; give up if one has been faster."""
    cdef long long own = tree.nodes + tree.solver.nodes
    if own - tree.counted >= COUNTED_NODES:
        tree.others = add(&tree.team.nodes, own - tree.counted) - own
        tree.counted = own
    if read_flag(&tree.team.winner) or is_overtaken(tree.team, tree.root_depth):
        write_flag(&tree.stopped, 1)


cdef inline bint give_up(Tree *tree) noexcept nogil:
    """Whether a limit is reached; looks at the clock now and then."""
    if is_stopped(tree):
        return True
    if tree.team != NULL:
        keep_count(tree)
    if (tree.nodes + tree.solver.nodes + tree.others >= tree.node_limit
            or (tree.nodes & 31 == 0 and now_ns() >= read_time(&tree.hard_ns))):
        write_flag(&tree.stopped, 1)
        return True
    return False


cdef inline long long all_nodes(Tree *tree) noexcept nogil:
    """The nodes of all threads."""
    cdef long long own = tree.nodes + tree.solver.nodes
    return own if tree.team == NULL else add(&tree.team.nodes, 0) + own - tree.counted


cdef inline long long nodes_left(const Tree *tree) noexcept nogil:
    """How many nodes there are up to the limit, as far as known."""
    return tree.node_limit - tree.nodes - tree.solver.nodes - tree.others


cdef inline int solve(Tree *tree, int attacker, long long budget, int step) noexcept nogil:
    """Ask the solver, within the search's own limit of nodes."""
    return vcf(&tree.solver, &tree.board, attacker, min(budget, nodes_left(tree)), step)


# --- Frames -----------------------------------------------------------------------------------

cdef inline void forget_node(Frame *frame) noexcept nogil:
    """Forget what a frame keeps of another position."""
    frame.line_length = 0
    frame.valued = False
    frame.prepared = False
    frame.threat = UNASKED
    frame.own_fours = UNASKED
    frame.sole = False
    frame.refutation_length = 0
    frame.exact = False
