"""The process of GStreamer's player, run by Debian's own Python, which has GStreamer's bindings.

Plays a URL for some seconds of its own clock, or to its end; then prints as one JSON object how far
it came, how many pictures and seconds of sound it rendered, and the error, if there was one.
"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

TIMEOUT = 150  # s
INTERVAL = 100  # ms


class Player:
    def __init__(self, url, seconds):
        self.seconds = seconds
        self.began = None  # s; the first position
        self.shown = {"pictures": 0, "sound": 0.0, "played": 0.0, "error": None}
        self.loop = GLib.MainLoop()
        self.player = Gst.ElementFactory.make("playbin3")
        for kind, heard in (("video", self.picture), ("audio", self.sound)):
            sink = Gst.ElementFactory.make("fakesink")
            sink.set_property("sync", True)
            sink.set_property("signal-handoffs", True)
            sink.connect("handoff", heard)
            self.player.set_property(f"{kind}-sink", sink)
        self.player.set_property("uri", url)
        bus = self.player.get_bus()
        bus.add_signal_watch()
        bus.connect("message::eos", lambda *_: self.loop.quit())
        bus.connect("message::error", self.failed)

    def picture(self, *_):
        self.shown["pictures"] += 1

    def sound(self, _, buffer, __):
        self.shown["sound"] += buffer.duration / Gst.SECOND

    def failed(self, _, message):
        error, details = message.parse_error()
        self.shown["error"] = f"{error.message} ({details})"
        self.loop.quit()

    def look(self):
        is_known, position = self.player.query_position(Gst.Format.TIME)
        if is_known and self.shown["pictures"] > 0:
            if self.began is None:
                self.began = position / Gst.SECOND
            self.shown["played"] = position / Gst.SECOND - self.began
        if self.shown["played"] >= self.seconds:
            self.loop.quit()
        return True

    def run(self):
        self.player.set_state(Gst.State.PLAYING)
        GLib.timeout_add(INTERVAL, self.look)
        GLib.timeout_add_seconds(TIMEOUT, self.loop.quit)
        self.loop.run()
        self.player.set_state(Gst.State.NULL)
        return self.shown


Gst.init(None)
print(json.dumps(Player(sys.argv[1], float(sys.argv[2])).run()))
