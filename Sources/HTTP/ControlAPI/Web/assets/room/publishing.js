// Publishes the camera, the microphone and a shared screen, as far as the role allows it.

import { unlessCutOff } from "../client/cut-off.js";
import { Queue } from "../client/queue.js";
import { t } from "../common/texts.js";

// The recorder does not decode larger pictures.
const pictureWanted = { frameRate: { ideal: 15 }, width: { max: 3840 }, height: { max: 2160 } };
const screenWanted = { video: pictureWanted, audio: true };
const refusedBySystem =
  t("The system does not let this browser show the screen. Allow it in the system's settings.");

export class Publishing {
  #client;
  #media;
  #onChange;
  #attempt;
  #publications = new Map(); // "audio", "video", "screen", "screen-audio" → publication
  #encodings = new Map(); // the same → its encoding, as text
  #screen = null; // MediaStream while sharing
  #isChoosing = false; // in the browser's own dialog
  #work = new Queue();

  /**
   * @param {{client: import("../client/roomcast-client.js").RoomcastClient,
   *          media: import("./devices/local-media.js").LocalMedia, onChange: () => void,
   *          attempt: (action: () => Promise<void>) => Promise<boolean>}} parts
   *   onChange: sharing has started or ended; attempt: reports failures
   */
  constructor({ client, media, onChange, attempt }) {
    this.#client = client;
    this.#media = media;
    this.#onChange = onChange;
    this.#attempt = attempt;
  }

  /** The video track of the shared screen, or null. */
  get screen() {
    return this.#screen?.getVideoTracks()[0] ?? null;
  }

  /** Resolves when all pending publications and removals are done. */
  get settled() {
    return this.#work.run(() => {});
  }

  /** @returns {"audio"|"video"|"screen"|null} the kind of our own track with this id on the wire */
  kindOf(trackID) {
    const found = [...this.#publications].find(([, { id }]) => id === trackID);
    return found ? found[0].replace("screen-audio", "screen") : null;
  }

  /** Whether there is a publication of this kind that could be unmuted. */
  has(kind) {
    return this.#publications.has(kind);
  }

  /** Brings the publications in line with the role and the devices, once we are in the room. */
  sync() {
    const publish = () => unlessCutOff(this.#client, () => this.#publishWhatIsAllowed());
    return this.#work.run(() => this.#attempt(publish));
  }

  async startScreen() {
    if (this.#isChoosing) return;
    this.#isChoosing = true;
    let stream;
    try {
      stream = await navigator.mediaDevices.getDisplayMedia(screenWanted);
    } catch (error) {
      const isRefused = error.name === "NotAllowedError";
      const isBySystem = isRefused && error.message.includes("by system");
      // Closing the browser's own dialog is an answer, not a fault.
      if (isRefused && !isBySystem) return;
      const fault = isBySystem ? new Error(refusedBySystem) : error;
      await this.#attempt(() => Promise.reject(fault));
      return;
    } finally {
      this.#isChoosing = false;
    }
    // The role may have changed in the meantime.
    if (!this.#mayShare) {
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    this.#screen = stream;
    this.screen.contentHint = "detail";
    this.screen.addEventListener("ended", () => {
      if (this.#screen === stream) this.stopScreen();
    });
    this.#onChange();
    this.sync();
  }

  stopScreen() {
    if (!this.#screen) return;
    for (const track of this.#screen.getTracks()) track.stop();
    this.#screen = null;
    this.#onChange();
    this.sync();
  }

  get #mayShare() {
    const { state, role } = this.#client;
    return state !== "left" && role.publishParams.allowed.includes("screen") && !this.#screen;
  }

  async #publishWhatIsAllowed() {
    // Done when the client is back.
    if (this.#client.state !== "joined" || this.#client.isCutOff) return;
    const media = this.#media;
    const { allowed, video, screen: shared, simulcast } = this.#client.role.publishParams;
    const isAllowed = (kind) => allowed.includes(kind);
    // A device that is wanted but not open yet counts as muted.
    await this.#syncOne("audio", isAllowed("audio"), media.microphone, media.stream, {
      isMuted: !media.isMicrophoneOn || !media.microphone,
    });
    await this.#syncOne("video", isAllowed("video"), media.camera, media.stream, {
      isMuted: !media.isCameraOn || !media.camera,
      maximumBitrate: bitrateOf(video),
      layers: simulcast?.video?.layers ?? [],
    });
    const screen = isAllowed("screen") ? this.#screen : null;
    const source = "screen";
    const [picture, sound] = [screen?.getVideoTracks()[0], screen?.getAudioTracks()[0]];
    await this.#syncOne("screen", Boolean(picture), picture, screen, {
      source,
      maximumBitrate: bitrateOf(shared),
    });
    await this.#syncOne("screen-audio", Boolean(sound), sound, screen, { source });
  }

  async #syncOne(slot, isWanted, track, stream, options) {
    const encoding = JSON.stringify([options.maximumBitrate, options.layers]);
    const isOther = Boolean(track) && this.#encodings.get(slot) !== encoding;
    const earlier = this.#publications.get(slot);
    if (earlier && (!isWanted || isOther)) {
      this.#publications.delete(slot);
      await this.#client.unpublish(earlier);
    }
    const publication = this.#publications.get(slot);
    if (!publication) {
      if (!isWanted || !track) return;
      this.#publications.set(slot, await this.#client.publish(track, stream, options));
      this.#encodings.set(slot, encoding);
      return;
    }
    if (publication.media !== track) await this.#client.replaceMedia(publication, track ?? null);
    const isMuted = options.isMuted ?? false;
    if (publication.isMuted !== isMuted) this.#client.setMuted(publication, isMuted);
  }
}

/** In bit/s, from the role; undefined if it sets none. */
function bitrateOf(parameters) {
  return parameters?.bitRate ? parameters.bitRate * 1000 : undefined;
}
