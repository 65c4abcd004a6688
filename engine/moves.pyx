# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Candidate points and their order: by class for both sides, history, nearness to the centre."""

from .evaluate cimport code_at
from .planes cimport Board, column, lowest, row
from .shared cimport read_count
from .typedefs cimport int16_t, int32_t, uint64_t

OWN_WORTH[:] = [0, 9000, 8000, 4000, 1700, 1300, 600, 1500, 1100, 600, 500, 320, 280, 130, 110, 0]
OPP_WORTH[:] = [0, 6000, 5000, 2500, 1000, 700, 250, 1000, 700, 350, 320, 200, 170, 80, 70, 0]


cdef void generate(const Board *board, const uint64_t *candidates, const PointClasses *own,
                   const PointClasses *opp, const int16_t *history, const int16_t *replies,
                   Moves *moves) noexcept nogil:
    """List the candidates with their scores, the lowest point first.

    history, replies: counts by point, for the side to move; replies may be NULL.
    """
    cdef int i, k, n = 0, point, score
    cdef uint64_t word
    for i in range(board.words):
        word = candidates[i]
        while word:
            k = lowest(word)
            word &= word - 1
            point = i * 64 + k
            score = (OWN_WORTH[code_at(own, i, k)] + OPP_WORTH[code_at(opp, i, k)]
                     + read_count(&history[point]) // 32
                     - abs(2 * column(board, point) + 1 - board.width)
                     - abs(2 * row(board, point) + 1 - board.height))
            if replies != NULL:
                score += read_count(&replies[point]) // 32
            moves.keys[n] = key_of(point, score)
            n += 1
    moves.n = n


cdef void promote(Moves *moves, int point) noexcept nogil:
    """Let a point be the first of the moves, if it is among them."""
    cdef int i, k
    cdef int32_t key
    for i in range(moves.n):
        key = moves.keys[i]
        if point_of(key) == point:
            for k in range(i, 0, -1):
                moves.keys[k] = moves.keys[k - 1]
            moves.keys[0] = key
            return
