"""Failures that no lack of CPU explains."""


class Fault(AssertionError):
    """A process that died, an error on a page, something lost: it counts the first time, however
    busy the host was (harness/starvation.py)."""
