// The list of people: roles, hands, marks, and a menu for each person.

import { byID, element, initials, reconcile, setText } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { colour } from "../../common/person-colour.js";
import { closeOrphanedMenu, toggleMenu } from "../../common/menu.js";
import { qualityMark, showQuality } from "../quality-mark.js";
import { roleText } from "../../common/role-text.js";
import { t, tn } from "../../common/texts.js";

const searchedFrom = 8; // people; a shorter list needs no search
const searchDelay = 300; // ms without a key before the server is searched

const node = {
  tab: byID("tab-people"),
  list: byID("people"),
  search: byID("people-search"),
  none: byID("people-none"),
  note: byID("people-note"),
  muteAll: byID("mute-all"),
  changeRoles: byID("change-roles"),
};

export class PeoplePanel {
  #rules;
  #people = [];
  #count = 0;
  #found = []; // by the server, among the unlisted people
  #timer = null;

  /**
   * @param {{actionsOf: (person: object) => object[], onAction: (name: string, person) => void,
   *          onMuteAll: () => void, onChangeRoles: () => void,
   *          search: (text: string) => Promise<object[]>}} rules
   */
  constructor(rules) {
    this.#rules = rules;
    node.search.addEventListener("input", () => this.#searched());
    node.muteAll.addEventListener("click", () => rules.onMuteAll());
    node.changeRoles.addEventListener("click", () => rules.onChangeRoles());
  }

  /** @param {{mayMute: boolean, mayChangeRoles: boolean}} permissions */
  allow({ mayMute, mayChangeRoles }) {
    node.muteAll.hidden = !mayMute;
    node.changeRoles.hidden = !mayChangeRoles;
  }

  /** @param {number} count of all people; a large room lists only some */
  count(count) {
    this.#count = count;
    setText(node.tab, t("People ({count})", { count }));
  }

  /** @param {object[]} people see `peopleOf` in room-view.js */
  show(people) {
    const count = this.#count;
    this.#people = people;
    node.search.hidden = count < searchedFrom && !node.search.value;
    this.#draw();
  }

  get #text() {
    return node.search.value.trim().toLowerCase();
  }

  #draw() {
    const text = this.#text;
    const listed = this.#people.filter((person) => person.name.toLowerCase().includes(text));
    const ids = new Set(this.#people.map((person) => person.id));
    const found = text ? this.#found.filter((person) => !ids.has(person.id)) : [];
    // Raised hands first, in the order of raising.
    const raised = listed.filter((person) => person.hand > 0).sort((a, b) => a.hand - b.hand);
    const shown = [...raised, ...listed.filter((person) => person.hand === 0), ...found];
    reconcile(node.list, shown, {
      key: (person) => person.id,
      create: (person) => this.#create(person),
      update: (row, person) => this.#update(row, person),
    });
    setText(node.none, text && shown.length === 0 ? t("Nobody of that name.") : "");
    const beyond = text ? 0 : this.#count - this.#people.length;
    setText(node.note, beyond > 0 ? tn(beyond, {
      one: "{count} more, who only watches: the search finds them.",
      other: "{count} more, who only watch: the search finds them.",
    }) : "");
    closeOrphanedMenu();
  }

  #create(person) {
    const more = element(
      "button",
      { class: "icon-button", type: "button", "aria-haspopup": "menu", "aria-expanded": "false",
        "data-testid": "person-menu" },
      icon("more"),
    );
    const row = element(
      "li",
      { class: "person", "data-testid": "person", "data-peer": person.id },
      element("span", { class: "face", "aria-hidden": "true" }),
      element("div", { class: "person-text" }, element("b"), element("span")),
      element("span", { class: "person-marks" }),
      qualityMark(),
      more,
    );
    more.addEventListener("click", () => this.#openMenu(more, row.person));
    return row;
  }

  #update(row, person) {
    row.person = person;
    colour(row, person);
    setText(row.querySelector(".face"), initials(person.name));
    const name = person.isLocal ? t("{name} (you)", { name: person.name }) : person.name;
    setText(row.querySelector("b"), name);
    setText(row.querySelector(".person-text span"), roleText(person.role));
    showQuality(row.querySelector(".quality"), person.quality ?? null);
    const marks = row.querySelector(".person-marks");
    const state = [person.hand, person.isSilent, person.isDark, Boolean(person.screen)].join();
    if (marks.dataset.state !== state) {
      marks.dataset.state = state;
      marks.replaceChildren(...marksOf(person));
    }
    const more = row.querySelector("button");
    more.setAttribute("aria-label", t("What to do with {name}", { name }));
    more.hidden = this.#rules.actionsOf(person).length === 0;
  }

  #openMenu(button, person) {
    const items = this.#rules.actionsOf(person).map((action) => ({
      ...action,
      run: () => this.#rules.onAction(action.name, person),
    }));
    toggleMenu(button, person.name, items);
  }

  /** A large room does not list all people, so the server is searched too. */
  #searched() {
    clearTimeout(this.#timer);
    this.#draw();
    const text = this.#text;
    if (!text || this.#people.length >= this.#count) {
      this.#found = [];
      return;
    }
    this.#timer = setTimeout(async () => {
      const found = await this.#rules.search(text).catch(() => []);
      if (text !== this.#text) return;
      this.#found = found;
      this.#draw();
    }, searchDelay);
  }
}

function marksOf(person) {
  const marks = [];
  const add = (name, text, ...children) =>
    marks.push(element("span", { role: "img", "aria-label": text, title: text },
      icon(name), ...children));
  if (person.hand > 0) {
    const mark = element("b", {}, String(person.hand));
    add("hand", t("Hand raised, number {number}", { number: person.hand }), mark);
    marks[0].className = "hand-mark";
    marks[0].dataset.testid = "hand-mark";
  }
  if (person.screen) add("screen", t("Shares the screen"));
  if (person.isSilent) add("microphoneOff", t("Microphone off"));
  if (person.isDark) add("cameraOff", t("Camera off"));
  return marks;
}
