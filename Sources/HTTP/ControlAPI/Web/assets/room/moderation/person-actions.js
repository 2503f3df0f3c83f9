// The actions on a person in the room. Pure: the person and one's permissions in, a menu out.

import { t } from "../../common/texts.js";

/**
 * @typedef {{id: string, name: string, role: string, isLocal: boolean, isOnStage: boolean,
 *            isPinned: boolean, hand: number, audio: object|null, video: object|null,
 *            screen: object|null}} Person
 *   audio, video, screen: the descriptions of the person's tracks, with `isMuted`
 *
 * @param {Person} person
 * @param {{permissions: object, known: string[]}} role one's own
 * @returns {{name: string, text: string, drawing: string, isDanger?: boolean}[]}
 */
export function actionsFor(person, { permissions: may, known }) {
  const rename = { name: "rename", text: t("Change your name …"), drawing: "people" };
  if (person.isLocal) return [rename];
  const actions = [];
  const add = (isPossible, name, text, drawing, more = {}) => {
    if (isPossible) actions.push({ name, text, drawing, ...more });
  };
  const pin = person.isPinned ? t("Let go of the picture") : t("Show large");
  add(person.isOnStage, "pin", pin, "pin");
  add(may.broadcast !== false, "write", t("Write privately"), "chat");
  const { audio, video, screen } = person;
  add(audio && !audio.isMuted && may.mute, "mute", t("Mute the microphone"), "microphoneOff");
  add(audio?.isMuted && may.unmute, "unmute", t("Ask to unmute"), "microphone");
  add(video && !video.isMuted && may.mute, "darken", t("Turn the camera off"), "cameraOff");
  add(video?.isMuted && may.unmute, "lighten", t("Ask to turn the camera on"), "camera");
  add(screen && may.mute, "unshare", t("Stop the screen share"), "screen");
  add(person.hand > 0 && may.changeRole, "lower", t("Lower the hand"), "hand");
  const hasOther = known.some((name) => name !== person.role);
  add(may.changeRole && hasOther, "role", t("Change role …"), "people");
  add(may.removeOthers, "remove", t("Remove from the room …"), "leave", { isDanger: true });
  return actions;
}
