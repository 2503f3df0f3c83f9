// The player of one recording, in front of the page or as a part of it.

import { setText } from "../../common/dom.js";
import { t } from "../../common/texts.js";
import { Player } from "../player.js";
import { Controls } from "../player/controls.js";
import { Replay } from "../replay/replay.js";

const words = {
  howToPlay: t("This browser cannot play it. Download it, or give the address of its playlist"
    + " to a player such as VLC."),
  fault: t("It cannot be fetched. Trying again …"),
};

export class Theatre {
  #node;
  #video;
  #player;
  #controls;
  #replay;

  /**
   * @param {{screen: Element, video: HTMLVideoElement, replay: Element, problem: Element}} node
   * @param {string|null} libraryURL the address of hls.js, if the server names one
   */
  constructor(node, libraryURL) {
    this.#node = node;
    this.#video = node.video;
    this.#player = new Player(node.video, libraryURL, { isLive: false });
    window.roomcastPlayer = this.#player; // for tests and the curious
    this.#controls = new Controls(node.screen, node.video, this.#player);
    this.#controls.hidden = false;
    this.#replay = new Replay(node.replay, node.video, this.#player);
    this.#player.addEventListener("fault", () => this.#tell(words.fault));
    for (const event of ["playing", "recovered"]) {
      this.#player.addEventListener(event, () => setText(node.problem, ""));
    }
    node.video.addEventListener("error", () => {
      if (node.video.hasAttribute("src")) this.#tell(words.howToPlay);
    });
  }

  play(card, source, seconds) {
    setText(this.#node.problem, "");
    const sprite = card.assets.find((one) => one.sprite_vtt_url)?.sprite_vtt_url ?? null;
    this.#controls.showPictures(sprite);
    this.#replay.show(card, source.fragments);
    this.#player.play({ ...source, begin: seconds }).catch(() => this.#tell(words.howToPlay));
    this.#video.focus();
  }

  stop() {
    this.#replay.clear();
    this.#player.stop();
  }

  #tell(text) {
    // Nobody needs to know of a player that is closed.
    if (this.#node.screen.getClientRects().length > 0) setText(this.#node.problem, text);
  }
}
