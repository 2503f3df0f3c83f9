// The rooms that somebody is in, and who is there.

import { ask, checkbox, choice } from "../common/dialog.js";
import { element, reconcile, setText } from "../common/dom.js";
import { roleText } from "../common/role-text.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, empty, row, table } from "./facts.js";
import { tried } from "./streams.js";
import { ageText } from "./words.js";
import { t, tn } from "../common/texts.js";

const interval = 4000; // ms
const columns = [t("Name"), t("Role"), t("Sends"), t("Connection"), t("For"), t("Actions")];

export const rooms = {
  title: t("Rooms"),
  interval,
  build() {
    const list = element("ul", { class: "cards", "data-testid": "rooms" });
    const none = empty(t("Nobody is in any room."));
    const make = element("a", { class: "button", href: "#access" }, t("Rooms and links"));
    let again = () => {};
    return {
      node: element("div", { class: "stack" }, list, none, make),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const { data } = await get("/rooms");
        const people = data.reduce((sum, room) => sum + room.peer_count, 0);
        const persons = tn(people, { one: "{count} person", other: "{count} people" });
        tell(`${tn(data.length, { one: "{count} room", other: "{count} rooms" })}, ${persons}`);
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
          "aria-label": t("Open the room {name}", { name: room.id }) }, t("Open")),
        action(t("End"), t("End the room {name} for all", { name: room.id }),
          () => end(room, again), { isDanger: true }))),
  );
  parts.set(node, { detail, people, again });
  return node;
}

function update(node, room) {
  const { detail, people, again } = parts.get(node);
  setText(node.querySelector("h2"), room.name || room.id);
  const hidden = room.peer_count - room.peers.length;
  setText(detail, [
    room.id,
    tn(room.peer_count, { one: "{count} person", other: "{count} people" }),
    room.since ? t("for {time}", { time: ageText(Date.now() - Date.parse(room.since)) }) : null,
    hidden > 0 ? t("{count} more are not listed", { count: hidden }) : null,
  ].filter(Boolean).join(" · "));
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
    action(t("Role"), t("Role of {name}", { name: about }), () => changeRole(room, peer, again)),
    action(t("Remove"), t("Remove {name}", { name: about }), () => remove(room, peer, again),
      { isDanger: true }),
  ], { "data-testid": "peer" });
}

const qualities = [t("lost"), t("very bad"), t("bad"), t("fair"), t("good"), t("very good")];

function tellPeer(node, peer) {
  const [name, role, sends, connection, since] = node.children;
  setText(name, peer.name || peer.user_id);
  setText(role, roleText(peer.role));
  const tracks = Object.values(peer.tracks ?? {}).filter(({ mute }) => !mute);
  const kinds = new Set(tracks.map(({ type, source }) =>
    source === "screen" ? t("screen") : type === "audio" ? t("sound") : t("picture")));
  setText(sends, [...kinds].sort().join(", ") || t("nothing"));
  setText(connection, qualities[peer.quality] ?? "–");
  setText(since, ageText(Date.now() - Date.parse(peer.joined_at)));
}

/** The roles that a person in the room can have, by rank. */
async function rolesOf(room) {
  const { template_id: template } = await get(`/v2/rooms/${encodeURIComponent(room.id)}`);
  const { roles } = await get(`/v2/templates/${encodeURIComponent(template)}`);
  return Object.values(roles).filter(({ isHidden }) => !isHidden)
    .sort((a, b) => a.priority - b.priority).map(({ name }) => name);
}

async function changeRole(room, peer, again) {
  await tried(async () => {
    const about = peer.name || peer.user_id;
    const others = (await rolesOf(room)).filter((name) => name !== peer.role);
    const role = choice("role",
      t("{name} is {role} now. The new role:", { name: about, role: roleText(peer.role) }),
      others.map((name) => ({ value: name, text: roleText(name) })));
    const isSure = await ask({
      title: t("Role of {name}", { name: about }), text: t("It changes at once."),
      content: [role.node], confirm: t("Change"), refuse: t("Cancel"),
    });
    if (!isSure) return;
    const [place, person] = [room.id, peer.id].map(encodeURIComponent);
    await post(`/v2/active-rooms/${place}/peers/${person}`, { role: role.value() });
    toast(t("{name} is {role} now.", { name: about, role: roleText(role.value()) }));
    again();
  });
}

async function remove(room, peer, again) {
  const about = peer.name || peer.user_id;
  const isSure = await ask({
    title: t("Remove {name}?", { name: about }),
    text: t("With a token that is still valid they may come back."),
    confirm: t("Remove"), refuse: t("Cancel"), isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    await post(`/v2/active-rooms/${encodeURIComponent(room.id)}/remove-peers`,
      { peer_id: peer.id, reason: "removed by the operator" });
    toast(t("{name} is removed.", { name: about }));
    again();
  });
}

async function end(room, again) {
  const lock = checkbox(t("Lock the room"), t("Nobody may come back."));
  const isSure = await ask({
    title: t("End {name} for all?", { name: room.name || room.id }), content: [lock.node],
    confirm: t("End"), refuse: t("Cancel"), isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    await post(`/v2/active-rooms/${encodeURIComponent(room.id)}/end-room`,
      { lock: lock.isOn(), reason: "ended by the operator" });
    toast(t("The room is ending."));
    again();
  });
}
