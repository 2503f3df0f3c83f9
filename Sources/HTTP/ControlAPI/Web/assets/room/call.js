// Inside the room: connects the client, the local devices and the parts of the page.

import { Announcer } from "../common/announcer.js";
import { Chatting } from "./chat/chatting.js";
import { shownRecording } from "../client/on-air-state.js";
import { drawControls } from "./controls.js";
import { chooseDevices } from "./devices/device-dialog.js";
import { ask, dismissAll, labelled } from "../common/dialog.js";
import { byID, element, setText } from "../common/dom.js";
import { closeMenu } from "../common/menu.js";
import { Moderating } from "./moderation/moderating.js";
import { openInvite } from "./invite/invite.js";
import { ImageSources } from "./stage/image-sources.js";
import { Leaving } from "./leaving.js";
import "./more-controls.js";
import { OnAir } from "./on-air.js";
import { PeoplePanel } from "./panels/people-panel.js";
import { actionsFor } from "./moderation/person-actions.js";
import { Polling } from "./panels/polling.js";
import { Publishing } from "./publishing.js";
import { showPushes } from "./push-note.js";
import { Reacting } from "./reactions/reacting.js";
import { RecordingLamp } from "./recording-lamp.js";
import { roleText } from "../common/role-text.js";
import { roomTitle } from "../common/room-name.js";
import { RoomSound } from "./room-sound.js";
import { peopleOf, soundsOf, tilesOf } from "./room-view.js";
import { showSharing } from "./sharing-bar.js";
import { Shortcuts } from "./shortcuts/shortcuts.js";
import { showShortcuts } from "./shortcuts/shortcut-sheet.js";
import { SidePanel } from "./panels/side-panel.js";
import { Spotlight } from "./stage/spotlight.js";
import { Stage } from "./stage/stage.js";
import { Studio } from "./studio/studio.js";
import { toast } from "../common/toasts.js";
import { t, tn } from "../common/texts.js";

const speakingLevel = 15; // of 100
const unseenInterval = 1000; // ms between updates of hidden lists
const greetedUpTo = 20; // people; in a larger room such announcements would be noise

// News for all, by the phases of on-air.js and on-air-state.js.
const streamNews = {
  live: t("The room is on air"),
  ended: t("The stream has ended"),
  failed: t("The stream failed"),
};
const recordingNews = {
  recording: t("The room is being recorded"),
  paused: t("The recording is paused"),
  none: t("The recording has ended"),
  failed: t("The recording failed"),
};

export class Call {
  #client;
  #token;
  #media;
  #roomID;
  #images;
  #spotlight = new Spotlight();
  #isSpeakerView = false;
  #startsWithSpeaker;
  #pinned = null; // a tile's key
  #isPathBroken = false;
  #isDue = false; // a redraw is due
  #listsTimer = null;
  #stage = new Stage(byID("stage"), {
    onLayer: (trackID, layer) => this.#client.preferLayer(trackID, layer),
    onMore: () => this.#side.open("people"),
    onPin: (key) => this.#pin(key),
  });
  #announcer = new Announcer(byID("news"));
  #sound = new RoomSound((isBlocked) => this.#soundBlocked(isBlocked));
  #publishing;
  #moderating;
  #polling;
  #chat;
  #reacting;
  #leaving;
  #people;
  #side;
  #onAir;
  #recording;
  #studio;

  /**
   * @param {string} token the room token with which the client has joined
   * @param {string[]} imageSources from where images of people may be loaded
   * @param {(reason: string) => void} onEnd called once when the room was left
   */
  constructor({ client, token, media, roomID, view, imageSources, onEnd }) {
    this.#startsWithSpeaker = view === "speaker";
    this.#client = client;
    this.#token = token;
    this.#media = media;
    this.#roomID = roomID;
    this.#images = new ImageSources(imageSources);
    const attempt = (action) => this.#attempt(action);
    const onChange = () => this.#draw();
    this.#publishing = new Publishing({ client, media, onChange, attempt });
    this.#moderating = new Moderating({ client, media, publishing: this.#publishing, attempt });
    this.#makePanels();
    this.#makeLamps();
    this.#makeStudio(imageSources);
    this.#listen(onEnd);
    this.#bindControls();
  }

  start() {
    byID("call").hidden = false;
    this.#roleChanged();
    if (this.#startsWithSpeaker) this.#setSpeakerView(true);
    const { streaming, recording, pushes } = this.#client.room;
    this.#onAir.show(streaming);
    this.#recording.show(recording);
    showPushes(pushes);
    if (this.#onAir.phase === "live") tellNews(streamNews, "live");
    if (this.#recording.phase === "recording") tellNews(recordingNews, "recording");
    byID("call-title").focus(); // the new heading; the form that had the focus is gone
  }

  #makePanels() {
    const { moderation } = this.#client;
    this.#side = new SidePanel({
      onChange: (current) => {
        if (current === "chat") this.#chat.seen();
        if (current === "polls") this.#polling.seen();
        this.#studio.draw();
        this.#drawNow(); // an opened panel must be up to date
      },
    });
    const attempt = (action) => this.#attempt(action);
    const parts = { client: this.#client, announcer: this.#announcer, attempt };
    this.#chat = new Chatting({ ...parts, side: this.#side });
    this.#reacting = new Reacting({
      ...parts,
      onShow: (peerID, emoji, name) => this.#stage.react(peerID, emoji, name),
    });
    this.#leaving = new Leaving(parts);
    this.#people = new PeoplePanel({
      actionsOf: (person) => [
        ...this.#studio.actionsFor(person), ...actionsFor(person, this.#client.role)],
      onAction: (name, person) => this.#act(name, person),
      onMuteAll: () => this.#attempt(() => moderation.muteEverybody()),
      onChangeRoles: () => this.#moderating.changeRoles(),
      search: (text) => moderation.search(text),
    });
    this.#polling = new Polling({ ...parts, side: this.#side });
  }

  #makeLamps() {
    const { airing } = this.#client;
    const page = (kind) =>
      new URL(`/${kind}/${encodeURIComponent(this.#roomID)}`, location.origin).href;
    this.#onAir = new OnAir({
      watchURL: page("watch"),
      onStart: async (wish) => {
        const order = { ...wish, layout: this.#studio.wish };
        const isDone = await this.#attempt(() => airing.startStream(page("rooms"), order));
        if (isDone) this.#studio.wentLive();
        return isDone;
      },
      onStop: () => this.#attempt(() => airing.stopStream()),
      onDraw: () => this.#studio?.draw(),
    });
    this.#recording = new RecordingLamp({
      onStart: () => this.#attempt(() => airing.startRecording()),
      onStop: () => this.#attempt(() => airing.stopRecording()),
      onDraw: () => this.#studio?.draw(),
    });
  }

  #makeStudio(imageSources = []) {
    this.#studio = new Studio({
      client: this.#client,
      roomID: this.#roomID,
      hasImages: imageSources.length > 0,
      side: this.#side,
      onAir: this.#onAir,
      recording: this.#recording,
      attempt: (action) => this.#attempt(action),
      onChange: () => this.#draw(),
    });
  }

  #listen(onEnd) {
    const client = this.#client;
    const on = (type, handler) => client.addEventListener(type, ({ detail }) => handler(detail));
    for (const type of ["peers", "media", "quality"]) on(type, () => this.#draw());
    on("role", () => this.#roleChanged());
    on("streaming", (streaming) => this.#streamingChanged(streaming));
    on("recording", (recording) => this.#recordingChanged(recording));
    on("pushes", showPushes);
    on("fault", ({ message }) => toast(message, "error"));
    on("presence", ({ peer, isHere }) => {
      if (!isHere) this.#spotlight.forget(peer.id);
      const isGreeted = peer.name && client.room.count <= greetedUpTo;
      const { name } = peer;
      if (isGreeted) toast(isHere ? t("{name} joined", { name }) : t("{name} left", { name }));
    });
    on("hand", ({ peer, isRaised }) => {
      const { name } = peer;
      if (isRaised && peer.id !== client.peerID) toast(t("{name} raised a hand", { name }));
    });
    on("peer-role", ({ peer }) => {
      const [role, { name }] = [roleText(peer.role), peer];
      if (peer.id === client.peerID) toast(t("You are {role} now", { role }));
      else if (client.room.count <= greetedUpTo) toast(t("{name} is {role} now", { name, role }));
    });
    on("role-offer", (offer) => this.#moderating.roleOffered(offer));
    on("mute-request", (request) => this.#moderating.muteAsked(request));
    on("speakers", ({ levels }) => this.#speakersChanged(levels));
    on("path", ({ isBroken }) => {
      this.#isPathBroken = isBroken;
      this.#showWay();
    });
    on("state", ({ state, reason }) => {
      this.#showWay();
      if (state === "joined") this.#publishing.sync(); // applies changes made meanwhile
      if (state !== "left") return;
      this.#moderating.stop();
      closeMenu();
      dismissAll();
      this.#publishing.stopScreen();
      onEnd(reason);
    });
    this.#media.addEventListener("change", () => this.#mediaChanged());
    this.#media.addEventListener("problem", ({ detail }) => toast(detail, "error"));
  }

  #streamingChanged(streaming) {
    const before = this.#onAir.phase;
    this.#onAir.show(streaming);
    const { phase } = this.#onAir;
    if (phase !== before) tellNews(streamNews, phase, streaming.error);
  }

  #recordingChanged(recording) {
    const before = this.#recording.phase;
    this.#recording.show(recording);
    const { phase } = this.#recording;
    if (phase !== before) tellNews(recordingNews, phase, shownRecording(recording).error);
  }

  #speakersChanged(levels) {
    const loud = new Map([...levels].filter(([, level]) => level >= speakingLevel));
    this.#stage.highlight(new Map([...loud].map(([id, level]) => [id, level / 100])));
    loud.delete(this.#client.peerID); // nobody needs to see themselves large
    this.#spotlight.take(loud);
    const { peerID: speaker, spoke } = this.#spotlight;
    this.#stage.prefer({ speaker, spoke });
  }

  /** The problem with the connection to the server, if any. */
  #showWay() {
    const broken = this.#isPathBroken
      ? t("No sound or picture gets through. Trying again …") : "";
    const isAway = this.#client.state === "reconnecting";
    setText(byID("call-state"), isAway ? t("Reconnecting …") : broken);
  }

  // MARK: Devices and the role

  #mediaChanged() {
    if (this.#client.state === "left") return;
    this.#draw();
    this.#publishing.sync();
  }

  #roleChanged() {
    const focused = document.activeElement;
    const { name, permissions, publishParams } = this.#client.role;
    const isAllowed = (kind) => publishParams.allowed.includes(kind);
    this.#moderating.roleIs(name);
    this.#onAir.allow(Boolean(permissions.hlsStreaming));
    this.#recording.allow(Boolean(permissions.browserRecording));
    this.#studio.allow(permissions);
    this.#people.allow({
      mayMute: Boolean(permissions.mute),
      mayChangeRoles: Boolean(permissions.changeRole) && this.#client.role.known.length > 1,
    });
    this.#chat.allow(permissions);
    this.#reacting.allow(permissions);
    this.#leaving.allow(permissions);
    this.#polling.allow(permissions);
    if (!isAllowed("screen")) this.#publishing.stopScreen();
    // A peer whose role may publish again decides anew to turn its devices on.
    this.#media.release({ camera: !isAllowed("video"), microphone: !isAllowed("audio") });
    this.#drawNow();
    // The focus leaves controls that the role has lost.
    const isGone = focused !== document.body && focused.getClientRects().length === 0;
    if (isGone) byID("call-title").focus();
    this.#publishing.sync();
  }

  // MARK: Drawing

  /** Draws once for several events: an offer has a hundred tracks, each an event. */
  #draw() {
    if (this.#isDue) return;
    this.#isDue = true;
    // Not with the next animation frame: a page in the background has none, but must be audible.
    queueMicrotask(() => this.#drawNow());
  }

  #drawNow() {
    this.#isDue = false;
    const client = this.#client;
    const tiles = tilesOf(this.#view);
    if (!tiles.some((tile) => tile.key === this.#pinned)) this.#pinned = null;
    setText(byID("call-title"), this.#title);
    const { count } = client.room;
    setText(byID("call-count"), tn(count, { one: "{count} person", other: "{count} people" }));
    this.#stage.show(tiles, this.#pinned);
    this.#sound.play(soundsOf(client));
    this.#people.count(count);
    byID("stage-empty").hidden = tiles.length > 0;
    this.#drawControls();
    const isSeen = ["chat", "people", "studio"].includes(this.#side.current);
    if (isSeen) this.#drawLists();
    else this.#listsTimer ??= setTimeout(() => this.#drawLists(), unseenInterval);
  }

  get #title() {
    return roomTitle(this.#client.room.name || this.#roomID);
  }

  get #view() {
    const { screen } = this.#publishing;
    const { name } = this.#client;
    return { client: this.#client, media: this.#media, name, screen, images: this.#images };
  }

  /** The lists of people and of message recipients. */
  #drawLists() {
    clearTimeout(this.#listsTimer);
    this.#listsTimer = null;
    const people = peopleOf(this.#view, this.#pinned);
    this.#studio.people(people);
    this.#people.show(people);
    const others = people.filter((person) => !person.isLocal);
    this.#chat.showAudiences(this.#client.role.known, others);
  }

  #drawControls() {
    const { publishParams } = this.#client.role;
    const { screen } = this.#publishing;
    showSharing(screen !== null, () => this.#publishing.stopScreen());
    drawControls({
      media: this.#media,
      allowed: publishParams.allowed,
      isSharing: screen !== null,
      hand: this.#client.room.local.handRaisedAs,
      panel: this.#side.current,
      mayPoll: this.#polling.mayRead,
      mayStream: this.#studio.mayStream,
    });
  }

  #pin(key) {
    this.#pinned = key;
    this.#draw();
  }

  #setSpeakerView(isSpeakerView) {
    this.#isSpeakerView = isSpeakerView;
    byID("speaker-view").setAttribute("aria-pressed", String(isSpeakerView));
    this.#stage.prefer({ isSpeakerView });
  }

  // MARK: Controls

  #bindControls() {
    const media = this.#media;
    const { moderation } = this.#client;
    byID("microphone").onclick = () => media.setMicrophone(!media.isMicrophoneOn);
    byID("camera").onclick = () => media.setCamera(!media.isCameraOn);
    byID("screen").onclick = () => {
      if (this.#publishing.screen) this.#publishing.stopScreen();
      else this.#publishing.startScreen();
    };
    byID("hand").onclick = () =>
      this.#attempt(() =>
        this.#client.room.local.handRaisedAs ? moderation.lowerHand() : moderation.raiseHand());
    byID("open-chat").onclick = () => this.#side.toggle("chat");
    byID("open-people").onclick = () => this.#side.toggle("people");
    byID("open-polls").onclick = () => this.#side.toggle("polls");
    byID("open-studio").onclick = () => this.#side.toggle("studio");
    byID("speaker-view").onclick = () => this.#setSpeakerView(!this.#isSpeakerView);
    byID("invite").onclick = () =>
      openInvite({
        roomID: this.#roomID, roomName: this.#title, token: this.#token,
        peerID: this.#client.peerID,
      });
    byID("devices").onclick = () =>
      chooseDevices({ media, sound: this.#sound, onFault: (text) => toast(text, "error") });
    const keys = new Shortcuts({ media, onHelp: () => showShortcuts(keys) });
    byID("shortcuts").onclick = () => showShortcuts(keys);
  }

  #act(name, person) {
    if (name === "pin") return this.#pin(person.isPinned ? null : person.id);
    if (name === "rename") return this.#rename();
    if (name === "stage") return this.#studio.stage(person);
    if (name === "unstage") return this.#studio.unstage();
    if (name !== "write") return this.#moderating.act(name, person);
    this.#side.open("chat");
    this.#chat.writeTo(person);
  }

  async #rename() {
    const before = this.#client.name;
    const field = element("input", {
      class: "field", value: before, maxlength: 64, autocomplete: "nickname",
      "data-testid": "own-name",
    });
    field.addEventListener("focus", () => field.select());
    const isWished = await ask({
      title: t("Change your name"),
      content: [labelled(t("Your name"), field)],
      confirm: t("Change"),
      refuse: t("Cancel"),
    });
    const name = field.value.trim();
    if (!isWished || !name || name === before) return;
    await this.#attempt(() => this.#client.rename(name));
  }

  #soundBlocked(isBlocked) {
    const place = byID("hear");
    if (isBlocked === place.hasChildNodes()) return;
    const hadFocus = place.contains(document.activeElement);
    const attributes = {
      class: "button button-primary",
      type: "button",
      onclick: () => {
        this.#sound.resume();
        this.#stage.resume();
      },
    };
    const buttons = isBlocked ? [element("button", attributes, t("Hear the room"))] : [];
    place.replaceChildren(...buttons);
    if (hadFocus) byID("call-title").focus();
  }

  /** @returns {Promise<boolean>} whether it worked; the user sees any error */
  async #attempt(action) {
    try {
      await action();
      return true;
    } catch (error) {
      toast(error.message, "error");
      return false;
    }
  }
}

function tellNews(news, phase, error = "") {
  if (!news[phase]) return;
  const text = error ? `${news[phase]}: ${error}` : news[phase];
  toast(text, phase === "failed" ? "error" : "note");
}
