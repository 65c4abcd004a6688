"""A review in words: what each move was worth, what happened in the game, a table for a terminal.

Moves are numbered as they were played, from 1; distances are in the winner's own moves.
"""

from typing import Final

from shisan.engine import Colour, Line

from .notation import point_name
from .remarks import opening_name
from .reviews import Course, Moment, Review, Verdict, decided, losing_move, turning_points
from .words import colour_name, move_count, moves_text, percent

SIGNS: Final = {"inaccuracy": "?!", "mistake": "?", "blunder": "??", "": ""}
"""How marks are written behind a move, as in chess."""

ONLY: Final = "□"
"""What stands behind the only good move."""

_MADE: Final = {"inaccuracy": "An inaccuracy", "mistake": "A mistake", "blunder": "A blunder"}


def sign(verdict: Verdict | None) -> str:
    """What stands behind a move: ??, ?, ?!, □ or nothing."""
    if verdict is None:
        return ""
    return SIGNS[verdict.mark] or (ONLY if verdict.only else "")


def move_text(moment: Moment, verdict: Verdict | None = None) -> str:
    """A move with its number and sign: `34. k11?!`; `12. pass`."""
    name = "pass" if moment.move is None else point_name(*moment.move)
    return f"{moment.ply + 1}. {name}{sign(verdict)}"


def labels(verdict: Verdict | None) -> list[str]:
    """What a move is called, the gravest first; perhaps nothing."""
    if verdict is None:
        return []
    said = [
        (f"forbidden move ({verdict.foul})", verdict.foul),
        (verdict.mark, verdict.mark),
        ("missed win", verdict.missed_win),
        ("walks into a loss", verdict.allowed_loss),
        ("only move", verdict.only),
        ("forced", verdict.forced),
    ]
    return [label for label, holds in said if holds]


def chance_text(line: Line) -> str:
    """What a line is worth to the side to move: `62 %`, `wins in 3 moves`, `loses in 1 move`."""
    if line.win_in is None:
        return percent(line.win_probability)
    return f"{'wins' if line.win_in > 0 else 'loses'} in {move_count(line.win_in)}"


def standing_text(moment: Moment) -> str:
    """How a position stands: `Black 62 %`, `White wins in 3 moves`, `not looked at`."""
    if moment.result.over:
        winner = moment.result.winner
        return "Draw" if winner is None else f"{colour_name(winner)} has won"
    if moment.found is None or moment.black_chance is None:
        return "not looked at"
    best = moment.found.best
    if best.win_in is not None:
        winner = moment.side if best.win_in > 0 else moment.side.other
        return f"{colour_name(winner)} wins in {move_count(best.win_in)}"
    return f"Black {percent(moment.black_chance)}"


# --- a move --------------------------------------------------------------------------------------


def move_words(moment: Moment, verdict: Verdict | None) -> list[str]:
    """What the move of a moment was worth, in sentences; [] where there is nothing to say."""
    found = moment.found
    if verdict is None or found is None or found.played is None or moment.move is None:
        return []
    name, rival = colour_name(moment.side), colour_name(moment.side.other)
    move, played, best = point_name(*moment.move), found.played, found.best
    words = []
    if verdict.foul:
        words.append(f"{move} is forbidden for Black ({verdict.foul}), which loses the game.")
    elif verdict.forced:
        words.append(f"Forced: it is the one point that stops {rival}'s five.")
    elif verdict.only:
        words.append("The only move: every other one is far worse.")
    if verdict.missed_win and best.win_in is not None:
        distance = move_count(best.win_in)
        words.append(f"{_MADE[verdict.mark]}: it misses a win in {distance}.")
        words.append(f"That was {moves_text(best.moves)}.")
    elif verdict.mark:
        before, after = percent(best.win_probability), percent(played.win_probability)
        words.append(f"{_MADE[verdict.mark]}: it takes {name} from {before} to {after}.")
    if verdict.allowed_loss and not verdict.foul and played.win_in is not None:
        distance = move_count(played.win_in)
        words.append(f"{rival} then wins in {distance}: {moves_text(played.moves[1:])}.")
    if verdict.mark and not verdict.missed_win and best.move != moment.move:
        words.append(f"Better was {moves_text(best.moves)}.")
    if not verdict.mark:
        words += _unmarked(moment, played, best)
    return words


def _unmarked(moment: Moment, played: Line, best: Line) -> list[str]:
    """What there is to say of a move that gave nothing away: that a win came later than need be."""
    if played.win_in is None or best.win_in is None or played.win_in < 0:
        return []
    if played.win_in == 1:
        return [f"{colour_name(moment.side)} wins."]
    if (best.win_in + 1) // 2 == (played.win_in + 1) // 2:
        return []
    wins, sooner = move_count(played.win_in), point_name(*best.move)
    return [f"It wins in {wins}; {sooner} would have won in {move_count(best.win_in)}."]


# --- a game --------------------------------------------------------------------------------------


def title(review: Review) -> str:
    """The players, or what else the game is called."""
    return review.game.title or "A game"


def facts(review: Review) -> list[str]:
    """Rule, board, date, event, opening: what is told of the game."""
    game, rules = review.game, review.rules
    opening = opening_name(game, rules)
    told = game.fact("opening")
    named = " ".join(word for word in (opening, f"({told})" if opening and told else told) if word)
    parts = [
        f"{rules.name}, {rules.width}×{rules.height}",
        *(game.fact(name) for name in ("event", "round", "place", "date")),
        f"opening {named}" if named else "",
    ]
    return [part for part in parts if part]


def summary(review: Review) -> list[str]:
    """What happened in the game, in a few sentences."""
    found = [_ending(review), *_told(review)]
    if not review.complete:
        moments = [m for m in review.main.moments if not m.result.over]
        seen = sum(moment.found is not None for moment in moments)
        found.append(f"Only {seen} of {len(moments)} positions were looked at.")
    accuracy = [
        f"{colour_name(colour)} {tally.accuracy:.0f} %"
        for colour in Colour
        if (tally := review.tally(colour)).accuracy is not None
    ]
    if accuracy:
        found.append(f"Accuracy: {', '.join(accuracy)}.")
    return [*found, *_decision(review), *_missed(review)]


def _ending(review: Review) -> str:
    """How the game ended, as a replay says."""
    end, game = review.main.end, review.game
    plies = "1 move" if len(game.moves) == 1 else f"{len(game.moves)} moves"
    result = end.result
    if result.winner is not None:
        player = game.players[result.winner]
        name = colour_name(result.winner) + (f" ({player})" if player else "")
        if result.reason == "five":
            return f"{name} won with a five after {plies}."
        last = review.main.moments[-2]
        where = f"{move_text(last)} is forbidden for Black ({last.foul})"
        return f"{name} won after {plies}: {where}."
    if result.over:
        return f"The game was drawn after {plies}: {result.reason}."
    if end.found is None:
        return f"The record ends after {plies}, before the game is over."
    standing = standing_text(end)
    proven = end.found.best.win_in is not None
    said = f"{standing} from there, proven" if proven else f"{standing} there"
    return f"The record ends after {plies}, before the game is over: {said}."


def _told(review: Review) -> list[str]:
    """What the file says of the result, where a replay does not say the same."""
    told, result = review.game.result, review.main.end.result
    if not told:
        return []
    replayed = {None: "1/2", Colour.BLACK: "1-0", Colour.WHITE: "0-1"}[result.winner]
    if result.over and replayed != told:
        return [f"The file says {told}, the moves say {replayed}."]
    return [] if result.over else [f"The file gives the result {told}."]


def _decision(review: Review) -> list[str]:
    """Where the game turned and was decided."""
    found = []
    turns = [move_text(m, review.verdict(m)) for m in turning_points(review)]
    if turns:
        found.append(f"It turned at {', '.join(turns)}.")
    proven = decided(review.main)
    last = losing_move(review)
    if proven is not None and proven[0].ply < len(review.game.moves):
        number = proven[0].ply + 1
        found.append(f"From move {number} on {colour_name(proven[1])}'s win was proven.")
    if last is not None and last.found is not None:
        better = last.found.best
        where = "" if better.move == last.move else f"; {point_name(*better.move)} was better"
        loser = colour_name(last.side)
        verdict = review.verdict(last)
        found.append(f"{loser}'s last chance was {move_text(last, verdict)}{where}.")
    return found


def _missed(review: Review) -> list[str]:
    """The wins that were missed."""
    missed = [
        f"{move_text(moment, verdict)} (in {move_count(moment.found.best.win_in)})"
        for moment, verdict in review.verdicts(review.main)
        if verdict.missed_win and moment.found and moment.found.best.win_in is not None
    ]
    return [f"Missed wins: {', '.join(missed)}."] if missed else []


def text_report(review: Review) -> str:
    """The summary and the moves that were called something, for a terminal; ends with a break."""
    lines = [title(review), ", ".join(facts(review)), "", *summary(review)]
    for course in review.courses:
        rows = list(_rows(review, course))
        if rows:
            head = f"Branch {course.branch}:" if course.branch else ""
            lines += ["", *([head] if head else []), *rows]
    return "\n".join(lines) + "\n"


def _rows(review: Review, course: Course) -> list[str]:
    rows = []
    for moment, verdict in review.verdicts(course):
        if verdict.mark or verdict.foul:
            text = move_text(moment, verdict)
            words = " ".join(move_words(moment, verdict))
            rows.append(f"{colour_name(moment.side):<5} {text:<9} {words}")
    return rows
