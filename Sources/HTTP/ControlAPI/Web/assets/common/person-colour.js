// The colour of a person: the same on tiles, in the chat, in the list of people and in the composed
// picture (Compositor/DrawingColour), and again when the person comes back.

const hues = [12, 38, 92, 158, 190, 214, 262, 322];

/** @param {{id: string, name: string}} person */
export function hueOf({ id, name }) {
  const text = name.trim().toLowerCase() || id;
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)) >>> 0;
  return hues[sum % hues.length];
}

/** Gives an element the person's colour; `.person-colour` in base.css makes shades of it. */
export function colour(node, person) {
  node.classList.add("person-colour");
  node.style.setProperty("--hue", hueOf(person));
}
