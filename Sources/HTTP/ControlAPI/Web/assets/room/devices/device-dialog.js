// The device dialog inside the room. Choices take effect at once.

import { listDevices } from "./devices.js";
import { ask, checkbox, labelled } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import {
  canBlur, isBlurred, isSoundImproved, setBlurred, soundImprovements,
} from "./improvements.js";
import { speakerTest } from "./speaker-test.js";
import { RoomSound } from "../room-sound.js";
import { t } from "../../common/texts.js";

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
    title: t("Devices"),
    content: [
      labelled(t("Camera"), cameras),
      labelled(t("Microphone"), microphones),
      ...(speakers ? [labelled(t("Loudspeaker"), speakers)] : []),
      ...(RoomSound.isOutputAskedFor ? [speakerChooser(sound, onFault)] : []),
      speakerTest({ outputID: () => sound.outputID, onFault }),
      ...switches(media, onFault),
    ],
    confirm: t("Done"),
  });
  media.removeEventListener("change", list);
}

/** For what the browser does to sound and picture; what it cannot do is not there. */
function switches(media, onFault) {
  const onChange = (box, action) => {
    box.node.dataset.testid = box.testID;
    box.node.addEventListener("change", () =>
      Promise.resolve(action(box.isOn())).catch((error) => onFault(error.message)));
    return box.node;
  };
  const nodes = soundImprovements().map(({ name, text, hint }) =>
    onChange({ ...checkbox(text, hint, { isOn: isSoundImproved(name) }), testID: name },
      (isOn) => media.improveSound(name, isOn)));
  const { camera } = media;
  if (!canBlur(camera)) return nodes;
  const blur = checkbox(t("Blur the background"), t("By your computer’s own means."),
    { isOn: isBlurred(camera) });
  return [...nodes, onChange({ ...blur, testID: "background-blur" },
    (isOn) => setBlurred(media.camera ?? camera, isOn))];
}

/** Opens the browser's own list of loudspeakers, and names the chosen one. */
function speakerChooser(sound, onFault) {
  const text = () => (sound.outputName ? `${sound.outputName} …` : t("Choose a loudspeaker …"));
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
