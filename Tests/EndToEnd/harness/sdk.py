"""100ms' own web SDK, unmodified, on a page in Chromium, as its apps use it."""

import playwright.sync_api

from . import chromium
from .local_server import FileServer
from .waiting import wait_for

TIMEOUT = 20  # s
ACCOUNT_LENGTH = 200  # of what the SDK said, how many of the latest lines are printed

# The page of an app: its store, and functions for the tests. It records in `said` the notifications
# and exceptions that an app would show.
APP = """
(() => {
  const hms = window.hms;
  const reactive = new hms.HMSReactiveStore();
  const actions = reactive.getActions();
  const store = reactive.getStore();
  const plain = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
  const fault = (error) => ({
    code: error.code ?? null, name: error.name, message: error.message,
    description: error.description ?? null, action: error.action ?? null,
  });
  // Some of its promises are never kept.
  const timeout = () =>
    new Promise((_, reject) => setTimeout(() => reject(new Error("no end within 20 s")), 20_000));
  const attempt = async (body) => {
    try {
      return { value: plain(await Promise.race([body(), timeout()])) };
    } catch (error) {
      return { fault: fault(error) };
    }
  };
  const app = {
    said: [],
    act: (path, ...values) => attempt(() => {
      const names = path.split(".");
      const verb = names.pop();
      const owner = names.reduce((value, name) => value[name], actions);
      return owner[verb](...values);
    }),
    see: (selector, ...values) =>
      plain(store.getState(values.length ? hms[selector](...values) : hms[selector])),
    acceptRole: () =>
      attempt(() => actions.acceptChangeRole(store.getState(hms.selectRoleChangeRequest))),
    pages: (options) => attempt(async () => {
      const iterator = actions.getPeerListIterator(options);
      const pages = [];
      do pages.push(await iterator.next()); while (iterator.hasNext());
      return { pages, total: iterator.getTotal() };
    }),
    shareCanvas: () => attempt(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = 640;
      canvas.height = 360;
      const context = canvas.getContext("2d");
      let hue = 0;
      setInterval(() => {
        context.fillStyle = `hsl(${(hue += 5)} 80% 50%)`;
        context.fillRect(0, 0, 640, 360);
      }, 100);
      await actions.addTrack(canvas.captureStream(10).getVideoTracks()[0], "screen");
    }),
    watch: (track) => attempt(async () => {
      const video = document.createElement("video");
      video.style.width = "320px";
      video.style.height = "180px";
      document.body.append(video);
      await actions.attachVideo(track, video);
    }),
  };
  reactive.getNotifications().onNotification(({ type, data }) => {
    app.said.push({ type, data: data instanceof Error ? fault(data) : plain(data) });
  });
  window.app = app;
})();
"""

# Chromium considers a machine offline if it has no network but its loopback. The SDK then retries
# for a minute what it would otherwise give up at once.
ONLINE = 'Object.defineProperty(Navigator.prototype, "onLine", { get: () => true });'

PAGE = b"""<!doctype html>
<meta charset="utf-8">
<title>An app of 100ms' web SDK</title>
<script src="/sdk.js"></script>
<script src="/app.js"></script>
"""


class Site(FileServer):
    """Where the app is served from: another origin than Roomcast, as of any customer's."""

    def __init__(self, path):
        super().__init__({
            "/": ("text/html", PAGE),
            "/sdk.js": ("text/javascript", path.read_bytes()),
            "/app.js": ("text/javascript", APP.encode()),
        })


def endpoint(base):
    """As `initEndpoint`. The SDK looks for `https://` in it and throws if it is missing
    (docs/PROTOCOL.md section 2); a fragment is not sent."""
    return f"{base}/#https://local"


class SDKError(Exception):
    """An HMSException, or another exception of the SDK."""

    def __init__(self, action, fault):
        self.code = fault["code"]
        super().__init__(f"{action}: {fault}")


class App:
    """A user of the SDK; not in a room until `join`."""

    def __init__(self, browser, site, name):
        self.name = name
        self.lines = []
        self.uncaught = []
        self.context = browser.new_context(permissions=["camera", "microphone"])
        self.context.add_init_script(chromium.KEEP_CONNECTIONS)
        self.context.add_init_script(ONLINE)
        self.page = self.context.new_page()
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.uncaught.append(str(error)))
        self.page.goto(f"{site.base}/")

    def act(self, action, *values):
        """An action of the SDK, awaited."""
        return self._value(action, self.page.evaluate(
            "([action, values]) => app.act(action, ...values)", [action, list(values)]))

    def see(self, selector, *values):
        """A selector's result in the store; with values, that of the selector made from them."""
        return self.page.evaluate(
            "([selector, values]) => app.see(selector, ...values)", [selector, list(values)])

    def wait_to_see(self, what, selector, *values, accept=bool, timeout=TIMEOUT):
        """A selector's result once `accept` accepts it."""
        found = []

        def looked():
            found[:] = [self.see(selector, *values)]
            return accept(found[0])

        wait_for(f"{self.name} sees {what} ({selector})", looked, timeout)
        return found[0]

    def join(self, base, token, **config):
        self.act("join", {"userName": self.name, "authToken": token,
                          "initEndpoint": endpoint(base)} | config)

    def preview(self, base, token, **config):
        self.act("preview", {"userName": self.name, "authToken": token,
                             "initEndpoint": endpoint(base)} | config)

    @property
    def peer_id(self):
        return self.see("selectLocalPeerID")

    def accept_role(self):
        self._value("acceptChangeRole", self.page.evaluate("() => app.acceptRole()"))

    def pages_of_peers(self, **options):
        """The iterator's pages, and the total that it reports."""
        return self._value("getPeerListIterator",
                           self.page.evaluate("(options) => app.pages(options)", options))

    def share_a_canvas(self):
        """As its screen, which a browser without one has not."""
        self._value("addTrack", self.page.evaluate("() => app.shareCanvas()"))

    def watch(self, track):
        """Shows a track in a video element, which the SDK then asks the server for."""
        self._value("attachVideo", self.page.evaluate("(track) => app.watch(track)", track))

    def inbound(self, kind):
        return self.page.evaluate("(kind) => window.streams('inbound-rtp', kind)", kind)

    def said(self, kind, accept=lambda data: True):
        """The data of the SDK's notifications of a kind, oldest first."""
        return [one["data"] for one in self.page.evaluate("() => app.said")
                if one["type"] == kind and accept(one["data"])]

    def wait_for(self, kind, accept=lambda data: True, timeout=TIMEOUT):
        return wait_for(f"{self.name} is told {kind}", lambda: self.said(kind, accept), timeout)[0]

    def account(self):
        """All messages of the SDK, for a failure's report."""
        try:
            said = [str(one) for one in self.page.evaluate("() => app.said")]
        except playwright.sync_api.Error as error:
            said = [f"the page does not answer: {error}"]
        lines = said[-ACCOUNT_LENGTH:] + self.lines[-ACCOUNT_LENGTH:]
        thrown = [f"uncaught: {error}" for error in self.uncaught]
        return "\n".join([f"--- {self.name}", *lines, *thrown])

    def close(self):
        self.context.close()

    def _logged(self, line):
        if line.type in ("error", "warning"):
            self.lines.append(f"{line.type}: {line.text}")

    def _value(self, action, outcome):
        if "fault" in outcome:
            raise SDKError(f"{self.name}: {action}", outcome["fault"])
        return outcome["value"]
