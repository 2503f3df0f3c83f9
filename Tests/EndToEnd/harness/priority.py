"""The lane that gives way: its processes, and its browsers, which have sessions of their own.

A niceness counts only among the processes of a session: the kernel first divides the cores among the
sessions (autogroups, sched(7)), each of which has a niceness too. So the lane gets a session of its
own, and whatever begins another one in it makes that one as nice.
"""

import contextlib
import os
import shlex

NICENESS = 5
AUTOGROUP = "/proc/self/autogroup"
_gives_way = False


def give_way():
    """This process and all that it starts from now on leave the cores to others."""
    global _gives_way
    if _gives_way:
        return
    _gives_way = True
    os.nice(NICENESS)
    # Where there are no autogroups, or no session can begin, a niceness is all there is.
    with contextlib.suppress(OSError):
        os.setsid()
        with open(AUTOGROUP, "w") as file:
            file.write(str(NICENESS))


def script(command, niceness=None):
    """A program, as the text of a shell script, that begins a session as nice as this process is, or
    of that niceness."""
    niceness = (NICENESS if _gives_way else 0) if niceness is None else niceness
    # Nobody may become less nice.
    nicer = f"{{ echo {niceness} > {AUTOGROUP}; }} 2>/dev/null\n" if niceness else ""
    return f'#!/bin/sh\n{nicer}exec {shlex.join(command)} "$@"\n'
