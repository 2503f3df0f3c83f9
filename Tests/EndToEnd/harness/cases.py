"""Cases of one test, which share what is costly to make."""

from contextlib import contextmanager


@contextmanager
def case(name):
    """Whatever fails within it, be it an assertion or a timeout, names the case."""
    try:
        yield
    except BaseException as fault:  # pytest's own failures are no Exceptions
        fault.add_note(f"case: {str(name)[:200]}")
        raise
