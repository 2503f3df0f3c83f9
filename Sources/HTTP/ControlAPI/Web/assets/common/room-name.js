// The ids of rooms whose names people write in any script. The server does the same
// (`ControlAPI/Rooms/RoomName.swift`): a name in other characters than those of ids becomes `xn--`
// and its Punycode (RFC 3492), from which the name can be read again.

const prefix = "xn--";
const idLength = 64;
const kept = /[A-Za-z0-9_-]|[\p{L}\p{M}\p{N}\p{So}\p{Sk}\u200c\u200d]/u;
const ascii = /^[\0-\x7f]*$/;

/** "monday-stand-up" for "Monday stand-up"; empty if nothing is left. Longer names are cut. */
export function roomIDFrom(name) {
  // "Café" is "cafe", so most languages of Europe have plain ids.
  const plain = slug(name.normalize("NFKD").replace(/[\u0300-\u036f]/g, ""));
  if (ascii.test(plain)) return trimmed(plain.slice(0, idLength));
  const letters = [...slug(name.normalize("NFKC"))];
  for (; letters.length > 0; letters.pop()) {
    const id = prefix + encode(trimmed(letters.join("")));
    if (id.length <= idLength) return id;
  }
  return "";
}

/** The name that an id was made of, or the id. */
export function roomTitle(id) {
  if (!id.startsWith(prefix)) return id;
  const name = decode(id.slice(prefix.length));
  // What was not made here is shown as it is.
  return name && roomIDFrom(name) === id ? name : id;
}

function slug(name) {
  const characters = [...name.toLowerCase()];
  const gapped = characters.map((one) => (isKept(one) ? one : " ")).join("");
  return trimmed(gapped.trim().replace(/ +/g, "-"));
}

const isKept = (character) => (ascii.test(character)
  ? /[a-z0-9_-]/i.test(character) : kept.test(character));
const trimmed = (text) => text.replace(/^-+|-+$/g, "");

// RFC 3492, with the names of its section 6.

const [base, tMin, tMax, initialBias, initialN] = [36, 1, 26, 72, 128];
const digits = "abcdefghijklmnopqrstuvwxyz0123456789";

/** @param {string} text of at most some hundred characters */
export function encode(text) {
  const points = [...text].map((one) => one.codePointAt(0));
  let output = String.fromCodePoint(...points.filter((one) => one < initialN));
  const basic = output.length;
  if (basic > 0) output += "-";
  let [n, delta, bias, handled] = [initialN, 0, initialBias, basic];
  while (handled < points.length) {
    const next = Math.min(...points.filter((one) => one >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output += numberText(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

/** @returns {string|null} null for what is no Punycode */
export function decode(text) {
  const end = text.lastIndexOf("-");
  const output = [...text.slice(0, Math.max(0, end))].map((one) => one.codePointAt(0));
  let [n, i, bias] = [initialN, 0, initialBias];
  for (let place = end + 1; place < text.length;) {
    const before = i;
    for (let weight = 1, k = base; ; k += base) {
      const digit = digits.indexOf(text.charAt(place).toLowerCase());
      if (digit < 0 || place >= text.length || weight > 2 ** 32) return null;
      place += 1;
      i += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= base - t;
    }
    const count = output.length + 1;
    bias = adapted(i - before, count, before === 0);
    n += Math.floor(i / count);
    i %= count;
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) return null;
    output.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...output);
}

function numberText(delta, bias) {
  let text = "";
  let q = delta;
  for (let k = base; ; k += base) {
    const t = threshold(k, bias);
    if (q < t) return text + digits[q];
    text += digits[t + ((q - t) % (base - t))];
    q = Math.floor((q - t) / (base - t));
  }
}

function threshold(k, bias) {
  return Math.min(tMax, Math.max(tMin, k - bias));
}

function adapted(start, count, isFirst) {
  let delta = Math.floor(start / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + 38));
}
