// A row of tabs, of which one panel is visible.

/** @typedef {{tab: HTMLElement, panel: HTMLElement}} Pair */

/** @param {Pair[]} pairs @param {HTMLElement} chosen the tab of the visible panel */
export function select(pairs, chosen) {
  for (const { tab, panel } of pairs) {
    const isChosen = tab === chosen;
    panel.hidden = !isChosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
}

/**
 * Where an arrow key leads from a tab, past hidden ones.
 * @param {Pair[]} pairs
 * @param {KeyboardEvent} event at the tab
 * @returns {HTMLElement|null} a tab, or null for other keys
 */
export function beside(pairs, { key, currentTarget }) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!step) return null;
  const shown = pairs.map(({ tab }) => tab).filter((tab) => !tab.hidden);
  return shown.at((shown.indexOf(currentTarget) + step) % shown.length);
}
