"""Prospects: whether there may be a win by continuous fours at all."""

from .planes cimport Board

cdef bint may_win(const Board *board, int attacker) noexcept nogil
