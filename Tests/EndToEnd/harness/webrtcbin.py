"""The process of a GStreamer publisher, run by Debian's own Python, which has GStreamer's bindings.

Its argument is a pipeline that ends in a `webrtcbin name=peer`. It prints its offer, complete with
candidates, and reads the answer, each as one JSON object on a line. Prints its ICE connection's
states. Ends when its standard input does.
"""

import json
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402


def say(**message):
    print(json.dumps(message), flush=True)


class Publisher:
    def __init__(self, pipeline, address):
        self.pipeline = Gst.parse_launch(pipeline)
        self.peer = self.pipeline.get_by_name("peer")
        # Kept: the bindings take the only reference. libnice leaves out the loopback unless it is
        # told to use nothing else.
        self.ice = self.peer.get_property("ice-agent")
        self.ice.emit("add-local-ip-address", address)
        self.peer.connect("on-negotiation-needed", self.negotiate)
        self.peer.connect("notify::ice-gathering-state", self.gathered)
        self.peer.connect("notify::ice-connection-state", self.connection_changed)
        self.is_offered = False

    def negotiate(self, _):
        if not self.is_offered:
            promise = Gst.Promise.new_with_change_func(self.offered)
            self.peer.emit("create-offer", None, promise)

    def offered(self, promise):
        self.is_offered = True
        # The offer lives as long as the reply does.
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        self.peer.emit("set-local-description", offer, Gst.Promise.new())

    def gathered(self, peer, _):
        if peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            say(offer=peer.get_property("local-description").sdp.as_text())

    def connection_changed(self, peer, _):
        say(state=peer.get_property("ice-connection-state").value_nick)

    def answered(self, sdp):
        _, message = GstSdp.SDPMessage.new_from_text(sdp)
        answer = GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.ANSWER, message)
        self.peer.emit("set-remote-description", answer, Gst.Promise.new())


def main():
    Gst.init(None)
    loop = GLib.MainLoop()
    publisher = Publisher(sys.argv[1], sys.argv[2])

    def listen():
        for line in sys.stdin:
            publisher.answered(json.loads(line)["answer"])
        loop.quit()

    def failed(_, message):
        say(error=message.parse_error().gerror.message)
        loop.quit()

    bus = publisher.pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", failed)
    publisher.pipeline.set_state(Gst.State.PLAYING)
    threading.Thread(target=listen, daemon=True).start()
    loop.run()
    publisher.pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
