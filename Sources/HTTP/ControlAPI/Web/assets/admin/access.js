// The key of tokens, and the codes by which people enter a room in a role.

import { element, reconcile, setText } from "../common/dom.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, facts, row, table } from "./facts.js";
import { tried } from "./streams.js";
import { countText, dateText } from "./words.js";

const interval = 30000; // ms
const columns = ["Code", "Role", "Made", "State", "Actions"];

export const access = {
  title: "Access",
  interval,
  build() {
    const key = facts(["Access key", "From"]);
    const known = element("datalist", { id: "known-rooms" });
    const room = element("input",
      { class: "field", list: "known-rooms", required: true, maxlength: "64",
      autocomplete: "off", spellcheck: "false", "aria-label": "Room", placeholder: "Room",
      "data-testid": "code-room" });
    const codes = table(columns, { "aria-labelledby": "codes-title" });
    codes.node.hidden = true;
    const note = element("p", { class: "quiet", role: "status" });
    const make = element("button", { class: "button", type: "button", hidden: true,
      "data-testid": "make-codes" }, "Make a code for each role");
    let chosen = "";
    let again = () => {};

    const form = element("form", { class: "filter", role: "search" }, room,
      element("button", { class: "button", type: "submit", "data-testid": "show-codes" },
        "Show codes"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      chosen = room.value.trim();
      again();
    });
    make.addEventListener("click", () => tried(async () => {
      await post(`/v2/room-codes/room/${encodeURIComponent(chosen)}`);
      toast("The codes are made.");
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
        words = data.length === 0
          ? `${chosen} has no codes.` : countText(data.length, "code", "codes");
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
          element("h2", {}, "Key"),
          element("p", { class: "quiet" }, "Your application signs tokens with it. Its secret, ",
            element("code", {}, "auth.secret"), ", is shown nowhere. On the server, ",
            element("code", {}, "roomcast token"), " makes single tokens."),
          key.node),
        element("section", { class: "stack-small" },
          element("h2", { id: "codes-title" }, "Room codes"),
          element("p", { class: "quiet" }, "Whoever has a code may enter its room in its role."),
          known, form, note, codes.node, make)),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const [{ data: settings }, { data: rooms }] = await Promise.all([
          get("/settings"), get("/v2/rooms", { limit: "100" }),
        ]);
        const setting = settings.find(({ name }) => name === "auth.accessKey");
        key.set({ "Access key": setting?.value ?? "–", From: setting?.origin ?? "built in" });
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

function line(code, again) {
  const change = async () => {
    const isOn = switchOf.dataset.on === "true";
    await tried(async () => {
      await post("/v2/room-codes/code", { code: code.code, enabled: !isOn });
      toast(isOn ? "The code no longer opens the room." : "The code opens the room.");
      again();
    });
  };
  const switchOf = action("", `Change ${code.code}`, change);
  const node = row(columns, [switchOf], { "data-testid": "code" });
  node.firstChild.append(element("code", {}, code.code));
  return node;
}

function tellCode(node, code) {
  const [, role, made, state] = node.children;
  setText(role, code.role);
  setText(made, dateText(code.created_at));
  setText(state, code.enabled ? "Enabled" : "Disabled");
  const button = node.querySelector("button");
  button.dataset.on = String(code.enabled);
  setText(button, code.enabled ? "Disable" : "Enable");
  button.setAttribute("aria-label",
    `${code.enabled ? "Disable" : "Enable"} ${code.code}, ${code.role}`);
}
