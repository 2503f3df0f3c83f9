// A text to copy: the text, a button that copies it, and one that hands it on where the device can.

import { element, setText } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";

const words = {
  copy: t("Copy"),
  copied: t("Copied."),
  notCopied: t("This browser does not copy it. The text is selected."),
  share: t("Share"),
};

/**
 * @param {{label: string, text?: string, shareTitle?: string, testID: string}} field `label` says
 *   what the text is; with `shareTitle`, it can be handed on to other apps
 * @returns {{node: Element, show: (text: string) => void}}
 */
export function copyField({ label, text = "", shareTitle, testID }) {
  const input = element("input", {
    class: "field", readonly: true, value: text, "aria-label": label, dir: "ltr",
    "data-testid": testID, onfocus: () => input.select(),
  });
  const said = element("p", { class: "copy-said quiet", role: "status" });
  const copy = element("button", {
    class: "button", type: "button", "aria-label": `${words.copy}: ${label}`,
    "data-testid": `${testID}-copy`, onclick: () => copyText(input, said),
  }, icon("link"), words.copy);
  const share = navigator.share && shareTitle !== undefined
    ? element("button", {
      class: "button", type: "button", "aria-label": `${words.share}: ${label}`,
      "data-testid": `${testID}-share`,
      // Whoever changes their mind has not failed.
      onclick: () => navigator.share({ title: shareTitle, url: input.value }).catch(() => {}),
    }, icon("share"), words.share)
    : null;
  const node = element("div", { class: "copy" },
    element("div", { class: "copy-line" }, input, copy, share), said);
  return {
    node,
    show: (next) => {
      input.value = next;
      copy.disabled = next === "";
      if (share) share.disabled = next === "";
    },
  };
}

async function copyText(input, said) {
  setText(said, ""); // so that it is announced again
  try {
    await navigator.clipboard.writeText(input.value);
    setText(said, words.copied);
  } catch {
    input.focus();
    input.select();
    setText(said, words.notCopied);
  }
}
