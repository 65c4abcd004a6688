"""shisan check: does a proof hold? By the plain reference of the rules, every legal reply tried."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shisan.engine import Proof, Verdict, check_proof
from shisan.protocol.notation import points_text
from shisan.protocol.proofs import ProofError, read_proof

EXAMPLES = """\
examples:
  shisan solve h8i9h10 --proof win.json && shisan check win.json
  shisan check proofs/*.json          one line each; the status is 1 if any breaks
  shisan check --json win.json        the same for programs: one object a line
  shisan check - < win.json           from stdin

The checker shares nothing with the search. It takes moves from the file and nothing else: which
replies are legal, who makes a five and how long that takes it works out by the rules.

exit status: 0 all are accepted; 1 one breaks, is no proof, or was not finished within --nodes;
2 wrong usage.
"""


def parser() -> argparse.ArgumentParser:
    """The command's parser."""
    made = argparse.ArgumentParser(
        prog="shisan check",
        usage="shisan check PROOF... [options]",
        description="Check proofs that `shisan solve --proof` or anybody else wrote"
        " (docs/proofs.md): accepted, or the moves that lead to where they break, and why.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("proofs", nargs="+", metavar="PROOF", help="files; - is stdin")
    made.add_argument(
        "--nodes", type=int, default=50_000_000, help="give up after so many stones (50000000)"
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    if options.nodes < 0:
        command.error(f"--nodes must be 0 or more, not {options.nodes}")
    accepted = True
    for name in options.proofs:
        try:
            proof = read_proof(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
        except OSError as error:
            said = {"status": "unreadable", "reason": f"cannot read: {error.strerror}"}
        except ProofError as error:
            said = {"status": "unreadable", "reason": str(error)}
        else:
            said = _report(proof, check_proof(proof, options.nodes))
        accepted = accepted and said["status"] == "accepted"
        print(json.dumps({"file": name, **said}) if options.json else f"{name}: {_text(said)}")
        sys.stdout.flush()
    return 0 if accepted else 1


def _report(proof: Proof, verdict: Verdict) -> dict[str, Any]:
    """What there is to say of a checked proof."""
    status = {"proven": "accepted", "broken": "broken"}.get(verdict.status, "not finished")
    said: dict[str, Any] = {"status": status, "nodes": verdict.nodes}
    if verdict:
        said |= {"attacker": proof.attacker.name.lower(), "kind": proof.kind}
        said |= {"plies": verdict.plies, "line": points_text(verdict.line)}
    else:
        said |= {"reason": verdict.reason, "line": points_text(verdict.line)}
    return said


def _text(said: dict[str, Any]) -> str:
    """The same for people."""
    if said["status"] == "accepted":
        how = {"fours": " by fours", "threats": " by threats"}.get(said["kind"], "")
        winner = said["attacker"].capitalize()
        return f"accepted: {winner} wins{how} in {said['plies']} plies, {said['line']}"
    where = f" after {said['line']}" if said.get("line") else ""
    return f"{said['status']}{where}: {said['reason']}"
