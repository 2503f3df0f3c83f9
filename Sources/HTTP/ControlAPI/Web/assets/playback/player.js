// Plays an HLS stream with the browser's own support, or with hls.js if the operator has configured
// its address.

const playlistType = "application/vnd.apple.mpegurl";
const retryInterval = 2000; // ms between attempts after a fault
const liveLag = 12; // s behind the newest picture that count as "not live any more"

export class Player extends EventTarget {
  #video;
  #libraryURL;
  #library = null; // an hls.js instance
  #url = "";
  #retry = null;
  isLibraryMissing = false; // read-only: hls.js did not load; loading is retried

  /**
   * @param {string|null} libraryURL the address of hls.js, if any
   * @param {{isLive: boolean}} options whether to start with the newest picture instead of the
   *   first
   */
  constructor(video, libraryURL, { isLive = true } = {}) {
    super();
    this.#video = video;
    this.#libraryURL = libraryURL;
    video.addEventListener("error", () => this.#failed());
    // Otherwise a stream that keeps all its segments would start with the first.
    video.addEventListener("loadedmetadata", () => {
      if (isLive && this.isBehind) this.seekToLive();
    });
    video.addEventListener("playing", () => this.dispatchEvent(new Event("playing")));
  }

  get isNative() {
    return this.#video.canPlayType(playlistType) !== "";
  }

  get isPossible() {
    return this.isNative || (Boolean(this.#libraryURL) && "MediaSource" in window);
  }

  get url() {
    return this.#url;
  }

  async play(url) {
    this.stop();
    this.#url = url;
    if (this.isNative) this.#video.src = url;
    else await this.#playByLibrary(url);
    await this.#begin();
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
    this.#library?.destroy();
    this.#library = null;
    this.#url = "";
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  /** The distance to the newest picture, in seconds. */
  get lag() {
    const { seekable, currentTime } = this.#video;
    return seekable.length > 0 ? seekable.end(seekable.length - 1) - currentTime : 0;
  }

  get isBehind() {
    return this.lag > liveLag;
  }

  seekToLive() {
    const { seekable } = this.#video;
    if (seekable.length > 0) this.#video.currentTime = seekable.end(seekable.length - 1) - 4;
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

  async #playByLibrary(url) {
    const Hls = await this.#loadLibrary();
    if (this.#url !== url) return;
    const hls = new Hls({ liveSyncDurationCount: 2 });
    hls.on(Hls.Events.ERROR, (_, { fatal }) => {
      if (!fatal) return;
      this.dispatchEvent(new Event("fault"));
      this.#failed();
    });
    hls.loadSource(url);
    hls.attachMedia(this.#video);
    this.#library = hls;
  }

  #failed() {
    const url = this.#url;
    if (!url) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      if (this.#url === url) this.play(url).catch(() => {}); // retried meanwhile
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
