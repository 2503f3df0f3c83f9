// Invitations: links for each role of guests, and the watch page. No link makes anybody a host.

import { configuration, roomInvitations } from "../../common/api.js";
import { copyField } from "../../common/copy-field.js";
import { ask } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import { roleText } from "../../common/role-text.js";
import { t } from "../../common/texts.js";

const words = {
  title: t("Invite people"),
  text: t("Send them one of these links."),
  watch: t("Watch page"),
  watchText: t("Sees the stream when it is on air. Nobody in the room sees or hears them."),
  publishing: t("Joins the room, and can be seen and heard."),
  heard: t("Joins the room, and can be heard."),
  quiet: t("Joins the room to watch and to chat."),
  refused: t("Only a host of this room can invite people into it."),
  loading: t("Making the links …"),
  done: t("Done"),
};

/**
 * Shows the links.
 * @param {{roomID: string, roomName: string, token?: string, peerID?: string}} room `token` is the
 *   room token, and `peerID` the peer, of whoever invites; both are missing outside of the room
 * @returns {Promise<void>} once the dialog is closed
 */
export async function openInvite({ roomID, roomName, token, peerID }) {
  const place = element("div", { class: "invite-links", "data-testid": "invite-links" },
    element("p", { class: "quiet", role: "status" }, words.loading));
  const links = linksInto(roomID, token, peerID).then(
    (found) => found.map((link) => entry(link, roomName)),
    (error) => [element("p", { class: "quiet", role: "status" }, reasonOf(error))],
  );
  links.then((nodes) => place.replaceChildren(...nodes));
  const watch = { key: "watch", name: words.watch, hint: words.watchText,
    url: pageOf("watch", roomID) };
  await ask({
    title: words.title,
    text: words.text,
    content: [place, entry(watch, roomName)],
    confirm: words.done,
    isUnasked: true, // the heading has the focus, not the first address
  });
}

/** The links by which people join. @throws {Error} if there are none for this user */
async function linksInto(roomID, token, peerID) {
  const { open_tokens: isOpen, invitations: open } = await configuration(roomID);
  // Where pages may give tokens to anybody, the role in a link is enough; elsewhere a code has it.
  const found = isOpen ? open : (await roomInvitations(roomID, { token, peerID })).invitations;
  return found.map(({ role, code, publishes }) => ({
    key: role,
    name: roleText(role),
    hint: hintOf(publishes),
    url: `${pageOf("rooms", roomID)}?${new URLSearchParams(code ? { code } : { role })}`,
  }));
}

function hintOf(publishes) {
  if (publishes.includes("video")) return words.publishing;
  return publishes.includes("audio") ? words.heard : words.quiet;
}

function reasonOf(error) {
  return [401, 403].includes(error.status) ? words.refused
    : t("The links into the room could not be made: {reason}", { reason: error.message });
}

function pageOf(kind, roomID) {
  return new URL(`/${kind}/${encodeURIComponent(roomID)}`, location.origin).href;
}

function entry({ key, name, hint, url }, roomName) {
  const id = `invite-${key.replace(/[^A-Za-z0-9_-]/g, "-")}`;
  const link = copyField({ label: t("Link for: {name}", { name }), text: url, shareTitle: roomName,
    testID: id });
  return element("section", { class: "invite-link", "aria-labelledby": `${id}-name` },
    element("h3", { id: `${id}-name` }, name),
    element("p", { class: "quiet" }, hint),
    link.node);
}
