"""What `shisan match` and `shisan tournament` share: the parser, the run and the reports."""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from time import strftime
from typing import Any, Final, Literal

from shisan.engine import Rules, RulesError
from shisan.protocol.conditions import (
    ConditionError,
    Conditions,
    Means,
    Row,
    Schedule,
    check,
    rows,
)
from shisan.protocol.journal import Game, Header, Journal, JournalError, Player, read_journal
from shisan.protocol.match import Force, Inbox, Match, MatchError, Watch, play_here, try_programs
from shisan.protocol.openings import OpeningError, Openings, load
from shisan.protocol.pairs import Message, Transcript, Wants, try_program
from shisan.protocol.reports import export
from shisan.protocol.settings import rule_sum
from shisan.protocol.tables import cross_table, summary
from shisan.protocol.workers import LocalWorkers, LostWorkerError

from .arguments import add_rules, rules
from .live import display
from .players import BUILT_INS, PlayerError, complete, described_all, named
from .signals import stopped_by_signals

Kind = Literal["match", "round robin", "gauntlet"]
TITLES: Final = {
    Conditions: ("conditions", "how a game is played; times are 300ms, 30s, 2m or none"),
    Schedule: ("games", "which games are played"),
    Means: ("means", "where and how many at once; they do not change the games"),
}
INTERRUPTED: Final = 130

BAD: Final = (ConditionError, JournalError, MatchError, OpeningError, PlayerError, RulesError)
"""Errors that are told in one line."""


@dataclass
class Asked:
    """What was asked for on the command line."""

    players: tuple[Player, ...]
    conditions: Conditions
    schedule: Schedule
    means: Means


# --- the parser ----------------------------------------------------------------------------------


def add_all(made: argparse.ArgumentParser) -> None:
    """Add engines, the rule, and the table of options."""
    builtin = ", ".join(BUILT_INS)
    made.add_argument(
        "engines", nargs="*", metavar="ENGINE", help=f"{builtin}, or a command line in quotes"
    )
    made.add_argument(
        "--engine",
        action="append",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="an engine with more to say: name=A cmd='./a -x' dir=FOLDER nodes=1000 turn=1s"
        " option.KEY=VALUE (sent as INFO KEY VALUE)",
    )
    made.add_argument(
        "--report", metavar="JOURNAL", help="play nothing: write the reports of this journal"
    )
    add_rules(made)
    for record, (title, text) in TITLES.items():
        group = made.add_argument_group(title, text)
        for row in rows(record):
            _add(group, row)


def _add(group: Any, row: Row) -> None:
    help_text = f"{row.text} (default: {row.shown})"
    if row.read is None:
        action = argparse.BooleanOptionalAction
        group.add_argument(row.flag, action=action, default=None, help=help_text)
    else:
        kind, takes = _type(row), row.takes
        group.add_argument(row.flag, type=kind, metavar=takes, default=..., help=help_text)


def _type(row: Row) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        assert row.read is not None
        try:
            return row.read(text)
        except ConditionError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    return read


def asked(options: argparse.Namespace, least: int, most: int | None) -> Asked:
    """What the options say, checked. Raises one of BAD."""
    players = [named(word) for word in options.engines]
    players += [player for words in options.engine for player in described_all(words)]
    if len(players) < least or (most is not None and len(players) > most):
        wanted = f"{least} engines" if most == least else f"{least} engines or more"
        raise PlayerError(f"give {wanted}, not {len(players)}: {', '.join(BUILT_INS)} or a command")
    given = {
        record: {
            row.name: value
            for row in rows(record)
            if (value := getattr(options, row.name)) is not (... if row.read else None)
        }
        for record in TITLES
    }
    mine = given[Conditions]
    if "turn" not in mine and {"nodes", "depth", "time"} & mine.keys():
        mine["turn"] = None
    conditions, schedule = Conditions(**mine), Schedule(**given[Schedule])
    check(conditions, schedule)
    means = Means(**given[Means])
    if means.send_engines and means.cluster is None:
        raise ConditionError("--send-engines needs --cluster")
    if schedule.sprt is not None and len(players) != 2:
        raise ConditionError("--sprt needs two engines")
    whole = complete(players, here=means.cluster is None or means.send_engines)
    return Asked(whole, conditions, schedule, means)


def settings_of(wanted: Asked) -> dict[str, Any]:
    """The conditions and the schedule as the header holds them."""
    settings = {**asdict(wanted.conditions), **asdict(wanted.schedule)}
    seed, alpha, beta, model = (settings.pop(key) for key in ("seed", "alpha", "beta", "model"))
    assert seed == wanted.schedule.seed
    if wanted.schedule.sprt is not None:
        low, high = wanted.schedule.sprt
        test = {"elo0": low, "elo1": high, "alpha": alpha, "beta": beta, "model": model}
        settings["sprt"] = test
    if wanted.schedule.anchor is not None:
        settings["anchor"] = _anchor(wanted.schedule.anchor, wanted.players)
    return settings


def _anchor(text: str, players: Sequence[Player]) -> dict[str, Any]:
    name, equals, value = text.rpartition("=")
    known = [player.name for player in players]
    if not equals or not re.fullmatch(r"[+-]?\d+(\.\d+)?", value):
        raise ConditionError(f"--anchor {text!r} is not NAME=ELO, such as {known[0]}=2000")
    if name not in known:
        raise ConditionError(f"--anchor: no player {name!r}; there are {', '.join(known)}")
    return {"name": name, "elo": float(value)}


# --- the run -------------------------------------------------------------------------------------


def contest(options: argparse.Namespace, kind: Kind, least: int, most: int | None) -> int:
    """Play, or report. Returns the exit status; raises one of BAD before anything is played."""
    if options.report is not None:
        return report(Path(options.report), options)
    wanted = asked(options, least, most)
    rule = rules(options)
    _check_rule(rule)
    openings = _openings(wanted.schedule, rule)
    header = Header(
        seed=wanted.schedule.seed,
        players=wanted.players,
        rules=rule,
        settings=settings_of(wanted),
        openings_sha256=openings.sha256,
        openings=len(openings.stones),
        kind=kind,
        created=strftime("%Y-%m-%dT%H:%M:%S") if wanted.means.times else "",
    )
    folder = Path(wanted.means.out or _folder(header))
    path = Path(wanted.means.journal or folder / "journal.jsonl")
    if wanted.means.journal and not wanted.means.out:
        folder = _beside(path)
    if _is_over(path, header, openings):
        print(f"all games are in {path} already; --seed N plays others")
        end = "all played"
    else:
        end = _play(path, folder, header, openings, wanted)
    write_reports(path, folder, wanted.means.formats)
    return INTERRUPTED if end == "stopped" else 0


def _check_rule(rule: Rules) -> None:
    """Refuse a rule that no INFO line can tell a program."""
    try:
        rule_sum(rule)
    except ValueError as problem:
        raise ConditionError(str(problem)) from None


def _beside(path: Path) -> Path:
    """The folder of the reports of a journal that has a name of its own."""
    return path.with_suffix("") if path.suffix else path.with_name(f"{path.name}-reports")


def _is_over(path: Path, header: Header, openings: Openings) -> bool:
    """Whether there is nothing left to play. Refuses the journal of another match."""
    if not path.exists() or not path.stat().st_size:
        return False
    with Journal(path, header) as journal:
        match = Match(header, openings, journal)
        return match.decided or next(match.missing, None) is None


def _play(path: Path, folder: Path, header: Header, openings: Openings, wanted: Asked) -> str:
    """Try the programs, then play. A new journal begins only when all programs can start."""
    inbox: Inbox = SimpleQueue()
    force = _force(wanted.means, wanted.conditions, header, inbox)
    try:
        try_programs(header, openings, force)
        with Journal(path, header, measured=wanted.means.times) as journal:
            return _run(Match(header, openings, journal), force, inbox, wanted.means, folder)
    finally:
        force.end()


def _openings(schedule: Schedule, rule: Rules) -> Openings:
    count = (schedule.games + 1) // 2
    if schedule.openings == "balanced" and count > 20 and sys.stderr.isatty():
        print(f"looking for {count} balanced openings", file=sys.stderr)
    form: Any = schedule.form
    return load(
        schedule.openings, rule, count=count, seed=schedule.seed, form=form, plies=schedule.plies
    )


def _folder(header: Header) -> Path:
    """A folder of its own for each match, the same one for the same command."""
    known = hashlib.sha256(replace(header, created="").line().encode()).hexdigest()[:8]
    names = "-".join(player.name for player in header.players)
    if len(header.players) > 2:
        names = header.kind.replace(" ", "-")
    clean = re.sub(r"[^\w.-]+", "_", names)[:60]
    return Path("matches") / f"{clean}-{known}"


def _force(means: Means, conditions: Conditions, header: Header, inbox: Inbox) -> Force:
    if means.cluster is not None:
        from .cluster import force

        return force(means.cluster, header, inbox, send=means.send_engines)
    width = means.concurrency or default_concurrency(means, conditions)
    workers = LocalWorkers(width, inbox.put)
    lost = (LostWorkerError,)
    return Force(workers, lambda: width, play_here, try_program, lost, workers.kill)


def default_concurrency(means: Means, conditions: Conditions) -> int:
    """Pairs at once: as many as have the cores that they need."""
    import os

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    each = means.cores_per_game or (1 if conditions.suspend else 2)
    return max(1, (cores or 1) // each)


class _Transcripts:
    """Writes transcripts into a folder, and hands every other message on."""

    def __init__(self, folder: Path, watch: Watch) -> None:
        self._folder, self._watch = folder / "transcripts", watch
        self._folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, match: Match, message: Message | None) -> None:
        if isinstance(message, Transcript):
            path = self._folder / f"{message.number:05}.txt"
            path.write_text(message.text, encoding="utf-8")
        else:
            self._watch(match, message)


def _run(match: Match, force: Force, inbox: Inbox, means: Means, folder: Path) -> str:
    """Play until the end or a signal; what has come in until then is in the journal."""
    with display(match, means.live) as view, stopped_by_signals(match.stop):
        wants = Wants(view.watching, means.transcripts)
        keeper = _Transcripts(folder, view.watch) if means.transcripts else None
        watch = view.watch if keeper is None else keeper
        end = match.run(force, inbox, watch, wants)
        force.end()
        match.rest(inbox, watch)
    left = match.total - len(match.done)
    if end == "stopped":
        print(f"stopped with {left} games to play: the same command goes on", file=sys.stderr)
    elif end == "decided":
        print(f"the test has decided after {len(match.done)} of at most {match.total} games")
    return end


# --- reports -------------------------------------------------------------------------------------


def report(path: Path, options: argparse.Namespace) -> int:
    """Write the reports of a journal that is there."""
    formats = Means().formats if options.formats is ... else options.formats
    out = None if options.out is ... else options.out
    folder = Path(out) if out else path.parent if path.name == "journal.jsonl" else _beside(path)
    write_reports(path, folder, formats)
    return 0


def write_reports(path: Path, folder: Path, formats: Sequence[str]) -> None:
    """Everything that is computed from a journal: the table here, the files in a folder."""
    header, games = read_journal(path)
    if not games:
        print(f"no game has ended yet: {path}")
        return
    print(cross_table(header, games))
    print(summary(header, games))
    for line in program_lines(header, games):
        print(line)
    try:
        export(folder, header, games, formats)
    except OSError as problem:
        raise MatchError(f"cannot write {problem.filename}: {problem.strerror}") from None
    print(f"journal: {path}; reports: {folder}/" if formats else f"journal: {path}")


def program_lines(header: Header, games: Sequence[Game]) -> Iterator[str]:
    """What was measured: each program's start and memory, its offences, the runner's overhead."""
    for number, player in enumerate(header.players):
        mine = [
            (game, number != game.black) for game in games if number in (game.black, game.white)
        ]
        starts = sorted(game.start_ms[side] for game, side in mine if game.start_ms)
        memory = max((game.memory[side] for game, side in mine if game.memory), default=0)
        said = [f"starts in {starts[len(starts) // 2]:.0f} ms (median)"] if starts else []
        said += [f"uses up to {memory / (1 << 20):.0f} MB"] if memory else []
        held = [each for game, _ in mine for each in game.offences if each.player == number]
        if held:
            first = held[0]
            said.append(
                f"{len(held)} lines that a real manager would punish, first {first.line[:40]!r}"
                f" ({first.managers[:100]})"
            )
        if said:
            yield f"{player.name}: {', '.join(said)}"
    overhead = sorted(each for game in games for each in game.overhead_ms)
    if overhead:
        middle, last = overhead[len(overhead) // 2], overhead[-1]
        yield f"overhead of the runner: median {middle:.2f} ms a move, at most {last:.2f} ms"


def run(command: argparse.ArgumentParser, play: Callable[[], int]) -> int:
    """Run a command; what is wrong with its input is one line and exit status 2."""
    try:
        return play()
    except BAD as problem:
        print(f"{command.prog}: error: {_one_line(problem)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{command.prog}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split()) or json.dumps(type(problem).__name__)
