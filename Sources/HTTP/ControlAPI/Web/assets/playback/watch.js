// The watch page and the embedded player: waits for the room's stream, plays it, and reports its
// end.

import { configuration, stream } from "../common/api.js";
import { byID, clockText, setText } from "../common/dom.js";
import { placeIcons } from "../common/icons.js";
import { roomTitle } from "../common/room-name.js";
import { t } from "../common/texts.js";
import { Player } from "./player.js";
import { Controls } from "./player/controls.js";
import { lackWords, startWords } from "./stream-words.js";

const pollInterval = 2000; // ms
const roomID = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const video = byID("video");
const lamp = document.getElementById("lamp"); // missing in the embedded player

const notices = {
  none: [
    t("Nothing is on air"), t("This page starts the stream by itself as soon as there is one."),
  ],
  starting: [t("The stream is about to begin"), t("Only a few seconds more.")],
  connecting: [t("Connecting …"), t("The picture comes in a moment.")],
  ended: [
    t("The stream has ended"), t("Thank you for watching. A new one would start here by itself."),
  ],
  failed: [
    t("The stream was interrupted"), t("This page goes on by itself when it is back."),
  ],
  unplayable: [
    t("This browser cannot play the stream by itself"),
    t("Open it in Chrome, Edge or Safari, or give this address to a player such as VLC."),
  ],
  unreachable: [t("The server cannot be reached"), t("This page keeps trying.")],
};

placeIcons();
byID("title").textContent = roomTitle(roomID);
document.title = t("{room} · live on Roomcast", { room: roomTitle(roomID) });

const settings = await configuration().catch(() => ({}));
const player = new Player(video, settings.hls_js_url ?? null);
window.roomcastPlayer = player; // for tests and the curious
const controls = new Controls(byID("screen"), video, player);
let current = { phase: "none", id: null };
let isShown = false; // the player is shown, not a notice
let hasBegun = false; // the stream has shown a picture or played sound
let notice = { kind: "", since: 0 }; // the visible notice, and its start in ms of this page
let finished = null; // the id of a stream whose last segments are still playing

player.addEventListener("playing", () => {
  if (video.muted) byID("unmute").hidden = false;
  else hide(byID("unmute"));
});
for (const event of ["loadeddata", "playing", "pause"]) {
  video.addEventListener(event, () => {
    // A browser that blocks autoplay has nothing to show until the user starts it.
    const isReady = video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    const isOurs = event === "pause" && video.readyState >= HTMLMediaElement.HAVE_METADATA;
    if (!player.url || !(isReady || isOurs)) return;
    hasBegun = true;
    if (current.phase === "live") hideNotice();
  });
}
// Whether there is a picture is known with the first segment, and may change later.
for (const event of ["loadedmetadata", "resize", "emptied", "play", "pause", "ended"]) {
  video.addEventListener(event, drawSoundOnly);
}
byID("unmute").addEventListener("click", () => {
  video.muted = false;
  hide(byID("unmute"));
});
video.addEventListener("volumechange", () => {
  if (!video.muted) hide(byID("unmute"));
});
video.addEventListener("ended", () => {
  if (finished === current.id) show("ended");
});
byID("copy").addEventListener("click", async () => {
  byID("address").select();
  setText(byID("copied"), ""); // so that it is announced again
  try {
    await navigator.clipboard.writeText(byID("address").value);
    setText(byID("copied"), t("The address is copied."));
  } catch {
    setText(byID("copied"), t("This browser does not copy it. The address is selected."));
  }
});

async function poll() {
  try {
    take(await stream(roomID));
  } catch {
    // A running stream plays on: the segments may come from another server.
    if (!player.url) show("unreachable");
  }
  drawLamp();
  setTimeout(poll, pollInterval);
}

function take(next) {
  current = next;
  switch (next.phase) {
    case "live":
      begin(next);
      if (!player.canPlay(sourceOf(next)) || player.isLibraryMissing) return showAddress(next.url);
      return hasBegun ? hideNotice() : show("connecting");
    case "ended":
      // A viewer is some seconds behind: let the rest play out.
      if (player.url && !video.ended) {
        finished = next.id;
        return;
      }
      return show("ended");
    case "failed":
    case "starting":
    case "none":
      if (player.url) player.stop();
      return show(next.phase);
  }
}

function begin(next) {
  const source = sourceOf(next);
  if (!player.canPlay(source) || player.url === source.url) return;
  hasBegun = false;
  player.play(source).catch(() => {});
}

function sourceOf({ url, cmaf_url: fragments, low_latency: isLowLatency = false }) {
  return {
    url: absolute(url), fragments: fragments ? absolute(fragments) : null, isLowLatency,
  };
}

function absolute(url) {
  return new URL(url, location.href).href;
}

function show(kind) {
  const [title, text] = notices[kind];
  if (notice.kind !== kind) notice = { kind, since: performance.now() };
  isShown = false;
  // A video that is about to play must be in the page; the notice covers it.
  video.hidden = kind !== "connecting";
  controls.hidden = true;
  drawSoundOnly();
  hide(byID("unmute"));
  byID("notice").hidden = false;
  byID("notice-mark").dataset.phase = kind;
  byID("notice-address").hidden = kind !== "unplayable";
  setText(byID("notice-title"), title);
  setText(byID("notice-text"), longerText(kind) || text);
}

/** The text for a long wait. */
function longerText(kind) {
  const waited = (performance.now() - notice.since) / 1000;
  if (kind === "starting") return startWords({ waited, restarts: current.bot_restarts });
  return kind === "connecting" ? startWords({ waited, isPage: true }) : "";
}

function showAddress(url) {
  byID("address").value = absolute(url);
  show("unplayable");
}

function hideNotice() {
  byID("notice").hidden = true;
  notice = { kind: "", since: 0 };
  video.hidden = false;
  controls.hidden = false;
  isShown = true;
  drawSoundOnly();
}

/** Replaces a black rectangle. The controls stay visible. */
function drawSoundOnly() {
  const hasPicture = video.readyState === HTMLMediaElement.HAVE_NOTHING || video.videoWidth > 0;
  byID("sound-only").hidden = !isShown || hasPicture;
  byID("sound-only").dataset.state = video.paused ? "paused" : "playing";
}

function drawLamp() {
  if (!lamp) return;
  const isLive = current.phase === "live";
  lamp.hidden = !isLive && current.phase !== "starting";
  lamp.dataset.phase = current.phase;
  const started = Date.parse(current.started_at ?? "") || Number(current.started_at) || 0;
  const elapsed = started > 0 ? ` ${clockText(Date.now() - started)}` : "";
  lamp.toggleAttribute("data-lack", isLive && Boolean(current.degradation));
  setText(byID("lack"), isLive ? lackWords(current.degradation ?? null) : "");
  lamp.textContent = isLive ? t("Live") + elapsed : t("Starting");
}

/** If a hidden button had the focus, the present content gets it. */
function hide(button) {
  const hadFocus = button === document.activeElement;
  button.hidden = true;
  if (hadFocus) (video.hidden ? byID("title") : video).focus();
}

setInterval(drawLamp, 1000);
poll();
