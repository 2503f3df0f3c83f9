// The picture on a recording's card, and other pictures while a pointer moves over it: a sprite of
// small pictures, and a WebVTT file with the time and the place of each.

import { clockText, element } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { parseCues } from "./cues.js";

export class Scrubber {
  #still;
  #tile = element("div", { class: "still-tile" });
  #clock = element("span", { class: "still-clock" });
  #cuesURL = null;
  #cues = null;
  #isLoading = false;
  #fraction = null; // the pointer's position; null while it is elsewhere
  #shown = null;
  #pick = null;

  /** @param {Element} still the element with the picture */
  constructor(still) {
    this.#still = still;
    still.addEventListener("pointermove", (event) => this.#moved(event));
    still.addEventListener("pointerleave", () => this.#left());
    still.addEventListener("click", () => this.#pick?.(this.#seconds ?? 0));
  }

  /**
   * Links change with each request, so pictures are identified by their names.
   * @param {object} recording
   * @param {string|null} recording.picture its address
   * @param {string|null} recording.cues the WebVTT file's
   * @param {((seconds: number) => void)|null} recording.pick called when a time is clicked
   */
  show({ picture, cues, pick }) {
    this.#cuesURL = cues;
    this.#pick = pick;
    this.#still.classList.toggle("playable", Boolean(pick));
    const name = picture?.split("/").at(-1) ?? "";
    if (name === this.#shown) return;
    this.#shown = name;
    this.#still.replaceChildren(
      picture ? element("img", { src: picture, alt: "" }) : icon("film"),
      this.#tile,
      this.#clock,
    );
  }

  get #seconds() {
    return this.#cues && this.#fraction !== null ? this.#fraction * this.#cues.at(-1).end : null;
  }

  #moved(event) {
    // A finger covers its target, and is meant to scroll.
    if (event.pointerType === "touch") return;
    const { left, width } = this.#still.getBoundingClientRect();
    this.#fraction = Math.min(1, Math.max(0, (event.clientX - left) / width));
    if (!this.#cues) this.#load();
    this.#draw();
  }

  #left() {
    this.#fraction = null;
    this.#draw();
  }

  async #load() {
    if (this.#isLoading || !this.#cuesURL) return;
    this.#isLoading = true;
    try {
      const answer = await fetch(this.#cuesURL);
      const cues = answer.ok ? parseCues(await answer.text(), answer.url) : [];
      if (cues.length > 0) this.#cues = cues;
    } catch {
      // The picture stays.
    }
    this.#isLoading = this.#cues === null; // requested once
    this.#draw();
  }

  #draw() {
    const seconds = this.#seconds;
    this.#still.classList.toggle("scrubbed", seconds !== null);
    if (seconds === null) return;
    const cue = this.#cues.findLast((one) => one.begin <= seconds) ?? this.#cues[0];
    const scale = Math.max(
      this.#still.clientWidth / cue.width,
      this.#still.clientHeight / cue.height,
    );
    Object.assign(this.#tile.style, {
      width: `${cue.width}px`,
      height: `${cue.height}px`,
      backgroundImage: `url("${cue.url}")`,
      backgroundPosition: `${-cue.x}px ${-cue.y}px`,
      transform: `translate(-50%, -50%) scale(${scale})`,
    });
    this.#clock.textContent = clockText(seconds * 1000);
  }
}
