"""Sound and picture over a long time. `make avsync-soak MINUTES=30`; by default a short form."""

import json
import os

from harness import checks
from harness.scene import Guest, film

MINUTES = float(os.environ.get("ROOMCAST_SOAK_MINUTES", "0.6"))


def test_nothing_drifts(server, tmp_path):
    guests = [Guest("ann"), Guest("ben", "--clock-skew 300"), Guest("cleo", "--clock-skew -300")]
    take = film(server, "soak", MINUTES * 60, guests, tmp_path)
    report = take.measurement.report(expected=len(guests))
    print(json.dumps(report))
    assert report["failures"] == [], report["publishers"]
    checks.time_runs_evenly(take.stream)
