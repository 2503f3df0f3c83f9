"""OpenVidu's own web client, openvidu-browser, unmodified, on a page in a browser, as its apps use it."""

import socket
import subprocess
import sys

from . import chromium
from .local_server import FileServer
from .server import free_port
from .waiting import wait_for

VERSIONS = ["2.16.0", "2.20.0", "2.25.0", "2.30.0", "2.32.2"]
TIMEOUT = 30  # s

# The apps of a page: each one's session, its events, and functions for the tests. What is shown goes
# into a box that has the app's name.
APPS = """
(() => {
  const EVENTS = [
    "connectionCreated", "connectionDestroyed", "streamCreated", "streamDestroyed",
    "streamPropertyChanged", "sessionDisconnected", "reconnecting", "reconnected", "signal",
    "recordingStarted", "recordingStopped", "exception",
  ];
  // Some are told without an object.
  const plain = (name, event = {}) => ({
    name,
    type: event.type ?? null,
    reason: event.reason ?? null,
    connection: event.connection?.connectionId ?? event.stream?.connection?.connectionId ?? null,
    stream: event.stream?.streamId ?? null,
    typeOfVideo: event.stream?.typeOfVideo ?? null,
    from: event.from?.connectionId ?? null,
    data: event.data ?? null,
    property: event.changedProperty ?? null,
    value: event.newValue ?? null,
    id: event.id ?? null,
    message: event.message ?? null,
  });
  const within = (promise, what) => Promise.race([
    promise,
    new Promise((_, reject) => setTimeout(() => reject(new Error(`no end of ${what}`)), 30_000)),
  ]);
  // Its errors are objects with a name and a message.
  const attempt = async (what, body) => {
    try {
      return { value: (await within(body(), what)) ?? null };
    } catch (error) {
      return { error: `${what}: ${error?.name ?? ""} ${error?.message ?? error}` };
    }
  };
  const canvas = (colour) => {
    const element = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
    const context = element.getContext("2d");
    setInterval(() => {
      context.fillStyle = colour;
      context.fillRect(0, 0, 320, 180);
      context.fillStyle = "white";
      context.fillRect((performance.now() / 10) % 300, 80, 20, 20);
    }, 50);
    return element.captureStream(15);
  };
  navigator.mediaDevices.getDisplayMedia = async () => canvas("green");

  class App {
    constructor(name) {
      this.said = [];
      this.subscribers = {};
      this.box = document.createElement("div");
      this.box.id = `box-${name}`;
      document.body.append(this.box);
      this.openvidu = new OpenVidu();
      this.session = this.openvidu.initSession();
      for (const name of EVENTS) {
        this.session.on(name, (event) => this.said.push(plain(name, event)));
      }
      this.session.on("streamCreated", ({ stream }) => {
        this.subscribers[stream.streamId] = this.session.subscribe(stream, this.box);
      });
      this.session.on("streamDestroyed", ({ stream }) => {
        delete this.subscribers[stream.streamId];
      });
    }
    connect(token, data) { return this.session.connect(token, data); }
    async publish(options) {
      this.publisher = await this.openvidu.initPublisherAsync(this.box, {
        resolution: "320x240", frameRate: 15, mirror: false, ...options });
      this.publisher.on("streamDestroyed", (event) =>
        this.said.push(plain("ownStreamDestroyed", event)));
      await this.session.publish(this.publisher);
      return this.publisher.stream.streamId;
    }
    unpublish() { return this.session.unpublish(this.publisher); }
    mute(kind, isActive) { this.publisher[kind === "video" ? "publishVideo" : "publishAudio"](isActive); }
    signal(data, type, to) {
      const known = this.session.remoteConnections ?? this.session.openvidu.session.remoteConnections;
      const find = (id) => (typeof known.get === "function" ? known.get(id) : known[id]);
      return this.session.signal({ data, type, to: to?.map(find) });
    }
    forceUnpublish(stream) {
      return this.session.forceUnpublish(this.subscribers[stream].stream);
    }
    forceDisconnect(stream) {
      return this.session.forceDisconnect(this.subscribers[stream].stream.connection);
    }
    unsubscribe(stream) {
      this.session.unsubscribe(this.subscribers[stream]);
      delete this.subscribers[stream];
    }
    disconnect() { this.session.disconnect(); }
    connections() {
      const known = this.session.remoteConnections;
      return known.keys ? [...known.keys()] : Object.keys(known);
    }
    id() { return this.session.connection.connectionId; }
    async received(stream) {
      const counts = { video: 0, audio: 0 };
      const peer = this.subscribers[stream]?.stream.getRTCPeerConnection();
      if (!peer) return counts;
      for (const report of (await peer.getStats()).values()) {
        if (report.type !== "inbound-rtp") continue;
        counts[report.kind] = report.kind === "video"
          ? report.framesDecoded ?? 0 : report.packetsReceived ?? 0;
      }
      return counts;
    }
  }
  window.apps = {};
  window.add = (name) => { window.apps[name] = new App(name); };
  window.call = (name, method, values) =>
    attempt(`${name}.${method}`, async () => window.apps[name][method](...values));
})();
"""

# openvidu-browser always speaks TLS, which this server leaves to a proxy. A test may cut the sockets.
# Chromium considers a machine offline if it has no network but its loopback.
SOCKETS = """
(() => {
  const Original = window.WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Original {
    constructor(address, ...others) {
      super(address.replace(/^wss:/, "ws:"), ...others);
      window.sockets.push(this);
    }
  };
  Object.defineProperty(Navigator.prototype, "onLine", { get: () => true });
})();
"""

PAGE = b"""<!doctype html>
<meta charset="utf-8">
<title>An app of OpenVidu's web client</title>
<script src="/client.js"></script>
<script src="/apps.js"></script>
"""


def pages(path):
    """The files of an app's page, by their paths."""
    return {
        "/": ("text/html", PAGE),
        "/client.js": ("text/javascript", path.read_bytes()),
        "/apps.js": ("text/javascript", APPS.encode()),
        "/favicon.ico": ("image/png", b""),
    }


class InChromium:
    """A page of its own for each person."""

    def __init__(self, browser, path):
        self._site = FileServer(pages(path))
        self._browser = browser
        self._contexts = []

    def begin(self):
        while self._contexts:
            self._contexts.pop().close()

    def page(self):
        context = self._browser.new_context(permissions=["camera", "microphone"])
        self._contexts.append(context)
        context.add_init_script(chromium.KEEP_CONNECTIONS)
        context.add_init_script(SOCKETS)
        page = context.new_page()
        page.goto(f"{self._site.base}/")
        return page

    def close(self):
        self.begin()
        self._site.close()


class InFirefox:
    """One page for all: its browser shows one at a time."""

    def __init__(self, firefox, namespace, path, directory):
        for name, (_, body) in pages(path).items():
            (directory / (name.strip("/") or "index.html")).write_bytes(body)
        port = free_port(socket.SOCK_STREAM)
        self._site = subprocess.Popen(
            [*namespace.prefix, sys.executable, "-m", "http.server", "--bind", "127.0.0.1",
             "--directory", str(directory), str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._firefox = firefox
        self._script = firefox.preload(f"() => {{ {SOCKETS} }}")
        self._url = f"http://127.0.0.1:{port}/"
        wait_for("the page is there", lambda: self._is_served(namespace, port), TIMEOUT)

    def _is_served(self, namespace, port):
        try:
            namespace.connect("127.0.0.1", port).close()
        except OSError:
            return False
        return True

    def begin(self):
        """A new page, for the people of a test."""
        self._firefox.navigate(self._url)

    def page(self):
        return self._firefox

    def close(self):
        self._firefox.unload(self._script)
        self._firefox.navigate("about:blank")
        self._site.terminate()
        self._site.wait()


class Person:
    """A user of an app, in no session until `join`."""

    def __init__(self, page, name):
        self.page = page
        self.name = name
        page.evaluate("(name) => add(name)", name)

    def call(self, method, *values):
        outcome = self.page.evaluate(
            "([name, method, values]) => call(name, method, values)", [self.name, method, list(values)])
        assert "error" not in outcome, f"{outcome['error']}; told {self.said()[-10:]}"
        return outcome["value"]

    def join(self, token):
        self.call("connect", token, {"clientData": self.name})
        self.id = self.call("id")

    def publish(self, **options):
        return self.call("publish", options)

    def said(self):
        return self.page.evaluate("(name) => apps[name].said", self.name)

    def told(self, event, accept=lambda event: True, timeout=TIMEOUT):
        """Waits for an event, also among those that came already."""
        return wait_for(
            f"{self.name} is told {event}",
            lambda: next((one for one in self.said() if one["name"] == event and accept(one)), None),
            timeout)

    def connections(self):
        """The ids of the others."""
        return self.call("connections")

    def wait_for_media(self, stream, more=10, kinds=("video", "audio")):
        """Waits until more frames and packets of a stream come."""
        before = self.call("received", stream)
        wait_for(
            f"{self.name} receives {stream}",
            lambda: all(self.call("received", stream)[kind] >= before[kind] + more for kind in kinds),
            TIMEOUT)

    def cut(self):
        """Closes the page's sockets under its client."""
        self.page.evaluate("() => window.sockets.forEach((socket) => socket.close())")
