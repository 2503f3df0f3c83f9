// What can be done with a recording, and what is known of it.

import {
  deleteRecording, recording, recordingLink, renameRecording,
} from "../../common/api.js";
import { copyField } from "../../common/copy-field.js";
import { ask, choice, labelled } from "../../common/dialog.js";
import { element, sizeText } from "../../common/dom.js";
import { t, tn } from "../../common/texts.js";
import { toast } from "../../common/toasts.js";
import { dateText, isExpired, lengthText, states, titleOf } from "./recording-words.js";

const nameLength = 128; // UTF-16 units: at most 512 bytes
const day = 86_400; // s
const lives = [
  { value: "3600", text: t("1 hour") },
  { value: String(day), text: t("1 day") },
  { value: String(7 * day), text: t("7 days") },
  { value: String(15 * day), text: t("15 days") },
];
const usualLife = lives[2].value;

/** @returns {Promise<boolean>} whether it has another name now */
export async function askForName(token, card) {
  const field = element("input", {
    class: "field", value: card.name ?? "", maxlength: nameLength, autocomplete: "off",
    dir: "auto", placeholder: card.room_title, "data-testid": "recording-name",
  });
  field.addEventListener("focus", () => field.select());
  const isWished = await ask({
    title: t("Rename the recording"),
    content: [labelled(t("Name"), field)],
    confirm: t("Rename"),
    refuse: t("Cancel"),
  });
  const name = field.value.trim();
  if (!isWished || name === (card.name ?? "")) return false;
  return attempt(() => renameRecording(token, card.id, name));
}

/** @returns {Promise<boolean>} whether it is deleted */
export async function askForDeletion(token, card) {
  const title = titleOf(card);
  const isSure = await ask({
    title: t("Delete “{title}”?", { title }),
    text: t("The recording of {date} is deleted for everybody, with its chat and its transcripts."
      + " Links to it stop working. This cannot be undone.", { date: dateText(card.created_at) }),
    confirm: t("Delete"),
    refuse: t("Cancel"),
    isDanger: true,
  });
  if (!isSure || !(await attempt(() => deleteRecording(token, card.id)))) return false;
  toast(t("“{title}” is deleted", { title }));
  return true;
}

/** Shows a link to a page that plays the recording for whoever has it. */
export function shareRecording(token, card) {
  const title = titleOf(card);
  const life = choice("share-life", t("The link works for"), lives);
  life.node.querySelector(`[value="${usualLife}"]`).checked = true;
  const link = copyField({ label: t("Link to the recording"), shareTitle: title,
    testID: "share-link" });
  const problem = element("p", { class: "problem", role: "alert" });
  let round = 0;
  const renew = async () => {
    const asked = ++round;
    link.show("");
    try {
      const { url } = await recordingLink(token, card.id, life.value());
      if (asked === round) link.show(url);
    } catch (error) {
      if (asked === round) problem.textContent = error.message;
    }
  };
  life.node.addEventListener("change", renew);
  renew();
  return ask({
    title: t("Share “{title}”", { title }),
    text: t("Whoever has the link can watch and download the video, but not read the chat or the"
      + " transcript."),
    content: [life.node, link.node, problem],
    confirm: t("Done"),
  });
}

export async function showDetails(token, card) {
  let details;
  try {
    details = await recording(token, card.id);
  } catch (error) {
    return toast(error.message, "error");
  }
  const facts = factsOf(details).filter(([, text]) => text);
  await ask({
    title: titleOf(card),
    content: [
      element("dl", { class: "facts", "data-testid": "facts" },
        ...facts.flatMap(([name, text]) => [
          element("dt", {}, name), element("dd", { dir: "auto" }, text),
        ])),
    ],
    confirm: t("Done"),
  });
}

function factsOf(card) {
  const size = card.assets.reduce((sum, one) => sum + (one.status === "completed" ? one.size : 0),
    0);
  const pictures = card.assets.filter((one) => one.type === "room-composite" && one.width);
  const sizes = [...new Set(pictures.map((one) => `${one.width} × ${one.height}`))];
  const layers = Math.max(...card.assets.map((one) => one.layers ?? 0), pictures.length, 0);
  const people = card.people_cut ? t("{names}, and others", { names: card.people.join(", ") })
    : card.people.join(", ");
  return [
    [t("State"), isExpired(card) ? t("Expired") : states[card.status]?.[1] ?? card.status],
    [t("Room"), card.room_title],
    [t("Recorded"), dateText(card.started_at ?? card.created_at)],
    [t("Length"), card.duration ? lengthText(card.duration) : ""],
    [t("Picture"), sizes.join(", ")],
    [t("Layers"), layers > 0 ? String(layers) : ""],
    [t("Size"), size > 0
      ? t("{size} in {files}", { size: sizeText(size), files: filesText(card.assets.length) }) : ""],
    [t("Started by"), card.started_by ?? ""],
    [t("People"), people],
    [t("Storage"), storageText(card)],
  ];
}

function storageText({ assets, uploads }) {
  const pending = Object.values(uploads);
  const stored = assets.filter((one) => one.stored && one.status === "completed").length;
  if (pending.length === 0) {
    return stored > 0 ? t("{files} in the store", { files: filesText(stored) }) : "";
  }
  const sent = pending.reduce((sum, one) => sum + one.bytes_sent, 0);
  const failed = pending.find((one) => one.failures > 0);
  const text = t("{files} being uploaded, {size} sent",
    { files: filesText(pending.length), size: sizeText(sent) });
  return failed?.reason
    ? `${text}. ${t("The last attempt failed: {reason}", { reason: t(failed.reason) })}` : text;
}

const filesText = (count) => tn(count, { one: "{count} file", other: "{count} files" });

/** @returns {Promise<boolean>} whether it worked; the user sees any error */
async function attempt(action) {
  try {
    await action();
    return true;
  } catch (error) {
    toast(error.message, "error");
    return false;
  }
}
