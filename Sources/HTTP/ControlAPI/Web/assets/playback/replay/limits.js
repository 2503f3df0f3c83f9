// What is shown of foreign text, however much there is. Pure.

export const linesMaximum = 10_000;
export const nameMaximum = 100; // characters

/** At most so many characters. */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1]) ? most - 1 : most; // no half of a pair
  return `${text.slice(0, end)}…`;
}
