// The image that a peer's metadata names, as bots read it too.

const longest = 65536; // characters of metadata; longer ones are not read

// The field's name differs between applications.
const fields = ["picture", "avatar", "avatar_url", "avatarUrl"];

/**
 * @param {string} metadata of a peer: anything, or a JSON object
 * @returns {string|null} the address of an image
 */
export function imageNamedIn(metadata) {
  if (!metadata.startsWith("{") || metadata.length > longest) return null;
  try {
    const read = JSON.parse(metadata);
    const field = fields.find((name) => typeof read[name] === "string");
    return field ? read[field] : null;
  } catch {
    return null;
  }
}
