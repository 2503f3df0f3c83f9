// Where the room is pushed to: one line on the page.

import { byID, setText } from "../common/dom.js";
import { pushWords } from "../playback/stream-words.js";
import { t } from "../common/texts.js";

const node = byID("push-note");

/** @param {{url: string, state: string, reason?: string}[]} pushes see on-air-state.js */
export function showPushes(pushes) {
  node.hidden = pushes.length === 0;
  setText(node, pushes.length > 0
    ? t("Sent to {places}", { places: pushWords(pushes) }) : "");
}
