// A menu at a button, for the mouse and the usual keys: arrows, Home, End, the first letter,
// Escape.

import { element, giveFocus } from "./dom.js";
import { icon } from "./icons.js";

const margin = 8; // px to the window's edges

let close = () => {};

/**
 * Opens the menu, or closes it if it is open at that button.
 * @param {HTMLButtonElement} button it should have `aria-haspopup="menu"`
 * @param {string} label the menu's subject
 * @param {{text: string, drawing?: string, picture?: Node, testID?: string, isDanger?: boolean,
 *          run: () => void}[]} items drawing: an icon's name; picture: in its place
 */
export function toggleMenu(button, label, items) {
  const wasOpen = button.getAttribute("aria-expanded") === "true";
  close();
  if (wasOpen || items.length === 0) return;
  const nodes = items.map((item) =>
    element(
      "button",
      {
        class: item.isDanger ? "menu-item is-danger" : "menu-item",
        type: "button",
        role: "menuitem",
        tabindex: "-1",
        "data-testid": item.testID,
        onclick: () => {
          close();
          item.run();
        },
      },
      item.picture ?? (item.drawing ? icon(item.drawing) : null),
      item.text,
    ),
  );
  const menu = element(
    "div",
    { class: "menu", role: "menu", "aria-label": label, "data-testid": "menu" },
    ...nodes,
  );
  // In the same part of the page, where those who go by its landmarks find it.
  (button.closest("dialog, header, main, aside, footer") ?? document.body).append(menu);
  button.setAttribute("aria-expanded", "true");
  place(menu, button);
  nodes[0].focus();

  const elsewhere = (event) => {
    if (!menu.contains(event.target) && !button.contains(event.target)) close({ keepsFocus: true });
  };
  close = ({ keepsFocus = false } = {}) => {
    close = () => {};
    removeEventListener("pointerdown", elsewhere, true);
    removeEventListener("resize", leave);
    button.setAttribute("aria-expanded", "false");
    menu.remove();
    if (!keepsFocus) giveFocus(button);
  };
  const leave = () => close();
  addEventListener("pointerdown", elsewhere, true);
  addEventListener("resize", leave);
  menu.addEventListener("keydown", (event) => {
    const index = nodes.indexOf(document.activeElement);
    const next = keyTarget(event.key, index, nodes);
    if (next) next.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  });
}

/** Closes the open menu, if there is one. */
export function closeMenu() {
  close();
}

/** Closes a menu whose button is no longer in the page. */
export function closeOrphanedMenu() {
  if (!document.querySelector("[aria-haspopup=menu][aria-expanded=true]")) close();
}

function keyTarget(key, index, nodes) {
  switch (key) {
    case "ArrowDown":
      return nodes[(index + 1) % nodes.length];
    case "ArrowUp":
      return nodes[(index - 1 + nodes.length) % nodes.length];
    case "Home":
      return nodes[0];
    case "End":
      return nodes[nodes.length - 1];
    default: {
      if (key.length !== 1) return null;
      const order = [...nodes.slice(index + 1), ...nodes.slice(0, index + 1)];
      const begins = (node) => node.textContent.toLowerCase().startsWith(key.toLowerCase());
      return order.find(begins) ?? null;
    }
  }
}

/** Below the button, or above it if there is no room, and inside the window. */
function place(menu, button) {
  const anchor = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(anchor.right - width, innerWidth - width - margin);
  const fitsBelow = anchor.bottom + height + margin <= innerHeight;
  const top = fitsBelow ? anchor.bottom + 4 : anchor.top - height - 4;
  menu.style.left = `${Math.max(margin, left)}px`;
  menu.style.top = `${Math.max(margin, top)}px`;
}
