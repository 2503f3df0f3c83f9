// The recordings page: lists recordings with their progress, plays and downloads them.

import { configuration, recordings } from "../common/api.js";
import { byID, clockText, element, reconcile, setText, sizeText } from "../common/dom.js";
import { icon, placeIcons } from "../common/icons.js";
import { Player } from "./player.js";
import { Controls } from "./player/controls.js";
import { Replay } from "./replay/replay.js";
import { Scrubber } from "./scrubber.js";

const refreshInterval = 3000; // ms, while a recording is in progress
const idleInterval = 600000; // ms
const tokenKey = "roomcast-management-token"; // kept while the tab is open
const list = byID("list");
const theatre = byID("theatre");
const video = byID("video");
const scrubbers = new WeakMap(); // of the cards' elements

const howToPlay = "This browser cannot play it. Download it, or give the address of its playlist"
  + " to a player such as VLC.";

let token = sessionStorage.getItem(tokenKey) ?? "";
let room = new URLSearchParams(location.search).get("room") ?? "";
let pages = 1;
let timer = null;
let round = 0; // answers to outdated requests are not shown
let known = null; // the number of cards when older ones were requested

placeIcons();
byID("room").value = room;
const settings = await configuration().catch(() => ({}));
const player = new Player(video, settings.hls_js_url ?? null, { isLive: false });
window.roomcastPlayer = player; // for tests and the curious
const controls = new Controls(byID("screen"), video, player);
controls.hidden = false;
const replay = new Replay(byID("replay"), video, player);
player.addEventListener("fault", () => {
  if (theatre.open) setText(byID("theatre-error"), "It cannot be fetched. Trying again …");
});
for (const event of ["playing", "recovered"]) {
  player.addEventListener(event, () => setText(byID("theatre-error"), ""));
}

byID("key").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byID("token").value.trim();
  refresh();
});
byID("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  room = byID("room").value.trim();
  pages = 1;
  known = null;
  history.replaceState(null, "", room ? `?room=${encodeURIComponent(room)}` : location.pathname);
  refresh();
});
byID("more").addEventListener("click", () => {
  known = list.children.length;
  pages += 1;
  refresh();
});
byID("theatre-close").addEventListener("click", () => theatre.close());
theatre.addEventListener("click", (event) => {
  if (event.target === theatre) theatre.close(); // beside the dialog
});
theatre.addEventListener("close", () => {
  replay.clear();
  player.stop();
});
video.addEventListener("error", () => {
  if (theatre.open && video.hasAttribute("src")) {
    setText(byID("theatre-error"), howToPlay);
  }
});

const states = {
  starting: ["starting", "Starting"],
  running: ["live", "Recording"],
  stopping: ["starting", "Stopping"],
  post_processing: ["starting", "Processing"],
  completed: ["done", "Ready"],
  failed: ["failed", "Failed"],
};

/** Final states need no frequent refresh; but links expire, and new recordings begin. */
const isFinal = (card) => card.status === "completed" || card.status === "failed";

async function refresh() {
  clearTimeout(timer);
  const asked = ++round;
  try {
    const { data, last } = await load();
    if (asked !== round) return;
    if (token) sessionStorage.setItem(tokenKey, token);
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
  let last = "";
  for (let page = 0; page < pages; page += 1) {
    const answer = await recordings({ token, room, start: last });
    data.push(...answer.data);
    last = answer.last;
    if (!last) break;
  }
  return { data, last };
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
  const rules = { key: (card) => card.id, create: createCard, update: updateCard };
  reconcile(list, cards, rules);
  const older = known === null ? null : list.children[known]?.querySelector("h2");
  known = null;
  const isAtEnd = byID("more") === document.activeElement;
  byID("more").hidden = !last;
  if (isAtEnd && (older || !last)) (older ?? byID("title")).focus();
  byID("empty").hidden = cards.length > 0;
  setText(byID("empty"),
    room ? `Nothing was recorded in ${room}.` : "Nothing has been recorded yet.");
  setText(byID("summary"), summaryOf(cards, last));
}

/** Screen readers read it, so it contains all that the page shows. */
function summaryOf(cards, last) {
  const count = cards.length === 1 ? "1 recording" : `${cards.length || "No"} recordings`;
  const busy = cards.filter((card) => !isFinal(card)).length;
  const parts = [room ? `${count} of ${room}` : count];
  if (last) parts.push("and older ones");
  if (busy > 0) parts.push(`${busy} in progress`);
  return parts.join(", ");
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
        element("h2", { class: "card-title", id: title, tabindex: "-1" }),
        element("span", { class: "lamp" }),
      ),
      element("p", { class: "quiet card-detail" }),
      element("progress", { class: "progress", max: "1", "aria-labelledby": title, hidden: true }),
      element("p", { class: "problem card-problem", hidden: true }),
      element("ul", { class: "files" }),
    ),
    element(
      "button",
      { class: "button button-primary play", type: "button", "data-testid": "play" },
      icon("play"),
      "Play",
      element("span", { class: "visually-hidden play-what" }),
    ),
  );
  scrubbers.set(node, new Scrubber(still));
  return node;
}

function updateCard(node, card) {
  const find = (name) => node.querySelector(name);
  const [phase, text] = states[card.status] ?? ["none", card.status];
  const when = dateText(card.created_at);
  setText(find(".card-title"), card.room_id);
  setText(find(".play-what"), ` the recording of ${card.room_id}, ${when}`);
  const length = card.duration ? ` · ${clockText(card.duration * 1000)}` : "";
  setText(find(".card-detail"), `${when}${length}`);
  const isExpired = card.assets.length > 0 && card.assets.every((one) => one.status === "expired");
  const lamp = find(".lamp");
  lamp.dataset.phase = isExpired ? "none" : phase;
  const percent = card.progress === undefined ? "" : ` ${Math.round(card.progress * 100)} %`;
  setText(lamp, isExpired ? "Expired" : text + percent);
  const progress = find(".progress");
  progress.hidden = card.status !== "post_processing";
  progress.value = card.progress ?? 0;
  const problem = find(".card-problem");
  problem.hidden = card.status !== "failed";
  setText(problem, (card.stop_reason ?? "").replace(/^failure: /, ""));
  const source = sourceOf(card);
  find(".play").hidden = !source;
  find(".play").onclick = () => open(card, source, 0);
  const pictured = card.assets.find((one) => one.thumbnail_url ?? one.sprite_vtt_url);
  scrubbers.get(node).show({
    picture: pictured?.thumbnail_url ?? null,
    cues: pictured?.sprite_vtt_url ?? null,
    pick: source && ((seconds) => open(card, source, seconds)),
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
  const what = `${describe(asset)} · ${sizeText(asset.size)}`;
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
      : element("span", { class: "file quiet" }, `${what} · ${asset.status}`),
  );
}

function describe(asset) {
  const size = asset.width ? `${asset.width} × ${asset.height} ` : "";
  switch (asset.type) {
    case "room-composite":
      return size ? `${size}MP4` : "Sound M4A";
    case "room-vod":
      return `${size}HLS in a zip`;
    case "track":
      return `${size}track in ${asset.url?.split(".").at(-1) ?? "a file"}`;
    case "stream":
      return `${size}file of a peer`;
    case "transcript":
      return `Transcript ${asset.url?.split(".").at(-1).toUpperCase() ?? ""}`;
    case "chat":
      return "Chat CSV";
    case "audio-mix":
      return "Sound of all tracks";
    case "track-index":
      return "Index of tracks";
    case "individual":
      return "Tracks in a zip";
    default:
      return asset.type;
  }
}

/** What to play: the VOD if it is fragmented MP4, or the best file, which every browser plays. */
function sourceOf(card) {
  const files = card.assets.filter((one) => one.type === "room-composite" && one.url);
  files.sort((a, b) => (b.width ?? 0) - (a.width ?? 0));
  const file = files[0]?.url ?? null;
  const vod = card.assets.find((one) => one.playback_url)?.playback_url ?? null;
  const url = vod ?? file;
  return url && { url: absolute(url), fragments: vod && absolute(vod), file };
}

function absolute(url) {
  return new URL(url, location.href).href;
}

function open(card, source, seconds) {
  setText(byID("theatre-title"), `${card.room_id}, ${dateText(card.created_at)}`);
  setText(byID("theatre-error"), "");
  theatre.showModal();
  const sprite = card.assets.find((one) => one.sprite_vtt_url)?.sprite_vtt_url ?? null;
  controls.showPictures(sprite);
  replay.show(card, source.fragments);
  player.play({ ...source, begin: seconds }).catch(() => setText(byID("theatre-error"), howToPlay));
  video.focus();
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function dateText(time) {
  return dates.format(new Date(time));
}

// A visitor who returns after a day gets fresh links.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && byID("key").hidden) refresh();
});
refresh();
