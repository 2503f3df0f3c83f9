// The qualities in which a client wishes to see the tracks it receives. They go over the data
// channel of the subscribe connection, and the server confirms each.

import { randomIdentifier } from "./identifier.js";

// Chromium loses what a page sends while a channel that the server opened is announced to it: the
// page may know of the channel before the browser's own threads let it send.
const patience = 2000; // ms until an unconfirmed wish is sent again

export class Preferences {
  #channel = null;
  #unconfirmed = new Map(); // by track
  #timer = null;

  /** The channel that the server has opened. */
  use(channel) {
    this.#channel = channel;
    channel.addEventListener("open", () => this.#sendAll());
    channel.addEventListener("message", ({ data }) => this.#confirm(data));
    this.#sendAll();
  }

  /** Asks for a quality: "none", "low", "medium" or "high". */
  ask(trackID, layer) {
    const id = randomIdentifier();
    const text = JSON.stringify({
      id,
      jsonrpc: "2.0",
      method: "prefer-video-track-state",
      params: { track_id: trackID, max_spatial_layer: layer },
    });
    const wish = { id, text, wasSent: false };
    this.#unconfirmed.set(trackID, wish);
    this.#send(wish);
  }

  forget(trackID) {
    this.#unconfirmed.delete(trackID);
  }

  close() {
    clearTimeout(this.#timer);
    this.#unconfirmed.clear();
  }

  #sendAll() {
    for (const wish of this.#unconfirmed.values()) if (!wish.wasSent) this.#send(wish);
  }

  #send(wish) {
    if (this.#channel?.readyState !== "open") return;
    wish.wasSent = true;
    this.#channel.send(wish.text);
    this.#timer ??= setTimeout(() => this.#repeat(), patience);
  }

  #repeat() {
    this.#timer = null;
    for (const wish of this.#unconfirmed.values()) this.#send(wish);
  }

  /** An error is an answer too. */
  #confirm(text) {
    if (this.#unconfirmed.size === 0) return;
    let id;
    try {
      ({ id } = JSON.parse(text));
    } catch {
      return; // not for this client
    }
    for (const [trackID, wish] of this.#unconfirmed)
      if (wish.id === id) this.#unconfirmed.delete(trackID);
  }
}
