"""Static value: an integer function of how many points have which class, for both sides."""

from .planes cimport Board, ClassMaps
from .typedefs cimport MAP_WORDS, int16_t, int32_t, uint64_t

cdef enum:
    CLASSES = 11        # classes of a point for one colour, each point in at most one
    INPUTS = 24         # CLASSES for the side to move, CLASSES for the opponent, two spare
    HIDDEN = 32

cdef enum:              # the classes, best first
    WINNING = 0         # an open four, or fours in two directions
    FOUR_THREE = 1
    DOUBLE_THREE_POINT = 2
    FOUR_MORE = 3       # a four, and a two or a closed three
    PLAIN_FOUR = 4
    THREE_MORE = 5      # a three, and a two or a closed three
    PLAIN_THREE = 6
    TWO_TWOS = 7
    TWO_MORE = 8        # a two, and a closed three
    PLAIN_TWO = 9
    CLOSED = 10         # a closed three

cdef struct PointClasses:
    uint64_t of[CLASSES][MAP_WORDS]

cdef struct Network:                    # a perceptron with two hidden layers
    int16_t[HIDDEN][INPUTS] first
    int32_t[HIDDEN] first_bias
    int16_t[HIDDEN][HIDDEN] second
    int32_t[HIDDEN] second_bias
    int16_t[HIDDEN] third
    int32_t third_bias

cdef void classify(const Board *board, const ClassMaps *maps, PointClasses *classes) noexcept nogil
cdef void count_classes(const Board *board, const PointClasses *own, const PointClasses *opp,
                        int16_t *inputs) noexcept nogil
cdef int network_value(const Network *network, const int16_t *inputs) noexcept nogil
cdef int load_network(Network *network, object weights) except -1
