// The room's tiles, sounds and people, from the state of the client and the devices.

/**
 * @param {{client: import("../client/roomcast-client.js").RoomcastClient,
 *          media: import("./devices/local-media.js").LocalMedia, screen: MediaStreamTrack|null,
 *          name: string, images: import("./stage/image-sources.js").ImageSources}} view
 *   screen: our own, where it is shared
 * @returns {import("./stage/stage.js").Tile[]} the others' in the order of joining, then ours
 */
export function tilesOf(view) {
  const hands = handsOf(view.client.room);
  return [...remoteTiles(view, hands), ...localTiles(view, hands)];
}

/** The sounds of all others, by track. @returns {Map<string, MediaStreamTrack>} */
export function soundsOf(client) {
  const tracks = new Map();
  for (const peer of client.room.others) {
    for (const track of peer.tracks.values()) {
      const media = client.mediaOf(track.id);
      if (track.kind === "audio" && media) tracks.set(track.id, media);
    }
  }
  return tracks;
}

/**
 * All people, ourselves first, for the list of people.
 * @param {string|null} pinned the key of the large tile
 * @returns {import("./moderation/person-actions.js").Person[]}
 */
export function peopleOf({ client, media, name, screen }, pinned) {
  const { local, others } = client.room;
  const hands = handsOf(client.room);
  const me = {
    id: client.peerID,
    name,
    role: client.role.name,
    isLocal: true,
    isSilent: !media.isMicrophoneOn,
    isDark: !media.isCameraOn,
    hand: hands.get(local.id) ?? 0,
    quality: local.quality,
    audio: null,
    video: null,
    screen,
  };
  return [me, ...others.map((peer) => personOf(peer, hands, pinned))];
}

function personOf(peer, hands, pinned) {
  const { camera, sound, screens, isPublishing } = tracksOf(peer);
  const { id, name, role, quality } = peer;
  return {
    id,
    name,
    role,
    quality,
    isLocal: false,
    isOnStage: isPublishing,
    isPinned: pinned === id,
    isSilent: !sound || sound.isMuted,
    isDark: !camera || camera.isMuted,
    hand: hands.get(id) ?? 0,
    audio: sound ?? null,
    video: camera ?? null,
    screen: screens[0] ?? null,
  };
}

/** Peer → its place in the queue of raised hands, from 1. */
function handsOf(room) {
  return new Map(room.hands.map((peer, index) => [peer.id, index + 1]));
}

function tracksOf(peer) {
  const tracks = [...peer.tracks.values()];
  const regular = tracks.filter((track) => track.source !== "screen");
  return {
    camera: regular.find((track) => track.kind === "video"),
    sound: regular.find((track) => track.kind === "audio"),
    screens: tracks.filter((track) => track.source === "screen" && track.kind === "video"),
    isPublishing: regular.length > 0,
  };
}

/** The image of a peer whose camera is off. */
function imageOf(peer, { client, images }) {
  return images.allowed(peer.image ?? client.room.defaultImage);
}

function remoteTiles(view, hands) {
  const { client } = view;
  return client.room.others.flatMap((peer) => {
    const { camera, sound, screens, isPublishing } = tracksOf(peer);
    const tile = { peerID: peer.id, name: peer.name, isLocal: false };
    const tiles = screens.map((track) => ({
      ...tile,
      key: track.id,
      source: "screen",
      trackID: track.id,
      video: client.mediaOf(track.id),
      image: null,
      isSilent: false,
      hand: 0,
      quality: null,
    }));
    if (!isPublishing) return tiles;
    const face = {
      ...tile,
      key: peer.id,
      source: "regular",
      trackID: camera?.id ?? null,
      video: camera && !camera.isMuted ? client.mediaOf(camera.id) : null,
      image: imageOf(peer, view),
      isSilent: !sound || sound.isMuted,
      hand: hands.get(peer.id) ?? 0,
      quality: peer.quality,
    };
    return [face, ...tiles];
  });
}

function localTiles(view, hands) {
  const { client, media, screen, name } = view;
  const { allowed } = client.role.publishParams;
  const { local } = client.room;
  const tile = { peerID: client.peerID, name, isLocal: true, trackID: null };
  const tiles = [];
  if (allowed.includes("video") || allowed.includes("audio")) {
    const video = allowed.includes("video") ? media.camera : null;
    const isSilent = !media.isMicrophoneOn;
    const hand = hands.get(local.id) ?? 0;
    const { quality } = local;
    const image = imageOf(local, view);
    const face = { key: "local", source: "regular", video, image, isSilent, hand, quality };
    tiles.push({ ...tile, ...face });
  }
  if (screen) {
    const shared = { key: "local-screen", source: "screen", video: screen, image: null };
    tiles.push({ ...tile, ...shared, isSilent: false, hand: 0, quality: null });
  }
  return tiles;
}
