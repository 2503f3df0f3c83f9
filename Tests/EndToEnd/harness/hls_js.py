"""hls.js, unmodified, on a page in Chromium.

It is not part of this repository: `make install-test-dependencies` takes it from a wheel."""

import sys
from pathlib import Path

from . import hls
from .local_server import FileServer

COPY = Path(sys.prefix, "share", "hls.js")

MODULE = "/hls.mjs"
# What an operator serves has its class as the module's default export.
OPERATORS = b"""import { t as play } from "./hls.js";
const player = play(document.createElement("video"), "/none.m3u8");
player.destroy();
export default player.constructor;
"""

PAGE = b"""<!doctype html>
<meta charset="utf-8">
<title>A viewer with hls.js</title>
<video muted></video>
<script type="module">
  // The module exports what makes a player, and not the class of it.
  import { t as play } from "/hls.js";
  const player = play(document.createElement("video"), "/none.m3u8");
  window.Hls = player.constructor;
  player.destroy();
</script>
"""

# The page records the player's events in `said`, by name, with the fields that the tests check.
PLAY = """(url) => {
  const video = document.querySelector("video");
  // One that stays would go on to append to buffers that the next one's media source does not have.
  window.hls?.destroy();
  const hls = new Hls({ enableWorker: false });
  window.hls = hls;
  window.said = [];
  // A text is noted when it comes, since it goes again.
  window.shown = [];
  const note = ({ target }) =>
    window.shown.push(...[...target.activeCues ?? []].map(({ text }) => text));
  for (const track of video.textTracks) track.oncuechange = note;
  video.textTracks.onaddtrack = ({ track }) => { track.oncuechange = note; };
  const keep = (event, pick) =>
    hls.on(event, (_, data) => window.said.push({ event, ...pick(data) }));
  keep(Hls.Events.ERROR, ({ type, details, fatal, error }) =>
    ({ type, details, fatal, message: String(error) }));
  keep(Hls.Events.FRAG_CHANGED, ({ frag }) =>
    ({ level: frag.level, number: frag.sn }));
  hls.on(Hls.Events.MANIFEST_PARSED, () => video.play());
  hls.attachMedia(video);
  hls.loadSource(url);
}"""

STATE = """() => {
  const video = document.querySelector("video");
  const track = [...video.textTracks].find(({ kind }) => kind === "metadata");
  if (track) track.mode = "hidden";
  const playing = window.hls.playingDate;
  const details = window.hls.levels[Math.max(window.hls.currentLevel, 0)]?.details;
  return {
    time: video.currentTime, width: video.videoWidth, height: video.videoHeight,
    hasEnded: video.ended, length: video.duration,
    playingDate: playing && playing.getTime() / 1000,
    levels: window.hls.levels.map(({ width, height, videoCodec, audioCodec }) =>
      ({ width, height, videoCodec, audioCodec })),
    ranges: Object.values(details?.dateRanges ?? {})
      .map(({ id, startTime, attr }) => ({ id, startTime, attributes: { ...attr } })),
    cues: [...track?.cues ?? []].map(({ startTime, endTime, id, type, value }) =>
      ({ startTime, endTime, id, type, value: { key: value?.key, data: value?.data } })),
  };
}"""


CAPTIONS = """() => {
  const video = document.querySelector("video");
  const playing = window.hls.playingDate;
  const tracks = [...video.textTracks].filter(({ kind }) =>
    kind === "subtitles" || kind === "captions");
  return {
    time: video.currentTime, playingDate: playing && playing.getTime() / 1000,
    languages: window.hls.subtitleTracks.map(({ lang, name }) => [lang, name]),
    cues: tracks.flatMap(({ cues }) => [...cues ?? []]).map(({ startTime, endTime, text }) =>
      ({ startTime, endTime, text })),
    shown: window.shown,
  };
}"""


def faults(viewer):
    """Its errors. Waiting for a late segment is none, nor for a browser that is short of CPU."""
    patience = ("bufferStalledError", "bufferNudgeOnStall")
    return [one for one in viewer.errors() if not one.startswith(patience)]


def is_beyond(viewer, layer):
    """Whether it has shown what is behind the last discontinuity in the playlist of a layer's
    directory: by its number, since hls.js counts no discontinuity in front of a segment that it was
    told of before, which a low-latency playlist may do until the next bot has begun."""
    playlist = hls.parse_media((layer / "stream.m3u8").read_text())
    first = int(playlist.tags.get("EXT-X-MEDIA-SEQUENCE", 0))
    behind = [first + index for index, one in enumerate(playlist.segments) if one.is_discontinuity]
    # From a live window it goes again: all that is left is behind it.
    if not behind and int(playlist.tags.get("EXT-X-DISCONTINUITY-SEQUENCE", 0)) > 0:
        behind = [first]
    return behind and any(
        one["number"] >= behind[-1] for one in viewer.said("hlsFragChanged"))


class Site(FileServer):
    """Where the page is served from: another origin than the stream's."""

    def __init__(self):
        assert COPY.is_file(), f"{COPY} is missing: make install-test-dependencies"
        super().__init__({
            "/": ("text/html", PAGE), "/hls.js": ("text/javascript", COPY.read_bytes()),
            MODULE: ("text/javascript", OPERATORS)})


class Viewer:
    """A viewer of a stream."""

    def __init__(self, browser, site):
        self._context = browser.new_context()
        self._page = self._context.new_page()
        self._page.goto(site.base)
        self._page.wait_for_function("() => window.Hls?.version")

    def play(self, url):
        self._page.evaluate(PLAY, url)

    def state(self):
        return self._page.evaluate(STATE)

    def show(self, level):
        """Only that layer from now on."""
        self._page.evaluate("(level) => { window.hls.currentLevel = level; }", level)

    def show_captions(self, index):
        self._page.evaluate(
            "(index) => { hls.subtitleDisplay = true; hls.subtitleTrack = index; }", index)

    def captions(self):
        """What the player knows of captions, and what it has shown so far."""
        return self._page.evaluate(CAPTIONS)

    def seek(self, time):
        self._page.evaluate(
            "(time) => { document.querySelector('video').currentTime = time; }", time)

    def said(self, event):
        return [one for one in self._page.evaluate("() => window.said")
                if one["event"] == event]

    def errors(self):
        """Its error messages."""
        return [f"{one['details']}: {one['message']}" for one in self.said("hlsError")]

    def close(self):
        self._context.close()
