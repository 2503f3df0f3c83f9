// The room's stream on the page: the lamp, the watch link and the button.

import { phaseOf } from "../common/api.js";
import { ask, checkbox } from "../common/dialog.js";
import { byID, clockText, setText } from "../common/dom.js";
import { endWords, lackWords, leftOutWords, startWords } from "../playback/stream-words.js";
import { t } from "../common/texts.js";

const node = {
  lamp: byID("lamp"),
  button: byID("go-live"),
  text: byID("go-live-text"),
  watch: byID("watch-link"),
  note: byID("stream-note"),
};
const tickInterval = 1000; // ms

export class OnAir {
  #streaming = { state: "none", startedAt: 0 };
  #isAllowed = false;
  #isBusy = false;
  #isStopWanted = false; // from our own stop until the stream has ended
  #since = 0; // ms, of this page's clock: when the shown phase began
  #condition = {}; // what `found` was told last
  #rules;

  /**
   * @param {{watchURL: string, onStart: (wish: {isRecorded: boolean}) => Promise<boolean>,
   *          onStop: () => Promise<boolean>, onDraw: () => void}} rules the actions report their
   *   own failures, and return whether they succeeded; onDraw: `standing` may have changed
   */
  constructor(rules) {
    this.#rules = rules;
    node.watch.href = rules.watchURL;
    node.button.addEventListener("click", () => this.press());
    setInterval(() => this.#tick(), tickInterval);
    this.#draw();
  }

  /** Starts the stream or ends it, after a question. */
  async press() {
    const { onStart, onStop } = this.#rules;
    if (this.#isBusy || this.#isEnding) return;
    if (this.#isOn) {
      if (await askForStop()) await this.#run(() => this.#stop(onStop));
      return;
    }
    const wish = await askForStart();
    if (wish) await this.#run(() => onStart(wish));
  }

  /**
   * How the stream stands, for others who show it.
   * @returns {{phase: "none"|"starting"|"live"|"ending"|"ended"|"failed", isOn: boolean,
   *            isBusy: boolean, error: string}}
   */
  get standing() {
    const phase = this.#isEnding ? "ending" : this.phase;
    return { phase, isOn: this.#isOn, isBusy: this.#isBusy, error: this.#streaming.error ?? "" };
  }

  allow(isAllowed) {
    this.#isAllowed = isAllowed;
    this.#draw();
  }

  show(streaming) {
    this.#streaming = streaming;
    if (!this.#isOn) [this.#isStopWanted, this.#condition] = [false, {}];
    this.#draw();
  }

  /** See `phaseOf` in api.js. */
  get phase() {
    return phaseOf(this.#streaming.state);
  }

  get #isOn() {
    return this.phase === "starting" || this.phase === "live";
  }

  get #isEnding() {
    return this.#isOn && (this.#isStopWanted || this.#condition.state === "stopping");
  }

  async #stop(onStop) {
    // The stream may have ended while the question was open.
    if (!this.#isOn) return;
    this.#isStopWanted = true;
    this.#draw();
    if (!(await onStop())) this.#isStopWanted = false;
  }

  /** @param {object} condition the server's answer about the stream; see studio/stream-desk.js */
  found(condition) {
    if (!this.#isOn) return;
    this.#condition = condition;
    this.#draw();
  }

  /** Meanwhile the button does nothing, and keeps the focus, which a disabled button would lose. */
  async #run(action) {
    this.#isBusy = true;
    this.#draw();
    await action();
    this.#isBusy = false;
    this.#draw();
  }

  #draw() {
    const { phase } = this.standing;
    if (node.lamp.dataset.phase !== phase) this.#since = performance.now();
    node.lamp.dataset.phase = phase;
    node.lamp.dataset.state = this.#streaming.state;
    node.lamp.dataset.url = this.#streaming.url ?? "";
    node.lamp.hidden = !["starting", "live", "ending", "failed"].includes(phase);
    node.lamp.toggleAttribute("data-lack",
      phase === "live" && Boolean(this.#condition.degradation));
    node.watch.hidden = !this.#isOn;
    node.button.hidden = !this.#isAllowed;
    node.button.setAttribute("aria-disabled", String(this.#isBusy || this.#isEnding));
    node.button.classList.toggle("is-live", this.#isOn);
    const action = this.#isOn ? t("End stream") : t("Go live");
    node.text.textContent = this.#isEnding ? t("Ending …") : action;
    this.#tick();
    this.#rules.onDraw();
  }

  #tick() {
    const { startedAt, error } = this.#streaming;
    const time = startedAt > 0 ? clockText(Date.now() - startedAt) : "";
    const texts = {
      starting: t("Starting"),
      live: time ? t("Live {time}", { time }) : t("Live"),
      ending: t("Ending …"),
      failed: error ? t("Stream failed: {reason}", { reason: error }) : t("Stream failed"),
    };
    setText(node.lamp, texts[node.lamp.dataset.phase] ?? "");
    const note = this.#noteFor(node.lamp.dataset.phase);
    node.note.hidden = note === "";
    setText(node.note, note);
  }

  #noteFor(phase) {
    const waited = (performance.now() - this.#since) / 1000;
    const { bot_restarts: restarts, degradation } = this.#condition;
    if (phase === "starting") return startWords({ waited, restarts });
    if (phase === "ending") return endWords({ waited });
    if (phase !== "live") return "";
    const leftOut = (this.#streaming.variants ?? []).flatMap((one) => one.tracks_left_out ?? []);
    return [lackWords(degradation ?? null), leftOutWords(leftOut)].filter(Boolean).join(" ");
  }
}

/** @returns {Promise<boolean>} */
function askForStop() {
  return ask({
    title: t("End the stream?"),
    text: t("It ends for all who watch it. The room goes on."),
    confirm: t("End stream"),
    refuse: t("Cancel"),
    isDanger: true,
  });
}

/** @returns {Promise<{isRecorded: boolean}|null>} null: cancelled */
async function askForStart() {
  const record = checkbox(t("Record with the stream"),
    t("Its files are on the recordings page later."));
  const isSure = await ask({
    title: t("Go live?"),
    text: t("All who open the watch page see and hear the room."),
    content: [record.node],
    confirm: t("Go live"),
    refuse: t("Cancel"),
  });
  return isSure ? { isRecorded: record.isOn() } : null;
}
