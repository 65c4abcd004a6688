# cython: language_level=3
"""The tree: alpha-beta below the root."""

from .frames cimport Frame, Tree

cdef void lead(Tree *tree, Frame *frame, int ply, int point) noexcept nogil
cdef int node(Tree *tree, int alpha, int beta, int depth, int ply) noexcept nogil
cdef int rest(Tree *tree, int alpha, int beta, int depth, int ply, int best) noexcept nogil
