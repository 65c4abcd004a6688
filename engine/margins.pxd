# cython: language_level=3
"""Margins: the numbers by which the search reduces, prunes and extends, all in one place."""

cdef enum:
    MOST_COUNTED = 63       # depths and numbers of moves beyond count as this

cdef struct Margins:
    int window              # half the window around the last value, from depth 4 on
    int reduction           # hundredths of a ply that every late move is searched less deep
    int reduction_slope     # hundredths: what ln depth times ln number is divided by
    int root_tried          # moves tried at the root at least, up to moves_depth: a constant
    int root_tried_linear   # and times the depth
    int root_moves          # at the root only moves after so many are searched less deep
    int idle_four           # plies more for a four that makes nothing else
    int futility            # value above beta a ply of depth at which a node is not searched
    int futility_depth      # plies; above that it is searched all the same
    int razor               # the same below alpha
    int razor_depth
    int move_futility       # value below alpha a ply of depth at which a quiet move is not tried
    int move_futility_depth
    int moves               # hundredths of a move tried at least, by depth: a constant,
    int moves_linear        # times the depth,
    int moves_square        # times its square
    int moves_depth         # plies; above that all moves are tried
    int singular_depth      # plies from which on the table's move is held against the others
    int singular_margin     # quarters of a value a ply that they must fall short of it
    int killer              # added to the score of the killers in the order of moves
    int second_killer

cdef Margins DEFAULTS

cdef struct Reductions:
    int of[MOST_COUNTED + 1][MOST_COUNTED + 1]  # plies, by depth and by the number of the move

cdef void fill_reductions(const Margins *margins, Reductions *reductions) noexcept


cdef inline int late(const Reductions *reductions, int depth, int n) noexcept nogil:
    """By how many plies the n-th move is searched less deep, as a start."""
    return reductions.of[min(depth, MOST_COUNTED)][min(n, MOST_COUNTED)]
