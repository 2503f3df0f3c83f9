// Polls in the room: requests from the server what it does not send by itself, and shows it.

import { unlessCutOff } from "../../client/cut-off.js";
import { badge } from "../controls.js";
import { byID, setText } from "../../common/dom.js";
import { PollPanel } from "./poll-panel.js";
import { toast } from "../../common/toasts.js";
import { t } from "../../common/texts.js";

export class Polling {
  #client;
  #attempt;
  #panel;
  #side;
  #announcer;
  #mayRead = false;
  #unseen = 0; // polls that have started since the panel was last open

  /**
   * @param {{client: import("../../client/roomcast-client.js").RoomcastClient,
   *          side: import("./side-panel.js").SidePanel,
   *          announcer: import("../../common/announcer.js").Announcer,
   *          attempt: (action: () => Promise) => Promise<boolean>}} parts attempt reports failures
   */
  constructor({ client, side, announcer, attempt }) {
    this.#client = client;
    this.#side = side;
    this.#announcer = announcer;
    this.#attempt = attempt;
    const { polls, pollBook } = client;
    this.#panel = new PollPanel({
      onStart: (draft) => attempt(() => polls.start(draft)),
      onStop: (id) => attempt(() => polls.stop(id)),
      onAnswer: (id, answers) => attempt(async () => {
        await polls.answer(id, answers);
        pollBook.answered(id, answers);
        this.draw();
      }),
      nameOf: (peerID, known) => this.#nameOf(peerID, known),
      isOwn: (poll) => poll.startedBy === client.peerID,
    });
    const on = (type, handler) => client.addEventListener(type, ({ detail }) => handler(detail));
    on("poll-started", (poll) => this.#started(poll));
    on("poll-stopped", (poll) => this.#stopped(poll));
    on("polls", () => this.draw());
    on("state", ({ state }) => {
      if (state === "joined") this.#load();
    });
  }

  get mayRead() {
    return this.#mayRead;
  }

  /** Sets the role's permissions. */
  allow({ pollRead, pollWrite }) {
    const couldRead = this.#mayRead;
    this.#mayRead = Boolean(pollRead || pollWrite);
    byID("tab-polls").hidden = !this.#mayRead;
    this.#panel.allow(Boolean(pollWrite));
    if (!this.#mayRead && this.#side.current === "polls") this.#side.close();
    if (this.#mayRead && !couldRead) this.#load();
    this.draw();
  }

  /** The panel is in view. */
  seen() {
    this.#count(0);
  }

  draw() {
    const { runningCount, polls } = this.#client.pollBook;
    setText(byID("tab-polls"), runningCount > 0
      ? t("Polls ({count})", { count: runningCount }) : t("Polls"));
    this.#panel.show(polls);
  }

  #started(poll) {
    this.#fill(poll);
    if (poll.startedBy === this.#client.peerID) return;
    const [name, { title }] = [this.#nameOf(poll.startedBy), poll];
    const news = title ? t("{name} asks: {title}", { name, title })
      : t("{name} started a poll", { name });
    if (this.#side.current === "polls") return this.#announcer.say(news); // it is visible
    toast(news);
    this.#count(this.#unseen + 1);
  }

  #stopped(poll) {
    this.#fill(poll);
    const { title } = poll;
    toast(title ? t("The poll is over: {title}", { title }) : t("The poll is over"));
  }

  #count(count) {
    this.#unseen = count;
    badge("open-polls", count, count > 0 ? t("Polls, {count} new", { count }) : t("Polls"));
  }

  /** Polls from before we joined, or while we were away, are not announced. */
  async #load() {
    if (!this.#mayRead) return;
    await this.#ask(async () => {
      const { polls, pollBook } = this.#client;
      const before = new Set(pollBook.polls.map(({ id }) => id));
      const infos = await polls.list();
      // Polls that started since the request are not in its answer.
      const since = pollBook.polls.filter(({ id }) => !before.has(id));
      pollBook.keep([...infos, ...since.map(({ id }) => ({ poll_id: id }))]);
      // All first: one may end while others are being filled.
      for (const info of infos) pollBook.put(info);
      for (const info of infos) await this.#fill({ id: info.poll_id });
      this.draw();
    });
  }

  async #fill({ id }) {
    this.draw();
    await this.#ask(async () => {
      const { polls, pollBook } = this.#client;
      pollBook.fill(id, await polls.details(id));
      if (pollBook.isRanked(id)) pollBook.rank(id, await polls.standings(id));
      this.draw();
    });
  }

  #ask(action) {
    return this.#attempt(() => unlessCutOff(this.#client, action));
  }

  #nameOf(peerID, known = "") {
    if (peerID === this.#client.peerID) return t("You");
    return this.#client.room.peers.get(peerID)?.name || known || t("Somebody");
  }
}
