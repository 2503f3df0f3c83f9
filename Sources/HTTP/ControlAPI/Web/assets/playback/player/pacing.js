// Watches the playback a few times a second: keeps it near the live edge, leads it over holes, and
// notices when the machine has slept.

import { aheadOf, behindGap, isTooFar, rateFor } from "./live-edge.js";

const interval = 250; // ms
const sleep = 4; // s without a look
const stall = 0.3; // s without progress that count as a stall
const patience = 2; // s of stall, after which a longer hole is jumped
const calm = 300; // s without a stall, after which one is forgotten
const nudgeAfter = 0.8; // s of stall
const longGap = 30; // s
const jumpInterval = 6; // s between jumps to the edge: what is there must be loaded, too

const ticks = () => performance.now() / 1000;

export class Pacing {
  #engine;
  #video;
  #timer;
  #looked = ticks();
  #time = -1;
  #moved = ticks(); // when the time last changed
  #isCounted = false; // the present stall
  #hasPlayed = false;
  #jumped = -Infinity;
  #stalled = ticks(); // when the last stall was counted or forgotten
  stalls = 0; // that were nobody's wish

  constructor(engine, video) {
    this.#engine = engine;
    this.#video = video;
    this.#timer = setInterval(() => this.#look(), interval);
  }

  stop() {
    clearInterval(this.#timer);
    this.#video.playbackRate = 1;
  }

  /** Waiting that follows is the viewer's own doing. */
  excuse() {
    this.#hasPlayed = false;
    this.#moved = ticks();
  }

  #look() {
    const passed = ticks() - this.#looked;
    this.#looked = ticks();
    if (passed > sleep) this.#engine.wakeUp();
    this.#engine.look();
    const video = this.#video;
    if (video.paused || video.seeking || video.ended || video.readyState === 0) {
      this.#moved = ticks();
      return;
    }
    const ranges = this.#engine.ranges;
    this.#watchProgress(ranges);
    this.#follow(aheadOf(ranges, video.currentTime));
  }

  #watchProgress(ranges) {
    const video = this.#video;
    if (video.currentTime !== this.#time) {
      this.#time = video.currentTime;
      this.#moved = ticks();
      this.#isCounted = false;
      this.#hasPlayed = true;
      if (ticks() - this.#stalled > calm) this.#count(-1);
      return;
    }
    const stood = ticks() - this.#moved;
    if (stood < stall) return;
    // A hole is not the network's fault, and waiting longer would not help.
    const next = behindGap(ranges, video.currentTime, stood > patience ? longGap : undefined);
    if (next !== null) {
      video.currentTime = next;
      return;
    }
    if (this.#hasPlayed && !this.#isCounted) {
      this.#isCounted = true;
      this.#count(1);
    }
    // A decoder that waits although there is media is woken by a small step.
    if (stood > nudgeAfter && aheadOf(ranges, video.currentTime) > 0.3) {
      video.currentTime += 0.1;
      this.#moved = ticks();
    }
  }

  #count(by) {
    this.stalls = Math.max(this.stalls + by, 0);
    this.#stalled = ticks();
  }

  #follow(ahead) {
    const { distance, target, follows, isLive } = this.#engine;
    let rate = 1;
    if (isLive && follows) {
      if (isTooFar(distance, target) && ticks() - this.#jumped > jumpInterval) {
        this.#jumped = ticks();
        return this.#engine.seekToLive();
      }
      rate = rateFor(distance, target, ahead);
    }
    if (this.#video.playbackRate !== rate) this.#video.playbackRate = rate;
  }
}
