// Chooses a new role for one person, and whether they are asked; or for all peers of a role.

import { ask, checkbox, choice, labelled } from "../../common/dialog.js";
import { element } from "../../common/dom.js";
import { roleText } from "../../common/role-text.js";
import { t } from "../../common/texts.js";

/**
 * @param {{name: string, role: string}} person
 * @param {string[]} roles all roles
 * @returns {Promise<{role: string, isForced: boolean}|null>}
 */
export async function chooseRole(person, roles) {
  const others = roles.filter((name) => name !== person.role);
  const role = choice(
    "role",
    t("{name} is {role} now. The new role:",
      { name: person.name, role: roleText(person.role) }),
    others.map((name) => ({ value: name, text: roleText(name) })),
  );
  const isAsked = checkbox(t("Ask {name} first", { name: person.name }),
    t("Without, the role changes at once."), { isOn: true });
  const isChosen = await ask({
    title: t("Change the role of {name}", { name: person.name }),
    content: [role.node, isAsked.node],
    confirm: t("Change role"),
    refuse: t("Cancel"),
  });
  return isChosen ? { role: role.value(), isForced: !isAsked.isOn() } : null;
}

/**
 * Proposes to reduce others' rights rather than to extend them.
 * @param {{name: string, known: string[]}} mine one's own role, and all roles, by priority
 * @returns {Promise<{from: string, to: string}|null>}
 */
export async function chooseRoles({ name, known }) {
  const options = (roles) =>
    roles.map((role) => element("option", { value: role }, roleText(role)));
  const select = (testID) => element("select", { class: "field", "data-testid": testID });
  const [from, to] = [select("roles-from"), select("roles-to")];
  const proposeOthers = () => {
    to.replaceChildren(...options(known.filter((role) => role !== from.value)));
    to.selectedIndex = to.length - 1;
  };
  from.append(...options([...known.filter((role) => role !== name), name]));
  from.addEventListener("change", proposeOthers);
  proposeOthers();
  const isChosen = await ask({
    title: t("Change roles"),
    text: t("All of a role have the other one at once."),
    content: [labelled(t("Everybody who is"), from), labelled(t("becomes"), to)],
    confirm: t("Change roles"),
    refuse: t("Cancel"),
  });
  return isChosen ? { from: from.value, to: to.value } : null;
}
