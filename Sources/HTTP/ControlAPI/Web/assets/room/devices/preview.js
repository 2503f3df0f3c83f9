// The preview: see yourself, choose devices, name and role.

import { configuration, rooms } from "../../common/api.js";
import { listDevices } from "./devices.js";
import { byID, element, setText } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { keep, kept } from "../../common/kept.js";
import { entranceWords } from "../invite/entrance.js";
import { LevelMeter } from "./level-meter.js";
import { roomTitle } from "../../common/room-name.js";
import { roleText } from "../../common/role-text.js";
import { t, tn } from "../../common/texts.js";

const nameKey = "roomcast.name";
const usualRoles = ["guest", "viewer"];

const node = {
  root: byID("preview"),
  video: byID("preview-video"),
  note: byID("preview-note"),
  microphone: byID("preview-microphone"),
  camera: byID("preview-camera"),
  meter: byID("preview-meter"),
  form: byID("preview-form"),
  lead: byID("preview-lead"),
  title: byID("preview-title"),
  status: byID("preview-status"),
  name: byID("name"),
  role: byID("role"),
  cameras: byID("camera-device"),
  microphones: byID("microphone-device"),
  join: byID("join"),
  error: byID("preview-error"),
};

export class Preview {
  #media;
  #entrance;
  #meter = new LevelMeter(node.meter);
  #onJoin;
  #isJoining = false;

  /**
   * @param {import("../invite/entrance.js").Entrance} entrance how one comes in
   * @param {(choice: {name: string, role: string}) => Promise<void>} onJoin
   */
  constructor({ roomID, media, name, entrance, onJoin }) {
    this.#media = media;
    this.#onJoin = onJoin;
    node.title.textContent = roomTitle(roomID);
    node.name.value ||= name || kept(nameKey);
    this.#entrance = entrance;
    this.#offerRoles(entrance.role ? [entrance.role] : usualRoles);
    this.#describe(roomID);

    media.addEventListener("change", () => this.#show());
    node.camera.addEventListener("click", () => media.setCamera(!media.isCameraOn));
    node.microphone.addEventListener("click", () => media.setMicrophone(!media.isMicrophoneOn));
    node.cameras.addEventListener("change", () => media.chooseCamera(node.cameras.value));
    node.microphones.addEventListener("change", () =>
      media.chooseMicrophone(node.microphones.value),
    );
    node.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.join();
    });
    // Until now the form would have led away, and lost the invitation in the address.
    node.join.disabled = false;
  }

  show() {
    node.root.hidden = false;
    this.#show();
    if (!node.name.value) node.name.focus();
  }

  hide() {
    node.root.hidden = true;
    node.video.srcObject = null;
    this.#meter.stop();
  }

  async join() {
    if (this.#isJoining) return;
    const name = node.name.value.trim();
    if (!name) return node.name.focus();
    keep(nameKey, name);
    node.error.hidden = true;
    this.#showJoining(true);
    try {
      await this.#onJoin({ name, role: node.role.value });
    } catch (error) {
      node.error.textContent = entranceWords(error);
      node.error.hidden = false;
    } finally {
      this.#showJoining(false);
    }
  }

  /** Meanwhile the button does nothing, and keeps the focus, which a disabled button would lose. */
  #showJoining(isJoining) {
    this.#isJoining = isJoining;
    node.join.setAttribute("aria-disabled", String(isJoining));
    node.join.textContent = isJoining ? t("Joining …") : t("Join room");
  }

  #show() {
    if (node.root.hidden) return;
    const media = this.#media;
    if (node.video.srcObject !== media.stream) node.video.srcObject = media.stream;
    node.video.hidden = !media.camera;
    const without = media.isCameraOn ? t("Waiting for your camera …") : t("Camera off");
    const state = media.camera ? "" : without;
    setText(node.note, media.problem || state);
    toggle(node.camera, media.isCameraOn, "camera", "cameraOff");
    toggle(node.microphone, media.isMicrophoneOn, "microphone", "microphoneOff");
    this.#meter.follow(media.microphone);
    listDevices(media, { cameras: node.cameras, microphones: node.microphones });
  }

  #offerRoles(names) {
    const before = node.role.value;
    node.role.replaceChildren(
      ...names.map((name) => element("option", { value: name }, roleText(name))),
    );
    if (names.includes(before)) node.role.value = before;
    // A single one is no choice, and a token has its own.
    const isChosen = names.length === 1 && !this.#entrance.hasToken;
    node.role.closest("label").hidden = this.#entrance.hasToken || isChosen;
    node.lead.textContent = isChosen
      ? t("You are about to join as {role}", { role: roleText(names[0]) })
      : t("You are about to join");
  }

  /** Data from the server; the page works without it. */
  async #describe(roomID) {
    const [settings, list] = await Promise.all([
      configuration(roomID).catch(() => null),
      rooms().catch(() => null),
    ]);
    if (settings?.roles?.length) this.#offerRoles(this.#entrance.rolesIn(settings));
    const room = list?.find((one) => one.id === roomID);
    if (room?.name) node.title.textContent = roomTitle(room.name);
    const count = room?.peer_count ?? 0;
    const people = tn(count, { one: "{count} person is here.", other: "{count} people are here." });
    // If the server does not list rooms, the page does not show people either.
    if (list) node.status.textContent = count === 0 ? t("Nobody is here yet.") : people;
    if (settings?.open_tokens === false && !this.#entrance.hasToken) this.#showClosed();
  }

  /** Words in place of a button that would lead to a refusal. */
  #showClosed() {
    node.status.textContent = t("Only those who are invited may enter here. Open the link that you "
      + "were sent, or ask whoever hosts the room for one.");
    for (const control of [node.name, node.role]) control.closest("label").hidden = true;
    node.join.hidden = true;
  }
}

function toggle(button, isOn, onIcon, offIcon) {
  button.setAttribute("aria-pressed", String(isOn));
  button.replaceChildren(icon(isOn ? onIcon : offIcon));
}
