# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Candidate points and their order: by class for both sides, history, nearness to the centre."""

from .planes cimport Board, column, lowest, row
from .shared cimport read_count
from .typedefs cimport MAX_POINTS, int16_t, uint64_t

OWN_WORTH[:] = [9000, 8000, 4000, 1700, 1300, 600, 1500, 1100, 600, 500, 320, 280, 130, 110]
OPP_WORTH[:] = [6000, 5000, 2500, 1000, 700, 250, 1000, 700, 350, 320, 200, 170, 80, 70]


cdef void add_worth(const Board *board, const uint64_t *candidates, const uint64_t *points,
                    int worth, int *scores) noexcept nogil:
    """Add to the score of every candidate that a map has."""
    cdef int i
    cdef uint64_t word
    for i in range(board.words):
        word = candidates[i] & points[i]
        while word:
            scores[i * 64 + lowest(word)] += worth
            word &= word - 1


cdef void generate(const Board *board, const uint64_t *candidates, const PointClasses *own,
                   const PointClasses *opp, const int16_t *history, const int16_t *replies,
                   Moves *moves) noexcept nogil:
    """List the candidates with their scores.

    history, replies: counts by point, for the side to move; replies may be NULL.
    """
    cdef int[MAX_POINTS] scores
    cdef int i, k, n = 0, point, from_centre
    cdef uint64_t word
    for i in range(board.words):
        word = candidates[i]
        while word:
            point = i * 64 + lowest(word)
            word &= word - 1
            from_centre = (abs(2 * column(board, point) + 1 - board.width)
                           + abs(2 * row(board, point) + 1 - board.height))
            scores[point] = read_count(&history[point]) // 32 - from_centre
            if replies != NULL:
                scores[point] += read_count(&replies[point]) // 32
            moves.points[n] = point
            n += 1
    moves.n = n
    for k in range(CLASSES):
        add_worth(board, candidates, own.of[k], OWN_WORTH[k], scores)
        add_worth(board, candidates, opp.of[k], OPP_WORTH[k], scores)
    for i in range(n):
        moves.scores[i] = scores[moves.points[i]]
