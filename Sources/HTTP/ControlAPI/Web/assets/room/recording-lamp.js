// The room's recording on the page: the lamp and the button.

import { isRunning, phaseOf, shownRecording } from "../client/on-air-state.js";
import { byID, clockText, setText } from "../common/dom.js";
import { t } from "../common/texts.js";

const node = {
  lamp: byID("recording-lamp"),
  button: byID("record"),
  text: byID("record-text"),
};
const tickInterval = 1000; // ms
const words = { starting: t("Recording starts"), paused: t("Recording paused"),
  failed: t("Recording failed") };

export class RecordingLamp {
  #recording = null; // the room's and its stream's
  #isAllowed = false;
  #isBusy = false;
  #isStopWanted = false; // from our own stop until the room's recording has ended
  #rules;

  /**
   * @param {{onStart: () => Promise<boolean>, onStop: () => Promise<boolean>, onDraw: () => void}}
   *   rules the actions report their own failures, and return whether they succeeded; onDraw:
   *   `standing` may have changed
   */
  constructor(rules) {
    this.#rules = rules;
    node.button.addEventListener("click", () => this.press());
    setInterval(() => this.#tick(), tickInterval);
  }

  /** Begins the recording of the room, or ends it. */
  async press() {
    const { onStart, onStop } = this.#rules;
    if (this.#isBusy || this.#isEnding) return;
    this.#isBusy = true; // the button keeps the focus, which a disabled button would lose
    this.#isStopWanted = this.#isOn;
    this.#draw();
    const isDone = await (this.#isOn ? onStop() : onStart());
    if (!isDone) this.#isStopWanted = false;
    this.#isBusy = false;
    this.#draw();
  }

  /**
   * How the recordings of the stream and of the room stand, for others who show it.
   * @returns {{stream: string, room: string}} "none", "starting", "recording", "paused", "ending"
   *   or "failed"
   */
  get standing() {
    if (!this.#recording) return { stream: "none", room: "none" };
    const { hls, browser } = this.#recording;
    return { stream: phaseOf(hls), room: this.#isEnding ? "ending" : phaseOf(browser) };
  }

  allow(isAllowed) {
    this.#isAllowed = isAllowed;
    this.#draw();
  }

  /** @param {{browser: object, hls: object}} recording see on-air-state.js */
  show(recording) {
    this.#recording = recording;
    if (!this.#isOn) this.#isStopWanted = false;
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

  get #isEnding() {
    return this.#isOn && this.#isStopWanted;
  }

  #draw() {
    if (!this.#recording) return;
    const { phase } = shownRecording(this.#recording);
    node.lamp.hidden = phase === "none";
    node.lamp.dataset.phase = phase;
    node.button.hidden = !this.#isAllowed;
    node.button.setAttribute("aria-disabled", String(this.#isBusy || this.#isEnding));
    node.button.classList.toggle("is-live", this.#isOn);
    node.button.setAttribute("aria-label", this.#isOn ? t("End recording") : t("Record the room"));
    const action = this.#isOn ? t("End recording") : t("Record");
    setText(node.text, this.#isEnding ? t("Ending …") : action);
    this.#tick();
    this.#rules.onDraw();
  }

  #tick() {
    if (!this.#recording) return;
    const { phase, startedAt, error } = shownRecording(this.#recording);
    const time = startedAt > 0 ? clockText(Date.now() - startedAt) : "";
    const running = time ? t("Recording {time}", { time }) : t("Recording");
    setText(node.lamp, phase === "failed" && error
      ? t("Recording failed: {reason}", { reason: error }) : words[phase] ?? running);
  }
}
