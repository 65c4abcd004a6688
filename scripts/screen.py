"""A game against the engine on the whole screen of a terminal, drawn anew in place."""

import io
from dataclasses import replace
from typing import Final

from rich.console import Console

from shisan.protocol.host import Host

from .desk import Desk
from .face import draw
from .keys import decode
from .terminal import ESCAPE_S, Terminal

_TICK_S: Final = 0.25
"""How often the clock and the engine's thinking are looked at."""

_IDLE_S: Final = 60.0


class Screen:
    """Runs a Desk on a terminal.

    colour: whether to use colours; only_ascii: whether to show no other characters.
    """

    def __init__(self, host: Host, colour: bool, only_ascii: bool) -> None:
        self._host = host
        self._desk = Desk(host, only_ascii)
        self._colour = colour
        self._shown: tuple[str, ...] = ()

    def run(self, terminal: Terminal) -> int:
        """Play until the person leaves; return the number of the signal that asked to, or 0."""
        desk, rest = self._desk, b""
        self._host.begin()
        while not desk.left:
            desk.poll()
            try:
                self._draw(terminal)
            except OSError:
                return 0  # there is nobody to see it any more
            event = terminal.wait(ESCAPE_S if rest else self._patience())
            if event.signal or event.closed:
                return event.signal
            if event.redraw:
                self._shown = ()
            keys, rest = decode(rest + event.data, final=bool(rest) and not event.data)
            for key in keys:
                if key == "redraw":
                    self._shown = ()
                desk.poll()
                desk.press(key)
                if desk.left:
                    break
        return 0

    def _patience(self) -> float:
        """For how long nothing changes by itself, in seconds."""
        moving = self._host.thinker.busy or self._host.left_s is not None
        return _TICK_S if moving else _IDLE_S

    def _draw(self, terminal: Terminal) -> None:
        """Show what there is to see, if it has changed."""
        columns, lines = terminal.size()
        rows = tuple(render(self._desk, columns, lines, self._colour))
        if rows != self._shown:
            terminal.draw(list(rows))
            self._shown = rows


def render(desk: Desk, columns: int, lines: int, colour: bool) -> list[str]:
    """The lines of a screen of that size, with escape sequences if colours are wanted."""
    console = Console(
        file=io.StringIO(),
        force_terminal=colour,
        color_system="auto" if colour else None,
        no_color=not colour,
        width=columns,
        height=lines,
        legacy_windows=False,
    )
    with console.capture() as captured:
        face = replace(desk.face(), few_colours=console.color_system == "standard")
        console.print(draw(face, columns, lines), soft_wrap=True, end="")
    return captured.get().split("\n")
