// JSON-RPC over one WebSocket, in the form of the 100ms client protocol: calls have an id and are
// answered, notifications have none. A socket that has been silent for too long counts as closed.

import { randomIdentifier } from "./identifier.js";
import { t } from "../common/texts.js";

const pingInterval = 3000; // ms
const silenceMaximum = 12000; // ms without any frame before the socket is abandoned
const callTimeout = 15000; // ms
const openTimeout = 10000; // ms

/** An error from the server, or of the transport itself (codes below 2000). */
export class SignalError extends Error {
  constructor(code, message, method = "") {
    super(message);
    this.name = "SignalError";
    this.code = code;
    this.method = method;
  }

  /** Whether a retry may succeed. */
  get isTransient() {
    return this.code === 1003 || this.code === 429 || (this.code >= 500 && this.code < 600);
  }

  /**
   * Whether the server will never accept us: an invalid token, role or room (or one of 100ms'
   * five-digit numbers), or a room that has ended.
   */
  get isFinal() {
    return [400, 401, 403, 410].includes(this.code) || (this.code >= 40000 && this.code < 42000);
  }
}

export class SignalSocket {
  #socket = null;
  #calls = new Map();
  #timer = null;
  #lastFrame = 0;
  #isDone = false;
  #onNotification;
  #onClose;

  /**
   * @param {{onNotification: (method: string, params: object) => void,
   *          onClose: (event: {code: number, reason: string}) => void}} handlers
   *   `onClose` is called once, and not for a socket closed by `close()` or never opened.
   */
  constructor({ onNotification, onClose }) {
    this.#onNotification = onNotification;
    this.#onClose = onClose;
  }

  /** @returns {Promise<void>} resolves when frames can be sent */
  open(url) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      this.#socket = socket;
      const timer = setTimeout(() => {
        this.#isDone = true;
        socket.close();
        reject(new SignalError(1000, t("The server did not open the connection in time.")));
      }, openTimeout);
      socket.addEventListener("open", () => {
        clearTimeout(timer);
        this.#lastFrame = performance.now();
        this.#timer = setInterval(() => this.#beat(), pingInterval);
        this.#beat();
        resolve();
      });
      socket.addEventListener("message", (event) => this.#received(event.data));
      socket.addEventListener("close", (event) => {
        clearTimeout(timer);
        const reason = t(event.reason) || t("The connection was closed.");
        reject(new SignalError(1000, t("The server could not be reached.")));
        this.#finish(event.code, reason);
      });
    });
  }

  get isOpen() {
    return !this.#isDone && this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Sends a call and waits for its answer. @throws {SignalError} */
  call(method, params = {}) {
    if (!this.isOpen) {
      return Promise.reject(new SignalError(1003, t("The connection is down."), method));
    }
    const id = randomIdentifier();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#calls.delete(id);
        reject(new SignalError(1003, t("The server did not answer in time."), method));
      }, callTimeout);
      this.#calls.set(id, { method, resolve, reject, timer });
      this.#socket.send(JSON.stringify({ method, params, id, jsonrpc: "2.0" }));
    });
  }

  /** Sends a notification; while the connection is down it is lost, as the protocol defines. */
  notify(method, params = {}) {
    if (this.isOpen) this.#socket.send(JSON.stringify({ method, params }));
  }

  close(code = 1000, reason = "") {
    this.#isDone = true;
    this.#release(code, reason);
    this.#socket?.close(code, reason);
  }

  /** Abandons the socket as lost, so that the owner opens another. */
  abandon(reason) {
    this.#socket.close();
    this.#finish(1006, reason);
  }

  #beat() {
    if (performance.now() - this.#lastFrame > silenceMaximum) {
      this.abandon(t("The server went silent."));
      return;
    }
    // Any frame proves the connection, so the answer itself does not matter.
    this.call("ping", { timestamp: Date.now() }).catch(() => {});
  }

  #received(text) {
    this.#lastFrame = performance.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message.id && this.#calls.has(message.id)) {
      const { method, resolve, reject, timer } = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      clearTimeout(timer);
      if (message.result) resolve(message.result);
      else {
        const { code = 500, message: text = t("The server refused.") } = message.error ?? {};
        reject(new SignalError(code, t(text), method));
      }
    } else if (message.method && !message.id) {
      this.#onNotification(message.method, message.params ?? {});
    }
  }

  #finish(code, reason) {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#release(code, reason);
    this.#onClose({ code, reason });
  }

  #release(code, reason) {
    clearInterval(this.#timer);
    for (const { method, reject, timer } of this.#calls.values()) {
      clearTimeout(timer);
      reject(new SignalError(1003, reason || `closed with ${code}`, method));
    }
    this.#calls.clear();
  }
}
