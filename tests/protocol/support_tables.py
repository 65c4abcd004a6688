"""The tables of docs/managers/README.md, made from what the brain does.

`python tests/protocol/support_tables.py` writes them into the page; a test compares.
"""

import re
from pathlib import Path

from brains import Talk

from shisan.protocol import commands, yixin
from shisan.protocol.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "managers" / "README.md"

ARGUMENTS = {
    "RECTSTART": "RECTSTART 15,12",
    "START": "START 15",
    "TURN": "TURN 7,7",
    "PLAY": "PLAY 7,7",
    "TAKEBACK": "TAKEBACK 0,0",
    "INFO": "INFO timeout_turn 1000",
    "SWAP2BOARD": "SWAP2BOARD",
    "YXNBEST": "YXNBEST 2",
    "YXBALANCEONE": "YXBALANCEONE 0",
    "YXBALANCETWO": "YXBALANCETWO 0",
    "YXFORBID": "YXFORBID add 1 1 0",
}
"""What is sent to see the answer; any other verb is sent by itself. A stone stands on 0,0."""

STONES = {"YXSWAP2STEP2": 3, "YXSWAP2STEP3": 5}
"""Verbs that ask about a position of so many stones."""

SENDERS = {
    "START": "all",
    "RECTSTART": "Piskvork",
    "RESTART": "Piskvork, pygomo-lib",
    "INFO": "all",
    "BEGIN": "Piskvork, c-gomoku-cli, qpiskvork, pygomo-lib",
    "TURN": "all",
    "BOARD": "all",
    "DONE": "ends a list",
    "SWAP2BOARD": "Gomocup's judge, qpiskvork",
    "TAKEBACK": "Piskvork, pygomo-lib",
    "PLAY": "Piskvork, after a SUGGEST, which the brain never sends",
    "ABOUT": "c-gomoku-cli, qpiskvork, pygomo-lib",
    "STOP": "pygomo-lib",
    "YXSTOP": "Yixin-Board, c-gomoku-cli",
    "END": "all",
}
"""Who sends a verb; others that begin with YX are Yixin-Board's, the rest nobody's we know of."""

BY_PYGOMO = ("YXBOARD", "YXNBEST", "YXBALANCEONE", "YXBALANCETWO")


def verbs() -> list[str]:
    """Every verb that protocol/commands.py knows by name: the plain ones, then yx, then others."""
    known = {"INFO", "START", "RECTSTART", "YXSTOP", *map(str.upper, yixin.PLAIN)}
    for name, value in vars(commands).items():
        if name.isupper() and isinstance(value, tuple | set | frozenset | dict):
            known |= {text for text in value if isinstance(text, str) and text.isupper()}
    order = list(SENDERS)
    return sorted(
        known, key=lambda verb: (order.index(verb) if verb in order else len(order), verb)
    )


def said(answers: list[str]) -> str:
    """What kind of answer it is; MESSAGEs count where there is nothing else."""
    if all(answer.startswith("MESSAGE ") for answer in answers):
        return "`MESSAGE`" if answers else "nothing"
    kinds = []
    for answer in answers:
        if answer.startswith("MESSAGE "):
            continue
        if re.fullmatch(r"\d+,\d+", answer):
            kinds.append("a point")
        elif re.fullmatch(r"\d+,\d+( \d+,\d+)+", answer):
            kinds.append("points")
        elif answer.startswith('name="'):
            kinds.append("name, version, author")
        elif answer.startswith(("UNKNOWN ", "ERROR ", "FORBID ")):
            kinds.append(answer.split()[0])
        else:
            kinds.append(answer)
    return ", ".join(dict.fromkeys(f"`{k}`" if k.isupper() else k for k in kinds))


def answer_to(verb: str, gui: bool) -> str:
    """What a verb is answered with, its list ended if it has one; gui: a Yixin board's brain."""
    talk = Talk("START 15", *(["INFO show_detail 0"] if gui else []))
    if verb in STONES:
        stones = (f"{x},{x % 3},{1 + (x + 1) % 2}" for x in range(STONES[verb]))
        talk.send("YXBOARD", *stones, "DONE")
    elif verb not in ("BEGIN", "SWAP2BOARD"):
        talk.send("PLAY 0,0")
    lines = [ARGUMENTS.get(verb, verb)]
    if verb in ("BOARD", "SWAP2BOARD") or verb in commands.FOREIGN_LISTS:
        lines.append("DONE")
    if verb in commands.FOREIGN_PATHS:
        lines.append("/no/such/folder/file")
    answers = talk.send(*lines)
    if talk.over:
        return "leaves"
    if verb == "SWAP2BOARD":
        return "points or `SWAP`"  # by how many stones lie
    return "version" if verb == "PROTOCOLVERSION" else said(answers)


def command_table() -> str:
    """Verbs, answer, who sends them; verbs that are alike in both share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for verb in verbs():
        yx = verb.startswith("YX")
        who = SENDERS.get(verb, "Yixin-Board" if yx else "nobody that we know of")
        who += ", pygomo-lib" if verb in BY_PYGOMO else ""
        answer, to_board = answer_to(verb, gui=False), answer_to(verb, gui=True)
        if yx and to_board != answer:
            answer += f"; to a Yixin board: {to_board}"
        rows.setdefault((answer, who), []).append(verb)
    lines = ["| command | answer | sent by |", "| --- | --- | --- |"]
    lines += [f"| {' '.join(alike)} | {answer} | {who} |" for (answer, who), alike in rows.items()]
    return "\n".join(lines)


def rule_table() -> str:
    """Every rule sum and what is played for it."""
    rows = ["| `INFO rule` | played |", "| --- | --- |"]
    for value in range(16):
        settings = Settings()
        settings.take("rule", str(value))
        rows.append(f"| {value} | {settings.rules(15, 15)[1].partition(': ')[2]} |")
    settings = Settings()
    settings.take("show_detail", "0")
    settings.take("rule", "2")
    played = settings.rules(15, 15)[1].partition(": ")[2]
    rows.append(f"| 2 from a Yixin board | {played} |")
    return "\n".join(rows)


TABLES = {"commands": command_table, "rules": rule_table}


def filled(page: str) -> str:
    """The page with its tables made anew, each between its two comments."""
    for name, make in TABLES.items():
        start, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        before, _, rest = page.partition(start)
        assert rest, f"the page has no comment {start.strip()}"
        page = before + start + make() + end + rest.partition(end)[2]
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
