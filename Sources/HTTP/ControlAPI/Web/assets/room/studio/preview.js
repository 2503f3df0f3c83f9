// The picture that viewers see, a second old at most, while somebody looks at it.

import { element, setText } from "../../common/dom.js";
import { layoutDrawing } from "./layout-drawing.js";
import { layoutNamed } from "./layouts.js";
import { t } from "../../common/texts.js";

const interval = 1000; // ms between two pictures of the server
const margin = 80; // ms, so that the next picture is there when it is asked for
const shortest = 250; // ms between two requests
const dragType = "text/x-roomcast-peer";

export class Preview {
  node;
  #read;
  #picture = element("img",
    { alt: t("What viewers see now"), hidden: true, "data-testid": "preview-image" });
  #empty = element("div", { class: "programme-empty" });
  #note = element("p", { class: "programme-note", "data-testid": "preview-state" });
  #address = null; // of the picture's blob
  #timer = null;
  #state = "off"; // "off", "starting", "live"
  #isSeen = false;
  #layout = "";
  #misses = 0; // requests in a row without a picture

  /**
   * @param {{read: () => Promise<{blob: Blob, age: number}|null>, onDrop: (peerID: string) =>
   *   void}} rules onDrop: a tile was dragged here
   */
  constructor({ read, onDrop }) {
    this.#read = read;
    this.node = element("figure", { class: "programme", "aria-label": t("Programme") },
      this.#empty, this.#picture, this.#note);
    document.addEventListener("visibilitychange", () => this.#plan(0));
    this.#takeDrops(onDrop);
  }

  /**
   * @param {{phase: string, hasPicture: boolean, isSeen: boolean, layout: string}} state
   *   isSeen: whether the panel is open; layout: the name of that of the (next) stream
   */
  show({ phase, hasPicture, isSeen, layout }) {
    const isLive = phase === "live" || phase === "ending";
    const state = !hasPicture ? "sound" : isLive ? "live" : phase === "starting"
      ? "starting" : "off";
    if (layout !== this.#layout) {
      this.#layout = layout;
      this.#empty.replaceChildren(layoutDrawing(layoutNamed(layout).tiles));
    }
    const isNews = state !== this.#state || isSeen !== this.#isSeen;
    [this.#state, this.#isSeen] = [state, isSeen];
    if (this.#state !== "live") this.#clear();
    this.#draw();
    if (isNews) this.#plan(0);
  }

  #draw() {
    const isShown = !this.#picture.hidden;
    this.#empty.hidden = isShown;
    const words = {
      off: t("Not on air. The picture of the stream appears here."),
      starting: t("The first picture comes with the stream."),
      sound: t("This stream has sound only."),
      live: this.#misses > 3 ? t("No picture at the moment.") : t("The picture comes …"),
    };
    setText(this.#note, isShown ? "" : words[this.#state]);
  }

  #plan(delay) {
    clearTimeout(this.#timer);
    const isWanted = this.#state === "live" && this.#isSeen && !document.hidden;
    if (isWanted) this.#timer = setTimeout(() => this.#look(), delay);
  }

  async #look() {
    const found = await this.#read().catch(() => null);
    if (this.#state !== "live") return;
    this.#misses = found ? 0 : this.#misses + 1;
    if (found) this.#put(found.blob);
    else if (this.#misses > 3) this.#clear();
    this.#draw();
    // A picture is made every second: the next one is asked for as soon as it must be there.
    const next = found ? interval + margin - found.age : interval / 2;
    this.#plan(Math.max(shortest, Math.min(interval, next)));
  }

  #put(blob) {
    const earlier = this.#address;
    this.#address = URL.createObjectURL(blob);
    this.#picture.src = this.#address;
    this.#picture.hidden = false;
    if (earlier) URL.revokeObjectURL(earlier);
  }

  #clear() {
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#address = null;
    this.#picture.hidden = true;
    this.#picture.removeAttribute("src");
  }

  #takeDrops(onDrop) {
    const { node } = this;
    const isOurs = (event) => event.dataTransfer?.types.includes(dragType);
    node.addEventListener("dragover", (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      node.classList.add("is-target");
    });
    node.addEventListener("dragleave", () => node.classList.remove("is-target"));
    node.addEventListener("drop", (event) => {
      node.classList.remove("is-target");
      if (!isOurs(event)) return;
      event.preventDefault();
      onDrop(event.dataTransfer.getData(dragType));
    });
  }
}

/**
 * Lets the stage's tiles be dragged to the programme.
 * @param {Element} stage
 * @param {() => boolean} isPossible
 */
export function letTilesBeDragged(stage, isPossible) {
  stage.addEventListener("dragstart", (event) => {
    const peer = event.target.closest?.("[data-peer]")?.dataset.peer;
    if (!peer || !isPossible()) return event.preventDefault();
    event.dataTransfer.setData(dragType, peer);
    event.dataTransfer.effectAllowed = "copy";
  });
}
