// Requests to others, from their menus, and requests from others.

import { ask } from "../../common/dialog.js";
import { Requests } from "./requests.js";
import { chooseRole, chooseRoles, roleText } from "./role-dialog.js";
import { toast } from "../../common/toasts.js";
import { t } from "../../common/texts.js";

export class Moderating {
  #client;
  #media;
  #publishing;
  #attempt;
  #requests = new Requests();
  #role = null; // its name

  /** @param attempt reports failures */
  constructor({ client, media, publishing, attempt }) {
    this.#client = client;
    this.#media = media;
    this.#publishing = publishing;
    this.#attempt = attempt;
  }

  stop() {
    this.#requests.clear();
  }

  /** Sets the role; requests to us in another role are dropped. */
  roleIs(name) {
    if (this.#role !== null && this.#role !== name) this.#requests.clear();
    this.#role = name;
  }

  // MARK: Of others

  /** @param {string} name of an action of person-actions.js */
  act(name, person) {
    const { moderation } = this.#client;
    const { audio, video, screen } = person;
    const setMuted = (track, isMuted) =>
      this.#attempt(() => moderation.setTrackMuted(person.id, track, isMuted));
    switch (name) {
      case "mute": return setMuted(audio, true);
      case "unmute": return setMuted(audio, false);
      case "darken": return setMuted(video, true);
      case "lighten": return setMuted(video, false);
      case "unshare": return setMuted(screen, true);
      case "lower": return this.#attempt(() => moderation.lowerHandOf(person.id));
      case "role": return this.#changeRole(person);
      case "remove": return this.#remove(person);
    }
  }

  async changeRoles() {
    const { moderation, role } = this.#client;
    const chosen = await chooseRoles(role);
    if (!chosen) return;
    const { from, to } = chosen;
    const isDone = await this.#attempt(() => moderation.changeRoles(from, to));
    const values = { from: roleText(from), to: roleText(to) };
    if (isDone) toast(t("Everybody who was {from} is {to} now", values));
  }

  async #changeRole(person) {
    const chosen = await chooseRole(person, this.#client.role.known);
    if (!chosen) return;
    const { role, isForced } = chosen;
    const { moderation } = this.#client;
    const isDone = await this.#attempt(() => moderation.changeRole(person.id, role, { isForced }));
    const values = { name: person.name, role: roleText(role) };
    if (isDone && !isForced) toast(t("{name} was asked to be {role}", values));
  }

  async #remove(person) {
    const isSure = await ask({
      title: t("Remove {name} from the room?", { name: person.name }),
      confirm: t("Remove"),
      refuse: t("Cancel"),
      isDanger: true,
    });
    if (isSure) await this.#attempt(() => this.#client.moderation.remove(person.id));
  }

  // MARK: Of us

  roleOffered(offer) {
    const role = roleText(offer.role);
    const question = {
      title: t("Become {role}?", { role }),
      text: t("{name} would like you to be {role}. What you may do in the room changes with it.",
        { name: this.#nameOf(offer.requestedBy), role }),
      confirm: t("Become {role}", { role }),
      refuse: t("Not now"),
    };
    this.#requests.add("role", question, () =>
      this.#attempt(() => this.#client.moderation.acceptRole(offer)));
  }

  /** A mute takes effect at once; unmuting is one's own decision. */
  async muteAsked(request) {
    await this.#publishing.settled; // others may know a track before its id is known here
    const name = this.#nameOf(request.requestedBy);
    const kinds = request.trackID !== undefined
      ? [this.#publishing.kindOf(request.trackID)]
      : this.#kindsOf(request);
    for (const kind of kinds.filter((one) => one && this.#publishing.has(one))) {
      if (request.isMuted) this.#mute(kind, name);
      else this.#askToUnmute(kind, name);
    }
  }

  #kindsOf({ kind, source }) {
    const regular = kind ? [kind] : ["audio", "video"];
    if (source === "screen") return ["screen"];
    return source || kind === "audio" ? regular : [...regular, "screen"];
  }

  #mute(kind, name) {
    const media = this.#media;
    if (kind === "audio" && media.isMicrophoneOn) {
      media.setMicrophone(false);
      toast(t("{name} muted your microphone", { name }));
    } else if (kind === "video" && media.isCameraOn) {
      media.setCamera(false);
      toast(t("{name} turned your camera off", { name }));
    } else if (kind === "screen" && this.#publishing.screen) {
      this.#publishing.stopScreen();
      toast(t("{name} stopped your screen share", { name }));
    }
  }

  #askToUnmute(kind, name) {
    const media = this.#media;
    if (kind === "audio" && !media.isMicrophoneOn) {
      const question = {
        title: t("Turn your microphone on?"),
        text: t("{name} asks you to unmute.", { name }),
        confirm: t("Unmute"),
        refuse: t("Stay muted"),
      };
      this.#requests.add(kind, question, () => {
        if (this.#publishing.has(kind)) media.setMicrophone(true);
      });
    } else if (kind === "video" && !media.isCameraOn) {
      const question = {
        title: t("Turn your camera on?"),
        text: t("{name} asks to see you.", { name }),
        confirm: t("Turn on"),
        refuse: t("Stay off"),
      };
      this.#requests.add(kind, question, () => {
        if (this.#publishing.has(kind)) media.setCamera(true);
      });
    }
  }

  #nameOf(peerID) {
    return this.#client.room.peers.get(peerID)?.name || t("The host");
  }
}
