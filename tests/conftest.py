"""What holds for every test: signals are as a person's shell leaves them, however we were started.

A suite that runs in the background or under nohup begins with some of them ignored, and so would
all that it starts: Ctrl-C would then do nothing, and say nothing of what it does for people.
"""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
