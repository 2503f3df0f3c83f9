// Plays an HLS stream by whatever the browser has: its own support, or hls.js where the operator
// has named its address.

const playlistType = "application/vnd.apple.mpegurl";
const retryInterval = 2000; // ms between attempts after a fault
const liveLag = 12; // s behind the newest picture that count as "not live any more"

export class Player extends EventTarget {
  #video;
  #libraryURL;
  #library = null; // an hls.js instance
  #url = "";
  #retry = null;
  isLibraryMissing = false; // to be read: hls.js did not load, which is tried again

  /**
   * @param {string|null} libraryURL where hls.js is, if anywhere
   * @param {{isLive: boolean}} options whether to begin with the newest picture, not the first
   */
  constructor(video, libraryURL, { isLive = true } = {}) {
    super();
    this.#video = video;
    this.#libraryURL = libraryURL;
    video.addEventListener("error", () => this.#failed());
    // A stream that keeps all its segments would otherwise begin with the first of them.
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

  /** hls.js, or an error, after which it is tried again. */
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

  /** How far the picture is behind the newest one, in seconds. */
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
      // Sound wants a click; the picture does not.
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
      if (this.#url === url) this.play(url).catch(() => {}); // which is tried again by then
    }, retryInterval);
  }
}

let library = null;

/** hls.js comes as a module (`.mjs`) or as a script that leaves a global behind. */
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
