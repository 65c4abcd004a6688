"""Reasons as short English sentences, the most urgent first.

They say what the data of shisan.engine say and nothing else: who threatens what at which points,
what stops it, which of that is forbidden to Black and by which stones, what a move gave away.
Points are h8, rows counted from the top; stones in a line are joined, g3-g4-g5; a line of moves
is g8 h9 i10, in order of play.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shisan.engine import (
    Chance,
    Colour,
    Defence,
    Explanation,
    Forbidden,
    FoursWin,
    GivenAway,
    Illegal,
    Judgement,
    Point,
    Position,
    SearchResult,
    SideReasons,
    chance,
    win_probability,
)

from .notation import point_name
from .pictures import status

MOST: Final = 12
"""So many points are listed; of more it is only said how many they are."""

LONGEST: Final = 16
"""So many moves of a line are printed."""

_MADE: Final = {
    "open four": "an open four",
    "double four": "two fours at once",
    "four-three": "a four and a three at once",
    "double three": "two threes at once",
    "four": "a four",
    "three": "a three",
}


def colour_name(colour: Colour) -> str:
    """Black or White."""
    return colour.name.capitalize()


def points_listed(points: Iterable[Point], last: str = "and") -> str:
    """Points in words.

    >>> points_listed([(7, 7), (8, 8), (0, 0)], "or"), points_listed([(7, 7)])
    ('h8, i9 or a1', 'h8')
    """
    names = [point_name(*point) for point in points]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def moves_text(line: Sequence[Point]) -> str:
    """A line of moves; a long one is cut, and says so."""
    shown = " ".join(point_name(*point) for point in line[:LONGEST])
    more = len(line) - LONGEST
    return f"{shown} ... ({more} more)" if more > 0 else shown


def stones_text(stones: Iterable[Point]) -> str:
    """Stones in a line.

    >>> stones_text([(6, 2), (6, 3), (6, 4)])
    'g3-g4-g5'
    """
    return "-".join(point_name(*point) for point in stones)


def foul_text(why: Illegal) -> str:
    """What forbids a point: its kind and the lines.

    >>> foul_text(Illegal("double three", (((5, 6), (6, 6), (7, 6)), ((5, 5), (6, 6), (7, 7)))))
    'double three (f7-g7-h7 and f6-g7-h8)'
    """
    return f"{why.kind} ({' and '.join(stones_text(line) for line in why.lines)})"


def percent(probability: float) -> str:
    """A win probability: 1 % to 99 % unless it is proven.

    >>> percent(0.5), percent(0.999), percent(1.0)
    ('50 %', '99 %', '100 %')
    """
    if 0 < probability < 1:
        return f"{min(99, max(1, round(100 * probability)))} %"
    return f"{round(100 * probability)} %"


def move_count(win_in: int) -> str:
    """How far a proven win is, in the winner's moves: win_in in plies, of a loss negative.

    >>> move_count(1), move_count(5), move_count(-4)
    ('1 move', '3 moves', '2 moves')
    """
    count = (abs(win_in) + 1) // 2
    return "1 move" if count == 1 else f"{count} moves"


# --- a position ----------------------------------------------------------------------------------


def explain_words(position: Position, said: Explanation) -> list[str]:
    """What a position shows, in sentences; said: what explain gave for it."""
    if position.over:
        return [f"{status(position)}."]
    mover, other = said.of(said.side), said.of(said.side.other)
    found = _fives(mover, to_move=True)
    if not found:
        found += _fives(other, to_move=False)
        found += _winning(mover, "")
        if not mover.win:
            found += _threatened(mover, other, said.defence)
        elif other.win and not _at_hand(other):
            found += _winning(other, f"If {colour_name(mover.colour)} passes, ")
        found += _unknown(mover) + _unknown(other)
        if not _at_hand(other):
            found += _chances(mover, "can make") + _chances(other, "could make")
            found += _threes(mover) + _threes(other)
    return found or ["Neither side has a three, a four or a win by fours."]


def _at_hand(side: SideReasons) -> list[Point]:
    """Where a side makes a five with one stone."""
    return [each.point for each in side.chances if each.kind == "five"]


def _fives(side: SideReasons, to_move: bool) -> list[str]:
    """The fives at hand, and the fours they come from."""
    points = _at_hand(side)
    if not points:
        return []
    name = colour_name(side.colour)
    if to_move:
        return [f"{name} wins at once with a five at {points_listed(points, 'or')}."]
    found = []
    for four in side.fours:
        kind = "open four" if four.open else "four"
        where = points_listed(four.fives, "and")
        found.append(f"{name}'s {kind} {stones_text(four.stones)} threatens a five at {where}.")
    return found


def _winning(side: SideReasons, condition: str) -> list[str]:
    """A side's win by continuous fours, with its end."""
    if side.win is None:
        return []
    name = colour_name(side.colour)
    return [f"{condition}{name} wins by fours: {moves_text(side.win.line)}.", *_ending(side.win)]


def _ending(win: FoursWin) -> list[str]:
    """Why the last move of a win by fours cannot be answered."""
    if not win.fives:
        return []
    fives = points_listed(win.fives, "or")
    if not win.forbidden:
        return [f"Then a five at {fives} can no longer be stopped."]
    return [f"Then the five is at {fives}.", *_needed(win.forbidden)]


def _needed(forbidden: Iterable[Forbidden]) -> list[str]:
    """The answers that Black would need."""
    return [
        f"{point_name(*each.point)} would stop it but is forbidden to Black: {foul_text(each.why)}."
        for each in forbidden
    ]


def _threatened(mover: SideReasons, other: SideReasons, defence: Defence | None) -> list[str]:
    """What the opponent threatens by fours, and what there is against it."""
    if other.win is None or defence is None:
        return []
    name, rival = colour_name(mover.colour), colour_name(other.colour)
    found = []
    if not _at_hand(other):
        found += _winning(other, f"If {name} passes, ")
    elif not defence.blocks:
        found.append("No single stone stops that.")
    elif defence.lost and not defence.forbidden:
        at = points_listed(defence.blocks, "or")
        found.append(f"Even a stone at {at} leaves {rival} a win by fours.")
    found += _needed(defence.forbidden)
    if defence.lost:
        return [*found, f"{name} cannot stop it: every move loses."]
    if defence.moves:
        found.append(_stop(defence))
    if defence.fours:
        many = len(defence.fours) > MOST
        where = f"at {len(defence.fours)} points" if many else points_listed(defence.fours, "or")
        found.append(f"A four first ({where}) puts it off.")
    if defence.unsure:
        found.append(f"Not worked out for {len(defence.unsure)} further moves.")
    return found


def _stop(defence: Defence) -> str:
    """The moves that stop a win by fours; only, if there is nothing else that might."""
    moves = defence.moves
    verb = "may stop" if not defence.exact else "stops" if len(moves) == 1 else "stop"
    if len(moves) > MOST:
        return f"{len(moves)} moves {verb} it."
    only = "" if defence.fours or defence.unsure else "Only "
    return f"{only}{points_listed(moves)} {verb} it."


def _unknown(side: SideReasons) -> list[str]:
    if side.decided:
        return []
    return [f"Whether {colour_name(side.colour)} has a win by fours was not worked out."]


def _chances(side: SideReasons, verb: str) -> list[str]:
    """What one more stone makes, kind by kind."""
    found = []
    for kind, made in _MADE.items():
        points = [each.point for each in side.chances if each.kind == kind]
        if points and len(points) <= MOST:
            found.append(
                f"{colour_name(side.colour)} {verb} {made} at {points_listed(points, 'or')}."
            )
        elif points:
            found.append(f"{colour_name(side.colour)} {verb} {made} at {len(points)} points.")
    return found


def _threes(side: SideReasons) -> list[str]:
    """The threes on the board."""
    return [
        f"{colour_name(side.colour)}'s three {stones_text(three.stones)} becomes an open four"
        f" at {points_listed(three.fours, 'or')}."
        for three in side.threes
    ]


# --- a move --------------------------------------------------------------------------------------


def result_words(position: Position, said: Explanation, found: SearchResult) -> list[str]:
    """What the engine plays here and why, in sentences; found: what best_move gave."""
    move, mover = point_name(*found.move), said.side
    name, rival = colour_name(mover), colour_name(mover.other)
    sentences = [f"The engine plays {move}."]
    illegal = position.why_illegal(*found.move)
    if illegal is not None:
        return [*sentences, f"{move} is forbidden to {name}: {foul_text(illegal)}."]
    sentences += _purpose(position, said, found.move)
    if found.win_in is None:
        odds = percent(win_probability(found.value))
        sentences.append(f"It gives {name} {odds} (value {found.value:+d}, depth {found.depth}).")
        if len(found.line) > 1:
            sentences.append(f"It expects {moves_text(found.line)}.")
    elif found.win_in > 1:
        count = move_count(found.win_in)
        sentences.append(f"{name} wins in {count}, proven: {moves_text(found.line)}.")
    elif found.win_in < 0:
        sentences.append(f"{name} is lost: {rival} wins in {move_count(found.win_in)}, proven.")
    return sentences


def _purpose(position: Position, said: Explanation, move: Point) -> list[str]:
    """What a legal move makes, and what it stops."""
    made = chance(position, move, said.side)
    rival = colour_name(said.side.other)
    found = []
    if made is not None:
        found.append(_made(made))
    if said.defence is not None:
        if move in said.defence.blocks:
            found.append(f"It stops {rival}'s five.")
        elif move in said.defence.moves and said.defence.exact:
            found.append(f"It stops {rival}'s win by fours.")
        elif move in said.defence.fours and said.defence.exact:
            found.append(f"It puts off {rival}'s win by fours.")
    return found


def _made(made: Chance) -> str:
    """What a stone makes, with the stones of its lines."""
    if made.kind == "five":
        return "It makes a five."
    lines = [stones_text(four.stones) for four in made.fours]
    lines += [stones_text(three.stones) for three in made.threes]
    return f"It makes {_MADE[made.kind]}: {', '.join(lines)}."


def why_not_words(judged: Judgement) -> list[str]:
    """What speaks against a move, or for it."""
    move, name = point_name(*judged.move), colour_name(judged.mover)
    if judged.illegal is not None:
        return [_illegal(move, name, judged.illegal)]
    rival, best = colour_name(judged.mover.other), judged.best
    after = percent(0.0 if judged.value is None else win_probability(judged.value))
    if judged.verdict == "loses":
        assert judged.win_in is not None
        return [*_loses(judged, move, rival), *_instead(judged)]
    if judged.verdict == "wins":
        assert judged.win_in is not None
        if judged.win_in == 1:
            return [f"{move} wins: it makes a five."]
        return [f"{move} wins in {move_count(judged.win_in)}, proven.", *_slower(judged)]
    if judged.verdict == "draws":
        return [f"{move} ends the game in a draw.", *_instead(judged)]
    follows = [f"{rival} would answer {moves_text(judged.line)}."] if judged.line else []
    if judged.verdict == "best":
        return [f"{move} is the engine's own choice: {after} for {name}.", *follows]
    assert best is not None
    before, other = percent(win_probability(best.value)), point_name(*best.move)
    if judged.verdict == "as good":
        return [f"{move} is about as good as {other}: {after} against {before} for {name}."]
    if judged.verdict == "lets a win slip":
        return [f"{move} is not proven to win: {after} for {name}.", *follows, *_instead(judged)]
    return [f"{move} is worse than {other}: {after} instead of {before} for {name}.", *follows]


def _illegal(move: str, name: str, why: Illegal) -> str:
    """Why a move cannot be played."""
    if why.lines:
        return f"{move} is forbidden to {name}: {foul_text(why)}."
    return {
        "outside": f"{move} is outside the board.",
        "occupied": f"{move} is occupied.",
        "game over": f"{move} cannot be played: the game is over.",
    }[why.kind]


def _loses(judged: Judgement, move: str, rival: str) -> list[str]:
    """How a move loses."""
    if judged.reply is not None:
        if judged.win_in == -2:
            return [f"{move} loses: {rival} makes a five at {point_name(*judged.line[0])}."]
        line = moves_text(judged.line)
        return [f"{move} loses: {rival} then wins by fours: {line}.", *_ending(judged.reply)]
    assert judged.win_in is not None
    count = move_count(judged.win_in)
    return [f"{move} loses: {rival} wins in {count}, proven. It begins {moves_text(judged.line)}."]


def _instead(judged: Judgement) -> list[str]:
    """What the better move would have given."""
    best, name = judged.best, colour_name(judged.mover)
    if best is None or best.move == judged.move:
        return []
    other = point_name(*best.move)
    if best.win_in is not None and best.win_in > 0:
        return [f"{other} wins in {move_count(best.win_in)}: {moves_text(best.line)}."]
    if best.win_in is not None:
        return [] if judged.verdict == "draws" else ["Every other move loses too."]
    return [f"{other} gives {name} {percent(win_probability(best.value))}."]


def _slower(judged: Judgement) -> list[str]:
    """That the best move wins sooner, if it does."""
    best = judged.best
    if best is None or best.win_in is None or judged.win_in is None:
        return []
    if not 0 < best.win_in < judged.win_in:
        return []
    return [f"{point_name(*best.move)} wins sooner, in {move_count(best.win_in)}."]


def given_away_words(given: GivenAway) -> list[str]:
    """What a played move gave away."""
    judged = given.judgement
    move, name = point_name(*judged.move), colour_name(judged.mover)
    best = judged.best
    if judged.illegal is not None:
        return [_illegal(move, name, judged.illegal)]
    found = []
    if given.missed_win and best is not None:
        assert best.win_in is not None
        found.append(
            f"{move} missed a win in {move_count(best.win_in)}: {moves_text(given.missed_win)}."
        )
    if judged.verdict == "loses":
        found += _loses(judged, move, colour_name(judged.mover.other))
        if given.missed_defences:
            found.append(_stopped(given.missed_defences, given.exact))
        if not given.allowed_loss and not given.missed_win:
            found.append("It was lost all the same.")
    elif given.cost > 0 and judged.verdict in ("worse", "draws") and best is not None:
        after = percent(win_probability(judged.value or 0))
        before = percent(win_probability(best.value))
        other = point_name(*best.move)
        found.append(f"{move} took {name} from {before} to {after}; {other} was better.")
    elif judged.verdict == "wins" and _slower(judged):
        found += [f"{move} still wins.", *_slower(judged)]
    return found or [f"{move} gave nothing away."]


def _stopped(points: Sequence[Point], exact: bool) -> str:
    """What would have stopped a win by fours."""
    verb = "would have" if exact else "might have"
    where = points_listed(points, "or") if len(points) <= MOST else f"{len(points)} moves"
    return f"{where} {verb} stopped that."
