"""Playlists of low-latency HLS as a strict client reads them, and the rules that they must obey:
draft-pantos-hls-rfc8216bis, whose sections are named here."""

from dataclasses import dataclass, field

from .hls import attributes

SLACK = 0.001  # s, that texts are rounded by
MEDIA_TAGS = ("#EXT-X-MAP", "#EXT-X-PROGRAM-DATE-TIME", "#EXT-X-DISCONTINUITY")


@dataclass
class Part:
    uri: str
    duration: float  # s
    is_independent: bool


@dataclass
class Segment:
    """`uri` is None for the one in the making."""
    number: int
    uri: str | None = None
    duration: float = 0  # s
    parts: list = field(default_factory=list)
    discontinuities: int = 0
    date: str | None = None
    late_tags: list = field(default_factory=list)  # that stand behind the first part

    @property
    def lasting(self):
        """What may never change."""
        return self.uri, self.duration, self.discontinuities, self.date


@dataclass
class Playlist:
    version: int
    target: int  # s
    first: int  # media sequence number
    control: dict
    part_target: float  # s
    skipped: int | None
    removed: str | None  # of a delta update: the date ranges that have gone
    segments: list  # complete ones
    open: Segment
    hints: list
    reports: dict  # by their addresses
    ranges: list
    is_ended: bool
    map: str | None

    @property
    def next(self):
        return self.open.number

    @property
    def newest(self):
        """The number of the newest part's segment, and the part's own."""
        if self.open.parts:
            return self.open.number, len(self.open.parts) - 1
        last = self.segments[-1]
        return last.number, len(last.parts) - 1

    def has(self, number, part=None):
        """What a reload with these numbers waits for. Sect. 6.2.5.2."""
        if self.is_ended or number < self.next - 1:
            return True
        if part is None:
            return number < self.next
        if number == self.next - 1:
            return part < len(self.segments[-1].parts) or bool(self.open.parts)
        return number == self.next and part < len(self.open.parts)


def parse(text):
    lines = [line for line in text.splitlines() if line]
    assert lines[0] == "#EXTM3U", text[:200]
    tags, segments, hints, reports, ranges = {}, [], [], {}, []
    skip = None
    section = None
    current = None
    numbered = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name in ("#EXTINF", "#EXT-X-PART", *MEDIA_TAGS) and current is None:
            first = int(tags.get("#EXT-X-MEDIA-SEQUENCE", "0"))
            skipped = int(skip["SKIPPED-SEGMENTS"]) if skip else 0
            current = Segment(first + skipped + len(segments))
        if name in MEDIA_TAGS and current.parts:
            current.late_tags.append(name)
        if name == "#EXTINF":
            current.duration = float(value.split(",")[0])
        elif name == "#EXT-X-PART":
            found = attributes(value)
            current.parts.append(Part(
                found["URI"], float(found["DURATION"]), found.get("INDEPENDENT") == "YES"))
        elif name == "#EXT-X-DISCONTINUITY":
            current.discontinuities += 1
        elif name == "#EXT-X-PROGRAM-DATE-TIME":
            current.date = value
        elif name == "#EXT-X-MAP":
            section = attributes(value)["URI"]
        elif name == "#EXT-X-SKIP":
            assert skip is None and not segments, "a second EXT-X-SKIP, or a late one"
            skip = attributes(value)
        elif name == "#EXT-X-PRELOAD-HINT":
            hints.append(attributes(value))
        elif name == "#EXT-X-RENDITION-REPORT":
            found = attributes(value)
            reports[found["URI"]] = found
        elif name == "#EXT-X-DATERANGE":
            ranges.append(attributes(value)["ID"])
        elif name.startswith("#EXT"):
            assert name not in numbered, f"{name} twice"
            numbered[name] = True
            tags[name] = value
        elif not line.startswith("#"):
            assert current is not None and current.duration, f"no EXTINF before {line}"
            current.uri = line
            segments.append(current)
            current = None
    first = int(tags.get("#EXT-X-MEDIA-SEQUENCE", "0"))
    skipped = int(skip["SKIPPED-SEGMENTS"]) if skip else None
    return Playlist(
        version=int(tags["#EXT-X-VERSION"]), target=int(tags["#EXT-X-TARGETDURATION"]),
        first=first, control=attributes(tags.get("#EXT-X-SERVER-CONTROL", "")),
        part_target=float(attributes(tags.get("#EXT-X-PART-INF", "")).get("PART-TARGET", 0)),
        skipped=skipped, removed=skip.get("RECENTLY-REMOVED-DATERANGES") if skip else None,
        segments=segments,
        open=current or Segment(first + (skipped or 0) + len(segments)), hints=hints,
        reports=reports, ranges=ranges, is_ended="#EXT-X-ENDLIST" in tags, map=section)


def faults(playlist, others=None):
    """What is wrong with one playlist. `others`: how many more layers the stream has."""
    found = []

    def want(holds, text):
        if not holds:
            found.append(text)

    control, target = playlist.control, playlist.part_target
    want(control.get("CAN-BLOCK-RELOAD") == "YES", "no blocking reload (B.1)")
    want(target > 0, "no PART-TARGET (4.4.3.7)")
    want(float(control.get("PART-HOLD-BACK", 0)) >= 3 * target - SLACK,
         "PART-HOLD-BACK is below three parts (4.4.3.8)")
    until = float(control.get("CAN-SKIP-UNTIL", 0))
    want(until >= 6 * playlist.target, "CAN-SKIP-UNTIL is below six segments (4.4.3.8)")
    if playlist.skipped is not None:
        want(playlist.version >= (9 if playlist.removed is None else 10), "version (8)")
        want(sum(one.duration for one in playlist.segments) >= until - playlist.target,
             "what is newer than the skip boundary is skipped (6.2.5.1)")
    behind = 0
    for segment in [playlist.open, *reversed(playlist.segments)]:
        want(segment.duration == 0 or round(segment.duration) <= playlist.target,
             f"segment {segment.number} is longer than the target duration (4.4.3.1)")
        want(not segment.late_tags, f"{segment.late_tags} behind a part (4.4.4.9)")
        if segment.parts:
            want(behind <= 3 * playlist.target + SLACK,
                 f"parts of segment {segment.number}, {behind:.3f} s before the end (6.2.2)")
            if segment.uri:
                length = sum(one.duration for one in segment.parts)
                want(abs(length - segment.duration) < 0.01,
                     f"parts of segment {segment.number} last {length:.3f} s of "
                     f"{segment.duration:.3f} s (3.2)")
            want(segment.parts[0].is_independent,
                 f"segment {segment.number} begins with a dependent part")
        for index, part in enumerate(segment.parts):
            want(part.duration <= target + 1e-6, f"{part.uri} is longer than PART-TARGET (4.4.4.9)")
            is_last = segment.uri and index == len(segment.parts) - 1
            want(is_last or part.is_independent or segment is playlist.open
                 and index == len(segment.parts) - 1 or part.duration >= 0.85 * target,
                 f"{part.uri} is shorter than 85 % of PART-TARGET (4.4.4.9)")
        behind += segment.duration if segment.uri else 0
    hints = [one for one in playlist.hints if one["TYPE"] == "PART"]
    want(len(hints) <= (0 if playlist.is_ended else 1), "hints (4.4.5.3, 6.2.6)")
    if not playlist.is_ended and others is not None:
        want(len(playlist.reports) == others,
             f"{len(playlist.reports)} reports of {others} layers (B.1)")
    for uri, report in playlist.reports.items():
        want("://" not in uri and not uri.startswith("/"), f"{uri} is not relative (4.4.5.4)")
        want("LAST-MSN" in report and "LAST-PART" in report, f"{report} lacks a number (4.4.5.4)")
    return found


class Watch:
    """Follows one playlist from reload to reload, and collects what is wrong."""

    def __init__(self, others=None):
        self.others = others
        self.faults = []
        self.known = {}  # segments, by their numbers
        self.whole = None  # the newest playlist, deltas merged
        self.hint = None
        self.unkept = 0  # hints whose part did not come, as a bot's death makes them
        self.steps_back = 0

    def observe(self, text, number=None, part=None):
        """`number`, `part`: what the request named. Gives the playlist, deltas merged."""
        playlist = parse(text)
        self.faults += faults(playlist, self.others)
        if number is not None and not playlist.has(number, part):
            self.faults.append(f"the answer has no part {number}.{part} (6.2.5.2)")
        before = self.whole
        if playlist.skipped is not None:
            if before is None:
                self.faults.append("a delta update of nothing")
                return playlist
            end = playlist.first + playlist.skipped
            kept = [one for one in before.segments if playlist.first <= one.number < end]
            if len(kept) != playlist.skipped:
                self.faults.append(f"{playlist.skipped} segments are skipped, {len(kept)} known")
            playlist.segments = kept + playlist.segments
        for segment in playlist.segments:
            old = self.known.setdefault(segment.number, segment)
            if old.lasting != segment.lasting:
                self.faults.append(f"{segment.lasting} was {old.lasting} (6.2.1)")
        if before:
            for name in ["version", "target", "part_target"]:
                if getattr(before, name) != getattr(playlist, name):
                    self.faults.append(f"{name} has changed (6.2.1)")
            if playlist.first < before.first or playlist.next < before.next:
                self.faults.append("the media sequence has gone back (6.2.2)")
            if playlist.newest < before.newest:
                self.steps_back += 1
            elif playlist.newest > before.newest and self.hint:
                uris = [one.uri for segment in [*playlist.segments, playlist.open]
                        for one in segment.parts]
                if self.hint not in uris:
                    self.unkept += 1
        self.hint = playlist.hints[0]["URI"] if playlist.hints else None
        self.whole = playlist
        return playlist


def boxes(data):
    """The kinds and sizes of a file's boxes."""
    position = 0
    while position + 8 <= len(data):
        size = int.from_bytes(data[position:position + 4], "big")
        yield data[position + 4:position + 8], size
        position += max(size, 8)
