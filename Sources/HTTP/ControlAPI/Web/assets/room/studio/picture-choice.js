// The choice of a picture for the stream: a file, or the address of one if the operator allows any.

import { labelled } from "../../common/dialog.js";
import { element, setText } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/texts.js";
import { takeFiles } from "./file-drop.js";
import { pictureAddress, pictureTypes, uploadPicture } from "./picture-upload.js";

export class PictureChoice {
  node;
  #rules;
  #image = null; // apart from what the address field holds
  #isTouched = false;
  #isBusy = false;
  #round = 0; // of uploads: only the newest counts
  #picture = element("img", { alt: t("The chosen picture"), hidden: true });
  #mark = icon("picture");
  #file;
  #remove;
  #address;
  #news = element("p", { class: "quiet studio-hint", role: "status" });
  #fault = element("p", { class: "form-error studio-hint", role: "alert" });

  /**
   * @param {{name: string, title: string, removal: string, hasAddress: boolean,
   *   send: (picture: Blob) => Promise<{image: string}>, onBusy: () => void}} rules
   *   name: for ids; removal: the name of the button that removes the picture; onBusy: an upload
   *   has begun or ended
   */
  constructor(rules) {
    this.#rules = rules;
    const { name, title, removal, hasAddress } = rules;
    this.#file = element("input", { class: "visually-hidden", type: "file", accept: pictureTypes,
      id: `${name}-file`, "aria-labelledby": `${name}-choose ${name}-title`,
      "data-testid": `${name}-file` });
    this.#remove = element("button", { class: "icon-button", type: "button", title: removal,
      "aria-label": removal, hidden: true, "data-testid": `${name}-remove`,
      onclick: () => this.#clear() }, icon("trash"));
    this.#address = element("input", { class: "field", type: "url", maxlength: 2048,
      placeholder: "https://…", autocomplete: "off", "data-testid": `${name}-image` });
    this.#file.addEventListener("change", () => this.#take(this.#file.files[0]));
    this.#address.addEventListener("input", () => {
      this.#touch();
      this.#drawRemove();
    });
    // Not at every letter: half an address may be that of another picture.
    this.#address.addEventListener("change", () => this.#draw());
    this.#picture.addEventListener("error", () => this.#mayShow(false));
    this.#picture.addEventListener("load", () => this.#mayShow(true));
    this.#picture.dataset.testid = `${name}-picture`;
    this.#news.dataset.testid = `${name}-news`;
    this.#fault.dataset.testid = `${name}-fault`;
    const row = element("div", { class: "picture-row" },
      element("span", { class: "picture-frame" }, this.#mark, this.#picture), this.#file,
      element("label", { class: "button", for: `${name}-file`, id: `${name}-choose` },
        t("Choose a file …")),
      this.#remove);
    this.node = element("fieldset", { class: "picture-choice" },
      element("legend", { id: `${name}-title` }, title), row,
      hasAddress ? labelled(t("Or the address of a picture"), this.#address) : null,
      this.#news, this.#fault);
    takeFiles(this.node, (file) => this.#take(file));
  }

  /** @returns {string|null} as in a layout */
  get image() {
    return this.#address.value.trim() || this.#image;
  }

  /** Whether the user has changed it since it was last shown or applied. */
  get isTouched() {
    return this.#isTouched;
  }

  /** Whether a file is on its way. */
  get isBusy() {
    return this.#isBusy;
  }

  /** @param {string|null} image as in a layout; what the user has not applied yet stays */
  show(image) {
    if (this.#isTouched || this.#isBusy) return;
    this.#put(image);
  }

  /** What was chosen is in force now. */
  applied() {
    this.#isTouched = false;
    setText(this.#news, "");
  }

  #put(image) {
    const isForField = this.#rules.hasAddress && !pictureAddress(image);
    this.#image = isForField ? null : image;
    this.#address.value = isForField ? image ?? "" : "";
    this.#draw();
  }

  #touch() {
    this.#isTouched = true;
    setText(this.#news, "");
    setText(this.#fault, "");
  }

  async #take(file) {
    if (!file) return;
    const round = ++this.#round;
    setText(this.#fault, "");
    setText(this.#news, t("“{name}” is on its way …", { name: file.name }));
    this.#busy(true);
    try {
      const image = await uploadPicture(file, this.#rules.send);
      if (round !== this.#round) return;
      this.#touch();
      this.#put(image);
      setText(this.#news, t("“{name}” is ready. Apply it now.", { name: file.name }));
    } catch (error) {
      if (round !== this.#round) return;
      setText(this.#news, "");
      setText(this.#fault, error.message);
    }
    this.#file.value = ""; // so that the same file can be chosen again
    this.#busy(false);
  }

  #clear() {
    this.#round += 1; // also of a file on its way
    this.#touch();
    this.#put(null);
    this.#busy(false);
    this.#file.focus(); // the button is gone
  }

  #busy(isBusy) {
    this.#isBusy = isBusy;
    this.#draw();
    this.#rules.onBusy();
  }

  #draw() {
    const { image } = this;
    const address = pictureAddress(image) ?? (this.#rules.hasAddress ? image : null);
    if (address !== this.#picture.getAttribute("src")) {
      this.#mayShow(false); // until it has come
      if (address) this.#picture.src = address;
      else this.#picture.removeAttribute("src");
    }
    this.node.setAttribute("aria-busy", String(this.#isBusy));
    this.#drawRemove();
  }

  #drawRemove() {
    this.#remove.hidden = !this.image && !this.#isBusy;
  }

  #mayShow(isThere) {
    this.#picture.hidden = !isThere;
    this.#mark.toggleAttribute("hidden", isThere);
  }
}
