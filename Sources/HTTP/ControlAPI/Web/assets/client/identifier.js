/** A version 4 UUID, also in insecure contexts, where `crypto.randomUUID` is missing. */
export function randomIdentifier() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [0, 8, 12, 16, 20]
    .map((start, index, all) => hex.slice(start, all[index + 1] ?? 32))
    .join("-");
}
