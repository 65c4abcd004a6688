"""shisan brain: the same as pbrain-shisan."""

from collections.abc import Sequence

EXAMPLES = """\
usage: shisan brain

Play under a manager that speaks the Gomocup/Piskvork protocol, over stdin and stdout. Other
arguments are ignored, as managers pass some. A game by hand:

  START 15             the board; the answer is OK
  INFO timeout_turn 1000
  BEGIN                the brain moves first; the answer is its move, such as 7,7
  TURN 8,8             your move, from 0 at the top left; the answer is the next move
  END

The README has the table of all INFO keys.
"""


def main(arguments: Sequence[str]) -> int:
    """Hand over to the protocol loop."""
    if "--help" in arguments or "-h" in arguments:
        print(EXAMPLES, end="")
        return 0
    from shisan.protocol.loop import main as loop

    return loop()
