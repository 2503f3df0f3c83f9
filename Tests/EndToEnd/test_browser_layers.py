"""Layers sent by a browser, as separate streams (simulcast) or in a single one (VP9's spatial
layers, SVC): a tile gets the layer that it needs."""

import re
import time

import numpy as np
import pytest
from harness import checks, chromium, media
from harness.hls import Stream
from harness.scene import LADDER
from harness.waiting import wait_for

# Makes bots log the layers that they request and receive.
SETTINGS = {"ROOMCAST_LOG_LEVEL": "debug"}
TIMEOUT = 90  # s
CAMERA_RATE = 15  # frames/s
CAMERA_WIDTH = 1280  # pixels
PLAIN = {"names": False, "speaker_border": False, "fit": "letterbox"}

SCALABLE = """(() => {
  const { addTransceiver } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.addTransceiver = function (track, init) {
    if (track.kind !== "video") return addTransceiver.call(this, track, init);
    const sendEncodings = [{ scalabilityMode: "L3T3_KEY", maxBitrate: 1_500_000 }];
    const transceiver = addTransceiver.call(this, track, { ...init, sendEncodings });
    const { codecs } = RTCRtpSender.getCapabilities("video");
    transceiver.setCodecPreferences(codecs.filter(
      ({ mimeType }) => ["video/VP9", "video/rtx"].includes(mimeType)));
    return transceiver;
  };
})();"""


def given(server, room):
    """The layers that the room's bot was given, in order."""
    text = server.log.read_text(errors="replace")
    return [re.search(r"layer=(\S+)", line)[1] for line in text.splitlines()
            if 'message="layer given"' in line and f"room={room} " in f"{line} "]


def is_simulcast(streams):
    return {one.get("rid") for one in streams if one.get("frameWidth")} == {"f", "h", "q"}


def is_scalable(streams):
    return [one.get("scalabilityMode") for one in streams] == ["L3T3_KEY"]


@pytest.mark.parametrize(
    ("script", "is_layered"), [(None, is_simulcast), (SCALABLE, is_scalable)],
    ids=["simulcast", "svc"])
def test_a_tile_gets_the_layer_that_fits_it(browser, server, room, tmp_path, script, is_layered):
    ann = chromium.Participant(browser, server, room, "Ann", script=script)
    ben = chromium.Participant(browser, server, room, "Ben", "viewer")
    try:
        # All three layers are sent, and other peers see the best one.
        wait_for("Ann sends all of it", lambda: is_layered(found := ann.outbound("video")) and max(
            one.get("frameWidth", 0) for one in found) == CAMERA_WIDTH, TIMEOUT)
        wait_for("Ben sees the best", lambda: ben.wait_for_picture_of("Ann", TIMEOUT)["width"]
                 == CAMERA_WIDTH, TIMEOUT)
        stream = server.start_stream(room, {"ladder": LADDER, "layout": PLAIN})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        # The second of 1280x720, 640x360 and 320x180.
        wait_for("the tile has its layer", lambda: given(server, room)[-1:] == ["medium"], TIMEOUT)
        time.sleep(2)  # is seen for so long
        # A tile of a third of the height.
        server.manage("PATCH", f"/live-streams/{stream['id']}", {"layout": {"margin": 120}})
        wait_for("the small tile has its own", lambda: given(server, room)[-1] == "low", TIMEOUT)
        time.sleep(2)
        server.manage("PATCH", f"/live-streams/{stream['id']}", {"layout": {"margin": 0}})
        wait_for("the large one has its own", lambda: given(server, room)[-1] == "medium", TIMEOUT)
        time.sleep(2)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        assert ann.errors == ben.errors == []
    finally:
        ann.close()
        ben.close()
    shown = Stream(server.http, stream["playback"]["url"], tmp_path)
    checks.time_runs_evenly(shown)
    pictures = media.frames(shown.top.file, 640, 360)
    middle = pictures[:, 130:230, 220:420]
    still = media.movement(middle) == 0
    # The fake camera's dial turns with every one of its pictures.
    assert media.longest_run(still) < 30, media.longest_run(still)
    assert np.median(media.luma(middle)) > 20
