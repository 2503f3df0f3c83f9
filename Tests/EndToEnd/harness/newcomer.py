"""A newcomer before a server that was just installed: from the first look at its pages, without a link
or a token, to a stream that somebody else watches."""

import time

from .waiting import wait_for

PASSWORD = "correct horse battery staple"
# A script does not read. It leaves a person, who does, the other half of two minutes.
MAXIMUM = 60  # s
TIMEOUT = 90  # s for each step, so that a slow one is told by its name


class Newcomer:
    """In a browser with a camera; `began` is when the installation was done."""

    def __init__(self, browser, base, began):
        self._browser = browser
        self._base = base
        self._began = began
        self._contexts = []
        self._errors = []
        self.steps = {}  # what was reached, and after how many seconds

    def go_live(self):
        """Until the watch page plays; the steps with their times."""
        page = self._page(permissions=["camera", "microphone"])
        page.goto(self._base)
        # What is not possible is not offered; the way is.
        page.get_by_test_id("invited").wait_for()
        assert not page.is_visible("[data-testid=open-room]")
        page.get_by_test_id("operator").click()
        page.get_by_test_id("login").wait_for()
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_test_id("new-room").wait_for()
        self._reached("logged in")
        page.get_by_test_id("new-room").fill("first-steps")
        page.get_by_test_id("make-room").click()
        with page.context.expect_page() as opened:
            page.get_by_test_id("open-host").click()
        self._reached("link opened")
        self._host(opened.value)
        return self.steps

    def _host(self, page):
        self._watch_errors(page)
        page.wait_for_load_state()
        page.fill("[data-testid=name]", "Ann")
        page.click("[data-testid=join]")
        page.wait_for_selector("[data-testid=call]:not([hidden])")
        self._reached("in the room")
        page.click("[data-testid=go-live]")
        page.click("[data-testid=confirm]")
        wait_for("the room is on air", lambda: page.get_attribute(
            "[data-testid=streaming-state]", "data-state") == "started", TIMEOUT)
        self._reached("on air")
        self._watch(page.evaluate("document.querySelector('[data-testid=watch-link]').href"))

    def _watch(self, address):
        """Somebody else, who has the link of the watch page alone."""
        page = self._page()
        page.goto(address)
        page.wait_for_function("() => document.querySelector('video').currentTime > 0.5")
        wait_for("the watch page says that it is live", lambda: page.inner_text(
            "[data-testid=live-badge]").startswith("Live"), TIMEOUT)
        self._reached("watched")

    def _page(self, **options):
        context = self._browser.new_context(**options)
        self._contexts.append(context)
        page = context.new_page()
        self._watch_errors(page)
        return page

    def _watch_errors(self, page):
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def _reached(self, step):
        self.steps[step] = round(time.monotonic() - self._began, 1)

    def close(self):
        for context in self._contexts:
            context.close()
        assert self._errors == []


def goes_live_in_time(browser, base, began):
    """Tells the steps, and fails if they take too long."""
    newcomer = Newcomer(browser, base, began)
    try:
        newcomer.go_live()
    finally:
        print("seconds after the installation:", newcomer.steps)
        newcomer.close()
    assert newcomer.steps["watched"] < MAXIMUM, newcomer.steps
