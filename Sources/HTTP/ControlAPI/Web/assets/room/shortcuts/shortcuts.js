// Keys for the controls. They do nothing while something is being written or asked, and can be
// turned off, for people whose speech or other tools press keys (WCAG 2.2, 2.1.4).

import { byID } from "../../common/dom.js";
import { isKept, keep } from "../../common/kept.js";
import { t } from "../../common/texts.js";

const offKey = "roomcast.shortcuts-off";

/** @type {{key: string, shown: string, words: string, control: string}[]} control: an id */
export const shortcuts = [
  { key: "m", shown: "M", words: t("Mute or unmute"), control: "microphone" },
  { key: "v", shown: "V", words: t("Camera on or off"), control: "camera" },
  { key: "s", shown: "S", words: t("Share the screen, or stop"), control: "screen" },
  { key: "h", shown: "H", words: t("Raise or lower your hand"), control: "hand" },
  { key: "r", shown: "R", words: t("React"), control: "react" },
  { key: "c", shown: "C", words: t("Chat"), control: "open-chat" },
  { key: "p", shown: "P", words: t("People"), control: "open-people" },
  { key: "l", shown: "L", words: t("Speaker view or grid"), control: "speaker-view" },
];

export class Shortcuts {
  #media;
  #onHelp;
  #isOff = isKept(offKey);
  #isTalking = false; // by the space bar

  /**
   * @param {{media: import("../devices/local-media.js").LocalMedia, onHelp: () => void}} parts
   *   onHelp: shows the sheet
   */
  constructor({ media, onHelp }) {
    this.#media = media;
    this.#onHelp = onHelp;
    addEventListener("keydown", (event) => this.#pressed(event));
    addEventListener("keyup", (event) => {
      if (event.code === "Space") this.#endTalking();
    });
    addEventListener("blur", () => this.#endTalking());
  }

  get isOn() {
    return !this.#isOff;
  }

  set isOn(isOn) {
    this.#isOff = !isOn;
    keep(offKey, this.#isOff);
    if (!isOn) this.#endTalking();
  }

  #pressed(event) {
    const { key, ctrlKey, metaKey, altKey, isComposing, target } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey || isComposing) return;
    if (byID("call").hidden || isBusy(target)) return;
    // The way to turn them on again.
    if (key === "?") {
      event.preventDefault();
      return this.#onHelp();
    }
    if (this.#isOff) return;
    if (key === " ") return this.#talk(event);
    if (event.repeat) return;
    const shortcut = shortcuts.find((one) => one.key === key.toLowerCase());
    const control = shortcut && byID(shortcut.control);
    if (!control || control.hidden) return;
    event.preventDefault();
    control.click();
  }

  /** Holding the space bar, which otherwise presses the button that has the focus. */
  #talk(event) {
    const isPressing = event.target.closest?.("button, a[href], summary, [role=button]");
    if (isPressing || byID("microphone").hidden) return;
    event.preventDefault();
    if (event.repeat || this.#isTalking || this.#media.isMicrophoneOn) return;
    this.#isTalking = true;
    this.#media.setMicrophone(true);
  }

  #endTalking() {
    if (!this.#isTalking) return;
    this.#isTalking = false;
    this.#media.setMicrophone(false);
  }
}

/** Writing, choosing from a list, or in front of a question or a menu. */
function isBusy(target) {
  const writes = target.closest?.("input, textarea, select, [contenteditable]");
  return Boolean(writes) || document.querySelector("dialog[open], [role=menu]") !== null;
}
