// Which other role somebody is to have, and whether they are asked.

import { ask, checkbox, choice } from "./dialog.js";

/** "Host" for "host". */
export const roleText = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * @param {{name: string, role: string}} person
 * @param {string[]} roles all that there are
 * @returns {Promise<{role: string, isForced: boolean}|null>}
 */
export async function chooseRole(person, roles) {
  const others = roles.filter((name) => name !== person.role);
  const role = choice(
    "role",
    `${person.name} is ${roleText(person.role)} now. The new role:`,
    others.map((name) => ({ value: name, text: roleText(name) })),
  );
  const isAsked = checkbox(`Ask ${person.name} first`, "Without, the role changes at once.", {
    isOn: true,
  });
  const isChosen = await ask({
    title: `Change the role of ${person.name}`,
    content: [role.node, isAsked.node],
    confirm: "Change role",
    refuse: "Cancel",
  });
  return isChosen ? { role: role.value(), isForced: !isAsked.isOn() } : null;
}
