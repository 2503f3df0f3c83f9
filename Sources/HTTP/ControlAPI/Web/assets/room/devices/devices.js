// The lists of cameras, microphones and loudspeakers, before joining and in the room.

import { element } from "../../common/dom.js";
import { t } from "../../common/texts.js";

/**
 * Fills a list of devices; an empty list says so.
 * @param {(number: number) => string} nameOf for those that the browser does not name
 */
export function fillDevices(select, devices, current, nameOf) {
  const options = devices.map((device, index) =>
    element("option", { value: device.deviceId }, device.label || nameOf(index + 1)),
  );
  select.replaceChildren(...options);
  select.disabled = devices.length === 0;
  if (devices.length === 0) select.append(element("option", {}, t("None found")));
  if (current) select.value = current;
}

/** @param {import("./local-media.js").LocalMedia} media */
export async function listDevices(media, { cameras, microphones, speakers, outputID }) {
  const [pictures, sounds, outputs] = await Promise.all([
    media.devices("videoinput"),
    media.devices("audioinput"),
    speakers ? media.devices("audiooutput") : [],
  ]);
  fillDevices(cameras, pictures, media.cameraID, (number) => t("Camera {number}", { number }));
  fillDevices(microphones, sounds, media.microphoneID,
    (number) => t("Microphone {number}", { number }));
  if (!speakers) return;
  fillDevices(speakers, outputs, outputID, (number) => t("Loudspeaker {number}", { number }));
}
