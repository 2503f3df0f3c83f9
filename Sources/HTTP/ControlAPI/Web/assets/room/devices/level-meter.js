// Twelve bars that show the microphone's level.

import { element } from "../../common/dom.js";

const barCount = 12;
const floorDecibels = -60;

export class LevelMeter {
  #bars;
  #context = null;
  #source = null;
  #analyser = null;
  #track = null;
  #frame = 0;

  constructor(root) {
    this.#bars = Array.from({ length: barCount }, () => element("i"));
    root.append(...this.#bars);
  }

  /** @param {MediaStreamTrack|null} track */
  follow(track) {
    if (track === this.#track) return;
    this.stop();
    this.#track = track;
    if (!track) return;
    this.#context = new AudioContext();
    this.#source = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = 1024;
    this.#source.connect(this.#analyser);
    this.#draw(new Float32Array(this.#analyser.fftSize));
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#source?.disconnect();
    this.#context?.close();
    this.#context = null;
    this.#track = null;
    this.#light(0);
  }

  #draw(samples) {
    this.#analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    const decibels = 10 * Math.log10(power + 1e-9);
    const share = this.#track.enabled ? 1 - Math.max(floorDecibels, decibels) / floorDecibels : 0;
    this.#light(Math.round(share * barCount));
    this.#frame = requestAnimationFrame(() => this.#draw(samples));
  }

  #light(count) {
    this.#bars.forEach((bar, index) => bar.classList.toggle("lit", index < count));
  }
}
