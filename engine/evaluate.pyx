# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Static value: counts of points by class, through a small perceptron of integers.

Integers throughout, so that every compiler and processor gives the same value: inputs are counts,
capped; weights int16; sums int32; each hidden layer is cut below at 0, divided by 2**SHIFT and cut
above. The weights come from scripts/fit.py and lie in engine/weights.
"""

from libc.string cimport memcpy

from .planes cimport (
    ALL_BANDS, Board, ClassMaps, at16, bands_near, bits, node_maps, point_at, put, renew_maps,
    store16, v16,
)
from .position cimport Position
from .typedefs cimport (
    FOUR, FOURS, LESSER, LESSERS, LESSER_CLOSED, LONE_THREE, LONE_THREES, MAX_VALUE, OPEN_FOUR,
    THREE_LESSERS, int16_t, int32_t,
)

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <immintrin.h>
    #endif

    #if defined(__AVX512BW__)
    #define SHISAN_UNITS 16
    #else
    #define SHISAN_UNITS 8
    #endif
    typedef int32_t shisan_sums __attribute__((vector_size(4 * SHISAN_UNITS)));

    /* Of so many units, each one's weight of a and the next of b, times these; ab: both. */
    static inline __attribute__((always_inline)) shisan_sums shisan_pair(const int16_t *weights,
                                                                         int32_t ab) {
        shisan_sums w;
        memcpy(&w, weights, sizeof w);
    #if defined(__AVX512BW__)
        w = (shisan_sums)_mm512_madd_epi16((__m512i)w, _mm512_set1_epi32(ab));
    #elif defined(__AVX2__)
        w = (shisan_sums)_mm256_madd_epi16((__m256i)w, _mm256_set1_epi32(ab));
    #elif defined(__SSE2__)
        __m128i half[2];
        memcpy(half, &w, sizeof half);
        half[0] = _mm_madd_epi16(half[0], _mm_set1_epi32(ab));
        half[1] = _mm_madd_epi16(half[1], _mm_set1_epi32(ab));
        memcpy(&w, half, sizeof half);
    #else
        w = ((w << 16) >> 16) * (int16_t)ab + (w >> 16) * (ab >> 16);
    #endif
        return w;
    }

    /* Add to the sums of 32 units what n inputs give them, two inputs at a time. */
    static inline void shisan_feed(int32_t *sums, const int16_t *weights, const int16_t *inputs,
                                   int n) {
        shisan_sums s[32 / SHISAN_UNITS];
        int32_t ab;
        int i, k;
        memcpy(s, sums, sizeof s);
    #pragma GCC unroll 1     /* else products fill the registers long before they are added */
        for (i = 0; i < n; i += 2, weights += 64) {
            memcpy(&ab, inputs + i, sizeof ab);
            for (k = 0; k < 32 / SHISAN_UNITS; k++)
                s[k] += shisan_pair(weights + 2 * SHISAN_UNITS * k, ab);
        }
        memcpy(sums, s, sizeof s);
    }
    """
    void feed "shisan_feed"(int32_t *sums, const int16_t *weights, const int16_t *inputs,
                            int n) noexcept nogil

cdef enum:
    MOST = 40           # a count is cut here
    MOST_FOURS = 6      # and that of plain fours, which are soon only in the way
    SHIFT = 6           # weights and activations carry 6 bits of fraction
    CEILING = 2047      # an activation is cut here


cdef inline void classify_words(const ClassMaps *maps, int i, PointClasses *classes) noexcept nogil:
    """Classify the points of four words of each map, those from i on."""
    cdef v16 four = at16(maps.of[FOUR] + i, 0, 0, 0)
    cdef v16 three = at16(maps.of[LONE_THREE] + i, 0, 0, 0)
    cdef v16 threes = at16(maps.of[LONE_THREES] + i, 0, 0, 0)
    cdef v16 one = at16(maps.of[LESSER] + i, 0, 0, 0)
    cdef v16 two = at16(maps.of[LESSERS] + i, 0, 0, 0)
    cdef v16 many = at16(maps.of[THREE_LESSERS] + i, 0, 0, 0)
    cdef v16 closed = at16(maps.of[LESSER_CLOSED] + i, 0, 0, 0)
    cdef v16[CLASSES] found
    cdef v16 rest
    cdef int k
    found[WINNING] = at16(maps.of[OPEN_FOUR] + i, 0, 0, 0) | at16(maps.of[FOURS] + i, 0, 0, 0)
    rest = ~found[WINNING]
    found[FOUR_THREE] = rest & four & three
    rest &= ~(four & three)
    found[DOUBLE_THREE_POINT] = rest & threes
    rest &= ~threes
    found[FOUR_MOST] = rest & four & two
    found[FOUR_MORE] = rest & four & one & ~two
    found[PLAIN_FOUR] = rest & four & ~one
    rest &= ~four
    found[THREE_MOST] = rest & three & two
    found[THREE_MORE] = rest & three & one & ~two
    found[PLAIN_THREE] = rest & three & ~one
    rest &= ~three
    found[MANY_LESSERS] = rest & many
    rest &= ~many
    found[TWO_LESSERS] = rest & two & closed
    found[TWO_TWOS] = rest & two & ~closed
    rest &= ~two
    found[CLOSED] = rest & closed
    found[PLAIN_TWO] = rest & one & ~closed
    for k in range(CLASSES):
        store16(classes.of[k] + i, found[k])
    # The classes whose number, and 1, has the bit.
    store16(classes.codes[0] + i, found[0] | found[2] | found[4] | found[6] | found[8]
            | found[10] | found[12])
    store16(classes.codes[1] + i, found[1] | found[2] | found[5] | found[6] | found[9]
            | found[10] | found[13])
    store16(classes.codes[2] + i, found[3] | found[4] | found[5] | found[6] | found[11]
            | found[12] | found[13])
    store16(classes.codes[3] + i, found[7] | found[8] | found[9] | found[10] | found[11]
            | found[12] | found[13])


cdef void classify(const Board *board, const ClassMaps *maps, PointClasses *classes) noexcept nogil:
    """Sort the points of a colour's class maps into classes: each point has its best one only."""
    reclassify(board, maps, ALL_BANDS, NULL, classes)


cdef void reclassify(const Board *board, const ClassMaps *maps, int bands,
                     const PointClasses *before, PointClasses *classes) noexcept nogil:
    """The same where only these bands have changed since the classes before."""
    cdef int i, k
    for i in range(board.words // 4):
        if bands >> i & 1:
            classify_words(maps, 4 * i, classes)
            continue
        for k in range(CLASSES):
            memcpy(classes.of[k] + 4 * i, before.of[k] + 4 * i, sizeof(v16))
        for k in range(CODE_BITS):
            memcpy(classes.codes[k] + 4 * i, before.codes[k] + 4 * i, sizeof(v16))


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


cdef inline void layer(const int16_t *weights, const int32_t *bias, const int16_t *inputs,
                       int n, int shift, int16_t *outputs) noexcept nogil:
    """Work out a hidden layer from n inputs, for all units at once: nothing is summed across lanes.

    weights: n // 2 x HIDDEN x 2.
    """
    cdef int32_t[HIDDEN] sums
    cdef int i
    memcpy(sums, bias, sizeof(sums))
    feed(sums, weights, inputs, n)
    for i in range(HIDDEN):
        outputs[i] = <int16_t> min(max(sums[i], 0) >> shift, CEILING)


cdef int network_value(const Network *network, const int16_t *inputs) noexcept nogil:
    """Return the static value for the side to move, up to +-MAX_VALUE; 200 is odds of e to 1."""
    cdef int16_t[HIDDEN] a
    cdef int16_t[HIDDEN] b
    cdef int32_t total
    cdef int i
    layer(&network.first[0][0][0], network.first_bias, inputs, INPUTS, 0, a)
    layer(&network.second[0][0][0], network.second_bias, a, HIDDEN, SHIFT, b)
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
            network.first[j // 2][i][j % 2] = weights["first"][i][j]
        for j in range(HIDDEN):
            network.second[j // 2][i][j % 2] = weights["second"][i][j]
        network.first_bias[i] = weights["first_bias"][i]
        network.second_bias[i] = weights["second_bias"][i]
        network.third[i] = weights["third"][i]
    network.third_bias = weights["third_bias"]
    return 0


cdef void classify_both(Position position, PointClasses *own, PointClasses *opp) noexcept:
    """Sort the points of a position for the side to move and for the other."""
    cdef ClassMaps maps
    node_maps(&position.board, position.mover, &maps)
    classify(&position.board, &maps, own)
    node_maps(&position.board, 1 - position.mover, &maps)
    classify(&position.board, &maps, opp)


def inputs_of(Position position not None):
    """Return the network's inputs for a position: INPUTS counts, the side to move's first."""
    cdef PointClasses own, opp
    cdef int16_t[INPUTS] inputs
    cdef int i
    classify_both(position, &own, &opp)
    count_classes(&position.board, &own, &opp, inputs)
    return [inputs[i] for i in range(INPUTS)]


def classes_of(Position position not None):
    """Return the class for the side to move and for the other of each empty point that has one.

    By point, (x, y); None: none for that side.
    """
    cdef PointClasses own, opp
    classify_both(position, &own, &opp)
    return by_point(position, &own, &opp)


cdef object by_point(Position position, const PointClasses *own, const PointClasses *opp):
    """The classes of the points that have any, as classes_of returns them."""
    cdef int point, mine, theirs
    found = {}
    for point in range(64 * position.board.words):
        mine = code_at(own, point >> 6, point & 63)
        theirs = code_at(opp, point >> 6, point & 63)
        if mine or theirs:
            found[position._xy(point)] = mine - 1 if mine else None, theirs - 1 if theirs else None
    return found


def classes_after(Position position not None, points):
    """Return what classes_of returns after stones at these points, both sides in turn.

    Worked out from the classes before them, as the tree does from move to move.
    """
    cdef ClassMaps maps, later
    cdef PointClasses before
    cdef PointClasses[2] classes
    cdef Board board = position.board
    cdef int side = position.mover, bands = 0, colour
    for x, y in points:
        put(&board, side, point_at(&board, x, y))
        bands |= bands_near(&board, point_at(&board, x, y))
        side = 1 - side
    for colour in range(2):
        node_maps(&position.board, colour, &maps)
        classify(&position.board, &maps, &before)
        renew_maps(&board, colour, bands, &maps, &later)
        reclassify(&board, &later, bands, &before, &classes[colour])
    return by_point(position, &classes[side], &classes[1 - side])


def value_of(weights, inputs):
    """Return the static value that a network with these weights gives these INPUTS inputs."""
    cdef Network network
    cdef int16_t[INPUTS] numbers
    cdef int i
    load_network(&network, weights)
    for i in range(INPUTS):
        numbers[i] = inputs[i]
    return network_value(&network, numbers)
