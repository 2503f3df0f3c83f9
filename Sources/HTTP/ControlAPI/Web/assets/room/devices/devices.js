// The lists of cameras, microphones and loudspeakers, before joining and in the room.

import { element } from "../../common/dom.js";

/** Fills a list of devices; an empty list says so. */
export function fillDevices(select, devices, current, word) {
  const options = devices.map((device, index) =>
    element("option", { value: device.deviceId }, device.label || `${word} ${index + 1}`),
  );
  select.replaceChildren(...options);
  select.disabled = devices.length === 0;
  if (devices.length === 0) select.append(element("option", {}, "None found"));
  if (current) select.value = current;
}

/** @param {import("./local-media.js").LocalMedia} media */
export async function listDevices(media, { cameras, microphones, speakers, outputID }) {
  const [pictures, sounds, outputs] = await Promise.all([
    media.devices("videoinput"),
    media.devices("audioinput"),
    speakers ? media.devices("audiooutput") : [],
  ]);
  fillDevices(cameras, pictures, media.cameraID, "Camera");
  fillDevices(microphones, sounds, media.microphoneID, "Microphone");
  if (speakers) fillDevices(speakers, outputs, outputID, "Loudspeaker");
}
