"""A skipped test proves nothing: the tests that `make test` cannot run here are counted, and CI has
to run them all."""

import os

import pytest

from .starvation import REASON


class Skips:
    def __init__(self):
        self.reasons = []

    def pytest_runtest_logreport(self, report):
        if report.skipped and REASON not in str(report.longrepr):
            self.reasons.append(f"{report.nodeid}: {report.longrepr[-1]}")

    def pytest_sessionfinish(self, session):
        if self.reasons and os.environ.get("CI") and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if not self.reasons:
            return
        terminalreporter.section(f"not tried here: {len(self.reasons)} tests")
        for reason in self.reasons:
            terminalreporter.line(reason)
        if os.environ.get("CI"):
            terminalreporter.line("CI skips nothing: this run has failed")
