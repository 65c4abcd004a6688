# cython: language_level=3
"""What the threads of one search tell each other, beside what the tables and the history keep.

All search the same depth of the same root, and the first to finish it tells the others, who go on
to the next. A thread that comes to a position another one is searching does its other moves first,
and finds the result in the table when it comes back: T. Kerrigan's simplification of ABDADA
(J.-C. Weill, The ABDADA distributed minimax search algorithm, 1996).
"""

from libc.string cimport memset

from .shared cimport (
    claim, read_flag, read_in_order, read_word, write_flag, write_in_order, write_word,
)
from .typedefs cimport MAX_PLY, int16_t, int64_t, uint64_t

cdef enum:
    PLACES = 1024       # for positions being searched, by the low bits of their keys
    SHARED_DEPTH = 3    # plies from which on threads keep out of each other's way
    MOST_POSTPONED = 16     # moves of a node
    MOST_DEPTH = 125    # of an iteration

cdef struct Postponed:          # moves of a node whose turn comes after the others
    int n
    int[MOST_POSTPONED] points
    int[MOST_POSTPONED] reductions

cdef struct Finished:           # an iteration; written once, by the first thread to finish it
    int claimed                 # whether a thread is writing or has written it
    int ready                   # whether it can be read
    int value
    int length
    int16_t[MAX_PLY] line

cdef struct Team:               # read and written by engine/shared.pxd
    int64_t nodes               # of all threads, as far as they were counted
    uint64_t[PLACES] under_way  # keys of positions being searched; 0: none
    # Not in one cache line with the nodes, which change all the time.
    int winner                  # the first helper, 1.., that has proven a win; 0: none
    int over                    # whether helpers are to stop
    int done                    # depth of the deepest finished iteration
    Finished[MOST_DEPTH + 1] finished   # by depth


cdef inline void assemble(Team *team) noexcept nogil:
    """Begin a search of several threads; none of them may run yet."""
    cdef int depth
    team.nodes = team.winner = team.done = 0
    write_flag(&team.over, 0)       # a stop may be on its way; the leader hears of it
    memset(team.under_way, 0, sizeof(team.under_way))
    for depth in range(MOST_DEPTH + 1):
        team.finished[depth].claimed = team.finished[depth].ready = 0


cdef inline bint is_under_way(const Team *team, uint64_t key) noexcept nogil:
    """Whether a thread is searching a position, as far as is known."""
    return read_word(&team.under_way[key & (PLACES - 1)]) == key


cdef inline void set_under_way(Team *team, uint64_t key) noexcept nogil:
    """Tell the others of a position; one that shares its place is forgotten."""
    write_word(&team.under_way[key & (PLACES - 1)], key)


cdef inline void clear_under_way(Team *team, uint64_t key) noexcept nogil:
    """Tell the others that a position's search has ended."""
    if is_under_way(team, key):
        write_word(&team.under_way[key & (PLACES - 1)], 0)


cdef inline bint postpone(Postponed *later, int point, int reduction) noexcept nogil:
    """Put off a move with its reduction; whether there was room."""
    if later.n == MOST_POSTPONED:
        return False
    later.points[later.n] = point
    later.reductions[later.n] = reduction
    later.n += 1
    return True


cdef inline void announce(Team *team, int depth, int value, const int *line,
                          int length) noexcept nogil:
    """Tell the others of a finished iteration, unless one of them was faster."""
    cdef Finished *finished = &team.finished[depth]
    cdef int i
    if not claim(&finished.claimed, 1):
        return
    finished.value = value
    finished.length = min(length, MAX_PLY)
    for i in range(finished.length):
        finished.line[i] = <int16_t> line[i]
    write_in_order(&finished.ready, 1)
    write_flag(&team.done, depth)


cdef inline bint is_overtaken(const Team *team, int depth) noexcept nogil:
    """Whether another thread has finished this depth."""
    return read_flag(&team.done) >= depth


cdef inline int learn(const Team *team, int depth, int *value, int *line) noexcept nogil:
    """Take what was found at a depth that is_overtaken; return the length of the line."""
    cdef const Finished *finished = &team.finished[depth]
    cdef int i
    while not read_in_order(&finished.ready):
        pass        # it is being written, and a third thread is a depth further already
    value[0] = finished.value
    for i in range(finished.length):
        line[i] = finished.line[i]
    return finished.length
