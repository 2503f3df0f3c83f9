// The settings in force, where each comes from, and what waits for a restart.

import { checkbox } from "../common/dialog.js";
import { element, reconcile, setText } from "../common/dom.js";
import { get } from "./desk.js";
import { row, table } from "./facts.js";
import { t, tn } from "../common/texts.js";

const columns = [t("Setting"), t("Value"), t("From")];
const interval = 10000; // ms: a running server reads them again

export const settings = {
  title: t("Settings"),
  interval,
  build() {
    const text = element("input", { class: "field", type: "search", maxlength: "100",
      "aria-label": t("Search"), placeholder: t("Search"), autocomplete: "off", spellcheck: "false",
      "data-testid": "settings-search" });
    const given = checkbox(t("Only those that are given"), t("Without the defaults."));
    const fault = element("p", { class: "fault", role: "alert", hidden: true,
      "data-testid": "settings-fault" });
    const restart = element("p", { class: "notice", role: "status", hidden: true,
      "data-testid": "settings-restart" });
    const { node, rows } = table(columns,
      { "aria-label": t("Settings"), "data-testid": "settings" });
    let all = [];
    let tellCount = () => {};

    function draw() {
      const wanted = text.value.trim().toLowerCase();
      const shown = all.filter((one) => (!given.isOn() || isGiven(one))
        && words(one).includes(wanted));
      reconcile(rows, shown, { key: ({ name }) => name, create: line, update });
      tellCount(t("{part} of {total}", { part: shown.length, total: all.length }));
    }

    text.addEventListener("input", draw);
    given.node.addEventListener("change", draw);
    return {
      node: element("div", { class: "stack" },
        fault, restart, element("div", { class: "filter" }, text, given.node), node),
      async refresh(tell) {
        const answer = await get("/settings");
        all = answer.data;
        tellCount = tell;
        fault.hidden = answer.fault === null;
        setText(fault, answer.fault === null
          ? ""
          : t("The settings as they are now are wrong; those below stay in force. {reason}",
            { reason: t(answer.fault) }));
        const waiting = all.filter((one) => one.after_restart !== null).length;
        restart.hidden = waiting === 0;
        setText(restart,
          waiting === 0 ? "" : tn(waiting, {
            one: "{count} setting was changed, and will be in force after a restart of the server.",
            other: "{count} settings were changed, and will be in force after a restart of the "
              + "server.",
          }));
        draw();
      },
    };
  },
};

function isGiven({ origin, after_restart: next }) {
  return origin !== null || (next !== null && next.origin !== null);
}

function words({ name, value, origin, after_restart: next }) {
  return [name, value, origin, next?.value, next?.origin, next ? t("after a restart") : ""]
    .map((one) => one ?? "").join(" ").toLowerCase();
}

function line({ name }) {
  const node = row(columns, []);
  const [setting, given, from] = node.children;
  setting.append(name);
  for (const cell of [given, from]) {
    cell.append(element("div", {}, element("div", {}),
      element("div", { class: "later", hidden: true })));
  }
  return node;
}

function update(node, { value, origin, after_restart: next }) {
  const [, given, from] = node.children;
  tell(given, { text: value ?? t("secret"), isQuiet: origin === null || value === null },
    next && t("After a restart: {value}", { value: next.value ?? t("another secret") }));
  tell(from, { text: origin ?? t("default"), isQuiet: true },
    next && (next.origin ?? t("default")));
}

/** What is in force, and what comes after it. */
function tell(cell, { text, isQuiet }, next) {
  const [now, later] = cell.firstChild.children;
  setText(now, text);
  now.classList.toggle("quiet", isQuiet);
  later.hidden = next === null;
  setText(later, next ?? "");
}
