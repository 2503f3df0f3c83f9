// Chat and people, in one panel with two tabs.

import { byID, element, hueOf, initials, reconcile } from "./dom.js";
import { icon } from "./icons.js";

const messagesMaximum = 500; // the oldest leave the page first
const names = ["chat", "people"];

export class SidePanel {
  #onSend;
  #onUnread;
  #unread = 0;
  #messages = byID("messages");

  /**
   * @param {(text: string) => Promise<void>} onSend
   * @param {(count: number) => void} onUnread messages that came while the chat was not in view
   */
  constructor({ onSend, onUnread }) {
    this.#onSend = onSend;
    this.#onUnread = onUnread;
    for (const name of names) {
      const tab = byID(`tab-${name}`);
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.#moved(event, name));
    }
    byID("side-close").addEventListener("click", () => this.close());
    byID("composer").addEventListener("submit", (event) => this.#submitted(event));
  }

  get isOpen() {
    return !byID("side").hidden;
  }

  /** @returns {"chat"|"people"|null} what is in view */
  get current() {
    if (!this.isOpen) return null;
    return byID("panel-chat").hidden ? "people" : "chat";
  }

  open(name) {
    byID("side").hidden = false;
    for (const other of names) {
      const isSelected = other === name;
      byID(`panel-${other}`).hidden = !isSelected;
      byID(`tab-${other}`).setAttribute("aria-selected", String(isSelected));
      byID(`tab-${other}`).tabIndex = isSelected ? 0 : -1;
    }
    if (name === "chat") {
      this.#count(0);
      this.#messages.scrollTop = this.#messages.scrollHeight;
    }
    this.onChange?.();
  }

  close() {
    byID("side").hidden = true;
    this.onChange?.();
  }

  toggle(name) {
    if (this.current === name) this.close();
    else {
      this.open(name);
      if (name === "chat") byID("message").focus();
    }
  }

  addMessage({ name, text, at, isMine }) {
    const list = this.#messages;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    list.append(
      element(
        "li",
        { class: "message", "data-testid": "chat-message" },
        element(
          "div",
          { class: "message-head" },
          element("b", {}, isMine ? `${name} (you)` : name),
          element("time", { class: "quiet", datetime: at.toISOString() }, time),
        ),
        element("div", { class: "message-text" }, text),
      ),
    );
    while (list.children.length > messagesMaximum) list.firstElementChild.remove();
    if (isAtEnd || isMine) list.scrollTop = list.scrollHeight;
    if (!isMine && this.current !== "chat") this.#count(this.#unread + 1);
  }

  /** @param {{id: string, name: string, role: string, isLocal: boolean, isSilent: boolean,
   *           isDark: boolean}[]} people */
  showPeople(people) {
    byID("tab-people").textContent = `People (${people.length})`;
    reconcile(byID("people"), people, {
      key: (person) => person.id,
      create: createPerson,
      update: updatePerson,
    });
  }

  #count(count) {
    this.#unread = count;
    this.#onUnread(count);
  }

  async #submitted(event) {
    event.preventDefault();
    const field = byID("message");
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    // A message that was not taken is given back, unless another was begun meanwhile.
    const isSent = await this.#onSend(text);
    if (!isSent && !field.value) field.value = text;
  }

  #moved(event, name) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = names.find((one) => one !== name);
    this.open(other);
    byID(`tab-${other}`).focus();
  }
}

function createPerson(person) {
  return element(
    "li",
    { class: "person", "data-testid": "person", "data-peer": person.id },
    element("span", { class: "face", "aria-hidden": "true" }),
    element("div", { class: "person-text" }, element("b"), element("span")),
    element("span", { class: "person-marks" }),
  );
}

function updatePerson(node, person) {
  node.style.setProperty("--hue", hueOf(person.id));
  node.querySelector(".face").textContent = initials(person.name);
  node.querySelector("b").textContent = person.isLocal ? `${person.name} (you)` : person.name;
  node.querySelector(".person-text span").textContent = person.role;
  const marks = [];
  if (person.isSilent) marks.push(marked("microphoneOff", "Microphone off"));
  if (person.isDark) marks.push(marked("cameraOff", "Camera off"));
  node.querySelector(".person-marks").replaceChildren(...marks);
}

function marked(name, text) {
  return element("span", { role: "img", "aria-label": text, title: text }, icon(name));
}
