# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, nonecheck=False, overflowcheck=False
"""Margins: the numbers by which the search reduces, prunes and extends, all in one place.

Each was chosen by games: docs/strength.md says which were tried. scripts/tune.py tries others.
"""

from libc.math cimport log

DEFAULTS = Margins(
    window=25,
    reduction=0, reduction_slope=175, root_tried=12, root_tried_linear=6, root_moves=4, idle_four=2,
    futility=60, futility_depth=7,
    razor=200, razor_depth=2,
    move_futility=60, move_futility_depth=3,
    moves=200, moves_linear=100, moves_square=30, moves_depth=6,
    singular_depth=5, singular_margin=15,
    killer=150, second_killer=100,
)


cdef void fill_reductions(const Margins *margins, Reductions *reductions) noexcept:
    """Work out by how much the moves after the second are searched less deep."""
    cdef int depth, n
    for depth in range(1, MOST_COUNTED + 1):
        for n in range(1, MOST_COUNTED + 1):
            reductions.of[depth][n] = <int> (
                margins.reduction / 100. + log(depth) * log(n) * 100 / margins.reduction_slope)


def defaults():
    """Return the margins that the search uses, by name."""
    return DEFAULTS
