"""The frame of a page: one HTML file with its style, scripts and data inside, loading nothing.

Pages put their sections into it. Its content security policy lets no script run but the page's
own; whatever comes from programs or people is to be escaped by who writes it into a section.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from shisan.engine import Point

from .about import VERSION

FOLDER: Final = Path(__file__).resolve().parent / "page"

_MARK: Final = (
    '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" '
    'fill="#e5bb73"/><path d="M4 10h24M4 22h24M10 4v24M22 4v24" stroke="#7a5526"/>'
    '<circle cx="10" cy="22" r="5.4" fill="#222"/><circle cx="22" cy="10" r="5.4" fill="#222"/>'
    '<circle cx="22" cy="22" r="5.4" fill="#fff"/></svg>'
)
_ICONS: Final = {
    "first": "M5 4h3v16H5zM20 4v16L9 12z",
    "back": "M17 4v16L6 12z",
    "play": "M6 3v18l14-9z",
    "forward": "M7 4v16l11-8z",
    "last": "M16 4h3v16h-3zM4 4v16l11-8z",
}
_STEPS: Final = {
    "first": "To the start",
    "back": "One move back",
    "play": "Play through the game",
    "forward": "One move forward",
    "last": "To the end",
}


class Section(NamedTuple):
    """A part of a page. name: its anchor; title: in the navigation; body: HTML."""

    name: str
    title: str
    body: str


class Frame(NamedTuple):
    """What stands around the sections. title: plain text, as facts, on the line below it.

    kind: of page, beside the name of the program. skip: the anchor of the section to skip to.
    styles, scripts: files of protocol/page, in order. footer: HTML.
    """

    title: str
    kind: str
    facts: str
    skip: str
    styles: Sequence[str]
    scripts: Sequence[str]
    footer: str


def framed(frame: Frame, sections: Sequence[Section], data: Any) -> str:
    """The whole page as text, to be written as UTF-8.

    data: what the scripts read, as JSON in the element "data".
    """
    scripts = "".join(asset(name) for name in frame.scripts)
    script = f"(() => {{\n'use strict';\n{scripts}}})();\n"
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
        f" form-action 'none'; script-src 'sha256-{_digest(script)}'"
    )
    style = "".join(asset(name) for name in frame.styles)
    title = escape(frame.title)
    links = "".join(f'<a href="#{each.name}">{each.title}</a>' for each in sections)
    skip = next(each.title.lower() for each in sections if each.name == frame.skip)
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="Shisan {VERSION}">\n'
        f"<title>{title} · Shisan</title>\n<style>\n{style}</style>\n"
        f'</head>\n<body>\n<a class="skip" href="#{frame.skip}">Skip to the {skip}</a>\n',
        f'<header class="top"><div class="brand">{_MARK}<span><b>Shisan</b> {frame.kind}</span>'
        f'</div><h1>{title}</h1><p class="facts">{escape(frame.facts)}</p>'
        "</header>\n",
        f'<nav aria-label="Sections"><div><div class="links">{links}</div><button id="theme"'
        ' type="button" aria-label="Switch between light and dark">◐</button></div></nav>\n',
        "<main>\n",
        *(
            f'<section id="{each.name}" aria-label="{each.title}">{each.body}</section>\n'
            for each in sections
        ),
        f"</main>\n<footer>{frame.footer}</footer>\n",
        f'<script type="application/json" id="data">{_json(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n",
    ]
    return "".join(parts)


@cache
def asset(name: str) -> str:
    """A file of protocol/page."""
    return (FOLDER / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def _json(data: Any) -> str:
    """JSON that cannot end its element."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def step_buttons() -> str:
    """The buttons to step through a game, as HTML: first, back, play, forward, last."""
    buttons = "".join(
        f'<button id="{name}" type="button" aria-label="{said}" title="{said}">'
        f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{_ICONS[name]}"/></svg></button>'
        for name, said in _STEPS.items()
    )
    return f'<div class="buttons">{buttons}</div>'


def point_letters(points: Iterable[Point]) -> str:
    """Points as the scripts read them, two letters each.

    >>> point_letters([(7, 7), (0, 14)])
    'hhao'
    """
    return "".join(chr(ord("a") + part) for point in points for part in point)
