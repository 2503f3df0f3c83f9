// Fetches playlists and media, with a deadline for each attempt, and again after a fault.

const bytesMaximum = 64 * 1024 * 1024; // of one resource
const attemptsMaximum = 4;
const waits = [0.2, 0.6, 1.5]; // s between attempts
const hasteLeast = 0.35; // s

/** An answer that is an error, or none. `status` is 0 without an answer. */
export class LoadError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }

  /** Whether the same request may succeed a little later. */
  get isPassing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** A piece that the server does not have any more. */
export class PieceGone extends LoadError {
  constructor(piece, status) {
    super("The piece has gone.", status);
    this.piece = piece;
  }
}

/**
 * How long a connection may be silent before a resource is asked for once more, on another one:
 * a connection that has lost several packets is silent for longer and longer (RFC 6298 sect. 5.5),
 * and another one has the same bytes sooner. Estimated from the silences so far, as TCP estimates
 * its time-out (sect. 2). With HTTP/2 and 3 all requests have the same connection, and nothing is
 * asked for twice.
 */
export class Haste {
  #url;
  #protocol = "";
  #mean = null; // s
  #deviation = 0;

  /** @param {string} url of what was loaded from the server first */
  constructor(url) {
    this.#url = new URL(url, document.baseURI).href;
  }

  /** @param {number} silence the longest one of a transfer, in s */
  add(silence) {
    if (this.#mean === null) {
      [this.#mean, this.#deviation] = [silence, silence / 2];
      return;
    }
    this.#deviation += (Math.abs(silence - this.#mean) - this.#deviation) / 4;
    this.#mean += (silence - this.#mean) / 8;
  }

  /** In s; infinite while nothing is known. */
  get limit() {
    this.#protocol ||= performance.getEntriesByName(this.#url).at(-1)?.nextHopProtocol ?? "";
    if (this.#mean === null || this.#protocol !== "http/1.1") return Infinity;
    return Math.max(hasteLeast, this.#mean + 4 * this.#deviation);
  }
}

/** Resolves after so many seconds, or rejects at once when the signal says so. */
export function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(done, Math.max(seconds, 0) * 1000);
    signal?.addEventListener("abort", stop);
    function done() {
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
  });
}

/**
 * Loads a resource or a range of it.
 * @param {{url: string, range: {begin: number, end: number}|null}} resource
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {number} options.patience the longest silence of the server, in s
 * @param {number} [options.attempts]
 * @param {Haste} [options.haste] for what is wanted at once
 * @param {number} [options.making] for how long the resource may still be made, in s
 * @param {(progress: {bytes: number, total: number, seconds: number}) => void} [options.progress]
 *   `total` is 0 if it is not known, `seconds` count from the first byte
 * @returns {Promise<{bytes: Uint8Array, seconds: number, waited: number, date: number|null,
 *   asked: number, answered: number, silence: number, url: string}>} `waited`: until the first
 *   byte; `silence`: the longest one behind it
 */
export async function load(resource, { signal, attempts = attemptsMaximum, ...how }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadSoon(resource, { signal, ...how });
    } catch (error) {
      if (signal.aborted || attempt >= attempts || !error.isPassing) throw error;
      await pause(waits[Math.min(attempt, waits.length) - 1], signal);
    }
  }
}

/** On two connections when one is silent for too long. What is complete first counts. */
async function loadSoon(resource, { signal, patience, progress, haste, making = 0 }) {
  if (!haste) return loadOnce(resource, { signal, patience, progress });
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let timer;
  try {
    const answer = await new Promise((resolve, reject) => {
      let running = 0;
      const begin = (how) => {
        running += 1;
        loadOnce(resource, { signal: either, patience, ...how }).then(resolve, (error) => {
          running -= 1;
          if (running === 0) reject(error);
        });
      };
      // The browser would have the second wait for the first one's place in its cache.
      const expect = (seconds) => {
        clearTimeout(timer);
        if (seconds < Infinity) timer = setTimeout(begin, seconds * 1000, { cache: "no-store" });
      };
      begin({ progress, heard: () => running === 1 && expect(haste.limit) });
      expect(making + haste.limit);
    });
    haste.add(answer.silence + (making > 0 ? 0 : answer.waited));
    return answer;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function loadOnce({ url, range }, { signal, patience, progress, heard, cache }) {
  signal.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  const deadline = () => setTimeout(() => controller.abort(), patience * 1000);
  let timer = deadline();
  try {
    const asked = Date.now() / 1000;
    const begun = performance.now();
    const headers = range ? { Range: `bytes=${range.begin}-${range.end - 1}` } : {};
    const answer = await fetch(url, {
      headers, signal: controller.signal, cache, credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    const answered = Date.now() / 1000;
    if (!answer.ok) throw new LoadError(`The server answered ${answer.status}.`, answer.status);
    const total = Number(answer.headers.get("Content-Length")) || 0;
    if (total > bytesMaximum) throw new LoadError("The answer is too long.", answer.status);
    const chunks = [];
    let [bytes, silence] = [0, 0];
    const first = performance.now();
    let last = first;
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      heard?.();
      silence = Math.max(silence, performance.now() - last);
      last = performance.now();
      clearTimeout(timer);
      timer = deadline();
      chunks.push(value);
      bytes += value.byteLength;
      if (bytes > bytesMaximum) {
        controller.abort();
        throw new LoadError("The answer is too long.", answer.status);
      }
      progress?.({ bytes, total, seconds: (performance.now() - first) / 1000 });
    }
    return {
      bytes: whole(chunks, bytes, range && answer.status === 200 ? range : null),
      seconds: (performance.now() - first) / 1000,
      waited: (first - begun) / 1000,
      silence: silence / 1000,
      date: dateOf(answer.headers),
      asked,
      answered,
      url: answer.url || url,
    };
  } catch (error) {
    if (signal.aborted || error instanceof LoadError) throw error;
    throw new LoadError(controller.signal.aborted ? "The server is silent." : error.message);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The server's clock, in s since 1970; null if the answer is from a cache. */
function dateOf(headers) {
  return headers.get("Age") ? null : Date.parse(headers.get("Date")) / 1000 || null;
}

/** @param {{begin: number, end: number}|null} range of an answer that is the whole resource */
function whole(chunks, length, range) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return range ? bytes.slice(range.begin, range.end) : bytes;
}
