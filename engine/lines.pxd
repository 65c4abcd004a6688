"""Fives through one stone, read off the lines through it."""

from .planes cimport Board

cdef int fives_through(const Board *board, int colour, int point, int *lowest) noexcept nogil
cdef int fives_of(const Board *board, int colour, int last, int *lowest) noexcept nogil
