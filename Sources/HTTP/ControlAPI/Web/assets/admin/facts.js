// Parts that several sections are made of.

import { element, setText } from "../common/dom.js";

/**
 * Names with values, as a list. The values can be changed later.
 * @param {Object<string, string>} names what people read, by key
 * @returns {{node: Element, set: (values: Object<string, string>) => void}}
 */
export function facts(names) {
  const values = new Map(Object.keys(names).map((key) => [key, element("dd", {})]));
  const node = element(
    "dl",
    { class: "facts" },
    ...Object.entries(names).map(([key, name]) =>
      element("div", {}, element("dt", {}, name), values.get(key))),
  );
  return {
    node,
    set(texts) {
      for (const [key, text] of Object.entries(texts)) {
        values.get(key).parentElement.hidden = text === null;
        setText(values.get(key), text ?? "");
      }
    },
  };
}

/** A button of a row. */
export function action(text, label, run, { isDanger = false, testID } = {}) {
  return element(
    "button",
    {
      class: isDanger ? "button button-small is-danger" : "button button-small",
      type: "button",
      "aria-label": label,
      "data-testid": testID,
      onclick: run,
    },
    text,
  );
}

export function empty(text) {
  return element("p", { class: "empty" }, text);
}

/**
 * A table whose rows are cards on a phone. The roles are told, since such rows are none to a
 * browser.
 * @param {string[]} names of the columns
 * @param {object} attributes of the table, for its name
 * @returns {{node: Element, rows: Element}}
 */
export function table(names, attributes) {
  const rows = element("tbody", { role: "rowgroup" });
  const head = names.map((name) => element("th", { scope: "col", role: "columnheader" }, name));
  const node = element("div", { class: "table-frame" },
    element("table", { role: "table", ...attributes },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)), rows));
  return { node, rows };
}

/**
 * A row of such a table; the first cell names it.
 * @param {string[]} names of the columns
 * @param {Node[]} actions in the last cell; none for a row without
 */
export function row(names, actions, attributes = {}) {
  const cells = names.map((name, index) => index === 0
    ? element("th", { scope: "row", role: "rowheader" })
    : element("td", { role: "cell", "data-label": name }));
  if (actions.length > 0) {
    cells.at(-1).removeAttribute("data-label");
    cells.at(-1).append(element("div", { class: "actions" }, ...actions));
  }
  return element("tr", { role: "row", ...attributes }, ...cells);
}
