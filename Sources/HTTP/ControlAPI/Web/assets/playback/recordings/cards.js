// The list of recordings as cards.

import { element, reconcile, setText } from "../../common/dom.js";
import { endText } from "../../common/end-text.js";
import { icon } from "../../common/icons.js";
import { toggleMenu } from "../../common/menu.js";
import { capital, t } from "../../common/texts.js";
import { Scrubber } from "../scrubber.js";
import {
  assetStates, dateText, fileText, isExpired, lengthText, sourceOf, states, titleOf,
} from "./recording-words.js";

const scrubbers = new WeakMap(); // of the cards' elements

/**
 * @param {Element} list
 * @param {object[]} cards
 * @param {{onPlay: (card, source, seconds: number) => void, actionsOf: (card) => object[]}} rules
 *   `actionsOf`: the items of a card's menu
 */
export function drawCards(list, cards, { onPlay, actionsOf }) {
  reconcile(list, cards, {
    key: (card) => card.id,
    create: createCard,
    update: (node, card) => updateCard(node, card, onPlay, actionsOf),
  });
}

function createCard(card) {
  const title = `card-${card.id}`;
  const still = element("div", { class: "still", "data-testid": "still" });
  const node = element(
    "li",
    { class: "card", "data-testid": "recording", "data-recording": card.id },
    still,
    element(
      "article",
      { class: "card-text", "aria-labelledby": title },
      element(
        "div",
        { class: "card-head" },
        element("h2", { class: "card-title", id: title, tabindex: "-1", dir: "auto" }),
        element("span", { class: "lamp" }),
      ),
      element("p", { class: "quiet card-detail" }),
      element("progress", { class: "progress", max: "1", "aria-labelledby": title, hidden: true }),
      element("p", { class: "problem card-problem", hidden: true }),
      element("ul", { class: "files" }),
    ),
    element(
      "div",
      { class: "card-actions" },
      element(
        "button",
        { class: "button button-primary play", type: "button", "data-testid": "play" },
        icon("play"),
        t("Play"),
        element("span", { class: "visually-hidden play-what" }),
      ),
      element(
        "button",
        {
          class: "icon-button card-more", type: "button", "aria-haspopup": "menu",
          "aria-expanded": "false", "data-testid": "more-actions",
        },
        icon("more"),
      ),
    ),
  );
  scrubbers.set(node, new Scrubber(still));
  return node;
}

function updateCard(node, card, onPlay, actionsOf) {
  const find = (name) => node.querySelector(name);
  const [phase, text] = states[card.status] ?? ["none", card.status];
  const title = titleOf(card);
  const when = dateText(card.created_at);
  setText(find(".card-title"), title);
  setText(find(".play-what"), ` ${t("the recording of {title}, {date}", { title, date: when })}`);
  const details = [
    card.name ? card.room_title : "", when, card.duration ? lengthText(card.duration) : "",
  ];
  setText(find(".card-detail"), details.filter(Boolean).join(" · "));
  const lamp = find(".lamp");
  lamp.dataset.phase = isExpired(card) ? "none" : phase;
  const percent = card.progress === undefined ? "" : ` ${Math.round(card.progress * 100)} %`;
  setText(lamp, isExpired(card) ? t("Expired") : text + percent);
  const progress = find(".progress");
  progress.hidden = card.status !== "post_processing";
  progress.value = card.progress ?? 0;
  const problem = find(".card-problem");
  problem.hidden = card.status !== "failed";
  setText(problem, capital(endText(card.stop_reason, card.stop_code)));
  const source = sourceOf(card);
  find(".play").hidden = !source;
  find(".play").onclick = () => onPlay(card, source, 0);
  const more = find(".card-more");
  more.setAttribute("aria-label", t("More about {title}, {date}", { title, date: when }));
  more.onclick = () => toggleMenu(more, title, actionsOf(card));
  const pictured = card.assets.find((one) => one.thumbnail_url ?? one.sprite_vtt_url);
  scrubbers.get(node).show({
    picture: pictured?.thumbnail_url ?? null,
    cues: pictured?.sprite_vtt_url ?? null,
    pick: source && ((seconds) => onPlay(card, source, seconds)),
  });
  reconcile(find(".files"), card.assets, {
    key: (asset) => asset.id,
    create: createFile,
    update: updateFile,
  });
}

function createFile() {
  return element("li", { "data-testid": "asset" });
}

function updateFile(node, asset) {
  const what = fileText(asset);
  const path = asset.url?.split("/").at(-1) ?? "";
  if (node.dataset.shown === `${what} ${path}`) {
    const link = node.querySelector("a");
    if (link) link.href = `${asset.url}?download`; // links end, and are new each time
    return;
  }
  node.dataset.shown = `${what} ${path}`;
  node.replaceChildren(
    asset.url
      ? element("a", { class: "file", href: `${asset.url}?download` }, icon("download"), what)
      : element("span", { class: "file quiet" },
        `${what} · ${assetStates[asset.status] ?? asset.status}`),
  );
}
