// The messages of the chat, with what can be done with each.

import { byID, element, timeOfDay } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { linked } from "../../common/link-text.js";
import { colour } from "../../common/person-colour.js";
import { t } from "../../common/texts.js";

const messagesMaximum = 500; // the oldest are removed first
const atEnd = 40; // px that count as the end of the list
const quoteMaximum = 120; // characters
const shownFor = 1600; // ms for which a message that was jumped to is marked

export class MessageList {
  #root = byID("messages");
  #onReply;
  #onDelete;
  #mayWrite = false;
  #mayDeleteAll = false;
  #messages = new Map(); // id → {message, node}
  #deleted = new Set();

  /** @param {{onReply: (message) => void, onDelete: (message) => void}} rules */
  constructor({ onReply, onDelete }) {
    this.#onReply = onReply;
    this.#onDelete = onDelete;
    this.#root.dataset.empty = t("No messages yet.");
  }

  /** @param {{mayWrite: boolean, mayDeleteAll: boolean}} rights of the role */
  allow({ mayWrite, mayDeleteAll }) {
    [this.#mayWrite, this.#mayDeleteAll] = [mayWrite, mayDeleteAll];
    for (const { message, node } of this.#messages.values()) this.#showActions(node, message);
  }

  /** @returns {boolean} false for a message that is deleted already */
  add(message) {
    const { id, isMine } = message;
    if (this.#deleted.has(id)) return false;
    const list = this.#root;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < atEnd;
    const node = this.#create(message);
    list.append(node);
    if (id) this.#messages.set(id, { message, node });
    while (list.children.length > messagesMaximum) this.#forget(list.firstElementChild);
    if (isAtEnd || isMine) this.scrollToEnd();
    return true;
  }

  /** @returns {number} how many of them were here */
  remove(ids) {
    let count = 0;
    for (const id of ids) {
      if (this.#deleted.has(id)) continue;
      this.#deleted.add(id);
      for (const quote of this.#root.querySelectorAll(".message-quote")) {
        if (quote.dataset.message === id) quote.replaceWith(lostQuote(t("A deleted message")));
      }
      const found = this.#messages.get(id);
      if (!found) continue;
      const hadFocus = found.node.contains(document.activeElement);
      this.#forget(found.node);
      if (hadFocus) this.#root.focus();
      count += 1;
    }
    return count;
  }

  scrollToEnd() {
    this.#root.scrollTop = this.#root.scrollHeight;
  }

  #forget(node) {
    this.#messages.delete(node.dataset.message);
    node.remove();
  }

  #create(message) {
    const { id, name, peerID, text, at, isMine, mark, replyTo } = message;
    const author = element("b", { class: "message-name" },
      isMine ? t("{name} (you)", { name }) : name);
    colour(author, { id: peerID ?? "", name });
    const node = element(
      "li",
      { class: mark ? "message is-private" : "message", "data-testid": "chat-message",
        "data-message": id, tabindex: "-1" },
      element(
        "div",
        { class: "message-head" },
        author,
        element("time", { class: "quiet", datetime: at.toISOString() }, timeOfDay(at)),
        mark ? element("span", { class: "message-mark", "data-testid": "message-mark" }, mark)
          : null,
        // The list tells what is said, not what can be done with it.
        element("span", { class: "message-actions", "aria-live": "off" }),
      ),
      replyTo ? this.#quote(replyTo) : null,
      element("div", { class: "message-text" }, ...linked(text)),
    );
    this.#showActions(node, message);
    return node;
  }

  #showActions(node, message) {
    const { id, isMine, name, peerID } = message;
    const actions = [];
    const add = (label, drawing, testID, run) =>
      actions.push(element("button", { class: "message-action", type: "button", "aria-label": label,
        title: label, "data-testid": testID, onclick: run }, icon(drawing)));
    // What the server says has no peer to answer.
    if (this.#mayWrite && id && peerID) {
      add(isMine ? t("Reply to your message") : t("Reply to the message of {name}", { name }),
        "reply", "reply", () => this.#onReply(message));
    }
    if (id && (isMine ? this.#mayWrite : this.#mayDeleteAll)) {
      add(isMine ? t("Delete your message") : t("Delete the message of {name}", { name }),
        "delete", "delete-message", () => this.#onDelete(message));
    }
    node.querySelector(".message-actions").replaceChildren(...actions);
  }

  /** Part of the message that is answered, which leads to it. */
  #quote(id) {
    if (this.#deleted.has(id)) return lostQuote(t("A deleted message"));
    const found = this.#messages.get(id);
    if (!found) return lostQuote(t("An earlier message"));
    const { name, text, peerID } = found.message;
    const author = element("b", { class: "message-name" }, name);
    colour(author, { id: peerID ?? "", name });
    return element("button",
      { class: "message-quote", type: "button", "data-message": id, "data-testid": "quote",
        onclick: () => this.#jump(id) },
      author, element("span", {}, quoteOf(text)));
  }

  #jump(id) {
    const node = this.#messages.get(id)?.node;
    if (!node) return;
    node.scrollIntoView({ block: "nearest" });
    node.focus({ preventScroll: true });
    node.classList.add("is-sought");
    setTimeout(() => node.classList.remove("is-sought"), shownFor);
  }
}

/** The beginning of a text, in one line. */
export function quoteOf(text) {
  const line = text.replace(/\s+/g, " ").trim();
  const letters = Array.from(line.slice(0, quoteMaximum * 2));
  return letters.length > quoteMaximum ? `${letters.slice(0, quoteMaximum).join("")}…` : line;
}

const lostQuote = (text) => element("p", { class: "message-quote is-lost quiet" }, text);
