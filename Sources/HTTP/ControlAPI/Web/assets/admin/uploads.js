// What the object store has not got yet, and what it said.

import { element, reconcile, setText } from "../common/dom.js";
import { get } from "./desk.js";
import { empty, facts, row, table } from "./facts.js";
import { bytesText, dateText, typeText } from "./words.js";
import { t, tn } from "../common/texts.js";

const interval = 5000; // ms
const fileColumns = [t("File"), t("Room"), t("Stored"), t("State")];
const streamColumns = [t("Live stream"), t("Room"), t("Stored"), t("State")];
const names = {
  store: t("Store"), waiting: t("Files waiting"), rest: t("Still to send"),
  failing: t("Files failing"),
};

export const uploads = {
  title: t("Uploads"),
  interval,
  build() {
    const figures = facts(names);
    figures.node.firstChild.classList.add("is-wide"); // the store's address
    const none = empty("");
    const streams = list(t("Live streams"), streamColumns, "upload-streams");
    const files = list(t("Files"), fileColumns, "upload-files");
    const rest = element("p", { class: "quiet", hidden: true });
    return {
      node: element("div", { class: "stack" }, figures.node, none, streams.node, files.node, rest),
      async refresh(tell) {
        const answer = await get("/uploads");
        const waiting = answer.files_waiting;
        const isIdle = waiting === 0 && answer.streams.length === 0;
        figures.node.hidden = answer.store === null;
        none.hidden = !isIdle;
        setText(none, answer.store === null
          ? t("There is no object store: files stay on the server's disks "
            + "(recordings.store.bucket).")
          : t("The store has everything."));
        const told = (count) =>
          answer.all_counted ? String(count) : t("{count} or more", { count });
        const counted = told(waiting);
        figures.set({
          store: answer.store ?? "",
          waiting: counted,
          rest: bytesText(answer.bytes_waiting),
          failing: String(answer.files_failing),
        });
        streams.show(answer.streams, tellStream);
        files.show(answer.data, tellFile);
        rest.hidden = waiting <= answer.data.length;
        const number = told(waiting - answer.data.length);
        setText(rest, t("And {number} newer ones.", { number }));
        tell(answer.store === null ? "" : tn(waiting,
          { one: "{number} file waits", other: "{number} files wait" }, { number: counted }));
      },
    };
  },
};

function list(title, columns, testID) {
  const { node, rows } = table(columns, { "aria-label": title, "data-testid": testID });
  return {
    node,
    show(data, update) {
      node.hidden = data.length === 0;
      reconcile(rows, data, { key: ({ id }) => id, create: () => row(columns, []), update });
    },
  };
}

function tellFile(node,
  { type, path, created_at: time, room_id: room, size, bytes_sent: sent, failures, reason }) {
  const [file, place, stored, state] = node.children;
  setText(file, `${typeText(type)} · ${dateText(time)}`);
  file.title = path;
  setText(place, room);
  setText(stored, t("{part} of {total}", { part: bytesText(sent), total: bytesText(size) }));
  tellState(state, sent > 0 ? t("Being stored") : t("Waiting"), failures, reason);
}

function tellStream(node, { id, room_id: room, upload }) {
  const [stream, place, stored, state] = node.children;
  setText(stream, id);
  setText(place, room);
  setText(stored, tn(upload.segments_stored,
    { one: "{count} segment, {waiting} wait", other: "{count} segments, {waiting} wait" },
    { waiting: upload.segments_waiting }));
  tellState(state, upload.playable ? t("Can be played") : t("Not playable yet"), upload.failures,
    upload.reason);
}

/** The store's own words, if there are any. */
function tellState(cell, text, failures, reason) {
  const hasFailed = failures > 0;
  cell.classList.toggle("problem", hasFailed);
  setText(cell, hasFailed
    ? tn(failures, { one: "{count} try failed: {reason}", other: "{count} tries failed: {reason}" },
      { reason: t(reason ?? "") || t("no reason is known") })
    : text);
}
