// Requests to others, from their menus, and requests from others.

import { ask } from "../../common/dialog.js";
import { Requests } from "./requests.js";
import { chooseRole, chooseRoles } from "./role-dialog.js";
import { roleText } from "../../common/role-text.js";
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
    const [role, name] = [roleText(offer.role), this.#nameOf(offer.requestedBy)];
    const question = {
      title: t("Become {role}?", { role }),
      text: name
        ? t("{name} would like you to be {role}. What you may do in the room changes with it.",
          { name, role })
        : t("You are asked to be {role}. What you may do in the room changes with it.", { role }),
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
      toast(name ? t("{name} muted your microphone", { name })
        : t("Your microphone was muted"));
    } else if (kind === "video" && media.isCameraOn) {
      media.setCamera(false);
      toast(name ? t("{name} turned your camera off", { name })
        : t("Your camera was turned off"));
    } else if (kind === "screen" && this.#publishing.screen) {
      this.#publishing.stopScreen();
      toast(name ? t("{name} stopped your screen share", { name })
        : t("Your screen share was stopped"));
    }
  }

  #askToUnmute(kind, name) {
    const media = this.#media;
    if (kind === "audio" && !media.isMicrophoneOn) {
      const question = {
        title: t("Turn your microphone on?"),
        text: name ? t("{name} asks you to unmute.", { name }) : t("You are asked to unmute."),
        confirm: t("Unmute"),
        refuse: t("Stay muted"),
      };
      this.#requests.add(kind, question, () => {
        if (this.#publishing.has(kind)) media.setMicrophone(true);
      });
    } else if (kind === "video" && !media.isCameraOn) {
      const question = {
        title: t("Turn your camera on?"),
        text: name ? t("{name} asks to see you.", { name })
          : t("You are asked to turn your camera on."),
        confirm: t("Turn on"),
        refuse: t("Stay off"),
      };
      this.#requests.add(kind, question, () => {
        if (this.#publishing.has(kind)) media.setCamera(true);
      });
    }
  }

  /** Empty for whoever has left, and for the server's operator: sentences do without it. */
  #nameOf(peerID) {
    return this.#client.room.peers.get(peerID)?.name ?? "";
  }
}
