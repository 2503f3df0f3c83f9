// The player's controls: for the mouse, the keyboard, fingers and screen readers.

import { element, setText } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { decimal, t, tc } from "../../common/texts.js";
import { rangesOf } from "./buffer.js";
import { ChoiceMenu } from "./choice-menu.js";
import { Keys } from "./keys.js";
import { SeekBar } from "./seek-bar.js";
import { latencyText, layerText, positionText } from "./words.js";

const interval = 250; // ms between drawings
const idleTime = 3000; // ms until the controls go
const spinnerDelay = 400; // ms
const windowLeast = 8; // s of a live stream that are worth a line

export class Controls {
  node;
  #screen;
  #video;
  #player;
  #seekBar;
  #buttons = {};
  #volume;
  #position = element("span", { class: "player-position", "data-testid": "position" });
  #latency = element("span", { class: "player-latency", "data-testid": "latency" });
  #menus = [];
  #spinner = element("div", { class: "player-spinner", hidden: true, "aria-hidden": "true" });
  #big;
  #idle = null;
  #waiting = null;

  /**
   * @param {Element} screen the video's parent, which becomes the full screen
   * @param {HTMLVideoElement} video
   * @param {import("../player.js").Player} player
   */
  constructor(screen, video, player) {
    this.#screen = screen;
    this.#video = video;
    this.#player = player;
    this.#seekBar = new SeekBar((time) => player.seek(time));
    this.#build();
    screen.append(this.#spinner, this.#big, this.node);
    screen.classList.add("player");
    this.#listen();
    new Keys(screen, this);
    setInterval(() => this.#draw(), interval);
    this.#draw();
  }

  /** For recordings: small pictures along the line. */
  showPictures(url) {
    return this.#seekBar.showPictures(url);
  }

  set hidden(isHidden) {
    this.node.hidden = isHidden;
    this.#big.hidden = isHidden;
    if (isHidden) for (const menu of this.#menus) menu.close({ keepsFocus: true });
  }

  // What keys and buttons do.

  togglePlay() {
    if (this.#video.paused) this.#video.play().catch(() => {});
    else this.#video.pause();
  }

  toggleMuted() {
    const video = this.#video;
    video.muted = !(video.muted || video.volume === 0);
    if (!video.muted && video.volume === 0) video.volume = 0.5;
  }

  changeVolume(by) {
    this.#video.volume = Math.min(Math.max(this.#video.volume + by, 0), 1);
    this.#video.muted = this.#video.volume === 0;
  }

  seekBy(seconds) {
    this.#player.seek(this.#video.currentTime + seconds);
    this.wake();
  }

  seekToLive() {
    if (this.#player.isLive) this.#player.seekToLive();
  }

  async toggleFullScreen() {
    const screen = this.#screen;
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else if (screen.requestFullscreen) await screen.requestFullscreen();
      else this.#video.webkitEnterFullscreen?.(); // iPhones have only their own
    } catch {
      // The frame may not.
    }
  }

  async togglePictureInPicture() {
    try {
      if (document.pictureInPictureElement) await document.exitPictureInPicture();
      else await this.#video.requestPictureInPicture();
    } catch {
      // There is no picture yet.
    }
  }

  /** The next captions, or none. */
  cycleCaptions() {
    const { captions, engine } = this.#player;
    if (!engine?.captions.length) return;
    const index = engine.captions.indexOf(captions.chosen);
    captions.choose(engine.captions[index + 1] ?? null);
    this.#draw();
  }

  /** Shows the controls for a while. */
  wake() {
    clearTimeout(this.#idle);
    this.#screen.classList.remove("is-idle");
    this.#idle = setTimeout(() => this.#rest(), idleTime);
  }

  #rest() {
    const isUsed = this.#menus.some((menu) => menu.isOpen)
      || this.node.matches(":has(:focus-visible)");
    if (this.#video.paused || isUsed) return this.wake();
    this.#screen.classList.add("is-idle");
  }

  #build() {
    const button = (name, testid, run) => {
      const node = element("button",
        { class: "player-button", type: "button", "data-testid": testid, onclick: run });
      this.#buttons[name] = node;
      return node;
    };
    this.#volume = element("input", {
      class: "player-volume", type: "range", min: "0", max: "1", step: "0.05",
      "aria-label": t("Volume"), "data-testid": "volume",
      oninput: () => {
        this.#video.volume = Number(this.#volume.value);
        this.#video.muted = this.#video.volume === 0;
      },
    });
    const live = button("live", "go-live-edge", () => this.seekToLive());
    live.classList.add("player-live");
    const quality = button("quality", "quality");
    quality.classList.add("player-quality");
    const captions = button("captions", "captions");
    this.#big = element("button", {
      class: "player-big", type: "button", tabindex: "-1", "aria-hidden": "true",
      onclick: () => this.togglePlay(),
    }, icon("play"));
    this.node = element("div",
      { class: "player-controls", role: "group", "aria-label": t("Player"), hidden: true,
        "data-testid": "controls" },
      this.#seekBar.node,
      element("div", { class: "player-bar" },
        button("play", "play-pause", () => this.togglePlay()),
        button("mute", "mute", () => this.toggleMuted()), this.#volume, live, this.#latency,
        this.#position, element("span", { class: "player-space" }), captions, quality,
        button("pip", "pip", () => this.togglePictureInPicture()),
        button("full", "full-screen", () => this.toggleFullScreen())));
    this.#menus = [
      new ChoiceMenu(quality, this.#screen, t("Quality"), () => this.#qualities()),
      new ChoiceMenu(captions, this.#screen, t("Captions"), () => this.#captionChoices()),
    ];
  }

  #qualities() {
    const { engine } = this.#player;
    if (!engine) return [];
    const isAutomatic = engine.chosen === null;
    const one = (text, detail, isChosen, layer) => ({
      text, detail, isChosen,
      choose: () => {
        engine.choose(layer);
        this.#draw();
      },
    });
    return [
      one(t("Auto"), isAutomatic && engine.layer >= 0 ? layerText(engine.layers[engine.layer]) : "",
        isAutomatic, null),
      ...engine.layers.map((layer, index) =>
        one(layerText(layer), rateText(layer.bitrate), engine.chosen === index, index)),
    ];
  }

  #captionChoices() {
    const { captions, engine } = this.#player;
    const one = (text, rendition) => ({
      text, isChosen: captions.chosen === rendition,
      choose: () => {
        captions.choose(rendition);
        this.#draw();
      },
    });
    return [one(t("Off"), null), ...(engine?.captions ?? []).map((each) => one(each.name, each))];
  }

  #listen() {
    const [screen, video] = [this.#screen, this.#video];
    for (const name of ["play", "pause", "volumechange", "ended", "loadedmetadata", "seeked"]) {
      video.addEventListener(name, () => this.#draw());
    }
    for (const name of ["pause", "play"]) video.addEventListener(name, () => this.wake());
    video.addEventListener("waiting", () => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => {
        this.#spinner.hidden = video.paused || this.node.hidden;
      }, spinnerDelay);
    });
    for (const name of ["playing", "timeupdate", "pause", "emptied", "ended"]) {
      video.addEventListener(name, () => {
        clearTimeout(this.#waiting);
        this.#spinner.hidden = true;
      });
    }
    this.#player.addEventListener("change", () => this.#draw());
    for (const name of ["pointermove", "focusin", "keydown"]) {
      screen.addEventListener(name, () => this.wake());
    }
    screen.addEventListener("pointerleave", () => {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => this.#rest(), 500);
    });
    this.#listenToPicture();
    document.addEventListener("fullscreenchange", () => this.#draw());
  }

  /** A click pauses; a tap only shows the controls, or hides them. */
  #listenToPicture() {
    let wasIdle = false;
    let kind = "mouse";
    this.#screen.addEventListener("pointerdown", ({ pointerType }) => {
      kind = pointerType;
      wasIdle = this.#screen.classList.contains("is-idle");
    }, true);
    this.#video.addEventListener("click", () => {
      if (kind === "mouse") return this.togglePlay();
      this.wake();
      if (!wasIdle && !this.#video.paused) this.#screen.classList.add("is-idle");
    });
    this.#video.addEventListener("dblclick", () => this.toggleFullScreen());
  }

  #draw() {
    const [video, player] = [this.#video, this.#player];
    const { engine } = player;
    const isMuted = video.muted || video.volume === 0;
    const isFull = document.fullscreenElement === this.#screen;
    this.#label("play", video.paused ? "play" : "pause", t(video.paused ? "Play" : "Pause"), "k");
    this.#label("mute", isMuted ? "volumeOff" : "volume",
      tc("player", isMuted ? "Unmute" : "Mute"), "m");
    this.#label("pip", "pictureInPicture", t("Picture in picture"));
    this.#label("full", isFull ? "windowed" : "fullScreen",
      t(isFull ? "Leave full screen" : "Full screen"), "f");
    this.#buttons.pip.hidden = !document.pictureInPictureEnabled;
    this.#buttons.full.hidden = !(document.fullscreenEnabled || video.webkitSupportsFullscreen);
    this.#volume.value = String(isMuted ? 0 : video.volume);
    this.#volume.style.setProperty("--volume", this.#volume.value);
    this.#screen.classList.toggle("is-paused", video.paused && video.readyState > 0);
    this.#drawPosition();
    this.#drawQuality(engine);
    const choices = engine?.captions ?? [];
    this.#buttons.captions.hidden = choices.length === 0;
    const shown = player.captions?.chosen;
    this.#label("captions", "captions",
      shown ? t("Captions: {name}", { name: shown.name }) : t("Captions: off"), "c");
    this.#buttons.captions.classList.toggle("is-on", Boolean(shown));
  }

  #drawPosition() {
    const [video, player] = [this.#video, this.#player];
    const { isLive, isBehind, window, engine } = player;
    const state = { time: video.currentTime, window, isLive, isBehind };
    this.#seekBar.node.hidden = isLive && window.end - window.start < windowLeast;
    const ranges = rangesOf(video.buffered);
    const loaded = ranges.find(({ start, end }) =>
      start <= video.currentTime + 0.1 && video.currentTime <= end)?.end ?? video.currentTime;
    this.#seekBar.draw(state, loaded);
    setText(this.#position, positionText(state));
    const { live } = this.#buttons;
    live.hidden = !isLive;
    live.classList.toggle("is-behind", isBehind);
    setText(live, isBehind ? tc("player", "Go live") : t("Live"));
    const latency = isLive && !isBehind ? latencyText(engine?.latency ?? null) : "";
    setText(this.#latency, latency);
    this.#latency.title = latency ? t("From the studio to this screen") : "";
  }

  #drawQuality(engine) {
    const { quality } = this.#buttons;
    quality.hidden = !engine || engine.layers.length < 2;
    if (quality.hidden) return;
    const layer = engine.layers[Math.max(engine.layer, 0)];
    const text = layerText(layer);
    setText(quality, text);
    quality.setAttribute("aria-label", engine.chosen === null
      ? t("Quality: automatic, {layer}", { layer: text })
      : t("Quality: {layer}", { layer: text }));
    quality.title = t("Quality");
  }

  #label(name, drawing, text, key = "") {
    const node = this.#buttons[name];
    if (node.dataset.drawing !== drawing) {
      node.dataset.drawing = drawing;
      node.replaceChildren(icon(drawing));
    }
    if (node.getAttribute("aria-label") === text) return;
    node.setAttribute("aria-label", text);
    node.title = key ? `${text} (${key})` : text;
  }
}

function rateText(bitrate) {
  return bitrate >= 1e6 ? `${decimal(bitrate / 1e6, 1)} Mbit/s`
    : `${Math.round(bitrate / 1000)} kbit/s`;
}
