# cython: language_level=3
"""Candidate points and their order."""

from .evaluate cimport CLASSES, PointClasses
from .planes cimport Board, bits, column, lowest, row
from .typedefs cimport MAP_WORDS, MAX_EMPTY, MAX_POINTS, int16_t, uint64_t

cdef struct Moves:
    int n
    int[MAX_EMPTY] points
    int[MAX_EMPTY] scores

# What a point is worth for order, by its class for the side to move and for the opponent.
cdef int[CLASSES] OWN_WORTH
cdef int[CLASSES] OPP_WORTH

cdef void generate(const Board *board, const uint64_t *candidates, const PointClasses *own,
                   const PointClasses *opp, const int16_t *history, const int16_t *replies,
                   Moves *moves) noexcept nogil


cdef inline int pick(Moves *moves, int i) noexcept nogil:
    """Bring the best of moves i.. to place i and return it; of equals the lowest point first."""
    cdef int k, best = i, point, score
    for k in range(i + 1, moves.n):
        if (moves.scores[k] > moves.scores[best]
                or (moves.scores[k] == moves.scores[best]
                    and moves.points[k] < moves.points[best])):
            best = k
    point = moves.points[best]
    score = moves.scores[best]
    moves.points[best] = moves.points[i]
    moves.scores[best] = moves.scores[i]
    moves.points[i] = point
    moves.scores[i] = score
    return point
