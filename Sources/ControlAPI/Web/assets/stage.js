// The tiles of the room and its sound.

import { element, hueOf, initials, reconcile } from "./dom.js";
import { icon } from "./icons.js";
import { layout } from "./stage-layout.js";

/**
 * @typedef {{key: string, name: string, peerID: string, source: string, isLocal: boolean,
 *            video: MediaStreamTrack|null, isSilent: boolean}} Tile
 */
export class Stage {
  #root;
  #tiles = [];

  constructor(root) {
    this.#root = root;
    new ResizeObserver(() => this.#place()).observe(root);
  }

  /** @param {Tile[]} tiles */
  show(tiles) {
    const screensFirst = (a, b) => (b.source === "screen") - (a.source === "screen");
    this.#tiles = [...tiles].sort(screensFirst);
    reconcile(this.#root, this.#tiles, { key: (tile) => tile.key, create, update });
    this.#place();
  }

  /** @param {Set<string>} peerIDs who is speaking now */
  highlight(peerIDs) {
    for (const node of this.#root.children) {
      const speaks = node.dataset.source !== "screen" && peerIDs.has(node.dataset.peer);
      node.classList.toggle("is-speaking", speaks);
    }
  }

  #place() {
    const { clientWidth, clientHeight } = this.#root;
    const screens = this.#tiles.filter((tile) => tile.source === "screen").length;
    const places = layout(screens, this.#tiles.length - screens, clientWidth, clientHeight);
    [...this.#root.children].forEach((node, index) => {
      const place = places[index];
      if (!place) return;
      node.style.left = `${place.x}px`;
      node.style.top = `${place.y}px`;
      node.style.width = `${place.width}px`;
      node.style.height = `${place.height}px`;
    });
  }
}

function create(tile) {
  const video = element("video", { autoplay: true, playsinline: true });
  video.muted = true; // the sound comes from RoomSound
  // Until the first frame is there, the face stands in for it.
  const node = element(
    "article",
    {
      class: "tile",
      "data-testid": "tile",
      "data-peer": tile.peerID,
      "data-source": tile.source,
      "data-local": tile.isLocal,
    },
    video,
    element(
      "div",
      { class: "tile-inner" },
      element("div", { class: "tile-face" }, element("span")),
    ),
    element("div", { class: "tile-label" }, element("span", { class: "name" })),
  );
  video.addEventListener("loadeddata", () => node.classList.add("has-picture"));
  video.addEventListener("emptied", () => node.classList.remove("has-picture"));
  return node;
}

function update(node, tile) {
  const label =
    tile.source === "screen"
      ? `${tile.isLocal ? "Your" : `${tile.name}’s`} screen`
      : tile.isLocal ? `${tile.name} (you)` : tile.name;
  node.setAttribute("aria-label", label);
  node.dataset.name = tile.name;
  node.querySelector(".name").textContent = label;
  node.classList.toggle("is-mirrored", tile.isLocal && tile.source !== "screen");
  node.style.setProperty("--hue", hueOf(tile.peerID));
  node.querySelector(".tile-face span").textContent = initials(tile.name);

  const video = node.querySelector("video");
  const shown = video.srcObject?.getVideoTracks()[0] ?? null;
  if (shown !== tile.video) {
    video.srcObject = tile.video ? new MediaStream([tile.video]) : null;
    // Muted video may always play; a rejection only means that the source changed again.
    if (tile.video) video.play().catch(() => {});
  }
  video.hidden = !tile.video;

  const chip = node.querySelector(".tile-label");
  const mark = chip.querySelector(".icon");
  if (tile.isSilent && !mark) chip.prepend(icon("microphoneOff"));
  if (!tile.isSilent && mark) mark.remove();
}

/** One audio element for each remote track; asks for a click where the browser wants one. */
export class RoomSound {
  #elements = new Map();
  #onBlocked;

  /** @param {(isBlocked: boolean) => void} onBlocked */
  constructor(onBlocked) {
    this.#onBlocked = onBlocked;
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
      this.#start(audio);
    }
  }

  /** After a click of the user, when sound may start. */
  resume() {
    this.#onBlocked(false);
    for (const audio of this.#elements.values()) this.#start(audio);
  }

  #start(audio) {
    audio.play().catch((error) => {
      if (error.name === "NotAllowedError") this.#onBlocked(true);
    });
  }
}
