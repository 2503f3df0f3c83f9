// What browsers do to sound and picture by themselves, as far as this one can: each can be turned
// off, which is remembered.

import { isKept, keep } from "../../common/kept.js";
import { t } from "../../common/texts.js";

const sounds = [
  { name: "noiseSuppression", text: t("Noise suppression"),
    hint: t("Less of fans, keys and streets.") },
  { name: "echoCancellation", text: t("Echo cancellation"),
    hint: t("Others do not hear themselves. Off only with headphones.") },
  { name: "autoGainControl", text: t("Even volume"),
    hint: t("Quiet voices are raised, loud ones lowered.") },
];
const blur = "backgroundBlur";
const keyOf = (name) => `roomcast.${name}`;
const offKeyOf = (name) => `roomcast.${name}-off`;

/**
 * Those of the microphone that the browser knows.
 * @returns {{name: string, text: string, hint: string}[]}
 */
export function soundImprovements() {
  const known = navigator.mediaDevices?.getSupportedConstraints?.() ?? {};
  return sounds.filter(({ name }) => known[name]);
}

/** On unless turned off. */
export function isSoundImproved(name) {
  return !isKept(offKeyOf(name));
}

export function improveSound(name, isOn) {
  keep(offKeyOf(name), !isOn);
}

/** The constraints for the microphone. */
export function soundWanted() {
  return Object.fromEntries(sounds.map(({ name }) => [name, isSoundImproved(name)]));
}

/** Whether the system can blur the background of this camera, and lets pages choose. */
export function canBlur(camera) {
  const choices = camera?.getCapabilities?.()[blur] ?? [];
  return choices.includes(true) && choices.includes(false);
}

export function isBlurred(camera) {
  return camera.getSettings()[blur] === true;
}

/** @throws if the camera refuses */
export async function setBlurred(camera, isOn) {
  await camera.applyConstraints({ ...camera.getConstraints(), [blur]: isOn });
  keep(keyOf(blur), isOn);
}

/** A camera that was opened gets the blur that was chosen before. */
export function restoreBlur(camera) {
  if (isKept(keyOf(blur)) && canBlur(camera)) setBlurred(camera, true).catch(() => {});
}
