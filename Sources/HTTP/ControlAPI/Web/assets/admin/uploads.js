// What the object store has not got yet, and what it said.

import { element, reconcile, setText } from "../common/dom.js";
import { get } from "./desk.js";
import { empty, facts, row, table } from "./facts.js";
import { bytesText, countText, dateText } from "./words.js";

const interval = 5000; // ms
const fileColumns = ["File", "Room", "Stored", "State"];
const streamColumns = ["Live stream", "Room", "Stored", "State"];
const names = ["Store", "Files waiting", "Still to send", "Files failing"];

export const uploads = {
  title: "Uploads",
  interval,
  build() {
    const figures = facts(names);
    figures.node.firstChild.classList.add("is-wide"); // the store's address
    const none = empty("");
    const streams = list("Live streams", streamColumns, "upload-streams");
    const files = list("Files", fileColumns, "upload-files");
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
          ? "There is no object store: files stay on the server's disks (recordings.store.bucket)."
          : "The store has everything.");
        const counted = `${waiting}${answer.all_counted ? "" : " or more"}`;
        figures.set({
          Store: answer.store ?? "",
          "Files waiting": counted,
          "Still to send": bytesText(answer.bytes_waiting),
          "Files failing": String(answer.files_failing),
        });
        streams.show(answer.streams, tellStream);
        files.show(answer.data, tellFile);
        rest.hidden = waiting <= answer.data.length;
        setText(rest,
          `And ${waiting - answer.data.length}${answer.all_counted ? "" : " or more"} newer ones.`);
        tell(answer.store === null
          ? "" : `${counted} ${waiting === 1 ? "file waits" : "files wait"}`);
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
  setText(file, `${type.replaceAll("-", " ")} · ${dateText(time)}`);
  file.title = path;
  setText(place, room);
  setText(stored, `${bytesText(sent)} of ${bytesText(size)}`);
  tellState(state, sent > 0 ? "Being stored" : "Waiting", failures, reason);
}

function tellStream(node, { id, room_id: room, upload }) {
  const [stream, place, stored, state] = node.children;
  setText(stream, id);
  setText(place, room);
  setText(stored,
    `${countText(upload.segments_stored, "segment", "segments")}, ${upload.segments_waiting} wait`);
  tellState(state, upload.playable ? "Can be played" : "Not playable yet", upload.failures,
    upload.reason);
}

/** The store's own words, if there are any. */
function tellState(cell, text, failures, reason) {
  const hasFailed = failures > 0;
  cell.classList.toggle("problem", hasFailed);
  setText(cell, hasFailed
    ? `${countText(failures, "try", "tries")} failed: ${reason ?? "no reason is known"}` : text);
}
