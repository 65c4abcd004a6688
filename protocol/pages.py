"""The HTML page of a match: one file with everything in it, nothing loaded from anywhere.

Tables and plots are written here and need no script; the list of games and the board are the work
of the scripts in protocol/page. Whatever comes from programs or people is escaped.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from shisan.engine import Point, Rules

from .about import VERSION
from .frames import Frame, Section, framed, point_letters, step_buttons
from .journal import FAULTS, Game, Header
from .plots import rating_plot, trend_plot
from .ratings import RatingList, running_elo
from .records import RecordError, play_all
from .statistics import (
    Colours,
    Pentanomial,
    Sprt,
    colours,
    counted,
    elo,
    meetings,
    pairs_of,
    standings,
)
from .summaries import WIN
from .tables import half, interval, rated, shown, signed, sprt_of, sprt_text

_CODES: Final = {"1-0": 2, "1/2": 1, "0-1": 0}
_OPEN: Final = 6  # meetings shown at once; the others are folded away
_LINES: Final = 10  # players in the plot of running Elo
_TONES: Final = ("--lose", "--lose", "--draw", "--win", "--win")
_DEEP: Final = (100, 55, 100, 55, 100)


def page(header: Header, games: Sequence[Game]) -> str:
    """The whole page as text, to be written as UTF-8."""
    ordered = sorted(games, key=lambda game: game.number)
    listed = rated(header, ordered)
    sections = [
        ("overview", "Overview", _overview(header, ordered)),
        ("ratings", "Ratings", _ratings(header, ordered, listed)),
        ("table", "Cross-table", _cross(header, ordered, listed)),
        ("meetings", "Head to head", _meetings(header, ordered, listed)),
        ("endings", "Endings", _endings(header, ordered)),
        ("games", "Games", _browser(header, ordered)),
    ]
    frame = Frame(
        title=_title(header),
        kind=header.kind,
        facts=_facts(header, ordered),
        skip="games",
        styles=("page.css", "match.css"),
        scripts=("board.js", "page.js", "match.js"),
        footer=_small_print(header),
    )
    return framed(frame, [Section(*each) for each in sections], _data(header, ordered))


# --- the top of the page ------------------------------------------------------------------------


def _title(header: Header) -> str:
    names = [shown(player.name) for player in header.players]
    return " – ".join(names) if len(names) == 2 else f"{len(names)} players, {header.kind}"


def _facts(header: Header, games: Sequence[Game]) -> str:
    rules = header.rules
    parts = [f"{rules.name}, {rules.width}×{rules.height}", f"{len(games)} games"]
    parts += [f"{header.openings} openings"] if header.openings else []
    parts += [header.created[:16].replace("T", " ")] if header.created else []
    return " · ".join(parts)


def _small_print(header: Header) -> str:
    """How it was played: what one needs to play it again."""
    facts = [
        ("seed", f"{header.seed}"),
        *((name, _plain(v)) for name, v in header.settings.items()),
    ]
    facts += [("opening positions", f"{header.openings}, SHA-256 {header.openings_sha256}")]
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts if value
    )
    players = "".join(
        f'<tr><th scope="row">{escape(player.name)}</th>'
        f"<td><code>{escape(' '.join(player.command))}</code></td>"
        f"<td>{escape(_plain(player.options))}</td>"
        f'<td><code title="{escape(player.sha256)}">{escape(player.sha256[:12])}</code></td></tr>'
        for player in header.players
    )
    return (
        "<p>Ratings are the likeliest over all games; intervals hold 95 % and are those of pairs of"
        " games that share an opening.</p><details><summary>How it was played</summary>"
        f'<dl class="pairs-list left">{rows}</dl><div class="scroll"><table><thead><tr>'
        "<th>player</th><th>command</th><th>options</th><th>SHA-256</th></tr></thead>"
        f"<tbody>{players}</tbody></table></div><p>Times are in milliseconds.</p></details>"
        f"<p>Made by Shisan {VERSION}.</p>"
    )


def _plain(value: Any) -> str:
    """A setting for people: nothing for what is unset, a mapping as a list."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else str(value)


def _overview(header: Header, games: Sequence[Game]) -> str:
    played = counted(games)
    first = colours(games)
    reasons = Counter(game.reason for game in played if game.loser_fault)
    faults = sum(reasons.values())
    crashes = faults - reasons["time"] - reasons["illegal move"]
    late = sum(line.timeouts for line in standings(games, header.players))
    stones = sum(len(game.moves) for game in played) / len(played) if played else 0.0
    tiles = [
        (str(len(played)), "games", ""),
        (f"{100 * first.black.score:.1f} %", "of points for Black", ""),
        (f"{100 * first.draw_rate:.1f} %", "draws", ""),
        (f"{stones:.1f}", "stones a game", ""),
        (str(reasons["time"] + late), "time-outs", "bad" if reasons["time"] + late else "good"),
        *(
            (str(number), what, "bad" if number else "good")
            for number, what in ((reasons["illegal move"], "illegal moves"), (crashes, "crashes"))
        ),
    ]
    return (
        '<div class="tiles">'
        + "".join(
            f'<div class="tile"><b class="{tone}">{number}</b><span>{what}</span></div>'
            for number, what, tone in tiles
        )
        + "</div>"
    )


# --- ratings and cross-table --------------------------------------------------------------------


def _ratings(header: Header, games: Sequence[Game], listed: RatingList) -> str:
    if not listed.ratings:
        return '<div class="card"><h2>Ratings</h2><p>No game has ended yet.</p></div>'
    table = standings(games, header.players)
    rows = []
    for rank, row in enumerate(listed.ratings, 1):
        line = table[row.player]
        cells = [
            f"{row.elo:+.0f}",
            f"{row.low:+.0f} … {row.high:+.0f}",
            f"{row.games}",
            f"{half(row.score)}",
            f"{100 * row.score / row.games:.1f} %",
            f"{line.wins}–{line.draws}–{line.losses}",
            f"{row.running:.0f}",
        ]
        rows.append(
            f'<tr><td class="n">{rank}</td><th scope="row">{escape(row.name)}</th>'
            + "".join(f'<td class="n">{cell}</td>' for cell in cells)
            + "</tr>"
        )
    heads = ("Elo", "95 % interval", "games", "points", "score", "W–D–L", "running Elo")
    head = '<th class="n">#</th><th>player</th>'
    head += "".join(f'<th class="n">{name}</th>' for name in heads)
    note = f'<p class="note">{escape(listed.note)}.</p>' if listed.note else ""
    return (
        f'<div class="card"><h2>Ratings</h2>{rating_plot(listed)}{note}'
        f'<div class="scroll"><table><caption>{escape(_caption(listed))}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"{_trend(header, games, listed)}</div>"
    )


def _caption(listed: RatingList) -> str:
    return f"Maximum likelihood over all games; {listed.anchor}. W–D–L: games won, drawn, lost."


def _trend(header: Header, games: Sequence[Game], listed: RatingList) -> str:
    histories = running_elo(games, len(header.players))
    chosen = [(row.name, histories[row.player]) for row in listed.ratings[:_LINES]]
    return (
        "<details><summary>Running Elo, from 1,200, game by game</summary>"
        f"{trend_plot(chosen)}</details>"
    )


def _cross(header: Header, games: Sequence[Game], listed: RatingList) -> str:
    order = [row.player for row in listed.ratings]
    points: dict[tuple[int, int], Counter[float]] = {}
    for game in counted(games):
        for one, other in ((game.black, game.white), (game.white, game.black)):
            points.setdefault((one, other), Counter())[game.points(one)] += 1
    head = "".join(f'<th scope="col">{rank}</th>' for rank in range(1, len(order) + 1))
    rows = []
    for rank, row in enumerate(listed.ratings, 1):
        cells = "".join(_cell(header, points, row.player, other) for other in order)
        rows.append(
            f'<tr><th scope="row">{rank}. {escape(row.name)}</th>{cells}'
            f'<td class="n"><b>{half(row.score)}</b></td></tr>'
        )
    return (
        '<div class="card"><h2>Cross-table</h2><div class="scroll"><table class="cross">'
        "<caption>Points of the row’s player against the column’s; press a cell to see its games."
        f"</caption><thead><tr><th>player</th>{head}<th>points</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _cell(
    header: Header, points: dict[tuple[int, int], Counter[float]], one: int, other: int
) -> str:
    if one == other:
        return '<td class="self"></td>'
    results = points.get((one, other))
    if results is None:
        return "<td></td>"
    made = sum(point * times for point, times in results.items())
    share = made / results.total()
    tone = "--win" if share >= 0.5 else "--lose"
    names = f"{escape(header.players[one].name)} against {escape(header.players[other].name)}"
    said = f"{names}: {results[1.0]} won, {results[0.5]} drawn, {results[0.0]} lost"
    return (
        f'<td><button type="button" data-a="{one}" data-b="{other}" title="{said}"'
        f' aria-label="{said}" style="--tone:var({tone});--much:{130 * abs(share - 0.5):.0f}%">'
        f"{half(made)}</button></td>"
    )


# --- head to head -------------------------------------------------------------------------------


def _meetings(header: Header, games: Sequence[Game], listed: RatingList) -> str:
    order = {row.player: at for at, row in enumerate(listed.ratings)}
    met = [  # the better one first
        (sorted(pair, key=order.__getitem__), played) for pair, played in meetings(games).items()
    ]
    met.sort(key=lambda each: [order[player] for player in each[0]])
    cards = [_meeting(header, a, b, pairs_of(played, a, b)) for (a, b), played in met]
    more = ""
    if len(cards) > _OPEN:
        more = (
            f"<details><summary>{len(cards) - _OPEN} more meetings</summary>"
            f'<div class="meetings">{"".join(cards[_OPEN:])}</div></details>'
        )
    return (
        '<div class="card"><h2>Head to head</h2><div class="meetings">'
        f"{''.join(cards[:_OPEN])}</div>{more}</div>"
    )


def _meeting(header: Header, a: int, b: int, results: Pentanomial) -> str:
    estimate = elo(results)
    names = f"{escape(header.players[a].name)} – {escape(header.players[b].name)}"
    low, high = signed(estimate.low), signed(estimate.high)
    facts = [
        ("games", f"{results.games}"),
        ("points", f"{half(results.points)} ({100 * estimate.score:.1f} %)"),
        ("likelihood of superiority", f"{100 * estimate.los:.1f} %"),
        ("normalised Elo", signed(estimate.normalised)),
    ]
    single = sum(results.unpaired)
    facts += [("games without a partner", f"{single}")] if single else []
    test = sprt_of(header, results)
    parts = [
        f'<article class="meeting"><div><h3>{names}</h3>',
        f'<div class="elo">{signed(estimate.elo)} <small>Elo [{low}, {high}]</small></div>',
        _bar((("win", results.wins), ("draw", results.draws), ("lose", results.losses))),
        _five(results),
        '</div><div><dl class="pairs-list">',
        *(f"<dt>{what}</dt><dd>{value}</dd>" for what, value in facts),
        "</dl>",
        _gauge(test) if test else "",
        "</div></article>",
    ]
    return "".join(parts)


def _bar(parts: Iterable[tuple[str, int]]) -> str:
    """Shares of a whole side by side."""
    words = {"win": "won", "lose": "lost", "draw": "drawn", "black": "Black", "white": "White"}
    kept = [(kind, number) for kind, number in parts if number]
    said = ", ".join(f"{number} {words[kind]}" for kind, number in kept)
    spans = "".join(
        f'<span class="{kind}" style="flex:{number}">{number}</span>' for kind, number in kept
    )
    return f'<div class="bar" role="img" aria-label="{said}" title="{said}">{spans}</div>'


def _five(results: Pentanomial) -> str:
    """The pentanomial as five columns."""
    most = max(*results.counts, 1)
    columns = []
    for points, number, tone, deep in zip(
        ("0", "½", "1", "1½", "2"), results.counts, _TONES, _DEEP, strict=True
    ):
        style = f"height:{100 * number / most:.0f}%;--tone:var({tone});opacity:{deep / 100:g}"
        columns.append(
            f'<div><span>{number}</span><span class="column"><i style="{style}"></i></span>'
            f'<span class="what">{points}</span></div>'
        )
    said = ", ".join(map(str, results.counts))
    return (
        f'<div class="five" role="img" aria-label="Pairs with 0, ½, 1, 1½, 2 points: {said}"'
        f' title="Pairs of games by points">{"".join(columns)}</div>'
    )


def _gauge(test: Sprt) -> str:
    """How far a sequential test has come."""
    place = 100 * (test.llr - test.lower) / (test.upper - test.lower)
    said = escape(sprt_text(test))
    return (
        f'<div class="small">{said}</div><div class="gauge" role="img" aria-label="{said}">'
        f'<i style="left:{min(max(place, 0.0), 100.0):.1f}%"></i></div>'
    )


# --- endings ------------------------------------------------------------------------------------


def _endings(header: Header, games: Sequence[Game]) -> str:
    return (
        f'<div class="columns">{_first_move(colours(games))}{_reasons(games)}'
        f"{_faults(header, games)}</div>"
    )


def _first_move(first: Colours) -> str:
    parts = (("black", first.wins), ("draw", first.draws), ("white", first.losses))
    facts = [
        ("Black won", f"{first.wins}"),
        ("drawn", f"{first.draws} ({100 * first.draw_rate:.1f} %)"),
        ("White won", f"{first.losses}"),
        ("Black’s score", f"{100 * first.black.score:.1f} %"),
        ("worth of the first move, Elo", interval(first.black)),
    ]
    rows = "".join(f"<dt>{what}</dt><dd>{value}</dd>" for what, value in facts)
    return (
        '<div class="card"><h2>The first move</h2>'
        f'{_bar(parts)}<dl class="pairs-list" style="margin-top:.8rem">{rows}</dl></div>'
    )


def _faults(header: Header, games: Sequence[Game]) -> str:
    rows = []
    for line in standings(games, header.players):
        crashes = sum(line.faults.get(fault, 0) for fault in FAULTS[2:])
        lost = [line.faults.get(fault, 0) for fault in ("time", "illegal move")]
        numbers = (lost[0], line.timeouts, lost[1], crashes, line.offences)
        cells = "".join(f'<td class="n">{number or "–"}</td>' for number in numbers)
        rows.append(f'<tr><th scope="row">{escape(line.name)}</th>{cells}</tr>')
    heads = ("time losses", "late moves", "illegal moves", "crashes", "lines punished elsewhere")
    head = "".join(f'<th class="n">{name}</th>' for name in heads)
    return (
        '<div class="card whole"><h2>Faults</h2><div class="scroll"><table><caption>Games lost by'
        " a fault of the program. Crashes: failed starts, memory, unreadable answers too."
        " Lines punished elsewhere: what another manager would hold against it.</caption>"
        f"<thead><tr><th>player</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        "</div>"
    )


def _reasons(games: Sequence[Game]) -> str:
    reasons = Counter(game.reason for game in games)
    most = max(reasons.values(), default=1)
    rows = "".join(
        f'<tr><th scope="row">{escape(reason)}</th><td class="n">{number}</td>'
        f'<td class="wide"><div class="bar" style="width:{100 * number / most:.0f}%;'
        'height:.8rem" aria-hidden="true"><span class="draw" style="flex:1"></span></div></td></tr>'
        for reason, number in reasons.most_common()
    )
    return (
        '<div class="card"><h2>How games ended</h2><div class="scroll"><table><tbody>'
        f"{rows}</tbody></table></div></div>"
    )


# --- the games ----------------------------------------------------------------------------------


def _browser(header: Header, games: Sequence[Game]) -> str:
    players = [(str(at), player.name) for at, player in enumerate(header.players)]
    reasons = sorted({game.reason for game in games})
    results = [
        *(("black", "Black won"), ("white", "White won"), ("draw", "drawn")),
        *(("won", "player won"), ("lost", "player lost")),
    ]
    endings = [("fault", "any fault"), *((reason, reason) for reason in reasons)]
    filters = (
        _select("by-player", "Player", "anyone", players)
        + _select("by-colour", "plays", "either colour", [("0", "Black"), ("1", "White")])
        + _select("by-other", "Opponent", "anyone", players)
        + _select("by-result", "Result", "any", results)
        + _select("by-reason", "Ended by", "anything", endings)
        + '<label>Search<input id="by-text" type="search" placeholder="#12, a word …"></label>'
    )
    return (
        '<div class="card"><h2>Games</h2><noscript><p class="note">The list of games and the board'
        " need JavaScript, which is switched off here; the tables above do not.</p></noscript>"
        f'<div class="filter" role="search">{filters}</div><div class="browse">'
        '<div class="list"><div class="count" id="count" role="status"></div>'
        '<ol id="list" tabindex="-1"></ol><p class="note hidden" id="none">No game fits.</p>'
        '<button class="hidden" id="more" type="button">More games</button></div>'
        f"{_viewer()}</div></div>"
    )


def _select(name: str, label: str, none: str, options: Iterable[tuple[str, str]]) -> str:
    listed = "".join(
        f'<option value="{escape(value)}">{escape(what)}</option>' for value, what in options
    )
    return (
        f'<label>{label}<select id="{name}"><option value="">{none}</option>{listed}</select>'
        "</label>"
    )


def _viewer() -> str:
    speeds = ((1600, "slow"), (800, "normal"), (350, "fast"), (120, "very fast"))
    speed = "".join(
        f'<option value="{ms}"{" selected" if ms == 800 else ""}>{what}</option>'
        for ms, what in speeds
    )
    return (
        '<div class="viewer hidden" id="viewer" role="group" aria-label="Game viewer">'
        '<div class="title"><h3 id="versus"></h3><span class="turns">'
        '<button id="previous" type="button">‹ previous</button>'
        '<button id="next" type="button">next ›</button></span></div>'
        '<div><svg id="board" role="img" aria-label="The board"></svg><div class="controls">'
        f"{step_buttons()}"
        '<input id="ply" type="range" min="0" max="0" value="0" aria-label="Move">'
        '<div class="options"><label><input id="numbers" type="checkbox" checked> numbers</label>'
        f'<label>speed <select id="speed">{speed}</select></label>'
        "<span>← → step through the game</span></div></div></div>"
        '<div class="panel"><div><div class="status" id="status" role="status"></div>'
        '<div class="soft small" id="outcome"></div></div><div class="clocks" id="clocks"></div>'
        '<div><div class="soft small">Scores, as each player saw them:'
        ' <i class="key"></i> Black’s, <i class="key w"></i> White’s</div>'
        '<svg class="chart" id="scores" role="img" aria-label="Scores move by move"></svg>'
        '<p class="small soft" id="unknown">The players gave no scores.</p></div>'
        '<div><div class="soft small">Time per move</div>'
        '<svg class="chart" id="times" role="img" aria-label="Time per move"></svg></div>'
        '<div class="hidden" id="remarks"><div class="soft small">Remarks</div>'
        '<ul class="remarks" id="notes"></ul></div>'
        '<div class="moves" id="moves" role="group" aria-label="Moves"></div></div></div>'
    )


# --- the data -----------------------------------------------------------------------------------


def _data(header: Header, games: Sequence[Game]) -> dict[str, Any]:
    """What the scripts read."""
    reasons = sorted({game.reason for game in games})
    index = {reason: at for at, reason in enumerate(reasons)}
    return {
        "width": header.rules.width,
        "height": header.rules.height,
        "win": WIN,
        "players": [player.name for player in header.players],
        "reasons": reasons,
        "games": [list(_game(header.rules, index, game)) for game in games],
    }


def _game(rules: Rules, index: dict[str, int], game: Game) -> Iterator[Any]:
    """A game as the scripts want it; points are two letters each."""
    yield from (game.number, game.pair, game.black, game.white, _CODES[game.result])
    yield from (index[game.reason], int(game.loser_fault), game.detail, len(game.opening))
    yield point_letters(game.moves)
    yield [round(time, 1) for time in game.times_ms]
    yield list(game.scores)
    yield list(game.nodes)
    yield point_letters(_line(rules, game))
    yield [[event.ply, event.player, f"{event.kind}: {event.text}"] for event in game.events]
    yield [[held.player, held.line, held.managers] for held in game.offences]


def _line(rules: Rules, game: Game) -> Sequence[Point]:
    """The line that won, if one did."""
    if game.reason != "five":
        return ()
    try:
        return play_all(rules, game.moves).result.line
    except RecordError:
        return ()
