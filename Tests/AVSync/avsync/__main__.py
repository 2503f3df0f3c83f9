"""`python -m avsync MEDIA`: one JSON object; 0 it passes, 1 it fails, 2 it cannot be measured."""

import argparse
import json
import sys

from .measurement import CannotMeasure, measure
from .statistics import Thresholds


def main():
    standard = Thresholds()
    parser = argparse.ArgumentParser(prog="avsync", description=__doc__)
    parser.add_argument("media", help="an HLS address, a playlist or a file")
    parser.add_argument("--seconds", type=float, help="measure only so much of it")
    parser.add_argument("--publishers", type=int, help="how many there must be")
    parser.add_argument("--offset-ms", type=float, default=standard.offset * 1000)
    parser.add_argument("--cadence-ms", type=float, default=standard.cadence * 1000)
    parser.add_argument("--present", type=float, default=standard.present)
    parser.add_argument("--drift-ms", type=float, default=standard.drift * 1000)
    parser.add_argument("--freeze-ms", type=float, default=standard.freeze * 1000)
    parser.add_argument("--absences", type=int, default=standard.absences)
    parser.add_argument("--lag-ms", type=float, default=standard.lag * 1000)
    parser.add_argument("--spread-ms", type=float, default=standard.spread * 1000)
    parser.add_argument("--second-ms", type=float, help="for clips that run by the wall clock")
    options = parser.parse_args()
    thresholds = Thresholds(
        offset=options.offset_ms / 1000, cadence=options.cadence_ms / 1000,
        present=options.present, drift=options.drift_ms / 1000,
        freeze=options.freeze_ms / 1000, absences=options.absences, lag=options.lag_ms / 1000,
        spread=options.spread_ms / 1000,
        second=None if options.second_ms is None else options.second_ms / 1000,
    )
    try:
        report = measure(options.media, options.seconds).report(thresholds, options.publishers)
    except CannotMeasure as failure:
        print(json.dumps({"media": options.media, "verdict": "unknown", "reason": str(failure)}))
        return 2
    print(json.dumps(report))
    return 0 if report["verdict"] == "pass" else 1


sys.exit(main())
