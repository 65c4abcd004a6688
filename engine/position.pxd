"""Position: the Python face of a board."""

from .planes cimport Board
from .typedefs cimport uint64_t

cdef class Position:
    cdef Board board            # the stones; search copies it
    cdef int mover              # whose turn it is: BLACK or WHITE
    cdef object _rules
    cdef list _order            # (x, y, colour) in order of play
    cdef frozenset _walls
    cdef Py_ssize_t _set_up     # how many stones were there before the first play
    cdef object _foul           # Illegal of the last stone, or None
    cdef object _result         # Result, or None: to be worked out
    cdef uint64_t _salt         # rules and walls, mixed into the key
    cdef object _judge(self, bint everywhere)
    cdef object _foul_at(self, int point)
    cdef tuple _five_through(self, int x, int y, int colour)
