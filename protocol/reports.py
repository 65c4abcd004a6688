"""The files made of a journal: tables as text and CSV, .psq and SGF games, and one HTML page.

Everything is computed from the header and the games, so it can be made again at any time.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from shisan.engine import MAX_SIDE

from .journal import FAULTS, Game, Header
from .notation import points_text
from .records import Move, Record, RecordError, write_psq
from .sgf import collection
from .statistics import standings
from .tables import cross_table, rated, shown, summary

FORMATS: Final = ("psq", "sgf", "csv", "table", "html")
"""What export can write."""

__all__ = [
    *("FORMATS", "GAME_COLUMNS", "PSQ_ENDINGS", "RATING_COLUMNS", "cross_table", "export"),
    *("games_csv", "html", "psq", "ratings_csv", "summary"),
]

PSQ_ENDINGS: Final = {"time": 15, "memory": 16, "illegal move": 7, "aborted": 9}
"""Piskvork's closing number for a reason; other faults are -2, all else ended normally: 0."""

GAME_COLUMNS: Final = (
    *("number", "pair", "black", "white", "result", "winner", "reason", "fault", "stones"),
    *("opening", "moves", "black_ms", "white_ms", "black_max_ms", "white_max_ms", "detail"),
)
"""The columns of games.csv."""

RATING_COLUMNS: Final = (
    *("rank", "player", "elo", "low", "high", "games", "points", "wins", "draws", "losses"),
    *("running_elo", *(fault.replace(" ", "_") for fault in FAULTS), "late_moves"),
    "lines_punished_elsewhere",
)
"""The columns of ratings.csv. late_moves: moves over time where the game went on.
lines_punished_elsewhere: lines that another manager would hold against the program."""


# --- CSV ----------------------------------------------------------------------------------------


def games_csv(header: Header, games: Iterable[Game]) -> str:
    """One line a game, with a line of names on top; times in milliseconds."""
    names = [player.name for player in header.players]
    return _csv(GAME_COLUMNS, (_game_row(names, game) for game in games))


def ratings_csv(header: Header, games: Sequence[Game]) -> str:
    """One line a player, best first, with a line of names on top."""
    table = standings(games, header.players)
    rows = []
    for rank, row in enumerate(rated(header, games).ratings, 1):
        line = table[row.player]
        rows.append(
            [
                *(rank, row.name, f"{row.elo:.1f}", f"{row.low:.1f}", f"{row.high:.1f}"),
                *(row.games, f"{row.score:g}", line.wins, line.draws, line.losses),
                f"{row.running:.1f}",
                *(line.faults.get(fault, 0) for fault in FAULTS),
                *(line.timeouts, line.offences),
            ]
        )
    return _csv(RATING_COLUMNS, rows)


def _game_row(names: Sequence[str], game: Game) -> list[Any]:
    times: list[list[float]] = [[0.0], [0.0]]
    for ply, time in enumerate(game.times_ms, len(game.opening)):
        times[ply % 2].append(time)
    winner = "" if game.winner is None else names[game.winner]
    return [
        *(game.number, game.pair, names[game.black], names[game.white], game.result, winner),
        *(game.reason, int(game.loser_fault), len(game.moves)),
        *(points_text(game.opening), points_text(game.moves)),
        *(f"{sum(side):.0f}" for side in times),
        *(f"{max(side):.0f}" for side in times),
        game.detail,
    ]


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    from csv import writer

    out = StringIO()
    writing = writer(out, lineterminator="\n")
    writing.writerow(columns)
    writing.writerows(rows)
    return out.getvalue()


# --- files --------------------------------------------------------------------------------------


def psq(header: Header, game: Game) -> str:
    """A game as a .psq that Piskvork opens: Black is its first player, an opening takes no time."""
    times = [0] * len(game.opening) + [round(time) for time in game.times_ms]
    times += [0] * (len(game.moves) - len(times))
    moves = [Move(x, y, time) for (x, y), time in zip(game.moves, times, strict=False)]
    normal = -2 if game.loser_fault else 0
    return write_psq(
        Record(
            header.rules.width,
            header.rules.height,
            tuple(moves),
            (_psq_name(header, game.black), _psq_name(header, game.white)),
            ending=PSQ_ENDINGS.get(game.reason, normal),
        )
    )


def _psq_name(header: Header, player: int) -> str:
    """A name that can stand in a .psq; a line of numbers would be read as a move."""
    name = shown(header.players[player].name).strip()
    try:
        write_psq(Record(MAX_SIDE, MAX_SIDE, players=(name, name)))
    except RecordError:
        return f"player {player + 1}"
    return name


def html(header: Header, games: Sequence[Game]) -> str:
    """The whole match as one HTML page: tables, plots, and every game to play through."""
    from .pages import page

    return page(header, games)


def export(
    folder: Path, header: Header, games: Sequence[Game], formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Write what is asked for into a folder; each file is replaced whole. Returns the files.

    psq/00001.psq ..., games.sgf, games.csv and ratings.csv, table.txt, report.html.
    """
    ordered = sorted(games, key=lambda game: game.number)
    written = []
    for name, content in _contents(header, ordered, formats):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_bytes(content.encode("utf-8", "replace"))
        os.replace(beside, path)
        written.append(path)
    return written


def _contents(
    header: Header, games: Sequence[Game], formats: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The name and the text of each file."""
    if "psq" in formats:
        for game in games:
            yield f"psq/{game.number:05}.psq", psq(header, game)
    if "sgf" in formats:
        yield "games.sgf", collection(header, games)
    if "csv" in formats:
        yield "games.csv", games_csv(header, games)
        yield "ratings.csv", ratings_csv(header, games)
    if "table" in formats:
        yield "table.txt", f"{cross_table(header, games)}\n\n{summary(header, games)}\n"
    if "html" in formats:
        yield "report.html", html(header, games)
