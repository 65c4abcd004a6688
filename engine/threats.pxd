"""VCF: wins by continuous fours."""

from .planes cimport Board
from .typedefs cimport uint64_t

cdef enum:
    REFUTED = 0         # no win by fours with one answer, whatever their number
    WON = 1
    SHORT = 2           # none within the number of moves allowed
    SPENT = 3           # the budget of nodes ran out
    MAX_FOURS = 120     # attacker's moves; a four and its answer fill two of at most 484 points
    MAX_LINE = 2 * MAX_FOURS + 2
    MAX_ANSWERS = 5     # points that stop a five: its own, and four that close it

cdef struct Solver:
    uint64_t *table             # refuted positions: key but for the low byte | moves refuted to
    uint64_t mask               # table entries - 1, a power of two less one
    long long nodes             # fours put on the board, ever
    long long visits            # positions whose fours were looked at, ever
    long long limit             # value of nodes at which to give up
    const int *stop             # gives up when this turns non-zero
    int length                  # of the line
    int[MAX_LINE] line          # of the last win: four, answer, four, ..., the unanswerable move

cdef int answers_to(Board *board, int attacker, int lowest, int fives, int *points) noexcept nogil
cdef int vcf(Solver *solver, Board *board, int attacker, long long budget, int step) noexcept nogil
cdef int vcf_from(Solver *solver, Board *board, int attacker, const uint64_t *four,
                  long long budget, int step) noexcept nogil
cdef int win_plies(const Solver *solver, Board *board, int attacker) noexcept nogil
cdef bint defences(Board *board, int attacker, const int *line, int length,
                   uint64_t *points) noexcept nogil
cdef bint still_wins(Board *board, int attacker, const int *line, int length) noexcept nogil
