"""Jitsi's own web client, lib-jitsi-meet, unmodified, on a page in Chromium, as its apps use it."""

from pathlib import Path

from .jitsi_prosody import DOMAIN, FOCUS, HIDDEN, ROOMS
from .local_server import FileServer
from .waiting import wait_for

TIMEOUT = 30  # s

# A page is one participant, who sends when it is told to. What it shows has the names of sources.
APP = """
window.said = [];
window.mutes = [];  // of its own tracks
const moderation = (value) => value?.mediaType && [
  value.enabled, value.mediaType, value.participant?.getId()].filter(
  (one) => one !== undefined).join(" ");
window.join = (service, room, hosts, hiddenDomain, bridgeChannel, name) => {
  const { events } = JitsiMeetJS;
  const options = {
    hosts, serviceUrl: service, hiddenDomain, bridgeChannel, p2p: { enabled: false } };
  JitsiMeetJS.init({ disableAudioLevels: true });
  JitsiMeetJS.setLogLevel(JitsiMeetJS.logLevels.ERROR);
  const connection = new JitsiMeetJS.JitsiConnection(null, null, options);
  connection.addEventListener(events.connection.CONNECTION_FAILED,
    (error) => said.push({ name: "failed", values: [String(error)] }));
  connection.addEventListener(events.connection.CONNECTION_ESTABLISHED, () => {
    window.room = connection.initJitsiConference(room, options);
    for (const [name, event] of Object.entries(events.conference)) {
      window.room.on(event, (...values) => said.push({ name, values: values.map(
        (value) => value?.getSourceName?.() ?? value?.getId?.() ?? value?.getStatus?.() ??
        moderation(value) ?? String(value)) }));
    }
    window.room.on(events.conference.TRACK_MUTE_CHANGED, (track) => {
      if (track.isLocal()) mutes.push([track.getType(), track.isMuted()]);
    });
    window.room.on(events.conference.TRACK_ADDED, (track) => {
      const element = Object.assign(document.createElement(track.getType()), {
        autoplay: true, muted: true, id: track.getSourceName() });
      element.dataset.type = track.getVideoType?.() ?? "";
      document.body.append(element);
      track.attach(element);
    });
    window.room.on(events.conference.TRACK_REMOVED, (track) => {
      document.getElementById(track.getSourceName())?.remove();
    });
    if (name) window.room.setDisplayName(name);
    window.room.join();
  });
  connection.connect();
};
window.send = async (devices) => {
  for (const track of await JitsiMeetJS.createLocalTracks({ devices })) {
    await window.room.addTrack(track);
  }
};
window.share = async (colour) => {  // a canvas in place of what a person would choose
  const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 360 });
  const context = canvas.getContext("2d");
  setInterval(() => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 640, 360);
  }, 50);
  navigator.mediaDevices.getDisplayMedia = async () => canvas.captureStream(20);
  const [track] = await JitsiMeetJS.createLocalTracks({ devices: ["desktop"] });
  await window.room.addTrack(track);
};
window.shown = (id) => {
  const element = document.getElementById(id);
  if (!element) return null;
  const found = { time: element.currentTime, type: element.dataset.type, height: 0, colour: null };
  if (element.videoWidth) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
    const context = canvas.getContext("2d");
    context.drawImage(element, 0, 0, 4, 4);
    found.height = element.videoHeight;
    found.colour = [...context.getImageData(2, 2, 1, 1).data].slice(0, 3);
  }
  return found;
};
"""


# Debian's, as libjs-jquery installs it.
JQUERY = Path("/usr/share/javascript/jquery/jquery.min.js")


def jquery():
    """The library of 2022 needs it, and leaves it to its apps."""
    return JQUERY.read_bytes() if JQUERY.is_file() else b""


class Library:
    """One participant in a conference of a Deployment. `sockets` are the addresses of the WebSockets
    that it has opened."""

    def __init__(self, browser, path, deployment, conference, hidden=HIDDEN, prefers_sctp=True,
                 name=None):
        page = (b"<!doctype html><body><script src='/jquery.js'></script>"
                b"<script src='/library.js'></script><script src='/app.js'></script>")
        self._site = FileServer({
            "/": ("text/html", page), "/jquery.js": ("text/javascript", jquery()),
            "/library.js": ("text/javascript", path.read_bytes()),
            "/app.js": ("text/javascript", APP.encode())})
        self._context = browser.new_context()
        self.page = self._context.new_page()
        self.sockets = []
        self.page.on("websocket", lambda socket: self.sockets.append(socket.url))
        self.page.goto(f"{self._site.base}/")
        self.page.evaluate("(all) => join(...all)", [
            f"ws://127.0.0.1:{deployment.prosody.web_port}/xmpp-websocket", conference.bridge.name,
            {"domain": DOMAIN, "muc": ROOMS, "focus": FOCUS}, hidden,
            {"preferSctp": prefers_sctp}, name])

    def wait(self, what, expression, argument=None):
        return wait_for(what, lambda: self.page.evaluate(expression, argument), TIMEOUT)

    def told(self, name, *values):
        """Waits until its app was told that, with these values among others."""
        return self.wait(
            f"{name} {values}", "([name, values]) => said.some((one) => one.name === name && "
            "values.every((value) => one.values.includes(value)))", [name, list(values)])

    def shows(self, source, colour=None):
        """Waits until a source is played, in a colour."""
        def found():
            seen = self.page.evaluate("(id) => shown(id)", source.name)
            is_played = seen and seen["time"] > 0.2
            return is_played and (colour is None or seen["colour"] and all(
                abs(one - other) < 50 for one, other in zip(seen["colour"], colour, strict=True))
                and seen)

        return wait_for(f"{source.name} is {colour}", found, TIMEOUT)

    @property
    def nick(self):
        return self.page.evaluate("() => window.room.myUserId()")

    def send(self, *devices):
        self.wait("it is connected", "() => window.room !== undefined")
        self.page.evaluate("(devices) => send(devices)", list(devices))

    def share(self, colour):
        """Shares a screen of one colour."""
        self.page.evaluate("(colour) => share(colour)", f"rgb{colour}")

    def mute(self, kind):
        self.page.evaluate(
            "(kind) => room.getLocalTracks().find((one) => one.getType() === kind).mute()", kind)

    def unmute(self, kind):
        self.page.evaluate(
            "(kind) => room.getLocalTracks().find((one) => one.getType() === kind).unmute()", kind)

    def is_muted(self, kind):
        return self.page.evaluate(
            "(kind) => room.getLocalTracks().find((one) => one.getType() === kind).isMuted()", kind)

    def mutes(self, kind):
        """Whether it was muted each time that this has changed."""
        return self.page.evaluate(
            "(kind) => mutes.filter((one) => one[0] === kind).map((one) => one[1])", kind)

    def record(self, mode="file"):
        """Presses the button; the session's id."""
        return self.page.evaluate(
            "async (mode) => (await room.startRecording({ mode })).getID()", mode)

    def stop_recording(self, session):
        self.page.evaluate("(session) => room.stopRecording(session)", session)

    def recordings(self):
        """What its app was told of them."""
        return self.page.evaluate("() => said.filter((one) => one.name === 'RECORDER_STATE_CHANGED')"
                                  ".map((one) => one.values[0])")

    def close(self):
        self._context.close()
        self._site.close()
