"""The requirements of every stream, regardless of its publishers."""

import math
from datetime import datetime

import numpy as np

from . import hls, media

FRAME = media.TICKS // 30  # ticks of one picture at 30 frames/s
AAC_FRAME = 1024 / media.SAMPLE_RATE * media.TICKS  # ticks of one AAC frame: 1920
SERVICE_DESCRIPTION = 0x11  # the packet identifier of its table
SIZES = [(1280, 720), (854, 480), (640, 360)]  # of the default ladder


def playlists_are_sound(stream, ladder=None):
    """The master and the media playlists, as RFC 8216 wants a finished stream to be."""
    sizes = [(rung["width"], rung["height"]) for rung in ladder] if ladder else SIZES
    assert [variant.size for variant in stream.variants] == sizes
    for variant in stream.variants:
        found = variant.attributes
        assert int(found["AVERAGE-BANDWIDTH"]) <= int(found["BANDWIDTH"])
        assert float(found["FRAME-RATE"]) == 30
        video, audio = found["CODECS"].split(",")
        assert video.startswith("avc1.") and audio == "mp4a.40.2"
    assert b"#EXT-X-INDEPENDENT-SEGMENTS" in stream.master_answer.body

    for layer in stream.layers:
        playlist = layer.playlist
        assert playlist.is_ended, "no EXT-X-ENDLIST after the stop"
        assert not any(segment.is_discontinuity for segment in playlist.segments)
        target = int(playlist.tags["EXT-X-TARGETDURATION"])
        assert all(round(segment.duration) <= target for segment in playlist.segments)
        # All but the last are of full length.
        assert {segment.duration for segment in playlist.segments[:-1]} == {2.0}
        dates = [datetime.fromisoformat(one.date).timestamp() for one in playlist.segments]
        expected = dates[0] + np.cumsum([0, *(one.duration for one in playlist.segments[:-1])])
        assert np.allclose(dates, expected, atol=0.002), "EXT-X-PROGRAM-DATE-TIME jumps"
    assert dates_are_equal(stream)


def dates_are_equal(stream):
    dates = [[segment.date for segment in one.playlist.segments] for one in stream.layers]
    return all(one == dates[0] for one in dates)


def origin_headers_are_right(stream):
    master = stream.master_answer.headers
    assert master["content-type"].split(";")[0] == "application/vnd.apple.mpegurl"
    assert "no-cache" in master["cache-control"] or "max-age=1" in master["cache-control"]
    assert master["access-control-allow-origin"] == "*"
    segment = stream.top.playlist.segments[0].headers
    assert segment["content-type"] == "video/mp2t"
    assert "immutable" in segment["cache-control"]
    assert segment["etag"]


def sizes_and_rates_are_right(stream):
    for layer in stream.layers:
        found = media.streams(layer.file)
        video, audio = found["video"], found["audio"]
        assert (video["width"], video["height"]) == layer.size
        assert (video["codec_name"], audio["codec_name"]) == ("h264", "aac")
        assert video["avg_frame_rate"] == "30/1", len(media.packets(layer.file))
        assert audio["sample_rate"] == "48000" and audio["channels"] == 2
        # Players size their buffers by the bandwidth that the master playlist announces.
        bits = sum(one.path.stat().st_size for one in layer.playlist.segments) * 8
        seconds = sum(one.duration for one in layer.playlist.segments)
        average = int(layer.variant.attributes["AVERAGE-BANDWIDTH"])
        assert bits / seconds <= average * 1.1, f"{bits / seconds} of {average} bit/s"
        announced = int(layer.variant.attributes["BANDWIDTH"])
        for segment in layer.playlist.segments[:-1]:
            rate = segment.path.stat().st_size * 8 / segment.duration
            assert rate <= announced * 1.1, f"{segment.uri}: {rate} of {announced} bit/s"


def segments_are_cut_alike(stream):
    """Every layer at the same picture, each segment decodable by itself."""
    starts = [hls.starts(layer) for layer in stream.layers]
    assert all(one == starts[0] for one in starts), starts
    assert all(is_key for _, _, is_key in starts[0]), starts[0]
    assert {count for _, count, _ in starts[0][:-1]} == {60}, starts[0]
    for layer in stream.layers:
        for segment in layer.playlist.segments:
            begins_with_tables(segment.path.read_bytes())


def begins_with_tables(data):
    """PAT first, PMT next (ISO/IEC 13818-1); a service description may stand before them."""
    assert len(data) % 188 == 0 and all(byte == 0x47 for byte in data[::188])
    packets = [data[at:at + 188] for at in range(0, min(len(data), 10 * 188), 188)]
    tables = [one for one in packets if identifier(one, 1) != SERVICE_DESCRIPTION]
    assert identifier(tables[0], 1) == 0, "a segment does not begin with its PAT"
    # The table follows a pointer byte; the PMT of its only programme is named at its tenth byte.
    assert identifier(tables[1], 1) == identifier(tables[0], 5 + 10), "no PMT after the PAT"


def identifier(packet, at):
    """The 13 bits of a packet identifier."""
    return (packet[at] & 0x1F) << 8 | packet[at + 1]


def the_clock_is_told_in_time(stream):
    """Every 100 ms, however few the pictures are (ISO/IEC 13818-1 sect. 2.7.2)."""
    for layer in stream.layers:
        steps = np.diff(list(clock_references(layer.file.read_bytes())))
        assert steps.min() > 0 and steps.max() <= 9_000, (steps.min(), steps.max())


def clock_references(data):
    """Each clock reference (PCR), in ticks of 90 kHz."""
    for at in range(0, len(data), 188):
        # A non-empty adaptation field that has a clock reference.
        if data[at + 3] & 0x20 and data[at + 4] and data[at + 5] & 0x10:
            yield int.from_bytes(data[at + 6:at + 11], "big") >> 7


def time_runs_evenly(stream):
    """No picture and no sound is missing or doubled, and both last equally long."""
    for layer in stream.layers:
        found = media.packets(layer.file)
        pictures = np.array(sorted(one.pts for one in found if one.kind == "video"))
        sounds = np.array(sorted(one.pts for one in found if one.kind == "audio"))
        steps = np.diff(pictures)
        # Their positions show whether it is chance.
        assert set(steps) == {FRAME}, pictures[1:][steps != FRAME]
        assert np.abs(np.diff(sounds) - AAC_FRAME).max() <= 1
        assert abs(pictures[0] - sounds[0]) <= 3 * AAC_FRAME
        assert abs((pictures[-1] + FRAME) - (sounds[-1] + AAC_FRAME)) <= 3 * AAC_FRAME
        announced = sum(segment.duration for segment in layer.playlist.segments)
        assert math.isclose(len(pictures) / 30, announced, abs_tol=0.1)


def picture_is_there_and_moves(pictures, from_second=3):
    """No black frame at all; no standing still for longer than half a second once it runs."""
    assert media.luma(pictures).min() > 20, "a black picture"
    still = media.movement(pictures[from_second * 30:]) < 8
    run = media.longest_run(still)
    assert run <= 15, f"the picture stood still for {run} frames"
