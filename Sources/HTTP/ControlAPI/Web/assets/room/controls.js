// Draws the bar of controls.

import { byID, element, setText } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t, tc } from "../common/texts.js";

/**
 * @param {{media: import("./devices/local-media.js").LocalMedia, allowed: string[], isSharing:
 *          boolean, hand: number, panel: string|null, mayPoll: boolean, mayStream: boolean}} state
 *   allowed: what the role may publish; hand: its place in the queue, 0 while it is down; panel:
 *   the visible one
 */
export function drawControls({ media, allowed, isSharing, hand, panel, mayPoll, mayStream }) {
  const { isMicrophoneOn, isCameraOn } = media;
  draw("microphone", {
    label: isMicrophoneOn ? t("Mute") : t("Unmute"),
    caption: tc("caption", isMicrophoneOn ? "Mute" : "Unmute"),
    drawing: isMicrophoneOn ? "microphone" : "microphoneOff",
    mood: isMicrophoneOn ? "" : "is-off",
    isHidden: !allowed.includes("audio"),
  });
  draw("camera", {
    label: isCameraOn ? t("Turn the camera off") : t("Turn the camera on"),
    caption: t("Camera"),
    drawing: isCameraOn ? "camera" : "cameraOff",
    mood: isCameraOn ? "" : "is-off",
    isHidden: !allowed.includes("video"),
  });
  draw("screen", {
    label: isSharing ? t("Stop sharing the screen") : t("Share the screen"),
    caption: t("Screen"),
    drawing: "screen",
    mood: isSharing ? "is-on" : "",
    isHidden: !allowed.includes("screen") || !navigator.mediaDevices?.getDisplayMedia,
  });
  draw("hand", {
    label: hand > 0 ? t("Lower your hand") : t("Raise your hand"),
    caption: t("Hand"),
    drawing: "hand",
    mood: hand > 0 ? "is-on" : "",
  });
  const panels = [["chat", t("Chat")], ["people", t("People")], ["polls", t("Polls")],
    ["studio", t("Studio")]];
  for (const [name, label] of panels) {
    const isOpen = panel === name;
    const isHidden = (name === "polls" && !mayPoll) || (name === "studio" && !mayStream);
    const mood = isOpen ? "is-on" : "";
    draw(`open-${name}`, { label, caption: label, drawing: name, mood, isHidden });
    byID(`open-${name}`).setAttribute("aria-expanded", String(isOpen));
  }
  draw("react",
    { label: t("React"), caption: t("React"), drawing: "smile", isHidden: byID("react").hidden });
  draw("devices", { label: t("Devices"), caption: t("Devices"), drawing: "devices" });
  draw("more-controls", { label: t("More"), caption: t("More"), drawing: "more" });
  draw("leave", { label: t("Leave the room"), caption: t("Leave"), drawing: "leave" });
}

/** A number on a control, also spoken. */
export function badge(id, count, label) {
  const button = byID(id);
  button.querySelector(".count")?.remove();
  button.setAttribute("aria-label", label);
  if (count > 0) button.append(element("span", { class: "count" }, String(Math.min(count, 99))));
  // On a phone the control itself may be in the menu.
  const isAny = document.querySelector(".control.is-extra .count") !== null;
  byID("more-controls").classList.toggle("has-news", isAny);
}

/** Draws one control; its badge, if any, stays. Its caption is shown where there is room. */
function draw(id, { label, caption, drawing, mood = "", isHidden = false }) {
  const button = byID(id);
  button.hidden = isHidden;
  button.title = label;
  if (!button.querySelector(".count")) button.setAttribute("aria-label", label);
  button.classList.toggle("is-on", mood === "is-on");
  button.classList.toggle("is-off", mood === "is-off");
  if (!button.querySelector(".control-text")) button.append(element("span",
    { class: "control-text" }));
  setText(button.querySelector(".control-text"), caption);
  if (button.dataset.drawing === drawing) return;
  button.dataset.drawing = drawing;
  button.querySelector(".icon")?.remove();
  button.prepend(icon(drawing));
}
