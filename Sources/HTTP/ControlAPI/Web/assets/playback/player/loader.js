// Fetches playlists and media, with a deadline for each attempt, and again after a fault.

const bytesMaximum = 64 * 1024 * 1024; // of one resource
const attemptsMaximum = 4;
const waits = [0.2, 0.6, 1.5]; // s between attempts

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
 * @param {(progress: {bytes: number, total: number, seconds: number}) => void} [options.progress]
 *   `total` is 0 if it is not known, `seconds` count from the first byte
 * @returns {Promise<{bytes: Uint8Array, seconds: number, waited: number, date: number|null,
 *   asked: number, answered: number, url: string}>} `waited`: until the first byte
 */
export async function load(resource, { signal, patience, attempts = attemptsMaximum, progress }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadOnce(resource, { signal, patience, progress });
    } catch (error) {
      if (signal.aborted || attempt >= attempts || !error.isPassing) throw error;
      await pause(waits[Math.min(attempt, waits.length) - 1], signal);
    }
  }
}

async function loadOnce({ url, range }, { signal, patience, progress }) {
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
      headers, signal: controller.signal, credentials: "omit", referrerPolicy: "no-referrer",
    });
    const answered = Date.now() / 1000;
    if (!answer.ok) throw new LoadError(`The server answered ${answer.status}.`, answer.status);
    const total = Number(answer.headers.get("Content-Length")) || 0;
    if (total > bytesMaximum) throw new LoadError("The answer is too long.", answer.status);
    const chunks = [];
    let bytes = 0;
    const first = performance.now();
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
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
