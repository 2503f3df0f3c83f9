"""A test that failed while the host kept the CPU back has shown nothing: it is made again.

The tests judge sound and picture in real time, and they record once for a module. So a failure
counts if the machine had its CPU during the test and during its module's recordings. If not, the
recordings are made anew, ATTEMPTS times in all; where the host does not give way the test is
skipped, and the reason says how much was missing. But what fails twice in the same words does not
fail for want of CPU, unless they say that something came too late: that counts. Nothing of this
happens to a test that passes.
"""

import re
import time

import pytest
from _pytest.runner import runtestprotocol

from .machine import Watch

STARVED = 0.15  # of the machine over two seconds
# s. So much of the machine over so long holds up one core for 150 ms, which is heard.
SHORT_PIECE = 0.5
# What fails for want of time says the same each time.
LATE = re.compile(r"not within|TimeoutError|Timeout \d+ ?ms|no answer to|no on-|timed out")
ATTEMPTS = 3
CALM_TIMEOUT = 60  # s
BUDGET = 420  # s that repetitions may take in one run of the tests, the waits included

watch = Watch()


class Made:
    """The fixtures that were set up for a module, and when."""

    def __init__(self):
        self.fixtures = []  # (fixture, request)
        self.times = []

    def forget(self):
        """Tears them down, so that the next test that asks sets them up again."""
        for fixture, request in reversed(self.fixtures):
            fixture.finish(request)
        self.fixtures, self.times = [], []


_made = {}
_spent = 0.0


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef, request):
    begin = time.monotonic()
    yield
    if fixturedef.scope == "module":
        made = _made.setdefault(request.node.nodeid, Made())
        made.fixtures.append((fixturedef, request))
        made.times.append((begin, time.monotonic()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    global _spent
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    made = _made.setdefault(item.getparent(pytest.Module).nodeid, Made())
    words_before = None
    for attempt in range(1, ATTEMPTS + 1):
        begin = time.monotonic()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        _spent += time.monotonic() - begin if attempt > 1 else 0
        failed = [report for report in reports if report.failed]
        share = _kept_back([*made.times, (begin, time.monotonic())]) if failed else 0
        if share < STARVED or _words(failed) == words_before and not _is_late(words_before):
            break
        words_before = _words(failed)
        words = f"the host kept back {share:.0%} of the CPU"
        if attempt == ATTEMPTS or _spent > BUDGET:
            for report in failed:
                report.outcome = "skipped"
                report.longrepr = (*item.location[:2], f"{words}: {_cause(report)}")
            break
        item.warn(pytest.PytestWarning(f"made again, as {words}: {_cause(failed[0])}"))
        made.forget()
        _spent += watch.wait_for_calm(STARVED / 2, CALM_TIMEOUT)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _kept_back(windows):
    return max(
        max(watch.worst(*window), watch.worst(*window, SHORT_PIECE))
        for window in windows)


def _is_late(words):
    return all(LATE.search(one) for one in words)


def _words(reports):
    """What failures say, without the ports, identifiers and directories of an attempt."""
    return [re.sub(r"[0-9a-f]{5,}|\d+/", "#", " ".join(_errors(report))) for report in reports]


def _cause(report):
    """The first line of a failure that says what is wrong."""
    return (_errors(report) or [""])[0][:200]


def _errors(report):
    lines = report.longreprtext.strip().splitlines()
    return [line[1:].strip() for line in lines if line.startswith("E ")] or lines[-1:]
