"""C types and limits shared by the kernel; no logic."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    BLACK = 0
    WHITE = 1

    PAD = 6                 # zero rows above and below a plane; a line is looked at 5 steps far
    PLANE_ROWS = 36         # PAD + 24 + PAD rows of 32 bits; 16-bit rows use the first 28 halves
    MAP_WORDS = 12          # 24 rows of 32 bits; 16 rows of 16 bits use the first 4 words
    MAX_POINTS = 768        # point = y << shift | x; shift is 4 up to 16 x 16, else 5
    MAX_EMPTY = 484         # 22 x 22
    NO_POINT = -1
    LINES = 43              # diagonals of 22 x 22; rows and columns are fewer
    MIDDLE = 6              # bit of the looked-at point in 13 points of a line

    # What a five is, per colour: a sum.
    EXACT = 1               # overlines do not win
    CLOSED = 2              # a five closed at both ends by the opponent does not count

    # Maps of points by what a stone of one colour would make there, see planes.pyx. The plural: in
    # at least two directions.
    FIVE = 0
    FOUR = 1
    FOURS = 2
    OPEN_FOUR = 3
    THREE = 4
    THREES = 5
    TWO = 6
    TWOS = 7
    CLOSED_THREE = 8
    CLOSED_THREES = 9
    # By the best a direction has: a three, but no four; then a two or a closed three, no better.
    LONE_THREE = 10
    LONE_THREES = 11
    LESSER = 12
    LESSERS = 13
    THREE_LESSERS = 14      # in at least three directions
    LESSER_CLOSED = 15      # that holds a closed three
    CLASS_MAPS = 16

    # Values, from the view of the side to move; all fit int16. A win in n plies is WIN - n.
    WIN = 30000
    PROVEN = 29000          # |value| beyond this: a proven win or loss
    DOUBTFUL = 20000        # |value| from here to PROVEN: lost against every move tried, not proven
    MAX_VALUE = 10000       # largest static value
    INFINITE = 32000

    MAX_PLY = 250           # deepest node of a search
