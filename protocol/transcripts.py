"""What was said between a manager and its brains, with times."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class TranscriptLine(NamedTuple):
    """A line that was said. at_ns: by time.monotonic_ns, of writing or of arrival.

    way: ">" to the brain, "<" from it, "!" from it over stderr, "#" a remark of ours.
    """

    at_ns: int
    way: str
    text: str


def transcript_text(logs: Mapping[str, Sequence[TranscriptLine]]) -> str:
    """The transcripts of several brains, by their names, as one text in order of time.

    A line: seconds since the first one, name, way, text; characters that do not print are escaped.

    >>> print(transcript_text({"A": [TranscriptLine(0, ">", "BEGIN")],
    ...                        "B": [TranscriptLine(1_500_000, "<", "OK")]}), end="")
         0.0000 A > BEGIN
         0.0015 B < OK
    """
    lines = [(line, name) for name, log in logs.items() for line in log]
    lines.sort(key=lambda pair: pair[0].at_ns)
    start = lines[0][0].at_ns if lines else 0
    return "".join(
        f"{(line.at_ns - start) / 1e9:11.4f} {name} {line.way} {_shown(line.text)}\n"
        for line, name in lines
    )


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
