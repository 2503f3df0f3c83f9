"""VP9's spatial layers, which a browser sends in one stream (SVC): of them, too, a tile gets the one
that it needs."""

import re
import time

import numpy as np
from harness import checks, chromium, media
from harness.hls import Stream
from harness.scene import LADDER
from harness.waiting import wait_for

# So that bots say which layers they ask for and are given.
SETTINGS = {"ROOMCAST_LOG_LEVEL": "debug"}
TIMEOUT = 30  # s
CAMERA_RATE = 15  # frames/s
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


def given(server):
    """The layers that the bot was given, in order."""
    text = server.log.read_text(errors="replace")
    return [re.search(r"layer=(\S+)", line)[1] for line in text.splitlines()
            if 'message="layer given"' in line]


def test_a_tile_gets_the_spatial_layer_that_fits_it(browser, server, room, tmp_path):
    ann = chromium.Participant(browser, server, room, "Ann", script=SCALABLE)
    ben = chromium.Participant(browser, server, room, "Ben", "viewer")
    try:
        # All three layers are sent, and the best one of them is what others see.
        wait_for("Ann sends all of it", lambda: [
            one for one in ann.outbound("video") if one.get("scalabilityMode") == "L3T3_KEY"
            and one.get("frameWidth", 0) >= 1280], TIMEOUT)
        full = ann.outbound("video")[0]["frameWidth"]
        wait_for("Ben sees the best", lambda: ben.wait_for_picture_of("Ann", TIMEOUT)["width"]
                 == full, TIMEOUT)
        stream = server.start_stream(room, {"ladder": LADDER, "layout": PLAIN})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        # Of 1280x720, 640x360 and 320x180 the second one.
        wait_for("the tile has its layer", lambda: given(server)[-1:] == ["medium"], TIMEOUT)
        time.sleep(2)  # is seen for so long
        # A tile of a third of the height.
        server.manage("PATCH", f"/live-streams/{stream['id']}", {"layout": {"margin": 120}})
        wait_for("the small tile has its own", lambda: given(server)[-1] == "low", TIMEOUT)
        time.sleep(2)
        server.manage("PATCH", f"/live-streams/{stream['id']}", {"layout": {"margin": 0}})
        wait_for("the large one has its own", lambda: given(server)[-1] == "medium", TIMEOUT)
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
    assert media.longest_run(still) < 15, media.longest_run(still)
    assert np.median(media.luma(middle)) > 20
