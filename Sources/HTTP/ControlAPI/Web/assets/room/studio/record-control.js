// What is recorded, in words, and what can be done about it: the recording of the stream, which ends
// with it, and one of the room are different things.

import { element, setText } from "../../common/dom.js";
import { recordWords } from "./studio-words.js";
import { Wait } from "./wait.js";

export class RecordControl {
  node;
  #words = element("p", { role: "status", "data-testid": "studio-record-state" });
  #room;
  #pause;
  #wait = new Wait(() => this.#draw());
  #state = { stream: "none", room: "none", mayRecordRoom: false, mayPause: false };
  #isBusy = false; // with the pause

  /**
   * @param {{onRoom: () => void, onPause: (isPaused: boolean) => Promise<boolean>}} rules onRoom:
   *   begins or ends the room's recording
   */
  constructor({ onRoom, onPause }) {
    this.#room = element("button", { class: "button", type: "button", onclick: () => onRoom(),
      "data-testid": "studio-record" });
    this.#pause = element("button", { class: "button", type: "button", "data-testid": "studio-pause",
      onclick: async () => {
        if (this.#isBusy) return;
        this.#isBusy = true;
        this.#draw();
        await onPause(this.#state.stream !== "paused");
        this.#isBusy = false;
        this.#draw();
      } });
    this.node = element("div", { class: "studio-record" }, this.#words,
      element("div", { class: "studio-actions" }, this.#pause, this.#room));
  }

  /**
   * @param {{stream: string, room: string, mayRecordRoom: boolean, mayPause: boolean}} state as in
   *   `recordWords`
   */
  show(state) {
    this.#state = state;
    this.#draw();
  }

  #draw() {
    const { stream, room, mayRecordRoom, mayPause } = this.#state;
    const roomWaited = this.#wait.in(room, room === "starting" || room === "ending");
    setText(this.#words, recordWords({ stream, room, roomWaited }));
    this.#pause.hidden = !mayPause;
    setText(this.#pause, stream === "paused" ? "Resume recording" : "Pause recording");
    this.#pause.setAttribute("aria-disabled", String(this.#isBusy));
    this.#room.hidden = !mayRecordRoom;
    const isOn = ["starting", "recording", "paused"].includes(room);
    const too = ["recording", "paused"].includes(stream) ? "Record the room as well" : "Record this room";
    setText(this.#room, room === "ending" ? "Ending …" : isOn ? "End the room’s recording" : too);
    this.#room.setAttribute("aria-disabled", String(room === "ending"));
  }
}
