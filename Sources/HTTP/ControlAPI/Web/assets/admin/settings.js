// The settings in force, and where each comes from.

import { checkbox } from "../common/dialog.js";
import { element } from "../common/dom.js";
import { get } from "./desk.js";
import { row, table } from "./facts.js";

const columns = ["Setting", "Value", "From"];
const interval = 600000; // ms: they are read when the server starts

export const settings = {
  title: "Settings",
  interval,
  build() {
    const text = element("input", { class: "field", type: "search", maxlength: "100",
      "aria-label": "Search", placeholder: "Search", autocomplete: "off", spellcheck: "false",
      "data-testid": "settings-search" });
    const given = checkbox("Only those that are given", "Without the defaults.");
    const { node, rows } = table(columns, { "aria-label": "Settings", "data-testid": "settings" });
    let all = [];
    let tellCount = () => {};

    function draw() {
      const wanted = text.value.trim().toLowerCase();
      const shown = all.filter(({ name, value, origin }) =>
        (!given.isOn() || origin !== null)
        && (wanted === "" || `${name} ${value ?? ""} ${origin ?? ""}`.toLowerCase().includes(wanted)));
      rows.replaceChildren(...shown.map(line));
      tellCount(`${shown.length} of ${all.length}`);
    }

    text.addEventListener("input", draw);
    given.node.addEventListener("change", draw);
    return {
      node: element("div", { class: "stack" },
        element("div", { class: "filter" }, text, given.node), node),
      async refresh(tell) {
        ({ data: all } = await get("/settings"));
        tellCount = tell;
        draw();
      },
    };
  },
};


function line({ name, value, origin }) {
  const node = row(columns, []);
  const [setting, given, from] = node.children;
  setting.append(name);
  given.append(value === null ? element("i", { class: "quiet" }, "secret") : value);
  from.append(origin ?? "default");
  from.classList.add("quiet");
  given.classList.toggle("quiet", origin === null);
  return node;
}
