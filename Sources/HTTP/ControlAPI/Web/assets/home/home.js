// The home page: rooms with people, streams on air, and a form to enter a room.

import { configuration, phaseOf, rooms } from "../common/api.js";
import { byID, element, reconcile, setText } from "../common/dom.js";
import { roomIDFrom, roomTitle } from "../common/room-name.js";
import { icon } from "../common/icons.js";
import { t, tn } from "../common/texts.js";

const refreshInterval = 3000; // ms
const list = byID("rooms");
const summary = byID("summary");

let occupied = new Set(); // ids of rooms with people
let isOpen = true; // to those without an invitation

byID("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = roomIDFrom(byID("room-id").value);
  if (id) return openRoom(id);
  byID("room-id").setCustomValidity(t("A name needs a letter, a digit or an emoji."));
  byID("room-id").reportValidity();
});
byID("room-id").addEventListener("input", () => byID("room-id").setCustomValidity(""));

/** Whoever opens a room hosts it; into a room with people one comes as a guest. */
async function openRoom(id) {
  const path = `/rooms/${encodeURIComponent(id)}`;
  const settings = occupied.has(id) ? null : await configuration(id).catch(() => null);
  const guests = new Set(settings?.invitations?.map((one) => one.role));
  const host = settings?.roles?.find((role) => !guests.has(role));
  location.assign(host ? `${path}?role=${encodeURIComponent(host)}` : path);
}

function createRoom(room) {
  const path = encodeURIComponent(room.id);
  return element(
    "li",
    { class: "room-card", "data-testid": "room-card", "data-room": room.id },
    element(
      "div",
      { class: "room-card-text" },
      element("h3", { class: "room-name", dir: "auto" }),
      element("p", { class: "quiet room-detail" }),
    ),
    element("span", { class: "lamp" }),
    element(
      "div",
      { class: "room-card-actions" },
      element("a", { class: "button watch", href: `/watch/${path}` }, icon("play"), t("Watch")),
      element(
        "a",
        {
          class: "button button-primary join", href: `/rooms/${path}`, "data-testid": "join-link",
        },
        t("Join"),
      ),
    ),
  );
}

const lampText = { starting: t("Starting"), live: t("Live"), failed: t("Failed") };

function updateRoom(node, room) {
  const phase = phaseOf(room.hls?.state);
  const count = room.peer_count ?? 0;
  node.querySelector(".room-name").textContent = roomTitle(room.name || room.id);
  node.querySelector(".room-detail").textContent =
    count === 0
    ? t("Nobody here") : tn(count, { one: "{count} person", other: "{count} people" });
  const lamp = node.querySelector(".lamp");
  lamp.dataset.phase = phase;
  lamp.textContent = lampText[phase] ?? "";
  lamp.hidden = !lampText[phase];
  node.querySelector(".watch").hidden = phase !== "live" && phase !== "starting";
  node.querySelector(".join").hidden = !isOpen;
}

async function refresh() {
  try {
    const found = await rooms();
    occupied = new Set(found.filter((room) => room.peer_count > 0).map((room) => room.id));
    const rank = (room) => (phaseOf(room.hls?.state) === "live" ? 0 : 1);
    found.sort((a, b) => rank(a) - rank(b) || (a.name || a.id).localeCompare(b.name || b.id));
    reconcile(list, found, { key: (room) => room.id, create: createRoom, update: updateRoom });
    const live = found.filter((room) => rank(room) === 0).length;
    setText(summary, live === 0 ? "" : t("{count} on air", { count: live }));
    byID("empty").hidden = found.length > 0;
  } catch (error) {
    setText(summary, error.message);
  }
  setTimeout(refresh, refreshInterval);
}

/**
 * Without a list there is only the form, for people who know a room's name. Where pages give tokens
 * to nobody, the form would lead to a closed door: words say how one comes in.
 */
async function begin() {
  const settings = await configuration().catch(() => null);
  isOpen = settings?.open_tokens !== false;
  byID("enter").hidden = !isOpen;
  byID("invited").hidden = isOpen;
  if (!isOpen) setText(byID("empty"), t("No room is open."));
  if (settings?.lists_rooms === false) byID("rooms-section").hidden = true;
  else refresh();
}

begin();
