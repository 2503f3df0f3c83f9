// The page of one recording, for whoever has its link.

import { configuration, sharedRecording } from "../common/api.js";
import { byID, element, reconcile, setText } from "../common/dom.js";
import { icon, placeIcons } from "../common/icons.js";
import { t } from "../common/texts.js";
import {
  dateText, fileText, isFinal, lengthText, sourceOf, titleOf,
} from "./recordings/recording-words.js";
import { Theatre } from "./recordings/theatre.js";

const refreshInterval = 5000; // ms, until the recording is ready
const link = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const notices = {
  wait: [
    t("The recording is not ready yet"), t("This page shows it by itself as soon as it is."),
  ],
  none: [
    t("There is nothing to play"), t("The recording failed, or it has no sound and no picture."),
  ],
};

placeIcons();
const settings = await configuration().catch(() => ({}));
let theatre = null;

async function show() {
  let card;
  try {
    card = await sharedRecording(link);
  } catch (error) {
    // The server's own page says what is the matter.
    if (error.status === 403 || error.status === 410) return location.reload();
    setText(byID("problem"), error.message);
    return setTimeout(show, refreshInterval);
  }
  setText(byID("problem"), "");
  setText(byID("title"), titleOf(card));
  document.title = `${titleOf(card)} · Roomcast`;
  const length = card.duration ? ` · ${lengthText(card.duration)}` : "";
  setText(byID("detail"), dateText(card.created_at) + length);
  const source = sourceOf(card);
  byID("stage").hidden = !source;
  byID("notice").hidden = Boolean(source);
  if (!source) {
    const [title, text] = notices[isFinal(card) ? "none" : "wait"];
    setText(byID("notice-title"), title);
    setText(byID("notice-text"), text);
    return isFinal(card) ? undefined : setTimeout(show, refreshInterval);
  }
  reconcile(byID("files"), card.assets.filter((one) => one.url && one.type === "room-composite"), {
    key: (asset) => asset.id,
    create: (asset) => element("li", {},
      element("a", { class: "file", href: `${asset.url}?download` }, icon("download"),
        fileText(asset))),
    update: () => {},
  });
  theatre ??= new Theatre(
    { screen: byID("screen"), video: byID("video"), replay: byID("replay"),
      problem: byID("problem") },
    settings.hls_js_url ?? null,
  );
  theatre.play(card, source, 0);
}

show();
