// Recordings with their files and uploads, newest first.

import { element, reconcile, setText, clockText } from "../common/dom.js";
import { endText } from "../common/end-text.js";
import { get } from "./desk.js";
import { empty } from "./facts.js";
import { bytesText, dateText, typeText } from "./words.js";
import { capital, t, tn } from "../common/texts.js";

const interval = 10000; // ms

const states = {
  starting: ["starting", t("Starting")],
  running: ["recording", t("Recording")],
  stopping: ["ending", t("Ending")],
  post_processing: ["starting", t("Making files")],
  completed: ["none", t("Ready")],
  failed: ["failed", t("Failed")],
};

export const recordings = {
  title: t("Recordings"),
  interval,
  build() {
    const room = element("input",
      { class: "field", type: "search", maxlength: "64", placeholder: t("Room"),
      "aria-label": t("Only of the room"), autocomplete: "off", spellcheck: "false" });
    const list = element("ul", { class: "cards", "data-testid": "recordings" });
    const none = empty(t("Nothing is recorded."));
    const more = element("button", { class: "button", type: "button", hidden: true },
      t("Show older ones"));
    let pages = 1;
    let again = () => {};
    const filter = element("form", { class: "filter", role: "search" }, room,
      element("button", { class: "button", type: "submit" }, t("Show")));
    filter.addEventListener("submit", (event) => {
      event.preventDefault();
      pages = 1;
      again();
    });
    more.addEventListener("click", () => {
      pages += 1;
      again();
    });
    return {
      node: element("div", { class: "stack" }, filter, list, none, more),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const data = [];
        let last = "";
        for (let page = 0; page < pages; page += 1) {
          const answer = await get("/recordings", { room_id: room.value.trim(), start: last });
          data.push(...answer.data);
          last = answer.last;
          if (!last) break;
        }
        const counted = tn(data.length, { one: "{count} recording", other: "{count} recordings" });
        tell(last ? t("{list}, and older ones", { list: counted }) : counted);
        none.hidden = data.length > 0;
        more.hidden = !last;
        reconcile(list, data, { key: ({ id }) => id, create: card, update });
      },
    };
  },
};

function card(recording) {
  const title = `recording-${recording.id}`;
  return element(
    "li",
    { class: "card", "data-testid": "recording" },
    element("article", { class: "stack-small", "aria-labelledby": title },
      element("div", { class: "card-head" },
        element("h2", { id: title, tabindex: "-1" }, recording.room_id),
        element("span", { class: "lamp" })),
      element("p", { class: "quiet" }),
      element("p", { class: "problem" }),
      element("ul", { class: "layers", "aria-label": t("Files") })),
  );
}

function update(node, recording) {
  const [phase, text] = states[recording.status] ?? ["none", recording.status];
  const lamp = node.querySelector(".lamp");
  lamp.dataset.phase = phase;
  const percent = typeof recording.progress === "number"
    ? ` ${Math.round(recording.progress * 100)} %` : "";
  setText(lamp, text + percent);
  const bytes = recording.assets.reduce((sum, { size }) => sum + size, 0);
  setText(node.querySelector(".quiet"), [
    dateText(recording.created_at),
    recording.duration ? clockText(recording.duration * 1000) : null,
    bytes > 0 ? bytesText(bytes) : null,
    recording.id,
  ].filter(Boolean).join(" · "));
  const isFailed = recording.status === "failed";
  node.querySelector(".problem").hidden = !isFailed;
  setText(node.querySelector(".problem"),
    isFailed ? capital(endText(recording.stop_reason, recording.stop_code)) : "");
  reconcile(node.querySelector(".layers"), recording.assets, {
    key: ({ id }) => id, create: () => element("li", {}), update: tellFile,
  });
}

function tellFile(line, asset) {
  const size = asset.width ? `${asset.width} × ${asset.height} ` : "";
  const text = `${size}${typeText(asset.type)} · ${bytesText(asset.size)}`;
  if (asset.url) {
    const link = line.querySelector("a") ?? element("a", {});
    link.href = `${asset.url}?download`; // links end, and are new each time
    setText(link, text);
    if (!link.isConnected) line.replaceChildren(link);
  } else {
    setText(line, `${text} · ${asset.status}`);
  }
}
