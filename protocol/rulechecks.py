"""Checks that a brain plays by the rule it is told: the organisers' kind of positions.

Each position forces the answer, as far as the plain rules see it: a five to be made, or the
opponent's to be stopped, where a brain that plays by another rule would do something else.
"""

from collections.abc import Callable
from typing import Final

from shisan.engine import Point, Rules

from .checkbench import Bench
from .checkboards import (
    RULES,
    Board,
    closed_or_defend,
    fork,
    own_five,
    six_or_defend,
    threat,
    white_six,
)
from .conformance import CheckFailed, Found, Group, NotSupported

RULE: Final = Group("rules")

_REFUSED: Final = ("error", "unknown")


def _defends(bench: Bench, rule: int, made: Board) -> Found:
    """Its answer is none that loses or misses a win at once; 0.3 s, in a full run 1 s, twice."""
    with bench.talk() as talk:
        for _ in range(2 if bench.full else 1):
            turn = 1000 if bench.full else 300
            talk.start(made.rules.width, f"INFO rule {rule}", turn=turn)
            answer = talk.ask(*made.lines(), wanted="move")
            if answer.kind in _REFUSED:
                raise NotSupported(f"{answer.text[:60]!r} under INFO rule {rule}")
            problem = made.why_not(answer.point)
            if problem:
                raise CheckFailed(problem)
    return Found(answer.text)


Make = Callable[[Rules], Board]


def _register() -> None:
    """The positions that are meant for each rule."""
    exact = Rules.caro(exact=True)
    positions: list[tuple[str, str, int, Rules, Make, tuple[int, ...]]] = [
        (f"{what}-{name}", title.format(name), number, rules(), make, items)
        for what, title, make, items in (
            ("defend", "An obvious threat is met under {}", threat, (43,)),
            ("five", "An own five is made under {}", own_five, (41,)),
        )
        for name, (number, rules) in RULES.items()
    ]
    positions += [
        ("six-standard", "Standard: it defends and makes no six", 1, Rules.standard(),
         six_or_defend, (41, 43)),
        ("closed-caro", "Caro: it defends and makes no five closed at both ends", 8, Rules.caro(),
         closed_or_defend, (41, 43)),
        ("closed-caro-9", "Caro with exactly five (rule 9): the same", 9, exact,
         closed_or_defend, (41, 43)),
        ("six-caro-9", "Caro with exactly five (rule 9): it makes no six", 9, exact,
         six_or_defend, (41,)),
        ("six-caro", "Caro: a six wins", 8, Rules.caro(), six_or_defend, (41,)),
        ("six-freestyle", "Freestyle: a six wins", 0, Rules.freestyle(), six_or_defend, (41,)),
        ("forbidden-renju", "Renju: it avoids the forbidden point", 4, Rules.renju(), fork, (43,)),
        ("black-six-renju", "Renju: Black defends and makes no six", 4, Rules.renju(),
         six_or_defend, (41, 43)),
        ("white-six-renju", "Renju: White's six wins", 4, Rules.renju(), white_six, (41,)),
    ]  # fmt: skip
    for what, title, number, rules, make, items in positions:
        board = make(rules)

        def position(bench: Bench, number: int = number, board: Board = board) -> Found:
            return _defends(bench, number, board)

        cost = {"GomocupJudge": "the organisers' test of rules fails"} if 43 in items else {}
        RULE.check(what, title, *items, cost={**_LOSES, **cost})(position)

    def wide(bench: Bench) -> Found:
        return _defends(bench, 0, threat(Rules.freestyle(20)))

    RULE.check("defend-freestyle-20", "An obvious threat is met on 20x20", 43, cost=_LOSES)(wide)


_LOSES: Final = {"all": "no line is wrong: the game is lost on the board"}
_register()


@RULE.check(
    "rule-early",
    "INFO rule before START holds as it does after",
    33,
    cost={
        "Yixin-Board": "sends it before START: another rule is played",
    },
)
def rule_early(bench: Bench) -> Found:
    """Standard: no six."""
    board = six_or_defend(Rules.standard())
    with bench.talk() as talk:
        talk.send("INFO rule 1")
        talk.start(turn=300)
        _check_early(talk.move(*board.lines()).point, board)
    return Found()


def _check_early(point: Point, board: Board) -> None:
    problem = board.why_not(point)
    if problem:
        raise CheckFailed(problem)


@RULE.check(
    "rule-change",
    "A new INFO rule holds in the next game of the process",
    12,
    41,
    cost={
        "c-gomoku-cli": "plays all games in one process: the rule of the game before is played",
    },
)
def rule_change(bench: Bench) -> Found:
    """Freestyle, where six wins; then standard, where it does not; then freestyle again."""
    with bench.talk() as talk:
        for number, rules in (
            (0, Rules.freestyle()),
            (1, Rules.standard()),
            (0, Rules.freestyle()),
        ):
            board = six_or_defend(rules)
            talk.start(15, f"INFO rule {number}", turn=300)
            _check_early(talk.move(*board.lines()).point, board)
    return Found()
