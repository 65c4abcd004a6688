# cython: language_level=3
"""Static values that are remembered, of positions in which the mover has no win by fours.

Iterations come to the same positions again and again, and most of their nodes end with the static
value: it is kept here, a word a position, and not in the transposition table, where it would take
the place of what was searched. Each thread has its own.
"""

from libc.string cimport memset

from .typedefs cimport MAX_VALUE, uint64_t

cdef enum:
    VALUES = 1 << 15            # positions, by the low bits of their keys: a quarter of a megabyte
    VALUE_BITS = 18             # of a word: the value and two flags; the others are the key's
    REMEMBERED = 1              # in every word that was written
    THREATENED = 2              # whether the opponent could make an open four or a double four


cdef inline void forget_values(uint64_t *values) noexcept nogil:
    """Forget all of them."""
    memset(values, 0, VALUES * sizeof(uint64_t))


cdef inline bint recall(const uint64_t *values, uint64_t key, int *value,
                        bint *threatened) noexcept nogil:
    """Read what is known of a position; whether anything is."""
    cdef uint64_t word = values[key & (VALUES - 1)]
    if (word ^ key) >> VALUE_BITS or not word & REMEMBERED:
        return False
    value[0] = <int> (word >> 2 & 0xFFFF) - MAX_VALUE
    threatened[0] = (word & THREATENED) != 0
    return True


cdef inline void remember(uint64_t *values, uint64_t key, int value,
                          bint threatened) noexcept nogil:
    """Keep what is known of a position, in the place of another."""
    values[key & (VALUES - 1)] = (key >> VALUE_BITS << VALUE_BITS
                                  | <uint64_t> (value + MAX_VALUE) << 2
                                  | (THREATENED if threatened else 0) | REMEMBERED)
