// The chat in the room: what is said, what is not read yet, and what is deleted.

import { ask } from "../../common/dialog.js";
import { toast } from "../../common/toasts.js";
import { badge } from "../controls.js";
import { ChatPanel } from "./chat-panel.js";
import { t } from "../../common/texts.js";

export class Chatting {
  #client;
  #side;
  #announcer;
  #attempt;
  #panel;
  #unread = new Set(); // messages

  /**
   * @param {{client: import("../../client/roomcast-client.js").RoomcastClient,
   *          side: import("../panels/side-panel.js").SidePanel,
   *          announcer: import("../../common/announcer.js").Announcer,
   *          attempt: (action: () => Promise) => Promise<boolean>}} parts attempt reports failures
   */
  constructor({ client, side, announcer, attempt }) {
    this.#client = client;
    this.#side = side;
    this.#announcer = announcer;
    this.#attempt = attempt;
    this.#panel = new ChatPanel({
      onSend: (text, audience, replyTo) =>
        attempt(() => client.sendMessage(text, audience, replyTo)),
      onDelete: (message) => this.#delete(message),
    });
    client.addEventListener("message", ({ detail }) => this.#got(detail));
    client.addEventListener("deleted", ({ detail }) => this.#deleted(detail.ids));
  }

  /** Sets the role's permissions. */
  allow({ broadcast, removeOthers }) {
    const mayWrite = broadcast !== false;
    this.#panel.allow({ mayWrite, mayDeleteAll: mayWrite && Boolean(removeOthers) });
  }

  /** The panel is in view. */
  seen() {
    this.#panel.focus();
    this.#unread.clear();
    this.#count();
  }

  showAudiences(roles, people) {
    this.#panel.showAudiences(roles, people);
  }

  writeTo(person) {
    this.#panel.writeTo(person);
  }

  #got(message) {
    if (!this.#panel.add(message) || message.isMine) return;
    if (this.#side.current === "chat") return; // the list tells it
    this.#unread.add(message.id);
    this.#count();
    const { name, mark } = message;
    if (mark) toast(t("{name} wrote {mark}", { name, mark }));
    else this.#announcer.say(`${message.name}: ${message.text}`, "messages");
  }

  #deleted(ids) {
    for (const id of ids) this.#unread.delete(id);
    this.#count();
    const count = this.#panel.remove(ids);
    if (count > 0) this.#announcer.say(t("A message was deleted"), "deletions");
  }

  async #delete({ id, name, isMine }) {
    const isSure = await ask({
      title: isMine ? t("Delete your message?") : t("Delete the message of {name}?", { name }),
      text: t("It disappears for everybody, and from a recording that is running."),
      confirm: t("Delete"),
      refuse: t("Cancel"),
      isDanger: true,
    });
    if (isSure) await this.#attempt(() => this.#client.deleteMessage(id));
  }

  #count() {
    const count = this.#unread.size;
    badge("open-chat", count, count > 0 ? t("Chat, {count} unread", { count }) : t("Chat"));
  }
}
