"""Repeats a test that judges by the clock and failed while the host withheld CPU: it has shown
nothing.

Only tests of the lane that judges by the clock (harness/lanes.py) are repeated, and only for
failures that a lack of CPU explains: an assertion or a time-out, while no server died, no HTTP
status or exit status was wrong and no page reported an error. The recordings of the module are then
made again, up to ATTEMPTS times. A failure that returns at the same line counts; one that was only
late has all ATTEMPTS. If the host keeps withholding CPU, the test is skipped, and the reason states
how much was missing. A run with more than SKIPS_MAXIMUM such skips fails. None of this affects a
test that passes.
"""

import re
import time

import pytest
from _pytest.runner import runtestprotocol

from . import machine, server
from .fault import Fault
from .lanes import is_aside

STARVED = 0.15  # of the machine over two seconds
# s. This share of the machine for this long holds up one core for 150 ms, which is audible.
SHORT_PIECE = 0.5
ATTEMPTS = 3
CALM_TIMEOUT = 60  # s
BUDGET = 420  # s that repetitions may take in one run of the tests, the waits included
SKIPS_MAXIMUM = 3  # in one run
# Messages which only say that something did not come in time.
LATE = re.compile(r"not within|TimeoutError|Timeout \d+ ?ms|no answer to|no on-|timed out")
# Assertions, as pytest prints them, that fail for reasons other than a slow machine.
WRONG = re.compile(r"\.status\b|\.status_code\b|\breturncode\b|\.poll\b|\.wait\b|\.stop\b|"
                   r"\.errors\b")
REASON = "the host kept back"
AGAIN = "made again"  # the property of a report that tells why

watch = machine.Watch(machine.effort, machine.stolen)
watch.start()
_failures = pytest.StashKey()


class Failure:
    """One phase of a test that failed: where, and whether a lack of CPU can explain it."""

    def __init__(self, item, raised):
        self.place = _place(item, raised)
        text = raised.exconly()
        self.is_late = LATE.search(text) is not None
        self.is_explained = _is_of_time(raised.value) and not WRONG.search(text)


def _place(item, raised):
    """The file and line of the test, or of its fixture, that raised."""
    own = [entry for entry in raised.traceback if entry.path == item.path]
    entry = own[-1] if own else raised.traceback[-1]
    return str(entry.path), entry.lineno


def _is_of_time(error):
    if isinstance(error, Fault):
        return False
    # Playwright has a TimeoutError of its own, and subprocess another name for it.
    return (isinstance(error, (AssertionError, TimeoutError, pytest.fail.Exception))
            or type(error).__name__ in ("TimeoutError", "TimeoutExpired"))


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


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if outcome.get_result().failed:
        item.stash.setdefault(_failures, []).append(Failure(item, call.excinfo))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _until_it_counts(item, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _until_it_counts(item, nextitem):
    """The reports of the last attempt."""
    global _spent
    made = _made.setdefault(item.getparent(pytest.Module).nodeid, Made())
    places = set()
    for attempt in range(1, ATTEMPTS + 1):
        item.stash[_failures] = []
        begin = time.monotonic()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        _spent += time.monotonic() - begin if attempt > 1 else 0
        failures = item.stash[_failures]
        if not failures or _counts(item, failures, places):
            return reports
        share = _kept_back([*made.times, (begin, time.monotonic())])
        if share < STARVED:
            return reports
        failed = [report for report in reports if report.failed]
        words = f"{REASON} {share:.0%} of the CPU"
        if attempt == ATTEMPTS or _spent > BUDGET:
            # A late result had its time in CPU seconds on each attempt: it is not coming.
            if attempt > 1 and all(one.is_late and one.place in places for one in failures):
                return reports
            _skip(item, failed, words)
            return reports
        places |= {one.place for one in failures}
        item.user_properties.append((AGAIN, f"{item.nodeid}: {words}: {_cause(failed[0])}"))
        made.forget()
        _spent += watch.wait_for_calm(STARVED / 2, CALM_TIMEOUT)


def _counts(item, failures, places):
    """Whether this is a failure however little CPU there was."""
    if is_aside(item.path.stem) or server.deaths():
        return True
    if not all(one.is_explained for one in failures):
        return True
    return any(one.place in places and not one.is_late for one in failures)


def _skip(item, failed, words):
    for report in failed:
        report.outcome = "skipped"
        report.longrepr = (*item.location[:2], f"{words}: {_cause(report)}")


def _kept_back(windows):
    return max(
        max(watch.worst(*window), watch.worst(*window, SHORT_PIECE))
        for window in windows)


def _cause(report):
    """The first line of a failure that states the error."""
    lines = report.longreprtext.strip().splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E ")] or lines[-1:]
    return (errors or [""])[0][:200]


class Account:
    """What a run forgave, and whether that is too much. In the process that reports."""

    def __init__(self):
        self.again = []
        self.skipped = []

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.again += [why for name, why in report.user_properties if name == AGAIN]
        if report.skipped and REASON in str(report.longrepr):
            self.skipped.append(report.nodeid)

    def pytest_sessionfinish(self, session):
        if len(self.skipped) > SKIPS_MAXIMUM and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if not self.again and not self.skipped:
            return
        terminalreporter.section("starved of CPU")
        for why in self.again:
            terminalreporter.line(f"made again: {why}")
        terminalreporter.line(f"made again: {len(self.again)}, skipped: {len(self.skipped)} "
                              f"(at most {SKIPS_MAXIMUM})")
