// Reactions: a broadcast of 100ms' own type and form, which its prebuilt clients show too. Pure.

export const reactionType = "EMOJI_REACTION";

/** The ones that the page offers: the name on the wire, the picture, and words for it. */
export const reactions = [
  { id: "+1", emoji: "👍", words: "thumbs up" },
  { id: "heart", emoji: "❤️", words: "heart" },
  { id: "clap", emoji: "👏", words: "applause" },
  { id: "joy", emoji: "😂", words: "laughter" },
  { id: "open_mouth", emoji: "😮", words: "surprise" },
  { id: "tada", emoji: "🎉", words: "celebration" },
  { id: "wave", emoji: "👋", words: "wave" },
];

/** Others that 100ms' clients offer. */
const foreign = [
  { id: "-1", emoji: "👎", words: "thumbs down" },
  { id: "fire", emoji: "🔥", words: "fire" },
  { id: "heart_eyes", emoji: "😍", words: "love" },
  { id: "sob", emoji: "😭", words: "tears" },
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
