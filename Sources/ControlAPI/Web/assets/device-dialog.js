// The choice of devices inside the room. What is chosen holds at once.

import { listDevices } from "./devices.js";
import { ask, labelled } from "./dialog.js";
import { element } from "./dom.js";
import { RoomSound } from "./room-sound.js";

/**
 * @param {{media: import("./local-media.js").LocalMedia, sound: RoomSound,
 *          onFault: (message: string) => void}} parts
 */
export async function chooseDevices({ media, sound, onFault }) {
  const select = (testID) => element("select", { class: "field", "data-testid": testID });
  const cameras = select("call-camera-device");
  const microphones = select("call-microphone-device");
  const speakers = RoomSound.canChooseOutput ? select("call-speaker-device") : null;
  const list = () =>
    listDevices(media, { cameras, microphones, speakers, outputID: sound.outputID });

  cameras.addEventListener("change", () => media.chooseCamera(cameras.value));
  microphones.addEventListener("change", () => media.chooseMicrophone(microphones.value));
  speakers?.addEventListener("change", () =>
    sound.chooseOutput(speakers.value).catch((error) => onFault(error.message)),
  );
  await list();
  media.addEventListener("change", list);
  await ask({
    title: "Devices",
    content: [
      labelled("Camera", cameras),
      labelled("Microphone", microphones),
      ...(speakers ? [labelled("Loudspeaker", speakers)] : []),
    ],
    confirm: "Done",
  });
  media.removeEventListener("change", list);
}
