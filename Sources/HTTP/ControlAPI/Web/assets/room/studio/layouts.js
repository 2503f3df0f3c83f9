// The layouts that a stream may have, as people choose them. Pure.

import { t } from "../../common/texts.js";

/**
 * `hasFocus`: whether the layout has a place for one chosen person. `tiles` are drawn on 64 × 36,
 * in the proportions that the server uses (`Stage/Layout`).
 * @typedef {{x: number, y: number, width: number, height: number, kind: "face"|"screen"}} Tile
 * @type {{name: string, text: string, hint: string, hasFocus: boolean, tiles: Tile[]}[]}
 */
export const layouts = [
  {
    name: "grid",
    text: t("Grid"),
    hint: t("All people the same size; a shared screen is large."),
    hasFocus: false,
    tiles: [face(0, 0, 32, 18), face(32, 0, 32, 18), face(0, 18, 32, 18), face(32, 18, 32, 18)],
  },
  {
    name: "speaker",
    text: t("Speaker"),
    hint: t("Whoever speaks is large, the others are beside; a shared screen comes first."),
    hasFocus: true,
    tiles: [face(0, 0, 51, 36), ...strip(3)],
  },
  {
    name: "screen",
    text: t("Screen"),
    hint: t("A shared screen is large, the people are beside; a grid without one."),
    hasFocus: false,
    tiles: [{ ...face(0, 0, 51, 36), kind: "screen" }, ...strip(4)],
  },
  {
    name: "pip",
    text: t("Picture in picture"),
    hint: t("A screen or a person fills the picture, another person is in its corner."),
    hasFocus: true,
    tiles: [{ ...face(0, 0, 64, 36), kind: "screen" }, face(47, 26, 16, 9)],
  },
  {
    name: "single",
    text: t("One person"),
    hint: t("Only one person is seen: the one on the stage, or whoever speaks."),
    hasFocus: true,
    tiles: [face(0, 0, 64, 36)],
  },
];

/** @param {string} name an unknown one gives the grid */
export function layoutNamed(name) {
  return layouts.find((one) => one.name === name) ?? layouts[0];
}

/**
 * The change that puts a person on the stage: layouts without such a place give way to the
 * speaker's.
 * @param {{name?: string}} layout the present one
 * @param {string|null} peerID null: nobody is chosen, so whoever speaks
 */
export function staged(layout, peerID) {
  const { name, hasFocus } = layoutNamed(layout.name);
  if (peerID === null) return { focus: null };
  return { name: hasFocus ? name : "speaker", focus: { peer: peerID } };
}

/** @returns {string|null} the id of the person whom a layout puts on the stage */
export function stagedPeer(layout) {
  return layoutNamed(layout?.name).hasFocus ? (layout?.focus?.peer ?? null) : null;
}

function face(x, y, width, height) {
  return { x, y, width, height, kind: "face" };
}

/** Beside a large tile: five fit, fewer are centred. */
function strip(count) {
  const top = (36 - count * 7.2) / 2;
  return Array.from({ length: count }, (_, index) => face(51, top + index * 7.2, 13, 7.2));
}
