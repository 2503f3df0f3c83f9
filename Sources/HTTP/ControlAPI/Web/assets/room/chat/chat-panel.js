// The chat: messages to all, to a role or to one person.

import { everybody } from "../../client/messages.js";
import { byID, element, reconcile, setText } from "../../common/dom.js";
import { roleText } from "../../common/role-text.js";
import { EmojiPicker } from "./emoji-picker.js";
import { MessageList, quoteOf } from "./message-list.js";
import { t } from "../../common/texts.js";

const node = {
  composer: byID("composer"),
  closed: byID("chat-closed"),
  to: byID("message-to"),
  roles: byID("message-to-roles"),
  people: byID("message-to-people"),
  field: byID("message"),
  reply: byID("reply-bar"),
  replyText: byID("reply-text"),
  replyEnd: byID("reply-end"),
};

export class ChatPanel {
  #onSend;
  #list;
  #emoji;
  #answered = null; // the message that is being answered
  #names = new Map(); // peer → name, including peers that have left
  #sought = new Map(); // recipients that are not listed: peer → {id, name}

  /**
   * @param {{onSend: (text: string, audience: object, replyTo: string|null) => Promise<boolean>,
   *          onDelete: (message) => void}} rules onSend reports its failures, and returns whether
   *   it worked
   */
  constructor({ onSend, onDelete }) {
    this.#onSend = onSend;
    this.#list = new MessageList({ onReply: (message) => this.#reply(message), onDelete });
    this.#emoji = new EmojiPicker({
      onChoice: (text) => this.#insert(text),
      onClose: () => node.field.focus(),
    });
    node.composer.addEventListener("submit", (event) => this.#submitted(event));
    node.composer.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !this.#answered) return;
      event.preventDefault(); // the panel stays
      this.#endReply();
    });
    node.to.addEventListener("change", () => this.#address());
    node.replyEnd.addEventListener("click", () => this.#endReply());
    this.#address();
  }

  /** @param {{mayWrite: boolean, mayDeleteAll: boolean}} rights of the role */
  allow(rights) {
    node.composer.hidden = !rights.mayWrite;
    node.closed.hidden = rights.mayWrite;
    this.#list.allow(rights);
  }

  /** The possible recipients. The chosen one stays, even after leaving. */
  showAudiences(roles, people) {
    const chosen = node.to.value;
    for (const { id, name } of people) this.#names.set(id, name);
    const listed = new Set(people.map(({ id }) => id));
    const known = [...people, ...[...this.#sought.values()].filter(({ id }) => !listed.has(id))];
    const peerID = chosen.startsWith("peer:") ? chosen.slice("peer:".length) : null;
    if (peerID !== null && !known.some(({ id }) => id === peerID)) {
      known.push({ id: peerID, name: t("{name} (left)", { name: this.#names.get(peerID) }) });
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
    this.#list.scrollToEnd();
  }

  /** @returns {boolean} whether it is shown */
  add(message) {
    return this.#list.add(message);
  }

  /** @returns {number} how many of them were shown */
  remove(ids) {
    if (this.#answered && ids.includes(this.#answered.id)) this.#endReply();
    return this.#list.remove(ids);
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
      role: t("Write to role {role}", { role: roleText(audience.role ?? "") }),
      peer: t("Write to {name} only", { name: audience.name }),
    }[audience.kind] ?? t("Write to everybody");
  }

  /** The answer goes to those who have the message. */
  #reply(message) {
    const { name, text, audience, isMine } = message;
    this.#answered = message;
    node.reply.hidden = false;
    const quote = quoteOf(text);
    setText(node.replyText, isMine ? t("Reply to yourself: {quote}", { quote })
      : t("Reply to {name}: {quote}", { name, quote }));
    if (audience.kind === "peer") return this.writeTo({ id: audience.peerID, name: audience.name });
    node.to.value = audience.kind === "role" ? `role:${audience.role}` : "";
    this.#address();
    node.field.focus();
  }

  #endReply() {
    const hadFocus = node.reply.contains(document.activeElement);
    this.#answered = null;
    node.reply.hidden = true;
    if (hadFocus) node.field.focus();
  }

  /** Where the caret is. */
  #insert(text) {
    const { selectionStart: start, selectionEnd: end, value, maxLength } = node.field;
    if (value.length - (end - start) + text.length > maxLength) return;
    node.field.setRangeText(text, start, end, "end");
    this.#emoji.close();
  }

  async #submitted(event) {
    event.preventDefault();
    const text = node.field.value.trim();
    if (!text) return;
    const answered = this.#answered;
    node.field.value = "";
    this.#endReply();
    // A message that was not sent is put back, unless the user has begun another.
    const isSent = await this.#onSend(text, this.#audience, answered?.id ?? null);
    if (isSent || node.field.value) return;
    node.field.value = text;
    if (answered && !this.#answered) this.#reply(answered);
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
