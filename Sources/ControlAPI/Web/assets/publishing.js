// What is published: the camera, the microphone and a shared screen, as far as the role allows it.

const screenWanted = { video: { frameRate: { ideal: 15 } }, audio: true };

export class Publishing {
  #client;
  #media;
  #onChange;
  #attempt;
  #publications = new Map(); // "audio", "video", "screen", "screen-audio" → publication
  #screen = null; // MediaStream while sharing
  #work = Promise.resolve();

  /**
   * @param {{client: import("./roomcast-client.js").RoomcastClient,
   *          media: import("./local-media.js").LocalMedia, onChange: () => void,
   *          attempt: (action: () => Promise<void>) => Promise<boolean>}} parts
   *   onChange: the screen is shared, or no longer; attempt: reports what did not work
   */
  constructor({ client, media, onChange, attempt }) {
    this.#client = client;
    this.#media = media;
    this.#onChange = onChange;
    this.#attempt = attempt;
  }

  /** The picture of the shared screen, or null. */
  get screen() {
    return this.#screen?.getVideoTracks()[0] ?? null;
  }

  /** Resolves when all that is being published, or taken back, is so. */
  get settled() {
    return this.#work;
  }

  /** @returns {"audio"|"video"|"screen"|null} what a track of ours is, by its id on the wire */
  kindOf(trackID) {
    const found = [...this.#publications].find(([, { id }]) => id === trackID);
    return found ? found[0].replace("screen-audio", "screen") : null;
  }

  /** Whether there is something of this kind that could be heard or seen again. */
  has(kind) {
    return this.#publications.has(kind);
  }

  /** Brings what is published in line with the role and the devices, as soon as we are in the room. */
  sync() {
    this.#work = this.#work.then(() => this.#attempt(() => this.#publishWhatIsAllowed()));
    return this.#work;
  }

  async startScreen() {
    try {
      this.#screen = await navigator.mediaDevices.getDisplayMedia(screenWanted);
    } catch (error) {
      // Closing the browser's own dialogue is an answer, not a fault.
      if (error.name !== "NotAllowedError") await this.#attempt(() => Promise.reject(error));
      return;
    }
    this.screen.contentHint = "detail";
    this.screen.addEventListener("ended", () => this.stopScreen());
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

  async #publishWhatIsAllowed() {
    if (this.#client.state !== "joined") return;
    const media = this.#media;
    const { allowed, video, simulcast } = this.#client.role.publishParams;
    const isAllowed = (kind) => allowed.includes(kind);
    // A device that is wanted and has not answered yet is neither heard nor seen.
    await this.#syncOne("audio", isAllowed("audio"), media.microphone, media.stream, {
      isMuted: !media.isMicrophoneOn || !media.microphone,
    });
    await this.#syncOne("video", isAllowed("video"), media.camera, media.stream, {
      isMuted: !media.isCameraOn || !media.camera,
      maximumBitrate: video?.bitRate ? video.bitRate * 1000 : undefined,
      layers: simulcast?.video?.layers ?? [],
    });
    const screen = isAllowed("screen") ? this.#screen : null;
    const options = { source: "screen" };
    const [picture, sound] = [screen?.getVideoTracks()[0], screen?.getAudioTracks()[0]];
    await this.#syncOne("screen", Boolean(picture), picture, screen, options);
    await this.#syncOne("screen-audio", Boolean(sound), sound, screen, options);
  }

  async #syncOne(slot, isWanted, track, stream, options) {
    const publication = this.#publications.get(slot);
    if (!publication) {
      if (!isWanted || !track) return;
      this.#publications.set(slot, await this.#client.publish(track, stream, options));
      return;
    }
    if (!isWanted) {
      this.#publications.delete(slot);
      await this.#client.unpublish(publication);
      return;
    }
    if (publication.media !== track) await this.#client.replaceMedia(publication, track ?? null);
    const isMuted = options.isMuted ?? false;
    if (publication.isMuted !== isMuted) this.#client.setMuted(publication, isMuted);
  }
}
