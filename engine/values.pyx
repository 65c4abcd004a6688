# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Static values that are remembered: the Python face, for tests."""

from libc.stdlib cimport calloc, free

from .typedefs cimport uint64_t


cdef class Values:
    """A memory of static values."""

    cdef uint64_t *values

    def __cinit__(self):
        self.values = <uint64_t *> calloc(VALUES, sizeof(uint64_t))
        if self.values == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.values)

    def remember(self, uint64_t key, int value, bint threatened):
        """Keep what is known of a key; value: +-MAX_VALUE."""
        remember(self.values, key, value, threatened)

    def recall(self, uint64_t key):
        """Return (value, threatened) of a key; None: nothing is known."""
        cdef int value
        cdef bint threatened
        if not recall(self.values, key, &value, &threatened):
            return None
        return value, bool(threatened)

    def forget(self):
        """Forget all of them."""
        forget_values(self.values)
