// The latest lines of the log: the server's own, and its bots'.

import { element, reconcile, setText } from "../common/dom.js";
import { get } from "./desk.js";
import { clockTime } from "./words.js";
import { t, tn } from "../common/texts.js";

const interval = 2000; // ms
const streamsInterval = 10000; // ms
const linesMaximum = 500;
const levels = [
  ["", t("All levels")], ["info", t("Info and above")], ["notice", t("Notice and above")],
  ["warning", t("Warnings and errors")], ["error", t("Errors")],
];

export const log = {
  title: t("Log"),
  interval,
  build() {
    const level = element("select",
      { class: "field", "aria-label": t("Level"), "data-testid": "log-level" },
      ...levels.map(([value, text]) => element("option", { value }, text)));
    const text = element("input", { class: "field", type: "search", maxlength: "100",
      "aria-label": t("Text"), placeholder: t("Text"), autocomplete: "off", spellcheck: "false",
      "data-testid": "log-text" });
    const stream = element("select",
      { class: "field", "aria-label": t("Stream"), "data-testid": "log-stream" });
    tellStreams(stream, []);
    // Not a live region: nobody wants each line read out.
    const list = element("ol",
      { class: "log", tabindex: "0", role: "list", "aria-label": t("Log lines"),
      "data-testid": "log" });
    let last = 0;
    let asked = null; // what the lines were asked with
    let timer = null;
    let streamsAt = -Infinity; // when the streams were asked for
    let again = () => {};
    const wish = () => ({ level: level.value, stream: stream.value, text: text.value.trim() });
    stream.addEventListener("change", () => again());
    level.addEventListener("change", () => again());
    text.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => again(), 300);
    });
    return {
      node: element("div", { class: "stack" },
        element("div", { class: "filter" }, level, stream, text), list),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        if (performance.now() - streamsAt > streamsInterval) {
          tellStreams(stream, (await get("/streams")).data);
          streamsAt = performance.now();
        }
        const query = wish();
        const isSame = asked === JSON.stringify(query);
        const answer = await get("/log", { ...query, after: isSame ? String(last) : "" });
        if (JSON.stringify(wish()) !== JSON.stringify(query)) return;
        const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
        // A server that has been started anew counts from one again.
        if (!isSame || answer.last < last) list.replaceChildren();
        list.append(...answer.data.map(line));
        while (list.children.length > linesMaximum) list.firstChild.remove();
        if (isAtEnd || !isSame) list.scrollTop = list.scrollHeight;
        [last, asked] = [answer.last, JSON.stringify(query)];
        tell(tn(list.children.length, { one: "{count} line", other: "{count} lines" }));
      },
    };
  },
};

/** The newest first. The one that is chosen stays, even if the server has forgotten it. */
function tellStreams(select, streams) {
  const chosen = select.value;
  const known = streams.toReversed().map(({ id, room_id: room }) =>
    ({ id, text: `${room} · ${id}` }));
  const isGone = chosen !== "" && !known.some(({ id }) => id === chosen);
  const gone = isGone ? [{ id: chosen, text: select.selectedOptions[0].textContent }] : [];
  reconcile(select, [{ id: "", text: t("All streams") }, ...known, ...gone], {
    key: ({ id }) => id,
    create: ({ id }) => element("option", { value: id }),
    update: (option, { text }) => setText(option, text),
  });
  select.value = chosen;
}

function line({ time, level, logger, message, fields }) {
  // English in every language: operators search for it, and send it to others.
  return element("li", { "data-level": level, lang: "en" },
    element("time", { datetime: time }, clockTime(time)), " ",
    element("span", { class: "log-level" }, level), " ",
    logger === "roomcast.bot" ? element("span", { class: "log-source" }, "bot ") : null,
    element("span", { class: "log-message" }, message),
    ...fields.flatMap(({ name, value }) => [
      " ", element("span", { class: "log-field" }, `${name}=`, element("b", {}, value))]));
}
