// Rooms and the links into them, one for each role; and the key of tokens.

import { copyField } from "../common/copy-field.js";
import { element, reconcile, setText } from "../common/dom.js";
import { roleText } from "../common/role-text.js";
import { roomIDFrom, roomTitle } from "../common/room-name.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, facts } from "./facts.js";
import { tried } from "./streams.js";
import { dateText } from "./words.js";
import { t } from "../common/texts.js";

const interval = 30000; // ms
const roomsMaximum = "100";

export const access = {
  title: t("Access"),
  interval,
  build() {
    let again = () => {};
    let known = [];
    const key = facts({ key: t("Access key"), from: t("From") });
    const links = linksOfRoom(() => again());

    const name = element("input",
      { class: "field room-name", required: true, maxlength: "64", autocomplete: "off", dir: "auto",
      spellcheck: "false", "aria-label": t("Name of the room"),
      placeholder: t("Room name, for example stand-up"), "data-testid": "new-room" });
    name.addEventListener("input", () => name.setCustomValidity(""));
    const form = element("form", { class: "filter" }, name,
      element("button", { class: "button button-primary", type: "submit",
        "data-testid": "make-room" }, t("Make a room")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = name.value;
      const id = roomIDFrom(text);
      if (!id) {
        name.setCustomValidity(t("A name needs a letter, a digit or an emoji."));
        name.reportValidity();
        return;
      }
      tried(async () => {
        // A room of this name that is there already is answered as it is. A new one has addresses
        // that can be read, as those that the home page opens.
        const room = await post("/v2/rooms", { name: id, plain_id: true });
        await post(codesOf(room.id));
        // Whoever writes the next name meanwhile keeps it, and their place.
        const isAsked = name.value === text;
        if (isAsked) name.value = "";
        links.choose(room, { isAsked });
        again();
      });
    });

    const pick = element("select",
      { class: "field room-name", "aria-label": t("Room"), "data-testid": "code-room",
      hidden: true });
    pick.addEventListener("change", () => {
      links.choose(known.find(({ id }) => id === pick.value) ?? null);
      again();
    });

    return {
      node: element("div", { class: "stack" },
        element("section", { class: "stack-small", "aria-labelledby": "rooms-title" },
          element("h2", { id: "rooms-title" }, t("Rooms and links")),
          element("p", { class: "quiet" }, t("A room has a link for each role. Whoever opens one "
            + "enters the room in that role; the host goes live.")),
          element("div", { class: "filter room-choice" }, form, pick)),
        links.node,
        element("section", { class: "stack-small", "aria-labelledby": "key-title" },
          element("h2", { id: "key-title" }, t("Key")),
          element("p", { class: "quiet" }, ...withCode(t(
            "Your application signs tokens with it. Its secret, <code>auth.secret</code>, is shown "
            + "nowhere. On the server, <code>roomcast token</code> makes single tokens."))),
          key.node)),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const [{ data: settings }, { data: rooms }] = await Promise.all([
          get("/settings"), get("/v2/rooms", { limit: roomsMaximum }),
        ]);
        const setting = settings.find(({ name }) => name === "auth.accessKey");
        key.set({ key: plain(setting), from: setting?.origin ?? t("built in") });
        const chosen = links.room();
        const isListed = !chosen || rooms.some(({ id }) => id === chosen.id);
        known = isListed ? rooms : [chosen, ...rooms];
        reconcile(pick, [{ id: "" }, ...known], {
          key: ({ id }) => id,
          create: ({ id }) => element("option", { value: id }),
          update: (option, { id, name }) =>
            setText(option, id === "" ? t("Choose a room") : roomTitle(name || id)),
        });
        pick.value = chosen?.id ?? "";
        pick.hidden = known.length === 0;
        const publicURL = settings.find(({ name }) => name === "http.publicURL");
        await links.refresh(publicURL?.origin ? plain(publicURL) : location.origin);
        tell("");
      },
    };
  },
};

const codesOf = (room) => `/v2/room-codes/room/${encodeURIComponent(room)}`;

/** A setting's text, without the quotation marks of a file. */
function plain(setting) {
  const value = setting?.value ?? "–";
  return value.startsWith("\"") ? JSON.parse(value) : value;
}

/** The links into the room that is chosen. */
function linksOfRoom(again) {
  const title = element("h2", { id: "links-title", tabindex: "-1", dir: "auto" });
  const note = element("p", { class: "quiet", role: "status" });
  const list = element("ul", { class: "cards", "data-testid": "codes" });
  const make = element("button", { class: "button", type: "button", hidden: true,
    "data-testid": "make-codes", onclick: () => tried(async () => {
      await post(codesOf(room.id));
      toast(t("The links are made."));
      again();
    }) }, t("Make a link for each role"));
  const node = element("section",
    { class: "stack-small", hidden: true, "aria-labelledby": "links-title" }, title, note, list,
    make);
  let room = null;
  let isFocused = false; // once the links are there

  return {
    node,
    room: () => room,
    choose(next, { isAsked = false } = {}) {
      room = next;
      isFocused = isAsked;
      list.replaceChildren();
      setText(note, "");
      make.hidden = true;
      node.hidden = room === null;
      if (room) setText(title, t("Links into {name}", { name: roomTitle(room.name || room.id) }));
    },
    /** @param {string} address that the links begin with */
    async refresh(address) {
      if (!room) return;
      const { id } = room;
      let data = [];
      try {
        ({ data } = await get(codesOf(id), { limit: "100" }));
      } catch (error) {
        if (error.status === 401) throw error;
        if (room?.id === id) setText(note, error.message);
        return;
      }
      if (room?.id !== id) return;
      setText(note, data.length === 0 ? t("The room has no links yet.") : "");
      note.hidden = data.length > 0;
      // A link that is known to the wrong people is disabled, and replaced by a new one.
      const open = new Set(data.filter(({ enabled }) => enabled).map(({ role }) => role));
      make.hidden = data.length > 0 && data.every(({ role }) => open.has(role));
      const base = address.replace(/\/$/, "");
      reconcile(list, inOrder(data), {
        key: ({ code }) => code,
        create: (code) => card(code, base, again),
        update: tellCode,
      });
      if (isFocused) title.focus();
      isFocused = false;
    },
  };
}

const usualOrder = ["host", "guest", "viewer"]; // the host's is wanted first

/** Those that open the room before those that do not. */
function inOrder(codes) {
  const place = (role) => (usualOrder.indexOf(role) + 1 || usualOrder.length + 1);
  return codes.toSorted((a, b) => b.enabled - a.enabled || place(a.role) - place(b.role));
}

/** A sentence with the names of commands and settings in it. */
function withCode(text) {
  return text.split(/<\/?code>/).map((piece, index) =>
    index % 2 === 0 ? piece : element("code", {}, piece));
}

function card(code, base, again) {
  const role = roleText(code.role);
  const title = `code-${code.code}`;
  const url = `${base}/rooms/${encodeURIComponent(code.room_id)}?code=${code.code}`;
  const link = copyField({
    label: t("Link for: {name}", { name: role }), text: url, testID: `link-${code.role}`,
  });
  const change = async () => {
    const isOn = switchOf.dataset.on === "true";
    await tried(async () => {
      await post("/v2/room-codes/code", { code: code.code, enabled: !isOn });
      toast(isOn ? t("The link no longer opens the room.") : t("The link opens the room."));
      again();
    });
  };
  const switchOf = action("", t("Change {code}", code), change);
  switchOf.classList.add("switch");
  return element("li", { class: "card", "data-testid": "code", "data-role": code.role },
    element("article", { class: "stack-small", "aria-labelledby": title },
      element("div", { class: "card-head" },
        element("h3", { id: title, tabindex: "-1" }, role),
        element("span", { class: "lamp" }, t("Disabled"))),
      link.node,
      element("div", { class: "card-foot" },
        element("p", { class: "quiet" }, t("Code"), " ", element("code", {}, code.code), " · ",
          dateText(code.created_at)),
        element("div", { class: "actions" },
          element("a", { class: "button button-small", href: url, target: "_blank",
            rel: "noopener", "aria-label": t("Open the link for: {name}", { name: role }),
            "data-testid": `open-${code.role}` }, t("Open")),
          switchOf))));
}

function tellCode(node, code) {
  node.querySelector(".lamp").hidden = code.enabled;
  node.querySelector(".copy").hidden = !code.enabled;
  node.querySelector(".actions a").hidden = !code.enabled;
  const button = node.querySelector(".switch");
  const role = roleText(code.role);
  button.dataset.on = String(code.enabled);
  setText(button, code.enabled ? t("Disable") : t("Enable"));
  button.setAttribute("aria-label", code.enabled
    ? t("Disable {code}, {role}", { code: code.code, role })
    : t("Enable {code}, {role}", { code: code.code, role }));
}
