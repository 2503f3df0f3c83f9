// The browser's buffer for one video element: pictures and sound together, appended in order.

const kept = 30; // s behind the picture
const keptInNeed = [10, 2]; // when the buffer is full
const aheadInNeed = 12; // s
const farAway = 1e9; // s; longer than any stream

/** The buffer is full although all that can go is gone, even of what lies ahead. */
export class BufferFull extends Error {}

/** What browsers offer of Media Source Extensions: iPhones only the managed kind. */
export function mediaSource() {
  return window.MediaSource ?? window.ManagedMediaSource;
}

export class MediaBuffer {
  #video;
  #source = new (mediaSource())();
  #address = null;
  #buffer = null;
  #type = "";
  #last = Promise.resolve(); // operations wait for each other
  isSated = false; // read-only: the browser wants no more for now

  constructor(video) {
    this.#video = video;
  }

  static canPlay(codecs) {
    return mediaSource().isTypeSupported(typeOf(codecs));
  }

  /** Takes the video element. */
  async open(signal) {
    const source = this.#source;
    const isOpen = new Promise((resolve, reject) => {
      source.addEventListener("sourceopen", resolve, { once: true });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // A managed source opens only where no other screen can take over, which could not play it.
    if (this.isManaged) this.#video.disableRemotePlayback = true;
    this.#address = URL.createObjectURL(source);
    this.#video.src = this.#address;
    await isOpen;
  }

  close() {
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#address = null;
    if (this.isManaged) this.#video.disableRemotePlayback = false;
  }

  /** The browser says when it wants more, and may forget what it has. */
  get isManaged() {
    return Boolean(window.ManagedMediaSource) && this.#source instanceof window.ManagedMediaSource;
  }

  /** Calls when it becomes sated, and when it wants more. */
  listen(change, signal) {
    for (const [name, isSated] of [["endstreaming", true], ["startstreaming", false]]) {
      this.#source.addEventListener(name, () => {
        this.isSated = isSated;
        change();
      }, { signal });
    }
  }

  get isOpen() {
    return this.#source.readyState !== "closed";
  }

  /** As `{start, end}` in s. */
  get ranges() {
    return this.isOpen ? rangesOf(this.#video.buffered) : [];
  }

  /**
   * The length in s; Infinity while it grows. Then browsers seek only to what is buffered, unless
   * they are told otherwise: to what is yet to be loaded, too.
   */
  setDuration(seconds) {
    return this.#run(async () => {
      const source = this.#source;
      if (seconds < Infinity) source.duration = seconds;
      else if (source.setLiveSeekableRange) {
        source.duration = seconds;
        source.setLiveSeekableRange(0, farAway);
      } else source.duration = farAway;
    });
  }

  /**
   * @param {Uint8Array} init the initialization section to append first, or null
   * @param {Uint8Array} bytes of a piece
   * @param {{codecs: string, offset: number}} how `offset` is added to the media's times, in s
   */
  append(init, bytes, { codecs, offset }) {
    return this.#run(async () => {
      const type = typeOf(codecs);
      if (!this.#buffer) {
        this.#buffer = this.#source.addSourceBuffer(type);
        this.#buffer.mode = "segments";
      } else if (type !== this.#type) this.#buffer.changeType(type);
      this.#type = type;
      if (init) await this.#appendOne(init);
      if (this.#buffer.timestampOffset !== offset) this.#buffer.timestampOffset = offset;
      await this.#appendOne(bytes);
    });
  }

  /** Forgets what was shown long ago, and whatever lies behind a time, if one is given. */
  trim(after = Infinity) {
    return this.#run(async () => {
      const start = this.ranges[0]?.start ?? Infinity;
      const before = this.#video.currentTime - kept;
      // Not for every second of its own.
      if (start < before - 5) await this.#remove(0, before);
      if (after < Infinity) await this.#remove(after, Infinity);
    });
  }

  /** There is nothing more to come. */
  end() {
    return this.#run(async () => {
      if (this.#source.readyState === "open") this.#source.endOfStream();
    });
  }

  async #appendOne(bytes) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#buffer.appendBuffer(bytes);
        return await this.#isDone();
      } catch (error) {
        if (error.name !== "QuotaExceededError") throw error;
        await this.#makeRoom(attempt);
      }
    }
  }

  async #makeRoom(attempt) {
    const time = this.#video.currentTime;
    if (attempt < keptInNeed.length) return this.#remove(0, time - keptInNeed[attempt]);
    await this.#remove(time + aheadInNeed, Infinity);
    throw new BufferFull(); // what was to be appended may lie behind the hole
  }

  async #remove(begin, end) {
    if (!this.#buffer || !(end > begin) || end <= 0) return;
    this.#buffer.remove(begin, end);
    await this.#isDone();
  }

  #isDone() {
    const buffer = this.#buffer;
    if (!buffer.updating) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = () => {
        buffer.removeEventListener("updateend", done);
        buffer.removeEventListener("error", fail);
        resolve();
      };
      const fail = () => reject(new Error("The browser cannot read this media."));
      buffer.addEventListener("updateend", done);
      buffer.addEventListener("error", fail);
    });
  }

  #run(operation) {
    const next = this.#last.then(() => {
      if (!this.isOpen) throw new Error("The buffer is closed.");
      return operation();
    });
    this.#last = next.catch(() => {});
    return next;
  }
}

function typeOf(codecs) {
  const isSound = codecs.split(",").every((one) => /^\s*(mp4a|opus|ac-3|ec-3|flac)/i.test(one));
  return `${isSound ? "audio" : "video"}/mp4; codecs="${codecs}"`;
}

/** The ranges of a media element's list. */
export function rangesOf(list) {
  return Array.from({ length: list.length }, (_, index) =>
    ({ start: list.start(index), end: list.end(index) }));
}
