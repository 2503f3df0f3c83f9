// The sound of the room: an audio element for each remote track, on the chosen output.

export class RoomSound {
  outputName = ""; // of the choice in the browser's own list
  #elements = new Map();
  #onBlocked;
  #outputID = "";

  /** @param {(isBlocked: boolean) => void} onBlocked the browser needs a click before it plays */
  constructor(onBlocked) {
    this.#onBlocked = onBlocked;
  }

  /** Whether this browser lets pages choose the output. */
  static get canChooseOutput() {
    return "setSinkId" in HTMLMediaElement.prototype;
  }

  /** Whether the browser has its own list, and tells pages only the choice. */
  static get isOutputAskedFor() {
    return "selectAudioOutput" in (navigator.mediaDevices ?? {});
  }

  get outputID() {
    return this.#outputID;
  }

  /** @param {Map<string, MediaStreamTrack>} tracks */
  play(tracks) {
    for (const [id, audio] of this.#elements) {
      if (tracks.get(id) === audio.srcObject.getAudioTracks()[0]) continue;
      audio.srcObject = null;
      this.#elements.delete(id);
    }
    for (const [id, track] of tracks) {
      if (this.#elements.has(id)) continue;
      const audio = new Audio();
      audio.srcObject = new MediaStream([track]);
      this.#elements.set(id, audio);
      if (this.#outputID) audio.setSinkId(this.#outputID).catch(() => {}); // the device was removed
      this.#start(audio);
    }
  }

  /** Call it after a click, when sound may start. */
  resume() {
    this.#onBlocked(false);
    for (const audio of this.#elements.values()) this.#start(audio);
  }

  /** @throws if the device is missing or not allowed */
  async chooseOutput(deviceID) {
    await Promise.all([...this.#elements.values()].map((audio) => audio.setSinkId(deviceID)));
    this.#outputID = deviceID;
  }

  /** @throws as `chooseOutput` */
  async askForOutput() {
    try {
      const { deviceId, label } = await navigator.mediaDevices.selectAudioOutput();
      await this.chooseOutput(deviceId);
      this.outputName = label;
    } catch (error) {
      // Closing the browser's own list is an answer, not a fault.
      if (error.name !== "NotAllowedError") throw error;
    }
  }

  #start(audio) {
    audio.play().catch((error) => {
      if (error.name === "NotAllowedError") this.#onBlocked(true);
    });
  }
}
