"""Waiting for a condition with a deadline: the tests never sleep and hope."""

import time

from .machine import clock


def wait_for(what, condition, timeout, interval=0.1):
    """Returns the first truthy value of `condition()`; fails after `timeout` seconds, counted only
    while the machine has its CPU."""
    deadline = clock() + timeout
    value = None
    while True:
        value = condition()
        if value:
            return value
        if clock() > deadline:
            raise AssertionError(f"{what}: not within {timeout} s, last seen: {value!r}")
        time.sleep(interval)
