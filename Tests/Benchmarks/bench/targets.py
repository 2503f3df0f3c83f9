"""The targets for the figures, and a verdict on a run's figures.

A target is missed, met, or open: open if a contender left out too much to compare with, if a
measuring tool is missing (`perf`), or if the run does not measure it.
"""

import dataclasses
import sys

# Exit statuses. A run that could not measure says nothing about the product.
MET, MISSED, UNFIT = 0, 1, 2


@dataclasses.dataclass(frozen=True)
class Target:
    name: str  # of the figure in the summary; of one of several: name.position or name.key
    limit: float
    unit: str = ""
    is_minimum: bool = False

    def figure(self, summary):
        found = summary
        for key in self.name.split("."):
            if found is None:
                return None
            found = found[int(key)] if isinstance(found, list) else found.get(key)
        return found

    def is_met(self, summary):
        """None where the figure is not there."""
        figure = self.figure(summary)
        if figure is None:
            return None
        return figure >= self.limit if self.is_minimum else figure <= self.limit

    def __str__(self):
        return f"{self.name} {'≥' if self.is_minimum else '≤'} {self.limit:g} {self.unit}".rstrip()


STREAM = (
    Target("bot_over_ffmpeg", 0.65),
    Target("psnr_delta_db", -0.3, "dB", is_minimum=True),
    Target("bot_over_ffmpeg_equal_psnr", 0.9),
    Target("equal_psnr_delta_db_layers.0", 0, "dB", is_minimum=True),
    Target("equal_psnr_delta_db_layers.1", 0, "dB", is_minimum=True),
    Target("bot_over_chromium", 0.5),
    Target("page_over_chromium", 0.7),
    Target("page_mb", 700, "MB"),
    Target("noncodec_share", 0.08),
    Target("rss_mb", 250, "MB"),
    Target("start_ms", 3000, "ms"),
    Target("edge_ms_maximum", 3000, "ms"),
    Target("shortages", 0),
)
ROOMS = (
    Target("ratios.audio", 0.8),
    Target("ratios.group_call", 0.8),
    Target("ratios.cameras", 0.8),
    Target("rooms.audio.roomcast.latency_ms_p99", 5, "ms"),
    Target("rooms.group_call.roomcast.latency_ms_p99", 5, "ms"),
    Target("rooms.cameras.roomcast.latency_ms_p99", 5, "ms"),
    Target("rooms.audio.roomcast.lost_share", 0),
    Target("rooms.group_call.roomcast.lost_share", 0),
    Target("rooms.cameras.roomcast.lost_share", 0),
)
OUTPUTS = (
    Target("everything_over_stream", 1.1),
    Target("both_over_stream", 1.03),
    Target("low_latency_over_both", 1.03),
    Target("shortages", 0),
)
SOURCES = (
    Target("openvidu_over_room", 1.05),
    Target("jitsi_over_room", 1.05),
)
TRACKS = (Target("core_share", 0.05), Target("rss_mb", 150, "MB"))
LATENCY = (
    Target("ts.chromium.p95", 5, "s"),
    Target("ll.chromium.p95", 2, "s"),
    Target("ll.firefox.p95", 2, "s"),
    Target("ll.chromium.start", 1, "s"),
    Target("ll.chromium.stalls", 0),
    Target("ll.firefox.stalls", 0),
    Target("ll_clean.chromium.stalls", 0),
    Target("ll_loss.chromium.stalled_per_minute", 1, "s"),
    Target("ll_loss_bbr.chromium.stalled_per_minute", 1, "s"),
    Target("ll_third.chromium.stalled_per_minute", 1, "s"),
    Target("ll_third_wide.chromium.stalled_per_minute", 1, "s"),
)
ORIGIN = (
    Target("segments.ratio", 1.5),
    Target("playlists.ratio", 3),
    Target("playlists_gzip.ratio", 3),
    Target("segments_tls.ratio", 1.5),
    Target("playlists_tls.ratio", 3),
    Target("blocked.ms_p99", 50, "ms"),
)
DENSITY = (Target("rooms_per_core", 2, is_minimum=True),)


def verdict(summary, targets):
    """The exit status that the figures deserve, and a line for each target."""
    words = {True: "met", False: "MISSED", None: "open"}
    lines = []
    for target in targets:
        figure = target.figure(summary)
        shown = "no figure" if figure is None else f"{figure:g}"
        lines.append(f"{words[target.is_met(summary)]:<8}{target}: {shown}")
    missed = any(target.is_met(summary) is False for target in targets)
    return MISSED if missed else MET, lines


def judge(summary, targets, out=sys.stderr):
    """Prints the verdict and gives the exit status."""
    status, lines = verdict(summary, targets)
    for line in lines:
        print(line, file=out)
    return status


def unfit(name, problem):
    """Ends the script: nothing can be said of the targets."""
    print(f"{name}: {problem}", file=sys.stderr)
    sys.exit(UNFIT)
