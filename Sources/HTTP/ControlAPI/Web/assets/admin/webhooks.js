// What was sent to receivers, and what was not; each can be sent again.

import { element, reconcile, setText } from "../common/dom.js";
import { toast } from "../common/toasts.js";
import { get, post } from "./desk.js";
import { action, empty } from "./facts.js";
import { tried } from "./streams.js";
import { dateText } from "./words.js";
import { t, tn } from "../common/texts.js";

const interval = 5000; // ms

const states = {
  success: t("Delivered"), failed: t("Given up"), pending: t("Waiting"),
  held: t("Held until files are uploaded"),
};

export const webhooks = {
  title: t("Webhooks"),
  interval,
  build() {
    const status = element("select", { class: "field", "aria-label": t("State") },
      element("option", { value: "" }, t("All")),
      ...Object.entries(states).map(([value, text]) => element("option", { value }, text)));
    const list = element("ul", { class: "cards", "data-testid": "webhooks" });
    const none = empty(t("No event is kept. They are sent where webhooks.url is set."));
    let again = () => {};
    status.addEventListener("change", () => again());
    return {
      node: element("div", { class: "stack" }, element("div", { class: "filter" }, status), list,
        none),
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const { data, last } = await get("/v2/analytics/webhooks",
          { status: status.value, limit: "50" });
        const counted = tn(data.length, { one: "{count} event", other: "{count} events" });
        tell(last ? t("{list}, and older ones", { list: counted }) : counted);
        none.hidden = data.length > 0;
        reconcile(list, data, {
          key: ({ id }) => id, create: (event) => card(event, () => again()), update,
        });
      },
    };
  },
};

function card(event, again) {
  const title = `event-${event.id}`;
  const send = () => tried(async () => {
    await post(`/v2/analytics/webhooks/${event.id}/replay`);
    toast(t("It is sent again."));
    again();
  });
  return element(
    "li",
    { class: "card", "data-testid": "webhook" },
    element("article", { class: "stack-small", "aria-labelledby": title },
      element("div", { class: "card-head" },
        element("h2", { id: title, tabindex: "-1" }, event.type),
        element("span", { class: "lamp" })),
      element("p", { class: "quiet" }),
      element("details", {}, element("summary", {}, t("Content")),
        element("pre", { tabindex: "0", "aria-label": t("Content of {type}", event) },
          JSON.stringify(event.event, null, 2))),
      element("div", { class: "actions" },
        action(t("Send again"),
          t("Send {type} of {room} again", { type: event.type, room: event.room_id }), send,
          { testID: "replay" }))),
  );
}

function update(node, event) {
  const lamp = node.querySelector(".lamp");
  lamp.dataset.phase = { failed: "failed", pending: "starting" }[event.status] ?? "none";
  setText(lamp, states[event.status] ?? event.status);
  const tries = event.attempts_failed > 0
    ? tn(event.attempts_failed, { one: "{count} try failed", other: "{count} tries failed" })
    : null;
  const next = event.next_attempt_at
    ? t("next try {time}", { time: dateText(event.next_attempt_at) }) : null;
  setText(node.querySelector(".quiet"),
    [event.room_id, dateText(event.created_at), tries, next].filter(Boolean).join(" · "));
  node.querySelector(".actions").hidden = event.status === "pending" || event.status === "held";
}
