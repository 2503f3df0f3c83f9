// The home page: rooms with people, streams on air, and a form to enter a room.

import { configuration, phaseOf, rooms } from "../common/api.js";
import { byID, element, reconcile, setText } from "../common/dom.js";
import { icon } from "../common/icons.js";

const refreshInterval = 3000; // ms
const list = byID("rooms");
const summary = byID("summary");

byID("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = roomIDFrom(byID("room-id").value);
  if (id) location.assign(`/rooms/${encodeURIComponent(id)}`);
});

/** "Monday stand-up" → "monday-stand-up": ids are used in URLs and tokens, so they are plain. */
function roomIDFrom(text) {
  return text
    .trim()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 64);
}

function createRoom(room) {
  const path = encodeURIComponent(room.id);
  return element(
    "li",
    { class: "room-card", "data-testid": "room-card", "data-room": room.id },
    element(
      "div",
      { class: "room-card-text" },
      element("h3", { class: "room-name" }),
      element("p", { class: "quiet room-detail" }),
    ),
    element("span", { class: "lamp" }),
    element(
      "div",
      { class: "room-card-actions" },
      element("a", { class: "button watch", href: `/watch/${path}` }, icon("play"), "Watch"),
      element(
        "a",
        { class: "button button-primary", href: `/rooms/${path}`, "data-testid": "join-link" },
        "Join",
      ),
    ),
  );
}

const lampText = { starting: "Starting", live: "Live", failed: "Failed" };

function updateRoom(node, room) {
  const phase = phaseOf(room.hls?.state);
  const count = room.peer_count ?? 0;
  node.querySelector(".room-name").textContent = room.name || room.id;
  node.querySelector(".room-detail").textContent =
    count === 0 ? "Nobody here" : count === 1 ? "1 person" : `${count} people`;
  const lamp = node.querySelector(".lamp");
  lamp.dataset.phase = phase;
  lamp.textContent = lampText[phase] ?? "";
  lamp.hidden = !lampText[phase];
  node.querySelector(".watch").hidden = phase !== "live" && phase !== "starting";
}

async function refresh() {
  try {
    const found = await rooms();
    const rank = (room) => (phaseOf(room.hls?.state) === "live" ? 0 : 1);
    found.sort((a, b) => rank(a) - rank(b) || (a.name || a.id).localeCompare(b.name || b.id));
    reconcile(list, found, { key: (room) => room.id, create: createRoom, update: updateRoom });
    const live = found.filter((room) => rank(room) === 0).length;
    setText(summary, live === 0 ? "" : `${live} on air`);
    byID("empty").hidden = found.length > 0;
  } catch (error) {
    setText(summary, error.message);
  }
  setTimeout(refresh, refreshInterval);
}

/** Without a list there is only the form, for people who know a room's name. */
async function begin() {
  const settings = await configuration().catch(() => null);
  if (settings?.lists_rooms === false) byID("rooms-section").hidden = true;
  else refresh();
}

begin();
