"""Df-pn: proves or disproves that a side wins, against every reply."""

from .planes cimport Board
from .threats cimport MAX_LINE, Solver
from .typedefs cimport MAP_WORDS, MAX_EMPTY, int16_t, int64_t, uint16_t, uint32_t, uint64_t

cdef enum:
    ENDLESS = 1_000_000_000     # the number of what is settled
    BUCKET = 4                  # entries of a bucket

cdef struct Entry:              # 24 bytes
    uint64_t key                # of stones, side to move and what is asked
    uint32_t proof              # proof number: 0 proven, ENDLESS disproven
    uint32_t disproof           # disproof number
    uint32_t work               # positions below it; 0: the entry is empty
    int16_t point               # the attacker's move of a proven position, or NO_POINT

cdef struct Passed:             # what a pass is worth in a position, kept because it takes long
    uint64_t key
    int opposed                 # the solver's word on fours of the side not to move
    int plies                   # of that win, from its first four
    uint64_t[MAP_WORDS] stops   # where a stone may stop it

cdef struct Frame:              # what a position keeps while it is searched, by ply
    int n                       # moves
    int16_t[MAX_EMPTY] points
    uint32_t[MAX_EMPTY] proofs
    uint32_t[MAX_EMPTY] disproofs
    int opposed                 # the solver's word on fours of the side not to move, if we pass

cdef struct Hunt:               # one question: does the attacker win?
    Board board
    Solver solver
    Entry *entries
    Frame *frames
    Passed *passed
    bint writing                # a line is wanted with each answer: nothing is taken from passed
    uint64_t mask               # buckets - 1
    uint64_t salt               # of rules, attacker and what is asked
    int attacker
    int plies                   # he has so many from the root, his five included
    bint threats                # he plays nothing but fours and threats of fours
    int budget                  # nodes of a solver call
    int stopped                 # set by anyone: give up at once
    volatile int64_t hard_ns    # monotonic time at which to give up
    volatile long long nodes    # positions expanded
    long long node_limit        # nodes of this and of the solver at which to give up
    volatile uint32_t proof     # the root's numbers, as far as they are known
    volatile uint32_t disproof
    uint64_t used               # entries
    uint64_t lost               # entries that had to make room
    bint full                   # whether so many were lost that there is no use in going on
    int[MAX_LINE] line          # of fours, by which the last position expanded is won
    int length                  # 0: none
