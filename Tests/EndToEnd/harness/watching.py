"""A viewer of the pages' player, in one of the browsers."""

import socket

from .firefox import Firefox
from .waiting import wait_for

TIMEOUT = 90  # s; the machine may be busy

STATE = """() => {
  const video = document.querySelector("video");
  const engine = window.roomcastPlayer?.engine;
  return {
    time: video.currentTime, width: video.videoWidth, isPaused: video.paused,
    isMuted: video.muted, volume: video.volume, rate: video.playbackRate, hasEnded: video.ended,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
    error: video.error?.message ?? null, latency: engine?.latency ?? null,
    isOurs: Boolean(engine), ...engine?.statistics,
    follows: engine?.follows, isLow: engine?.isLowLatency,
    notice: document.querySelector("[data-testid=notice]")?.checkVisibility()
      ? document.getElementById("notice-title").textContent : "",
    ranges: Array.from({ length: video.buffered.length },
      (_, index) => [video.buffered.start(index), video.buffered.end(index)]),
  };
}"""

# The difference of two pictures, 0 to 255, and the loudest sound in between, 0 to 1. Firefox has no
# running AudioContext on a machine without sound, so what it plays is recorded, and decoded again.
PERCEIVED = """async () => {
  const video = document.querySelector("video");
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 36 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const look = () => {
    context.drawImage(video, 0, 0, 64, 36);
    return context.getImageData(0, 0, 64, 36).data;
  };
  const peak = (samples) => samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const heard = async () => {
    const recorder = new MediaRecorder(new MediaStream(video.captureStream().getAudioTracks()));
    const chunks = [];
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
    recorder.start();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    recorder.stop();
    await stopped;
    const decoder = new OfflineAudioContext(1, 48000, 48000);
    const sound = await decoder.decodeAudioData(await new Blob(chunks).arrayBuffer());
    return peak(sound.getChannelData(0));
  };
  const measured = async () => {
    if (!window.analyser) {
      const audio = new AudioContext();
      await audio.resume();
      window.analyser = audio.createAnalyser();
      const source = audio.createMediaElementSource(video);
      source.connect(window.analyser);
      window.analyser.connect(audio.destination);
    }
    const samples = new Float32Array(window.analyser.fftSize);
    let level = 0;
    for (let count = 0; count < 12; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      window.analyser.getFloatTimeDomainData(samples);
      level = Math.max(level, peak(samples));
    }
    return level;
  };
  const before = look();
  const level = await (navigator.userAgent.includes("Firefox") ? heard() : measured());
  const after = look();
  return { difference: peak(after.map((one, at) => Math.abs(one - before[at]))), level };
}"""

# Notes the rates that playback had, the jumps that it made, [from, to], and errors that nobody
# caught.
NOTES = """() => {
  window.mistakes = [];
  window.rates = [];
  window.jumps = [];
  let time = 0;
  addEventListener("timeupdate", ({ target }) => {
    if (!target.seeking) time = target.currentTime;
  }, true);
  addEventListener("seeking", ({ target }) => {
    window.jumps.push([time, target.currentTime]);
    time = target.currentTime;
  }, true);
  addEventListener("error", ({ message }) => window.mistakes.push(message));
  addEventListener("unhandledrejection", ({ reason }) => window.mistakes.push(String(reason)));
  addEventListener("ratechange", ({ target }) => window.rates.push(target.playbackRate), true);
}"""


class Outside:
    """This machine's own network, in place of a namespace."""

    prefix = []

    @staticmethod
    def connect(host, port):
        return socket.create_connection((host, port), 60)


class InChromium:
    def __init__(self, browser, **options):
        self._context = browser.new_context(**options)
        self.page = self._context.new_page()
        self.page.add_init_script(f"({NOTES})()")
        self.evaluate = self.page.evaluate
        self.go = self.page.goto

    def press(self, key):
        self.page.keyboard.press(key)

    def close(self):
        self._context.close()


class InFirefox:
    KEYS = {"ArrowLeft": "\ue012", "ArrowRight": "\ue014", "ArrowUp": "\ue013",
            "ArrowDown": "\ue015", "End": "\ue010", "Escape": "\ue00c", "Enter": "\ue007"}

    def __init__(self, firefox):
        self._firefox = firefox
        self._script = firefox.preload(NOTES)
        self.evaluate = firefox.evaluate
        self.go = firefox.navigate

    def press(self, key):
        self._firefox.keys(self.KEYS.get(key, key))

    def close(self):
        self._firefox.unload(self._script)
        self._firefox.navigate("about:blank")


class Watcher:
    """Somebody who watches; `page` is one of the two above."""

    def __init__(self, page):
        self.page = page
        self.evaluate = page.evaluate

    def watch(self, url):
        self.page.go(url)
        return self

    def state(self):
        return self.evaluate(STATE)

    def wait_until(self, what, holds, timeout=TIMEOUT):
        """Until its state fulfils something; returns the state."""
        try:
            return wait_for(what, lambda: holds(state := self.state()) and state, timeout,
                            interval=0.25)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.state()}") from None

    def wait_for_playback(self, seconds=1, timeout=TIMEOUT):
        """Until it has advanced by so much from now on."""
        begin = self.state()["time"]
        return self.wait_until(f"playback advances by {seconds} s",
                               lambda state: state["time"] > begin + seconds
                               and not state["isPaused"], timeout + seconds)

    def wait_for_jump(self, what, holds, since=0):
        """Until it has jumped so, by [from, to], since there were so many jumps."""
        wait_for(what, lambda: any(holds(*jump) for jump in self.jumps()[since:]), TIMEOUT)

    def jumps(self):
        return self.evaluate("() => window.jumps")

    def check_sight_and_sound(self):
        """The picture moves and there is sound; both may rest for a moment."""
        def perceived():
            found = self.evaluate(PERCEIVED)
            return found["difference"] > 16 and found["level"] > 0.001 and found
        return wait_for("pictures move and sound is heard", perceived, TIMEOUT)

    def check_rates(self, least=0.97, most=1.06):
        rates = self.evaluate("() => window.rates")
        assert all(least <= rate <= most for rate in rates), rates

    def press(self, testid):
        """Clicks a control."""
        self.evaluate("(id) => document.querySelector(`[data-testid=${id}]`).click()", testid)

    def choose(self, menu, text):
        self.press(menu)
        self.evaluate("""(text) => {
          const items = [...document.querySelectorAll("[data-testid=player-menu] button")];
          items.find((one) => one.querySelector("span").textContent === text).click();
        }""", text)

    def mistakes(self):
        return self.evaluate("() => window.mistakes ?? []")

    def close(self):
        mistakes = self.mistakes()
        self.page.close()
        assert mistakes == []


def firefox_outside():
    return Firefox(Outside())
