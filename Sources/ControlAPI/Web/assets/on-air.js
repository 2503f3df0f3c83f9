// What the room says about its stream: the lamp, the watch link and the button.

import { phaseOf } from "./api.js";
import { byID, clockText } from "./dom.js";

const node = {
  lamp: byID("lamp"),
  button: byID("go-live"),
  text: byID("go-live-text"),
  watch: byID("watch-link"),
};
const tickInterval = 1000; // ms

export class OnAir {
  #streaming = { state: "none", startedAt: 0 };
  #isAllowed = false;
  #isBusy = false;

  /**
   * @param {{watchURL: string, onStart: () => Promise<void>, onStop: () => Promise<void>}} rules
   *   the actions report their own failures
   */
  constructor({ watchURL, onStart, onStop }) {
    node.watch.href = watchURL;
    node.button.addEventListener("click", async () => {
      this.#isBusy = true;
      this.#draw();
      await (this.#isOn ? onStop() : onStart());
      this.#isBusy = false;
      this.#draw();
    });
    setInterval(() => this.#tick(), tickInterval);
    this.#draw();
  }

  allow(isAllowed) {
    this.#isAllowed = isAllowed;
    this.#draw();
  }

  show(streaming) {
    this.#streaming = streaming;
    this.#draw();
  }

  get #phase() {
    return phaseOf(this.#streaming.state);
  }

  get #isOn() {
    return this.#phase === "starting" || this.#phase === "live";
  }

  #draw() {
    const phase = this.#phase;
    node.lamp.dataset.phase = phase;
    node.lamp.dataset.state = this.#streaming.state;
    node.lamp.dataset.url = this.#streaming.url ?? "";
    node.lamp.hidden = !["starting", "live", "failed"].includes(phase);
    node.lamp.title = this.#streaming.error ?? "";
    node.watch.hidden = !this.#isOn;
    node.button.hidden = !this.#isAllowed;
    node.button.disabled = this.#isBusy;
    node.button.classList.toggle("is-live", this.#isOn);
    node.text.textContent = this.#isOn ? "End stream" : "Go live";
    this.#tick();
  }

  #tick() {
    const { startedAt } = this.#streaming;
    const elapsed = startedAt > 0 ? clockText(Date.now() - startedAt) : "";
    const texts = { starting: "Starting", live: `Live ${elapsed}`.trim(), failed: "Stream failed" };
    node.lamp.textContent = texts[this.#phase] ?? "";
  }
}
