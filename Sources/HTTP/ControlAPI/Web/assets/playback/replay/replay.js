// What was written and said in a recording, beside its player. Everything in it is foreign text.

import { rolesMark } from "../../client/messages.js";
import { element, setText } from "../../common/dom.js";
import { t } from "../../common/texts.js";
import { countAt } from "./lines-at.js";
import { LineList } from "./line-list.js";
import { loadChat, loadTranscript, replayOf } from "./sources.js";
import { Tabs } from "./tabs.js";
import { TranscriptPanel } from "./transcript-panel.js";

const cutText = t("Only the first messages are shown. The file has all.");
const unplacedText = t("Shown with the time of day: where in the recording a message was"
  + " written is not known.");

export class Replay {
  #node;
  #video;
  #player;
  #tabs;
  #chat;
  #chatNote = element("p", { class: "quiet replay-note", role: "status" });
  #transcript;
  #chatLines = [];
  #loading = new AbortController();

  /**
   * @param {Element} node an empty one beside the video
   * @param {HTMLVideoElement} video
   * @param {import("../player.js").Player} player
   */
  constructor(node, video, player) {
    this.#node = node;
    this.#video = video;
    this.#player = player;
    const pick = (seconds) => player.seek(player.window.start + seconds);
    this.#chat = new LineList({
      name: t("Chat"), empty: t("Messages appear here as they were written."), isWhole: false, pick,
      draw: drawMessage,
    });
    this.#transcript = new TranscriptPanel({ pick, load: (asset) => this.#loadTranscript(asset) });
    this.#tabs = new Tabs("replay", [
      { name: "chat", text: t("Chat"),
        panel: element("div", { class: "replay-panel" }, this.#chatNote, this.#chat.node) },
      { name: "transcript", text: t("Transcript"), panel: this.#transcript.node },
    ], () => this.#follow());
    node.append(this.#tabs.node);
    for (const event of ["timeupdate", "seeking", "seeked", "loadedmetadata"]) {
      video.addEventListener(event, () => this.#draw());
    }
  }

  /**
   * Shows what a recording has, if anything.
   * @param {object} card
   * @param {string|null} master the address of its playlist
   */
  show(card, master) {
    this.clear();
    const { chat, transcripts } = replayOf(card);
    const names = [chat && "chat", transcripts.length > 0 && "transcript"].filter(Boolean);
    this.#node.hidden = names.length === 0;
    if (names.length === 0) return;
    this.#tabs.show(names);
    if (chat) this.#loadChat(chat, master);
    this.#transcript.show(transcripts);
  }

  clear() {
    this.#loading.abort();
    this.#loading = new AbortController();
    this.#node.hidden = true;
    this.#setChat([], "");
    this.#transcript.show([]);
  }

  async #loadChat(asset, master) {
    const { signal } = this.#loading;
    setText(this.#chatNote, t("Loading…"));
    try {
      const { lines, isWhole, isPlaced } = await loadChat(asset, master, signal);
      if (signal.aborted) return;
      const notes = [isPlaced ? "" : unplacedText, isWhole ? "" : cutText];
      this.#setChat(lines, notes.filter(Boolean).join(" "));
      if (!isPlaced) this.#chat.reveal(lines.length);
      this.#draw();
    } catch {
      if (!signal.aborted) this.#setChat([], t("The chat cannot be fetched."));
    }
  }

  async #loadTranscript(asset) {
    const { signal } = this.#loading;
    const transcript = await loadTranscript(asset, signal);
    signal.throwIfAborted();
    return transcript;
  }

  #setChat(lines, note) {
    this.#chatLines = lines.length > 0 && lines[0].at === null ? [] : lines;
    this.#chat.lines = lines;
    setText(this.#chatNote, note);
  }

  #follow() {
    this.#draw();
    this.#chat.follow();
    this.#transcript.follow();
  }

  #draw() {
    if (this.#node.hidden) return;
    const time = this.#video.currentTime - this.#player.window.start;
    if (this.#chatLines.length > 0) this.#chat.reveal(countAt(this.#chatLines, time));
    this.#transcript.draw(time);
  }
}

function drawMessage({ name, text, to }) {
  return [
    element("b", { class: "line-name" }, name || t("Server")),
    to.length > 0 ? element("span", { class: "line-mark" }, ` ${rolesMark(to)}`) : null,
    element("span", { class: "line-text" }, text),
  ].filter(Boolean);
}
