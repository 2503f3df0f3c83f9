// Leaving the room, or ending it for all, by one button.

import { ask, checkbox } from "../common/dialog.js";
import { byID } from "../common/dom.js";
import { toggleMenu } from "../common/menu.js";
import { t } from "../common/texts.js";

const button = byID("leave");

export class Leaving {
  #client;
  #attempt;
  #mayEnd = false;

  constructor({ client, attempt }) {
    this.#client = client;
    this.#attempt = attempt;
    button.addEventListener("click", () => this.#pressed());
  }

  /** Who may end the room has a choice. */
  allow({ endRoom }) {
    this.#mayEnd = Boolean(endRoom);
    if (this.#mayEnd) button.setAttribute("aria-haspopup", "menu");
    else button.removeAttribute("aria-haspopup");
    if (this.#mayEnd) button.setAttribute("aria-expanded", "false");
    else button.removeAttribute("aria-expanded");
  }

  #pressed() {
    const client = this.#client;
    if (!this.#mayEnd) return client.leave();
    toggleMenu(button, t("Leave"), [
      { text: t("Leave the room"), drawing: "leave", testID: "leave-now",
        run: () => client.leave() },
      { text: t("End the room for all …"), drawing: "end", testID: "end-room", isDanger: true,
        run: () => this.#end() },
    ]);
  }

  async #end() {
    const lock = checkbox(t("Lock the room"),
      t("Nobody comes in again until it is opened anew."));
    const isSure = await ask({
      title: t("End the room for everybody?"),
      text: t("All who are here have to leave."),
      content: [lock.node],
      confirm: t("End the room"),
      refuse: t("Cancel"),
      isDanger: true,
    });
    if (!isSure) return;
    const end = () => this.#client.moderation.endRoom({ isLocked: lock.isOn() });
    // The server tells only the others to leave.
    if (await this.#attempt(end)) this.#client.leave();
  }
}
