// The actions on a person in the room. Pure: the person and one's permissions in, a menu out.

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
  if (person.isLocal) return [{ name: "rename", text: "Change your name …", drawing: "people" }];
  const actions = [];
  const add = (isPossible, name, text, drawing, more = {}) => {
    if (isPossible) actions.push({ name, text, drawing, ...more });
  };
  const pin = person.isPinned ? "Let go of the picture" : "Show large";
  add(person.isOnStage, "pin", pin, "pin");
  add(may.broadcast !== false, "write", "Write privately", "chat");
  const { audio, video, screen } = person;
  add(audio && !audio.isMuted && may.mute, "mute", "Mute the microphone", "microphoneOff");
  add(audio?.isMuted && may.unmute, "unmute", "Ask to unmute", "microphone");
  add(video && !video.isMuted && may.mute, "darken", "Turn the camera off", "cameraOff");
  add(video?.isMuted && may.unmute, "lighten", "Ask to turn the camera on", "camera");
  add(screen && may.mute, "unshare", "Stop the screen share", "screen");
  add(person.hand > 0 && may.changeRole, "lower", "Lower the hand", "hand");
  const hasOther = known.some((name) => name !== person.role);
  add(may.changeRole && hasOther, "role", "Change role …", "people");
  add(may.removeOthers, "remove", "Remove from the room …", "leave", { isDanger: true });
  return actions;
}
