"""Black's forbidden points: exact double three, double four and overline."""

from .planes cimport Board
from .typedefs cimport uint64_t

cdef enum:
    LEGAL = 0
    OVERLINE = 1
    DOUBLE_FOUR = 2
    DOUBLE_THREE = 3

cdef struct Shape:              # 13 points of a line, the looked-at one at bit MIDDLE
    unsigned int own
    unsigned int opp
    unsigned int empty

cdef void shape_of(const Board *board, int colour, int point, int direction,
                   Shape *shape) noexcept nogil
cdef bint makes_five(const Board *board, int colour, int point) noexcept nogil
cdef int closers(const Board *board, int colour, int point, int *points) noexcept nogil
cdef int completions(const Board *board, int point, int direction, int *points) noexcept nogil
cdef int four_points(const Shape *shape, int kind, int *steps) noexcept nogil
cdef bint completes(Board *board, int point) noexcept nogil
cdef int forbidden_kind(Board *board, int point) noexcept nogil
cdef void suspect_map(const Board *board, uint64_t *suspects) noexcept nogil
cdef void forbidden_map(Board *board, uint64_t *forbidden) noexcept nogil
cdef bint black_has_legal_point(Board *board) noexcept nogil
