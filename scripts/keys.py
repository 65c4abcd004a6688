"""What a terminal sends, as names of keys: arrows and the like out of escape sequences."""

import re
from typing import Final

_SEQUENCE: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])")
_BEGUN: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?")
_FINALS: Final = {
    b"A": "up",
    b"B": "down",
    b"C": "right",
    b"D": "left",
    b"H": "home",
    b"F": "end",
    b"M": "enter",
}
_CONTROLS: Final = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x03": "leave",
    "\x04": "leave",
    "\x0c": "redraw",
}
UNKNOWN: Final = "unknown"
"""A key that has no name here."""


def decode(data: bytes, final: bool = False) -> tuple[list[str], bytes]:
    r"""Return the keys in what was read, and what may be the beginning of another one.

    A key is the character it makes, or one of up, down, left, right, home, end, enter, backspace,
    escape, leave (Ctrl-C or Ctrl-D as a character), redraw (Ctrl-L), UNKNOWN. final: nothing
    follows, so that a lone escape character is the key of that name.

    >>> decode(b"h8\x1b[A\r")
    (['h', '8', 'up', 'enter'], b'')
    >>> decode(b"\x1b[1;"), decode(b"\x1b", final=True)
    (([], b'\x1b[1;'), (['escape'], b''))
    """
    keys: list[str] = []
    at = 0
    while at < len(data):
        if data[at] == 0x1B:
            whole = _SEQUENCE.match(data, at)
            if whole is not None:
                keys.append(_named(whole[0]))
                at = whole.end()
                continue
            begun = _BEGUN.match(data, at)
            assert begun is not None
            if begun.end() == len(data) and not final:
                return keys, data[at:]
            keys.append("escape" if begun.end() == at + 1 else UNKNOWN)
            at = begun.end()
            continue
        length = _length(data[at])
        part = data[at : at + length]
        if len(part) < length and not final and not part[1:].strip(_TAIL):
            return keys, part
        text = part.decode("utf-8", "replace")
        if "\ufffd" in text:
            text, length = "\ufffd", 1
        keys.append(_CONTROLS.get(text, text if text.isprintable() else UNKNOWN))
        at += length
    return keys, b""


_TAIL: Final = bytes(range(0x80, 0xC0))


def _length(first: int) -> int:
    """How many bytes a character of UTF-8 has that begins with this one."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _named(sequence: bytes) -> str:
    """The key of a whole sequence; Shift and the like change nothing."""
    numbered = {b"\x1b[1~": "home", b"\x1b[7~": "home", b"\x1b[4~": "end", b"\x1b[8~": "end"}
    if sequence in numbered:
        return numbered[sequence]
    plain = re.fullmatch(rb"\x1b(?:O|\[(?:1;\d+)?)([A-DFHM])", sequence)
    return _FINALS[plain[1]] if plain else UNKNOWN
