// The sound of the room: an audio element for each remote track, on the output that was chosen.

export class RoomSound {
  outputName = ""; // of what was chosen in the browser's own list
  #elements = new Map();
  #onBlocked;
  #outputID = "";

  /** @param {(isBlocked: boolean) => void} onBlocked the browser wants a click before it plays */
  constructor(onBlocked) {
    this.#onBlocked = onBlocked;
  }

  /** Whether this browser lets pages choose. */
  static get canChooseOutput() {
    return "setSinkId" in HTMLMediaElement.prototype;
  }

  /** Whether the browser has a list of its own, and tells pages only what was chosen in it. */
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
      if (this.#outputID) audio.setSinkId(this.#outputID).catch(() => {}); // it was taken out
      this.#start(audio);
    }
  }

  /** After a click of the user, when sound may start. */
  resume() {
    this.#onBlocked(false);
    for (const audio of this.#elements.values()) this.#start(audio);
  }

  /** @throws where the device is not there or not allowed */
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
