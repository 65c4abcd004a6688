"""Bytes to text, where a file does not say its encoding: UTF-8, UTF-16 with its mark, GBK, Latin-1.

Moves are ASCII in every format, so that a wrong guess spoils names and comments at worst.
"""

import codecs
import re
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_PAIR: Final = re.compile(rb"[\x80-\xff].", re.DOTALL)

_TEXTUAL: Final = re.compile(
    r"(us[-_]?)?ascii|utf[-_]?(8|16|32)([-_]?[lb]e)?|gb\w{1,6}|hz|big5\w*|s(hift)?[-_]?jis"
    r"|euc[-_]?(jp|kr|cn)|iso[-_]?8859[-_]?\d+|latin[-_]?\d|(windows|cp)[-_]?\d+|koi8[-_]?[ru]"
)
"""Names of encodings of text, as files give them; Python has others under which texts can hide."""


def decode(data: bytes, encoding: str = "") -> str:
    """The text of these bytes; never fails.

    encoding: what the file says of itself; a name that is unknown or does not fit is passed over.

    >>> decode("五目".encode("gbk")), decode("Müller".encode("latin-1"))
    ('五目', 'Müller')
    """
    for name in (declared(data, encoding), guessed(data)):
        if name:
            try:
                return data.decode(name).removeprefix("\ufeff")
            except UnicodeError:
                continue
    return data.decode("latin-1")


def declared(data: bytes, told: str = "") -> str:
    """The encoding by the mark at the beginning, else what is told if that is one; else ""."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    name = told.strip().lower()
    if _TEXTUAL.fullmatch(name):
        try:
            return codecs.lookup(name).name
        except LookupError:
            pass
    return ""


def guessed(data: bytes) -> str:
    """The encoding that bytes without a mark are most likely in.

    GBK writes letters as pairs of bytes that are nearly all above 127; in Latin-1 such a byte
    mostly stands alone, before a plain letter.
    """
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    pairs = _PAIR.findall(data)
    if 2 * sum(pair[1] > 0x7F for pair in pairs) > len(pairs):
        try:
            data.decode("gbk")
            return "gbk"
        except UnicodeDecodeError:
            pass
    return "latin-1"
