// A client of the 100ms signalling protocol, in Roomcast's dialect. It is independent of the page,
// which calls its methods and listens to its events.
//
//   idle ──connect──► connected ──join──► joined ◄──► reconnecting
//                         └───────leave, a fault───────► left (final)
//
// Events (all `CustomEvent`s):
//   state      {state, reason}          the diagram above
//   path       {isBroken}               media does not get through, or does again
//   role       {name, permissions, publishParams, known}  known: the names of all roles
//   peers      {}                       a peer joined, left, or changed; read `room`
//   media      {}                       media of a remote track came or went; read `mediaOf`
//   presence   {peer, isHere}           a peer joined or left while we were in the room
//   hand       {peer, isRaised}         a peer's hand, or ours, went up or down
//   peer-role  {peer}                   a peer, or we, have another role
//   message    {id, name, text, at, isMine, mark, peerID, replyTo, audience}  at: Date; mark: its
//                                       audience, or ""; replyTo: an id or null; audience: of an
//                                       answer
//   deleted    {ids}                    these messages, and perhaps others before, are deleted
//   reaction   {id, emoji, words, name, peerID, isMine}
//   streaming  {state, url, startedAt, error}
//   recording  {browser, hls}           each {state, startedAt, error}
//   quality    {}                       how well peers receive; read `quality` of peers
//   speakers   {levels: Map<peerID, 0…100>}
//   role-offer    {requestedBy, role, token}  accept it by `moderation.acceptRole`, or ignore it
//   mute-request  {requestedBy, isMuted, trackID} or {requestedBy, isMuted, kind, source}
//   poll-started, poll-stopped  a poll of `pollBook`; its details must be requested
//   polls      {}                       answers were counted; read `pollBook`
//   fault      {message, code}          an action failed; the room goes on

import { Airing } from "./airing.js";
import { PublishConnection, SubscribeConnection } from "./connections.js";
import { randomIdentifier } from "./identifier.js";
import { initialise, socketURL } from "./initialise.js";
import { MediaPath } from "./media-path.js";
import { deletedKey, everybody, markOf, messagesFrom, outgoing } from "./messages.js";
import { dismissalText, Moderation, requestsFrom, rolesInOrder } from "./moderation.js";
import { PollBook } from "./poll-book.js";
import { Polls } from "./polls.js";
import { outgoingReaction } from "./reactions.js";
import { RoomState } from "./room-state.js";
import { SignalError, SignalSocket } from "./signal.js";
import { t } from "../common/texts.js";

const reconnectInterval = 1000; // ms
const policyTimeout = 10000; // ms
const iceGrace = 5000; // ms of "disconnected" before the connection is restarted
const iceInterval = 10000; // ms until a refused restart is tried again
const placeLost = 410; // a restarted server's answer to a client that it does not know
const Target = { publish: 0, subscribe: 1 };

export class RoomcastClient extends EventTarget {
  peerID = randomIdentifier();
  state = "idle";
  role = null;
  room = new RoomState(this.peerID); // read-only
  moderation = new Moderation((method, params) => this.#signal.call(method, params));
  airing = new Airing((method, params) => this.#signal.call(method, params));
  polls = new Polls((method, params) => this.#signal.call(method, params));
  pollBook = new PollBook(); // read-only

  #media = new Map(); // track id → MediaStreamTrack
  #layers = new Map(); // track id → the requested quality
  #signal = null;
  #publish = null;
  #subscribe = null;
  #settings = null; // the answer of /init
  #joined = null; // the join's parameters, once joined
  #earlier = []; // publications of a lost connection, until they are on the next one
  #owesHand = false; // the hand was raised when the server forgot us
  #policy = null; // resolves when a socket's first on-policy-change arrives
  #iceTimer = null;
  #path = new MediaPath((isBroken) => this.#emit("path", { isBroken }));

  /** @param {{origin: string, token: string}} options origin: the server of `/init` */
  constructor({ origin, token }) {
    super();
    this.origin = origin;
    this.token = token;
  }

  /** The media of a remote track, or null while there is none. */
  mediaOf(trackID) {
    return this.#media.get(trackID) ?? null;
  }

  /** One's own name, as others see it. */
  get name() {
    return this.room.local.name || this.#joined?.name || "";
  }

  /** Whether the socket is lost, or has begun to close, of which `state` does not know yet. */
  get isCutOff() {
    return !this.#signal?.isOpen;
  }

  // MARK: Coming and going

  /** Connects to the server and learns the role. @throws {SignalError} */
  async connect() {
    await this.#openSignal();
    this.#become("connected");
  }

  /** Enters the room. @throws {SignalError} */
  async join({ name, metadata = "" }) {
    this.#joined = { name, metadata };
    try {
      await this.#enter();
      // Lost right after the answer: the caller of `join` gets the error, and there is no
      // reconnect.
      if (this.state !== "connected") throw new SignalError(1003, t("The connection was lost."));
    } catch (error) {
      this.#joined = null;
      this.#closeConnections();
      throw error;
    }
    this.#become("joined");
  }

  leave(reason = "user request") {
    if (this.state === "left") return;
    this.#signal?.notify("leave", { client_reason: reason });
    this.#end("");
  }

  // MARK: Actions of a participant

  /**
   * Publishes a local track.
   * @param {{source?: "regular"|"screen", isMuted?: boolean, maximumBitrate?: number}} options
   * @returns a handle for `unpublish`, `setMuted` and `replaceMedia`
   */
  async publish(track, stream, options = {}) {
    const { source = "regular", isMuted = false, maximumBitrate } = options;
    const layers = this.#mayLayer ? options.layers : [];
    const publication = this.#publish.add(track, stream, {
      source,
      isMuted,
      maximumBitrate,
      layers,
    });
    publication.layers = layers;
    publication.media = track;
    publication.stream = stream;
    publication.maximumBitrate = maximumBitrate;
    try {
      await this.#offer();
    } catch (error) {
      this.#publish?.remove(publication); // the next offer must not include it again
      throw error;
    }
    return publication;
  }

  async unpublish(publication) {
    if (!this.#publish) return;
    this.#publish.remove(publication);
    await this.#offer();
  }

  /** Reports a track as muted or not; the caller changes the media itself. */
  setMuted(publication, isMuted) {
    publication.isMuted = isMuted;
    const track = this.#publish?.describe()[publication.id];
    if (track) this.#signal.notify("track-update", { tracks: { [publication.id]: track } });
  }

  /** Sends another track (or none) in place of the present one, without negotiation. */
  async replaceMedia(publication, track) {
    publication.media = track;
    await publication.transceiver.sender.replaceTrack(track);
  }

  /**
   * Requests a remote camera or screen, whose media is here, in the size in which it is shown.
   * @param {"none"|"low"|"medium"|"high"} layer none: not shown at all
   */
  preferLayer(trackID, layer) {
    if (!this.#media.has(trackID) || this.#layers.get(trackID) === layer) return;
    this.#layers.set(trackID, layer);
    this.#subscribe.prefer(trackID, layer);
  }

  /** Changes one's own name. */
  rename(name) {
    return this.#signal.call("peer-update", { name });
  }

  /**
   * @param {import("./messages.js").Audience} audience
   * @param {string|null} replyTo the id of the message that it answers
   */
  async sendMessage(text, audience = everybody, replyTo = null) {
    const result = await this.#signal.call("broadcast", outgoing(text, audience, replyTo));
    const at = new Date(result.timestamp ?? Date.now());
    const mine = { id: result.message_id, name: this.name, text, at, isMine: true, replyTo };
    this.#emit("message", { ...mine, peerID: this.peerID, mark: markOf(audience), audience });
  }

  /** Deletes a message for all: one's own, or with the right to remove others anybody's. */
  async deleteMessage(id) {
    await this.#signal.call("set-metadata", { key: deletedKey, data: [id] });
    this.#emit("deleted", { ids: [id] });
  }

  /** @param {{id: string, emoji: string, words: string}} reaction see reactions.js */
  async react(reaction) {
    await this.#signal.call("broadcast", outgoingReaction(reaction.id, this.peerID));
    this.#emit("reaction", { ...reaction, name: this.name, peerID: this.peerID, isMine: true });
  }

  // MARK: Signalling

  async #openSignal() {
    const { origin, token, peerID } = this;
    this.#settings = await initialise({ origin, token, peerID });
    if (this.state === "left") throw new SignalError(1000, t("The room was left."));
    const url = socketURL(this.#settings.endpoint, { token, peerID });

    const policy = new Promise((resolve, reject) => {
      this.#policy = resolve;
      const late = () => reject(new SignalError(1003, t("The server sent no policy.")));
      setTimeout(late, policyTimeout);
    });
    policy.catch(() => {}); // handled below, once the socket is open
    const signal = new SignalSocket({
      onNotification: (method, params) => this.#notified(method, params),
      onClose: (event) => this.#lostSignal(signal, event),
    });
    this.#signal = signal;
    await signal.open(url);
    try {
      await policy;
    } catch (error) {
      signal.close();
      throw error;
    }
  }

  /** Whether the server accepts a camera in several layers. */
  get #mayLayer() {
    return this.#settings?.config?.enabledFlags?.includes("simulcast") ?? false;
  }

  async #enter() {
    this.#openConnections();
    const exchange = (offer) =>
      this.#signal.call("join", {
        name: this.name,
        data: this.#joined.metadata,
        disableVidAutoSub: true,
        server_sub_degrade: false,
        simulcast: this.#mayLayer,
        onDemandTracks: false,
        offer,
      });
    await this.#publish.negotiate(exchange);
    this.#publish.releaseCandidates();
    // It lasts as long as our place in the room.
    this.#signal.call("listen-metadata-change", { keys: [deletedKey] }).catch(() => {});
  }

  #offer(options) {
    return this.#publish.negotiate(
      (desc, tracks) => this.#signal.call("offer", { desc, tracks }),
      options,
    );
  }

  #notified(method, params) {
    for (const [type, detail] of [
      ...this.room.take(method, params),
      ...requestsFrom(method, params),
      ...messagesFrom(method, params),
      ...this.pollBook.take(method, params),
    ]) this.#emit(type, detail);
    switch (method) {
      case "on-policy-change": return this.#takePolicy(params);
      case "on-peer-leave-request":
        return this.#end(dismissalText(params, {
          ownID: this.peerID, nameOf: (peerID) => this.room.peers.get(peerID)?.name ?? "" }));
      case "on-error": return this.#failed(params);
      case "on-warning": return this.#fault(params);
      case "offer": return this.#takeOffer(params);
      case "trickle": return this.#takeCandidate(params);
      case "active-speakers": return this.#takeSpeakers(params);
    }
  }

  #failed({ code, message = t("The server ended the session.") }) {
    // It has forgotten us, and our offer gets the same answer: we enter again.
    if (this.state === "reconnecting" && code === placeLost) return;
    this.#end(t(message));
  }

  #takePolicy(policy) {
    this.role = {
      permissions: {},
      publishParams: { allowed: [] },
      ...policy.known_roles?.[policy.name],
      name: policy.name,
      known: rolesInOrder(policy.known_roles ?? {}),
    };
    this.#policy?.();
    this.#emit("role", this.role);
  }

  async #takeOffer(offer) {
    const subscribe = this.#subscribe;
    if (!subscribe) return;
    try {
      await subscribe.accept(offer, (desc) => this.#signal.notify("answer", { desc }));
    } catch (error) {
      if (subscribe !== this.#subscribe) return; // closed meanwhile, which is no fault
      const reason = error.message;
      this.#fault({ code: 4002,
        message: t("The server's media offer failed: {reason}", { reason }) });
    }
  }

  #takeCandidate({ target, candidate }) {
    const connection = target === Target.publish ? this.#publish : this.#subscribe;
    if (candidate) connection?.addCandidate(candidate);
  }

  #takeSpeakers({ "speaker-list": list = [] }) {
    this.#emit("speakers", { levels: new Map(list.map((one) => [one.peer_id, one.level])) });
  }

  // MARK: Connections

  #openConnections() {
    this.#closeConnections();
    const servers = this.#settings.rtcConfiguration?.ice_servers ?? [];
    const configuration = { iceServers: servers, bundlePolicy: "max-bundle" };
    const trickle = (target) => (candidate) =>
      this.#signal.notify("trickle", { target, candidate });
    this.#publish = new PublishConnection(configuration, {
      onCandidate: trickle(Target.publish),
      onState: (state) => {
        this.#path.take("publish", state);
        this.#publishState(state);
      },
    });
    this.#subscribe = new SubscribeConnection(configuration, {
      onCandidate: trickle(Target.subscribe),
      onState: (state) => this.#path.take("subscribe", state),
      onTrack: (id, track) => this.#gotMedia(id, track),
      onTrackEnd: (id) => {
        this.#media.delete(id);
        this.#layers.delete(id);
        this.#emit("media");
      },
      onChannelMessage: (text) => this.#channelMessage(text),
    });
  }

  #closeConnections() {
    clearTimeout(this.#iceTimer);
    this.#path.forget();
    this.#publish?.close();
    this.#subscribe?.close();
    this.#publish = null;
    this.#subscribe = null;
    this.#media.clear();
    this.#layers.clear();
  }

  #gotMedia(id, track) {
    this.#media.set(id, track);
    this.#emit("media");
  }

  #channelMessage(text) {
    try {
      const { method, params } = JSON.parse(text);
      if (method) this.#notified(method, params ?? {});
    } catch {
      // Not for this client.
    }
  }

  /** The client restarts ICE of the publishing connection; the server restarts the other one. */
  #publishState(state) {
    clearTimeout(this.#iceTimer);
    if (state !== "disconnected" && state !== "failed") return;
    this.#restartIn(state === "failed" ? 0 : iceGrace);
  }

  /** The result arrives as a new state, unless the server refused the offer. */
  #restartIn(wait) {
    clearTimeout(this.#iceTimer);
    this.#iceTimer = setTimeout(async () => {
      if (this.state !== "joined") return; // the reconnect restarts it
      const publish = this.#publish;
      try {
        await this.#offer({ iceRestart: true });
      } catch {
        // `path` reports it, so each attempt is not reported too.
        const isSame = publish === this.#publish && this.state === "joined";
        if (isSame && publish.pc.connectionState !== "connected") this.#restartIn(iceInterval);
      }
    }, wait);
  }

  // MARK: Reconnecting

  async #lostSignal(signal, { reason }) {
    if (signal !== this.#signal || this.state === "left" || this.state === "idle") return;
    if (this.state === "reconnecting") return;
    if (!this.#joined) return this.#end(reason);
    this.#become("reconnecting", reason);
    const seconds = this.room.reconnectionSeconds;
    const deadline = performance.now() + 1000 * seconds;
    while (performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, reconnectInterval));
      if (this.state !== "reconnecting") return;
      try {
        await this.#openSignal();
        await this.#resume();
        if (!this.#signal.isOpen) continue;
        this.#raiseHandAgain();
        return this.#become("joined");
      } catch (error) {
        if (this.state !== "reconnecting") return;
        this.#signal?.close();
        if (error instanceof SignalError && error.isFinal) return this.#end(error.message);
      }
    }
    this.#end(t("The connection was lost, and {seconds} s of trying did not bring it back.",
      { seconds }));
  }

  /** Resumes where the old socket broke off, or enters again if the server has forgotten us. */
  async #resume() {
    const { connectionState, remoteDescription } = this.#publish.pc;
    // The last join was not answered. Chromium makes no new offer after a rollback.
    if (!remoteDescription) return this.#enterAgain();
    const isConnected = connectionState === "connected";
    try {
      await this.#offer({ iceRestart: !isConnected });
      this.#signal.notify("track-update", { tracks: this.#publish.describe() });
    } catch (error) {
      if (!(error instanceof SignalError) || error.isTransient) throw error;
      await this.#enterAgain();
    }
  }

  async #enterAgain() {
    this.#owesHand ||= this.room.local.handRaisedAs > 0; // the new list of peers has no hands
    this.#earlier.push(...this.#publish.publications);
    await this.#enter();
    if (this.#earlier.length === 0) return;
    for (const publication of this.#earlier.splice(0)) {
      const { media, stream, source, isMuted, maximumBitrate, layers } = publication;
      const options = { source, isMuted, maximumBitrate, layers };
      // The page keeps its handle, so the handle moves to the new connection.
      const fresh = this.#publish.add(media ?? publication.kind, stream, options);
      Object.assign(publication, { transceiver: fresh.transceiver, id: null });
      this.#publish.publications.splice(-1, 1, publication);
    }
    await this.#offer();
  }

  async #raiseHandAgain() {
    if (!this.#owesHand) return;
    try {
      await this.moderation.raiseHand();
    } catch (error) {
      if (!this.#signal.isOpen) return; // on the next socket
      this.#fault(error);
    }
    this.#owesHand = false;
  }

  // MARK: Telling

  #end(reason) {
    if (this.state === "left") return;
    this.#become("left", reason);
    this.#signal?.close(1000, "Normal Close");
    this.#closeConnections();
  }

  #become(state, reason = "") {
    this.state = state;
    this.#emit("state", { state, reason });
  }

  #fault({ code = 0, message = t("Something went wrong.") }) {
    this.#emit("fault", { code, message: t(message) });
  }

  #emit(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
