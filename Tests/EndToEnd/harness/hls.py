"""Playlists as a strict client reads them, and a stream taken down to a directory."""

import contextlib
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import media
from .http import path_of

ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]*)(?:,|$)')


@dataclass
class Variant:
    uri: str
    attributes: dict

    @property
    def size(self):
        width, height = self.attributes["RESOLUTION"].split("x")
        return int(width), int(height)


@dataclass
class Segment:
    uri: str
    duration: float  # s
    date: str | None = None
    is_discontinuity: bool = False
    ranges: list = field(default_factory=list)  # attributes of its EXT-X-DATERANGEs
    path: Path | None = None
    headers: dict = field(default_factory=dict)


@dataclass
class MediaPlaylist:
    tags: dict
    segments: list
    is_ended: bool
    trailing_ranges: list = field(default_factory=list)  # behind the last segment

    @property
    def ranges(self):
        return [one for segment in self.segments for one in segment.ranges] + self.trailing_ranges


@dataclass
class Layer:
    variant: Variant
    playlist: MediaPlaylist
    file: Path  # all segments, one after the other

    @property
    def size(self):
        return self.variant.size


def attributes(text):
    return {name: value.strip('"') for name, value in ATTRIBUTE.findall(text)}


def parse_master(text):
    lines = _lines(text)
    variants = []
    for index, line in enumerate(lines):
        if line.startswith("#EXT-X-STREAM-INF:"):
            variants.append(Variant(lines[index + 1], attributes(line.split(":", 1)[1])))
    assert variants, text
    return variants


def parse_media(text):
    tags, segments, current = {}, [], {}
    is_ended = False
    for line in _lines(text)[1:]:
        name, _, value = line.partition(":")
        if name == "#EXTINF":
            current["duration"] = float(value.split(",")[0])
        elif name == "#EXT-X-PROGRAM-DATE-TIME":
            current["date"] = value
        elif name == "#EXT-X-DATERANGE":
            current.setdefault("ranges", []).append(attributes(value))
        elif name == "#EXT-X-DISCONTINUITY":
            current["is_discontinuity"] = True
        elif name == "#EXT-X-ENDLIST":
            is_ended = True
        elif line.startswith("#EXT"):
            tags[name[1:]] = value
        elif not line.startswith("#"):
            assert "duration" in current, f"a segment without EXTINF: {line}"
            segments.append(Segment(uri=line, **current))
            current = {}
    return MediaPlaylist(tags, segments, is_ended, current.get("ranges", []))


def _lines(text):
    lines = [line for line in text.splitlines() if line]
    assert lines and lines[0] == "#EXTM3U", text[:200]
    return lines


def resolve(path, uri):
    """A playlist's URI as a path on the same server."""
    assert "://" not in uri, f"an absolute address in a playlist: {uri}"
    return path.rsplit("/", 1)[0] + "/" + uri


class Stream:
    """Fetches a stream: playlists by HTTP, segments into a directory."""

    def __init__(self, http, url, directory):
        self.http = http
        self.path = path_of(url)
        self.master_answer = self._get(self.path)
        self.variants = parse_master(self.master_answer.body.decode())
        self.layers = []
        for index, variant in enumerate(self.variants):
            path = resolve(self.path, variant.uri)
            playlist = parse_media(self._get(path).body.decode())
            folder = Path(directory) / f"layer_{index}"
            folder.mkdir(parents=True)
            for number, segment in enumerate(playlist.segments):
                answer = self._get(resolve(path, segment.uri))
                segment.path = folder / f"{number:05}.ts"
                segment.path.write_bytes(answer.body)
                segment.headers = answer.headers
            whole = folder / "all.ts"
            whole.write_bytes(b"".join(one.path.read_bytes() for one in playlist.segments))
            self.layers.append(Layer(variant, playlist, whole))

    @property
    def top(self):
        return self.layers[0]

    def _get(self, path):
        answer = self.http.get(path)
        assert answer.status == 200, (path, answer)
        return answer


def segment_count(http, url):
    """How many segments the first layer's playlist names now; 0 while there is none."""
    path = path_of(url)
    master = http.get(path)
    if master.status != 200:
        return 0
    variant = parse_master(master.body.decode())[0]
    playlist = http.get(resolve(path, variant.uri))
    if playlist.status != 200:
        return 0
    parsed = parse_media(playlist.body.decode())
    return int(parsed.tags.get("EXT-X-MEDIA-SEQUENCE", 0)) + len(parsed.segments)


@contextlib.contextmanager
def newest_segment(http, url):
    """The first layer's newest segment, in a file for the block."""
    path = path_of(url)
    path = resolve(path, parse_master(http.get(path).body.decode())[0].uri)
    newest = parse_media(http.get(path).body.decode()).segments[-1]
    with tempfile.NamedTemporaryFile(suffix=".ts") as file:
        file.write(http.get(resolve(path, newest.uri)).body)
        file.flush()
        yield file.name


def shares(http, url, colours):
    """How much of the newest picture is near each of these colours."""
    with newest_segment(http, url) as segment:
        picture = media.frames(segment, 640, 360)[-1]
    return [media.share_of(picture, colour) for colour in colours]


def starts(layer):
    """The first picture's time and the number of pictures of each segment."""
    found = []
    for segment in layer.playlist.segments:
        pictures = [one for one in media.packets(segment.path) if one.kind == "video"]
        found.append((min(one.pts for one in pictures), len(pictures), pictures[0].is_key))
    return found
