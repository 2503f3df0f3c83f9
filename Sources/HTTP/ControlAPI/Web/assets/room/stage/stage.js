// The tiles of the room.

import { element, initials, reconcile, setText } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { colour } from "../../common/person-colour.js";
import { float } from "../reactions/floating.js";
import { qualityMark, qualityWords, showQuality, worthTelling } from "../quality-mark.js";
import { cast, fitsWhole, layerFor, layout } from "./stage-layout.js";
import { t } from "../../common/texts.js";

/**
 * @typedef {{key: string, name: string, peerID: string, source: string, isLocal: boolean,
 *            trackID: string|null, video: MediaStreamTrack|null, image: string|null,
 *            isSilent: boolean, hand: number, quality: number|null}} Tile
 *   image: an address, for while there is no video; hand: its place in the row, 0 while it is down
 */
export class Stage {
  #root;
  #tiles = [];
  #wish = { isSpeakerView: false, pinned: null, speaker: null, spoke: new Map() };
  #levels = new Map();
  #onLayer;
  #onMore;
  #onPin;

  /**
   * @param {(trackID: string, layer: string) => void} onLayer the quality in which a video is shown
   * @param {() => void} onMore opens the list of the peers that are not on the stage
   * @param {(key: string|null) => void} onPin pins a tile, or none
   */
  constructor(root, { onLayer, onMore, onPin }) {
    this.#root = root;
    this.#onLayer = onLayer;
    this.#onMore = onMore;
    this.#onPin = onPin;
    new ResizeObserver(() => this.#draw()).observe(root);
    root.addEventListener("click", () => this.resume());
  }

  /** Call it after user input: phones that save power start no video by themselves. */
  resume() {
    for (const video of this.#root.querySelectorAll("video")) {
      if (video.srcObject && video.paused) video.play().catch(() => {});
    }
  }

  /**
   * @param {Tile[]} tiles
   * @param {string|null} pinned the key of the pinned tile
   */
  show(tiles, pinned) {
    this.#tiles = tiles;
    this.prefer({ pinned });
  }

  /** The wishes for large tiles; see `cast` in stage-layout.js. */
  prefer(wish) {
    this.#wish = { ...this.#wish, ...wish };
    this.#draw();
  }

  /** @param {Map<string, number>} levels of the active speakers, 0 to 1 */
  highlight(levels) {
    this.#levels = levels;
    this.#light();
  }

  /** Shows a reaction over the sender's tile, or else over the stage. */
  react(peerID, emoji, name) {
    const tiles = [...this.#root.children].filter((node) => node.dataset.peer === peerID);
    const tile = tiles.find((node) => node.dataset.source === "regular") ?? tiles[0];
    if (tile) float(tile, emoji);
    else float(this.#root.parentElement, emoji, name);
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.#root;
    const { large, small, left } = cast(this.#tiles, this.#wish, width, height);
    const shown = [...large, ...small];
    const more = left.length > 0 ? [{ key: "more", count: left.length }] : [];
    reconcile(this.#root, [...shown, ...more], {
      key: (tile) => tile.key,
      create: (tile) => (tile.key === "more" ? this.#createMore() : this.#createTile(tile)),
      update: (node, tile) => {
        if (tile.key === "more") return setText(node, `+${tile.count}`);
        update(node, tile, { isPinned: tile.key === this.#wish.pinned });
      },
    });
    const places = layout(large.length, small.length + more.length, width, height);
    [...this.#root.children].forEach((node, index) => {
      place(node, places[index]);
      fit(node);
    });
    this.#light();
    for (const tile of left) if (tile.trackID) this.#onLayer(tile.trackID, "none");
    shown.forEach((tile, index) => {
      if (!tile.trackID || !places[index]) return;
      const isScreen = tile.source === "screen"; // its small print must be readable
      const lines = places[index].height * devicePixelRatio;
      this.#onLayer(tile.trackID, isScreen ? "high" : layerFor(lines));
    });
  }

  #light() {
    for (const node of this.#root.children) {
      const isFace = node.dataset.source === "regular";
      const level = isFace ? (this.#levels.get(node.dataset.peer) ?? 0) : 0;
      node.classList.toggle("is-speaking", level > 0);
      node.style.setProperty("--level", level.toFixed(2));
    }
  }

  #createTile(tile) {
    const node = create(tile);
    node.querySelector(".tile-pin").addEventListener("click", () => {
      this.#onPin(this.#wish.pinned === tile.key ? null : tile.key);
    });
    return node;
  }

  #createMore() {
    return element("button", {
      class: "tile tile-more",
      type: "button",
      "aria-label": t("Others, who are not shown: list everybody"),
      "data-testid": "tile-more",
      onclick: () => this.#onMore(),
    });
  }
}

function place(node, rectangle) {
  if (!rectangle) return;
  node.style.left = `${rectangle.x}px`;
  node.style.top = `${rectangle.y}px`;
  node.style.width = `${rectangle.width}px`;
  node.style.height = `${rectangle.height}px`;
}

/** A picture of which too much would be cut off is shown whole: a phone's, held upright. */
function fit(node) {
  const video = node.querySelector("video");
  if (!video) return;
  const { videoWidth, videoHeight } = video;
  const tile = { width: node.clientWidth, height: node.clientHeight };
  node.classList.toggle("is-whole", fitsWhole({ width: videoWidth, height: videoHeight }, tile));
}

function create(tile) {
  // Otherwise Firefox would stop at it twice on the Tab key, with nothing to do there.
  const video = element("video", { autoplay: true, playsinline: true, tabindex: "-1" });
  video.muted = true; // the sound comes from RoomSound
  // The initials replace it until the first frame.
  const node = element(
    "article",
    {
      class: "tile",
      draggable: "true", // to the studio's programme
      "data-testid": "tile",
      "data-peer": tile.peerID,
      "data-source": tile.source,
      "data-local": tile.isLocal,
    },
    video,
    element(
      "div",
      { class: "tile-inner" },
      element("div", { class: "tile-face" }, element("span"), faceImage()),
    ),
    element("span", { class: "tile-hand", hidden: true, "aria-hidden": "true" }, icon("hand")),
    element("div", { class: "tile-label" }, element("span", { class: "name" }), qualityMark()),
    element("button", { class: "tile-pin", type: "button", "data-testid": "pin" }, icon("pin")),
  );
  node.querySelector(".tile-hand").append(element("b"));
  video.addEventListener("loadeddata", () => node.classList.add("has-picture"));
  video.addEventListener("resize", () => fit(node));
  video.addEventListener("emptied", () => node.classList.remove("has-picture"));
  return node;
}

/** Covers the initials once it is loaded. */
function faceImage() {
  const image = element("img", { alt: "", hidden: true });
  image.addEventListener("load", () => { image.hidden = false; });
  return image;
}

function showImage(image, address) {
  if (image.getAttribute("src") === address) return;
  image.hidden = true;
  if (address) image.setAttribute("src", address);
  else image.removeAttribute("src");
}

/** Whose tile it is, and the wish to see it large. */
function wordsOf({ source, isLocal, name }) {
  if (source === "screen") {
    return isLocal ? { label: t("Your screen"), wish: t("Show your screen large") }
      : { label: t("{name}’s screen", { name }),
        wish: t("Show {name}’s screen large", { name }) };
  }
  return isLocal ? { label: t("{name} (you)", { name }), wish: t("Show yourself large") }
    : { label: name, wish: t("Show {name} large", { name }) };
}

function update(node, tile, { isPinned }) {
  const isScreen = tile.source === "screen";
  const { label, wish } = wordsOf(tile);
  const isWeak = !isScreen && tile.quality !== null && tile.quality <= worthTelling;
  const facts = [
    label,
    tile.isSilent ? t("microphone off") : "",
    tile.hand > 0 ? t("hand raised") : "",
    isWeak ? qualityWords(tile.quality) : "",
  ];
  node.setAttribute("aria-label", facts.filter(Boolean).join(", "));
  node.dataset.name = tile.name;
  setText(node.querySelector(".name"), label);
  node.classList.toggle("is-mirrored", tile.isLocal && !isScreen);
  colour(node, { id: tile.peerID, name: tile.name });
  setText(node.querySelector(".tile-face span"), initials(tile.name));
  showImage(node.querySelector(".tile-face img"), tile.image);
  showQuality(node.querySelector(".quality"), isWeak ? tile.quality : null);

  const hand = node.querySelector(".tile-hand");
  hand.hidden = tile.hand === 0;
  setText(hand.querySelector("b"), String(tile.hand));

  const pin = node.querySelector(".tile-pin");
  pin.setAttribute("aria-pressed", String(isPinned));
  pin.setAttribute("aria-label", wish);
  pin.title = isPinned ? t("Let go") : wish;

  const video = node.querySelector("video");
  const shown = video.srcObject?.getVideoTracks()[0] ?? null;
  if (shown !== tile.video) {
    video.srcObject = tile.video ? new MediaStream([tile.video]) : null;
    // Muted video may play nearly always; otherwise a rejection means that the source has changed
    // again.
    if (tile.video) video.play().catch(() => {});
  }
  video.hidden = !tile.video;

  const chip = node.querySelector(".tile-label");
  const mark = chip.querySelector(".icon");
  if (tile.isSilent && !mark) chip.prepend(icon("microphoneOff"));
  if (!tile.isSilent && mark) mark.remove();
}
