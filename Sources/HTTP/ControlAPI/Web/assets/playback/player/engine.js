// Plays a stream of fragmented MP4 by Media Source Extensions: live, with or without parts, and
// recorded. The streams are this server's own: pictures and sound are in the same segments, and all
// layers have the same ones.

import { LayerChoice, Throughput } from "./abr.js";
import { beginOf, tracksOf } from "./boxes.js";
import { BufferFull, MediaBuffer, mediaSource } from "./buffer.js";
import { ServerClock } from "./clock.js";
import { LayerLists } from "./layer-lists.js";
import { aheadOf, isLow, targetOf } from "./live-edge.js";
import { Haste, load, LoadError, pause, PieceGone } from "./loader.js";
import { Pacing } from "./pacing.js";
import { frontBefore, frontBehind, isEntry, pieceAfter, pieceAt } from "./pieces.js";
import { parsePlaylist } from "./playlist.js";
import { dateAt, endOf, Timeline } from "./timeline.js";

const patience = 8; // s that the server may be silent
const aheadMaximum = 30; // s to load in advance
const aheadLeast = 5; // s, although the buffer is full
const aheadShare = 0.8; // of what the buffer had when it was full
const initsMaximum = 16;
const strayMaximum = 0.5; // s by which a segment may lie elsewhere than its playlist says
const faultWait = 1; // s
const dangerShare = 0.2; // of the target
const abandonAfter = 0.4; // s of a transfer
const followShare = 1.5; // of the target: still at the live edge
const gone = new Set([404, 410]); // statuses
const decoder = new TextDecoder();
const ticks = () => performance.now() / 1000;

/** The stream is none that this engine plays: transport streams, or codecs without a decoder. */
export class Unplayable extends Error {}

export class Engine extends EventTarget {
  #video;
  #control = new AbortController();
  #buffer;
  #lists;
  #timeline = new Timeline();
  #clock = new ServerClock();
  #throughput = new Throughput();
  #haste = null; // known from the master playlist on
  #pacing = null;
  #choice = null;
  #inits = new Map(); // by address and range: promises of { bytes, tracks }
  #front = null; // the piece appended last: { sequence, part, end }
  #active = -1; // the layer whose playlist is in use; the chosen one follows at the next entry
  #filled = null; // the initialization section appended last
  #round = null; // ends the transfer in progress
  #vainHint = ""; // the address of a part that was not made after all
  #wake = () => {};
  #aim = null; // s; where to begin
  #aheadMost = aheadMaximum; // less when the buffer was full
  #hasEnded = false;
  #ownTime = null; // s; where playback was sent by the engine itself
  #isFaulty = false; // nothing was appended since the last fault
  layers = []; // read-only, best first
  captions = []; // read-only: the master playlist's subtitles
  chosen = null; // read-only: the layer that the viewer chose
  follows = true; // read-only: whether the viewer wants the newest picture

  /**
   * Fires `layers` when they are known, `layer` when another one is loaded, `fault` and `recovered`
   * for the network, and `broken` when it cannot go on.
   */
  constructor(video) {
    super();
    this.#video = video;
    this.#buffer = new MediaBuffer(video);
    this.#lists = new LayerLists({
      timeline: this.#timeline, clock: this.#clock, signal: this.#control.signal,
    });
    this.#lists.addEventListener("grown", () => this.#wake());
    this.#lists.addEventListener("fault", ({ detail }) => this.#fault(detail));
  }

  static get isPossible() {
    return Boolean(mediaSource()) && "any" in AbortSignal;
  }

  /**
   * Begins; rejects with `Unplayable`, or with the error of a server that has no such stream.
   * @param {string} url of the master playlist
   * @param {number} [begin] s; for recordings
   */
  async play(url, begin = 0) {
    const signal = this.#control.signal;
    const master = await this.#master(url);
    this.#haste = this.#lists.haste = new Haste(url);
    this.layers = master.layers.filter((one) => one.codecs && MediaBuffer.canPlay(one.codecs));
    this.captions = master.subtitles;
    if (this.layers.length === 0) throw new Unplayable("The browser has no decoder for it.");
    this.#choice = new LayerChoice(this.layers);
    await Promise.all([
      this.#use(this.layers.length - 1, signal), this.#buffer.open(signal),
    ]);
    const { segments } = this.#lists.current;
    if (segments.length > 0 && !segments.at(-1).map) {
      throw new Unplayable("The stream is no fragmented MP4.");
    }
    await this.#buffer.setDuration(this.isLive ? Infinity : endOf(this.#lists.current));
    this.#aim = this.isLive ? this.#edgeToAimAt : begin;
    this.#listen();
    this.#pacing = new Pacing(this, this.#video);
    this.dispatchEvent(new Event("layers"));
    this.#run(this.#fill());
    this.#run(this.#lists.keep());
  }

  stop() {
    this.#control.abort();
    this.#pacing?.stop();
    this.#buffer.close();
    this.#wake();
  }

  // What the controls show.

  get isLive() {
    return Boolean(this.#lists.current) && !this.#lists.current.isEnded;
  }

  get isLowLatency() {
    return this.isLive && isLow(this.#lists.current);
  }

  /** The layer that is loaded now. */
  get layer() {
    return this.#choice?.current ?? -1;
  }

  /** From the oldest to the newest picture that can be shown, in the player's time. */
  get window() {
    const playlist = this.#lists.current;
    const first = playlist?.segments[0];
    if (!first) return { start: 0, end: 0 };
    return { start: first.start, end: this.isLive ? this.#lists.edge : endOf(playlist) };
  }

  /** Whether what is shown is not what the live edge has. */
  get isBehind() {
    return this.isLive
      && (!this.follows || this.#video.paused && this.distance > this.target * followShare);
  }

  /** How long ago the shown picture was made, in s; null if the stream does not tell. */
  get latency() {
    const playlist = this.#lists.current;
    const date = playlist && this.#video.readyState > 0
      ? dateAt(playlist, this.#video.currentTime) : null;
    return date === null ? null : Date.now() / 1000 + this.#clock.offset - date;
  }

  /** From the picture, or the one to begin with, to the live edge, in s. */
  get distance() {
    return this.#lists.current ? this.#lists.edge - this.#place : 0;
  }

  /** The distance to keep, in s. */
  get target() {
    return targetOf(this.#lists.current, this.#pacing?.stalls ?? 0);
  }

  get ranges() {
    return this.#buffer.ranges;
  }

  /** For tests and the curious. */
  get statistics() {
    return {
      stalls: this.#pacing?.stalls ?? 0, throughput: this.#throughput.rate, layer: this.layer,
      ahead: aheadOf(this.ranges, this.#video.currentTime), distance: this.distance,
      target: this.#lists.current ? this.target : 0,
    };
  }

  /** For captions: the player's time of a media time behind this discontinuity, or undefined. */
  offset(discontinuity) {
    return this.#timeline.knownOffset(discontinuity);
  }

  /** For captions: the same clock for another playlist. */
  get timeline() {
    return this.#timeline;
  }

  // What the viewer wants.

  /** @param {number|null} layer null: whatever the network allows */
  choose(layer) {
    this.chosen = layer;
    if (layer === null || layer === this.#choice.current) return;
    this.#choice.set(layer, ticks());
    this.#replaceAhead();
    this.dispatchEvent(new Event("layer"));
  }

  seek(time) {
    if (!this.#pacing) return; // there is nothing to see yet
    const { start, end } = this.window;
    this.follows = this.isLive && end - time <= this.target * followShare;
    this.#pacing.excuse();
    this.#video.currentTime = this.follows
      ? this.#edgeToAimAt : Math.min(Math.max(time, start + (this.isLive ? 1 : 0)), end);
  }

  seekToLive() {
    if (!this.#pacing) return;
    this.follows = true;
    this.#pacing.excuse();
    const time = this.#edgeToAimAt;
    if (Math.abs(time - this.#video.currentTime) > 0.3) this.#video.currentTime = time;
    this.#wake();
  }

  /** The page has slept, or the network is back. */
  wakeUp() {
    this.#lists.hurry();
    this.#pacing?.excuse();
    this.#wake();
  }

  /** A few times a second. */
  look() {
    this.#wake();
    const { start } = this.window;
    const { currentTime: time, paused, seeking, readyState } = this.#video;
    // The oldest segments have gone while it was paused, or while too little was loaded.
    const isGone = this.isLive && this.#aim === null && readyState > 0 && time < start - 0.5
      && aheadOf(this.ranges, time) < 0.1;
    if (!isGone || paused || seeking) return;
    if (this.follows) this.seekToLive();
    else this.seek(start + 2);
  }

  // How it goes on.

  get #edgeToAimAt() {
    const { start, end } = this.window;
    return Math.max(end - this.target, start);
  }

  /** Where playback is, or is to begin, in s. */
  get #place() {
    return this.#aim ?? this.#video.currentTime;
  }

  get #ahead() {
    return aheadOf(this.ranges, this.#place);
  }

  /** The front at the end of what is buffered without a hole; null if that is no whole segment. */
  get #frontHeld() {
    if (this.#ahead <= 0.1) return null;
    const end = this.#place + this.#ahead + 0.1;
    const last = this.#lists.current.segments.findLast((one) => one.start + one.duration <= end);
    return last ? frontBehind({ segment: last, part: null, ...last }) : null;
  }

  async #master(url) {
    const { bytes, url: base } = await load({ url, range: null }, this.#how());
    const master = parsePlaylist(decoder.decode(bytes), base);
    if (!master.isMaster) throw new Unplayable("The playlist names no layers.");
    return master;
  }

  #how(signal = this.#control.signal) {
    return { signal, patience };
  }

  #listen() {
    const { signal } = this.#control;
    const video = this.#video;
    video.addEventListener("seeking", () => this.#sought(), { signal });
    video.addEventListener("error", () => this.#break(video.error), { signal });
    video.addEventListener("play", () => {
      if (this.isLive && this.#aim === null) {
        this.follows = this.distance <= this.target * followShare;
      }
    }, { signal });
    this.#buffer.listen(() => this.#wake(), signal);
    addEventListener("online", () => this.wakeUp(), { signal });
  }

  #run(task) {
    task.catch((error) => {
      if (!this.#control.signal.aborted) this.#break(error);
    });
  }

  #break(error) {
    if (this.#control.signal.aborted) return;
    this.stop();
    this.dispatchEvent(new CustomEvent("broken", { detail: error }));
  }

  #fault(error) {
    this.#isFaulty = true;
    this.dispatchEvent(new CustomEvent("fault", { detail: error }));
  }

  /** Appends piece after piece. */
  async #fill() {
    const { signal } = this.#control;
    for (;;) {
      const woken = new Promise((resolve) => {
        this.#wake = resolve;
      });
      signal.throwIfAborted();
      try {
        const round = this.#round = new AbortController();
        const either = AbortSignal.any([signal, round.signal]);
        const piece = await this.#next(either);
        if (!piece) await woken;
        else await this.#take(piece, either);
      } catch (error) {
        signal.throwIfAborted();
        if (this.#round.signal.aborted) continue;
        await this.#recover(error);
      }
    }
  }

  async #recover(error) {
    if (error instanceof BufferFull) {
      this.#aheadMost = Math.max(aheadShare * Math.min(this.#ahead, this.#aheadMost), aheadLeast);
      this.#front = this.#frontHeld;
      return pause(faultWait, this.#control.signal);
    }
    if (!(error instanceof LoadError)) throw error;
    this.#fault(error);
    this.#lists.hurry();
    if (!error.isPassing && this.isLive && this.follows) {
      this.#front = null;
      this.#aim = this.#edgeToAimAt;
    } else if (error instanceof PieceGone) this.#skip(error.piece);
    await pause(faultWait, this.#control.signal);
  }

  /** A piece that has gone is not asked for again: playback goes on behind it. */
  #skip(piece) {
    this.#front = frontBehind(piece);
    const { end } = this.#front;
    if (piece.start <= this.#place && this.#place < end) this.#aim = end;
  }

  /** The next piece, of the layer that is right for it; null when there is nothing to do. */
  async #next(signal) {
    // Behind a hole nothing counts as ahead.
    const isFar = this.#front?.end > this.#place + 2 * aheadMaximum;
    // A browser that is sated with next to nothing would stand still.
    const isSated = this.#buffer.isSated && this.#ahead > this.#danger;
    if (this.#ahead > this.#aheadMost || isFar || isSated) return null;
    let piece = this.#find();
    if (!piece) {
      await this.#finish();
      return null;
    }
    if (piece.isHint && piece.url === this.#vainHint) return null;
    if (isEntry(piece) || !this.#filled) {
      this.#chooseLayer();
      await this.#use(this.#choice.current, signal);
      piece = this.#find();
    }
    return piece;
  }

  async #use(layer, signal) {
    await this.#lists.use(this.layers[layer].url, signal);
    this.#active = layer;
  }

  #find() {
    const playlist = this.#lists.current;
    if (this.#front) {
      const piece = pieceAfter(playlist, this.#front);
      if (!piece?.isElsewhere) return piece;
      this.#front = null;
    }
    return pieceAt(playlist, this.#place);
  }

  #chooseLayer() {
    if (this.chosen !== null) return this.#choice.set(this.chosen, ticks());
    const before = this.#choice.current;
    const { rate } = this.#throughput;
    this.#choice.next({
      rate, age: this.#throughput.age(ticks()), ahead: this.#ahead, danger: this.#danger,
      height: this.#video.clientHeight * devicePixelRatio, now: ticks(),
    });
    if (before !== this.#choice.current) this.dispatchEvent(new Event("layer"));
  }

  get #danger() {
    return this.isLive ? Math.min(this.target * dangerShare, 1) : 2;
  }

  async #finish() {
    const playlist = this.#lists.current;
    const last = playlist.segments.at(-1);
    if (!playlist.isEnded || this.#hasEnded || this.#front?.sequence !== last?.sequence) return;
    this.#hasEnded = true;
    await this.#buffer.end();
  }

  async #take(piece, signal) {
    this.#init(piece.segment.map, signal).catch(() => {}); // begins beside the piece
    const answer = piece.isHint
      ? await this.#loadHint(piece, signal) : await this.#load(piece, signal);
    if (!answer) return;
    // By now the piece may be another layer's.
    const init = await this.#init(piece.segment.map, signal);
    const begin = beginOf(answer.bytes, init.tracks);
    let offset = this.#timeline.offset(piece.segment, piece.start, begin);
    if (begin !== null && Math.abs(begin + offset - piece.start) > strayMaximum) {
      // Of another run of the encoder: where it belongs is in the next playlist.
      if (piece.isHint) {
        this.#vainHint = piece.url;
        return;
      }
      offset = piece.start - begin;
      this.#timeline.move(piece.segment, offset);
    }
    const isOther = this.#filled !== init;
    await this.#buffer.append(isOther ? init.bytes : null, answer.bytes,
      { codecs: this.layers[this.#active].codecs, offset });
    this.#filled = init;
    signal.throwIfAborted(); // the viewer may be elsewhere by now
    this.#hasEnded = false;
    if (begin !== null && !piece.part) {
      this.#timeline.correct(piece.segment, begin + offset);
    }
    this.#front = frontBehind(piece);
    await this.#buffer.trim();
    this.#begin();
    if (this.#isFaulty) {
      this.#isFaulty = false;
      this.dispatchEvent(new Event("recovered"));
    }
  }

  /** Goes where playback is to begin, once there is a picture. */
  #begin() {
    if (this.#aim === null) return;
    const aim = this.#aim;
    const range = this.ranges.find(({ start, end }) => start <= aim + strayMaximum && aim < end);
    if (!range) return;
    this.#aim = null;
    this.#ownTime = Math.max(aim, range.start + 0.001);
    this.#video.currentTime = this.#ownTime;
  }

  async #init(map, signal) {
    if (!map) throw new Unplayable("The stream is no fragmented MP4.");
    const key = `${map.url} ${map.range?.begin}`;
    if (!this.#inits.has(key)) {
      if (this.#inits.size >= initsMaximum) this.#inits.clear();
      const loading = load(map, this.#how(signal))
        .then(({ bytes }) => ({ bytes, tracks: tracksOf(bytes) }));
      loading.catch(() => this.#inits.delete(key));
      this.#inits.set(key, loading);
    }
    return this.#inits.get(key);
  }

  /** A part that is still made, or null if it was not made after all. */
  async #loadHint(piece, signal) {
    try {
      return await this.#load(piece, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LoadError)) throw error;
      this.#vainHint = piece.url;
      return null;
    }
  }

  async #load(piece, signal) {
    const layer = this.#active;
    const slow = new AbortController();
    let seen = 0; // bit/s
    try {
      const answer = await load(piece, {
        ...this.#how(AbortSignal.any([signal, slow.signal])),
        attempts: piece.isHint ? 1 : undefined,
        haste: this.isLowLatency ? this.#haste : null,
        making: piece.isHint ? piece.duration : 0,
        progress: ({ bytes, total, seconds }) => {
          // With other parts another layer would have to load the segment's beginning again.
          if (piece.part > 0 || this.chosen !== null) return;
          if (layer === this.layers.length - 1 || seconds < abandonAfter) return;
          // What is sent while it is made tells nothing before it must have been made.
          if (piece.isHint ? seconds < piece.duration : total === 0) return;
          seen = (bytes * 8) / seconds;
          const left = piece.part === null
            ? ((total - bytes) * 8) / seen : this.#delayOfParts(layer, seen);
          const isLate = left > this.#ahead + 0.2 && left > 0.5;
          // To begin again with the same layer would only lose time.
          if (isLate && this.#choice.isTooMuch(seen)) slow.abort();
        },
      });
      // What is sent while it is made arrives no faster than that, but may arrive more slowly.
      const share = answer.seconds / piece.duration;
      const isTelling = !piece.isHint || share < 1 / 3 || share > 1.2;
      if (isTelling) this.#throughput.add(answer.bytes.byteLength, answer.seconds, ticks());
      return answer;
    } catch (error) {
      if (!slow.signal.aborted || signal.aborted) {
        if (gone.has(error.status)) throw new PieceGone(piece, error.status);
        throw error;
      }
      this.#throughput.add(seen / 8, 1, ticks());
      this.#choice.abandon(seen, ticks());
      this.dispatchEvent(new Event("layer"));
      await this.#use(this.#choice.current, signal);
      const again = this.#again(piece);
      Object.assign(piece, again);
      return this.#load(piece, signal);
    }
  }

  /** How late a segment's last part is if all arrive at this rate, in bit/s. */
  #delayOfParts(layer, rate) {
    return this.#lists.current.targetDuration * (this.layers[layer].bitrate / rate - 1);
  }

  /** The same piece, of the layer now in use. */
  #again(piece) {
    const first = pieceAfter(this.#lists.current, frontBefore(piece.segment));
    if (!first) throw new LoadError("The other layer does not have the segment yet.");
    return first;
  }

  #sought() {
    const time = this.#video.currentTime;
    const isOwn = this.#ownTime !== null && Math.abs(time - this.#ownTime) < 0.05;
    this.#ownTime = null;
    if (isOwn) return;
    this.#aim = null;
    const ahead = aheadOf(this.ranges, time);
    const isJoined = this.#front && Math.abs(time + ahead - this.#front.end) < 1;
    if (ahead > 0.1 && isJoined) return this.#wake();
    this.#front = this.#frontHeld;
    this.#round?.abort();
    this.#wake();
  }

  /** Loads another layer in place of what is buffered and not shown soon. */
  #replaceAhead() {
    const time = this.#video.currentTime;
    const next = this.#lists.current?.segments.find((one) => one.start > time + 0.5);
    if (!next || !this.#front || this.#front.sequence < next.sequence) return;
    this.#run(this.#buffer.trim(next.start));
    this.#front = frontBefore(next);
    this.#round?.abort();
    this.#wake();
  }
}
