// The camera and the microphone of this page. Turning the camera off releases the device, so its
// light goes out; a muted microphone stays open and sends silence.

import { Queue } from "../../client/queue.js";
import { improveSound, restoreBlur, soundWanted } from "./improvements.js";
import { t } from "../../common/texts.js";

// Whole sentences of each: other languages have different articles for them.
const words = {
  video: {
    missing: () => t("No camera was found."),
    refused: () => t("This page may not use your camera. Allow it in the browser."),
    busy: () => t("Your camera is in use by another program."),
    lost: () => t("Your camera was disconnected."),
    failed: (reason) => t("Your camera did not start: {reason}", { reason }),
  },
  audio: {
    missing: () => t("No microphone was found."),
    refused: () => t("This page may not use your microphone. Allow it in the browser."),
    busy: () => t("Your microphone is in use by another program."),
    lost: () => t("Your microphone was disconnected."),
    failed: (reason) => t("Your microphone did not start: {reason}", { reason }),
  },
};
const pictureWanted = {
  width: { ideal: 1280 },
  height: { ideal: 720 },
  frameRate: { ideal: 30, max: 30 },
};

/**
 * Emits `change` whenever a track, its state or the list of devices changes, and `problem` with a
 * text when a device does not work.
 *
 * Wishes take effect at once; browsers take their time, so devices are opened one after the other,
 * and a device that is no longer wanted when it opens is released.
 */
export class LocalMedia extends EventTarget {
  stream = new MediaStream();
  #video = deviceFor(words.video, () => pictureWanted);
  #audio = deviceFor(words.audio, soundWanted);
  #work = new Queue();

  constructor() {
    super();
    navigator.mediaDevices?.addEventListener("devicechange", () => this.#changed());
  }

  get isAvailable() {
    return Boolean(navigator.mediaDevices?.getUserMedia);
  }

  get isCameraOn() {
    return this.#video.isOn;
  }

  get isMicrophoneOn() {
    return this.#audio.isOn;
  }

  /** The problems with the devices; empty without any. */
  get problem() {
    const both = new Set([this.#video.problem, this.#audio.problem]);
    return [...both].filter(Boolean).join(" ");
  }

  get camera() {
    return this.#trackOf("video");
  }

  get microphone() {
    return this.#trackOf("audio");
  }

  /** The camera in use, or the one to use. */
  get cameraID() {
    return this.camera?.getSettings().deviceId || this.#video.id;
  }

  get microphoneID() {
    return this.microphone?.getSettings().deviceId || this.#audio.id;
  }

  /** Opens both devices; a failure of one does not affect the other. */
  start() {
    return this.#work.run(async () => {
      // With a single prompt if both exist.
      const both = this.isAvailable && (await this.#ask("video", "audio").catch(() => null));
      if (both) this.#adopt(both);
      await this.#open("video");
      await this.#open("audio");
    });
  }

  setCamera(isOn) {
    this.#wish("video", { isOn, isHeld: isOn });
    return this.#work.run(() => this.#open("video"));
  }

  setMicrophone(isOn) {
    this.#wish("audio", { isOn, isHeld: isOn || this.#audio.isHeld });
    return this.#work.run(() => this.#open("audio"));
  }

  chooseCamera(deviceID) {
    return this.#choose("video", deviceID);
  }

  chooseMicrophone(deviceID) {
    return this.#choose("audio", deviceID);
  }

  /** Turns one of improvements.js on or off; the microphone is opened again with it. */
  improveSound(name, isOn) {
    improveSound(name, isOn);
    return this.chooseMicrophone(this.microphoneID);
  }

  /** Releases the devices that a role does not use; they stay off until they are wanted. */
  release({ camera, microphone }) {
    if (camera && this.#video.isHeld) this.#wish("video", { isOn: false, isHeld: false });
    if (microphone && this.#audio.isHeld) this.#wish("audio", { isOn: false, isHeld: false });
  }

  /** @param {"videoinput"|"audioinput"|"audiooutput"} kind */
  async devices(kind) {
    if (!this.isAvailable) return [];
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter((device) => device.kind === kind && device.deviceId);
  }

  stop() {
    this.release({ camera: true, microphone: true });
  }

  #device(kind) {
    return kind === "video" ? this.#video : this.#audio;
  }

  #trackOf(kind) {
    return this.stream.getTracks().find((track) => track.kind === kind) ?? null;
  }

  /** @param {{isOn: boolean, isHeld: boolean}} wish see `deviceFor` */
  #wish(kind, wish) {
    const device = this.#device(kind);
    Object.assign(device, wish);
    if (wish.isOn) device.problem = ""; // another attempt follows
    const track = this.#trackOf(kind);
    if (!wish.isHeld) this.#drop(track);
    else if (track) track.enabled = wish.isOn;
    this.#changed();
  }

  #choose(kind, deviceID) {
    this.#device(kind).id = deviceID;
    return this.#work.run(() => {
      if (this.#device(kind).isHeld) this.#drop(this.#trackOf(kind)); // many machines open only one
      return this.#open(kind);
    });
  }

  #ask(...kinds) {
    const constraints = kinds.map((kind) => {
      const { wanted, id } = this.#device(kind);
      return [kind, id ? { ...wanted(), deviceId: { exact: id } } : wanted()];
    });
    return navigator.mediaDevices.getUserMedia(Object.fromEntries(constraints));
  }

  /** Opens a device that is wanted and not open. */
  async #open(kind) {
    const device = this.#device(kind);
    if (!device.isHeld || this.#trackOf(kind)) return;
    if (!this.isAvailable) {
      this.#failed(kind,
        t("Camera and microphone need a secure page: HTTPS, or this machine itself."));
      return;
    }
    const { id } = device;
    try {
      this.#adopt(await this.#ask(kind));
    } catch (error) {
      if (id && isMissing(error)) {
        // The device was removed; there may be another, or one has been chosen meanwhile.
        if (device.id === id) device.id = "";
        return this.#open(kind);
      }
      if (device.isHeld) this.#failed(kind, explanation(error, device.words));
    }
  }

  #adopt(stream) {
    for (const track of stream.getTracks()) {
      const { isOn, isHeld } = this.#device(track.kind);
      if (!isHeld) {
        track.stop();
        continue;
      }
      track.enabled = isOn;
      track.addEventListener("ended", () => this.#lost(track));
      this.stream.addTrack(track);
      if (track.kind === "video") restoreBlur(track);
    }
    this.#changed();
  }

  /** The device was unplugged, or the permission withdrawn. */
  #lost(track) {
    const { kind } = track;
    if (this.#trackOf(kind) === track) {
      this.#failed(kind, this.#device(kind).words.lost());
    }
  }

  #drop(track) {
    if (!track) return;
    this.stream.removeTrack(track);
    track.stop();
  }

  #failed(kind, text) {
    this.#device(kind).problem = text;
    this.#wish(kind, { isOn: false, isHeld: false });
    this.dispatchEvent(new CustomEvent("problem", { detail: text }));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * @param {() => object} wanted its constraints
 * @returns the state of a device: isHeld: it is open, or should be; id: "" for any
 */
function deviceFor(words, wanted) {
  return { words, wanted, isOn: true, isHeld: true, id: "", problem: "" };
}

function isMissing(error) {
  return ["NotFoundError", "OverconstrainedError"].includes(error.name);
}

function explanation(error, words) {
  if (isMissing(error)) return words.missing();
  switch (error.name) {
    case "NotAllowedError":
      return words.refused();
    case "NotReadableError":
      return words.busy();
    default:
      return words.failed(error.message);
  }
}
