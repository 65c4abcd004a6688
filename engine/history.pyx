# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""History: how often a move refuted others, in this search and before.

The threads of a search count together. Two that count at once may lose one of the counts.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .moves cimport point_of
from .planes cimport test
from .shared cimport read_count, write_count

cdef enum:
    PLAIN = 2 * MAX_POINTS
    REPLIES = 2 * MAX_POINTS * MAX_POINTS
    MOST_WEIGHT = 400       # of one refutation; deep ones weigh no more
    WORTH = 16              # of a unit of weight
    KEPT = 512              # so much weight would replace a count


cdef bint begin(History *history) noexcept nogil:
    """Make an empty history; whether there was memory."""
    history.plain = <int16_t *> calloc(PLAIN + REPLIES, sizeof(int16_t))
    history.replies = history.plain + PLAIN
    return history.plain != NULL


cdef void forget(History *history) noexcept nogil:
    """Set every count to 0."""
    memset(history.plain, 0, (PLAIN + REPLIES) * sizeof(int16_t))


cdef void end(History *history) noexcept nogil:
    """Give the memory back; harmless when there is none."""
    free(history.plain)
    history.plain = NULL


cdef void count_towards(int16_t *entry, int weight, int towards) noexcept nogil:
    """Move a count by a share of its way to towards * WORTH * KEPT, which it never passes."""
    cdef int value = read_count(entry)
    write_count(entry, <int16_t> (value + towards * weight * WORTH - value * weight // KEPT))


cdef void reward(History *history, int side, int before, const Moves *moves,
                 const uint64_t *tried, int best, int depth) noexcept nogil:
    """Count for the move that refuted a node, and against those tried before it.

    before: the point played before, NO_POINT if it is not known; tried: their map; depth: plies.
    """
    cdef int16_t *plain = moves_of(history, side)
    cdef int16_t *replies = replies_to(history, side, before)
    cdef int weight = min(depth * depth, MOST_WEIGHT), i, point
    for i in range(moves.n):
        point = point_of(moves.keys[i])
        if not test(tried, point):
            continue
        count_towards(&plain[point], weight, 1 if point == best else -1)
        if replies != NULL:
            count_towards(&replies[point], weight, 1 if point == best else -1)
        if point == best:
            break
