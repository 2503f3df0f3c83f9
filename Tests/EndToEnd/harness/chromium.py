"""The distribution's Chromium with its fake camera and microphone, driven by Playwright."""

import contextlib
import json
import tempfile
from pathlib import Path

from playwright.sync_api import TimeoutError

from . import priority, tokens
from .waiting import wait_for

EXECUTABLE = "/usr/bin/chromium"
ENTRANCE = 90  # s
PATIENCE = 90  # s that a context's pages wait for what they were asked for

ARGUMENTS = [
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--no-sandbox",  # Chromium refuses to run as root with its sandbox
]

LOOPBACK = "--allow-loopback-in-peer-connection"

# Lets the tests read the statistics of the page's PeerConnections, and the server's messages on the
# data channel that it opens.
KEEP_CONNECTIONS = """
(() => {
  const Original = window.RTCPeerConnection;
  window.connections = [];
  window.channelTexts = [];
  window.RTCPeerConnection = class extends Original {
    constructor(...arguments_) {
      super(...arguments_);
      window.connections.push(this);
      this.addEventListener("datachannel", ({ channel }) => {
        channel.addEventListener("message", ({ data }) => window.channelTexts.push(data));
      });
    }
  };
  window.outgoingBitrate = async () => {
    for (const connection of window.connections) {
      const all = [...(await connection.getStats()).values()];
      if (!all.some((report) => report.type === "outbound-rtp")) continue;
      return all.find((report) => report.availableOutgoingBitrate)?.availableOutgoingBitrate;
    }
  };
  window.paths = async () => {
    const paths = [];
    for (const connection of window.connections) {
      if (connection.connectionState !== "connected") continue;
      const all = await connection.getStats();
      for (const { type, selectedCandidatePairId } of all.values()) {
        const pair = type === "transport" && all.get(selectedCandidatePairId);
        if (!pair) continue;
        const [local, remote] = [all.get(pair.localCandidateId), all.get(pair.remoteCandidateId)];
        paths.push({ type: local.candidateType, protocol: local.protocol, from: local.address,
                     address: remote.address, port: remote.port });
      }
    }
    return paths;
  };
  window.streams = async (type, kind) => {
    const all = [];
    for (const connection of window.connections) {
      if (connection.connectionState === "closed") continue;
      for (const report of (await connection.getStats()).values()) {
        if (report.type === type && report.kind === kind) all.push({ ...report });
      }
    }
    return all;
  };
})();
"""

TILES = """() => [...document.querySelectorAll("[data-testid=tile]")].map((tile) => {
  const video = tile.querySelector("video");
  const canvas = document.createElement("canvas");
  canvas.width = 16; canvas.height = 9;
  const context = canvas.getContext("2d");
  let colour = null;
  if (video.videoWidth > 0) {
    context.drawImage(video, 0, 0, 16, 9);
    colour = [...context.getImageData(2, 4, 1, 1).data].slice(0, 3);
  }
  return {name: tile.dataset.name, isLocal: "local" in tile.dataset, source: tile.dataset.source,
          width: video.videoWidth, height: video.videoHeight, time: video.currentTime, colour};
})"""

PERSON = """(name) => {
  const isNamed = (row) => [name, `${name} (you)`].includes(row.querySelector("b").textContent);
  const row = [...document.querySelectorAll("[data-testid=person]")].find(isNamed);
  if (!row) return null;
  const { hidden, dataset } = row.querySelector("[data-testid=quality]");
  return { id: row.dataset.peer, quality: hidden ? null : Number(dataset.score) };
}"""


# What an element says from now on, each text once it is there: it may soon be another one.
NOTE_TEXTS = """(selector) => {
  const node = document.querySelector(selector);
  window.texts = [];
  new MutationObserver(() => window.texts.push(node.innerText))
    .observe(node, { childList: true, characterData: true, subtree: true });
}"""

STATE = """async () => ({
  notes: ["preview-note", "preview-error", "call-state", "farewell-reason"]
    .map((id) => document.getElementById(id)?.textContent).filter(Boolean),
  toasts: [...document.querySelectorAll(".toast")].map((node) => node.textContent),
  connections: window.connections.map((one) =>
    [one.connectionState, one.iceConnectionState, one.signalingState]),
  videos: (await window.streams("inbound-rtp", "video")).map((one) =>
    [one.packetsReceived, one.framesDecoded, one.frameWidth, one.pliCount]),
  said: window.channelTexts.slice(-4),
})"""


@contextlib.contextmanager
def launched(playwright, frame_rate=30):
    with tempfile.TemporaryDirectory(prefix="roomcast-chromium-") as directory:
        with _launched(playwright, Path(directory), [], frame_rate, [LOOPBACK]) as browser:
            yield browser


def inside(playwright, namespace, directory, frame_rate, arguments=()):
    """A browser in a namespace. Like for users, it does not use the loopback, unless it is told to.
    The directory is for the script that starts it there."""
    return _launched(playwright, directory, namespace.prefix, frame_rate, arguments)


@contextlib.contextmanager
def _launched(playwright, directory, prefix, frame_rate, arguments):
    # Playwright starts it in a session of its own.
    path = directory / "chromium"
    path.write_text(priority.script([*prefix, EXECUTABLE]))
    path.chmod(0o700)
    camera = f"--use-fake-device-for-media-stream=fps={frame_rate}"
    browser = playwright.chromium.launch(
        executable_path=path, args=[camera, *ARGUMENTS, *arguments])
    browser.on("context", lambda context: context.set_default_timeout(PATIENCE * 1000))
    yield browser
    browser.close()


class Participant:
    """A person in a room: the room page in a context of its own."""

    def __init__(self, browser, server, room, name, role="host", query="", script=None):
        self.name = name
        self.errors = []
        self.context = browser.new_context(permissions=["camera", "microphone"])
        self.context.add_init_script(KEEP_CONNECTIONS)
        if script:
            self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        token = tokens.room_token(room, user=name.lower(), role=role)
        self.page.goto(
            f"{server.base}/rooms/{room}?name={name}&auth_token={token}&skip_preview=true{query}"
        )
        try:
            self.page.wait_for_selector("[data-testid=call]", timeout=ENTRANCE * 1000)
        except TimeoutError as error:
            raise AssertionError(
                f"{name} is not in the room within {ENTRANCE} s: {self._state()}") from error

    def tiles(self):
        return self.page.evaluate(TILES)

    def tile(self, name):
        return next((tile for tile in self.tiles() if tile["name"] == name), None)

    def wait_for_picture_of(self, name, timeout=PATIENCE):
        """A person's tile, once frames arrive in it."""

        def moving():
            tile = self.tile(name)
            return tile and tile["width"] > 0 and tile["time"] > 0.5 and tile

        try:
            return wait_for(f"{self.name} sees {name}", moving, timeout, interval=0.25)
        except AssertionError as error:
            raise AssertionError(f"{error}; {self._state()}") from None

    def _state(self):
        """A description of the page for a failed wait."""
        return json.dumps(self.page.evaluate(STATE))

    def inbound(self, kind):
        return self._streams("inbound-rtp", kind)

    def outbound(self, kind):
        return self._streams("outbound-rtp", kind)

    def _streams(self, type, kind):
        return self.page.evaluate("([type, kind]) => window.streams(type, kind)", [type, kind])

    def paths(self):
        """For each established connection: our candidate's type, its protocol, our address, and the
        server's address and port."""
        return self.page.evaluate("() => window.paths()")

    def channel_notices(self, method):
        """The parameters of the server's messages of this method on the data channel, in order."""
        texts = self.page.evaluate("() => window.channelTexts")
        frames = [json.loads(text) for text in texts]
        return [frame["params"] for frame in frames if frame.get("method") == method]

    def outgoing_bitrate(self):
        """The browser's estimate of its sending rate, in bit/s; it begins at 300,000."""
        return self.page.evaluate("() => window.outgoingBitrate()")

    def note_texts(self, selector):
        """Keeps what an element says from now on."""
        self.page.evaluate(NOTE_TEXTS, selector)

    def wait_for_noted(self, text, timeout):
        """Until the element has said it, even if it says something else by now."""
        wait_for(f"{self.name} reads '{text}'", lambda: any(
            text in one for one in self.page.evaluate("window.texts")), timeout)

    def streaming_state(self):
        return self.page.get_attribute("[data-testid=streaming-state]", "data-state")

    def wait_for_streaming(self, state, timeout):
        wait_for(
            f"{self.name} learns that the stream is {state}",
            lambda: self.streaming_state() == state,
            timeout,
        )

    def people(self):
        return self.page.eval_on_selector_all(
            "[data-testid=person]",
            "(nodes) => nodes.map((node) => node.querySelector('b').textContent)",
        )

    def person(self, name):
        """A person in the list of people, which the page updates once a second while the list is
        hidden: the peer's id, and the displayed network quality, 0 to 5, or None if none is
        displayed."""
        return wait_for(f"{self.name} lists {name}", lambda: self.page.evaluate(PERSON, name), PATIENCE)

    def leave(self):
        self.page.click("[data-testid=leave]")
        # Who may end the room has a choice.
        if self.page.is_visible("[data-testid=leave-now]"):
            self.page.click("[data-testid=leave-now]")
        self.page.wait_for_selector("[data-testid=farewell]")

    def close(self):
        self.context.close()
