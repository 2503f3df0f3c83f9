"""Sound and picture over a long time (`make avsync-soak MINUTES=30`; by default a short form), and
on air."""

import json
import os

from harness import checks, instrument, scene
from harness.scene import Guest, film

MINUTES = float(os.environ.get("ROOMCAST_SOAK_MINUTES", "0.6"))
# Parts in a million. The short form would not show the drift of a realistic clock: 300 ppm are 7 ms
# between the first third and the last. 4000 are 96 ms, which fails without correction.
SKEW = 300 if MINUTES >= 5 else 4000


def test_nothing_drifts(server, tmp_path):
    guests = [
        Guest("ann"), Guest("ben", f"--clock-skew {SKEW}"), Guest("cleo", f"--clock-skew -{SKEW}")]
    take = film(server, "soak", MINUTES * 60, guests, tmp_path)
    report = take.measurement.report(expected=len(guests))
    print(json.dumps(report))
    assert report["failures"] == [], report["publishers"]
    checks.time_runs_evenly(take.stream)


def test_a_stream_on_air_is_measured_by_its_address(server, room, tmp_path):
    with scene.people(server, room, ("ann", "ben"), tmp_path):
        started = server.start_stream(room, {"ladder": scene.LADDER})
        server.wait_for_status(started["id"], "running", scene.START_TIMEOUT)
        status, report = instrument.run(
            started["playback"]["url"], "--seconds", 8, "--publishers", 2)
        assert server.stream(started["id"])["status"] == "running"
        server.stop_stream(room)
    assert (status, report["verdict"]) == (0, "pass"), report
    assert abs(report["seconds"] - 8) < 0.1
