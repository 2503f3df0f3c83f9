// The state of the room, in the page's form. Pure: messages in, facts out.

import { imageNamedIn } from "./peer-image.js";
import {
  notRecording, notStreaming, pushesFrom, recordingFrom, streamingFrom,
} from "./on-air-state.js";

/** The group that says "I have raised my hand", as 100ms' clients name it. */
export const handRaise = "_handraise";

const standardReconnection = 60; // s

/**
 * The peers of a room, their tracks' descriptions, their hands and how well they receive, and the
 * stream and recording, updated by the server's notifications. The local peer is not among the
 * peers.
 */
export class RoomState {
  peers = new Map();
  streaming = notStreaming;
  recording = { browser: notRecording, hls: notRecording };
  pushes = [];
  name = "";
  defaultImage = null; // the address of an image for peers that name none
  reconnectionSeconds = standardReconnection; // for which the server keeps a lost peer
  #local;
  #count = 0; // of peers, from the server
  #isLarge = false; // the server lists only some of the peers
  #handCount = 0; // hands raised so far

  constructor(localID) {
    this.#local = blankPeer(localID);
  }

  /** Our own peer as others see it. */
  get local() {
    return this.#local;
  }

  /** The others in the order of joining. */
  get others() {
    return [...this.peers.values()].sort((a, b) => a.joinedAt - b.joinedAt);
  }

  /** The number of people including ourselves; more than the listed ones in a large room. */
  get count() {
    const listed = this.peers.size + 1;
    return this.#isLarge ? Math.max(this.#count, listed) : listed;
  }

  /** Peers with raised hands, in the order of raising. */
  get hands() {
    const all = [this.#local, ...this.peers.values()].filter((peer) => peer.handRaisedAs > 0);
    return all.sort((a, b) => a.handRaisedAs - b.handRaisedAs || a.joinedAt - b.joinedAt);
  }

  /**
   * Takes one notification.
   * @returns {[string, object][]} the changes, as the client's events; empty for other methods
   */
  take(method, params) {
    switch (method) {
      case "peer-list":
        this.#replace(params.peers ?? {});
        this.#takeRoom(params.room);
        return [...this.#onAir(), ["peers", {}]];
      case "room-state":
        this.#takeRoom(params.room);
        return this.#onAir();
      case "room-info":
        this.#isLarge = Boolean(params.large_room_optimization);
        this.defaultImage = params.default_image ?? null;
        this.reconnectionSeconds = params.reconnection_seconds ?? standardReconnection;
        return [["peers", {}]];
      case "session-info":
        this.#count = params.peer_count ?? 0;
        return [["peers", {}]];
      case "on-hls-update":
        this.streaming = streamingFrom(params);
        return [["streaming", this.streaming]];
      case "on-rtmp-update":
        this.pushes = pushesFrom(params);
        return [["pushes", this.pushes]];
      case "on-record-update":
        return this.#takeRecording(params);
      case "on-peer-join":
      case "on-peer-update":
        // In a large room a peer that only watches is not listed, but has not left.
        if (params.realtime !== false) return this.#takePeer(params);
        return this.peers.delete(params.peer_id) ? [["peers", {}]] : [];
      case "on-peer-leave":
        return this.#takeLeave(params);
      case "on-track-add":
      case "on-track-update":
        return this.#takeTracks(params, (peer, track) => putTrack(peer, track));
      case "on-track-remove":
        // May come after its peer has left; that must not bring the peer back.
        if (!this.peers.has(params.peer?.peer_id)) return [];
        return this.#takeTracks(params, (peer, track) => peer.tracks.delete(track.track_id));
      case "on-connection-quality-update":
        return this.#takeQuality(params);
      default:
        return [];
    }
  }

  /** A whole list comes when joining, and again after every reconnect. */
  #replace(peers) {
    for (const id of this.peers.keys()) if (!(id in peers)) this.peers.delete(id);
    const inOrder = Object.entries(peers).sort(
      ([, a], [, b]) => (a.joined_at ?? 0) - (b.joined_at ?? 0),
    );
    for (const [id, peer] of inOrder) {
      this.peers.get(id)?.tracks.clear();
      this.#upsert({ ...peer, peer_id: id });
    }
  }

  #onAir() {
    return [
      ["streaming", this.streaming], ["recording", this.recording], ["pushes", this.pushes],
    ];
  }

  #takeRoom(room) {
    if (room?.name) this.name = room.name;
    if (room?.streaming) {
      this.streaming = streamingFrom(room.streaming.hls);
      this.pushes = pushesFrom(room.streaming.rtmp);
    }
    if (!room?.recording) return;
    const { browser, hls } = room.recording;
    this.recording = { browser: recordingFrom(browser), hls: recordingFrom(hls) };
  }

  #takeRecording(params) {
    const kind = { Browser: "browser", HLS: "hls" }[params.type];
    if (!kind) return [];
    this.recording = { ...this.recording, [kind]: recordingFrom(params) };
    return [["recording", this.recording]];
  }

  #takePeer(params) {
    const { peer_id: id } = params;
    const isNew = id !== this.#local.id && !this.peers.has(id);
    const peer = this.peers.get(id) ?? this.#local;
    const wasRaised = !isNew && peer.handRaisedAs > 0;
    const roleBefore = isNew ? null : peer.role;
    const taken = this.#upsert(params);
    const events = isNew ? [["presence", { peer: taken, isHere: true }]] : [];
    const isRaised = taken.handRaisedAs > 0;
    if (isRaised !== wasRaised) events.push(["hand", { peer: taken, isRaised }]);
    if (roleBefore && roleBefore !== taken.role) events.push(["peer-role", { peer: taken }]);
    return [...events, ["peers", {}]];
  }

  #takeLeave({ peer_id: id }) {
    const peer = this.peers.get(id);
    if (!peer) return [];
    this.peers.delete(id);
    return [["presence", { peer, isHere: false }], ["peers", {}]];
  }

  #takeTracks({ tracks = {}, peer: params }, change) {
    if (!params || params.peer_id === this.#local.id) return [];
    const peer = this.#upsert(params);
    for (const track of Object.values(tracks)) change(peer, track);
    return [["peers", {}]];
  }

  /** Missing peers keep their score, as it has not changed. */
  #takeQuality({ peers = [] }) {
    for (const { peer_id: id, downlink_score: score } of peers) {
      const peer = id === this.#local.id ? this.#local : this.peers.get(id);
      if (peer && Number.isFinite(score)) peer.quality = Math.min(5, Math.max(0, score));
    }
    return [["quality", {}]];
  }

  #upsert({ peer_id: id, role, groups, joined_at: joinedAt, info = {}, tracks = {} }) {
    const isLocal = id === this.#local.id;
    const peer = isLocal ? this.#local : (this.peers.get(id) ?? blankPeer(id));
    peer.name = info.name ?? peer.name;
    peer.role = role ?? peer.role;
    if (info.data !== undefined) peer.image = imageNamedIn(info.data);
    peer.joinedAt = joinedAt ?? peer.joinedAt;
    if (groups) this.#takeGroups(peer, groups);
    if (isLocal) return peer; // the page knows its own tracks better
    for (const track of Object.values(tracks)) putTrack(peer, track);
    this.peers.set(id, peer);
    return peer;
  }

  /** The wire has no time for a raised hand, so the order is that of the notifications. */
  #takeGroups(peer, groups) {
    if (!groups.includes(handRaise)) peer.handRaisedAs = 0;
    else if (peer.handRaisedAs === 0) peer.handRaisedAs = ++this.#handCount;
  }
}

function blankPeer(id) {
  return {
    id,
    name: "",
    role: "",
    joinedAt: 0,
    image: null, // the address of one that its metadata name
    handRaisedAs: 0, // the hand's number in the order of raising; 0 while it is down
    quality: null, // 0 (nothing arrives) to 5; null while unknown
    tracks: new Map(),
  };
}

function putTrack(peer, track) {
  peer.tracks.set(track.track_id, {
    id: track.track_id,
    streamID: track.stream_id ?? "",
    kind: track.type,
    source: track.source ?? "regular",
    isMuted: Boolean(track.mute),
  });
}
