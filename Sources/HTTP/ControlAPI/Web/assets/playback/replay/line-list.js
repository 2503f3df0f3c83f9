// A list of lines that follows playback, as long as its reader has not scrolled elsewhere.

import { clockText, element } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/texts.js";

const atEnd = 40; // px that count as the end of the list
const readAlong = 0.35; // of the height, where the current line is brought
const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity,
  End: Infinity };

/**
 * Each line is a button that goes to its time. Tab reaches one of them, the arrows the others.
 * Elements are made when they are first needed, and of a change only what differs is touched.
 */
export class LineList {
  node;
  #list;
  #followButton;
  #pick;
  #draw;
  #lines = [];
  #items = []; // the elements of the first lines
  #count = 0; // of the lines that are in the page
  #current = -1; // the line that is being said
  #tabStop = null; // the button that Tab reaches
  #follows = true;
  #isWhole; // all lines are in the page, and the current one is marked
  #isPlaced = true; // the lines have times to follow

  /**
   * @param {object} rules
   * @param {string} rules.name of the list, for screen readers
   * @param {string} rules.empty shown while there are no lines
   * @param {boolean} rules.isWhole whether all lines are shown, and the current one is marked; else
   *   lines are shown as their time comes
   * @param {(seconds: number) => void} rules.pick
   * @param {(line: object) => Node[]} rules.draw what is behind a line's time
   */
  constructor({ name, empty, isWhole, pick, draw }) {
    this.#isWhole = isWhole;
    this.#pick = pick;
    this.#draw = draw;
    this.#list = element("ol", { class: "lines", "aria-label": name, "data-empty": empty });
    this.#followButton = element("button", {
      class: "button lines-jump", type: "button", hidden: true, "data-testid": "follow",
      onclick: () => this.#resume(),
    }, icon("play"), t("Follow playback"));
    this.node = element("div", { class: "lines-frame" }, this.#list, this.#followButton);
    this.#list.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#list.addEventListener("keydown", (event) => this.#moved(event));
    this.#list.addEventListener("focusin", ({ target }) => this.#letTabReach(target));
    new ResizeObserver(() => this.follow()).observe(this.#list);
  }

  /** @param {{at: number|null}[]} lines by time; those without a time are no buttons */
  set lines(lines) {
    this.#list.replaceChildren();
    this.#lines = lines;
    this.#items = [];
    this.#count = 0;
    this.#current = -1;
    this.#tabStop = null;
    this.#isPlaced = lines.every(({ at }) => at !== null);
    // Without buttons, it is scrolled by its own keys.
    if (this.#isPlaced) this.#list.removeAttribute("tabindex");
    else this.#list.tabIndex = 0;
    this.#setFollows(true);
  }

  /** @param {string} code of the lines' language */
  set language(code) {
    this.#list.lang = code;
  }

  /** Shows so many lines, the first ones. */
  reveal(count) {
    if (count === this.#count) return;
    const hadFocus = this.#list.contains(document.activeElement);
    if (count > this.#count) {
      const added = document.createDocumentFragment();
      for (let at = this.#count; at < count; at += 1) added.append(this.#item(at));
      this.#list.append(added);
    } else {
      for (let at = count; at < this.#count; at += 1) this.#items[at].remove();
    }
    this.#count = count;
    const last = this.#items[count - 1]?.firstChild ?? null;
    if (!hadFocus) this.#letTabReach(last);
    else if (!this.#tabStop?.isConnected) {
      this.#letTabReach(last);
      if (!last) this.#list.tabIndex = -1; // the focus must be somewhere
      (last ?? this.#list).focus({ preventScroll: true });
    }
    this.follow();
  }

  /** Marks the line that is being said; -1 for none. */
  mark(index) {
    if (index === this.#current) return;
    this.#items[this.#current]?.firstChild.removeAttribute("aria-current");
    this.#current = index;
    const button = this.#items[index]?.firstChild;
    button?.setAttribute("aria-current", "true");
    const hasFocus = this.#list.contains(document.activeElement);
    if (button && !button.parentElement.hidden && !hasFocus) this.#letTabReach(button);
    this.follow();
  }

  /** @param {(line: object) => boolean} isWanted others are hidden */
  filter(isWanted) {
    for (let at = 0; at < this.#count; at += 1) {
      this.#items[at].hidden = !isWanted(this.#lines[at]);
      this.#fill(at);
    }
    if (!this.#tabStop || this.#tabStop.parentElement.hidden) this.#letTabReach(this.#buttons()[0]
      ?? null);
    this.#setFollows(true);
    this.follow();
  }

  /** Scrolls to where playback is, unless the reader is elsewhere. */
  follow() {
    const list = this.#list;
    if (!this.#follows || !this.#isPlaced || list.clientHeight === 0) return;
    const item = this.#items[this.#current];
    if (!this.#isWhole) list.scrollTop = list.scrollHeight;
    else if (!item) list.scrollTop = 0;
    else if (!item.hidden) list.scrollTop = item.offsetTop - readAlong * list.clientHeight;
  }

  #item(index) {
    if (this.#items[index]) return this.#items[index];
    const line = this.#lines[index];
    const body = line.at === null ? element("div", { class: "line" }) : element(
      "button",
      { class: "line", type: "button", tabindex: "-1", onclick: () => this.#pick(line.at) });
    this.#items[index] = element("li", { "data-testid": "line" }, body);
    this.#fill(index);
    return this.#items[index];
  }

  #fill(index) {
    const { firstChild: body } = this.#items[index];
    const line = this.#lines[index];
    const time = line.clock ?? clockText(line.at * 1000);
    body.replaceChildren(element("span", { class: "line-time" }, time), ...this.#draw(line));
  }

  #resume() {
    this.#setFollows(true);
    this.follow();
    const item = this.#items[this.#isWhole ? this.#current : this.#count - 1];
    if (item && !item.hidden) this.#letTabReach(item.firstChild);
    this.#tabStop?.focus({ preventScroll: true });
  }

  #setFollows(follows) {
    this.#follows = follows;
    this.#followButton.hidden = follows;
  }

  /** By the reader, or by us: then it is where playback is. */
  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#list;
    if (clientHeight === 0 || !this.#isPlaced) return;
    const item = this.#items[this.#current];
    if (!this.#isWhole) this.#setFollows(scrollHeight - scrollTop - clientHeight < atEnd);
    else if (!item) this.#setFollows(scrollTop < atEnd);
    else if (!item.hidden) {
      const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
      this.#setFollows(bottom > scrollTop && top < scrollTop + clientHeight);
    }
  }

  #buttons() {
    if (!this.#isPlaced) return [];
    return this.#items.slice(0, this.#count).filter((item) => !item.hidden)
      .map((item) => item.firstChild);
  }

  #moved(event) {
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const buttons = this.#buttons();
    const at = buttons.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    const next = Math.min(Math.max(at + step, 0), buttons.length - 1);
    buttons[next].focus();
  }

  /** Lets Tab reach this button, and no other one. */
  #letTabReach(button) {
    if (button && !button.matches("button.line")) return;
    if (this.#tabStop) this.#tabStop.tabIndex = -1;
    this.#tabStop = button;
    if (button) button.tabIndex = 0;
  }
}
