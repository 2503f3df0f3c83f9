// The camera and the microphone of this page. Switching the camera off gives the device back, so
// its light goes out; a muted microphone stays open and sends silence.

const pictureWanted = {
  width: { ideal: 1280 },
  height: { ideal: 720 },
  frameRate: { ideal: 30, max: 30 },
};
const soundWanted = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** Emits `change` whenever a track, its state or the list of devices is another. */
export class LocalMedia extends EventTarget {
  stream = new MediaStream();
  isCameraOn = true;
  isMicrophoneOn = true;
  problem = "";
  #cameraID = "";
  #microphoneID = "";

  get isAvailable() {
    return Boolean(navigator.mediaDevices?.getUserMedia);
  }

  get camera() {
    return this.stream.getVideoTracks()[0] ?? null;
  }

  get microphone() {
    return this.stream.getAudioTracks()[0] ?? null;
  }

  /** The camera in use, or the one to be used. */
  get cameraID() {
    return this.camera?.getSettings().deviceId || this.#cameraID;
  }

  get microphoneID() {
    return this.microphone?.getSettings().deviceId || this.#microphoneID;
  }

  /** Asks for both devices; what one lacks or refuses does not cost the other. */
  async start() {
    if (!this.isAvailable) {
      this.isCameraOn = false;
      this.isMicrophoneOn = false;
      this.#failed("Camera and microphone need a secure page: HTTPS, or this machine itself.");
      return;
    }
    try {
      this.#adopt(await this.#ask({ video: true, audio: true }));
    } catch {
      await this.setCamera(true);
      await this.setMicrophone(true);
    }
    this.#changed();
  }

  async setCamera(isOn) {
    this.isCameraOn = isOn;
    if (!isOn) this.#drop(this.camera);
    else if (!this.camera) await this.#askOne("video", "camera");
    this.#changed();
  }

  async setMicrophone(isOn) {
    this.isMicrophoneOn = isOn;
    if (isOn && !this.microphone) await this.#askOne("audio", "microphone");
    if (this.microphone) this.microphone.enabled = isOn;
    this.#changed();
  }

  async chooseCamera(deviceID) {
    this.#cameraID = deviceID;
    if (!this.isCameraOn) return;
    this.#drop(this.camera);
    await this.setCamera(true);
  }

  async chooseMicrophone(deviceID) {
    this.#microphoneID = deviceID;
    if (!this.microphone) return;
    const isOn = this.isMicrophoneOn;
    this.#drop(this.microphone);
    await this.setMicrophone(true);
    if (!isOn) await this.setMicrophone(false);
  }

  /** Gives the devices back that a role has no use for; they stay off until they are wanted. */
  release({ camera, microphone }) {
    const isChanged = (camera && this.isCameraOn) || (microphone && this.isMicrophoneOn);
    if (camera) this.#drop(this.camera);
    if (microphone) this.#drop(this.microphone);
    if (camera) this.isCameraOn = false;
    if (microphone) this.isMicrophoneOn = false;
    if (isChanged) this.#changed();
  }

  /** @param {"videoinput"|"audioinput"|"audiooutput"} kind */
  async devices(kind) {
    if (!this.isAvailable) return [];
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter((device) => device.kind === kind && device.deviceId);
  }

  stop() {
    for (const track of this.stream.getTracks()) this.#drop(track);
  }

  #ask({ video, audio }) {
    const exactly = (id) => (id ? { deviceId: { exact: id } } : {});
    return navigator.mediaDevices.getUserMedia({
      video: video && { ...pictureWanted, ...exactly(this.#cameraID) },
      audio: audio && { ...soundWanted, ...exactly(this.#microphoneID) },
    });
  }

  async #askOne(kind, word) {
    try {
      this.#adopt(await this.#ask({ video: kind === "video", audio: kind === "audio" }));
    } catch (error) {
      if (kind === "video") this.isCameraOn = false;
      else this.isMicrophoneOn = false;
      this.#failed(explanation(error, word));
    }
  }

  #adopt(stream) {
    this.problem = "";
    for (const track of stream.getTracks()) {
      this.stream.addTrack(track);
      track.addEventListener("ended", () => this.#lost(track));
      if (track.kind === "audio") track.enabled = this.isMicrophoneOn;
    }
  }

  /** The device was unplugged, or the permission withdrawn. */
  #lost(track) {
    if (!this.stream.getTracks().includes(track)) return;
    this.#drop(track);
    if (track.kind === "video") this.isCameraOn = false;
    else this.isMicrophoneOn = false;
    this.#changed();
  }

  #drop(track) {
    if (!track) return;
    this.stream.removeTrack(track);
    track.stop();
  }

  #failed(text) {
    this.problem = text;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function explanation(error, word) {
  switch (error.name) {
    case "NotAllowedError":
      return `This page may not use your ${word}. Allow it in the browser to be seen and heard.`;
    case "NotFoundError":
    case "OverconstrainedError":
      return `No ${word} was found.`;
    case "NotReadableError":
      return `Your ${word} is in use by another program.`;
    default:
      return `Your ${word} did not start: ${error.message}`;
  }
}
