// The line under the picture: where playback is, what is loaded, and what is at the pointer.

import { clockText, element } from "../../common/dom.js";
import { t } from "../../common/texts.js";
import { parseCues } from "../cues.js";
import { spokenPosition } from "./words.js";

const step = 5; // s for an arrow key
const tileWidth = 176; // px

export class SeekBar {
  node;
  #input;
  #loaded = element("i", { class: "player-loaded" });
  #played = element("i", { class: "player-played" });
  #preview;
  #tile = element("div", { class: "player-tile", hidden: true });
  #clock = element("span");
  #state = { time: 0, window: { start: 0, end: 0 }, isLive: true, isBehind: false };
  #isHeld = false;
  #cues = [];

  /** @param {(time: number) => void} seek */
  constructor(seek) {
    this.#input = element("input", {
      type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": t("Position"),
      "data-testid": "seek",
      oninput: () => {
        this.#isHeld = true;
        this.#drawPreview(this.#fraction);
        this.#drawPlayed(this.#fraction);
      },
      onchange: () => {
        this.#isHeld = false;
        seek(this.#timeAt(this.#fraction));
      },
      onkeydown: (event) => {
        const by = { ArrowLeft: -step, ArrowRight: step, PageDown: -60, PageUp: 60 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        seek(this.#state.time + by);
      },
      onblur: () => {
        this.#isHeld = false;
      },
    });
    this.#preview = element("div", { class: "player-preview", hidden: true, "aria-hidden": "true" },
      this.#tile, this.#clock);
    this.node = element("div", { class: "player-seek" },
      element("div", { class: "player-track" }, this.#loaded, this.#played), this.#input,
      this.#preview);
    this.node.addEventListener("pointermove", (event) => {
      const { left, width } = this.#input.getBoundingClientRect();
      this.#drawPreview(Math.min(Math.max((event.clientX - left) / width, 0), 1));
    });
    for (const name of ["pointerleave", "pointerup", "pointercancel"]) {
      this.node.addEventListener(name, (event) => {
        if (name === "pointerleave" || event.pointerType !== "mouse") this.#preview.hidden = true;
      });
    }
  }

  /** @param {string|null} url of a WebVTT file with small pictures */
  async showPictures(url) {
    this.#cues = [];
    if (!url) return;
    try {
      const answer = await fetch(url);
      if (answer.ok) this.#cues = parseCues(await answer.text(), answer.url);
    } catch {
      // The time alone is shown.
    }
  }

  /**
   * @param {{time: number, window: {start: number, end: number}, isLive: boolean,
   *   isBehind: boolean}} state s
   * @param {number} loaded how far it is loaded, in s
   */
  draw(state, loaded) {
    this.#state = state;
    const { start, end } = state.window;
    const share = (time) => Math.min(Math.max((time - start) / (end - start || 1), 0), 1);
    const played = state.isLive && !state.isBehind ? 1 : share(state.time);
    this.#loaded.style.width = `${100 * Math.max(share(loaded), played)}%`;
    if (this.#isHeld) return;
    this.#drawPlayed(played);
    this.#input.value = String(played);
    const words = spokenPosition(state);
    if (this.#input.getAttribute("aria-valuetext") !== words) {
      this.#input.setAttribute("aria-valuetext", words);
    }
  }

  get #fraction() {
    return Number(this.#input.value);
  }

  #timeAt(fraction) {
    const { start, end } = this.#state.window;
    return start + fraction * (end - start);
  }

  #drawPlayed(fraction) {
    this.node.style.setProperty("--played", String(fraction));
    this.#played.style.width = `${100 * fraction}%`;
  }

  #drawPreview(fraction) {
    const { window, isLive } = this.#state;
    const time = this.#timeAt(fraction);
    const cue = this.#cues.findLast((one) => one.begin <= time - window.start);
    this.#preview.hidden = false;
    this.#clock.textContent = isLive
      ? `−${clockText((window.end - time) * 1000)}` : clockText((time - window.start) * 1000);
    this.#tile.hidden = !cue;
    if (cue) {
      const scale = tileWidth / cue.width;
      Object.assign(this.#tile.style, {
        width: `${tileWidth}px`,
        height: `${cue.height * scale}px`,
        backgroundImage: `url("${cue.url}")`,
        backgroundPosition: `${-cue.x * scale}px ${-cue.y * scale}px`,
      });
      this.#fitTile(cue, scale);
    }
    const { clientWidth } = this.node;
    const half = this.#preview.offsetWidth / 2;
    const left = Math.min(Math.max(fraction * clientWidth, half), clientWidth - half);
    this.#preview.style.left = `${left}px`;
  }

  /** Sheets have different sizes, which only their pictures know. */
  #fitTile({ url }, scale) {
    if (this.#tile.dataset.sheet === url) return;
    this.#tile.dataset.sheet = url;
    const sheet = new Image();
    sheet.onload = () => {
      if (this.#tile.dataset.sheet !== url) return;
      this.#tile.style.backgroundSize =
        `${sheet.naturalWidth * scale}px ${sheet.naturalHeight * scale}px`;
    };
    sheet.src = url;
  }
}
