// Draws the bar of controls.

import { byID, element } from "../common/dom.js";
import { icon } from "../common/icons.js";

/**
 * @param {{media: import("./devices/local-media.js").LocalMedia, allowed: string[], isSharing: boolean,
 *          hand: number, panel: string|null, mayEnd: boolean, mayPoll: boolean}} state allowed: what
 *   the role may publish; hand: its place in the queue, 0 while it is down; panel: the visible one
 */
export function drawControls({ media, allowed, isSharing, hand, panel, mayEnd, mayPoll }) {
  const { isMicrophoneOn, isCameraOn } = media;
  draw("microphone", {
    label: isMicrophoneOn ? "Mute" : "Unmute",
    drawing: isMicrophoneOn ? "microphone" : "microphoneOff",
    mood: isMicrophoneOn ? "" : "is-off",
    isHidden: !allowed.includes("audio"),
  });
  draw("camera", {
    label: isCameraOn ? "Turn the camera off" : "Turn the camera on",
    drawing: isCameraOn ? "camera" : "cameraOff",
    mood: isCameraOn ? "" : "is-off",
    isHidden: !allowed.includes("video"),
  });
  draw("screen", {
    label: isSharing ? "Stop sharing the screen" : "Share the screen",
    drawing: "screen",
    mood: isSharing ? "is-on" : "",
    isHidden: !allowed.includes("screen") || !navigator.mediaDevices?.getDisplayMedia,
  });
  draw("hand", {
    label: hand > 0 ? "Lower your hand" : "Raise your hand",
    drawing: "hand",
    mood: hand > 0 ? "is-on" : "",
  });
  for (const [name, label] of [["chat", "Chat"], ["people", "People"], ["polls", "Polls"]]) {
    const isOpen = panel === name;
    const isHidden = name === "polls" && !mayPoll;
    draw(`open-${name}`, { label, drawing: name, mood: isOpen ? "is-on" : "", isHidden });
    byID(`open-${name}`).setAttribute("aria-expanded", String(isOpen));
  }
  draw("devices", { label: "Devices", drawing: "devices" });
  draw("end-room", { label: "End the room", drawing: "end", isHidden: !mayEnd });
  draw("leave", { label: "Leave the room", drawing: "leave" });
}

/** A number on a control, also spoken. */
export function badge(id, count, label) {
  const button = byID(id);
  button.querySelector(".count")?.remove();
  button.setAttribute("aria-label", label);
  if (count > 0) button.append(element("span", { class: "count" }, String(Math.min(count, 99))));
}

/** Draws one control; its badge, if any, stays. */
function draw(id, { label, drawing, mood = "", isHidden = false }) {
  const button = byID(id);
  button.hidden = isHidden;
  button.title = label;
  if (!button.querySelector(".count")) button.setAttribute("aria-label", label);
  button.classList.toggle("is-on", mood === "is-on");
  button.classList.toggle("is-off", mood === "is-off");
  if (button.dataset.drawing === drawing) return;
  button.dataset.drawing = drawing;
  button.querySelector(".icon")?.remove();
  button.prepend(icon(drawing));
}
