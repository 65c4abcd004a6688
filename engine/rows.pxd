"""The class maps without vectors: the reference for planes."""

from .planes cimport Board, ClassMaps

cdef void portable_class_maps(const Board *board, int colour, ClassMaps *maps) noexcept nogil
