// The chat: messages to all, to a role or to one person.

import { everybody } from "../../client/messages.js";
import { byID, element, reconcile, setText, timeOfDay } from "../../common/dom.js";
import { roleText } from "../moderation/role-dialog.js";

const messagesMaximum = 500; // the oldest are removed first
const atEnd = 40; // px that count as the end of the list

const node = {
  list: byID("messages"),
  composer: byID("composer"),
  closed: byID("chat-closed"),
  to: byID("message-to"),
  roles: byID("message-to-roles"),
  people: byID("message-to-people"),
  field: byID("message"),
};

export class ChatPanel {
  #onSend;
  #names = new Map(); // peer → name, including peers that have left
  #sought = new Map(); // recipients that are not listed: peer → {id, name}

  /**
   * @param {{onSend: (text: string, audience: object) => Promise<boolean>}} rules onSend reports
   *   its failures, and returns whether it worked
   */
  constructor({ onSend }) {
    this.#onSend = onSend;
    node.composer.addEventListener("submit", (event) => this.#submitted(event));
    node.to.addEventListener("change", () => this.#address());
    this.#address();
  }

  /** @param {boolean} mayWrite whether the role may send messages */
  allow(mayWrite) {
    node.composer.hidden = !mayWrite;
    node.closed.hidden = mayWrite;
  }

  /** The possible recipients. The chosen one stays, even after leaving. */
  showAudiences(roles, people) {
    const chosen = node.to.value;
    for (const { id, name } of people) this.#names.set(id, name);
    const listed = new Set(people.map(({ id }) => id));
    const known = [...people, ...[...this.#sought.values()].filter(({ id }) => !listed.has(id))];
    const peerID = chosen.startsWith("peer:") ? chosen.slice("peer:".length) : null;
    if (peerID !== null && !known.some(({ id }) => id === peerID)) {
      known.push({ id: peerID, name: `${this.#names.get(peerID)} (left)` });
    }
    fill(node.roles, roles.map((name) => ({ value: `role:${name}`, text: roleText(name) })));
    fill(node.people, known.map(({ id, name }) => ({ value: `peer:${id}`, text: name })));
    node.to.value = chosen;
    if (node.to.value !== chosen) node.to.value = "";
    this.#address();
  }

  /** Begins a message to one person, who need not be listed. */
  writeTo({ id, name }) {
    const value = `peer:${id}`;
    if (![...node.to.options].some((option) => option.value === value)) {
      this.#sought.set(id, { id, name });
      this.#names.set(id, name);
      node.people.hidden = false;
      node.people.append(element("option", { value, "data-key": value }, name));
    }
    node.to.value = value;
    this.#address();
    this.focus();
  }

  focus() {
    node.field.focus();
    this.scrollToEnd();
  }

  scrollToEnd() {
    node.list.scrollTop = node.list.scrollHeight;
  }

  add({ name, text, at, isMine, mark }) {
    const list = node.list;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < atEnd;
    const time = timeOfDay(at);
    list.append(
      element(
        "li",
        { class: mark ? "message is-private" : "message", "data-testid": "chat-message" },
        element(
          "div",
          { class: "message-head" },
          element("b", {}, isMine ? `${name} (you)` : name),
          mark ? element("span", { class: "message-mark", "data-testid": "message-mark" }, mark)
            : null,
          element("time", { class: "quiet", datetime: at.toISOString() }, time),
        ),
        element("div", { class: "message-text" }, text),
      ),
    );
    while (list.children.length > messagesMaximum) list.firstElementChild.remove();
    if (isAtEnd || isMine) this.scrollToEnd();
  }

  get #audience() {
    const [kind, ...rest] = node.to.value.split(":");
    const value = rest.join(":");
    if (kind === "role") return { kind, role: value };
    if (kind === "peer") return { kind, peerID: value, name: this.#names.get(value) ?? "" };
    return everybody;
  }

  /** Shows the recipient in the field. */
  #address() {
    const audience = this.#audience;
    node.composer.classList.toggle("is-private", audience !== everybody);
    node.field.placeholder = {
      role: `Write to role ${audience.role}`,
      peer: `Write to ${audience.name} only`,
    }[audience.kind] ?? "Write to everybody";
  }

  async #submitted(event) {
    event.preventDefault();
    const text = node.field.value.trim();
    if (!text) return;
    node.field.value = "";
    // A message that was not sent is put back, unless the user has begun another.
    const isSent = await this.#onSend(text, this.#audience);
    if (!isSent && !node.field.value) node.field.value = text;
  }
}

function fill(group, options) {
  group.hidden = options.length === 0;
  reconcile(group, options, {
    key: ({ value }) => value,
    create: ({ value }) => element("option", { value }),
    update: (option, { text }) => setText(option, text),
  });
}
