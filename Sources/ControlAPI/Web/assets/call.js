// Inside the room: ties the client, the local devices and the parts of the page together.

import { byID } from "./dom.js";
import { icon } from "./icons.js";
import { OnAir } from "./on-air.js";
import { SidePanel } from "./side-panel.js";
import { RoomSound, Stage } from "./stage.js";
import { toast } from "./toasts.js";

const speakingLevel = 15; // of 100

export class Call {
  #client;
  #media;
  #name;
  #roomID;
  #publications = new Map(); // "audio", "video", "screen", "screen-audio" → publication
  #screen = null; // MediaStream while sharing
  #work = Promise.resolve();
  #stage = new Stage(byID("stage"));
  #sound = new RoomSound((isBlocked) => this.#soundBlocked(isBlocked));
  #side;
  #onAir;

  /** @param {(reason: string) => void} onEnd the room was left; called once */
  constructor({ client, media, name, roomID, onEnd }) {
    this.#client = client;
    this.#media = media;
    this.#name = name;
    const page = (kind) => new URL(`/${kind}/${encodeURIComponent(roomID)}`, location.origin).href;
    this.#side = new SidePanel({
      onSend: (text) => this.#attempt(() => client.sendMessage(text)),
      onUnread: (count) => this.#showUnread(count),
    });
    this.#side.onChange = () => this.#drawControls();
    this.#onAir = new OnAir({
      watchURL: page("watch"),
      onStart: () => this.#attempt(() => client.startStreaming(page("rooms"))),
      onStop: () => this.#attempt(() => client.stopStreaming()),
    });
    this.#roomID = roomID;
    this.#listen(onEnd);
    this.#bindControls();
  }

  start() {
    byID("call").hidden = false;
    this.#roleChanged();
    this.#draw();
    this.#onAir.show(this.#client.streaming);
  }

  #listen(onEnd) {
    const client = this.#client;
    const on = (type, handler) => client.addEventListener(type, ({ detail }) => handler(detail));
    on("peers", () => this.#draw());
    on("media", () => this.#draw());
    on("role", () => this.#roleChanged());
    on("message", (message) => this.#side.addMessage(message));
    on("streaming", (streaming) => this.#streamingChanged(streaming));
    on("fault", ({ message }) => toast(message, "error"));
    on("presence", ({ peer, isHere }) => {
      if (peer.name) toast(`${peer.name} ${isHere ? "joined" : "left"}`);
    });
    on("speakers", ({ levels }) => {
      const loud = [...levels].filter(([, level]) => level >= speakingLevel);
      this.#stage.highlight(new Set(loud.map(([peerID]) => peerID)));
    });
    on("state", ({ state, reason }) => {
      byID("call-state").textContent = state === "reconnecting" ? "Reconnecting …" : "";
      if (state !== "left") return;
      this.#stopScreen();
      onEnd(reason);
    });
    this.#media.addEventListener("change", () => this.#mediaChanged());
  }

  #streamingChanged(streaming) {
    this.#onAir.show(streaming);
    if (streaming.state === "failed") {
      const reason = streaming.error ? `: ${streaming.error}` : ".";
      toast(`The stream failed${reason}`, "error");
    }
  }

  // MARK: Publishing

  /** Brings what is published in line with the role and the devices. */
  #sync() {
    this.#work = this.#work.then(() => this.#attempt(() => this.#publishWhatIsAllowed()));
    return this.#work;
  }

  async #publishWhatIsAllowed() {
    if (this.#client.state === "left") return;
    const media = this.#media;
    const isAllowed = (kind) => this.#client.role.publishParams.allowed.includes(kind);
    const { video, simulcast } = this.#client.role.publishParams;
    await this.#syncOne("audio", isAllowed("audio"), media.microphone, media.stream, {
      isMuted: !media.isMicrophoneOn,
    });
    await this.#syncOne("video", isAllowed("video"), media.camera, media.stream, {
      isMuted: !media.isCameraOn,
      maximumBitrate: video?.bitRate ? video.bitRate * 1000 : undefined,
      layers: simulcast?.video?.layers ?? [],
    });
    const screen = isAllowed("screen") ? this.#screen : null;
    const options = { source: "screen" };
    const [picture, sound] = [screen?.getVideoTracks()[0], screen?.getAudioTracks()[0]];
    await this.#syncOne("screen", Boolean(picture), picture, screen, options);
    await this.#syncOne("screen-audio", Boolean(sound), sound, screen, options);
  }

  async #syncOne(slot, isWanted, track, stream, options) {
    const publication = this.#publications.get(slot);
    if (!publication) {
      if (!isWanted || !track) return;
      this.#publications.set(slot, await this.#client.publish(track, stream, options));
      return;
    }
    if (!isWanted) {
      this.#publications.delete(slot);
      await this.#client.unpublish(publication);
      return;
    }
    if (publication.media !== track) await this.#client.replaceMedia(publication, track ?? null);
    const isMuted = options.isMuted ?? false;
    if (publication.isMuted !== isMuted) this.#client.setMuted(publication, isMuted);
  }

  #mediaChanged() {
    if (this.#media.problem) toast(this.#media.problem, "error");
    this.#draw();
    this.#sync();
  }

  #roleChanged() {
    const { permissions, publishParams } = this.#client.role;
    this.#onAir.allow(Boolean(permissions.hlsStreaming));
    if (!publishParams.allowed.includes("screen")) this.#stopScreen();
    this.#draw();
    this.#sync();
  }

  async #toggleScreen() {
    if (this.#screen) return this.#stopScreen();
    try {
      const video = { frameRate: { ideal: 15 } };
      this.#screen = await navigator.mediaDevices.getDisplayMedia({ video, audio: true });
    } catch (error) {
      // Closing the browser's own dialogue is an answer, not a fault.
      if (error.name !== "NotAllowedError") toast(error.message, "error");
      return;
    }
    const [picture] = this.#screen.getVideoTracks();
    picture.contentHint = "detail";
    picture.addEventListener("ended", () => this.#stopScreen());
    this.#draw();
    this.#sync();
  }

  #stopScreen() {
    if (!this.#screen) return;
    for (const track of this.#screen.getTracks()) track.stop();
    this.#screen = null;
    this.#draw();
    this.#sync();
  }

  // MARK: Drawing

  #draw() {
    byID("call-title").textContent = this.#client.roomName || this.#roomID;
    this.#stage.show([...this.#remoteTiles(), ...this.#localTiles()]);
    this.#sound.play(this.#remoteSound());
    this.#side.showPeople(this.#people());
    this.#drawControls();
  }

  #remoteTiles() {
    return this.#client.peers.flatMap((peer) => {
      const tracks = [...peer.tracks.values()];
      const regular = tracks.filter((track) => track.source !== "screen");
      const camera = regular.find((track) => track.kind === "video");
      const sound = regular.find((track) => track.kind === "audio");
      const tile = { peerID: peer.id, name: peer.name, isLocal: false };
      const tiles = [];
      if (regular.length > 0) {
        const video = camera && !camera.isMuted ? this.#client.mediaOf(camera.id) : null;
        const isSilent = !sound || sound.isMuted;
        tiles.push({ ...tile, key: peer.id, source: "regular", video, isSilent });
      }
      for (const track of tracks) {
        if (track.source !== "screen" || track.kind !== "video") continue;
        const video = this.#client.mediaOf(track.id);
        tiles.push({ ...tile, key: track.id, source: "screen", video, isSilent: false });
      }
      return tiles;
    });
  }

  #localTiles() {
    const { allowed } = this.#client.role.publishParams;
    const tile = { peerID: this.#client.peerID, name: this.#name, isLocal: true };
    const tiles = [];
    if (allowed.includes("video") || allowed.includes("audio")) {
      const video = allowed.includes("video") ? this.#media.camera : null;
      const isSilent = !this.#media.isMicrophoneOn;
      tiles.push({ ...tile, key: "local", source: "regular", video, isSilent });
    }
    const screen = this.#screen?.getVideoTracks()[0];
    if (screen) {
      const shared = { source: "screen", video: screen, isSilent: false };
      tiles.push({ ...tile, key: "local-screen", ...shared });
    }
    return tiles;
  }

  #remoteSound() {
    const tracks = new Map();
    for (const peer of this.#client.peers) {
      for (const track of peer.tracks.values()) {
        const media = this.#client.mediaOf(track.id);
        if (track.kind === "audio" && media) tracks.set(track.id, media);
      }
    }
    return tracks;
  }

  #people() {
    const me = {
      id: this.#client.peerID,
      name: this.#name,
      role: this.#client.role.name,
      isLocal: true,
      isSilent: !this.#media.isMicrophoneOn,
      isDark: !this.#media.isCameraOn,
    };
    const others = this.#client.peers.map((peer) => {
      const regular = [...peer.tracks.values()].filter((track) => track.source !== "screen");
      const lacks = (kind) => !regular.some((track) => track.kind === kind && !track.isMuted);
      const { id, name, role } = peer;
      return { id, name, role, isLocal: false, isSilent: lacks("audio"), isDark: lacks("video") };
    });
    return [me, ...others];
  }

  // MARK: Controls

  #bindControls() {
    const media = this.#media;
    byID("microphone").onclick = () => media.setMicrophone(!media.isMicrophoneOn);
    byID("camera").onclick = () => media.setCamera(!media.isCameraOn);
    byID("screen").onclick = () => this.#toggleScreen();
    byID("open-chat").onclick = () => this.#side.toggle("chat");
    byID("open-people").onclick = () => this.#side.toggle("people");
    byID("leave").onclick = () => this.#client.leave();
    drawControl("leave", { label: "Leave the room", drawing: "leave" });
  }

  #drawControls() {
    const media = this.#media;
    const { allowed } = this.#client.role.publishParams;
    const isMicrophoneOn = media.isMicrophoneOn;
    drawControl("microphone", {
      label: isMicrophoneOn ? "Mute" : "Unmute",
      drawing: isMicrophoneOn ? "microphone" : "microphoneOff",
      mood: isMicrophoneOn ? "" : "is-off",
      isHidden: !allowed.includes("audio"),
    });
    drawControl("camera", {
      label: media.isCameraOn ? "Turn the camera off" : "Turn the camera on",
      drawing: media.isCameraOn ? "camera" : "cameraOff",
      mood: media.isCameraOn ? "" : "is-off",
      isHidden: !allowed.includes("video"),
    });
    drawControl("screen", {
      label: this.#screen ? "Stop sharing the screen" : "Share the screen",
      drawing: "screen",
      mood: this.#screen ? "is-on" : "",
      isHidden: !allowed.includes("screen") || !navigator.mediaDevices?.getDisplayMedia,
    });
    const isCurrent = (name) => this.#side.current === name;
    const mood = (name) => (isCurrent(name) ? "is-on" : "");
    drawControl("open-chat", { label: "Chat", drawing: "chat", mood: mood("chat") });
    drawControl("open-people", { label: "People", drawing: "people", mood: mood("people") });
  }

  #showUnread(count) {
    const button = byID("open-chat");
    button.querySelector(".count")?.remove();
    button.setAttribute("aria-label", count > 0 ? `Chat, ${count} unread` : "Chat");
    if (count === 0) return;
    const badge = document.createElement("span");
    badge.className = "count";
    badge.textContent = String(Math.min(count, 99));
    button.append(badge);
  }

  #soundBlocked(isBlocked) {
    const shown = document.querySelector(".hear");
    if (!isBlocked) return shown?.remove();
    if (shown) return;
    const button = document.createElement("button");
    button.className = "button button-primary hear";
    button.type = "button";
    button.textContent = "Hear the room";
    button.addEventListener("click", () => this.#sound.resume());
    byID("call").append(button);
  }

  /** @returns {Promise<boolean>} whether it worked; why not is shown to the user */
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

/** Draws one control; its badge, where it has one, stays. */
function drawControl(id, { label, drawing, mood = "", isHidden = false }) {
  const button = byID(id);
  button.hidden = isHidden;
  button.title = label;
  if (!button.querySelector(".count")) button.setAttribute("aria-label", label);
  button.classList.remove("is-on", "is-off");
  if (mood) button.classList.add(mood);
  if (button.dataset.drawing === drawing) return;
  button.dataset.drawing = drawing;
  button.querySelector(".icon")?.remove();
  button.prepend(icon(drawing));
}
