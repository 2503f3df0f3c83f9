// The words of the pages in the reader's language. The English sentence in the code is the key, as
// with gettext; the other languages are files in `assets/texts`. The server has chosen one of them
// by what the browser accepts, and has translated the page's HTML.

/** As in `lang`: "en", "de", "pt-BR". */
export const language = globalThis.document?.documentElement.lang || "en";

/** For numbers and dates: of this language as it is written where the reader lives. */
export const locale = localeOf(language, globalThis.navigator?.languages ?? []);

const texts = await load(language);
const rules = new Intl.PluralRules(locale);
const englishRules = new Intl.PluralRules("en");
const numbers = new Intl.NumberFormat(locale, { useGrouping: "min2" }); // 1200, but 12,000

/**
 * @param {string} english also a sentence of the server; what has no translation stays as it is
 * @param {Object<string, string|number>} [values] of the `{names}` in the sentence
 */
export function t(english, values) {
  const text = texts.get(english);
  return fill(typeof text === "string" ? text : english, values);
}

/** Whether a sentence of the server is in the reader's language, as it is or as `t` translates it. */
export const isTranslated = (english) => language === "en" || texts.has(english);

/**
 * A word that means several things, each with its own translation.
 * @param {string} context what this one is about
 */
export function tc(context, english) {
  return texts.get(`${context}|${english}`) ?? english;
}

/**
 * A sentence whose form depends on a number, which is its `{count}`.
 * @param {number} count
 * @param {{one: string, other: string}} english
 */
export function tn(count, english, values = {}) {
  const forms = texts.get(english.other);
  const text = forms?.[rules.select(count)] ?? forms?.other ?? english[englishRules.select(count)];
  return fill(text, { count: numbers.format(count), ...values });
}

/** As the beginning of a line: the same words stand within others elsewhere. */
export function capital(text) {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

/** "4.2" with so many digits after the point. */
export function decimal(value, digits) {
  return value.toLocaleString(locale, {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  });
}

const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false });

/** "28.4", "30" */
export const plainText = (number) => tenths.format(number);

/** In one pass: a value with braces stays what it is. */
function fill(text, values) {
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole);
}

function localeOf(wanted, accepted) {
  const base = (tag) => tag.toLowerCase().split("-")[0];
  const fits = (tag) => base(tag) === base(wanted)
    && Intl.NumberFormat.supportedLocalesOf([tag]).length > 0;
  try {
    return accepted.find(fits) ?? Intl.getCanonicalLocales(wanted)[0];
  } catch {
    return "en";
  }
}

/** English costs no request; without the file, the scripts speak English. */
async function load(wanted) {
  if (wanted === "en") return new Map();
  try {
    const response = await fetch(`/assets/texts/${wanted}.json`);
    return new Map(response.ok ? Object.entries(await response.json()) : []);
  } catch {
    return new Map();
  }
}
