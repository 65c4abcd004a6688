"""The players of a match, as they are named on the command line."""

import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from shisan.protocol.conditions import ConditionError, Conditions, rows
from shisan.protocol.journal import Player
from shisan.protocol.programs import BUILT_IN, ProgramError, digest

SPARRING: Final = (sys.executable, "-m", "shisan.scripts.sparring_brains")
BUILT_INS: Final = {
    "shisan": BUILT_IN,
    "greedy": (*SPARRING, "greedy", "--seed={seed}"),
    "random": (*SPARRING, "random", "--seed={seed}"),
}
"""Names that need no file: our engine, one that sees a single ply, and one that sees nothing."""

OWN: Final = ("turn", "time", "increment", "nodes", "depth", "memory", "tolerance", "pause")
"""Conditions that a player may have of its own."""

KEYS: Final = ("name", "cmd", "dir", *OWN)


class PlayerError(ValueError):
    """Words that name no player."""


def named(text: str) -> Player:
    """A player of one word: a built-in name, or a command line.

    >>> named("random").name, named("./pbrain-x --fast").command
    ('random', ('./pbrain-x', '--fast'))
    """
    if text in BUILT_INS:
        return Player(text, BUILT_INS[text])
    return described([f"cmd={text}"])


def described_all(words: Sequence[str]) -> list[Player]:
    """The players of one --engine: its KEY=VALUE words make one, any other word one by itself."""
    pairs = [word for word in words if re.match(r"[\w.]+=", word)]
    others = [word for word in words if word not in pairs]
    return ([described(pairs)] if pairs else []) + [named(word) for word in others]


def described(words: Sequence[str]) -> Player:
    """A player of key=value words: name, cmd, dir, conditions of its own, option.KEY=VALUE."""
    known: dict[str, str] = {}
    options: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise PlayerError(f"{word!r} is not KEY=VALUE; keys are {', '.join(KEYS)}, option.NAME")
        if key.startswith("option."):
            options[key[7:]] = value
        elif key in KEYS:
            known[key] = value
        else:
            raise PlayerError(f"no key {key!r}; keys are {', '.join(KEYS)}, option.NAME")
    if not known.get("cmd", "").strip():
        raise PlayerError("an engine needs cmd=COMMAND")
    text = known["cmd"]
    try:
        command = BUILT_INS.get(text) or tuple(shlex.split(text))
    except ValueError as problem:
        raise PlayerError(f"cmd={text}: {problem}") from None
    name = known.get("name") or (text if text in BUILT_INS else _stem(command[0]))
    own: dict[str, Any] = {key: _value(key, known[key]) for key in OWN if key in known}
    return Player(name, command, "", options, own, known.get("dir", ""))


def _stem(path: str) -> str:
    """A file's name as a player's name: pbrain-x of ./bin/pbrain-x.exe."""
    name = path.rpartition("/")[2]
    return name.removesuffix(".exe") or path


def _value(key: str, text: str) -> Any:
    for row in rows(Conditions):
        if row.name == key and row.read is not None:
            try:
                return row.read(text)
            except ConditionError as problem:
                raise PlayerError(f"{key}: {problem}") from None
    raise PlayerError(f"no key {key!r}")


def complete(players: Sequence[Player], *, here: bool = True) -> tuple[Player, ...]:
    """The players with names that differ and hashes of their files. Raises PlayerError.

    here: the files are on this machine; else they need not be.
    """
    found = []
    seen: Counter[str] = Counter()
    taken = {player.name for player in players}
    for player in players:
        name = player.name
        seen[name] += 1
        while seen[player.name] > 1 and name in taken:
            name = f"{player.name} {seen[player.name]}"
            seen[player.name] += name in taken
        taken.add(name)
        try:
            sha256 = digest(player.command, player.folder)
        except ProgramError as problem:
            if here:
                raise PlayerError(f"{player.name} cannot start: {problem}") from None
            sha256 = ""
        found.append(replace(player, name=name, sha256=sha256))
    return tuple(found)
