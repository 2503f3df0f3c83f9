// The rooms that somebody is in, and who is there.

import { ask, checkbox, labelled } from "../common/dialog.js";
import { element, reconcile, setText } from "../common/dom.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, empty, row, table } from "./facts.js";
import { tried } from "./streams.js";
import { ageText, countText } from "./words.js";

const interval = 4000; // ms
const columns = ["Name", "Role", "Sends", "Connection", "For", "Actions"];

export const rooms = {
  title: "Rooms",
  interval,
  build() {
    const list = element("ul", { class: "cards", "data-testid": "rooms" });
    const none = empty("Nobody is in any room.");
    let again = () => {};
    return {
      node: element("div", { class: "stack" }, list, none),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const { data } = await get("/rooms");
        const people = data.reduce((sum, room) => sum + room.peer_count, 0);
        const persons = countText(people, "person", "people");
        tell(`${countText(data.length, "room", "rooms")}, ${persons}`);
        none.hidden = data.length > 0;
        reconcile(list, data, {
          key: ({ id }) => id, create: (room) => card(room, () => again()), update,
        });
      },
    };
  },
};

const parts = new WeakMap(); // of the cards

function card(room, again) {
  const title = `room-${room.id}`;
  const detail = element("p", { class: "quiet" });
  const people = table(columns, { "aria-labelledby": title });
  const node = element(
    "li",
    { class: "card", "data-testid": "room", "data-room": room.id },
    element("article", { class: "stack-small", "aria-labelledby": title },
      element("div", { class: "card-head" }, element("h2", { id: title, tabindex: "-1" })),
      detail, people.node,
      element("div", { class: "actions" },
        element("a", { class: "button button-small", href: `/rooms/${encodeURIComponent(room.id)}`,
          "aria-label": `Open the room ${room.id}` }, "Open"),
        action("End", `End the room ${room.id} for all`, () => end(room, again),
          { isDanger: true }))),
  );
  parts.set(node, { detail, people, again });
  return node;
}

function update(node, room) {
  const { detail, people, again } = parts.get(node);
  setText(node.querySelector("h2"), room.name || room.id);
  const since = room.since ? ` · for ${ageText(Date.now() - Date.parse(room.since))}` : "";
  const hidden = room.peer_count - room.peers.length;
  const more = hidden > 0 ? ` · ${hidden} more are not listed` : "";
  setText(detail, `${room.id} · ${countText(room.peer_count, "person", "people")}${since}${more}`);
  people.node.hidden = room.peers.length === 0;
  reconcile(people.rows, room.peers, {
    key: ({ id }) => id,
    create: (peer) => person(room, peer, again),
    update: tellPeer,
  });
}

function person(room, peer, again) {
  const about = peer.name || peer.user_id;
  return row(columns, [
    action("Role", `Role of ${about}`, () => changeRole(room, peer, again)),
    action("Remove", `Remove ${about}`, () => remove(room, peer, again), { isDanger: true }),
  ], { "data-testid": "peer" });
}

const qualities = ["lost", "very bad", "bad", "fair", "good", "very good"];

function tellPeer(node, peer) {
  const [name, role, sends, connection, since] = node.children;
  setText(name, peer.name || peer.user_id);
  setText(role, peer.role);
  const tracks = Object.values(peer.tracks ?? {}).filter(({ mute }) => !mute);
  const kinds = new Set(tracks.map(({ type, source }) =>
    source === "screen" ? "screen" : type === "audio" ? "sound" : "picture"));
  setText(sends, [...kinds].sort().join(", ") || "nothing");
  setText(connection, qualities[peer.quality] ?? "–");
  setText(since, ageText(Date.now() - Date.parse(peer.joined_at)));
}

async function changeRole(room, peer, again) {
  const field = element("input",
    { class: "field", value: peer.role, required: true, maxlength: "128" });
  const about = peer.name || peer.user_id;
  const isSure = await ask({
    title: `Role of ${about}`, text: "It changes at once.", content: [labelled("Role", field)],
    confirm: "Change", refuse: "Cancel",
  });
  const role = field.value.trim();
  if (!isSure || !role || role === peer.role) return;
  await tried(async () => {
    const [place, person] = [room.id, peer.id].map(encodeURIComponent);
    await post(`/v2/active-rooms/${place}/peers/${person}`,
      { role });
    toast(`${about} is ${role} now.`);
    again();
  });
}

async function remove(room, peer, again) {
  const about = peer.name || peer.user_id;
  const isSure = await ask({
    title: `Remove ${about}?`, text: "With a token that is still valid they may come back.",
    confirm: "Remove", refuse: "Cancel", isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    await post(`/v2/active-rooms/${encodeURIComponent(room.id)}/remove-peers`,
      { peer_id: peer.id, reason: "removed by the operator" });
    toast(`${about} is removed.`);
    again();
  });
}

async function end(room, again) {
  const lock = checkbox("Lock the room", "Nobody may come back.");
  const isSure = await ask({
    title: `End ${room.name || room.id} for all?`, content: [lock.node],
    confirm: "End", refuse: "Cancel", isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    await post(`/v2/active-rooms/${encodeURIComponent(room.id)}/end-room`,
      { lock: lock.isOn(), reason: "ended by the operator" });
    toast("The room is ending.");
    again();
  });
}
