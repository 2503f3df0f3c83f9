"""Prints the seeds of a run at its end: a test with random moments or bytes reports its seed with
`record_property("seed", …)`, so that it can be repeated."""


class Seeds:
    def __init__(self):
        self.drawn = []

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.drawn += [(report.nodeid, seed) for name, seed in report.user_properties
                           if name == "seed"]

    def pytest_terminal_summary(self, terminalreporter):
        for test, seed in self.drawn:
            terminalreporter.line(f"seed {seed}: {test}")
