# cython: language_level=3
"""History: how often a move refuted others, in this search and before."""

from .moves cimport Moves
from .typedefs cimport MAX_POINTS, int16_t, int32_t, uint64_t

cdef enum:
    LEAST = -8192           # counts stay within LEAST..-LEAST
    NO_HISTORY = -1         # for a point before that is not known

cdef struct History:            # read and written by engine/shared.pxd
    int16_t *plain              # by the side to move and its point
    int16_t *replies            # by the side, the point played before, and its point

cdef bint begin(History *history) noexcept nogil
cdef void forget(History *history) noexcept nogil
cdef void end(History *history) noexcept nogil
cdef void reward(History *history, int side, int before, const Moves *moves,
                 const uint64_t *tried, int best, int depth) noexcept nogil


cdef inline int16_t *moves_of(History *history, int side) noexcept nogil:
    """The counts of this side's moves, by point."""
    return history.plain + side * MAX_POINTS


cdef inline int16_t *replies_to(History *history, int side, int before) noexcept nogil:
    """The counts of this side's replies to a point; NULL if the point is not known."""
    if before < 0:
        return NULL
    return history.replies + (side * MAX_POINTS + before) * MAX_POINTS
