# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Static value: counts of points by class, through a small perceptron of integers.

Integers throughout, so that every compiler and processor gives the same value: inputs are counts,
capped; weights int16; sums int32; each hidden layer is cut below at 0, divided by 2**SHIFT and cut
above. The weights come from scripts/fit.py and lie in engine/weights.
"""

from .planes cimport ClassMaps, bits, class_maps
from .position cimport Position
from .typedefs cimport (
    FOUR, FOURS, LESSER, LESSERS, LESSER_CLOSED, LONE_THREE, LONE_THREES, MAX_VALUE, OPEN_FOUR,
    THREE_LESSERS, int16_t, int32_t, uint64_t,
)

cdef enum:
    MOST = 40           # a count is cut here
    MOST_FOURS = 6      # and that of plain fours, which are soon only in the way
    SHIFT = 6           # weights and activations carry 6 bits of fraction
    CEILING = 2047      # an activation is cut here


cdef void classify(const Board *board, const ClassMaps *maps, PointClasses *classes) noexcept nogil:
    """Sort the points of a colour's class maps into classes: each point has its best one only."""
    cdef int i
    cdef uint64_t rest, four, three, one, two, closed
    for i in range(board.words):
        four = maps.of[FOUR][i]
        three = maps.of[LONE_THREE][i]
        one = maps.of[LESSER][i]
        two = maps.of[LESSERS][i]
        closed = maps.of[LESSER_CLOSED][i]
        classes.of[WINNING][i] = maps.of[OPEN_FOUR][i] | maps.of[FOURS][i]
        rest = ~classes.of[WINNING][i]
        classes.of[FOUR_THREE][i] = rest & four & three
        rest &= ~(four & three)
        classes.of[DOUBLE_THREE_POINT][i] = rest & maps.of[LONE_THREES][i]
        rest &= ~maps.of[LONE_THREES][i]
        classes.of[FOUR_MOST][i] = rest & four & two
        classes.of[FOUR_MORE][i] = rest & four & one & ~two
        classes.of[PLAIN_FOUR][i] = rest & four & ~one
        rest &= ~four
        classes.of[THREE_MOST][i] = rest & three & two
        classes.of[THREE_MORE][i] = rest & three & one & ~two
        classes.of[PLAIN_THREE][i] = rest & three & ~one
        rest &= ~three
        classes.of[MANY_LESSERS][i] = rest & maps.of[THREE_LESSERS][i]
        rest &= ~maps.of[THREE_LESSERS][i]
        classes.of[TWO_LESSERS][i] = rest & two & closed
        classes.of[TWO_TWOS][i] = rest & two & ~closed
        rest &= ~two
        classes.of[CLOSED][i] = rest & closed
        classes.of[PLAIN_TWO][i] = rest & one & ~closed


cdef void count_classes(const Board *board, const PointClasses *own, const PointClasses *opp,
                        int16_t *inputs) noexcept nogil:
    """Fill the INPUTS inputs of the network; own is the side to move's."""
    cdef int k, i, mine, theirs
    for k in range(CLASSES):
        mine = theirs = 0
        for i in range(board.words):
            mine += bits(own.of[k][i])
            theirs += bits(opp.of[k][i])
        inputs[k] = <int16_t> min(mine, MOST)
        inputs[CLASSES + k] = <int16_t> min(theirs, MOST)
    inputs[PLAIN_FOUR] = <int16_t> min(inputs[PLAIN_FOUR], MOST_FOURS)
    inputs[CLASSES + PLAIN_FOUR] = <int16_t> min(inputs[CLASSES + PLAIN_FOUR], MOST_FOURS)
    for k in range(2 * CLASSES, INPUTS):
        inputs[k] = 0


cdef int network_value(const Network *network, const int16_t *inputs) noexcept nogil:
    """Return the static value for the side to move, up to +-MAX_VALUE; 200 is odds of e to 1."""
    cdef int16_t[HIDDEN] a
    cdef int16_t[HIDDEN] b
    cdef int32_t total
    cdef int i, j
    for i in range(HIDDEN):
        total = network.first_bias[i]
        for j in range(INPUTS):
            total += <int32_t> network.first[i][j] * inputs[j]
        a[i] = <int16_t> min(max(total, 0), CEILING)
    for i in range(HIDDEN):
        total = network.second_bias[i]
        for j in range(HIDDEN):
            total += <int32_t> network.second[i][j] * a[j]
        b[i] = <int16_t> min(max(total, 0) >> SHIFT, CEILING)
    total = network.third_bias
    for i in range(HIDDEN):
        total += <int32_t> network.third[i] * b[i]
    return min(max(total >> SHIFT, -MAX_VALUE), MAX_VALUE)


cdef int load_network(Network *network, object weights) except -1:
    """Copy weights into a network; ValueError if a layer has not the shape it must have.

    weights: a mapping of first (HIDDEN x INPUTS), first_bias, second, second_bias, third and
    third_bias, integers of 16 bits (biases 32).
    """
    cdef int i, j
    layers = ("first", "first_bias", "second", "second_bias", "third")
    shapes = [len(weights[name]) for name in layers]
    if shapes != [HIDDEN] * 5:
        raise ValueError(f"layers must have {HIDDEN} units, not {shapes}")
    for i in range(HIDDEN):
        if len(weights["first"][i]) != INPUTS or len(weights["second"][i]) != HIDDEN:
            raise ValueError("a unit has the wrong number of inputs")
        for j in range(INPUTS):
            network.first[i][j] = weights["first"][i][j]
        for j in range(HIDDEN):
            network.second[i][j] = weights["second"][i][j]
        network.first_bias[i] = weights["first_bias"][i]
        network.second_bias[i] = weights["second_bias"][i]
        network.third[i] = weights["third"][i]
    network.third_bias = weights["third_bias"]
    return 0


def inputs_of(Position position not None):
    """Return the network's inputs for a position: INPUTS counts, the side to move's first."""
    cdef ClassMaps maps
    cdef PointClasses own, opp
    cdef int16_t[INPUTS] inputs
    cdef int i
    class_maps(&position.board, position.mover, &maps)
    classify(&position.board, &maps, &own)
    class_maps(&position.board, 1 - position.mover, &maps)
    classify(&position.board, &maps, &opp)
    count_classes(&position.board, &own, &opp, inputs)
    return [inputs[i] for i in range(INPUTS)]


def value_of(weights, inputs):
    """Return the static value that a network with these weights gives these INPUTS inputs."""
    cdef Network network
    cdef int16_t[INPUTS] numbers
    cdef int i
    load_network(&network, weights)
    for i in range(INPUTS):
        numbers[i] = inputs[i]
    return network_value(&network, numbers)
