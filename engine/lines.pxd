"""Fives and fours through one stone, read off the lines through it."""

from .planes cimport Board
from .typedefs cimport uint64_t

cdef int fives_through(const Board *board, int colour, int point, int *lowest) noexcept nogil
cdef void add_fours_through(const Board *board, int colour, int point,
                            uint64_t *four) noexcept nogil
cdef int fives_of(const Board *board, int colour, int last, int *lowest) noexcept nogil
