"""What the pages' player needs of a browser and a network, to be full, gone or slow at a test's will.

Its media is text: a segment is `start duration` in s."""

STAND = """() => {
  const decoder = new TextDecoder();
  const stand = window.stand = {
    files: {}, // by path: a text, or the status of an error
    asked: [], // paths
    quota: Infinity, // s that the buffer takes
    buffer: null, seeks: 0, hasEnded: false,
  };

  window.fetch = async (url) => {
    const { pathname } = new URL(url, location.href);
    stand.asked.push(pathname);
    const found = stand.files[pathname] ?? 404;
    return typeof found === "number" ? new Response("", { status: found }) : new Response(found);
  };
  URL.createObjectURL = (source) => {
    setTimeout(() => {
      source.readyState = "open";
      source.dispatchEvent(new Event("sourceopen"));
    });
    return "blob:stand";
  };
  URL.revokeObjectURL = () => {};

  class Buffer extends EventTarget {
    updating = false;
    timestampOffset = 0;
    ranges = [];

    appendBuffer(bytes) {
      const [start, duration] = decoder.decode(bytes).split(" ").map(Number);
      if (duration > 0) this.#add(start, start + duration);
      this.#update();
    }

    #add(start, end) {
      this.#cut(start, end);
      const held = this.ranges.reduce((sum, one) => sum + one.end - one.start, 0);
      if (held + end - start > stand.quota) throw new DOMException("", "QuotaExceededError");
      const joined = [];
      for (const one of [...this.ranges, { start, end }].sort((a, b) => a.start - b.start)) {
        if (joined.at(-1)?.end === one.start) joined.at(-1).end = one.end;
        else joined.push({ ...one });
      }
      this.ranges = joined;
    }

    #cut(begin, end) {
      this.ranges = this.ranges.flatMap((one) => [
        { start: one.start, end: Math.min(one.end, begin) },
        { start: Math.max(one.start, end), end: one.end },
      ]).filter((one) => one.start < one.end);
    }

    remove(begin, end) {
      this.#cut(begin, end);
      this.#update();
    }

    #update() {
      this.updating = true;
      queueMicrotask(() => {
        this.updating = false;
        this.dispatchEvent(new Event("updateend"));
      });
    }
  }

  stand.Source = class extends EventTarget {
    readyState = "closed";
    static isTypeSupported() { return true; }
    addSourceBuffer() { return stand.buffer = new Buffer(); }
    endOfStream() { stand.hasEnded = true; }
  };

  stand.Video = class extends EventTarget {
    #time = 0;
    paused = false;
    ended = false;
    playbackRate = 1;
    clientHeight = 720;

    get #range() {
      return stand.buffer?.ranges.find(({ start, end }) => start <= this.#time && this.#time < end);
    }

    get buffered() {
      const ranges = stand.buffer?.ranges ?? [];
      return { length: ranges.length, start: (at) => ranges[at].start, end: (at) => ranges[at].end };
    }

    get readyState() { return this.#range ? 4 : 1; }
    get seeking() { return this.isSought && !this.#range; }
    get currentTime() { return this.#time; }

    set currentTime(time) {
      this.#time = time;
      this.isSought = true;
      stand.seeks += 1;
      queueMicrotask(() => this.dispatchEvent(new Event("seeking")));
    }

    advance(seconds) {
      if (!this.#range) return;
      this.isSought = false;
      this.#time = Math.min(this.#time + seconds, this.#range.end);
    }

    async play() {}
    load() {}
    removeAttribute() {}
    canPlayType() { return ""; }
    addTextTrack() { return document.createElement("video").addTextTrack("captions"); }
  };

  /** The page of a file, without its scripts; the media are still the browser's own. */
  stand.open = async (html) => {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    document.body.replaceWith(body);
  };

  /** Plays several times as fast until it holds, for so many seconds at most. */
  stand.play = async (video, speed, holds, seconds) => {
    const end = performance.now() + 1000 * seconds;
    while (performance.now() < end && !holds()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      video?.advance(0.02 * speed);
    }
    return holds();
  };
}"""


def recording(count, duration):
    """The files of a recording, `/r/m.m3u8`, of so many segments, with captions."""
    head = f"#EXTM3U\n#EXT-X-TARGETDURATION:{duration}\n"
    media, captions = head + '#EXT-X-MAP:URI="i.mp4"\n', head
    files = {"/r/i.mp4": "i"}
    for index in range(count):
        begin = index * duration
        media += f"#EXTINF:{duration},\n{index}.m4s\n"
        captions += f"#EXTINF:{duration},\n{index}.vtt\n"
        files[f"/r/{index}.m4s"] = f"{begin} {duration}"
        files[f"/r/{index}.vtt"] = (
            f"WEBVTT\n\n00:{begin:02}.000 --> 00:{begin + 1:02}.000\nSegment {index}\n")
    master = ('#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="c",NAME="English",LANGUAGE="en",'
              'URI="c.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=500000,CODECS="avc1.42C01E",'
              'SUBTITLES="c"\nl.m3u8\n')
    end = "#EXT-X-ENDLIST\n"
    return files | {"/r/m.m3u8": master, "/r/l.m3u8": media + end, "/r/c.m3u8": captions + end}
