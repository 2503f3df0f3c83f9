// The stream's background and its watermark: a colour and two pictures.

import { element } from "../../common/dom.js";
import { labelled } from "../../common/dialog.js";
import { t } from "../../common/texts.js";
import { refuseOtherFiles } from "./file-drop.js";
import { PictureChoice } from "./picture-choice.js";

const places = {
  top_left: t("Top left"), top_right: t("Top right"), bottom_left: t("Bottom left"),
  bottom_right: t("Bottom right"), center: t("Centre"),
};
const standard = "#16181f"; // the product's own background

export class Look {
  node;
  #onChange;
  #colour = element("input", { class: "studio-colour", type: "color", value: standard,
    "data-testid": "background-colour" });
  #background;
  #watermark;
  #place = element("select", { class: "field", "data-testid": "watermark-place" },
    ...Object.entries(places).map(([value, text]) => element("option", { value }, text)));
  #isMoved = false; // by the user
  #apply = element("button", { class: "button", type: "submit", "data-testid": "apply-look" },
    t("Apply"));
  #shown = "";

  /**
   * @param {{hasImages: boolean, send: (picture: Blob) => Promise<{image: string}>,
   *   onChange: (change: object) => Promise<boolean>}} rules
   *   hasImages: whether the operator allows images from other servers, by their addresses;
   *   change: of a layout
   */
  constructor({ hasImages, send, onChange }) {
    this.#onChange = onChange;
    const choice = (name, title, removal) => new PictureChoice({
      name, title, removal, hasAddress: hasImages, send, onBusy: () => this.#draw() });
    this.#background = choice("background", t("Background image"),
      t("Remove the background image"));
    this.#watermark = choice("watermark", t("Watermark"), t("Remove the watermark"));
    this.#place.value = "top_right";
    this.#place.addEventListener("change", () => {
      this.#isMoved = true;
    });
    this.node = element("form", { class: "studio-look" },
      labelled(t("Background colour"), this.#colour), this.#background.node,
      this.#watermark.node, labelled(t("Place of the watermark"), this.#place), this.#apply);
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#isBusy) this.#change();
    });
    refuseOtherFiles();
    this.#draw();
  }

  /** @param {object} layout shown unless somebody is at these fields */
  show(layout) {
    const { background, watermark } = layout;
    const key = JSON.stringify([background, watermark]);
    if (key === this.#shown || this.node.contains(document.activeElement)) return;
    this.#shown = key;
    this.#colour.value = background?.color ?? standard;
    this.#background.show(background?.image ?? null);
    this.#watermark.show(watermark?.image ?? null);
    if (!this.#isMoved && watermark?.position in places) this.#place.value = watermark.position;
  }

  get #isBusy() {
    return this.#background.isBusy || this.#watermark.isBusy;
  }

  async #change() {
    if (!(await this.#onChange(this.#wish))) return;
    this.#background.applied();
    this.#watermark.applied();
    this.#isMoved = false;
  }

  /** Without the pictures that nobody has touched: they may be the operator's, unknown to us. */
  get #wish() {
    const [background, watermark] = [this.#background, this.#watermark];
    const change = { background: { color: this.#colour.value } };
    if (background.isTouched || background.image) change.background.image = background.image;
    const { image } = watermark;
    if (watermark.isTouched || (this.#isMoved && image)) {
      change.watermark = image ? { image, position: this.#place.value } : null;
    }
    return change;
  }

  #draw() {
    this.#apply.setAttribute("aria-disabled", String(this.#isBusy));
  }
}
