"""A review as a game record with comments and variations, for write_sgf.

Each move gets a comment with what it was worth; where a move was called something, the best line
becomes a variation. From the last position it stands in a comment: moves would seem played.
"""

from dataclasses import replace

from shisan.engine import Line

from .games import Branch, GameRecord, Moves
from .reviews import Course, Moment, Review
from .reviewwords import chance_text, facts, move_words, standing_text, summary
from .words import colour_name, moves_text


def annotated(review: Review) -> GameRecord:
    """The game with what was found in it; its own comments and branches stay, and come first."""
    game = review.game
    main = _comments(review, review.main, game.comments, len(game.moves))
    branches = []
    by_branch = {course.branch: course for course in review.courses}
    for number, branch in enumerate(game.branches, 1):
        course = by_branch.get(number)
        if course is not None:
            said = _comments(review, course, branch.comments, len(branch.moves))
            branch = replace(branch, comments=said)
        branches.append(branch)
    branches += _variations(review)
    head = "\n".join([*summary(review), f"{', '.join(facts(review))}. {review.engine}."])
    first = standing_text(review.main.moments[0]) + " before the first move."
    told = dict(game.facts)
    told.setdefault("annotator", review.engine)
    return replace(
        game,
        rules=review.rules,
        comment="\n".join(part for part in (game.comment, head, first) if part),
        comments=main,
        branches=tuple(branches),
        facts=tuple(told.items()),
    )


def _comments(review: Review, course: Course, own: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The comments on a line's moves, those of the file first."""
    made = []
    for at in range(count):
        moment, after = course.moments[at], course.moments[at + 1]
        verdict = review.verdict(moment)
        parts = [own[at] if own else "", " ".join(move_words(moment, verdict))]
        parts.append(standing_text(after) + ".")
        if after is course.end and after.found is not None:
            best = after.found.best
            parts.append(f"Best for {colour_name(after.side)}: {moves_text(best.moves)}.")
        if after.found is not None:
            parts.append(" ".join(after.found.remarks))
        made.append("\n".join(part for part in parts if part))
    return tuple(made)


def _variations(review: Review) -> list[Branch]:
    """The best lines; where branches leave one position, its line only once."""
    found: dict[tuple[Moves, Moves], Branch] = {}
    for course in review.courses:
        line = review.game.line(course.branch)
        for moment in course.moments:
            verdict = review.verdict(moment)
            if moment.found is None:
                continue
            best = moment.found.best
            if verdict and verdict.mark and best.move != moment.move:
                branch = _variation(course, moment, best)
                found.setdefault((line[: moment.ply], best.moves), branch)
    return list(found.values())


def _variation(course: Course, moment: Moment, line: Line) -> Branch:
    said = f"Best for {colour_name(moment.side)}: {chance_text(line)}."
    return Branch(course.branch, moment.ply, line.moves, (said, *("" for _ in line.moves[1:])))
