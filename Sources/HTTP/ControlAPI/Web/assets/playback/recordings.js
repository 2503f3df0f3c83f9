// The recordings page: finds and lists recordings with their progress, plays, shares, names and
// deletes them.

import { configuration, recordings } from "../common/api.js";
import { byID, setText } from "../common/dom.js";
import { placeIcons } from "../common/icons.js";
import { t, tn } from "../common/texts.js";
import { drawCards } from "./recordings/cards.js";
import {
  askForDeletion, askForName, shareRecording, showDetails,
} from "./recordings/dialogs.js";
import { dateText, isFinal, sourceOf, titleOf } from "./recordings/recording-words.js";
import { Theatre } from "./recordings/theatre.js";

const refreshInterval = 3000; // ms, while a recording is in progress
const idleInterval = 600000; // ms
const typingPause = 400; // ms until what was typed is looked for
const pageSize = 20;
const pageSizeMaximum = 100; // of one answer
const tokenKey = "roomcast-management-token"; // kept while the tab is open
const list = byID("list");
const dialog = byID("theatre");

let token = sessionStorage.getItem(tokenKey) ?? "";
let wanted = pageSize;
let timer = null;
let round = 0; // answers to outdated requests are not shown
let known = null; // the number of cards when older ones were requested
let mayChange = false;

placeIcons();
const query = new URLSearchParams(location.search);
byID("search").value = query.get("search") ?? query.get("room") ?? "";
byID("from").value = query.get("from") ?? "";
byID("to").value = query.get("to") ?? "";
const settings = await configuration().catch(() => ({}));
const theatre = new Theatre(
  {
    screen: byID("screen"), video: byID("video"), replay: byID("replay"),
    problem: byID("theatre-error"),
  },
  settings.hls_js_url ?? null,
);

byID("key").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byID("token").value.trim();
  refresh();
});
byID("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
let typing = null;
byID("filter").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(look, typingPause);
});
byID("more").addEventListener("click", () => {
  known = list.children.length;
  wanted += pageSize;
  refresh();
});
byID("theatre-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // beside the dialog
});
dialog.addEventListener("close", () => theatre.stop());

/** Looks for what the form asks for, which the address says too. */
function look() {
  clearTimeout(typing);
  const fields = ["search", "from", "to"].map((name) => [name, byID(name).value.trim()]);
  const next = new URLSearchParams(fields.filter(([, value]) => value));
  history.replaceState(null, "", next.size > 0 ? `?${next}` : location.pathname);
  wanted = pageSize;
  known = null;
  refresh();
}

/** What is looked for; the days are those of this place. */
function wish() {
  const day = (name, time) => {
    const { value } = byID(name);
    const date = new Date(`${value}T${time}`);
    // While a year is typed, it is one of long ago.
    return value && date.getFullYear() >= 1971 && date.getFullYear() < 2199
      ? date.toISOString() : "";
  };
  return {
    search: byID("search").value.trim(),
    after: day("from", "00:00:00.000"),
    before: day("to", "23:59:59.999"),
  };
}

async function refresh() {
  clearTimeout(timer);
  const asked = ++round;
  try {
    const { data, last, may_change: isManager } = await load();
    if (asked !== round) return;
    if (token) sessionStorage.setItem(tokenKey, token);
    mayChange = Boolean(isManager);
    const hadFocus = byID("key").contains(document.activeElement);
    byID("key").hidden = true;
    byID("filter").hidden = false;
    draw(data, last);
    if (hadFocus) byID("title").focus(); // the start of the new content
    const isOver = data.every(isFinal);
    timer = setTimeout(refresh, isOver ? idleInterval : refreshInterval);
  } catch (error) {
    if (asked !== round) return;
    if (error.status === 401 || error.status === 403) return askForToken(error);
    setText(byID("summary"), error.message);
    timer = setTimeout(refresh, refreshInterval);
  }
}

async function load() {
  const data = [];
  let answer;
  do {
    const limit = Math.min(pageSizeMaximum, wanted - data.length);
    answer = await recordings(token, { ...wish(), start: answer?.last ?? "", limit });
    data.push(...answer.data);
  } while (answer.last && data.length < wanted);
  return { ...answer, data };
}

function askForToken(error) {
  sessionStorage.removeItem(tokenKey);
  setText(byID("key-error"), token ? error.message : "");
  token = "";
  byID("key").hidden = false;
  byID("filter").hidden = true;
  byID("more").hidden = true;
  byID("empty").hidden = true;
  setText(byID("summary"), "");
  list.replaceChildren();
  byID("token").focus();
}

function draw(cards, last) {
  drawCards(list, cards, { onPlay: open, actionsOf });
  const older = known === null ? null : list.children[known]?.querySelector("h2");
  known = null;
  const isAtEnd = byID("more") === document.activeElement;
  byID("more").hidden = !last;
  if (isAtEnd && (older || !last)) (older ?? byID("title")).focus();
  byID("empty").hidden = cards.length > 0;
  const { search, after, before } = wish();
  const isNarrowed = search || after || before;
  setText(byID("empty"), isNarrowed
    ? t("No recording fits. Try another word, or other dates.")
    : t("Nothing has been recorded yet."));
  setText(byID("summary"), summaryOf(cards, last, search));
}

/** Screen readers read it, so it contains all that the page shows. */
function summaryOf(cards, last, search) {
  const count = cards.length === 0 ? t("No recordings")
    : tn(cards.length, { one: "{count} recording", other: "{count} recordings" });
  const busy = cards.filter((card) => !isFinal(card)).length;
  const parts = [
    search ? t("{recordings} with “{text}”", { recordings: count, text: search }) : count,
  ];
  if (last) parts.push(t("and older ones"));
  if (busy > 0) parts.push(t("{count} in progress", { count: busy }));
  return parts.join(", ");
}

function actionsOf(card) {
  const changed = (isDone) => isDone && refresh();
  return [
    mayChange && {
      text: t("Rename"), drawing: "pencil",
      run: () => askForName(token, card).then(changed),
    },
    sourceOf(card) && {
      text: t("Share a link"), drawing: "share", run: () => shareRecording(token, card),
    },
    { text: t("Details"), drawing: "info", run: () => showDetails(token, card) },
    mayChange && isFinal(card) && {
      text: t("Delete"), drawing: "trash", isDanger: true,
      run: () => askForDeletion(token, card).then(changed),
    },
  ].filter(Boolean);
}

function open(card, source, seconds) {
  setText(byID("theatre-title"), `${titleOf(card)}, ${dateText(card.created_at)}`);
  byID("theatre-share").onclick = () => shareRecording(token, card);
  byID("theatre-details").onclick = () => showDetails(token, card);
  dialog.showModal();
  theatre.play(card, source, seconds);
}

// A visitor who returns after a day gets fresh links.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && byID("key").hidden) refresh();
});
refresh();
