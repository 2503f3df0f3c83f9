"""A publisher with GStreamer's webrtcbin: an ICE agent, DTLS, SRTP and SDP different from ours and
from the browsers'."""

import json
import queue
import subprocess
import threading
from pathlib import Path

from . import signalling, tokens

PROGRAM = Path(__file__).with_name("webrtcbin.py")
OFFER_TIMEOUT = 90  # s
END_TIMEOUT = 60  # s
PING_INTERVAL = 3  # s

VIDEO = ("videotestsrc is-live=true pattern=ball background-color={background} "
         "foreground-color=0xffffffff ! video/x-raw,width=320,height=180,framerate=10/1,format=I420 ! ")
X264 = "x264enc tune=zerolatency speed-preset=ultrafast key-int-max={interval} bitrate=300 "
# H.264 without parameter sets in its packets: they are only in the description.
ENCODERS = {
    "VP8": "vp8enc deadline=1 keyframe-max-dist={interval} target-bitrate=300000 ! rtpvp8pay pt=96 "
           "picture-id-mode=15-bit",
    "H264": X264 + "! video/x-h264,profile=constrained-baseline ! rtph264pay pt=96 config-interval=-1 "
            "aggregate-mode=zero-latency",
    "H264 with its sets in the description": X264 + "option-string=repeat-headers=0 ! "
        "video/x-h264,profile=constrained-baseline,stream-format=avc ! "
        "rtph264pay pt=96 config-interval=0 aggregate-mode=zero-latency",
}
AUDIO = ("audiotestsrc is-live=true freq={frequency} volume=0.15 ! audio/x-raw,rate=48000,channels=2 ! "
         "opusenc ! rtpopuspay pt=97 ! peer. ")


def pipeline(codec, colour, frequency, interval=20):
    """A pipeline that shows a ball before a wall of a colour (an RGB triple), and plays a tone.

    `interval` is the most frames from one key frame to the next."""
    red, green, blue = colour
    background = f"0xff{red:02x}{green:02x}{blue:02x}"
    return ("webrtcbin name=peer bundle-policy=max-bundle "
            + VIDEO.format(background=background) + ENCODERS[codec].format(interval=interval)
            + " ! peer. " + AUDIO.format(frequency=frequency))


def tracks_of(sdp):
    """The tracks in its description, by their ids, in the form for `offer`."""
    tracks, kind = {}, None
    for line in sdp.splitlines():
        if line.startswith("m="):
            kind = line[2:].split()[0]
        if line.startswith("a=ssrc:") and " msid:" in line and kind in ("audio", "video"):
            stream, track = line.split(" msid:")[1].split()
            tracks[track] = {"track_id": track, "stream_id": stream, "type": kind,
                             "source": "regular", "description": "", "mute": False}
    return tracks


class Publisher:
    """Comes when it is made, leaves with its block or by `close`."""

    def __init__(self, server, room, name, pipeline):
        self.name = name
        self.states = []
        self._lines = queue.Queue()
        self._ended = threading.Event()
        self._process = subprocess.Popen(
            ["/usr/bin/python3", str(PROGRAM), pipeline, server.media_address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._peer = self._keeper = None
        try:
            self.offer = self._lines.get(timeout=OFFER_TIMEOUT)
            self.tracks = tracks_of(self.offer)
            self.answer = self._exchange(server, room, name)
            self._process.stdin.write(json.dumps({"answer": self.answer}) + "\n")
            self._process.stdin.flush()
        except BaseException:
            self.close()
            raise
        if self._peer:
            self._keeper = threading.Thread(target=self._keep, daemon=True)
            self._keeper.start()

    def _exchange(self, server, room, name):
        """Sends the offer; returns the answer."""
        self._peer = signalling.Peer(server, room, name, role="host")
        self.peer_id = self._peer.peer_id
        self._peer.join_without_media()
        answer = self._peer.call("offer", {
            "desc": {"type": "offer", "sdp": self.offer}, "tracks": self.tracks})
        return answer["result"]["sdp"]

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if "offer" in message:
                self._lines.put(message["offer"])
            else:
                self.states.append(message)

    def _keep(self):
        while not self._ended.wait(PING_INTERVAL):
            self._peer.call("ping", {"timestamp": 1})

    def is_there(self):
        return self._process.poll() is None

    def close(self):
        self._ended.set()
        if self._keeper:
            self._keeper.join(END_TIMEOUT)
        if self._peer:
            self._peer.close()
        self._process.stdin.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END_TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class WHIPPublisher(Publisher):
    """The same with one request of WHIP; the end of its connection ends its session."""

    def _exchange(self, server, room, name):
        answer = server.http.post(
            f"/whip/{room}?name={name}", body=self.offer.encode(),
            token=tokens.room_token(room, user=name), headers={"Content-Type": "application/sdp"})
        assert answer.status == 201, answer
        return answer.body.decode()
