// The list of keys.

import { ask, checkbox } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import { shortcuts } from "./shortcuts.js";

const others = [
  { shown: "Space", words: "Hold to talk while muted" },
  { shown: "Esc", words: "Close what is open" },
  { shown: "?", words: "This list" },
];

/** @param {import("./shortcuts.js").Shortcuts} keys */
export function showShortcuts(keys) {
  const rows = [...shortcuts, ...others].map(({ shown, words }) =>
    element("div", { class: "shortcut" }, element("dt", {}, element("kbd", {}, shown)),
      element("dd", {}, words)));
  const isOn = checkbox("Shortcuts on", "They do nothing while you write.", { isOn: keys.isOn });
  isOn.node.addEventListener("change", () => {
    keys.isOn = isOn.isOn();
  });
  ask({
    title: "Keyboard shortcuts",
    content: [element("dl", { class: "shortcuts", "data-testid": "shortcut-list" }, ...rows),
      isOn.node],
    confirm: "Done",
  });
}
