# cython: language_level=3
"""Tactics: what a node knows before its moves are tried."""

from .frames cimport Frame, Tree
from .typedefs cimport uint64_t

cdef void prepare(Tree *tree, Frame *frame, int side) noexcept nogil
cdef bint may_play(Tree *tree, Frame *frame, int side, int point) noexcept nogil
cdef int lost(Tree *tree, int side, int ply) noexcept nogil
cdef void candidates(Tree *tree, Frame *frame, int side, bint threatened,
                     uint64_t *points) noexcept nogil
cdef bint threat(Tree *tree, Frame *frame, int side, long long budget) noexcept nogil
cdef void look(Tree *tree, Frame *frame, uint64_t key, int side, int ply,
               long long budget) noexcept nogil
cdef bint leaves_threat(Tree *tree, Frame *frame, int side, int point) noexcept nogil
cdef bint only_delays(Tree *tree, Frame *frame, int side, int point) noexcept nogil
