# cython: language_level=3
"""Static value: an integer function of how many points have which class, for both sides."""

from .planes cimport Board, ClassMaps
from .typedefs cimport MAP_WORDS, int16_t, int32_t, uint64_t

cdef enum:
    CLASSES = 14        # classes of a point for one colour, each point in at most one
    CODE_BITS = 4       # of 0..CLASSES
    CODES = 16
    INPUTS = 32         # CLASSES for the side to move, CLASSES for the opponent, four spare
    INPUT_PAIRS = 16
    HIDDEN = 32
    HIDDEN_PAIRS = 16

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
    uint64_t codes[CODE_BITS][MAP_WORDS]    # bit by bit: of each point 1 more than its class, or 0


cdef inline int code_at(const PointClasses *classes, int i, int k) noexcept nogil:
    """The code of the point that is bit k of a map's word i."""
    return <int> ((classes.codes[0][i] >> k & 1) | (classes.codes[1][i] >> k & 1) << 1
                  | (classes.codes[2][i] >> k & 1) << 2 | (classes.codes[3][i] >> k & 1) << 3)


cdef struct Network:                    # a perceptron with two hidden layers
    int16_t[INPUT_PAIRS][HIDDEN][2] first   # of two inputs each, by the unit that they go to
    int32_t[HIDDEN] first_bias
    int16_t[HIDDEN_PAIRS][HIDDEN][2] second
    int32_t[HIDDEN] second_bias
    int16_t[HIDDEN] third
    int32_t third_bias

cdef void classify(const Board *board, const ClassMaps *maps, PointClasses *classes) noexcept nogil
cdef void reclassify(const Board *board, const ClassMaps *maps, int bands,
                     const PointClasses *before, PointClasses *classes) noexcept nogil
cdef void count_classes(const Board *board, const PointClasses *own, const PointClasses *opp,
                        int16_t *inputs) noexcept nogil
cdef int network_value(const Network *network, const int16_t *inputs) noexcept nogil
cdef int load_network(Network *network, object weights) except -1
