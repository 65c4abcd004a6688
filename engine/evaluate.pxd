"""Static value: an integer function of how many points have which class, for both sides."""

from .planes cimport Board, ClassMaps
from .typedefs cimport MAP_WORDS, int16_t, int32_t, uint64_t

cdef enum:
    CLASSES = 14        # classes of a point for one colour, each point in at most one
    INPUTS = 32         # CLASSES for the side to move, CLASSES for the opponent, four spare
    HIDDEN = 32

cdef enum:              # the classes, best first; a lesser is a two or a closed three
    WINNING = 0         # an open four, or fours in two directions
    FOUR_THREE = 1      # a four, and in another direction a three
    DOUBLE_THREE_POINT = 2
    FOUR_MOST = 3       # a four, and lessers in two directions
    FOUR_MORE = 4       # a four, and a lesser
    PLAIN_FOUR = 5
    THREE_MOST = 6      # a three, and lessers in two directions
    THREE_MORE = 7      # a three, and a lesser
    PLAIN_THREE = 8
    MANY_LESSERS = 9    # lessers in three directions
    TWO_LESSERS = 10    # lessers in two directions, a closed three among them
    TWO_TWOS = 11
    CLOSED = 12         # a closed three
    PLAIN_TWO = 13

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
