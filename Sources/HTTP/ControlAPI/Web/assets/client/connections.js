// The two PeerConnections of a 100ms client: the client offers what it publishes on one, the server
// offers what the client subscribes to on the other. Both carry a data channel named `ion-sfu`.

import { Preferences } from "./preferences.js";
import { Queue } from "./queue.js";
import { mediaIdentifiers, withRepairedSound, withSoundWishes,
  withStereoAsOffered } from "./sdp.js";

const channelLabel = "ion-sfu";

/** The common part: candidates wait, on either side, until the other end can use them. */
class Connection {
  #pendingRemote = [];
  #pendingLocal = [];
  #maySend = false;
  queue = new Queue(); // a PeerConnection has one negotiation at a time

  constructor(configuration, { onCandidate, onState }) {
    this.pc = new RTCPeerConnection(configuration);
    this.pc.addEventListener("icecandidate", ({ candidate }) => {
      if (!candidate || !candidate.candidate) return;
      if (this.#maySend) onCandidate(candidate.toJSON());
      else this.#pendingLocal.push(candidate.toJSON());
    });
    this.pc.addEventListener("connectionstatechange", () => onState(this.pc.connectionState));
    this.onCandidate = onCandidate;
  }

  /** From now on the server knows of this connection, so candidates can be sent. */
  releaseCandidates() {
    this.#maySend = true;
    for (const candidate of this.#pendingLocal.splice(0)) this.onCandidate(candidate);
  }

  async addCandidate(candidate) {
    if (!this.pc.remoteDescription) {
      this.#pendingRemote.push(candidate);
      return;
    }
    // Candidates of an earlier generation, or unresolvable ones, are ignored.
    await this.pc.addIceCandidate(candidate).catch(() => {});
  }

  async setRemote(description) {
    await this.pc.setRemoteDescription(description);
    for (const candidate of this.#pendingRemote.splice(0)) await this.addCandidate(candidate);
  }

  close() {
    this.pc.close();
  }
}

export class PublishConnection extends Connection {
  /** Live publications, in the order they were added. */
  publications = [];

  constructor(configuration, handlers) {
    super(configuration, handlers);
    this.channel = this.pc.createDataChannel(channelLabel, { protocol: "SCTP" });
  }

  /**
   * Adds a track; the next `negotiate` tells the server.
   * @param {{source: string, isMuted: boolean, maximumBitrate?: number, layers?: object[]}} options
   *   bitrate in bit/s; layers as a role's policy has them, bitrates in kbit/s
   */
  add(track, stream, { source, isMuted, maximumBitrate, layers = [] }) {
    const encoding = maximumBitrate ? { maxBitrate: maximumBitrate } : {};
    const simulcast = layers.map(({ rid, scaleResolutionDownBy, maxBitrate, maxFramerate }) => ({
      rid,
      ...(scaleResolutionDownBy ? { scaleResolutionDownBy } : {}),
      ...(maxBitrate ? { maxBitrate: maxBitrate * 1000 } : {}),
      ...(maxFramerate ? { maxFramerate } : {}),
    }));
    const transceiver = this.pc.addTransceiver(track, {
      direction: "sendonly",
      streams: [stream],
      sendEncodings: simulcast.length > 1 ? simulcast : [encoding],
    });
    const publication = { transceiver, kind: track.kind, source, isMuted, id: null };
    this.publications.push(publication);
    return publication;
  }

  remove(publication) {
    this.publications = this.publications.filter((other) => other !== publication);
    publication.transceiver.stop(); // or its section would stay in every offer
  }

  /** The mids of the sections with the sound of shared screens. */
  get #screenSounds() {
    const are = this.publications.filter(({ kind, source }) => kind === "audio"
      && source === "screen");
    return new Set(are.map(({ transceiver }) => transceiver.mid));
  }

  /**
   * One offer and its answer.
   * @param {(offer: object, tracks: object) => Promise<{sdp: string}>} exchange
   */
  negotiate(exchange, { iceRestart = false } = {}) {
    return this.queue.run(async () => {
      await this.pc.setLocalDescription(await this.pc.createOffer({ iceRestart }));
      try {
        const { type, sdp: offer } = this.pc.localDescription;
        const wished = withRepairedSound(withSoundWishes(offer, this.#screenSounds));
        const { sdp } = await exchange({ type, sdp: wished }, this.describe());
        await this.setRemote({ type: "answer", sdp });
      } catch (error) {
        // Back to the last agreed state, so that the next offer can succeed.
        if (this.pc.signalingState === "have-local-offer") {
          await this.pc.setLocalDescription({ type: "rollback" }).catch(() => {});
        }
        throw error;
      }
    });
  }

  /** The publications as the protocol's track objects, by track id. */
  describe() {
    const identifiers = mediaIdentifiers(this.pc.localDescription?.sdp ?? "");
    const tracks = {};
    for (const publication of this.publications) {
      const named = identifiers.get(publication.transceiver.mid);
      if (!named) continue;
      publication.id = named.trackID;
      tracks[named.trackID] = {
        track_id: named.trackID,
        stream_id: named.streamID,
        type: publication.kind,
        source: publication.source,
        description: "",
        mute: publication.isMuted,
      };
    }
    return tracks;
  }
}

export class SubscribeConnection extends Connection {
  #received = new Map();
  #onTrack;
  #onTrackEnd;
  #preferences = new Preferences();

  constructor(configuration, handlers) {
    super(configuration, handlers);
    this.#onTrack = handlers.onTrack;
    this.#onTrackEnd = handlers.onTrackEnd;
    this.pc.addEventListener("datachannel", ({ channel }) => {
      if (channel.label !== channelLabel) return;
      this.#preferences.use(channel);
      channel.addEventListener("message", ({ data }) => handlers.onChannelMessage(data));
    });
  }

  /** Takes the server's offer and passes the answer to `reply`, then reports changed tracks. */
  accept(offer, reply) {
    return this.queue.run(async () => {
      await this.setRemote({ type: "offer", sdp: offer.sdp });
      const { type, sdp } = await this.pc.createAnswer();
      await this.pc.setLocalDescription({ type, sdp: withStereoAsOffered(sdp, offer.sdp) });
      reply(this.pc.localDescription.toJSON());
      this.releaseCandidates();
      this.#compare(mediaIdentifiers(offer.sdp));
    });
  }

  /** Requests a picture quality: "none", "low", "medium" or "high". */
  prefer(trackID, layer) {
    this.#preferences.ask(trackID, layer);
  }

  close() {
    this.#preferences.close();
    super.close();
  }

  #compare(identifiers) {
    const current = new Map();
    for (const transceiver of this.pc.getTransceivers()) {
      const named = identifiers.get(transceiver.mid);
      const receives = ["recvonly", "sendrecv"].includes(transceiver.currentDirection);
      if (named && receives) current.set(named.trackID, transceiver.receiver.track);
    }
    const previous = this.#received;
    this.#received = current;
    for (const [id, track] of previous) {
      if (current.get(id) === track) continue;
      this.#preferences.forget(id);
      this.#onTrackEnd(id);
    }
    for (const [id, track] of current) if (previous.get(id) !== track) this.#onTrack(id, track);
  }
}
