"""The pages' player when a buffer is full, a file is gone or a network is away: in the browsers that
run it, with media, buffer and network of the tests' own."""

import pytest

from harness.stand import STAND, recording
from harness.web import WEB

# Plays a recording up to `until` seconds, in a video of the test's own.
PLAY = """async ({ files, quota, until, seek }) => {
  const { Engine } = await import("/assets/playback/player/engine.js");
  Object.assign(stand, { files, quota: quota ?? Infinity });
  window.MediaSource = stand.Source;
  const video = new stand.Video();
  const engine = new Engine(video);
  const events = [];
  for (const name of ["fault", "recovered", "broken"]) {
    engine.addEventListener(name, () => events.push(name));
  }
  await engine.play(new URL("/r/m.m3u8", location.href).href);
  if (seek) {
    await stand.play(video, 6, () => video.currentTime > 0.5, 60);
    engine.seek(seek);
  }
  await stand.play(video, 6, () => video.currentTime >= until, 120);
  engine.stop();
  return { time: video.currentTime, seeks: stand.seeks, asked: stand.asked, events,
           hasEnded: stand.hasEnded };
}"""


@pytest.fixture
def stage(page, web):
    """The page of both browsers as it was at first, with a stand."""
    (getattr(page, "goto", None) or page.navigate)(web.blank)
    page.evaluate(STAND)
    return page


def test_a_full_buffer_cuts_nothing_out(stage):
    played = stage.evaluate(PLAY, {"files": recording(12, 4), "quota": 20, "until": 47})
    assert played["time"] >= 47, played
    assert played["seeks"] == 1, "it begins once, and jumps over nothing"
    media = [path for path in played["asked"] if path.endswith(".m4s")]
    assert len(media) < 30, media


def test_a_missing_segment_of_a_recording_is_asked_for_once(stage):
    files = recording(6, 4)
    for gone, begin in ((0, 4), (3, 0)):
        files = recording(6, 4)
        del files[f"/r/{gone}.m4s"]
        played = stage.evaluate(PLAY, {"files": files, "until": 23})
        assert played["time"] >= 23 and played["events"] == ["fault", "recovered"], played
        assert played["asked"].count(f"/r/{gone}.m4s") == 1
        stage.evaluate("() => { stand.asked = []; stand.seeks = 0; stand.buffer = null; }")


def test_it_goes_on_behind_a_missing_segment_that_was_sought(stage):
    files = recording(20, 4)
    del files["/r/15.m4s"]
    played = stage.evaluate(PLAY, {"files": files, "seek": 62, "until": 66})
    assert played["time"] >= 66, played
    assert played["asked"].count("/r/15.m4s") == 1


# Twice the same recording, whose captions are chosen the first time.
AGAIN = """async ({ files, off }) => {
  const { Player } = await import("/assets/playback/player.js");
  stand.files = files;
  window.MediaSource = stand.Source;
  const video = new stand.Video();
  const tracks = [];
  video.addTextTrack = (...how) => {
    tracks.push(document.createElement("video").addTextTrack(...how));
    return tracks.at(-1);
  };
  const player = new Player(video, null, { isLive: false });
  const url = new URL("/r/m.m3u8", location.href).href;
  await player.play({ url, fragments: url });
  player.captions.choose(player.engine.captions[0]);
  if (off) player.captions.choose(null);
  await player.play({ url, fragments: url });
  const chosen = player.captions.chosen?.language ?? null;
  player.stop();
  return { chosen, tracks: tracks.length };
}"""


def test_captions_stay_on_when_it_plays_again(stage):
    assert stage.evaluate(AGAIN, {"files": recording(4, 4)}) == {"chosen": "en", "tracks": 1}
    assert stage.evaluate(AGAIN, {"files": recording(4, 4), "off": True})["chosen"] is None


def test_a_recordings_page_takes_back_that_it_cannot_be_fetched(stage):
    said = stage.evaluate("""async (html) => {
      await stand.open(html);
      await import("/assets/playback/recordings.js");
      document.getElementById("theatre").showModal();
      return ["fault", "recovered"].map((name) => {
        window.roomcastPlayer.dispatchEvent(new Event(name));
        return document.getElementById("theatre-error").textContent;
      });
    }""", (WEB / "recordings.html").read_text())
    assert said == ["It cannot be fetched. Trying again …", ""]


def test_a_playlist_that_is_back_is_said_to_be(stage):
    played = stage.evaluate("""async ({ files }) => {
      const { Engine } = await import("/assets/playback/player/engine.js");
      stand.files = files;
      window.MediaSource = stand.Source;
      const list = files["/r/l.m3u8"].replace("#EXT-X-ENDLIST\\n", "");
      files["/r/l.m3u8"] = list;
      const video = new stand.Video();
      const engine = new Engine(video);
      const events = [];
      for (const name of ["fault", "recovered"]) {
        engine.addEventListener(name, () => {
          events.push(name);
          // It has more than before.
          if (name === "fault") files["/r/l.m3u8"] = `${list}#EXTINF:4,\\n6.m4s\\n`;
        });
      }
      await engine.play(new URL("/r/m.m3u8", location.href).href);
      files["/r/l.m3u8"] = 503;
      files["/r/6.m4s"] = "24 4";
      await stand.play(video, 1, () => events.includes("recovered"), 120);
      engine.stop();
      return events;
    }""", {"files": recording(6, 4)})
    assert played == ["fault", "recovered"]
