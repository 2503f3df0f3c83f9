// The studio: what viewers see, and everything with which those who may stream direct it.

import { byID, element, setText } from "../../common/dom.js";
import { toast } from "../../common/toasts.js";
import { HeardRoles } from "./heard-roles.js";
import { LayoutPicker } from "./layout-picker.js";
import { linkList } from "./links.js";
import { Look } from "./look.js";
import { Marker } from "./marker.js";
import { letTilesBeDragged, Preview } from "./preview.js";
import { RecordControl } from "./record-control.js";
import { StreamDesk } from "./stream-desk.js";
import { staged, stagedPeer } from "./layouts.js";
import { healthWords, viewerWords } from "./studio-words.js";
import { Wait } from "./wait.js";
import { t } from "../../common/texts.js";

const wide = matchMedia("(min-width: 821px)"); // elsewhere the panel covers half of the room

export class Studio {
  #parts;
  #desk;
  #isAllowed = false;
  #mayRecordRoom = false;
  #wasOpened = false; // by itself
  #found = null; // the last answer about the stream on air
  #wish = {}; // the chosen fields of the layout, for the next start too
  #people = [];
  #wait = new Wait(() => this.draw());
  #head = element("h2", { class: "studio-head", "data-testid": "studio-health" });
  #text = element("p", { class: "quiet", "data-testid": "studio-health-text" });
  #viewers = element("p", { class: "studio-viewers", "data-testid": "studio-viewers" });
  #air = element("button", { class: "button", type: "button", "data-testid": "studio-air" });
  #preview;
  #layout;
  #record;
  #marker;
  #look;
  #heard;
  #live; // sections for a stream on air

  /**
   * @param {{client: import("../../client/roomcast-client.js").RoomcastClient, roomID: string,
   *   hasImages: boolean, side: import("../panels/side-panel.js").SidePanel,
   *   onAir: import("../on-air.js").OnAir, recording: import("../recording-lamp.js").RecordingLamp,
   *   attempt: (action: () => Promise) => Promise<boolean>, onChange: () => void}} parts
   *   hasImages: whether the operator allows images from other servers; attempt: reports failures;
   *   onChange: the menus of people may have changed
   */
  constructor(parts) {
    this.#parts = parts;
    const { client, roomID, hasImages, onAir, recording, attempt } = parts;
    this.#desk = new StreamDesk({ client, roomID, onFound: (found) => this.#took(found) });
    this.#preview = new Preview({
      read: () => this.#desk.preview(),
      onDrop: (peerID) => this.stage(this.#people.find(({ id }) => id === peerID)),
    });
    this.#layout = new LayoutPicker({ onChange: (change) => this.#changeLayout(change) });
    this.#look = new Look({ hasImages, send: (picture) => this.#desk.upload(picture),
      onChange: (change) => this.#changeLayout(change) });
    this.#record = new RecordControl({
      onRoom: () => recording.press(),
      onPause: (isPaused) => attempt(() => this.#desk.pauseRecording(isPaused)),
      onPauseRoom: (isPaused) => attempt(() => this.#desk.pauseRoom(isPaused)),
    });
    this.#marker = new Marker({ onMark: (text) => attempt(() => client.airing.mark(text)) });
    this.#heard = new HeardRoles({
      onChange: (roles) => attempt(() => this.#desk.change({ audio: { roles } })),
    });
    this.#air.addEventListener("click", () => onAir.press());
    this.#build(roomID);
    letTilesBeDragged(byID("stage"), () => this.#isAllowed && this.#isSeen);
  }

  #build(roomID) {
    const section = (title, ...content) =>
      element("section", { class: "studio-part" }, element("h3", {}, title), ...content);
    const folded = (title, content) =>
      element("details", { class: "studio-part" }, element("summary", {}, title), content);
    const marker = section(t("Marker"), element("p", { class: "quiet studio-hint" },
      t("Players are told of this moment, and the recording keeps it.")), this.#marker.node);
    const heard = folded(t("Sound"), this.#heard.node);
    this.#live = [marker, heard];
    byID("studio").append(
      this.#preview.node,
      element("section",
        { class: "studio-part studio-state", "aria-label": t("State of the stream") },
        this.#head, this.#text, this.#viewers, this.#air),
      element("section", { class: "studio-part" }, this.#layout.node),
      section(t("Recording"), this.#record.node),
      section(t("Links"), linkList({ roomID, origin: location.origin })),
      marker,
      folded(t("Background and watermark"), this.#look.node),
      heard,
    );
  }

  get #isSeen() {
    return this.#parts.side.current === "studio";
  }

  /** @param {{hlsStreaming?: boolean, browserRecording?: boolean}} permissions */
  allow({ hlsStreaming, browserRecording }) {
    this.#isAllowed = Boolean(hlsStreaming);
    this.#mayRecordRoom = Boolean(browserRecording);
    this.#desk.allow(this.#isAllowed);
    byID("tab-studio").hidden = !this.#isAllowed;
    if (!this.#isAllowed && this.#isSeen) this.#parts.side.close();
    this.draw();
  }

  get mayStream() {
    return this.#isAllowed;
  }

  /** The fields of the layout that were chosen for the next stream; nothing if none were. */
  get wish() {
    return Object.keys(this.#wish).length > 0 ? this.#wish : undefined;
  }

  /** We have gone live: the studio opens by itself, once, unless somebody is at another panel. */
  wentLive() {
    if (this.#wasOpened) return;
    this.#wasOpened = true;
    const isInUse = byID("side").contains(document.activeElement);
    if (wide.matches && !isInUse && !this.#isSeen) this.#parts.side.open("studio");
  }

  /** @param {import("../moderation/person-actions.js").Person[]} people */
  people(people) {
    const mayPublish = this.#parts.client.role.publishParams.allowed.length > 0;
    this.#people = people.filter((one) => (one.isLocal ? mayPublish : one.isOnStage));
    if (this.#isSeen) this.draw();
  }

  // MARK: The stage

  /** What the menu of a person has from here. */
  actionsFor(person) {
    if (!this.#isAllowed || !this.#people.some(({ id }) => id === person.id)) return [];
    const isStaged = stagedPeer(this.#shownLayout) === person.id;
    return [isStaged
      ? { name: "unstage", text: t("Take off the stage"), drawing: "speaker" }
      : { name: "stage", text: t("Put on the stage"), drawing: "speaker" }];
  }

  /** @param {{id: string, name: string}|undefined} person */
  async stage(person) {
    if (!person) return;
    if (!(await this.#changeLayout(staged(this.#shownLayout, person.id)))) return;
    toast(person.isLocal ? t("You are on the stage")
      : t("{name} is on the stage", { name: person.name }));
  }

  unstage() {
    return this.#changeLayout(staged(this.#shownLayout, null));
  }

  get #shownLayout() {
    return this.#found?.studio?.layout ?? this.#wish;
  }

  /** @returns {Promise<boolean>} whether it worked */
  async #changeLayout(change) {
    const { onAir, attempt, onChange } = this.#parts;
    const isOn = ["starting", "live"].includes(onAir.standing.phase);
    const isDone = !isOn || (await attempt(() => this.#desk.change({ layout: change })));
    if (isDone) this.#wish = { ...this.#wish, ...change };
    this.draw(); // also to undo a choice that was refused
    onChange();
    return isDone;
  }

  // MARK: Drawing

  #took(found) {
    this.#found = found;
    this.#parts.onAir.found(found); // which draws
  }

  /** The state of the stream, of a recording or of the panel has changed. */
  draw() {
    const { onAir, recording, client } = this.#parts;
    const { phase, isOn, isBusy, error } = onAir.standing;
    if (!isOn) this.#found = null;
    this.#desk.watch(isOn);
    const studio = this.#found?.studio ?? null;
    const waited = this.#wait.in(phase, phase === "starting" || phase === "ending");
    const { head, text, mood } = healthWords({ phase, waited, found: this.#found, error });
    setText(this.#head, head);
    this.#head.dataset.mood = mood;
    setText(this.#text, text);
    this.#text.hidden = text === "";
    setText(this.#viewers, phase === "live" ? viewerWords(studio?.viewers) : "");
    this.#drawAir(phase, isBusy);
    const layout = this.#shownLayout;
    this.#preview.show({ phase, hasPicture: !studio?.audio?.only,
      isSeen: this.#isSeen && this.#isAllowed, layout: layout.name ?? "grid" });
    this.#layout.show(layout, this.#people);
    this.#look.show(layout);
    const standing = recording.standing;
    const mayPause = phase === "live" && ["recording", "paused"].includes(standing.stream);
    this.#record.show({ ...standing, mayRecordRoom: this.#mayRecordRoom, mayPause });
    for (const part of this.#live) part.hidden = phase !== "live" || !studio;
    if (studio) this.#heard.show(client.role.known, studio.audio?.roles ?? null);
  }

  #drawAir(phase, isBusy) {
    const isOn = phase === "starting" || phase === "live";
    setText(this.#air,
      phase === "ending" ? t("Ending …") : isOn ? t("End the stream") : t("Go live from here"));
    this.#air.classList.toggle("button-danger", isOn);
    this.#air.classList.toggle("button-primary", !isOn && phase !== "ending");
    this.#air.setAttribute("aria-disabled", String(isBusy || phase === "ending"));
  }
}
