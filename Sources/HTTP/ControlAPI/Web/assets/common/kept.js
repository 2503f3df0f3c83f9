// What a person chose, kept in the browser. Storage may be blocked; then it is chosen again.

/** @returns {string} empty if nothing is kept */
export function kept(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function keep(key, value) {
  try {
    if (value) localStorage.setItem(key, value === true ? "1" : value);
    else localStorage.removeItem(key);
  } catch {
    return;
  }
}

/** Whether a yes is kept. */
export function isKept(key) {
  return kept(key) === "1";
}
