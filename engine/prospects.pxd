"""Prospects: which fours can matter to a win by continuous fours."""

from .planes cimport Board
from .typedefs cimport uint64_t

cdef bint prospects(const Board *board, int attacker, uint64_t *useful) noexcept nogil
