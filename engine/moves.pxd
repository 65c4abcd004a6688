# cython: language_level=3
"""Candidate points and their order."""

from .evaluate cimport CODES, PointClasses
from .planes cimport Board, bits, test
from .typedefs cimport MAX_EMPTY, int16_t, int32_t, uint64_t

cdef struct Moves:
    int n
    int32_t[MAX_EMPTY] keys     # the score, then how far the point is from the last: see key_of

cdef enum:
    POINT_BITS = 10             # of a key; MAX_POINTS is less than 2 to this
    LAST_POINT = (1 << POINT_BITS) - 1

# What a point is worth for order, by its class's code for the side to move and for the opponent.
cdef int[CODES] OWN_WORTH
cdef int[CODES] OPP_WORTH

cdef void generate(const Board *board, const uint64_t *candidates, const PointClasses *own,
                   const PointClasses *opp, const int16_t *history, const int16_t *replies,
                   Moves *moves) noexcept nogil
cdef void promote(Moves *moves, int point) noexcept nogil


cdef inline int32_t key_of(int point, int score) noexcept nogil:
    """Both in one number: a greater score is greater, and of equals the lower point."""
    return score * (1 << POINT_BITS) + LAST_POINT - point


cdef inline int point_of(int32_t key) noexcept nogil:
    """The point in a key."""
    return LAST_POINT - (key & LAST_POINT)


cdef inline int score_of(int32_t key) noexcept nogil:
    """The score in a key."""
    return key >> POINT_BITS


cdef inline int32_t pick(Moves *moves, int i) noexcept nogil:
    """Bring the best of moves i.. to place i and return its key; of equals the lowest point first.

    Two plain loops, which compilers turn into vectors: no two keys are alike.
    """
    cdef int k, at = i
    cdef int32_t best = moves.keys[i]
    for k in range(i + 1, moves.n):
        best = max(best, moves.keys[k])
    for k in range(i, moves.n):
        at = k if moves.keys[k] == best else at
    moves.keys[at] = moves.keys[i]
    moves.keys[i] = best
    return best


cdef inline void prefer(Moves *moves, const uint64_t *candidates, int point,
                        int more) noexcept nogil:
    """Add to the score of a point, if it is among the candidates of which the moves were made."""
    cdef int i, before = 0
    if point < 0 or not test(candidates, point):
        return
    for i in range(point >> 6):
        before += bits(candidates[i])
    before += bits(candidates[point >> 6] & (((<uint64_t> 1) << (point & 63)) - 1))
    moves.keys[before] += more * (1 << POINT_BITS)
