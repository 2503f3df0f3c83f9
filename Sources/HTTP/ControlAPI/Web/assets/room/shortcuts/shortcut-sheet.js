// The list of keys.

import { ask, checkbox } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import { shortcuts } from "./shortcuts.js";
import { t } from "../../common/texts.js";

const others = [
  { shown: t("Space"), words: t("Hold to talk while muted") },
  { shown: "Esc", words: t("Close what is open") },
  { shown: "?", words: t("This list") },
];

/** @param {import("./shortcuts.js").Shortcuts} keys */
export function showShortcuts(keys) {
  const rows = [...shortcuts, ...others].map(({ shown, words }) =>
    element("div", { class: "shortcut" }, element("dt", {}, element("kbd", {}, shown)),
      element("dd", {}, words)));
  const isOn = checkbox(t("Shortcuts on"), t("They do nothing while you write."),
    { isOn: keys.isOn });
  isOn.node.addEventListener("change", () => {
    keys.isOn = isOn.isOn();
  });
  ask({
    title: t("Keyboard shortcuts"),
    content: [element("dl", { class: "shortcuts", "data-testid": "shortcut-list" }, ...rows),
      isOn.node],
    confirm: t("Done"),
  });
}
