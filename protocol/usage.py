"""What --help says."""

from .about import VERSION
from .options import help_table

TEXT = f"""\
Shisan {VERSION}, a five-in-a-row brain for the Gomocup/Piskvork protocol.

usage: pbrain-shisan [--help | --version | --bench]

--bench searches fixed positions, prints the signature of the search and leaves.

It talks on standard input and output, one command a line; other arguments are ignored. To try it
by hand, type (answers are indented):

  START 15              an empty board of 15x15
      OK
  INFO rule 4           settings are never answered
  INFO timeout_turn 1000
  BEGIN                 the brain makes the first move; points are x,y from 0,0 at the top left
      7,7
  TURN 8,6              the opponent's move; the brain answers with its own
      6,6
  BOARD                 a whole position: x,y,1 for the brain's stones, x,y,2 for the opponent's,
  7,7,2                 x,y,3 for points that nobody may use; the brain moves after DONE
  DONE
      8,8
  STOP                  ends a running search with its best move
  END                   leaves

Other commands: RECTSTART w,h  RESTART  TAKEBACK x,y  PLAY x,y  SWAP2BOARD  ABOUT
The verbs of Yixin-Board (yxboard, yxnbest n, yxblock, yxshowforbid ...) are in docs/yixin.md.

Settings, as INFO key value:

{help_table()}
"""
