// The operator's page: its login, and one section at a time, chosen by the address.

import { byID, setText } from "../common/dom.js";
import { dismissAll } from "../common/dialog.js";
import { toast } from "../common/toasts.js";
import { access } from "./access.js";
import { enter, leave, session, whenClosed } from "./desk.js";
import { log } from "./log.js";
import { overview } from "./overview.js";
import { poll } from "./poll.js";
import { recordings } from "./recordings.js";
import { rooms } from "./rooms.js";
import { settings } from "./settings.js";
import { streams } from "./streams.js";
import { uploads } from "./uploads.js";
import { webhooks } from "./webhooks.js";
import { t } from "../common/texts.js";

const sections = { overview, streams, rooms, recordings, uploads, webhooks, access, settings, log };
const passwordField = byID("password");

let current = null; // the poll of the section that is shown
let isOpen = false;

function chosen() {
  const name = location.hash.slice(1);
  return Object.hasOwn(sections, name) ? name : "overview";
}

/** @param {boolean} isAsked whether the person has chosen it, and reads on from its title */
function show(isAsked) {
  if (!isOpen) return;
  current?.stop();
  const name = chosen();
  const { title, interval, build } = sections[name];
  for (const link of byID("sections").children) {
    if (link.hash === `#${name}`) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
  document.title = t("{title} · Admin · Roomcast", { title });
  setText(byID("title"), title);
  setText(byID("summary"), "");
  byID("fault").hidden = true;
  const { node, refresh } = build();
  byID("content").replaceChildren(node);
  if (isAsked) byID("title").focus();
  const mine = poll(async () => {
    try {
      await refresh((text) => setText(byID("summary"), text), () => mine.now());
      byID("fault").hidden = true;
    } catch (error) {
      if (!isOpen) return;
      byID("fault").hidden = false;
      setText(byID("fault"), error.message);
    }
  }, interval);
  current = mine;
}

function open() {
  isOpen = true;
  passwordField.value = "";
  byID("gate").hidden = true;
  byID("office").hidden = false;
  byID("logout").hidden = false;
  show(true);
}

/** @param {string} note why the login is shown */
function close(note = "") {
  isOpen = false;
  current?.stop();
  current = null;
  dismissAll();
  byID("content").replaceChildren();
  byID("office").hidden = true;
  byID("logout").hidden = true;
  byID("gate").hidden = false;
  byID("unset").hidden = true;
  byID("login").hidden = false;
  setText(byID("gate-note"), note);
  document.title = t("Admin · Roomcast");
  passwordField.focus();
}

function tellUnset(state) {
  byID("login").hidden = true;
  byID("unset").hidden = false;
  setText(byID("gate-note"), "");
  setText(byID("unset-why"), state === "unusable_password"
    ? t("There is a file for it (admin.passwordFile), but the server cannot read a password in it.")
    : "");
}

async function begin() {
  try {
    const { state, version } = await session();
    setText(byID("version"), version);
    if (state === "open") open();
    else if (state === "closed") close();
    else tellUnset(state);
  } catch (error) {
    setText(byID("gate-note"), error.status === 404
      ? t("This server has no admin page.") : error.message);
  }
}

whenClosed(() => {
  if (isOpen) close(t("The session is over. Log in again."));
});

byID("plain-note").hidden = location.protocol === "https:"
  || ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

byID("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  button.disabled = true;
  setText(byID("login-error"), "");
  try {
    await enter(passwordField.value);
    open();
  } catch (error) {
    setText(byID("login-error"), error.message);
    passwordField.select();
  } finally {
    button.disabled = false;
  }
});

byID("logout").addEventListener("click", async () => {
  try {
    await leave();
    close(t("You are logged out."));
  } catch (error) {
    toast(error.message, "error");
  }
});

window.addEventListener("hashchange", () => show(true));
begin();
