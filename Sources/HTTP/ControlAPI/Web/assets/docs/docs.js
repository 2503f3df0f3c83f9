// The API for people: the server's own description of it, to be read and searched.

import { byID, element, setText } from "../common/dom.js";
import { t, tn } from "../common/texts.js";
import { Card } from "./card.js";
import { Description } from "./description.js";
import { english, prose } from "./prose.js";

const calls = byID("calls");
const wanted = byID("wanted");
const cards = new Map(); // by id
const sections = []; // of groups, with their cards

byID("search").addEventListener("submit", (event) => event.preventDefault());
wanted.addEventListener("input", search);
addEventListener("hashchange", follow);

/** "group-calls" → "Group calls" */
function titleOf(group) {
  const text = group.replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function showGroup(group, description) {
  const id = `group-${group.name}`;
  const own = group.calls.map((call) => new Card(call, description));
  for (const card of own) cards.set(card.node.id, card);
  const node = element(
    "section",
    { class: "docs-group", "aria-labelledby": id },
    element("h2", { id, tabindex: "-1", lang: english }, titleOf(group.name)),
    ...prose(group.text),
    ...own.map((card) => card.node),
  );
  const entry = element("li", {},
    element("a", { href: `#${id}`, lang: english }, titleOf(group.name)));
  byID("groups").append(entry);
  calls.append(node);
  sections.push({ node, entry, cards: own });
}

/** Only calls with all of the words stay. */
function search() {
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of sections) {
    const found = section.cards.filter((card) =>
      (card.node.hidden = !card.has(words), !card.node.hidden));
    section.node.hidden = section.entry.hidden = found.length === 0;
    count += found.length;
  }
  byID("empty").hidden = count > 0;
  setText(byID("found"), words.length === 0 ? ""
    : tn(count, { one: "{count} call", other: "{count} calls" }));
}

/** Opens the call that the address names. */
function follow() {
  const card = cards.get(decodeURIComponent(location.hash.slice(1)));
  if (!card) return;
  if (card.node.hidden) {
    wanted.value = "";
    search();
  }
  card.show();
}

async function begin() {
  try {
    const answer = await fetch("/openapi.json");
    if (!answer.ok) throw new Error(t("The server answered {status}.", { status: answer.status }));
    const description = new Description(await answer.json());
    byID("lead").append(...prose(description.text));
    for (const group of description.groups()) showGroup(group, description);
    follow();
  } catch (error) {
    setText(byID("problem"), `${t("The description could not be shown.")} ${error.message}`);
  }
}

begin();
