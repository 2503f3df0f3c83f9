// Two short tones on the chosen loudspeaker.

import { element, setText } from "../../common/dom.js";
import { t } from "../../common/texts.js";

const tones = [523.25, 783.99]; // Hz
const toneLength = 0.35; // s
const loudness = 0.2;

/**
 * A button, and words about it.
 * @param {{outputID: () => string, onFault: (message: string) => void}} rules outputID: empty for
 *   the usual output
 */
export function speakerTest({ outputID, onFault }) {
  const note = element("span", { class: "quiet", role: "status", "data-testid": "speaker-note" });
  const attributes = { class: "button", type: "button", "data-testid": "speaker-test",
    onclick: async () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      button.setAttribute("aria-disabled", "true");
      setText(note, t("Playing …"));
      await play(outputID()).then(() => setText(note, t("Did you hear two tones?")), (error) => {
        setText(note, "");
        onFault(error.message);
      });
      button.setAttribute("aria-disabled", "false");
    } };
  const button = element("button", attributes, t("Test the loudspeaker"));
  return element("div", { class: "speaker-test" }, button, note);
}

async function play(outputID) {
  const context = new AudioContext();
  try {
    const gain = context.createGain();
    const end = context.createMediaStreamDestination();
    gain.connect(end);
    const audio = new Audio();
    audio.srcObject = end.stream;
    if (outputID) await audio.setSinkId(outputID);
    await context.resume();
    await audio.play();
    const begin = context.currentTime + 0.05;
    gain.gain.setValueAtTime(0, begin);
    tones.forEach((frequency, index) => {
      const tone = context.createOscillator();
      const start = begin + index * toneLength;
      tone.frequency.value = frequency;
      tone.connect(gain);
      tone.start(start);
      tone.stop(start + toneLength);
      // Without clicks at the edges.
      gain.gain.linearRampToValueAtTime(loudness, start + 0.03);
      gain.gain.setValueAtTime(loudness, start + toneLength - 0.05);
      gain.gain.linearRampToValueAtTime(0, start + toneLength);
    });
    await new Promise((resolve) => setTimeout(resolve, (tones.length * toneLength + 0.3) * 1000));
    audio.srcObject = null;
  } finally {
    await context.close();
  }
}
