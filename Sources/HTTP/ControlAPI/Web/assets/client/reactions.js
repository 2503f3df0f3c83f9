// Reactions: a broadcast of 100ms' own type and form, which its prebuilt clients show too. Pure.

import { t } from "../common/texts.js";

export const reactionType = "EMOJI_REACTION";

/** The ones that the page offers: the name on the wire, the picture, and words for it. */
export const reactions = [
  { id: "+1", emoji: "👍", words: t("thumbs up") },
  { id: "heart", emoji: "❤️", words: t("heart") },
  { id: "clap", emoji: "👏", words: t("applause") },
  { id: "joy", emoji: "😂", words: t("laughter") },
  { id: "open_mouth", emoji: "😮", words: t("surprise") },
  { id: "tada", emoji: "🎉", words: t("celebration") },
  { id: "wave", emoji: "👋", words: t("wave") },
];

/** Others that 100ms' clients offer. */
const foreign = [
  { id: "-1", emoji: "👎", words: t("thumbs down") },
  { id: "fire", emoji: "🔥", words: t("fire") },
  { id: "heart_eyes", emoji: "😍", words: t("love") },
  { id: "sob", emoji: "😭", words: t("tears") },
];

const known = new Map([...reactions, ...foreign].map((one) => [one.id, one]));

/** The parameters of `broadcast`. */
export function outgoingReaction(id, senderID) {
  const message = JSON.stringify({ type: reactionType, emojiId: id, senderId: senderID });
  return { info: { message, type: reactionType } };
}

/**
 * The reaction in a message of that type, or null.
 * @returns {{id: string, emoji: string, words: string}|null}
 */
export function reactionIn(text) {
  try {
    return known.get(JSON.parse(text)?.emojiId) ?? null;
  } catch {
    return null;
  }
}
