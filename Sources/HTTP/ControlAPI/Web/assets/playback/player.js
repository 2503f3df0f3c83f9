// Plays an HLS stream: fragmented MP4 with the pages' own player, other streams with the browser's
// own support, or all of them with hls.js if the operator has configured its address.

import { mediaSource } from "./player/buffer.js";
import { Captions } from "./player/captions.js";
import { Engine, Unplayable } from "./player/engine.js";

const playlistType = "application/vnd.apple.mpegurl";
const retryInterval = 2000; // ms between attempts after a fault
const liveLag = 12; // s behind the newest picture that count as "not live any more"
// Of hls.js. A distance in segments would stand above PART-HOLD-BACK, and without a rate it never
// catches up after a stall.
const options = { liveSyncDurationCount: 2 };
const lowLatencyOptions = {
  lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.06, liveSyncOnStallIncrease: 0.25,
};

export class Player extends EventTarget {
  #video;
  #libraryURL;
  #isLive;
  #library = null; // an hls.js instance
  #captions = null;
  #language = null; // of the captions that the viewer chose
  #source = null; // what was asked for: { url, fragments }
  #retry = null;
  #refused = new Set(); // addresses of streams that the own player does not play
  engine = null; // read-only: the own player, while it plays
  isLibraryMissing = false; // read-only: hls.js did not load; loading is retried

  /**
   * Fires `change` when another way of playing is used, or its layers are known, `fault` and
   * `recovered`, and `playing`.
   * @param {string|null} libraryURL the address of hls.js, if any
   * @param {{isLive: boolean}} options whether to start with the newest picture instead of the
   *   first
   */
  constructor(video, libraryURL, { isLive = true } = {}) {
    super();
    this.#video = video;
    this.#libraryURL = libraryURL;
    this.#isLive = isLive;
    video.addEventListener("error", () => {
      if (!this.engine) this.#failed(); // it says so itself
    });
    // Otherwise a stream that keeps all its segments would start with the first.
    video.addEventListener("loadedmetadata", () => {
      if (this.engine) return;
      if (isLive && this.isBehind) this.seekToLive();
      else if (this.#source?.begin > 0) video.currentTime = this.#source.begin;
    });
    video.addEventListener("playing", () => this.dispatchEvent(new Event("playing")));
  }

  get isNative() {
    return this.#video.canPlayType(playlistType) !== "";
  }

  /** Whether a stream can be played that is known to have fragments or not to have them. */
  canPlay({ fragments, file }) {
    return Boolean(file) || this.isNative || this.#hasLibrary || this.#playsItself(fragments);
  }

  get #hasLibrary() {
    return Boolean(this.#libraryURL) && Boolean(mediaSource());
  }

  #playsItself(fragments) {
    return Boolean(fragments) && !this.#libraryURL && Engine.isPossible
      && !this.#refused.has(fragments);
  }

  /** The address that was asked for; empty while nothing is played. */
  get url() {
    return this.#source?.url ?? "";
  }

  get captions() {
    return this.#captions;
  }

  /**
   * @param {object} source
   * @param {string} source.url of the stream
   * @param {string|null} [source.fragments] of the same stream in fragmented MP4, or `url` if that
   *   may be such a stream
   * @param {boolean} [source.isLowLatency] whether the fragments, and only they, come in parts
   * @param {string|null} [source.file] of the same recording as one file
   * @param {number} [source.begin] s; for recordings
   */
  async play(source) {
    this.stop();
    this.#source = source;
    await this.#open(source);
    if (this.#source === source) await this.#begin();
  }

  async #open(source) {
    const { url, fragments = null, file = null, begin = 0 } = source;
    if (this.#playsItself(fragments)) {
      try {
        return await this.#playBySelf(fragments, begin);
      } catch (error) {
        if (this.#source !== source) return;
        this.#drop();
        if (!(error instanceof Unplayable)) return this.#failed();
        this.#refused.add(fragments);
      }
    }
    if (!this.canPlay(source)) {
      this.stop();
      throw new Unplayable("This browser cannot play the stream.");
    }
    if (file) this.#video.src = file;
    else if (this.isNative) this.#video.src = this.#addressForOthers(source);
    else await this.#playByLibrary(source);
    this.dispatchEvent(new Event("change"));
  }

  /** For a player that is not ours: transport streams play everywhere, but are further behind. */
  #addressForOthers({ url, fragments, isLowLatency }) {
    return isLowLatency && fragments && !this.#refused.has(fragments) ? fragments : url;
  }

  async #playBySelf(url, begin) {
    const engine = this.engine = new Engine(this.#video);
    for (const name of ["fault", "recovered"]) {
      engine.addEventListener(name, () => this.dispatchEvent(new Event(name)));
    }
    for (const name of ["layers", "layer"]) {
      engine.addEventListener(name, () => this.dispatchEvent(new Event("change")));
    }
    engine.addEventListener("broken", ({ detail }) => {
      if (this.engine !== engine) return;
      if (detail instanceof Unplayable) this.#refused.add(url);
      this.#failed();
    });
    const captions = this.#captions = new Captions(this.#video, engine);
    engine.addEventListener("layers", () => {
      const wanted = engine.captions.find(({ language }) => language === this.#language);
      if (wanted) captions.choose(wanted);
    });
    await engine.play(url, begin);
  }

  /** hls.js, or an error, after which loading is retried. */
  async #loadLibrary() {
    try {
      const Hls = await loadLibrary(this.#libraryURL);
      this.isLibraryMissing = false;
      return Hls;
    } catch (error) {
      this.isLibraryMissing = true;
      this.#failed();
      throw error;
    }
  }

  stop() {
    clearTimeout(this.#retry);
    this.#source = null;
    this.#drop();
    this.#video.removeAttribute("src");
    this.#video.load();
    this.dispatchEvent(new Event("change"));
  }

  #drop() {
    this.#library?.destroy();
    this.#library = null;
    if (this.#captions) this.#language = this.#captions.chosen?.language ?? null;
    this.#captions?.stop();
    this.#captions = null;
    this.engine?.stop();
    this.engine = null;
  }

  /** What can be shown, in s of the video's time; live, its end is the newest picture. */
  get window() {
    if (this.engine) return this.engine.window;
    const { seekable, duration } = this.#video;
    if (seekable.length === 0) return { start: 0, end: 0 };
    const end = seekable.end(seekable.length - 1);
    return { start: seekable.start(0), end: Number.isFinite(duration) ? duration : end };
  }

  get isLive() {
    return this.engine ? this.engine.isLive : this.#isLive && this.#video.duration === Infinity;
  }

  /** The distance to the newest picture, in seconds. */
  get lag() {
    return this.window.end - this.#video.currentTime;
  }

  get isBehind() {
    if (this.engine) return this.engine.isBehind;
    return this.#isLive && this.lag > liveLag;
  }

  seek(time) {
    if (this.engine) return this.engine.seek(time);
    const { start, end } = this.window;
    this.#video.currentTime = Math.min(Math.max(time, start), end);
  }

  seekToLive() {
    if (this.engine) this.engine.seekToLive();
    else if (this.#video.seekable.length > 0) this.#video.currentTime = this.window.end - 4;
    this.#video.play().catch(() => {});
  }

  async #begin() {
    const video = this.#video;
    try {
      await video.play();
    } catch (error) {
      if (error.name !== "NotAllowedError") return;
      // Sound needs a click; the picture does not.
      video.muted = true;
      await video.play().catch(() => {});
    }
  }

  async #playByLibrary(source) {
    const Hls = await this.#loadLibrary();
    if (this.#source !== source) return;
    const hls = new Hls(source.isLowLatency ? lowLatencyOptions : options);
    hls.on(Hls.Events.ERROR, (_, { fatal }) => {
      if (!fatal) return;
      this.dispatchEvent(new Event("fault"));
      this.#failed();
    });
    hls.loadSource(this.#addressForOthers(source));
    hls.attachMedia(this.#video);
    this.#library = hls;
  }

  #failed() {
    const source = this.#source;
    if (!source) return;
    this.dispatchEvent(new Event("fault"));
    clearTimeout(this.#retry);
    const begin = this.#isLive ? 0 : this.#video.currentTime || source.begin;
    this.#retry = setTimeout(() => {
      // It is retried meanwhile.
      if (this.#source === source) this.play({ ...source, begin }).catch(() => {});
    }, retryInterval);
  }
}

let library = null;

/** hls.js is a module (`.mjs`) or a script that sets a global. */
function loadLibrary(url) {
  library ??= /\.mjs($|\?)/.test(url)
    ? import(url).then((module) => module.default)
    : new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = () => resolve(window.Hls);
        script.onerror = () => reject(new Error("hls.js could not be loaded."));
        document.head.append(script);
      });
  library.catch(() => {
    library = null;
  });
  return library;
}
