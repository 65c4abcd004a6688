"""Matches made up for tests: headers and games without a program having played."""

from collections.abc import Iterable, Sequence
from typing import Any

from shisan.engine import Point, Rules
from shisan.protocol.journal import FAULTS, Event, Game, Header, Player

OPENING: tuple[Point, ...] = ((7, 7), (8, 8), (6, 6))
BLACK_WINS: tuple[Point, ...] = (
    *((7, 7), (7, 8), (8, 7), (8, 8), (9, 7), (9, 8), (10, 7), (10, 8), (11, 7)),
)
"""Five in a row for Black, h8 to l8, with the ninth stone."""


def header(
    names: Sequence[str], settings: dict[str, Any] | None = None, rules: Rules | None = None
) -> Header:
    """A match of these players."""
    players = tuple(Player(name, (f"./{at}",), "ab" * 32) for at, name in enumerate(names))
    return Header(
        seed=7,
        players=players,
        rules=rules or Rules.freestyle(),
        settings=settings or {},
        openings_sha256="cd" * 32,
        openings=4,
        kind="match" if len(names) == 2 else "round robin",
        created="2026-08-31T14:20:00+00:00",
    )


def game(
    number: int,
    black: int = 0,
    white: int = 1,
    result: str = "1-0",
    reason: str = "five",
    *,
    pair: int | None = None,
    moves: Sequence[Point] = BLACK_WINS,
    opening: int = 0,
    scores: Sequence[int | None] | None = None,
    nodes: Sequence[int | None] | None = None,
    detail: str = "",
    events: Sequence[Event] = (),
) -> Game:
    """A game; its moves take 10, 20, 30 ... ms."""
    own = len(moves) - opening
    assert result in ("1-0", "0-1", "1/2")
    return Game(
        number=number,
        pair=(number + 1) // 2 if pair is None else pair,
        black=black,
        white=white,
        opening=tuple(moves[:opening]),
        moves=tuple(moves),
        times_ms=tuple(10.0 * (at + 1) for at in range(own)),
        scores=tuple([None] * own if scores is None else scores),
        nodes=tuple([None] * own if nodes is None else nodes),
        result=result,  # type: ignore[arg-type]  # the assert above says so
        reason=reason,
        loser_fault=reason in FAULTS,
        detail=detail,
        events=tuple(events),
    )


def series(meetings: Iterable[tuple[int, int, Sequence[float]]]) -> list[Game]:
    """Games by pairs: of a against b, with a's points in each game; a has Black first."""
    games: list[Game] = []
    for a, b, points in meetings:
        for at, made in enumerate(points):
            black, white = (a, b) if at % 2 == 0 else (b, a)
            score = made if at % 2 == 0 else 1 - made
            result = {1.0: "1-0", 0.5: "1/2", 0.0: "0-1"}[score]
            pair = 1000 * (1 + a) + 100_000 * (1 + b) + at // 2
            games.append(game(len(games) + 1, black, white, result, pair=pair))
    return games
