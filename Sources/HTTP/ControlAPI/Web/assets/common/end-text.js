// Why a stream or a recording ended.

import { isTranslated, t } from "./texts.js";

// The server marks failures so; where it is shown, the state says that already.
const mark = /^failure: /;

const full = t("there is no space left on the disk");
const silent = t("the recorder did not become ready, or stood still");
const unencoded = t("a quality of the stream cannot be encoded");
const unavailable = t("the recorder could not be started");
const unseen = t("what was to be shown could not be shown");
const broken = t("the recorder failed");

// What the server's own words say in detail, by their code.
const causes = {
  directory_lost: t("the stream's directory is gone"),
  bot_not_started: unavailable,
  bot_stood_still: silent,
  bot_died: t("the recorder ended unexpectedly"),
  bot_left_early: broken,
  not_encoded: unencoded,
  disk_full: full,
  page_not_shown: t("the page could not be shown"),
  source_encrypted: t("the meeting is encrypted from end to end"),
  source_silent: t("nothing came from the meeting"),
  source_lost: t("the connection to the meeting was lost"),
  source_closed: t("the meeting did not let the recorder in"),
  assets_not_made: t("the files could not be made"),
  no_room_for_assets: full,
  // Of errors in a room, which name kinds of causes: see docs/ERRORS.md.
  422: unencoded,
  500: broken,
  502: unseen,
  503: unavailable,
  504: silent,
  507: full,
};

/**
 * @param {string} [reason] the server's `stop_reason`, or the message of an error in a room
 * @param {string|number} [code] its code
 * @returns {string} empty for none
 */
export function endText(reason, code) {
  const words = (reason ?? "").replace(mark, "");
  const cause = causes[code];
  // The details stay in the server's language, and can be searched for as they are.
  return isTranslated(words) || !cause ? t(words) : `${cause} (${words})`;
}
