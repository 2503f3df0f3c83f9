// The playlists of a stream's layers: loads them, and loads the one in use again while it grows.

import { isLow } from "./live-edge.js";
import { load, pause } from "./loader.js";
import { joinDelta, parsePlaylist, PlaylistError } from "./playlist.js";
import { ReloadTimer, reloadURL, switchURL } from "./reload.js";
import { endOf } from "./timeline.js";

const patience = 10; // s
const faultWaits = [0.5, 1, 2, 3]; // s between attempts after faults
const edgesKept = 5;
const publishing = 0.6; // s from a picture to its place in a playlist, at least

const now = () => Date.now() / 1000;
const ticks = () => performance.now() / 1000;
const decoder = new TextDecoder();

export class LayerLists extends EventTarget {
  #lists = new Map(); // by address: { playlist, seen } (s of this page)
  #url = "";
  #timeline;
  #clock;
  #signal;
  #round = null; // ends the wait or the request in progress
  #timer = new ReloadTimer();
  #edges = []; // recent differences between this page's clock and the end of the playlist
  #discontinuity = -1; // at the end, when the edge was noted last
  faults = 0; // in a row
  haste = null; // of this server

  /** Fires `grown` when the playlist in use has something new, and `fault`. */
  constructor({ timeline, clock, signal }) {
    super();
    this.#timeline = timeline;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The playlist in use. */
  get current() {
    return this.#lists.get(this.#url)?.playlist ?? null;
  }

  /** Loads a layer's playlist, unless it is known and new, and uses it from then on. */
  async use(url, signal) {
    if (url === this.#url) return;
    const before = this.current;
    const known = this.#lists.get(url);
    const isFresh = known?.playlist.isEnded
      || known && ticks() - known.seen < known.playlist.targetDuration / 4;
    if (!isFresh) await this.#load(url, before ? switchURL(before, url) : url, signal);
    this.#url = url;
    this.#round?.abort();
    this.#round = null;
    this.dispatchEvent(new Event("grown"));
  }

  /** Loads the playlist in use again and again, until the signal says so. */
  async keep() {
    let wait = 0;
    for (;;) {
      const round = this.#round = new AbortController();
      const signal = AbortSignal.any([this.#signal, round.signal]);
      try {
        await pause(wait, signal);
        if (this.current.isEnded) {
          wait = 3600; // until another layer is used
          continue;
        }
        wait = await this.#reload(this.#url, signal);
        this.faults = 0;
      } catch (error) {
        this.#signal.throwIfAborted();
        wait = 0;
        if (round.signal.aborted) continue;
        this.faults += 1;
        wait = faultWaits[Math.min(this.faults, faultWaits.length) - 1];
        this.dispatchEvent(new CustomEvent("fault", { detail: error }));
      }
    }
  }

  /** Asks at once, because the network is back or the page has slept. */
  hurry() {
    this.#round?.abort();
  }

  /** Where the live edge is now, by the player's clock: it moves on between two segments. */
  get edge() {
    const playlist = this.current;
    const end = endOf(playlist);
    if (playlist.isEnded || this.#edges.length === 0) return end;
    const most = playlist.partTarget || playlist.targetDuration;
    const edge = ticks() - Math.min(...this.#edges);
    return Math.min(Math.max(edge, end), end + 1.5 * most);
  }

  /** @returns {Promise<number>} how long to wait for the next time, in s */
  async #reload(url, signal) {
    const { playlist, seen } = this.#lists.get(url);
    const asked = now();
    const age = ticks() - seen;
    // A server that was restarted may not know the number to wait for.
    const isFaulty = this.faults > 0;
    const how = { age, joins: !isFaulty, waits: !isFaulty };
    let isNew = await this.#load(url, reloadURL(playlist, how), signal);
    // A delta that does not join.
    if (isNew === null) {
      isNew = await this.#load(url, reloadURL(playlist, { age, joins: false }), signal);
    }
    return this.#timer.wait(this.current, { asked, now: now(), isNew });
  }

  /** @returns {Promise<boolean|null>} whether there is something new; null if it was not joined */
  async #load(url, address, signal) {
    const known = this.#lists.get(url)?.playlist;
    const answer = await load({ url: address, range: null }, {
      signal, patience, attempts: 1, making: known?.partTarget,
      haste: known && isLow(known) ? this.haste : null,
    });
    if (answer.date) this.#clock.add(answer.date, answer.asked, answer.answered);
    const parsed = parsePlaylist(decoder.decode(answer.bytes), url);
    if (parsed.isMaster) throw new PlaylistError("A playlist of segments was expected.");
    const before = known ?? null;
    const playlist = joinDelta(before, parsed);
    if (!playlist) return null;
    const isNew = !before || newest(before) !== newest(playlist) || playlist.isEnded;
    this.#timeline.place(playlist);
    this.#lists.set(url, { playlist, seen: ticks() });
    if (isNew) this.#noteEdge(before, playlist);
    if (isNew && url === this.#url) this.dispatchEvent(new Event("grown"));
    return isNew;
  }

  /** How long ago a playlist that was not waited for got its end, by the dates in it, in s. */
  #ageOf({ segments, isEnded, partTarget, targetDuration }) {
    const last = segments.at(-1);
    if (isEnded || !last || last.date === null) return 0;
    const age = now() + this.#clock.offset - last.date - last.duration - publishing;
    return Math.min(Math.max(age, 0), partTarget || targetDuration);
  }

  #noteEdge(before, playlist) {
    const discontinuity = playlist.segments.at(-1)?.discontinuity;
    // What a dead bot did not record is missing from the player's clock.
    if (discontinuity !== this.#discontinuity) this.#edges = [];
    this.#discontinuity = discontinuity;
    this.#edges.push(ticks() - endOf(playlist) - (before ? 0 : this.#ageOf(playlist)));
    if (this.#edges.length > edgesKept) this.#edges.shift();
  }
}

/** Changes whenever the playlist grows. */
function newest(playlist) {
  const last = playlist.segments.at(-1);
  return `${last?.sequence} ${last?.parts.length} ${last?.url} ${playlist.hint?.url}`;
}
