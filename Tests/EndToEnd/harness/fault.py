"""Failures that no lack of CPU explains."""


class Fault(AssertionError):
    """A dead process, an error on a page, lost data: it counts the first time, however busy the
    host was (harness/starvation.py)."""
