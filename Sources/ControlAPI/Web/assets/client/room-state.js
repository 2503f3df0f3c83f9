// What the server says about the room, as the page wants to read it. Pure: messages in, facts out.

const notStreaming = { state: "none", url: "", startedAt: 0, error: "", variants: [] };

/**
 * The one streaming state of a room with any number of variants: the most advanced one counts.
 * @param {{enabled?: boolean, variants?: object[], error?: {message: string}}} hls
 */
function streamingFrom(hls) {
  const variants = hls?.variants ?? [];
  if (variants.length === 0 && !hls?.error) return notStreaming;
  const order = ["started", "initialised", "failed", "stopped", "none"];
  const rank = (variant) => order.indexOf(variant.state ?? "none");
  const best = [...variants].sort((a, b) => rank(a) - rank(b))[0] ?? { state: "failed" };
  return {
    state: best.state ?? "none",
    url: best.state === "started" ? (best.url ?? "") : "",
    startedAt: best.started_at ?? 0,
    error: best.error?.message ?? hls?.error?.message ?? "",
    variants,
  };
}

/**
 * The peers of a room, their tracks' descriptions and the streaming state, kept by the server's
 * notifications. The local peer is not among the peers.
 */
export class RoomState {
  peers = new Map();
  streaming = notStreaming;
  name = "";
  #localID;

  constructor(localID) {
    this.#localID = localID;
  }

  /**
   * Takes one notification.
   * @returns {[string, object][]} what changed, as the client's events; empty for others' methods
   */
  take(method, params) {
    switch (method) {
      case "peer-list":
        this.#replace(params.peers ?? {});
        this.#takeRoom(params.room);
        return [["streaming", this.streaming], ["peers", {}]];
      case "room-state":
        this.#takeRoom(params.room);
        return [["streaming", this.streaming]];
      case "on-hls-update":
        this.streaming = streamingFrom(params);
        return [["streaming", this.streaming]];
      case "on-peer-join":
      case "on-peer-update":
        return this.#takePeer(params);
      case "on-peer-leave":
        return this.#takeLeave(params);
      case "on-track-add":
      case "on-track-update":
        return this.#takeTracks(params, (peer, track) => putTrack(peer, track));
      case "on-track-remove":
        // May come after its peer has left; that must not bring the peer back.
        if (!this.peers.has(params.peer?.peer_id)) return [];
        return this.#takeTracks(params, (peer, track) => peer.tracks.delete(track.track_id));
      default:
        return [];
    }
  }

  /** A whole list comes at the join, and again after every reconnect. */
  #replace(peers) {
    for (const id of this.peers.keys()) if (!(id in peers)) this.peers.delete(id);
    for (const [id, peer] of Object.entries(peers)) {
      if (id === this.#localID) continue;
      this.peers.get(id)?.tracks.clear();
      this.#upsert({ ...peer, peer_id: id });
    }
  }

  #takeRoom(room) {
    if (room?.name) this.name = room.name;
    if (room?.streaming) this.streaming = streamingFrom(room.streaming.hls);
  }

  #takePeer(params) {
    if (params.peer_id === this.#localID) return [];
    // In a large room who only watches is in nobody's list: it has not left.
    if (params.realtime === false) return this.peers.delete(params.peer_id) ? [["peers", {}]] : [];
    const isNew = !this.peers.has(params.peer_id);
    const peer = this.#upsert(params);
    const changed = [["peers", {}]];
    return isNew ? [["presence", { peer, isHere: true }], ...changed] : changed;
  }

  #takeLeave({ peer_id: id }) {
    const peer = this.peers.get(id);
    if (!peer) return [];
    this.peers.delete(id);
    return [["presence", { peer, isHere: false }], ["peers", {}]];
  }

  #takeTracks({ tracks = {}, peer: params }, change) {
    if (!params || params.peer_id === this.#localID) return [];
    const peer = this.#upsert(params);
    for (const track of Object.values(tracks)) change(peer, track);
    return [["peers", {}]];
  }

  #upsert({ peer_id: id, role, joined_at: joinedAt, info = {}, tracks = {} }) {
    const known = this.peers.get(id);
    const peer = known ?? { id, name: "", role: "", joinedAt: 0, tracks: new Map() };
    peer.name = info.name ?? peer.name;
    peer.role = role ?? peer.role;
    peer.joinedAt = joinedAt ?? peer.joinedAt;
    for (const track of Object.values(tracks)) putTrack(peer, track);
    this.peers.set(id, peer);
    return peer;
  }
}

function putTrack(peer, track) {
  peer.tracks.set(track.track_id, {
    id: track.track_id,
    kind: track.type,
    source: track.source ?? "regular",
    isMuted: Boolean(track.mute),
  });
}
