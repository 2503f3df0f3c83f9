"""Sound and picture over a long time. `make avsync-soak MINUTES=30`; by default a short form."""

import json
import os

import avsync
from harness import checks
from harness.scene import Guest, film

MINUTES = float(os.environ.get("ROOMCAST_SOAK_MINUTES", "0.6"))


def test_nothing_drifts(server, tmp_path):
    guests = [Guest("ann"), Guest("ben", "--clock-skew 300"), Guest("cleo", "--clock-skew -300")]
    take = film(server, "soak", MINUTES * 60, guests, tmp_path)
    # A flash is seen at the next picture, up to 33 ms late, and a skewed clock moves it through
    # that range: over a minute it evens out, over less it looks like drift.
    thresholds = avsync.Thresholds() if MINUTES >= 4 else avsync.Thresholds(drift=0.045)
    report = take.measurement.report(thresholds, expected=len(guests))
    print(json.dumps(report))
    assert report["verdict"] == "pass", report["failures"]
    checks.time_runs_evenly(take.stream)
