"""Checks of moves: every request answered once, by a legal move, under every rule."""

import random
import time
from typing import Final

from shisan.engine import ReferencePosition, Rules

from .checkbench import QUIET, TURN, Answer, Bench, Talk
from .checkboards import (
    RULES,
    Board,
    filled,
    fork,
    last_is_overline,
    near,
    shown,
    white_six,
    why_illegal,
)
from .conformance import CheckFailed, Found, Group, NotSupported
from .police import read_line

MOVES: Final = Group("moves")

_ILLEGAL: Final = {"Piskvork, GomocupJudge, c-gomoku-cli": "an illegal move: the game is lost"}
_TIME: Final = "no move: the game is lost on time"
_HANGS: Final = {"qpiskvork": "waits for ever", "pygomo-lib": "fails after its timeout"}
_REFUSED: Final = ("error", "unknown")


def _legal(answer: Answer, board: Board) -> None:
    problem = board.why_illegal(answer.point)
    if problem:
        raise CheckFailed(problem)


@MOVES.check(
    "begin",
    "BEGIN on an empty board is answered by a move",
    20,
    cost={**_HANGS, "Piskvork, c-gomoku-cli": _TIME},
)
def begin(bench: Bench) -> Found:
    """Inside the board; 15 and 20."""
    for size in (15, 20):
        with bench.talk() as talk:
            talk.start(size)
            answer = talk.move("BEGIN")
            _legal(answer, Board(Rules.freestyle(size), (), (), True))
    return Found()


@MOVES.check(
    "board-empty",
    "BOARD and DONE without stones is answered like BEGIN",
    22,
    cost={
        "GomocupJudge": "never sends BEGIN: the first move is lost on time",
        "Yixin-Board": "waits for ever",
    },
)
def board_empty(bench: Bench) -> Found:
    """As GomocupJudge opens a game."""
    with bench.talk() as talk:
        talk.start()
        _legal(talk.move("BOARD", "DONE"), Board(Rules.freestyle(), (), (), True))
    return Found()


@MOVES.check(
    "turn-first",
    "TURN right after START is answered, in corners too",
    21,
    cost={**_HANGS, "Piskvork": _TIME},
)
def turn_first(bench: Bench) -> Found:
    """The corners of 15, and one of 20, as the first stone of a game."""
    for size, corner in ((15, (0, 0)), (15, (14, 0)), (15, (0, 14)), (20, (19, 19))):
        with bench.talk() as talk:
            talk.start(size)
            answer = talk.move(f"TURN {shown(corner)}")
            _legal(answer, Board(Rules.freestyle(size), (), [corner], False))
    return Found()


@MOVES.check(
    "turn-bad",
    "TURN on an occupied or outside point gives one ERROR and leaves the board",
    21,
)
def turn_bad(bench: Bench) -> Found:
    """No manager does this; people who type do."""
    with bench.talk() as talk:
        talk.start()
        own = talk.move("TURN 7,7").point
        for words in (f"TURN {shown(own)}", "TURN 7,7", "TURN 15,3", "TURN -1,0", "TURN x"):
            talk.only(words, *_REFUSED)
        free = (3, 3) if own != (3, 3) else (3, 4)
        answer = talk.move(f"TURN {shown(free)}")
        _legal(answer, Board(Rules.freestyle(), [own], [(7, 7), free], False))
    return Found()


@MOVES.check(
    "board-replaces",
    "BOARD replaces the position without RESTART; TURN goes on",
    24,
    cost={
        "c-gomoku-cli": "with -sendbyboard every move comes so: an illegal move, or none",
        "GomocupJudge": "sends it after SWAP2BOARD",
        "Yixin-Board": "sends it at every change",
    },
)
def board_replaces(bench: Bench) -> Found:
    """The stones of the position before are free again, and those of the new one are there."""
    with bench.talk() as talk:
        talk.start()
        old = talk.move("TURN 7,7").point
        stones = [(2, 2), (3, 2), (2, 3)]
        board = Board(Rules.freestyle(), stones[1:2], [stones[0], stones[2]], False)
        answer = talk.move(*board.lines())
        _legal(answer, board)
        taken = {*stones, answer.point}
        free = next(p for p in (old, (7, 7), (11, 11)) if p not in taken)
        board = Board(board.rules, [*board.own, answer.point], [*board.other, free], black=False)
        _legal(talk.move(f"TURN {shown(free)}"), board)
    return Found()


@MOVES.check(
    "bad-list", "A bad line in a list gives one ERROR, after DONE, and the next command works", 25
)
def bad_list(bench: Bench) -> Found:
    """The list is consumed to its end, whatever is in it."""
    for bad in ("nonsense", "77,1,1", "BEGIN"):
        with bench.talk() as talk:
            talk.start()
            talk.send("BOARD", "2,2,2", bad, "3,3,1", "4,4,2")
            said = talk.quiet(QUIET + TURN / 1000)
            if said:
                raise CheckFailed(f"{said[0][:60]!r} within the list, after {bad!r}")
            talk.only("DONE", "error")
            talk.start()
            talk.move("TURN 7,7")
    return Found()


@MOVES.check("list-pieces", "A list that comes in pieces is waited for", 25)
def list_pieces(bench: Bench) -> Found:
    """Cut between and within lines, with pauses."""
    with bench.talk() as talk:
        talk.start()
        for piece in (b"BOA", b"RD\n7,7,2\n8,", b"8,1\n", b"6,8,2", b"\nDO"):
            talk.write(piece)
            time.sleep(0.05)
        said = talk.quiet(QUIET)
        if said:
            raise CheckFailed(f"{said[0][:60]!r} before DONE")
        at = talk.write(b"NE\n")
        answer = talk.answer("move", at)
        if answer is None or answer.kind != "move":
            raise CheckFailed(f"{'nothing' if answer is None else answer.text!r} after DONE")
        _legal(answer, Board(Rules.freestyle(), [(8, 8)], [(7, 7), (6, 8)], False))
    return Found()


@MOVES.check(
    "walls",
    "Points with field 3 are never played",
    26,
    cost={
        "Piskvork, qpiskvork": "in a continuous game: an illegal move",
    },
)
def walls(bench: Bench) -> Found:
    """All but two points are walls; then a five of walls, of which nobody wins."""
    rules = Rules.freestyle()
    points = [(x, y) for y in range(15) for x in range(15)]
    board = Board(rules, (), (), True, [p for p in points if p not in ((0, 13), (14, 3))])
    with bench.talk() as talk:
        talk.start()
        answer = talk.ask(*board.lines(), wanted="move")
        if answer.kind in _REFUSED:
            raise NotSupported(f"{answer.text[:60]!r} to a list with field 3")
        _legal(answer, board)
        board = Board(rules, [(3, 3)], [(9, 9), (4, 4)], False, [(x, 7) for x in range(5, 10)])
        answer = talk.move(*board.lines())
        _legal(answer, board)
    return Found()


@MOVES.check(
    "colour", "With as many stones of both it is Black, with one less White", 23, cost=_ILLEGAL
)
def colour(bench: Bench) -> Found:
    """Told by the double three, which only Black must avoid, and by White's six, which wins."""
    return _colour(bench, None)


@MOVES.check("colour-mixed", "That holds for a list in any order, too", 23)
def colour_mixed(bench: Bench) -> Found:
    """All managers send stones in the order of play; the protocol promises it for renju only."""
    _colour(bench, 1)
    return _colour(bench, 2)


def _colour(bench: Bench, seed: int | None) -> Found:
    for board in (fork(Rules.renju()), white_six(Rules.renju())):
        with bench.talk() as talk:
            talk.start(15, "INFO rule 4", turn=300)
            answer = talk.move(*board.lines(seed))
            problem = board.why_not(answer.point)
            if problem:
                raise CheckFailed(problem)
    return Found()


@MOVES.check(
    "one-answer",
    "Every request gets exactly one move",
    27,
    cost={
        "Piskvork, GomocupJudge, c-gomoku-cli, pygomo-lib": "the second one is read as the answer"
        " to the next request",
        "qpiskvork, Yixin-Board": "plays both",
    },
)
def one_answer(bench: Bench) -> Found:
    """BOARD, TURN and BEGIN in turn, each followed by silence; many more in a full run."""
    luck = random.Random(27)
    rounds = 100 if bench.full else 8
    with bench.talk() as talk:
        talk.start(turn=30)
        for number in range(rounds):
            x, y = luck.randrange(15), luck.randrange(15)
            lines = ["BOARD", f"{x},{y},2", "DONE"]
            answer = talk.move(*(["BEGIN"] if not number else lines))
            _silent(talk)
            free = next(p for p in ((0, 0), (14, 0), (0, 14)) if p not in ((x, y), answer.point))
            talk.move(f"TURN {shown(free)}")
            _silent(talk)
    return Found(f"{2 * rounds} requests", {"requests": 2 * rounds})


def _silent(talk: Talk) -> None:
    said = talk.quiet(0.05)
    if said:
        raise CheckFailed(f"{said[0][:60]!r} after the move")


@MOVES.check(
    "at-once",
    "A command right after a move is heard",
    27,
    cost={
        "c-gomoku-cli": "sends the next START at once: the game is lost on time",
        "Yixin-Board": "sends its queries at once: they are not answered",
    },
)
def at_once(bench: Bench) -> Found:
    """START, ten times, in the moment in which the move is read."""
    with bench.talk() as talk:
        talk.start()
        for number in range(10):
            at = talk.send("BOARD", "7,7,2", f"{number},0,1", "9,9,2", "DONE")
            answer = talk.answer("move", at)
            if answer is None or answer.kind != "move":
                raise CheckFailed("no move for BOARD right after OK")
            at = talk.send("START 15")
            answer = talk.answer("ok", at, 1.0)
            if answer is None or answer.kind != "ok":
                raise CheckFailed(
                    f"START sent right after move {number + 1} of 10 was not answered"
                )
            talk.send(f"INFO timeout_turn {TURN}")
    return Found()


@MOVES.check("last-point", "With one point left it is played; with none there is no move", 29)
def last_point(bench: Bench) -> Found:
    """224 stones and no five; then 225."""
    board = filled(Rules.freestyle(), [(14, 14)])
    with bench.talk() as talk:
        talk.start()
        _legal(talk.move(*board.lines()), board)
        talk.settle()
        lines = board.lines()
        talk.send(*lines[:-1], "14,14,2", "DONE")
        for text in talk.quiet(QUIET + TURN / 1000):
            if read_line(text, "move").kind == "move":
                raise CheckFailed(f"{text[:60]!r} on a board that is full")
        talk.start()
        talk.move("BOARD", "7,7,2", "DONE")
    return Found()


@MOVES.check("only-forbidden", "With only a forbidden point left there is still an answer", 28)
def only_forbidden(bench: Bench) -> Found:
    """It loses, but nothing hangs."""
    board = last_is_overline()
    with bench.talk() as talk:
        talk.start(15, "INFO rule 4")
        answer = talk.ask(*board.lines(), wanted="move")
        if answer.kind == "move":
            _legal(answer, board)
        talk.start(15, "INFO rule 4")
        talk.move("BOARD", "7,7,2", "DONE")
    return Found(answer.text[:20])


@MOVES.check(
    "takeback",
    "TAKEBACK of the last stones answers OK and gives the move back",
    30,
    cost={
        "Piskvork": "undoes by RESTART and BOARD instead",
        "pygomo-lib": "the call fails",
    },
)
def takeback(bench: Bench) -> Found:
    """Two stones back, then another move."""
    with bench.talk() as talk:
        talk.start()
        own = talk.move("TURN 7,7").point
        for point in (own, (7, 7)):
            answer = talk.ask(f"TAKEBACK {shown(point)}", wanted="ok")
            if answer.unknown:
                raise NotSupported(answer.text[:60])
            if answer.kind != "ok":
                raise CheckFailed(f"TAKEBACK {shown(point)} gave {answer.text[:60]!r}")
        other = own if own != (7, 7) else (8, 8)
        board = Board(Rules.freestyle(), (), [other], False)
        _legal(talk.move(f"TURN {shown(other)}"), board)
    return Found()


@MOVES.check("takeback-empty", "TAKEBACK of a point without a stone gives ERROR", 30)
def takeback_empty(bench: Bench) -> Found:
    """Some take back the last stone whatever the point is."""
    with bench.talk() as talk:
        talk.start()
        own = talk.move("TURN 7,7").point
        answer = talk.ask("TAKEBACK 0,14" if own != (0, 14) else "TAKEBACK 0,13", wanted="ok")
        if answer.unknown:
            raise NotSupported(answer.text[:60])
        if answer.kind != "error":
            raise CheckFailed(f"TAKEBACK of an empty point gave {answer.text[:60]!r}")
    return Found()


@MOVES.check(
    "play",
    "PLAY puts an own stone and says it again",
    31,
    cost={
        "Piskvork": "only after SUGGEST",
    },
)
def play(bench: Bench) -> Found:
    """Needed by those who say SUGGEST."""
    with bench.talk() as talk:
        talk.start()
        own = talk.move("TURN 7,7").point
        answer = talk.ask(f"TAKEBACK {shown(own)}", wanted="ok")
        if answer.kind != "ok":
            raise NotSupported("no TAKEBACK to try it with")
        answer = talk.ask("PLAY 9,9", wanted="move")
        if answer.unknown:
            raise NotSupported(answer.text[:60])
        if answer.text != "9,9":
            raise CheckFailed(f"PLAY 9,9 gave {answer.text[:60]!r}")
    return Found()


def _play(talk: Talk, position: ReferencePosition, luck: random.Random, turn: int) -> int:
    """A game of the brain against a careless opponent; its moves. Each is judged."""
    moves = 0
    while not position.over and moves < 40:
        x, y = near(position, luck)
        position.play(x, y)
        if position.over:
            break
        answer = talk.move(f"TURN {x},{y}", seconds=turn / 1000 + 5)
        problem = why_illegal(position, answer.point)
        if problem:
            raise CheckFailed(f"move {moves + 1}: {problem}")
        position.play(*answer.point)
        moves += 1
    return moves


def _games(bench: Bench, name: str) -> Found:
    number, rules = RULES[name]
    luck = random.Random(28)
    moves, games = 0, 5 if bench.full else 1
    for game in range(games):
        size = 20 if name == "freestyle" and game % 2 else 15
        with bench.talk() as talk:
            talk.start(size, f"INFO rule {number}", turn=50)
            position = ReferencePosition(rules(size))
            position.play(size // 2, size // 2)
            answer = talk.ask(f"TURN {size // 2},{size // 2}", wanted="move")
            if answer.kind in _REFUSED:
                raise NotSupported(f"{answer.text[:60]!r} under INFO rule {number}")
            problem = why_illegal(position, answer.point)
            if problem:
                raise CheckFailed(f"move 1: {problem}")
            position.play(*answer.point)
            moves += 1 + _play(talk, position, luck, 50)
    return Found(f"{moves} moves", {"moves": moves, "games": games})


def _add_games() -> None:
    """A game under each rule."""
    for name in RULES:
        title = f"Every move of a game is legal under {name}, judged by the plain rules"

        def game(bench: Bench, name: str = name) -> Found:
            return _games(bench, name)

        MOVES.check(f"legal-{name}", title, 28, cost=_ILLEGAL)(game)


_add_games()
