// What is recorded, in words, and what can be done about it: the recording of the stream, which
// ends with it, and one of the room are different things.

import { element, setText } from "../../common/dom.js";
import { recordWords } from "./studio-words.js";
import { Wait } from "./wait.js";
import { t } from "../../common/texts.js";

const alone = { pause: t("Pause recording"), resume: t("Resume recording") };
const ofStream = { pause: t("Pause the stream’s recording"),
  resume: t("Resume the stream’s recording") };
const ofRoom = { pause: t("Pause the room’s recording"),
  resume: t("Resume the room’s recording") };

export class RecordControl {
  node;
  #words = element("p", { role: "status", "data-testid": "studio-record-state" });
  #room;
  #pause;
  #pauseRoom;
  #wait = new Wait(() => this.#draw());
  #state = { stream: "none", room: "none", mayRecordRoom: false, mayPause: false };

  /**
   * @param {{onRoom: () => void, onPause: (isPaused: boolean) => Promise<boolean>,
   *   onPauseRoom: (isPaused: boolean) => Promise<boolean>}} rules onRoom: begins or ends the
   *   room's recording; the others pause and resume that of the stream, and of the room
   */
  constructor({ onRoom, onPause, onPauseRoom }) {
    this.#room = element("button", { class: "button", type: "button", onclick: () => onRoom(),
      "data-testid": "studio-record" });
    this.#pause = new PauseButton("studio-pause", onPause);
    this.#pauseRoom = new PauseButton("studio-pause-room", onPauseRoom);
    this.node = element("div", { class: "studio-record" }, this.#words,
      element("div", { class: "studio-actions" }, this.#pause.node, this.#pauseRoom.node,
        this.#room));
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
    const mayPauseRoom = mayRecordRoom && ["recording", "paused"].includes(room);
    // With both there, each says what it is for.
    const both = mayPause && mayPauseRoom;
    this.#pause.show({ isThere: mayPause, isPaused: stream === "paused",
      words: both ? ofStream : alone });
    this.#pauseRoom.show({ isThere: mayPauseRoom, isPaused: room === "paused",
      words: both ? ofRoom : alone });
    this.#room.hidden = !mayRecordRoom;
    const isOn = ["starting", "recording", "paused"].includes(room);
    const too = ["recording", "paused"].includes(stream)
      ? t("Record the room as well") : t("Record this room");
    const action = isOn ? t("End the room’s recording") : too;
    setText(this.#room, room === "ending" ? t("Ending …") : action);
    this.#room.setAttribute("aria-disabled", String(room === "ending"));
  }
}

/** Pauses a recording, or resumes it. */
class PauseButton {
  node;
  #isPaused = false;
  #isBusy = false;

  constructor(testID, onPress) {
    this.node = element("button",
      { class: "button", type: "button", hidden: true, "data-testid": testID,
      onclick: () => this.#press(onPress) });
  }

  async #press(onPress) {
    if (this.#isBusy) return;
    this.#isBusy = true; // it keeps the focus, which a disabled button would lose
    this.node.setAttribute("aria-disabled", "true");
    await onPress(!this.#isPaused);
    this.#isBusy = false;
    this.node.setAttribute("aria-disabled", "false");
  }

  show({ isThere, isPaused, words }) {
    this.#isPaused = isPaused;
    this.node.hidden = !isThere;
    setText(this.node, isPaused ? words.resume : words.pause);
  }
}
