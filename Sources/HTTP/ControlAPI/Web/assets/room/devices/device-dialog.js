// The device dialog inside the room. Choices take effect at once.

import { listDevices } from "./devices.js";
import { ask, labelled } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import { RoomSound } from "../room-sound.js";

/**
 * @param {{media: import("./local-media.js").LocalMedia, sound: RoomSound,
 *          onFault: (message: string) => void}} parts
 */
export async function chooseDevices({ media, sound, onFault }) {
  const select = (testID) => element("select", { class: "field", "data-testid": testID });
  const cameras = select("call-camera-device");
  const microphones = select("call-microphone-device");
  const isListed = RoomSound.canChooseOutput && !RoomSound.isOutputAskedFor;
  const speakers = isListed ? select("call-speaker-device") : null;
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
      ...(RoomSound.isOutputAskedFor ? [speakerChooser(sound, onFault)] : []),
    ],
    confirm: "Done",
  });
  media.removeEventListener("change", list);
}

/** Opens the browser's own list of loudspeakers, and names the chosen one. */
function speakerChooser(sound, onFault) {
  const text = () => (sound.outputName ? `${sound.outputName} …` : "Choose a loudspeaker …");
  const attributes = {
    class: "button",
    type: "button",
    "data-testid": "call-speaker-chooser",
    onclick: async () => {
      await sound.askForOutput().catch((error) => onFault(error.message));
      button.textContent = text();
    },
  };
  const button = element("button", attributes, text());
  return button;
}
