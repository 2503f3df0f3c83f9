// What the room says about its stream: the lamp, the watch link and the button.

import { phaseOf } from "./api.js";
import { ask, checkbox } from "./dialog.js";
import { byID, clockText, setText } from "./dom.js";

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
   * @param {{watchURL: string, onStart: (wish: {isRecorded: boolean}) => Promise<void>,
   *          onStop: () => Promise<void>}} rules the actions report their own failures
   */
  constructor({ watchURL, onStart, onStop }) {
    node.watch.href = watchURL;
    node.button.addEventListener("click", async () => {
      if (this.#isBusy) return;
      if (this.#isOn) return this.#run(onStop);
      const wish = await askForStart();
      if (wish) await this.#run(() => onStart(wish));
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

  /** See `phaseOf` in api.js. */
  get phase() {
    return phaseOf(this.#streaming.state);
  }

  get #isOn() {
    return this.phase === "starting" || this.phase === "live";
  }

  /** Meanwhile the button does nothing, and keeps the focus, which a disabled one would lose. */
  async #run(action) {
    this.#isBusy = true;
    this.#draw();
    await action();
    this.#isBusy = false;
    this.#draw();
  }

  #draw() {
    const phase = this.phase;
    node.lamp.dataset.phase = phase;
    node.lamp.dataset.state = this.#streaming.state;
    node.lamp.dataset.url = this.#streaming.url ?? "";
    node.lamp.hidden = !["starting", "live", "failed"].includes(phase);
    node.watch.hidden = !this.#isOn;
    node.button.hidden = !this.#isAllowed;
    node.button.setAttribute("aria-disabled", String(this.#isBusy));
    node.button.classList.toggle("is-live", this.#isOn);
    node.text.textContent = this.#isOn ? "End stream" : "Go live";
    this.#tick();
  }

  #tick() {
    const { startedAt, error } = this.#streaming;
    const elapsed = startedAt > 0 ? clockText(Date.now() - startedAt) : "";
    const failed = error ? `Stream failed: ${error}` : "Stream failed";
    const texts = { starting: "Starting", live: `Live ${elapsed}`.trim(), failed };
    setText(node.lamp, texts[this.phase] ?? "");
  }
}

/** @returns {Promise<{isRecorded: boolean}|null>} null: not after all */
async function askForStart() {
  const record = checkbox("Record with the stream", "Its files are on the recordings page later.");
  const isSure = await ask({
    title: "Go live?",
    text: "All who open the watch page see and hear the room.",
    content: [record.node],
    confirm: "Go live",
    refuse: "Cancel",
  });
  return isSure ? { isRecorded: record.isOn() } : null;
}
