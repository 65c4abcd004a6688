"""The HTML page of a reviewed game: one file with everything in it, nothing loaded from anywhere.

Summary, curve, last board and table of moves are written here and need no script; stepping through
the game is the work of protocol/page. Whatever comes from files is escaped.
"""

from collections.abc import Iterator
from html import escape
from typing import Any, Final

from shisan.engine import Colour, Line

from .frames import Frame, Section, framed, point_letters, step_buttons
from .pictures import KIND_MARKS, draw_svg
from .plots import CHANCES, chance_plot
from .reviews import BLUNDER, INACCURACY, MISTAKE, Course, Moment, Review, parent
from .reviewwords import (
    chance_text,
    facts,
    labels,
    move_text,
    move_words,
    sign,
    standing_text,
    summary,
    title,
)
from .words import colour_name, move_count, moves_text, percent

SHOWN: Final = 24
"""So many moves of a line are in the page."""

_DISCS: Final = {colour: f'<i class="disc {colour.name.lower()}"></i>' for colour in Colour}
_ROWS: Final = (
    ("inaccuracies", "inaccuracies ?!"),
    ("mistakes", "mistakes ?"),
    ("blunders", "blunders ??"),
    ("missed_wins", "missed wins"),
    ("allowed_losses", "walked into a loss"),
)


def review_page(review: Review) -> str:
    """The whole page as text, to be written as UTF-8."""
    name = title(review)
    frame = Frame(
        title=name,
        kind="game report",
        facts=" · ".join(facts(review)),
        skip="board-section",
        styles=("page.css", "game.css"),
        scripts=("board.js", "page.js", "game.js"),
        footer=_small_print(review),
    )
    sections = [
        Section("summary", "Summary", _summary(review)),
        Section("board-section", "Game", _viewer(review)),
        Section("all-moves", "Moves", _tables(review)),
    ]
    return framed(frame, sections, _data(review))


# --- the summary ---------------------------------------------------------------------------------


def _summary(review: Review) -> str:
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in summary(review))
    tallies = [review.tally(colour) for colour in Colour]
    tiles = "".join(
        f'<div class="tile"><b>{_accuracy(tally.accuracy)}</b><span>{_DISCS[colour]}'
        f"{escape(_player(review, colour))}: accuracy</span></div>"
        for colour, tally in zip(Colour, tallies, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row">{what}</th>'
        + "".join(f'<td class="n">{getattr(tally, name)}</td>' for tally in tallies)
        + "</tr>"
        for name, what in _ROWS
    )
    return (
        f'<div class="card overview"><div class="story"><h2>Summary</h2>{words}</div>'
        f'<div class="sides"><div class="tiles">{tiles}</div><div class="scroll"><table>'
        '<thead><tr><th scope="col"><span class="unseen">moves</span></th>'
        f'<th scope="col" class="n">{_DISCS[Colour.BLACK]}Black</th>'
        f'<th scope="col" class="n">{_DISCS[Colour.WHITE]}White</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></div></div>"
    )


def _accuracy(accuracy: float | None) -> str:
    return "–" if accuracy is None else f"{accuracy:.1f} %"


def _player(review: Review, colour: Colour) -> str:
    return review.game.players[colour] or colour_name(colour)


# --- the game to step through --------------------------------------------------------------------


def _viewer(review: Review) -> str:
    main = review.main
    game = review.game
    plain = not (game.black or game.white or None in game.moves)
    still = draw_svg(game.position(review.rules), numbers=plain)
    charts = "".join(_chart(review, course, at) for at, course in enumerate(review.courses))
    options = "".join(
        f'<option value="{at}">{escape(_course_name(course))}</option>'
        for at, course in enumerate(review.courses)
    )
    choice = (
        f'<label class="live">line <select id="course">{options}</select></label>'
        if len(review.courses) > 1
        else ""
    )
    return (
        '<div class="card"><h2>Game</h2><div class="viewer" id="viewer" tabindex="-1" role="group"'
        ' aria-label="Game viewer"><div><div id="still">'
        f'{still}</div><svg id="board" class="live" role="img" aria-label="The board"></svg>'
        f'<div class="controls live">{step_buttons()}<div class="buttons words">'
        '<button id="worse-back" type="button">‹ marked move</button>'
        '<button id="worse-forward" type="button">marked move ›</button></div>'
        f'<input id="ply" type="range" min="{main.start}" max="{main.end.ply}" value="0"'
        ' aria-label="Move"><div class="options">'
        '<label><input id="numbers" type="checkbox" checked> numbers</label>'
        '<label><input id="hints" type="checkbox" checked> best moves</label>'
        f"{_speeds()}{choice}<span>← → step, Shift: to the next marked move</span></div></div>"
        '</div><div class="panel"><div><div class="soft small">Black’s win probability, %</div>'
        f'{charts}</div><div class="live now"><div class="status" id="status" role="status"></div>'
        '<div id="said"></div><div id="hinted"><div class="soft small" id="whose"></div>'
        '<ol class="lines" id="lines"></ol></div><ul class="remarks" id="remarks"></ul></div>'
        '<div class="moves live" id="moves" role="group" aria-label="Moves"></div></div>'
        "</div></div>"
    )


def _speeds() -> str:
    speeds = ((2400, "slow"), (1200, "normal"), (500, "fast"))
    listed = "".join(
        f'<option value="{ms}"{" selected" if ms == 1200 else ""}>{what}</option>'
        for ms, what in speeds
    )
    return f'<label>speed <select id="speed">{listed}</select></label>'


def _course_name(course: Course) -> str:
    if not course.branch:
        return "main line"
    return f"branch {course.branch}, from move {course.start + 1}"


def _chart(review: Review, course: Course, at: int) -> str:
    """The curve of a course from the beginning of the game; all but the first are hidden."""
    whole = review.whole(course)
    chances = [moment.black_chance for moment in whole]
    marks = [
        (number + 1, verdict.mark, " ".join([move_text(moment, verdict), *labels(verdict)]))
        for number, moment in enumerate(whole)
        if (verdict := review.verdict(moment))
        and verdict.mark
        and number + 1 < len(chances)
        and chances[number + 1] is not None
    ]
    said = f"Black’s win probability after each move, {_course_name(course)}"
    kind = ' class="hidden"' if at else ""
    return f'<div{kind} data-chart="{at}">{chance_plot(chances, marks, said)}</div>'


# --- all moves as a table ------------------------------------------------------------------------


def _tables(review: Review) -> str:
    tables = "".join(_table(review, course) for course in review.courses)
    return f'<div class="card"><h2>Moves</h2>{tables}</div>'


def _table(review: Review, course: Course) -> str:
    rows = "".join(_row(review, course, number) for number in range(len(course.moments) - 1))
    if not rows:
        return "<p>No move was played.</p>"
    heads = '<th class="n">#</th><th>move</th><th class="n">loss</th><th>then</th><th>what</th>'
    caption = (
        f"{_course_name(course).capitalize()}. Loss: win probability given away, in percent."
        " Then: how the game stands after the move."
    )
    return (
        f'<div class="scroll"><table class="all"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(review: Review, course: Course, number: int) -> str:
    moment, after = course.moments[number], course.moments[number + 1]
    verdict = review.verdict(moment)
    name = move_text(moment, verdict).partition(" ")[2]
    loss = "" if verdict is None else f"{100 * verdict.loss:.0f}" if verdict.loss >= 0.005 else "–"
    words = " ".join(move_words(moment, verdict)) or _comment(review, course, moment)
    kind = f' class="{verdict.mark}"' if verdict and verdict.mark else ""
    address = f"{course.branch}.{moment.ply + 1}" if course.branch else f"{moment.ply + 1}"
    return (
        f'<tr{kind} id="{address}"><td class="n">{moment.ply + 1}</td><td class="move">'
        f'{_DISCS[moment.side]}<a href="#{address}">{escape(name)}</a></td>'
        f'<td class="n">{loss}</td><td>{escape(standing_text(after))}</td>'
        f"<td>{escape(words)}</td></tr>"
    )


def _comment(review: Review, course: Course, moment: Moment) -> str:
    """What the file says of the move of a moment."""
    comments = review.game.line_comments(course.branch)
    return comments[moment.ply] if moment.ply < len(comments) else ""


def _small_print(review: Review) -> str:
    setting = review.setting
    limits = [
        f"{setting.turn_ms / 1000:g} s" if setting.turn_ms is not None else "",
        f"{setting.nodes:,} nodes" if setting.nodes is not None else "",
        f"depth {setting.depth}" if setting.depth is not None else "",
    ]
    opening = (
        f" The first {review.opening} moves are taken as an opening and not judged."
        if review.opening
        else ""
    )
    thresholds = ", ".join(
        f"{name} from {100 * least:.0f} %"
        for name, least in (("?!", INACCURACY), ("?", MISTAKE), ("??", BLUNDER))
    )
    return (
        f"<p>{escape(review.engine)}, {escape(', '.join(part for part in limits if part))} for each"
        f" position, {setting.lines} lines. Points are a letter for the column and a number for the"
        " row, counted from the top left.</p><p>A move is marked by the win probability that it"
        f" gives away: {thresholds}. “Wins in” and “loses in” are proven. Accuracy is the"
        " mean over a side’s moves of 103.17 · exp(−0.0435 · loss in percent) − 3.17, the formula"
        f" of lichess; forced moves and moves of a lost side do not count.{opening}</p>"
    )


# --- the data ------------------------------------------------------------------------------------


def _data(review: Review) -> dict[str, Any]:
    """What the scripts read; points are two letters each."""
    game = review.game
    return {
        "width": game.width,
        "height": game.height,
        "first": int(game.side),
        "set": [point_letters(points) for points in (game.black, game.white, game.walls)],
        "chart": CHANCES,
        "courses": [_course(review, course) for course in review.courses],
    }


def _course(review: Review, course: Course) -> dict[str, Any]:
    """A line with its own moves; those before are those of the line above it in the list."""
    own = review.game.line(course.branch)[course.start :]
    result = course.end.result
    branches = [each.branch for each in review.courses]
    above = branches.index(parent(review.game, course.branch)) if course.branch else None
    return {
        "branch": course.branch,
        "above": above,
        "start": course.start,
        "moves": ["" if move is None else point_letters([move]) for move in own],
        "won": point_letters(result.line) if result.reason == "five" else "",
        "foul": result.reason == "forbidden move",
        "moments": [list(_moment(review, course, moment)) for moment in course.moments],
    }


def _moment(review: Review, course: Course, moment: Moment) -> Iterator[Any]:
    """A position as the scripts want it, with what is to be said of the move played in it."""
    verdict = review.verdict(moment)
    found = moment.found
    yield standing_text(moment)
    yield [point_letters([point]) + KIND_MARKS[kind] for point, kind in moment.forbidden]
    yield [_line(line) for line in found.all_lines] if found else []
    yield list(found.remarks) if found else []
    yield [sign(verdict), verdict.mark if verdict else "", ", ".join(labels(verdict))]
    comment = _comment(review, course, moment)
    yield [*move_words(moment, verdict), *([comment] if comment else [])]


def _line(line: Line) -> list[str]:
    """Its points, its worth in words and in a few signs, and its moves in words."""
    return [
        point_letters(line.moves[:SHOWN]),
        chance_text(line),
        _short(line),
        moves_text(line.moves),
    ]


def _short(line: Line) -> str:
    """A line's worth to fit on a stone: 62, +3 (wins in 3 moves), −2."""
    if line.win_in is None:
        return percent(line.win_probability).partition(" ")[0]
    return f"{'+' if line.win_in > 0 else '−'}{move_count(line.win_in).partition(' ')[0]}"
