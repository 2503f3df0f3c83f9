// The key of tokens, and the codes by which people enter a room in a role.

import { element, reconcile, setText } from "../common/dom.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, facts, row, table } from "./facts.js";
import { tried } from "./streams.js";
import { dateText } from "./words.js";
import { t, tn } from "../common/texts.js";

const interval = 30000; // ms
const columns = [t("Code"), t("Role"), t("Made"), t("State"), t("Actions")];

export const access = {
  title: t("Access"),
  interval,
  build() {
    const key = facts({ key: t("Access key"), from: t("From") });
    const known = element("datalist", { id: "known-rooms" });
    const room = element("input",
      { class: "field", list: "known-rooms", required: true, maxlength: "64",
      autocomplete: "off", spellcheck: "false", "aria-label": t("Room"), placeholder: t("Room"),
      "data-testid": "code-room" });
    const codes = table(columns, { "aria-labelledby": "codes-title" });
    codes.node.hidden = true;
    const note = element("p", { class: "quiet", role: "status" });
    const make = element("button", { class: "button", type: "button", hidden: true,
      "data-testid": "make-codes" }, t("Make a code for each role"));
    let chosen = "";
    let again = () => {};

    const form = element("form", { class: "filter", role: "search" }, room,
      element("button", { class: "button", type: "submit", "data-testid": "show-codes" },
        t("Show codes")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      chosen = room.value.trim();
      again();
    });
    make.addEventListener("click", () => tried(async () => {
      await post(`/v2/room-codes/room/${encodeURIComponent(chosen)}`);
      toast(t("The codes are made."));
      again();
    }));

    async function showCodes() {
      if (!chosen) return;
      let data = [];
      let words = "";
      let isListed = false;
      try {
        ({ data } = await get(`/v2/room-codes/room/${encodeURIComponent(chosen)}`,
          { limit: "100" }));
        isListed = true;
        words = data.length === 0 ? t("{name} has no codes.", { name: chosen })
          : tn(data.length, { one: "{count} code", other: "{count} codes" });
      } catch (error) {
        if (error.status === 401) throw error;
        words = error.message;
      }
      make.hidden = !isListed;
      codes.node.hidden = data.length === 0;
      setText(note, words);
      reconcile(codes.rows, data, {
        key: ({ code }) => code,
        create: (code) => line(code, () => again()),
        update: tellCode,
      });
    }

    return {
      node: element("div", { class: "stack" },
        element("section", { class: "stack-small" },
          element("h2", {}, t("Key")),
          element("p", { class: "quiet" }, ...withCode(t(
            "Your application signs tokens with it. Its secret, <code>auth.secret</code>, is shown "
            + "nowhere. On the server, <code>roomcast token</code> makes single tokens."))),
          key.node),
        element("section", { class: "stack-small" },
          element("h2", { id: "codes-title" }, t("Room codes")),
          element("p", { class: "quiet" }, t("Whoever has a code may enter its room in its role.")),
          known, form, note, codes.node, make)),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const [{ data: settings }, { data: rooms }] = await Promise.all([
          get("/settings"), get("/v2/rooms", { limit: "100" }),
        ]);
        const setting = settings.find(({ name }) => name === "auth.accessKey");
        key.set({ key: setting?.value ?? "–", from: setting?.origin ?? t("built in") });
        reconcile(known, rooms, {
          key: ({ id }) => id,
          create: ({ id }) => element("option", { value: id }),
          update: (option, { name }) => option.setAttribute("label", name ?? ""),
        });
        await showCodes();
        tell("");
      },
    };
  },
};

/** A sentence with the names of commands and settings in it. */
function withCode(text) {
  return text.split(/<\/?code>/).map((piece, index) =>
    index % 2 === 0 ? piece : element("code", {}, piece));
}

function line(code, again) {
  const change = async () => {
    const isOn = switchOf.dataset.on === "true";
    await tried(async () => {
      await post("/v2/room-codes/code", { code: code.code, enabled: !isOn });
      toast(isOn ? t("The code no longer opens the room.") : t("The code opens the room."));
      again();
    });
  };
  const switchOf = action("", t("Change {code}", code), change);
  const node = row(columns, [switchOf], { "data-testid": "code" });
  node.firstChild.append(element("code", {}, code.code));
  return node;
}

function tellCode(node, code) {
  const [, role, made, state] = node.children;
  setText(role, code.role);
  setText(made, dateText(code.created_at));
  setText(state, code.enabled ? t("Enabled") : t("Disabled"));
  const button = node.querySelector("button");
  button.dataset.on = String(code.enabled);
  setText(button, code.enabled ? t("Disable") : t("Enable"));
  button.setAttribute("aria-label",
    code.enabled ? t("Disable {code}, {role}", code) : t("Enable {code}, {role}", code));
}
