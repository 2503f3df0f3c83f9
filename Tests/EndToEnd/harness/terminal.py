"""A terminal of a server's own, as a person has who starts it by hand."""

import sys

# The signal's default is set, since the caller of the tests may have ignored it, which child
# processes would inherit. The terminal stays open while the program runs: it has both ends.
_START = """
import fcntl, os, pty, signal, sys, termios
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.setsid()
own, others = pty.openpty()
os.set_inheritable(own, True)
fcntl.ioctl(others, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    prefix = [sys.executable, "-c", _START]
