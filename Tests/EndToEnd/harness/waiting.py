"""Waiting for a condition with a deadline: the tests never sleep and hope."""

import time


def wait_for(what, condition, timeout, interval=0.1):
    """Returns the first truthy value of `condition()`; fails after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    value = None
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout} s, last seen: {value!r}")
        time.sleep(interval)
