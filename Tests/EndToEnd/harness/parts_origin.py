"""A low-latency origin made of a recorded stream of fragmented MP4, which it plays again and again.

Its parts have ten pictures, appear by the clock, and can be asked for while they are made."""

import re
import threading
import time
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from . import fragments
from .local_server import Handler, LocalServer

FRAMES = 10  # of a part
FRAME_RATE = 30
PART = FRAMES / FRAME_RATE  # s
HOLD_BACK = 3 * PART
HISTORY = 6  # s before the start
WINDOW = 12  # segments
WITH_PARTS = 3  # segments
SKIP_UNTIL = 12  # s
PATIENCE = 8  # s that a request waits
MEDIA_RATE = 90_000  # of X-TIMESTAMP-MAP, per s
CAPTIONS = ('#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="English",LANGUAGE="en",'
            'URI="captions/stream.m3u8"\n')
OPEN = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Date",
        "Cache-Control": "no-store", "Timing-Allow-Origin": "*"}


class Layer:
    """One layer's parts, without an end."""

    def __init__(self, folder):
        playlist = (folder / "stream.m3u8").read_text()
        self.init = (folder / re.search(r'MAP:URI="([^"]+)"', playlist)[1]).read_bytes()
        self.scales = fragments.timescales(self.init)
        files = [line for line in playlist.splitlines() if line.endswith(".m4s")]
        self.segments = [fragments.cut((folder / name).read_bytes(), self.scales, FRAMES)
                         for name in files]
        first = next(run for run in self.segments[0][0] if self.scales[run.track][1])
        begin = first.samples[0].time / self.scales[first.track][0]
        last = next(run for run in self.segments[-1][-1] if self.scales[run.track][1])
        end = (last.samples[-1].time + last.samples[-1].duration) / self.scales[last.track][0]
        self.length = round((end - begin) * FRAME_RATE) / FRAME_RATE
        self.parts = len(self.segments[0])  # of each segment

    def part(self, sequence, index):
        turn, place = divmod(sequence, len(self.segments))
        shifts = {track: round(turn * self.length * scale)
                  for track, (scale, _) in self.scales.items()}
        number = sequence * self.parts + index + 1
        return fragments.fragment(number, self.segments[place][index], shifts)

    def segment(self, sequence):
        return b"".join(self.part(sequence, index) for index in range(self.parts))


class Origin:
    """`rate`: bytes/s of each answer with media, or None; `is_down`: nobody is answered;
    `keeps_hints`: whether a part can be asked for while it is made."""

    def __init__(self, folders, master):
        self.layers = [Layer(folder) for folder in folders]
        self.parts = self.layers[0].parts
        assert all(layer.parts == self.parts for layer in self.layers)
        self._master = master.replace(
            "#EXT-X-STREAM-INF:", f'{CAPTIONS}#EXT-X-STREAM-INF:SUBTITLES="captions",', 1)
        self.media_begin = min(
            run.samples[0].time / self.layers[0].scales[run.track][0]
            for run in self.layers[0].segments[0][0])
        self._begun = time.monotonic() - HISTORY
        self._date = time.time() - HISTORY
        self.rate = None
        self.is_down = False
        self.keeps_hints = True
        self.asked = []  # paths with queries, in order
        self.refused = []
        self._lock = threading.Lock()
        origin = self

        class Requests(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin._answer(self)

        self._server = LocalServer(Requests)
        self.url = f"{self._server.base}/cmaf.m3u8"

    def close(self):
        self.is_down = True
        self._server.close()

    def asked_for(self, pattern):
        with self._lock:
            return [path for path in self.asked if re.search(pattern, path)]

    @property
    def _made(self):
        """How many parts there are."""
        return int((time.monotonic() - self._begun) / PART)

    def _wait_for(self, count):
        """Until there are so many parts; whether there are in time."""
        until = time.monotonic() + PATIENCE
        while self._made < count and not self.is_down:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return not self.is_down

    def _answer(self, request):
        with self._lock:
            self.asked.append(request.path)
        if self.is_down:
            request.close_connection = True
            return request.connection.close()
        try:
            self._respond(request)
        except OSError:
            request.close_connection = True

    def _respond(self, request):
        url = urlsplit(request.path)
        if url.path == "/cmaf.m3u8":
            return self._send(request, "application/vnd.apple.mpegurl", self._master.encode())
        found = re.fullmatch(r"/captions/(?:(stream)\.m3u8|s(\d+)\.vtt)", url.path)
        if found:
            body = self._captions_list() if found[1] else self._captions(int(found[2]))
            kind = "application/vnd.apple.mpegurl" if found[1] else "text/vtt"
            return self._send(request, kind, body.encode())
        found = re.fullmatch(r"/cmaf_(\d)/(?:(init)\.mp4|(stream)\.m3u8|s(\d+)(?:\.(\d+))?\.m4s)",
                             url.path)
        if not found:
            return request.answer(404, **OPEN)
        layer = int(found[1])
        if found[2]:
            return self._send(request, "video/mp4", self.layers[layer].init)
        if found[3]:
            return self._send_playlist(request, layer, parse_qs(url.query))
        return self._send_media(request, self.layers[layer], int(found[4]), found[5])

    def _send_playlist(self, request, layer, query):
        made = self._made
        if "_HLS_msn" in query:
            sequence, part = int(query["_HLS_msn"][0]), int(query.get("_HLS_part", ["0"])[0])
            wanted = sequence * self.parts + part + 1
            if wanted > made + 2 * self.parts:
                self.refused.append(request.path)
                return request.answer(400, **OPEN)
            if not self._wait_for(wanted):
                return request.answer(503, **OPEN)
        text = self._playlist(layer, skips="_HLS_skip" in query)
        self._send(request, "application/vnd.apple.mpegurl", text.encode())

    def _playlist(self, layer, skips):
        made = self._made
        current, parts = divmod(made, self.parts)
        first = max(0, current - WINDOW)
        duration = self.parts * PART
        lines = [
            "#EXTM3U", "#EXT-X-VERSION:9", f"#EXT-X-TARGETDURATION:{round(duration)}",
            f"#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK={HOLD_BACK:.3f},"
            f"CAN-SKIP-UNTIL={SKIP_UNTIL}", f"#EXT-X-PART-INF:PART-TARGET={PART:.5f}",
            f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        kept = first
        if skips and current - first > SKIP_UNTIL / duration:
            kept = current - round(SKIP_UNTIL / duration)
            lines.append(f"#EXT-X-SKIP:SKIPPED-SEGMENTS={kept - first}")
        else:
            lines.append('#EXT-X-MAP:URI="init.mp4"')
        for sequence in range(kept, current + 1):
            date = datetime.fromtimestamp(self._date + sequence * duration, UTC)
            lines.append(f"#EXT-X-PROGRAM-DATE-TIME:{date:%Y-%m-%dT%H:%M:%S.%f}Z")
            count = parts if sequence == current else self.parts
            if sequence > current - WITH_PARTS:
                lines += [f'#EXT-X-PART:DURATION={PART:.5f},URI="s{sequence}.{index}.m4s"'
                          + (",INDEPENDENT=YES" if index == 0 else "") for index in range(count)]
            if sequence < current:
                lines += [f"#EXTINF:{duration:.5f},", f"s{sequence}.m4s"]
            elif count == 0:
                lines.pop()
        lines.append(f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="s{current}.{parts}.m4s"')
        last, part = divmod(made - 1, self.parts)
        lines += [f'#EXT-X-RENDITION-REPORT:URI="../cmaf_{other}/stream.m3u8",LAST-MSN={last},'
                  f"LAST-PART={part}" for other in range(len(self.layers)) if other != layer]
        return "\n".join(lines) + "\n"

    def _captions_list(self):
        """Of whole segments, without parts and waiting."""
        current = self._made // self.parts
        first, duration = max(0, current - WINDOW), self.parts * PART
        lines = ["#EXTM3U", "#EXT-X-VERSION:6", f"#EXT-X-TARGETDURATION:{round(duration)}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        for sequence in range(first, current):
            date = datetime.fromtimestamp(self._date + sequence * duration, UTC)
            lines += [f"#EXT-X-PROGRAM-DATE-TIME:{date:%Y-%m-%dT%H:%M:%S.%f}Z",
                      f"#EXTINF:{duration:.5f},", f"s{sequence}.vtt"]
        return "\n".join(lines) + "\n"

    def _captions(self, sequence):
        """Says from three segments on which one it is, by the media's clock."""
        duration = self.parts * PART
        begin = (sequence + 3) * duration
        return (f"WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,"
                f"MPEGTS:{round(self.media_begin * MEDIA_RATE)}\n\n"
                f"{_clock(begin)} --> {_clock(begin + duration)}\nSegment {sequence + 3}\n")

    def _send_media(self, request, layer, sequence, part):
        count = sequence * self.parts + (self.parts if part is None else int(part) + 1)
        if count > self._made + (self.parts if self.keeps_hints else 0):
            self.refused.append(request.path)
            return request.answer(404, **OPEN)
        if not self._wait_for(count):
            return request.answer(503, **OPEN)
        body = layer.segment(sequence) if part is None else layer.part(sequence, int(part))
        self._send(request, "video/mp4", body, self.rate)

    def _send(self, request, kind, body, rate=None):
        request.send_response(200)
        for name, value in (OPEN | {"Content-Type": kind, "Content-Length": len(body)}).items():
            request.send_header(name, str(value))
        request.end_headers()
        step = max(int((rate or 0) / 20), 1) if rate else len(body)
        for at in range(0, len(body), step):
            if self.is_down:
                return request.connection.close()
            request.wfile.write(body[at:at + step])
            if rate:
                time.sleep(1 / 20)


def _clock(seconds):
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes) // 60:02}:{int(minutes) % 60:02}:{rest:06.3f}"
