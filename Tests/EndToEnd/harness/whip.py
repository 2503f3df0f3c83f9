"""Clients of WHIP and WHEP with independent media: FFmpeg's muxer by PyAV, and aiortc and browsers
with the exchange of RFC 9725 around them."""

import contextlib
import fractions
import threading
from urllib.parse import urlsplit

import av
import numpy as np
from aiortc import (
    RTCConfiguration,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError

from . import tokens
from .own_loop import TIMEOUT, OnItsOwnLoop
from .stranger import Received
from .waiting import wait_for

SDP = {"Content-Type": "application/sdp"}
FRAGMENT = "application/trickle-ice-sdpfrag"
RATE = 10  # pictures in a second
SIZE = 320, 180


class Exchange(OnItsOwnLoop):
    """One connection of aiortc's that is offered by a `POST`, from its making to its end."""

    def __init__(self, server, path, token):
        self.server = server
        self.token = token
        self.received = {}  # by kind
        self._consumers = []
        self._begin(self._exchange(path))

    def prepare(self, connection):
        """Describes the offer."""

    async def _exchange(self, path):
        # If everything is bundled from the beginning, aiortc never connects without a data channel.
        configuration = RTCConfiguration(iceServers=[])
        self.connection = RTCPeerConnection(configuration)
        self.connection.on("track", self._track_came)
        self.prepare(self.connection)
        await self.connection.setLocalDescription(await self.connection.createOffer())
        await self._open(path, self.connection.localDescription.sdp.encode(), SDP, 201)
        await self._take("answer")

    async def _open(self, path, body, headers, status):
        self.answer = self.server.http.post(path, body=body, token=self.token, headers=headers)
        assert self.answer.status == status, self.answer.body
        self.session = urlsplit(self.answer.headers["location"]).path

    async def _take(self, kind):
        await self.connection.setRemoteDescription(
            RTCSessionDescription(type=kind, sdp=self.answer.body.decode()))

    def is_there(self):
        return self.connection.connectionState == "connected"

    def frames(self, kind):
        return self.received[kind].count if kind in self.received else 0

    def wait_for_frames(self, kind, count, timeout=TIMEOUT):
        wait_for(f"{count} frames of {kind}", lambda: self.frames(kind) >= count, timeout)
        return self.received[kind]

    def vanish(self):
        """Says nothing more, not even goodbye."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT)

    def end(self):
        """As the RFC has it."""
        answer = self.server.http.request("DELETE", self.session, token=self.token)
        self.close()
        return answer

    async def _close(self):
        for consumer in self._consumers:
            consumer.cancel()
        if hasattr(self, "connection"):
            await self.connection.close()

    def _track_came(self, track):
        self.received[track.kind] = Received(track.kind)
        self._consumers.append(self._loop.create_task(self._consume(track)))

    async def _consume(self, track):
        with contextlib.suppress(MediaStreamError):
            while True:
                self.received[track.kind].take(await track.recv())

class Publisher(Exchange):
    """Publishes tracks of `stranger`."""

    def __init__(self, server, room, *tracks, codec=None, role="host", query="", in_path=False):
        self.tracks = tracks
        self.codec = codec
        token = tokens.room_token(room, user="whip", role=role)
        if in_path:
            super().__init__(server, f"/whip/{room}/{token}{query}", None)
        else:
            super().__init__(server, f"/whip/{room}{query}", token)

    def prepare(self, connection):
        for track in self.tracks:
            transceiver = connection.addTransceiver(track, direction="sendonly")
            if self.codec and track.kind == "video":
                transceiver.setCodecPreferences([
                    one for one in RTCRtpSender.getCapabilities("video").codecs
                    if one.name in (self.codec, "rtx")])

class Viewer(Exchange):
    """Plays the tracks selected by `query`."""

    def __init__(self, server, room, query="", role="viewer"):
        token = tokens.room_token(room, user="whep", role=role)
        super().__init__(server, f"/whep/{room}{query}", token)

    def prepare(self, connection):
        for kind in ("audio", "video"):
            connection.addTransceiver(kind, direction="recvonly")


class OfferedViewer(Viewer):
    """Has the server offer: by no offer at all, or by one that cannot be played."""

    def __init__(self, server, room, offer=b"", status=201):
        self.offer, self.status = offer, status
        super().__init__(server, room)

    async def _exchange(self, path):
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connection.on("track", self._track_came)
        await self._open(path, self.offer, SDP if self.offer else None, self.status)
        await self._take("offer")
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        self.reply(self.connection.localDescription.sdp.encode(), 204)

    def reply(self, answer, status):
        accepted = self.server.http.request("PATCH", self.session, body=answer, headers=SDP)
        assert accepted.status == status, accepted.body


class FFmpeg:
    """FFmpeg's muxer, in a thread: H.264 and Opus, until its block ends. Its certificate is on P-224."""

    def __init__(self, server, room, colour, frequency):
        self.url = f"http://127.0.0.1:{server.http.port}/whip/{room}?name=FFmpeg"
        self.token = tokens.room_token(room, user="ffmpeg")
        self.colour = colour
        self.frequency = frequency
        self.failure = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join(TIMEOUT)

    def _work(self):
        try:
            self._publish()
        except Exception as error:  # noqa: BLE001  shown by the test
            self.failure = error

    def _publish(self):
        output = av.open(self.url, "w", format="whip", options={"authorization": self.token})
        video = output.add_stream("libx264", rate=RATE, options={
            "preset": "ultrafast", "tune": "zerolatency", "profile": "baseline", "bf": "0"})
        video.width, video.height, video.pix_fmt = *SIZE, "yuv420p"
        video.gop_size = 2 * RATE
        audio = output.add_stream("libopus", rate=48_000, layout="stereo")
        picture = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
        picture[:] = self.colour
        count = 0
        while not self._ends.wait(1 / RATE):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = count, fractions.Fraction(1, RATE)
            for packet in video.encode(frame):
                output.mux(packet)
            for packet in audio.encode(self._sound(count)):
                output.mux(packet)
            count += 1
        output.close()

    def _sound(self, count):
        samples = 48_000 // RATE
        times = (np.arange(samples) + count * samples) / 48_000
        wave = (np.sin(2 * np.pi * self.frequency * times) * 4000).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(
            np.repeat(wave, 2)[None], format="s16", layout="stereo")
        frame.sample_rate = 48_000
        frame.pts, frame.time_base = count * samples, fractions.Fraction(1, 48_000)
        return frame


# The complete code of a page: it publishes what it captures, or plays what it receives.
BROWSER = """
async ({endpoint, token, publishes, codec, rids}) => {
    const connection = new RTCPeerConnection({bundlePolicy: "max-bundle"});
    if (publishes) {
        const stream = await navigator.mediaDevices.getUserMedia({audio: true, video: true});
        for (const track of stream.getTracks()) {
            const isVideo = track.kind === "video";
            const sendEncodings = isVideo
                ? rids.map((rid, index) => ({rid, scaleResolutionDownBy: 2 ** (rids.length - 1 - index)})) : [];
            const transceiver = connection.addTransceiver(track, {direction: "sendonly", sendEncodings});
            if (isVideo && codec) {
                const known = RTCRtpSender.getCapabilities("video").codecs;
                transceiver.setCodecPreferences(known.filter(({mimeType}) =>
                    [`video/${codec}`, "video/rtx"].includes(mimeType)));
            }
        }
    } else {
        const video = document.body.appendChild(document.createElement("video"));
        video.muted = video.autoplay = true;
        video.srcObject = new MediaStream();
        connection.ontrack = ({track}) => video.srcObject.addTrack(track);
        for (const kind of ["audio", "video"]) connection.addTransceiver(kind, {direction: "recvonly"});
    }
    await connection.setLocalDescription();
    const answer = await fetch(endpoint, {method: "POST", body: connection.localDescription.sdp,
        headers: {"Content-Type": "application/sdp", "Authorization": `Bearer ${token}`}});
    if (answer.status !== 201) throw new Error(await answer.text());
    await connection.setRemoteDescription({type: "answer", sdp: await answer.text()});
    window.connection = connection;
    return answer.headers.get("Location");
}"""


def in_browser(page, server, path, token, codec=None, rids=()):
    """The session's address. `rids` are the layers of the video, lowest first; none for one form."""
    return page.evaluate(BROWSER, {
        "endpoint": f"http://127.0.0.1:{server.http.port}{path}", "token": token,
        "publishes": path.startswith("/whip"), "codec": codec, "rids": list(rids)})


# What a page does whose network has changed. RFC 9725 sect. 4.3.3.
RESTART = """
async session => {
    const connection = window.connection;
    const answer = connection.remoteDescription.sdp;
    connection.restartIce();
    await connection.setLocalDescription();
    const section = connection.localDescription.sdp.split("\\r\\n").filter(line =>
        /^(m=|a=(mid|ice-ufrag|ice-pwd|candidate):)/.test(line));
    const response = await fetch(session, {method: "PATCH", body: section.join("\\r\\n") + "\\r\\n",
        headers: {"Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*"}});
    if (response.status !== 200) throw new Error(await response.text());
    const fragment = await response.text();
    const renewed = ["ice-ufrag", "ice-pwd"].reduce((sdp, name) => {
        const line = new RegExp(`^a=${name}:.*$`, "m");
        return sdp.replace(new RegExp(line, "gm"), fragment.match(line)[0]);
    }, answer);
    await connection.setRemoteDescription({type: "answer", sdp: renewed});
    return {etag: response.headers.get("ETag"), ufrag: fragment.match(/^a=ice-ufrag:(.*)$/m)[1].trim()};
}"""


def restart(page, session):
    """The entity tag and the server's user name fragment of the new generation."""
    return page.evaluate(RESTART, session)


def statistics(page, kind):
    """The entries of this type in the connection's statistics."""
    return page.evaluate("""async kind => {
        const entries = [...(await window.connection.getStats()).values()];
        return entries.filter(({type}) => type === kind);
    }""", kind)
