// The stream's addresses, each with a button that copies it.

import { copy } from "../../common/copy.js";
import { element, setText } from "../../common/dom.js";
import { t } from "../../common/texts.js";

const shown = 2000; // ms that a button says that it has copied

/** @param {{roomID: string, origin: string}} place @returns {Element} */
export function linkList({ roomID, origin }) {
  const page = (kind) => `${origin}/${kind}/${encodeURIComponent(roomID)}`;
  const title = t("Live stream");
  const frame = `<iframe src="${page("embed")}" title="${title}" width="960" height="540"`
    + ' style="border: 0" allow="autoplay; fullscreen; picture-in-picture"></iframe>';
  const news = element("p",
    { class: "visually-hidden", role: "status", "data-testid": "copy-state" });
  const links = [
    { name: t("Watch page"), label: t("Copy watch page"),
      hint: t("For viewers, without an account."), text: page("watch") },
    { name: t("Embed code"), label: t("Copy embed code"), hint: t("The player, for another site."),
      text: frame, seen: page("embed") },
    { name: t("Invitation"), label: t("Copy invitation"),
      hint: t("For people who take part in the room."), text: page("rooms") },
  ];
  return element("div", { class: "studio-links" }, ...links.map((link) => row(link, news)), news);
}

function row({ name, label: action, hint, text, seen = text }, news) {
  const label = element("span", {}, t("Copy"));
  const button = element("button", { class: "button studio-copy", type: "button",
    "aria-label": action, "data-testid": "studio-copy" }, label);
  let timer = null;
  button.addEventListener("click", async () => {
    const isCopied = await copy(text);
    setText(label, isCopied ? t("Copied") : t("Not copied"));
    setText(news, isCopied ? t("{name} copied", { name })
      : t("{name} could not be copied: select it instead", { name }));
    clearTimeout(timer);
    timer = setTimeout(() => {
      setText(label, t("Copy"));
      setText(news, "");
    }, shown);
  });
  return element("div", { class: "studio-link" },
    element("div", { class: "studio-link-text" }, element("b", {}, name),
      element("span", { class: "quiet" }, hint),
      element("span", { class: "studio-address", tabindex: "-1" },
        seen.replace(/^https?:\/\//, ""))),
    button);
}
