// The server's side of the studio: reads the state of the room's stream from time to time, for all
// parts of the page, and changes it.

import { phaseOf, request } from "../../common/api.js";

const interval = 3000; // ms between two looks

export class StreamDesk {
  #client;
  #path;
  #room;
  #onFound;
  #timer = null;
  #isOn = false;
  #mayDirect = false;

  /**
   * @param {(found: object) => void} onFound gets each answer of `/api/rooms/<id>/stream`, with
   *   `phase` as of `phaseOf`, while the room is on air
   */
  constructor({ client, roomID, onFound }) {
    this.#client = client;
    this.#room = `/api/rooms/${encodeURIComponent(roomID)}`;
    this.#path = `${this.#room}/stream`;
    this.#onFound = onFound;
  }

  /** @param {boolean} mayDirect whether our role may stream: then the server tells more */
  allow(mayDirect) {
    this.#mayDirect = mayDirect;
  }

  /** @param {boolean} isOn whether the room is on air */
  watch(isOn) {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    clearTimeout(this.#timer);
    if (isOn) this.#look();
  }

  async #look() {
    // The room's own connection reports such faults.
    const found = await this.#ask("", { isOurs: this.#mayDirect }).catch(() => null);
    if (!this.#isOn) return;
    if (found) this.#found(found);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), interval);
  }

  /** @param {{layout?: object, audio?: {roles: string[]|null}}} wish */
  async change(wish) {
    this.#found(await this.#ask("", { method: "PATCH", body: JSON.stringify(wish),
      headers: { "Content-Type": "application/json" } }));
  }

  async pauseRecording(isPaused) {
    const action = isPaused ? "pause" : "resume";
    this.#found(await this.#ask(`/${action}-recording`, { method: "POST" }));
  }

  /** Of the room's own recording. All in the room are told of it. */
  async pauseRoom(isPaused) {
    const address = `${this.#room}/recording/${isPaused ? "pause" : "resume"}`;
    await request(`${address}${this.#peer}`, { method: "POST", headers: this.#ours });
  }

  /**
   * @param {Blob} picture of a type and a size that the server takes
   * @returns {Promise<{image: string}>} the picture's name in layouts
   */
  upload(picture) {
    return request(`${this.#room}/pictures${this.#peer}`, { method: "POST", body: picture,
      headers: { "Content-Type": picture.type, ...this.#ours } });
  }

  /**
   * @returns {Promise<{blob: Blob, age: number}|null>} age in ms; null while there is no picture
   */
  async preview() {
    const response = await fetch(this.#address("/preview"),
      { cache: "no-store", headers: this.#ours });
    if (response.status !== 200) return null;
    const age = Number(response.headers.get("X-Picture-Age"));
    return { blob: await response.blob(), age };
  }

  #found(found) {
    this.#onFound({ ...found, phase: phaseOf(found.state) });
  }

  #ask(path, { isOurs = true, headers = {}, ...options } = {}) {
    if (!isOurs) return request(this.#path + path);
    return request(this.#address(path), { ...options, headers: { ...headers, ...this.#ours } });
  }

  #address(path) {
    return `${this.#path}${path}${this.#peer}`;
  }

  get #peer() {
    return `?peer_id=${encodeURIComponent(this.#client.peerID)}`;
  }

  get #ours() {
    return { Authorization: `Bearer ${this.#client.token}` };
  }
}
