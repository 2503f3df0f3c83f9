// Reactions: a bar of a few, and what others send, over the sender's tile.

import { reactions } from "../../client/reactions.js";
import { byID, element } from "../../common/dom.js";

const interval = 400; // ms between one's own
const node = { button: byID("react"), bar: byID("reactions") };

export class Reacting {
  #client;
  #onShow;
  #announcer;
  #attempt;
  #last = -interval;

  /**
   * @param {{client: import("../../client/roomcast-client.js").RoomcastClient,
   *          announcer: import("../../common/announcer.js").Announcer,
   *          onShow: (peerID: string, emoji: string, name: string) => void,
   *          attempt: (action: () => Promise) => Promise<boolean>}} parts
   */
  constructor({ client, announcer, onShow, attempt }) {
    this.#client = client;
    this.#announcer = announcer;
    this.#onShow = onShow;
    this.#attempt = attempt;
    node.bar.append(...reactions.map((reaction) => this.#button(reaction)));
    node.button.addEventListener("click", () => this.toggle());
    node.bar.addEventListener("keydown", (event) => this.#pressed(event));
    addEventListener("pointerdown", ({ target }) => {
      if (!node.bar.contains(target) && !node.button.contains(target)) this.#close();
    });
    client.addEventListener("reaction", ({ detail }) => this.#got(detail));
    this.#close();
  }

  allow({ broadcast }) {
    node.button.hidden = broadcast === false;
    if (node.button.hidden) this.#close();
  }

  toggle() {
    if (!node.bar.hidden) return this.#close();
    if (node.button.hidden) return;
    node.bar.hidden = false;
    node.button.setAttribute("aria-expanded", "true");
    node.bar.querySelector("button").focus();
  }

  #close() {
    const hadFocus = node.bar.contains(document.activeElement);
    node.bar.hidden = true;
    node.button.setAttribute("aria-expanded", "false");
    if (!hadFocus) return;
    // On a phone the button is in a menu.
    const isShown = node.button.getClientRects().length > 0;
    (isShown ? node.button : byID("more-controls")).focus();
  }

  #button(reaction) {
    const { emoji, words } = reaction;
    return element("button", { class: "reaction", type: "button", title: words, "aria-label": words,
      "data-testid": "reaction", onclick: () => this.#send(reaction) }, emoji);
  }

  /** Too many in a row are left out, here and in the server. */
  #send(reaction) {
    const now = performance.now();
    if (now - this.#last < interval) return;
    this.#last = now;
    this.#attempt(() => this.#client.react(reaction));
  }

  #got({ emoji, words, name, peerID, isMine }) {
    this.#onShow(peerID, emoji, name);
    if (!isMine) this.#announcer.say(`${name}: ${words}`, "reactions");
  }

  #pressed(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      return this.#close();
    }
    const buttons = [...node.bar.children];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = buttons.indexOf(document.activeElement);
    buttons.at((index + step) % buttons.length).focus();
  }
}
