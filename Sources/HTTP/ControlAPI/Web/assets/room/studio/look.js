// The stream's background and its watermark: a colour, and images from the servers that the
// operator allows.

import { element } from "../../common/dom.js";
import { labelled } from "../../common/dialog.js";
import { t } from "../../common/texts.js";

const corners = {
  top_left: t("Top left"), top_right: t("Top right"), bottom_left: t("Bottom left"),
  bottom_right: t("Bottom right"),
};
const standard = "#16181f"; // the product's own background

export class Look {
  node;
  #colour = element("input", { class: "studio-colour", type: "color", value: standard,
    "data-testid": "background-colour" });
  #background;
  #watermark;
  #corner = element("select", { class: "field", "data-testid": "watermark-corner" },
    ...Object.entries(corners).map(([value, text]) => element("option", { value }, text)));
  #shown = "";

  /** @param {{hasImages: boolean, onChange: (change: object) => void}} rules change: of a layout */
  constructor({ hasImages, onChange }) {
    const address = (name) => element("input", { class: "field", type: "url", maxlength: 2048,
      placeholder: "https://…", autocomplete: "off", "data-testid": name });
    this.#background = address("background-image");
    this.#watermark = address("watermark-image");
    this.#corner.value = "top_right";
    const images = hasImages ? [
      labelled(t("Background image"), this.#background),
      labelled(t("Watermark"), this.#watermark),
      labelled(t("Place of the watermark"), this.#corner),
    ] : [];
    this.node = element("form", { class: "studio-look" },
      labelled(t("Background colour"), this.#colour),
      ...images, element("button", { class: "button", type: "submit", "data-testid": "apply-look" },
        t("Apply")));
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      onChange(this.#wish(hasImages));
    });
  }

  /** @param {object} layout shown unless somebody is at these fields */
  show(layout) {
    const { background, watermark } = layout;
    const key = JSON.stringify([background, watermark]);
    if (key === this.#shown || this.node.contains(document.activeElement)) return;
    this.#shown = key;
    this.#colour.value = background?.color ?? standard;
    this.#background.value = background?.image ?? "";
    this.#watermark.value = watermark?.image ?? "";
    if (watermark && watermark.position in corners) this.#corner.value = watermark.position;
  }

  #wish(hasImages) {
    const color = this.#colour.value;
    if (!hasImages) return { background: { color } };
    const image = this.#watermark.value.trim();
    return {
      background: { color, image: this.#background.value.trim() || null },
      watermark: image ? { image, position: this.#corner.value } : null,
    };
  }
}
