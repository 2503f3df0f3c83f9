// The room's recording on the page: the lamp and the button.

import { isRunning, shownRecording } from "../client/on-air-state.js";
import { byID, clockText, setText } from "../common/dom.js";

const node = {
  lamp: byID("recording-lamp"),
  button: byID("record"),
  text: byID("record-text"),
};
const tickInterval = 1000; // ms
const words = { starting: "Recording starts", paused: "Recording paused", failed: "Recording failed" };

export class RecordingLamp {
  #recording = null; // the room's and its stream's
  #isAllowed = false;
  #isBusy = false;

  /**
   * @param {{onStart: () => Promise<void>, onStop: () => Promise<void>}} rules the actions report
   *   their own failures
   */
  constructor({ onStart, onStop }) {
    node.button.addEventListener("click", async () => {
      if (this.#isBusy) return;
      this.#isBusy = true; // the button keeps the focus, which a disabled button would lose
      this.#draw();
      await (this.#isOn ? onStop() : onStart());
      this.#isBusy = false;
      this.#draw();
    });
    setInterval(() => this.#tick(), tickInterval);
  }

  allow(isAllowed) {
    this.#isAllowed = isAllowed;
    this.#draw();
  }

  /** @param {{browser: object, hls: object}} recording see on-air-state.js */
  show(recording) {
    this.#recording = recording;
    this.#draw();
  }

  /** The phase of the shown recording; see on-air-state.js. */
  get phase() {
    return this.#recording ? shownRecording(this.#recording).phase : "none";
  }

  /** Whether the room itself is recorded; a stream's recording ends with the stream. */
  get #isOn() {
    return this.#recording !== null && isRunning(this.#recording.browser);
  }

  #draw() {
    if (!this.#recording) return;
    const { phase } = shownRecording(this.#recording);
    node.lamp.hidden = phase === "none";
    node.lamp.dataset.phase = phase;
    node.button.hidden = !this.#isAllowed;
    node.button.setAttribute("aria-disabled", String(this.#isBusy));
    node.button.classList.toggle("is-live", this.#isOn);
    node.button.setAttribute("aria-label", this.#isOn ? "End recording" : "Record the room");
    setText(node.text, this.#isOn ? "End recording" : "Record");
    this.#tick();
  }

  #tick() {
    if (!this.#recording) return;
    const { phase, startedAt, error } = shownRecording(this.#recording);
    const elapsed = startedAt > 0 ? clockText(Date.now() - startedAt) : "";
    const text = words[phase] ?? `Recording ${elapsed}`.trim();
    setText(node.lamp, phase === "failed" && error ? `${text}: ${error}` : text);
  }
}
