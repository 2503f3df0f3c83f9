// What a recording and its files are called, and what of it can be played.

import { clockText, sizeText } from "../../common/dom.js";
import { capital, locale, t } from "../../common/texts.js";

const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/** "21 Nov 2026, 10:09" */
export const dateText = (time) => dates.format(new Date(time));

/** Its name, or the room's. */
export const titleOf = (card) => card.name || card.room_title || card.room_id;

/** "4:05" for seconds. */
export const lengthText = (seconds) => clockText(seconds * 1000);

export const states = {
  starting: ["starting", t("Starting")],
  running: ["live", t("Recording")],
  stopping: ["starting", t("Stopping")],
  post_processing: ["starting", t("Processing")],
  completed: ["done", t("Ready")],
  failed: ["failed", t("Failed")],
};

/** Of files that cannot be fetched. */
export const assetStates = {
  completed: t("completed"), failed: t("failed"), expired: t("expired"),
};

/** Final states need no frequent refresh. */
export const isFinal = (card) => card.status === "completed" || card.status === "failed";

export const isExpired = (card) =>
  card.assets.length > 0 && card.assets.every((one) => one.status === "expired");

/** "1280 × 720 MP4 · 78 MB" */
export const fileText = (asset) => `${capital(describe(asset))} · ${sizeText(asset.size)}`;

function describe(asset) {
  const size = asset.width ? `${asset.width} × ${asset.height} ` : "";
  switch (asset.type) {
    case "room-composite":
      return size ? `${size}MP4` : t("Sound M4A");
    case "room-vod":
      return size + t("HLS in a zip");
    case "track":
      return size + (asset.url ? t("track in {format}", { format: asset.url.split(".").at(-1) })
        : t("track in a file"));
    case "stream":
      return size + t("file of a peer");
    case "transcript":
      return `${t("Transcript")} ${asset.url?.split(".").at(-1).toUpperCase() ?? ""}`;
    case "chat":
      return t("Chat CSV");
    case "audio-mix":
      return t("Sound of all tracks");
    case "track-index":
      return t("Index of tracks");
    case "individual":
      return t("Tracks in a zip");
    default:
      return asset.type;
  }
}

/** What to play: the VOD if it is fragmented MP4, or the best file, which every browser plays. */
export function sourceOf(card) {
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
