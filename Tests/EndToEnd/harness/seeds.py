"""Seeds that a run drew, at its end: a test that draws moments or bytes says which with
`record_property("seed", …)`, and whoever wants the same again can have them."""


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
